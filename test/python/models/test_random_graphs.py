# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A short run of utils/random_graphs, and tests of what it relies on.

Tolerances are those of utils/random_graphs/reference.py. Some thousand graphs more
are nightly.
"""

import pathlib
import re
import sys

import numpy as np
import onnx.defs
import pytest
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils" / "random_graphs"))

import random_graphs
import relay_mlir as rm
from generate import generate
from graphs import Case, Graph, Options
from operators import OPERATORS
from reduce import reduce_case
from reference import Evaluation, explain_difference
from run import Outcome


@pytest.mark.parametrize("first,count", [(20_022, 50), pytest.param(0, 1000, marks=pytest.mark.nightly)])
def test_graphs_agree(first, count, tmp_path):
    tester = random_graphs.Tester(2, 300, tmp_path)
    tester.run(range(first, first + count))
    print(tester.summary())
    assert not tester.failures
    assert tester.kinds["right"] >= 0.9 * count, tester.summary()


def test_a_seed_is_a_graph():
    for seed in range(20):
        first, second = (random_graphs.make_case(seed) for _ in range(2))
        assert first.graph.model() == second.graph.model()
        assert first.options == second.options
        for one, other in zip(first.samples, second.samples, strict=True):
            for name in first.graph.inputs:
                np.testing.assert_array_equal(one[name], other[name])


def supported_operators():
    """Names of the operators that the importer knows: it lists the others."""
    names = sorted({schema.name for schema in onnx.defs.get_all_schemas()
                    if not schema.domain})
    outputs = [f"y{i}" for i in range(len(names))]
    graph = helper.make_graph(
        [helper.make_node(name, ["x"], [y]) for name, y in zip(names, outputs)], "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info(y, TensorProto.FLOAT, None) for y in outputs])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 24)])
    with pytest.raises(rm.CompileError) as error:
        rm.import_onnx(model)
    refused = re.findall(r"note: (\w+) \(", str(error.value))
    assert refused
    return set(names) - set(refused)


# What random graphs do not have: they have no graphs in them (test_onnx_control_flow), no
# random numbers (test_random_nodes), no strings (test_onnx_text) and no sizes that elements
# decide (test_selection), and the others have inputs of their own, which test_sampling, test_signal, test_single_nodes,
# test_deformable and test_old_opsets draw.
OTHERS = {
    "AffineGrid", "Bernoulli", "BlackmanWindow", "CenterCropPad", "Col2Im", "Compress",
    "ConcatFromSequence", "DFT", "DeformConv", "Det", "GridSample", "HammingWindow",
    "HannWindow", "If", "Loop", "MaxRoiPool", "MaxUnpool", "MelWeightMatrix", "Multinomial",
    "NonMaxSuppression", "NonZero", "Optional", "OptionalGetElement", "OptionalHasElement",
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "RegexFullMatch",
    "RoiAlign", "STFT", "Scan", "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase",
    "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence", "StringConcat",
    "StringNormalizer", "StringSplit", "TensorScatter", "TfIdfVectorizer", "Unique"}


def test_all_supported_operators_occur():
    found: set[str] = set()
    for seed in range(12_000):
        if len(found) == len(OPERATORS):
            break
        name = sorted(OPERATORS)[seed % len(OPERATORS)]
        if name in found:
            continue
        for dynamic in (False, True):
            graph, _ = generate(seed, dynamic, {name: OPERATORS[name]}, num_nodes=3)
            found.update(node.op_type for node in graph.nodes)
    assert supported_operators() - found == OTHERS


def build(*nodes, outputs, **inputs):
    graph = Graph(18, list(nodes), {n: (str(a.dtype), a.shape) for n, a in inputs.items()},
                  {}, outputs)
    Evaluation(graph, [inputs])
    return Case(graph, [inputs], [Options()])


def test_wrong_elements_are_found():
    rng = np.random.default_rng(0)
    case = build(helper.make_node("MatMul", ["x", "w"], ["p"]),
                 helper.make_node("Tanh", ["p"], ["y"]), outputs=["y"],
                 x=rng.standard_normal((8, 16), np.float32),
                 w=rng.standard_normal((16, 8), np.float32))
    evaluation = Evaluation(case.graph, case.samples)
    tolerance, = evaluation.tolerances(0, Options())
    expected, = evaluation.outputs(0)
    # Some times the 1e-5 of the product's scale, about 10, which tanh hands on.
    assert 1e-5 < tolerance < 2e-3
    assert explain_difference(expected, expected, tolerance) is None
    for change in (np.float32(2 * tolerance), np.nan):
        wrong = expected.copy()
        wrong[3, 4] += change
        assert "at [3, 4]" in explain_difference(wrong, expected, tolerance)
    assert "shape" in explain_difference(expected[:4], expected, tolerance)
    assert "float64" in explain_difference(expected.astype(np.float64), expected, tolerance)
    number = np.array([1, 2**62 + 1])
    assert explain_difference(number - [0, 1], number, 0.0)


def test_a_failure_is_reduced_to_its_cause():
    graph, samples = generate(5, False, {n: OPERATORS[n] for n in (
        "Add", "Concat", "Softmax", "Transpose", "Relu")}, num_nodes=14)
    case = Case(graph, samples, [Options(), Options(opt_level=0)])
    assert sum(n.op_type == "Softmax" for n in graph.nodes) > 0

    def check(candidate):
        Evaluation(candidate.graph.clone(), candidate.samples)
        found = any(n.op_type == "Softmax" for n in candidate.graph.nodes)
        return Outcome("wrong" if found else "right")

    smaller, outcome = reduce_case(case, Outcome("wrong", options=Options(opt_level=0)), check)
    assert outcome.kind == "wrong"
    assert [n.op_type for n in smaller.graph.nodes] == ["Softmax"]
    assert smaller.options == [Options(opt_level=0)]
    assert set(smaller.graph.inputs) == set(smaller.graph.nodes[0].input)


def test_a_failure_is_written_out(tmp_path):
    case = build(helper.make_node("Relu", ["x"], ["y"]), outputs=["y"],
                 x=np.ones((2, 3), np.float32))
    random_graphs.write_failure(tmp_path, 7, case, Outcome("wrong", "why", Options()))
    assert onnx.load(tmp_path / "7.onnx").graph.node[0].op_type == "Relu"
    assert np.load(tmp_path / "7.x.npy").shape == (2, 3)
    text = (tmp_path / "7.txt").read_text()
    assert "wrong: why" in text and "relay-run 7.onnx --target=native -O3" in text
