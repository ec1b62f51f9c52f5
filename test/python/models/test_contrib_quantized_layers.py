# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embeddings and recurrent layers of com.microsoft with weights of 8 bits, against ONNX Runtime."""

import numpy as np
import pytest

import relay_mlir as rm
from single_nodes import check_refused, compare, compiled, make, random, runtime

DOMAIN = "com.microsoft"
HIDDEN = 4


def integers(*shape, dtype=np.uint8, seed=0):
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, shape).astype(dtype)


def embedding(dtype, has_segments, has_mask):
    """The inputs and the constants, and the order of all."""
    generator = np.random.default_rng(0)
    inputs = {"words": generator.integers(0, 9, (2, 5)).astype(np.int32)}
    names = ["word_rows", "position_rows", "segment_rows", "gamma", "beta"]
    shapes = [(9, 8), (6, 8), (2, 8), (8,), (8,)]
    constants = {name: integers(*shape, dtype=dtype, seed=i) for i, (name, shape) in enumerate(zip(names, shapes))}
    for i, name in enumerate(names):
        constants[name + "_scale"] = np.float32(0.02 + 0.01 * i)
        constants[name + "_zero"] = integers(dtype=dtype, seed=9 + i)
    if has_segments:
        inputs["segments"] = generator.integers(0, 2, (2, 5)).astype(np.int32)
    else:
        constants = {name: value for name, value in constants.items() if not name.startswith("segment")}
    if has_mask:
        inputs["mask"] = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    order = ["words", "segments", *names, "mask", *(name + "_scale" for name in names),
             *(name + "_zero" for name in names)]
    return inputs, constants, [name if name in inputs or name in constants else "" for name in order]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("has_segments", [False, True])
@pytest.mark.parametrize("has_mask", [False, True])
def test_embedding(dtype, has_segments, has_mask):
    inputs, constants, order = embedding(dtype, has_segments, has_mask)
    arguments = ("QEmbedLayerNormalization", inputs, 17, {"epsilon": 1e-5}, constants)
    options = {"outputs": 2, "order": order, "domain": DOMAIN}
    compare(compiled(*arguments, **options), runtime(*arguments, **options))


def test_embedding_without_a_scale():
    inputs, constants, order = embedding(np.uint8, True, False)
    del constants["segment_rows_scale"]
    order = [name if name != "segment_rows_scale" else "" for name in order]
    check_refused("expects a scale and a zero point of segment_embedding", "QEmbedLayerNormalization",
                  inputs, 17, {}, constants, outputs=2, order=order, domain=DOMAIN)


def layer(directions, per_channel, dtype=np.int8, peepholes=False):
    """Weights of a layer, and the order of all inputs."""
    scales = (directions, 4 * HIDDEN) if per_channel else (directions,)
    constants = {"w": integers(directions, 3, 4 * HIDDEN, dtype=dtype) // 4,
                 "r": integers(directions, HIDDEN, 4 * HIDDEN, dtype=dtype, seed=1) // 4,
                 "b": random(directions, 8 * HIDDEN),
                 "ws": np.random.default_rng(2).uniform(0.01, 0.03, scales).astype(np.float32),
                 "wz": np.zeros(scales, dtype) if per_channel else integers(*scales, dtype=dtype, seed=3) // 8,
                 "rs": np.random.default_rng(4).uniform(0.01, 0.03, scales).astype(np.float32),
                 "rz": np.zeros(scales, dtype)}
    if peepholes:
        constants["p"] = random(directions, 3 * HIDDEN, seed=5)
    order = ["x", "w", "r", "b", "lengths", "h", "c", "p", "ws", "wz", "rs", "rz"]
    return constants, order


def run_layer(run, inputs, constants, order, attributes):
    known = [name if name in inputs or name in constants else "" for name in order]
    return run("DynamicQuantizeLSTM", inputs, 17, {"hidden_size": HIDDEN, **attributes}, constants, outputs=3,
               order=known, domain=DOMAIN)


def compare_layers(actual, expected):
    """Up to a step of the quantized state, which roundings may decide."""
    for got, want in zip(actual, expected, strict=True):
        assert got.shape == want.shape and got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=0, atol=0.01 * max(1, np.abs(want).max()))


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_lstm(direction, per_channel, dtype):
    constants, order = layer(2 if direction == "bidirectional" else 1, per_channel, dtype)
    attributes = {"direction": direction}
    for x in (random(1, 1, 3), random(5, 2, 3)):
        compare_layers(run_layer(compiled, {"x": x}, constants, order, attributes),
                       run_layer(runtime, {"x": x}, constants, order, attributes))


def test_lstm_is_quantized():
    """The floats that the weights stand for give something else."""
    constants, order = layer(1, False)
    x = random(5, 2, 3) * 3
    quantized = run_layer(compiled, {"x": x}, constants, order, {})[0]

    def to_floats(name):
        numbers = constants[name].astype(np.float32) - constants[name + "z"].astype(np.float32)
        return (numbers * constants[name + "s"]).swapaxes(1, 2).copy()

    weights = {"w": to_floats("w"), "r": to_floats("r"), "b": constants["b"]}
    exact = compiled("LSTM", {"x": x}, 14, {"hidden_size": HIDDEN}, weights, outputs=3)[0]
    difference = np.abs(exact - quantized).max()
    assert 1e-5 < difference < 0.1


@pytest.mark.parametrize("has_lengths", [False, True])
def test_lstm_with_states(has_lengths):
    constants, order = layer(2, True, peepholes=True)
    inputs = {"x": random(5, 2, 3), "h": random(2, 2, HIDDEN, seed=6), "c": random(2, 2, HIDDEN, seed=7)}
    if has_lengths:
        inputs["lengths"] = np.array([5, 3], np.int32)
    attributes = {"direction": "bidirectional"}
    compare_layers(run_layer(compiled, inputs, constants, order, attributes),
                   run_layer(runtime, inputs, constants, order, attributes))


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_lstm_of_an_open_length(direction):
    """All elements are quantized at once, as in one of a known length."""
    constants, order = layer(2 if direction == "bidirectional" else 1, False)
    attributes = {"hidden_size": HIDDEN, "direction": direction}
    known = [name if name in constants or name == "x" else "" for name in order]
    program = rm.compile(make("DynamicQuantizeLSTM", {"x": random(5, 2, 3)}, 17, attributes, constants, outputs=3,
                              order=known, domain=DOMAIN, dims={"x": ["t", "b", 3]}), executor="vm")
    for length, batch in ((1, 1), (4, 2), (9, 1)):
        inputs = {"x": random(length, batch, 3, seed=length)}
        compare_layers(program.run(inputs), run_layer(runtime, inputs, constants, order, attributes))


def test_wrong_weights():
    constants, order = layer(1, False)
    known = [name if name in constants or name == "x" else "" for name in order]
    for name, value, message in (
            ("r", constants["r"][:, :, :8], "expects recurrence weights (1, hidden, 4 * hidden), but got"),
            ("rs", np.ones(3, np.float32), "expects a scale and a zero point for each direction, or for each")):
        check_refused(message, "DynamicQuantizeLSTM", {"x": random(5, 2, 3)}, 17, {"hidden_size": HIDDEN},
                      {**constants, name: value}, outputs=3, order=known, domain=DOMAIN)
