"""Compiled programs, kernel by kernel: what each of them takes, and returns.

    from relay_mlir.compat.contrib.debugger import debug_executor
    lib = relay.build(mod, "llvm", params=params)
    m = debug_executor.GraphModuleDebug(lib["debug_create"]("default", device), [device],
                                        lib.get_graph_json(), None)
    m.run(data=array)
    m.debug_get_output(3)
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, Sequence

import numpy as np

from .._arguments import expect, expect_int, expect_list, expect_number, expect_path
from . import executor_factory
from .executor_factory import ExecutorFactoryModule, GraphModule
from .expr import NDArray, ndarray
from .param_dict import save_param_dict


class _Node(NamedTuple):
    """An input, which takes no time, or a call of a kernel."""

    name: str
    source: str
    seconds: float
    outputs: list[NDArray]


class DebugResult:
    """What a run has computed: nodes, inputs first, in the order in which they ran."""

    def __init__(self, nodes: Sequence[_Node]) -> None:
        self._nodes: list[_Node] = expect_list(nodes, "nodes", "nodes of a run")

    def get_graph_nodes(self) -> list[dict[str, Any]]:
        """Names, kinds, shapes of results and, of kernels, what of the model they compute."""
        return [{"name": node.name, "op": "param" if node.seconds < 0 else node.name,
                 "attrs": {"source": node.source}, "shape": [list(o.shape) for o in node.outputs]}
                for node in self._nodes]

    def get_output_tensors(self) -> dict[str, NDArray]:
        """All results by names that say which node and which of its results they are."""
        return {f"{node.name}____topo-index:{i}____output-num:{k}": output
                for i, node in enumerate(self._nodes) for k, output in enumerate(node.outputs)}


class GraphModuleDebug(GraphModule):
    """A GraphModule that keeps what each kernel computes, and the time that it takes.

    Nodes are the inputs and then the kernels in the order in which they run; what the
    compiler has fused is one kernel. `dump_root` is a folder for what runs have computed.
    """

    def __new__(cls, module: GraphModule | ExecutorFactoryModule, device: Any = None,
                graph_json_str: str | None = None, dump_root: Any = None) -> GraphModuleDebug:
        of = module._factory if isinstance(module, GraphModule) else module
        expect(of, ExecutorFactoryModule, "module", "a compiled program")
        result = object.__new__(cls)
        result._state = {"module": of, "inputs": {}, "outputs": None, "nodes": [],
                         "graph": graph_json_str,
                         "root": None if dump_root is None else expect_path(dump_root)}
        return result

    def _trace(self) -> list[_Node]:
        inputs = self._state["inputs"]
        calls = self._factory.compiled._impl.trace_calls(**inputs)
        nodes = [_Node(info.name, "", -1.0, [ndarray(inputs[info.name])])
                 for info in self._factory.compiled.inputs]
        seen: dict[str, int] = {}
        for name, source, seconds, outputs in calls:
            seen[name] = seen.get(name, -1) + 1
            nodes.append(_Node(f"{name}_call{seen[name]}" if seen[name] else name, source, seconds,
                               [ndarray(output) for output in outputs]))
        return nodes

    def run(self, **inputs: Any) -> None:
        """Runs the program, after setting `inputs`, and keeps what each kernel returns."""
        super().run(**inputs)
        self._state["nodes"] = self._trace()
        if self._state["root"] is not None:
            self._dump(self._state["root"])

    def _dump(self, root: str) -> None:
        """Writes the graph, all results, and a trace that chrome://tracing reads."""
        os.makedirs(root, exist_ok=True)
        graph = self._state["graph"] or self._factory.get_graph_json()
        with open(os.path.join(root, "_tvmdbg_graph_dump.json"), "w", encoding="utf-8") as file:
            file.write(graph)
        with open(os.path.join(root, "output_tensors.params"), "wb") as params:
            params.write(save_param_dict(self.debug_datum.get_output_tensors()))
        events, at = [], 0.0
        for node in self._kernels():
            events.append({"name": node.name, "ph": "X", "ts": at, "dur": node.seconds * 1e6,
                           "pid": 1, "tid": 1, "args": {"source": node.source}})
            at += node.seconds * 1e6
        with open(os.path.join(root, "_tvmdbg_execution_trace.json"), "w",
                  encoding="utf-8") as file:
            json.dump({"displayTimeUnit": "ns", "traceEvents": events}, file)

    def _nodes(self) -> list[_Node]:
        nodes: list[_Node] = self._state["nodes"]
        if not nodes:
            raise ValueError("expects `run` before what it has computed is read")
        return nodes

    def _kernels(self) -> list[_Node]:
        return [node for node in self._nodes() if node.seconds >= 0]

    @property
    def debug_datum(self) -> DebugResult:
        """What the last run has computed."""
        return DebugResult(self._nodes())

    def debug_get_output(self, node: int | str, out: Any = None) -> NDArray:
        """The first result of a node, by number or name; also written to `out`, if that is
        given."""
        nodes = self._nodes()
        if isinstance(node, str):
            names = [each.name for each in nodes]
            if node not in names:
                raise KeyError(f"expects one of the nodes {', '.join(names)}, but got {node!r}")
            node = names.index(node)
        if not 0 <= expect_int(node, "node") < len(nodes):
            raise IndexError(f"expects the number of a node below {len(nodes)}, but got {node}")
        if not nodes[node].outputs:
            raise ValueError(f"expects a kernel of the host, but {nodes[node].name!r} is of another "
                             "device")
        result = nodes[node].outputs[0]
        if out is not None:
            np.copyto(out, result)
        return result

    def get_node_output(self, index: int, node: int | str) -> NDArray:
        """Result number `index` of a node."""
        self.debug_get_output(node)
        names = [each.name for each in self._nodes()]
        outputs = self._nodes()[names.index(node) if isinstance(node, str) else node].outputs
        if not 0 <= expect_int(index, "index") < len(outputs):
            raise IndexError(f"expects the number of a result below {len(outputs)}, but got {index}")
        return outputs[index]

    def run_individual(self, number: int, repeat: int = 1, min_repeat_ms: float = 0
                       ) -> list[list[float]]:
        """The seconds that each node takes: for each `repeat` results, the mean of `number`
        runs, or as many as take `min_repeat_ms`. Inputs take none."""
        expect_int(number, "number", 1)
        expect_int(repeat, "repeat", 1)
        least = expect_number(min_repeat_ms, "min_repeat_ms") / 1000
        nodes = self._trace()
        results: list[list[float]] = [[] for _ in nodes]
        for _ in range(repeat):
            sums, runs = [0.0] * len(nodes), 0
            while runs < number or sum(sums) < least:
                sums = [total + max(node.seconds, 0)
                        for total, node in zip(sums, self._trace(), strict=True)]
                runs += 1
            for result, total in zip(results, sums, strict=True):
                result.append(total / runs)
        return results

    def profile(self, collectors: Any = None, **inputs: Any) -> list[Any]:
        """Where the time of runs goes, after setting `inputs`, by kernel: see
        relay_mlir.Module.profile."""
        del collectors
        self.set_input(**inputs)
        result: list[Any] = self._factory.compiled.profile(self._state["inputs"])
        return result

    def get_debug_result(self, sort_by_time: bool = True) -> str:
        """A table of the kernels of the last run: their times, shapes of results, and what of
        the model they compute."""
        kernels = self._kernels()
        total = sum(node.seconds for node in kernels) or 1.0
        if sort_by_time:
            kernels = sorted(kernels, key=lambda node: -node.seconds)
        rows = [["node", "us", "%", "shapes", "of the model"]]
        rows += [[node.name, f"{node.seconds * 1e6:.3f}", f"{100 * node.seconds / total:.2f}",
                  " ".join(str(tuple(output.shape)) for output in node.outputs), node.source]
                 for node in kernels]
        rows.append(["total", f"{total * 1e6:.3f}", "100.00", "", ""])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in rows)


def create(graph_json_str: str, libmod: ExecutorFactoryModule, device: Any = None,
           dump_root: Any = None) -> GraphModuleDebug:
    """A module to run and to look at, of the parts of `graph, lib, params = build(...)`."""
    module = executor_factory.create(graph_json_str, libmod, device)
    return GraphModuleDebug(module, device, graph_json_str, dump_root)


__all__ = ["DebugResult", "GraphModuleDebug", "create"]
