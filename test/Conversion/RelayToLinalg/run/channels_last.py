# RUN: %python %s relay-opt mlir-translate %t
"""Depthwise convolutions and pooling over channels-last data.

The shapes meet every border of a tile: one column, one more than a tile, parts
of a vector of channels, windows larger than the image, padding on one side.
"""

import itertools

import numpy as np

from harness import Suite, random

suite = Suite()


def windows(data, size, strides, dilation, padding, value):
    """Yields for each step of the window what all results see in it."""
    before, after = padding[:2], padding[2:]
    padded = np.pad(data, [(0, 0), *zip(before, after), (0, 0)],
                    constant_values=value)
    counts = [(padded.shape[1 + i] - (size[i] - 1) * dilation[i] - 1)
              // strides[i] + 1 for i in range(2)]
    for offset in itertools.product(*map(range, size)):
        y, x = (slice(k * d, k * d + (n - 1) * s + 1, s)
                for k, d, n, s in zip(offset, dilation, counts, strides))
        yield offset, padded[:, y, x]


def depthwise(data, weight, *arguments, wide=np.float64):
    """`weight` is (channels, 1, height, width)."""
    size = weight.shape[2:]
    return sum(part.astype(wide) * weight[:, 0, y, x].astype(wide)
               for (y, x), part in windows(data, size, *arguments, 0))


def attributes(**fields):
    return ", ".join(f"{key} = " + (f"{list(value)}" if isinstance(value, tuple)
                                    else str(value).lower() if value in (True, False)
                                    else str(value))
                     for key, value in fields.items())


# image, channels, window, strides, dilation, padding
CASES = [
    ((7, 7), 24, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    ((14, 14), 8, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    ((15, 16), 40, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1)),
    ((16, 15), 16, (3, 3), (2, 2), (1, 1), (0, 0, 1, 1)),
    ((9, 23), 20, (5, 5), (1, 1), (1, 1), (2, 2, 2, 2)),
    ((12, 29), 7, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    ((5, 1), 17, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    ((1, 13), 33, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    ((1, 1), 9, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    ((3, 3), 12, (7, 7), (1, 1), (1, 1), (3, 3, 3, 3)),
    ((10, 31), 16, (3, 3), (1, 1), (2, 2), (2, 2, 2, 2)),
    ((8, 19), 58, (3, 3), (2, 1), (1, 3), (0, 3, 2, 0)),
    ((11, 47), 3, (3, 1), (1, 1), (1, 1), (1, 0, 1, 0)),
    ((6, 50), 64, (1, 3), (1, 1), (1, 1), (0, 1, 0, 1)),
    ((20, 60), 8, (3, 3), (1, 1), (1, 1), (0, 0, 0, 0)),
    ((4, 9), 130, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0)),
    # More padding than a tile has columns.
    ((5, 5), 8, (3, 3), (1, 1), (1, 1), (9, 20, 9, 20)),
]
for (height, width), channels, size, strides, dilation, padding in CASES:
    for batch in (1, 3):
        if batch == 3 and channels > 30:
            continue
        data = random(batch, height, width, channels, low=-3, high=-1)
        weight = random(channels, 1, *size, seed=1)
        bias = random(channels, seed=2)
        expected = depthwise(data, weight, strides, dilation, padding)
        result = np.maximum(expected + bias, 0).astype(np.float32)
        attrs = attributes(strides=strides, padding=padding, dilation=dilation,
                           groups=channels)
        attrs += ', data_layout = "NHWC", kernel_layout = "OIHW"'
        if channels == 1:
            continue
        suite.add("nn.conv2d", [data, weight, bias], result, rtol=1e-4, atol=1e-4,
                  body=f"%0 = relay.nn.conv2d %a0, %a1 {{{{{attrs}}}}}"
                       " : ({0}, {1}) -> {r0}\n"
                       "%1 = relay.add %0, %a2 : ({r0}, {2}) -> {r0}\n"
                       "%2 = relay.nn.relu %1 : ({r0}) -> {r0}\n"
                       "return %2 : {r0}")
        suite.add("nn.conv2d", [data, weight], expected.astype(np.float32),
                  attrs=attrs, rtol=1e-4, atol=1e-4)
        suite.add("nn.conv2d", [data, weight], expected.astype(np.float32),
                  attrs=attrs, rtol=1e-4, atol=1e-4, dynamic=[(0,), ()],
                  dynamic_result=(0,), name="batch")
        attrs = attributes(pool_size=size, strides=strides, dilation=dilation,
                           padding=padding, layout='"NHWC"')
        if any(p >= n * d for p, n, d in zip(padding, size * 2, dilation * 2)):
            continue
        parts = [part for _, part in windows(data, size, strides, dilation,
                                             padding, -np.inf)]
        suite.add("nn.max_pool2d", [data], np.max(parts, axis=0), attrs=attrs)
        parts = [part for _, part in windows(data, size, strides, dilation,
                                             padding, 0)]
        counts = [part for _, part in windows(np.ones_like(data), size, strides,
                                              dilation, padding, 0)]
        for counts_pads in (False, True):
            total = np.sum(parts, axis=0, dtype=np.float64)
            count = len(parts) if counts_pads else np.sum(counts, axis=0)
            if np.any(count == 0):
                continue
            suite.add("nn.avg_pool2d", [data], (total / count).astype(np.float32),
                      attrs=attrs + f", count_include_pad = {str(counts_pads).lower()}")

# Narrow integers, and what is not finite.
data = random(1, 9, 12, 24, dtype=np.int8, low=-128, high=128)
weight = random(24, 1, 3, 3, dtype=np.int8, low=-128, high=128, seed=1)
arguments = ((1, 1), (1, 1), (1, 1, 1, 1))
text = attributes(strides=(1, 1), padding=(1, 1, 1, 1), groups=24,
                  out_dtype="i32")
suite.add("nn.conv2d", [data, weight],
          depthwise(data, weight, *arguments, wide=np.int32),
          attrs=text + ', data_layout = "NHWC", kernel_layout = "OIHW"')
text = attributes(pool_size=(3, 3), strides=(1, 1), padding=(1, 1, 1, 1),
                  layout='"NHWC"')
parts = [part for _, part in windows(data, (3, 3), *arguments, -128)]
suite.add("nn.max_pool2d", [data], np.max(parts, axis=0), attrs=text)
data = random(1, 9, 12, 24)
data[0, 0, 0, :8] = -np.inf
data[0, 4, 4, 8:16] = np.inf
data[0, 8, 8, 5:20] = np.nan
parts = [part for _, part in windows(data, (3, 3), *arguments, -np.inf)]
suite.add("nn.max_pool2d", [data], np.max(parts, axis=0), attrs=text)

suite.main()
