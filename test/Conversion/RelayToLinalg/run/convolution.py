# RUN: %python %s relay-opt mlir-translate %t
"""Convolutions, transposed convolutions and matrix products."""

import itertools

import numpy as np

from harness import BFLOAT16, Suite, random

suite = Suite()


def convolve(data, weight, strides, padding, dilation, groups=1, dtype=None):
    """Convolution by its definition, over channel-first data."""
    dtype = dtype or data.dtype
    rank = data.ndim - 2
    wide = np.float64 if np.dtype(dtype).kind not in "iu" else np.int64
    before, after = padding[:rank], padding[rank:]
    padded = np.pad(data.astype(wide),
                    [(0, 0), (0, 0)] + list(zip(before, after)))
    kernel = weight.shape[2:]
    sizes = [(padded.shape[2 + i] - (kernel[i] - 1) * dilation[i] - 1)
             // strides[i] + 1 for i in range(rank)]
    outputs, channels = weight.shape[0], weight.shape[1]
    result = np.zeros((data.shape[0], outputs, *sizes), wide)
    for o in range(outputs):
        first = o // (outputs // groups) * channels
        for offset in itertools.product(*map(range, kernel)):
            window = tuple(
                slice(k * d, k * d + (n - 1) * s + 1, s)
                for k, d, n, s in zip(offset, dilation, sizes, strides))
            patch = padded[(slice(None), slice(first, first + channels)) + window]
            result[:, o] += np.einsum("nc...,c->n...", patch,
                                      weight[(o, slice(None)) + offset].astype(wide))
    return result.astype(dtype)


def transpose_convolve(data, weight, strides, padding, dilation, extra, groups=1):
    """Scatters each element of the data times the kernel."""
    rank = data.ndim - 2
    kernel = weight.shape[2:]
    channels, per_group = weight.shape[0] // groups, weight.shape[1]
    full = [(n - 1) * s + (k - 1) * d + 1 + e + 100
            for n, s, k, d, e in zip(data.shape[2:], strides, kernel, dilation, extra)]
    result = np.zeros((data.shape[0], per_group * groups, *full))
    for c in range(weight.shape[0]):
        group = c // channels
        for o in range(per_group):
            for offset in itertools.product(*map(range, kernel)):
                place = tuple(slice(k * d, k * d + (n - 1) * s + 1, s)
                              for k, d, n, s in zip(offset, dilation,
                                                    data.shape[2:], strides))
                result[(slice(None), group * per_group + o) + place] += (
                    data[:, c] * weight[(c, o) + offset])
    crop = tuple(
        slice(p, p + (n - 1) * s + (k - 1) * d + 1 - p - q + e)
        for p, q, n, s, k, d, e in zip(padding[:rank], padding[rank:],
                                       data.shape[2:], strides, kernel, dilation,
                                       extra))
    return result[(slice(None), slice(None)) + crop].astype(data.dtype)


def attributes(strides, padding, dilation, groups=1, **others):
    fields = dict(strides=strides, padding=padding, dilation=dilation,
                  groups=groups, **others)
    return ", ".join(f"{key} = {list(value) if isinstance(value, tuple) else value}"
                     for key, value in fields.items())


# data, weight, strides, padding, dilation, groups
CONVOLUTIONS = [
    ((2, 3, 9), (4, 3, 3), (1,), (1, 1), (1,), 1),
    ((1, 2, 11), (4, 1, 3), (2,), (2, 0), (2,), 2),
    ((1, 3, 7, 8), (4, 3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((2, 3, 7, 8), (4, 3, 3, 2), (2, 3), (0, 1, 2, 0), (1, 1), 1),
    ((1, 3, 9, 9), (2, 3, 3, 3), (1, 1), (2, 2, 2, 2), (2, 2), 1),
    ((1, 4, 5, 5), (6, 4, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 4, 6, 6), (4, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 4),
    ((2, 4, 6, 6), (6, 2, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 2),
    ((1, 3, 6, 6), (6, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 3),
    ((1, 2, 4, 5, 6), (3, 2, 2, 3, 3), (1, 2, 1), (0, 1, 1, 1, 0, 1), (1, 1, 2), 1),
]
for data_shape, weight_shape, strides, padding, dilation, groups in CONVOLUTIONS:
    data, weight = random(*data_shape), random(*weight_shape, seed=1)
    expected = convolve(data, weight, strides, padding, dilation, groups)
    operator = f"nn.conv{len(strides)}d"
    text = attributes(strides, padding, dilation, groups)
    suite.add(operator, [data, weight], expected, attrs=text, rtol=1e-4,
              atol=1e-4)
    suite.add(operator, [data, weight], expected, attrs=text, rtol=1e-4,
              atol=1e-4, dynamic=[(0,), ()], dynamic_result=(0,), name="batch")
    if groups == 1:
        spatial = tuple(range(2, data.ndim))
        suite.add(operator, [data, weight], expected, attrs=text, rtol=1e-4,
                  atol=1e-4, dynamic=[(0,) + spatial, ()],
                  dynamic_result=(0,) + spatial, name="dynamic")

# Element types: integers are widened first, narrow floats summed in f32.
data = random(1, 3, 5, 5, dtype=np.int8, low=-128, high=128)
weight = random(2, 3, 3, 3, dtype=np.int8, low=-128, high=128, seed=1)
arguments = ((1, 1), (1, 1, 1, 1), (1, 1))
suite.add("nn.conv2d", [data, weight],
          convolve(data, weight, *arguments, dtype=np.int32),
          attrs=attributes(*arguments, out_dtype="i32"))
data = random(1, 3, 5, 5, dtype=np.uint8, low=0, high=256)
weight8 = random(2, 3, 3, 3, dtype=np.uint8, low=0, high=256, seed=1)
suite.add("nn.conv2d", [data, weight8],
          convolve(data, weight8, *arguments, dtype=np.int32),
          attrs=attributes(*arguments, out_dtype="i32"))
for dtype, tolerance in [(np.float16, 1e-3), (BFLOAT16, 1e-2)]:
    data = random(1, 40, 5, 5).astype(dtype)
    weight = random(2, 40, 3, 3, seed=1).astype(dtype)
    expected = convolve(data.astype(np.float32), weight.astype(np.float32),
                        *arguments).astype(dtype)
    suite.add("nn.conv2d", [data, weight], expected, rtol=tolerance,
              atol=tolerance, attrs=attributes(*arguments))

# data, weight, strides, padding, dilation, output padding, groups
TRANSPOSED = [
    ((1, 2, 5), (2, 3, 3), (2,), (1, 1), (1,), (1,), 1),
    ((1, 2, 4, 5), (2, 3, 3, 3), (1, 1), (0, 0, 0, 0), (1, 1), (0, 0), 1),
    ((2, 3, 4, 5), (3, 2, 3, 4), (2, 3), (1, 1, 1, 1), (1, 1), (1, 2), 1),
    ((1, 3, 4, 4), (3, 2, 2, 2), (2, 2), (0, 1, 1, 0), (2, 1), (0, 1), 1),
    ((1, 4, 4, 4), (4, 3, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), (0, 0), 2),
    ((1, 4, 4, 4), (4, 1, 2, 2), (2, 2), (0, 0, 0, 0), (1, 1), (0, 0), 4),
    # More padding than the kernel reaches: the border is cut off.
    ((1, 1, 6, 6), (1, 1, 2, 2), (2, 2), (3, 2, 2, 3), (1, 1), (0, 0), 1),
    ((1, 2, 3, 4, 3), (2, 2, 2, 3, 2), (2, 1, 2), (0, 1, 0, 1, 0, 1), (1, 1, 1),
     (1, 0, 0), 1),
]
for data_shape, weight_shape, strides, padding, dilation, extra, groups in TRANSPOSED:
    data, weight = random(*data_shape), random(*weight_shape, seed=1)
    expected = transpose_convolve(data, weight, strides, padding, dilation,
                                  extra, groups)
    operator = f"nn.conv{len(strides)}d_transpose"
    text = attributes(strides, padding, dilation, groups, output_padding=extra)
    suite.add(operator, [data, weight], expected, attrs=text, rtol=1e-4,
              atol=1e-4)
    suite.add(operator, [data, weight], expected, attrs=text, rtol=1e-4,
              atol=1e-4, dynamic=[(0,), ()], dynamic_result=(0,), name="batch")

# Matrix products.
a, w = random(4, 6), random(5, 6, seed=1)
suite.add("nn.dense", [a, w], a @ w.T, rtol=1e-4)
suite.add("nn.dense", [a, w], a @ w.T, rtol=1e-4, dynamic=[(0,), ()],
          dynamic_result=(0,))
suite.add("nn.dense", [a, w], a @ w.T, rtol=1e-4, dynamic=[(0, 1), (0, 1)],
          dynamic_result=(0, 1))
cube = random(2, 3, 6, seed=2)
suite.add("nn.dense", [cube, w], cube @ w.T, rtol=1e-4)
left = random(4, 6, dtype=np.int8, low=-128, high=128)
right = random(5, 6, dtype=np.int8, low=-128, high=128, seed=1)
suite.add("nn.dense", [left, right],
          left.astype(np.int32) @ right.astype(np.int32).T, attrs="out_dtype = i32")
suite.add("nn.dense", [left, right], left @ right.T, name="wraps")
half, half_weight = a.astype(np.float16), w.astype(np.float16)
suite.add("nn.dense", [half, half_weight],
          (half.astype(np.float32) @ half_weight.astype(np.float32).T)
          .astype(np.float16), rtol=1e-3, atol=1e-3)
for transpose_a, transpose_b in itertools.product([False, True], repeat=2):
    text = (f"transpose_a = {str(transpose_a).lower()}, "
            f"transpose_b = {str(transpose_b).lower()}")
    left = random(*((6, 4) if transpose_a else (4, 6)))
    right = random(*((5, 6) if transpose_b else (6, 5)), seed=1)
    expected = (left.T if transpose_a else left) @ (right.T if transpose_b else right)
    suite.add("nn.matmul", [left, right], expected, attrs=text, rtol=1e-4,
              atol=1e-5)
    batched = random(*((3, 6, 4) if transpose_a else (3, 4, 6)), seed=2)
    expected = np.matmul(batched.swapaxes(1, 2) if transpose_a else batched,
                         right.T if transpose_b else right)
    suite.add("nn.matmul", [batched, right], expected, attrs=text, rtol=1e-4,
              atol=1e-5)
    other = random(*((3, 5, 6) if transpose_b else (3, 6, 5)), seed=3)
    for first, second, dims in [(batched, other, [(0,), (0,)]),
                                (batched[:1], other, [(), (0,)]),
                                (batched, other[:1], [(0,), ()]),
                                (batched[:1], other[:1], [(1,), ()])]:
        expected = np.matmul(first.swapaxes(1, 2) if transpose_a else first,
                             second.swapaxes(1, 2) if transpose_b else second)
        suite.add("nn.batch_matmul", [first, second], expected, attrs=text,
                  rtol=1e-4, atol=1e-5)
        if first.shape[0] > 1 or second.shape[0] > 1:
            suite.add("nn.batch_matmul", [first, second], expected, attrs=text,
                      rtol=1e-4, atol=1e-5, dynamic=dims, dynamic_result=(0,))

suite.main()
