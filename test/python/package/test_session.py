# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interfaces of others: ONNX Runtime's sessions, and ONNX's backends."""

import unittest
import warnings
from typing import Any

import numpy as np
import onnx
import onnx.backend.test
import onnxruntime
import pytest
from onnx import TensorProto, helper, parser

import relay_mlir as rm
import relay_mlir.onnx_backend
from relay_mlir import relay

MODEL = """<ir_version: 9, opset_import: ["" : 18]>
graph (float[n, 4] x, int64[n] i) => (float[n, 4] y, int64[n] j, float[m] z) {
  y = Relu(x)
  j = Add(i, i)
  axes = Constant<value = int64[1] {1}>()
  z = ReduceSum<keepdims = 0>(x, axes)
}"""


@pytest.fixture(scope="module")
def model():
    return parser.parse_model(MODEL)


@pytest.fixture(scope="module")
def feeds():
    return {"x": np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32),
            "i": np.arange(3)}


@pytest.mark.parametrize("names", [None, [], ["z"], ["j", "y"]])
def test_session(tmp_path, model, feeds, names):
    onnx.save(model, tmp_path / "model.onnx")
    theirs = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"),
                                          providers=["CPUExecutionProvider"])
    ours = rm.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    for kind in ("inputs", "outputs"):
        got, want = (getattr(session, f"get_{kind}")() for session in (ours, theirs))
        assert [(arg.name, arg.type) for arg in got] == [(arg.name, arg.type) for arg in want]
        assert [len(arg.shape) for arg in got] == [len(arg.shape) for arg in want]
    assert ours.get_inputs()[0].shape == ["n", 4]
    assert ours.get_providers() == rm.get_available_providers() == ["CPUExecutionProvider"]
    got, want = (session.run(names, feeds) for session in (ours, theirs))
    assert isinstance(got, list) and len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype
        # The same sums of four numbers in another order.
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_session_of_bytes_and_options(model, feeds):
    options = rm.SessionOptions()
    options.graph_optimization_level = rm.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.inter_op_num_threads = 1
    options.add_session_config_entry("precision", "highest")
    before = rm.get_num_threads()
    options.intra_op_num_threads = 1
    try:
        session = rm.InferenceSession(model.SerializeToString(), options)
        assert rm.get_num_threads() == 1
    finally:
        rm.set_num_threads(before)
    np.testing.assert_array_equal(session.run(["y"], feeds)[0], np.maximum(feeds["x"], 0))
    assert session.get_session_options() is options
    assert options.get_session_config_entry("precision") == "highest"
    with pytest.raises(RuntimeError, match="expects a config entry that was set"):
        options.get_session_config_entry("target")


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_metadata(tmp_path, model, executor):
    """It is kept from the file to the artefact, and is what ONNX Runtime says."""
    described = onnx.ModelProto()
    described.CopyFrom(model)
    described.producer_name, described.producer_version = "exporter", "2.1"
    described.domain, described.model_version = "org.example", 7
    described.doc_string, described.graph.doc_string = "a model\nof two lines", "its graph"
    helper.set_model_props(described, {"names": "{0: 'kässe', 1: \"b\"}", "empty": ""})
    theirs = onnxruntime.InferenceSession(described.SerializeToString(),
                                          providers=["CPUExecutionProvider"]).get_modelmeta()
    ours = rm.InferenceSession(described).get_modelmeta()
    for field in ours._fields:
        assert getattr(ours, field) == getattr(theirs, field), field
    compiled = rm.compile(described, executor=executor)
    compiled.save(tmp_path / "model.so")
    assert compiled.metadata == rm.load(tmp_path / "model.so").metadata == {
        "producer_name": "exporter", "producer_version": "2.1", "domain": "org.example",
        "version": "7", "description": "a model\nof two lines", "graph_description": "its graph",
        "graph_name": "graph", "metadata_props.names": "{0: 'kässe', 1: \"b\"}",
        "metadata_props.empty": ""}


def test_programs_of_onnx_runtime(model, feeds):
    """What else they call is there, and changes nothing."""
    options = rm.SessionOptions()
    options.execution_mode = rm.ExecutionMode.ORT_PARALLEL
    rm.set_default_logger_severity(3)
    with pytest.raises(ValueError, match="severity"):
        rm.set_default_logger_severity(9)
    session = rm.InferenceSession(model, sess_options=options)
    run_options = rm.RunOptions()
    run_options.log_severity_level = 4
    for a, b in zip(session.run(None, feeds, run_options), session.run(None, feeds), strict=True):
        np.testing.assert_array_equal(a, b)


def test_wrong_uses_of_sessions(model, feeds):
    number: Any = 3
    arrays: Any = [feeds["x"]]
    with pytest.warns(UserWarning, match="but got .'CUDAExecutionProvider'"):
        session = rm.InferenceSession(model, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    with pytest.raises(ValueError, match="expects names of outputs of .'y', 'j', 'z'., but got 'w'"):
        session.run(["w"], feeds)
    with pytest.raises(ValueError, match="input 'i'"):
        session.run(None, {"x": feeds["x"]})
    with pytest.raises(TypeError, match="expects input_feed to be"):
        session.run(None, arrays)
    with pytest.raises(TypeError, match="expects sess_options to be relay_mlir.SessionOptions"):
        rm.InferenceSession(model, number)
    with pytest.raises(rm.CompileError):
        rm.InferenceSession(b"no model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.InferenceSession(model, providers=[("CPUExecutionProvider", {"arena": "1"})])


def test_session_on_the_virtual_machine():
    """Elements decide how many values there are."""
    model = parser.parse_model("""<ir_version: 9, opset_import: ["" : 18]>
        graph (float[n, 4] x, int64[1] k) => (float[n, m] values, int64[n, m] indices) {
          values, indices = TopK(x, k)
        }""")
    theirs = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ours = rm.InferenceSession(model)
    assert [info.type for info in ours.get_inputs()] == ["tensor(float)", "tensor(int64)"]
    assert [info.name for info in ours.get_outputs()] == ["values", "indices"]
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    for count in (0, 1, 4):
        feeds = {"x": x, "k": np.array([count])}
        for names in (None, ["indices"]):
            for a, b in zip(ours.run(names, feeds), theirs.run(names, feeds), strict=True):
                np.testing.assert_array_equal(a, b)
                assert type(a) is np.ndarray
    with pytest.raises(ValueError, match="expects input 'k', but it is missing"):
        ours.run(None, {"x": x})
    with pytest.raises(ValueError, match="expects names of inputs of .'x', 'k'., but got 'z'"):
        ours.run(None, {"x": x, "k": np.array([1]), "z": x})


def test_program_is_no_function(tmp_path):
    source = '#[version = "0.0.5"]\ndef @main(%x: (int32, int32)) { %x.0 }'
    executable = relay.vm.compile(relay.parse(source))
    executable.save(tmp_path / "program.so")
    with pytest.raises(ValueError, match="to be one function of tensors, but it is a program"):
        rm.Module(tmp_path / "program.so")
    loaded = rm.load(tmp_path / "program.so")
    assert loaded((np.int32(1), np.int32(2))) == 1
    deep: Any = np.int32(1)
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises((RecursionError, TypeError, ValueError)):
        relay.vm.VirtualMachine(executable).run((deep, np.int32(2)))


def test_bytes_of_models(model, feeds):
    data = model.SerializeToString()
    for form in (data, bytearray(data), memoryview(data)):
        y, _, _ = rm.compile(form).run(feeds)
        np.testing.assert_array_equal(y, np.maximum(feeds["x"], 0))


def test_backend_runs_nodes():
    node = helper.make_node("Concat", ["a", "", "b"][::2], ["c"], axis=0)
    a, b = np.ones((2, 3), np.float32), np.zeros((1, 3), np.float32)
    for inputs in ([a, b], (a, b), {"a": a, "b": b}):
        [c] = relay_mlir.onnx_backend.run_node(node, inputs)
        np.testing.assert_array_equal(c, np.concatenate([a, b]))
    with pytest.raises(ValueError, match="expects 2 inputs of node Concat, but got 1"):
        relay_mlir.onnx_backend.run_node(node, [a])
    outputs = relay_mlir.onnx_backend.run_node(
        helper.make_node("TopK", ["x", "k"], ["values", "indices"]),
        [np.array([[3, 1, 2]], np.float32), np.array([2])],
        outputs_info=[(np.float32, (1, 2)), (np.int64, (1, 2))])
    np.testing.assert_array_equal(outputs.values, [[3, 2]])
    np.testing.assert_array_equal(outputs["indices"], [[0, 2]])


def test_backend_devices(model):
    backend = relay_mlir.onnx_backend
    assert backend.supports_device("CPU") and backend.supports_device("CPU:0")
    assert not backend.supports_device("CUDA") and not backend.supports_device("TPU")
    assert backend.is_compatible(model) and not backend.is_compatible(model, "CUDA")
    with pytest.raises(ValueError, match="expects device CPU, but got CUDA"):
        backend.prepare(model, "CUDA")
    unknown = helper.make_model(helper.make_graph(
        [helper.make_node("ImageDecoder", ["x"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [1])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 1, 3])]))
    assert not backend.is_compatible(unknown)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_backend_tests():
    """Some of ONNX's own tests, by its own runner; test_onnx_backend.py runs all of operators."""
    backend: Any = relay_mlir.onnx_backend
    tests = onnx.backend.test.BackendTest(backend, __name__)
    nodes = "add|conv_with_strides_padding|gemm_all_attributes|softmax_axis_1|lstm_defaults"
    networks = "Linear|Conv2d_dilated|PReLU_2d|operator_mm|operator_chunk|sum_example"
    tests.include(rf"^test_({nodes}|{networks})_cpu$")
    result = unittest.TestResult()
    for test in tests.test_suite:
        test.run(result)
    assert result.testsRun - len(result.skipped) == 11
    assert not result.errors and not result.failures
