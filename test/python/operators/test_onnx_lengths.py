# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lengths at their limits in ONNX models: recurrent layers of no steps, lengths of
sequences that there cannot be, parts that are larger than all numbers of 64 bits allow."""

import itertools
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm

HIDDEN, BATCH, FEATURES = 3, 2, 4
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def build(nodes, inputs, outputs, constants):
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)
         for name, (dtype, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, dtype, None) for name, dtype in outputs.items()],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                             ir_version=9).SerializeToString()


def recurrence(op, direction, length, has_lengths=False, batch=BATCH, has_state=True):
    directions = 2 if direction == "bidirectional" else 1
    rng = np.random.default_rng(0)
    weights = {"W": rng.normal(size=(directions, GATES[op] * HIDDEN, FEATURES)),
               "R": rng.normal(size=(directions, GATES[op] * HIDDEN, HIDDEN))}
    inputs: dict[str, Any] = {"X": (np.dtype("f4"), [length, batch, FEATURES])}
    if has_lengths:
        inputs["lengths"] = (np.dtype("i4"), [batch])
    if has_state:
        inputs["h"] = (np.dtype("f4"), [directions, batch, HIDDEN])
    outputs = ["Y", "Y_h"] + (["Y_c"] if op == "LSTM" else [])
    node = helper.make_node(
        op, ["X", "W", "R", "", "lengths" if has_lengths else "", "h" if has_state else ""],
        outputs, hidden_size=HIDDEN, direction=direction)
    return build([node], inputs, dict.fromkeys(outputs, TensorProto.FLOAT),
                 {name: value.astype("f4") for name, value in weights.items()}), directions


def run(model, feeds):
    compiled = rm.compile(model)
    result = compiled.run(feeds) if not isinstance(compiled, rm.Module) else compiled(
        *feeds.values())
    return list(result) if isinstance(result, (list, tuple)) else [result]


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("length, batch", [("n", BATCH), ("n", "b"), (0, BATCH)])
def test_no_steps(op, direction, length, batch):
    """There is no row, of the batch that there is; states are what they were. ONNX
    Runtime ends the process of a GRU, and has zeros for the state of an RNN."""
    model, directions = recurrence(op, direction, length, batch=batch)
    state = np.random.default_rng(1).normal(size=(directions, BATCH, HIDDEN)).astype("f4")
    rows, hidden, *cell = run(model, {"X": np.ones((0, BATCH, FEATURES), "f4"), "h": state})
    assert rows.shape == (0, directions, BATCH, HIDDEN)
    np.testing.assert_array_equal(hidden, state)
    for value in cell:
        np.testing.assert_array_equal(value, np.zeros_like(state))


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction, length",
                         [*itertools.product(["forward", "bidirectional"], ["n", 2])])
def test_lengths_of_sequences(op, direction, length):
    model, directions = recurrence(op, direction, length, has_lengths=True)
    feeds = {"X": np.random.default_rng(2).normal(size=(2, BATCH, FEATURES)).astype("f4"),
             "lengths": np.array([2, 1], np.int32),
             "h": np.full((directions, BATCH, HIDDEN), 0.5, "f4")}
    wanted = onnxruntime.InferenceSession(
        model, providers=["CPUExecutionProvider"]).run(None, feeds)
    for got, want in zip(run(model, feeds), wanted):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    for lengths in ([3, 1], [1, -1], [-2**31, 2**31 - 1]):
        expected = "sequence_lens of 0 to 2" if length == 2 else "indices within the data"
        with pytest.raises(ValueError, match=f"expects {expected}"):
            run(model, feeds | {"lengths": np.array(lengths, np.int32)})


LARGE = 2**63 - 1
#: Parts of five rows, and how many there are; none if they are refused.
PARTS = [(LARGE, 1), (LARGE - 1, 1), (2**62, 1), (3, 2), ([5, 0], 2), ([2, 3], 2), (0, None),
         (-1, None), ([-1, 6], None), ([LARGE, LARGE, 7], None), ([2**62] * 4 + [5], None)]


@pytest.mark.parametrize("is_constant", [True, False])
@pytest.mark.parametrize("size", ["n", 5])
@pytest.mark.parametrize("parts, count", PARTS)
def test_parts_of_sequences(parts, count, size, is_constant):
    """A sum of 64 bits that overflows does not make sizes right."""
    sizes = np.array(parts, np.int64)
    data = np.arange(10, dtype="f4").reshape(5, 2)
    inputs: dict[str, Any] = {"X": (data.dtype, [size, 2])}
    feeds: dict[str, Any] = {"X": data}
    constants: dict[str, Any] = {}
    if is_constant:
        constants["parts"] = sizes
    else:
        inputs["parts"] = (sizes.dtype, list(sizes.shape))
        feeds["parts"] = sizes
    model = build([helper.make_node("SplitToSequence", ["X", "parts"], ["s"], axis=0),
                   helper.make_node("SequenceLength", ["s"], ["count"]),
                   helper.make_node("ConcatFromSequence", ["s"], ["rows"], axis=0)],
                  inputs, {"count": TensorProto.INT64, "rows": TensorProto.FLOAT}, constants)
    if count is None:
        with pytest.raises((ValueError, rm.CompileError), match="expects .*, but"):
            run(model, feeds)
        return
    number, rows = run(model, feeds)
    assert number == count
    np.testing.assert_array_equal(rows, data)
