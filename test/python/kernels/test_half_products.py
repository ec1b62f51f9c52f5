# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of f16 against NumPy in float64, rounded once: at most one unit in the
last place of f16 and what sums in f32 lose.
"""

import numpy as np
import pytest

import relay_mlir as rm


def run(text, *inputs):
    return rm.compile(rm.IRModule.parse(text))(*inputs)


def check(result, expected, magnitude):
    assert result.dtype == np.float16 and result.shape == expected.shape
    bound = np.spacing(np.abs(expected).astype(np.float16)).astype(np.float64) + 1e-6 * magnitude
    assert (np.abs(result - expected) <= bound).all()


@pytest.mark.parametrize("rows, columns, depth", [
    (1, 64, 64), (16, 16, 16), (33, 65, 129), (128, 256, 200), (64, 1100, 1100)])
@pytest.mark.parametrize("constant", [True, False])
def test_dense(rows, columns, depth, constant):
    rng = np.random.default_rng(rows)
    x = rng.standard_normal((rows, depth)).astype(np.float16)
    w = rng.standard_normal((columns, depth)).astype(np.float16)
    types = [f"tensor<{'x'.join(map(str, s))}xf16>" for s in (x.shape, w.shape, (rows, columns))]
    constants = f'%w = relay.constant dense<"0x{w.tobytes().hex()}"> : {types[1]}\n'
    text = (f"func.func @main(%x: {types[0]}{'' if constant else f', %w: {types[1]}'}) -> "
            f"{types[2]} {{\n{constants if constant else ''}"
            f"%0 = relay.nn.dense %x, %w : ({types[0]}, {types[1]}) -> {types[2]}\n"
            f"return %0 : {types[2]}\n}}")
    wide, wide_w = x.astype(np.float64), w.astype(np.float64)
    result = run(text, x) if constant else run(text, x, w)
    check(result, wide @ wide_w.T, np.abs(wide) @ np.abs(wide_w).T)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("channels, outputs, kernel", [(32, 24, 3), (17, 33, 1), (3, 64, 5)])
def test_conv2d(layout, channels, outputs, kernel):
    rng = np.random.default_rng(channels)
    size, pad = 9, kernel // 2
    x = rng.standard_normal((1, channels, size, size)).astype(np.float16)
    w = rng.standard_normal((outputs, channels, kernel, kernel)).astype(np.float16)

    def convolve(data, weight):
        padded = np.pad(data, ((0, 0), (0, 0), (pad, pad), (pad, pad))).astype(np.float64)
        views = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))
        return np.einsum("ncyxhw,ochw->noyx", views, weight.astype(np.float64), optimize=True)

    order = [0, 1, 2, 3] if layout == "NCHW" else [0, 2, 3, 1]
    expected = convolve(x, w).transpose(order)
    magnitude = convolve(np.abs(x), np.abs(w)).transpose(order)
    data = np.ascontiguousarray(x.transpose(order))
    types = [f"tensor<{'x'.join(map(str, s))}xf16>"
             for s in (data.shape, w.shape, expected.shape)]
    text = (f"func.func @main(%x: {types[0]}) -> {types[2]} {{\n"
            f'%w = relay.constant dense<"0x{w.tobytes().hex()}"> : {types[1]}\n'
            f'%0 = relay.nn.conv2d %x, %w {{padding = [{pad}, {pad}], data_layout = "{layout}"}} : '
            f"({types[0]}, {types[1]}) -> {types[2]}\nreturn %0 : {types[2]}\n}}")
    check(run(text, data), expected, 10 * magnitude)
