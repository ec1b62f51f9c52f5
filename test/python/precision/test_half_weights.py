"""Weights that only one row reads are stored as bf16 at precision "medium"."""

import numpy as np
import pytest

import relay_mlir as rm
from float_tensors import round_to_bf16, uniform


def run(data, weight, precision, transposed=False):
    result = f"tensor<{data.shape[0]}x{weight.shape[0]}xf32>"
    left = f"tensor<{data.shape[0]}x{data.shape[1]}xf32>"
    right = f"tensor<{weight.shape[0]}x{weight.shape[1]}xf32>"
    text = f"""func.func @main(%x: {left}) -> {result} {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : {right}
  %0 = relay.nn.dense %x, %w : ({left}, {right}) -> {result}
  %1 = relay.nn.relu %0 : ({result}) -> {result}
  return %1 : {result}
}}"""
    return np.asarray(rm.compile(rm.IRModule.parse(text), precision=precision)(data))


@pytest.mark.parametrize("rows,depth,columns", [(1, 1500, 1400), (2, 2048, 1030)])
def test_dense(rows, depth, columns):
    data, weight = uniform((rows, depth)), uniform((columns, depth), 1)
    exact = np.maximum(data.astype(np.float64) @ weight.T.astype(np.float64), 0)
    rounded = np.maximum(data.astype(np.float64) @ round_to_bf16(weight).T.astype(np.float64), 0)
    scale = np.abs(exact).max()
    assert np.abs(run(data, weight, "high") - exact).max() <= 2e-6 * scale
    medium = run(data, weight, "medium")
    assert np.abs(medium - rounded).max() <= 2e-6 * scale
    assert np.abs(medium - exact).max() <= 2.0**-8 * scale


def test_not_finite():
    data, weight = uniform((1, 1500)), uniform((1400, 1500), 1)
    weight[3, 7], weight[5, 8], weight[9, 10] = np.inf, -np.inf, np.nan
    weight[11, 12] = np.finfo(np.float32).max
    data[0, 12] = 2.0**-100
    expected = np.maximum(data @ weight.T, 0)
    actual = run(data, weight, "medium")
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(actual), np.isinf(expected))
    assert np.isfinite(actual[0, 11])
