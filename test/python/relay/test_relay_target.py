"""Targets around a program, and the names under which programs know them."""

import importlib
import threading

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay
from relay_mlir.relay.target import Target


def program():
    x = relay.var("x", shape=(2,))
    return relay.IRModule.from_expr(relay.Function([x], relay.nn.relu(x)))


def test_the_innermost_counts():
    assert Target.current() is None
    with pytest.raises(ValueError, match="expects a target around this"):
        Target.current(allow_none=False)
    with Target("llvm -mcpu=x86-64") as outer:
        with tvm.target.Target({"kind": "llvm", "mcpu": "x86-64-v2"}) as inner:
            assert Target.current() is inner and inner == "llvm -mcpu=x86-64-v2"
        assert Target.current() is outer and outer.kind.name == "llvm"
        others = []
        thread = threading.Thread(target=lambda: others.append(Target.current()))
        thread.start()
        thread.join()
        assert others == [None]
    assert Target.current() is None


@pytest.mark.parametrize("compile_", [
    relay.build, relay.optimize, relay.vm.compile], ids=["build", "optimize", "vm"])
def test_what_has_no_target_takes_it(compile_):
    with Target("llvm -mcpu=nope"), pytest.raises(relay.DiagnosticError, match="got 'nope'"):
        compile_(program())
    with Target("llvm -mcpu=nope"):
        compile_(program(), "llvm")
    with Target("llvm -mcpu=x86-64"):
        compile_(program())


def test_a_target_is_that_of_the_build():
    """Also for what is made of a library when there is another target around, or none."""
    with Target("llvm -mcpu=x86-64"):
        lib = relay.build(program())
    with Target("llvm -mcpu=nope"):
        assert "relu" in lib.get_graph_json()
    run = lib["default"](tvm.cpu(0))
    run.run(x=np.array([-1, 2], "float32"))
    np.testing.assert_array_equal(run.get_output(0).numpy(), [0, 2])


@pytest.mark.parametrize("target, error, message", [
    ("vulkan", NotImplementedError, "no code generation for 'vulkan'"),
    (3, TypeError, "expects target to be a string"),
    (" ", ValueError, "expects a target such as 'llvm', but got an empty one"),
    ("llvm -mcpu=", ValueError, "expects the name of a processor behind -mcpu=, but got"),
    ({"mcpu": "x86-64"}, TypeError, "the kind of a target to be a string"),
    ({"kind": "llvm", "keys": {}}, TypeError, "'keys' of a target to be a text or a number"),
])
def test_wrong_targets(target, error, message):
    with pytest.raises(error, match=message):
        Target(target)


def test_contexts_are_left_in_order():
    outer, inner = Target("llvm"), Target("llvm -mcpu=x86-64")
    with pytest.raises(RuntimeError, match="expects to leave the innermost context"):
        outer.__exit__(None, None, None)
    with outer:
        with inner:
            with pytest.raises(RuntimeError, match="expects to leave the innermost context"):
                outer.__exit__(None, None, None)
            assert Target.current() is inner
        assert Target.current() is outer


def test_a_list_of_one_target():
    x = relay.var("x", shape=(3,))
    mod = relay.IRModule.from_expr(relay.Function([x], x + x))
    compiled = relay.build(mod, target=[Target("llvm")])
    runner = tvm.contrib.graph_executor.GraphModule(compiled["default"](tvm.cpu()))
    runner.run(x=np.array([1, 2, 3], np.float32))
    np.testing.assert_array_equal(runner.get_output(0).numpy(), [2, 4, 6])
    with pytest.raises(ValueError, match="expects one target in a list, but got 2"):
        relay.build(mod, target=["llvm", "llvm"])


@pytest.mark.parametrize("name, member", [
    ("compat.contrib.graph_executor", "GraphModule"), ("compat.contrib", "graph_executor"),
    ("compat.contrib.graph_runtime", "create"), ("compat.target", "Target"),
    ("compat.ir", "IRModule"), ("compat.ir.instrument", "PassTimingInstrument"),
    ("compat.ir.transform", "PassContext"), ("compat.transform", "Sequential"),
    ("compat.runtime", "load_module"), ("compat.runtime.vm", "VirtualMachine"),
    ("compat.te", "size_var"), ("compat.tir", "IntImm"), ("compat.testing", "assert_allclose"),
    ("relay.transform.transform", "FoldConstant"), ("relay.transform.recast", "recast"),
    ("relay.transform.fake_quantization_to_integer", "register_fake_quantization_to_integer"),
    ("relay.transform.mixed_precision", "register_mixed_precision_conversion"),
    ("relay.transform.flexible_shape", "FlexibleShapeDispatch"),
    ("relay.analysis.analysis", "free_vars"), ("relay.analysis.call_graph", "CallGraph"),
    ("relay.analysis.feature", "Feature"),
])
def test_modules_of_tvm(name, member):
    assert hasattr(importlib.import_module(f"relay_mlir.{name}"), member)
    # Both ways to come there lead to one module.
    parent, _, last = f"relay_mlir.{name}".rpartition(".")
    assert hasattr(getattr(importlib.import_module(parent), last), member) or last == "recast"
