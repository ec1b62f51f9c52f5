# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of a recurrent layer that the model has one by one: they share their weights."""

import pathlib
import re
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import relay_mlir as rm
from single_nodes import make, random, runtime

STATES, STEPS = 256, 6


def cells() -> tuple[bytes, dict[str, np.ndarray]]:
    """A GRU as exporters spell it: a product for each gate, in each step."""
    nodes: list[Any] = []
    constants, inputs = {}, {}
    for gate in "zrh":
        constants[f"w{gate}"] = random(STATES, STATES, seed=ord(gate)) * np.float32(0.1)
    state = "h0"
    inputs["h0"] = random(1, STATES, seed=1)
    for i in range(STEPS):
        inputs[f"x{i}"] = random(1, STATES, seed=i + 2)

        def op(kind: str, *names: str, i: int = i) -> str:
            out = f"{kind}_{i}_{len(nodes)}"
            nodes.append(helper.make_node(kind, names, [out]))
            return out

        z = op("Sigmoid", op("Add", f"x{i}", op("MatMul", state, "wz")))
        r = op("Sigmoid", op("Add", f"x{i}", op("MatMul", state, "wr")))
        candidate = op("Tanh", op("Add", f"x{i}", op("Mul", r, op("MatMul", state, "wh"))))
        state = op("Add", candidate, op("Mul", z, op("Sub", state, candidate)))
    graph = helper.make_graph(
        nodes, "cells",
        [helper.make_tensor_value_info(name, 1, array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info(state, 1, (1, STATES))],
        [numpy_helper.from_array(array, name) for name, array in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return model.SerializeToString(), inputs


def test_steps_share_weights(tmp_path: pathlib.Path) -> None:
    """One product for the three gates of a step, whose weights are there once: copies for
    each step would have to come from memory again and again."""
    model, inputs = cells()
    (tmp_path / "cells.onnx").write_bytes(model)
    rm.emit(tmp_path / "cells.onnx", tmp_path / "cells.mlir", "relay")
    text = (tmp_path / "cells.mlir").read_text()
    main = text[text.index("@main"):]
    constants = re.findall(r"relay.constant .* : (tensor<[0-9x]+f32>)", main)
    assert [shape for shape in constants if str(STATES) in shape] == [
        f"tensor<{STATES}x{3 * STATES}xf32>"]
    assert "@fused_concatenate" not in main
    compiled = rm.compile(tmp_path / "cells.onnx")
    expected, = onnxruntime.InferenceSession(model).run(None, inputs)
    # Six steps that round to f32; with matrix units the terms of products as well.
    np.testing.assert_allclose(compiled.run(inputs), expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("linear_before_reset", [0, 1])
def test_layer_has_one_product_for_gates(tmp_path: pathlib.Path, linear_before_reset: int) -> None:
    """GRU: one product for the gates that have the state as their factor, in each step."""
    inputs = {"x": random(STEPS, 1, 8, seed=4)}
    constants = {"w": random(1, 3 * STATES, 8, seed=1),
                 "r": random(1, 3 * STATES, STATES, seed=2) * np.float32(0.1),
                 "b": random(1, 6 * STATES, seed=3)}
    attributes = {"hidden_size": STATES, "linear_before_reset": linear_before_reset}
    (tmp_path / "gru.onnx").write_bytes(
        make("GRU", inputs, 14, attributes, constants).SerializeToString())
    rm.emit(tmp_path / "gru.onnx", tmp_path / "gru.mlir", "relay")
    text = (tmp_path / "gru.mlir").read_text()
    main = text[text.index("@main"):]
    # That of all inputs, of each step, whose first state is zero, and where what is reset has
    # its own product, that of each step.
    products = len(re.findall(r"relay.call @fused\w*nn_dense", main))
    assert products == 1 + (STEPS - 1) + (0 if linear_before_reset else STEPS)
    compiled = rm.compile(tmp_path / "gru.onnx")
    expected, = runtime("GRU", inputs, 14, attributes, constants)
    np.testing.assert_allclose(compiled.run(inputs), expected, rtol=0, atol=1e-4)
