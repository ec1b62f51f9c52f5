# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of two matrices that are both inputs, large enough for the kernel to
copy the right one into tiles first, against NumPy in float64. The bound is 1e-6
of the sum of the magnitudes of the terms of each result.
"""

import numpy as np
import pytest

import relay_mlir as rm

BOUND = 1e-6


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def check(operator, left, right, attributes, expected, magnitude):
    types = f"({tensor(left.shape)}, {tensor(right.shape)}) -> {tensor(expected.shape)}"
    compiled = rm.compile(rm.IRModule.parse(
        f"func.func @main(%x: {tensor(left.shape)}, %y: {tensor(right.shape)}) "
        f"-> {tensor(expected.shape)} {{\n"
        f"%0 = relay.{operator} %x, %y {attributes} : {types}\n"
        f"return %0 : {tensor(expected.shape)}\n}}"))
    for threads in (1, 2, 3):
        rm.set_num_threads(threads)
        error = np.abs(compiled(left, right) - expected)
        assert (error <= BOUND * magnitude).all()


@pytest.mark.parametrize("rows, columns, depth", [
    (64, 128, 256), (65, 131, 257), (200, 300, 111), (1000, 129, 513), (67, 2048, 17),
    (128, 640, 1)])
def test_matmul(rows, columns, depth):
    rng = np.random.default_rng(rows)
    x = rng.standard_normal((rows, depth)).astype(np.float32)
    y = rng.standard_normal((depth, columns)).astype(np.float32)
    check("nn.matmul", x, y, "", x.astype(np.float64) @ y, np.abs(x) @ np.abs(y))


@pytest.mark.parametrize("transposed", [False, True])
def test_batch(transposed):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 66, 260)).astype(np.float32)
    y = rng.standard_normal((3, 260, 131)).astype(np.float32)
    right = np.ascontiguousarray(y.transpose(0, 2, 1)) if transposed else y
    check("nn.batch_matmul", x, right,
          f"{{transpose_a = false, transpose_b = {str(transposed).lower()}}}",
          x.astype(np.float64) @ y, np.abs(x) @ np.abs(y))
