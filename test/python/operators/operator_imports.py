# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators of Relay come out of ONNX models: those of the ONNX project's
own tests, and of the nodes below, which use what those leave out."""

import re
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import onnx_backend
import relay_mlir as rm

FLOAT, BOOL, INT = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
INT32 = TensorProto.INT32

# Nodes, and the types and shapes of their inputs.
NODES: list[Any] = [
    (helper.make_node("Not", ["x"], ["y"]), [(BOOL, [2, 3])]),
    (helper.make_node("PRelu", ["x", "a"], ["y"]), [(FLOAT, [2, 3, 4]), (FLOAT, [3, 1])]),
    (helper.make_node("Conv", ["x", "w"], ["y"]), [(FLOAT, [1, 2, 4, 4, 4]),
                                                   (FLOAT, [3, 2, 3, 3, 3])]),
    (helper.make_node("LayerNormalization", ["x", "g", "b"], ["y"]),
     [(FLOAT, [2, 3]), (FLOAT, [3]), (FLOAT, [3])]),
    (helper.make_node("Shape", ["x"], ["y"]), [(FLOAT, ["N", 3])]),
    (helper.make_node("Size", ["x"], ["y"]), [(FLOAT, ["N", 3])]),
    (helper.make_node("LayerNormalization", ["x", "g"], ["y"]), [(FLOAT, [2, 3]), (FLOAT, [3])]),
    (helper.make_node("GroupNormalization", ["x", "g", "b"], ["y"], num_groups=2),
     [(FLOAT, [2, 4, 3]), (FLOAT, [2]), (FLOAT, [2])]),
    (helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[3], strides=[2],
                      auto_pad="SAME_UPPER"), [(FLOAT, [1, 2, "N"])]),
    (helper.make_node("MaxRoiPool", ["x", "r"], ["y"], pooled_shape=[2, 2]),
     [(FLOAT, [1, 2, 8, 8]), (FLOAT, [3, 5])]),
    # As many samples as a bin has pixels.
    (helper.make_node("RoiAlign", ["x", "r", "i"], ["y"], output_height=2, output_width=2,
                      sampling_ratio=0), [(FLOAT, [1, 2, 8, 8]), (FLOAT, [3, 4]), (INT, [3])]),
    # Many channels.
    (helper.make_node("GridSample", ["x", "g"], ["y"]),
     [(FLOAT, [1, 16, 4, 4]), (FLOAT, [1, 3, 3, 2])]),
    (helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2], strides=[2]),
     [(FLOAT, [1, 2, "N"])]),
    # Halves of an open size.
    (helper.make_node("Split", ["x"], ["y", "z"], num_outputs=2), [(FLOAT, ["N"])]),
    # Shapes that are computed.
    (helper.make_node("Reshape", ["x", "s"], ["y"]), [(FLOAT, ["N", 6]), (INT, [2])]),
    (helper.make_node("Expand", ["x", "s"], ["y"]), [(FLOAT, ["N", 1]), (INT, [2])]),
    (helper.make_node("Tile", ["x", "s"], ["y"]), [(FLOAT, ["N", 6]), (INT, [2])]),
    (helper.make_node("ConstantOfShape", ["s"], ["y"]), [(INT, [2])]),
    (helper.make_node("OneHot", ["i", "d", "v"], ["y"]), [(INT, [3]), (INT, []), (FLOAT, [2])]),
    (helper.make_node("TopK", ["x", "k"], ["y", "z"]), [(FLOAT, [3, 6]), (INT, [1])]),
    (helper.make_node("Pad", ["x", "p"], ["y"]), [(FLOAT, [3, 6]), (INT, [4])]),
    (helper.make_node("RandomNormal", [], ["y"], shape=[2, 3]), []),
    (helper.make_node("Multinomial", ["x"], ["y"], sample_size=4), [(FLOAT, [2, 3])]),
]


def make_model(nodes, inputs, outputs):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18),
                                                   helper.make_opsetid("com.microsoft", 1)],
                             ir_version=8)


def make_slice():
    """The first rows of a tensor, as many as another one has."""
    nodes = [helper.make_node("Shape", ["b"], ["n"], end=1),
             helper.make_node("Constant", [], ["zero"], value_ints=[0]),
             helper.make_node("Slice", ["a", "zero", "n", "zero"], ["y"])]
    return make_model(nodes, {"a": (FLOAT, ["N", 3]), "b": (FLOAT, ["M", 3])}, ["y"])


def make_fill():
    """More elements than are folded into a constant."""
    nodes = [helper.make_node("Constant", [], ["n"], value_ints=[2**18 + 1]),
             helper.make_node("ConstantOfShape", ["n"], ["y"])]
    return make_model(nodes, {}, ["y"])


def make_crops():
    nodes = [helper.make_node("Constant", [], ["n"], value=numpy_helper.from_array(
                 np.array([2, 3], np.int32))),
             helper.make_node("CropAndResize", ["x", "r", "i", "n"], ["y"], domain="com.microsoft")]
    return make_model(nodes, {"x": (FLOAT, [1, 2, 5, 6]), "r": (FLOAT, [3, 4]),
                              "i": (INT32, [3])}, ["y"])


def find_imported():
    """The names of all operators that importing makes."""
    found = set()
    cases = onnx_backend.node_cases()
    # What a node takes from its inputs may have to be constant: sizes, axes.
    models = [case.model for case in cases]
    models += [onnx_backend.freeze(case).model for case in cases]
    models += [make_model([node], dict(zip(node.input, kinds, strict=True)), node.output)
               for node, kinds in NODES]
    for model in [*models, make_slice(), make_fill(), make_crops()]:
        try:
            text = rm.import_onnx(model).print()
        except rm.CompileError:
            continue
        found |= set(re.findall(r" relay\.([a-z][\w.]*)", text))
    return found
