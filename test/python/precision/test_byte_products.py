"""Products of bytes on vectors (dot products of neighbouring channels) against
NumPy: they are exact, whatever the instruction.

The processor's own features choose the instruction; those that all processors
with AVX2 have are always tested.
"""

import pathlib

import numpy as np
import pytest

import relay_mlir as rm

try:
    FLAGS = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
except OSError:
    FLAGS = set()
TARGETS = ["native", pytest.param("x86-64-v3", marks=pytest.mark.skipif(
    not {"avx2", "fma"} <= FLAGS, reason="the machine lacks AVX2"))]
RANGES = {"i8": (np.int8, -128, 128), "ui8": (np.uint8, 0, 256)}


def random_bytes(shape, kind, seed=0):
    dtype, low, high = RANGES[kind]
    values = np.random.default_rng(seed).integers(low, high, shape, dtype)
    # The extremes, which sums of 16 bits would not hold.
    values.reshape(-1)[:min(values.size, 8)] = low if seed else high - 1
    return values


def type_of(values, kind):
    return f"tensor<{'x'.join(map(str, values.shape))}x{kind}>"


def run(text, *inputs, target, force=True):
    return np.asarray(rm.compile(rm.IRModule.parse(text), target=target,
                                 force_matrix_tiles=force)(*inputs))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("rows,depth,columns", [(1, 64, 70), (5, 7, 16), (33, 130, 47), (8, 1, 3),
                                                (64, 256, 64)])
def test_dense(rows, depth, columns, kind, target):
    data, weight = random_bytes((rows, depth), kind), random_bytes((columns, depth), kind, 1)
    expected = data.astype(np.int32) @ weight.T.astype(np.int32)
    types = type_of(data, kind), type_of(weight, kind), type_of(expected, "i32")
    text = f"""func.func @main(%x: {types[0]}) -> {types[2]} {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : {types[1]}
  %0 = relay.nn.dense %x, %w {{out_dtype = i32}} : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    np.testing.assert_array_equal(run(text, data, target=target), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("depth,columns", [(32, 16), (33, 17), (784, 128)])
def test_dense_of_open_rows(depth, columns, target):
    weight = random_bytes((columns, depth), "i8", 1)
    text = f"""func.func @main(%x: tensor<?x{depth}xi8>) -> tensor<?x{columns}xi32> {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : tensor<{columns}x{depth}xi8>
  %0 = relay.nn.dense %x, %w {{out_dtype = i32}}
      : (tensor<?x{depth}xi8>, tensor<{columns}x{depth}xi8>) -> tensor<?x{columns}xi32>
  return %0 : tensor<?x{columns}xi32>
}}"""
    for rows in (1, 7, 150):
        data = random_bytes((rows, depth), "i8")
        np.testing.assert_array_equal(run(text, data, target=target, force=False),
                                      data.astype(np.int32) @ weight.T.astype(np.int32))


# Data (NHWC), outputs and window, strides, groups.
CONVOLUTIONS = [
    ((1, 9, 11, 70), (40, 3, 3), 2, 1),
    ((2, 8, 8, 16), (24, 1, 1), 1, 1),
    ((1, 12, 13, 3), (17, 5, 5), 2, 1),
    ((1, 7, 7, 48), (36, 3, 3), 1, 3),
    # Lines that are tiles, several tiles, parts of one, and no whole number of either.
    ((1, 14, 14, 68), (40, 3, 3), 1, 1),
    ((1, 7, 7, 64), (33, 3, 3), 1, 1),
    ((3, 28, 28, 16), (24, 3, 3), 2, 1),
    ((2, 17, 19, 32), (24, 3, 3), 1, 1),
    ((2, 6, 5, 16), (16, 3, 3), 1, 1),
    ((1, 9, 31, 20), (16, 2, 5), 1, 1),
    ((2, 14, 14, 32), (48, 3, 3), 1, 2),
    # More than a panel.
    ((1, 66, 60, 256), (32, 3, 3), 1, 1),
]


def check_convolution(data, weight, kind, weight_kind, strides, groups, target):
    padded = np.pad(data.astype(np.int32), ((0, 0), (1, 1), (1, 1), (0, 0)))
    window = weight.shape[2:]
    height, width = ((size - reach) // strides + 1
                     for size, reach in zip(padded.shape[1:3], window))
    parts = []
    for part, factor in zip(np.split(padded, groups, axis=3), np.split(weight, groups)):
        parts.append(sum(
            part[:, y:, x:][:, ::strides, ::strides][:, :height, :width]
            @ factor[:, :, y, x].T.astype(np.int32)
            for y in range(window[0]) for x in range(window[1])))
    expected = np.concatenate(parts, axis=3)
    types = type_of(data, kind), type_of(weight, weight_kind), type_of(expected, "i32")
    text = f"""func.func @main(%x: {types[0]}) -> {types[2]} {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : {types[1]}
  %0 = relay.nn.conv2d %x, %w {{strides = array<i64: {strides}, {strides}>, groups = {groups},
      padding = array<i64: 1, 1, 1, 1>, data_layout = "NHWC", out_dtype = i32}}
      : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    np.testing.assert_array_equal(run(text, data, target=target), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("shape,window,strides,groups", CONVOLUTIONS)
def test_convolution(shape, window, strides, groups, kind, target):
    weight = random_bytes((window[0], shape[3] // groups, *window[1:]), kind, 1)
    check_convolution(random_bytes(shape, kind), weight, kind, kind, strides, groups, target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("batch,rows,depth,columns", [(1, 33, 70, 47), (3, 8, 64, 32), (2, 70, 67, 47)])
def test_two_inputs(batch, rows, depth, columns, target):
    left = random_bytes((batch, rows, depth), "i8")
    right = random_bytes((batch, depth, columns), "i8", 1)
    expected = left.astype(np.int32) @ right.astype(np.int32)
    types = type_of(left, "i8"), type_of(right, "i8"), type_of(expected, "i32")
    text = f"""func.func @main(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{
  %0 = relay.nn.batch_matmul %x, %y {{transpose_b = false, out_dtype = i32}}
      : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    np.testing.assert_array_equal(run(text, left, right, target=target), expected)


def extreme(shape, low):
    """Bytes from `low` on, with whole rows of either end, of which two products are most."""
    values = np.random.default_rng(2).integers(low, 128, shape, np.int8)
    rows = values.reshape(shape[0], -1)
    rows[0], rows[1 % shape[0]], rows[2 % shape[0]] = 127, low, 127
    return values


POSITIVE = {
    "relu": "%p = relay.nn.relu %x : ({0}) -> {0}",
    "clip": "%p = relay.clip %x {{a_min = 0.0, a_max = 127.0}} : ({0}) -> {0}",
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("bound", POSITIVE)
@pytest.mark.parametrize("rows,depth,columns", [(1, 64, 70), (5, 7, 16), (33, 130, 47), (8, 1, 3),
                                                (64, 256, 64)])
def test_dense_of_positive_data(rows, depth, columns, bound, target):
    """Sums of 16 bits are exact for these (pmaddubsw): the data is 0 to 127."""
    data, weight = extreme((rows, depth), -128), extreme((columns, depth), -128)
    expected = np.maximum(data, 0).astype(np.int32) @ weight.T.astype(np.int32)
    types = type_of(data, "i8"), type_of(weight, "i8"), type_of(expected, "i32")
    text = f"""func.func @main(%x: {types[0]}) -> {types[2]} {{
  {POSITIVE[bound].format(types[0])}
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : {types[1]}
  %0 = relay.nn.dense %p, %w {{out_dtype = i32}} : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    np.testing.assert_array_equal(run(text, data, target=target), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("values", ["positive, then any", "any, then positive"])
def test_kernel_of_positive_data_and_others(values, target):
    """A kernel that two calls share is exact for both."""
    data, weight = extreme((9, 68), -128), extreme((68, 68), -128)
    wide = weight.T.astype(np.int32)
    parts = [np.maximum(data, 0).astype(np.int32) @ wide, data.astype(np.int32) @ wide]
    order = ["%p", "%x"] if values == "positive, then any" else ["%x", "%p"]
    text = f"""func.func @main(%x: tensor<9x68xi8>) -> (tensor<9x68xi32>, tensor<9x68xi32>) {{
  %p = relay.nn.relu %x : (tensor<9x68xi8>) -> tensor<9x68xi8>
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : tensor<68x68xi8>
  %0 = relay.nn.dense {order[0]}, %w {{out_dtype = i32}}
      : (tensor<9x68xi8>, tensor<68x68xi8>) -> tensor<9x68xi32>
  %1 = relay.nn.dense {order[1]}, %w {{out_dtype = i32}}
      : (tensor<9x68xi8>, tensor<68x68xi8>) -> tensor<9x68xi32>
  return %0, %1 : tensor<9x68xi32>, tensor<9x68xi32>
}}"""
    results = rm.compile(rm.IRModule.parse(text), target=target, force_matrix_tiles=True)(data)
    for result, expected in zip(results, parts if order[0] == "%p" else parts[::-1]):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("pads", [0, -1])
def test_convolution_of_positive_data(pads, target):
    """What pads the data counts: -1 is no byte for sums of 16 bits."""
    data, weight = extreme((1, 9, 11, 70), -128), extreme((40, 70, 3, 3), -128)
    padded = np.pad(np.maximum(data, 0).astype(np.int32), ((0, 0), (1, 1), (1, 1), (0, 0)),
                    constant_values=pads)
    expected = sum(padded[:, y:y + 9:2, x:x + 11:2] @ weight[:, :, y, x].T.astype(np.int32)
                   for y in range(3) for x in range(3))
    types = type_of(data, "i8"), type_of(weight, "i8"), type_of(expected, "i32")
    text = f"""func.func @main(%x: {types[0]}) -> {types[2]} {{
  %p = relay.nn.relu %x : ({types[0]}) -> {types[0]}
  %z = relay.constant dense<{pads}> : tensor<i8>
  %q = relay.nn.pad %p, %z {{pad_width = [0, 0, 1, 1, 1, 1, 0, 0]}}
      : ({types[0]}, tensor<i8>) -> tensor<1x11x13x70xi8>
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : {types[1]}
  %0 = relay.nn.conv2d %q, %w {{strides = array<i64: 2, 2>, data_layout = "NHWC",
      out_dtype = i32}} : (tensor<1x11x13x70xi8>, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    np.testing.assert_array_equal(run(text, data, target=target), expected)


@pytest.mark.parametrize("kind, low", [("f32", -0.9999999999), ("f16", -0.9999), ("bf16", -0.999)])
def test_bound_that_is_minus_one_when_it_is_rounded(kind, low):
    """What is clipped to just above -1 may be -1, which pmaddubsw would take for 255."""
    weight = np.full((16, 64), -128, np.int8)
    text = f"""func.func @main(%x: tensor<8x64xf32>) -> tensor<8x16xi32> {{
  %w = relay.constant dense<-128> : tensor<16x64xi8>
  %0 = relay.cast %x {{dtype = {kind}}} : (tensor<8x64xf32>) -> tensor<8x64x{kind}>
  %1 = relay.clip %0 {{a_min = {low}, a_max = 127.0}} : (tensor<8x64x{kind}>) -> tensor<8x64x{kind}>
  %2 = relay.cast %1 {{dtype = i8}} : (tensor<8x64x{kind}>) -> tensor<8x64xi8>
  %3 = relay.nn.dense %2, %w {{out_dtype = i32}} : (tensor<8x64xi8>, tensor<16x64xi8>) -> tensor<8x16xi32>
  return %3 : tensor<8x16xi32>
}}"""
    data = np.random.default_rng(0).integers(-5, 128, (8, 64)).astype(np.float32)
    expected = np.maximum(data, -1).astype(np.int32) @ weight.T.astype(np.int32)
    np.testing.assert_array_equal(run(text, data, target="native"), expected)


def small(shape):
    """Weights of 7 bits, with whole rows of either end."""
    values = np.random.default_rng(3).integers(-64, 65, shape, np.int8)
    rows = values.reshape(shape[0], -1)
    rows[0], rows[1 % shape[0]], rows[2 % shape[0]] = 64, -64, 64
    return values


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("rows,depth,columns", [(1, 64, 70), (2, 9, 33), (5, 7, 16), (33, 130, 47),
                                                (8, 1, 3), (64, 256, 64)])
def test_dense_of_small_weights(rows, depth, columns, kind, target):
    """Sums of 16 bits are exact for these, too, whatever the data: the weights are -64 to 64,
    and the data has no sign, or 128 more."""
    weight = small((columns, depth))
    data = extreme((rows, depth), -128).view(RANGES[kind][0])
    expected = data.astype(np.int32) @ weight.T.astype(np.int32)
    types = type_of(data, kind), type_of(weight, "i8"), type_of(expected, "i32")
    text = f"""func.func @main(%x: {types[0]}) -> {types[2]} {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : {types[1]}
  %0 = relay.nn.dense %x, %w {{out_dtype = i32}} : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""
    np.testing.assert_array_equal(run(text, data, target=target), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("largest", [64, 65])
def test_rows_of_the_largest_sums(largest, target):
    """One more than 64 is too much for sums of 16 bits."""
    weight = np.full((32, 64), largest, np.int8)
    data = np.full((16, 64), 127, np.int8)
    text = f"""func.func @main(%x: tensor<16x64xi8>) -> tensor<16x32xi32> {{
  %w = relay.constant dense<{largest}> : tensor<32x64xi8>
  %0 = relay.nn.dense %x, %w {{out_dtype = i32}} : (tensor<16x64xi8>, tensor<32x64xi8>) -> tensor<16x32xi32>
  return %0 : tensor<16x32xi32>
}}"""
    np.testing.assert_array_equal(run(text, data, target=target),
                                  data.astype(np.int32) @ weight.T.astype(np.int32))


@pytest.mark.parametrize("target", TARGETS)
def test_dense_of_small_weights_and_open_rows(target):
    weight = small((70, 130))
    text = f"""func.func @main(%x: tensor<?x130xi8>) -> tensor<?x70xi32> {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : tensor<70x130xi8>
  %0 = relay.nn.dense %x, %w {{out_dtype = i32}}
      : (tensor<?x130xi8>, tensor<70x130xi8>) -> tensor<?x70xi32>
  return %0 : tensor<?x70xi32>
}}"""
    for rows in (1, 7, 150):
        data = random_bytes((rows, 130), "i8")
        np.testing.assert_array_equal(run(text, data, target=target),
                                      data.astype(np.int32) @ weight.T.astype(np.int32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("shape,window,strides,groups", [*CONVOLUTIONS, ((1, 40, 40, 64),
                                                                         (64, 3, 3), 1, 1)])
def test_convolution_of_small_weights(shape, window, strides, groups, kind, target):
    """What pads the data is 0, which has 128 more, too."""
    data, weight = random_bytes(shape, kind), small((window[0], shape[3] // groups, *window[1:]))
    check_convolution(data, weight, kind, "i8", strides, groups, target)
