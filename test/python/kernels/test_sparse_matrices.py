# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse matrices against NumPy, and what is no sparse matrix."""

import numpy as np
import pytest

from relay_mlir import relay


def compile_call(text, **inputs):
    """The call `text` on inputs of these types."""
    def describe(name, value):
        shape = ", ".join(map(str, value.shape)) + ("," if value.ndim == 1 else "")
        return f"%{name}: Tensor[({shape}), {value.dtype}]"
    parameters = ", ".join(describe(*item) for item in inputs.items())
    return relay.create_executor("aot", mod=relay.parse(
        f'#[version = "0.0.5"]\ndef @main({parameters}) {{ {text} }}')).evaluate()


def run(text, **inputs):
    return compile_call(text, **inputs)(*inputs.values())


def compress(matrix, block=None):
    """The blocks of a matrix that are not zero, or its elements, row by row."""
    height, width = block or (1, 1)
    grid = matrix.reshape(len(matrix) // height, height, -1, width).swapaxes(1, 2)
    rows, columns = np.nonzero(grid.any(axis=(2, 3)))
    data = grid[rows, columns]
    starts = np.searchsorted(rows, np.arange(len(grid) + 1))
    return {"d": data if block else data.ravel(), "i": columns.astype(np.int32),
            "p": starts.astype(np.int32)}


def make_sparse(rows, columns, block=(1, 1)):
    rng = np.random.default_rng(rows)
    mask = np.kron(rng.random((rows, columns)) < 0.3, np.ones(block))
    return rng.normal(size=mask.shape) * mask


@pytest.mark.parametrize("lhs", [False, True])
@pytest.mark.parametrize("block", [None, (8, 1), (6, 2), (11, 5)])
@pytest.mark.parametrize("m", [5, 77])
def test_product(m, block, lhs):
    matrix = make_sparse(9, 7, block or (4, 5))
    x = np.random.default_rng(m).normal(size=(m, matrix.shape[1]))
    got = run(f"nn.sparse_dense(%x, %d, %i, %p, sparse_lhs={lhs})", x=x,
              **compress(matrix, block))
    want = x @ matrix.T
    np.testing.assert_allclose(got, want.T if lhs else want, rtol=1e-9, atol=1e-12)


def test_sum_and_transpose():
    matrix = make_sparse(60, 60)
    x = np.random.default_rng(0).normal(size=(60, 60))
    sparse = compress(matrix)
    np.testing.assert_array_equal(run("nn.sparse_add(%x, %d, %i, %p)", x=x, **sparse), x + matrix)
    for got, want in zip(run("nn.sparse_transpose(%d, %i, %p)", **sparse),
                         compress(matrix.T).values(), strict=True):
        np.testing.assert_array_equal(got, want)


# Columns and rows that are none, of a matrix of 3x4.
BAD = [([0, 4, 1], [0, 1, 2, 3]), ([0, -1, 1], [0, 1, 2, 3]), ([0, 1, 2], [0, 2, 1, 3]),
       ([0, 1, 2], [0, 1, 2, 4]), ([0, 1, 2], [-1, 1, 2, 3]), ([2**31 - 1, 1, 2], [0, 1, 2, 3])]


@pytest.mark.parametrize("call", [
    "nn.sparse_dense(%x, %d, %i, %p)", "nn.sparse_add(%x, %d, %i, %p)",
    "nn.sparse_transpose(%d, %i, %p)"])
def test_no_sparse_matrix(call):
    kinds = {"x": np.ones((3, 4), np.float32), "d": np.ones(3, np.float32),
             "i": np.zeros(3, np.int32), "p": np.zeros(4, np.int32)}
    if "%x" not in call:
        del kinds["x"]
    function = compile_call(call, **kinds)
    for indices, indptr in BAD:
        kinds.update(i=np.array(indices, np.int32), p=np.array(indptr, np.int32))
        with pytest.raises(ValueError, match="expects (sparse indices within the columns|"
                           "increasing positions of rows|rows within the data)"):
            function(*kinds.values())
