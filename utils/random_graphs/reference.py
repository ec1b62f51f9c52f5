# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a graph should give, and how far from it an output may be.

The reference runs node by node: ONNX Runtime without optimisations, or, where it
has no kernel for a type, the evaluator of the ONNX project.

Tolerances follow from the error that each operator may make, `unit_error()`, a part
of the largest magnitude of its result, or of the sum of the magnitudes that it adds. The graph is run again a few times, with random
errors of that size in the result of every operator that rounds. An output may differ
by four times the largest change that this makes, and the error of its own operator.
"""

import pathlib
import sys
import warnings

import numpy as np
import onnx
import onnx.reference
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "test" / "python"))
import bounds

onnxruntime.set_default_logger_severity(4)

# ONNX Runtime refuses models of newer opsets.
NEWEST_OPSET = 26

PRODUCTS = {"Attention", "Conv", "ConvTranspose", "MatMul", "Gemm", "Einsum", "LSTM", "GRU",
            "RNN"}

# What adds numbers that may cancel: errors are parts of the sum of their magnitudes.
SUMS = {"AveragePool", "CumSum", "GlobalAveragePool", "Mean", "ReduceMean", "ReduceSum", "Sum"}

# What moves or selects elements, or is exact for another reason.
EXACT = {
    "Abs", "And", "ArgMax", "ArgMin", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr",
    "BitwiseXor", "Cast", "CastLike", "Ceil", "Clip", "Concat", "Constant",
    "ConstantOfShape", "ConvInteger", "DepthToSpace", "Dropout", "DynamicQuantizeLinear",
    "Equal", "Expand",
    "EyeLike", "Flatten", "Floor", "Gather", "GatherElements", "GatherND",
    "GlobalMaxPool", "Greater", "GreaterOrEqual", "Hardmax", "Identity", "IsInf", "IsNaN",
    "Less", "LessOrEqual", "MatMulInteger", "Max", "MaxPool", "Min", "Neg", "Not",
    "Or", "Pad", "QLinearConv", "QLinearMatMul", "QuantizeLinear", "Range", "ReduceMax",
    "ReduceMin", "Relu", "Reshape", "ReverseSequence", "Round", "Scatter", "ScatterElements", "ScatterND", "Shape", "Sign", "Size", "Slice",
    "SpaceToDepth", "Split", "Squeeze", "Tile", "TopK", "Transpose", "Trilu", "Unsqueeze",
    "Where", "Xor"
}

# What ONNX Runtime, or the standard itself (stash_type), computes in float32 also for
# float64.
SINGLE = {"Attention", "Erf", "Gelu", "GroupNormalization", "HardSwish", "LayerNormalization",
          "RMSNormalization", "Shrink"}

# Where a small error of an input may make a large one of the output.
JUMPS = {
    "ArgMax", "ArgMin", "Ceil", "Equal", "Floor", "Greater", "GreaterOrEqual", "Hardmax",
    "IsInf", "IsNaN", "Less", "LessOrEqual", "Mod", "Round", "Shrink", "Sign",
    "ThresholdedRelu", "TopK"
}

# What rounds to integers.
QUANTIZERS = {"DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul", "QuantizeLinear"}

NOISE_RUNS = 3
SAFETY = 4


class CannotEvaluate(Exception):
    """The reference has no result for these inputs."""


def unit_error(op_type, dtype, options):
    """The error that one operator may make, as a part of its result's scale. In
    float32 it is the bound of docs/Precision.md for the target and the precision."""
    if dtype.kind != "f" and dtype.name != "bfloat16":
        return 0.0
    if dtype.name == "bfloat16":
        return 1.6e-2
    if dtype.itemsize == 2:
        return 2e-3
    if dtype.itemsize == 8 and op_type not in SINGLE:
        return 1e-12
    if op_type not in PRODUCTS:
        return 2 * bounds.bound("functions", options.precision)
    target = target_class(options.target)
    error = max(bounds.bound(family, options.precision, target)
                for family in ("products", "few rows", "winograd"))
    return max(error, bounds.TILES[options.precision] * options.force_matrix_tiles)


def target_class(target):
    """The class of targets, in the words of test/python/bounds.py."""
    known = {"x86-64-v2": "AVX2", "x86-64-v3": "AVX2", "x86-64-v4": "AVX-512",
             "sapphirerapids": "AMX"}
    return known.get(target) or bounds.native()


def scale_of(array):
    """The largest finite magnitude, as a float."""
    values = np.abs(np.asarray(array, np.float64))
    return float(values[np.isfinite(values)].max(initial=0))


class Node:
    """One node, ready to run."""

    def __init__(self, node, opset, constants, types):
        self.node = node
        self.names = [n for n in dict.fromkeys(node.input) if n and n not in constants]
        inputs = [helper.make_tensor_value_info(
            n, helper.np_dtype_to_tensor_dtype(types[n]), None) for n in self.names]
        for info in inputs:
            info.type.tensor_type.ClearField("shape")
        used = [n for n in dict.fromkeys(node.input) if n in constants]
        graph = helper.make_graph(
            [node], "node", inputs,
            [helper.make_empty_tensor_value_info(n) for n in node.output if n],
            [numpy_helper.from_array(np.asarray(constants[n]), n) for n in used])
        opset = self._runtime_opset(opset)
        self.model = helper.make_model(graph, ir_version=10, opset_imports=[
            helper.make_opsetid("", opset)])
        self.session = self._session() if opset <= NEWEST_OPSET else None
        self.evaluator = None if self.session else self._evaluator()

    def _runtime_opset(self, opset):
        """An opset with the same definition of the operator, if there is one that ONNX
        Runtime takes."""
        try:
            schema = onnx.defs.get_schema(self.node.op_type, opset)
        except onnx.defs.SchemaError as error:
            raise CannotEvaluate(str(error)) from error
        unknown = {a.name for a in self.node.attribute} - set(schema.attributes)
        if unknown:
            raise CannotEvaluate(f"{self.node.op_type} of opset {opset} has no {unknown}")
        return min(opset, NEWEST_OPSET) if schema.since_version <= NEWEST_OPSET else opset

    def _session(self):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = (
            onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
        try:
            return onnxruntime.InferenceSession(
                self.model.SerializeToString(), options,
                providers=["CPUExecutionProvider"])
        except Exception as error:  # pylint: disable=broad-except
            if any(reason in str(error) for reason in (
                    "NOT_IMPLEMENTED", "Type Error", "Unrecognized attribute")):
                return None
            raise CannotEvaluate(str(error)) from error

    def _evaluator(self):
        try:
            return onnx.reference.ReferenceEvaluator(self.model)
        except Exception as error:  # pylint: disable=broad-except
            raise CannotEvaluate(str(error)) from error

    def _runner(self, feeds):
        # ONNX Runtime keeps axes that count from the end where it reduces nothing.
        if self.session and self.node.op_type.startswith("Reduce") and any(
                not value.size for value in feeds.values()):
            return self._evaluator()
        return self.session or self.evaluator

    def run(self, values):
        """The outputs by name."""
        feeds = {n: values[n] for n in self.names}
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                results = self._runner(feeds).run(None, feeds)
        except Exception as error:  # pylint: disable=broad-except
            raise CannotEvaluate(str(error)) from error
        names = [n for n in self.node.output if n]
        return {n: np.asarray(r) for n, r in zip(names, results, strict=True)}


    def scales(self, values, results):
        """What the errors of each output are parts of."""
        if self.node.op_type in SUMS:
            results = self.run({n: np.abs(values[n]) if values[n].dtype.kind == "f" else values[n]
                                for n in self.names})
        return {n: scale_of(r) for n, r in results.items()}


class Evaluation:
    """A graph's values, for each sample."""

    def __init__(self, graph, samples):
        """Raises CannotEvaluate."""
        self.graph, self.nodes, self.inexact = graph, [], set()
        self.values = [dict(sample) for sample in samples]
        self.scales = [dict[str, float]() for _ in samples]
        for node in graph.nodes:
            self.append(node)

    def append(self, node):
        """Runs one more node, for all samples. Raises CannotEvaluate."""
        types = {n: v.dtype for n, v in self.values[0].items()}
        runner = Node(node, self.graph.opset, self.graph.constants, types)
        for values, scales, results in [
                (v, s, runner.run(v)) for v, s in zip(self.values, self.scales, strict=True)]:
            scales.update(runner.scales(values, results))
            values.update(results)
            self.graph.types.update({n: (str(v.dtype), v.ndim) for n, v in results.items()})
        self.nodes.append(runner)
        results = [self.values[0][n] for n in node.output if n]
        if (set(node.input) & self.inexact or
                (node.op_type not in EXACT and results[0].dtype.kind == "f") or
                (node.op_type == "Cast" and results[0].dtype.itemsize == 2)):
            self.inexact.update(n for n in node.output if n)

    def outputs(self, index):
        """The outputs of a sample; constants may be outputs."""
        return [self.values[index].get(n, self.graph.constants.get(n))
                for n in self.graph.outputs]

    def tolerances(self, index, options):
        """For each output the error that is allowed, or None for an output that small
        errors make another one."""
        expected = self.outputs(index)
        changes = [0.0] * len(expected)
        rng = np.random.default_rng(index)
        for _ in range(NOISE_RUNS if self.inexact & set(self.graph.outputs) else 0):
            values = self._run_with_errors(index, options, rng)
            for i, name in enumerate(self.graph.outputs):
                if name in self.inexact:
                    changes[i] = max(changes[i], _distance(
                        values.get(name), expected[i]))
        producers = {n: node.op_type for node in self.graph.nodes for n in node.output}
        return [
            None if not np.isfinite(change) else SAFETY * change +
            _error(producers.get(name, ""), array, self.scales[index].get(name, 0.0),
                   options) * (name in self.inexact)
            for name, array, change in zip(self.graph.outputs, expected, changes)]

    def _run_with_errors(self, index, options, rng):
        values = {n: self.values[index][n] for n in self.graph.inputs}
        for runner in self.nodes:
            try:
                results = runner.run(values)
            except CannotEvaluate:
                return {}
            op_type = runner.node.op_type
            for name, array in results.items():
                if name in self.inexact:
                    results[name] = _disturb(array, op_type, self.scales[index][name],
                                             options, rng)
            values.update(results)
        return values


def _error(op_type, array, scale, options):
    """The error that an operator with this result may make."""
    if op_type == "Sigmoid":
        # ONNX Runtime's is zero where numbers are small: its error is one of the range.
        scale = max(scale, 1.0)
    return unit_error(op_type, array.dtype, options) * scale


def _disturb(array, op_type, scale, options, rng):
    """A result with the errors that its operator may make."""
    if op_type in QUANTIZERS and array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        moved = array.astype(np.int64) + rng.integers(-1, 2, array.shape)
        return np.asarray(np.clip(moved, limits.min, limits.max), array.dtype)
    if op_type in EXACT and op_type != "Cast" or array.dtype.kind != "f":
        return array
    error = _error(op_type, array, scale, options)
    noise = rng.uniform(-error, error, array.shape)
    with np.errstate(all="ignore"):
        return np.asarray(array + noise, array.dtype)


def _distance(actual, expected):
    """The largest difference; inf if shapes or what is finite differ."""
    if actual is None or actual.shape != expected.shape:
        return np.inf
    actual, expected = (np.asarray(a, np.float64) for a in (actual, expected))
    finite = np.isfinite(expected)
    if (finite != np.isfinite(actual)).any():
        return np.inf
    return float(np.abs(actual[finite] - expected[finite]).max(initial=0))


def explain_difference(actual, expected, tolerance):
    """None if `actual` is right, else what is wrong with it."""
    if actual.dtype != expected.dtype:
        return f"expects {expected.dtype}, but got {actual.dtype}"
    if actual.shape != expected.shape:
        return f"expects shape {expected.shape}, but got {actual.shape}"
    if tolerance is None:
        return None
    if expected.dtype.kind in "iub" and tolerance == 0:
        if np.array_equal(actual, expected):
            return None
    a, e = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    with np.errstate(invalid="ignore"):
        error = np.where(a == e, 0.0, np.abs(a - e))
    error = np.where(np.isnan(a) & np.isnan(e), 0.0, error)
    if expected.dtype.kind in "iu":
        error = np.maximum(error, np.asarray(actual != expected, float))
    wrong = ~(error <= tolerance)
    if not wrong.any():
        return None
    place = np.unravel_index(np.argmax(np.where(np.isnan(error), np.inf, error)), a.shape)
    return (f"{int(wrong.sum())} of {a.size} elements differ by more than {tolerance:.3g}: "
            f"at {[int(i) for i in place]} expects {expected[place]}, but got "
            f"{actual[place]} (scale {scale_of(expected):.3g})")
