# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What 10,000 calls at random sizes leave behind: nothing.

The resident memory of a process of its own may grow by 2 MiB over them, after 500 calls
that fill the pools of buffers. 220 bytes lost in each call would be more. What a heap
keeps for later is there once, and what is lost is lost each time, so of three times
10,000 calls one has to stay below. Results are compared with NumPy at the end, within
1e-5 of the output's scale.
"""

import gc
import os
import pathlib

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm
from relay_mlir import relay
from worker_process import WorkerProcess

FEATURES, UNITS = 24, 40
LARGEST = 48
WARM, CALLS = 500, 10_000
GROWTH = 2 << 20

# Rows of lists: a list of sums of rows, made and taken apart.
LISTS = """
#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil, }
def @push(%x: Tensor[(?, 24), float32], %n: int32, %l: List[Tensor[(?), float32]])
    -> List[Tensor[(?), float32]] {
  if (equal(%n, 0)) { %l } else {
    @push(%x, subtract(%n, 1), Cons(multiply(sum(%x, axis=[1]), cast(%n, dtype="float32")), %l))
  }
}
def @total(%l: List[Tensor[(?), float32]], %t: float32) -> float32 {
  match (%l) {
    Cons(%h, %r) => @total(%r, add(%t, sum(%h))),
    Nil => %t,
  }
}
def @main(%x: Tensor[(?, 24), float32]) -> float32 {
  @total(@push(%x, 3, Nil), 0f)
}
"""


def measure_resident():
    """The memory that the process holds now, in bytes."""
    gc.collect()
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def make_network():
    """x[batch, length, FEATURES] -> softmax(x w) summed over the open length."""
    rng = np.random.default_rng(3)
    weight = rng.standard_normal((FEATURES, UNITS)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["product"]),
         helper.make_node("Softmax", ["product"], ["parts"], axis=1),
         helper.make_node("Shape", ["x"], ["shape"]),
         helper.make_node("Slice", ["shape", "zero", "two"], ["rows"]),
         helper.make_node("Concat", ["rows", "units"], ["back"], axis=0),
         helper.make_node("Reshape", ["parts", "back"], ["y"])],
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "length", FEATURES])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "length", UNITS])],
        [numpy_helper.from_array(weight, "w")] +
        [numpy_helper.from_array(np.array([value], np.int64), name)
         for name, value in [("zero", 0), ("two", 2), ("units", UNITS)]])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

    def expect(x):
        product = x.astype(np.float64) @ weight
        parts = np.exp(product - product.max(axis=1, keepdims=True))
        return parts / parts.sum(axis=1, keepdims=True)

    return model, expect


def measure_growth(call, expect, shape, rng):
    """`shape` makes the shape of one call's input. Gives by how much calls let the
    memory grow: of up to three times, the last one."""
    def run(calls):
        for _ in range(calls):
            x = rng.standard_normal(shape(), np.float32)
            got = call(x)
        return x, got

    run(WARM)
    call(np.ones(np.maximum(shape(), [LARGEST] * len(shape()[:-1]) + [FEATURES]), np.float32))
    for _ in range(3):
        before = measure_resident()
        x, got = run(CALLS)
        growth = measure_resident() - before
        want = expect(x)
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * np.abs(want).max())
        if growth < GROWTH:
            break
    return growth


def grow_by_network(executor):
    rng = np.random.default_rng(11)
    model, expect = make_network()
    compiled = rm.compile(model.SerializeToString(), executor=executor)
    return measure_growth(lambda x: compiled(x=x), expect,
                          lambda: (*rng.integers(1, LARGEST, 2), FEATURES), rng)


def grow_by_lists(_):
    rng = np.random.default_rng(12)
    machine = relay.vm.VirtualMachine(relay.vm.compile(relay.parse(LISTS)))
    return measure_growth(lambda x: np.asarray(machine.run(x)),
                          lambda x: 6 * x.sum(dtype=np.float64),
                          lambda: (rng.integers(1, LARGEST), FEATURES), rng)


@pytest.mark.parametrize("grow,executor", [
    (grow_by_network, "aot"), (grow_by_network, "vm"), (grow_by_lists, "vm")])
def test_growth(grow, executor):
    with WorkerProcess(grow) as worker:
        assert worker.ask(executor) < GROWTH
