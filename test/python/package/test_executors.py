# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which executor a model is compiled for, and what it needs: `executor` of compile,
`--executor` of the tools, and relay-translate --onnx-coverage."""

import json
import os
import pathlib
import subprocess
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, parser

import relay_mlir as rm
from relay_mlir import relay

BIN = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")) / "bin"

# A function of tensors.
PLAIN = """<ir_version: 9, opset_import: ["" : 18]>
graph (float[n, 4] x) => (float[n, 4] y) { y = Relu(x) }"""

# How many rows there are follows from elements.
PROGRAM = """<ir_version: 9, opset_import: ["" : 18]>
graph (float[n] x, bool[n] keep) => (float[m] y, int64[1] count) {
  y = Compress<axis = 0>(x, keep)
  count = Shape(y)
}"""

SEQUENCE = """<ir_version: 9, opset_import: ["" : 18]>
graph (seq(float[n, 2]) s, int64 i) => (seq(float[n, 2]) t, float[n, 2] y) {
  y = SequenceAt(s, i)
  t = SequenceErase(s, i)
}"""

UNKNOWN = """<ir_version: 9, opset_import: ["" : 18, "com.example" : 2]>
graph (float[4] x, string[2] names) => (float[4] y) {
  a = com.example.Magic(x)
  b = com.example.Magic(a)
  y = Relu(b)
}"""


def check_program(program: Any) -> None:
    x = np.arange(5, dtype=np.float32)
    keep = np.array([True, False, True, True, False])
    for result in (program(x, keep), program(x, keep=keep), program.run({"x": x, "keep": keep})):
        np.testing.assert_array_equal(result[0], [0, 2, 3])
        np.testing.assert_array_equal(result[1], [3])


@pytest.mark.parametrize("executor", ["aot", "vm", "graph"])
def test_compile(executor: str) -> None:
    model = rm.compile(parser.parse_model(PLAIN), executor=executor)
    assert type(model) is (rm.Program if executor == "vm" else rm.Module)
    x = np.array([[-1, 0, 1, 2]], np.float32)
    np.testing.assert_array_equal(model(x), np.maximum(x, 0))
    assert model.inputs[0][:3] == ("x", ("n", 4), np.dtype(np.float32))
    assert model.outputs[0].name == "y" and model.outputs[0].dtype == np.float32


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_what_is_no_function_is_a_program(tmp_path: pathlib.Path, executor: str) -> None:
    model = parser.parse_model(PROGRAM)
    with pytest.raises(rm.CompileError, match="the executors aot and vm compile"):
        rm.compile(model, executor="graph")
    program = rm.compile(model, cache_dir=tmp_path / "cache", precision="highest",
                         executor=executor)
    assert isinstance(program, rm.Program)
    check_program(program)
    assert [info.name for info in program.inputs] == ["x", "keep"]
    assert program.inputs[0].shape == ("n",) and program.inputs[1].dtype == np.bool_
    assert [info.name for info in program.outputs] == ["y", "count"]
    for args, message in [((), "expects input 'x', but it is missing"),
                          ((1, 2, 3), "expects 2 inputs, but got 3")]:
        with pytest.raises(ValueError, match=message):
            program(*args)
    with pytest.raises(ValueError, match=r"expects names of inputs of \['x', 'keep'\], but got 'z'"):
        program.run({"z": 1})
    with pytest.raises(ValueError, match="expects input 'x' once, but got it twice"):
        program(1, x=2)
    assert program.precision == "highest"
    program.verify()
    x, keep = np.ones(2, np.float32), np.array([False, True])
    for inputs in ([x, keep], {"keep": keep, "x": x}):
        rows = program.profile(inputs, repeat=2, warm_up=0, trace=tmp_path / "trace.json")
        assert any(row.name == "(program)" for row in rows)
        assert {row.device for row in rows} == {"cpu:0"}
    assert (tmp_path / "trace.json").stat().st_size
    with pytest.raises(ValueError, match="expects input 'keep', but it is missing"):
        program.profile([x])
    with pytest.raises(ValueError, match="expects a positive number of runs, but got 0"):
        program.profile([x, keep], repeat=0)
    program.save(tmp_path / "program.so")
    loaded = rm.load(tmp_path / "program.so")
    assert loaded.inputs == program.inputs and loaded.outputs == program.outputs
    machine = relay.vm.VirtualMachine(relay.vm.Executable.load_exec(tmp_path / "program.so"))
    rows, count = machine.run(np.ones(2, np.float32), np.array([False, True]))
    np.testing.assert_array_equal(rows, [1])
    np.testing.assert_array_equal(count, [1])


def test_sequences_are_lists(tmp_path: pathlib.Path) -> None:
    program = rm.compile(parser.parse_model(SEQUENCE))
    for info in (program.inputs[0], program.outputs[0]):
        assert isinstance(info, rm.ValueInfo) and info.kind == "seq(tensor)"
    assert program.inputs[0].dtype == np.float32
    values = [np.full((k, 2), k, np.float32) for k in (1, 2, 3)]
    rest, taken = program(values, 1)
    np.testing.assert_array_equal(taken, values[1])
    assert isinstance(rest, list) and len(rest) == 2
    np.testing.assert_array_equal(rest[1], values[2])
    # A file knows the types of its parameters, too.
    program.save(tmp_path / "program.so")
    loaded = rm.load(tmp_path / "program.so")
    assert isinstance(loaded, rm.Program)
    assert loaded.inputs == program.inputs and loaded.outputs == program.outputs
    assert (loaded.inputs[0].kind, loaded.inputs[0].dtype) == ("seq(tensor)", np.float32)
    # Tensors of a sequence have sizes of their own.
    assert loaded.inputs[0].shape == ("?", 2) and loaded.inputs[1].shape == ()
    assert [info.name for info in loaded.outputs] == ["t", "y"]
    rest, taken = loaded(values, 1)
    np.testing.assert_array_equal(taken, values[1])
    assert isinstance(rest, list) and len(rest) == 2
    loaded.save(tmp_path / "copy.so")
    assert (tmp_path / "copy.so").read_bytes() == (tmp_path / "program.so").read_bytes()
    machine = relay.vm.VirtualMachine(relay.vm.Executable.load_exec(tmp_path / "program.so"))
    _, taken = machine.run(values, np.array(2))
    np.testing.assert_array_equal(taken, values[2])
    with pytest.raises(TypeError, match="argument 0 of 'main'.*: expects a list, but got 3"):
        machine.run(3, np.array(2))
    # Whatever is wrong with a value, the error says whose it is.
    with pytest.raises(TypeError, match="argument 1 of 'main'.*: expects numbers, but got None"):
        machine.run(values, None)


def test_wrong_executors(tmp_path: pathlib.Path) -> None:
    model = parser.parse_model(PLAIN)
    rm.compile(parser.parse_model(PROGRAM)).save(tmp_path / "program.so")
    with pytest.raises(ValueError, match="expects map_weights with a model that is one function"):
        rm.load(tmp_path / "program.so", map_weights=True)
    with pytest.raises(ValueError, match="expects executor 'aot', 'vm' or 'graph', but got 'gpu'"):
        rm.compile(model, executor="gpu")
    number: Any = 3
    with pytest.raises(TypeError, match="expects executor to be"):
        rm.compile(model, executor=number)
    with pytest.raises(TypeError, match="expects relay_mlir.compile to make a Program"):
        rm.Program()
    # Both refuse it; there is one message.
    with pytest.raises(rm.CompileError, match="com.example") as error:
        rm.compile(parser.parse_model(UNKNOWN.replace(", string[2] names", "")))
    assert str(error.value).count("not supported") == 1


def run_tool(*args: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("text, is_program", [(PLAIN, False), (PROGRAM, True)])
def test_tools(tmp_path: pathlib.Path, text: str, is_program: bool) -> None:
    onnx.save(parser.parse_model(text), tmp_path / "model.onnx")
    done = run_tool(BIN / "relay-compile", tmp_path / "model.onnx", "--no-cache",
                    "-o", tmp_path / "model.so")
    assert (done.returncode, done.stderr) == (0, "")
    loaded = rm.load(tmp_path / "model.so")
    assert isinstance(loaded, rm.Program if is_program else rm.Module)
    assert loaded.outputs[0].name == "y"
    if is_program:
        with pytest.raises(ValueError, match="expects .* to be one function of tensors"):
            rm.Module(tmp_path / "model.so")
    ran = run_tool(BIN / "relay-run", tmp_path / "model.onnx", "--dim", "n=3",
                   "--check=interpreter")
    assert ran.returncode == 0, ran.stderr
    # Of a relocatable object there is one function.
    done = run_tool(BIN / "relay-compile", tmp_path / "model.onnx", "--emit=obj",
                    "-o", tmp_path / "model.o")
    assert (done.returncode != 0) == is_program
    assert ("into a shared object" in done.stderr) == is_program


def coverage(tmp_path: pathlib.Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    onnx.save(parser.parse_model(text), tmp_path / "model.onnx")
    return run_tool(BIN / "relay-translate", *options, tmp_path / "model.onnx")


def test_coverage(tmp_path: pathlib.Path) -> None:
    done = coverage(tmp_path, PLAIN, "--onnx-coverage")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "opset 18 of ai.onnx", "", "operator  opset  nodes  missing", "Relu      18     1", "",
        "type   tensors  missing", "FLOAT  2", "", "compiles to a function"]

    done = coverage(tmp_path, PROGRAM, "--onnx-coverage=json")
    report = json.loads(done.stdout)
    assert report["compiles_to"] == "program" and "refusal" not in report
    assert "its elements decide how large the result is" in report["not_a_function"]
    assert [(use["name"], use["nodes"]) for use in report["operators"]] == [("Compress", 1), ("Shape", 1)]
    assert report["opsets"] == {"ai.onnx": 18}


def test_coverage_of_what_is_missing(tmp_path: pathlib.Path) -> None:
    done = coverage(tmp_path, UNKNOWN, "--onnx-coverage=json")
    # That the model is refused is the answer.
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["compiles_to"] is None
    assert "not supported" in report["refusal"]
    assert report["operators"] == [
        {"domain": "com.example", "name": "Magic", "opset": 2, "nodes": 2,
         "first": 'node that computes "a" (com.example.Magic, opset 2)',
         "missing": 'of domain "com.example"'},
        {"domain": "ai.onnx", "name": "Relu", "opset": 18, "nodes": 1,
         "first": 'node that computes "y" (Relu, opset 18)'}]
    assert report["types"] == [{"name": "FLOAT", "tensors": 2, "supported": True},
                               {"name": "STRING", "tensors": 1, "supported": True}]


def test_wrong_uses_of_coverage(tmp_path: pathlib.Path) -> None:
    for options, message in [(["--onnx-coverage=xml"], "expects --onnx-coverage=json, but got 'xml'"),
                             (["--onnx-coverage", "--import-onnx"],
                              "expects --onnx-coverage without translations"),
                             ([], "expects a translation, such as --import-onnx")]:
        done = coverage(tmp_path, PLAIN, *options)
        assert done.returncode == 1 and message in done.stderr
    (tmp_path / "no.onnx").write_bytes(b"no model")
    done = run_tool(BIN / "relay-translate", "--onnx-coverage", tmp_path / "no.onnx")
    assert done.returncode == 1 and done.stdout == "" and "error" in done.stderr


def test_sessions_name_small_types() -> None:
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.UINT4)], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT8E4M3FN, [4])],
        [helper.make_tensor_value_info("y", TensorProto.UINT4, [4])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=12)
    session = rm.InferenceSession(model)
    assert session.get_inputs()[0].type == "tensor(float8e4m3fn)"
    assert session.get_outputs()[0].type == "tensor(uint4)"
    [y] = session.run(None, {"x": np.array([0, 1, 2.5, 9], ml_dtypes.float8_e4m3fn)})
    np.testing.assert_array_equal(y.astype(np.int32), [0, 1, 2, 9])


def test_names_in_artefacts(tmp_path: pathlib.Path) -> None:
    """relay-run knows a program of a file as it knows the model: the names of open sizes, of
    which one value goes to all inputs, and of outputs."""
    onnx.save(parser.parse_model(PROGRAM), tmp_path / "model.onnx")
    done = run_tool(BIN / "relay-compile", tmp_path / "model.onnx", "--executor=vm", "--no-cache",
                    "-o", tmp_path / "model.so")
    assert (done.returncode, done.stderr) == (0, "")
    info = run_tool(BIN / "relay-run", tmp_path / "model.so", "--info")
    assert ("function: main(x: Tensor[(n), float32], keep: Tensor[(n), bool]) -> "
            "(y: Tensor[(?), float32], count: Tensor[(1), int64])\n") in info.stdout
    np.save(tmp_path / "x.npy", np.arange(4, dtype=np.float32))
    np.save(tmp_path / "keep.npy", np.array([False, True, False, True]))
    runs: list[tuple[str, list[str]]] = [
        ("model.so", []), ("model.onnx", ["--executor=vm"]), ("model.onnx", ["--interpret"])]
    for model, options in runs:
        # What has no name is for what no other file names.
        ran = run_tool(BIN / "relay-run", tmp_path / model, *options,
                       "--input", f"keep={tmp_path / 'keep.npy'}", "--input", tmp_path / "x.npy",
                       "--output", f"count={tmp_path / 'count.npy'}", "--output", tmp_path / "y.npy")
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout == "y: tensor<2xf32> [1, 3]\ncount: tensor<1xi64> [2]\n"
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), [1, 3])
        np.testing.assert_array_equal(np.load(tmp_path / "count.npy"), [2])
        ran = run_tool(BIN / "relay-run", tmp_path / model, *options, "--dim", "n=7")
        assert (ran.returncode, ran.stderr) == (0, "")
        ran = run_tool(BIN / "relay-run", tmp_path / model, *options, "--dim", "m=7")
        assert "expects the name of a dynamic dimension, 'n', but got 'm'" in ran.stderr
        ran = run_tool(BIN / "relay-run", tmp_path / model, *options, "--output", "z=z.npy")
        assert "'y', 'count', but got 'z'" in ran.stderr and ran.returncode == 1
        ran = run_tool(BIN / "relay-run", tmp_path / model, *options, "--output", tmp_path / "a.npy",
                       "--output", tmp_path / "b.npy", "--output", tmp_path / "c.npy")
        assert ran.returncode == 1
        # The interpreter sees it when it has the results.
        if options != ["--interpret"]:
            assert "expects 2 file(s) of outputs, but got more" in ran.stderr and ran.stdout == ""
    ran = run_tool(BIN / "relay-run", tmp_path / "model.onnx", "--executor=vm", "--dim", "n=3",
                   "--check=interpreter")
    assert "y: agrees" in ran.stdout and "count: agrees" in ran.stdout


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_errors_name_nodes(tmp_path: pathlib.Path, executor: str) -> None:
    """What a kernel refuses is said of the nodes of the model that it computes; so does a
    trace."""
    text = """<ir_version: 9, opset_import: ["" : 18]>
    graph (float[4] x, int64[2] i) => (float[2] y) {
      [pick] z = Gather(x, i)
      [double] y = Add(z, z)
    }"""
    model = rm.compile(parser.parse_model(text), executor=executor)
    inputs = {"x": np.zeros(4, np.float32), "i": np.array([0, 9])}
    with pytest.raises(ValueError, match="expects indices within the data, but kernel "
                       "'fused_take_add', of 'pick', 'double', got something else"):
        model.run(inputs)
    inputs["i"][1] = 3
    model.profile(inputs, repeat=1, warm_up=0, trace=tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert "'pick', 'double'" in [event["args"].get("source") for event in events
                                  if event.get("cat") == "kernel"]


def test_errors_stay_on_one_line() -> None:
    """Names of nodes may be anything; messages are short, and of one line."""
    model = parser.parse_model("""<ir_version: 9, opset_import: ["" : 18]>
    graph (float[4] x, int64[2] i) => (float[2] y) { y = Gather(x, i) }""")
    for name, shown in [("a\nb\x01", "'a?b?'"), ("ü" * 1000, "'" + "ü" * 40 + "...'"),
                        ("it's \"it\"", "'it's \"it\"'")]:
        model.graph.node[0].name = name
        with pytest.raises(ValueError) as error:
            rm.compile(model).run({"x": np.zeros(4, np.float32), "i": np.array([0, 9])})
        assert str(error.value) == ("expects indices within the data, but kernel 'fused_take', of "
                                    f"{shown}, got something else")
