# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that move data or convert it: transposes of all types, resizes, mirrored
borders, selections, conversions, remainders; against NumPy. What is moved is
equal bit by bit, and so are conversions and remainders. Resized images may be
wrong by 2e-6 of the largest element.
"""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save

import relay_mlir as rm

pytestmark = pytest.mark.share(2)

RNG = np.random.default_rng(11)
KINDS = {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32",
         "int8": "i8", "uint8": "ui8", "int16": "i16", "int64": "i64", "bool": "i1"}


def tensor(array):
    return f"tensor<{'x'.join(map(str, (*array.shape, KINDS[str(array.dtype)])))}>"


def run(line, inputs, result):
    """One operator of %x0, %x1, ..., whose result is like `result`."""
    types = ", ".join(map(tensor, inputs))
    parameters = ", ".join(f"%x{i}: {tensor(x)}" for i, x in enumerate(inputs))
    module = rm.compile(rm.parse(f"""
func.func @main({parameters}) -> {tensor(result)} {{
  %0 = relay.{line} : ({types}) -> {tensor(result)}
  return %0 : {tensor(result)}
}}"""), cache=False)
    return np.asarray(module(*inputs))


def run_onnx(path, node, inputs, constants, opset=18):
    graph = helper.make_graph(
        [node], "operator",
        [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
         for name, x in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
         for name in node.output],
        [numpy_helper.from_array(np.asarray(value), name)
         for name, value in constants.items()])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                           ir_version=9), str(path))
    return np.asarray(rm.compile(path, cache=False)(**inputs))


def random(shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return RNG.standard_normal(shape).astype(dtype)
    return RNG.integers(0, 2 if dtype == bool else 100, shape).astype(dtype)


#===-----------------------------------------------------------------------===#
# Transposes
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "int16", "float32",
                                   "int64", "bool"])
@pytest.mark.parametrize("shape, axes", [
    ((64, 96), (1, 0)), ((33, 47), (1, 0)), ((1, 31), (1, 0)),
    ((2, 64, 9, 7), (0, 2, 3, 1)), ((2, 9, 7, 64), (0, 3, 1, 2)),
    ((1, 20, 20, 3), (0, 3, 1, 2)), ((3, 40, 40), (1, 2, 0)),
    ((5, 17, 19, 23), (3, 2, 1, 0)), ((128, 256), (1, 0)),
])
def test_transpose(dtype, shape, axes):
    x = random(shape, dtype)
    expected = x.transpose(axes)
    got = run(f"transpose %x0 {{axes = {list(axes)}}}", [x], expected)
    np.testing.assert_array_equal(got, expected)


#===-----------------------------------------------------------------------===#
# Where
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("mask", [(37, 1), (1, 129), (37, 129), (1, 1)])
@pytest.mark.parametrize("dtype", ["float32", "int64", "float16"])
def test_where(mask, dtype):
    condition = random(mask, bool)
    x, y = random((37, 129), dtype), random((37, 129), dtype)
    expected = np.where(condition, x, y)
    np.testing.assert_array_equal(
        run("where %x0, %x1, %x2", [condition, x, y], expected), expected)


#===-----------------------------------------------------------------------===#
# Resizes
#===-----------------------------------------------------------------------===#


def coordinates(size, source, mode):
    i = np.arange(size, dtype=np.float64)
    if mode == "asymmetric":
        return i * source / size
    if mode == "align_corners":
        return i * (source - 1) / max(size - 1, 1)
    return (i + 0.5) * source / size - 0.5


def resize_axis(x, axis, size, mode):
    source = x.shape[axis]
    at = coordinates(size, source, mode)
    low = np.floor(at)
    weight = (at - low).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    first = np.take(x, np.clip(low, 0, source - 1).astype(int), axis)
    second = np.take(x, np.clip(low + 1, 0, source - 1).astype(int), axis)
    return first * (1 - weight) + second * weight


@pytest.mark.parametrize("mode", ["half_pixel", "asymmetric", "align_corners"])
@pytest.mark.parametrize("size", [(26, 30), (7, 45), (13, 31), (5, 4), (1, 1)])
def test_linear_resize(tmp_path, mode, size):
    x = random((2, 3, 13, 15), np.float32)
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode="linear",
                            coordinate_transformation_mode=mode)
    got = run_onnx(tmp_path / "resize.onnx", node, {"x": x},
                   {"sizes": np.array([2, 3, *size])})
    expected = resize_axis(resize_axis(x.astype(np.float64), 2, size[0], mode),
                           3, size[1], mode)
    np.testing.assert_allclose(got, expected, atol=2e-6 * np.abs(x).max())


@pytest.mark.parametrize("size", [(26, 30), (39, 30), (7, 45), (13, 31), (5, 4)])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_nearest_resize(size, dtype):
    x = random((2, 3, 13, 15), dtype)
    rows, columns = (np.floor(coordinates(n, source, "asymmetric")).astype(int)
                     for n, source in zip(size, x.shape[2:]))
    expected = x[:, :, rows][:, :, :, columns]
    got = run(f'image.resize2d %x0 {{size = [{size[0]}, {size[1]}], '
              'layout = "NCHW", method = "nearest_neighbor", '
              'coordinate_transformation_mode = "asymmetric", '
              'rounding_method = "floor"}', [x], expected)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("method", ["nearest_neighbor", "linear", "cubic"])
@pytest.mark.parametrize("roi", [
    "1.0e30, -1.0e30, -1.0e30, 1.0e30", "1.0e300, 0.0, -1.0e300, 1.0"])
def test_regions_far_out(method, roi):
    """What is outside of the data has the value for that, or none that means
    anything: nothing beside the data is read."""
    x = np.full((1, 1, 5, 7), 3, np.float32)
    line = (f'image.resize2d %x0 {{size = [4, 6], roi = [{roi}], method = "{method}", '
            'coordinate_transformation_mode = "tf_crop_and_resize", '
            'extrapolation_value = 3.0}')
    y = run(line, [x], x[:, :, :4, :6])
    if method == "nearest_neighbor":
        np.testing.assert_array_equal(y, np.full((1, 1, 4, 6), 3, np.float32))


#===-----------------------------------------------------------------------===#
# Borders
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("mode", ["reflect", "edge"])
@pytest.mark.parametrize("before, after", [
    ((0, 0, 1, 1), (0, 0, 1, 1)), ((0, 0, 3, 0), (0, 0, 0, 5)),
    ((0, 2, 0, 0), (0, 1, 0, 0)), ((0, 0, 0, 8), (0, 0, 0, 0)),
    ((1, 1, 1, 1), (0, 0, 2, 2)),
])
def test_border(tmp_path, mode, before, after):
    x = random((2, 3, 7, 9), np.float32)
    got = run_onnx(tmp_path / "pad.onnx",
                   helper.make_node("Pad", ["x", "pads"], ["y"], mode=mode),
                   {"x": x}, {"pads": np.array([*before, *after])})
    np.testing.assert_array_equal(got, np.pad(x, list(zip(before, after)), mode))


#===-----------------------------------------------------------------------===#
# Arithmetic that is exact
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("to", ["float16", "float32"])
def test_narrowing_of_doubles(to):
    x = np.concatenate([
        RNG.standard_normal(1000) * 10.0 ** RNG.integers(-12, 12, 1000),
        # Halfway between two halves, but for what a single does not hold.
        1 + 2.0**-11 + np.array([0, 2.0**-40, -(2.0**-40)]),
        [0.0, -0.0, np.inf, -np.inf, np.nan, 65519.999, 65520.0, 1e-300, 2.0**-25,
         2.0**-25 * (1 + 2.0**-30), 5e-324, 1.7e308]])
    with np.errstate(all="ignore"):
        expected = x.astype(to)
    got = run(f"cast %x0 {{dtype = {KINDS[to]}}}", [x], expected)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("source, to", [("int8", "uint8"), ("uint8", "int8")])
def test_change_of_sign(source, to):
    x = np.arange(-128, 128).astype(source)
    expected = x.astype(to)
    np.testing.assert_array_equal(
        run(f"cast %x0 {{dtype = {KINDS[to]}}}", [x], expected), expected)


def test_float_remainder(tmp_path):
    x = RNG.standard_normal(4001) * 10.0 ** RNG.integers(-9, 9, 4001)
    y = RNG.standard_normal(4001) * 10.0 ** RNG.integers(-9, 9, 4001)
    x, y = x.astype(np.float32), y.astype(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 1.0, -3.0, 3e38],
                       np.float32)
    pairs = np.stack(np.meshgrid(special, special)).reshape(2, -1)
    x, y = np.concatenate([x, pairs[0]]), np.concatenate([y, pairs[1]])
    # Near multiples of the divisor.
    x[:500] = (y[:500] * RNG.integers(1, 1000, 500)).astype(np.float32)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    got = run_onnx(tmp_path / "mod.onnx",
                   helper.make_node("Mod", ["x", "z"], ["y"], fmod=1),
                   {"x": x, "z": y}, {})
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got[got == 0]),
                                  np.signbit(expected[expected == 0]))


def test_division_of_integers(tmp_path):
    ends = np.array([-2**31, -2**31 + 1, -2, -1, 1, 2, 3, 2**31 - 1])
    x, y = np.stack(np.meshgrid(ends, ends)).reshape(2, -1)
    x = np.concatenate([x, RNG.integers(-2**31, 2**31, 1000)])
    y = np.concatenate([y, RNG.integers(1, 2**12, 1000)])
    # Toward zero; the lowest number by -1 wraps.
    expected = (np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y)))
    got = run("divide %x0, %x1", [x.astype(np.int32), y.astype(np.int32)],
              expected.astype(np.int32))
    np.testing.assert_array_equal(got, expected.astype(np.int32))


def test_exponentials_of_doubles():
    """Within two units in the last place, gradual where they are tiny."""
    x = np.concatenate([
        RNG.uniform(-745.2, 709.8, 4000), RNG.uniform(-1, 1, 1000),
        [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 709.782712893384, 709.79, 1e300,
         -745.13, -745.14, -708.4, -744.9, -1e300, 1e-300, 0.34657359]])
    with np.errstate(all="ignore"):
        expected = np.exp(x)
    got = run("exp %x0", [x], x)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    normal = np.isfinite(expected)
    np.testing.assert_array_equal(got[np.isinf(expected)], np.inf)
    error = np.abs(got[normal] - expected[normal])
    assert (error <= 2 * np.spacing(expected[normal])).all()


#===-----------------------------------------------------------------------===#
# Groups
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("shape, groups", [((2, 12, 5, 7), 4), ((1, 8, 16, 16), 2),
                                           ((2, 6, 33), 3), ((1, 64, 1, 3), 64)])
def test_group_norm(shape, groups):
    x = random(shape, np.float32)
    scale, shift = random(shape[1], np.float32), random(shape[1], np.float32)
    rows = x.astype(np.float64).reshape(shape[0], groups, -1)
    rows = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(
        rows.var(-1, keepdims=True) + 1e-5)
    along = (1, -1) + (1,) * (len(shape) - 2)
    expected = rows.reshape(shape) * scale.reshape(along) + shift.reshape(along)
    got = run(f"nn.group_norm %x0, %x1, %x2 {{num_groups = {groups} : i64}}",
              [x, scale, shift], x)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)


#===-----------------------------------------------------------------------===#
# One buffer in two directions
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("shape, axes", [
    ((8, 8), (1, 0)), ((2, 3, 8, 8), (0, 1, 3, 2)), ((16, 16), (1, 0)), ((40, 40), (1, 0)),
    ((5, 5), (1, 0)), ((4, 8, 8), (0, 2, 1)), ((8, 4, 8), (2, 1, 0)), ((7, 7, 7), (2, 0, 1)),
])
def test_rows_and_columns_of_one_buffer(shape, axes):
    """A kernel that reads the same elements along rows and along columns, from the same first one."""
    x = random(shape, "float32")
    kind = tensor(x)
    module = rm.compile(rm.parse(f"""
func.func @main(%x: {kind}) -> {kind} {{
  %0 = relay.tanh %x : ({kind}) -> {kind}
  %1 = relay.transpose %0 {{axes = {list(axes)}}} : ({kind}) -> {kind}
  %2 = relay.negative %1 : ({kind}) -> {kind}
  %3 = relay.add %2, %x : ({kind}, {kind}) -> {kind}
  return %3 : {kind}
}}"""), cache=False)
    np.testing.assert_allclose(np.asarray(module(x)), x - np.tanh(x.transpose(axes)), rtol=1e-5,
                               atol=1e-6)


@pytest.mark.parametrize("size", [8, 16, 24, 31])
def test_steps_through_one_buffer(size):
    """A kernel that reads neighbours, every second, and every third element from the same
    first one."""
    x = random((4, 3 * size), "float32")
    whole, part = tensor(x), f"tensor<4x{size}xf32>"

    def take(result, step):
        return (f"%{result} = relay.strided_slice %x {{begin = [0], end = [{step * size}], "
                f"strides = [{step}], axes = [1]}} : ({whole}) -> {part}")

    module = rm.compile(rm.parse(f"""
func.func @main(%x: {whole}) -> {part} {{
  {take("a", 1)}
  {take("b", 2)}
  {take("c", 3)}
  %0 = relay.multiply %a, %b : ({part}, {part}) -> {part}
  %1 = relay.add %0, %c : ({part}, {part}) -> {part}
  return %1 : {part}
}}"""), cache=False)
    np.testing.assert_allclose(
        np.asarray(module(x)), x[:, :size] * x[:, :2 * size:2] + x[:, ::3], rtol=1e-5, atol=1e-6)


#===-----------------------------------------------------------------------===#
# Half precision on processors without it
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "x86-64-v4", "sapphirerapids",
                                    "aarch64"])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_half_precision_of_open_sizes_links(target, kind, tmp_path):
    """What moves elements must not call functions that convert them: there are none to link."""
    data, zero = f"tensor<?x?x?x{kind}>", f"tensor<{kind}>"
    lines = [f"relay.transpose %x {{axes = [2, 0, 1]}} : ({data}) -> {data}",
             f"relay.nn.pad %x, %zero {{pad_width = [1, 1, 0, 2, 3, 0]}} : "
             f"({data}, {zero}) -> {data}",
             f"relay.nn.softmax %x {{axis = 1}} : ({data}) -> {data}",
             f"relay.nn.max_pool1d %x {{pool_size = [3], strides = [2], padding = [1, 1]}} : "
             f"({data}) -> {data}"]
    for line in lines:
        module = rm.parse(f"""
func.func @main(%x: {data}) -> {data} {{
  %zero = relay.constant dense<0.0> : {zero}
  %0 = {line}
  return %0 : {data}
}}""")
        output = tmp_path / "model.so"
        rm.emit(module, output, "so", target=target, cache=False)
        assert output.read_bytes().startswith(b"\x7fELF")


@pytest.mark.parametrize("left, right", [(2, 1), (1, 1), (3, 5), (1, 0), (0, 1)])
@pytest.mark.parametrize("height, width", [(5, 6), (1, 6), (3, 17), (2, 40)])
def test_tiles_of_open_sizes_with_a_border(left, right, height, width):
    """The row is the remainder by an open size, under the condition that a column is no border."""
    module = rm.compile(rm.parse(f"""
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{
  %c = relay.constant dense<-1.5> : tensor<f32>
  %0 = relay.tile %x {{reps = [2, 1]}} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = relay.nn.pad %0, %c {{pad_width = [0, 0, {left}, {right}]}} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}}"""), cache=False)
    x = random((height, width), "float32")
    np.testing.assert_array_equal(
        np.asarray(module(x)),
        np.pad(np.tile(x, (2, 1)), ((0, 0), (left, right)), constant_values=-1.5))
