# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on quantized numbers."""

from typing import Any

import numpy as np

OPERATORS: dict[str, Any] = {}


def operator(function):
    OPERATORS[function.__name__] = function
    return function


def _parameters(g, x, dtype):
    """Scales, zero points and the axis: of the tensor, or of each channel."""
    dtype = np.dtype(dtype)
    axis: int = 0
    shape: tuple[int, ...] = ()
    known = [i for i, d in enumerate(g.shape(x)) if d]
    if known and g.maybe(0.4):
        axis = g.pick(known)
        shape = (g.shape(x)[axis],)
    scales = np.asarray(g.rng.uniform(0.02, 0.2, shape), np.float32)
    low, high = (0, 20) if dtype.kind == "u" else (-10, 10)
    points = np.asarray(g.rng.integers(low, high, shape)).astype(dtype)
    if dtype == np.int32:
        points = np.zeros_like(points)
    return g.constant(scales), g.constant(points), axis


@operator
def QuantizeLinear(g):
    x = g.any(["float32"])
    scales, points, axis = _parameters(g, x, g.pick(["uint8", "int8"]))
    g.op("QuantizeLinear", x, scales, points, axis=axis)


@operator
def DequantizeLinear(g):
    x = g.any(["uint8", "int8", "int32"])
    scales, points, axis = _parameters(g, x, g.dtype(x))
    g.op("DequantizeLinear", x, scales, points, axis=axis)


@operator
def DynamicQuantizeLinear(g):
    x = g.any(["float32"])
    # Readers of ONNX do not agree on the scale of zeros alone.
    if all(v.any() for v in g.values(x)):
        g.op("DynamicQuantizeLinear", x, outputs=3)


def _parameter_pair(g, dtype, scale, is_even, size=None):
    """A scale near a number and a zero point: of the tensor, or `size` of each. If even,
    scales are powers of two, and zero points multiples of two."""
    shape = () if size is None else (size,)
    scales = scale * g.rng.uniform(0.4, 2.5, shape)
    if is_even:
        scales = np.exp2(np.round(np.log2(scales)))
    low, high = (0, 20) if dtype.kind == "u" else (-10, 10)
    points = np.asarray(g.rng.integers(low, high, shape))
    return [g.constant(np.asarray(scales, np.float32)),
            g.constant((points & -2 if is_even else points).astype(dtype))]


def _product_inputs(g, x, shape, axis, is_per_channel):
    """The first eight inputs of a quantized product of x with weights of a shape, the
    channels of which are along an axis."""
    weights, result = np.dtype(g.pick(["int8", "int8", "uint8"])), g.pick(["uint8", "int8"])
    # ONNX Runtime has no kernels for other types, and the evaluator of the ONNX project
    # multiplies scales in another order, and adds the zero point before it rounds.
    is_even = result != str(g.dtype(x)) or (result == "int8" and weights.kind == "u")
    # ONNX Runtime adds two products of 8 bits in 16 on machines without VNNI.
    low = -63 if weights.kind == "i" else 0
    depth = int(np.prod(shape)) // shape[axis]
    return [x, *_parameter_pair(g, g.dtype(x), 0.08, is_even),
            g.constant(g.rng.integers(low, 64, shape).astype(weights)),
            *_parameter_pair(g, weights, 0.08, is_even,
                             shape[axis] if is_per_channel else None),
            *_parameter_pair(g, np.dtype(result), 0.15 * np.sqrt(depth), is_even)]


@operator
def QLinearMatMul(g):
    x = g.any(["uint8", "int8"], min_rank=2)
    depth = g.shape(x)[-1]
    if depth:
        g.op("QLinearMatMul", *_product_inputs(
            g, x, [depth, g.pick([1, 3, 8, 16, 17, 33])], 1, g.maybe(0.3)))


@operator
def QLinearConv(g):
    channels, groups = g.pick([(1, 1), (3, 1), (8, 1), (16, 1), (8, 2), (6, 6), (17, 17)])
    pixels = [g.integer(3, 9) for _ in range(g.pick([1, 2, 2, 2]))]
    batch = "a" if g.dynamic else g.pick([1, 2])
    x = g.find(lambda n: str(g.dtype(n)) in ("uint8", "int8") and g.rank(n) in (3, 4)
               and g.shape(n)[1] == channels and min(
                   min(v.shape[2:]) for v in g.values(n)) >= 3)
    if x is None:
        x = g.input([batch, channels, *pixels], g.pick(["uint8", "uint8", "int8"]))
    spatial, outputs = g.rank(x) - 2, groups * g.pick([1, 2, 5, 16])
    shape = [outputs, channels // groups, *[g.pick([1, 3])] * spatial]
    # The evaluator of the ONNX project knows channels of images only.
    inputs = _product_inputs(g, x, shape, 0, spatial == 2 and g.maybe(0.4))
    if spatial == 2 and g.maybe():
        inputs.append(g.constant(g.rng.integers(-500, 500, outputs), np.int32))
    g.op("QLinearConv", *inputs, group=groups, pads=[g.integer(0, 1)] * 2 * spatial,
         strides=[g.pick([1, 1, 2])] * spatial)


@operator
def QuantizedLayer(g):
    """A convolution or product between (de)quantizations, as exporters write it."""
    x = g.find(lambda n: str(g.dtype(n)) == "float32" and g.rank(n) in (2, 4)
               and g.shape(n)[1] not in (None, 0))
    if x is None:
        x = g.input(["a" if g.dynamic else g.pick([1, 2]), g.pick([3, 8, 16, 17]), 6, 5],
                    "float32")
    scales, points, _ = _parameters(g, g.constant(np.float32(0)), g.pick(["uint8", "int8"]))
    x = g.op("DequantizeLinear", g.op("QuantizeLinear", x, scales, points), scales, points)
    if x is None:
        return
    outputs = g.pick([1, 4, 16, 33])
    shape = [outputs, g.shape(x)[1], 3, 3] if g.rank(x) == 4 else [g.shape(x)[1], outputs]
    weights = g.op("DequantizeLinear", g.constant(g.rng.integers(-127, 128, shape), np.int8),
                   g.constant(np.float32(0.01)), g.constant(np.int8(0)))
    if g.rank(x) == 4:
        y = g.op("Conv", x, weights, pads=[1] * 4)
    else:
        y = g.op("MatMul", x, weights)
    if g.maybe():
        y = g.op("Relu", y)
    if g.maybe(0.7) and y:
        scales, points, _ = _parameters(g, g.constant(np.float32(0)), "uint8")
        g.op("DequantizeLinear", g.op("QuantizeLinear", y, scales, points), scales, points)
