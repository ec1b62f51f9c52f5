# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are known when a model runs may be smaller than slices, or 1.

One artefact at many sizes, against ONNX Runtime; and what ONNX Runtime refuses is
refused. Tolerance: 2e-5 of the output's largest magnitude; slices are equal.
"""

import itertools
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

FARTHEST = 2**63 - 1
REFUSALS = (ValueError, rm.RuntimeError)


class Pair:
    """A compiled model, and ONNX Runtime. `inputs` is {name: (dims, dtype)}."""

    def __init__(self, nodes, inputs, outputs, constants=None, opset=17, tolerance=2e-5,
                 opt_level=3):
        self.tolerance = tolerance
        graph = helper.make_graph(
            nodes, "g",
            [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), dims)
             for name, (dims, dtype) in inputs.items()],
            [helper.make_empty_tensor_value_info(name) for name in outputs],
            [numpy_helper.from_array(np.asarray(array), name)
             for name, array in (constants or {}).items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                    providers=["CPUExecutionProvider"])
        self.model = model
        self.compiled = rm.compile(model, opt_level=opt_level)

    def check(self, inputs):
        """Both give the same, or both refuse the inputs. True if they do not."""
        try:
            expected = self.session.run(None, inputs)
        except Exception:  # ONNX Runtime has many kinds.
            with pytest.raises(REFUSALS):
                self.compiled.run(inputs)
            return False
        actual = self.compiled.run(inputs)
        actual = actual if isinstance(actual, tuple) else (actual,)
        for got, want in zip(actual, expected, strict=True):
            assert got.shape == want.shape and got.dtype == want.dtype
            scale = float(np.abs(want).max(initial=0)) or 1.0
            np.testing.assert_allclose(got, want, rtol=0, atol=self.tolerance * scale)
        return True


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, "float32")


BOUNDS = [0, 1, 3, -1, -3, 1000000000, -1000000000, FARTHEST, -FARTHEST - 1, 2**31 - 1, -2**31]


@pytest.mark.parametrize("step", [1, 2, -1, -3, FARTHEST, -FARTHEST - 1])
@pytest.mark.parametrize("start", BOUNDS)
def test_slices_of_an_open_axis(start, step):
    """Exporters write all kinds of numbers for "to the end". The rules are those of
    NumPy; ONNX Runtime takes the largest integers as the begin, going down."""
    constants = {"axes": np.array([0]), "start": np.array([start]), "step": np.array([step])}
    nodes = []
    for i, end in enumerate(BOUNDS):
        constants[f"end{i}"] = np.array([end])
        nodes.append(helper.make_node("Slice", ["x", "start", f"end{i}", "axes", "step"], [f"y{i}"]))
    pair = Pair(nodes, {"x": (["n", 2], "float32")}, [node.output[0] for node in nodes], constants)
    for size in (0, 1, 2, 3, 4, 7, 12):
        x = random(size, 2)
        for end, actual in zip(BOUNDS, pair.compiled.run({"x": x}), strict=True):
            np.testing.assert_array_equal(actual, x[start:end:step], strict=True)


def test_slices_in_what_follows():
    """A size that is the smaller of two goes through products and reductions."""
    pair = Pair(
        [helper.make_node("Slice", ["x", "zero", "five", "one"], ["head"]),
         helper.make_node("MatMul", ["head", "w"], ["product"]),
         helper.make_node("Softmax", ["product"], ["soft"], axis=1),
         helper.make_node("Slice", ["soft", "two", "most", "one"], ["rest"]),
         helper.make_node("ReduceMean", ["soft"], ["mean"], axes=[1], keepdims=0),
         helper.make_node("Concat", ["rest", "product"], ["both"], axis=1),
         helper.make_node("Shape", ["both"], ["shape"])],
        {"x": (["batch", "length", 8], "float32")}, ["mean", "both", "shape"],
        {"zero": np.array([0]), "one": np.array([1]), "two": np.array([2]), "five": np.array([5]),
         "most": np.array([1000000000]), "w": random(8, 6, seed=1)})
    for batch, length in itertools.product((1, 2), (1, 2, 3, 5, 6, 40)):
        assert pair.check({"x": random(batch, length, 8)})


def test_slices_by_other_sizes():
    """All but the last, and the last alone, of an axis that may be short."""
    pair = Pair(
        [helper.make_node("Slice", ["x", "zero", "minus", "one"], ["but_last"]),
         helper.make_node("Slice", ["x", "one", "most", "one"], ["but_first"]),
         helper.make_node("Sub", ["but_first", "but_last"], ["difference"]),
         helper.make_node("Slice", ["x", "minus", "most", "one"], ["last"]),
         helper.make_node("Squeeze", ["last", "one"], ["last_row"])],
        {"x": (["batch", "length", 3], "float32")}, ["difference", "last_row"],
        {"zero": np.array([0]), "one": np.array([1]), "minus": np.array([-1]),
         "most": np.array([FARTHEST])})
    for length in (1, 2, 3, 9):
        assert pair.check({"x": random(2, length, 3)})
    # Nothing has no last row.
    assert not pair.check({"x": random(2, 0, 3)})


BINARY = ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean", "Less", "Equal"]


@pytest.mark.parametrize("dims,other", [
    (["n", 2], (3, 2)), ([2, "n"], (2, 3)), (["n"], (3,)), (["n", "m"], (3, 2)),
    (["n"], (2, 3)), (["n", 1, "m"], (4, 3, 2)), (["k", "n", 2], (3, 2)), ([2, "n", 1], (3, 40)),
    (["n", 17], (3, 17)), ([5, "n"], (5, 33)), (["n", 2], (0, 2)), (["n"], (3, 1)),
], ids=str)
def test_an_open_size_against_a_constant_one(dims, other):
    """It is 1, and repeated, or equal; nothing else."""
    nodes = [helper.make_node(op, ["x", "w"], [op]) for op in BINARY]
    nodes += [helper.make_node("Greater", ["x", "w"], ["c"]), helper.make_node("Where", ["c", "x", "w"], ["where"]),
              helper.make_node("Max", ["x", "w", "x"], ["three"]),
              helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Sub", ["r", "w"], ["after"]),
              helper.make_node("Sub", ["w", "r"], ["swapped"])]
    outputs = [node.output[0] for node in nodes if node.output[0] not in ("c",)]
    pair = Pair(nodes, {"x": (dims, "float32")}, outputs, {"w": np.abs(random(*other, seed=1)) + 0.5})
    accepted = 0
    for sizes in itertools.product((1, 3, 2, 0, 33, 40), repeat=sum(isinstance(dim, str) for dim in dims)):
        numbers = iter(sizes)
        shape = [next(numbers) if isinstance(dim, str) else dim for dim in dims]
        accepted += pair.check({"x": np.abs(random(*shape)) + 0.5})
    assert accepted >= (2 if 0 not in other else 1)


def test_an_open_size_in_products():
    """Batches of MatMul, the bias of Gemm, and Expand."""
    pair = Pair(
        [helper.make_node("MatMul", ["x", "w"], ["right"]),
         helper.make_node("MatMul", ["v", "x"], ["left"]),
         helper.make_node("Expand", ["x", "shape"], ["expanded"])],
        {"x": (["n", 2, 5], "float32")}, ["right", "left", "expanded"],
        {"w": random(4, 5, 3, seed=1), "v": random(4, 3, 2, seed=2), "shape": np.array([4, 2, 5])})
    assert [pair.check({"x": random(n, 2, 5)}) for n in (1, 4, 2)] == [True, True, False]
    pair = Pair([helper.make_node("Gemm", ["x", "w", "c"], ["y"])],
                {"x": ([3, 5], "float32"), "c": (["n", 4], "float32")}, ["y"], {"w": random(5, 4, seed=1)})
    assert [pair.check({"x": random(3, 5), "c": random(n, 4)}) for n in (1, 3, 2)] == [True, True, False]


def test_open_sizes_of_two_names():
    """They are taken to be equal, which is checked."""
    model = helper.make_model(helper.make_graph(
        [helper.make_node("Add", ["x", "y"], ["z"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2]),
         helper.make_tensor_value_info("y", TensorProto.FLOAT, ["m", 2])],
        [onnx.helper.make_empty_tensor_value_info("z")]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    compiled = rm.compile(model)
    np.testing.assert_array_equal(compiled(np.ones((3, 2), np.float32), np.ones((3, 2), np.float32)),
                                  np.full((3, 2), 2, np.float32))
    with pytest.raises(REFUSALS):
        compiled(np.ones((3, 2), np.float32), np.ones((1, 2), np.float32))


def test_ranges_of_an_open_size():
    """Positions in a sequence, from a begin and with a step."""
    pair = Pair(
        [helper.make_node("Shape", ["x"], ["shape"]),
         helper.make_node("Gather", ["shape", "one"], ["length"]),
         helper.make_node("Range", ["zero", "length", "one"], ["positions"]),
         helper.make_node("Add", ["length", "two"], ["end"]),
         helper.make_node("Range", ["two", "end", "one"], ["shifted"]),
         helper.make_node("Mul", ["length", "two"], ["double"]),
         helper.make_node("Range", ["zero", "double", "two"], ["even"]),
         helper.make_node("Cast", ["positions"], ["numbers"], to=TensorProto.FLOAT),
         helper.make_node("Add", ["x", "numbers"], ["y"])],
        {"x": (["batch", "length"], "float32")}, ["positions", "shifted", "even", "y"],
        {"zero": np.array(0), "one": np.array(1), "two": np.array(2)})
    for length in (0, 1, 2, 9, 100):
        assert pair.check({"x": random(2, length)})


@pytest.mark.parametrize("begin,end,axis", [(-1, FARTHEST, 1), (0, 1, 0), (-1, FARTHEST, 0)])
@pytest.mark.parametrize("more", [[], [3]])
def test_expand_of_one_row(begin, end, axis, more):
    """What is sliced may have no row, and then is expanded to none."""
    pair = Pair(
        [helper.make_node("Slice", ["x", "begin", "end", "axis"], ["row"]),
         helper.make_node("Shape", ["x"], ["shape"]),
         helper.make_node("Concat", ["more", "shape"], ["wanted"], axis=0),
         helper.make_node("Expand", ["row", "wanted"], ["y"])],
        {"x": (["a", "b"], "float32")}, ["y"],
        {"begin": np.array([begin]), "end": np.array([end]), "axis": np.array([axis]),
         "more": np.array(more, np.int64)})
    for a, b in itertools.product((0, 1, 2, 5), repeat=2):
        pair.check({"x": random(a, b)})


@pytest.mark.parametrize("op", ["Squeeze", "ReduceSum"])
def test_scalars_by_axes_of_the_run_time(op):
    """That there is one element is checked, and not taken for granted."""
    attributes: dict[str, Any] = {"keepdims": 0} if op == "ReduceSum" else {}
    pair = Pair([helper.make_node(op, ["x", "axes"], ["y"], **attributes)],
                {"x": (["a", "b"], "float32"), "axes": ([2], "int64")}, ["y"])
    ran = [pair.check({"x": random(*shape), "axes": np.array([1, 0])})
           for shape in ((1, 1), (1, 3), (4, 1), (2, 5))]
    assert ran == ([True] * 4 if op == "ReduceSum" else [True, False, False, False])


def test_no_rest_beside_a_size_of_0():
    model = helper.make_model(helper.make_graph(
        [helper.make_node("Reshape", ["x", "s"], ["y"], allowzero=1)], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b"]),
         helper.make_tensor_value_info("s", TensorProto.INT64, [2])],
        [helper.make_empty_tensor_value_info("y")]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    compiled = rm.compile(model)
    x = np.zeros((0, 4), np.float32)
    assert compiled(x, np.array([0, 7])).shape == (0, 7)
    for sizes in ((0, -1), (-1, 0)):
        with pytest.raises(REFUSALS, match="expects no -1 beside a 0 that is a size"):
            compiled(x, np.array(sizes))


@pytest.mark.parametrize("op,sizes,attributes", [
    ("Reshape", [-1, 1], {}), ("Reshape", [0, 1], {}), ("Flatten", None, {"axis": 2})])
def test_reshape_of_one_row(op, sizes, attributes):
    """Nothing has no last row: it is refused, as sizes would not be those of ONNX."""
    pair = Pair(
        [helper.make_node("Slice", ["x", "begin", "end", "axis"], ["row"]),
         helper.make_node(op, ["row", "sizes"] if sizes else ["row"], ["y"], **attributes)],
        {"x": (["a", "b"], "float32")}, ["y"],
        {"begin": np.array([-1]), "end": np.array([FARTHEST]), "axis": np.array([1]),
         **({"sizes": np.array(sizes)} if sizes else {})})
    for a, b in [(2, 5), (3, 1), (1, 4), (0, 3)]:
        assert pair.check({"x": random(a, b)})
    with pytest.raises(REFUSALS, match="expects"):
        pair.compiled(random(2, 0))
