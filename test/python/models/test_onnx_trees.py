# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees of the domain ai.onnx.ml, compiled, against ONNX Runtime and scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn import datasets, ensemble

import bounds
import relay_mlir as rm
from onnx_ml import (Trees, check, compare, make_model, node, refusal, rows, run, run_floats,
                     run_onnxruntime, run_reference)

pytestmark = pytest.mark.share(3)

MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("targets, several", [(1, False), (3, False), (3, True)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_aggregates_and_types(aggregate, targets, several, dtype):
    trees = Trees.random("target", seed=targets, targets=targets, several=several)
    # ONNX Runtime has no regressors of integers.
    expected = run_onnxruntime if np.dtype(dtype).kind == "f" else run_floats
    check("TreeEnsembleRegressor", rows(50, dtype=dtype), n_targets=targets,
          aggregate_function=aggregate, base_values=[0.5, -1.0, 2.0][:targets],
          expected=expected, **trees.attributes())


@pytest.mark.parametrize("mode", [*MODES, "all"])
@pytest.mark.parametrize("missing", [False, True])
def test_modes(mode, missing):
    modes = MODES if mode == "all" else [mode]
    trees = Trees.random("target", seed=7, depth=5, modes=modes, missing=missing)
    check("TreeEnsembleRegressor", rows(200, nan=True), n_targets=1, **trees.attributes())
    check("TreeEnsembleRegressor", rows(200, dtype=np.float64, nan=True), n_targets=1,
          **trees.attributes())


def test_thresholds_at_the_ends_of_numbers():
    """What is before a number: also of 0, of infinities, and of none."""
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, np.finfo(np.float32).max,
            np.finfo(np.float32).min]
    trees = Trees("target")
    for tree, (mode, end) in enumerate(itertools.product(MODES, ends)):
        trees.add(tree, 0, mode, 0, end, 1, 2)
        trees.add(tree, 1)
        trees.add(tree, 2)
        trees.weigh(tree, 1, tree, 1)
    x = np.array([*ends, -1e-45, 1, -1], np.float32)[:, None]
    check("TreeEnsembleRegressor", x, n_targets=len(ends) * len(MODES), **trees.attributes())


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("targets", [1, 4])
def test_transforms_of_regressors(transform, targets):
    trees = Trees.random("target", seed=3, targets=targets, weights=(0.02, 0.1))
    check("TreeEnsembleRegressor", rows(40), n_targets=targets, post_transform=transform,
          base_values=[0.1] * targets, bound=bounds.NETWORK, **trees.attributes())


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("base", [[], [0.02, 0.05, 0.03]])
def test_several_classes(transform, base):
    for several in (False, True):
        # All scores are below one half, near which ONNX Runtime's quantiles are rough.
        trees = Trees.random("class", seed=5, targets=3, several=several, weights=(0.01, 0.04))
        check("TreeEnsembleClassifier", rows(60), count=2, classlabels_int64s=[5, -2, 9],
              post_transform=transform, base_values=base, bound=bounds.NETWORK,
              **trees.attributes())


def test_class_that_nothing_weighs():
    """It is not chosen, though its score is the highest."""
    trees = Trees.random("class", seed=5, targets=2, weights=(-1, -0.1))
    check("TreeEnsembleClassifier", rows(60), count=2, classlabels_int64s=[5, -2, 9],
          **trees.attributes())


@pytest.mark.parametrize("transform", [name for name in TRANSFORMS if name != "PROBIT"])
@pytest.mark.parametrize("weights", [(0.02, 0.12), (-0.5, 0.5)])
@pytest.mark.parametrize("base", [[], [0.25]])
def test_one_score_of_two_classes(transform, weights, base):
    trees = Trees.random("class", seed=11, weights=weights)
    check("TreeEnsembleClassifier", rows(60), count=2, classlabels_int64s=[5, -2],
          post_transform=transform, base_values=base, bound=bounds.NETWORK,
          **trees.attributes())


@pytest.mark.parametrize("transform", [name for name in TRANSFORMS if name != "PROBIT"])
def test_scores_of_the_second_of_two_classes(transform):
    trees = Trees.random("class", seed=11, weights=(-0.5, 0.5))
    trees.weights["class_ids"] = [1] * len(trees.weights["class_ids"])
    check("TreeEnsembleClassifier", rows(60), count=2, classlabels_int64s=[5, -2],
          post_transform=transform, bound=bounds.NETWORK, **trees.attributes())


def test_two_classes_with_scores():
    """Scores are those of ONNX Runtime; labels, which it chooses by the second score
    alone, are those of the highest one."""
    trees = Trees.random("class", seed=2, targets=2, several=True, weights=(0, 1))
    x = rows(60)
    model = make_model([node("TreeEnsembleClassifier", ["x"], ["label", "scores"],
                             classlabels_int64s=[5, -2], **trees.attributes())],
                       {"x": x}, ["label", "scores"])
    label, scores = run(model, {"x": x})
    compare([scores], run_onnxruntime(model, {"x": x})[1:])
    np.testing.assert_array_equal(label, np.array([5, -2])[scores.argmax(axis=1)])
    assert set(label) == {5, -2}


def test_one_class():
    trees = Trees.random("class", seed=2)
    check("TreeEnsembleClassifier", rows(60), count=2, classlabels_int64s=[5],
          **trees.attributes())


def test_doubles():
    """Thresholds and weights that floats are too short for."""
    trees = Trees("target")
    trees.add(0, 0, "BRANCH_LT", 0, 0, 1, 2)
    trees.add(0, 1)
    trees.add(0, 2)
    trees.weigh(0, 1, 0, 0)
    trees.weigh(0, 2, 0, 0)
    attributes = trees.attributes()
    del attributes["nodes_values"], attributes["target_weights"]
    x = np.array([[1 + 1e-12], [1 + 3e-12]])
    check("TreeEnsembleRegressor", x, n_targets=1,
          nodes_values_as_tensor=np.array([1 + 2e-12, 0, 0]),
          target_weights_as_tensor=np.array([1.0, 2.0]), **attributes)


@pytest.mark.parametrize("count", [0, 1, 2, 17])
def test_numbers_of_rows(count):
    trees = Trees.random("target", seed=1, targets=2)
    model = make_model([node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=2,
                             **trees.attributes())], {"x": rows(1)}, ["y"])
    compiled = rm.compile(model)
    x = rows(count)
    compare([compiled.run({"x": x})], run_onnxruntime(model, {"x": x}))


def test_vector():
    """It is one row. ONNX Runtime takes it only if nobody says that it is one."""
    trees = Trees.random("target", seed=1, targets=2)
    nodes = [node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=2, **trees.attributes())]
    x = rows(1)
    vector = make_model(nodes, {"x": x[0]}, ["y"], static=True)
    compare(run(vector, {"x": x[0]}), run_onnxruntime(make_model(nodes, {"x": x}, ["y"]),
                                                      {"x": x}))


def test_open_columns():
    """Those that trees ask for have to be there."""
    trees = Trees.random("target", seed=1, targets=2)
    model = make_model([node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=2,
                             **trees.attributes())], {"x": rows(1)}, ["y"])
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "F"
    compiled = rm.compile(model)
    x = rows(9, features=5)
    compare([compiled.run({"x": x})], [compiled.run({"x": x[:, :3].copy()})])
    with pytest.raises(ValueError, match="expects indices within the data"):
        compiled.run({"x": x[:, :2].copy()})


def test_shapes_of_forests():
    """Trees without tests, of very different depths, and few of many targets."""
    leaves = Trees("target")
    for tree in range(3):
        leaves.add(tree, 0)
        leaves.weigh(tree, 0, tree % 2, tree + 1)
    check("TreeEnsembleRegressor", rows(5), n_targets=2, **leaves.attributes())
    uneven = Trees.random("target", seed=1, count=40, depth=2)
    add_chain(uneven, 40, 60)
    check("TreeEnsembleRegressor", rows(30), n_targets=1, **uneven.attributes())
    # One target has most trees.
    few = Trees.random("target", seed=1, count=30, depth=2)
    few.weights["target_ids"][:3] = [70] * 3
    check("TreeEnsembleRegressor", rows(30), n_targets=200, **few.attributes())


def add_chain(trees, tree, depth):
    """A tree whose every test has one leaf."""
    for i in range(depth):
        trees.add(tree, 2 * i, "BRANCH_LEQ", i % 3, -3 + i % 7, 2 * i + 1, 2 * i + 2)
        trees.add(tree, 2 * i + 1)
        trees.weigh(tree, 2 * i + 1, 0, i)
    trees.add(tree, 2 * depth)
    trees.weigh(tree, 2 * depth, 0, depth)


def test_chain():
    """A tree of depth 500 with a leaf at each test."""
    trees = Trees("target")
    add_chain(trees, 0, 500)
    # Distinct thresholds, so that all leaves are reached.
    trees.nodes["nodes_featureids"] = [0] * 1001
    trees.nodes["nodes_values"] = [float(i // 2) for i in range(1001)]
    x = np.arange(-1, 503, dtype=np.float32)[:, None]
    check("TreeEnsembleRegressor", x, n_targets=1, **trees.attributes())


# TreeEnsemble.


def ensemble_attributes(dtype=np.float32, member=False):
    """Two trees of two targets, one of them with a set of numbers."""
    return {
        "n_targets": 2, "tree_roots": [0, 2], "nodes_featureids": [0, 1, 0],
        "nodes_modes": np.array([6 if member else 0, 1, 3], np.uint8),
        "nodes_splits": np.array([0.5, 1, 2], dtype), "nodes_truenodeids": [1, 0, 3],
        "nodes_trueleafs": [0, 1, 1], "nodes_falsenodeids": [2, 1, 0],
        "nodes_falseleafs": [1, 1, 1], "leaf_targetids": [0, 1, 0, 1],
        "leaf_weights": np.array([1, 10, 100, 1000], dtype),
        **({"membership_values": np.array([1, -2, 3, np.nan], dtype)} if member else {})}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("member", [False, True])
@pytest.mark.parametrize("aggregate", [0, 1, 2, 3])
def test_tree_ensemble(dtype, member, aggregate):
    attributes = ensemble_attributes(dtype, member)
    check("TreeEnsemble", rows(50, dtype=dtype), opset=5, aggregate_function=aggregate,
          **attributes)


def test_tree_ensemble_of_the_reference():
    check("TreeEnsemble", rows(50), opset=5, expected=run_reference, **ensemble_attributes())


def test_tree_ensemble_of_halves():
    x = rows(50)
    expected = run(make_model([node("TreeEnsemble", ["x"], ["y"], **ensemble_attributes())],
                              {"x": x}, ["y"], opset=5), {"x": x})
    half = x.astype(np.float16)
    actual = run(make_model([node("TreeEnsemble", ["x"], ["y"],
                                  **ensemble_attributes(np.float16))],
                            {"x": half}, ["y"], opset=5), {"x": half})
    compare(actual, [expected[0].astype(np.float16)])


@pytest.mark.parametrize("transform", range(5))
def test_transforms_of_tree_ensembles(transform):
    attributes = ensemble_attributes()
    attributes["leaf_weights"] = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    x = rows(50)

    def build(number):
        return make_model([node("TreeEnsemble", ["x"], ["y"], post_transform=number,
                                **attributes)], {"x": x}, ["y"], opset=5)

    # In ONNX Runtime, SOFTMAX and LOGISTIC have each other's numbers.
    expected = run_onnxruntime(build({1: 2, 2: 1}.get(transform, transform)), {"x": x})
    compare(run(build(transform), {"x": x}), expected, bounds.NETWORK)


def test_sets():
    """Neighbours, one number twice, none, and NaN that goes its own way."""
    sets = [[1, 2, np.nextafter(np.float32(2), np.float32(9))], [3, 3, -3], [0], [-1, 1, 3, 5]]
    members = [number for values in sets for number in [*values, np.nan]]
    count = len(sets)
    attributes = {
        "n_targets": count, "tree_roots": list(range(count)),
        "nodes_featureids": [0] * count, "nodes_modes": np.full(count, 6, np.uint8),
        "nodes_splits": np.zeros(count, np.float32), "nodes_trueleafs": [1] * count,
        "nodes_falseleafs": [1] * count, "nodes_truenodeids": list(range(count)),
        "nodes_falsenodeids": list(range(count, 2 * count)),
        "leaf_targetids": list(range(count)) * 2,
        "leaf_weights": np.array([1] * count + [0] * count, np.float32),
        "nodes_missing_value_tracks_true": [0, 1, 0, 1],
        "membership_values": np.array(members, np.float32)}
    x = np.array([*range(-4, 7), 1.5, sets[0][2], np.nan], np.float32)[:, None]
    model = make_model([node("TreeEnsemble", ["x"], ["y"], **attributes)], {"x": x}, ["y"],
                       opset=5)
    expected = [[float(value in numbers or (np.isnan(value) and missing))
                 for numbers, missing in zip(sets, [0, 1, 0, 1])] for value in x[:, 0]]
    compare(run(model, {"x": x}), [np.array(expected, np.float32)])


# Models of scikit-learn.


def forest_of(model, classes):
    """The lists of a random forest, of two classes the scores of the second one."""
    def weigh(number, value):
        share = value[0] / len(model.estimators_)
        return [(0, share[1])] if classes == 2 else list(enumerate(share))

    return Trees.of_sklearn("class", [tree.tree_ for tree in model.estimators_], weigh)


@pytest.mark.parametrize("load", [datasets.load_digits, datasets.load_breast_cancer])
def test_random_forest(load):
    x, y = load(return_X_y=True)
    x = x.astype(np.float32)
    model = ensemble.RandomForestClassifier(100, max_depth=8, random_state=0).fit(x, y)
    classes = len(model.classes_)
    trees = forest_of(model, classes)
    built = make_model([node("TreeEnsembleClassifier", ["x"], ["label", "scores"],
                             classlabels_int64s=list(range(classes)), **trees.attributes())],
                       {"x": x}, ["label", "scores"])
    label, scores = run(built, {"x": x})
    compare([label, scores], run_onnxruntime(built, {"x": x}))
    assert (label == model.predict(x)).mean() > 0.99
    np.testing.assert_allclose(scores, model.predict_proba(x), rtol=0, atol=0.01)


def test_gradient_boosting():
    x, y = datasets.load_iris(return_X_y=True)
    x = x.astype(np.float32)
    model = ensemble.GradientBoostingClassifier(n_estimators=30, init="zero",
                                                random_state=0).fit(x, y)
    trees = Trees.of_sklearn(
        "class", [tree.tree_ for tree in model.estimators_.ravel()],
        lambda number, value: [(number % 3, model.learning_rate * value[0, 0])])
    built = make_model([node("TreeEnsembleClassifier", ["x"], ["label", "scores"],
                             classlabels_int64s=[0, 1, 2], post_transform="SOFTMAX",
                             base_values=[0.0] * 3, **trees.attributes())],
                       {"x": x}, ["label", "scores"])
    label, scores = run(built, {"x": x})
    compare([label, scores], run_onnxruntime(built, {"x": x}), bounds.NETWORK)
    np.testing.assert_array_equal(label, model.predict(x))
    np.testing.assert_allclose(scores, model.predict_proba(x), rtol=0, atol=1e-3)


# What is refused.


def stump():
    trees = Trees("target")
    trees.add(0, 0, "BRANCH_LEQ", 0, 0.5, 1, 2)
    trees.add(0, 1)
    trees.add(0, 2)
    trees.weigh(0, 1, 0, 1)
    trees.weigh(0, 2, 0, 2)
    return trees.attributes()


def changed(**changes):
    """The lists of a stump, with elements {position: element} changed."""
    attributes = stump()
    for name, elements in changes.items():
        for position, element in elements.items():
            attributes[name][position] = element
    return attributes


@pytest.mark.parametrize("attributes, message", [
    ({**stump(), "nodes_values": [0.5]},
     'expects 3 elements in attribute "nodes_values", as in "nodes_treeids", but got 1'),
    ({**stump(), "target_weights": [1.0]},
     'expects 2 elements in attribute "target_weights", as in "target_ids", but got 1'),
    ({**stump(), "nodes_missing_value_tracks_true": [1]},
     'expects 3 elements in attribute "nodes_missing_value_tracks_true", as in '
     '"nodes_treeids", but got 1'),
    ({"n_targets": 1}, 'expects a tree, but attribute "nodes_treeids" is empty'),
    (changed(nodes_truenodeids={0: 9}),
     'expects ids of nodes in attribute "nodes_truenodeids", but tree 0 has no node 9'),
    (changed(nodes_falsenodeids={0: -1}),
     'expects ids of nodes in attribute "nodes_falsenodeids", but tree 0 has no node -1'),
    (changed(target_nodeids={0: 4}),
     'expects ids of nodes in attribute "target_nodeids", but tree 0 has no node 4'),
    # The greatest number stands for nothing else.
    (changed(nodes_treeids={0: 2**63 - 1, 1: 2**63 - 1, 2: 2**63 - 1},
             nodes_truenodeids={0: 2**63 - 1}),
     'expects ids of nodes in attribute "nodes_truenodeids", but tree 9223372036854775807 has no '
     "node 9223372036854775807"),
    (changed(target_ids={1: 1}), 'expects numbers in [0, 1) in attribute "target_ids", but got 1'),
    (changed(target_ids={1: -1}),
     'expects numbers in [0, 1) in attribute "target_ids", but got -1'),
    (changed(nodes_nodeids={2: 1}),
     "expects ids of nodes that differ, but got 1 twice in tree 0"),
    (changed(nodes_modes={0: "LEAF"}), "expects one root of tree 0, but got nodes 0 and 1"),
    (changed(nodes_truenodeids={0: 0}, nodes_falsenodeids={0: 0}),
     "expects one root of tree 0, but got nodes 1 and 2"),
    (changed(nodes_modes={1: "BRANCH_LT", 2: "BRANCH_LT"}, nodes_truenodeids={1: 0, 2: 0},
             nodes_falsenodeids={1: 0, 2: 0}),
     "expects a root of tree 0, but each of its nodes is the child of one"),
    (changed(nodes_modes={1: "BRANCH_LT"}, nodes_truenodeids={1: 1}, nodes_falsenodeids={1: 1}),
     "expects trees, but got a cycle through node 1"),
    (changed(nodes_featureids={0: 3}),
     "expects ids of features in attribute \"nodes_featureids\" in [0, 3), the columns of "
     "'tensor<4x3xf32>', but got 3"),
    (changed(nodes_featureids={0: -3}),
     'expects ids of features in attribute "nodes_featureids" that are not negative, but got -3'),
    (changed(nodes_modes={0: "BRANCH_ABOUT"}),
     "expects modes BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, BRANCH_NEQ or LEAF, "
     'but got "BRANCH_ABOUT"'),
    ({**stump(), "post_transform": "SOFTMIN"},
     "expects post_transform NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT, but got "
     '"SOFTMIN"'),
    ({**stump(), "aggregate_function": "MEDIAN"},
     'expects aggregate_function AVERAGE, SUM, MIN or MAX, but got "MEDIAN"'),
    ({**stump(), "n_targets": 0}, "expects a positive number of targets, but got 0"),
    ({**stump(), "base_values": [1.0, 2.0]},
     'expects 1 numbers in attribute "base_values" (one for each result), but got 2'),
    ({**stump(), "nodes_values_as_tensor": np.zeros(3)},
     'expects attribute "nodes_values" or "nodes_values_as_tensor", but got both')])
def test_bad_trees(attributes, message):
    assert f"(ai.onnx.ml.TreeEnsembleRegressor, opset 3): {message}" in refusal(
        "TreeEnsembleRegressor", rows(4), **attributes)


@pytest.mark.parametrize("changes, message", [
    ({"nodes_modes": np.array([0, 1, 7], np.uint8)},
     'expects modes from 0 to 6 in attribute "nodes_modes", but got 7'),
    ({"nodes_modes": np.array([0, 1, 2], np.int32)},
     'expects attribute "nodes_modes" to be a tensor of UINT8, but got another type'),
    ({"nodes_modes": np.array([6, 1, 3], np.uint8)},
     'expects a set of numbers in attribute "membership_values" for each node of mode 6, but '
     "got 0"),
    ({"membership_values": np.array([1, np.nan], np.float32)},
     'expects 0 sets of numbers in attribute "membership_values", one for each node of mode 6, '
     "but got more"),
    ({"nodes_truenodeids": [1, 0, 4]},
     'expects positions of leaves in [0, 4) in attribute "nodes_truenodeids", but got 4'),
    ({"nodes_falsenodeids": [2, 1, -1]},
     'expects positions of leaves in [0, 4) in attribute "nodes_falsenodeids", but got -1'),
    ({"nodes_trueleafs": [0, 1]},
     'expects 3 elements in attribute "nodes_trueleafs", as in "nodes_featureids", but got 2'),
    ({"tree_roots": [0, 3]}, 'expects positions of nodes in [0, 3) in attribute "tree_roots", '
                             "but got 3"),
    ({"tree_roots": []}, 'expects a tree, but attribute "tree_roots" is empty'),
    ({"nodes_truenodeids": [0, 0, 3]}, "expects trees, but got a cycle through node 0"),
    ({"leaf_targetids": [0, 1, 0, 2]},
     'expects numbers in [0, 2) in attribute "leaf_targetids", but got 2'),
    ({"aggregate_function": 4}, 'expects attribute "aggregate_function" in [0, 4), but got 4'),
    ({"post_transform": -1}, 'expects attribute "post_transform" in [0, 5), but got -1')])
def test_bad_tree_ensembles(changes, message):
    assert f"(ai.onnx.ml.TreeEnsemble, opset 5): {message}" in refusal(
        "TreeEnsemble", rows(4), opset=5, **{**ensemble_attributes(), **changes})


def test_opsets():
    """TreeEnsemble takes the place of the others."""
    assert "TreeEnsembleRegressor (exists up to opset 4): 1 node" in refusal(
        "TreeEnsembleRegressor", rows(4), opset=5, **stump())
    assert "TreeEnsemble (exists from opset 5): 1 node" in refusal(
        "TreeEnsemble", rows(4), opset=4, **ensemble_attributes())


def test_limits():
    trees = Trees("target")
    add_chain(trees, 0, 1025)
    assert "expects trees of depth 1024 at most, but got 1025" in refusal(
        "TreeEnsembleRegressor", rows(4), **trees.attributes())
    several = Trees.random("target", seed=1, targets=2, several=True)
    assert "expects at most 16777216 weights for all leaves and targets, but got" in refusal(
        "TreeEnsembleRegressor", rows(4), n_targets=10**9, **several.attributes())
