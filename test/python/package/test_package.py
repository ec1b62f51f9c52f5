"""The package's own behaviour: values in and out, names, errors."""

import mmap
import os
import pathlib
import re
import subprocess
import threading
from typing import Any

import numpy as np
import onnx
import onnx.helper as helper
import pytest

import relay_mlir as rm
from relay_mlir import _compile

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
ADD = """
func.func @main(%x: tensor<?x3xf32> {relay.name = "x", relay.dims = ["n", ""]},
                %b: tensor<3xf32> {relay.name = "b"})
    -> (tensor<?x3xf32> {relay.name = "y"}) {
  %0 = relay.add %x, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
"""


@pytest.fixture(scope="module")
def add():
    return rm.compile(rm.parse(ADD))


def test_describes_itself(add):
    assert add.inputs == [("x", ("n", 3), np.float32), ("b", (3,), np.float32)]
    assert add.outputs == [("y", ("n", 3), np.float32)]


def test_positional_named_and_mixed(add):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    b = np.array([10, 20, 30], np.float32)
    for y in (add(x, b), add(b=b, x=x), add(x, b=b), add.run({"x": x, "b": b})):
        np.testing.assert_array_equal(y, x + b)


def test_an_input_named_self():
    for executor in ("aot", "vm"):
        model = rm.compile(rm.parse(ADD.replace('"x"', '"self"')), executor=executor)
        assert [info.name for info in model.inputs] == ["self", "b"]
        x, b = np.ones((2, 3), np.float32), np.ones(3, np.float32)
        for y in (model(x, b), model(b=b, self=x), model.run({"self": x, "b": b})):
            np.testing.assert_array_equal(y, x + b)


def test_lists_strides_and_read_only(add):
    b = np.array([1, 2, 3], np.float32)
    np.testing.assert_array_equal(add([[1, 2, 3]], b), [[2, 4, 6]])
    x = np.arange(24, dtype=np.float32).reshape(3, 8).T[::2]
    np.testing.assert_array_equal(add(x, b), x + b)
    frozen = np.ones((4, 3), np.float32)
    frozen.setflags(write=False)
    np.testing.assert_array_equal(add(frozen, b), frozen + b)


class Foreign:
    """A tensor of another library: only DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(add):
    x, b = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    np.testing.assert_array_equal(add(Foreign(x), Foreign(b)), x + b)


def test_outputs_outlive_the_module():
    model = rm.compile(rm.parse(ADD))
    y = model(np.ones((2, 3), np.float32), np.ones(3, np.float32))
    del model
    np.testing.assert_array_equal(y, np.full((2, 3), 2))


@pytest.mark.parametrize("args,kwargs,message", [
    ((np.ones((2, 4), np.float32), np.ones(3, np.float32)), {},
     r"expects input 'x' to have shape \[n, 3\], but got \[2, 4\]"),
    ((np.ones((2, 3)), np.ones(3, np.float32)), {},
     "expects input 'x' to have dtype float32, but got float64"),
    ((np.ones((2, 3), np.float32),), {}, "expects input 'b', but it is missing"),
    ((), {"q": 1}, "expects one of the inputs 'x', 'b', but got 'q'"),
    ((1, 2, 3), {}, "expects 2 inputs, but got 3"),
    ((np.ones((2, 3), np.float32),), {"x": 1}, "once, but got it twice"),
])
def test_wrong_inputs(add, args, kwargs, message):
    with pytest.raises(ValueError, match=message):
        add(*args, **kwargs)


def test_a_file_in_memory_that_the_kernel_holds(monkeypatch):
    # The kernel refuses to seal a file while something may write to its pages.
    emit, mappings = _compile._emit, []

    def emit_and_hold(model, path, *args, **kwargs):
        result = emit(model, path, *args, **kwargs)
        with open(path, "r+b") as file:
            mappings.append(mmap.mmap(file.fileno(), 0))
        return result

    monkeypatch.setattr(_compile, "_emit", emit_and_hold)
    module = rm.compile(rm.parse(ADD))
    assert len(mappings) == 1
    # It was copied, so that whoever holds the file changes nothing.
    mappings[0][:] = bytes(len(mappings[0]))
    ones = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(module(ones, ones[0]), 2 * ones)


def test_several_outputs_save_and_load(tmp_path):
    model = rm.compile(rm.parse("""
func.func @main(%x: tensor<4xi32> {relay.name = "x"})
    -> (tensor<2xi32> {relay.name = "a"}, tensor<2xi1> {relay.name = "b"}) {
  %0 = relay.split %x {indices_or_sections = 2}
      : (tensor<4xi32>) -> tuple<tensor<2xi32>, tensor<2xi32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<2xi32>, tensor<2xi32>>
  %2 = relay.tuple_get_item %0[1] : tuple<tensor<2xi32>, tensor<2xi32>>
  %3 = relay.less %1, %2 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %2, %3 : tensor<2xi32>, tensor<2xi1>
}
"""))
    model.save(tmp_path / "model.so")
    del model
    loaded = rm.load(tmp_path / "model.so")
    a, b = loaded(np.array([1, 9, 3, 4], np.int32))
    np.testing.assert_array_equal(a, [3, 4])
    assert b.dtype == bool
    np.testing.assert_array_equal(b, [True, False])


def test_precision(tmp_path):
    """The artefact knows it, also when it is read back."""
    module = rm.parse(ADD)
    assert rm.compile(module.clone()).precision == "high"
    for precision in ("highest", "high", "medium"):
        model = rm.compile(module.clone(), precision=precision)
        assert model.precision == precision
        model.save(tmp_path / "model.so")
        assert rm.load(tmp_path / "model.so").precision == precision
        command = [BUILD / "bin/relay-run", "--info", tmp_path / "model.so"]
        lines = subprocess.run(command, check=True, capture_output=True,
                               text=True).stdout.splitlines()
        assert f"precision: {precision}" in lines
        assert "input: x f32 [n, 3]" in lines and "output: y f32 [n, 3]" in lines


def test_compiles_a_model_proto():
    node = helper.make_node("Relu", ["x"], ["y"])
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", 1, [2, "k"])],
        [helper.make_tensor_value_info("y", 1, [2, "k"])])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                              ir_version=10)
    onnx.checker.check_model(proto)
    model = rm.compile(proto)
    assert model.inputs[0].shape == (2, "k")
    x = np.array([[-1, 2, 0], [3, -4, 5]], np.float32)
    np.testing.assert_array_equal(model(x), np.maximum(x, 0))


def test_passes_and_printing():
    module = rm.parse(ADD)
    before = str(module)
    fused = module.clone().run_passes("builtin.module(relay-fuse-ops)")
    assert "relay.call @fused_add" in str(fused)
    assert str(module) == before
    with pytest.raises(ValueError, match="no-such-pass"):
        module.run_passes("builtin.module(no-such-pass)")
    # A pass that fails without a word is at least named, and leaves nothing behind.
    module = rm.parse("""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.reshape %x {newshape = [4]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""")
    before = str(module)
    with pytest.raises(rm.CompileError, match="pass canonicalize failed, and does not say why"):
        module.run_passes(
            "builtin.module(func.func(canonicalize{max-iterations=1 test-convergence=true}))")
    assert str(module) == before
    assert "reshape" not in str(module.run_passes("builtin.module(func.func(canonicalize))"))


def test_errors_have_place_and_notes():
    with pytest.raises(rm.CompileError) as info:
        rm.parse("func.func @main() {\n  oops\n}", "file.mlir")
    assert info.value.location == "file.mlir:2:3"
    with pytest.raises(rm.CompileError) as info:
        rm.parse("""
func.func @main(%x: tensor<2x3xf32>, %b: tensor<4xf32>) -> tensor<2x3xf32> {
  %0 = relay.nn.bias_add %x, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}""")
    assert "expects bias of length 3" in str(info.value)
    assert info.value.notes == ["bias is defined here"]
    with pytest.raises(rm.CompileError, match="No such file"):
        rm.compile("no/such/model.onnx")
    with pytest.raises(rm.RuntimeError, match="cannot open"):
        rm.load("no/such/model.so")


def test_threads(add):
    x, b = np.ones((64, 3), np.float32), np.ones(3, np.float32)
    for count in (1, 2, 3):
        rm.set_num_threads(count)
        assert rm.get_num_threads() == count
        np.testing.assert_array_equal(add(x, b), x + b)
    with pytest.raises(ValueError, match="expects a number of threads from 1"):
        rm.set_num_threads(0)

    failures = []

    def work(value):
        data = np.full((5, 3), value, np.float32)
        for _ in range(100):
            if not np.array_equal(add(data, b), data + 1):
                failures.append(value)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_import_star_keeps_the_names_of_python():
    """Else `except RuntimeError` of the importing program catches less. Operators may be
    called as Python's functions are (`relay.sum`); the package itself hides none."""
    import builtins

    for module in ("relay_mlir", "relay_mlir.relay", "relay_mlir.compat", "relay_mlir.tir"):
        names: dict[str, Any] = {}
        exec(f"from {module} import *", names)
        names.pop("__builtins__")
        exceptions = {name for name, value in vars(builtins).items()
                      if isinstance(value, type) and issubclass(value, BaseException)}
        assert not names.keys() & exceptions, module
        if module == "relay_mlir":
            assert not names.keys() & (vars(builtins).keys() - {"__doc__", "__name__"}), module
    # The error is one of Python's as well.
    with pytest.raises(RuntimeError, match="cannot open"):
        rm.load("not/there.so")


def test_what_a_module_is_for_counts(tmp_path):
    text = """
        module attributes {target.precision = #target.precision<highest>,
                           target.spec = #target.cpu<"aarch64-unknown-linux-gnu", "neoverse-n1">} {
          func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
            %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
            return %0 : tensor<4xf32>
          }
        }"""
    module = rm.parse(text)
    path = tmp_path / "model.s"
    rm.emit(module, path, "asm")
    assert re.search(r"\tldr\tq\d+, \[x0", path.read_text()), "expects code for AArch64"
    # What the caller says counts more.
    model = rm.compile(module, target="native")
    assert model.precision == "highest"
    assert rm.compile(module, target="native", precision="medium").precision == "medium"


def test_modules_are_saved_whole(tmp_path):
    """Also large weights, which text for people leaves out."""
    weight = np.arange(64, dtype=np.float32)
    module = rm.IRModule.parse(f"""
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {{
  %w = relay.constant dense<"0x{weight.tobytes().hex()}"> : tensor<64xf32>
  %0 = relay.add %x, %w : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}}""")
    module.save(tmp_path / "model.mlir")
    x = np.ones(64, np.float32)
    np.testing.assert_array_equal(rm.compile(rm.IRModule.load(tmp_path / "model.mlir"))(x), x + weight)
    with pytest.raises(OSError, match="nowhere"):
        module.save(tmp_path / "nowhere" / "model.mlir")
