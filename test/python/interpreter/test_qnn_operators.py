"""Operators on quantised tensors: exact integers.

Vectors that users of Relay rely on, the definitions in NumPy, and for products
ONNX Runtime's integer operators.
"""

import itertools
import math
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from relay_eval import Case, check
from test_qnn import f32, i32, multiply_fixed_point, requantize_by_definition, saturate


def u8(values):
    return np.array(values, np.uint8)


def params(*values):
    """Scales and zero points in turn."""
    return [f32(v) if i % 2 == 0 else i32(v) for i, v in enumerate(values)]


# ----------------------------------------------------------------------------
# add, subtract, mul
# ----------------------------------------------------------------------------

SAME = params(0.00784314, 127, 0.00784314, 127, 0.00784314, 127)
DIFFERENT = params(0.0156863, 127, 0.0117647, 85, 0.0235294, 128)
SUMS = [
    (SAME, (140, 153, 165, 178), (204, 178, 165, 140), (217, 204, 203, 191), (63, 102, 127, 165)),
    (SAME, (25, 153, 178, 216), (204, 178, 191, 25), (102, 204, 242, 114), (0, 102, 114, 255)),
    (SAME, (25, 153, 216, 165), (204, 178, 25, 191), (102, 204, 114, 229), (0, 102, 255, 101)),
    (DIFFERENT, (76, 140, 153, 172), (136, 119, 128, 17), (120, 154, 167, 124), (68, 120, 123, 192)),
    (DIFFERENT, (133, 140, 146, 153), (136, 119, 111, 94), (158, 154, 154, 150), (106, 120, 128, 140)),
    (DIFFERENT, (76, 140, 172, 146), (136, 119, 17, 128), (120, 154, 124, 163), (68, 120, 192, 119)),
]
EIGHTHS = params(0.125, 0, 0.125, 0, 0.125, 0)


def test_add_and_subtract():
    cases = []
    for quantization, x, y, total, difference in SUMS:
        cases += [
            Case("qnn.add", [u8(x), u8(y), *quantization], u8(total)),
            Case("qnn.subtract", [u8(x), u8(y), *quantization], u8(difference)),
        ]
    x, y = u8([255, 1, 1, 0]), u8([255, 255, 128, 0])
    cases += [
        Case("qnn.add", [x, y, *EIGHTHS], u8([255, 255, 129, 0])),
        Case("qnn.subtract", [x, y, *EIGHTHS], u8([0, 0, 0, 0])),
        Case(
            "qnn.subtract",
            [u8([255, 1, 200, 0]), u8([255, 255, 127, 0]), *params(0.125, 0, 0.125, 0, 0.25, 0)],
            u8([0, 0, 36, 0]),
        ),
        Case(
            "qnn.subtract",
            [u8([255, 0, 1, 0]), u8([0, 128, 64, 0]), *params(0.5, 0, 0.25, 0, 0.125, 0)],
            u8([255, 0, 0, 0]),
        ),
    ]
    check(cases)


def align(param, axis, x):
    """Broadcasts a vector along an axis of x."""
    if param.ndim == 0:
        return param
    shape = [1] * x.ndim
    shape[axis] = -1
    return param.reshape(shape)


@pytest.mark.parametrize("op", ["add", "subtract", "mul"])
def test_binary_with_any_parameters(op):
    rng = np.random.default_rng(5)
    cases = []
    shapes = [((3, 4), (3, 4)), ((2, 3, 4), (3, 1)), ((1, 4), (5, 1, 4)), ((), (3,))]
    types: list[Any] = [np.int8, np.uint8, np.int16, np.int32]
    for dtype, (left, right), vector in itertools.product(types, shapes, [False, True]):
        limit = min(np.iinfo(dtype).max, 30000)
        low = max(np.iinfo(dtype).min, -limit)
        x, y = (rng.integers(low, limit, shape).astype(dtype) for shape in (left, right))
        # The last dimension of both, where both have it at its full size.
        along = vector and left and right and left[-1] == right[-1]
        sizes = [shape[-1] if along else () for shape in (left, right)]
        (s1, s2) = (np.exp(rng.uniform(-2, 0, size)).astype(np.float32) for size in sizes)
        (z1, z2) = (rng.integers(-3, 9, size).astype(np.int32) for size in sizes)
        # Results near the range, so that some saturate.
        so = f32(0.7 if op != "mul" else min(limit, 20000) * 0.3)
        zo = i32(5)
        a, b = (align(p, -1, x) if x.ndim else p for p in (s1, z1))
        c, d = (align(p, -1, y) if y.ndim else p for p in (s2, z2))
        if op == "mul":
            product = (x.astype(np.int64) - a_zero(b)) * (y.astype(np.int64) - a_zero(d))
            scale = (a * c).astype(np.float32)
            if scale.ndim:
                scale = scale.reshape([-1] if along else [])
                scale = align(scale, -1, product) if along else scale
            expected = requantize_by_definition(product, scale, 0, so, zo)
        else:
            lhs = requantize_by_definition(x, a, b, so, zo)
            rhs = requantize_by_definition(y, c, d, so, zo)
            expected = lhs + rhs - int(zo) if op == "add" else lhs - rhs + int(zo)
        inputs = [x, y, np.asarray(s1), np.asarray(z1), np.asarray(s2), np.asarray(z2), so, zo]
        cases.append(Case(f"qnn.{op}", inputs, saturate(expected, dtype)))
    check(cases)


def a_zero(value):
    return np.asarray(value).astype(np.int64)


# ----------------------------------------------------------------------------
# Functions of one tensor
# ----------------------------------------------------------------------------

FUNCTIONS: dict[str, Any] = {
    "tanh": np.tanh,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": np.vectorize(math.erf),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "log": np.log,
    "abs": np.abs,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unary(name):
    """All values of 8 bits, as a lookup table."""
    cases = []
    for dtype, zero_point in ((np.int8, -20), (np.uint8, 100)):
        x = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)
        for scale, to_scale in ((0.05, 0.02), (0.1, 0.05)):
            real = (x.astype(np.float32) - np.float32(zero_point)) * np.float32(scale)
            with np.errstate(all="ignore"):
                y = FUNCTIONS[name](real.astype(np.float64)).astype(np.float32)
                quotient = y / np.float32(to_scale)
            rounded = np.sign(quotient) * np.floor(np.abs(quotient) + np.float32(0.5))
            info = np.iinfo(dtype)
            expected = np.where(np.isnan(rounded), 0, np.clip(rounded + 3, info.min, info.max)).astype(dtype)
            cases.append(Case(f"qnn.{name}", [x, *params(scale, zero_point, to_scale, 3)], expected))
    check(cases)


def test_leaky_relu():
    cases = []
    for dtype, (scale, zero_point, to_scale, to_zero_point), alpha in itertools.product(
        (np.int8, np.uint8), ((0.125, 60, 0.125, 17), (0.1, 0, 0.1, 0), (0.7, 30, 0.2, -9)), (0.25, 0.9, 0.01)
    ):
        x = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)
        moved = requantize_by_definition(x, f32(scale), zero_point, f32(to_scale), to_zero_point)
        offset = multiply_fixed_point(to_zero_point, 1 - alpha)
        negative = np.array([multiply_fixed_point(int(v), alpha) + offset for v in moved])
        expected = saturate(np.where(x.astype(int) < zero_point, negative, moved), dtype)
        inputs = [x, *params(scale, zero_point, to_scale, to_zero_point)]
        cases.append(Case("qnn.leaky_relu", inputs, expected, {"alpha": alpha}))
    # By hand: 0.9 * (10 - 60) and 10, both in eighths.
    cases.append(
        Case("qnn.leaky_relu", [u8([10, 70]), *params(0.125, 60, 0.125, 60)], u8([15, 70]), {"alpha": 0.9})
    )
    check(cases)


def softmax(x, scale, zero_point, to_scale, to_zero_point, axis):
    """The definition, in integers of any size."""
    one = int(np.floor(1 / np.float32(scale) + 0.5))
    x = x.astype(np.int64) - zero_point
    x = x - x.max(axis, keepdims=True)
    p = x + (x >> 1) - (x >> 4)
    n = np.clip(-p // one, 0, 20)
    r = p + n * one
    e = ((r >> 1) + one) << (n.max(axis, keepdims=True) - n)
    e = e.astype(np.int32).astype(np.int64)
    total = e.sum(axis, keepdims=True)
    y = ((2**30 // total) * e).astype(np.int32).astype(np.int64) >> 23
    return saturate(requantize_by_definition(y, f32(1 / 128), 0, f32(to_scale), to_zero_point), np.int8)


def test_softmax():
    rng = np.random.default_rng(6)
    x = rng.integers(-128, 128, (3, 4, 10)).astype(np.int8)
    cases = []
    for scale, axis in itertools.product((0.05, 0.1, 0.2, 1.0), (0, 1, -1)):
        inputs = [x, *params(scale, -4, 1 / 256, -128)]
        expected = softmax(x, scale, -4, 1 / 256, -128, axis)
        cases.append(Case("qnn.softmax", inputs, expected, {"axis": axis}))
        if scale < 0.2 and axis == -1:  # Near the softmax of the real values.
            powers = np.exp((x - x.max(axis, keepdims=True).astype(float)) * scale)
            real = powers / powers.sum(axis, keepdims=True)
            assert np.abs((expected + 128.0) / 256 - real).max() < 0.04
    check(cases)


def test_concatenate():
    rng = np.random.default_rng(7)
    x, y, z = (rng.integers(0, 256, shape).astype(np.uint8) for shape in ((2, 3, 4), (2, 1, 4), (2, 5, 4)))
    same = (f32(0.5), f32(0.5), f32(0.5)), (i32(3), i32(3), i32(3))
    other = (f32(0.5), f32(0.25), f32(1.3)), (i32(3), i32(3), i32(100))
    cases = []
    for scales, zero_points in (same, other):
        parts = [
            saturate(requantize_by_definition(a, s, b, f32(0.5), 3), np.uint8)
            for a, s, b in zip((x, y, z), scales, zero_points)
        ]
        for axis in (1, -2):
            inputs = [(x, y, z), scales, zero_points, f32(0.5), i32(3)]
            cases.append(Case("qnn.concatenate", inputs, np.concatenate(parts, 1), {"axis": axis}))
    check(cases)


def avg_pool(x, pool, strides, padding, dilation, ceil, include_pad):
    """x is NCHW; sums are divided with truncation."""
    top, left, bottom, right = padding
    height, width = x.shape[2:]

    def out(size, before, after, i):
        room = size + before + after - ((pool[i] - 1) * dilation[i] + 1)
        return (room + (strides[i] - 1 if ceil else 0)) // strides[i] + 1

    result = np.zeros((*x.shape[:2], out(height, top, bottom, 0), out(width, left, right, 1)), np.int64)
    for n, c, oy, ox in np.ndindex(*result.shape):
        total = inside = padded = 0
        for ky, kx in np.ndindex(*pool):
            iy = oy * strides[0] + ky * dilation[0] - top
            ix = ox * strides[1] + kx * dilation[1] - left
            padded += iy < height + bottom and ix < width + right
            if 0 <= iy < height and 0 <= ix < width:
                total += int(x[n, c, iy, ix])
                inside += 1
        count = padded if include_pad else inside
        result[n, c, oy, ox] = 0 if not count else int(abs(total) // count) * (1 if total >= 0 else -1)
    return result


def test_avg_pool2d():
    rng = np.random.default_rng(8)
    cases = []
    for dtype, to, layout in itertools.product((np.int8, np.uint8), ((0.5, 4), (0.21, -7)), ("NCHW", "NHWC")):
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, (2, 3, 7, 8)).astype(dtype)
        moved = requantize_by_definition(x, f32(0.5), 4, f32(to[0]), to[1])
        for pool, strides, padding, dilation, ceil, include in (
            ((3, 3), (1, 1), (0, 0, 0, 0), (1, 1), False, False),
            ((2, 3), (2, 2), (1, 1, 0, 1), (1, 1), True, False),
            ((2, 3), (2, 2), (1, 1, 1, 1), (1, 1), False, True),
            ((2, 2), (3, 1), (0, 0, 0, 0), (2, 3), False, False),
        ):
            expected = saturate(avg_pool(moved, pool, strides, padding, dilation, ceil, include), dtype)
            data = x
            if layout == "NHWC":
                data, expected = x.transpose(0, 2, 3, 1), expected.transpose(0, 2, 3, 1)
            attrs: dict[str, Any] = dict(pool_size=pool, strides=strides, padding=padding)
            attrs.update(dilation=dilation, layout=layout)
            attrs.update(ceil_mode=ceil, count_include_pad=include)
            inputs = [data, *params(0.5, 4, *to)]
            cases.append(Case("qnn.avg_pool2d", inputs, expected, attrs))
    check(cases)


# ----------------------------------------------------------------------------
# Matrix products
# ----------------------------------------------------------------------------


def product_params(zero_x, zero_w, scale_x=0.25, scale_w=1.0):
    """Zero points come first."""
    return [i32(zero_x), i32(zero_w), f32(scale_x), f32(scale_w)]


def test_dense():
    x = np.array([[1, 3, 5, 7, 9, 11, 13, 15, -19, -21], [1, 3, 5, 7, 9, 11, 13, -17, 17, -21]], np.int8)
    w = np.array([range(1, 20, 2)] * 3, np.int8)
    y = i32([[92, 92, 92], [228, 228, 228]])
    attrs = {"units": 3, "out_dtype": "!i32"}
    biased = y + i32([4, 8, 12])
    assert biased.tolist() == [[96, 100, 104], [232, 236, 240]]
    requantized = np.array([[23, 24, 25], [57, 58, 59]], np.int8)
    by_channel = np.array([[23, 14, 20], [57, 34, 47]], np.int8)
    scales = f32([0.5, 0.3, 0.4]) * np.float32(0.5)
    out = {"out_dtype": "!i8"}
    check(
        [
            Case("qnn.dense", [x, w, *product_params(-1, -1)], y, attrs),
            Case("qnn.dense", [x, w, *product_params(-1, -1)], y.astype(np.int64), {**attrs, "out_dtype": "!i64"}),
            Case("qnn.requantize", [biased, *params(0.25, 0, 1, -1)], requantized, out),
            Case("qnn.requantize", [biased, scales, i32([0, 0, 0]), *params(1, -1)], by_channel, {**out, "axis": 1}),
        ]
    )


def run_onnx(op, inputs, **attrs):
    """An integer operator of ONNX Runtime."""
    types = {np.dtype(np.int8): TensorProto.INT8, np.dtype(np.uint8): TensorProto.UINT8}
    names = [f"i{n}" for n in range(len(inputs))]
    values = [helper.make_tensor_value_info(n, types[x.dtype], x.shape) for n, x in zip(names, inputs)]
    output = helper.make_tensor_value_info("y", TensorProto.INT32, None)
    graph = helper.make_graph([helper.make_node(op, names, ["y"], **attrs)], "g", values, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(names, inputs)))[0]


def any_weight(rng, shape, dtype):
    """Where ONNX Runtime adds two products of bytes in 16 bits, they must fit."""
    if dtype == np.uint8:
        return any_values(rng, shape, dtype)
    return rng.integers(-64, 64, shape).astype(dtype)


def any_values(rng, shape, dtype):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_products_as_onnx_runtime(dtype):
    rng = np.random.default_rng(9)
    cases = []
    attrs = {"out_dtype": "!i32"}
    for zero_x, zero_w in ((0, 0), (7, 0), (0, 9), (7, 9)):
        x, w = any_values(rng, (6, 20), np.uint8), any_weight(rng, (5, 20), dtype)
        zeros = [np.array(zero_x, np.uint8), np.array(zero_w, dtype)]
        expected = run_onnx("MatMulInteger", [x, np.ascontiguousarray(w.T), *zeros])
        quantization = product_params(zero_x, zero_w)
        cases.append(Case("qnn.dense", [x, w, *quantization], expected, {**attrs, "units": 5}))
        stacked = [x.reshape(2, 3, 20), w, *quantization]
        cases.append(Case("qnn.dense", stacked, expected.reshape(2, 3, 5), {**attrs, "units": 5}))
        a, b = any_values(rng, (3, 4, 6), np.uint8), any_weight(rng, (3, 6, 5), dtype)
        expected = run_onnx("MatMulInteger", [a, b, *zeros])
        for ta, tb in itertools.product((False, True), repeat=2):
            inputs = [a.transpose(0, 2, 1) if ta else a, b.transpose(0, 2, 1) if tb else b, *quantization]
            cases.append(
                Case("qnn.batch_matmul", inputs, expected, {**attrs, "transpose_a": ta, "transpose_b": tb})
            )
        # Blocks of 2 x 4 (n x k).
        packed = any_weight(rng, (8, 20), dtype)
        blocks = packed.reshape(4, 2, 5, 4).transpose(0, 2, 1, 3)
        expected = run_onnx("MatMulInteger", [x, np.ascontiguousarray(packed.T), *zeros])
        for layout in ("NC", "NC2n4c"):
            cases.append(
                Case(
                    "qnn.contrib_dense_pack",
                    [x, blocks, *quantization],
                    expected,
                    {**attrs, "units": 8, "weight_layout": layout},
                )
            )
    check(cases)


def test_dense_with_zero_points_of_units():
    rng = np.random.default_rng(10)
    x, w = any_values(rng, (6, 20), np.int16), any_values(rng, (5, 20), np.int8)
    zeros = i32([1, -2, 3, -4, 5])
    wide = (x.astype(np.int64) - 3) @ (w.astype(np.int64) - zeros[:, None]).T
    inputs = [x, w, i32(3), zeros, f32(1), f32([1, 2, 3, 4, 5])]
    check(
        [
            Case("qnn.dense", inputs, wide.astype(np.int32), {"units": 5, "out_dtype": "!i32"}),
            Case("qnn.dense", inputs, wide, {"units": 5, "out_dtype": "!i64"}),
        ]
    )


# ----------------------------------------------------------------------------
# Convolutions
# ----------------------------------------------------------------------------


def test_conv2d():
    data = u8([1, 1, 1, 1, 2, 2, 2, 2, 1, 2, 3, 4, 1, 2, 3, 4]).reshape(2, 1, 2, 4) + u8(128)
    weight = (np.array([1, 2, 3, 4, -1, 1, -1, 1, -1, -1, 1, 1]).reshape(3, 1, 2, 2) + 128).astype(np.uint8)
    expected = i32([17, 17, 0, 0, 2, 2, 16, 36, 2, 2, 0, 0]).reshape(2, 3, 1, 2)
    attrs = {"out_dtype": "!i32", "channels": 3, "kernel_size": [2, 2], "strides": [2, 2]}
    rows = [[133, 131, 129, 125, 123, 121], [135, 133, 131, 123, 121, 119], [137, 135, 133, 121, 119, 117]]
    image = u8(rows).reshape(1, 1, 3, 6)
    kernel = u8([129, 131, 133, 135]).reshape(1, 1, 2, 2)
    stepped = {"out_dtype": "!i32", "strides": [1, 3]}
    flat = np.full((2, 1, 2, 4), 127, np.uint8), np.full((1, 1, 2, 2), 127, np.uint8)
    check(
        [
            Case("qnn.conv2d", [data, weight, *product_params(128, 128)], expected, attrs),
            Case(
                "qnn.conv2d",
                [image, kernel, *product_params(127, 127)],
                i32([124, -92, 164, -132]).reshape(1, 1, 2, 2),
                stepped,
            ),
            Case("qnn.conv2d", [*flat, *product_params(127, 127)], np.zeros((2, 1, 1, 3), np.int32), {"out_dtype": "!i32"}),
        ]
    )


CONVOLUTIONS = [
    # Data, weight, strides, padding, dilation, groups.
    ((2, 3, 8, 9), (5, 3, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 1),
    ((1, 3, 11, 13), (4, 3, 3, 2), [2, 3], [0, 1, 2, 3], [1, 1], 1),
    ((1, 3, 11, 13), (4, 3, 3, 2), [1, 2], [2, 1, 2, 1], [1, 4], 1),
    ((1, 6, 7, 7), (6, 1, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 6),
    ((2, 6, 7, 5), (4, 3, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 2),
]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_conv2d_as_onnx_runtime(dtype):
    rng = np.random.default_rng(11)
    cases = []
    for shape, kernel, strides, padding, dilation, groups in CONVOLUTIONS:
        x, w = any_values(rng, shape, np.uint8), any_weight(rng, kernel, dtype)
        for zero_x, zero_w in ((0, 0), (130, 0), (0, 5), (100, 5)):
            zeros = [np.array(zero_x, np.uint8), np.array(zero_w, dtype)]
            expected = run_onnx(
                "ConvInteger", [x, w, *zeros], strides=strides, pads=padding, dilations=dilation, group=groups
            )
            attrs = dict(strides=strides, padding=padding, dilation=dilation, groups=groups, out_dtype="!i32")
            quantization = product_params(zero_x, zero_w)
            cases.append(Case("qnn.conv2d", [x, w, *quantization], expected, attrs))
        # Other layouts, other widths of the result.
        for layout in ("HWIO", "HWOI", "OHWI"):
            moved = w.transpose(["OIHW".index(letter) for letter in layout])
            layouts = {**attrs, "data_layout": "NHWC", "kernel_layout": layout}
            nhwc = [x.transpose(0, 2, 3, 1), moved, *quantization]
            cases.append(Case("qnn.conv2d", nhwc, expected.transpose(0, 2, 3, 1), layouts))
            cases.append(Case("qnn.conv2d", nhwc, expected, {**layouts, "out_layout": "NCHW"}))
        for out, name in ((np.int16, "!i16"), (np.int64, "!i64")):
            inputs = [x, w, *quantization]
            cases.append(Case("qnn.conv2d", inputs, expected.astype(out), {**attrs, "out_dtype": name}))
    check(cases)


def test_conv2d_by_channel_and_depthwise():
    rng = np.random.default_rng(12)
    x, w = any_values(rng, (1, 4, 6, 6), np.uint8), any_values(rng, (8, 1, 3, 3), np.uint8)
    zeros = rng.integers(0, 255, 8).astype(np.uint8)
    parts = [
        run_onnx("ConvInteger", [x[:, c // 2 : c // 2 + 1], w[c : c + 1], np.array(9, np.uint8), np.array(zeros[c])])
        for c in range(8)
    ]
    expected = np.concatenate(parts, 1)
    quantization = [i32(9), zeros.astype(np.int32), f32(1), f32([1] * 8)]
    attrs = {"groups": 4, "out_dtype": "!i32", "channels": 8}
    # Two outputs for each channel, counted in either dimension.
    check(
        [
            Case("qnn.conv2d", [x, w, *quantization], expected, attrs),
            Case("qnn.conv2d", [x, w.reshape(4, 2, 3, 3), *quantization], expected, attrs),
            Case(
                "qnn.conv2d",
                [x.transpose(0, 2, 3, 1), w.reshape(4, 2, 3, 3).transpose(2, 3, 0, 1), *quantization],
                expected.transpose(0, 2, 3, 1),
                {**attrs, "data_layout": "NHWC", "kernel_layout": "HWOI"},
            ),
        ]
    )


def conv_transpose(x, w, strides, padding, dilation, output_padding, groups):
    """x NCHW and w IOHW, in int64: each element is spread over a window."""
    top, left, bottom, right = padding
    per_in, per_out = x.shape[1] // groups, w.shape[1]
    spread = [
        (x.shape[2 + i] - 1) * strides[i] + (w.shape[2 + i] - 1) * dilation[i] + 1 + output_padding[i] for i in range(2)
    ]
    full = np.zeros((x.shape[0], per_out * groups, *spread), np.int64)
    for n, c, y, z in np.ndindex(*x.shape):
        group = c // per_in
        for ky, kx in np.ndindex(*w.shape[2:]):
            outs = slice(group * per_out, (group + 1) * per_out)
            full[n, outs, y * strides[0] + ky * dilation[0], z * strides[1] + kx * dilation[1]] += (
                x[n, c, y, z] * w[c, :, ky, kx]
            )
    return full[:, :, top : full.shape[2] - bottom, left : full.shape[3] - right]


def test_conv2d_transpose():
    rng = np.random.default_rng(13)
    cases = []
    for dtype, (shape, kernel, strides, padding, dilation, output_padding, groups) in itertools.product(
        (np.int8, np.uint8),
        [
            ((1, 2, 3, 4), (2, 3, 2, 2), [1, 1], [0, 0, 0, 0], [1, 1], [0, 0], 1),
            ((2, 4, 3, 4), (4, 2, 3, 3), [2, 3], [1, 0, 1, 2], [1, 1], [1, 2], 2),
            ((1, 2, 4, 4), (2, 2, 3, 2), [1, 2], [1, 1, 1, 1], [2, 1], [0, 0], 1),
        ],
    ):
        x, w = any_values(rng, shape, dtype), any_values(rng, kernel, np.int8)
        for zero_x, zero_w in ((0, 0), (8, -3)):
            expected = conv_transpose(
                x.astype(np.int64) - zero_x,
                w.astype(np.int64) - zero_w,
                strides,
                padding,
                dilation,
                output_padding,
                groups,
            )
            attrs = dict(strides=strides, padding=padding, dilation=dilation, groups=groups, out_dtype="!i32")
            attrs["output_padding"] = output_padding
            quantization = product_params(zero_x, zero_w)
            cases.append(Case("qnn.conv2d_transpose", [x, w, *quantization], expected.astype(np.int32), attrs))
            nhwc = [x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), *quantization]
            layouts = {"data_layout": "NHWC", "kernel_layout": "HWOI"}
            result = expected.astype(np.int32).transpose(0, 2, 3, 1)
            cases.append(Case("qnn.conv2d_transpose", nhwc, result, {**attrs, **layouts}))
    check(cases)
