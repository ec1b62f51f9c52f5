# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of channels that are folded into weights, compiled, against NumPy in
float64. The bound is that of products (bounds.py), of the scale of each channel
of the result, which is the largest sum of magnitudes of its terms: rounding of the sums dominates.
"""

import numpy as np
import pytest

import bounds
import relay_mlir as rm
from float_tensors import literal, uniform

BOUND = bounds.bound("products", symmetric=True)


def build(rows, weight, scale, shift, relu, last=None):
    """(relu?(x @ w.T) * scale + shift) * last?, of a convolution."""
    outputs, inputs = weight.shape
    data = f"tensor<1x1x{rows}x{inputs}xf32>"
    result = f"tensor<1x1x{rows}x{outputs}xf32>"
    vector = f"tensor<{outputs}xf32>"
    kernel = f"tensor<{outputs}x{inputs}x1x1xf32>"
    middle = "%1"
    lines = [f"func.func @main(%x: {data}) -> {result} {{",
             f"%w = relay.constant {literal(weight.reshape(outputs, inputs, 1, 1))}",
             f"%s = relay.constant {literal(scale)}",
             f"%b = relay.constant {literal(shift)}",
             f'%1 = relay.nn.conv2d %x, %w {{data_layout = "NHWC"}} : ({data}, {kernel}) '
             f"-> {result}"]
    if relu:
        lines.append(f"%2 = relay.nn.relu %1 : ({result}) -> {result}")
        middle = "%2"
    lines += [f"%3 = relay.multiply {middle}, %s : ({result}, {vector}) -> {result}",
              f"%4 = relay.add %3, %b : ({result}, {vector}) -> {result}"]
    if last is not None:
        lines += [f"%l = relay.constant {literal(last)}",
                  f"%5 = relay.multiply %l, %4 : ({vector}, {result}) -> {result}"]
    lines += [f"return {'%4' if last is None else '%5'} : {result}", "}"]
    return rm.IRModule.parse("\n".join(lines))


def folds(module, precision="high"):
    copy = module.clone()
    copy.run_passes(f"builtin.module(relay-optimize{{precision={precision}}})")
    return "relay.multiply" not in copy.print(elide_larger=8)


def check(data, weight, scale, shift, relu=False):
    module = build(data.shape[0], weight, scale, shift, relu)
    with np.errstate(all="ignore"):
        sums = data.astype(np.float64) @ weight.T.astype(np.float64)
        magnitude = np.abs(data.astype(np.float64)) @ np.abs(weight.T.astype(np.float64))
        expected = (np.maximum(sums, 0) if relu else sums) * scale + shift
        bound = BOUND * (magnitude * np.abs(scale.astype(np.float64)) + np.abs(shift))
    actual = np.asarray(rm.compile(module)(data.reshape(1, 1, *data.shape)))[0, 0]
    limit = np.finfo(np.float32)
    finite = np.abs(expected) <= limit.max
    assert (np.abs(actual - expected)[finite] <= (bound + limit.tiny)[finite]).all()
    return module


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("rows,inputs,outputs", [(5, 7, 3), (49, 34, 33), (1, 1, 1)])
def test_folds(rows, inputs, outputs, relu):
    scale = uniform((outputs,), 2)
    if relu:
        scale = np.abs(scale) + np.float32(0.1)
    module = check(uniform((rows, inputs)), uniform((outputs, inputs), 1), scale,
                   uniform((outputs,), 3), relu)
    assert folds(module) and not folds(module, "highest")


@pytest.mark.parametrize("relu", [False, True])
def test_signs(relu):
    scale = np.array([1, -2, 0, 0.5], np.float32)
    module = check(uniform((6, 9)), uniform((4, 9), 1), scale, uniform((4,), 3), relu)
    assert folds(module) == (not relu)


def test_scale_after_normalization():
    """The factors of both go into the weight."""
    data, weight = uniform((6, 9)), uniform((4, 9), 1)
    first, shift, second = uniform((4,), 2), uniform((4,), 3), uniform((4,), 4)
    module = build(6, weight, first, shift, False, second)
    assert folds(module)
    expected = ((data.astype(np.float64) @ weight.T) * first + shift) * second
    actual = np.asarray(rm.compile(module)(data.reshape(1, 1, 6, 9)))[0, 0]
    assert np.abs(actual - expected).max() <= BOUND * 9


@pytest.mark.parametrize("weights", [-20, 0, 20])
@pytest.mark.parametrize("scales", [-20, -5, 5, 20])
def test_ill_scaled(weights, scales):
    """Whether or not it folds, digits are not lost."""
    rng = np.random.default_rng(7)
    weight = uniform((8, 16), 1) * np.float32(10.0) ** rng.integers(
        min(weights, 0), max(weights, 0) + 1, (8, 16)).astype(np.float32)
    scale = uniform((8,), 2) * np.float32(10.0) ** scales
    check(uniform((5, 16)), weight, scale.astype(np.float32), np.zeros(8, np.float32))


def test_non_finite():
    """A NaN or an infinity among the factors reaches its channel only."""
    scale = np.array([1, np.nan, np.inf, 2], np.float32)
    data, weight = uniform((6, 9)), uniform((4, 9), 1)
    module = build(6, weight, scale, np.zeros(4, np.float32), False)
    assert not folds(module)
    actual = np.asarray(rm.compile(module)(data.reshape(1, 1, 6, 9)))[0, 0]
    expected = (data @ weight.T) * scale
    assert np.allclose(actual, expected, rtol=1e-5, atol=1e-6, equal_nan=True)
