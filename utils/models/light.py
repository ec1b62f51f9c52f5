# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nine light networks of the ONNX test data, with random weights.

As shipped, all their weights are constants, so that their outputs say nothing
about the numbers in between. Here every ConstantOfShape becomes an initializer
with seeded values, scaled by what it is used for.
"""

import pathlib
from typing import Any

import numpy as np
import onnx
import onnx.backend.test
from onnx import numpy_helper

NAMES = [
    "bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
    "shufflenet", "squeezenet", "vgg19", "zfnet512"
]

# Factors on the weights of the last layer, so that the softmax gets numbers of
# order 1 however much the layers before grow or shrink them.
CLASSIFIER_SCALE = {
    "inception_v1": 0.015,
    "inception_v2": 0.4,
    "resnet50": 4.0,
    "shufflenet": 0.016
}


def data_folder():
    """Where the onnx package keeps the models and their expected outputs."""
    return pathlib.Path(onnx.backend.test.__file__).parent / "data" / "light"


class _Randomizer:

    def __init__(self, model, seed, classifier_scale):
        self.classifier_scale = classifier_scale
        self.graph = model.graph
        self.rng = np.random.default_rng(seed)
        self.constants = {
            t.name: numpy_helper.to_array(t) for t in self.graph.initializer
        }
        self.consumers: dict[str, list[Any]] = {}
        for node in self.graph.node:
            for i, name in enumerate(node.input):
                self.consumers.setdefault(name, []).append((node, i))

    def use(self, name):
        """The node that a weight reaches, and as which operand."""
        node, index = self.consumers[name][0]
        while node.op_type in ("Unsqueeze", "Reshape", "Identity"):
            node, index = self.consumers[node.output[0]][0]
        return node, index

    def is_residual(self, node):
        """True if the output of `node` is added to something else."""
        users = self.consumers.get(node.output[0], [])
        return any(user.op_type == "Sum" for user, _ in users)

    def feeds_softmax(self, node):
        users = [user for user, _ in self.consumers.get(node.output[0], [])]
        return any(
            user.op_type == "Softmax" or
            (user.op_type in ("GlobalAveragePool", "Relu", "Reshape",
                              "AveragePool") and self.feeds_softmax(user))
            for user in users)

    def std(self, node, fan_in):
        """Half the gain where no ReLU follows."""
        if self.feeds_softmax(node):
            return self.classifier_scale * np.sqrt(0.5 / fan_in)
        return np.sqrt(2.0 / fan_in)

    def normal(self, shape, std):
        return self.rng.standard_normal(shape, np.float32) * np.float32(std)

    def uniform(self, shape, low, high):
        return self.rng.uniform(low, high, shape).astype(np.float32)

    def values(self, name, shape):
        node, index = self.use(name)
        if node.op_type == "BatchNormalization":
            scale = 0.3 if self.is_residual(node) else 1.0
            return {
                1: lambda: self.uniform(shape, 0.8 * scale, 1.2 * scale),
                2: lambda: self.normal(shape, 0.1),
                3: lambda: self.normal(shape, 0.1),
                4: lambda: self.uniform(shape, 0.8, 1.2),
            }[index]()
        if node.op_type == "Conv" and index == 1:
            return self.normal(shape, self.std(node, np.prod(shape[1:])))
        if node.op_type == "Gemm" and index == 1:
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            fan_in = shape[1] if transposed else shape[0]
            return self.normal(shape, self.std(node, fan_in))
        # What follows a batch norm as separate operators.
        if node.op_type == "Mul":
            return self.uniform(shape, 0.8, 1.2)
        if node.op_type in ("Add", "Conv", "Gemm"):
            return self.normal(shape, 0.1)
        raise ValueError(f"{name}: no weights for {node.op_type} known")

    def run(self):
        kept = []
        for node in self.graph.node:
            if node.op_type != "ConstantOfShape":
                kept.append(node)
                continue
            shape = tuple(int(i) for i in self.constants[node.input[0]])
            array = self.values(node.output[0], shape)
            self.graph.initializer.append(
                numpy_helper.from_array(array, node.output[0]))
        del self.graph.node[:]
        self.graph.node.extend(kept)
        # The shapes have no reader any more.
        used = {name for node in kept for name in node.input}
        weights = [t for t in self.graph.initializer if t.name in used]
        del self.graph.initializer[:]
        self.graph.initializer.extend(weights)
        names = {t.name for t in weights}
        inputs = [i for i in self.graph.input if i.name in used - names]
        del self.graph.input[:]
        self.graph.input.extend(inputs)


def light(name):
    """A builder for one of the networks; their batch size is 1."""

    def build(batch, seed):
        if batch != 1:
            raise ValueError(f"light_{name} has a batch size of 1")
        model = onnx.load(data_folder() / f"light_{name}.onnx")
        _Randomizer(model, seed, CLASSIFIER_SCALE.get(name, 1.0)).run()
        # Initializers that are no inputs are allowed since version 4.
        model.ir_version = 4
        return model

    return build
