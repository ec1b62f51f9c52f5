# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks with random weights as quantizers leave them: QuantizeLinear and
DequantizeLinear around every operator that can be quantized, elementwise ones
too. Small by default; sizes are arguments.
"""

import pathlib
import tempfile

import numpy as np
import onnx
from graph import Graph
from onnx import TensorProto
from onnxruntime import quantization


class _Reader(quantization.CalibrationDataReader):

    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize(model, feeds, activation=quantization.QuantType.QUInt8,
             weight=quantization.QuantType.QInt8, per_channel=False, **options):
    """`model` in 8 bits, with the ranges that values have for `feeds`, which are
    lists of inputs by name; `options` are extra ones of ONNX Runtime."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = (pathlib.Path(folder) / name for name in ("f.onnx", "q.onnx"))
        onnx.save(model, source)
        quantization.quantize_static(
            source, result, _Reader(feeds), quant_format=quantization.QuantFormat.QDQ,
            activation_type=activation, weight_type=weight, per_channel=per_channel,
            extra_options=options)
        return onnx.load(result)


#===-----------------------------------------------------------------------===#
# Transformers
#===-----------------------------------------------------------------------===#


class _Transformer:
    """Layers as exporters of PyTorch spell them out."""

    def __init__(self, name, hidden, heads, length, seed):
        self.g = Graph(name, 1, seed)
        self.hidden, self.heads, self.length = hidden, heads, length
        for name, value in (("one", 1), ("two", 2), ("three", 3), ("half", 0.5),
                            ("sqrt_2", np.sqrt(2)), ("epsilon", 1e-5)):
            self.g.scalar(name, value, np.float32)
        self.g.ints("split_shape", [0, 0, heads, hidden // heads])
        self.g.ints("merge_shape", [0, 0, hidden])

    def embed(self, ids, vocabulary):
        g = self.g
        words = g.normal("words", (vocabulary, self.hidden), 0.5)
        positions = g.normal("positions", (1, self.length, self.hidden), 0.5)
        return g.op("Add", g.op("Gather", words, ids, axis=0), positions)

    def dense(self, x, cin, cout):
        g = self.g
        weight = g.normal(g.unique("weight"), (cin, cout), np.sqrt(1 / cin))
        bias = g.normal(g.unique("bias"), (cout,), 0.05)
        return g.op("Add", g.op("MatMul", x, weight), bias)

    def layer_norm(self, x):
        g = self.g
        centered = g.op("Sub", x, g.op("ReduceMean", x, axes=[-1]))
        variance = g.op("ReduceMean", g.op("Pow", centered, "two"), axes=[-1])
        deviation = g.op("Sqrt", g.op("Add", variance, "epsilon"))
        y = g.op("Div", centered, deviation)
        y = g.op("Mul", y, g.uniform(g.unique("scale"), (self.hidden,), 0.8, 1.2))
        return g.op("Add", y, g.normal(g.unique("shift"), (self.hidden,), 0.1))

    def attention(self, x, mask):
        g = self.g

        def split(x, perm):
            return g.op("Transpose", g.op("Reshape", x, "split_shape"), perm=perm)

        query, key, value = (self.dense(x, self.hidden, self.hidden) for _ in range(3))
        scores = g.op("MatMul", split(query, [0, 2, 1, 3]), split(key, [0, 2, 3, 1]))
        scale = g.scalar(g.unique("scale"), np.sqrt(self.hidden // self.heads))
        scores = g.op("Add", g.op("Div", scores, scale), mask)
        weights = g.op("Softmax", scores, axis=-1)
        y = g.op("MatMul", weights, split(value, [0, 2, 1, 3]))
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), "merge_shape")
        return self.dense(y, self.hidden, self.hidden)

    def gelu(self, x):
        g = self.g
        y = g.op("Add", g.op("Erf", g.op("Div", x, "sqrt_2")), "one")
        return g.op("Mul", g.op("Mul", x, y), "half")

    def gelu_by_tanh(self, x):
        g = self.g
        cube = g.op("Mul", g.op("Pow", x, "three"), g.scalar(g.unique("c"), 0.044715))
        y = g.op("Mul", g.op("Add", x, cube), g.scalar(g.unique("c"), np.sqrt(2 / np.pi)))
        y = g.op("Add", g.op("Tanh", y), "one")
        return g.op("Mul", g.op("Mul", x, "half"), y)

    def feed_forward(self, x, activation):
        y = activation(self.dense(x, self.hidden, 4 * self.hidden))
        return self.dense(y, 4 * self.hidden, self.hidden)

    def quantized(self, vocabulary):
        model = self.g.model()
        ids = self.g.rng.integers(0, vocabulary, (4, 1, self.length))
        return quantize(model, [{"ids": x} for x in ids])


def bert(layers=2, hidden=64, heads=4, length=16, vocabulary=100, seed=0):
    net = _Transformer("bert", hidden, heads, length, seed)
    g = net.g
    x = net.layer_norm(net.embed(g.input("ids", [length], TensorProto.INT64), vocabulary))
    mask = g.constant("mask", np.zeros((1, 1, 1, length), np.float32))
    for _ in range(layers):
        x = net.layer_norm(g.op("Add", net.attention(x, mask), x))
        x = net.layer_norm(g.op("Add", net.feed_forward(x, net.gelu), x))
    g.output(x, "y", [length, hidden])
    return net.quantized(vocabulary)


def gpt2(layers=2, hidden=64, heads=4, length=16, vocabulary=100, seed=0):
    net = _Transformer("gpt2", hidden, heads, length, seed)
    g = net.g
    x = net.embed(g.input("ids", [length], TensorProto.INT64), vocabulary)
    # Small enough to be quantized along with the scores.
    mask = g.constant("mask", np.float32(np.triu(np.full((length, length), -20.0), 1)))
    for _ in range(layers):
        x = g.op("Add", x, net.attention(net.layer_norm(x), mask))
        x = g.op("Add", x, net.feed_forward(net.layer_norm(x), net.gelu_by_tanh))
    x = g.op("MatMul", net.layer_norm(x), g.normal("head", (hidden, vocabulary), 0.1))
    g.output(x, "y", [length, vocabulary])
    return net.quantized(vocabulary)


#===-----------------------------------------------------------------------===#
# MobileNet-V3
#===-----------------------------------------------------------------------===#


def _hard_swish(g, x):
    return g.op("Mul", x, g.op("HardSigmoid", x, alpha=1 / 6))


def _squeeze(g, x, name, channels):
    y = g.op("GlobalAveragePool", x)
    y = g.relu(g.conv(y, f"{name}.0", channels, channels // 4, 1, bias=True))
    y = g.conv(y, f"{name}.1", channels // 4, channels, 1, bias=True)
    return g.op("Mul", x, g.op("HardSigmoid", y, alpha=1 / 6))


def mobilenetv3(blocks=4, channels=16, size=32, seed=0):
    g = Graph("mobilenetv3", 1, seed)
    x = g.conv(g.input("x", [3, size, size]), "stem", 3, channels, 3, 2, 1, bias=True)
    x = _hard_swish(g, x)
    for i in range(blocks):
        width = 4 * channels
        y = _hard_swish(g, g.conv(x, f"{i}.expand", channels, width, 1, bias=True))
        y = g.conv(y, f"{i}.depthwise", width, width, 5, 1, 2, width, bias=True)
        y = _squeeze(g, _hard_swish(g, y), f"{i}.squeeze", width)
        y = g.conv(y, f"{i}.project", width, channels, 1, bias=True, gain=0.3)
        x = g.op("Add", x, y)
    x = _hard_swish(g, g.conv(x, "last", channels, 4 * channels, 1, bias=True))
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    g.output(g.linear(x, "classifier", 4 * channels, 10), "y", [10])
    feeds = g.rng.standard_normal((4, 1, 3, size, size), np.float32)
    return quantize(g.model(), [{"x": x} for x in feeds])
