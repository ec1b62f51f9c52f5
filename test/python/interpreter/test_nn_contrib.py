"""Operators on packed, transformed and bitwise data: each must give what the
plain operator gives on the data that is not."""

from typing import Any

import numpy as np
import pytest
from onnx_eval import run_onnx
from relay_eval import Case, check, random, run


def pack(x, axis, factor):
    """Splits a dimension, the inner part last."""
    axis %= x.ndim
    shape = (*x.shape[:axis], x.shape[axis] // factor, factor, *x.shape[axis + 1 :])
    return np.ascontiguousarray(np.moveaxis(x.reshape(shape), axis + 1, -1))


def conv_attrs(w, **attrs):
    return dict(channels=w.shape[0], kernel_size=list(w.shape[2:])) | attrs


def test_conv2d_nchwc():
    rng = np.random.default_rng(0)
    cases = []
    for strides, padding, dilation, groups in (([1, 1], [1, 1, 1, 1], [1, 1], 1), ([2, 1], [0, 1, 2, 1], [1, 2], 2)):
        x, w = random(rng, (2, 8, 7, 9), "f32"), random(rng, (6, 8 // groups, 3, 3), "f32")
        expected = run_onnx("Conv", [x, w], strides=strides, pads=padding, dilations=dilation, group=groups)
        attrs = conv_attrs(w, strides=strides, padding=padding, dilation=dilation, groups=groups)
        packed_w = pack(pack(w, 1, 2), 0, 3)  # OIHW2i3o
        layouts = dict(data_layout="NCHW4c", kernel_layout="OIHW2i3o", out_layout="NCHW2c")
        inputs = [pack(x, 1, 4), packed_w]
        tolerance: dict[str, Any] = dict(rtol=1e-5, atol=1e-5)
        cases.append(Case("nn.contrib_conv2d_NCHWc", inputs, pack(expected, 1, 2), attrs | layouts, **tolerance))
        # As for 8-bit integers, with input channels split twice.
        twice = pack(pack(pack(w, 1, 4), 0, 2), 4, 2)  # OIHW, 2i (outer), 2o, 2i.
        layouts = dict(data_layout="NCHW8c", kernel_layout="OIHW2i2o2i", out_layout="NCHW2c")
        if groups == 1:
            inputs = [pack(x, 1, 8), twice]
            cases.append(Case("nn.contrib_conv2d_NCHWc", inputs, pack(expected, 1, 2), attrs | layouts, **tolerance))
    check(cases)


def test_convolution_in_other_layouts():
    """nn.conv2d itself, and a depthwise weight with several results a channel."""
    rng = np.random.default_rng(10)
    cases = []
    tolerance: dict[str, Any] = dict(rtol=1e-5, atol=1e-5)
    for groups, multiplier in ((1, 1), (2, 1), (8, 2)):
        x = random(rng, (2, 8, 7, 6), "f32")
        w = random(rng, (8 * multiplier, 8 // groups, 3, 2), "f32")
        expected = run_onnx("Conv", [x, w], pads=[1, 0, 0, 1], group=groups)
        attrs = dict(padding=[1, 0, 0, 1], groups=groups, data_layout="NHWC", kernel_layout="HWIO")
        last, result = (np.ascontiguousarray(np.moveaxis(v, 1, -1)) for v in (x, expected))
        hwio = np.ascontiguousarray(w.transpose(2, 3, 1, 0))
        cases.append(Case("nn.conv2d", [last, hwio], result, attrs, **tolerance))
        cases.append(Case("nn.conv2d", [last, hwio], expected, attrs | {"out_layout": "NCHW"}, **tolerance))
        if groups == 8:
            several = w.reshape(8, multiplier, 3, 2)
            attrs = dict(padding=[1, 0, 0, 1], groups=8, channels=16, kernel_size=[3, 2])
            cases.append(Case("nn.conv2d", [x, several], expected, attrs, dynamic=False, **tolerance))
    check(cases)


def test_depthwise_conv2d_nchwc():
    rng = np.random.default_rng(1)
    cases = []
    for multiplier in (1, 2):
        x, w = random(rng, (1, 8, 6, 6), "f32"), random(rng, (8 * multiplier, 1, 3, 3), "f32")
        expected = run_onnx("Conv", [x, w], pads=[1, 1, 1, 1], group=8)
        attrs = conv_attrs(w, padding=[1, 1], groups=8, data_layout="NCHW4c", kernel_layout="OIHW1i4o")
        packed = pack(pack(w, 1, 1), 0, 4)
        inputs, result = [pack(x, 1, 4), packed], pack(expected, 1, 4)
        cases.append(Case("nn.contrib_depthwise_conv2d_NCHWc", inputs, result, attrs, rtol=1e-5, atol=1e-5))
        # The weight with the results of each channel in the second dimension.
        packed = pack(pack(w.reshape(8, multiplier, 3, 3), 1, 1), 0, 4)
        inputs = [pack(x, 1, 4), packed]
        cases.append(Case("nn.contrib_depthwise_conv2d_NCHWc", inputs, result, attrs, rtol=1e-5, atol=1e-5))
    check(cases)


def test_dense_pack():
    rng = np.random.default_rng(2)
    x, w = random(rng, (3, 8), "f32"), random(rng, (12, 8), "f32")
    expected = (x.astype(float) @ w.astype(float).T).astype(np.float32)
    a, b = (random(rng, s, "i8", -128, 127) for s in ((2, 8), (4, 8)))
    wide = a.astype(np.int32) @ b.astype(np.int32).T
    check(
        [
            Case("nn.contrib_dense_pack", [x, pack(w, 0, 4)], expected, {"units": 12}, atol=1e-6),
            Case("nn.contrib_dense_pack", [x, pack(w, 0, 4)], expected, {"weight_layout": "NC4n"}, atol=1e-6),
            Case("nn.contrib_dense_pack", [x, pack(pack(w, 0, 3), 1, 2)], expected, {"weight_layout": "NC3n2c"}, atol=1e-6),
            Case("nn.contrib_dense_pack", [a, pack(pack(b, 0, 2), 1, 4)], wide, {"out_dtype": "!i32"}),
        ]
    )


def gemm_tiles(w, tile_n, tile_k):
    """Of an HWIO weight."""
    matrix = w.reshape(-1, w.shape[3])
    k, n = matrix.shape
    matrix = np.pad(matrix, ((0, -k % (4 * tile_k)), (0, -n % tile_n)))
    blocks = matrix.reshape(matrix.shape[0] // tile_k, tile_k, matrix.shape[1] // tile_n, tile_n)
    order = (2, 0, 3, 1) if w.dtype.itemsize == 1 else (2, 0, 1, 3)
    return np.ascontiguousarray(blocks.transpose(order))


@pytest.mark.parametrize("dtype", ["f32", "i8", "ui8"])
def test_gemm(dtype):
    rng = np.random.default_rng(3)
    x, w = random(rng, (1, 6, 5, 3), dtype, -100, 100), random(rng, (3, 2, 3, 5), dtype, -100, 100)
    tiles = gemm_tiles(w, 4, 4)
    assert tiles.shape == (2, 8, 4, 4)
    uneven = gemm_tiles(w, 3, 2)
    nchw, oihw = (v.astype(np.float64 if dtype == "f32" else np.int64) for v in (x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1)))
    padded = np.pad(nchw, ((0, 0), (0, 0), (1, 1), (0, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (2, 3))[:, :, ::2]
    plain = np.einsum("ncyxhw,ochw->nyxo", windows, oihw)
    plain = plain.astype(np.float32 if dtype == "f32" else np.int32)
    attrs = dict(strides=[2, 1], padding=[1, 0, 1, 1], channels=5, kernel_size=[3, 2], data_layout="NHWC", kernel_layout="HWIO")
    attrs["out_dtype"] = "!f32" if dtype == "f32" else "!i32"
    tolerance: dict[str, Any] = dict(rtol=1e-6, atol=1e-2) if dtype == "f32" else {}
    check(
        [
            Case("nn.contrib_conv2d_gemm_weight_transform", [w], tiles, {"tile_N": 4, "tile_K": 4}),
            Case("nn.contrib_conv2d_gemm_weight_transform", [w], uneven, {"tile_N": 3, "tile_K": 2}),
            Case("nn.contrib_conv2d_gemm_without_weight_transform", [x, tiles], plain, attrs, **tolerance),
            Case("nn.contrib_conv2d_gemm_without_weight_transform", [x, uneven], plain, attrs, **tolerance),
        ]
    )


def transformed(op, w, attrs, shape):
    """The interpreter's transform of a weight."""
    return run(Case(op, [w], np.zeros(shape, w.dtype), attrs).text("f", dynamic=False))["f"][0]


@pytest.mark.parametrize("tile,kernel", [(2, (3, 3)), (4, (3, 3)), (6, (3, 3)), (4, (5, 5)), (3, (2, 4)), (8, (1, 8)), (1, (3, 3))])
def test_winograd_2d(tile, kernel):
    rng = np.random.default_rng(4)
    w, x = random(rng, (4, 3, *kernel), "f64"), random(rng, (2, 3, 11, 13), "f64")
    shape = (tile + kernel[0] - 1, tile + kernel[1] - 1, 4, 3)
    u = transformed("nn.contrib_conv2d_winograd_weight_transform", w, {"tile_size": tile}, shape)
    padding = [1, 0, 2, 1]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 2), (0, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, (2, 3))
    plain = np.einsum("ncyxhw,ochw->noyx", windows, w)
    attrs = conv_attrs(w, tile_size=tile, padding=padding)
    op = "nn.contrib_conv2d_winograd_without_weight_transform"
    nhwc, moved = (np.ascontiguousarray(np.moveaxis(v, 1, -1)) for v in (x, plain))
    check(
        [
            Case(op, [x, u], plain, attrs, rtol=1e-9, atol=1e-9),
            Case(op, [nhwc, u], moved, attrs | {"data_layout": "NHWC"}, rtol=1e-9, atol=1e-9),
        ]
    )


@pytest.mark.parametrize("tile,kernel", [(2, (3, 3, 3)), (4, (5, 3, 3)), (2, (1, 3, 3)), (2, (2, 3, 2))])
def test_winograd_3d(tile, kernel):
    rng = np.random.default_rng(5)
    w, x = random(rng, (2, 3, *kernel), "f64"), random(rng, (1, 3, 5, 6, 7), "f64")
    sizes = [tile + k - 1 for k in kernel]
    spatial = sizes if 2 < kernel[0] < 8 else [*sizes[1:], kernel[0]]
    u = transformed("nn.contrib_conv3d_winograd_weight_transform", w, {"tile_size": tile}, (*spatial, 2, 3))
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 0), (0, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, (2, 3, 4))
    plain = np.einsum("nczyxdhw,ocdhw->nozyx", windows, w)
    attrs = conv_attrs(w, tile_size=tile, padding=[1, 1, 0, 1, 0, 1])
    op = "nn.contrib_conv3d_winograd_without_weight_transform"
    check([Case(op, [x, u], plain, attrs, rtol=1e-9, atol=1e-9)])


def test_winograd_is_exact_enough_in_float32():
    rng = np.random.default_rng(6)
    w, x = random(rng, (4, 8, 3, 3), "f32"), random(rng, (1, 8, 12, 12), "f32")
    u = transformed("nn.contrib_conv2d_winograd_weight_transform", w, {"tile_size": 4}, (6, 6, 4, 8))
    plain = run_onnx("Conv", [x, w], pads=[1, 1, 1, 1])
    attrs = conv_attrs(w, tile_size=4, padding=[1, 1])
    check([Case("nn.contrib_conv2d_winograd_without_weight_transform", [x, u], plain, attrs, rtol=1e-4, atol=1e-4)])


def test_nnpack_transform():
    """The same values as for tiles of six, in another order."""
    rng = np.random.default_rng(7)
    w = random(rng, (3, 2, 3, 3), "f32")
    u = transformed("nn.contrib_conv2d_winograd_weight_transform", w, {"tile_size": 6}, (8, 8, 3, 2))
    moved = np.ascontiguousarray(u.transpose(2, 3, 0, 1))
    op = "nn.contrib_conv2d_winograd_nnpack_weight_transform"
    half = {"convolution_algorithm": 6, "out_dtype": "!f16"}
    check(
        [
            Case(op, [w], moved, {"convolution_algorithm": 3}),
            Case(op, [w], moved.astype(np.float16), half, rtol=2e-3, atol=1e-6),
        ]
    )


def bitpack(x, bits, axis, bit_axis, dtype):
    """The first element in the highest bit."""
    width = np.dtype(dtype).itemsize * 8
    planes = []
    for b in range(bits):
        plane = np.moveaxis((x >> b) & 1, axis, -1)
        plane = plane.reshape(*plane.shape[:-1], -1, width).astype(np.uint64)
        words = (plane << np.arange(width - 1, -1, -1, dtype=np.uint64)).sum(-1).astype(dtype)
        planes.append(np.moveaxis(words, -1, axis))
    return np.ascontiguousarray(np.stack(planes, bit_axis))


def test_bitpack():
    rng = np.random.default_rng(8)
    cases = []
    for shape, bits, axis, bit_axis, dtype, name in (
        ((2, 32, 3), 2, 1, 2, np.uint32, "ui32"),
        ((2, 64, 3), 1, 1, 1, np.uint32, "ui32"),
        ((16, 3), 3, 0, 2, np.uint8, "ui8"),
        ((2, 3, 64), 2, -1, -1, np.uint64, "ui64"),
        ((2, 3, 32), 1, 2, 0, np.uint16, "ui16"),
    ):
        x = rng.integers(0, 8, shape).astype(np.int32)
        attrs = {"bits": bits, "pack_axis": axis, "bit_axis": bit_axis, "pack_type": f"!{name}"}
        cases.append(Case("nn.bitpack", [x], bitpack(x, bits, axis, bit_axis, dtype), attrs))
    check(cases)


@pytest.mark.parametrize("unipolar", [True, False])
@pytest.mark.parametrize("bits,weight_bits", [(1, 1), (2, 1), (3, 2)])
def test_bitserial(unipolar, bits, weight_bits):
    rng = np.random.default_rng(9)
    x = rng.integers(0, 2**bits, (2, 32, 6, 5)).astype(np.uint8)
    w = rng.integers(0, 2**weight_bits, (4, 32, 3, 3)).astype(np.uint8)
    # What the bits of a weight count.
    levels = 2 * w.astype(np.int64) - (2**weight_bits - 1) if unipolar else w.astype(np.int64)
    padded = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2]
    expected = np.einsum("ncyxhw,ochw->noyx", windows, levels).astype(np.int16)
    attrs = dict(strides=[2, 1], padding=[1, 1], channels=4, activation_bits=bits, weight_bits=weight_bits, unipolar=unipolar)
    attrs |= dict(pack_dtype="!ui32", out_dtype="!i16")
    op = "nn.bitserial_conv2d"
    packed = bitpack(w.astype(np.int64), weight_bits, 1, 4, np.uint32)
    nhwc, moved = (np.ascontiguousarray(v.transpose(0, 2, 3, 1)) for v in (x, expected))
    hwio = np.ascontiguousarray(w.transpose(2, 3, 1, 0))
    nhwc_attrs = attrs | dict(data_layout="NHWC", kernel_layout="HWIO")
    cases = [
        Case(op, [x, w], expected, attrs),
        Case(op, [x, packed], expected, attrs),
        Case(op, [nhwc, hwio], moved, nhwc_attrs),
        Case(op, [nhwc, bitpack(hwio.astype(np.int64), weight_bits, 2, 4, np.uint32)], moved, nhwc_attrs),
    ]
    a, b = x[:, :, 0, 0].copy(), w[:, :, 0, 0].copy()
    product = (a.astype(np.int64) @ levels[:, :, 0, 0].T).astype(np.int16)
    attrs = dict(units=4, data_bits=bits, weight_bits=weight_bits, unipolar=unipolar, pack_dtype="!ui8", out_dtype="!i16")
    packed = bitpack(b.astype(np.int64), weight_bits, 1, 1, np.uint8)
    cases += [Case("nn.bitserial_dense", [a, b], product, attrs), Case("nn.bitserial_dense", [a, packed], product, attrs)]
    check(cases)
