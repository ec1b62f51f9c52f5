"""Quantised operators: exact integers.

The vectors of the first part are those that users of Relay rely on. Larger
cases are compared with NumPy, by the definitions in integers of any size, and
products with ONNX Runtime as well.
"""

import math
from typing import Any

import numpy as np
import pytest
from relay_eval import Case, check


def f32(value):
    return np.array(value, np.float32)


def i32(value):
    return np.array(value, np.int32)


def counts(*pairs):
    return [value for count, value in pairs for _ in range(count)]


# ----------------------------------------------------------------------------
# quantize, dequantize
# ----------------------------------------------------------------------------

HALVES = [-63.5, -63, -62.5, -62, -61.5, 62, 62.5, 63, 63.5, 64]
FIFTHS = [-6553, -6552.8, -6552.6, -6552.4, -6552.2, 6553.2, 6553.4, 6553.6, 6553.8, 6554]
QUANTIZED = [
    (HALVES, 0.5, 127, np.uint8, [0, 1, 2, 3, 4, 251, 252, 253, 254, 255]),
    (HALVES, 0.5, -1, np.int8, [-128, -127, -126, -125, -124, 123, 124, 125, 126, 127]),
    (FIFTHS, 0.2, 32765, np.uint16, [0, 1, 2, 3, 4, 65531, 65532, 65533, 65534, 65535]),
]
NAMES = {np.int8: "!i8", np.uint8: "!ui8", np.int16: "!i16", np.uint16: "!ui16", np.int32: "!i32"}


def test_quantize():
    cases = []
    for values, scale, zero_point, dtype, expected in QUANTIZED:
        x, q = f32(values).reshape(2, 5), np.array(expected, dtype).reshape(2, 5)
        params = [f32(scale), i32(zero_point)]
        cases.append(Case("qnn.quantize", [x, *params], q, {"out_dtype": NAMES[dtype]}))
        if dtype != np.uint16:
            cases.append(Case("qnn.dequantize", [q, *params], x, {"out_dtype": "!f32"}))
    x = i32([113, 29, -1052])
    y = f32([0.6550452, 0.16810896, -6.098297])
    cases.append(Case("qnn.dequantize", [x, f32(0.0057968604), i32(0)], y, {"out_dtype": "!f32"}))
    check(cases)


def test_quantize_rounds_away_from_zero_and_saturates():
    x = f32([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e9, -1e9, np.inf, -np.inf, np.nan])
    expected = np.array([1, 2, 3, -1, -2, -3, 127, -128, 127, -128, 0], np.int8)
    wide = i32([1, 2, 3, -1, -2, -3, 10**9, -(10**9), 2**31 - 1, -(2**31), 0])
    one = [f32(1), i32(0)]
    check(
        [
            Case("qnn.quantize", [x, *one], expected, {"out_dtype": "!i8"}),
            Case("qnn.quantize", [x, *one], wide, {"out_dtype": "!i32"}),
        ]
    )


def test_quantize_along_axis():
    rng = np.random.default_rng(0)
    x = rng.uniform(-4, 4, (3, 4, 5)).astype(np.float32)
    cases = []
    for axis in (0, 1, 2, -1, -2):
        size = x.shape[axis]
        scale = np.asarray(rng.uniform(0.01, 0.1, size), np.float32)
        zero_point = rng.integers(-20, 20, size, dtype=np.int32)
        shape = [1, 1, 1]
        shape[axis] = size
        s, z = scale.reshape(shape), zero_point.reshape(shape)
        quotient = x / s
        rounded = np.sign(quotient) * np.floor(np.abs(quotient) + np.float32(0.5))
        q = np.clip(rounded + z, -128, 127).astype(np.int8)
        back = (q.astype(np.int32) - z).astype(np.float32) * s
        cases += [
            Case("qnn.quantize", [x, scale, zero_point], q, {"out_dtype": "!i8", "axis": axis}),
            Case("qnn.dequantize", [q, scale, zero_point], back, {"out_dtype": "!f32", "axis": axis}),
            Case(
                "qnn.dequantize", [q, scale, zero_point], back.astype(np.float16), {"out_dtype": "!f16", "axis": axis}
            ),
        ]
    scalar = np.array(2.0, np.float32)
    cases.append(Case("qnn.quantize", [scalar, f32([0.5]), i32([1])], np.array(5, np.int8), {"out_dtype": "!i8"}))
    large = np.array([30000, -30000, 1], np.int16)
    expected = np.array([65504, -65504, 4], np.float16)
    cases.append(Case("qnn.dequantize", [large, f32(4), i32(0)], expected, {"out_dtype": "!f16"}))
    check(cases)


# ----------------------------------------------------------------------------
# requantize
# ----------------------------------------------------------------------------


def requantize(x, scales, results, attrs=None, zero_points=(0, 0), dtype=np.int8):
    inputs = [np.asarray(x, np.int32), f32(scales[0]), i32(zero_points[0]), f32(scales[1]), i32(zero_points[1])]
    attrs = {"out_dtype": NAMES[dtype], **(attrs or {})}
    expected = np.array(results, dtype).reshape(np.shape(x))
    return [Case("qnn.requantize", inputs, expected, {**attrs, "rounding": r}) for r in ("UPWARD", "TONEAREST")]


def requantize_rounded(x, scales, upward, to_nearest, **kwargs):
    return [requantize(x, scales, upward, **kwargs)[0], requantize(x, scales, to_nearest, **kwargs)[1]]


@pytest.mark.parametrize("compute", ["None", "int64", "float32", "float64"])
def test_requantize(compute):
    attrs = {"compute_dtype": compute}
    up, down = np.arange(0, 32), np.arange(0, -32, -1)
    by16 = counts((8, 0), (16, 1), (8, 2))
    by16_upward = counts((9, 0), (16, -1), (7, -2))
    by4 = [value for value, n in enumerate([2, 4, 4, 4, 4, 4, 4, 4, 2]) for _ in range(n)]
    by4_upward = [-value for value, n in enumerate([3, 4, 4, 4, 4, 4, 4, 4, 1]) for _ in range(n)]
    cases = [
        *requantize(up, (1, 16), by16, attrs),
        *requantize_rounded(down, (1, 16), by16_upward, [-v for v in by16], attrs=attrs),
        *requantize(up, (1, 4), by4, attrs),
        *requantize_rounded(down, (1, 4), by4_upward, [-v for v in by4], attrs=attrs),
        *requantize(up, (2, 1), 2 * up, attrs),
        *requantize(down, (2, 1), 2 * down, attrs),
        *requantize(up, (3, 1), 3 * up, attrs),
        *requantize(down, (3, 1), 3 * down, attrs),
        *requantize(3 * up, (1, 3), up, attrs),
        *requantize(3 * down, (1, 3), down, attrs),
        *requantize(np.arange(120, 136), (1, 1), np.minimum(np.arange(120, 136), 127), attrs),
        *requantize(-np.arange(120, 136), (1, 1), np.maximum(-np.arange(120, 136), -128), attrs),
        *requantize(
            np.arange(32760, 32776), (1, 1), np.minimum(np.arange(32760, 32776), 32767), attrs, dtype=np.int16
        ),
        *requantize(up, (1, 16), np.add(by16, 1), attrs, zero_points=(0, 1)),
        # Floats are rounded after the zero point is added: 1 - 0.5 goes to 1.
        *requantize_rounded(
            down,
            (1, 16),
            np.add(by16_upward, 1),
            1 - np.array(by16) + (np.arange(32) % 16 == 8) * compute.startswith("float") * (np.arange(32) < 16),
            attrs=attrs,
            zero_points=(0, 1),
        ),
        *requantize(np.arange(32, 64), (1, 16), counts((8, 1), (16, 2), (8, 3)), attrs, zero_points=(16, 0)),
    ]
    check(cases)


def test_requantize_along_axis():
    x = np.arange(-5, 5).reshape(5, 2)
    y = np.arange(-20, 20, 2).reshape(2, 2, 5)
    assert y.flat[0] == -20 and y.flat[-1] == 18
    cases = [
        *requantize(x, ([0.5, 0.25], 0.5), [-5, -2, -3, -1, -1, 0, 1, 1, 3, 2], {"axis": 1}, ([0, 0], 0)),
        *requantize(x, ([1.0, 0.25], 0.5), [-10, -2, -6, -1, -2, 0, 2, 1, 6, 2], {"axis": 1}, ([0, 0], 0)),
        *requantize(
            y,
            ([0.5, 0.25], 0.5),
            [-20, -18, -16, -14, -12, -5, -4, -3, -2, -1, 0, 2, 4, 6, 8, 5, 6, 7, 8, 9],
            {"axis": 1},
        ),
    ]
    check(cases)


def multiply_fixed_point(x, factor, to_nearest=False):
    """round(x * factor) in integers of any size, from the definition."""
    if factor == 0:
        return 0
    significand, exponent = math.frexp(factor)
    mantissa = math.floor(significand * 2**31 + 0.5)
    if mantissa == 2**31:
        mantissa, exponent = 2**30, exponent + 1
    shift = 31 + max(-exponent, 0)
    half = 2 ** (shift - 1)
    if to_nearest and x < 0:
        half -= 1
    return ((x << max(exponent, 0)) * mantissa + half) >> shift


def requantize_by_definition(x, scale, zero_point, to_scale, to_zero_point, to_nearest=False):
    """Arrays that broadcast; no clipping."""
    scale, zero_point = np.broadcast_to(scale, x.shape), np.broadcast_to(zero_point, x.shape)
    result = []
    for q, s, z in zip(x.flat, scale.flat, zero_point.flat):
        product = multiply_fixed_point(int(q) - int(z), float(s) / float(to_scale), to_nearest)
        result.append(product + int(to_zero_point))
    return np.array(result, np.int64).reshape(x.shape)


def saturate(x, dtype):
    info = np.iinfo(dtype)
    return np.clip(x, info.min, info.max).astype(dtype)


def test_requantize_of_any_scale():
    rng = np.random.default_rng(1)
    cases = []
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64):
        limit = min(np.iinfo(dtype).max, 2**20)
        x = rng.integers(max(np.iinfo(dtype).min, -limit), limit, (4, 3, 5)).astype(dtype)
        for to_nearest in (False, True):
            rounding = {"rounding": "TONEAREST" if to_nearest else "UPWARD"}
            for out in (np.int8, np.uint8, np.int16, np.int32):
                for axis in (None, 0, 1, -1):
                    size = () if axis is None else x.shape[axis]
                    shape: list[Any] = [1, 1, 1]
                    if axis is not None:
                        shape[axis] = size
                    ratio = np.iinfo(out).max / limit if out != np.int32 else 1.0
                    scale = np.exp(rng.uniform(-3, 3, size)).astype(np.float32) * np.float32(ratio)
                    zero_point = rng.integers(-5, 5, size).astype(np.int32)
                    to_scale, to_zero_point = f32(math.exp(rng.uniform(-2, 2))), i32(rng.integers(-5, 5))
                    s, z = (scale, zero_point) if axis is None else (scale.reshape(shape), zero_point.reshape(shape))
                    expected = requantize_by_definition(x, s, z, to_scale, to_zero_point, to_nearest)
                    inputs = [x, np.asarray(scale), np.asarray(zero_point), to_scale, to_zero_point]
                    attrs = {"out_dtype": NAMES[out], **rounding, **({} if axis is None else {"axis": axis})}
                    cases.append(Case("qnn.requantize", inputs, saturate(expected, out), attrs))
    check(cases)


def test_requantize_in_floats():
    rng = np.random.default_rng(2)
    x = rng.integers(-(2**20), 2**20, 300).astype(np.int32)
    cases = []
    dtype: Any
    for name, dtype in (("float32", np.float32), ("float64", np.float64)):
        for rounding in ("UPWARD", "TONEAREST"):
            scale, to_scale = f32(0.0123), f32(1.7)
            t = (x.astype(dtype) - dtype(7)) * dtype(np.float64(scale) / np.float64(to_scale)) + dtype(-3)
            if rounding == "UPWARD":
                rounded = np.floor(t + dtype(0.5))
            else:
                rounded = np.sign(t) * np.floor(np.abs(t) + dtype(0.5))
            for out in (np.int8, np.int16, np.int32):
                attrs = {"out_dtype": NAMES[out], "rounding": rounding, "compute_dtype": name}
                expected = saturate(rounded.astype(np.int64), out)
                cases.append(Case("qnn.requantize", [x, scale, i32(7), to_scale, i32(-3)], expected, attrs))
    check(cases)


# ----------------------------------------------------------------------------
# simulated_quantize, simulated_dequantize
# ----------------------------------------------------------------------------


def test_simulated():
    rng = np.random.default_rng(3)
    x = rng.uniform(-5, 5, (3, 4)).astype(np.float32)
    cases = []
    ranges = {1: (-128, 127), 2: (0, 255), 3: (-(2**31), 2**31 - 1)}
    for code in (0, 1, 2, 3):
        for axis, size in ((-1, ()), (0, 3), (1, 4), (1, 2)):
            scale = np.asarray(rng.uniform(0.01, 0.2, size), np.float32)
            zero_point = np.asarray(rng.integers(-9, 9, size), np.int32)
            s: Any = scale
            z: Any = zero_point
            if size:
                shape = [1, 1]
                shape[axis] = x.shape[axis]
                s, z = (np.resize(p, x.shape[axis]).reshape(shape) for p in (s, z))
            quantized = restored = x
            if code:
                quotient = x / s
                rounded = np.sign(quotient) * np.floor(np.abs(quotient) + np.float32(0.5))
                quantized = np.clip(rounded + z.astype(np.float32), *ranges[code]).astype(np.float32)
                restored = (x - z.astype(np.float32)) * s
            inputs = [x, i32(code), scale, zero_point]
            cases += [
                Case("qnn.simulated_quantize", inputs, quantized, {"axis": axis}),
                Case("qnn.simulated_dequantize", inputs, restored, {"axis": axis}),
            ]
    check(cases)


def test_simulated_quantize_agrees_with_quantize():
    rng = np.random.default_rng(4)
    x = rng.uniform(-9, 9, (5, 7)).astype(np.float32)
    scale, zero_point = f32(0.031), i32(-4)
    quotient = x / scale
    q = np.clip(np.sign(quotient) * np.floor(np.abs(quotient) + np.float32(0.5)) - 4, -128, 127)
    check(
        [
            Case("qnn.quantize", [x, scale, zero_point], q.astype(np.int8), {"out_dtype": "!i8"}),
            Case("qnn.simulated_quantize", [x, i32(1), scale, zero_point], q.astype(np.float32)),
        ]
    )
