# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products on packed data and with windows that move, against NumPy and against
the product of which they are another form."""

import numpy as np
import pytest

from relay_mlir import relay


def run(text, **inputs):
    parameters = ", ".join(
        f"%{name}: Tensor[({', '.join(map(str, value.shape))}), {value.dtype}]"
        for name, value in inputs.items())
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({parameters}) {{ {text} }}')
    return relay.create_executor("aot", mod=module).evaluate()(*inputs.values())


def draw(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def check(text, other, **inputs):
    """Two calls that compute the same."""
    np.testing.assert_allclose(run(text, **inputs), run(other, **inputs), rtol=1e-4, atol=1e-4)


HOW = "padding=[1, 2], strides=[2, 1], channels=8, kernel_size=[3, 3]"


@pytest.mark.parametrize("groups, weight, layout", [(1, (8, 4, 3, 3), "OIHW2i4o"),
                                                    (4, (8, 1, 3, 3), "OIHW1i4o")])
def test_packed_convolution(groups, weight, layout):
    how = f"{HOW}, groups={groups}"
    check(f'nn.contrib_conv2d_NCHWc(layout_transform(%x, src_layout="NCHW", dst_layout="NCHW2c"), '
          f'layout_transform(%w, src_layout="OIHW", dst_layout="{layout}"), {how}, '
          f'data_layout="NCHW2c", kernel_layout="{layout}", out_layout="NCHW")',
          f"nn.conv2d(%x, %w, {how})", x=draw(2, 4, 9, 8), w=draw(*weight))


def test_packed_dense():
    check("nn.contrib_dense_pack(%x, layout_transform(%w, src_layout=\"NC\", dst_layout=\"NC4n3c\"), "
          'units=8, weight_layout="NC4n3c")', "nn.dense(%x, %w, units=8)",
          x=draw(5, 6), w=draw(8, 6))


def test_convolution_by_tiles_of_a_matrix():
    how = f'{HOW}, data_layout="NHWC"'
    check(f"nn.contrib_conv2d_gemm_without_weight_transform(%x, "
          f"nn.contrib_conv2d_gemm_weight_transform(%w, tile_N=5, tile_K=3), {how})",
          f'nn.conv2d(%x, %w, {how}, kernel_layout="HWIO")', x=draw(2, 9, 8, 4), w=draw(3, 3, 4, 8))


@pytest.mark.parametrize("kernel, tile", [((3, 3, 3), 2), ((2, 3, 4), 3), ((1, 2, 3), 1)])
def test_winograd(kernel, tile):
    how = f"padding=[1, 0, 2], channels=5, kernel_size={list(kernel)}"
    check("nn.contrib_conv3d_winograd_without_weight_transform(%x, "
          f"nn.contrib_conv3d_winograd_weight_transform(%w, tile_size={tile}), "
          f"tile_size={tile}, {how})", f"nn.conv3d(%x, %w, {how})",
          x=draw(2, 3, 4, 7, 8), w=draw(5, 3, *kernel))


def test_words_of_bits():
    """A product of numbers of two bits, packed or not, is that of the numbers."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, (4, 32)).astype(np.uint8)
    w = rng.integers(0, 4, (3, 32)).astype(np.uint8)
    how = ('units=3, data_bits=3, weight_bits=2, pack_dtype="uint16", out_dtype="int32", '
           'unipolar=False')
    want = x.astype(np.int32) @ w.astype(np.int32).T
    for weight in ["%w", 'nn.bitpack(%w, bits=2, pack_axis=1, bit_axis=1, pack_type="uint16")']:
        np.testing.assert_array_equal(run(f"nn.bitserial_dense(%x, {weight}, {how})", x=x, w=w),
                                      want)


@pytest.mark.parametrize("layout, kernel_layout", [("NCHW", "OIHW"), ("NHWC", "HWIO")])
def test_windows_that_move_as_one(layout, kernel_layout):
    """By whole numbers: a convolution of the image that moves the other way."""
    x, w = draw(2, 4, 9, 8), draw(6, 4, 3, 3)
    offset = np.zeros((2, 18, 9, 8), np.float32)
    offset[:, 0::2], offset[:, 1::2] = 2, -1
    moved = np.zeros_like(x)
    moved[:, :, :-2, 1:] = x[:, :, 2:, :-1]
    if layout == "NHWC":
        x, offset, moved = (value.transpose(0, 2, 3, 1) for value in (x, offset, moved))
        w = w.transpose(2, 3, 1, 0)
    how = (f'channels=6, kernel_size=[3, 3], data_layout="{layout}", '
           f'kernel_layout="{kernel_layout}"')
    got = run(f"nn.deformable_conv2d(%x, %o, %w, padding=[1, 1], {how})",
              x=np.ascontiguousarray(x), o=np.ascontiguousarray(offset),
              w=np.ascontiguousarray(w))
    want = run(f"nn.conv2d(%x, %w, padding=[1, 1], {how})", x=np.ascontiguousarray(moved),
               w=np.ascontiguousarray(w))
    # Where a window is beyond an edge, what moved is not what was padded.
    inner = np.s_[:, :, 1:6, 3:7] if layout == "NCHW" else np.s_[:, 1:6, 3:7]
    np.testing.assert_allclose(got[inner], want[inner], rtol=1e-4, atol=1e-4)


def test_elements_at_an_edge():
    """Have no neighbours beyond it, and count alone."""
    x = np.full((1, 1, 2, 3), np.inf, np.float32)
    got = run("nn.deformable_conv2d(%x, %o, %w, channels=1, kernel_size=[1, 1])", x=x,
              o=np.zeros((1, 2, 2, 3), np.float32), w=np.ones((1, 1, 1, 1), np.float32))
    np.testing.assert_array_equal(got[0, 0, -1, -1], np.inf)


@pytest.mark.parametrize("multiplies", [True, False])
def test_correlation(multiplies):
    x, y = draw(2, 3, 6, 7), draw(3, 2, 6, 7).reshape(2, 3, 6, 7)
    got = run(f"nn.correlation(%x, %y, kernel_size=3, max_displacement=2, stride2=2, "
              f"padding=[3], is_multiply={multiplies})", x=x, y=y)
    pads = [(0, 0), (0, 0), (3, 3), (3, 3)]
    x, y = np.pad(x, pads), np.pad(y, pads)
    want = np.zeros_like(got)
    for n, q, i, j in np.ndindex(*got.shape):
        dy, dx = (q // 3 - 1) * 2, (q % 3 - 1) * 2
        a = x[n, :, i + 2:i + 5, j + 2:j + 5]
        b = y[n, :, i + 2 + dy:i + 5 + dy, j + 2 + dx:j + 5 + dx]
        want[n, q, i, j] = (a * b if multiplies else abs(a - b)).mean()
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
