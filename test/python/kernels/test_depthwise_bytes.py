# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Depthwise convolutions of bytes, to bytes, against NumPy, bit for bit: sums are
those of 64 bits, and the requantization is the float32 product that is rounded to
even, as qnn.requantize defines it.
"""

import itertools

import numpy as np
import pytest

import relay_mlir as rm

pytestmark = pytest.mark.share(2)

SCALE = np.float32(0.05)


def tensor(shape, kind):
    return f"tensor<{'x'.join(map(str, [*shape, kind]))}>"


def name(array):
    return {"int8": "i8", "uint8": "ui8", "int32": "i32", "float32": "f32"}[array.dtype.name]


def constant(values):
    return f'relay.constant dense<"0x{values.tobytes().hex()}"> : ' \
           f"{tensor(values.shape, name(values))}"


def draw(rng, shape, dtype):
    """Numbers of the whole range, with more of its ends than chance would have."""
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max + 1, shape)
    ends = rng.random(shape)
    values = np.where(ends < 0.2, info.min, np.where(ends > 0.8, info.max, values))
    return values.astype(dtype)


def convolve(x, w, stride, padding):
    """NHWC by C1HW."""
    kernel = w.shape[2:]
    padded = np.pad(x.astype(np.int64), [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    size = [(n - k) // stride + 1 for n, k in zip(padded.shape[1:3], kernel)]
    total = 0
    for row, column in itertools.product(*map(range, kernel)):
        part = padded[:, row:row + (size[0] - 1) * stride + 1:stride,
                      column:column + (size[1] - 1) * stride + 1:stride]
        total = total + part * w[:, 0, row, column].astype(np.int64)
    return total


def check(x, w, stride=1, padding=1, out=np.int8, low=None):
    rng = np.random.default_rng(x.shape[3])
    channels = x.shape[3]
    bias = rng.integers(-3000, 3000, channels).astype(np.int32)
    scales = rng.uniform(1e-4, 3e-3, channels).astype(np.float32)
    sums = convolve(x, w, stride, padding) + bias
    factors = (scales.astype(np.float64) / SCALE.astype(np.float64)).astype(np.float32)
    info = np.iinfo(out)
    # The sums are integers that floats have exactly, or are rounded to.
    expected = np.rint(sums.astype(np.float32) * factors)
    expected = np.clip(expected, info.min if low is None else low, info.max).astype(out)
    kind = {np.int8: "i8", np.uint8: "ui8"}[out]
    sum_type, result = tensor(sums.shape, "i32"), tensor(sums.shape, kind)
    last = f"relay.copy %q : ({result}) -> {result}"
    if low is not None:
        last = (f"relay.clip %q {{a_min = {low:.1f} : f64, a_max = {info.max:.1f} : f64}} : "
                f"({result}) -> {result}")
    text = f"""func.func @main(%x: {tensor(x.shape, name(x))}) -> {result} {{
      %w = {constant(w)}
      %b = {constant(bias)}
      %f = {constant(scales)}
      %s = relay.constant dense<{SCALE!s}> : tensor<f32>
      %z = relay.constant dense<0> : tensor<i32>
      %c = relay.nn.conv2d %x, %w {{strides = array<i64: {stride}, {stride}>,
        padding = array<i64: {', '.join([str(padding)] * 4)}>, groups = {channels},
        data_layout = "NHWC", kernel_layout = "OIHW", out_dtype = i32}}
        : ({tensor(x.shape, name(x))}, {tensor(w.shape, name(w))}) -> {sum_type}
      %d = relay.nn.bias_add %c, %b {{axis = 3 : i64}}
        : ({sum_type}, {tensor(bias.shape, "i32")}) -> {sum_type}
      %q = relay.qnn.requantize %d, %f, %z, %s, %z {{axis = 3 : i64, rounding = "TOEVEN",
        compute_dtype = "float32", out_dtype = {kind}}}
        : ({sum_type}, {tensor(scales.shape, "f32")}, tensor<i32>, tensor<f32>, tensor<i32>)
        -> {result}
      %r = {last}
      return %r : {result}
    }}"""
    compiled = rm.compile(rm.IRModule.parse(text))
    before = rm.get_num_threads()
    try:
        for threads in (1, 2):
            rm.set_num_threads(threads)
            np.testing.assert_array_equal(np.asarray(compiled(x)), expected)
    finally:
        rm.set_num_threads(before)


# Whole registers of bytes, halves and quarters of them, and parts of these.
@pytest.mark.parametrize("channels", [8, 16, 20, 24, 32, 48, 64, 100])
@pytest.mark.parametrize("size, kernel, stride, padding", [
    ((28, 28), 3, 1, 1), ((19, 7), 3, 2, 1), ((9, 20), 5, 1, 2), ((18, 5), 1, 1, 0)])
def test_sizes(channels, size, kernel, stride, padding):
    rng = np.random.default_rng(channels + sum(size))
    x = draw(rng, (1, *size, channels), np.int8)
    w = draw(rng, (channels, 1, kernel, kernel), np.int8)
    check(x, w, stride, padding)


@pytest.mark.parametrize("data, weight", list(itertools.product([np.int8, np.uint8], repeat=2)))
@pytest.mark.parametrize("out, low", [(np.int8, None), (np.int8, 0), (np.uint8, None)])
@pytest.mark.parametrize("channels", [16, 32, 40])
def test_types(channels, data, weight, out, low):
    rng = np.random.default_rng(channels)
    x = draw(rng, (2, 17, 9, channels), data)
    w = draw(rng, (channels, 1, 3, 3), weight)
    check(x, w, out=out, low=low)
