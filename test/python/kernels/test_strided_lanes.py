# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors whose lanes are some elements apart: windows of pooling, and slices with steps,
against NumPy. All of it is exact: maxima, averages of small integers over a window of
whose size the inverse is exact, and values that are only moved.
"""

import itertools

import numpy as np
import pytest

from relay_mlir import relay

pytestmark = pytest.mark.share(2)

STRIDES = [2, 3, 4, 5]


def compile_of(data, body):
    module = relay.IRModule.from_expr(relay.Function([data], body))
    evaluate = relay.create_executor("aot", module).evaluate()
    return lambda x: evaluate(x).numpy()


def run(x, build):
    data = relay.var("x", shape=x.shape, dtype=str(x.dtype))
    return compile_of(data, build(data))(x)


def windows(x, kernel, stride, padding, fill):
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (padding,) * 2, (padding,) * 2],
                    constant_values=fill)
    height, width = ((size - kernel) // stride + 1 for size in padded.shape[2:])
    return np.stack([padded[:, :, i:i + (height - 1) * stride + 1:stride,
                            j:j + (width - 1) * stride + 1:stride]
                     for i, j in itertools.product(range(kernel), repeat=2)])


# Widths that end within a vector, with it, and right behind it.
@pytest.mark.parametrize("stride", STRIDES)
@pytest.mark.parametrize("kernel,padding", [(2, 0), (3, 1), (5, 2)])
def test_maximum(stride, kernel, padding):
    rng = np.random.default_rng(stride * 8 + kernel)
    for width, dtype in [(7, "float32"), (24, "float64"), (25, "float32"), (47, "int8"),
                         (97, "float16"), (112, "float32"), (130, "uint8")]:
        x = rng.uniform(-100 if dtype != "uint8" else 0, 100, (1, 3, 11, width)).astype(dtype)
        if dtype == "float32":
            x[0, 1, 5, width // 2] = np.nan
        out = run(x, lambda data: relay.nn.max_pool2d(
            data, pool_size=(kernel,) * 2, strides=(stride,) * 2, padding=(padding,) * 2))
        expected = windows(x, kernel, stride, padding, -np.inf).max(axis=0)
        np.testing.assert_array_equal(out.astype(np.float64), expected, err_msg=f"{width} {dtype}")


@pytest.mark.parametrize("stride", STRIDES)
@pytest.mark.parametrize("kernel,padding", [(2, 1), (4, 0)])
def test_average(stride, kernel, padding):
    rng = np.random.default_rng(stride * 8 + kernel)
    for width in (9, 24, 33, 100):
        x = rng.integers(-50, 50, (2, 2, 10, width)).astype(np.float32)
        out = run(x, lambda data: relay.nn.avg_pool2d(
            data, pool_size=(kernel,) * 2, strides=(stride,) * 2, padding=(padding,) * 2,
            count_include_pad=True))
        expected = windows(x, kernel, stride, padding, 0).mean(axis=0)
        np.testing.assert_array_equal(out, expected.astype(np.float32), err_msg=str(width))


@pytest.mark.parametrize("stride", STRIDES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int16"])
def test_slices(stride, dtype):
    """With a step on the way, so that it is computed, not copied."""
    rng = np.random.default_rng(stride)
    for first, size in [(0, 15), (1, 16), (2, 63), (1, 200)]:
        x = rng.integers(-50, 50, (3, size)).astype(dtype)
        out = run(x, lambda data: relay.negative(relay.strided_slice(
            data, begin=[0, first], end=[3, size], strides=[1, stride])))
        np.testing.assert_array_equal(out, -x[:, first::stride], err_msg=str(size))


@pytest.mark.parametrize("stride", [2, 3, 4])
def test_open_lengths(stride):
    """How many lanes are left is known at run time only."""
    size = relay.Any()
    data = relay.var("x", shape=(size,), dtype="float32")
    body = relay.exp(relay.strided_slice(data, begin=[1], end=[2**31 - 1], strides=[stride]))
    model = compile_of(data, body)
    for length in (1, 2, 3, 5, 8, 16, 17, 24, 25, 26, 31, 100, 1000):
        x = np.linspace(-2, 2, length).astype(np.float32)
        # A few units in the last place of exp.
        np.testing.assert_allclose(model(x), np.exp(x[1::stride]), rtol=1e-6, err_msg=str(length))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "float16"])
@pytest.mark.parametrize("times", [2, 3, 4])
def test_repeated(times, dtype):
    """Lanes that read the same elements, as those of an image that grows do."""
    x = np.random.default_rng(times).integers(-50, 50, (2, 3, 5, 29)).astype(dtype)
    out = run(x, lambda data: relay.negative(relay.image.resize2d(
        data, size=(5 * times, 29 * times), method="nearest_neighbor",
        coordinate_transformation_mode="asymmetric", rounding_method="floor")))
    np.testing.assert_array_equal(out, -x.repeat(times, axis=2).repeat(times, axis=3))
