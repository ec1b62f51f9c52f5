# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of two matrices that are both inputs, large enough for the kernel to
copy the right one into tiles first, against NumPy in float64. The bound is that
of products (bounds.py), of the sum of the magnitudes of the terms of each result.
"""

import numpy as np
import pytest

import relay_mlir as rm
from bounds import bound

BOUND = bound("products", symmetric=True)


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
    (128, 640, 1),
    # The columns of one tile at a time.
    (256, 256, 256), (64, 512, 64), (101, 523, 67), (71, 257, 128), (70, 1030, 384),
    (97, 290, 767), (65, 273, 769),
    # Columns across two lines.
    (1000, 37, 513), (514, 45, 64), (513, 1, 100), (530, 261, 65),
    # Rows half a page or pages apart, and blocks of them for a part of the depth.
    (131, 260, 512), (515, 517, 1024), (1031, 275, 4096), (1030, 272, 4099),
    (725, 263, 6144)])
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


@pytest.mark.parametrize("rows, columns, depth", [(66, 131, 128), (128, 64, 128), (70, 33, 64)])
def test_batch_of_narrow_products(rows, columns, depth):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((12, rows, depth)).astype(np.float32)
    y = rng.standard_normal((12, depth, columns)).astype(np.float32)
    check("nn.batch_matmul", x, y, "{transpose_a = false, transpose_b = false}",
          x.astype(np.float64) @ y, np.abs(x) @ np.abs(y))


SIZES = [(1, 1, 1), (6, 16, 8), (7, 17, 9), (65, 131, 257), (2, 500, 33), (130, 5, 64), (0, 3, 4),
         (3, 0, 4), (12, 24, 0), (101, 48, 70)]


def check_open(text, sizes, multiply):
    """One artefact at many sizes, also of empty tensors; the same numbers from
    any number of threads."""
    compiled = rm.compile(rm.IRModule.parse(text))
    rng = np.random.default_rng(3)
    for left, right in sizes:
        x, y = (rng.standard_normal(shape).astype(np.float32) for shape in (left, right))
        expected = multiply(x.astype(np.float64), y)
        limit = BOUND * multiply(np.abs(x), np.abs(y))
        results = []
        for threads in (1, 2, 3):
            rm.set_num_threads(threads)
            results.append(compiled(x, y))
            assert (np.abs(results[-1] - expected) <= limit).all()
            assert (results[-1] == results[0]).all()


def test_open_sizes():
    """Of an unknown number of columns, too, a tile takes several vectors."""
    check_open("""
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = relay.nn.matmul %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}""", [((m, k), (k, n)) for m, n, k in SIZES], np.matmul)


def test_open_columns_with_bias():
    check_open("""
func.func @main(%x: tensor<30x40xf32>, %y: tensor<40x?xf32>) -> tensor<30x?xf32> {
  %0 = relay.nn.matmul %x, %y : (tensor<30x40xf32>, tensor<40x?xf32>) -> tensor<30x?xf32>
  %1 = relay.nn.relu %0 : (tensor<30x?xf32>) -> tensor<30x?xf32>
  %2 = relay.add %1, %1 : (tensor<30x?xf32>, tensor<30x?xf32>) -> tensor<30x?xf32>
  return %2 : tensor<30x?xf32>
}""", [((30, 40), (40, n)) for n in (0, 1, 15, 16, 17, 33, 250)],
               lambda x, y: 2 * np.maximum(x @ y, 0))


def test_open_columns_of_a_batch():
    check_open("""
func.func @main(%x: tensor<3x?x40xf32>, %y: tensor<3x40x?xf32>) -> tensor<3x?x?xf32> {
  %0 = relay.nn.batch_matmul %x, %y {transpose_a = false, transpose_b = false}
      : (tensor<3x?x40xf32>, tensor<3x40x?xf32>) -> tensor<3x?x?xf32>
  return %0 : tensor<3x?x?xf32>
}""", [((3, m, 40), (3, 40, n)) for m, n, _ in SIZES], np.matmul)


def run(text, *inputs):
    compiled = rm.compile(rm.IRModule.parse(text))
    results = []
    for threads in (1, 2, 3):
        rm.set_num_threads(threads)
        results.append(compiled(*inputs))
    return results


@pytest.mark.parametrize("columns", [272, 261])
def test_several_consumers(columns):
    """What follows a product in its kernel sees whole results."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((75, 130)).astype(np.float32)
    y = rng.standard_normal((130, columns)).astype(np.float32)
    bias = rng.standard_normal(columns).astype(np.float32)
    result = f"tensor<75x{columns}xf32>"
    text = (f"func.func @main(%x: tensor<75x130xf32>, %y: tensor<130x{columns}xf32>, "
            f"%b: tensor<{columns}xf32>) -> ({result}, {result}) {{\n"
            f"%0 = relay.nn.matmul %x, %y : (tensor<75x130xf32>, tensor<130x{columns}xf32>) "
            f"-> {result}\n"
            f"%1 = relay.add %0, %b : ({result}, tensor<{columns}xf32>) -> {result}\n"
            f"%2 = relay.nn.relu %1 : ({result}) -> {result}\n"
            f"%3 = relay.multiply %1, %0 : ({result}, {result}) -> {result}\n"
            f"return %2, %3 : {result}, {result}\n}}")
    product = x.astype(np.float64) @ y
    magnitude = np.abs(x) @ np.abs(y) + np.abs(bias)
    for relu, square in run(text, x, y, bias):
        assert (np.abs(relu - np.maximum(product + bias, 0)) <= BOUND * magnitude).all()
        expected = (product + bias) * product
        assert (np.abs(square - expected) <= 3 * BOUND * magnitude ** 2).all()


def test_not_finite():
    """Each NaN and infinity reaches its row or column, and nothing else."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((67, 131)).astype(np.float32)
    y = rng.standard_normal((131, 259)).astype(np.float32)
    x[66, 130] = np.nan
    y[130, 258] = np.inf
    y[0, 15] = -np.inf
    text = ("func.func @main(%x: tensor<67x131xf32>, %y: tensor<131x259xf32>) "
            "-> tensor<67x259xf32> {\n"
            "%0 = relay.nn.matmul %x, %y : (tensor<67x131xf32>, tensor<131x259xf32>) "
            "-> tensor<67x259xf32>\nreturn %0 : tensor<67x259xf32>\n}")
    with np.errstate(invalid="ignore"):
        expected = x.astype(np.float64) @ y.astype(np.float64)
    for result in run(text, x, y):
        np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
        np.testing.assert_array_equal(np.isposinf(result), np.isposinf(expected))
        np.testing.assert_array_equal(np.isneginf(result), np.isneginf(expected))
