# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and products with a few outputs, a part of a vector, as the last layer of a
network that makes images has; against sums in float64. Floats may be wrong by 1e-6 of the
sum of the magnitudes (f16: 2e-3, for the rounding of the result), integers not at all.
"""

import numpy as np
import pytest

from bounds import bound
from relay_mlir import relay

pytestmark = pytest.mark.share(2)

BOUNDS = {"float32": bound("products", symmetric=True), "float64": 1e-14, "float16": 2e-3}


def convolve(x, w):
    kernel = w.shape[2]
    x = np.pad(x, [(0, 0), (kernel // 2,) * 2, (kernel // 2,) * 2, (0, 0)])
    height, width = (size - kernel + 1 for size in x.shape[1:3])
    return sum(np.einsum("nhwi,oi->nhwo", x[:, i:i + height, j:j + width], w[..., i, j])
               for i in range(kernel) for j in range(kernel))


def draw(rng, dtype, *shape):
    if dtype == "int8":
        return rng.integers(-128, 128, shape).astype(dtype)
    return rng.uniform(-1, 1, shape).astype(dtype)


def assert_close(got, x, w, dtype):
    if dtype == "int8":
        np.testing.assert_array_equal(got, convolve(x.astype("int64"), w.astype("int64")))
        return
    x, w = x.astype("float64"), w.astype("float64")
    error = np.abs(got - convolve(x, w))
    assert (error <= BOUNDS[dtype] * convolve(np.abs(x), np.abs(w))).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8"])
@pytest.mark.parametrize("outputs", [1, 2, 3, 5, 7, 9])
@pytest.mark.parametrize("size, kernel, channels", [(9, 3, 16), (8, 1, 33), (13, 7, 5), (5, 3, 64)])
def test_convolution(outputs, size, kernel, channels, dtype):
    rng = np.random.default_rng(outputs + size)
    x = draw(rng, dtype, 2, size, size, channels)
    w = draw(rng, dtype, outputs, channels, kernel, kernel)
    data = relay.var("x", shape=x.shape, dtype=dtype)
    body = relay.nn.conv2d(data, relay.const(w), channels=outputs, kernel_size=(kernel,) * 2,
                           padding=(kernel // 2,) * 2, data_layout="NHWC", kernel_layout="OIHW",
                           out_dtype="int32" if dtype == "int8" else "")
    module = relay.IRModule.from_expr(relay.Function([data], body))
    got = relay.create_executor("aot", module).evaluate()(x).numpy()
    assert_close(got, x, w, dtype)


@pytest.mark.parametrize("rows", [1, 63, 64, 200])
@pytest.mark.parametrize("outputs", [1, 2, 3, 6])
def test_product(rows, outputs):
    rng = np.random.default_rng(rows + outputs)
    x, w = draw(rng, "float32", rows, 70), draw(rng, "float32", outputs, 70)
    data = relay.var("x", shape=x.shape)
    body = relay.nn.relu(relay.nn.dense(data, relay.const(w)))
    module = relay.IRModule.from_expr(relay.Function([data], body))
    got = relay.create_executor("aot", module).evaluate()(x).numpy()
    wide = x.astype("float64") @ w.T.astype("float64")
    assert (np.abs(got - np.maximum(wide, 0)) <= 1e-6 * (np.abs(x) @ np.abs(w.T))).all()
