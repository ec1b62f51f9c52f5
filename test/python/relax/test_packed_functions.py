# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of this process that compiled programs call by name, as NumPy computes them:
results are equal."""

import os
import pathlib
import subprocess
import threading

import ml_dtypes
import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relax

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

# A kernel before and after the call: what the function reads and writes is memory of
# the plan, and the second call uses that of the first again.
NEGATE = """
tir.prim_func private @negate(%x: memref<?x4xf32>, %y: memref<?x4xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %size = memref.dim %x, %c0 : memref<?x4xf32>
  tir.for %i = 0 to %size {
    tir.for %j = 0 to 4 {
      tir.block @negate(%vi = spatial %i in %size, %vj = spatial %j in %c4)
          reads(%x[%vi, %vj] : memref<?x4xf32>) writes(%y[%vi, %vj] : memref<?x4xf32>) {
        %0 = affine.load %x[%vi, %vj] : memref<?x4xf32>
        %1 = arith.negf %0 : f32
        affine.store %1, %y[%vi, %vj] : memref<?x4xf32>
      }
    }
  }
}
"""
MATRIX, VECTOR = "!relax.tensor<[n, 4], f32>", "!relax.tensor<[n], i64>"
SORTED = NEGATE + f"""
relax.func @main(%x: {MATRIX} {{relax.name = "x"}}) -> ({MATRIX}, {VECTOR}) {{
  %0 = relax.call_tir @negate(%x) : ({MATRIX}) -> {MATRIX}
  %1:2 = relax.call_dps_packed "test.sort"(%0) : ({MATRIX}) -> ({MATRIX}, {VECTOR})
  %2 = relax.call_tir @negate(%1#0) : ({MATRIX}) -> {MATRIX}
  %3:2 = relax.call_dps_packed "test.sort"(%2) : ({MATRIX}) -> ({MATRIX}, {VECTOR})
  %4 = relax.call_tir @negate(%3#0) : ({MATRIX}) -> {MATRIX}
  relax.return %4, %1#1 : {MATRIX}, {VECTOR}
}}
"""


@pytest.fixture(name="register")
def fixture_register():
    names = []

    def register(name, function):
        names.append(name)
        rm.register_func(name, function, override=True)

    yield register
    for name in names:
        rm.remove_global_func(name)


def build(text):
    executable = relax.vm.build(relax.IRModule.parse(text))
    return relax.VirtualMachine(executable)["main"]


def single(element, function="test.f"):
    """A program that is one call of a function, on a vector of open length."""
    tensor = f"!relax.tensor<[n], {element}>"
    return f"""relax.func @main(%x: {tensor} {{relax.name = "x"}}) -> {tensor} {{
      %0 = relax.call_dps_packed "{function}"(%x) : ({tensor}) -> {tensor}
      relax.return %0 : {tensor}
    }}"""


def sort(x, y, order):
    order[:] = np.argsort(x.sum(axis=1), kind="stable")
    y[:] = x[order]


def expect_sorted(x):
    y, first, second = np.empty_like(x), *np.empty((2, len(x)), np.int64)
    sort(-x, y, first)
    sort(-y, y, second)
    return -y, first


def test_open_sizes(register):
    register("test.sort", sort)
    main = build(SORTED)
    for n in (0, 1, 2, 5, 400):
        x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
        for got, want in zip(main(x), expect_sorted(x)):
            np.testing.assert_array_equal(got.numpy(), want)


def test_arrays_that_are_kept(register):
    """Each call has arrays of its own: a function may keep them."""
    kept = []

    def keep(x, y, order):
        sort(x, y, order)
        kept.append((x, y))

    register("test.sort", keep)
    main = build(SORTED)
    x = np.random.default_rng(3).standard_normal((6, 4)).astype(np.float32)
    main(x)
    before = [(a.copy(), b.copy()) for a, b in kept]
    main(x + 1)
    assert len(kept) == 4
    for (a, b), (c, d) in zip(before, kept):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)


@pytest.mark.parametrize("element,dtype", [
    ("f64", np.float64), ("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("i8", np.int8),
    ("ui8", np.uint8), ("i64", np.int64), ("i1", np.bool_), ("i4", ml_dtypes.int4),
    ("f8E4M3FN", ml_dtypes.float8_e4m3fn)])
def test_elements(register, element, dtype):
    seen = []

    def copy(x, y):
        seen.append((x.dtype, y.dtype))
        y[:] = x[::-1]

    register("test.f", copy)
    x = np.array([1, 0, 1, 1, 0]).astype(dtype)
    got = build(single(element))(x)
    assert seen == [(np.dtype(dtype), np.dtype(dtype))]
    np.testing.assert_array_equal(np.asarray(got).astype(np.float32),
                                  x[::-1].astype(np.float32))


def test_constants_and_scalars(register):
    """Constants are weights of the model; a function without inputs makes something."""
    register("test.make", lambda y: y.fill(3))
    register("test.f", lambda x, w, s, y: np.copyto(y, x * w + s))
    main = build("""
        relax.func @main(%x: !relax.tensor<[2], f32> {relax.name = "x"})
            -> !relax.tensor<[2], f32> {
          %w = relax.constant dense<[2.0, -1.0]> : tensor<2xf32>
          %s = relax.call_dps_packed "test.make"() : () -> !relax.tensor<[], f32>
          %y = relax.call_dps_packed "test.f"(%x, %w, %s)
            : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>, !relax.tensor<[], f32>)
            -> !relax.tensor<[2], f32>
          relax.return %y : !relax.tensor<[2], f32>
        }""")
    np.testing.assert_array_equal(main(np.array([1, 2], np.float32)).numpy(), [5, 1])


def test_exceptions(register):
    class Special(Exception):
        pass

    def fail(x, y):
        raise Special(f"of {len(x)}")

    register("test.f", fail)
    main = build(single("f32"))
    with pytest.raises(Special, match="of 3"):
        main(np.zeros(3, np.float32))
    register("test.f", lambda x, y: x)
    with pytest.raises(TypeError, match="to write the last 1 of its arguments and to return None, "
                       "but got"):
        main(np.zeros(3, np.float32))
    # A run after one that has failed.
    register("test.f", lambda x, y: y.fill(7))
    np.testing.assert_array_equal(main(np.zeros(3, np.float32)).numpy(), [7, 7, 7])


@pytest.mark.parametrize("spoil", [
    lambda y: y.resize((1000,), refcheck=False), lambda y: y.resize((0,), refcheck=False),
    lambda y: setattr(y, "shape", (1, len(y))), lambda y: setattr(y, "dtype", np.int32)],
    ids=["longer", "empty", "shape", "dtype"])
def test_outputs_that_are_made_something_else(register, spoil):
    register("test.f", lambda x, y: spoil(y))
    with pytest.raises(TypeError, match="to leave its outputs of the dtype, shape and strides that "
                       "they have, but got"):
        build(single("f32"))(np.zeros(3, np.float32))


def test_outputs_that_are_not_written(register):
    register("test.f", lambda x, y: None)
    np.testing.assert_array_equal(build(single("f32"))(np.ones(3, np.float32)).numpy(), [0, 0, 0])


def test_functions_that_are_not_there(register, tmp_path):
    main = build(single("f32", "test.nowhere"))
    with pytest.raises(rm.RuntimeError, match="expects a function that is registered as "
                       "'test.nowhere', but there is none; register it"):
        main(np.zeros(3, np.float32))
    register("test.nowhere", lambda x, y: y.fill(1))
    np.testing.assert_array_equal(main(np.zeros(2, np.float32)).numpy(), [1, 1])
    # Another process does not know it.
    relax.vm.build(relax.IRModule.parse(single("f32", "test.nowhere"))).export_library(
        tmp_path / "f.so")
    np.save(tmp_path / "x.npy", np.zeros(3, np.float32))
    run = subprocess.run([BIN / "relay-run", tmp_path / "f.so", "--input",
                          f"x={tmp_path}/x.npy"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "expects a function that is registered as 'test.nowhere'" in run.stderr


def test_registry(register):
    register("test.f", len)
    assert rm.get_global_func("test.f") is len
    with pytest.raises(ValueError, match="expects a new name, but 'test.f' is registered already"):
        rm.register_func("test.f", len)

    @rm.register_func("test.f", override=True)
    def double(x, y):
        y[:] = 2 * x

    np.testing.assert_array_equal(build(single("f32"))(np.ones(2, np.float32)).numpy(), [2, 2])
    assert rm.get_global_func("test.f") is double
    rm.remove_global_func("test.f")
    assert rm.get_global_func("test.f", allow_missing=True) is None
    with pytest.raises(ValueError, match="there is no registered function 'test.f'"):
        rm.get_global_func("test.f")
    with pytest.raises(rm.RuntimeError, match="registered as 'test.f', but there is none"):
        build(single("f32"))(np.ones(2, np.float32))
    for name in ("", "a\0b"):
        with pytest.raises(ValueError, match="expects a name without zeros"):
            rm.register_func(name, len)
    with pytest.raises(TypeError, match="expects f to be a function"):
        rm.register_func("test.f", 3)


def test_a_function_that_runs_its_program(register):
    """The same module, in a run of itself."""
    main = None

    def factorial(x, y):
        assert main is not None
        n = int(x[0])
        y[0] = 1 if n < 2 else n * int(main(np.array([n - 1], np.int64))[0])

    register("test.f", factorial)
    main = build(single("i64"))
    assert main(np.array([15], np.int64)).numpy() == [1307674368000]


def test_threads(register):
    register("test.sort", sort)
    main = build(SORTED)
    wrong = []

    def call(seed):
        rng = np.random.default_rng(seed)
        for _ in range(50):
            x = rng.standard_normal((rng.integers(1, 20), 4)).astype(np.float32)
            if not all(np.array_equal(got.numpy(), want)
                       for got, want in zip(main(x), expect_sorted(x))):
                wrong.append(seed)

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
