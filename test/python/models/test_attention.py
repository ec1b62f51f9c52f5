# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and normalisations as exporters spell them out, against float64.

Tolerance: 1e-5 of the output's largest magnitude, and NaN where float64 has it.
"""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm


class Graph:
    """A model under construction; sizes are numbers or names."""

    def __init__(self):
        self.nodes, self.constants, self.inputs = [], [], []

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def input(self, name, shape, element=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, element, shape))
        return name

    def op(self, operator, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def compile(self, result, shape, path):
        graph = helper.make_graph(
            self.nodes, "graph", self.inputs,
            [helper.make_tensor_value_info(result, TensorProto.FLOAT, shape)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, str(path))
        return rm.compile(path)


def softmax(x):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


def reference(q, k, v, heads, mask=None, keep=None):
    """In float64; `mask` is added, and where `keep` is false scores are -inf."""
    def split(x):
        x = x.astype(np.float64)
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    q, k, v = split(q), split(k), split(v)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + mask
    if keep is not None:
        scores = np.where(keep, scores, -np.inf)
    y = softmax(scores) @ v
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


def build(heads, width, q_shape, k_shape, mask=None, where=None, key_order=1):
    """`mask` and `where` are the shapes of inputs that are added, or select."""
    g = Graph()
    q, k, v = g.input("q", q_shape), g.input("k", k_shape), g.input("v", k_shape)
    split = g.constant(np.array([0, 0, heads, width // heads]))
    q, k, v = (g.op("Reshape", x, split) for x in (q, k, v))
    q = g.op("Transpose", q, perm=[0, 2, 1, 3])
    if key_order:
        k = g.op("Transpose", k, perm=[0, 2, 3, 1])
    else:
        k = g.op("Transpose", g.op("Transpose", k, perm=[0, 2, 1, 3]), perm=[0, 1, 3, 2])
    v = g.op("Transpose", v, perm=[0, 2, 1, 3])
    s = g.op("MatMul", q, k)
    root = g.constant(np.float32(np.sqrt(width // heads)))
    s = g.op("Div", s, root)
    if mask is not None:
        s = g.op("Add", s, g.input("mask", mask))
    if where is not None:
        s = g.op("Where", g.input("keep", where, TensorProto.BOOL), s,
                 g.constant(np.float32(-np.inf)))
    y = g.op("MatMul", g.op("Softmax", s, axis=-1), v)
    y = g.op("Transpose", y, perm=[0, 2, 1, 3])
    return g, g.op("Reshape", y, g.constant(np.array([0, 0, width])))


def agree(actual, expected):
    assert actual.shape == expected.shape
    assert (np.isnan(actual) == np.isnan(expected)).all()
    scale = np.nanmax(np.abs(expected), initial=0) or 1
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5 * scale)


def random_inputs(rng, batch, rows, columns, width):
    return {"q": rng.standard_normal((batch, rows, width)).astype(np.float32),
            "k": rng.standard_normal((batch, columns, width)).astype(np.float32),
            "v": rng.standard_normal((batch, columns, width)).astype(np.float32)}


def check(compiled, inputs, heads, **more):
    expected = reference(inputs["q"], inputs["k"], inputs["v"], heads, **more)
    for threads in (1, 2):
        rm.set_num_threads(threads)
        agree(compiled(**inputs), expected)


@pytest.mark.parametrize("batch, rows, columns, heads, width", [
    (1, 128, 128, 12, 768), (2, 50, 50, 4, 64), (3, 7, 9, 2, 16), (1, 1, 33, 4, 64),
    (2, 31, 1, 2, 16), (1, 97, 61, 1, 24), (1, 197, 197, 3, 192), (2, 13, 64, 2, 2),
    (1, 5, 5, 5, 35), (1, 48, 16, 2, 32), (4, 6, 8, 1, 8)])
@pytest.mark.parametrize("key_order", [0, 1])
def test_shapes(batch, rows, columns, heads, width, key_order, tmp_path):
    shape = [batch, rows, width]
    g, y = build(heads, width, shape, [batch, columns, width], key_order=key_order)
    compiled = g.compile(y, shape, tmp_path / "model.onnx")
    rng = np.random.default_rng(rows * columns)
    check(compiled, random_inputs(rng, batch, rows, columns, width), heads)


@pytest.mark.parametrize("shape", ["b11l", "11sl", "b1sl", "bhsl", "1hsl"])
def test_added_masks(shape, tmp_path):
    """A mask for each sequence, for all (causal), or for each head."""
    sizes = {"b": 2, "h": 4, "s": 37, "l": 41, "1": 1}
    batch, heads, rows, columns, width = 2, 4, 37, 41, 64
    mask_shape = [sizes[letter] for letter in shape]
    q_shape = [batch, rows, width]
    g, y = build(heads, width, q_shape, [batch, columns, width], mask=mask_shape)
    compiled = g.compile(y, q_shape, tmp_path / "model.onnx")
    rng = np.random.default_rng(3)
    inputs = random_inputs(rng, batch, rows, columns, width)
    mask = np.where(rng.random(mask_shape) < 0.3, -10000, rng.standard_normal(mask_shape))
    inputs["mask"] = mask.astype(np.float32)
    check(compiled, inputs, heads, mask=inputs["mask"].astype(np.float64))


@pytest.mark.parametrize("length", [1, 19, 128])
def test_selected_scores(length, tmp_path):
    """Causal: what is not kept is minus infinity. A row that keeps nothing is
    NaN, and so is what a NaN reaches, and nothing else."""
    batch, heads, width = 2, 2, 32
    shape = [batch, length, width]
    g, y = build(heads, width, shape, shape, where=[1, 1, length, length])
    compiled = g.compile(y, shape, tmp_path / "model.onnx")
    inputs = random_inputs(np.random.default_rng(5), batch, length, length, width)
    keep = np.tril(np.ones((length, length), bool))
    inputs["keep"] = keep.reshape(1, 1, length, length)
    check(compiled, inputs, heads, keep=keep)
    keep[length // 2] = False
    check(compiled, inputs, heads, keep=keep)
    inputs["q"][0, length - 1, 3] = np.nan
    check(compiled, inputs, heads, keep=keep)


def test_open_sizes(tmp_path):
    heads, width = 4, 64
    shape = ["batch", "length", width]
    g, y = build(heads, width, shape, shape, mask=["batch", 1, 1, "length"])
    compiled = g.compile(y, shape, tmp_path / "model.onnx")
    rng = np.random.default_rng(7)
    for batch, length in ((1, 1), (1, 128), (2, 17), (3, 50), (5, 6), (1, 700)):
        inputs = random_inputs(rng, batch, length, length, width)
        inputs["mask"] = np.where(rng.random((batch, 1, 1, length)) < 0.2, -1e4, 0
                                  ).astype(np.float32)
        check(compiled, inputs, heads, mask=inputs["mask"].astype(np.float64))


def test_open_batch(tmp_path):
    heads, width, length = 2, 32, 21
    shape = ["batch", length, width]
    g, y = build(heads, width, shape, shape, mask=["batch", 1, 1, length])
    compiled = g.compile(y, shape, tmp_path / "model.onnx")
    rng = np.random.default_rng(8)
    for batch in (1, 2, 7):
        inputs = random_inputs(rng, batch, length, length, width)
        inputs["mask"] = rng.standard_normal((batch, 1, 1, length)).astype(np.float32)
        check(compiled, inputs, heads, mask=inputs["mask"].astype(np.float64))


@pytest.mark.parametrize("length", [1024, 2501])
def test_long_sequences(length, tmp_path):
    heads, width = 2, 64
    shape = [1, length, width]
    g, y = build(heads, width, shape, shape)
    compiled = g.compile(y, shape, tmp_path / "model.onnx")
    check(compiled, random_inputs(np.random.default_rng(9), 1, length, length, width), heads)


def layer_norm(x, gamma, beta, epsilon):
    x = x.astype(np.float64)
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + epsilon) * gamma + beta


@pytest.mark.parametrize("power", [False, True])
@pytest.mark.parametrize("shape", [(1, 128, 768), (3, 7, 5), (2, 1), (1, 64), (5, 33)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_layer_norm(shape, power, dynamic, tmp_path):
    """After a residual, whose sum is used once more."""
    g = Graph()
    rng = np.random.default_rng(shape[-1])
    sizes = [f"d{i}" for i in range(len(shape) - 1)] if dynamic else list(shape[:-1])
    sizes += [shape[-1]]
    gamma, beta = rng.standard_normal((2, shape[-1])).astype(np.float32)
    s = g.op("Add", g.input("x", sizes), g.input("y", sizes))
    mean = g.op("ReduceMean", s, axes=[-1])
    d = g.op("Sub", s, mean)
    square = g.op("Pow", d, g.constant(np.float32(2))) if power else g.op("Mul", d, d)
    variance = g.op("ReduceMean", square, axes=[-1])
    root = g.op("Sqrt", g.op("Add", variance, g.constant(np.float32(1e-5))))
    n = g.op("Mul", g.op("Div", d, root), g.constant(gamma))
    n = g.op("Add", n, g.constant(beta))
    compiled = g.compile(g.op("Add", n, s), sizes, tmp_path / "model.onnx")
    inputs = {name: rng.standard_normal(shape).astype(np.float32) for name in "xy"}
    total = inputs["x"] + inputs["y"]
    agree(compiled(**inputs), layer_norm(total, gamma, beta, 1e-5) + total)


@pytest.mark.parametrize("shape", [(4, 96), (2, 3, 17)])
def test_root_mean_square(shape, tmp_path):
    g = Graph()
    x = g.input("x", list(shape))
    mean = g.op("ReduceMean", g.op("Mul", x, x), axes=[-1])
    root = g.op("Sqrt", g.op("Add", mean, g.constant(np.float32(1e-6))))
    compiled = g.compile(g.op("Div", x, root), list(shape), tmp_path / "model.onnx")
    value = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    wide = value.astype(np.float64)
    agree(compiled(x=value), wide / np.sqrt((wide ** 2).mean(-1, keepdims=True) + 1e-6))
