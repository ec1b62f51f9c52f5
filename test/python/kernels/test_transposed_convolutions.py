# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled transposed convolutions against their definition in NumPy (float64):
data[n, c, y] * weight[c, o, k] is added to result[n, o, y * strides + k *
dilation - padding]. The bound is that of products (bounds.py), of the sum of the
magnitudes of the terms of each result.
"""

import itertools

import numpy as np
import pytest

import relay_mlir as rm
from bounds import bound

pytestmark = pytest.mark.share(2)

BOUND = bound("products", symmetric=True)


def conv_transpose(data, weight, strides, before, after, extra, dilation, groups):
    batch, channels, *size = data.shape
    outputs, kernel = weight.shape[1], weight.shape[2:]
    full = [(n - 1) * s + (k - 1) * d + 1
            for n, s, k, d in zip(size, strides, kernel, dilation)]
    # Room for output_padding beyond the last element that is written.
    room = [n + e for n, e in zip(full, extra)]
    result = np.zeros((batch, groups * outputs, *room))
    part = channels // groups
    for g in range(groups):
        x = data[:, g * part:(g + 1) * part].astype(np.float64)
        w = weight[g * part:(g + 1) * part].astype(np.float64)
        for tap in itertools.product(*map(range, kernel)):
            product = np.einsum("nc...,co->no...", x, w[(slice(None), slice(None), *tap)])
            where = tuple(slice(t * d, t * d + (n - 1) * s + 1, s)
                          for t, d, n, s in zip(tap, dilation, size, strides))
            result[(slice(None), slice(g * outputs, (g + 1) * outputs), *where)] += product
    crop = tuple(slice(b, n - a) for b, a, n in zip(before, after, room))
    return result[(slice(None), slice(None), *crop)]


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


LAYOUTS = {"NCW": "NWC", "NCHW": "NHWC", "NCDHW": "NDHWC"}


def check(size, kernel, strides, channels=4, outputs=3, batch=1, before=None, after=None,
          extra=None, dilation=None, groups=1, dynamic=(), layout=None, epilogue=False,
          constant=True, options=None):
    rank = len(size)
    before, after, extra = (list(p or [0] * rank) for p in (before, after, extra))
    dilation = list(dilation or [1] * rank)
    rng = np.random.default_rng(sum(size) + sum(kernel))
    data = rng.standard_normal((batch, channels, *size)).astype(np.float32)
    weight = rng.standard_normal((channels, outputs, *kernel)).astype(np.float32)
    arguments = (strides, before, after, extra, dilation, groups)
    expected = conv_transpose(data, weight, *arguments)
    magnitude = conv_transpose(np.abs(data), np.abs(weight), *arguments)

    first = ["NCW", "NCHW", "NCDHW"][rank - 1]
    layout = layout or first
    order = [first.index(letter) for letter in layout]
    x = np.ascontiguousarray(data.transpose(order))
    expected, magnitude = expected.transpose(order), magnitude.transpose(order)
    type_of = lambda array: tensor(
        ["?" if layout[i] in dynamic else n for i, n in enumerate(array.shape)])
    data_type, result_type = type_of(x), type_of(expected)
    weight_type = tensor(weight.shape)
    attributes = ", ".join(f"{name} = array<i64: {', '.join(map(str, value))}>" for name, value in [
        ("strides", strides), ("padding", before + after), ("output_padding", extra),
        ("dilation", dilation)])
    kernel_layout = "IO" + first[2:]
    text = (f"%0 = relay.nn.conv{rank}d_transpose %x, %w {{{attributes}, groups = {groups} : i64, "
            f'data_layout = "{layout}", kernel_layout = "{kernel_layout}"}} : '
            f"({data_type}, {weight_type}) -> {result_type}\n")
    result = "%0"
    if epilogue:
        text += f"%1 = relay.nn.relu %0 : ({result_type}) -> {result_type}\n"
        result, expected = "%1", np.maximum(expected, 0)
    if constant:
        values = f'dense<"0x{weight.tobytes().hex()}">' if weight.size > 1 \
            else f"dense<{weight.item()!r}>"
        text = f"%w = relay.constant {values} : {weight_type}\n" + text
        signature, inputs = f"%x: {data_type}", [x]
    else:
        signature, inputs = f"%x: {data_type}, %w: {weight_type}", [x, weight]
    module = rm.IRModule.parse(
        f"func.func @main({signature}) -> {result_type} {{\n{text}"
        f"return {result} : {result_type}\n}}")
    compiled = rm.compile(module, **(options or {}))
    error = np.abs(compiled(*inputs) - expected)
    assert error.shape == expected.shape
    assert (error <= BOUND * magnitude + 1e-30).all()


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("kernel, stride, padding, extra", [
    (2, 2, 0, 0), (4, 2, 1, 0), (3, 2, 1, 1), (3, 2, 0, 0), (3, 3, 1, 0), (5, 2, 2, 1),
    (1, 2, 0, 1), (2, 3, 0, 0), (4, 4, 0, 3), (8, 4, 2, 0), (3, 1, 1, 0), (1, 1, 0, 0),
    (2, 2, 1, 0), (3, 2, 2, 1), (5, 3, 4, 2), (7, 3, 0, 0), (2, 4, 1, 0)])
def test_strides(kernel, stride, padding, extra, layout):
    check([7, 6], [kernel, kernel], [stride, stride], channels=9, outputs=10,
          before=[padding] * 2, after=[padding] * 2, extra=[extra] * 2, layout=layout)


@pytest.mark.parametrize("options", [
    dict(strides=[1, 2]), dict(strides=[3, 2], kernel=[2, 5]),
    dict(before=[2, 0], after=[0, 1]), dict(before=[0, 3], after=[1, 0], kernel=[4, 4]),
    dict(dilation=[2, 3], strides=[1, 1]), dict(dilation=[2, 1], strides=[1, 2]),
    dict(dilation=[2, 2], strides=[2, 2]), dict(size=[1, 1]), dict(size=[1, 9], batch=3),
    dict(channels=1, outputs=1), dict(channels=1, outputs=1, kernel=[2, 2]),
    dict(channels=17, outputs=2, kernel=[2, 2]), dict(channels=6, outputs=24, kernel=[2, 2]),
    dict(channels=33, outputs=40, kernel=[2, 2], size=[5, 11], batch=2)])
def test_shapes(options):
    check(**{"size": [5, 4], "kernel": [3, 3], "strides": [2, 2], **options})
    check(**{"size": [5, 4], "kernel": [3, 3], "strides": [2, 2], "layout": "NHWC", **options})


@pytest.mark.parametrize("size", [[1, 1], [1, 3], [4, 1]], ids=str)
@pytest.mark.parametrize("kernel, stride, padding, extra, dilation", [
    (4, 1, 0, 0, 1), (4, 2, 1, 1, 1), (3, 4, 0, 2, 1), (5, 2, 2, 0, 1), (2, 1, 0, 0, 3),
    (4, 1, 1, 0, 1)])
@pytest.mark.parametrize("groups", [1, 3])
def test_one_element(groups, kernel, stride, padding, extra, dilation, size):
    for layout in ("NCHW", "NHWC"):
        check(size, [kernel] * 2, [stride] * 2, channels=6, outputs=9, batch=2, groups=groups,
              before=[padding] * 2, after=[padding] * 2, extra=[extra] * 2,
              dilation=[dilation] * 2, layout=layout)


@pytest.mark.parametrize("groups, channels, outputs", [(2, 6, 5), (4, 4, 1), (4, 4, 3), (3, 9, 8)])
@pytest.mark.parametrize("kernel", [2, 3, 4])
def test_groups(groups, channels, outputs, kernel):
    check([4, 5], [kernel] * 2, [2, 2], channels=channels, outputs=outputs, groups=groups,
          before=[1, 0], after=[0, 1])


@pytest.mark.parametrize("size, kernel, strides, padding", [
    ([9], [4], [2], [1]), ([5], [16], [8], [4]), ([1], [3], [2], [0]), ([11], [2], [2], [0]),
    ([3, 4, 5], [2, 2, 2], [2, 2, 2], [0, 0, 0]), ([3, 4, 2], [3, 3, 3], [2, 2, 2], [1, 1, 1]),
    ([2, 3, 4], [1, 4, 4], [1, 2, 2], [0, 1, 1]), ([4, 3, 2], [3, 4, 2], [2, 3, 1], [1, 0, 1])])
def test_ranks(size, kernel, strides, padding):
    for layout in (None, LAYOUTS[["NCW", "NCHW", "NCDHW"][len(size) - 1]]):
        check(size, kernel, strides, channels=10, outputs=9, before=padding, after=padding,
              layout=layout)


@pytest.mark.parametrize("dynamic", ["N", "H", "NHW"])
@pytest.mark.parametrize("kernel, padding, extra", [(2, 0, 0), (3, 1, 1), (3, 1, 0), (4, 1, 0)])
def test_dynamic(dynamic, kernel, padding, extra):
    for layout in ("NCHW", "NHWC"):
        check([5, 6], [kernel] * 2, [2, 2], channels=8, outputs=9, batch=2, before=[padding] * 2,
              after=[padding] * 2, extra=[extra] * 2, dynamic=dynamic, layout=layout)


@pytest.mark.parametrize("kernel", [2, 3, 4])
def test_epilogue(kernel):
    check([6, 6], [kernel] * 2, [2, 2], channels=16, outputs=24, before=[kernel // 3] * 2,
          after=[kernel // 3] * 2, epilogue=True)


@pytest.mark.parametrize("kernel", [2, 3])
def test_computed_weight(kernel):
    check([6, 6], [kernel] * 2, [2, 2], channels=16, outputs=24, constant=False)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_levels(level):
    check([6, 5], [3, 2], [2, 2], channels=5, outputs=9, options={"opt_level": level})
    check([6, 5], [2, 2], [2, 2], channels=5, outputs=9, options={"opt_level": level})
