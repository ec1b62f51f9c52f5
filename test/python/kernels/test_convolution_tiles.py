# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pooling whose tiles end within a vector, a group or a row,
against their definitions in NumPy (float64). The bounds are those of bounds.py,
of the sum of the magnitudes of the terms; maxima are exact.
"""

import itertools

import numpy as np
import pytest

import relay_mlir as rm
from bounds import bound as bound_of

pytestmark = pytest.mark.share(4)

BOUND = bound_of("products", symmetric=True)
WINOGRAD_BOUND = bound_of("winograd")


def taps(x, kernel, stride, dilation, padding, fill):
    """The elements under each place of the window, x being NCHW."""
    before = [(0, 0), (0, 0)] + [(p, p) for p in padding]
    padded = np.pad(x.astype(np.float64), before, constant_values=fill)
    size = [(n - (k - 1) * d - 1) // s + 1
            for n, k, s, d in zip(padded.shape[2:], kernel, stride, dilation)]
    for tap in itertools.product(*map(range, kernel)):
        where = tuple(slice(t * d, t * d + (n - 1) * s + 1, s)
                      for t, d, n, s in zip(tap, dilation, size, stride))
        yield tap, padded[(slice(None), slice(None), *where)]


def convolve(x, w, stride, dilation, padding, groups):
    total = 0
    for tap, part in taps(x, w.shape[2:], stride, dilation, padding, 0):
        n, c, height, width = part.shape
        part = part.reshape(n, groups, c // groups, height, width)
        factor = w[(slice(None), slice(None), *tap)].astype(np.float64)
        factor = factor.reshape(groups, -1, c // groups)
        total = total + np.einsum("ngchw,goc->ngohw", part, factor).reshape(n, -1, height, width)
    return total


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def literal(values):
    return f'dense<"0x{values.tobytes().hex()}"> : {tensor(values.shape)}'


def to_layout(x, layout):
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1) if layout == "NHWC" else x)


def run(text, x, result_shape, threads=(1, 2)):
    module = rm.IRModule.parse(
        f"func.func @main(%x: {tensor(x.shape)}) -> {tensor(result_shape)} {{\n{text}"
        f"return %result : {tensor(result_shape)}\n}}")
    compiled = rm.compile(module)
    before, results = rm.get_num_threads(), []
    try:
        for count in threads:
            rm.set_num_threads(count)
            results.append(np.asarray(compiled(x)))
    finally:
        rm.set_num_threads(before)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
    return results[0]


def check(batch, channels, outputs, size, kernel, stride=1, dilation=1, padding=0, groups=1,
          layout="NHWC", bound=BOUND):
    pair = lambda value: [value, value] if isinstance(value, int) else list(value)
    size, kernel, stride, dilation, padding = map(pair, (size, kernel, stride, dilation, padding))
    rng = np.random.default_rng(channels + outputs + sum(size))
    x = rng.standard_normal((batch, channels, *size)).astype(np.float32)
    w = rng.standard_normal((outputs, channels // groups, *kernel)).astype(np.float32)
    b = rng.standard_normal(outputs).astype(np.float32)
    arguments = (stride, dilation, padding, groups)
    place = b.astype(np.float64)[:, None, None]
    expected = np.maximum(convolve(x, w, *arguments) + place, 0)
    magnitude = convolve(np.abs(x), np.abs(w), *arguments) + np.abs(place)
    data, expected, magnitude = (to_layout(v, layout) for v in (x, expected, magnitude))
    result, numbers = tensor(expected.shape), lambda values: ", ".join(map(str, values))
    text = f"""%w = relay.constant {literal(w)}
      %b = relay.constant {literal(b)}
      %0 = relay.nn.conv2d %x, %w {{strides = array<i64: {numbers(stride)}>,
        padding = array<i64: {numbers(padding + padding)}>, groups = {groups},
        dilation = array<i64: {numbers(dilation)}>, data_layout = "{layout}",
        kernel_layout = "OIHW"}} : ({tensor(data.shape)}, {tensor(w.shape)}) -> {result}
      %1 = relay.nn.bias_add %0, %b {{axis = {layout.index("C")} : i64}}
        : ({result}, {tensor(b.shape)}) -> {result}
      %result = relay.nn.relu %1 : ({result}) -> {result}
    """
    error = np.abs(run(text, data, expected.shape) - expected)
    assert (error <= bound * magnitude).all()


# Groups that are a multiple of a vector, but not of the vectors of a tile; that
# end within one; of less than one.
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("groups, channels, outputs", [
    (4, 136, 136), (3, 40, 56), (2, 24, 34), (5, 8, 17), (2, 64, 72), (7, 3, 8), (2, 1, 104)])
@pytest.mark.parametrize("kernel", [1, 3])
def test_columns_of_groups(groups, channels, outputs, kernel, layout):
    check(1, groups * channels, groups * outputs, 7, kernel, padding=kernel // 2, groups=groups,
          layout=layout, bound=BOUND if kernel == 1 else WINOGRAD_BOUND)


# Channels first: few products per result, lanes along the pixels.
@pytest.mark.parametrize("batch, channels, outputs, size", [
    (1, 64, 96, 56), (3, 64, 40, 28), (1, 96, 37, 16), (2, 33, 65, 24), (1, 64, 256, 64),
    (1, 97, 64, 32), (1, 1, 9, 8), (2, 64, 48, 13)])
def test_short_products_channels_first(batch, channels, outputs, size):
    check(batch, channels, outputs, size, 1, layout="NCHW")


# An even and an odd number of vectors, and parts of one; columns that tiles
# divide, or not; windows at and over the border.
@pytest.mark.parametrize("channels", [8, 16, 20, 24, 32, 48, 96])
@pytest.mark.parametrize("size, kernel, stride, dilation, padding", [
    (28, 3, 1, 1, 1), ((40, 17), 3, 2, 1, 1), ((19, 5), 3, 1, 2, 2), ((33, 2), (2, 3), 1, 1, (0, 1)),
    (20, 5, 2, 1, 2), ((24, 9), 1, 2, 1, 0), ((18, 7), 3, 1, 1, 0), ((70, 4), (5, 3), 3, 1, (2, 1))])
def test_depthwise(channels, size, kernel, stride, dilation, padding):
    check(1, channels, channels, size, kernel, stride, dilation, padding, groups=channels)


def test_depthwise_batches():
    check(5, 32, 32, (4, 11), 3, padding=1, groups=32)
    check(2, 16, 32, (30, 11), 3, 2, padding=1, groups=16)


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("channels", [3, 8, 24, 64, 100, 136])
@pytest.mark.parametrize("size, kernel, stride, padding", [
    (30, 3, 2, 1), ((17, 6), 3, 1, 1), ((9, 20), 2, 2, 0), (12, 5, 1, 2), ((1, 9), (1, 3), (1, 2), (0, 1))])
def test_pooling(size, kernel, stride, padding, channels, layout):
    pair = lambda value: [value, value] if isinstance(value, int) else list(value)
    size, kernel, stride, padding = map(pair, (size, kernel, stride, padding))
    rng = np.random.default_rng(channels)
    x = rng.standard_normal((2, channels, *size)).astype(np.float32)
    x[1, channels // 2, size[0] // 2, size[1] // 3] = np.nan
    parts = lambda fill: [p for _, p in taps(x, kernel, stride, [1, 1], padding, fill)]
    # NumPy's maximum keeps NaN, as the operator does.
    largest = to_layout(np.maximum.reduce(parts(-np.inf)), layout)
    mean = to_layout(sum(parts(0)) / np.prod(kernel), layout)
    data, result = to_layout(x, layout), tensor(largest.shape)
    numbers = lambda values: ", ".join(map(str, values))
    options = (f"pool_size = [{numbers(kernel)}], strides = [{numbers(stride)}], "
               f'padding = [{numbers(padding + padding)}], layout = "{layout}"')
    signature = f": ({tensor(data.shape)}) -> {result}\n"
    got = run(f"%result = relay.nn.max_pool2d %x {{{options}}} {signature}", data, largest.shape)
    np.testing.assert_array_equal(got, largest.astype(np.float32))
    got = run(f"%result = relay.nn.avg_pool2d %x {{{options}, count_include_pad = true}} {signature}",
              data, mean.shape)
    np.testing.assert_allclose(got, mean, rtol=0, atol=1e-6 * np.nanmax(np.abs(x)))


# Images of about the size of a tile, with weights that outweigh them.
@pytest.mark.parametrize("size", [5, 6, 7, 8, (7, 3)])
@pytest.mark.parametrize("channels, outputs", [(256, 256), (130, 70)])
def test_small_images(size, channels, outputs):
    check(1, channels, outputs, size, 3, padding=1, bound=WINOGRAD_BOUND)


# Pixels a dilation apart become images of their own, for Winograd's algorithm;
# with one column or row less in some of them, borders of any width, and images
# smaller than the dilation, for which that does not pay.
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("batch, size, dilation, padding", [
    (1, 28, 2, 2), (2, (27, 32), 2, 2), (1, (33, 20), 3, 3), (1, 24, 4, 4), (1, (26, 31), 2, 0),
    (1, (20, 23), 2, (3, 1)), (1, 19, 3, (0, 5)), (1, 9, 6, 6), (1, 28, (2, 3), (2, 3))])
def test_dilation(batch, size, dilation, padding, layout):
    check(batch, 64, 48, size, 3, 1, dilation, padding, layout=layout, bound=WINOGRAD_BOUND)


def test_dilated_windows_of_five():
    check(1, 64, 64, (24, 21), 5, 1, 2, 4, bound=WINOGRAD_BOUND)


# Channels first, columns that lie apart.
@pytest.mark.parametrize("kernel, stride", [(5, 3), (5, 2), (3, 4), (7, 2)])
def test_strided_depthwise_channels_first(kernel, stride):
    check(1, 40, 40, (57, 50), kernel, stride, padding=kernel // 2, groups=40, layout="NCHW")
