# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gated sums and norms of com.microsoft, and products with weights of 4 bits, against ONNX
Runtime, or NumPy where that has them on GPUs only."""

import math

import numpy as np
import pytest

from single_nodes import check_refused, compare, compiled, random, runtime

DOMAIN = "com.microsoft"


def check(op, inputs, attributes=None, constants=None, **options):
    arguments = (op, inputs, 17, attributes or {}, constants)
    compare(compiled(*arguments, domain=DOMAIN, **options),
            runtime(*arguments, domain=DOMAIN, **options))


def test_gated_sum():
    for dtype in (np.float32, np.float16):
        check("GatedAdd", {"x": random(2, 3, 8, dtype=dtype), "y": random(2, 3, 8, dtype=dtype, seed=1),
                           "g": random(2, 3, 1, dtype=dtype, seed=2)})


def test_scaled_silu():
    x = random(3, 7) * 3
    check("ScaledSiLU", {"x": x})
    check("ScaledSiLU", {"x": x}, {"alpha": 1.7})
    check("ScaledSiLU", {"x": x.astype(np.float16)}, {"alpha": 1.7})
    check("ScaledSiLU", {"x": x, "s": np.array(0.4, np.float32)}, {"alpha": 1.7})


@pytest.mark.parametrize("activation", [None, "silu", "swish", "sigmoid"])
@pytest.mark.parametrize("groups", [1, 3])
def test_gated_norm(activation, groups):
    attributes = {"activation": activation} if activation else {}
    # Small numbers, by which the epsilon shows.
    inputs = {"x": random(2, 3, 8 * groups) / 1000, "s": random(8, seed=1), "g": random(2, 3, 8 * groups, seed=2)}
    check("GatedRMSNorm", inputs, attributes)
    check("GatedRMSNorm", inputs, {**attributes, "epsilon": 0.1})


@pytest.mark.parametrize("shape, branches", [((2, 3, 4, 8), 0), ((2, 3, 32), 4)])
@pytest.mark.parametrize("scale", [None, (8,), (32,), (4, 8)])
def test_norm_of_branches(shape, branches, scale):
    inputs = {"x": random(*shape) / 1000}
    if scale:
        inputs["s"] = random(*scale, seed=1)
    attributes = {"num_branches": branches} if branches else {}
    check("BranchwiseRMSNorm", inputs, attributes)
    check("BranchwiseRMSNorm", inputs, {**attributes, "epsilon": 0.1})


def test_gates_of_linear_attention():
    inputs = {"a": random(2, 3, 4) * 10, "d": random(4, seed=1), "s": -np.exp(random(4, seed=2))}
    check("LinearAttentionGate", inputs)
    check("LinearAttentionGate", {**inputs, "b": random(2, 3, 4, seed=3)}, outputs=2)


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("rows, columns, block", [(6, 32, 16), (5, 48, 32), (3, 17, 16)])
def test_products_with_codes(kind, rows, columns, block):
    generator = np.random.default_rng(0)
    constants = {"w": generator.integers(0, 256, -(-rows * columns // 2)).astype(np.uint8),
                 "m": generator.uniform(0.5, 2, -(-rows * columns // block)).astype(np.float32)}
    check("MatMulBnb4", {"x": random(2, 3, columns)},
          {"N": rows, "K": columns, "block_size": block, "quant_type": kind}, constants)


def test_products_of_short_integers():
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-3000, 3000, shape).astype(np.int16) for shape in ((2, 3, 5), (5, 4)))
    check("MatMulInteger16", {"a": a, "b": b})


def test_wrong_operands():
    check_refused("expects N and K to be positive, and block_size to be a power of two from 16 on",
                  "MatMulBnb4", {"x": random(2, 32)}, 17, {"N": 2, "K": 32, "block_size": 24, "quant_type": 0},
                  {"w": np.zeros(32, np.uint8), "m": random(3)}, domain=DOMAIN)
    check_refused("expects 32 bytes and 4 factors", "MatMulBnb4", {"x": random(2, 32)}, 17,
                  {"N": 2, "K": 32, "block_size": 16, "quant_type": 0},
                  {"w": np.zeros(31, np.uint8), "m": random(4)}, domain=DOMAIN)
    check_refused('expects activation silu, swish or sigmoid, but got "relu"', "GatedRMSNorm",
                  {"x": random(2, 4), "s": random(4), "g": random(2, 4)}, 17, {"activation": "relu"}, domain=DOMAIN)
    check_refused("expects a last axis of whole groups of 3 elements", "GatedRMSNorm",
                  {"x": random(2, 4), "s": random(3), "g": random(2, 4)}, 17, {}, domain=DOMAIN)
    check_refused("expects integers of 16 bits", "MatMulInteger16",
                  {"a": np.zeros((2, 2), np.int32), "b": np.zeros((2, 2), np.int16)}, 17, {}, domain=DOMAIN)


# By NumPy.


def check_formula(op, inputs, expected, attributes=None):
    compare(compiled(op, inputs, 17, attributes or {}, domain=DOMAIN), [expected.astype(np.float32)])


def test_product_and_gelu():
    inputs = {"a": random(3, 4), "b": random(4, 5), "c": random(5)}
    x = (inputs["a"] @ inputs["b"] + inputs["c"]).astype(np.float64)
    expected = x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    check_formula("GemmFastGelu", inputs, expected)


def test_gated_positions():
    heads, size, length = 2, 4, 5
    inputs = {"q": random(3, length, heads * size), "b": random(heads * size, seed=1),
              "p": random(1, heads, length, length, seed=2), "w": random(size, 8, seed=3),
              "c": random(8, seed=4), "e": random(1, heads, 1, 1, seed=5)}
    query = (inputs["q"] + inputs["b"]).reshape(3, length, heads, size).transpose(0, 2, 1, 3)
    sums = (query @ inputs["w"] + inputs["c"]).reshape(3, heads, length, 2, 4).sum(-1)
    gates = 1 / (1 + np.exp(-sums))
    factor = gates[..., :1] * (gates[..., 1:] * inputs["e"] - 1) + 2
    check_formula("GatedRelativePositionBias", inputs, factor * inputs["p"], {"num_heads": heads})
