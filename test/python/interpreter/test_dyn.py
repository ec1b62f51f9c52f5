"""Operators with shapes for operands: as NumPy, and as their static forms."""

from typing import Any

import numpy as np
import pytest
from relay_eval import Case, check, random, run, tensor_type


def counting(shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values, dtype=np.int64):
    return np.array(values, dtype)


def dyn(op, inputs, expected, attrs=None, **kwargs):
    # The rank of the result follows from the size of an operand.
    return Case("dyn." + op, inputs, expected, attrs or {}, dynamic=False, **kwargs)


def test_shapes():
    x = counting((2, 3, 4))
    ones = counting((1, 3, 1, 4))
    row = counting((1, 3))
    check(
        [
            dyn("reshape", [x, ints(6, 4)], x.reshape(6, 4)),
            dyn("reshape", [x, ints(0, -1, dtype=np.int32)], x.reshape(2, 12)),
            dyn("reshape", [x, ints(-1)], x.reshape(24)),
            dyn("reshape", [x[0, 0, :1], ints()], x[0, 0, 0]),
            dyn("reshape", [x[:0], ints(3, 0)], x[:0].reshape(3, 0), {"allowzero": True}),
            dyn("expand_dims", [x, np.array(1)], x[:, None]),
            dyn("expand_dims", [x, ints(-1)], x[..., None, None], {"num_newaxis": 2}),
            dyn("squeeze", [ones, ints(0, 2)], ones[0, :, 0]),
            dyn("squeeze", [ones, ints(-2)], ones[:, :, 0]),
            dyn("squeeze", [ones, ints()], ones),
            dyn("broadcast_to", [row, ints(4, 2, 3)], np.broadcast_to(row, (4, 2, 3)).copy()),
            dyn("broadcast_to", [row, ints(0, 3)], np.zeros((0, 3), np.float32)),
        ]
    )


@pytest.mark.parametrize("dtype", ["f32", "f16", "i1", "i8", "ui64"])
def test_creation(dtype):
    one = random(np.random.default_rng(0), (), dtype, low=1, high=1)
    t = one.dtype
    attrs = {"dtype": "!" + dtype}
    check(
        [
            dyn("zeros", [ints(2, 0, 3)], np.zeros((2, 0, 3), t), attrs),
            dyn("zeros", [ints()], np.zeros((), t), attrs),
            dyn("ones", [ints(4, dtype=np.int32)], np.ones(4, t), attrs),
            dyn("full", [one, ints(2, 3)], np.full((2, 3), one)),
            dyn("full", [np.array(1.0, np.float32), ints(2)], np.ones(2, t), attrs),
        ]
    )


def test_one_hot():
    indices = np.array([[0, 2], [-1, 5], [3, 1]], np.int64)
    on, off = np.array(7, np.float32), np.array(-1, np.float32)
    cases = []
    for axis in (-1, 0, 1):
        for depth in (np.array(4), ints(4, dtype=np.int32)):
            hot = np.where(indices[..., None] == np.arange(4), on, off)
            expected = np.moveaxis(hot, -1, axis).copy()
            cases.append(dyn("one_hot", [indices, on, off, depth], expected, {"axis": axis}))
    check(cases)


def test_sparse_to_dense():
    indices = np.array([[0, 1], [2, 0]], np.int32)
    values = np.array([1.5, -2], np.float32)
    expected = np.full((3, 2), 9, np.float32)
    expected[indices[:, 0], indices[:, 1]] = values
    fill = np.array(9, np.float32)
    check([dyn("sparse_to_dense", [indices, values, fill, ints(3, 2)], expected)])


def test_movement():
    x = counting((3, 4, 5))
    cases = [
        dyn("tile", [x, ints(*reps)], np.tile(x, reps)) for reps in ([2], [2, 1, 3], [1, 2, 1, 1], [0, 1])
    ]
    for begin, end, strides, expected in [
        ([1, 0], [3, 2], [1, 1], x[1:3, 0:2]),
        ([-1, 3], [-9, 0], [-1, -2], x[::-1, 3:0:-2]),
        ([2, 0, 1], [2, 4, 100], [1, 3, 2], x[2:2, ::3, 1::2]),
    ]:
        operands = [x, ints(*begin), ints(*end), ints(*strides)]
        cases.append(dyn("strided_slice", operands, expected.copy()))
    operands = [x, ints(1, 0), ints(4, 2), ints(2, 1)]
    cases.append(dyn("strided_slice", operands, x[:2, :, 1:4:2].copy(), {"axes": [2, 0]}))
    operands = [x, ints(1, 2), ints(2, -1), ints(1, 1)]
    cases.append(dyn("strided_slice", operands, x[1:3, 2:].copy(), {"slice_mode": "size"}))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "i8"])
def test_pad(dtype):
    x = random(np.random.default_rng(5), (3, 4), dtype)
    value = np.array(1, x.dtype)
    cases = []
    mode: Any
    for widths in ([[0, 0], [0, 0]], [[1, 2], [0, 3]], [[2, 0], [2, 3]]):
        for mode in ("constant", "edge", "reflect"):
            extra: dict[str, Any] = {"constant_values": value} if mode == "constant" else {}
            expected = np.pad(x, widths, mode, **extra)
            operands = [x, np.array(widths, np.int32), value]
            cases.append(dyn("nn.pad", operands, expected, {"pad_mode": mode}))
    check(cases)


def test_topk():
    x = np.random.default_rng(6).permutation(24).reshape(2, 3, 4).astype(np.float32)
    cases = []
    for axis in (-1, 0, 1):
        for k in (0, 1, 2):
            for ascending in (False, True):
                order = np.argsort(x if ascending else -x, axis)
                order = np.take(order, range(k or x.shape[axis]), axis)
                values = np.take_along_axis(x, order, axis)
                attrs: dict[str, Any] = {"axis": axis, "is_ascend": ascending}
                cases.append(dyn("topk", [x, np.array(k)], (values, order.astype(np.int32)), attrs))
                attrs = {**attrs, "ret_type": "indices", "dtype": "!i64"}
                cases.append(dyn("topk", [x, ints(k, dtype=np.int32)], order, attrs))
    check(cases)


def run_static(op, inputs, attrs, shape):
    """What the static operator, which has its own tests, returns."""
    case = Case(op, inputs, np.zeros(shape, np.float32), attrs)
    return run(case.text("f", dynamic=False))["f"][0]


def test_images():
    x = random(np.random.default_rng(7), (1, 2, 4, 5), "f32")
    scales = [np.array(s, np.float32) for s in (2.0, 1.5)]
    cases = []
    for method in ("nearest_neighbor", "bilinear", "bicubic"):
        attrs: dict[str, Any] = {"method": method, "align_corners": method == "bilinear"}
        expected = run_static("nn.upsampling", [x], {**attrs, "scale_h": 2.0, "scale_w": 1.5}, (1, 2, 8, 8))
        cases.append(dyn("nn.upsampling", [x, *scales], expected, attrs))
    nearest = x.repeat(2, 2).repeat(3, 3)
    scales = [np.array(2), np.array(3)]
    cases.append(dyn("nn.upsampling", [x, *scales], nearest))
    volume = random(np.random.default_rng(8), (1, 2, 2, 3, 4), "f32")
    scales = [np.array(s) for s in (2, 1, 3)]
    nearest = volume.repeat(2, 2).repeat(3, 4)
    attrs = {"coordinate_transformation_mode": "asymmetric"}
    cases.append(dyn("nn.upsampling3d", [volume, *scales], nearest, attrs))
    roi = np.array([0.1, 0.2, 0.8, 1.0])
    for method, mode in [
        ("linear", "half_pixel"),
        ("cubic", "align_corners"),
        ("linear", "tf_crop_and_resize"),
        ("nearest_neighbor", "asymmetric"),
    ]:
        attrs = {"method": method, "coordinate_transformation_mode": mode, "extrapolation_value": 0.5}
        static = {**attrs, "size": [7, 3], "roi": roi.tolist()}
        expected = run_static("image.resize2d", [x], static, (1, 2, 7, 3))
        cases.append(dyn("image.resize2d", [x, ints(7, 3), roi], expected, attrs))
    check(cases)


def test_sizes_are_open():
    """A program whose sizes are computed from data."""
    text = f"""
    func.func @main() -> tensor<?x?xf32> {{
      %x = relay.constant dense<1.0> : tensor<2x6xf32>
      %shape = relay.shape_of %x : (tensor<2x6xf32>) -> tensor<2xi32>
      %reversed = relay.reverse %shape {{axis = 0}} : (tensor<2xi32>) -> tensor<2xi32>
      %r = relay.dyn.reshape %x, %reversed : (tensor<2x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }}
    """
    (result,) = run(text)["main"]
    assert tensor_type(result) == "tensor<6x2xf32>"
