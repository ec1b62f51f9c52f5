# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of the domain ai.onnx.ml but trees, compiled, against ONNX Runtime, or the
package onnx for types that ONNX Runtime lacks; and pipelines of scikit-learn."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from sklearn import datasets, decomposition, linear_model, pipeline, preprocessing, svm

import bounds
import relay_mlir as rm
from onnx_ml import (check, compare, make_model, node, refusal, rows, run, run_onnxruntime,
                     run_reference)

pytestmark = pytest.mark.share(3)

NUMBERS = [np.float32, np.float64, np.int32, np.int64]
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]
PRODUCTS = 2 * bounds.bound("products")


# Features.


@pytest.mark.parametrize("dtype", NUMBERS)
def test_scaler(dtype):
    x = rows(20, dtype=dtype)
    check("Scaler", x, scale=[2.0, 0.5, -3.0], offset=[0.1, 7.0, -1.5])
    check("Scaler", x, scale=[2.0], offset=[1.0])
    check("Scaler", x[0], scale=[2.0, 0.5, -3.0], offset=[0.1, 7.0, -1.5], static=True)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
def test_normalizer(dtype, norm):
    # The last row is the largest number of a row of negative ones, and of zeros.
    x = np.concatenate([rows(20, dtype=dtype), np.array([[-1, -2, -3], [0, 0, 0]], dtype)])
    check("Normalizer", x, norm=norm)
    check("Normalizer", x[0], norm=norm, static=True)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_imputer(dtype):
    kind, name = (("float", "floats") if np.dtype(dtype).kind == "f" else ("int64", "int64s"))
    number = float if kind == "float" else int
    expected = run_onnxruntime if dtype in (np.float32, np.int64) else run_reference
    for values in ([9], [9, 8, 7]):
        check("Imputer", rows(20, dtype=dtype), expected=expected, **{
            f"imputed_value_{name}": [number(value) for value in values],
            f"replaced_value_{kind}": number(-1)})


def test_imputer_of_nan():
    check("Imputer", rows(20, nan=True), imputed_value_floats=[0.5, 1.5, 2.5],
          replaced_value_float=float("nan"))


def test_imputer_of_large_integers():
    x = np.array([[2**60 + 1, 2**60]])
    check("Imputer", x, imputed_value_int64s=[2**61 + 1], replaced_value_int64=2**60)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_binarizer(dtype):
    expected = run_onnxruntime if dtype == np.float32 else run_reference
    check("Binarizer", rows(20, dtype=dtype), threshold=1.5, expected=expected)
    check("Binarizer", rows(20, dtype=dtype), expected=expected)


@pytest.mark.parametrize("indices", [[1, 0], [[0, 1], [2, 2]], 1])
@pytest.mark.parametrize("shape", [(4, 3), (3,), (2, 5, 3)])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_array_feature_extractor(indices, shape, dtype):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    inputs = {"x": x, "i": np.array(indices)}
    nodes = [node("ArrayFeatureExtractor", ["x", "i"], ["y"])]
    expected = run_onnxruntime(make_model(nodes, inputs, ["y"], static=True), inputs)
    compare(run(make_model(nodes, inputs, ["y"], static=True), inputs), expected)
    constant = make_model(nodes, {"x": x}, ["y"], {"i": inputs["i"]}, static=len(shape) == 1)
    compare(run(constant, {"x": x}), expected)


def test_array_feature_extractor_out_of_range():
    inputs = {"x": rows(4), "i": np.array([3])}
    model = make_model([node("ArrayFeatureExtractor", ["x", "i"], ["y"])], inputs, ["y"],
                       static=True)
    with pytest.raises(ValueError, match="expects indices within the data"):
        run(model, inputs)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("widths", [[3, 2], [2, 2], [5, 4]])
def test_feature_vectorizer(dtype, widths):
    inputs = {"a": rows(6, dtype=dtype), "b": rows(6, features=2, dtype=dtype, seed=1)}
    model = make_model([node("FeatureVectorizer", ["a", "b"], ["y"], inputdimensions=widths)],
                       inputs, ["y"])
    compare(run(model, inputs), run_onnxruntime(model, inputs))


# Encoders.


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 100])
def test_label_encoder(count):
    rng = np.random.default_rng(count)
    keys = rng.permutation(3 * count)[:count]
    x = np.arange(-1, 3 * count + 1).reshape(-1, 1)
    check("LabelEncoder", x, opset=2, keys_int64s=keys.tolist(),
          values_floats=rng.standard_normal(count).tolist(), default_float=-0.25)
    check("LabelEncoder", x, opset=4, keys_int64s=(keys + 2**60).tolist(),
          values_int64s=list(range(count)))
    check("LabelEncoder", x + 2**60, opset=4, keys_int64s=(keys + 2**60).tolist(),
          values_int64s=list(range(count)))
    check("LabelEncoder", x.astype(np.float32), opset=4, keys_floats=keys.astype(float).tolist(),
          values_int64s=list(range(count)), default_int64=-7)


def test_label_encoder_of_nan():
    x = np.array([0.5, np.nan, 3, -0.0], np.float32)
    check("LabelEncoder", x, opset=4, keys_floats=[float("nan"), 0.5, 0.0],
          values_floats=[5.0, 6.0, 7.0])
    check("LabelEncoder", x, opset=4, keys_floats=[float("nan")], values_floats=[5.0])


def test_label_encoder_with_a_key_twice():
    """The last one counts, as the specification says; ONNX Runtime takes the first."""
    x = np.array([1, 2], np.float32)
    check("LabelEncoder", x, opset=4, expected=run_reference, keys_floats=[1.0, 2.0, 1.0],
          values_floats=[5.0, 6.0, 7.0])


@pytest.mark.parametrize("key", [np.int16, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("value", [np.int16, np.int32, np.int64, np.float32, np.float64])
def test_label_encoder_of_tensors(key, value):
    check("LabelEncoder", np.array([1, 2, 3], key), opset=4, expected=run_reference,
          keys_tensor=np.array([3, 1], key), values_tensor=np.array([30, 10], value),
          default_tensor=np.array([-7], value))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("categories", [[0, 2, 1], [-3, -2, -1, 0, 1, 2, 3], [2, 2, 1]])
def test_one_hot_encoder(dtype, categories):
    x = rows(7, dtype=dtype)
    expected = run_reference if dtype == np.int32 and len(set(categories)) > 2 else run_onnxruntime
    if dtype == np.int32 and len(set(categories)) == 2:
        # The package onnx drops a category that is there twice.
        x = x.astype(np.int64)
    check("OneHotEncoder", x, cats_int64s=categories, expected=expected)
    check("OneHotEncoder", x[:, 0].copy(), cats_int64s=categories, expected=expected)


def test_one_hot_encoder_without_zeros():
    model = make_model([node("OneHotEncoder", ["x"], ["y"], cats_int64s=[4, 2], zeros=0)],
                       {"x": np.zeros(1, np.int64)}, ["y"])
    x = np.array([2, 4, 2])
    compare(run(model, {"x": x}), run_onnxruntime(model, {"x": x}))
    with pytest.raises(ValueError, match="expects indices within the data"):
        run(model, {"x": np.array([2, 3])})


# Linear models.


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("targets", [1, 3])
def test_linear_regressor(transform, targets):
    coefficients = np.random.default_rng(0).standard_normal(3 * targets).tolist()
    for intercepts in ([], [0.5, -1.0, 2.0][:targets]):
        check("LinearRegressor", rows(20), coefficients=coefficients, intercepts=intercepts,
              targets=targets, post_transform=transform, bound=bounds.NETWORK)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("scores", [1, 2, 3])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_linear_classifier(transform, scores, dtype):
    coefficients = np.random.default_rng(1).standard_normal(3 * scores).tolist()
    check("LinearClassifier", rows(20, dtype=dtype), count=2, coefficients=coefficients,
          intercepts=[0.5, -1.0, 2.0][:scores], classlabels_ints=[7, -9, 4][:max(scores, 2)],
          post_transform=transform, bound=bounds.NETWORK)


def test_probit():
    """The quantile of the normal distribution, where it is one."""
    x = np.array([[0.05], [0.2], [0.4], [0.7], [0.99]], np.float32)
    check("LinearRegressor", x, coefficients=[1.0, 0.5], intercepts=[0.0, 0.1], targets=2,
          post_transform="PROBIT", bound=bounds.NETWORK)


# Support vector machines.

KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]


def machine(classes, seed=0, features=3, count=4):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((classes * count, features)).ravel().tolist()
    pairs = classes * (classes - 1) // 2
    return {"support_vectors": vectors, "vectors_per_class": [count] * classes,
            "coefficients": rng.standard_normal((classes - 1) * classes * count).tolist(),
            "rho": rng.standard_normal(pairs).tolist(), "kernel_params": [0.2, 0.1, 3.0],
            "classlabels_ints": list(range(10, 10 + classes))}


def sigmoids(classes):
    rng = np.random.default_rng(9)
    pairs = classes * (classes - 1) // 2
    return {"prob_a": rng.uniform(-3, -1, pairs).tolist(),
            "prob_b": rng.uniform(-0.2, 0.2, pairs).tolist()}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_svm_classifier(kernel, classes):
    x = np.random.default_rng(5).standard_normal((40, 3), "float32")
    attributes = machine(classes)
    check("SVMClassifier", x, count=2, kernel_type=kernel, bound=bounds.NETWORK, **attributes)
    check("SVMClassifier", x, count=2, kernel_type=kernel, bound=bounds.NETWORK, **attributes,
          **sigmoids(classes))
    for degree in (2.0, 1.5):
        attributes["kernel_params"] = [0.02, 1.0, degree]
        check("SVMClassifier", x, count=2, kernel_type=kernel, bound=bounds.NETWORK, **attributes)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("classes", [2, 3])
def test_transforms_of_svm_classifiers(transform, classes):
    x = np.random.default_rng(5).standard_normal((40, 3), "float32")
    variants: list[dict] = [{}, sigmoids(classes)]
    for more in variants:
        check("SVMClassifier", x, count=2, kernel_type="RBF", post_transform=transform,
              bound=bounds.NETWORK, **machine(classes), **more)


def test_svm_classifier_of_many_classes():
    x = np.random.default_rng(5).standard_normal((100, 3), "float32")
    check("SVMClassifier", x, count=2, kernel_type="RBF", bound=bounds.NETWORK, **machine(12),
          **sigmoids(12))


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_svm_classifier_without_vectors(transform):
    x = np.random.default_rng(5).standard_normal((40, 3), "float32")
    rng = np.random.default_rng(3)
    check("SVMClassifier", x, count=2, post_transform=transform, rho=[0.25], bound=bounds.NETWORK,
          coefficients=rng.standard_normal(9).tolist(), kernel_params=[0.0] * 3,
          classlabels_ints=[3, 1, 2])


@pytest.mark.parametrize("kernel", KERNELS)
def test_svm_regressor(kernel):
    x = np.random.default_rng(5).standard_normal((40, 3), "float32")
    rng = np.random.default_rng(3)
    attributes = {"coefficients": rng.standard_normal(5).tolist(), "rho": [0.3],
                  "support_vectors": rng.standard_normal(15).tolist(), "n_supports": 5,
                  "kernel_params": [0.3, 0.1, 2.0], "kernel_type": kernel}
    check("SVMRegressor", x, bound=bounds.NETWORK, **attributes)
    check("SVMRegressor", x, one_class=1, **attributes)
    check("SVMRegressor", x, coefficients=[0.5, -1.0, 2.0], rho=[0.3],
          kernel_params=[0.0] * 3, bound=bounds.NETWORK)


# Pipelines.


def test_scaled_components_and_logistic_regression():
    """StandardScaler, PCA and LogisticRegression, with a ZipMap at the end."""
    x, y = datasets.load_digits(return_X_y=True)
    x = x.astype(np.float32)
    model = pipeline.make_pipeline(
        preprocessing.StandardScaler(), decomposition.PCA(20, random_state=0),
        linear_model.LogisticRegression(max_iter=200)).fit(x, y)
    scaler, pca, regression = [step for _, step in model.steps]
    nodes = [
        node("Scaler", ["x"], ["scaled"], offset=scaler.mean_.tolist(),
             scale=(1 / scaler.scale_).tolist()),
        helper.make_node("Sub", ["scaled", "mean"], ["centred"]),
        helper.make_node("MatMul", ["centred", "components"], ["reduced"]),
        node("LinearClassifier", ["reduced"], ["label", "raw"], post_transform="SOFTMAX",
             coefficients=regression.coef_.ravel().tolist(),
             intercepts=regression.intercept_.tolist(), classlabels_ints=list(range(10)),
             multi_class=1),
        helper.make_node("Cast", ["label"], ["output_label"], to=TensorProto.INT64),
        node("Normalizer", ["raw"], ["probabilities"], norm="L1"),
        node("ZipMap", ["probabilities"], ["output_probability"],
             classlabels_int64s=list(range(10)))]
    constants = {"mean": pca.mean_.astype(np.float32),
                 "components": pca.components_.T.astype(np.float32)}
    outputs = ["output_label", "output_probability"]
    # What exporters say of it.
    model_of_maps = make_model(nodes, {"x": x}, outputs, constants)
    model_of_maps.graph.output[1].type.CopyFrom(helper.make_sequence_type_proto(
        helper.make_map_type_proto(TensorProto.INT64,
                                   helper.make_tensor_type_proto(TensorProto.FLOAT, []))))
    with pytest.warns(UserWarning, match=r'ai.onnx.ml.ZipMap, opset 3\): output 0 '
                      r'\("output_probability"\) becomes the tensor of scores') as caught:
        label, scores = run(model_of_maps, {"x": x})
    assert len(caught) == 1
    assert caught[0].filename.endswith("onnx_ml.py")
    plain = make_model(nodes[:-1], {"x": x}, ["output_label", "probabilities"], constants)
    compare([label, scores], run_onnxruntime(plain, {"x": x}), bounds.NETWORK)
    np.testing.assert_array_equal(label, model.predict(x))
    np.testing.assert_allclose(scores, model.predict_proba(x), rtol=0, atol=1e-3)


@pytest.mark.parametrize("load", [datasets.load_iris, datasets.load_breast_cancer])
def test_support_vectors_of_scikit_learn(load):
    x, y = load(return_X_y=True)
    x = x.astype(np.float32)
    model = svm.SVC(random_state=0).fit(x, y)
    classes = len(model.classes_)
    # As skl2onnx: of two classes all signs are turned round.
    sign = -1 if classes == 2 else 1
    built = make_model([node(
        "SVMClassifier", ["x"], ["label", "scores"], kernel_type="RBF",
        classlabels_ints=list(range(classes)), vectors_per_class=model.n_support_.tolist(),
        coefficients=(sign * model.dual_coef_).ravel().tolist(),
        support_vectors=model.support_vectors_.ravel().tolist(),
        rho=(sign * model.intercept_).tolist(), kernel_params=[model._gamma, 0.0, 3.0])],
        {"x": x}, ["label", "scores"])
    found = run(built, {"x": x})
    compare(found, run_onnxruntime(built, {"x": x}), bounds.NETWORK)
    np.testing.assert_array_equal(found[0], model.predict(x))


def test_one_hot_columns():
    """Columns of categories and of numbers, side by side."""
    rng = np.random.default_rng(0)
    inputs = {"colour": rng.integers(0, 4, (9, 1)), "size": rng.standard_normal((9, 2), "float32")}
    nodes = [node("OneHotEncoder", ["colour"], ["hot"], cats_int64s=[0, 1, 3]),
             helper.make_node("Reshape", ["hot", "shape"], ["flat"]),
             node("Scaler", ["size"], ["scaled"], offset=[0.5, 1.0], scale=[2.0, 3.0]),
             node("FeatureVectorizer", ["flat", "scaled"], ["all"], inputdimensions=[3, 2]),
             node("LinearRegressor", ["all"], ["y"], coefficients=[1.0, 2.0, 3.0, 4.0, 5.0])]
    model = make_model(nodes, inputs, ["y"], {"shape": np.array([-1, 3])})
    compare(run(model, inputs), run_onnxruntime(model, inputs), PRODUCTS)


# What is refused, and what is not.

STRINGS = {"coefficients": [0.1] * 9, "intercepts": [0.0] * 3,
           "classlabels_strings": ["a", "b", "c"]}


def test_labels_that_are_strings():
    x = rows(5)
    for outputs in (["scores"], ["label", "scores"]):
        model = make_model([node("LinearClassifier", ["x"], ["label", "scores"], **STRINGS)],
                           {"x": x}, outputs)
        compare(run(model, {"x": x}), run_onnxruntime(model, {"x": x}), PRODUCTS)


@pytest.mark.parametrize("operator, attributes, message", [
    ("Scaler", {"scale": [1.0, 2.0]},
     'expects 1 number in attribute "scale", or 3, one for each feature, but got 2'),
    ("Normalizer", {"norm": "L3"}, 'expects norm MAX, L1 or L2, but got "L3"'),
    ("Imputer", {"imputed_value_floats": []},
     'expects 1 number in attribute "imputed_value_floats", or 3, one for each feature, but '
     "got 0"),
    ("FeatureVectorizer", {"inputdimensions": [1, 2]},
     'expects 1 numbers in attribute "inputdimensions", one for each input, but got 2'),
    ("LabelEncoder", {"keys_floats": [1.0, 2.0], "values_floats": [1.0]},
     "expects as many values as keys, at least one, but got "),
    ("LabelEncoder", {"keys_int64s": [1], "values_floats": [1.0]},
     "expects keys of the type of the data, f32, but got i64"),
    ("LabelEncoder", {"keys_strings": ["a"], "values_floats": [1.0]},
     "expects keys of the type of the data, f32, but got strings"),
    ("LabelEncoder", {"keys_floats": [1.0]}, "expects one list of values, but got 0"),
    ("OneHotEncoder", {"cats_strings": ["a"]},
     "expects data of the type of the categories, but got f32"),
    ("OneHotEncoder", {},
     'expects categories in either attribute "cats_int64s" or "cats_strings"'),
    ("LinearRegressor", {"coefficients": [1.0, 2.0], "targets": 3},
     'expects a multiple of 3 numbers in attribute "coefficients", but got 2'),
    ("LinearRegressor", {"coefficients": [1.0, 2.0]},
     "expects 2 elements along axis 1, but got 'tensor<4x3xf32>'"),
    ("LinearRegressor", {"coefficients": [1.0] * 3, "intercepts": [1.0, 2.0]},
     'expects 1 numbers in attribute "intercepts" (one for each result), but got 2'),
    ("LinearRegressor", {"coefficients": [1.0] * 3, "targets": 0},
     "expects a positive number of targets, but got 0"),
    ("LinearClassifier", {"coefficients": [1.0] * 3},
     'expects either attribute "classlabels_ints" or "classlabels_strings", but got neither'),
    ("SVMRegressor", {"kernel_type": "COSINE"},
     'expects kernel_type LINEAR, POLY, RBF or SIGMOID, but got "COSINE"'),
    ("SVMRegressor", {"kernel_params": [1.0]},
     'expects 3 numbers in attribute "kernel_params" (gamma, coef0 and degree), but got 1'),
    ("SVMRegressor", {"coefficients": [1.0] * 3},
     'expects 1 numbers in attribute "rho" (the offset), but got 0'),
    ("SVMClassifier", {**machine(3), "vectors_per_class": [4, -4, 4]},
     'expects numbers of vectors that are not negative in attribute "vectors_per_class"'),
    ("SVMClassifier", {**machine(3), "vectors_per_class": [4, 8]},
     'expects 3 numbers in attribute "vectors_per_class" (one for each class), but got 2'),
    ("SVMClassifier", {**machine(3), "coefficients": [1.0]},
     'expects 24 numbers in attribute "coefficients" (for each vector one for each other class), '
     "but got 1"),
    ("SVMClassifier", {**machine(3), "rho": [1.0]},
     'expects 3 numbers in attribute "rho" (one for each two classes), but got 1'),
    ("SVMClassifier", {**machine(3), "prob_a": [1.0, 2.0, 3.0]},
     'expects 3 numbers in attribute "prob_b" (as many as in attribute "prob_a"), but got 0'),
    ("ZipMap", {"classlabels_int64s": [1, 2]},
     "expects 2 elements along axis 1, but got 'tensor<4x3xf32>'")])
def test_bad_attributes(operator, attributes, message):
    count = 2 if operator.endswith("Classifier") else 1
    opset = 4 if operator == "LabelEncoder" else 3
    assert f"(ai.onnx.ml.{operator}, opset {opset}): {message}" in refusal(
        operator, rows(4), count=count, opset=opset, **attributes)


@pytest.mark.parametrize("operator, reason", [
    ("CastMap", "of maps; give the model the tensor instead"),
    ("DictVectorizer", "of maps; give the model the tensor instead")])
def test_maps(operator, reason):
    message = refusal(operator, rows(4))
    assert f"{operator} ({reason}): 1 node" in message


def test_types_of_inputs():
    """As for operators of the default domain."""
    assert ('expects input 0 ("x") of type FLOAT or INT32 or INT64 or DOUBLE, but got INT8'
            in refusal("Scaler", rows(4, dtype=np.int8), scale=[1.0], offset=[0.0]))


def test_large_list_of_classes():
    """What it takes is known before anything of that size is built."""
    labels = {"classlabels_ints": list(range(100_000)), "vectors_per_class": [1] * 100_000}
    assert 'numbers in attribute "coefficients"' in refusal(
        "SVMClassifier", rows(4), count=2, coefficients=[1.0], kernel_params=[0.0] * 3,
        support_vectors=[1.0] * 3, **labels)
