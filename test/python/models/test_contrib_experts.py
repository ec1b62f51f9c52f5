# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixtures of experts of com.microsoft, against ONNX Runtime."""

import numpy as np
import pytest

from single_nodes import check_refused, compare, compiled, random, runtime

DOMAIN = "com.microsoft"
EXPERTS, HIDDEN, INNER = 5, 16, 32


def check(op, inputs, attributes, constants, order, atol=1e-5):
    """Sums of some dozens of products in float32."""
    arguments = (op, inputs, 17, attributes, constants)
    [ours], [theirs] = (run(*arguments, domain=DOMAIN, order=order) for run in (compiled, runtime))
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol * np.abs(theirs).max())


def experts(fusion=1, third=False, biases=True):
    names = {"w1": random(EXPERTS, fusion * INNER, HIDDEN, seed=3) / 4,
             "b1": random(EXPERTS, fusion * INNER, seed=4),
             "w2": random(EXPERTS, HIDDEN, INNER, seed=5) / 4, "b2": random(EXPERTS, HIDDEN, seed=6)}
    if third:
        names.update(w3=random(EXPERTS, INNER, HIDDEN, seed=7) / 4, b3=random(EXPERTS, INNER, seed=8))
    return {name: value for name, value in names.items() if biases or name[0] == "w"}


def order_of(constants):
    names = ["x", "r", "w1", "b1", "w2", "b2", "w3", "b3"]
    names = [name if name in (*constants, "x", "r") else "" for name in names]
    while not names[-1]:
        names.pop()
    return names


@pytest.mark.parametrize("activation", ["relu", "gelu", "silu", "identity"])
@pytest.mark.parametrize("k, normalize", [(1, 0), (2, 0), (2, 1), (5, 1)])
def test_experts(activation, k, normalize):
    constants = experts(biases=k != 1)
    check("MoE", {"x": random(7, HIDDEN), "r": random(7, EXPERTS, seed=1)},
          {"activation_type": activation, "k": k, "normalize_routing_weights": normalize}, constants,
          order_of(constants))


def test_experts_of_a_batch():
    constants = experts()
    check("MoE", {"x": random(2, 3, HIDDEN), "r": random(6, EXPERTS, seed=1)}, {"k": 2}, constants,
          order_of(constants))


@pytest.mark.parametrize("attributes", [{}, {"activation_alpha": 1.7, "activation_beta": 1.0, "swiglu_limit": 1.5}])
def test_gated_experts(attributes):
    constants = experts(2)
    check("MoE", {"x": random(7, HIDDEN), "r": random(7, EXPERTS, seed=1)},
          {"activation_type": "swiglu", "k": 2, "normalize_routing_weights": 1, "swiglu_fusion": 1,
           **attributes}, constants, order_of(constants))


def numpy_experts(x, router, first, second, third, act):
    shares = np.exp(router) / np.exp(router).sum(1, keepdims=True)
    result = np.zeros_like(x)
    for row, share in enumerate(shares):
        for e in np.argsort(-share)[:2]:
            inner = act(first[0][e] @ x[row] + first[1][e], third)
            result[row] += share[e] * (second[0][e] @ inner + second[1][e])
    return result


def test_gated_experts_of_halves():
    """ONNX Runtime has no halves on CPUs: by NumPy."""
    constants = experts(2)
    inputs = {"x": random(7, HIDDEN), "r": random(7, EXPERTS, seed=1)}
    actual = compiled("MoE", inputs, 17, {"activation_type": "swiglu", "k": 2, "swiglu_fusion": 2}, constants,
                      domain=DOMAIN, order=order_of(constants))
    swiglu = lambda h, _: h[:INNER] / (1 + np.exp(-h[:INNER])) * h[INNER:]
    compare(actual, [numpy_experts(inputs["x"], inputs["r"], (constants["w1"], constants["b1"]),
                                   (constants["w2"], constants["b2"]), None, swiglu)])


def quantized_experts(bits, block, zeros, fusion=1):
    generator = np.random.default_rng(0)
    constants: dict[str, np.ndarray] = {}
    for i, (rows, columns) in enumerate([(fusion * INNER, HIDDEN), (HIDDEN, INNER)], 1):
        blocks = columns // block if block else 1
        constants[f"w{i}"] = generator.integers(0, 256, (EXPERTS, rows, columns * bits // 8)).astype(np.uint8)
        shape = (EXPERTS, rows, blocks) if block else (EXPERTS, rows)
        constants[f"s{i}"] = generator.uniform(0.01, 0.03, shape).astype(np.float32) * (8 if bits == 4 else 0.5)
        constants[f"b{i}"] = generator.standard_normal((EXPERTS, rows)).astype(np.float32)
        if zeros:
            shape = (EXPERTS, rows, -(-blocks * bits // 8)) if block else (EXPERTS, rows * bits // 8)
            constants[f"z{i}"] = generator.integers(0, 256, shape).astype(np.uint8)
    order = ["x", "r", "w1", "s1", "b1", "w2", "s2", "b2"]
    return constants, order + (["", "", "", "z1", "z2"] if zeros else [])


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("block", [0, 16])
@pytest.mark.parametrize("zeros", [False, True])
def test_quantized_experts(bits, block, zeros):
    """ONNX Runtime rounds the data of blocks of 8 bits to 8 bits, too: by 1/127 of a step."""
    constants, order = quantized_experts(bits, block, zeros)
    attributes = {"k": 2, "normalize_routing_weights": 1, "activation_type": "relu", "expert_weight_bits": bits}
    if block:
        attributes["block_size"] = block
    check("QMoE", {"x": random(6, HIDDEN), "r": random(6, EXPERTS, seed=1)}, attributes, constants, order,
          atol=2e-2 if bits == 8 and block else 1e-5)


def test_quantized_experts_of_other_weights():
    constants, order = quantized_experts(4, 0, False)
    order = order + [""] * 6 + ["t"]
    inputs = {"x": random(6, HIDDEN), "r": random(6, EXPERTS, seed=1), "t": np.abs(random(6, EXPERTS, seed=2))}
    for normalize in (0, 1):
        check("QMoE", inputs, {"k": 2, "activation_type": "silu", "normalize_routing_weights": normalize},
              constants, order)


def test_quantized_gated_experts():
    constants, order = quantized_experts(4, 0, False, fusion=2)
    check("QMoE", {"x": random(6, HIDDEN), "r": random(6, EXPERTS, seed=1)},
          {"k": 2, "activation_type": "swiglu", "swiglu_fusion": 1, "activation_alpha": 1.702,
           "activation_beta": 1.0, "swiglu_limit": 7.0}, constants, order)


@pytest.mark.parametrize("attributes, message", [
    ({"k": 6}, "expects k to be 1 to 5, but got 6"),
    ({"use_sparse_mixer": 1}, "use_sparse_mixer = 1 is not supported"),
    ({"activation_type": "tanh"}, 'expects activation_type relu, gelu, silu, swiglu or identity, but got "tanh"'),
    ({"activation_type": "swiglu"}, "expects the weights of a third layer for swiglu_fusion 0")])
def test_wrong_experts(attributes, message):
    constants = experts()
    check_refused(message, "MoE", {"x": random(7, HIDDEN), "r": random(7, EXPERTS)}, 17, attributes, constants,
                  domain=DOMAIN, order=order_of(constants))
