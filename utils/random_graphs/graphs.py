# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX graphs that can be taken apart, and what they are run with."""

import copy
import dataclasses

import numpy as np
import onnx
from onnx import helper, numpy_helper


@dataclasses.dataclass
class Graph:
    """The parts of an ONNX model of one graph.

    `inputs` maps names to (NumPy dtype, dimensions: numbers, or names of symbols);
    `constants` maps names to arrays, `types` every name that may be an output to
    its NumPy dtype and rank.
    """

    opset: int = 18
    nodes: list = dataclasses.field(default_factory=list)
    inputs: dict = dataclasses.field(default_factory=dict)
    constants: dict = dataclasses.field(default_factory=dict)
    outputs: list = dataclasses.field(default_factory=list)
    types: dict = dataclasses.field(default_factory=dict)

    @staticmethod
    def from_model(model):
        """Reads a model without functions and external data."""
        graph = model.graph
        constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        inputs = {}
        for info in graph.input:
            if info.name in constants:
                continue
            tensor = info.type.tensor_type
            dims = tuple(d.dim_param or d.dim_value for d in tensor.shape.dim)
            inputs[info.name] = (helper.tensor_dtype_to_np_dtype(tensor.elem_type), dims)
        opset, = (o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
        return Graph(opset, list(graph.node), inputs, constants,
                     [info.name for info in graph.output],
                     {info.name: (str(helper.tensor_dtype_to_np_dtype(
                         info.type.tensor_type.elem_type)),
                         len(info.type.tensor_type.shape.dim)) for info in graph.output})

    def model(self):
        """The model, with no constants that nobody reads."""
        used = {name for node in self.nodes for name in node.input} | set(self.outputs)
        inputs = [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), dims)
            for name, (dtype, dims) in self.inputs.items()]
        graph = helper.make_graph(
            self.nodes, "graph", inputs,
            [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(
                np.dtype(dtype)), [None] * rank)
             for name in self.outputs for dtype, rank in [self.types[name]]],
            [numpy_helper.from_array(np.asarray(array), name)
             for name, array in self.constants.items() if name in used])
        return helper.make_model(graph, ir_version=10, opset_imports=[
            helper.make_opsetid("", self.opset)])

    def clone(self):
        return Graph(self.opset, list(self.nodes), dict(self.inputs),
                     dict(self.constants), list(self.outputs), dict(self.types))

    def prune(self):
        """Drops nodes and inputs that no output depends on; returns itself."""
        needed, kept = set(self.outputs), []
        for node in reversed(self.nodes):
            if needed & set(node.output):
                kept.append(node)
                needed.update(node.input)
        self.nodes = kept[::-1]
        self.inputs = {n: i for n, i in self.inputs.items() if n in needed}
        self.constants = {n: c for n, c in self.constants.items() if n in needed}
        return self

    def rename_uses(self, old, new):
        """Lets the readers of one value read another one."""
        for i, node in enumerate(self.nodes):
            if old in node.input:
                node = copy.deepcopy(node)
                names = [new if name == old else name for name in node.input]
                del node.input[:]
                node.input.extend(names)
                self.nodes[i] = node
        self.outputs = list(dict.fromkeys(
            new if name == old else name for name in self.outputs))


@dataclasses.dataclass(frozen=True)
class Options:
    """How a graph is compiled and run; the names are those of rm.compile()."""

    target: str = "native"
    opt_level: int = 3
    precision: str = "high"
    desired_layout: str = ""
    force_matrix_tiles: bool = False
    threads: int = 1

    def __str__(self):
        words = [f"--target={self.target}", f"-O{self.opt_level}",
                 f"--precision={self.precision}"]
        if self.desired_layout:
            words.append(f"--desired-layout={self.desired_layout}")
        if self.force_matrix_tiles:
            words.append("--force-matrix-tiles")
        return " ".join([*words, f"--threads={self.threads}"])

    def compile_arguments(self):
        arguments = dataclasses.asdict(self)
        del arguments["threads"]
        arguments["desired_layout"] = self.desired_layout or None
        return arguments


@dataclasses.dataclass
class Case:
    """A graph, the inputs of each run (mappings by name), and the options to try."""

    graph: Graph
    samples: list
    options: list

    def check_model(self):
        onnx.checker.check_model(self.graph.model())
        return self
