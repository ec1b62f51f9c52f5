"""Convolutions of bytes by Winograd's algorithm, compiled, against NumPy in 64 bits: all
sums are exact, with the largest bytes, too."""

import itertools

import numpy as np
import pytest

import relay_mlir as rm
from interpreted import interpret

pytestmark = pytest.mark.share(3)

TYPES = {"i8": np.int8, "ui8": np.uint8}


def convolve(data, weight, padding, dilation=1, groups=1):
    top, left, bottom, right = padding
    data = np.pad(data.astype(np.int64), ((0, 0), (top, bottom), (left, right), (0, 0)))
    height, width = (size - 2 * dilation for size in data.shape[1:3])
    parts = []
    for part, taps in zip(np.split(data, groups, axis=3),
                          np.split(weight.astype(np.int64), groups, axis=0)):
        parts.append(sum(part[:, y * dilation:y * dilation + height,
                              x * dilation:x * dilation + width] @ taps[:, :, y, x].T
                         for y, x in itertools.product(range(3), repeat=2)))
    return np.concatenate(parts, axis=3)


def tensor_type(array_or_shape, element):
    shape = getattr(array_or_shape, "shape", array_or_shape)
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def build(data, weight, padding, dilation=1, groups=1):
    """The text of a convolution, whose types are those of the arrays."""
    element, factor = ("ui8" if x.dtype == np.uint8 else "i8" for x in (data, weight))
    shape = convolve(data[..., :], weight, padding, dilation, groups).shape
    types = (tensor_type(data, element), tensor_type(weight, factor), tensor_type(shape, "i32"))
    return f"""
func.func @main(%x: {types[0]}) -> {types[2]} {{
  %w = relay.constant dense<"0x{weight.tobytes().hex().upper()}"> : {types[1]}
  %0 = relay.nn.conv2d %x, %w {{padding = array<i64: {", ".join(map(str, padding))}>,
    dilation = array<i64: {dilation}, {dilation}>, groups = {groups}, data_layout = "NHWC",
    out_dtype = i32}} : ({types[0]}, {types[1]}) -> {types[2]}
  return %0 : {types[2]}
}}"""


def transform(text, tile):
    module = rm.IRModule.parse(text)
    module.run_passes(
        f"builtin.module(func.func(relay-winograd{{tile-size={tile}}},relay-fold-constant))")
    assert "winograd_without" in module.print(elide_larger=8)
    return module


def draw(shape, element, seed, extreme=False):
    rng = np.random.default_rng(seed)
    info = np.iinfo(TYPES[element])
    if extreme:
        return rng.choice(np.array([info.min, info.max], dtype=info.dtype), shape)
    return rng.integers(info.min, info.max + 1, shape, dtype=info.dtype)


# Partial tiles of every size, one row, one column, paddings; odd channels and outputs.
SHAPES = [
    ((1, 8, 8, 16), 16, (1, 1, 1, 1)),
    ((1, 7, 7, 16), 24, (1, 1, 1, 1)),
    ((1, 13, 9, 8), 8, (1, 1, 1, 1)),
    ((1, 14, 5, 33), 16, (0, 0, 0, 0)),
    ((1, 6, 11, 16), 17, (2, 0, 1, 3)),
    ((1, 1, 1, 16), 16, (1, 1, 1, 1)),
    ((1, 1, 17, 16), 8, (1, 1, 1, 1)),
    ((3, 9, 10, 16), 16, (1, 1, 1, 1)),
    ((2, 10, 7, 13), 37, (1, 0, 1, 0)),
    ((1, 5, 5, 1), 3, (1, 1, 1, 1)),
    ((1, 30, 30, 40), 70, (1, 1, 1, 1)),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("tile", [2, 4])
@pytest.mark.parametrize("shape,outputs,padding", SHAPES)
def test_shapes(shape, outputs, padding, tile, threads):
    rm.set_num_threads(threads)
    data, weight = draw(shape, "i8", 0), draw((outputs, shape[3], 3, 3), "i8", 1)
    run = rm.compile(transform(build(data, weight, padding), tile))
    np.testing.assert_array_equal(run(data), convolve(data, weight, padding))


@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
@pytest.mark.parametrize("tile", [2, 3, 4])
@pytest.mark.parametrize("data_type,weight_type", list(itertools.product(TYPES, repeat=2)))
def test_largest_bytes(data_type, weight_type, tile, target, tmp_path):
    """Sums of 16 bits hold the largest that transforms make, and sums that wrap on the way
    come out right."""
    data = draw((1, 9, 9, 24), data_type, 0, extreme=True)
    weight = draw((8, 24, 3, 3), weight_type, 1, extreme=True)
    data[:, :6, :6], weight[0] = np.iinfo(data.dtype).max, np.iinfo(weight.dtype).max
    data[:, 3:, 3:], weight[1] = np.iinfo(data.dtype).min, np.iinfo(weight.dtype).min
    module = transform(build(data, weight, (1, 1, 1, 1)), tile)
    expected = convolve(data, weight, (1, 1, 1, 1))
    np.testing.assert_array_equal(rm.compile(module, target=target)(data), expected)
    np.testing.assert_array_equal(interpret(module, tmp_path, data), expected)


@pytest.mark.parametrize("dilation,groups", [(2, 1), (3, 1), (1, 2), (1, 4)])
def test_groups_and_dilation(dilation, groups):
    data = draw((1, 12, 11, 32), "ui8", 0, extreme=True)
    weight = draw((16, 32 // groups, 3, 3), "i8", 1, extreme=True)
    padding = (dilation,) * 4
    module = transform(build(data, weight, padding, dilation, groups), 4)
    np.testing.assert_array_equal(rm.compile(module)(data),
                                  convolve(data, weight, padding, dilation, groups))


@pytest.mark.parametrize("tile", [2, 4])
def test_wrapping(tile, tmp_path):
    """Of sums that have more bits, the interpreter and compiled code keep the same ones;
    the compiler does not choose such tiles."""
    data = np.full((1, 8, 8, 256), -128, np.int8)
    weight = np.full((8, 256, 3, 3), -128, np.int8)
    text = build(data, weight, (1, 1, 1, 1))
    sums, bits = convolve(data, weight, (1, 1, 1, 1)), 26 if tile == 4 else 30
    module = rm.IRModule.parse(text)
    module.run_passes(f"builtin.module(func.func(relay-winograd{{tile-size={tile}}}))")
    assert ("winograd" in module.print(elide_larger=8)) == (tile == 2)
    transformed = rm.IRModule.parse(f"""
func.func @main(%x: tensor<1x8x8x256xi8>, %w: tensor<8x256x3x3xi8>) -> tensor<1x8x8x8xi32> {{
  %0 = relay.nn.contrib_conv2d_winograd_weight_transform %w {{tile_size = {tile}}}
      : (tensor<8x256x3x3xi8>) -> tensor<{tile + 2}x{tile + 2}x8x256xi16>
  %1 = relay.nn.contrib_conv2d_winograd_without_weight_transform %x, %0 {{tile_size = {tile},
      padding = array<i64: 1, 1, 1, 1>, channels = 8, kernel_size = array<i64: 3, 3>,
      data_layout = "NHWC", out_dtype = i32}}
      : (tensor<1x8x8x256xi8>, tensor<{tile + 2}x{tile + 2}x8x256xi16>) -> tensor<1x8x8x8xi32>
  return %1 : tensor<1x8x8x8xi32>
}}""")
    wrapped = (sums + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    for result in (rm.compile(transformed)(data, weight),
                   interpret(transformed, tmp_path, data, weight)):
        np.testing.assert_array_equal(result, wrapped)
