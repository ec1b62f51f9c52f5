"""Operators that search and give positions against NumPy."""

from typing import Any

import numpy as np
import pytest
from relay_eval import TYPES, Case, check, random


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i64"])
def test_adv_index(dtype):
    rng = np.random.default_rng(0)
    x = random(rng, (3, 4, 5), dtype)
    a = rng.integers(-3, 3, (2, 1)).astype(np.int64)
    b = rng.integers(0, 4, (6,)).astype(np.int32)
    c = np.array(-5, np.int8)
    check(
        [
            Case("adv_index", [x, a], x[a]),
            Case("adv_index", [x, a, b], x[a, b]),
            Case("adv_index", [x, a, b, c], x[a, b, c]),
            Case("adv_index", [x, np.zeros((0, 2), np.int64)], x[np.zeros((0, 2), np.int64)]),
        ]
    )


@pytest.mark.parametrize("dtype", ["f64", "f16", "i1", "i8", "ui64"])
def test_argwhere(dtype):
    rng = np.random.default_rng(1)
    cases = []
    for shape in ((7,), (3, 4), (2, 3, 4), (0, 3), ()):
        x = random(rng, shape, dtype, low=0, high=1.5)
        x = np.where(rng.random(shape) < 0.5, x, np.zeros((), x.dtype)).astype(x.dtype)
        cases.append(Case("argwhere", [x], np.argwhere(x).astype(np.int32)))
    if dtype == "f64":
        x = np.array([0.0, -0.0, np.nan, np.inf])
        cases.append(Case("argwhere", [x], np.array([[2], [3]], np.int32)))
    check(cases)


def test_invert_permutation():
    for dtype in (np.int32, np.int64):
        x = np.random.default_rng(2).permutation(9).astype(dtype)
        check([Case("invert_permutation", [x], np.argsort(x).astype(dtype))])


def test_meshgrid():
    vectors = [np.arange(n).astype(np.float32) + 10 * n for n in (3, 4, 2)]
    cases = []
    for count in (1, 2, 3):
        for indexing in ("ij", "xy"):
            grids = np.meshgrid(*vectors[:count], indexing=indexing)
            expected = tuple(grid.copy() for grid in grids)
            cases.append(Case("meshgrid", vectors[:count], expected, {"indexing": indexing}))
    scalar = np.array(5, np.float32)
    expected = tuple(g.copy() for g in np.meshgrid(vectors[0], scalar, indexing="ij"))
    cases.append(Case("meshgrid", [vectors[0], scalar], expected))
    check(cases)


@pytest.mark.parametrize("dtype", ["f64", "f32", "i8", "i64", "ui8"])
def test_searchsorted(dtype):
    rng = np.random.default_rng(3)
    cases = []
    vector = np.sort(random(rng, (9,), dtype))
    values = random(rng, (3, 4), dtype)
    rows = np.sort(random(rng, (2, 3, 6), dtype), -1)
    keys = random(rng, (2, 3, 5), dtype)
    for right in (False, True):
        side: Any = "right" if right else "left"
        attrs = {"right": right, "dtype": "!i64"}
        expected = np.searchsorted(vector, values, side)
        cases.append(Case("searchsorted", [vector, values], expected, attrs))
        cases.append(Case("searchsorted", [vector, values[0, 0]], expected[0, 0], attrs))
        cases.append(Case("searchsorted", [vector, values], expected.astype(np.int32), {"right": right}))
        by_row = [
            np.searchsorted(s, k, side) for s, k in zip(rows.reshape(6, 6), keys.reshape(6, 5))
        ]
        cases.append(Case("searchsorted", [rows, keys], np.array(by_row).reshape(2, 3, 5), attrs))
    check(cases)


@pytest.mark.parametrize("dtype", ["f64", "f32", "i8", "i64", "ui8", "i1"])
def test_unique(dtype):
    rng = np.random.default_rng(4)
    cases = []

    def pad(array, size, dtype):
        return np.concatenate([array, np.zeros(size - len(array))]).astype(dtype)

    for size in (0, 1, 12):
        x = random(rng, (size,), dtype)
        if x.dtype.kind == "f":
            x = np.round(x)
        values, first, inverse, counts = np.unique(x, True, True, True)
        for is_sorted in (True, False):
            if not is_sorted:
                order = np.argsort(first)
                values, first, counts = values[order], first[order], counts[order]
                inverse = np.argsort(order)[inverse]
            expected = (
                pad(values, size, TYPES[dtype]),
                pad(first, size, np.int32),
                inverse.astype(np.int32),
                np.array([len(values)], np.int32),
                pad(counts, size, np.int32),
            )
            attrs = {"sorted": is_sorted, "return_counts": True}
            cases.append(Case("unique", [x], expected, attrs))
            cases.append(Case("unique", [x], expected[:4], {"sorted": is_sorted}))
    check(cases)


def test_unique_example():
    x = np.array([4, 5, 1, 2, 3, 3, 4, 5], np.int32)
    expected = [
        [1, 2, 3, 4, 5, 0, 0, 0],
        [2, 3, 4, 0, 1, 0, 0, 0],
        [3, 4, 0, 1, 2, 2, 3, 4],
        [5],
        [1, 1, 2, 2, 2, 0, 0, 0],
    ]
    arrays = tuple(np.array(e, np.int32) for e in expected)
    check([Case("unique", [x], arrays, {"return_counts": True})])


def test_unravel_index():
    cases = []
    for shape in ((4, 5, 6), (120,), (1, 7, 1)):
        size = int(np.prod(shape))
        dtype: Any
        for dtype in (np.int32, np.int64):
            index = np.random.default_rng(5).integers(0, size, 8).astype(dtype)
            sizes = np.array(shape, dtype)
            expected = np.array(np.unravel_index(index, shape)).astype(dtype)
            cases.append(Case("unravel_index", [index, sizes], expected))
            cases.append(Case("unravel_index", [index[0], sizes], expected[:, 0].copy()))
    check(cases)
