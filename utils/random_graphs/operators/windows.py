# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pools and resizes: windows over one or more dimensions."""

from typing import Any

import numpy as np

OPERATORS: dict[str, Any] = {}
CHANNELS = [1, 2, 3, 4, 7, 8, 13, 16, 17, 24, 32, 33]


def operator(function):
    OPERATORS[function.__name__] = function
    return function


def image(g, ranks=(4, 4, 4, 3, 5)):
    """A tensor with a batch, known channels and pixels."""
    rank = g.pick(ranks)
    x = g.find(lambda n: g.rank(n) == rank and str(g.dtype(n)) in ("float32", "float64")
               and g.shape(n)[1] not in (None, 0))
    if x is not None and g.maybe(0.8):
        return x
    pixels = [g.integer(1, {3: 40, 4: 14, 5: 6}[rank]) for _ in range(rank - 2)]
    if g.dynamic and g.maybe(0.3):
        pixels[0] = "c"
    batch = "a" if g.dynamic and g.maybe(0.7) else g.pick([1, 1, 2, 3])
    return g.input([batch, g.pick(CHANNELS), *pixels],
                   g.pick(["float32"] * 9 + ["float64"]))


def _window(g, x):
    spatial = g.rank(x) - 2
    # How many windows there are that reach beyond all padding, readers of ONNX do not
    # agree on.
    kernel = [min(g.pick([1, 2, 3, 3, 5]), max(1, min(v.shape[i + 2] for v in g.values(x))))
              for i in range(spatial)]
    attributes = {"kernel_shape": kernel}
    if g.maybe():
        attributes["strides"] = [g.pick([1, 1, 2, 3]) for _ in range(spatial)]
    if g.maybe(0.7):
        if g.maybe(0.2):
            attributes["auto_pad"] = g.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
        else:
            attributes["pads"] = [g.integer(0, k // 2) for k in kernel * 2]
    return attributes


@operator
def Conv(g):
    x = image(g)
    channels = g.shape(x)[1]
    spatial = g.rank(x) - 2
    attributes = _window(g, x)
    if g.maybe(0.25):
        attributes["dilations"] = [
            g.pick([1, 2]) if min(v.shape[i + 2] for v in g.values(x)) > 2 * k else 1
            for i, k in enumerate(attributes["kernel_shape"])]
        attributes.pop("auto_pad", None)
    groups = g.pick([1, 1, 1, channels, g.pick([d for d in range(1, channels + 1)
                                                if channels % d == 0])])
    outputs = groups * g.pick([1, 1, 2]) if groups > 1 else g.pick(CHANNELS)
    shape = [outputs, channels // groups, *attributes["kernel_shape"]]
    inputs = [x, g.weights(shape, g.dtype(x))]
    if g.maybe(0.6):
        inputs.append(g.weights([outputs], g.dtype(x)))
    y = g.op("Conv", *inputs, group=groups, **attributes)
    if g.maybe(0.4):
        g.op(g.pick(["Relu", "Sigmoid", "HardSwish", "Tanh"]), y)


@operator
def ConvTranspose(g):
    x = image(g, (4, 4, 3))
    channels = g.shape(x)[1]
    spatial = g.rank(x) - 2
    kernel = [g.pick([1, 2, 3, 4]) for _ in range(spatial)]
    strides = [g.pick([1, 2, 3]) for _ in range(spatial)]
    groups = g.pick([1, 1, channels])
    weights = g.weights([channels, g.pick([1, 2, 8, 17]) if groups == 1 else 1, *kernel],
                        g.dtype(x))
    g.op("ConvTranspose", x, weights, group=groups, kernel_shape=kernel, strides=strides,
         pads=[g.integer(0, k - 1) for k in kernel * 2],
         output_padding=[g.integer(0, s - 1) for s in strides])


@operator
def ConvInteger(g):
    channels = g.pick([1, 3, 4, 8, 16])
    x = g.input([1, channels, g.integer(3, 9), g.integer(3, 9)], "uint8")
    weights = g.constant(g.rng.integers(0, 20, [g.pick([1, 4, 8, 17]), channels, 3, 3]),
                         "uint8")
    points = [g.constant(np.array(g.integer(0, 9), np.uint8))] if g.maybe() else []
    g.op("ConvInteger", x, weights, *points, pads=[g.integer(0, 1)] * 4)


def _pool(op_type, **choices):
    def append(g):
        x = image(g)
        given = {name: g.pick(values) for name, values in choices.items()}
        attributes = _window(g, x)
        g.op(op_type, x, **attributes, **given)

    OPERATORS[op_type] = append


_pool("MaxPool")
_pool("AveragePool", count_include_pad=[0, 1])
_pool("LpPool", p=[1, 2, 3])


def _global(op_type, **choices):
    def append(g):
        x = image(g)
        # ONNX Runtime has no kernel for float64, and the evaluator of the ONNX project
        # takes the maximum of two axes only.
        if op_type == "GlobalMaxPool" and g.dtype(x) == "float64" and g.rank(x) != 4:
            return
        g.op(op_type, x, **{n: g.pick(v) for n, v in choices.items()})

    OPERATORS[op_type] = append


_global("GlobalAveragePool")
_global("GlobalMaxPool")
_global("GlobalLpPool", p=[1, 2])


@operator
def Upsample(g):
    if g.graph.opset > 9:
        return
    x = image(g, (4, 4, 3))
    scales = [1.0, 1.0] + [g.pick([1.0, 2.0, 3.0]) for _ in range(g.rank(x) - 2)]
    mode = g.pick(["nearest", "linear"])
    if g.graph.opset < 9:
        g.op("Upsample", x, scales=scales, mode=mode)
    else:
        g.op("Upsample", x, g.constant(np.array(scales, np.float32)), mode=mode)


def _meets_an_element(old, new, transformation):
    """Whether a coordinate is an integer but for the first."""
    half = 0.5 if transformation == "half_pixel" else 0.0
    positions = (np.arange(new) + half) * old / new - half
    near = np.abs(positions - np.round(positions)) < 1e-4
    return bool((near & (positions > 0.5)).any())


@operator
def Resize(g):
    x = image(g, (4, 4, 3))
    spatial = g.rank(x) - 2
    # ONNX Runtime has no cubic kernel for float64; the evaluator of the ONNX project, with
    # aligned corners, gives other numbers than its kernel for float32.
    mode = g.pick(["nearest", "linear"] + (
        ["cubic"] if spatial == 2 and g.dtype(x) == np.float32 else []))
    # ONNX Runtime and the standard differ elsewhere.
    transformation = g.pick(["half_pixel", "asymmetric"] + (
        ["align_corners"] if mode != "nearest" else []))
    attributes = {"mode": mode, "coordinate_transformation_mode": transformation}
    if mode == "nearest":
        attributes["nearest_mode"] = "floor"
    if None not in g.shape(x) and g.maybe():
        sizes = [*g.shape(x)[:2], *[g.integer(1, max(1, 2 * d)) for d in g.shape(x)[2:]]]
        # In float32, ONNX Runtime may see what lies on an element before it.
        if mode == "nearest" and any(
                _meets_an_element(old, new, transformation)
                for old, new in zip(g.shape(x)[2:], sizes[2:]) if old != new):
            return
        g.op("Resize", x, "", "", g.ints(*sizes), **attributes)
        return
    scales = [1.0, 1.0] + [g.pick([1.0, 2.0, 3.0, 0.5]) for _ in range(spatial)]
    if 0.5 in scales and any(d is None or d % 2 for d in g.shape(x)[2:]):
        return
    g.op("Resize", x, "", g.constant(np.array(scales, np.float32)), **attributes)
