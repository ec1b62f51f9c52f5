"""Operators that follow other shapes, and windows and parts, against NumPy."""

import numpy as np
import pytest
from relay_eval import Case, check, random

DTYPES = ["f64", "f32", "f16", "bf16", "i1", "i8", "i32", "i64", "ui8"]


def counting(shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcast_to_like(dtype):
    rng = np.random.default_rng(0)
    cases = []
    for shape, like in [((3,), (2, 3)), ((), (4, 2)), ((2, 1, 3), (2, 5, 3)), ((1, 3), (0, 3))]:
        x = random(rng, shape, dtype)
        expected = np.broadcast_to(x, like).copy()
        cases.append(Case("broadcast_to_like", [x, random(rng, like, dtype)], expected))
    check(cases)


def test_cast_like():
    x = np.array([-1.5, 0.0, 0.4, 2.9], np.float32)
    for dtype in (np.int8, np.float64, np.int64):
        like = np.zeros((2, 0), dtype)
        check([Case("cast_like", [x, like], x.astype(dtype))])
    check([Case("cast_like", [x, np.zeros((1,), bool)], x != 0)])


@pytest.mark.parametrize("dtype", ["f64", "f32", "i32", "ui8"])
def test_collapse_sum(dtype):
    rng = np.random.default_rng(1)
    x = random(rng, (2, 3, 4), dtype)
    cases = []
    for shape, axes in [
        ((2, 3, 4), ()),
        ((3, 4), (0,)),
        ((3, 1), (0, 2)),
        ((1, 3, 1), (0, 2)),
        ((1,), (0, 1, 2)),
        ((), (0, 1, 2)),
    ]:
        total = x.astype(np.float64).sum(axis=axes) if axes else x
        expected = total.reshape(shape).astype(x.dtype)
        like = np.zeros(shape, x.dtype)
        cases.append(Case("collapse_sum_like", [x, like], expected, atol=1e-6))
        target = np.array(shape, np.int32)
        cases.append(Case("collapse_sum_to", [x, target], expected, atol=1e-6, dynamic=False))
        attrs = {"shape": list(shape)} if shape else {}
        cases.append(Case("collapse_sum_to", [x, target], expected, attrs, atol=1e-6, dynamic=False))
    check(cases)


def test_reshape_like():
    x = counting((2, 3, 4))
    check(
        [
            Case("reshape_like", [x, np.zeros((6, 4), bool)], x.reshape(6, 4)),
            Case("reshape_like", [x, np.zeros((3, 2, 7))], x.reshape(3, 2, 4), {"lhs_end": 2, "rhs_end": 2}),
            Case("reshape_like", [x, np.zeros((9, 12))], x.reshape(2, 12), {"lhs_begin": 1, "rhs_begin": 1}),
            Case("reshape_like", [x, np.zeros((4, 3))], x.reshape(2, 4, 3), {"lhs_begin": -2}),
            # An empty range drops nothing and adds a one.
            Case("reshape_like", [x, np.zeros((1,))], x.reshape(1, 2, 3, 4), {"lhs_end": 0}),
        ]
    )


def test_slice_like():
    x = counting((4, 5, 6))
    like = np.zeros((2, 3, 6))
    check(
        [
            Case("slice_like", [x, like], x[:2, :3].copy()),
            Case("slice_like", [x, np.zeros((2, 1))], x[:2, :1].copy()),
            Case("slice_like", [x, like], x[:, :3].copy(), {"axes": [1]}),
            Case("slice_like", [x, like], x[:2].copy(), {"axes": [-3, -1]}),
        ]
    )


def test_reverse_reshape():
    x = counting((10, 5, 4))
    for codes, shape in [
        ([-1, 0], (50, 4)),
        ([-1, 0, 0], (10, 5, 4)),
        ([0, -3], (10, 20)),
        ([-2], (10, 5, 4)),
        ([2, 5, 0, 0], (2, 5, 5, 4)),
    ]:
        check([Case("contrib_reverse_reshape", [x], x.reshape(shape), {"newshape": codes})])


def test_reinterpret():
    x = random(np.random.default_rng(2), (3, 4), "f32")
    h = random(np.random.default_rng(3), (5,), "f16")
    b = np.array([0, 1, -1, -128, 127], np.int8)
    check(
        [
            Case("reinterpret", [x], x.view(np.int32), {"dtype": "!i32"}),
            Case("reinterpret", [x], x.view(np.uint32), {"dtype": "!ui32"}),
            Case("reinterpret", [x.view(np.int32)], x, {"dtype": "!f32"}),
            Case("reinterpret", [h], h.view(np.int16), {"dtype": "!i16"}),
            Case("reinterpret", [b], b.view(np.uint8), {"dtype": "!ui8"}),
        ]
    )


def test_auto_scheduler_layout():
    x = counting((8, 12))
    tiled = x.reshape(4, 2, 3, 4).transpose(2, 0, 1, 3).copy()
    check(
        [
            Case(
                "auto_scheduler_layout_transform",
                [x],
                tiled,
                {"src_layout": "8n12c", "dst_layout": "3c4n2n4c"},
                dynamic=False,
            ),
            Case(
                "auto_scheduler_layout_transform",
                [x],
                x.reshape(2, 2, 2, 12).transpose(3, 0, 1, 2).copy(),
                {"src_layout": "8n12c", "dst_layout": "12c2n2n2n"},
                dynamic=False,
            ),
        ]
    )


def test_meta_schedule_layout():
    x = counting((8, 12))
    name = "meta_schedule_layout_transform"
    blocked = x.reshape(2, 4, 12).transpose(0, 2, 1).copy()
    flat = x.T.reshape(96).copy()
    check(
        [
            Case(name, [x], blocked, {"index_map": "!affine_map<(i, j) -> (i floordiv 4, j, i mod 4)>"}),
            Case(name, [x], flat, {"index_map": "!affine_map<(i, j) -> (j * 8 + i)>"}),
            Case(name, [x], x[::-1].copy(), {"index_map": "!affine_map<(i, j) -> (7 - i, j)>"}),
            Case(name, [np.zeros((0, 3))], np.zeros((3, 0)), {"index_map": "!affine_map<(i, j) -> (j, i)>"}),
        ]
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_sliding_window(dtype):
    x = random(np.random.default_rng(4), (2, 7, 9), dtype)
    view = np.lib.stride_tricks.sliding_window_view
    check(
        [
            Case(
                "sliding_window",
                [x],
                view(x, (3, 2), (1, 2))[:, ::2, ::3].copy(),
                {"axis": 1, "window_shape": [3, 2], "strides": [2, 3]},
            ),
            Case(
                "sliding_window",
                [x],
                view(x, 4, 2)[:, :, ::5].copy(),
                {"axis": -1, "window_shape": [4], "strides": [5]},
            ),
            Case(
                "sliding_window",
                [x],
                view(x, (2, 7, 9))[:, :, ::1].copy(),
                {"axis": 0, "window_shape": [2, 7, 9], "strides": [1, 1, 1]},
            ),
        ]
    )


@pytest.mark.parametrize("dtype", ["f32", "i1", "i64"])
def test_strided_set(dtype):
    rng = np.random.default_rng(5)
    x = random(rng, (5, 6), dtype)
    cases = []
    for begin, end, strides in [
        ([1, 2], [4, 6], [1, 2]),
        ([-1, 0], [-6, 5], [-2, 3]),
        ([3], [1], [1]),
        ([0, -100], [100, 100], [4, 1]),
        ([], [], []),
    ]:
        index = tuple(
            slice(b, None if e == -6 else e, s) for b, e, s in zip(begin, end, strides)
        )
        for v in (random(rng, x[index].shape, dtype), random(rng, (), dtype)):
            expected = x.copy()
            expected[index] = v
            bounds = [np.array(b, np.int64) for b in (begin, end, strides)]
            cases.append(Case("strided_set", [x, v, *bounds], expected))
    check(cases)


def set_diag(matrix, diagonal, k1, k2, super_right, sub_right):
    """As the definition in words says, one diagonal after the other."""
    result = matrix.copy()
    rows, columns = matrix.shape[-2:]
    diagonals = diagonal if k1 != k2 else diagonal[..., None, :]
    for k in range(k1, k2 + 1):
        length = len(np.diagonal(np.zeros((rows, columns)), k))
        values = diagonals[..., k2 - k, :]
        right = super_right if k >= 0 else sub_right
        values = values[..., values.shape[-1] - length :] if right else values[..., :length]
        i = np.arange(length) - min(k, 0)
        result[..., i, i + k] = values
    return result


def test_matrix_set_diag():
    rng = np.random.default_rng(6)
    cases = []
    for shape in ((3, 3), (3, 5), (2, 2, 5, 4)):
        x = random(rng, shape, "f32")
        rows, columns = shape[-2:]
        for k1, k2 in [(0, 0), (1, 1), (-2, -2), (-1, 1), (0, 2), (-2, -1), (1 - rows, columns - 1)]:
            lengths = [len(np.diagonal(np.zeros((rows, columns)), k)) for k in range(k1, k2 + 1)]
            diagonal_shape = shape[:-2] + ((k2 - k1 + 1,) if k1 != k2 else ()) + (max(lengths),)
            diagonal = random(rng, diagonal_shape, "f32")
            for super_right in (False, True):
                for sub_right in (False, True):
                    attrs = {
                        "k1": k1,
                        "k2": k2,
                        "super_diag_right_align": super_right,
                        "sub_diag_right_align": sub_right,
                    }
                    expected = set_diag(x, diagonal, k1, k2, super_right, sub_right)
                    cases.append(Case("matrix_set_diag", [x, diagonal], expected, attrs))
    check(cases)


def test_matrix_set_diag_example():
    """An example of TensorFlow's documentation of matrix_set_diag."""
    x = np.full((3, 4), 7, np.int32)
    diagonals = np.array([[0, 9, 1], [6, 5, 8], [1, 2, 3], [4, 5, 0]], np.int32)
    expected = np.array([[1, 6, 9, 7], [4, 2, 5, 1], [7, 5, 3, 8]], np.int32)
    attrs = {"k1": -1, "k2": 2}
    check([Case("matrix_set_diag", [x, diagonals], expected, attrs)])


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i1", "i8"])
def test_sequences(dtype):
    rng = np.random.default_rng(7)
    cases = []
    x = random(rng, (3, 4, 5), dtype)
    for seq_axis, batch_axis in [(1, 0), (0, 1), (2, 0), (-1, 1), (0, 2)]:
        moved = np.moveaxis(x, (batch_axis, seq_axis), (0, 1))
        lengths = rng.integers(0, moved.shape[1] + 1, moved.shape[0]).astype(np.int32)
        expected = moved.copy()
        for b, length in enumerate(lengths):
            expected[b, :length] = moved[b, :length][::-1]
        expected = np.moveaxis(expected, (0, 1), (batch_axis, seq_axis)).copy()
        attrs = {"seq_axis": seq_axis, "batch_axis": batch_axis}
        cases.append(Case("reverse_sequence", [x, lengths], expected, attrs))
    for axis in (0, 1):
        for length_type in (np.int32, np.float32):
            lengths = np.array([0, 1, 9, 2][: x.shape[1 - axis]], length_type)
            times = np.arange(x.shape[axis])
            keeps = times[:, None] < lengths if axis == 0 else times < lengths[:, None]
            for value in (0.0, 1.0):
                expected = np.where(keeps[..., None], x, np.array(value, x.dtype))
                mask = {"axis": axis, "mask_value": value}
                cases.append(Case("sequence_mask", [x, lengths], expected, mask))
    check(cases)
