# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, pooling, normalisation and products over no elements, and results
without elements, with static and with dynamic sizes: compiled, interpreted, and,
where it has an answer, by ONNX Runtime, all the same.
"""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

pytestmark = pytest.mark.share(5)

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")).resolve()


def make_model(op, shapes, constants, attributes, dynamic):
    inputs = [helper.make_tensor_value_info(
        f"x{i}", TensorProto.FLOAT, [f"d{i}_{j}" if dynamic else size
                                     for j, size in enumerate(shape)])
              for i, shape in enumerate(shapes)]
    names = [info.name for info in inputs] + list(constants)
    node = helper.make_node(op, names, ["y"], **attributes)
    kind = TensorProto.INT64 if op.startswith("Arg") else TensorProto.FLOAT
    graph = helper.make_graph(
        [node], "graph", inputs, [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model)


def run_peer(model, inputs):
    """What ONNX Runtime returns; None if it refuses."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                               providers=["CPUExecutionProvider"])
        return session.run(None, inputs)[0]
    except Exception:  # pylint: disable=broad-except
        return None


def run_interpreter(model, inputs, folder):
    onnx.save(model, folder / "model.onnx")
    command = [str(BUILD / "bin/relay-run"), "model.onnx", "--interpret", "--output", "y.npy"]
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
        command += ["--input", f"{name}={name}.npy"]
    result = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return np.load(folder / "y.npy")


def compare(op, shapes, constants, attributes, dynamic, folder, expected=None):
    """With `expected`, all elements are that, and nobody asks ONNX Runtime, which leaves
    some such results as they were."""
    model = make_model(op, shapes, constants, attributes, dynamic)
    rng = np.random.default_rng(0)
    inputs = {f"x{i}": rng.uniform(0.5, 1, shape).astype(np.float32)
              for i, shape in enumerate(shapes)}
    results = [np.asarray(rm.compile(model).run(inputs)), run_interpreter(model, inputs, folder)]
    peer = run_peer(model, inputs) if expected is None else None
    if peer is not None:
        results.append(peer)
    if expected is not None:
        results.append(np.full(results[0].shape, expected, results[0].dtype))
    for other in results[1:]:
        assert results[0].shape == other.shape
        np.testing.assert_allclose(results[0], other, rtol=1e-6, atol=1e-7)


# No pixels, no rows, no images, no channels.
SHAPES = [(2, 3, 0, 0), (2, 3, 0, 4), (0, 3, 4, 4), (2, 0, 4, 4)]
dynamic_or_not = pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])


@dynamic_or_not
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("op", [
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
    "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"])
def test_reductions(op, shape, dynamic, tmp_path):
    axes = [axis for axis, size in enumerate(shape) if size == 0]
    compare(op, [shape], {"axes": axes}, {}, dynamic, tmp_path)


@dynamic_or_not
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("op,attributes,expected", [
    ("GlobalAveragePool", {}, 0), ("GlobalMaxPool", {}, -np.inf), ("GlobalLpPool", {}, 0),
    ("AveragePool", {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}, 0),
    ("AveragePool", {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1], "count_include_pad": 1}, 0),
    ("MaxPool", {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}, -np.inf)])
def test_pooling(op, attributes, expected, shape, dynamic, tmp_path):
    compare(op, [shape], {}, attributes, dynamic, tmp_path, expected if shape[2] == 0 else None)


@dynamic_or_not
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_normalisation(shape, dynamic, tmp_path):
    for op, shapes, attributes in [
            ("Softmax", [shape], {"axis": 2}), ("LogSoftmax", [shape], {"axis": 1}),
            ("InstanceNormalization", [shape, shape[1:2], shape[1:2]], {}),
            ("LayerNormalization", [shape, shape[3:]], {"axis": -1})]:
        compare(op, shapes, {}, attributes, dynamic, tmp_path)


@pytest.mark.parametrize("op,shapes,attributes", [
    ("MatMul", [(2, 0), (0, 3)], {}), ("MatMul", [(0, 4), (4, 3)], {}),
    ("MatMul", [(5, 2, 0), (5, 0, 3)], {}), ("MatMul", [(2, 4), (4, 0)], {}),
    ("Gemm", [(2, 0), (0, 3), (3,)], {}), ("Conv", [(1, 0, 5, 5), (4, 0, 3, 3)], {}),
    ("Conv", [(0, 2, 5, 5), (4, 2, 3, 3)], {}), ("ConvTranspose", [(0, 2, 5, 5), (2, 4, 3, 3)], {}),
    ("Conv", [(1, 2, 0, 5), (4, 2, 3, 3)], {"pads": [2, 1, 2, 1]}),
    ("LpNormalization", [(2, 0)], {"axis": 1})])
def test_products(op, shapes, attributes, tmp_path):
    compare(op, shapes, {}, attributes, False, tmp_path, expected=None if op == "Gemm" else 0)


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_positions(op, tmp_path):
    """Of no elements there is none; of no results, nothing is asked."""
    compare(op, [(0, 3, 2)], {}, {"axis": 1}, False, tmp_path)
    compare(op, [(0, 3, 2)], {}, {"axis": 1}, True, tmp_path)
    with pytest.raises(rm.CompileError, match=f"relay.{op.lower()}"):
        rm.compile(make_model(op, [(2, 0, 3)], {}, {"axis": 1}, False))
    compiled = rm.compile(make_model(op, [(2, 0, 3)], {}, {"axis": 1}, True))
    with pytest.raises(ValueError, match="to be at least 1, but got 0"):
        compiled(np.zeros((2, 0, 3), np.float32))
    assert (np.asarray(compiled(np.zeros((2, 1, 3), np.float32))) == 0).all()


def test_variance_and_mean():
    """Of the dialect itself: 0, as the average of no pixels is."""
    compiled = rm.compile(rm.IRModule.parse("""
func.func @main(%x: tensor<3x?xf32>, %y: tensor<3x0xi32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi32>) {
  %k = relay.mean %x {axis = array<i64: 1>, keepdims = true} : (tensor<3x?xf32>) -> tensor<3x1xf32>
  %0 = relay.mean %x {axis = array<i64: 1>} : (tensor<3x?xf32>) -> tensor<3xf32>
  %1 = relay.variance %x, %k {axis = array<i64: 1>} : (tensor<3x?xf32>, tensor<3x1xf32>) -> tensor<3xf32>
  %2 = relay.mean %y {axis = array<i64: 1>} : (tensor<3x0xi32>) -> tensor<3xi32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xi32>
}"""))
    for result in compiled(np.zeros((3, 0), np.float32), np.zeros((3, 0), np.int32)):
        np.testing.assert_array_equal(result, [0, 0, 0])


def make_reshape(shape, codes, kind, **attributes):
    """A reshape of x to `codes`: of open or known sizes, or to codes that are an input."""
    open_sizes = ["a", "b", "c"][:len(shape)]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT,
                                            shape if kind == "known" else open_sizes)]
    constants = []
    if kind == "input":
        inputs.append(helper.make_tensor_value_info("s", TensorProto.INT64, [len(codes)]))
    else:
        constants.append(numpy_helper.from_array(np.array(codes), "s"))
    graph = helper.make_graph([helper.make_node("Reshape", ["x", "s"], ["y"], **attributes)],
                              "graph", inputs,
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


@pytest.mark.parametrize("kind", ["known", "open", "input"])
@pytest.mark.parametrize("shape, codes, expected", [
    # What is copied says nothing of the rest.
    ((0, 3), [0, -1], (0, 3)), ((0, 3), [-1, 0], (0, 3)), ((0, 4, 3), [0, -1], (0, 12)),
    ((0, 4, 3), [0, 2, -1], (0, 2, 6)), ((2, 0, 3), [0, 0, -1], (2, 0, 3)),
    ((0, 6), [0, -1, 2], (0, 3, 2)), ((2, 6), [0, -1, 2], (2, 3, 2)),
    ((2, 0, 3), [-1, 3], (0, 3)),
])
def test_rest_of_a_reshape(shape, codes, expected, kind):
    model = rm.compile(make_reshape(shape, codes, kind))
    inputs = {"x": np.zeros(shape, np.float32)}
    if kind == "input":
        inputs["s"] = np.array(codes)
    assert model(**inputs).shape == expected


@pytest.mark.parametrize("shape", [(0, 3), (2, 3)])
def test_no_rest_beside_a_size_of_0(shape):
    with pytest.raises(rm.CompileError, match="expects no -1 beside a 0 that is a size"):
        rm.compile(make_reshape(shape, [0, -1], "known", allowzero=1))
