# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the schemas of ONNX do not list for an operator is refused, as ONNX Runtime does:
element types of inputs, in any version, and attributes of the version that a model has."""

import pathlib
import sys

import numpy as np
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "utils"))
import onnx_schemas  # noqa: E402


def compile_node(op, *types, opset=18, **attributes):
    names = [f"x{i}" for i in range(len(types))]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)], "g",
        [helper.make_tensor_value_info(name, type_, (2, 3)) for name, type_ in zip(names, types)],
        [helper.make_empty_tensor_value_info("y")])
    return rm.compile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                        ir_version=8))


FLOATS = "FLOAT or FLOAT16 or DOUBLE or BFLOAT16"


@pytest.mark.parametrize("op, types, message", [
    ("Sqrt", [TensorProto.INT32], f'input 0 ("x0") of type {FLOATS}, but got INT32'),
    ("Sigmoid", [TensorProto.INT64], f'input 0 ("x0") of type {FLOATS}, but got INT64'),
    ("Softmax", [TensorProto.UINT8], f'input 0 ("x0") of type {FLOATS}, but got UINT8'),
    ("Relu", [TensorProto.BOOL], 'input 0 ("x0") of type FLOAT or INT8 or INT16 or INT32 or '
                                 'INT64 or FLOAT16 or DOUBLE or BFLOAT16, but got BOOL'),
    ("BitwiseNot", [TensorProto.FLOAT], 'input 0 ("x0") of type UINT8 or INT8 or UINT16 or INT16 '
                                        'or INT32 or INT64 or UINT32 or UINT64, but got FLOAT'),
    ("And", [TensorProto.BOOL, TensorProto.INT8], 'input 1 ("x1") of type BOOL, but got INT8'),
    ("Sum", [TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.INT32],
     f'input 2 ("x2") of type {FLOATS}, but got INT32')])
def test_types_that_onnx_does_not_list(op, types, message):
    with pytest.raises(rm.CompileError) as caught:
        compile_node(op, *types)
    assert f'node that computes "y" ({op}, opset 18): expects {message}' in str(caught.value)


@pytest.mark.parametrize("op, types, opset", [
    ("Relu", [TensorProto.INT32], 11), ("Add", [TensorProto.BFLOAT16] * 2, 11),
    ("Max", [TensorProto.INT8] * 3, 8), ("Sqrt", [TensorProto.BFLOAT16], 11),
    ("Shrink", [TensorProto.BFLOAT16], 18)])
def test_types_that_later_versions_list(op, types, opset):
    """Models say a version that they are older than; bfloat16 is where float16 is."""
    assert compile_node(op, *types, opset=opset).outputs[0].shape == (2, 3)


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("dims", [(9, 19), ("n", 19)])
@pytest.mark.parametrize("flat", ["signed", "unsigned"])
def test_one_sum_with_and_without_a_sign(flat, dims, opt_level):
    nodes = [helper.make_node("Add", ["x", "x"], ["signed"]),
             helper.make_node("Cast", ["signed"], ["unsigned"], to=TensorProto.UINT8),
             helper.make_node("Flatten", [flat], ["flat"], axis=0)]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.INT8, dims)],
        [helper.make_empty_tensor_value_info(name) for name in ("signed", "unsigned", "flat")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    x = np.arange(-85, 86, dtype=np.int8).reshape(9, 19)
    expected = {"signed": x + x, "unsigned": (x + x).view(np.uint8)}
    expected["flat"] = expected[flat].reshape(1, -1)
    actual = rm.compile(model, opt_level=opt_level).run({"x": x})
    for got, want in zip(actual, expected.values(), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("op, opset, attributes, message", [
    ("Relu", 18, {"alpha": 0.1}, "expects no attributes, but got \"alpha\""),
    ("LeakyRelu", 18, {"slope": 0.1}, "expects no attribute but alpha, but got \"slope\""),
    ("ReduceSum", 13, {"axes": [0]},
     "expects no attribute but keepdims, noop_with_empty_axes, but got \"axes\"")])
def test_attributes_that_onnx_does_not_list(op, opset, attributes, message):
    with pytest.raises(rm.CompileError) as caught:
        compile_node(op, TensorProto.FLOAT, opset=opset, **attributes)
    assert f'node that computes "y" ({op}, opset {opset}): {message}' in str(caught.value)


def test_constants_of_several_values():
    node = helper.make_node("Constant", [], ["y"], value_int=3, value_float=2.0)
    output = helper.make_tensor_value_info("y", TensorProto.INT64, [])
    graph = helper.make_graph([node], "g", [], [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    with pytest.raises(rm.CompileError, match='Constant, opset 18.*: expects one value, but got '
                       '"value_float" and "value_int"'):
        rm.compile(model)


def test_attributes_of_an_older_version():
    assert compile_node("ReduceSum", TensorProto.FLOAT, opset=11, axes=[0]).outputs[0].shape == (
        1, 3)
    # What tools leave for themselves.
    assert compile_node("Relu", TensorProto.FLOAT, __origin="tool").outputs[0].shape == (2, 3)


@pytest.mark.parametrize("path", onnx_schemas.OUTPUTS, ids=lambda path: path.name)
def test_table(path):
    """The tables are what the packages have."""
    assert path.read_text() == onnx_schemas.OUTPUTS[path](), "run utils/onnx_schemas.py"
