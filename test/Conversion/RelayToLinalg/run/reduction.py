# RUN: %python %s relay-opt mlir-translate %t
"""Reductions, softmax, normalisations and running sums."""

import itertools

import numpy as np

from harness import BFLOAT16, Suite, random

suite = Suite()
x = random(2, 3, 4)


def mlir_bool(value):
    return str(value).lower()


# Every combination of axes, keepdims and exclude.
FOLDS = [("sum", np.sum, x), ("prod", np.prod, x), ("max", np.max, x),
         ("min", np.min, x), ("mean", np.mean, x), ("all", np.all, x > -1.5),
         ("any", np.any, x > 1.5)]
for (name, fold, data), axes, keepdims, exclude in itertools.product(
        FOLDS, [None, [], [1], [-1], [0, 2], [1, 0]], [False, True],
        [False, True]):
    reduced = tuple(axis % 3 for axis in axes or [])
    if not axes:
        if exclude:
            continue
        reduced = (0, 1, 2)
    elif exclude:
        reduced = tuple(set(range(3)) - set(reduced))
    expected = np.asarray(fold(data, axis=reduced, keepdims=keepdims), data.dtype)
    attrs = f"keepdims = {mlir_bool(keepdims)}, exclude = {mlir_bool(exclude)}"
    if axes is not None:
        attrs += f", axis = {axes}"
    suite.add(name, [data], expected, attrs=attrs)
for name, fold, data in FOLDS:
    suite.add(name, [data], np.asarray(fold(data, axis=1), data.dtype),
              attrs="axis = [1]", dynamic=[(0, 1)], dynamic_result=(0,))
integers = random(3, 4, dtype=np.int8, low=-128, high=128)
unsigned = random(3, 4, dtype=np.uint8, low=0, high=256)
for data in (integers, unsigned):
    for name, fold in [("sum", np.sum), ("prod", np.prod), ("max", np.max),
                       ("min", np.min)]:
        with np.errstate(all="ignore"):
            expected = fold(data.astype(np.int64) if name in ("sum", "prod") else data,
                            axis=1)
        suite.add(name, [data], expected.astype(data.dtype), attrs="axis = [1]")
    suite.add("mean", [data],
              np.array([int(row.astype(np.int64).sum() / 4) for row in data], data.dtype),
              attrs="axis = [1]")
half = np.full((1, 5000), 1.0, np.float16)
suite.add("sum", [half], np.array([5000], np.float16), attrs="axis = [1]")
suite.add("mean", [half], np.array([1], np.float16), attrs="axis = [1]",
          dynamic=[(1,)])
with_nan = x.copy()
with_nan[0, 1, 2] = np.nan
suite.add("max", [with_nan], np.max(with_nan, axis=2), attrs="axis = [2]")
suite.add("min", [with_nan], np.min(with_nan, axis=2), attrs="axis = [2]")

for unbiased, keepdims in itertools.product([False, True], repeat=2):
    mean = x.mean(axis=(0, 2), keepdims=True)
    suite.add("variance", [x, mean],
              x.var(axis=(0, 2), keepdims=keepdims, ddof=int(unbiased)),
              attrs=f"axis = [0, 2], unbiased = {mlir_bool(unbiased)}, "
                    f"keepdims = {mlir_bool(keepdims)}", rtol=1e-4)
suite.add("variance", [x, mean], x.var(axis=(0, 2)), attrs="axis = [0, 2]",
          dynamic=[(0,), ()], rtol=1e-4)

# Positions: ties, NaN, several axes.
ties = np.array([[1, 5, 5, 2], [7, 7, 7, 7], [-3, -4, -4, -3]], np.float32)
for name, fold in [("argmax", np.argmax), ("argmin", np.argmin)]:
    for data in (ties, ties.astype(np.int32), np.full((2, 3), -np.inf, np.float32),
                 np.full((2, 3), np.inf, np.float32), unsigned):
        for axis in (0, 1):
            first = fold(data, axis=axis).astype(np.int32)
            flipped = fold(np.flip(data, axis), axis=axis)
            last = (data.shape[axis] - 1 - flipped).astype(np.int32)
            suite.add(name, [data], first, attrs=f"axis = [{axis}]")
            suite.add(name, [data], last,
                      attrs=f"axis = [{axis}], select_last_index = true")
    suite.add(name, [x], np.int32(fold(x)))
    suite.add(name, [x], fold(x.reshape(2, 12), axis=1).astype(np.int32),
              attrs="axis = [1, 2]")
    suite.add(name, [x], fold(x, axis=1)[:, None].astype(np.int32),
              attrs="axis = [1], keepdims = true", dynamic=[(0, 1)],
              dynamic_result=(0,))
    suite.add(name, [with_nan], fold(with_nan, axis=2).astype(np.int32),
              attrs="axis = [2]")


# Softmax, also of numbers whose exponentials overflow.
def softmax(data, axis):
    exponential = np.exp(data - data.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


large = x * 300
for axis, data in itertools.product([0, 1, -1], [x, large]):
    expected = softmax(data, axis)
    shifted = data - data.max(axis=axis, keepdims=True)
    logarithm = shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    for options in [dict(), dict(dynamic=[(0, 2)], dynamic_result=(0, 2))]:
        suite.add("nn.softmax", [data], expected, attrs=f"axis = {axis}", **options)
        suite.add("nn.log_softmax", [data], logarithm, attrs=f"axis = {axis}",
                  **options)
for dtype, tolerance in [(np.float16, 1e-3), (BFLOAT16, 1e-2)]:
    data = x.astype(dtype)
    expected = softmax(data.astype(np.float32), -1)
    suite.add("nn.softmax", [data], expected.astype(dtype), rtol=tolerance)
    suite.add("nn.log_softmax", [data], np.log(expected).astype(dtype),
              rtol=tolerance, atol=tolerance)


# Normalisations.
def normalize(data, axes, gamma, beta, epsilon=1e-5):
    wide = data.astype(np.float64)
    mean = wide.mean(axis=axes, keepdims=True)
    variance = wide.var(axis=axes, keepdims=True)
    result = (wide - mean) / np.sqrt(variance + epsilon)
    return (result * gamma + beta).astype(data.dtype)


image = random(2, 6, 4, 5, low=99, high=101)
gamma, beta = random(6, seed=1), random(6, seed=2)
along = (slice(None), None, None)
options = dict(rtol=1e-3, atol=1e-3)
batch = dict(dynamic=[(0,), (), ()], dynamic_result=(0,), **options)
wide_gamma, wide_beta = random(5, seed=1), random(5, seed=2)
expected = normalize(image, -1, wide_gamma, wide_beta)
suite.add("nn.layer_norm", [image, wide_gamma, wide_beta], expected, **options)
suite.add("nn.layer_norm", [image, wide_gamma, wide_beta], expected, **batch)
suite.add("nn.layer_norm", [image, wide_gamma, wide_beta],
          normalize(image, -1, 1, wide_beta, 0.1),
          attrs="scale = false, epsilon = 0.1", **options)
suite.add("nn.layer_norm", [image, wide_gamma, wide_beta],
          normalize(image, -1, wide_gamma, 0), attrs="center = false", **options)
half = random(2, 5).astype(np.float16)
suite.add("nn.layer_norm", [half, wide_gamma.astype(np.float16),
                            wide_beta.astype(np.float16)],
          normalize(half, -1, wide_gamma, wide_beta), rtol=1e-2, atol=1e-2)
expected = normalize(image, (2, 3), gamma[along], beta[along])
suite.add("nn.instance_norm", [image, gamma, beta], expected, **options)
suite.add("nn.instance_norm", [image, gamma, beta], expected, **batch)
for groups in (1, 2, 3, 6):
    grouped = image.reshape(2, groups, 6 // groups, 4, 5)
    expected = normalize(grouped, (2, 3, 4), 1, 0).reshape(image.shape)
    expected = (expected * gamma[along] + beta[along]).astype(np.float32)
    suite.add("nn.group_norm", [image, gamma, beta], expected,
              attrs=f"num_groups = {groups}", **options)
    suite.add("nn.group_norm", [image, gamma, beta], expected,
              attrs=f"num_groups = {groups}", **batch)
batch_data = random(2, 6, 3)
mean, variance = random(6, seed=3), random(6, low=0.5, high=2.0, seed=4)
for center, scale, dims in itertools.product([False, True], [False, True],
                                             [(), (0,)]):
    expected = batch_data - mean[:, None]
    expected = expected / np.sqrt(variance[:, None] + 1e-5)
    expected = expected * gamma[:, None] if scale else expected
    expected = expected + beta[:, None] if center else expected
    suite.add("nn.batch_norm", [batch_data, gamma, beta, mean, variance],
              [expected.astype(np.float32)], rtol=1e-4, atol=1e-5,
              dynamic=[dims, (), (), (), ()], dynamic_result=dims, body=f"""
%t = relay.nn.batch_norm %a0, %a1, %a2, %a3, %a4 {{{{center = {mlir_bool(center)},
  scale = {mlir_bool(scale)}}}}} : ({{0}}, {{1}}, {{2}}, {{3}}, {{4}})
  -> tuple<{{0}}, {{1}}, {{1}}>
%0 = relay.tuple_get_item %t[0] : tuple<{{0}}, {{1}}, {{1}}>
return %0 : {{r0}}""")
for size, axis in [(3, 1), (5, 1), (1, 1), (3, 3), (4, 1)]:
    squares = np.zeros_like(image, np.float64)
    for offset in range(-((size - 1) // 2), size // 2 + 1):
        for i in range(image.shape[axis]):
            if 0 <= i + offset < image.shape[axis]:
                here = [slice(None)] * 4
                there = [slice(None)] * 4
                here[axis], there[axis] = i, i + offset
                squares[tuple(here)] += (image[tuple(there)] / 50) ** 2
    expected = (image / 50) / (1.5 + 0.1 / size * squares) ** 0.6
    suite.add("nn.lrn", [image / 50], expected.astype(np.float32), rtol=1e-4,
              attrs=f"size = {size}, axis = {axis}, bias = 1.5, alpha = 0.1, beta = 0.6")
for axes in ([1], [2, 3], [-1]):
    norm = np.sqrt(np.maximum((image**2).sum(axis=tuple(axes), keepdims=True), 0.1))
    suite.add("nn.l2_normalize", [image], image / norm, rtol=1e-4,
              attrs=f"eps = 0.1, axis = {axes}")

# Running sums.
for axis, exclusive, dims in itertools.product([0, 1, -1], [False, True],
                                               [(), (0,), (1, 2)]):
    expected = np.cumsum(x, axis)
    if exclusive:
        expected = expected - x
    suite.add("cumsum", [x], expected, rtol=1e-4, atol=1e-5, dynamic=[dims],
              dynamic_result=dims,
              attrs=f"axis = {axis}, exclusive = {mlir_bool(exclusive)}")
suite.add("cumsum", [x], np.cumsum(x), rtol=1e-4, atol=1e-5)
suite.add("cumsum", [unsigned], np.cumsum(unsigned, 1, dtype=np.int32),
          attrs="axis = 1, dtype = i32")
suite.add("cumsum", [unsigned], np.cumsum(unsigned, 1, dtype=np.uint8),
          attrs="axis = 1")
for axis, exclusive in [(0, False), (1, True), (-1, False)]:
    expected = np.cumprod(x, axis)
    if exclusive:
        expected = np.ones_like(x)
        expected[:, 1:] = np.cumprod(x, axis)[:, :-1]
    suite.add("cumprod", [x], expected, rtol=1e-4, atol=1e-5,
              attrs=f"axis = {axis}, exclusive = {mlir_bool(exclusive)}")
suite.add("cumsum", [np.arange(300, dtype=np.int64)],
          np.cumsum(np.arange(300, dtype=np.int64)), attrs="axis = 0")

suite.main()
