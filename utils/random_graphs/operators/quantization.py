# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on quantized numbers."""

import numpy as np

OPERATORS = {}


def operator(function):
    OPERATORS[function.__name__] = function
    return function


def _parameters(g, x, dtype):
    """Scales, zero points and the axis: of the tensor, or of each channel."""
    dtype = np.dtype(dtype)
    axis, shape = 0, ()
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
