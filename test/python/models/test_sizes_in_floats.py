# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that a model computes in floats from sizes of its inputs, against ONNX Runtime: what
is a fraction with a constant denominator is compiled to one function, other sizes are found
by the virtual machine."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm

INTEGERS: dict[str, Any] = {"zero": 0, "one": 1, "first": [0]}
FLOATS = {"third": 0.37, "block": 128.0, "seven": 7.0}
SHAPES = [(3, 4), (16, 7), (129, 5), (256, 1)]

# Operators from n and m, the sizes of x, and float forms of them, a and b, to k.
SIZES = {
    "quotient of integers": ([("Div", "n m", "k")], rm.Module),
    "rest of integers": ([("Mod", "n m", "k")], rm.Module),
    "blocks": ([("Div", "a block", "p"), ("Ceil", "p", "k")], rm.Module),
    "part": ([("Mul", "a third", "p"), ("Floor", "p", "k")], rm.Program),
    "quotient": ([("Div", "a b", "p"), ("Floor", "p", "k")], rm.Program),
    "root": ([("Sqrt", "a", "p"), ("Ceil", "p", "k")], rm.Program),
    "common scale": ([("Div", "seven a", "p"), ("Div", "seven b", "q"), ("Min", "p q", "r"),
                      ("Mul", "a r", "s"), ("Round", "s", "k")], rm.Program),
}
# What has that size.
USES = {
    "range": [("Range", "zero number one", "l"), ("Cast", "l", "y")],
    "zeros": [("Unsqueeze", "number first", "l"), ("ConstantOfShape", "l", "y")],
    "first rows": [("Unsqueeze", "number first", "l"), ("Slice", "x first l first", "y")],
}


def make_model(size, use):
    cast = {"a": TensorProto.FLOAT, "b": TensorProto.FLOAT, "number": TensorProto.INT64,
            "y": TensorProto.FLOAT}
    steps = [("Shape", "x", "shape"), ("Gather", "shape zero", "n"), ("Gather", "shape one", "m"),
             ("Cast", "n", "a"), ("Cast", "m", "b"), *size, ("Cast", "k", "number"), *use]
    nodes = []
    for op, inputs, output in steps:
        attributes: dict[str, Any] = {"to": cast[output]} if op == "Cast" else {}
        nodes.append(helper.make_node(op, inputs.split(), [output], **attributes))
    constants = [helper.make_tensor(name, TensorProto.INT64, np.shape(value), np.ravel(value))
                 for name, value in INTEGERS.items()]
    constants += [helper.make_tensor(name, TensorProto.FLOAT, [], [value])
                  for name, value in FLOATS.items()]
    graph = helper.make_graph(
        nodes, "sizes", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "m"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("size", SIZES)
def test_sizes(size, use):
    steps, kind = SIZES[size]
    model = make_model(steps, USES[use])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    compiled = rm.compile(model)
    assert type(compiled) is kind
    for shape in SHAPES:
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        np.testing.assert_array_equal(compiled(x), session.run(None, {"x": x})[0])


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_resize_of_one_scale(mode, policy):
    """Tolerance: 1e-5, of interpolated numbers of about 1."""
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode=mode, axes=[2, 3],
                            keep_aspect_ratio_policy=policy)
    graph = helper.make_graph(
        [node], "resize", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, "h", "w"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [helper.make_tensor("sizes", TensorProto.INT64, [2], [4, 7])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    compiled = rm.compile(model)
    for height, width in [(9, 8), (3, 3), (5, 20)]:
        x = np.random.default_rng(1).standard_normal((1, 2, height, width)).astype(np.float32)
        np.testing.assert_allclose(compiled(x), session.run(None, {"x": x})[0], rtol=1e-5,
                                   atol=1e-5)


def test_padding_from_constants():
    """TensorFlow's "same" padding of a known size, as PyTorch exports it: what is left of a
    window, not less than zero, in floats. Tolerance: 1e-5, of sums of about 1."""
    constants = {"count": 3.5, "one": 1.0, "stride": 2.0, "kernel": 3.0, "size": 7.0, "zero": 0.0}
    steps: list[tuple[str, str, str, dict[str, Any]]] = [
        ("Ceil", "count", "windows", {}), ("Sub", "windows one", "steps", {}),
        ("Mul", "steps stride", "reach", {}), ("Add", "reach kernel", "end", {}),
        ("Sub", "end size", "rest", {}), ("Clip", "rest zero ", "both", {}),
        ("Div", "both stride", "half", {}),
        ("Cast", "half", "before", {"to": TensorProto.INT64}),
        ("Cast", "both", "whole", {"to": TensorProto.INT64}),
        ("Sub", "whole before", "after", {}),
        ("Unsqueeze", "before first", "begin", {}), ("Unsqueeze", "after first", "end_", {}),
        ("Concat", "none begin begin none end_ end_", "widths", {"axis": 0}),
        ("Pad", "x widths zero", "padded", {}),
        ("Conv", "padded w", "y", {"strides": [2, 2]})]
    nodes = [helper.make_node(op, inputs.split(" "), [output], **attributes)
             for op, inputs, output, attributes in steps]
    rng = np.random.default_rng(2)
    w = rng.standard_normal((4, 3, 3, 3)).astype(np.float32) / 5
    tensors = [helper.make_tensor(name, TensorProto.FLOAT, [], [value])
               for name, value in constants.items()]
    tensors += [helper.make_tensor("first", TensorProto.INT64, [1], [0]),
                helper.make_tensor("none", TensorProto.INT64, [2], [0, 0]),
                helper.make_tensor("w", TensorProto.FLOAT, w.shape, w.ravel())]
    graph = helper.make_graph(
        nodes, "same", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 7, 7])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    x = rng.standard_normal((1, 3, 7, 7)).astype(np.float32)
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    # Known at import, so without an optimisation as well.
    for level in (0, 3):
        compiled = rm.compile(model, opt_level=level)
        assert compiled.outputs[0].shape == (1, 4, 4, 4)
        np.testing.assert_allclose(compiled(x), expected, rtol=1e-5, atol=1e-5)
