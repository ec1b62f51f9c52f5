# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of ONNX that take several steps, in float16 and bfloat16, against double
precision (LSTM: against itself in float32).

Tolerance: one unit in the last place, and 1e-6 of the largest magnitude, which the
steps in float32 may lose.
"""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm

EPSILON = np.float32(1e-5)


def _normalize(x, axes, epsilon):
    centered = x - x.mean(axes, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axes, keepdims=True) + epsilon)


def _logsumexp(x):
    return np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)) + \
        x.max(-1, keepdims=True)


def _mean_variance(x):
    centered = x - x.mean((0, 2, 3), keepdims=True)
    return centered / (np.sqrt((centered**2).mean((0, 2, 3), keepdims=True)) + 1e-9)


ROWS, VECTOR, IMAGE = (6, 48), (48,), (2, 3, 7, 5)

# Operator and attributes, shapes of inputs, and what it computes.
CASES: dict[str, Any] = {
    "LayerNormalization": ({}, (ROWS, VECTOR, VECTOR),
                           lambda x, w, b: _normalize(x, -1, EPSILON) * w + b),
    "LayerNormalization without bias": ({"axis": 0}, (ROWS, ROWS),
                                        lambda x, w: _normalize(x, (0, 1), EPSILON) * w),
    "RMSNormalization": ({}, (ROWS, VECTOR),
                         lambda x, w: x / np.sqrt((x**2).mean(-1, keepdims=True) + EPSILON) * w),
    "MeanVarianceNormalization": ({}, (IMAGE,), _mean_variance),
    "InstanceNormalization": ({}, (IMAGE, (3,), (3,)),
                              lambda x, w, b: _normalize(x, (2, 3), EPSILON) *
                              w.reshape(3, 1, 1) + b.reshape(3, 1, 1)),
    "LogSoftmax": ({}, (ROWS,), lambda x: x - _logsumexp(x)),
    "ReduceL2": ({}, (ROWS,), lambda x: np.sqrt((x**2).sum(-1, keepdims=True))),
    "ReduceLogSumExp": ({}, (ROWS,), _logsumexp),
    "ReduceSumSquare": ({}, (ROWS,), lambda x: (x**2).sum(-1, keepdims=True)),
    "Mean": ({}, (ROWS,) * 5, lambda *x: sum(x) / 5),
    "Sum": ({}, (ROWS,) * 5, lambda *x: sum(x)),
}


def _compile(name, attributes, shapes, element_type, initializers=(), outputs=("y",)):
    """A model that takes and returns float32, and computes in the element type."""
    inputs = [f"x{i}" for i in range(len(shapes))]
    nodes = [helper.make_node("Cast", [x], [x + "_"], to=element_type) for x in inputs]
    names = [x + "_" for x in inputs] + [tensor.name for tensor in initializers]
    nodes.append(helper.make_node(name, names, [y + "_" for y in outputs], **attributes))
    nodes += [helper.make_node("Cast", [y + "_"], [y], to=TensorProto.FLOAT) for y in outputs]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(x, TensorProto.FLOAT, shape)
                     for x, shape in zip(inputs, shapes)],
        [helper.make_empty_tensor_value_info(y) for y in outputs], initializers)
    return rm.compile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)],
                                        ir_version=10))


def _check(actual, exact, dtype):
    info = ml_dtypes.finfo(dtype)
    spacing = np.maximum(np.exp2(np.floor(np.log2(np.maximum(np.abs(exact), 1e-300)))) *
                         float(info.eps), float(info.smallest_subnormal))
    np.testing.assert_array_less(np.abs(actual - exact),
                                 1.0001 * spacing + 1e-6 * np.abs(exact).max())


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("case", CASES)
# The squares of the larger ones, or their sums, are beyond float16.
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_steps_are_in_single_precision(case, kind, scale):
    attributes, shapes, reference = CASES[case]
    dtype = np.dtype(np.float16 if kind == "float16" else ml_dtypes.bfloat16)
    element_type = TensorProto.FLOAT16 if kind == "float16" else TensorProto.BFLOAT16
    rng = np.random.default_rng(0)
    draw = lambda shape: (rng.standard_normal(shape) * scale + 0.3).astype(dtype).astype(
        np.float32)
    inputs = [draw(shape) for shape in shapes]
    name, initializers = case.split()[0], []
    if name.startswith("Reduce"):
        initializers = [helper.make_tensor("axes", TensorProto.INT64, [1], [-1])]
    model = _compile(name, attributes, shapes, element_type, initializers)
    actual = model(*inputs).astype(float)
    exact = reference(*[x.astype(float) for x in inputs])
    beyond = np.abs(exact) > float(ml_dtypes.finfo(dtype).max)
    _check(actual[~beyond], exact[~beyond], dtype)
    assert np.isinf(actual[beyond]).all()


def test_statistics_keep_their_type():
    """Mean and inverse deviation of LayerNormalization are float32."""
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape).astype(np.float16) for shape in (ROWS, VECTOR))
    declare = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
    graph = helper.make_graph(
        [helper.make_node("LayerNormalization", ["x", "w"], ["y", "mean", "inverse"])], "g",
        [declare("x", TensorProto.FLOAT16, ROWS), declare("w", TensorProto.FLOAT16, VECTOR)],
        [declare("y", TensorProto.FLOAT16, ROWS), declare("mean", TensorProto.FLOAT, (6, 1)),
         declare("inverse", TensorProto.FLOAT, (6, 1))])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    y, mean, inverse = rm.compile(model)(x, w)
    wide = x.astype(float)
    assert y.dtype == np.float16 and mean.dtype == inverse.dtype == np.float32
    np.testing.assert_allclose(mean, wide.mean(-1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(inverse, 1 / np.sqrt(wide.var(-1, keepdims=True) + EPSILON),
                               rtol=1e-6)


@pytest.mark.parametrize("name,gates,outputs", [("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)])
def test_recurrence(name, gates, outputs):
    rng = np.random.default_rng(0)
    length, batch, size, hidden = 12, 2, 5, 8
    shapes = [(length, batch, size), (1, gates * hidden, size), (1, gates * hidden, hidden),
              (1, 2 * gates * hidden)]
    inputs = [(rng.standard_normal(shape) * 0.4).astype(np.float16).astype(np.float32)
              for shape in shapes]
    names = [f"y{i}" for i in range(outputs)]
    run = lambda kind: _compile(name, {"hidden_size": hidden}, shapes, kind, outputs=names)(*inputs)
    for actual, exact in zip(run(TensorProto.FLOAT16), run(TensorProto.FLOAT), strict=True):
        _check(actual.astype(float), exact.astype(float), np.dtype(np.float16))
