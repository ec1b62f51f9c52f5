# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model as a PyTorch module, for the operators of utils/models."""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper


def _pads(attributes, rank=2):
    pads = attributes.get("pads", [0] * 2 * rank)
    return list(pads[:rank]), list(pads[rank:])


def _pad(x, attributes, value=0.0):
    """Pads that are not the same on both sides, or that averages leave out."""
    begin, end = _pads(attributes)
    if not any(begin) and not any(end):
        return x
    return F.pad(x, (begin[1], end[1], begin[0], end[0]), value=value)


def _conv(a, x, w, b=None):
    begin, end = _pads(a)
    if begin != end:
        x, begin = _pad(x, a), [0, 0]
    return F.conv2d(x, w, b, a.get("strides", 1), begin, a.get("dilations", 1),
                    a.get("group", 1))


def _max_pool(a, x):
    return F.max_pool2d(_pad(x, a, float("-inf")), a["kernel_shape"],
                        a.get("strides", [1, 1]), 0, 1, bool(a.get("ceil_mode", 0)))


def _average_pool(a, x):
    begin, end = _pads(a)
    if begin == end:
        return F.avg_pool2d(x, a["kernel_shape"], a.get("strides", [1, 1]), begin,
                            bool(a.get("ceil_mode", 0)),
                            bool(a.get("count_include_pad", 0)))
    total = F.avg_pool2d(_pad(x, a), a["kernel_shape"], a.get("strides", [1, 1]))
    if a.get("count_include_pad", 0):
        return total
    ones = F.avg_pool2d(_pad(torch.ones_like(x), a), a["kernel_shape"],
                        a.get("strides", [1, 1]))
    return total / ones


def _gemm(a, x, w, c=None):
    x = x.t() if a.get("transA") else x
    w = w.t() if a.get("transB") else w
    y = x @ w * a["alpha"] if a.get("alpha", 1.0) != 1.0 else x @ w
    if c is None:
        return y
    return y + c * a["beta"] if a.get("beta", 1.0) != 1.0 else y + c


def _softmax(a, x, opset):
    if opset >= 13:
        return torch.softmax(x, a.get("axis", -1))
    axis = a.get("axis", 1)
    return torch.softmax(x.flatten(axis), -1).reshape(x.shape)


def _layer_norm(a, x, scale, bias=None):
    axis = a.get("axis", -1) % x.dim()
    return F.layer_norm(x, x.shape[axis:], scale, bias, a.get("epsilon", 1e-5))


def _reduce_mean(a, x, axes=None):
    axes = a.get("axes") if axes is None else axes.tolist()
    return x.mean(dim=tuple(axes), keepdim=bool(a.get("keepdims", 1)))


def _reshape(a, x, shape):
    sizes = [x.shape[i] if n == 0 else n for i, n in enumerate(shape.tolist())]
    return x.reshape(sizes)


def _axes(a, axes):
    return list(a["axes"]) if axes is None else axes.tolist()


def _unsqueeze(a, x, axes=None):
    for axis in sorted(_axes(a, axes)):
        x = x.unsqueeze(axis)
    return x


def _squeeze(a, x, axes=None):
    return x.squeeze(tuple(_axes(a, axes)))


def _slice(a, x, starts=None, ends=None, axes=None, steps=None):
    starts = a.get("starts") if starts is None else starts.tolist()
    ends = a.get("ends") if ends is None else ends.tolist()
    axes = a.get("axes", range(len(starts))) if axes is None else axes.tolist()
    steps = [1] * len(starts) if steps is None else steps.tolist()
    index = [slice(None)] * x.dim()
    for axis, start, end, step in zip(axes, starts, ends, steps):
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


def _split(a, x, sizes=None):
    sizes = a.get("split") if sizes is None else sizes.tolist()
    return torch.split(x, sizes, a.get("axis", 0))


def _gather(a, x, index):
    axis = a.get("axis", 0) % x.dim()
    if index.dim() == 0:
        return x.select(axis, int(index))
    if axis == 0:
        return x[index]
    y = torch.index_select(x, axis, index.flatten())
    return y.reshape(*x.shape[:axis], *index.shape, *x.shape[axis + 1:])


def _batch_norm(a, x, scale, bias, mean, var):
    return F.batch_norm(x, mean, var, scale, bias, eps=a.get("epsilon", 1e-5))


SIMPLE = {
    "Add": lambda a, x, y: x + y,
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Cast": lambda a, x: x.to({1: torch.float32, 6: torch.int32, 7: torch.int64,
                               9: torch.bool}[a["to"]]),
    "Concat": lambda a, *xs: torch.cat(xs, a["axis"]),
    "Conv": _conv,
    "Div": lambda a, x, y: x / y,
    "Dropout": lambda a, x, *_: x,
    "Erf": lambda a, x: torch.erf(x),
    "Exp": lambda a, x: torch.exp(x),
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)),
    "Gather": _gather,
    "Gemm": _gemm,
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "Identity": lambda a, x: x,
    "LRN": lambda a, x: F.local_response_norm(x, a["size"], a.get("alpha", 1e-4),
                                              a.get("beta", 0.75), a.get("bias", 1.0)),
    "LayerNormalization": _layer_norm,
    "MatMul": lambda a, x, y: x @ y,
    "MaxPool": _max_pool,
    "Mul": lambda a, x, y: x * y,
    "Pow": lambda a, x, y: x ** y,
    "ReduceMean": _reduce_mean,
    "Relu": lambda a, x: torch.relu(x),
    "Clip": lambda a, x, low=None, high=None: torch.clamp(
        x, a.get("min", low), a.get("max", high)),
    "Reshape": _reshape,
    "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Slice": _slice,
    "Split": _split,
    "Sqrt": lambda a, x: torch.sqrt(x),
    "Squeeze": _squeeze,
    "Sub": lambda a, x, y: x - y,
    "Sum": lambda a, *xs: sum(xs[1:], xs[0]),
    "Tanh": lambda a, x: torch.tanh(x),
    "Transpose": lambda a, x: x.permute(a["perm"]),
    "Unsqueeze": _unsqueeze,
    "Where": lambda a, c, x, y: torch.where(c, x, y),
}

# ONNX has the gates in the orders iofc and zrh, PyTorch in ifgo and rzn.
GATES = {"LSTM": [0, 2, 3, 1], "GRU": [1, 0, 2]}


def _recurrent(node, attributes, constants):
    order = GATES[node.op_type]
    hidden = attributes["hidden_size"]
    weight, state, bias = (torch.tensor(constants[name][0]) for name in node.input[1:4])
    if node.op_type == "GRU" and not attributes.get("linear_before_reset"):
        raise NotImplementedError("GRU that resets before the product")
    if attributes.get("direction", b"forward") != b"forward" or len(node.input) > 4:
        raise NotImplementedError(f"this form of {node.op_type}")

    def reorder(values):
        return torch.cat([values[g * hidden:(g + 1) * hidden] for g in order])

    layer = getattr(torch.nn, node.op_type)(weight.shape[1], hidden)
    count = len(order) * hidden
    with torch.no_grad():
        layer.weight_ih_l0.copy_(reorder(weight))
        layer.weight_hh_l0.copy_(reorder(state))
        layer.bias_ih_l0.copy_(reorder(bias[:count]))
        layer.bias_hh_l0.copy_(reorder(bias[count:]))
    return layer


class TorchGraph(torch.nn.Module):
    """Runs the nodes of an ONNX graph one after the other."""

    def __init__(self, model):
        super().__init__()
        graph = model.graph
        self.opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
        constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        self.inputs = [i.name for i in graph.input if i.name not in constants]
        self.outputs = [o.name for o in graph.output]
        self.steps: list[tuple[Any, dict, list[str], list[str]]] = []
        self.numbers = {}  # Shapes, axes: what decides about the form of the graph.
        self.weights: dict[str, str] = {}
        for node in graph.node:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                constants[node.output[0]] = numpy_helper.to_array(attributes["value"])
            elif node.op_type in GATES:
                layer = _recurrent(node, attributes, constants)
                self.add_module(f"layer{len(self.steps)}", layer)
                self.steps.append((layer, {}, [node.input[0]], list(node.output)))
            elif node.op_type == "Softmax":
                opset = self.opset
                self.steps.append((lambda a, x, opset=opset: _softmax(a, x, opset),
                                   attributes, list(node.input), list(node.output)))
            elif node.op_type in SIMPLE:
                self.steps.append((SIMPLE[node.op_type], attributes, list(node.input),
                                   list(node.output)))
            else:
                raise NotImplementedError(f"operator {node.op_type}")
        for name, value in constants.items():
            tensor = torch.from_numpy(np.array(value))
            if tensor.dtype == torch.float32 and tensor.dim() > 0:
                key = f"constant{len(self.weights)}"
                self.register_buffer(key, tensor)
                self.weights[name] = key
            else:
                self.numbers[name] = tensor

    def forward(self, *inputs):
        values = dict(zip(self.inputs, inputs))
        values.update(self.numbers)
        values.update({name: getattr(self, key) for name, key in self.weights.items()})
        values[""] = None
        for step, attributes, names, results in self.steps:
            operands = [values[name] for name in names]
            if isinstance(step, torch.nn.Module):
                # PyTorch has no dimension of directions.
                output = (step(operands[0])[0].unsqueeze(1),)
            else:
                output = step(attributes, *operands)
                output = output if isinstance(output, tuple) else (output,)
            values.update(zip(results, output))
        return tuple(values[name] for name in self.outputs)
