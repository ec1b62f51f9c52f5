# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of many groups of few channels, or of pixels that fill pages, against sums
in float64, or in integers.

Groups, channels of one, and sizes are such that groups fill vectors, leave a part of
one, or are too few for one. Integers are exact; floats may be wrong by 1e-6 of the sum
of the magnitudes (f16: 2e-3, for the rounding of the result).
"""

from typing import Any

import numpy as np
import pytest

from bounds import bound
from relay_mlir import relay

pytestmark = pytest.mark.share(2)

BOUNDS = {"float32": bound("products", symmetric=True), "float64": 1e-14, "float16": 2e-3}


def convolve(x, w, groups, stride, padding):
    """Channels last; the weight is (outputs, channels of a group, height, width)."""
    kernel = w.shape[2]
    x = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    height, width = ((size - kernel) // stride + 1 for size in x.shape[1:3])
    outputs, channels = w.shape[0] // groups, w.shape[1]
    result = np.zeros((x.shape[0], height, width, groups, outputs), x.dtype)
    w = w.reshape(groups, outputs, channels, kernel, kernel)
    for i in range(kernel):
        for j in range(kernel):
            part = x[:, i:i + (height - 1) * stride + 1:stride,
                     j:j + (width - 1) * stride + 1:stride]
            part = part.reshape(*part.shape[:3], groups, channels)
            result += np.einsum("nhwgi,goi->nhwgo", part, w[..., i, j])
    return result.reshape(*result.shape[:3], groups * outputs)


# Groups, channels and outputs of one, size, kernel, stride, images.
CASES = [(32, 4, 4, 9, 3, 1, 1), (32, 4, 4, 9, 3, 2, 2), (16, 2, 2, 7, 5, 1, 1),
         (16, 3, 6, 6, 3, 1, 1), (48, 2, 2, 5, 1, 1, 3), (64, 1, 2, 6, 3, 1, 1),
         (17, 2, 2, 7, 3, 2, 2), (17, 3, 3, 5, 3, 1, 1), (20, 1, 3, 6, 3, 1, 1),
         (8, 2, 2, 5, 3, 1, 1), (8, 1, 3, 5, 3, 1, 1), (33, 7, 1, 4, 3, 1, 1),
         (32, 4, 4, 1, 1, 1, 1), (16, 2, 2, 3, 3, 1, 0),
         # Pixels of half a page or more, of which groups are gathered.
         (16, 32, 32, 5, 3, 1, 2), (32, 32, 16, 7, 3, 2, 1), (5, 120, 8, 4, 3, 1, 1)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8"])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("has_bias", [True, False])
def test_small_groups(case, dtype, has_bias):
    groups, channels, outputs, size, kernel, stride, images = case
    rng = np.random.default_rng(sum(case))
    is_integer = dtype == "int8"

    def draw(*shape: int) -> np.ndarray[Any, Any]:
        return np.asarray(rng.integers(-128, 128, shape) if is_integer else
                          rng.uniform(-1, 1, shape))

    x = draw(images, size, size, groups * channels).astype(dtype)
    w = draw(groups * outputs, channels, kernel, kernel).astype(dtype)
    result = "int32" if is_integer else dtype
    b = draw(groups * outputs).astype(result)

    data = relay.var("x", shape=x.shape, dtype=dtype)
    body = relay.nn.conv2d(data, relay.const(w), groups=groups, channels=groups * outputs,
                           kernel_size=(kernel,) * 2, strides=(stride,) * 2,
                           padding=(kernel // 2,) * 2, data_layout="NHWC",
                           kernel_layout="OIHW", out_dtype=result if is_integer else "")
    if has_bias:
        body = relay.nn.relu(relay.nn.bias_add(body, relay.const(b), axis=3))
    module = relay.IRModule.from_expr(relay.Function([data], body))
    got = relay.create_executor("aot", module).evaluate()(x).numpy()

    wide = "int64" if is_integer else "float64"
    expected = convolve(x.astype(wide), w.astype(wide), groups, stride, kernel // 2)
    if has_bias:
        expected = np.maximum(expected + b.astype(wide), 0)
    assert got.shape == expected.shape and got.dtype == result
    if is_integer:
        np.testing.assert_array_equal(got, expected)
        return
    sums = convolve(np.abs(x.astype(wide)), np.abs(w.astype(wide)), groups, stride,
                    kernel // 2) + 1
    assert (np.abs(got - expected) <= BOUNDS[dtype] * sums).all()


def test_what_is_not_finite_stays_in_its_group():
    groups, channels = 32, 4
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (1, 6, 6, groups * channels)).astype(np.float32)
    w = rng.uniform(-1, 1, (groups * channels, channels, 3, 3)).astype(np.float32)
    x[0, 3, 3, 5 * channels + 1], x[0, 2, 2, 20 * channels] = np.inf, np.nan
    data = relay.var("x", shape=x.shape)
    body = relay.nn.conv2d(data, relay.const(w), groups=groups, channels=groups * channels,
                           kernel_size=(3, 3), padding=(1, 1), data_layout="NHWC",
                           kernel_layout="OIHW")
    body = relay.nn.bias_add(body, relay.const(np.ones(groups * channels, np.float32)), axis=3)
    module = relay.IRModule.from_expr(relay.Function([data], body))
    got = relay.create_executor("aot", module).evaluate()(x).numpy()
    bad = ~np.isfinite(got.reshape(1, 6, 6, groups, channels)).all(axis=(0, 1, 2, 4))
    assert sorted(np.flatnonzero(bad)) == [5, 20]
