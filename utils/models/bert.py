# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT-base for sequences of 128 tokens, or of an open length.

In two spellings: with the operators LayerNormalization and Gelu, and with what
older exporters write instead, where shapes are computed from Shape as well.
"""

import numpy as np
from onnx import TensorProto

from graph import Graph

VOCABULARY, LAYERS, HEADS, HIDDEN, INTERMEDIATE = 30522, 12, 12, 768, 3072
SEQUENCE, LONGEST = 128, 512
EPSILON = 1e-12


class _Bert:

    def __init__(self, g, decomposed, is_open):
        self.g = g
        self.decomposed = decomposed
        self.is_open = is_open
        g.ints("axis_0", [0])
        g.ints("axes_12", [1, 2])
        g.scalar("one", 1)
        if decomposed:
            g.scalar("two", 2)
            g.scalar("half", 0.5)
            g.scalar("sqrt_2", np.sqrt(2))
            g.scalar("epsilon", EPSILON)
            for i in range(2):
                g.scalar(f"index_{i}", i, np.int64)
            g.ints("heads", [HEADS])
            g.ints("head_size", [HIDDEN // HEADS])
            g.ints("hidden", [HIDDEN])
        else:
            g.ints("split_shape", [0, 0, HEADS, HIDDEN // HEADS])
            g.ints("merge_shape", [0, 0, HIDDEN])

    def layer_norm(self, x, name):
        g = self.g
        scale = g.uniform(f"{name}.weight", (HIDDEN,), 0.8, 1.2)
        bias = g.normal(f"{name}.bias", (HIDDEN,), 0.1)
        if not self.decomposed:
            return g.op("LayerNormalization", x, scale, bias, name=name,
                        axis=-1, epsilon=EPSILON)
        mean = g.op("ReduceMean", x, name=f"{name}/mean", axes=[-1])
        centered = g.op("Sub", x, mean, name=f"{name}/sub")
        square = g.op("Pow", centered, "two", name=f"{name}/pow")
        variance = g.op("ReduceMean", square, name=f"{name}/variance",
                        axes=[-1])
        shifted = g.op("Add", variance, "epsilon", name=f"{name}/add")
        deviation = g.op("Sqrt", shifted, name=f"{name}/sqrt")
        y = g.op("Div", centered, deviation, name=f"{name}/div")
        y = g.op("Mul", y, scale, name=f"{name}/mul")
        return g.op("Add", y, bias, name=f"{name}/bias")

    def gelu(self, x, name):
        g = self.g
        if not self.decomposed:
            return g.op("Gelu", x, name=name)
        y = g.op("Div", x, "sqrt_2", name=f"{name}/div")
        y = g.op("Erf", y, name=f"{name}/erf")
        y = g.op("Add", y, "one", name=f"{name}/add")
        y = g.op("Mul", x, y, name=f"{name}/mul")
        return g.op("Mul", y, "half", name=f"{name}/half")

    def dense(self, x, name, cin, cout):
        g = self.g
        weight = g.normal(f"{name}.weight", (cin, cout), np.sqrt(1 / cin))
        bias = g.normal(f"{name}.bias", (cout,), 0.05)
        y = g.op("MatMul", x, weight, name=f"{name}/matmul")
        return g.op("Add", bias, y, name=f"{name}/add")

    def shape(self, x, name, *last):
        """The sizes of the first two dimensions of `x`, and then `last`."""
        g = self.g
        shape = g.op("Shape", x, name=f"{name}/shape")
        sizes = []
        for i in range(2):
            size = g.op("Gather", shape, f"index_{i}", name=f"{name}/gather{i}",
                        axis=0)
            sizes.append(g.op("Unsqueeze", size, "axis_0",
                              name=f"{name}/unsqueeze{i}"))
        return g.op("Concat", *sizes, *last, name=f"{name}/concat", axis=0)

    def split_heads(self, x, name, perm):
        g = self.g
        shape = "split_shape"
        if self.decomposed:
            shape = self.shape(x, name, "heads", "head_size")
        x = g.op("Reshape", x, shape, name=f"{name}/reshape")
        return g.op("Transpose", x, name=f"{name}/transpose", perm=perm)

    def attention(self, x, mask, name):
        g = self.g
        query, key, value = (self.dense(x, f"{name}.{which}", HIDDEN, HIDDEN)
                             for which in ("query", "key", "value"))
        query = self.split_heads(query, f"{name}.query", [0, 2, 1, 3])
        key = self.split_heads(key, f"{name}.key", [0, 2, 3, 1])
        value = self.split_heads(value, f"{name}.value", [0, 2, 1, 3])
        scores = g.op("MatMul", query, key, name=f"{name}/scores")
        scale = g.scalar(f"{name}.scale", np.sqrt(HIDDEN // HEADS))
        scores = g.op("Div", scores, scale, name=f"{name}/div")
        scores = g.op("Add", scores, mask, name=f"{name}/mask")
        weights = g.op("Softmax", scores, name=f"{name}/softmax", axis=-1)
        y = g.op("MatMul", weights, value, name=f"{name}/context")
        y = g.op("Transpose", y, name=f"{name}/transpose", perm=[0, 2, 1, 3])
        shape = "merge_shape"
        if self.decomposed:
            shape = self.shape(y, f"{name}/merge", "hidden")
        y = g.op("Reshape", y, shape, name=f"{name}/reshape")
        return self.dense(y, f"{name}.output", HIDDEN, HIDDEN)

    def layer(self, x, mask, name):
        g = self.g
        y = self.attention(x, mask, f"{name}.attention")
        x = self.layer_norm(g.op("Add", y, x, name=f"{name}/add_0"),
                            f"{name}.attention.LayerNorm")
        y = self.dense(x, f"{name}.intermediate", HIDDEN, INTERMEDIATE)
        y = self.gelu(y, f"{name}.gelu")
        y = self.dense(y, f"{name}.output", INTERMEDIATE, HIDDEN)
        return self.layer_norm(g.op("Add", y, x, name=f"{name}/add_1"),
                               f"{name}.output.LayerNorm")

    def positions(self, ids):
        """Of an open length, those that there are tokens for."""
        g = self.g
        if not self.is_open:
            return g.normal("embeddings.position", (1, SEQUENCE, HIDDEN), 0.5)
        table = g.normal("embeddings.position", (1, LONGEST, HIDDEN), 0.5)
        length = g.op("Gather", g.op("Shape", ids, name="embeddings/shape"),
                      g.ints("index_length", [1]), name="embeddings/length", axis=0)
        return g.op("Slice", table, g.ints("slice_start", [0]), length,
                    g.ints("slice_axis", [1]), name="embeddings/slice")

    def embeddings(self, ids, types):
        g = self.g
        words = g.normal("embeddings.word", (VOCABULARY, HIDDEN), 0.5)
        kinds = g.normal("embeddings.token_type", (2, HIDDEN), 0.5)
        positions = self.positions(ids)
        x = g.op("Gather", words, ids, name="embeddings/word", axis=0)
        y = g.op("Gather", kinds, types, name="embeddings/token_type", axis=0)
        x = g.op("Add", x, y, name="embeddings/add_0")
        x = g.op("Add", x, positions, name="embeddings/add_1")
        return self.layer_norm(x, "embeddings.LayerNorm")

    def mask(self, mask):
        """0 for a token, -10000 for padding, against the scores."""
        g = self.g
        mask = g.op("Unsqueeze", mask, "axes_12", name="mask/unsqueeze")
        mask = g.op("Cast", mask, name="mask/cast", to=TensorProto.FLOAT)
        mask = g.op("Sub", "one", mask, name="mask/sub")
        return g.op("Mul", mask, g.scalar("mask.scale", -10000),
                    name="mask/mul")


def _build(name, batch, seed, decomposed, length=SEQUENCE):
    # Gelu is an operator since opset 20.
    g = Graph(name, batch, seed, opset=17 if decomposed else 20)
    bert = _Bert(g, decomposed, isinstance(length, str))
    ids = g.input("input_ids", [length], TensorProto.INT64)
    mask = g.input("attention_mask", [length], TensorProto.INT64)
    types = g.input("token_type_ids", [length], TensorProto.INT64)
    x = bert.embeddings(ids, types)
    mask = bert.mask(mask)
    for i in range(LAYERS):
        x = bert.layer(x, mask, f"encoder.layer.{i}")
    g.output(x, "last_hidden_state", [length, HIDDEN])
    first = g.op("Gather", x, g.scalar("first_token", 0, np.int64),
                 name="pooler/first", axis=1)
    pooled = g.linear(first, "pooler.dense", HIDDEN, HIDDEN, gain=0.5)
    g.output(g.op("Tanh", pooled, name="pooler/tanh"), "pooler_output",
             [HIDDEN])
    return g.model()


def bert_base(batch, seed):
    return _build("bert_base", batch, seed, decomposed=False)


def bert_base_decomposed(batch, seed):
    return _build("bert_base_decomposed", batch, seed, decomposed=True)


def bert_base_open(batch, seed):
    """Of sequences of any length up to 512, as exporters with open axes write it."""
    return _build("bert_base_open", batch, seed, decomposed=True, length="length")
