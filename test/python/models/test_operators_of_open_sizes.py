# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that are several of ours, at many sizes of one artefact, against ONNX Runtime.

The ONNX project's tests have static sizes. Tolerance: 2e-5 of the output's largest
magnitude; 1 for quantised numbers, which may fall on either side of a half.
"""

import itertools

import numpy as np
import pytest
from onnx import helper
from test_open_sizes import Pair, random

HEADS, SHARED, FEATURES = 4, 2, 8


@pytest.mark.parametrize("is_causal", [0, 1])
@pytest.mark.parametrize("has_mask", [False, True])
def test_attention_with_a_cache(is_causal, has_mask):
    inputs = {"q": (["b", "s", HEADS * FEATURES], "float32"),
              "k": (["b", "s", SHARED * FEATURES], "float32"),
              "v": (["b", "s", SHARED * FEATURES], "float32"),
              "past_k": (["b", SHARED, "p", FEATURES], "float32"),
              "past_v": (["b", SHARED, "p", FEATURES], "float32")}
    if has_mask:
        inputs["mask"] = (["s", "t"], "float32")
    node = helper.make_node(
        "Attention", ["q", "k", "v", "mask" if has_mask else "", "past_k", "past_v"],
        ["y", "present_k", "present_v"], is_causal=is_causal, q_num_heads=HEADS,
        kv_num_heads=SHARED)
    pair = Pair([node], inputs, ["y", "present_k", "present_v"], opset=23)
    for batch, length, past in [(1, 1, 7), (2, 3, 4), (1, 5, 1), (3, 1, 1)]:
        sizes = {"b": batch, "s": length, "p": past, "t": length + past}
        given = {name: random(*[sizes.get(dim, dim) for dim in dims], seed=i)
                 for i, (name, (dims, _)) in enumerate(inputs.items())}
        assert pair.check(given)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("turned", [0, 4])
def test_rotary_embedding(interleaved, turned):
    node = helper.make_node("RotaryEmbedding", ["x", "cos", "sin", "positions"], ["y"],
                            interleaved=interleaved, rotary_embedding_dim=turned, num_heads=HEADS)
    angles = np.outer(np.arange(50), 1.0 / 3 ** np.arange((turned or FEATURES) // 2))
    pair = Pair([node], {"x": (["b", "s", HEADS * FEATURES], "float32"),
                         "positions": (["b", "s"], "int64")}, ["y"],
                {"cos": np.cos(angles).astype(np.float32),
                 "sin": np.sin(angles).astype(np.float32)}, opset=23)
    for batch, length in [(1, 1), (2, 7), (3, 20)]:
        positions = np.random.default_rng(0).integers(0, 50, (batch, length))
        assert pair.check({"x": random(batch, length, HEADS * FEATURES), "positions": positions})


def quantised(*shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return np.random.default_rng(1).integers(info.min, info.max + 1, shape, dtype)


def test_quantised_products():
    scales = np.array([0.01, 0.02, 0.005], np.float32)
    nodes = [helper.make_node("QLinearMatMul", ["a", "s", "z", "b", "s3", "z3", "out", "z"], ["p"]),
             helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
             helper.make_node("MatMulInteger", ["q", "b", "zero"], ["r"])]
    pair = Pair(nodes, {"a": (["n", 16], "uint8"), "x": (["n", 16], "float32")},
                ["p", "q", "scale", "zero", "r"],
                {"s": np.float32(0.02), "z": np.uint8(100), "b": quantised(16, 3, dtype=np.int8),
                 "s3": scales, "z3": np.zeros(3, np.int8), "out": np.float32(0.07)})
    pair.tolerance = 1 / 255
    for rows in (1, 2, 33):
        assert pair.check({"a": quantised(rows, 16), "x": random(rows, 16)})


def test_quantised_convolution():
    node = helper.make_node("QLinearConv", ["x", "s", "z", "w", "sw", "zw", "out", "z", "bias"],
                            ["y"], pads=[1, 1, 1, 1], strides=[2, 1], group=2)
    pair = Pair([node], {"x": (["n", 4, "h", 9], "uint8")}, ["y"],
                {"s": np.float32(0.02), "z": np.uint8(128), "w": quantised(6, 2, 3, 3, dtype=np.int8),
                 "sw": np.linspace(0.01, 0.03, 6).astype(np.float32), "zw": np.zeros(6, np.int8),
                 "out": np.float32(0.9), "bias": np.arange(6, dtype=np.int32) * 100})
    pair.tolerance = 1 / 255
    for count, height in [(1, 5), (2, 8)]:
        assert pair.check({"x": quantised(count, 4, height, 9)})


@pytest.mark.parametrize("time", [0, 1])
def test_reversed_sequences(time):
    node = helper.make_node("ReverseSequence", ["x", "lengths"], ["y"], time_axis=time,
                            batch_axis=1 - time)
    dims = ["t", "b", 3] if time == 0 else ["b", "t", 3]
    pair = Pair([node], {"x": (dims, "float32"), "lengths": (["b"], "int64")}, ["y"])
    for batch, length in [(1, 1), (4, 6), (3, 1)]:
        shape = (length, batch, 3) if time == 0 else (batch, length, 3)
        lengths = np.random.default_rng(0).integers(0, length + 1, batch)
        assert pair.check({"x": random(*shape), "lengths": lengths})


def test_sums_along_an_axis_of_the_run():
    node = helper.make_node("CumSum", ["x", "axis"], ["y"], reverse=1)
    pair = Pair([node], {"x": (["a", "b", 3], "float32"), "axis": ([], "int32")}, ["y"])
    for axis, size in itertools.product(range(-3, 3), (1, 5)):
        assert pair.check({"x": random(size, 4, 3), "axis": np.array(axis, np.int32)})


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("has_weights", [False, True])
def test_losses(reduction, has_weights):
    node = helper.make_node("SoftmaxCrossEntropyLoss",
                            ["x", "target"] + ["w"] * has_weights, ["y", "log"],
                            reduction=reduction, ignore_index=-1)
    pair = Pair([node], {"x": (["n", 5, "d"], "float32"), "target": (["n", "d"], "int64")},
                ["y", "log"], {"w": np.linspace(0.1, 1, 5).astype(np.float32)} if has_weights else {})
    for count, places in [(1, 1), (4, 7)]:
        target = np.random.default_rng(0).integers(-1, 5, (count, places))
        target.flat[0] = 2
        assert pair.check({"x": random(count, 5, places), "target": target})
