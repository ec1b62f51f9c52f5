"""Products on matrix units (AMX), against NumPy in float64.

Where the processor has none, their instructions are emulated: the machine code
is the same. Bounds, of the scale of the result (its largest magnitude, or, where
terms cancel, the largest sum of magnitudes of terms): those of bounds.py for
products that are forced there, however short; "highest" is no worse than f32.
"""

import os

import numpy as np
import pytest

import relay_mlir as rm
from bounds import FLAGS, TILE_FLAGS, TILES as BOUNDS
from float_tensors import uniform
from matrix_tiles import start_worker, TARGET, VNNI
from worker_process import EMULATOR

PRECISIONS = list(BOUNDS)
HAS_TILES = TILE_FLAGS <= FLAGS

pytestmark = [pytest.mark.share(2), pytest.mark.skipif(
    not {"avx2", "fma"} <= FLAGS, reason="the machine lacks AVX2")]


@pytest.fixture(scope="module", name="worker")
def fixture_worker(tmp_path_factory):
    with start_worker(tmp_path_factory.mktemp("cache")) as run:
        yield run


def type_of(values):
    return f"tensor<{'x'.join(map(str, values.shape))}xf32>"


def constant(values):
    return f'relay.constant dense<"0x{values.tobytes().hex()}"> : {type_of(values)}'


def dense(data, weight):
    result = type_of(np.empty((data.shape[0], weight.shape[0])))
    return f"""func.func @main(%x: {type_of(data)}) -> {result} {{
  %w = {constant(weight)}
  %0 = relay.nn.dense %x, %w : ({type_of(data)}, {type_of(weight)}) -> {result}
  return %0 : {result}
}}"""


def check(worker, data, weight, *, scale=None, precisions=PRECISIONS):
    expected = data.astype(np.float64) @ weight.T.astype(np.float64)
    if scale is None:
        scale = np.abs(expected).max()
    if "highest" in precisions:
        vectors = worker(dense(data, weight), data, target="x86-64-v3")
    for precision in precisions:
        actual = worker(dense(data, weight), data, precision=precision)
        error = np.abs(actual - expected).max()
        bound = BOUNDS[precision] * scale
        if precision == "highest":
            bound = max(bound, np.abs(vectors - expected).max())
        assert error <= bound, (precision, error / scale)


SHAPES = [(64, 64, 64), (1, 64, 32), (2, 3, 40), (5, 7, 3), (16, 32, 16), (17, 33, 19),
          (31, 2, 65), (33, 65, 16), (37, 101, 53), (97, 64, 96), (130, 32, 33)]


@pytest.mark.parametrize("rows,depth,columns", SHAPES)
def test_shapes(worker, rows, depth, columns):
    precisions = PRECISIONS if columns % 16 else ["high"]
    check(worker, uniform((rows, depth)), uniform((columns, depth), 1),
          precisions=precisions)


def test_empty(worker):
    data = np.empty((0, 32), np.float32)
    # No tile is computed, which the worker would complain about.
    result = worker(dense(data, uniform((16, 32), 1)), data, target=TARGET + ",-sse4a")
    assert result.shape == (0, 16)


def test_panels(worker):
    """Data that does not fit the cache is split panel by panel."""
    check(worker, uniform((4096, 96)), uniform((32, 96), 1), precisions=["high"])


@pytest.mark.skipif(not {"vaes", "vpclmulqdq", "sse4a"} <= FLAGS,
                    reason="the machine lacks instructions of AMD")
def test_tuned_for_another_processor(worker):
    """The scheduler of a processor without matrix units must not rename their
    registers, which are configured by then: the emulator would refuse them."""
    target = TARGET.replace("x86-64-v3", "znver3")
    data, weight = uniform((1, 14, 14, 8)), uniform((16, 8, 5, 5), 1)
    expected = convolve(data, weight, 1, 2, 1)
    result = type_of(expected)
    text = f"""func.func @main(%x: {type_of(data)}) -> {result} {{
  %w = {constant(weight)}
  %0 = relay.nn.conv2d %x, %w {{padding = array<i64: 2, 2>, data_layout = "NHWC"}}
      : ({type_of(data)}, {type_of(weight)}) -> {result}
  return %0 : {result}
}}"""
    for precision in PRECISIONS:
        actual = worker(text, data, precision=precision, target=target)
        assert np.abs(actual - expected).max() <= BOUNDS[precision] * np.abs(expected).max()


@pytest.mark.parametrize("low,high", [(-20, -20), (20, 5), (-10, 20)])
def test_scales(worker, low, high):
    """Data of 10**low, weights of 10**-high: no product is denormal."""
    check(worker, uniform((40, 64)) * np.float32(10.0**low),
          uniform((48, 64), 1) * np.float32(10.0**-high))


def test_mixed_scales(worker):
    """Each channel has a magnitude of its own, from 1e-20 to 1e20."""
    magnitudes = 10.0**np.random.default_rng(0).uniform(-20, 20, 96)
    check(worker, (uniform((33, 96)) * magnitudes).astype(np.float32),
          (uniform((40, 96), 1) / magnitudes).astype(np.float32))


def test_cancelling(worker):
    data, weight = uniform((33, 128)), uniform((40, 128), 1)
    data[:, 1::2] = data[:, ::2]
    weight[:, 1::2] = -weight[:, ::2] * np.float32(1 + 2.0**-20)
    check(worker, data, weight, scale=(np.abs(data) @ np.abs(weight.T)).max())


def test_positive(worker):
    """Errors of one sign do not cancel."""
    check(worker, np.abs(uniform((33, 512))), np.abs(uniform((40, 512), 1)))


def test_largest_numbers(worker):
    """Numbers that would round to an infinity."""
    largest = np.finfo(np.float32).max
    data = np.full((16, 32), largest, np.float32)
    data[:, 2::4] = data[:, 3::4] = -np.nextafter(largest, np.float32(0))
    weight = np.full((16, 32), 0.25, np.float32)
    expected = data.astype(np.float64) @ weight.T.astype(np.float64)
    for precision in ["highest", "high"]:
        actual = worker(dense(data, weight), data, precision=precision)
        assert np.isfinite(actual).all()
        assert np.abs(actual - expected).max() <= BOUNDS[precision] * 8 * largest


@pytest.mark.parametrize("precision", PRECISIONS)
def test_not_finite(worker, precision):
    """Infinities and NaN come out where they do in f32, and nowhere else."""
    data, weight = uniform((40, 70)), uniform((40, 70), 1)
    # Of numbers with few bits the smaller pieces are zero.
    weight[:8] = np.round(weight[:8] * 8) / 8 + np.float32(2)
    data[3, 5], data[7, 9], data[9, 69] = np.inf, -np.inf, np.nan
    data[12, 3], data[12, 4] = np.inf, np.inf
    weight[13, 20], weight[15, 0] = -np.inf, np.nan
    bits = data.view(np.uint32)
    bits[20, 1] = 0x7f800001
    bits[21, 1] = 0x7fffffff
    bits[22, 1] = 0xffffffff
    expected = np.zeros((40, 40), np.float32)
    with np.errstate(all="ignore"):
        for k in range(70):
            expected += data[:, k:k + 1] * weight[:, k]
    actual = worker(dense(data, weight), data, precision=precision)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(actual), np.isinf(expected))
    infinite = np.isinf(expected)
    np.testing.assert_array_equal(actual[infinite], expected[infinite])
    finite = np.isfinite(expected)
    assert np.abs(actual[finite] - expected[finite]).max() <= 10 * BOUNDS[precision]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_denormal(worker, precision):
    """Matrix units take denormal pieces and products for zero: each product of
    pieces is off by no more than 2^-126."""
    data = uniform((33, 64)) * np.float32(1e-20)
    data[1] = np.float32(1e-40)
    data[2, ::2] = np.float32(2.0**-149)
    weight = uniform((40, 64), 1) * np.float32(1e-16)
    weight[3] = 1
    expected = data.astype(np.float64) @ weight.T.astype(np.float64)
    actual = worker(dense(data, weight), data, precision=precision)
    lost = {"highest": 6, "high": 3, "medium": 1}[precision] * 64 * 2.0**-126 * 2
    scale = np.abs(data).astype(np.float64) @ np.abs(weight.T).astype(np.float64)
    relative = {"highest": 2e-6, "high": 2e-5, "medium": 2.0**-7}[precision]
    assert (np.abs(actual - expected) <= lost + relative * scale).all()


def convolve(data, weight, strides, padding, dilation):
    pad, (height, width) = padding, weight.shape[2:]
    data = np.pad(data.astype(np.float64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    rows = (data.shape[1] - dilation * (height - 1) - 1) // strides + 1
    columns = (data.shape[2] - dilation * (width - 1) - 1) // strides + 1
    result = 0
    for y in range(height):
        for x in range(width):
            part = data[:, y * dilation:, x * dilation:][:, ::strides, ::strides]
            taps = weight[:, :, y, x].T.astype(np.float64)
            result = result + part[:, :rows, :columns] @ taps
    return result


# Data, outputs and window, strides, padding, dilation.
CONVOLUTIONS = [
    ((1, 8, 8, 32), (32, 3, 3), 1, 1, 1),
    ((1, 7, 7, 64), (48, 3, 3), 1, 1, 1),
    ((1, 9, 11, 16), (7, 1, 1), 1, 0, 1),
    ((2, 9, 11, 33), (37, 3, 3), 2, 1, 1),
    ((1, 13, 13, 20), (24, 5, 5), 3, 2, 1),
    ((1, 12, 12, 32), (32, 3, 3), 1, 2, 2),
    ((2, 8, 8, 64), (32, 1, 1), 2, 0, 1),
    ((1, 3, 3, 17), (16, 3, 3), 1, 0, 1),
    ((1, 1, 19, 40), (33, 1, 3), 1, 1, 1),
    ((3, 5, 2, 8), (8, 3, 2), 2, 1, 1),
    ((1, 17, 5, 12), (40, 2, 4), 4, 3, 2),
]


@pytest.mark.parametrize("precision,threads", [("highest", 1), ("high", 2)])
@pytest.mark.parametrize("shape,window,strides,padding,dilation", CONVOLUTIONS)
def test_convolutions(worker, shape, window, strides, padding, dilation, precision, threads):
    data = uniform(shape)
    weight = uniform((window[0], shape[3], *window[1:]), 1)
    bias = uniform((window[0],), 2)
    sums = convolve(data, weight, strides, padding, dilation)
    residual = uniform(sums.shape, 3)
    expected = np.maximum(sums + bias + residual, 0)
    result = type_of(expected)
    text = f"""func.func @main(%x: {type_of(data)}, %r: {result}) -> {result} {{
  %w = {constant(weight)}
  %b = {constant(bias)}
  %0 = relay.nn.conv2d %x, %w {{strides = array<i64: {strides}, {strides}>,
      padding = array<i64: {padding}, {padding}, {padding}, {padding}>,
      dilation = array<i64: {dilation}, {dilation}>, data_layout = "NHWC"}}
      : ({type_of(data)}, {type_of(weight)}) -> {result}
  %1 = relay.add %0, %b : ({result}, {type_of(bias)}) -> {result}
  %2 = relay.add %1, %r : ({result}, {result}) -> {result}
  %3 = relay.nn.relu %2 : ({result}) -> {result}
  return %3 : {result}
}}"""
    actual = worker(text, data, residual.astype(np.float32), precision=precision,
                    threads=threads)
    bound = max(BOUNDS[precision], 2e-6)
    assert np.abs(actual - expected).max() <= bound * np.abs(sums).max()


# Data (NHWC), outputs and window, strides, padding.
FEW_CHANNELS = [
    ((1, 30, 30, 3), (32, 7, 7), 2, 3),
    ((2, 20, 19, 3), (40, 3, 3), 1, 1),
    ((1, 47, 47, 3), (24, 11, 11), 4, 2),
    ((1, 36, 36, 4), (32, 8, 8), 4, 0),
    ((3, 14, 9, 1), (17, 5, 5), 1, 2),
    ((1, 9, 35, 2), (16, 1, 4), 3, 0),
    ((1, 5, 40, 4), (33, 3, 13), 2, 6),
    ((1, 7, 3, 3), (16, 2, 2), 1, 0),
]


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("shape,window,strides,padding", FEW_CHANNELS)
def test_few_channels(worker, shape, window, strides, padding, layout):
    """The channels of neighbouring pixels fill a tile together."""
    data = uniform(shape)
    weight = uniform((window[0], shape[3], *window[1:]), 1)
    bias = uniform((window[0],), 2)
    sums = convolve(data, weight, strides, padding, 1)
    actual = worker(few_channels(data, weight, bias, sums.shape, strides, padding, layout),
                    *arrange(data, layout), threads=2)
    error = np.abs(actual - np.maximum(sums + bias, 0)).max()
    assert error <= BOUNDS["high"] * np.abs(sums).max()


def arrange(data, layout):
    return [data if layout == "NHWC" else np.ascontiguousarray(data.transpose(0, 3, 1, 2))]


def few_channels(data, weight, bias, shape, strides, padding, layout):
    result = type_of(np.empty(shape))
    source = type_of(arrange(data, layout)[0])
    return f"""func.func @main(%x: {source}) -> {result} {{
  %w = {constant(weight)}
  %b = {constant(bias)}
  %0 = relay.nn.conv2d %x, %w {{strides = array<i64: {strides}, {strides}>,
      padding = array<i64: {padding}, {padding}, {padding}, {padding}>,
      data_layout = "{layout}", out_layout = "NHWC"}}
      : ({source}, {type_of(weight)}) -> {result}
  %1 = relay.add %0, %b : ({result}, {type_of(bias)}) -> {result}
  %2 = relay.nn.relu %1 : ({result}) -> {result}
  return %2 : {result}
}}"""


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_few_channels_not_finite(worker, precision, layout):
    """A pixel counts only under the window, although a row of a tile reads others."""
    data, weight, bias = uniform((1, 20, 24, 3)), uniform((32, 3, 3, 3), 1), uniform((32,), 2)
    weight = np.round(weight * 4) / 4 + np.float32(2)
    data[0, 5, 7, 1], data[0, 12, 3, 0], data[0, 17, 23, 2] = np.inf, np.nan, -np.inf
    with np.errstate(all="ignore"):
        expected = convolve(data, weight, 1, 0, 1) + bias
        expected = np.where(np.isnan(expected), expected, np.maximum(expected, 0))
    actual = worker(few_channels(data, weight, bias, expected.shape, 1, 0, layout),
                    *arrange(data, layout), precision=precision)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(actual[~finite], expected[~finite])
    scale = np.abs(expected[finite]).max()
    assert np.abs(actual[finite] - expected[finite]).max() <= BOUNDS[precision] * scale


# Batches, rows, depth, columns.
PRODUCTS = [(1, 64, 64, 64), (1, 33, 70, 47), (3, 17, 33, 18), (12, 40, 64, 40), (2, 130, 5, 16),
            (5, 16, 96, 33)]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("batch,rows,depth,columns", PRODUCTS)
def test_two_inputs(worker, batch, rows, depth, columns, transposed, precision):
    """The kernel packs the right operand, whichever way it lies."""
    left = uniform((batch, rows, depth))
    right = uniform((batch, columns, depth) if transposed else (batch, depth, columns), 1)
    factor = right.transpose(0, 2, 1) if transposed else right
    expected = left.astype(np.float64) @ factor.astype(np.float64)
    result = type_of(expected)
    text = f"""func.func @main(%x: {type_of(left)}, %y: {type_of(right)}) -> {result} {{
  %0 = relay.nn.batch_matmul %x, %y {{transpose_b = {str(transposed).lower()}}}
      : ({type_of(left)}, {type_of(right)}) -> {result}
  return %0 : {result}
}}"""
    actual = worker(text, left, right, precision=precision, threads=2)
    scale = np.abs(expected).max()
    assert np.abs(actual - expected).max() <= max(BOUNDS[precision], 2e-6) * scale


@pytest.mark.parametrize("precision", PRECISIONS)
def test_two_inputs_not_finite(worker, precision):
    left, right = uniform((40, 70)), np.round(uniform((70, 40), 1) * 8) / 8 + np.float32(2)
    left[3, 5], left[7, 69], right[69, 11], right[1, 13] = np.inf, np.nan, -np.inf, np.inf
    right[2, 13] = -np.inf
    with np.errstate(all="ignore"):
        expected = left @ right
    text = f"""func.func @main(%x: {type_of(left)}, %y: {type_of(right)}) -> {type_of(expected)} {{
  %0 = relay.nn.matmul %x, %y : ({type_of(left)}, {type_of(right)}) -> {type_of(expected)}
  return %0 : {type_of(expected)}
}}"""
    actual = worker(text, left, right, precision=precision)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(actual[~finite], expected[~finite])
    scale = np.abs(expected[finite]).max()
    assert np.abs(actual[finite] - expected[finite]).max() <= BOUNDS[precision] * scale


# Data (NHWC), outputs and window, strides, groups.
GROUPED = [
    ((1, 8, 8, 64), (64, 3, 3), 1, 2),
    ((2, 9, 7, 48), (96, 3, 3), 2, 3),
    ((1, 6, 6, 40), (20, 1, 1), 1, 2),
    ((1, 30, 30, 33), (51, 3, 2), 1, 3),
]


@pytest.mark.parametrize("precision", ["highest", "high"])
@pytest.mark.parametrize("shape,window,strides,groups", GROUPED)
def test_groups(worker, shape, window, strides, groups, precision):
    data, depth = uniform(shape), shape[3] // groups
    weight = uniform((window[0], depth, *window[1:]), 1)
    parts = zip(np.split(data, groups, axis=3), np.split(weight, groups))
    expected = np.concatenate([convolve(part, factor, strides, 1, 1) for part, factor in parts],
                              axis=3)
    text = f"""func.func @main(%x: {type_of(data)}) -> {type_of(expected)} {{
  %w = {constant(weight)}
  %0 = relay.nn.conv2d %x, %w {{strides = array<i64: {strides}, {strides}>, groups = {groups},
      padding = array<i64: 1, 1, 1, 1>, data_layout = "NHWC"}}
      : ({type_of(data)}, {type_of(weight)}) -> {type_of(expected)}
  return %0 : {type_of(expected)}
}}"""
    actual = worker(text, data, precision=precision, threads=2)
    assert np.abs(actual - expected).max() <= max(BOUNDS[precision], 2e-6) * np.abs(expected).max()


@pytest.mark.parametrize("batch", [0, 1, 40])
@pytest.mark.parametrize("window", [None, (3, 3), (1, 2)])
def test_dynamic(worker, window, batch):
    """Any number of rows, or images."""
    if window is None:
        data, weight = uniform((5 * batch, 70)), uniform((40, 70), 1)
        expected = data.astype(np.float64) @ weight.T.astype(np.float64)
        text = dense(data, weight)
    else:
        data, weight = uniform((batch, 6, 7, 40)), uniform((33, 40, *window), 1)
        expected = convolve(data, weight, 2, 1, 1)
        result = type_of(expected)
        text = f"""func.func @main(%x: {type_of(data)}) -> {result} {{
  %w = {constant(weight)}
  %0 = relay.nn.conv2d %x, %w {{strides = array<i64: 2, 2>,
      padding = array<i64: 1, 1, 1, 1>, data_layout = "NHWC"}}
      : ({type_of(data)}, {type_of(weight)}) -> {result}
  %1 = relay.nn.relu %0 : ({result}) -> {result}
  return %1 : {result}
}}"""
        expected = np.maximum(expected, 0)
    for values in (data, expected):
        static = f"tensor<{values.shape[0]}x"
        text = text.replace(static + "x".join(map(str, values.shape[1:])) + "xf32>",
                            "tensor<?x" + "x".join(map(str, values.shape[1:])) + "xf32>")
    # Without rows there are no tiles, which the worker would complain about.
    actual = worker(text, data, target=TARGET + (",-sse4a" if batch == 0 else ""))
    assert actual.shape == expected.shape
    if batch:
        assert np.abs(actual - expected).max() <= BOUNDS["high"] * np.abs(expected).max()


@pytest.mark.parametrize("rows,depth,columns", [(64, 64, 64), (5, 7, 16), (33, 130, 47),
                                                (16, 64, 16)])
@pytest.mark.parametrize("target", [TARGET, VNNI])
@pytest.mark.parametrize("kind", ["i8", "ui8"])
def test_bytes(worker, rows, depth, columns, kind, target):
    """Products of bytes are exact."""
    rng, low = np.random.default_rng(0), -128 if kind == "i8" else 0
    dtype = np.int8 if kind == "i8" else np.uint8
    data = rng.integers(low, low + 256, (rows, depth), dtype)
    weight = rng.integers(low, low + 256, (columns, depth), dtype)
    data[0], weight[0] = low, low
    data[-1], weight[-1] = low + 255, low + 255
    types = [f"tensor<{a}x{b}x{c}>" for a, b, c in
             [(rows, depth, kind), (columns, depth, kind), (rows, columns, "i32")]]
    text = f"""func.func @main(%x: {types[0]}) -> {types[2]} {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : {types[1]}
  %0 = relay.nn.dense %x, %w {{out_dtype = i32}} : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    actual = worker(text, data, target=target)
    np.testing.assert_array_equal(actual, data.astype(np.int32) @ weight.T.astype(np.int32))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("batch,rows,depth,columns", PRODUCTS[:4])
def test_two_inputs_of_bytes(worker, batch, rows, depth, columns, transposed):
    rng = np.random.default_rng(0)
    left = rng.integers(-128, 128, (batch, rows, depth), np.int8)
    right = rng.integers(-128, 128, (batch, columns, depth), np.int8)
    expected = left.astype(np.int32) @ right.transpose(0, 2, 1).astype(np.int32)
    if not transposed:
        right = np.ascontiguousarray(right.transpose(0, 2, 1))
    types = [f"tensor<{'x'.join(map(str, values.shape))}x{name}>"
             for values, name in [(left, "i8"), (right, "i8"), (expected, "i32")]]
    text = f"""func.func @main(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{
  %0 = relay.nn.batch_matmul %x, %y {{transpose_b = {str(transposed).lower()}, out_dtype = i32}}
      : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    np.testing.assert_array_equal(worker(text, left, right), expected)


@pytest.mark.parametrize("target", [TARGET, VNNI])
def test_byte_convolution(worker, target):
    rng = np.random.default_rng(0)
    data = rng.integers(-128, 128, (1, 9, 11, 70), np.int8)
    weight = rng.integers(-128, 128, (40, 70, 3, 3), np.int8)
    expected = convolve(data, weight, 2, 1, 1).astype(np.int32)
    result = f"tensor<{'x'.join(map(str, expected.shape))}xi32>"
    text = f"""func.func @main(%x: tensor<1x9x11x70xi8>) -> {result} {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : tensor<40x70x3x3xi8>
  %0 = relay.nn.conv2d %x, %w {{strides = array<i64: 2, 2>, out_dtype = i32,
      padding = array<i64: 1, 1, 1, 1>, data_layout = "NHWC"}}
      : (tensor<1x9x11x70xi8>, tensor<40x70x3x3xi8>) -> {result}
  return %0 : {result}
}}"""
    np.testing.assert_array_equal(worker(text, data, threads=2, target=target), expected)


def test_refused_without_tiles(tmp_path):
    """An artefact that needs what the processor lacks is not loaded."""
    if HAS_TILES or EMULATOR.name in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the machine lacks nothing that the artefact needs")
    weight = uniform((64, 64))
    path = tmp_path / "model.so"
    rm.emit(rm.IRModule.parse(dense(weight, weight)), path, "so", target=TARGET)
    with pytest.raises(Exception, match="amx-tile, amx-bf16"):
        rm.load(path)
