# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of floats with constant weights of few bits: against NumPy in float64,
within 3e-6 of the magnitudes (docs/Precision.md), 1e-3 for float16. Kernels make
such weights floats part by part, or multiply a few rows as integers.

Weights have so many elements that constant folding leaves them as they are."""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOLS = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"
TYPES = {"int4": TensorProto.INT4, "uint4": TensorProto.UINT4, "int8": TensorProto.INT8,
         "uint8": TensorProto.UINT8}


def get_range(dtype):
    half = 8 if dtype.endswith("4") else 128
    return (0, 2 * half) if dtype.startswith("u") else (-half, half)


def make(numbers, scales, zeros, dtype, rows, bias, **attributes):
    """relu(x @ (numbers - zeros) * scales + bias), as exporters write it."""
    depth, columns = numbers.shape
    element = helper.np_dtype_to_tensor_dtype(scales.dtype)

    def tensor(name, values):
        return helper.make_tensor(name, TYPES[dtype], values.shape, values.ravel().tolist())

    nodes = [helper.make_node("DequantizeLinear", ["q", "s", "z"], ["w"], **attributes),
             helper.make_node("MatMul", ["x", "w"], ["p"]),
             helper.make_node("Add", ["p", "b"], ["t"]),
             helper.make_node("Relu", ["t"], ["y"])]
    graph = helper.make_graph(
        nodes, "weights", [helper.make_tensor_value_info("x", element, [rows, depth])],
        [helper.make_tensor_value_info("y", element, [rows, columns])],
        [tensor("q", numbers), tensor("z", zeros), numpy_helper.from_array(scales, "s"),
         numpy_helper.from_array(bias, "b")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def check(depth, columns, dtype="int4", block=0, rows=(4,), is_open=False, per_channel=True,
          element=np.float32, precision="high"):
    rng = np.random.default_rng(depth + columns)
    low, high = get_range(dtype)
    shape = (depth // block, columns) if block else (columns,) if per_channel else ()
    numbers = rng.integers(low, high, (depth, columns))
    zeros = np.asarray(rng.integers(low, high, shape))
    scales = np.asarray(rng.uniform(0.05, 0.15, shape), element)
    bias = rng.normal(size=columns).astype(element)
    attributes = {"axis": 0, "block_size": block} if block else {"axis": 1} if per_channel else {}
    model = make(numbers, scales, zeros, dtype, "n" if is_open else rows[0], bias, **attributes)
    assert isinstance(model, onnx.ModelProto)

    def spread(values):
        return np.repeat(values, block, axis=0) if block else values

    weight = (numbers - spread(zeros)) * spread(scales.astype(np.float64))
    bound = 1e-5 if precision == "medium" else 3e-6
    if element == np.float16:
        weight, bound = weight.astype(element).astype(np.float64), 1e-3
    program = rm.compile(model, precision=precision)
    for count in rows:
        x = rng.normal(size=(count, depth)).astype(element)
        result = program.run({"x": x})
        want = np.maximum(x.astype(np.float64) @ weight + bias, 0)
        size = np.abs(x.astype(np.float64)) @ np.abs(weight) + np.abs(bias)
        assert result.shape == want.shape
        assert (np.abs(result - want) <= bound * size).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("block", [0, 16, 32, 128, 256, 1024])
@pytest.mark.parametrize("rows", [1, 4])
def test_blocks(dtype, block, rows):
    check(1024, 448, dtype, block, [rows])


@pytest.mark.parametrize("precision", ["highest", "medium"])
@pytest.mark.parametrize("block", [0, 16, 128])
@pytest.mark.parametrize("rows", [1, 4])
def test_precision(precision, block, rows):
    check(1024, 448, "uint4", block, [rows], precision=precision)


@pytest.mark.parametrize("block", [16, 32, 64, 256])
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 6, 7, 8, 9, 13, 16, 31, 32, 33, 100, 256, 257])
def test_rows(rows, block):
    check(768, 577 if rows % 2 else 576, block=block, rows=[rows])


@pytest.mark.parametrize("depth, columns, block", [(1024, 448, 128), (96, 4163, 32), (4224, 97, 64)])
def test_open_rows(depth, columns, block):
    """A single row, tiles that are full and tiles that are not, in turn."""
    check(depth, columns, block=block, rows=[1, 6, 2, 13, 1, 64, 300], is_open=True)


# Columns that fill no tile or no vector, and steps that no part divides: 4099 is prime, 2 * 2053
# has no small part.
@pytest.mark.parametrize("depth, columns", [(4099, 96), (4106, 96), (8192, 48), (22528, 17),
                                            (45056, 9), (512, 769), (416, 1023), (37, 11008),
                                            (2, 200003), (1, 400000)])
@pytest.mark.parametrize("rows", [1, 4])
def test_shapes(depth, columns, rows):
    check(depth, columns, "int8", rows=[rows])


def test_one_scale():
    check(640, 640, "int8", per_channel=False)


@pytest.mark.parametrize("rows", [[1], [5], [40]])
def test_halves(rows):
    check(1024, 448, "int4", 32, rows, element=np.float16)


def test_batches():
    """Rows of several dimensions, of which one is not known."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(-128, 128, (512, 768))
    model = make(numbers, np.full(768, 0.01, np.float32), np.zeros(768, int), "int8", 1,
                 np.zeros(768, np.float32), axis=1)
    for info, size in ((model.graph.input[0], 512), (model.graph.output[0], 768)):
        info.CopyFrom(helper.make_tensor_value_info(info.name, TensorProto.FLOAT,
                                                    [2, "n", size]))
    program = rm.compile(model)
    for length in (1, 3, 17):
        x = rng.normal(size=(2, length, 512)).astype(np.float32)
        result = program.run({"x": x})
        want = np.maximum(x.astype(np.float64) @ (numbers * 0.01), 0)
        np.testing.assert_allclose(result, want, atol=3e-6 * 512 * 1.28 * 4, rtol=0)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("dtype", ["int8", "uint4"])
def test_values(rows, dtype):
    """Blocks of zeros, of the smallest and of large numbers, and with some that are far
    larger than the others; one of these decides how exact the others of its block are."""
    block, columns = 128, 1024
    values = [np.zeros(block), np.full(block, 1e-45), np.full(block, -1e35),
              np.linspace(-2e-38, 2e-38, block), np.r_[1e6, np.ones(block - 1)],
              np.r_[np.ones(block - 1), -65504], np.full(block, -1.0)]
    rng = np.random.default_rng(0)
    low, high = get_range(dtype)
    numbers = rng.integers(low, high, (block * len(values), columns))
    zeros = rng.integers(low, high, (len(values), columns))
    scales = rng.uniform(0.005, 0.015, zeros.shape).astype(np.float32)
    program = rm.compile(make(numbers, scales, zeros, dtype, rows, np.zeros(columns, np.float32),
                              axis=0, block_size=block))
    weight = (numbers - np.repeat(zeros, block, 0)) * np.repeat(scales.astype(float), block, 0)
    for index, value in enumerate(values):
        x = np.zeros((rows, block * len(values)), np.float32)
        x[-1, index * block:][:block] = value
        result = program.run({"x": x})
        want = np.maximum(x.astype(float) @ weight, 0)
        bound = (3e-7 * np.abs(x).max() + np.finfo(np.float32).tiny) * np.abs(weight).sum(0)
        assert (np.abs(result - want) <= bound).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_numbers(value):
    """NaN makes its row NaN, and so may infinities, where zeros in the weight meet them; other
    rows do not see them."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(-8, 8, (512, 1024))
    scales = np.full((4, 1024), 0.01, np.float32)
    program = rm.compile(make(numbers, scales, np.zeros((4, 1024), int), "int4", 2,
                              np.zeros(1024, np.float32), axis=0, block_size=128))
    x = np.ones((2, 512), np.float32)
    x[0, 200] = value
    result = program.run({"x": x})
    assert np.isfinite(result[1]).all()
    if np.isnan(value):
        assert np.isnan(result[0]).all()
    else:
        assert not np.isfinite(result[0][numbers[200] * np.sign(value) > 0]).any()


def test_many_weights(tmp_path):
    """All are laid out when the model is compiled, whatever they are together."""
    size, block, layers = 3072, 128, 12
    numbers = np.zeros((size, size // block, block // 2), np.uint8)
    scales = np.ones(size * size // block, np.float32)
    nodes = [helper.make_node("MatMulNBits", [f"x{i}", f"w{i}", "s"], [f"x{i + 1}"],
                              domain="com.microsoft", N=size, K=size, bits=4, block_size=block)
             for i in range(layers)]
    weights = []
    for i in range(layers):
        numbers[0, 0, 0] = i
        weights.append(numpy_helper.from_array(numbers, f"w{i}"))
    graph = helper.make_graph(
        nodes, "chain", [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [1, size])],
        [helper.make_tensor_value_info(f"x{layers}", TensorProto.FLOAT, [1, size])],
        [*weights, numpy_helper.from_array(scales, "s")])
    path = tmp_path / "chain.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)], ir_version=10), path)
    result = subprocess.run([TOOLS / "relay-compile", path, "--target=znver4", "--remarks",
                             "-o", tmp_path / "chain.so"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "kernel fused_nn_batch_matmul" in result.stderr
    # What would lay out a weight in each run.
    assert "kernel fused_transpose\n" not in result.stderr


@pytest.mark.parametrize("batches, rows, columns", [(6, 3, 80), (4, 3, 80), (6, 2, 80), (6, 3, 40), (6, 3, 77)])
@pytest.mark.parametrize("spread", [False, True])
def test_sums_of_parts(batches, rows, columns, spread, tmp_path):
    """A kernel adds up the results of batches as they come only if it takes all of them, each once."""
    rng = np.random.default_rng(batches * rows + columns)
    x = rng.integers(-128, 128, (6, 3, 64), np.int8)
    weight = rng.integers(0, 256, (6, 80, 64), np.uint8)
    units = rng.normal(size=(batches, 2, rows, columns)).astype(np.float32)
    part, result = f"{batches}x{rows}x{columns}", f"{'2x' if spread else ''}{rows}x{columns}"
    text = f"""
func.func private @kernel(%x: tensor<6x3x64xi8>, %w: tensor<6x80x64xui8>, %u: tensor<{batches}x2x{rows}x{columns}xf32>)
    -> tensor<{result}xf32> attributes {{relay.primitive}} {{
  %0 = relay.nn.batch_matmul %x, %w {{out_dtype = i32, transpose_a = false, transpose_b = true}}
      : (tensor<6x3x64xi8>, tensor<6x80x64xui8>) -> tensor<6x3x80xi32>
  %1 = relay.cast %0 {{dtype = f32}} : (tensor<6x3x80xi32>) -> tensor<6x3x80xf32>
  %2 = relay.strided_slice %1 {{begin = [0, 0, 0], end = [{batches}, {rows}, {columns}], strides = [1, 1, 1]}}
      : (tensor<6x3x80xf32>) -> tensor<{part}xf32>
  %3 = relay.expand_dims %2 {{axis = 1 : i64}} : (tensor<{part}xf32>) -> tensor<{batches}x1x{rows}x{columns}xf32>
  %4 = relay.multiply %3, %u : (tensor<{batches}x1x{rows}x{columns}xf32>, tensor<{batches}x2x{rows}x{columns}xf32>)
      -> tensor<{batches}x2x{rows}x{columns}xf32>
  %5 = relay.sum %{4 if spread else 2} {{axis = [0]}}
      : (tensor<{f"{batches}x2x{rows}x{columns}" if spread else part}xf32>) -> tensor<{result}xf32>
  return %5 : tensor<{result}xf32>
}}
func.func @main(%x: tensor<6x3x64xi8> {{relay.name = "x"}},
    %u: tensor<{batches}x2x{rows}x{columns}xf32> {{relay.name = "u"}}) -> tensor<{result}xf32> {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : tensor<6x80x64xui8>
  %0 = relay.call @kernel(%x, %w, %u) : (tensor<6x3x64xi8>, tensor<6x80x64xui8>,
      tensor<{batches}x2x{rows}x{columns}xf32>) -> tensor<{result}xf32>
  return %0 : tensor<{result}xf32>
}}
"""
    (tmp_path / "m.mlir").write_text(text)
    got = rm.compile(tmp_path / "m.mlir").run({"x": x, "u": units})
    products = np.einsum("brk,bnk->brn", x.astype(np.float64), weight.astype(np.float64))
    products = products[:batches, :rows, :columns]
    terms = products[:, None] * units if spread else products
    assert (np.abs(got - terms.sum(0)) <= 1e-6 * np.abs(terms).sum(0)).all()
