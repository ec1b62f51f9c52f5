# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks of sequences: products, attention, normalisations and
reductions, with batch and length open if asked for. `build(seed)` gives the same
network for the same seed."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """Grows a network from a [batch, length, features] tensor. Sizes are those
    of the sample input; where the model leaves them open, shapes are computed
    in the model."""

    def __init__(self, seed, dynamic):
        self.rng = np.random.default_rng(seed)
        self.dynamic = dynamic
        self.nodes, self.constants = [], []
        self.count = 0
        self.length = 0  # Of the sample.

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape):
        scale = 1 / np.sqrt(max(1, shape[0] if shape else 1))
        return self.constant((self.rng.standard_normal(shape) * scale).astype(np.float32))

    def op(self, operator, *inputs, outputs=1, **attributes):
        names = [f"v{self.count + i}" for i in range(outputs)]
        self.count += outputs
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    # Each takes a tensor of `f` features and gives one, and its features.

    def dense(self, x, f):
        k = int(self.pick(1, 4, 7, 16, 24, 33, 64))
        x = self.op("MatMul", x, self.weights(f, k))
        if self.rng.random() < 0.7:
            x = self.op("Add", x, self.weights(k))
        return x, k

    def activation(self, x, f):
        kind = self.pick("Relu", "Tanh", "Sigmoid", "Erf", "Gelu", "Exp", "Softsign")
        if kind == "Gelu":
            y = self.op("Erf", self.op("Div", x, self.constant(np.float32(np.sqrt(2)))))
            y = self.op("Add", y, self.constant(np.float32(1)))
            y = self.op("Mul", self.op("Mul", x, y), self.constant(np.float32(0.5)))
            return y, f
        if kind == "Exp":
            x = self.op("Neg", self.op("Abs", x))
        return self.op(kind, x), f

    def layer_norm(self, x, f):
        if f < 2:
            return x, f
        if self.rng.random() < 0.5:
            return self.op("LayerNormalization", x, self.weights(f), self.weights(f), axis=-1), f
        mean = self.op("ReduceMean", x, self.ints(-1), keepdims=1)
        d = self.op("Sub", x, mean)
        square = self.op("Pow", d, self.constant(np.float32(2)))
        variance = self.op("ReduceMean", square, self.ints(-1), keepdims=1)
        root = self.op("Sqrt", self.op("Add", variance, self.constant(np.float32(1e-5))))
        y = self.op("Mul", self.op("Div", d, root), self.weights(f))
        return self.op("Add", y, self.weights(f)), f

    def attention(self, x, f):
        heads = int(self.pick(*[h for h in range(1, 5) if f % h == 0]))
        q, k, v = (self.op("Add", self.op("MatMul", x, self.weights(f, f)), self.weights(f))
                   for _ in range(3))
        q, k, v = (self.op("Reshape", t, self.ints(0, 0, heads, f // heads)) for t in (q, k, v))
        q = self.op("Transpose", q, perm=[0, 2, 1, 3])
        v = self.op("Transpose", v, perm=[0, 2, 1, 3])
        if self.rng.random() < 0.5:
            k = self.op("Transpose", k, perm=[0, 2, 3, 1])
        else:
            k = self.op("Transpose", self.op("Transpose", k, perm=[0, 2, 1, 3]),
                        perm=[0, 1, 3, 2])
        scores = self.op("Mul", self.op("MatMul", q, k),
                         self.constant(np.float32(np.sqrt(heads / f))))
        if self.rng.random() < 0.3:
            scores = self.op("Max", scores, self.constant(np.float32(-0.25)))
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])
        y = self.op("Reshape", y, self.ints(0, 0, f))
        return self.op("Add", x, y), f

    def decoder(self, x, f):
        """A block of a decoder: norms first, one product for queries, keys and
        values, a causal mask, GELU by tanh."""
        heads = int(self.pick(*[h for h in range(1, 4) if f % h == 0]))
        y, _ = self.layer_norm(x, f)
        y = self.op("Add", self.op("MatMul", y, self.weights(f, 3 * f)), self.weights(3 * f))
        split = self.ints(0, 0, heads, f // heads)
        q, k, v = (self.op("Transpose", self.op("Reshape", t, split), perm=perm)
                   for t, perm in zip(self.op("Split", y, self.ints(f, f, f), outputs=3, axis=2),
                                      ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])))
        scores = self.op("Div", self.op("MatMul", q, k),
                         self.constant(np.float32(np.sqrt(f // heads))))
        # The sizes of the scores, whatever they are, from a table large enough.
        table = self.constant(np.tril(np.ones((1, 1, 2 * self.length, 2 * self.length), bool)))
        length = self.op("Slice", self.op("Shape", x), self.ints(1), self.ints(2))
        keep = self.op("Slice", self.op("Slice", table, self.ints(0), length, self.ints(2)),
                       self.ints(0), length, self.ints(3))
        low = self.constant(np.float32(self.pick(-1e4, -np.inf)))
        scores = self.op("Where", keep, scores, low)
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        y = self.op("Reshape", self.op("Transpose", y, perm=[0, 2, 1, 3]), self.ints(0, 0, f))
        x = self.op("Add", x, self.op("MatMul", y, self.weights(f, f)))
        y, _ = self.layer_norm(x, f)
        y = self.op("Add", self.op("MatMul", y, self.weights(f, 4 * f)), self.weights(4 * f))
        cube = self.op("Pow", y, self.constant(np.float32(3)))
        inner = self.op("Add", y, self.op("Mul", cube, self.constant(np.float32(0.044715))))
        inner = self.op("Tanh", self.op("Mul", inner, self.constant(np.float32(0.79788456))))
        inner = self.op("Add", inner, self.constant(np.float32(1)))
        y = self.op("Mul", self.op("Mul", y, self.constant(np.float32(0.5))), inner)
        return self.op("Add", x, self.op("MatMul", y, self.weights(4 * f, f))), f

    def gram(self, x, f):
        other = self.op("Transpose", x, perm=[0, 2, 1])
        scores = self.op("Softmax", self.op("MatMul", x, other), axis=int(self.pick(1, 2)))
        return self.op("MatMul", scores, x), f

    def mix(self, x, f):
        y, _ = self.activation(x, f)
        return self.op(self.pick("Add", "Mul", "Sub", "Min"), *self.shuffled(x, y)), f

    def shuffled(self, *names):
        order = list(names)
        self.rng.shuffle(order)
        return order

    def broadcast(self, x, f):
        shape = self.pick((), (f,), (1, f), (1, 1, 1), (1, 1, f))
        return self.op(self.pick("Add", "Mul", "Max", "PRelu"), x, self.weights(*shape)), f

    def concatenate(self, x, f):
        y, g = self.dense(x, f)
        names = self.shuffled(x, y, x)
        return self.op("Concat", *names, axis=2), 2 * f + g

    def slice(self, x, f):
        start = int(self.rng.integers(0, f))
        end = int(self.rng.integers(start + 1, f + 1))
        return self.op("Slice", x, self.ints(start), self.ints(end), self.ints(2)), end - start

    def gate(self, x, f):
        if f % 2:
            return x, f
        a, b = self.op("Split", x, self.ints(f // 2, f // 2), outputs=2, axis=2)
        return self.op("Mul", a, self.op("Sigmoid", b)), f // 2

    def center(self, x, f):
        axis = int(self.pick(1, 2, -1))
        kind = self.pick("ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2",
                         "ReduceLogSumExp")
        return self.op("Sub", x, self.op(kind, x, self.ints(axis), keepdims=1)), f

    def running(self, x, f):
        y = self.op("CumSum", x, self.constant(np.int64(self.pick(1, 2))))
        return self.op("Mul", y, self.constant(np.float32(0.125))), f

    def mask(self, x, f):
        condition = self.op("Greater", x, self.weights(f))
        return self.op("Where", condition, x, self.constant(np.float32(-1.5))), f

    def convolve(self, x, f):
        k, group = int(self.pick(1, 3, 5)), int(self.pick(1, f))
        y = self.op("Transpose", x, perm=[0, 2, 1])
        weight = self.constant((self.rng.standard_normal((f, f // group, k)) / np.sqrt(f * k))
                               .astype(np.float32))
        y = self.op("Conv", y, weight, kernel_shape=[k], pads=[k // 2] * 2, group=group)
        return self.op("Transpose", y, perm=[0, 2, 1]), f

    def einsum(self, x, f):
        k = int(self.pick(3, 8, 20))
        return self.op("Einsum", x, self.weights(f, k), equation="blf,fk->blk"), k

    def positions(self, x, f):
        """Adds the first rows of a table that is twice as long as the sample."""
        table = self.weights(1, 2 * self.length, f)
        length = self.op("Slice", self.op("Shape", x), self.ints(1), self.ints(2))
        table = self.op("Slice", table, self.ints(0), length, self.ints(1))
        return self.op("Add", x, table), f

    STEPS = ("dense", "dense", "dense", "activation", "activation", "layer_norm", "layer_norm",
             "attention", "attention", "decoder", "gram", "mix", "broadcast", "concatenate", "slice",
             "gate", "center", "running", "mask", "convolve", "einsum", "positions")


def build(seed, dynamic=False):
    """A checked model with an input `x` of [batch, length, features], or `tokens`
    that an embedding turns into one, one output, and its input."""
    b = Builder(seed, dynamic)
    rng = b.rng
    batch = int(b.pick(1, 1, 2, 5))
    length = int(b.pick(1, 2, 7, 16, 31, 64))
    b.length = length
    f = int(b.pick(1, 5, 8, 16, 24, 37, 64))
    dims = ["batch", "length"] if dynamic else [batch, length]
    if rng.random() < 0.4:
        info = helper.make_tensor_value_info("tokens", TensorProto.INT64, dims)
        inputs = {"tokens": rng.integers(0, 50, (batch, length))}
        x = b.op("Gather", b.weights(50, f), "tokens")
    else:
        info = helper.make_tensor_value_info("x", TensorProto.FLOAT, dims + [f])
        inputs = {"x": rng.standard_normal((batch, length, f)).astype(np.float32)}
        x = "x"
    for _ in range(int(rng.integers(2, 10))):
        if f > 150:
            x, f = b.slice(x, f)
        x, f = getattr(b, b.pick(*Builder.STEPS))(x, f)
    kind = b.pick("none", "mean", "first", "argmax", "softmax", "flat")
    element = TensorProto.FLOAT
    if kind == "mean":
        x = b.op("ReduceMean", x, b.ints(1), keepdims=0)
    elif kind == "first":
        x = b.op("Gather", x, b.constant(np.int64(0)), axis=1)
    elif kind == "argmax":
        x, element = b.op("ArgMax", x, axis=2, keepdims=0), TensorProto.INT64
    elif kind == "softmax":
        x = b.op("LogSoftmax", x, axis=-1)
    elif kind == "flat":
        x = b.op("Reshape", x, b.ints(-1, f))
    if not b.nodes:
        x = b.op("Relu", x)
    rank = 2 if kind in ("mean", "first", "argmax", "flat") else 3
    output_dims = [f"output{i}" for i in range(rank)]
    graph = helper.make_graph(b.nodes, f"sequence_{seed}", [info],
                              [helper.make_tensor_value_info(x, element, output_dims)], b.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model, inputs
