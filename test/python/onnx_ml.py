# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the domain ai.onnx.ml, as exporters of scikit-learn write them, and how
tests compare them with ONNX Runtime."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import bounds
import relay_mlir as rm

# Of the scale of the output: what is compared with has errors of its own.
BOUND = 2 * bounds.bound("sums")
DOMAIN = "ai.onnx.ml"


def node(operator, inputs, outputs, **attributes):
    """A node of the domain; attributes that are arrays become tensors, and empty lists are
    left out."""
    given: dict[str, Any] = {
        name: numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
        for name, value in attributes.items() if not isinstance(value, list) or value}
    return helper.make_node(operator, inputs, outputs, domain=DOMAIN, **given)


def make_model(nodes, inputs, outputs, constants=None, opset=3, static=False):
    """A model whose inputs have the types and shapes of arrays; the first size is open
    unless it is to be `static`."""
    def declare(name, array):
        shape = list(array.shape)
        if shape and not static:
            shape[0] = "N"
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), shape)

    graph = helper.make_graph(
        nodes, "g", [declare(*item) for item in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(value), name)
         for name, value in (constants or {}).items()])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, opset)],
        ir_version=9)


def run(model, inputs):
    """The outputs of the compiled model."""
    outputs = rm.compile(model).run(inputs)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def run_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, inputs)


def run_floats(model, inputs):
    """The outputs of ONNX Runtime for inputs as float32."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for info in copy.graph.input:
        info.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    return run_onnxruntime(copy, {name: x.astype(np.float32) for name, x in inputs.items()})


def run_reference(model, inputs):
    """The outputs that the package onnx computes itself."""
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, inputs)


def compare(actual, expected, bound=BOUND):
    """Fails unless outputs are equal, floats within `bound` of the largest number."""
    for found, wanted in zip(actual, expected, strict=True):
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        if wanted.dtype.kind == "f":
            finite = wanted[np.isfinite(wanted)].astype(np.float64)
            scale = float(np.abs(finite).max(initial=0)) or 1.0
            np.testing.assert_allclose(found, wanted, rtol=0, atol=bound * scale)
        else:
            np.testing.assert_array_equal(found, wanted)


def check(operator, x, count=1, bound=BOUND, opset=3, expected=run_onnxruntime, static=False,
          **attributes):
    """Compares a model of one node with `expected`, by default ONNX Runtime."""
    outputs = [f"y{i}" for i in range(count)]
    model = make_model([node(operator, ["x"], outputs, **attributes)], {"x": x}, outputs,
                       opset=opset, static=static)
    compare(run(model, {"x": x}), expected(model, {"x": x}), bound)


def refusal(operator, x, count=1, opset=3, static=True, used=None, **attributes):
    """The error of a model of one node, which has outputs `used` of its own."""
    outputs = [f"y{i}" for i in range(count)]
    model = make_model([node(operator, ["x"], outputs, **attributes)], {"x": x},
                       used or outputs, opset=opset, static=static)
    try:
        rm.compile(model)
    except rm.CompileError as error:
        return str(error)
    raise AssertionError("the model is compiled")


# Trees of TreeEnsembleClassifier and TreeEnsembleRegressor, as lists.


class Trees:
    """Lists that grow node by node."""

    def __init__(self, kind):
        self.kind = kind
        names = ["treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
                 "falsenodeids", "missing_value_tracks_true"]
        self.nodes: dict[str, list] = {f"nodes_{name}": [] for name in names}
        self.weights: dict[str, list] = {f"{kind}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}

    def add(self, tree, number, mode="LEAF", feature=0, value=0.0, true=0, false=0, missing=0):
        for name, element in zip(self.nodes, [tree, number, feature, float(value), mode, true,
                                              false, missing], strict=True):
            self.nodes[name].append(element)

    def weigh(self, tree, number, target, weight):
        for name, element in zip(self.weights, [tree, number, target, float(weight)],
                                 strict=True):
            self.weights[name].append(element)

    def attributes(self):
        return {**self.nodes, **self.weights}

    @classmethod
    def of_sklearn(cls, kind, trees, weigh):
        """From trees of scikit-learn; `weigh` gives (target, weight) for what a leaf of
        the tree at a position holds."""
        result = cls(kind)
        for number, tree in enumerate(trees):
            for i in range(tree.node_count):
                left, right = tree.children_left[i], tree.children_right[i]
                if left < 0:
                    result.add(number, i)
                    for target, weight in weigh(number, tree.value[i]):
                        result.weigh(number, i, target, weight)
                else:
                    result.add(number, i, "BRANCH_LEQ", int(tree.feature[i]),
                               np.float32(tree.threshold[i]), int(left), int(right))
        return result

    @classmethod
    def random(cls, kind, seed, count=9, depth=4, targets=1, features=3, several=False,
               modes=("BRANCH_LEQ",), missing=False, weights=(-1.0, 1.0)):
        """Random trees whose thresholds are small integers. Leaves weigh one target, or
        all of them if there are `several`."""
        rng = np.random.default_rng(seed)
        result = cls(kind)
        for tree in range(count):
            target = tree % targets
            free = iter(range(10**6))

            def grow(level):
                number = next(free)
                if level == 0 or rng.random() < 0.15:
                    result.add(tree, number)
                    for each in range(targets) if several else [target]:
                        result.weigh(tree, number, each, rng.uniform(*weights))
                    return number
                # A node comes before its children, whose numbers are known later.
                position = len(result.nodes["nodes_treeids"])
                result.add(tree, number, str(rng.choice(modes)), int(rng.integers(features)),
                           float(rng.integers(-2, 3)), missing=int(missing and rng.random() < 0.5))
                result.nodes["nodes_truenodeids"][position] = grow(level - 1)
                result.nodes["nodes_falsenodeids"][position] = grow(level - 1)
                return number

            grow(depth)
        return result


def rows(count, features=3, dtype=np.float32, seed=0, nan=False):
    """Small integers, so that they meet thresholds, and NaN if it is allowed."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-3, 4, (count, features)).astype(dtype)
    if nan:
        x[rng.random(x.shape) < 0.2] = np.nan
    return x
