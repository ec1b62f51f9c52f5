"""Compiled programs kernel by kernel, and how long what can be run takes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay, relax
from relay_mlir.compat.contrib import graph_executor
from relay_mlir.compat.contrib.debugger import debug_executor
from relay_mlir.relax.testing import relay_translator

CPU = tvm.cpu(0)
RNG = np.random.default_rng(0)
X, W = (RNG.standard_normal(shape).astype("float32") for shape in ((2, 8), (4, 8)))


def network(rows=2):
    x, w = relay.var("x", shape=(rows, 8)), relay.var("w", shape=(4, 8))
    y = relay.nn.relu(relay.nn.dense(x, w))
    return relay.IRModule.from_expr(relay.Function([x, w], relay.nn.softmax(relay.sort(y))))


def reference(x=X):
    y = np.sort(np.maximum(x @ W.T, 0))
    e = np.exp(y - y.max(-1, keepdims=True))
    return y, e / e.sum(-1, keepdims=True)


def build(**kwargs):
    return relay.build(network(**kwargs), "llvm", params={"w": W})


def debugger(lib, root=None):
    return debug_executor.GraphModuleDebug(lib["debug_create"]("default", CPU), [CPU],
                                           lib.get_graph_json(), root)


def test_results_of_kernels():
    lib = build()
    m = debugger(lib)
    with pytest.raises(ValueError, match="expects `run` before"):
        m.debug_get_output(0)
    m.run(x=X)
    between, result = reference()
    np.testing.assert_allclose(m.get_output(0), result, rtol=1e-5)
    nodes = m.debug_datum.get_graph_nodes()
    assert nodes[0]["name"] == "x" and nodes[0]["op"] == "param"
    assert any("dense" in node["name"] for node in nodes)
    np.testing.assert_array_equal(m.debug_get_output(0), X)
    np.testing.assert_array_equal(m.debug_get_output("x"), X)
    np.testing.assert_allclose(m.debug_get_output(len(nodes) - 1), result, rtol=1e-5)
    outputs = m.debug_datum.get_output_tensors()
    assert len(outputs) == len(nodes) and "x____topo-index:0____output-num:0" in outputs
    assert any(np.allclose(output, between, rtol=1e-5) for name, output in outputs.items()
               if "sort" in name)
    out = np.empty((2, 4), "float32")
    np.testing.assert_array_equal(m.debug_get_output(nodes[-1]["name"], out), out)
    np.testing.assert_array_equal(m.get_node_output(0, 0), X)
    # What is kept is not what later runs write.
    old = m.debug_get_output(len(nodes) - 1).copy()
    kept = m.debug_get_output(len(nodes) - 1)
    m.run(x=2 * X)
    np.testing.assert_array_equal(kept, old)
    with pytest.raises(KeyError, match="expects one of the nodes x, "):
        m.debug_get_output("y")
    with pytest.raises(IndexError, match="expects the number of a node below"):
        m.debug_get_output(len(nodes))
    with pytest.raises(IndexError, match="expects the number of a result below 1, but got 1"):
        m.get_node_output(1, 0)
    with pytest.raises(ValueError, match="expects 'default' as the first argument, but got none"):
        lib["debug_create"]()


def test_times_of_kernels(tmp_path):
    lib = build()
    m = debug_executor.create(lib.get_graph_json(), lib, CPU, dump_root=tmp_path / "dump")
    m.set_input("x", X)
    m.run()
    times = m.run_individual(number=2, repeat=3, min_repeat_ms=0.01)
    nodes = m.debug_datum.get_graph_nodes()
    assert len(times) == len(nodes) and all(len(each) == 3 for each in times)
    assert times[0] == [0, 0, 0] and all(time > 0 for each in times[1:] for time in each)
    table = m.get_debug_result()
    assert table.splitlines()[0].split()[:3] == ["node", "us", "%"]
    assert all(node["name"] in table for node in nodes[1:]) and "total" in table
    assert {kernel.name for kernel in m.profile()} == {node["name"] for node in nodes[1:]}
    folder = tmp_path / "dump"
    assert json.loads((folder / "_tvmdbg_graph_dump.json").read_text()) == \
        json.loads(lib.get_graph_json())
    trace = json.loads((folder / "_tvmdbg_execution_trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in trace] == [node["name"] for node in nodes[1:]]
    saved = relay.load_param_dict((folder / "output_tensors.params").read_bytes())
    assert saved.keys() == m.debug_datum.get_output_tensors().keys()
    for arguments, message in ((dict(number=0), "number"), (dict(number=1, repeat=0), "repeat"),
                               (dict(number=1, min_repeat_ms=float("nan")), "min_repeat_ms")):
        with pytest.raises(ValueError, match=f"expects {message} to be"):
            m.run_individual(**arguments)


def test_open_sizes():
    lib = build(rows=relay.Any())
    m = debugger(lib)
    for rows in (3, 1):
        x = RNG.standard_normal((rows, 8)).astype("float32")
        m.run(x=x)
        assert m.debug_datum.get_graph_nodes()[-1]["shape"] == [[rows, 4]]
        np.testing.assert_allclose(m.get_output(0), reference(x)[1], rtol=1e-5)
        np.testing.assert_array_equal(
            list(m.debug_datum.get_output_tensors().values())[-1], m.get_output(0))


def test_time_evaluator():
    m = graph_executor.GraphModule(build()["default"](CPU))
    m.set_input("x", X)
    result = m.module.time_evaluator("run", CPU, number=3, repeat=2)()
    assert len(result.results) == 2 and 0 < result.min <= result.mean <= result.max
    # As many calls as take so long.
    calls = []
    evaluator = m.time_evaluator("run", CPU, number=1, repeat=1, min_repeat_ms=5)
    evaluator._function = lambda: calls.append(1)
    evaluator()
    assert len(calls) > 100
    machine = relay.vm.VirtualMachine(relay.vm.compile(network(), "llvm"), CPU)
    assert machine.module.time_evaluator("invoke", CPU, number=2)("main", X, W).mean > 0
    program = relax.vm.build(relay_translator.from_relay(network()["main"], "llvm"), "llvm")
    assert relax.VirtualMachine(program, CPU).time_evaluator("main", CPU)(X, W).mean > 0
    for name in ("walk", "_set"):
        with pytest.raises(AttributeError, match=f"there is no function '{name}'"):
            m.time_evaluator(name, CPU)
    with pytest.raises(NotImplementedError, match="nothing can be run between timed calls"):
        m.time_evaluator("run", CPU, f_preproc="cache_flush_cpu_non_first_arg")
    with pytest.raises(ValueError, match="expects repeat to be"):
        m.time_evaluator("run", CPU, repeat=0)
