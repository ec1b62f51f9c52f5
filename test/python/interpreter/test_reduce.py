"""Reductions and running sums against NumPy."""

import numpy as np
import pytest
from relay_eval import FLOATS, SIGNED, UNSIGNED, Case, check, exact, random

SHAPE = (2, 3, 4, 5)
AXES = [None, [0], [1], [-1], [1, 3], [-2, 0], [0, 1, 2, 3], [3, 1]]


def normalize(axis, rank, exclude):
    if axis is None:
        return tuple(range(rank))
    axes = {a % rank for a in axis}
    return tuple(a for a in range(rank) if (a in axes) != exclude)


def attrs_of(axis, keepdims, exclude):
    attrs = {}
    if axis is not None:
        attrs["axis"] = axis
    if keepdims:
        attrs["keepdims"] = True
    if exclude:
        attrs["exclude"] = True
    return attrs


def variants():
    for axis in AXES:
        for keepdims in (False, True):
            for exclude in (False, True) if axis and len(axis) < 4 else (False,):
                yield axis, keepdims, exclude


@pytest.mark.parametrize("name,fn", [("sum", np.sum), ("prod", np.prod), ("mean", np.mean), ("max", np.max), ("min", np.min)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_float(name, fn, dtype):
    rng = np.random.default_rng(0)
    x = random(rng, SHAPE, dtype, -1.5, 1.5)
    cases = []
    for axis, keepdims, exclude in variants():
        axes = normalize(axis, x.ndim, exclude)
        expected = exact(lambda v: fn(v, axis=axes, keepdims=keepdims), x)
        cases.append(Case(name, [x], expected, attrs_of(axis, keepdims, exclude), atol=1e-14))
    check(cases)


@pytest.mark.parametrize("name,fn", [("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min)])
@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer(name, fn, dtype):
    rng = np.random.default_rng(1)
    x = random(rng, SHAPE, dtype, -9, 9)
    cases = []
    for axis, keepdims, exclude in variants():
        axes = normalize(axis, x.ndim, exclude)
        wide = fn(x.astype(np.int64), axis=axes, keepdims=keepdims)
        cases.append(Case(name, [x], np.asarray(wide).astype(x.dtype), attrs_of(axis, keepdims, exclude)))
    check(cases)


def test_integer_mean_truncates():
    x = np.array([[-7, 0], [7, 0], [5, 5]], np.int32)
    check([Case("mean", [x], np.array([-3, 3, 5], np.int32), {"axis": [1]})])


@pytest.mark.parametrize("name,fn", [("all", np.all), ("any", np.any)])
def test_bool(name, fn):
    rng = np.random.default_rng(2)
    x = rng.random(SHAPE) < (0.8 if name == "all" else 0.2)
    cases = []
    for axis, keepdims, exclude in variants():
        axes = normalize(axis, x.ndim, exclude)
        expected = np.asarray(fn(x, axis=axes, keepdims=keepdims))
        cases.append(Case(name, [x], expected, attrs_of(axis, keepdims, exclude)))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "i8", "ui16", "bf16"])
def test_arg(dtype):
    rng = np.random.default_rng(3)
    # Few values, so that there are ties.
    x = random(rng, (3, 4, 5), "i8", 0, 3).astype(random(rng, (1,), dtype).dtype)
    cases = []
    for name, fn in [("argmax", np.argmax), ("argmin", np.argmin)]:
        for axis in range(-3, 3):
            for keepdims in (False, True):
                first = fn(x, axis=axis, keepdims=keepdims).astype(np.int32)
                attrs = attrs_of([axis], keepdims, False)
                cases.append(Case(name, [x], first, attrs))
                last = x.shape[axis] - 1 - fn(np.flip(x, axis), axis=axis, keepdims=keepdims)
                cases.append(Case(name, [x], last.astype(np.int32), {**attrs, "select_last_index": True}))
        cases.append(Case(name, [x], np.asarray(fn(x)).astype(np.int32)))
        # Two axes: the index into both, flattened.
        pair = np.moveaxis(x, (0, 2), (-2, -1)).reshape(4, -1)
        cases.append(Case(name, [x], fn(pair, axis=-1).astype(np.int32), {"axis": [0, 2]}))
    check(cases)


def test_nan():
    x = np.array([[1, np.nan, 3], [5, 4, 2]], np.float32)
    check(
        [
            Case("max", [x], np.max(x, 1), {"axis": [1]}),
            Case("min", [x], np.min(x, 1), {"axis": [1]}),
            Case("argmax", [x], np.argmax(x, 1).astype(np.int32), {"axis": [1]}),
            Case("argmin", [x], np.argmin(x, 1).astype(np.int32), {"axis": [1]}),
        ]
    )


def test_empty_and_scalar():
    empty = np.zeros((0, 3), np.float32)
    scalar = np.array(4.0, np.float32)
    check(
        [
            Case("sum", [empty], np.zeros(3, np.float32), {"axis": [0]}),
            Case("prod", [empty], np.ones(3, np.float32), {"axis": [0]}),
            Case("max", [empty], np.zeros(0, np.float32), {"axis": [1]}),
            Case("max", [empty], np.full(3, -np.inf, np.float32), {"axis": [0]}),
            Case("min", [empty.astype(np.int8)], np.full(3, 127, np.int8), {"axis": [0]}),
            Case("max", [empty.astype(bool)], np.zeros(3, bool), {"axis": [0]}),
            Case("sum", [scalar], scalar),
            Case("mean", [scalar], scalar),
            Case("max", [scalar], scalar),
        ]
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("unbiased", [False, True])
def test_variance(dtype, unbiased):
    rng = np.random.default_rng(4)
    x = random(rng, SHAPE, dtype)
    cases = []
    for axis, keepdims, exclude in variants():
        axes = normalize(axis, x.ndim, exclude)
        mean = exact(lambda v: np.mean(v, axis=axes, keepdims=True), x)
        count = np.prod([x.shape[a] for a in axes]) - unbiased
        expected = exact(
            lambda v, m: np.sum((v - m) ** 2, axis=axes, keepdims=keepdims) / count, x, mean
        )
        attrs = {**attrs_of(axis, keepdims, exclude)}
        if unbiased:
            attrs["unbiased"] = True
        cases.append(Case("variance", [x, mean], expected, attrs))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i8", "ui64"])
def test_cumsum(dtype):
    rng = np.random.default_rng(5)
    x = random(rng, (3, 4, 5), dtype, 0, 9)
    cases = []
    for axis in (-3, -1, 0, 1, 2):
        wide = np.float64 if x.dtype.kind not in "iu" else x.dtype
        sums = np.cumsum(x.astype(wide), axis=axis, dtype=wide)
        cases.append(Case("cumsum", [x], sums.astype(x.dtype), {"axis": axis}))
        before = (sums - x.astype(wide)).astype(x.dtype)
        cases.append(
            Case("cumsum", [x], before, {"axis": axis, "exclusive": True}, atol=1e-5)
        )
    flat = np.cumsum(x.astype(np.float64)).astype(np.float64)
    cases.append(Case("cumsum", [x], flat, {"dtype": "!f64"}))
    check(cases)
