"""Sizes and inputs that are fixed when a model is compiled, against ONNX Runtime with the
model as it is."""

import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import relay_mlir as rm
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
COMPILE = BIN / "relay-compile"


def make_model(nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "fixed", inputs, outputs, list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


@pytest.fixture
def model():
    """y = reshape(x, shape) * scale + z, of which only `scale` is a scalar."""
    return make_model([helper.make_node("Reshape", ["x", "shape"], ["r"]),
                       helper.make_node("Mul", ["r", "scale"], ["s"]),
                       helper.make_node("Add", ["s", "z"], ["y"])],
                      [value("x", ["n", "k"]), value("shape", ["rank"], TensorProto.INT64),
                       value("scale", []), value("z", ["n", 1])], [value("y", None)])


def run_reference(model, feeds):
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


FEEDS: dict[str, Any] = {
    "x": np.arange(12, dtype=np.float32).reshape(2, 6),
    "shape": np.array([2, 6], np.int64), "scale": np.array(0.5, np.float32),
    "z": np.array([[1], [2]], np.float32)}


@pytest.mark.parametrize("inputs", [{"shape": [2, 6], "scale": 0.5},
                                    {"shape": FEEDS["shape"], "scale": FEEDS["scale"]}])
def test_inputs_become_constants(model, inputs):
    # The elements of `shape` decide a size: aot compiles it only where they are known.
    with pytest.raises(rm.CompileError, match="known length"):
        rm.compile(model)
    module = rm.compile(model, dims={"n": 2, "k": 6}, inputs=inputs)
    assert [(info.name, info.shape) for info in module.inputs] == [("x", (2, 6)), ("z", (2, 1))]
    assert module.outputs[0].shape == (2, 6)
    np.testing.assert_array_equal(module(x=FEEDS["x"], z=FEEDS["z"]),
                                  run_reference(model, FEEDS))


def test_numbers_of_an_input_whose_sizes_are_fixed(model):
    known: dict[str, Any] = {"dims": {"n": 2, "k": 6}, "inputs": {"x": list(range(12))}}
    module = rm.compile(model, **known, shapes={"shape": [2]})
    np.testing.assert_array_equal(module(shape=[2, 6], scale=0.5, z=FEEDS["z"]),
                                  run_reference(model, FEEDS))


@pytest.mark.parametrize("rows", [[[1, 2], [3, 4.5]], ((True + 0, 2.0), (np.float64(3), 4.5)), [[], []],
                                  [np.array([1, 2], np.float32), np.array([3, 4.5], np.float32)]])
def test_rows_of_numbers_have_the_type_of_the_input(rows):
    module = rm.compile(make_model([helper.make_node("Add", ["x", "k"], ["y"])],
                                   [value("x", ["n", "m"]), value("k", ["n", "m"])],
                                   [value("y", None)]), inputs={"k": rows})
    expected = np.asarray(rows, np.float32)
    assert module.inputs[0].shape == expected.shape
    np.testing.assert_array_equal(module(np.zeros(expected.shape, np.float32)), expected)


def test_a_default_is_replaced():
    """An initializer of the name of an input is its default."""
    model = make_model([helper.make_node("Add", ["x", "k"], ["y"])],
                       [value("x", [2]), value("k", [])], [value("y", [2])],
                       [helper.make_tensor("k", TensorProto.FLOAT, [], [1.0])])
    x = np.array([1, 2], np.float32)
    np.testing.assert_array_equal(rm.compile(model)(x), x + 1)
    np.testing.assert_array_equal(rm.compile(model, inputs={"k": 5})(x), x + 5)
    with pytest.raises(rm.CompileError, match="expects numbers of type 'f32' for input \"k\""):
        rm.compile(model, inputs={"k": True})


def test_sizes_and_shapes(model):
    module = rm.compile(model, shapes={"x": [2, None]}, inputs={"shape": [2, -1], "scale": 0.5})
    # `n` is that of `z`, too.
    assert [info.shape for info in module.inputs] == [(2, "k"), (2, 1)]
    for columns in (1, 5):
        feeds = {**FEEDS, "x": np.random.rand(2, columns).astype(np.float32),
                 "shape": np.array([2, -1])}
        np.testing.assert_array_equal(module(x=feeds["x"], z=feeds["z"]),
                                      run_reference(model, feeds))
    with pytest.raises(ValueError, match="expects input 'x'"):
        module(x=np.zeros((3, 5), np.float32), z=np.zeros((2, 1), np.float32))


def test_sizes_without_a_name(tmp_path):
    """Those that relay-run prints: d0 and so on, without names that are taken."""
    same = make_model([helper.make_node("Concat", ["a", "b"], ["y"], axis=1)],
                      [value("a", ["n", None]), value("b", ["n", "d0"])], [value("y", None)])
    module = rm.compile(same)
    assert [info.shape for info in module.inputs] == [("n", "d1"), ("n", "d0")]
    fixed = rm.compile(same, dims={"d1": 2, "d0": 3})
    assert [info.shape for info in fixed.inputs] == [("n", 2), ("n", 3)]
    with pytest.raises(rm.CompileError, match='but got "d2"; there are "n", "d1", "d0"'):
        rm.compile(same, dims={"d2": 2})
    onnx.save(same, tmp_path / "same.onnx")
    for options in (["--interpret"], ["--executor=vm"], ["--executor=aot"]):
        result = subprocess.run([COMPILE.parent / "relay-run", tmp_path / "same.onnx", *options,
                                 "--dim=d1=2", "--dim=d0=3", "--dim=n=4"], capture_output=True,
                                text=True, check=False)
        assert "tensor<4x5xf32>" in result.stdout, result.stderr


def test_shapes_take_the_place_of_sizes():
    square = make_model([helper.make_node("MatMul", ["x", "x"], ["y"])], [value("x", [2, 2])],
                        [value("y", [2, 2])])
    x = np.random.rand(3, 3).astype(np.float32)
    np.testing.assert_allclose(rm.compile(square, shapes={"x": (3, 3)})(x), x @ x, rtol=1e-5)


@pytest.mark.parametrize("kind,number,expected", [
    (TensorProto.BOOL, True, True), (TensorProto.INT8, -128, -128),
    (TensorProto.UINT64, 2**64 - 1, 2**64 - 1), (TensorProto.DOUBLE, 1e-300, 1e-300),
    (TensorProto.FLOAT, float("inf"), np.inf), (TensorProto.FLOAT, float("nan"), np.nan),
    (TensorProto.INT64, -2**63, -2**63)])
def test_numbers_have_the_type_of_the_input(kind, number, expected):
    same = make_model([helper.make_node("Identity", ["x"], ["y"])], [value("x", [1], kind)],
                      [value("y", [1], kind)])
    result = rm.compile(same, inputs={"x": number})()
    np.testing.assert_array_equal(
        result, np.array([expected], helper.tensor_dtype_to_np_dtype(kind)))


PROGRAM = """#[version = "0.0.5"]
def @main(%x: Tensor[(?, 3), float32], %scale: float32) { nn.relu(%x) * %scale }
"""


def test_programs_and_modules(tmp_path):
    path = tmp_path / "program.relay"
    path.write_text(PROGRAM)
    x = np.random.randn(4, 3).astype(np.float32)
    known: dict[str, Any] = {"shapes": {"x": [4, 3]}, "inputs": {"scale": 2}}
    np.testing.assert_array_equal(rm.compile(path, **known)(x), np.maximum(x, 0) * 2)
    module = rm.IRModule.load(path)
    before = str(module)
    np.testing.assert_array_equal(rm.compile(module, **known)(x), np.maximum(x, 0) * 2)
    assert str(module) == before
    nameless = rm.IRModule.parse(str(module).replace('relay.name = "scale"', 'relay.other = "s"'))
    by_number: dict[str, Any] = {"shapes": {"x": [4, 3]}, "inputs": {"input1": 2}}
    np.testing.assert_array_equal(rm.compile(nameless, **by_number)(x),
                                  np.maximum(x, 0) * 2)
    program = rm.compile(path, executor="vm", **known)
    np.testing.assert_array_equal(program(x), np.maximum(x, 0) * 2)


@pytest.mark.parametrize("known,kind,message", [
    ({"dims": {"m": 2}}, rm.CompileError,
     'expects the name of an open size, but got "m"; there are "n", "k", "rank"'),
    ({"dims": {"n": -1}}, ValueError, "the size 'n'"),
    ({"dims": {"n": 2.5}}, TypeError, "the size 'n'"),
    ({"dims": [2]}, TypeError, "expects dims to be a dict"),
    ({"shapes": {"x": [2, 3, 4]}}, rm.CompileError, 'expects 2 dimensions for input "x"'),
    ({"shapes": {"x": "23"}}, TypeError, "the shape of 'x'"),
    ({"dims": {"n": 3}, "shapes": {"x": [2, None]}}, rm.CompileError,
     'expects one size for "n", but got 3, and 2 in input "x"'),
    ({"inputs": {"image": 1}}, rm.CompileError,
     'expects the name of an input, but got "image"; there are "x", "shape", "scale", "z"'),
    ({"inputs": {"scale": [1, 2]}}, rm.CompileError,
     'expects as many numbers as input "scale" of type \'tensor<f32>\' has, but got 2'),
    ({"inputs": {"shape": 2.5}}, rm.CompileError, "expects numbers of type 'i64'"),
    ({"inputs": {"scale": np.zeros((), np.float64)}}, rm.CompileError,
     'expects the value of input "scale" to be \'tensor<f32>\', but got \'tensor<f64>\''),
    ({"inputs": {"scale": "half"}}, TypeError, "expects numbers or an array"),
    ({"inputs": {"scale": np.array(["a"])}}, ValueError, "expects a dtype of floats"),
    ({"inputs": {"scale": np.array([None])}}, TypeError, "expects numbers"),
    ({"inputs": {"z": [[[1]]]}}, rm.CompileError, "but got 'tensor<1x1x1xf32>'"),
    ({"inputs": {"z": [[1], [True]]}}, rm.CompileError,
     "expects numbers of type 'f32' for input \"z\", but got 'true'"),
    ({"inputs": {"z": [[1, 2], [3]]}}, ValueError, "expects rows of one length for input 'z'"),
    ({"inputs": {"z": np.zeros((2, 3), np.float32)}}, rm.CompileError,
     'expects the value of input "z" to be'),
    ({"inputs": {"scale": 1}, "shapes": {"scale": []}}, rm.CompileError, "but got both"),
])
def test_what_does_not_fit(model, known, kind, message):
    with pytest.raises(kind) as caught:
        rm.compile(model, **known)
    assert message in str(caught.value)


def run_compiler(*arguments):
    return subprocess.run([COMPILE, *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def test_command_line(model, tmp_path):
    path, artefact = tmp_path / "model.onnx", tmp_path / "model.so"
    onnx.save(model, path)
    np.save(tmp_path / "scale.npy", FEEDS["scale"])
    done = run_compiler(path, "--dim=n=2", "--shape=x=?x6", "--input=shape=2,6",
                        f"--input=scale={tmp_path / 'scale.npy'}", "-o", artefact)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(rm.load(artefact)(x=FEEDS["x"], z=FEEDS["z"]),
                                  run_reference(model, FEEDS))


@pytest.mark.parametrize("argument,message", [
    ("--dim=n", "error: --dim: expects a name and a size, such as n=16, but got 'n'"),
    ("--dim==3", "error: --dim: expects a name and a size"),
    ("--dim=n=99999999999999999999", "error: --dim: expects a name and a size"),
    ("--shape=x=2xa", "error: --shape: expects the name of an input and its sizes"),
    ("--shape=x", "error: --shape: expects the name of an input and its sizes"),
    ("--input=scale=", "error: --input: expects the name of an input and its elements"),
    ("--input=scale=missing.npy", "error: --input: 'missing.npy': cannot open"),
    ("--input=scale=a=missing.npy", "error: --input: 'missing.npy': cannot open"),
    ("--input=missing.npy", "expects the name of an input and a file, such as x=values.npy"),
    ("--input=scale=1,,2", "expects numbers of type 'f32' for input \"scale\", but got ''"),
])
def test_wrong_arguments(model, tmp_path, argument, message):
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    done = run_compiler(path, argument, "-o", tmp_path / "model.so")
    assert done.returncode == 1
    assert message in done.stderr
    assert not (tmp_path / "model.so").exists()
