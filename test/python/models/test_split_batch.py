# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks whose first layers run for a few samples of a batch at a time.

Each sample's result is that of the whole batch, bit by bit in the interpreter; compiled, it is
ONNX Runtime's within 1e-4 of the scale (the precision high where the processor has matrix
units).
"""

import numpy as np
import onnx
import onnxruntime
import pytest
import relay_mlir as rm
from interpreted import interpret
from onnx import TensorProto, helper, numpy_helper


class Network:
    """A random network: `layers` of the kinds that image networks begin with."""

    def __init__(self, seed, batch, size, layers, channels=8):
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.shape = [batch, channels, size, size]
        self.earlier: list[tuple[str, list[int]]] = []
        value = "x"
        graph_input = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(self.shape))
        kinds = [self.conv, self.depthwise, self.pool, self.activation, self.residual,
                 self.concatenate, self.scale, self.resize]
        for _ in range(layers):
            value = kinds[self.rng.integers(len(kinds))](value)
            self.earlier.append((value, list(self.shape)))
        self.node("GlobalAveragePool", [value], name="pooled")
        self.node("Flatten", ["pooled"], name="flat")
        weight = self.weight(self.shape[1], 10)
        self.node("MatMul", ["flat", weight], name="y")
        graph = helper.make_graph(
            self.nodes, "network", [graph_input],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 10])], self.weights)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                                       ir_version=9)

    def node(self, op, inputs, name=None, **attributes):
        name = name or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        value = self.rng.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[1:])))
        self.weights.append(numpy_helper.from_array(value.astype(np.float32), name))
        return name

    def conv(self, x):
        outputs, kernel = int(self.rng.choice([4, 8, 12])), int(self.rng.choice([1, 3]))
        w = self.weight(outputs, self.shape[1], kernel, kernel)
        self.shape[1] = outputs
        return self.node("Conv", [x, w, self.weight(outputs)], pads=[kernel // 2] * 4)

    def depthwise(self, x):
        channels, stride = self.shape[1], int(self.rng.choice([1, 2]))
        w = self.weight(channels, 1, 3, 3)
        self.shape[2:] = [(size - 1) // stride + 1 for size in self.shape[2:]]
        return self.node("Conv", [x, w], pads=[1] * 4, group=channels, strides=[stride] * 2)

    def pool(self, x):
        if self.shape[2] < 4:
            return self.activation(x)
        op = str(self.rng.choice(["MaxPool", "AveragePool"]))
        self.shape[2:] = [size - 1 for size in self.shape[2:]]
        return self.node(op, [x], kernel_shape=[2, 2])

    def activation(self, x):
        return self.node(str(self.rng.choice(["Relu", "Sigmoid", "Tanh", "HardSwish"])), [x])

    def residual(self, x):
        others = [value for value, shape in self.earlier if shape == self.shape]
        return self.node("Add", [x, str(self.rng.choice(others))] if others else [x, x])

    def concatenate(self, x):
        others = [(value, shape) for value, shape in self.earlier
                  if shape[2:] == self.shape[2:] and shape[1] + self.shape[1] < 40]
        if not others:
            return self.activation(x)
        value, shape = others[self.rng.integers(len(others))]
        self.shape[1] += shape[1]
        return self.node("Concat", [x, value], axis=1)

    def scale(self, x):
        """Of channels, of pixels, or of samples, which parts do not take apart."""
        shapes = [(self.shape[1], 1, 1), (1, *self.shape[2:]), (self.shape[0], 1, 1, 1)]
        return self.node("Mul", [x, self.weight(*shapes[self.rng.choice(3, p=[0.45, 0.45, 0.1])])])

    def resize(self, x):
        if self.shape[2] > 12:
            return self.activation(x)
        self.shape[2:] = [2 * size for size in self.shape[2:]]
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), name))
        return self.node("Resize", [x, "", name], mode="nearest",
                         coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def run_session(model, x):
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def split(model, samples):
    """The module, ready to be split, and split."""
    modules = []
    for extra in ("", f",relay-split-batch{{samples={samples}}}"):
        module = rm.import_onnx(model)
        module.run_passes(f"builtin.module(relay-infer-types,func.func(relay-decompose{extra}))")
        modules.append(module)
    return modules


@pytest.mark.parametrize("seed", range(24))
def test_random_networks(seed, tmp_path):
    batch, samples = [(2, 1), (6, 2), (4, 2), (6, 3), (8, 1)][seed % 5]
    size = 5 + seed % 9
    network = Network(seed, batch, size, layers=12)
    x = np.random.default_rng(seed).standard_normal((batch, 8, size, size)).astype(np.float32)
    whole, parts = split(network.model, samples)
    assert parts.print(elide_larger=8).count("strided_slice") >= batch // samples
    np.testing.assert_array_equal(interpret(parts, tmp_path, x), interpret(whole, tmp_path, x))
    expected = run_session(network.model, x)
    actual = rm.compile(parts).run({"x": x})
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4 * abs(expected).max())


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_large_images(executor):
    """Parts are chosen by the compiler; each has its own memory in turn."""
    batch, size = 8, 64
    rng = np.random.default_rng(0)
    weights = {
        "expand": rng.standard_normal((96, 8, 1, 1)) / 3, "filter": rng.standard_normal(
            (96, 1, 3, 3)) / 3, "project": rng.standard_normal((8, 96, 1, 1)) / 10}
    nodes = [helper.make_node("Conv", ["x", "expand"], ["e"]), helper.make_node("Relu", ["e"], ["r"]),
             helper.make_node("Conv", ["r", "filter"], ["f"], group=96, pads=[1] * 4,
                              strides=[2, 2]), helper.make_node("Relu", ["f"], ["g"]),
             helper.make_node("Conv", ["g", "project"], ["y"])]
    graph = helper.make_graph(
        nodes, "block",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 8, size, size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 8, size // 2, size // 2])],
        [numpy_helper.from_array(value.astype(np.float32), name)
         for name, value in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    x = rng.standard_normal((batch, 8, size, size)).astype(np.float32)
    module = rm.import_onnx(model)
    module.run_passes("builtin.module(relay-optimize{opt-level=3 target=x86-64-v3})")
    assert module.print(elide_larger=8).count("strided_slice") >= 2
    run = rm.compile(model, target="x86-64-v3", executor=executor)
    expected = run_session(model, x)
    np.testing.assert_allclose(run.run({"x": x}), expected, rtol=0,
                               atol=1e-4 * abs(expected).max())
