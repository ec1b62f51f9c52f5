# RUN: %python %s relay-opt mlir-translate %t
"""Pooling over sliding, global and adaptive windows."""

import itertools

import numpy as np

from harness import Suite, random

suite = Suite()


def pool(data, fold, size, strides, dilation, padding, ceil_mode=False,
         count_pads=False):
    """Folds the elements of each window, `fold` of a list of numbers.

    An average with `count_pads` counts zeros up to the end of the padding, but
    not what only ceil_mode adds.
    """
    rank = data.ndim - 2
    counts = []
    for i in range(rank):
        rest = (data.shape[2 + i] + padding[i] + padding[rank + i]
                - (size[i] - 1) * dilation[i] - 1)
        counts.append((-(-rest // strides[i]) if ceil_mode else rest // strides[i]) + 1)
    result = np.zeros((*data.shape[:2], *counts), data.dtype)
    for place in itertools.product(*map(range, result.shape)):
        values = []
        for offset in itertools.product(*map(range, size)):
            at = [p * s - before + k * d for p, s, before, k, d in
                  zip(place[2:], strides, padding, offset, dilation)]
            if all(0 <= a < n for a, n in zip(at, data.shape[2:])):
                values.append(data[place[:2] + tuple(at)])
            elif count_pads and all(
                    -before <= a < n + after for a, n, before, after in
                    zip(at, data.shape[2:], padding, padding[rank:])):
                values.append(data.dtype.type(0))
        result[place] = fold(values)
    return result


def text(size, strides, dilation, padding, **others):
    fields = dict(pool_size=size, strides=strides, dilation=dilation,
                  padding=padding, **others)
    return ", ".join(f"{key} = " + (f"{list(value)}" if isinstance(value, tuple)
                                    else str(value).lower())
                     for key, value in fields.items())


# data, size, strides, dilation, padding
WINDOWS = [
    ((2, 3, 9), (3,), (2,), (1,), (1, 0)),
    ((1, 2, 7, 8), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0)),
    ((2, 2, 7, 9), (3, 2), (2, 1), (1, 1), (1, 1, 1, 0)),
    ((1, 2, 10, 9), (3, 3), (2, 2), (2, 1), (1, 0, 2, 1)),
    ((1, 2, 5, 6, 4), (2, 3, 2), (1, 2, 2), (1, 1, 1), (0, 1, 1, 1, 0, 0)),
]
for shape, size, strides, dilation, padding in WINDOWS:
    # Negative numbers tell padding of zero from padding of -inf.
    data = random(*shape, low=-3, high=-1)
    rank = len(size)
    spatial = tuple(range(2, data.ndim))
    for ceil_mode in (False, True):
        arguments = (size, strides, dilation, padding)
        dims = [dict(), dict(dynamic=[(0,)], dynamic_result=(0,)),
                dict(dynamic=[(0,) + spatial], dynamic_result=(0,) + spatial)]
        expected = pool(data, max, *arguments, ceil_mode)
        for options in dims:
            suite.add(f"nn.max_pool{rank}d", [data], expected,
                      attrs=text(*arguments, ceil_mode=ceil_mode), **options)
        for count_pads in (False, True):
            expected = pool(data, np.mean, *arguments, ceil_mode, count_pads)
            for options in dims:
                suite.add(f"nn.avg_pool{rank}d", [data], expected,
                          attrs=text(*arguments, ceil_mode=ceil_mode,
                                     count_include_pad=count_pads), **options)

arguments = ((2, 2), (2, 2), (1, 1), (1, 1, 1, 1))
for dtype in (np.int8, np.uint8):
    info = np.iinfo(dtype)
    data = random(1, 2, 5, 6, dtype=dtype, low=info.min, high=info.max + 1)
    suite.add("nn.max_pool2d", [data], pool(data, max, *arguments),
              attrs=text(*arguments))
data = random(1, 2, 4, 4)
data[0, 0, 1, 1] = np.nan
suite.add("nn.max_pool2d", [data], pool(data, np.max, *arguments),
          attrs=text(*arguments))
half = random(1, 1, 8, 8, low=90, high=100).astype(np.float16)
suite.add("nn.avg_pool2d", [half],
          pool(half.astype(np.float32), np.mean, (8, 8), (8, 8), (1, 1),
               (0, 0, 0, 0)).astype(np.float16),
          attrs=text((8, 8), (8, 8), (1, 1), (0, 0, 0, 0)), rtol=1e-3)

# Channels last.
data = random(2, 5, 6, 3)
first = np.ascontiguousarray(data.transpose(0, 3, 1, 2))
for operator, fold in [("nn.max_pool2d", max), ("nn.avg_pool2d", np.mean)]:
    expected = pool(first, fold, *arguments).transpose(0, 2, 3, 1)
    suite.add(operator, [data], np.ascontiguousarray(expected),
              attrs=text(*arguments) + ', layout = "NHWC"')

# Global.
data = random(2, 3, 4, 5, low=-3, high=-1)
for operator, fold in [("nn.global_max_pool2d", np.max),
                       ("nn.global_avg_pool2d", np.mean)]:
    expected = fold(data, axis=(2, 3), keepdims=True)
    suite.add(operator, [data], expected)
    suite.add(operator, [data], expected, dynamic=[(0,)], dynamic_result=(0,))
    suite.add(operator, [data], expected, dynamic=[(0, 2, 3)],
              dynamic_result=(0,))
    last = np.ascontiguousarray(data.transpose(0, 2, 3, 1))
    suite.add(operator, [last], fold(last, axis=(1, 2), keepdims=True),
              attrs='layout = "NHWC"')


# Adaptive.
def adapt(data, fold, sizes):
    result = np.zeros((*data.shape[:2], *sizes), data.dtype)
    for y, x in itertools.product(*map(range, sizes)):
        height, width = data.shape[2:]
        rows = slice(y * height // sizes[0], -(-(y + 1) * height // sizes[0]))
        columns = slice(x * width // sizes[1], -(-(x + 1) * width // sizes[1]))
        result[:, :, y, x] = fold(data[:, :, rows, columns], axis=(2, 3))
    return result


for shape, sizes in [((1, 2, 6, 8), (3, 2)), ((2, 2, 7, 5), (3, 3)),
                     ((1, 1, 5, 4), (4, 1)), ((1, 2, 3, 4), (5, 6)),
                     ((1, 2, 7, 7), (1, 1))]:
    data = random(*shape, low=-3, high=-1)
    for operator, fold in [("nn.adaptive_max_pool2d", np.max),
                           ("nn.adaptive_avg_pool2d", np.mean)]:
        suite.add(operator, [data], adapt(data, fold, sizes),
                  attrs=f"output_size = {list(sizes)}")
        suite.add(operator, [data], adapt(data, fold, sizes),
                  attrs=f"output_size = {list(sizes)}", dynamic=[(0,)],
                  dynamic_result=(0,))

suite.main()
