# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scan of opset 8, which has a batch, against ONNX Runtime: the same sums in the same order, so
results are equal but for the last bits (1e-6)."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm
from relay_mlir import relay

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def make_model(batch, length, lengths, directions):
    """s' = s / 2 + x, y = s' * s, and z = x * x + "outer" for each further input."""
    count = len(directions)
    body = helper.make_graph(
        [helper.make_node("Constant", [], ["half"], value=helper.make_tensor("half", FLOAT, [], [0.5])),
         helper.make_node("Mul", ["s", "half"], ["h"]), helper.make_node("Add", ["h", "x0"], ["s_out"]),
         helper.make_node("Mul", ["s_out", "s"], ["y0"])]
        + [node for i in range(1, count) for node in (
            helper.make_node("Mul", [f"x{i}", f"x{i}"], [f"q{i}"]),
            helper.make_node("Add", [f"q{i}", "outer"], [f"y{i}"]))],
        "body",
        [helper.make_tensor_value_info("s", FLOAT, [3])]
        + [helper.make_tensor_value_info(f"x{i}", FLOAT, [3]) for i in range(count)],
        [helper.make_tensor_value_info("s_out", FLOAT, [3])]
        + [helper.make_tensor_value_info(f"y{i}", FLOAT, [3]) for i in range(count)])
    scan = helper.make_node("Scan", ["n" if lengths else "", "s0"] + [f"d{i}" for i in range(count)],
                            ["final"] + [f"r{i}" for i in range(count)], body=body, num_scan_inputs=count,
                            **({"directions": directions} if any(directions) else {}))
    outer = helper.make_node("Constant", [], ["outer"], value=helper.make_tensor("outer", FLOAT, [3], [1.0, 2, 3]))
    inputs = [helper.make_tensor_value_info("s0", FLOAT, [batch, 3])]
    inputs += [helper.make_tensor_value_info(f"d{i}", FLOAT, [batch, length, 3]) for i in range(count)]
    if lengths:
        inputs.append(helper.make_tensor_value_info("n", INT64, [batch]))
    graph = helper.make_graph([outer, scan], "g", inputs,
                              [helper.make_tensor_value_info(name, FLOAT, None) for name in scan.output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 8)], ir_version=3)


def make_feeds(model, batch, length, lengths):
    generator = np.random.default_rng(batch)
    feeds = {}
    for value in model.graph.input:
        if value.name == "n":
            feeds["n"] = np.array(lengths[:batch])
        else:
            shape = (batch, 3) if value.name == "s0" else (batch, length, 3)
            feeds[value.name] = generator.standard_normal(shape).astype(np.float32)
    return feeds


def check(model, feeds, run):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for ours, theirs in zip(run(feeds), session.run(None, feeds), strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("directions", [[0], [1], [0, 1], [1, 0, 1]])
@pytest.mark.parametrize("lengths", [None, [2, 4, 1, 3]])
def test_scan_of_a_batch(directions, lengths):
    model = make_model(4, 4, lengths, directions)
    check(model, make_feeds(model, 4, 4, lengths), rm.compile(model).run)


@pytest.mark.parametrize("lengths", [None, [2, 4, 1]])
def test_scan_of_open_sizes(lengths):
    model = make_model("b", "t", lengths, [0, 1])
    module, _ = relay.frontend.from_onnx(model)
    machine = relay.vm.VirtualMachine(relay.vm.compile(module, "native"))
    names = [value.name for value in model.graph.input]
    for batch, length in ((1, 5), (3, 4)):
        check(model, make_feeds(model, batch, length, lengths),
              lambda feeds: machine.run(*(feeds[name] for name in names)))


def test_wrong_scan():
    model = make_model(2, 3, None, [0, 1])
    scan = model.graph.node[1]
    for attribute, value, message in (
            ("num_scan_inputs", 4, "from 1 to the number of inputs without lengths, 3, but got 4"),
            ("directions", [0, 2], 'expects 0 or 1 for each of 2 scan inputs in attribute "directions"')):
        changed = type(model)()
        changed.CopyFrom(model)
        scan = changed.graph.node[1]
        kept = [other for other in scan.attribute if other.name != attribute]
        del scan.attribute[:]
        scan.attribute.extend(kept + [helper.make_attribute(attribute, value)])
        with pytest.raises(rm.CompileError, match=message):
            rm.compile(changed)
