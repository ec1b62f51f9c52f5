# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose batch and length are open, as exporters write it, against float64,
within 1e-5 of the largest result."""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"
HEADS, WIDTH = 4, 16


def make_model():
    """softmax(q k^T / 4) v of one projection, its heads split and joined by Reshape."""
    size = HEADS * WIDTH

    def constant(name, value):
        return numpy_helper.from_array(np.asarray(value), name)
    nodes = []
    for name in "qkv":
        nodes += [helper.make_node("MatMul", ["x", f"w{name}"], [f"{name}0"]),
                  helper.make_node("Reshape", [f"{name}0", "split"], [f"{name}1"]),
                  helper.make_node("Transpose", [f"{name}1"], [name], perm=[0, 2, 1, 3])]
    nodes += [helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
              helper.make_node("MatMul", ["q", "kt"], ["s0"]),
              helper.make_node("Div", ["s0", "four"], ["s1"]),
              helper.make_node("Softmax", ["s1"], ["p"], axis=-1),
              helper.make_node("MatMul", ["p", "v"], ["y0"]),
              helper.make_node("Transpose", ["y0"], ["y1"], perm=[0, 2, 1, 3]),
              helper.make_node("Reshape", ["y1", "join"], ["y"])]
    rng = np.random.default_rng(0)
    weights = {name: rng.standard_normal((size, size)).astype(np.float32) / 8 for name in "qkv"}
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", "s", size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b", "s", size])],
        [constant("split", [0, 0, HEADS, WIDTH]), constant("join", [0, 0, size]),
         constant("four", np.float32(4)),
         *(constant(f"w{name}", weight) for name, weight in weights.items())])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)],
                             ir_version=9), weights


def attend(x, weights):
    def split(name):
        heads = (x.astype(np.float64) @ weights[name]).reshape(*x.shape[:2], HEADS, WIDTH)
        return heads.transpose(0, 2, 1, 3)
    scores = split("q") @ split("k").transpose(0, 1, 3, 2) / 4
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    result = scores / scores.sum(-1, keepdims=True) @ split("v")
    return result.transpose(0, 2, 1, 3).reshape(x.shape)


@pytest.fixture(scope="module", name="compiled")
def compile_model():
    model, weights = make_model()
    return rm.compile(model), weights


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (2, 16), (3, 33), (1, 128), (5, 6), (1, 301)],
                         ids=str)
def test_sizes(compiled, shape):
    model, weights = compiled
    x = np.random.default_rng(sum(shape)).standard_normal((*shape, 64)).astype(np.float32)
    expected = attend(x, weights)
    assert np.abs(model(x) - expected).max() <= 1e-5 * np.abs(expected).max()


def test_is_one_kernel_of_blocks(tmp_path: pathlib.Path):
    """Not of elements at computed places, which took 20 times as long."""
    onnx.save(make_model()[0], tmp_path / "a.onnx")
    result = subprocess.run(
        [BIN / "relay-compile", tmp_path / "a.onnx", "-o", tmp_path / "a.so", "--no-cache",
         "--remarks"], capture_output=True, text=True, check=True)
    assert "rule: two products and the steps between them" in result.stdout + result.stderr
