# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of Relax with functions of objects, as text: closures, branches, data, and
calls of functions of this process."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relax

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

ADD = """
tir.prim_func private @add(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  tir.for %i = 0 to %size {
    tir.block @add(%v = spatial %i in %size)
        reads(%x[%v] : memref<?xf32>, %y[%v] : memref<?xf32>)
        writes(%z[%v] : memref<?xf32>) {
      %0 = affine.load %x[%v] : memref<?xf32>
      %1 = affine.load %y[%v] : memref<?xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %z[%v] : memref<?xf32>
    }
  }
}
relax.func private @sum(%x: !relax.tensor<[n], f32> {relax.name = "x"},
                        %y: !relax.tensor<[k], f32> {relax.name = "y"})
    -> !relax.tensor<[n], f32> {
  %0 = relax.match_cast %y : !relax.tensor<[k], f32> to !relax.tensor<[n], f32>
  %1 = relax.call_tir @add(%x, %0)
    : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %1 : !relax.tensor<[n], f32>
}
"""

# x + x, or what a function of the process makes of x and a closure's result.
PROGRAM = ADD + """
relax.func private @later(%x: !relax.object, %y: !relax.object) -> !relax.object {
  %0 = relax.call @sum(%x, %y)
  relax.return %0 : !relax.object
}
relax.func @main(%x: !relax.object {relax.name = "x"}, %c: !relax.object {relax.name = "c"})
    -> !relax.object {
  %f = relax.make_closure @later(%x)
  %0 = relax.invoke_closure %f(%x)
  %1 = relax.read_condition %c
  %2 = relax.if %1 -> !relax.object {
    relax.yield %0 : !relax.object
  } else {
    %3 = relax.call_packed "test.pick"(%x, %0)
    %4 = relax.get_field %3[1]
    relax.yield %4 : !relax.object
  }
  relax.return %2 : !relax.object
}
relax.func @other(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
}
"""

# Relay, with all that the language has.
RELAY = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil, }
def @map[A, B](%f: fn(A) -> B, %l: List[A]) -> List[B] {
  match (%l) {
    Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)),
    Nil => Nil,
  }
}
def @main(%x: Tensor[(?, 3), float32], %c: bool) -> List[Tensor[(?, 3), float32]] {
  let %scale = if (%c) { 2f } else { 3f };
  @map(fn (%v: Tensor[(?, 3), float32]) { multiply(%v, %scale) }, Cons(%x, Cons(tanh(%x), Nil)))
}
"""


@pytest.fixture(name="pick", autouse=True)
def fixture_pick():
    calls = []

    def pick(x, y):
        calls.append((x.copy(), y.copy()))
        return x - 1, (x * y)

    rm.register_func("test.pick", pick)
    yield calls
    rm.remove_global_func("test.pick")


def build(text, **options):
    return relax.vm.build(relax.IRModule.parse(text), **options)


@pytest.mark.parametrize("exec_mode", ["bytecode", "compiled"])
def test_program(pick, exec_mode):
    executable = build(PROGRAM, exec_mode=exec_mode)
    machine = relax.VirtualMachine(executable)
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(machine["main"](x, True), 2 * x)
    assert not pick
    np.testing.assert_array_equal(machine["main"](x=x, c=False), x * 2 * x)
    np.testing.assert_array_equal(pick, [(x, 2 * x)])
    np.testing.assert_array_equal(machine["other"](x), x)
    with pytest.raises(KeyError, match="expects one of the functions main, other"):
        machine["later"]  # pylint: disable=pointless-statement
    assert "Globals (# 4): [main, other, later, sum]" in executable.stats().replace(
        "sum, later, main, other", "main, other, later, sum")
    assert "call  vm.builtin.call_packed:test.pick" in executable.as_text()
    assert ("native code" in executable.as_text()) == (exec_mode == "compiled")


def test_script():
    script = str(relax.IRModule.parse(PROGRAM)["main"])
    assert script == """@relax.function
def main(x: Object, c: Object) -> Object:
    gv = relax.make_closure(x, callee=@later)
    gv1 = relax.invoke_closure(gv, x)
    gv2 = relax.read_condition(c)
    if gv2:
        gv3 = gv1
    else:
        gv4 = relax.call_packed("test.pick", x, gv1)
        gv5 = relax.get_field(gv4, index=1)
        gv3 = gv5
    return gv3
"""


def test_sizes_that_a_cast_states():
    main = relax.VirtualMachine(build(PROGRAM.replace("%f(%x)", "%f(%c)")))["main"]
    x = np.ones(3, np.float32)
    with pytest.raises(ValueError, match="expects k to equal n, but got 2 and 3; .*"
                       "k = 2 is dimension 0 of input 'y'"):
        main(x, np.ones(2, np.float32))


def test_wrong_values():
    """Kinds of values are checked where they are used."""
    program = PROGRAM.replace("relax.read_condition %c", "relax.read_condition %f")
    with pytest.raises(ValueError, match="expects a bool scalar, but got a function"):
        relax.VirtualMachine(build(program))["main"](np.ones(3, np.float32), True)
    rm.register_func("test.pick", lambda x, y: None, override=True)
    with pytest.raises(TypeError, match="to return an array or a tuple of them, but got None"):
        relax.VirtualMachine(build(PROGRAM))["main"](np.ones(3, np.float32), False)
    program = PROGRAM.replace('"test.pick"(%x, %0)', '"test.pick"(%f, %0)')
    with pytest.raises(TypeError, match="expects tensors and tuples of them as arguments"):
        relax.VirtualMachine(build(program))["main"](np.ones(3, np.float32), False)


def test_a_program_without_types(tmp_path):
    """What callers pass and get may be anything then."""
    (tmp_path / "p.mlir").write_text("""
        relax.func @main(%x: !relax.object {relax.name = "x"}) -> !relax.object {
          %0 = relax.make_tuple(%x, %x)
          relax.return %0 : !relax.object
        }""")
    np.save(tmp_path / "x.npy", np.array([1, 2], np.int32))
    compile_program("--from=relax-kernels", tmp_path / "p.mlir", "-o", tmp_path / "p.so")
    run = subprocess.run([BIN / "relay-run", tmp_path / "p.so", "--input",
                          f"x={tmp_path}/x.npy"], capture_output=True, text=True, check=True)
    assert run.stdout.count("1 2") + run.stdout.count("1, 2") >= 2, run.stdout
    first, second = rm.load(tmp_path / "p.so")(np.array([1, 2], np.int32))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("text, message", [
    ("relax.func private @t(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>",
     "'relax.func' op expects a body, but got a declaration"),
    ("relax.func @n(%x: !relax.object {relax.name = 'x'}, %y: !relax.object {relax.name = 'x'}) "
     "-> !relax.object { relax.return %x : !relax.object }".replace("'", '"'),
     'expects names of parameters that differ, but got "x" twice'),
    ("relax.func private @o(!relax.object) -> !relax.object",
     "'relax.func' op expects a body, but got a declaration"),
    ("""relax.func private @b(%x: !relax.object) -> !relax.object {
          %0 = relax.make_data #relax.constructor<"L", "A", 0, 1> (%x)
          %1 = relax.make_data #relax.constructor<"L", "A", 0, 2> (%x, %x)
          relax.return %1 : !relax.object
        }""", "expects a constructor that agrees with #relax.constructor<\"L\", \"A\", 0, 1>, but "
     "got #relax.constructor<\"L\", \"A\", 0, 2>"),
    ("""relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
          relax.return %x : !relax.tensor<[n], f32>
        }""", "'relax.func' op expects to be a function of objects"),
])
def test_what_does_not_compile(text, message):
    name = "other" if "@main" in text else "main"
    with pytest.raises(rm.CompileError) as caught:
        build(f"""relax.func @{name}(%x: !relax.object) -> !relax.object {{
          relax.return %x : !relax.object
        }}
        {text}""")
    assert message in str(caught.value)


def test_constructor_types():
    constructors = 'relax.constructors = [#relax.constructor<"L", "C", 0, 1>]'
    with pytest.raises(rm.CompileError, match="expects a function of the fields of .*, but got 'i1'"):
        build(f"""module attributes {{{constructors}, relax.constructor_types = [i1]}} {{
          relax.func @main(%x: !relax.object) -> !relax.object {{
            relax.return %x : !relax.object
          }}
        }}""")


def compile_program(*arguments, check=True):
    result = subprocess.run([BIN / "relay-compile", *arguments], capture_output=True, text=True,
                            check=False)
    assert (result.returncode == 0) == check, result.stderr
    return result.stderr


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_half_of_the_way(tmp_path, executor):
    """Compiled in two steps, a program is the same file."""
    executor = f"--executor={executor}"
    source, half = tmp_path / "p.relay", tmp_path / "half.mlir"
    source.write_text(RELAY)
    compile_program(source, executor, "-o", tmp_path / "whole.so")
    compile_program(source, executor, "--to=relax-kernels", "-o", half)
    assert "relax.func @main(" in half.read_text() and "tir.prim_func" in half.read_text()
    compile_program(half, executor, "--from=relax-kernels", "-o", tmp_path / "rest.so")
    assert (tmp_path / "rest.so").read_bytes() == (tmp_path / "whole.so").read_bytes()
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    for condition, scale in ((True, 2), (False, 3)):
        first, second = rm.load(tmp_path / "rest.so")(x, condition)
        np.testing.assert_array_equal(first, scale * x)
        np.testing.assert_allclose(second, scale * np.tanh(x), rtol=1e-6)


def test_wrong_ways(tmp_path):
    (tmp_path / "p.relay").write_text(RELAY)
    (tmp_path / "sum.mlir").write_text(ADD)
    (tmp_path / "program.mlir").write_text(PROGRAM)
    assert ("'relax.func' op expects a function of tensors for the executor graph, but got one of "
            "objects" in compile_program(tmp_path / "program.mlir", "--executor=graph",
                                         "--from=relax-kernels", "-o", tmp_path / "x.so",
                                         check=False))
    assert ("expects a program with functions of objects in the form relay-typed or relax-kernels"
            in compile_program(tmp_path / "p.relay", "--executor=vm", "--to=tir-scheduled", "-o",
                               tmp_path / "x.mlir", check=False))
    assert ("expects a function of objects for the executor vm"
            in compile_program(tmp_path / "sum.mlir", "--executor=vm", "--from=relax-kernels",
                               "-o", tmp_path / "x.so", check=False))
