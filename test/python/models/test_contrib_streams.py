# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of com.microsoft on several residual streams, positions of images, states, words
and hashes, against ONNX Runtime."""

import numpy as np
import pytest

import relay_mlir as rm
from single_nodes import check_refused, compare, compiled, machine, make, random, runtime

pytestmark = pytest.mark.share(2)

DOMAIN = "com.microsoft"


def check(op, inputs, attributes=None, constants=None, run=compiled, **options):
    arguments = (op, inputs, 18, attributes or {}, constants)
    expected = {name: options[name] for name in ("outputs", "order") if name in options}
    compare(run(*arguments, domain=DOMAIN, **options), runtime(*arguments, domain=DOMAIN, **expected))


@pytest.mark.parametrize("gates", [(2, 5, 3), (2, 5, 3, 1), (2, 5, 3, 8)])
@pytest.mark.parametrize("types", [(np.float32, np.float32), (np.float16, np.float32), (np.float32, np.float16)])
def test_reduced_streams(gates, types):
    inputs = {"x": random(2, 5, 3, 8, dtype=types[0]), "g": random(*gates, dtype=types[1], seed=1)}
    check("HyperConnectionPreMix", inputs, {"reduction_scale": 0.25})
    check("HyperConnectionPreMix", inputs, dims={"x": ["b", "t", 3, 8], "g": ["b", "t", *gates[2:]]})


@pytest.mark.parametrize("gates", [(2, 3), (2, 24), (2, 3, 1), (2, 3, 8)])
def test_reduced_flat_streams(gates):
    check("HyperConnectionPreMix", {"x": random(2, 24), "g": random(*gates, seed=1)}, {"num_branches": 3})


@pytest.mark.parametrize("gates", [(2, 5, 3), (2, 5, 3, 1), (2, 5, 3, 8)])
@pytest.mark.parametrize("mixes", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("flat", [False, True])
def test_spread_streams(gates, mixes, dtype, flat):
    inputs = {"x": random(2, 5, 24, dtype=dtype) if flat else random(2, 5, 3, 8, dtype=dtype),
              "y": random(2, 5, 8, dtype=dtype, seed=1), "g": random(*gates, seed=2)}
    if mixes:
        inputs["m"] = random(2, 5, 3, 3, seed=3)
    check("HyperConnectionPostMix", inputs, {"num_branches": 3} if flat else {})


def test_refused_streams():
    x, g = random(2, 3, 8), random(2, 3)
    check_refused("expects num_branches to be 0 or positive, but got -1", "HyperConnectionPreMix",
                  {"x": x, "g": g}, 18, {"num_branches": -1}, domain=DOMAIN)
    check_refused("expects a last axis of 3 streams, but got", "HyperConnectionPreMix", {"x": x, "g": g}, 18,
                  {"num_branches": 3}, domain=DOMAIN)
    check_refused("expects a number for each of 3 streams, or of their 8 features, in input 1, but got",
                  "HyperConnectionPreMix", {"x": x, "g": random(2, 4)}, 18, {}, domain=DOMAIN)
    check_refused("expects streams of rank 2 or more, but got", "HyperConnectionPreMix",
                  {"x": random(3), "g": g}, 18, {}, domain=DOMAIN)
    check_refused("expects a block's result (..., 8) of rank 2, but got", "HyperConnectionPostMix",
                  {"x": x, "y": random(2, 7), "g": g}, 18, {}, domain=DOMAIN)
    check_refused("expects stream_mix (..., 3, 3) of rank 3, but got", "HyperConnectionPostMix",
                  {"x": x, "y": random(2, 8), "g": g, "m": random(2, 3, 4)}, 18, {}, domain=DOMAIN)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_engram_gate(outputs, dtype):
    inputs = {"k": random(2, 5, 3, 8, dtype=dtype), "q": random(2, 5, 3, 8, dtype=dtype, seed=1),
              "v": random(2, 5, 8, dtype=dtype, seed=2), "ks": random(3, 8, dtype=dtype, seed=3),
              "qs": random(3, 8, dtype=dtype, seed=4)}
    if outputs == 2:
        inputs["vs"] = random(3, 8, dtype=dtype, seed=5)
    check("EngramGate", inputs, {"epsilon": 1e-3}, outputs=outputs)
    check("EngramGate", inputs, outputs=outputs, dims={
        "k": ["b", "t", 3, 8], "q": ["b", "t", 3, 8], "v": ["b", "t", 8]})


def test_refused_engram_gate():
    inputs = {"k": random(2, 5, 3, 8), "q": random(2, 5, 3, 8), "v": random(2, 5, 8), "ks": random(3, 8),
              "qs": random(3, 8)}
    check_refused("expects input 5 for output 1", "EngramGate", inputs, 18, {}, outputs=2, domain=DOMAIN)
    check_refused("expects rank 3 of input 2, but got", "EngramGate", {**inputs, "v": random(5, 8)}, 18, {},
                  domain=DOMAIN)


@pytest.mark.parametrize("layout, sections", [(0, [2, 1, 1]), (0, [4, 0, 0]), (0, [0, 1, 3]), (1, [2, 1, 1]),
                                              (1, [4, 0, 0]), (1, [1, 2, 1])])
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("shape", [(2, 5, 24), (2, 3, 5, 8)])
def test_positions_of_images(layout, sections, interleaved, shape):
    angles = np.random.default_rng(0).uniform(-3, 3, (16, 4)).astype(np.float32)
    inputs = {"x": random(*shape), "p": np.random.default_rng(1).integers(0, 16, (3, 2, 5))}
    tables = {"c": np.cos(angles), "s": np.sin(angles)}
    attributes = {"mrope_section": sections, "mrope_layout": layout, "interleaved": interleaved}
    if len(shape) == 3:
        attributes["num_heads"] = 3
    check("MRotaryEmbedding", inputs, attributes, tables)


def test_positions_of_images_of_open_sizes():
    """With a part of each head that is not turned, and a scale."""
    angles = np.random.default_rng(0).uniform(-3, 3, (16, 3)).astype(np.float32)
    tables = {"c": np.cos(angles), "s": np.sin(angles)}
    attributes = {"mrope_section": [1, 1, 1], "num_heads": 2, "rotary_embedding_dim": 6, "scale": 0.5}
    for dtype in (np.float32, np.float16):
        typed = {name: table.astype(dtype) for name, table in tables.items()}
        for batch, length in ((1, 1), (2, 7)):
            inputs = {"x": random(batch, length, 16, dtype=dtype),
                      "p": np.random.default_rng(1).integers(0, 16, (3, batch, length))}
            check("MRotaryEmbedding", inputs, attributes, typed, dims={"x": ["b", "t", 16], "p": [3, "b", "t"]})


def test_wrong_positions_of_images():
    inputs = {"x": random(2, 5, 24), "p": np.zeros((3, 2, 5), np.int64), "c": random(16, 4), "s": random(16, 4)}
    for sections in ([2, 1], [2, 1, 2], [5, 0, -1], [2**62, 2**62, 4]):
        check_refused("expects three numbers in mrope_section, whose sum is the number of columns",
                      "MRotaryEmbedding", inputs, 18, {"mrope_section": sections}, domain=DOMAIN)
    check_refused("expects mrope_layout to be 0 or 1, but got 2", "MRotaryEmbedding", inputs, 18,
                  {"mrope_section": [2, 1, 1], "mrope_layout": 2}, domain=DOMAIN)
    check_refused("expects positions (3, batch, position), but got", "MRotaryEmbedding",
                  {**inputs, "p": np.zeros((2, 5), np.int64)}, 18, {"mrope_section": [2, 1, 1]}, domain=DOMAIN)
    program = rm.compile(make("MRotaryEmbedding", inputs, 18, {"mrope_section": [2, 1, 1]}, domain=DOMAIN))
    with pytest.raises(ValueError, match="expects indices within the data"):
        program.run({**inputs, "p": np.full((3, 2, 5), 16)})


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("heads", [(4, 2, 2), (2, 4, 4), (2, 4, 2), (4, 4, 1), (1, 1, 1)])
@pytest.mark.parametrize("state", [False, True])
def test_attention_with_a_state(rule, heads, state):
    queries, values, keys = heads
    inputs = {"q": random(2, 3, queries * 4), "k": random(2, 3, keys * 4, seed=1) / 2,
              "v": random(2, 3, values * 5, seed=2)}
    if state:
        inputs["s"] = random(2, values, 4, 5, seed=3)
    order = ["q", "k", "v", "s" if state else ""]
    if "gated" in rule:
        inputs["d"] = -np.abs(random(2, 3, values * (4 if state else 1), seed=4))
        order.append("d")
    if "delta" in rule:
        order += [""] * (5 - len(order)) + ["b"]
        inputs["b"] = np.abs(random(2, 3, values if state else 1, seed=5))
    check("LinearAttention", inputs, {"q_num_heads": queries, "kv_num_heads": values, "update_rule": rule},
          outputs=2, order=order)


def test_refused_attention_with_a_state():
    inputs = {"q": random(2, 3, 8), "k": random(2, 3, 8), "v": random(2, 3, 8)}
    attributes = {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "linear"}
    check_refused("state_window is not supported", "LinearAttention", inputs, 18, {**attributes, "state_window": 2},
                  domain=DOMAIN)
    check_refused("expects q_num_heads that is a multiple of kv_num_heads, or the other way, but got 2 and 3",
                  "LinearAttention", inputs, 18, {**attributes, "kv_num_heads": 3}, domain=DOMAIN)
    check_refused("expects keys of heads as wide as those of queries, whose number divides kv_num_heads = 2",
                  "LinearAttention", {**inputs, "k": random(2, 3, 12)}, 18, attributes, domain=DOMAIN)


PADS = [[0, 0, 0, 0], [1, 0, 2, 1], [0, 3, 0, 0]]


@pytest.mark.parametrize("pads", PADS)
@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("attributes", [{}, {"strides": [2, 1], "dilations": [1, 2], "output_padding": [1, 0]},
                                        {"group": 2}])
def test_transposed_convolution_with_pads(pads, constant, attributes):
    channels = 2 if attributes.get("group") else 4
    inputs = {"x": random(2, 4, 5, 6), "w": random(4, channels, 3, 2, seed=1)}
    pads = {"p": np.array(pads)}
    bias = {"b": random(4, seed=2)}
    order = ["x", "w", "p", "b"]
    if constant:
        check("ConvTransposeWithDynamicPads", {**inputs, **bias}, attributes, pads, order=order)
        check("ConvTransposeWithDynamicPads", inputs, attributes, pads, dims={"x": ["n", 4, "h", "w"]})
    else:
        check("ConvTransposeWithDynamicPads", {**inputs, **pads, **bias}, attributes, run=machine, order=order)
        check("ConvTransposeWithDynamicPads", {**inputs, **pads}, attributes, run=machine,
              dims={"x": ["n", 4, "h", "w"]})


def test_wrong_pads():
    inputs = {"x": random(1, 2, 4), "w": random(2, 3, 3)}
    check_refused("expects input 2, which is left out", "ConvTransposeWithDynamicPads", inputs, 18, {}, domain=DOMAIN)
    check_refused("expects 2 pads, but got 4", "ConvTransposeWithDynamicPads", inputs, 18, {},
                  {"p": np.array([1, 1, 0, 0])}, domain=DOMAIN)
    check_refused("expects pads in [0, 2147483647], but got -1", "ConvTransposeWithDynamicPads", inputs, 18, {},
                  {"p": np.array([-1, 0])}, domain=DOMAIN)
    for pads in ([-1, 0], [0, 7], [4, 4], [2**62, 2**62]):
        with pytest.raises(ValueError, match="expects pads within the result"):
            machine("ConvTransposeWithDynamicPads", {**inputs, "p": np.array(pads)}, 18, {}, domain=DOMAIN)


@pytest.mark.parametrize("window", [1, 2, 4])
def test_words(window):
    """Rows are words, which end with zeros; one of fewer characters than the window has one place.
    What ONNX Runtime leaves unset for a row without a word is 0."""
    words = np.array([[1, 2, 3, 4, 5, 6], [3, 1, 0, 0, 0, 0], [7, 0, 0, 0, 0, 0], [2, 2, 2, 0, 5, 0]], np.int32)
    inputs = {"s": words, "w": random(5, 1, window, 3), "b": random(5, seed=1), "c": random(8, 3, seed=2)}
    check("WordConvEmbedding", inputs, {"embedding_size": 5, "conv_window_size": window, "char_embedding_size": 3})
    check("WordConvEmbedding", inputs, dims={"s": ["n", 6]})
    with_empty = {**inputs, "s": np.concatenate([words * 0, words])}
    [result] = compiled("WordConvEmbedding", with_empty, 18, {}, domain=DOMAIN)
    assert not result[:4].any()
    compare([result[4:]], runtime("WordConvEmbedding", inputs, 18, {}, domain=DOMAIN))


def test_refused_words():
    inputs = {"s": np.ones((2, 6), np.int32), "w": random(5, 1, 2, 3), "b": random(5), "c": random(8, 3)}
    check_refused("expects conv_window_size = 2, as the weights have, but got 3", "WordConvEmbedding", inputs, 18,
                  {"conv_window_size": 3}, domain=DOMAIN)
    check_refused("expects a window of 1 to 1 characters, but got", "WordConvEmbedding",
                  {**inputs, "s": np.ones((2, 1), np.int32)}, 18, {}, domain=DOMAIN)
    check_refused("expects words (words, characters), a weight", "WordConvEmbedding",
                  {**inputs, "w": random(5, 2, 3)}, 18, {}, domain=DOMAIN)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("attributes", [{}, {"seed": 42}, {"positive": 0}, {"seed": 2**32 - 1, "positive": 0}])
def test_hashes(dtype, attributes):
    values = np.random.default_rng(0).integers(0, 256, (5, 4 * np.dtype(dtype).itemsize), np.uint8).view(dtype)
    if np.dtype(dtype).kind == "f":
        values = np.nan_to_num(values)
    check("MurmurHash3", {"x": values}, attributes)


def test_refused_hashes():
    check_refused("expects elements of 32 or 64 bits, but got", "MurmurHash3", {"x": np.zeros(3, np.int8)}, 18, {},
                  domain=DOMAIN)
    check_refused("expects seed to be of 32 bits, but got -1", "MurmurHash3", {"x": np.zeros(3, np.int32)}, 18,
                  {"seed": -1}, domain=DOMAIN)


@pytest.mark.parametrize("op, reason", [("GreedySearch", "a search over what a decoder gives"),
                                        ("SparseToDenseMatMul", "of sparse tensors; give the model dense ones")])
def test_what_is_refused(op, reason):
    check_refused(f"{op} ({reason}", op, {"x": random(2, 3)}, 18, {}, domain=DOMAIN)


def test_a_model_for_one_kind_of_processor():
    check_refused("ReorderInput (of a model that was optimized for one kind of processor", "ReorderInput",
                  {"x": random(1, 8, 4, 4)}, 18, {}, domain="com.microsoft.nchwc")
