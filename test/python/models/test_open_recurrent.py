# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers over sequences whose length is known when the model runs, against ONNX
Runtime, or the same layer over sequences of a known length, which is compared with it."""

import numpy as np
import onnxruntime
import pytest
from onnx import helper

import relay_mlir as rm
from single_nodes import compare, compiled, make, random, runtime

pytestmark = pytest.mark.share(2)

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def layer(op, length, direction="forward", lengths=None, states=False, peepholes=False,
          batch_first=False, dtype=np.float32):
    """Inputs, constants, their order, and sizes of a layer of 3 sequences."""
    directions = 2 if direction == "bidirectional" else 1
    gates = GATES[op]

    def weights(*shape, seed):
        return (random(*shape, seed=seed) * 0.5).astype(dtype)

    x = random(3, length, 4, seed=length) if batch_first else random(length, 3, 4, seed=length)
    inputs = {"x": x.astype(dtype)}
    constants = {"w": weights(directions, gates * 5, 4, seed=1),
                 "r": weights(directions, gates * 5, 5, seed=2),
                 "b": weights(directions, gates * 10, seed=3)}
    order = ["x", "w", "r", "b", "", "", "", ""]
    if lengths is not None:
        inputs["l"] = np.array(lengths, np.int32)
        order[4] = "l"
    if states:
        shape = (3, directions, 5) if batch_first else (directions, 3, 5)
        inputs["h"] = weights(*shape, seed=4)
        order[5] = "h"
        if op == "LSTM":
            inputs["c"] = weights(*shape, seed=5)
            order[6] = "c"
    if peepholes:
        constants["p"] = weights(directions, 15, seed=6)
        order[7] = "p"
    while not order[-1]:
        order.pop()
    return inputs, constants, order


def check(op, attributes=None, lengths=(1, 4, 7), opset=14, sequence_lengths=None,
          expect=runtime, **options):
    attributes = {"hidden_size": 5, **(attributes or {})}
    outputs = ["y", "y_h", "y_c"][:3 if op == "LSTM" else 2]
    if "direction" in options:
        attributes["direction"] = options["direction"]
    dims = {"x": ["n", "t", 4] if options.get("batch_first") else ["t", "n", 4], "l": ["n"]}
    program = None
    for length in lengths:
        given = sequence_lengths and [min(k, length) for k in sequence_lengths]
        inputs, constants, order = layer(op, length, lengths=given, **options)
        arguments = op, inputs, opset, attributes, constants, outputs
        expected = expect(*arguments, order=order)
        program = program or rm.compile(make(*arguments, dims=dims, order=order), executor="vm")
        compare(program.run(inputs), expected)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_directions(op, direction):
    check(op, direction=direction)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
def test_states_and_lengths(op, direction):
    check(op, direction=direction, states=True, sequence_lengths=[2, 7, 1])


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("states", [False, True])
def test_empty_sequences(op, direction, states):
    """An empty one has a last state of zeros, whatever the first one is."""
    check(op, direction=direction, states=states, sequence_lengths=[0, 7, 2])
    inputs, constants, order = layer(op, 3, direction, [2, 0, 3], states)
    arguments = op, inputs, 14, {"hidden_size": 5, "direction": direction}, constants
    outputs = ["y", "y_h", "y_c"][:3 if op == "LSTM" else 2]
    compare(compiled(*arguments, outputs, order=order), runtime(*arguments, outputs, order=order))


def test_peepholes_and_coupled_gates():
    check("LSTM", {"input_forget": 1}, direction="bidirectional", peepholes=True, states=True)


def test_activations():
    """Numbers belong to the functions of both directions in their order."""
    check("LSTM", {"activations": ["HardSigmoid", "Tanh", "LeakyRelu", "Sigmoid", "ScaledTanh",
                                   "HardSigmoid"],
                   "activation_alpha": [0.3, 0.1, 0.8, 0.25],
                   "activation_beta": [0.4, 0.7, 0.45]}, direction="bidirectional")
    check("GRU", {"activations": ["Sigmoid", "Softsign"], "linear_before_reset": 1, "clip": 0.4})


@pytest.mark.parametrize("op", GATES)
def test_batch_first(op):
    """ONNX Runtime does not take it."""
    check(op, {"layout": 1}, direction="bidirectional", states=True, batch_first=True,
          expect=compiled)


@pytest.mark.parametrize("opset", [1, 7, 11, 21])
def test_opsets(opset):
    """The model's opset does not say what there is to import it by."""
    check("GRU", opset=opset, states=True, expect=runtime if opset >= 7 else compiled)


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_types(dtype):
    check("LSTM", dtype=dtype, expect=compiled)


def test_in_what_follows():
    """The last output of a stack of two layers, as exporters write it."""
    rng = np.random.default_rng(0)
    weights = {name: rng.standard_normal(size).astype(np.float32) * 0.5 for name, size in {
        "w1": (1, 20, 4), "r1": (1, 20, 5), "w2": (2, 15, 5), "r2": (2, 15, 5)}.items()}
    nodes = [helper.make_node("LSTM", ["x", "w1", "r1"], ["y1"], hidden_size=5),
             helper.make_node("Squeeze", ["y1", "one"], ["s1"]),
             helper.make_node("GRU", ["s1", "w2", "r2"], ["y2", "h2"], hidden_size=5,
                              direction="bidirectional"),
             helper.make_node("Gather", ["y2", "last"], ["g"], axis=0),
             helper.make_node("Add", ["g", "h2"], ["y"])]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", 1, ["t", 2, 4])],
        [helper.make_tensor_value_info("y", 1, [2, 2, 5])],
        [helper.make_tensor("one", 7, [1], [1]), helper.make_tensor("last", 7, [], [-1]),
         *[helper.make_tensor(name, 1, value.shape, value.ravel())
           for name, value in weights.items()]])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    program = rm.compile(model)
    for length in (1, 5):
        x = random(length, 2, 4)
        compare([program(x)], session.run(None, {"x": x}))


def test_graph_names_the_executors_that_take_it():
    inputs, constants, order = layer("GRU", 4)
    model = make("GRU", inputs, 14, {"hidden_size": 5}, constants, 2,
                 dims={"x": ["t", 3, 4]}, order=order)
    with pytest.raises(rm.CompileError, match="the executors aot and vm compile"):
        rm.compile(model, executor="graph")
