# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write ONNX graphs with random weights, in the terms of layers."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """A graph under construction. Values are names; layers append nodes.

    `batch` is a number, or a name for a dynamic batch dimension. Weights are
    scaled so that activations keep their size (He), batch-norm variances lie
    around 1.
    """

    def __init__(self, name, batch, seed, opset=17):
        self.name = name
        self.batch = batch
        self.opset = opset
        self.rng = np.random.default_rng(seed)
        self.nodes = []
        self.initializers = []
        self.inputs = []
        self.outputs = []
        self.names = set()

    # Values.

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self.inputs.append(
            helper.make_tensor_value_info(name, dtype, [self.batch, *shape]))
        return name

    def output(self, value, name, shape, dtype=TensorProto.FLOAT):
        self.nodes.append(
            helper.make_node("Identity", [value], [name], name=f"{name}/out"))
        self.outputs.append(
            helper.make_tensor_value_info(name, dtype, [self.batch, *shape]))

    def constant(self, name, array):
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def scalar(self, name, value, dtype=np.float32):
        return self.constant(name, np.array(value, dtype))

    def ints(self, name, values):
        return self.constant(name, np.array(values, np.int64))

    def normal(self, name, shape, std, mean=0.0):
        values = self.rng.standard_normal(shape, np.float32)
        values *= np.float32(std)
        values += np.float32(mean)
        return self.constant(name, values)

    def uniform(self, name, shape, low, high):
        values = self.rng.uniform(low, high, shape).astype(np.float32)
        return self.constant(name, values)

    def unique(self, name):
        """`name`, with a number if a node has it already."""
        candidate, count = name, 1
        while candidate in self.names:
            candidate, count = f"{name}_{count}", count + 1
        self.names.add(candidate)
        return candidate

    def op(self, op_type, *inputs, name=None, **attributes):
        """One node with one output, named after it."""
        name = self.unique(name or op_type)
        self.nodes.append(
            helper.make_node(op_type, list(inputs), [name], name=name,
                             **attributes))
        return name

    # Layers.

    def conv(self, x, name, cin, cout, kernel, stride=1, pad=0, groups=1,
             bias=False, gain=2.0):
        fan_in = cin // groups * kernel * kernel
        inputs = [x, self.normal(f"{name}.weight",
                                 (cout, cin // groups, kernel, kernel),
                                 np.sqrt(gain / fan_in))]
        if bias:
            inputs.append(self.normal(f"{name}.bias", (cout,), 0.1))
        return self.op("Conv", *inputs, name=name,
                       kernel_shape=[kernel, kernel], strides=[stride, stride],
                       pads=[pad] * 4, dilations=[1, 1], group=groups)

    def batch_norm(self, x, name, channels, scale=1.0):
        parameters = [
            self.uniform(f"{name}.weight", (channels,), 0.8 * scale,
                         1.2 * scale),
            self.normal(f"{name}.bias", (channels,), 0.1),
            self.normal(f"{name}.running_mean", (channels,), 0.1),
            self.uniform(f"{name}.running_var", (channels,), 0.8, 1.2),
        ]
        return self.op("BatchNormalization", x, *parameters, name=name,
                       epsilon=1e-5)

    def linear(self, x, name, cin, cout, gain=2.0):
        """A fully connected layer on rows."""
        weight = self.normal(f"{name}.weight", (cout, cin), np.sqrt(gain / cin))
        bias = self.normal(f"{name}.bias", (cout,), 0.1)
        return self.op("Gemm", x, weight, bias, name=name, transB=1)

    def relu(self, x, name=None):
        return self.op("Relu", x, name=name)

    def max_pool(self, x, name, kernel, stride, pad=0):
        return self.op("MaxPool", x, name=name, kernel_shape=[kernel, kernel],
                       strides=[stride, stride], pads=[pad] * 4)

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs,
                                  self.outputs, self.initializers)
        model = helper.make_model(
            graph, producer_name="relay-mlir",
            opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 10
        return model


def save(model, path):
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def load(path):
    return onnx.load(path)
