# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that read at positions that are data, or keep what they have read, steps
of optimizers, and casts of bits, against ONNX Runtime or the package onnx."""

from typing import Any

import numpy as np
import pytest

from single_nodes import check_refused, compare, compiled, random, reference, runtime

CASES = [
    ({}, 1, 1),
    ({"pads": [1, 1, 1, 1], "strides": [2, 1]}, 1, 1),
    ({"dilations": [2, 1]}, 1, 2),
    ({"pads": [0, 1, 2, 1]}, 2, 2),
]


@pytest.mark.parametrize("attributes,groups,offset_groups", CASES)
@pytest.mark.parametrize("has_mask", [False, True])
def test_deformable_convolution(attributes, groups, offset_groups, has_mask):
    pads = attributes.get("pads", [0] * 4)
    strides = attributes.get("strides", [1, 1])
    dilations = attributes.get("dilations", [1, 1])
    size = [(7 + pads[i] + pads[i + 2] - 2 * dilations[i] - 1) // strides[i] + 1 for i in (0, 1)]
    inputs = {"x": random(2, 4, 7, 7), "w": random(6, 4 // groups, 3, 3, seed=1),
              "o": random(2, 18 * offset_groups, *size, seed=2) * 2, "b": random(6, seed=3)}
    if has_mask:
        inputs["m"] = random(2, 9 * offset_groups, *size, seed=4)
    attributes = {**attributes, "group": groups, "offset_group": offset_groups,
                  "kernel_shape": [3, 3]}
    (actual,) = compiled("DeformConv", inputs, 19, attributes)
    (expected,) = reference("DeformConv", inputs, 19, attributes)
    # Positions go from pixels to [-1, 1] and back, in float32.
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)


def test_refused_deformable_convolutions():
    inputs = {"x": random(1, 2, 5, 5), "w": random(2, 2, 3, 3), "o": random(1, 18, 3, 3)}
    check_refused("expects the sizes 1, 18, 3, 3 for input 2", "DeformConv",
                  {**inputs, "o": random(1, 18, 3, 4)}, 19, {})
    check_refused("expects group and offset_group to divide", "DeformConv", inputs, 19,
                  {"offset_group": 3})
    check_refused("with known sizes", "DeformConv", inputs, 19, {}, dims={"x": ["n", 2, 5, 5]})


@pytest.mark.parametrize("activation", ["none", "silu"])
@pytest.mark.parametrize("taps,length", [(1, 3), (4, 6), (4, 2)])
@pytest.mark.parametrize("has_past", [False, True])
def test_causal_convolution(activation, taps, length, has_past):
    inputs = {"x": random(2, 3, length), "w": random(3, 1, taps, seed=1), "b": random(3, seed=2)}
    past = random(2, 3, taps - 1, seed=3) if has_past else np.zeros((2, 3, taps - 1), np.float32)
    if has_past:
        inputs["p"] = past
    actual = compiled("CausalConvWithState", inputs, 27, {"activation": activation}, outputs=2)
    whole = np.concatenate([past, inputs["x"]], axis=2)
    expected = sum(whole[:, :, i:i + length] * inputs["w"][:, :, i] for i in range(taps))
    expected = expected + inputs["b"][:, None]
    if activation == "silu":
        expected = expected / (1 + np.exp(-expected))
    compare(actual, [expected, whole[:, :, length:]])


def test_causal_convolution_of_open_length():
    inputs = {"x": random(2, 3, 5), "w": random(3, 1, 4, seed=1)}
    arguments: Any = ("CausalConvWithState", inputs, 27, {})
    compare(compiled(*arguments, outputs=2, dims={"x": ["n", 3, "t"]}),
            compiled(*arguments, outputs=2))


@pytest.mark.parametrize("source,target,number", [
    (np.float32, np.int32, 6), (np.float64, np.uint64, 13), (np.int8, np.uint8, 2),
    (np.uint16, np.float16, 10), (np.uint32, np.float32, 1)])
def test_cast_of_bits(source, target, number):
    words = np.random.default_rng(0).integers(0, 256, 8 * 12, np.uint8).view(source)
    (actual,) = compiled("BitCast", {"x": words}, 26, {"to": number})
    np.testing.assert_array_equal(actual.view(np.uint8), words.view(np.uint8))
    assert actual.dtype == target


def test_refused_casts_of_bits():
    check_refused("expects elements of as many bits", "BitCast", {"x": random(3)}, 26, {"to": 7})
    check_refused("is not supported", "BitCast", {"x": random(3)}, 26, {"to": 8})


def test_blocked_quantization():
    x, scale = random(4, 10) * 3, np.abs(random(4, 3)) + 0.1
    zero = np.random.default_rng(0).integers(0, 256, (4, 3)).astype(np.uint8)
    attributes = {"axis": 1, "block_size": 4}
    inputs = {"x": x, "s": scale, "z": zero}
    (quantized,) = compiled("QuantizeLinear", inputs, 21, attributes)
    np.testing.assert_array_equal(quantized, runtime("QuantizeLinear", inputs, 21, attributes)[0])
    inputs = {"x": quantized, "s": scale, "z": zero}
    compare(compiled("DequantizeLinear", inputs, 21, attributes),
            runtime("DequantizeLinear", inputs, 21, attributes))
    check_refused("expects a scale for each block of 3", "DequantizeLinear", inputs, 21,
                  {"axis": 1, "block_size": 3})
    for size in ({}, {"block_size": -4}):
        check_refused("expects a positive block_size for scales 'tensor<4x3xf32>' of "
                      f"'tensor<4x10xui8>', but got {size.get('block_size', 0)}",
                      "DequantizeLinear", inputs, 21, {"axis": 1, **size})
