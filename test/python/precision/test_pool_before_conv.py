# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Averages that are taken before a 1x1 convolution instead of after it, against
NumPy in float64. The bound is that of products (bounds.py), of the largest sum
of magnitudes of terms.
"""

import numpy as np
import pytest

import relay_mlir as rm
from bounds import bound
from float_tensors import literal, uniform

BOUND = bound("products", symmetric=True)


def average(data, pool, stride, padding, include_pad):
    """Windows of (N, C, H, W), which reach past the end as far as they do."""
    top, left, bottom, right = padding
    pads = ((0, 0), (0, 0), (top, bottom), (left, right))
    padded = np.pad(data, pads)
    ones = np.pad(np.ones(data.shape[2:]), pads[2:])
    height = (padded.shape[2] - pool) // stride + 1
    width = (padded.shape[3] - pool) // stride + 1
    result = np.zeros((*data.shape[:2], height, width))
    for y in range(height):
        for x in range(width):
            rows = slice(y * stride, y * stride + pool)
            columns = slice(x * stride, x * stride + pool)
            count = pool * pool if include_pad else ones[rows, columns].sum()
            result[:, :, y, x] = padded[:, :, rows, columns].sum((2, 3)) / count
    return result


@pytest.mark.parametrize("include_pad", [False, True])
@pytest.mark.parametrize("shape,outputs,pool,stride,padding", [
    ((1, 32, 8, 8), 32, 2, 2, (0, 0, 0, 0)),
    ((1, 65, 7, 9), 33, 2, 2, (1, 0, 0, 1)),
    ((2, 40, 11, 5), 48, 3, 2, (1, 1, 1, 1)),
    ((1, 33, 5, 5), 7, 5, 5, (0, 0, 0, 0)),
])
def test_average(shape, outputs, pool, stride, padding, include_pad):
    data = uniform(shape)
    weight = uniform((outputs, shape[1], 1, 1), 1)
    taps = weight[:, :, 0, 0].astype(np.float64)
    convolved = np.einsum("oc,nchw->nohw", taps, data.astype(np.float64))
    expected = average(convolved, pool, stride, padding, include_pad)
    dims = lambda sizes: "x".join(map(str, sizes))
    middle, result = dims(convolved.shape), dims(expected.shape)
    pads = ", ".join(map(str, padding))
    module = rm.IRModule.parse(f"""
      func.func @main(%x: tensor<{dims(shape)}xf32>) -> tensor<{result}xf32> {{
        %w = relay.constant {literal(weight)}
        %0 = relay.nn.conv2d %x, %w : (tensor<{dims(shape)}xf32>,
          tensor<{dims(weight.shape)}xf32>) -> tensor<{middle}xf32>
        %1 = relay.nn.avg_pool2d %0 {{pool_size = array<i64: {pool}, {pool}>,
          strides = array<i64: {stride}, {stride}>, padding = array<i64: {pads}>,
          count_include_pad = {str(include_pad).lower()}}}
          : (tensor<{middle}xf32>) -> tensor<{result}xf32>
        return %1 : tensor<{result}xf32>
      }}""")
    actual = np.asarray(rm.compile(module)(data))
    scale = np.einsum("oc,nchw->nohw", np.abs(taps), np.abs(data)).max()
    assert np.abs(actual - expected).max() <= BOUND * scale
    copy = module.clone()
    copy.run_passes("builtin.module(func.func(relay-pool-before-conv))")
    assert copy.print(elide_larger=8) != module.print(elide_larger=8)
