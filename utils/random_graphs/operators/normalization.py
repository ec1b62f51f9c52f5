# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisations and operators over one axis."""

from typing import Any

import numpy as np

from .movement import axis_of
from .windows import image

OPERATORS: dict[str, Any] = {}


def operator(function):
    OPERATORS[function.__name__] = function
    return function


@operator
def BatchNormalization(g):
    x = image(g)
    channels, dtype = g.shape(x)[1], g.dtype(x)
    parameters = [g.rng.uniform(-1.5, 1.5, channels), g.rng.standard_normal(channels),
                  g.rng.standard_normal(channels), g.rng.uniform(0.2, 2, channels)]
    g.op("BatchNormalization", x, *[g.constant(p, dtype) for p in parameters])


@operator
def InstanceNormalization(g):
    x = image(g)
    # The variance of one pixel is noise.
    if min(int(np.prod(v.shape[2:])) for v in g.values(x)) < 2:
        return
    channels, dtype = g.shape(x)[1], g.dtype(x)
    g.op("InstanceNormalization", x, g.weights([channels], dtype),
         g.weights([channels], dtype))


@operator
def GroupNormalization(g):
    x = image(g, (4, 3))
    channels = g.shape(x)[1]
    if g.graph.opset < 21 or min(int(np.prod(v.shape[2:])) for v in g.values(x)) < 2:
        return
    groups = g.pick([d for d in range(1, channels + 1) if channels % d == 0])
    g.op("GroupNormalization", x, g.weights([channels], g.dtype(x)),
         g.weights([channels], g.dtype(x)), num_groups=groups)


@operator
def LayerNormalization(g):
    x = g.float(1)
    axis = axis_of(g, x)
    shape = g.shape(x)[axis:]
    if g.graph.opset < 17 or None in shape or int(np.prod(shape)) < 2:
        return
    inputs = [x, g.weights(shape, g.dtype(x))]
    if g.maybe(0.7):
        inputs.append(g.weights(shape, g.dtype(x)))
    g.op("LayerNormalization", *inputs, axis=axis)


@operator
def RMSNormalization(g):
    x = g.any(["float32", "float64"], min_rank=1)
    axis = axis_of(g, x)
    shape = g.shape(x)[axis:]
    if g.graph.opset >= 23 and None not in shape and int(np.prod(shape)):
        g.op("RMSNormalization", x, g.weights(shape, g.dtype(x)), axis=axis)


@operator
def LRN(g):
    x = image(g, (4,))
    if g.dtype(x) == np.float32:  # The reference for float64 is wrong.
        g.op("LRN", x, size=g.pick([1, 3, 5]), alpha=0.05, beta=0.75, bias=1.0)


@operator
def LpNormalization(g):
    x = g.any(["float32", "float64"], min_rank=1)
    # The norm must not be zero.
    g.op("LpNormalization", g.op("Exp", x), axis=axis_of(g, x), p=g.pick([1, 2]))


@operator
def MeanVarianceNormalization(g):
    x = image(g, (4,))
    if all(v.size > 2 * v.shape[1] for v in g.values(x)):
        g.op("MeanVarianceNormalization", x, axes=g.pick([[0, 2, 3], [2, 3]]))


def _softmax(op_type):
    def append(g):
        x = g.float(1)
        g.op(op_type, x, axis=axis_of(g, x))

    OPERATORS[op_type] = append


_softmax("Softmax")
_softmax("LogSoftmax")
_softmax("Hardmax")
