# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized graphs (QuantizeLinear, DequantizeLinear) against ONNX Runtime, which
computes operator by operator, and against the interpreter by `relay-run --check`.

Tolerance: none without sums of products; after them, one step of the quantizer in
one of a thousand elements.
"""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

pytestmark = pytest.mark.share(2)

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"


class Graph:
    """Nodes and constants, named by their numbers."""

    def __init__(self, **inputs):
        self.nodes, self.constants = [], []
        self.inputs = [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)
            for name, (dtype, shape) in inputs.items()]

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def parameters(self, scale, zero):
        return self.constant(np.asarray(scale)), self.constant(zero)

    def dequantize(self, x, scale, zero, **attributes):
        return self.add("DequantizeLinear", x, *self.parameters(scale, zero), **attributes)

    def quantize(self, x, scale, zero):
        return self.add("QuantizeLinear", x, *self.parameters(scale, zero))

    def requantize(self, x, scale, zero):
        """As exporters write it: a tensor of floats on the steps of a quantizer."""
        scale, zero = self.parameters(np.float32(scale), np.uint8(zero))
        return self.add("DequantizeLinear", self.add("QuantizeLinear", x, scale, zero), scale,
                        zero)

    def convolution(self, rng, x, channels, outputs):
        weight = self.constant(rng.integers(-127, 128, (outputs, channels, 3, 3)).astype(np.int8))
        weight = self.dequantize(weight, rng.uniform(1e-3, 5e-3, outputs).astype(np.float32),
                                 np.zeros(outputs, np.int8), axis=0)
        bias = self.constant(rng.uniform(-0.5, 0.5, outputs).astype(np.float32))
        return self.add("Conv", x, weight, bias, pads=[1] * 4)

    def model(self, output, opset=21):
        graph = helper.make_graph(self.nodes, "g", self.inputs,
                                  [helper.make_empty_tensor_value_info(output)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                 ir_version=10)


def run_both(model, **inputs):
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings,
                                           providers=["CPUExecutionProvider"])
    return rm.compile(model).run(inputs), session.run(None, inputs)[0]


def check_by_interpreter(model, folder, precision="highest"):
    onnx.save(model, folder / "model.onnx")
    run = subprocess.run(
        [BIN / "relay-run", "model.onnx", "--check=interpreter", f"--precision={precision}"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


# All pairs of bytes.
PAIRS = np.arange(1 << 16).reshape(256, 256)
BYTES = {"a": (PAIRS & 255).astype(np.uint8), "b": (PAIRS >> 8).astype(np.uint8)}


# Where the scales are multiples of each other, many sums lie between two steps.
@pytest.mark.parametrize("scales", [(0.02, 0.02, 0.04), (0.03, 0.01, 0.02),
                                    (0.1, 0.1, 0.2), (0.02, 0.013, 0.017)])
@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul", "Max"])
@pytest.mark.parametrize("is_quantized", [True, False])
def test_elementwise(kind, scales, is_quantized, tmp_path):
    g = Graph(a=(np.uint8, PAIRS.shape), b=(np.uint8, PAIRS.shape))
    first, second, last = (np.float32(scale) for scale in scales)
    y = g.add(kind, g.dequantize("a", first, np.uint8(120)),
              g.dequantize("b", second, np.uint8(100)))
    if is_quantized:
        y = g.quantize(y, last, np.uint8(110))
    model = g.model(y)
    actual, expected = run_both(model, **BYTES)
    np.testing.assert_array_equal(actual, expected)
    assert "agrees" in check_by_interpreter(model, tmp_path)


def test_products_of_sums():
    """Nothing that comes from integers is contracted, several operators on."""
    g = Graph(a=(np.uint8, PAIRS.shape), b=(np.uint8, PAIRS.shape))
    a = g.dequantize("a", np.float32(0.02), np.uint8(120))
    b = g.dequantize("b", np.float32(0.02), np.uint8(100))
    y = g.add("Mul", g.add("Add", a, b), g.constant(np.float32(0.3)))
    y = g.quantize(g.add("Add", y, a), np.float32(0.04), np.uint8(110))
    actual, expected = run_both(g.model(y), **BYTES)
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("seed", range(3))
def test_convolutions(seed, tmp_path):
    rng = np.random.default_rng(seed)
    g = Graph(x=(np.float32, (1, 8, 24, 24)))
    x = g.requantize("x", 0.03, 120)
    y = g.requantize(g.add("Relu", g.convolution(rng, x, 8, 16)), 0.02, 0)
    z = g.requantize(g.convolution(rng, y, 16, 16), 0.02, 128)
    y = g.requantize(g.add("Sigmoid", g.add("Add", y, z)), 1 / 256, 0)
    step = 0.05
    y = g.requantize(g.convolution(rng, y, 16, 8), step, 100)
    model = g.model(y)
    inputs = rng.standard_normal((1, 8, 24, 24), "float32")
    actual, expected = run_both(model, x=inputs)
    error = np.abs(actual - expected)
    # A step of an inner quantizer moves nine elements of each channel a little.
    assert error.max() <= 1.01 * step and (error > step / 2).mean() <= 1e-2
    check_by_interpreter(model, tmp_path)


def test_check_admits_single_steps(tmp_path):
    """Sums in another order: after so many, a few elements are a step off."""
    rng = np.random.default_rng(3)
    depth = 512
    g = Graph(x=(np.float32, (256, depth)))
    x = g.requantize("x", 0.03, 120)
    for _ in range(3):
        weight = g.constant(rng.standard_normal((depth, depth), "float32") * np.float32(0.05))
        x = g.requantize(g.add("Sigmoid", g.add("MatMul", x, weight)), 1 / 256, 0)
        x = g.requantize(g.add("Sub", x, g.constant(np.float32(0.5))), 1 / 256, 128)
    assert "agrees" in check_by_interpreter(g.model(x), tmp_path)


def test_check_admits_steps_after_graph_passes(tmp_path):
    """Winograd's algorithm, of precision high, in the place of the sums of a convolution:
    a few elements of the quantizer after it are a step off. (On matrix units, with fewer terms
    of the products, three times as many.)"""
    rng = np.random.default_rng(0)
    weight = (rng.standard_normal((32, 32, 3, 3)) / 17).astype(np.float32)
    g = Graph(x=(np.float32, (1, 32, 28, 28)))
    y = g.quantize(g.add("Conv", "x", g.constant(weight), pads=[1] * 4), np.float32(3e-4),
                   np.int16(0))
    assert "agrees" in check_by_interpreter(g.model(y), tmp_path, precision="high")


# Zero points far beyond what the floats hold as integers.
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_zero_points_of_16_bits(kind):
    x = np.linspace(-8, 8, 1001).astype(kind)
    g = Graph(x=(kind, x.shape))
    scale = kind(0.25)
    q = g.quantize("x", scale, np.uint16(40001))
    y = g.dequantize(q, scale, np.uint16(40001))
    actual = rm.compile(g.model(y)).run({"x": x})
    expected = np.rint(x / scale).astype(int) * float(scale)
    np.testing.assert_array_equal(actual.astype(float), expected)
    actual = rm.compile(g.model(q)).run({"x": x})
    np.testing.assert_array_equal(actual, np.rint(x / scale).astype(int) + 40001)


@pytest.mark.parametrize("kind, good, others", [
    ("uint8", np.uint8(3), [np.int8(3), np.int32(3), np.float32(3)]),
    ("int8", np.int8(3), [np.uint8(3), np.int16(3), np.float32(0.5)])])
@pytest.mark.parametrize("op, shapes", [("QLinearMatMul", [(2, 3), (3, 2)]),
                                        ("QLinearConv", [(1, 1, 3, 3), (1, 1, 2, 2)])])
def test_types_of_zero_points(op, shapes, kind, good, others):
    """They are those of the data."""
    def compile_with(left, right):
        g = Graph(a=(kind, shapes[0]), b=(kind, shapes[1]))
        scale, zero = g.parameters(np.float32(0.5), good)
        rm.compile(g.model(g.add(op, "a", scale, g.constant(left), "b", scale, g.constant(right),
                                 scale, zero)))

    compile_with(good, good)
    for other in others:
        with pytest.raises(rm.CompileError,
                           match="in input 2, as in input 0, but got|expects input 2 .* of type"):
            compile_with(other, good)
        with pytest.raises(rm.CompileError,
                           match="in input 5, as in input 3, but got|expects input 5 .* of type"):
            compile_with(good, other)
