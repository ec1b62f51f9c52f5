"""Operators on sparse tensors against the dense ones of NumPy."""

from typing import Any

import numpy as np
import pytest
from relay_eval import RTOL, Case, check, random


def sparse(rng, shape, dtype, density=0.3):
    """A dense array, most of whose elements are zero."""
    return np.where(rng.random(shape) < density, random(rng, shape, dtype), 0).astype(
        random(rng, (), dtype).dtype
    )


def to_csr(dense, index_type=np.int32):
    rows, columns = np.nonzero(dense)
    indptr = np.searchsorted(rows, np.arange(len(dense) + 1))
    return dense[rows, columns], columns.astype(index_type), indptr.astype(index_type)


def to_bsr(dense, block, index_type=np.int32):
    """In blocks of (rows, columns) of which one element is not zero."""
    r, c = block
    blocks = dense.reshape(dense.shape[0] // r, r, dense.shape[1] // c, c).swapaxes(1, 2)
    rows, columns = np.nonzero(blocks.any(axis=(2, 3)))
    indptr = np.searchsorted(rows, np.arange(len(blocks) + 1))
    return blocks[rows, columns], columns.astype(index_type), indptr.astype(index_type)


@pytest.mark.parametrize("dtype", ["f64", "bf16", "i8", "i1"])
def test_sparse_to_dense(dtype):
    rng = np.random.default_rng(0)
    cases = []
    for shape in ((3, 4), (7,), (2, 3, 4)):
        dense = sparse(rng, shape, dtype)
        positions = np.argwhere(rng.random(shape) < 0.5).astype(np.int64)
        values = random(rng, (len(positions),), dtype)
        fill = random(rng, (), dtype)
        expected = np.full(shape, fill)
        expected[tuple(positions.T)] = values
        attrs = {"output_shape": list(shape)}
        cases.append(Case("sparse_to_dense", [positions, values, fill], expected, attrs))
        expected = np.full(shape, fill)
        expected[tuple(positions.T)] = dense.flat[0]
        cases.append(Case("sparse_to_dense", [positions, dense.reshape(-1)[0], fill], expected, attrs))
    vector = np.full(5, fill)
    vector[[1, 3]] = values[:2]
    index = np.array([1, 3], np.int32)
    cases.append(Case("sparse_to_dense", [index, values[:2], fill], vector, {"output_shape": [5]}))
    vector = np.full(5, fill)
    vector[2] = values[0]
    cases.append(Case("sparse_to_dense", [np.array(2), values[0], fill], vector, {"output_shape": [5]}))
    check(cases)


def test_sparse_fill_empty_rows():
    # The example of TensorFlow's documentation, and tensors without elements.
    indices = np.array([[0, 1], [0, 3], [2, 0], [3, 1]])
    values, fill = np.array([1, 2, 3, 4]), np.array([10])
    filled = np.array([[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]])
    expected = (filled, np.array([1, 2, 10, 3, 4, 10]), np.array([0, 1, 0, 0, 1]))
    empty = np.zeros((0, 3), np.int64)
    rows = np.array([[0, 0, 0], [1, 0, 0]])
    check(
        [
            Case("sparse_fill_empty_rows", [indices, values, np.array([5, 6]), fill], expected),
            Case(
                "sparse_fill_empty_rows",
                [empty, np.zeros(0, np.int64), np.array([2, 3, 1]), fill[0]],
                (rows, np.array([10, 10]), np.array([1, 1])),
            ),
            Case(
                "sparse_fill_empty_rows",
                [empty, np.zeros(0, np.int64), np.array([0, 3, 1]), fill],
                (empty, np.zeros(0, np.int64), np.zeros(0, np.int64)),
            ),
        ]
    )


def test_sparse_reshape():
    rng = np.random.default_rng(1)
    cases = []
    for shape, codes in [((6, 4), (2, 3, 4)), ((6, 4), (-1, 8)), ((2, 3, 4), (24,)), ((5,), (1, -1, 1))]:
        dense = sparse(rng, shape, "i32", 0.5)
        reshaped = dense.reshape(codes)
        expected = (np.argwhere(reshaped), np.array(reshaped.shape))
        inputs = [np.argwhere(dense), np.array(shape), np.array(codes)]
        cases.append(Case("sparse_reshape", inputs, expected))
    check(cases)


def exact(product, like):
    return np.asarray(product).astype(like.dtype)


def wide(array):
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


@pytest.mark.parametrize("dtype", ["f64", "f32", "i8", "i32"])
@pytest.mark.parametrize("op", ["nn.sparse_dense", "nn.internal.sparse_dense_padded"])
def test_sparse_dense(op, dtype):
    rng = np.random.default_rng(2)
    cases = []
    for m, n, k, block in [(2, 6, 8, None), (3, 6, 8, (2, 4)), (1, 4, 4, (1, 1)), (5, 12, 6, (3, 2))]:
        x, w = random(rng, (m, k), dtype), sparse(rng, (n, k), dtype)
        w[n // 2] = 0
        matrix = to_bsr(w, block) if block else to_csr(w, np.int64)
        product = exact(wide(x) @ wide(w).T, x)
        tolerance: dict[str, Any] = {"atol": RTOL.get(dtype, 0)}
        cases.append(Case(op, [x, *matrix], product, **tolerance))
        attrs = {"sparse_lhs": True}
        cases.append(Case(op, [x, *matrix], product.T.copy(), attrs, **tolerance))
    check(cases)


def test_sparse_transpose():
    rng = np.random.default_rng(3)
    cases = []
    for size in (1, 5, 9):
        for dtype in ("f32", "i64"):
            dense = sparse(rng, (size, size), dtype)
            cases.append(Case("nn.sparse_transpose", list(to_csr(dense)), to_csr(dense.T)))
    check(cases)


@pytest.mark.parametrize("dtype", ["f64", "f16", "i8", "ui8"])
def test_sparse_add(dtype):
    rng = np.random.default_rng(4)
    dense, other = random(rng, (5, 7), dtype), sparse(rng, (5, 7), dtype)
    total = exact(wide(dense) + wide(other), dense)
    check([Case("nn.sparse_add", [dense, *to_csr(other)], total)])


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_sparse_conv2d(layout):
    rng = np.random.default_rng(5)
    x = random(rng, (2, 4, 5, 6), "f64")
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
    taps = [padded[:, i : i + 4, j : j + 5] for i in range(3) for j in range(3)]
    cases = []
    for kernel, patches in [(1, x), (3, np.concatenate(taps, -1))]:
        w = sparse(rng, (8, patches.shape[-1]), "f64")
        expected = patches @ w.T
        data, indices, indptr = to_bsr(w, (4, 1))
        matrices = [to_csr(w), to_bsr(w, (4, 3)), (data[..., 0], indices, indptr)]
        for matrix in matrices:
            attrs = {"layout": layout, "kernel_size": [kernel, kernel]}
            operands = [x, *matrix]
            result = expected
            if layout == "NCHW":
                operands[0], result = np.moveaxis(x, -1, 1).copy(), np.moveaxis(expected, -1, 1).copy()
            cases.append(Case("nn.sparse_conv2d", operands, result, attrs, atol=1e-12))
    check(cases)
