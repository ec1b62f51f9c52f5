# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: models and single kernels, from a JSON list.

A list holds objects with a "kind" and its fields, and optionally a "name" and
"threads" (a number or a list of them):

    {"kind": "model", "model": "resnet50", "batch": 8}
    {"kind": "open", "model": "resnet50", "sizes": {"N": 8}}
    {"kind": "onnx", "path": "model.onnx"}
    {"kind": "conv", "channels": 64, "size": 56, "outputs": 64, "kernel": 3}
    {"kind": "matmul", "rows": 128, "columns": 768, "depth": 768, "threads": [1, 2]}
"""

import inspect
import json
import math
import pathlib
import sys
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402


class ListError(ValueError):
    """A list that does not say what to measure."""


class Case:
    """An ONNX model with a name, inputs, its number of threads, and what open sizes
    are, by name."""

    def __init__(self, name, model, threads=None, is_model=False, sizes=None):
        self.name, self.model, self.threads = name, model, threads
        self.is_model, self.sizes = is_model, sizes or {}
        self.inputs = build.random_inputs(model, sizes=self.sizes)
        self.flop, self.bytes = work(model, self.sizes)


#===-----------------------------------------------------------------------===#
# Single kernels
#===-----------------------------------------------------------------------===#


def _kernel(nodes, inputs, constants, shape):
    """A model of nodes from named float inputs and random constants to "y"."""
    rng = np.random.default_rng(0)
    weights = [
        numpy_helper.from_array(rng.uniform(-1, 1, size).astype(np.float32), key)
        for key, size in constants.items()
    ]
    values = [
        helper.make_tensor_value_info(key, TensorProto.FLOAT, size)
        for key, size in inputs.items()
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "kernel", values, [result], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                             ir_version=8)


def conv(*, channels: int, size: int, outputs: int, kernel: int, stride: int = 1,
         groups: int = 1, dilation: int = 1):
    """A convolution with bias and relu, as fusion leaves it."""
    pad = dilation * (kernel // 2)
    out = (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[pad] * 4,
                         strides=[stride] * 2, kernel_shape=[kernel] * 2,
                         group=groups, dilations=[dilation] * 2),
        helper.make_node("Relu", ["c"], ["y"]),
    ]
    name = "depthwise" if groups == channels > 1 else "conv"
    apart = f" dilation {dilation}" if dilation > 1 else ""
    return (f"{name} {kernel}x{kernel}/{stride} {channels}->{outputs} @{size}{apart}",
            _kernel(nodes, {"x": [1, channels, size, size]},
                    {"w": [outputs, channels // groups, kernel, kernel],
                     "b": [outputs]}, [1, outputs, out, out]))


def matmul(*, rows: int, columns: int, depth: int, batch: int = 1,
           constant: bool = False):
    """A matrix product; the right matrix may be a constant, as weights are."""
    lead = [batch] if batch > 1 else []
    inputs = {"a": [*lead, rows, depth]}
    right = {"b": [*lead, depth, columns]}
    label = "x".join(map(str, [*lead, rows, columns, depth]))
    return (f"{'dense' if constant else 'matmul'} {label}",
            _kernel([helper.make_node("MatMul", ["a", "b"], ["y"])],
                    inputs if constant else {**inputs, **right},
                    right if constant else {}, [*lead, rows, columns]))


def unary(*, operator: str, shape: list,
          attributes: dict = None):  # type: ignore[assignment]  # Lists have no null.
    """One operator of one input and the same shape: "Softmax", "Erf", ..."""
    return (f"{operator} {'x'.join(map(str, shape))}",
            _kernel([helper.make_node(operator, ["x"], ["y"], **(attributes or {}))],
                    {"x": shape}, {}, shape))


def scale_shift(*, elements: int):
    """relu(x * a + b): three operators, one pass over memory."""
    nodes = [helper.make_node("Mul", ["x", "a"], ["p"]),
             helper.make_node("Add", ["p", "b"], ["s"]),
             helper.make_node("Relu", ["s"], ["y"])]
    return (f"relu(x*a+b) {elements}",
            _kernel(nodes, {"x": [elements]}, {"a": [1], "b": [1]}, [elements]))


def layer_norm(*, rows: int, columns: int):
    node = helper.make_node("LayerNormalization", ["x", "g", "b"], ["y"])
    return (f"LayerNormalization {rows}x{columns}",
            _kernel([node], {"x": [rows, columns]}, {"g": [columns], "b": [columns]},
                    [rows, columns]))


def pool(*, operator: str, channels: int, size: int, kernel: int, stride: int):
    pad = kernel // 2
    out = (size + 2 * pad - kernel) // stride + 1
    node = helper.make_node(operator, ["x"], ["y"], pads=[pad] * 4,
                            kernel_shape=[kernel] * 2, strides=[stride] * 2)
    return (f"{operator} {kernel}x{kernel}/{stride} {channels} @{size}",
            _kernel([node], {"x": [1, channels, size, size]}, {},
                    [1, channels, out, out]))


def node(*, operator: str, inputs: list,
         attributes: dict = None):  # type: ignore[assignment]  # Lists have no null.
    """One operator of any inputs: for each a list, its shape, if it is float32, else
    {"shape": [2, 3], "type": "int8"}, {"values": [0, 1]} for constant int64, or null
    if it is left out. Ids ("ids": true) go up to 30000, other int64 are 0 and 1."""
    names, values, constants, labels = [], [], [], []
    for number, entry in enumerate(inputs):
        if entry is None:
            names.append("")
            continue
        if not isinstance(entry, (dict, list)):
            raise ListError(f"expects inputs that are lists or objects, but got {entry!r}")
        entry = {"shape": entry} if isinstance(entry, list) else dict(entry)
        names.append("input_ids" if entry.pop("ids", False) else f"x{number}")
        if set(entry) == {"values"}:
            constants.append(numpy_helper.from_array(np.array(entry["values"], np.int64),
                                                     names[-1]))
            labels.append(str(entry["values"]).replace(" ", ""))
            continue
        kind = entry.get("type", "float32")
        if not isinstance(entry.get("shape"), list) or set(entry) - {"shape", "type"}:
            raise ListError("expects inputs with a shape, and perhaps a type, or with "
                            f"values, but got {inputs[number]!r}")
        try:
            element = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
        except (KeyError, TypeError, ValueError) as error:
            raise ListError(f"expects a type of NumPy, but got {kind!r}") from error
        values.append(helper.make_tensor_value_info(names[-1], element, entry["shape"]))
        labels.append("x".join(map(str, entry["shape"]))
                      + ("" if kind == "float32" else f" {kind}"))
    try:
        count = onnx.defs.get_schema(operator, 17).min_output
    except onnx.defs.SchemaError as error:
        raise ListError(f"expects an operator of ONNX, but got '{operator}'") from error
    outputs = ["y", *(f"y{number}" for number in range(1, count))]
    made = helper.make_node(operator, names, outputs, **(attributes or {}))
    graph = helper.make_graph([made], "kernel", values,
                              [onnx.ValueInfoProto(name=name) for name in outputs],
                              constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                              ir_version=8)
    try:
        inferred = onnx.shape_inference.infer_shapes(proto, strict_mode=True,
                                                     data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        raise ListError(f"cannot make operator '{operator}': {error}") from error
    extra = "".join(f" {key}={value}".replace(", ", ",") for key, value in
                    (attributes or {}).items())
    return f"{operator} {', '.join(labels)}{extra}", inferred


def _label(model, batch=1, sizes=None):
    """What a network is called."""
    parts = [f"batch {batch}"] if batch != 1 else []
    parts += [f"{name}={size}" for name, size in (sizes or {}).items()]
    return " ".join([model, *parts])


def _build(model, batch):
    if model not in build.MODELS:
        raise ListError(f"expects one of the models {', '.join(build.MODELS)}, but "
                        f"got '{model}'")
    return build.build(model, batch)


def model(*, model: str, batch: int = 1):
    """A network of utils/models."""
    return _label(model, batch), _build(model, batch)


def open_model(*, model: str, sizes: dict):
    """A network of utils/models with sizes that are known when it runs: the batch
    "N", and of bert_base_open "length"."""
    proto = _build(model, "N" if "N" in sizes else 1)
    names = {dim.dim_param for info in proto.graph.input
             for dim in info.type.tensor_type.shape.dim if dim.dim_param}
    if names != set(sizes) or not all(
            type(size) is int and size > 0 for size in sizes.values()):
        raise ListError(f"expects positive sizes for {', '.join(sorted(names)) or 'none'}, "
                        f"but got {sizes}")
    return _label(model, sizes=sizes), proto


def onnx_file(*, path: str):
    try:
        return pathlib.Path(path).stem, onnx.load(path)
    except (OSError, ValueError) as error:
        raise ListError(f"cannot read '{path}': {error}") from error
    except Exception as error:  # protobuf's own
        raise ListError(f"expects an ONNX model in '{path}': {error}") from error


KINDS: dict[str, Any] = {
    "conv": conv, "layer_norm": layer_norm, "matmul": matmul, "model": model,
    "node": node, "onnx": onnx_file, "open": open_model, "pool": pool,
    "scale_shift": scale_shift, "unary": unary,
}


#===-----------------------------------------------------------------------===#
# Lists
#===-----------------------------------------------------------------------===#


def _threads(value):
    if value is None:
        return None
    values = value if isinstance(value, list) else [value]
    for count in values:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1024:
            raise ListError(f"expects threads from 1 to 1024, but got {count!r}")
    return values


def _make(entry, matches=lambda name: True):
    """The case of an entry of a list; None if it is not asked for."""
    if not isinstance(entry, dict):
        raise ListError(f"expects an object, but got {entry!r}")
    fields = dict(entry)
    kind, name = fields.pop("kind", None), fields.pop("name", None)
    threads = _threads(fields.pop("threads", None))
    if kind not in KINDS:
        raise ListError(f"expects a kind out of {', '.join(KINDS)}, but got {kind!r}")
    parameters = inspect.signature(KINDS[kind]).parameters
    for key, value in fields.items():
        if key not in parameters:
            raise ListError(f"expects the fields {', '.join(parameters)} of kind "
                            f"'{kind}', but got '{key}'")
        wanted = parameters[key].annotation
        good = isinstance(value, wanted) and (
            wanted is not int or (not isinstance(value, bool) and value > 0))
        if not good:
            raise ListError(f"expects '{key}' of kind '{kind}' to be "
                            f"{'a positive ' if wanted is int else 'a '}"
                            f"{wanted.__name__}, but got {value!r}")
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in fields:
            raise ListError(f"expects the field '{key}' of kind '{kind}', but it is "
                            "missing")
    # Networks take long to make.
    if kind in ("model", "open") and not matches(name or _label(**fields)):
        return None
    label, proto = KINDS[kind](**fields)
    if not matches(name or label):
        return None
    try:
        onnx.checker.check_model(proto)
    except onnx.checker.ValidationError as error:
        raise ListError(f"cannot make kind '{kind}': {error}") from error
    return Case(name or label, proto, threads, kind in ("model", "onnx", "open"),
                fields.get("sizes"))


def load(path, matches=lambda name: True):
    """Yields the cases of a list (or of an .onnx file) one after the other, since
    weights are large. Raises ListError, with the place of the error."""
    if str(path).endswith(".onnx"):
        entries = [{"kind": "onnx", "path": str(path)}]
    else:
        try:
            entries = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ListError(f"cannot read '{path}': {error.strerror}") from error
        except ValueError as error:
            raise ListError(f"{path}: expects JSON, but {error}") from error
    if not isinstance(entries, list):
        raise ListError(f"{path}: expects a list of objects, but got "
                        f"{type(entries).__name__}")
    for number, entry in enumerate(entries):
        try:
            case = _make(entry, matches)
        except ListError as error:
            raise ListError(f"{path}: entry {number}: {error}") from error
        if case:
            yield case


#===-----------------------------------------------------------------------===#
# Work
#===-----------------------------------------------------------------------===#


def _shapes(graph):
    shapes = {t.name: list(t.dims) for t in graph.initializer}
    for info in [*graph.input, *graph.value_info, *graph.output]:
        dims = info.type.tensor_type.shape.dim
        shapes.setdefault(info.name, [dim.dim_value or 1 for dim in dims])
    return shapes


def _close(proto, sizes):
    """The model with open sizes that are what they are in `sizes`."""
    closed = onnx.ModelProto()
    closed.CopyFrom(proto)
    for info in [*closed.graph.input, *closed.graph.output]:
        for dim in info.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
    return closed


def _flop(node, shapes):
    """Operations of a node: those of the direct algorithm, so that everybody's
    GFLOP/s are of the same work."""
    known = [shapes.get(name) for name in node.input]
    size = math.prod(shapes.get(node.output[0], [0]))
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Conv":
        return 2 * size * math.prod(known[1][1:])
    if node.op_type == "ConvTranspose":
        return 2 * math.prod(known[0]) * math.prod(known[1][1:])
    if node.op_type == "Gemm":
        return 2 * size * known[0][0 if attributes.get("transA") else 1]
    if node.op_type == "MatMul":
        return 2 * size * known[0][-1]
    if node.op_type in ("LSTM", "GRU", "RNN"):
        steps = math.prod(known[0][:2])
        return 2 * steps * (math.prod(known[1]) + math.prod(known[2]))
    if node.op_type in ("MaxPool", "AveragePool"):
        return size * math.prod(attributes["kernel_shape"])
    if node.op_type in ("GlobalAveragePool", "ReduceMean", "ReduceSum", "ReduceMax"):
        return math.prod(known[0])
    if node.op_type in ("Reshape", "Transpose", "Identity", "Concat", "Flatten",
                        "Constant", "Gather", "Unsqueeze", "Squeeze", "Slice", "Split",
                        "Shape", "Cast", "Dropout", "Expand", "Pad", "OneHot", "Where",
                        "ScatterElements", "ScatterND", "GatherElements"):
        return 0
    return size


def work(proto, sizes=None):
    """Operations, and bytes of inputs, outputs and weights, of one run; None for
    operations if shapes are not known."""
    if sizes:
        proto = _close(proto, sizes)
    try:
        graph = onnx.shape_inference.infer_shapes(proto, data_prop=True).graph
        shapes = _shapes(graph)
        flop = sum(_flop(node, shapes) for node in graph.node)
    except Exception:  # An operator that shape inference does not know.
        graph, flop = proto.graph, None
        shapes = _shapes(graph)
    weights = {t.name for t in graph.initializer}
    size = sum(len(t.raw_data) or 4 * math.prod(t.dims) for t in graph.initializer)
    for info in [*graph.input, *graph.output]:
        if info.name not in weights:
            item = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type).itemsize
            size += item * math.prod(shapes[info.name])
    return flop, size
