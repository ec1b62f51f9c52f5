# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initializers and constants that a model has in a sparse form, against ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import relay_mlir as rm

KINDS = {"float32": np.float32, "float64": np.float64, "int64": np.int64, "uint8": np.uint8}


def make_model(values, indices, dims, is_node=False):
    """y = x + w, where w is sparse, and perhaps what a node computes."""
    kind = helper.np_dtype_to_tensor_dtype(values.dtype)
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])], "g",
        [helper.make_tensor_value_info("x", kind, dims)],
        [helper.make_tensor_value_info("y", kind, dims)])
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(values, "w"), numpy_helper.from_array(indices, "i"), dims)
    if is_node:
        graph.node.insert(0, helper.make_node("Constant", [], ["w"], sparse_value=sparse))
    else:
        graph.sparse_initializer.append(sparse)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def i64(*values):
    return np.array(values, np.int64)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("indices", [i64(1, 4, 11), i64([0, 1], [1, 0], [2, 3]), i64()],
                         ids=["positions", "coordinates", "none"])
@pytest.mark.parametrize("is_node", [False, True], ids=["initializer", "constant"])
def test_values_are_where_the_indices_say(dtype, indices, is_node):
    values = np.arange(1, len(indices) + 1, dtype=KINDS[dtype])
    model = make_model(values, indices, [3, 4], is_node)
    x = np.arange(12, dtype=KINDS[dtype]).reshape(3, 4)
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    actual = rm.compile(model)(x)
    np.testing.assert_array_equal(actual, session.run(None, {"x": x})[0], strict=True)


@pytest.mark.parametrize("indices, dims, message", [
    (i64(1, 12), [3, 4], r"expects indices in \[0, 12\), but got 12"),
    (i64(-1, 2), [3, 4], r"expects indices in \[0, 12\), but got -1"),
    (i64([0, 4], [1, 1]), [3, 4], r"expects indices in \[0, 4\), but got 4"),
    (i64(2, 2), [3, 4], "expects indices that ascend, but element 1 does not follow"),
    (i64(3, 2), [3, 4], "expects indices that ascend, but element 1 does not follow"),
    (i64(1), [3, 4], r"expects values of shape \[n\] and indices of shape \[n\] or \[n, 2\], but got "
                     r"\[2\] and \[1\]"),
    (i64([0, 0, 0], [0, 0, 1]), [3, 4], r"or \[n, 2\], but got \[2\] and \[2, 3\]"),
    (np.array([1, 2], np.int32), [3, 4], "expects indices of INT64, but got INT32"),
    (i64(1, 2), [2**20, 2**20], "expects a shape of at most 64 elements for each value, but got "
                                r"\[1048576, 1048576\] for 2 values"),
    (i64(1, 2), [2**40, 2**40], "expects a shape of at most 64 elements for each value"),
    (i64(1, 2), [-3, -4], "expects a shape of at most 64 elements for each value"),
], ids=str)
def test_what_is_wrong(indices, dims, message):
    model = make_model(np.ones(2, np.float32), indices, [3, 4])
    model.graph.sparse_initializer[0].dims[:] = dims
    with pytest.raises(rm.CompileError, match='sparse tensor "w": .*' + message):
        rm.compile(model)


def test_fewer_bytes_than_elements():
    model = make_model(np.ones(2, np.float32), i64(1, 2), [3, 4])
    model.graph.sparse_initializer[0].values.raw_data = bytes(7)
    with pytest.raises(rm.CompileError, match=r"expects as many values as its shape \[2\] says, but "
                                              "got 7 bytes of FLOAT"):
        rm.compile(model)
    model.graph.sparse_initializer[0].values.data_type = onnx.TensorProto.STRING
    with pytest.raises(rm.CompileError, match="values of STRING are not supported"):
        rm.compile(model)
