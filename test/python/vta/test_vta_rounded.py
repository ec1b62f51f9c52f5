# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of ONNX between QuantizeLinear and DequantizeLinear, with scales that are powers of
two: halves are rounded to the even number, on VTA as in the floats of the processor."""

import os
import pathlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD_DIR / "lib"))
    monkeypatch.setenv("RELAY_VTA_STRICT", "1")


class Graph:
    """Nodes, and the constants that they take."""

    def __init__(self, seed):
        self.nodes, self.constants = [], []
        self.rng = np.random.default_rng(seed)

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def dequantize(self, value, exponent):
        zero = np.zeros((), value.dtype) if isinstance(value, np.ndarray) else np.int8(0)
        name = self.constant(value) if isinstance(value, np.ndarray) else value
        return self.op("DequantizeLinear", name, self.constant(np.float32(2.0**exponent)),
                       self.constant(zero))

    def quantize(self, value, exponent):
        """To bytes and back."""
        scale = self.constant(np.float32(2.0**exponent))
        bits = self.op("QuantizeLinear", value, scale, self.constant(np.int8(0)))
        return self.dequantize(bits, exponent)

    def conv(self, data, exponent, inputs, outputs, size, largest=127, groups=1):
        """A convolution of data with scale 2^exponent, whose weights have scale 2^-7."""
        shape = (outputs, inputs // groups, size, size)
        weight = self.rng.integers(-largest, largest + 1, shape).astype(np.int8)
        bias = self.rng.integers(-3000, 3000, outputs).astype(np.int32)
        return self.op("Conv", data, self.dequantize(weight, -7),
                       self.dequantize(bias, exponent - 7), pads=[size // 2] * 4, group=groups)

    def save(self, path, shape, result):
        graph = helper.make_graph(
            self.nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(result, TensorProto.FLOAT, None)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        onnx.save(model, path)


def check(path, shape, seed, config="1x16_i8w8a32_15_15_18_17"):
    """Both simulators give the bits of the processor; the kernels on VTA."""
    x = np.random.default_rng(seed).integers(-130, 131, shape).astype(np.float32) / 16
    expected = np.asarray(rm.compile(path)(x))
    assert len(np.unique(expected)) > 3
    for device in ("vta:fsim", "vta:tsim"):
        model = rm.compile(path, target=f"vta -config={config},cpu", device=device)
        np.testing.assert_array_equal(np.asarray(model(x)), expected)
    return [row for row in model.profile([x], repeat=1) if row.counters]


@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2, 3, 8, 12, 14, 15, 16, 17])
def test_shifts(shift, tmp_path):
    """Sums have scale 2^-11. Small weights give halves often where the shift is small."""
    graph = Graph(shift + 10)
    largest = 1 if shift < 4 else 127
    x = graph.quantize("x", -4)
    y = graph.quantize(graph.conv(x, -4, 32, 32, 3, largest), shift - 11)
    graph.save(tmp_path / "layer.onnx", (1, 32, 6, 6), y)
    assert len(check(tmp_path / "layer.onnx", (1, 32, 6, 6), shift + 20)) == 1


@pytest.mark.parametrize("config", ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18",
                                    "1x16_i8w8a32_12_11_14_13", "1x2_i8w8a32_11_9_9_11"])
def test_layers(config, tmp_path):
    """ReLU, channels of their own, channels that are no whole blocks, several images."""
    graph = Graph(1)
    x = graph.quantize("x", -4)
    x = graph.quantize(graph.op("Relu", graph.conv(x, -4, 20, 24, 3)), -1)
    x = graph.quantize(graph.op("Relu", graph.conv(x, -1, 24, 24, 3, groups=24)), 0)
    x = graph.quantize(graph.conv(x, 0, 24, 10, 1), 3)
    graph.save(tmp_path / "network.onnx", (3, 20, 7, 5), x)
    assert len(check(tmp_path / "network.onnx", (3, 20, 7, 5), 2, config)) == 3


def test_integer_operators(tmp_path):
    """QLinearConv, whose scales are those of a change by 2^-11."""
    graph = Graph(2)
    values = {"sx": np.float32(2**-4), "sw": np.float32(2**-7), "sy": np.float32(1),
              "zero": np.int8(0), "bias": graph.rng.integers(-3000, 3000, 16).astype(np.int32),
              "w": graph.rng.integers(-127, 128, (16, 20, 3, 3)).astype(np.int8)}
    names = {name: graph.constant(value) for name, value in values.items()}
    bits = graph.op("QuantizeLinear", "x", names["sx"], names["zero"])
    bits = graph.op("QLinearConv", bits, *(names[name] for name in (
        "sx", "zero", "w", "sw", "zero", "sy", "zero", "bias")), pads=[1, 1, 1, 1])
    graph.save(tmp_path / "layer.onnx", (1, 20, 6, 6), graph.dequantize(bits, 0))
    assert len(check(tmp_path / "layer.onnx", (1, 20, 6, 6), 4)) == 1


def test_ties_to_even(tmp_path):
    """Each half, of either sign, against NumPy: the weight is 1 on the diagonal."""
    graph = Graph(0)
    weight = np.eye(16, dtype=np.int8)[:, :, None, None]
    x = graph.quantize("x", 0)
    y = graph.op("Conv", x, graph.dequantize(weight, 0))
    graph.save(tmp_path / "halves.onnx", (1, 16, 4, 4), graph.quantize(y, 1))
    x = np.arange(-128, 128).reshape(1, 16, 4, 4).astype(np.float32)
    model = rm.compile(tmp_path / "halves.onnx", target="vta,cpu", device="vta:tsim")
    np.testing.assert_array_equal(np.asarray(model(x)), np.rint(x / 2) * 2)
    assert [row for row in model.profile([x], repeat=1) if row.counters]
