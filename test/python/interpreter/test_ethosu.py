"""Operators of the Ethos-U processor, by their definition in NumPy's doubles
(all values here are small enough to be exact)."""

import itertools
from typing import Any

import numpy as np
import pytest
from relay_eval import Case, check

NO_LUT = np.zeros(0, np.int8)
NAMES = {np.int8: "int8", np.uint8: "uint8", np.int16: "int16", np.int32: "int32"}


def round_to(x, mode):
    if mode == "TRUNCATE":
        return np.trunc(x)
    if mode == "NATURAL":
        return np.floor(x + 0.5)
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def finish(x, dtype, mode="TFL", low=None, high=None, lut=None):
    info = np.iinfo(dtype)
    x = np.clip(round_to(x, mode), info.min if low is None else low, info.max if high is None else high)
    if lut is not None:
        x = lut[(x - info.min).astype(int)]
    return x.astype(dtype)


def to_bricks(x):
    """NHWC to NHCWB16."""
    n, h, w, c = x.shape
    bricks = -(-c // 16)
    padded = np.zeros((n, h, w, bricks * 16), x.dtype)
    padded[..., :c] = x
    return np.ascontiguousarray(padded.reshape(n, h, w, bricks, 16).transpose(0, 1, 3, 2, 4))


def values(rng, shape, dtype):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype)


def quantization(scale, zero_point, to_scale, to_zero_point):
    return dict(ifm_scale=scale, ifm_zero_point=zero_point, ofm_scale=to_scale, ofm_zero_point=to_zero_point)


def upscale(x, mode, zero_point):
    if mode == "NONE":
        return x
    big = x.repeat(2, 1).repeat(2, 2)
    if mode == "ZEROS":
        big[:, 1::2], big[:, :, 1::2] = zero_point, zero_point
    return big


def windows(x, kernel, strides, padding, dilation):
    """x of zeros outside: (..., kernel) along new last dimensions."""
    top, left, bottom, right = padding
    x = np.pad(x, [(0, 0), (top, bottom), (left, right), (0, 0)])
    out = [(x.shape[1 + i] - (kernel[i] - 1) * dilation[i] - 1) // strides[i] + 1 for i in range(2)]
    parts = [
        x[:, ky * dilation[0] :, kx * dilation[1] :][
            :, : (out[0] - 1) * strides[0] + 1 : strides[0], : (out[1] - 1) * strides[1] + 1 : strides[1]
        ]
        for ky, kx in np.ndindex(*kernel)
    ]
    return np.stack(parts, -1)


def pack(bias, scale, shift):
    """Rows of ten bytes."""
    rows = [
        [*int(b).to_bytes(5, "little", signed=True), *int(s).to_bytes(4, "little"), int(n)]
        for b, s, n in zip(bias, scale, shift)
    ]
    return np.array(rows, np.uint8)


@pytest.mark.parametrize("depthwise", [False, True])
def test_convolutions(depthwise):
    rng = np.random.default_rng(0)
    op = "contrib.ethosu.depthwise_conv2d" if depthwise else "contrib.ethosu.conv2d"
    cases = []
    settings = itertools.product(
        (np.int8, np.uint8),
        [([1, 1], [0, 0, 0, 0], [1, 1], "NONE"), ([2, 1], [1, 0, 2, 1], [1, 2], "NONE"),
         ([1, 2], [0, 1, 0, 1], [2, 1], "NEAREST"), ([1, 1], [1, 1, 1, 1], [1, 1], "ZEROS")],
        (("TFL", "NHWC"), ("NATURAL", "NHCWB16"), ("TRUNCATE", "NHWC")),
    )
    for dtype, (strides, padding, dilation, scaling), (mode, layout) in settings:
        channels = 20
        inner = 1 if depthwise else 5
        x = values(rng, (2, 6, 7, channels if depthwise else inner), dtype)
        w = values(rng, (channels, 3, 2, inner), np.int8)
        bias = rng.integers(-3000, 3000, channels)
        scale, shift = rng.integers(1, 200, channels), rng.integers(10, 14, channels)
        zero, zero_w, zero_out = 3, -2, 5
        data = upscale(x, scaling, zero).astype(np.int64) - zero
        parts = windows(data, (3, 2), strides, padding, dilation)
        factors = (w.astype(np.int64) - zero_w).reshape(channels, 6, inner)
        if depthwise:
            sums = np.einsum("nyxck,ck->nyxc", parts, factors[..., 0])
        else:
            sums = np.einsum("nyxik,oki->nyxo", parts, factors)
        out = np.int16 if depthwise else dtype
        real = (sums + bias) * scale / 2.0**shift + zero_out
        expected = finish(real, out, mode, -50, 90)
        attrs = dict(
            **quantization(0.5, zero, 0.25, zero_out), weight_zero_point=zero_w, strides=strides, padding=padding,
            dilation=dilation, upscale=scaling, rounding_mode=mode, activation="CLIP", clip_min=-50, clip_max=90,
            ifm_layout=layout, ofm_layout=layout,
        )
        if out == np.uint8:
            expected = np.clip(finish(real, out, mode), 0, 90)
        if depthwise:
            attrs["ofm_dtype"] = "int16"
        if layout == "NHCWB16":
            x, expected = to_bricks(x), to_bricks(expected)
        inputs = [x, w, pack(bias, scale, shift), NO_LUT]
        cases.append(Case(op, inputs, expected, attrs, dynamic=False))
    check(cases)


def test_pooling():
    rng = np.random.default_rng(1)
    cases = []
    for dtype, kind, mode in itertools.product((np.int8, np.uint8, np.int16), ("MAX", "AVG", "SUM"), ("TFL", "NATURAL")):
        x = values(rng, (1, 6, 7, 3), dtype)
        strides, padding, kernel = ([1, 1], [0] * 4, [1, 1]) if kind == "SUM" else ([2, 1], [1, 0, 0, 1], [2, 3])
        zero = 4
        data = x.astype(np.int64) - zero
        inside = windows(np.ones_like(data), kernel, strides, padding, [1, 1])
        parts = windows(data, kernel, strides, padding, [1, 1])
        if kind == "MAX":
            value = np.where(inside == 1, parts, -(2**40)).max(-1)
        elif kind == "AVG":
            value = parts.sum(-1) / inside.sum(-1)
        else:
            value = parts.sum((-1, -2))[..., None]
        out = np.int32 if kind == "SUM" else dtype
        expected = finish(value * 0.5 / 0.25 - 6, out, mode)
        attrs = dict(
            pooling_type=kind, **quantization(0.5, zero, 0.25, -6), pool_shape=kernel, ofm_dtype=NAMES[out],
            strides=strides, padding=padding, rounding_mode=mode, ofm_channels=expected.shape[-1],
        )
        cases.append(Case("contrib.ethosu.pooling", [x, NO_LUT], expected, attrs))
        if kind != "SUM":
            bricks = {**attrs, "ifm_layout": "NHCWB16", "ofm_layout": "NHCWB16"}
            cases.append(Case("contrib.ethosu.pooling", [to_bricks(x), NO_LUT], to_bricks(expected), bricks, dynamic=False))
    check(cases)


def test_identity_and_unary():
    rng = np.random.default_rng(2)
    cases = []
    for dtype, mode in itertools.product((np.int8, np.uint8), ("TFL", "TRUNCATE", "NATURAL")):
        x = values(rng, (1, 3, 4, 18), dtype)
        table = values(rng, 256, dtype)
        real = (x.astype(np.float64) - 7) * 0.5 / 0.75
        attrs = {**quantization(0.5, 7, 0.75, 3), "rounding_mode": mode}
        cases.append(Case("contrib.ethosu.identity", [x, NO_LUT], finish(real + 3, dtype, mode), attrs))
        looked_up = finish(real + 3, dtype, mode, lut=table)
        for activation in ("LUT", "TANH", "SIGMOID"):
            cases.append(Case("contrib.ethosu.identity", [x, table], looked_up, {**attrs, "activation": activation}))
        unary = {**attrs, "operator_type": "ABS", "ofm_channels": 18}
        expected = finish(np.abs(real) + 3, dtype, mode)
        cases.append(Case("contrib.ethosu.unary_elementwise", [x, NO_LUT], expected, unary))
        bricks = {**unary, "ifm_layout": "NHCWB16"}
        cases.append(Case("contrib.ethosu.unary_elementwise", [to_bricks(x), NO_LUT], expected, bricks))
    x = np.array([0, 1, 2, 255, 2**30, 2**31 - 1, -1, -(2**31)], np.int32).reshape(1, 1, 2, 4)
    zeros = np.array([32, 31, 30, 24, 1, 1, 0, 0], np.int32).reshape(1, 1, 2, 4)
    attrs = {**quantization(1.0, 0, 1.0, 0), "operator_type": "CLZ", "ofm_channels": 4}
    cases.append(Case("contrib.ethosu.unary_elementwise", [x, NO_LUT], zeros, attrs))
    check(cases)


def test_binary():
    rng = np.random.default_rng(3)
    functions: dict[str, Any] = {
        "ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
        "SHR": lambda a, b: a / 2.0**b, "SHL": lambda a, b: a * 2.0**b,
    }
    cases = []
    for kind, swapped, mode, small in itertools.product(functions, (False, True), ("TFL", "NATURAL"), (False, True)):
        shifts = kind in ("SHR", "SHL")
        dtype = np.int32 if shifts else np.int8
        shape = (1, 1, 5, 1) if small else (1, 4, 5, 3)
        x, y = values(rng, (1, 4, 5, 3), np.int8).astype(dtype), values(rng, shape, np.int8).astype(dtype)
        if shifts:
            (x if swapped else y)[...] = np.abs(x if swapped else y) % 8
        zeros = (0, 0) if shifts else (5, -4)
        scales = (1.0, 1.0) if shifts else (0.5, 0.125)
        a, b = (x.astype(float) - zeros[0]) * scales[0], (y.astype(float) - zeros[1]) * scales[1]
        value = functions[kind](b, a) if swapped else functions[kind](a, b)
        to_scale = 1.0 if shifts else 0.75
        expected = finish(value / to_scale + 2, dtype, mode)
        attrs = dict(
            operator_type=kind, **quantization(scales[0], zeros[0], to_scale, 2), ifm2_scale=scales[1],
            ifm2_zero_point=zeros[1], ifm_channels=3, ifm2_channels=shape[-1], ofm_dtype=NAMES[dtype],
            reversed_operands=swapped, rounding_mode=mode,
        )
        cases.append(Case("contrib.ethosu.binary_elementwise", [x, y, NO_LUT], expected, attrs))
        if kind == "MUL":
            raw = (x.astype(float) - zeros[0]) * (y.astype(float) - zeros[1]) * 5 / 2**4 + 2
            rescaled = {**attrs, "use_rescale": True, "rescale_scale": 5, "rescale_shift": 4}
            expected = finish(raw, dtype, mode)
            cases.append(Case("contrib.ethosu.binary_elementwise", [x, y, NO_LUT], expected, rescaled))
    check(cases)
