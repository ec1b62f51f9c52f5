"""Operators on shapes, movement, indexing and sorting against NumPy."""

from typing import Any

import numpy as np
import pytest
from relay_eval import TYPES, Case, check, random

ALL = ["f64", "f32", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "ui8", "ui64"]


def counting(shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


RESHAPES = [
    ((2, 3, 4), [6, 4], {}, (6, 4)),
    ((2, 3, 4), [-1], {}, (24,)),
    ((2, 3, 4), [0, -1], {}, (2, 12)),
    ((2, 3, 4), [0, 0, 2, 2], {}, (2, 3, 2, 2)),
    ((2, 3, 4), [-2], {}, (2, 3, 4)),
    ((2, 3, 4), [2, -2], {}, (2, 3, 4)),
    ((2, 3, 4), [-3, 4], {}, (6, 4)),
    ((2, 3, 4), [0, -3], {}, (2, 12)),
    ((2, 3, 4), [-4, 1, 2, -2], {}, (1, 2, 3, 4)),
    ((2, 3, 4), [2, -4, -1, 3, -2], {}, (2, 1, 3, 4)),
    ((2, 3, 4), [1, 1, 24], {}, (1, 1, 24)),
    ((0, 3), [3, 0], {"allowzero": True}, (3, 0)),
    ((0, 3), [0, 3, 1], {}, (0, 3, 1)),
    ((0, 3), [-1, 3], {}, (0, 3)),
    ((), [1, 1], {}, (1, 1)),
    ((1, 1), [], {}, ()),
]


def test_reshape():
    check(
        [
            Case("reshape", [counting(shape)], counting(result), {"newshape": codes, **attrs})
            for shape, codes, attrs, result in RESHAPES
        ]
    )


def test_dimensions_of_one():
    x = counting((1, 3, 1, 4))
    check(
        [
            Case("expand_dims", [x], x.reshape(1, 1, 3, 1, 4), {"axis": 0}),
            Case("expand_dims", [x], x.reshape(1, 3, 1, 4, 1, 1), {"axis": -1, "num_newaxis": 2}),
            Case("expand_dims", [x], x.reshape(1, 3, 1, 1, 4), {"axis": -2}),
            Case("squeeze", [x], x.reshape(3, 4), dynamic=False),
            Case("squeeze", [x], x.reshape(1, 3, 4), {"axis": [2]}),
            Case("squeeze", [x], x.reshape(3, 4), {"axis": [-2, 0]}),
            Case("nn.batch_flatten", [counting((2, 3, 4))], counting((2, 12))),
            Case("nn.batch_flatten", [counting((2, 0, 4))], counting((2, 0))),
        ]
    )


def test_shapes_as_values():
    x = counting((2, 0, 5))
    check(
        [
            Case("shape_of", [x], np.array([2, 0, 5], np.int32)),
            Case("shape_of", [x], np.array([2, 0, 5], np.int64), {"dtype": "!i64"}),
            Case("ndarray_size", [x], np.array(0, np.int32)),
            Case("ndarray_size", [counting((3, 4))], np.array(12, np.int64), {"dtype": "!i64"}),
        ]
    )


def test_broadcast_to():
    cases = []
    for shape, codes, result in [
        ((3, 1), [3, 4], (3, 4)),
        ((3, 1), [2, 3, 4], (2, 3, 4)),
        ((3, 1), [2, -1, 4], (2, 3, 4)),
        ((), [2, 2], (2, 2)),
        ((1, 3), [0, 3], (0, 3)),
        ((5, 1, 7), [5, 6, 7], (5, 6, 7)),
    ]:
        for dtype in ("f32", "bf16", "i1", "i64"):
            x = random(np.random.default_rng(0), shape, dtype)
            expected = np.broadcast_to(x, result)
            cases.append(Case("broadcast_to", [x], expected, {"shape": codes}))
    check(cases)


@pytest.mark.parametrize("dtype", ALL)
def test_creation(dtype):
    t = TYPES[dtype]
    x = np.zeros((2, 3), t)
    one = np.array(1, t)
    attrs = {"shape": [2, 0, 3], "dtype": "!" + dtype}
    check(
        [
            Case("zeros", [], np.zeros((2, 0, 3), t), attrs, dynamic=False),
            Case("ones", [], np.ones((4, 3), t), {**attrs, "shape": [4, 3]}, dynamic=False),
            Case("full", [one], np.full((4, 3), one), {"shape": [4, 3]}),
            Case("full", [np.array(1.0, np.float32)], np.ones((2,), t), {"shape": [2], "dtype": "!" + dtype}),
            Case("full_like", [x, one], np.full((2, 3), one)),
        ]
    )


def test_arange():
    cases = []
    for start, stop, step in [(0, 10, 1), (10, 0, -3), (5, 5, 1), (3, 1, 1)]:
        for dtype in ("i32", "i64", "f32", "f64"):
            scalars = [np.array(v, TYPES[dtype]) for v in (start, stop, step)]
            expected = np.arange(start, stop, step).astype(TYPES[dtype])
            cases.append(Case("arange", scalars, expected, {"dtype": "!" + dtype}))
    scalars = [np.array(v, np.float32) for v in (0.0, 1.0, 0.125)]
    cases.append(Case("arange", scalars, np.arange(0, 1, 0.125).astype(np.float32), {"dtype": "!f32"}))
    check(cases)


def test_one_hot():
    indices = np.array([[0, 2], [-1, 5], [3, 1]], np.int64)
    on, off = np.array(7, np.float32), np.array(-1, np.float32)
    cases = []
    for axis in (-1, 0, 1, 2):
        hot = np.where(indices[..., None] == np.arange(4), on, off)
        expected = np.moveaxis(hot, -1, axis).copy()
        attrs = {"depth": 4, "axis": axis, "dtype": "!f32"}
        cases.append(Case("one_hot", [indices, on, off], expected, attrs))
    check(cases)


@pytest.mark.parametrize("dtype", ALL)
def test_transpose(dtype):
    rng = np.random.default_rng(1)
    cases = []
    for shape, axes in [
        ((2, 3, 4), None),
        ((2, 3, 4), [0, 2, 1]),
        ((2, 3, 4), [-1, 0, 1]),
        ((70, 90), [1, 0]),
        ((3, 40, 50), [2, 1, 0]),
        ((33, 2, 1, 65), [3, 2, 0, 1]),
        ((2, 0, 3), [1, 2, 0]),
        ((), []),
    ]:
        x = random(rng, shape, dtype)
        attrs = {} if axes is None else {"axes": axes}
        cases.append(Case("transpose", [x], np.transpose(x, axes), attrs))
    check(cases)


def test_layout_transform():
    x = counting((2, 32, 3, 4))
    packed = x.reshape(2, 2, 16, 3, 4).transpose(0, 1, 3, 4, 2)
    weight = counting((16, 8, 3, 3))
    blocked = weight.reshape(2, 8, 2, 4, 3, 3).transpose(0, 2, 4, 5, 3, 1)
    for_nhwc = x.transpose(0, 2, 3, 1)
    pairs = [
        (x, "NCHW", "NHWC", for_nhwc),
        (for_nhwc, "NHWC", "NCHW", x),
        (x, "NCHW", "NCHW16c", packed),
        (packed, "NCHW16c", "NCHW", x),
        (packed, "NCHW16c", "NHWC", for_nhwc),
        (packed, "NCHW16c", "NCHW8c", x.reshape(2, 4, 8, 3, 4).transpose(0, 1, 3, 4, 2)),
        (weight, "OIHW", "OIHW4i8o", blocked),
        (blocked, "OIHW4i8o", "OIHW", weight),
    ]
    check(
        [
            Case("layout_transform", [a.copy()], b.copy(), {"src_layout": f, "dst_layout": t})
            for a, f, t, b in pairs
        ]
    )


@pytest.mark.parametrize("dtype", ALL)
def test_join_and_split(dtype):
    rng = np.random.default_rng(2)
    a, b, c = (random(rng, (2, n, 3), dtype) for n in (1, 0, 4))
    cases = [
        Case("concatenate", [a, b, c], np.concatenate([a, b, c], 1), {"axis": 1}),
        Case("concatenate", [a, a], np.concatenate([a, a], -1), {"axis": -1}),
        Case("concatenate", [a], a),
    ]
    for axis in range(-4, 4):
        cases.append(Case("stack", [c, c], np.stack([c, c], axis), {"axis": axis}))
    whole = random(rng, (6, 4), dtype)
    for sections, axis in [(3, 0), (2, -1), (1, 0)]:
        parts = tuple(np.split(whole, sections, axis))
        attrs: dict[str, Any] = {"indices_or_sections": sections, "axis": axis}
        cases.append(Case("split", [whole], parts, attrs))
    for positions, axis in [([1, 4], 0), ([2], 1), ([0, 0, 3], -2)]:
        parts = tuple(np.split(whole, positions, axis))
        attrs = {"indices_or_sections": positions, "axis": axis}
        cases.append(Case("split", [whole], parts, attrs))
    check(cases)


SLICES = [
    ([1, 2], [4, 5], None, None, np.s_[1:4, 2:5]),
    ([0], [10**9], [2], None, np.s_[::2]),
    ([-3, -2], [-1, 10**9], None, None, np.s_[-3:-1, -2:]),
    ([5, 6], [0, 1], [-1, -2], None, np.s_[5:0:-1, 6:1:-2]),
    ([-1], [-(10**9)], [-1], None, np.s_[::-1]),
    ([100], [-(10**9)], [-3], None, np.s_[100::-3]),
    ([1], [3], None, [1], np.s_[:, 1:3]),
    ([1, 0], [7, 2], [3, 1], [-1, 0], np.s_[0:2, 1:7:3]),
    ([4], [2], None, None, np.s_[4:2]),
    ([7], [9], None, None, np.s_[7:9]),
    ([2], [2], [-1], None, np.s_[2:2:-1]),
]


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i64"])
def test_strided_slice(dtype):
    x = random(np.random.default_rng(3), (6, 7), dtype)
    cases = []
    for begin, end, strides, axes, expected in SLICES:
        attrs: dict[str, Any] = {"begin": begin, "end": end}
        if strides:
            attrs["strides"] = strides
        if axes:
            attrs["axes"] = axes
        cases.append(Case("strided_slice", [x], x[expected], attrs))
    attrs = {"begin": [1, 2], "end": [3, -1], "slice_mode": "size"}
    cases.append(Case("strided_slice", [x], x[1:4, 2:], attrs))
    check(cases)


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "i8", "i1"])
def test_repetition(dtype):
    x = random(np.random.default_rng(4), (2, 3), dtype)
    cases = [
        Case("tile", [x], np.tile(x, reps), {"reps": reps})
        for reps in ([2], [3, 2], [2, 1, 3], [0, 1])
    ]
    for axis in (None, 0, 1, -1, -2):
        attrs = {"repeats": 3} if axis is None else {"repeats": 3, "axis": axis}
        cases.append(Case("repeat", [x], np.repeat(x, 3, axis), attrs))
    for axis in (0, 1, -1):
        cases.append(Case("reverse", [x], np.flip(x, axis).copy(), {"axis": axis}))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i8", "i1"])
def test_pad(dtype):
    x = random(np.random.default_rng(5), (3, 4), dtype)
    value = np.array(1, x.dtype)
    cases = []
    mode: Any
    for widths in ([0, 0, 0, 0], [1, 2, 0, 3], [2, 0, 2, 3]):
        pairs = [(widths[0], widths[1]), (widths[2], widths[3])]
        for mode in ("constant", "edge", "reflect"):
            extra: dict[str, Any] = {"constant_values": value} if mode == "constant" else {}
            expected = np.pad(x, pairs, mode, **extra)
            attrs = {"pad_width": widths, "pad_mode": mode}
            cases.append(Case("nn.pad", [x, value], expected, attrs))
    # Negative widths crop.
    expected = np.pad(x[1:, :-2], [(0, 1), (2, 0)], constant_values=value)
    cases.append(Case("nn.pad", [x, value], expected, {"pad_width": [-1, 1, 2, -2]}))
    check(cases)


def test_trilu():
    cases = []
    x = counting((2, 4, 5)) + 1
    for k in (-5, -1, 0, 2, 9):
        scalar = np.array(k, np.int64)
        cases.append(Case("trilu", [x, scalar], np.triu(x, k)))
        cases.append(Case("trilu", [x, scalar], np.tril(x, k), {"upper": False}))
    check(cases)


def test_blocks():
    x = counting((2, 12, 2, 3))
    n, c, h, w = x.shape
    dcr = x.reshape(n, 2, 2, 3, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, 3, 4, 6)
    cdr = x.reshape(n, 3, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, 3, 4, 6)
    block = {"block_size": 2}
    nhwc = {"block_size": 2, "layout": "NHWC"}
    check(
        [
            Case("nn.depth_to_space", [x], dcr, block),
            Case("nn.depth_to_space", [x], cdr, {**block, "mode": "CDR"}),
            Case("nn.depth_to_space", [x.transpose(0, 2, 3, 1).copy()], dcr.transpose(0, 2, 3, 1).copy(), nhwc),
            Case("nn.space_to_depth", [dcr.copy()], x, block),
            Case("nn.space_to_depth", [cdr.copy()], x, {**block, "mode": "CDR"}),
        ]
    )


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i64"])
def test_take(dtype):
    rng = np.random.default_rng(6)
    x = random(rng, (4, 5, 6), dtype)
    indices = np.array([[0, 3, 1], [2, 2, 0]], np.int32)
    wild = np.array([-7, -1, 4, 9], np.int64)
    cases = []
    for axis in (0, 1, 2, -1):
        expected = np.take(x, indices, axis)
        cases.append(Case("take", [x, indices], expected, {"axis": axis, "mode": "fast"}))
        size = x.shape[axis]
        clipped = np.take(x, np.clip(wild, 0, size - 1), axis)
        cases.append(Case("take", [x, wild], clipped, {"axis": axis}))
        wrapped = np.take(x, wild % size, axis)
        cases.append(Case("take", [x, wild], wrapped, {"axis": axis, "mode": "wrap"}))
    cases.append(Case("take", [x, indices], np.take(x, indices)))
    scalar = np.array(2, np.int64)
    cases.append(Case("take", [x, scalar], x[:, 2], {"axis": 1}))
    batched = random(rng, (4, 2), "i32", 0, 4)
    expected = np.stack([x[b][batched[b]] for b in range(4)])
    cases.append(Case("take", [x, batched], expected, {"axis": 1, "batch_dims": 1}))
    expected = np.stack([x[b][:, batched[b]] for b in range(4)])
    cases.append(Case("take", [x, batched], expected, {"axis": 2, "batch_dims": 1}))
    empty = np.zeros((0,), np.int32)
    cases.append(Case("take", [x, empty], x[:, empty], {"axis": 1}))
    check(cases)


def test_gather():
    rng = np.random.default_rng(7)
    cases = []
    for dtype in ("f32", "f16", "i1", "i64"):
        x = random(rng, (4, 5, 6), dtype)
        for axis in (0, 1, -1):
            shape = list(x.shape)
            shape[axis] = 7
            size = x.shape[axis]
            indices = rng.integers(-size, size - 1, shape, endpoint=True)
            expected = np.take_along_axis(x, indices, axis)
            cases.append(Case("gather", [x, indices], expected, {"axis": axis}))
    check(cases)


def test_gather_nd():
    rng = np.random.default_rng(8)
    x = random(rng, (3, 4, 5), "f32")
    cases = []
    for depth in (1, 2, 3):
        indices = np.stack([rng.integers(0, x.shape[i], (2, 6)) for i in range(depth)])
        # The depth is part of the result's type.
        cases.append(Case("gather_nd", [x, indices], x[tuple(indices)], dynamic=False))
    indices = rng.integers(0, 4, (1, 3, 2))
    expected = np.stack([x[b][indices[0, b]] for b in range(3)])
    cases.append(Case("gather_nd", [x, indices], expected, {"batch_dims": 1}, dynamic=False))
    check(cases)


UPDATES: dict[str, Any] = {
    "update": lambda a, b: b,
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "min": min,
    "max": max,
    "mean": lambda a, b: (a + b) / 2,
}


@pytest.mark.parametrize("reduction", UPDATES)
def test_scatter_elements(reduction):
    rng = np.random.default_rng(9)
    cases = []
    for axis in (0, 1, -1):
        x = random(rng, (4, 5, 3), "f64")
        indices = rng.integers(-x.shape[axis], x.shape[axis], (3, 2, 3))
        updates = random(rng, indices.shape, "f64")
        expected = x.copy()
        for position in np.ndindex(*indices.shape):
            place = list(position)
            place[axis] = indices[position]
            target = tuple(place)
            expected[target] = UPDATES[reduction](expected[target], updates[position])
        attrs = {"axis": axis, "reduction": reduction}
        cases.append(Case("scatter_elements", [x, indices, updates], expected, attrs))
    check(cases)


@pytest.mark.parametrize("mode", ["update", "add", "mul", "min", "max"])
def test_scatter_nd(mode):
    rng = np.random.default_rng(10)
    cases = []
    for dtype in ("f32", "i64"):
        for depth in (1, 2, 3):
            x = random(rng, (4, 5, 3), dtype)
            indices = np.stack([rng.integers(0, x.shape[i], (6,)) for i in range(depth)])
            updates = random(rng, (6, *x.shape[depth:]), dtype)
            wide = x.astype(np.float64)
            for i in range(6):
                target = tuple(indices[:, i])
                for inner in np.ndindex(*x.shape[depth:]):
                    at = (*target, *inner)
                    value = float(updates[(i, *inner)])
                    wide[at] = UPDATES[mode](wide[at], value)
            inputs, attrs = [x, indices, updates], {"mode": mode}
            # The depth must be known to the compiler.
            cases.append(Case("scatter_nd", inputs, wide.astype(x.dtype), attrs, dynamic=False))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i8", "ui64"])
def test_sort(dtype):
    rng = np.random.default_rng(11)
    x = random(rng, (3, 7, 5), dtype, 0, 4)  # With ties: orders are stable.
    cases = []
    for axis in (0, 1, -1):
        order = np.argsort(x, axis, kind="stable")
        reverse = np.argsort(-x.astype(np.float64), axis, kind="stable")
        for ascend, positions in ((True, order), (False, reverse)):
            attrs: dict[str, Any] = {"axis": axis, "is_ascend": ascend}
            values = np.take_along_axis(x, positions, axis)
            cases.append(Case("sort", [x], values, attrs))
            cases.append(Case("argsort", [x], positions.astype(np.int32), {**attrs, "dtype": "!i32"}))
            top = np.take(positions, [0, 1], axis)
            best = (np.take_along_axis(x, top, axis), top.astype(np.int64))
            attrs = {"axis": axis, "is_ascend": ascend, "k": 2, "dtype": "!i64"}
            cases.append(Case("topk", [x], best, attrs))
            cases.append(Case("topk", [x], best[0], {**attrs, "ret_type": "values"}))
            cases.append(Case("topk", [x], best[1], {**attrs, "ret_type": "indices"}))
    check(cases)


def test_sort_nan_is_largest():
    x = np.array([2, np.nan, -np.inf, np.inf, np.nan, 1], np.float32)
    check(
        [
            Case("sort", [x], np.sort(x)),
            Case("argsort", [x], np.array([2, 5, 0, 3, 1, 4], np.int32), {"dtype": "!i32"}),
            Case("argsort", [x], np.array([1, 4, 3, 0, 5, 2], np.int32), {"dtype": "!i32", "is_ascend": False}),
        ]
    )
