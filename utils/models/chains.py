# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of ONNX operators, as long as wanted: `build(seed, length)`.

Shorter chains of a seed are the start of longer ones. No step enlarges errors:
each is a function whose slope is at most about one, so that chains of any
length can be compared. What rounds is in steps of its own, `quantized=True`.
"""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (2, 3, 8, 8)
STEP = 0.05  # of quantization

# One operator, with what keeps its argument in its domain and its result small.
UNARY: list[list[Any]] = [
    ["Relu"], ["Sigmoid"], ["Tanh"], ["Softsign"], ["Elu"], ["LeakyRelu"], ["Abs"],
    ["Neg"], ["HardSigmoid"], ["Sin"], ["Cos"], ["Atan"], ["Asinh"], ["Celu"],
    ["ThresholdedRelu"], ["Erf", 0.8], ["Softplus", 1, -0.7], ["HardSwish", 0.6],
    ["Gelu", 0.8], ["Mish", 0.8], ["Selu", 0.5], ["Identity"],
    ["Abs", "Neg", "Exp"], ["Abs", 1, 1.0, "Log"], ["Abs", 1, 1.0, "Sqrt", 1, -1.0],
    ["Abs", 1, 1.0, "Reciprocal"], ["Tanh", 0.5, "Asin"], ["Tanh", 0.5, "Acos", 1, -1.5],
    ["Tanh", 0.5, "Atanh"], ["Tanh", 0.5, "Tan"], ["Tanh", 0.5, "Sinh"],
    ["Tanh", 0.5, "Cosh", 1, -1.0], ["Abs", 1, 2.0, "Acosh", 1, -1.5],
]


class Chain:
    """Grows one operator after another; `value` is the last one."""

    def __init__(self, seed, quantized=False):
        self.rng = np.random.default_rng(seed)
        self.quantized = quantized
        self.nodes, self.constants = [], {}
        self.value = "x"
        self.shape: tuple[int, ...] = SHAPE
        # Values that later steps may use as well, by shape.
        self.earlier: dict[tuple[int, ...], list[str]] = {SHAPE: ["x"]}

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def constant(self, array):
        array = np.asarray(array)
        name = "c_" + "_".join(map(str, [array.dtype, *array.shape, array.tobytes().hex()]))
        self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def scalar(self, value):
        return self.constant(np.float32(value))

    def add(self, operator, *inputs, count=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if count == 1 else names

    def scale(self, x, factor):
        return self.add("Mul", x, self.scalar(factor))

    def halve(self, a, b):
        """The mean of two values."""
        return self.scale(self.add("Add", a, b), 0.5)

    # Steps: each takes a value and gives another of the same shape.

    def unary(self, x):
        numbers: list[Any] = []
        for part in UNARY[self.rng.integers(len(UNARY))]:
            if isinstance(part, str):
                x = self.add(part, x)
            elif numbers:
                x, numbers = self.add("Add", x, self.scalar(part)), []
            elif part == 1:
                numbers = [part]
            else:
                x = self.scale(x, part)
        return x

    def gate(self, x):
        """Values times what is computed of them."""
        which = self.rng.integers(4)
        if which == 0:
            return self.scale(self.add("Mul", x, self.add("Sigmoid", x)), 0.9)
        if which == 1:
            y = self.add("Tanh", x)
            return self.add("Mul", y, self.scale(y, 0.5))
        if which == 2:
            y = self.add("Add", self.add("Mul", x, x), self.scalar(1))
            return self.add("Div", x, y)
        return self.add("Where", self.add("Greater", x, self.scalar(0)), x, self.scale(x, 0.5))

    def fan(self, x):
        """A value that is used two to four times."""
        parts = [self.unary(x) for _ in range(self.rng.integers(2, 5))]
        total = parts[0]
        for part in parts[1:]:
            total = self.add("Add", total, part)
        return self.scale(total, 1 / len(parts))

    def broadcast(self, x):
        shape = [d if self.rng.random() < 0.5 else 1 for d in self.shape]
        other = self.constant(self.rng.uniform(-1, 1, shape).astype(np.float32))
        return self.add(self.pick("Add", "Sub", "Mul", "Max", "Min"), x, other)

    def reduce(self, x):
        axis = int(self.rng.integers(len(self.shape)))
        operator = self.pick("ReduceMean", "ReduceMax", "Softmax", "CumSum")
        if operator == "Softmax":
            return self.halve(x, self.add("Softmax", x, axis=axis))
        axes = self.constant(np.array([axis], np.int64))
        if operator == "CumSum":
            total = self.add("CumSum", x, self.constant(np.int64(axis)))
            return self.scale(total, 1 / self.shape[axis])
        return self.scale(self.add("Sub", x, self.add(operator, x, axes)), 0.5)

    def move(self, x):
        which = self.rng.integers(4)
        if which == 0:
            order = [int(i) for i in self.rng.permutation(len(self.shape))]
            self.shape = tuple(self.shape[i] for i in order)
            return self.add("Transpose", x, perm=order)
        if which == 1:
            self.shape = tuple(int(d) for d in self.rng.permutation(self.shape))
            return self.add("Reshape", x, self.constant(np.array(self.shape, np.int64)))
        axis = int(self.rng.integers(len(self.shape)))
        size = self.shape[axis]
        if which == 2:
            axes = self.constant(np.array([axis], np.int64))
            one = self.constant(np.array([1], np.int64))
            rest = self.add("Slice", x, one, self.constant(np.array([size], np.int64)), axes)
            first = self.add("Slice", x, self.constant(np.array([0], np.int64)), one, axes)
            return self.halve(x, self.add("Concat", rest, first, axis=axis))
        same = [i for i, d in enumerate(self.shape) if d == size and i != axis]
        if not same:
            return x
        order = list(range(len(self.shape)))
        order[axis], order[same[0]] = order[same[0]], order[axis]
        return self.halve(x, self.add("Transpose", x, perm=order))

    def skip(self, x):
        return self.halve(x, self.pick(*self.earlier.get(self.shape, [x])))

    def refresh(self, x):
        """Brings the input in again, of which many steps leave little."""
        shape = self.constant(np.array(self.shape, np.int64))
        return self.add("Add", self.scale(x, 0.8), self.add("Reshape", "x", shape))

    def quantize(self, x):
        scale, zero = self.scalar(STEP), self.constant(np.int8(self.rng.integers(-5, 6)))
        return self.add("DequantizeLinear", self.add("QuantizeLinear", x, scale, zero),
                        scale, zero)

    def begin_again(self, seed):
        """What follows is what the chain began with, of the last value."""
        if self.shape != SHAPE:
            shape = self.constant(np.array(SHAPE, np.int64))
            self.value, self.shape = self.add("Reshape", self.value, shape), SHAPE
        self.rng = np.random.default_rng(seed)
        self.earlier = {SHAPE: [self.value]}

    def grow(self, length):
        steps = [self.unary] * 6 + [self.gate] * 3 + [self.fan, self.broadcast, self.skip] * 2
        steps += [self.refresh] * 3
        steps += [self.quantize] * 6 if self.quantized else [self.reduce, self.move] * 2
        while len(self.nodes) < length:
            self.value = self.pick(*steps)(self.value)
            self.earlier.setdefault(self.shape, []).append(self.value)

    def model(self):
        def declare(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        nodes = [*self.nodes, helper.make_node("Identity", [self.value], ["y"])]
        graph = helper.make_graph(nodes, "chain", [declare("x", SHAPE)],
                                  [declare("y", self.shape)], list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)],
                                  ir_version=9)
        onnx.checker.check_model(model)
        return model


def build(seed, length, quantized=False, period=None):
    """A chain of at least `length` operators from "x", of shape SHAPE, to "y". With a
    `period`, the same that many operators again and again."""
    chain = Chain(seed, quantized)
    period = period or length
    chain.grow(period)
    while len(chain.nodes) < length:
        chain.begin_again(seed)
        chain.grow(len(chain.nodes) + period)
    return chain.model()
