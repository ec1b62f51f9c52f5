"""Values between kernels that matrix units round are stored as bf16 at precision
"medium", against NumPy that rounds at the same places.

Sums are in another order, and a stored value that lies between two numbers of
bf16 may be rounded the other way: 1e-3 of the scale, where rounding at no place
or at others shows.
"""

import numpy as np
import pytest

from bounds import FLAGS
from float_tensors import literal, round_to_bf16, uniform
from matrix_tiles import start_worker

BOUND = 1e-3

pytestmark = pytest.mark.skipif(not {"avx2", "fma"} <= FLAGS, reason="the machine lacks AVX2")


@pytest.fixture(scope="module", name="worker")
def fixture_worker(tmp_path_factory):
    with start_worker(tmp_path_factory.mktemp("cache")) as run:
        yield run


def multiply(data, weight):
    """What matrix units compute of floats: products of their bf16."""
    exact = np.float64
    return (round_to_bf16(data).astype(exact) @ round_to_bf16(weight).T.astype(exact)) \
        .astype(np.float32)


def check(actual, expected):
    assert np.abs(actual - expected).max() <= BOUND * np.abs(expected).max()


# Whole tiles, and rows, depths and columns beside them.
@pytest.mark.parametrize("rows,width,columns", [(64, 64, 64), (17, 33, 19), (100, 40, 72)])
@pytest.mark.parametrize("threads", [1, 3])
def test_residual(worker, rows, width, columns, threads):
    data, first = uniform((rows, width)), uniform((columns, width), 1)
    second, third = uniform((columns, columns), 2), uniform((width, columns), 3)
    text = f"""func.func @main(%x: tensor<{rows}x{width}xf32>) -> tensor<{rows}x{width}xf32> {{
  %a = relay.constant {literal(first)}
  %b = relay.constant {literal(second)}
  %c = relay.constant {literal(third)}
  %0 = relay.nn.dense %x, %a : (tensor<{rows}x{width}xf32>, tensor<{columns}x{width}xf32>) -> tensor<{rows}x{columns}xf32>
  %1 = relay.nn.relu %0 : (tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
  %2 = relay.nn.dense %1, %b : (tensor<{rows}x{columns}xf32>, tensor<{columns}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
  %3 = relay.add %2, %1 : (tensor<{rows}x{columns}xf32>, tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
  %4 = relay.nn.dense %3, %c : (tensor<{rows}x{columns}xf32>, tensor<{width}x{columns}xf32>) -> tensor<{rows}x{width}xf32>
  return %4 : tensor<{rows}x{width}xf32>
}}"""
    stored = round_to_bf16(np.maximum(multiply(data, first), 0))
    expected = multiply(multiply(stored, second) + stored, third)
    check(worker(text, data, precision="medium", threads=threads), expected)


# 3x3 windows of some lines of pixels, whose padding is made where data is copied.
@pytest.mark.parametrize("size,channels", [(8, 32), (7, 48), (13, 64)])
def test_windows(worker, size, channels):
    data = uniform((1, size, size, channels))
    first, second = (uniform((channels, channels, 3, 3), seed) for seed in (1, 2))
    image = f"tensor<1x{size}x{size}x{channels}xf32>"
    weight = f"tensor<{channels}x{channels}x3x3xf32>"
    attributes = 'data_layout = "NHWC", kernel_layout = "OIHW", padding = [1, 1, 1, 1]'
    text = f"""func.func @main(%x: {image}) -> {image} {{
  %a = relay.constant {literal(first)}
  %b = relay.constant {literal(second)}
  %0 = relay.nn.conv2d %x, %a {{{attributes}}} : ({image}, {weight}) -> {image}
  %1 = relay.nn.relu %0 : ({image}) -> {image}
  %2 = relay.nn.conv2d %1, %b {{{attributes}}} : ({image}, {weight}) -> {image}
  return %2 : {image}
}}"""

    def convolve(image, weight):
        padded = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
        rows = np.ascontiguousarray(windows).reshape(size * size, channels * 9)
        return multiply(rows, weight.reshape(channels, channels * 9)).reshape(image.shape)

    expected = convolve(np.maximum(convolve(data, first), 0), second)
    check(worker(text, data, precision="medium"), expected)


def test_joined(worker):
    """Parts that are joined are rounded before that."""
    data = uniform((48, 64))
    first, second, third = uniform((32, 64), 1), uniform((64, 64), 2), uniform((64, 96), 3)
    text = f"""func.func @main(%x: tensor<48x64xf32>) -> tensor<48x64xf32> {{
  %a = relay.constant {literal(first)}
  %b = relay.constant {literal(second)}
  %c = relay.constant {literal(third)}
  %0 = relay.nn.dense %x, %a : (tensor<48x64xf32>, tensor<32x64xf32>) -> tensor<48x32xf32>
  %1 = relay.nn.dense %x, %b : (tensor<48x64xf32>, tensor<64x64xf32>) -> tensor<48x64xf32>
  %2 = relay.concatenate %0, %1 {{axis = 1}} : (tensor<48x32xf32>, tensor<48x64xf32>) -> tensor<48x96xf32>
  %3 = relay.nn.dense %2, %c : (tensor<48x96xf32>, tensor<64x96xf32>) -> tensor<48x64xf32>
  return %3 : tensor<48x64xf32>
}}"""
    joined = np.concatenate([multiply(data, first), multiply(data, second)], axis=1)
    check(worker(text, data, precision="medium"), multiply(joined, third))


def test_not_finite(worker):
    data, first, second = uniform((32, 32)), uniform((32, 32), 1), np.eye(32, dtype=np.float32)
    data[3] = 0
    data[3, 4], data[7, 9] = np.inf, np.nan
    first[:, 4] = np.abs(first[:, 4]) + 1
    text = f"""func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {{
  %a = relay.constant {literal(first)}
  %b = relay.constant {literal(second)}
  %0 = relay.nn.dense %x, %a : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = relay.nn.dense %0, %b : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}}"""
    actual = worker(text, data, precision="medium")
    # An infinity times the zeros beside the one is none.
    assert np.isnan(actual[[3, 7]]).all()
    rest = np.delete(np.arange(32), [3, 7])
    assert np.isfinite(actual[rest]).all()
