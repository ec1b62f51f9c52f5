# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with tensors of strings, compiled, against ONNX Runtime. Everything is compared
exactly, but for the features that strings are made into."""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from sklearn import compose, linear_model, pipeline, preprocessing

import relay_mlir as rm
from onnx_ml import DOMAIN, compare, make_model, node, run, run_onnxruntime, run_reference

pytestmark = pytest.mark.share(3)

TOOLS = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")) / "bin"
WORDS = ["", "a", "b", "ab", "über", "水", "a b", "A", "never seen", "a" * 300]


def texts(*shape, seed=0, words=WORDS):
    return np.random.default_rng(seed).choice(words, shape).astype(object)


def check(nodes, inputs, outputs, expected=run_onnxruntime, **options):
    model = make_model(nodes, inputs, outputs, **options)
    found = run(model, inputs)
    compare(found, expected(model, inputs))
    return found


@pytest.mark.parametrize("shape", [(0,), (1,), (9,), (7, 3), (0, 3), (2, 0)])
def test_label_encoder_of_strings(shape):
    x = texts(*shape)
    table = ["ab", "b", "", "水", "über", "a"]
    for values, name, default in (
            ([10, 20, -30, 40, 2**40, 60], "int64", -7), ([1.5, -2.0, 0.0, 3.25, 1e30, 7.0],
                                                          "float", 0.25),
            (["x", "", "ab", "水水", "never", "x"], "string", "other")):
        check([node("LabelEncoder", ["x"], ["y"], keys_strings=table,
                    **{f"values_{name}s": values, f"default_{name}": default})],
              {"x": x}, ["y"], opset=2)


@pytest.mark.parametrize("dtype, name", [(np.int64, "int64"), (np.float32, "float")])
def test_label_encoder_to_strings(dtype, name):
    x = np.arange(-2, 8).astype(dtype)
    keys = [dtype(value).item() for value in (5, 1, 3, -2)]
    check([node("LabelEncoder", ["x"], ["y"], **{f"keys_{name}s": keys},
                values_strings=["five", "", "drei", "水"])], {"x": x}, ["y"], opset=2)


def test_label_encoder_of_opset_1():
    classes = ["ab", "b", "", "a"]
    check([node("LabelEncoder", ["x"], ["y"], classes_strings=classes, default_int64=-9)],
          {"x": texts(11)}, ["y"], opset=1)
    check([node("LabelEncoder", ["x"], ["y"], classes_strings=classes, default_string="?")],
          {"x": np.array([0, 3, 4, -1, 2])}, ["y"], opset=1)


def test_label_encoder_with_tensors():
    check([node("LabelEncoder", ["x"], ["y"],
                keys_tensor=np.array(["a", "b", "水"], object),
                values_tensor=np.array([1.5, 2.5, -1.0], np.float32),
                default_tensor=np.array([0.5], np.float32))],
          {"x": texts(20)}, ["y"], opset=4)


def test_category_mapper():
    categories = {"cats_strings": ["ab", "", "水"], "cats_int64s": [7, -3, 2**33],
                  "default_string": "none", "default_int64": -4}
    for x in (texts(4, 5), np.array([[7, -3], [2**33, 8]])):
        check([node("CategoryMapper", ["x"], ["y"], **categories)], {"x": x}, ["y"])


@pytest.mark.parametrize("zeros", [0, 1])
def test_one_hot_encoder(zeros):
    words = WORDS if zeros else ["ab", "", "水"]
    check([node("OneHotEncoder", ["x"], ["y"], cats_strings=["ab", "", "水"], zeros=zeros)],
          {"x": texts(6, 2, words=words)}, ["y"])


def test_one_hot_encoder_without_a_category():
    model = make_model([node("OneHotEncoder", ["x"], ["y"], cats_strings=["a"], zeros=0)],
                       {"x": texts(3)}, ["y"])
    with pytest.raises(Exception, match="expects"):
        run(model, {"x": np.array(["a", "b", "a"], object)})


@pytest.mark.parametrize("operator, inputs", [
    ("SVMClassifier", {"kernel_type": "LINEAR", "kernel_params": [1.0, 0.0, 3.0],
                       "coefficients": [1.0, -1.0, 0.5], "support_vectors": [0.5, 1.0, 0.0] * 3,
                       "vectors_per_class": [2, 1], "rho": [0.2]}),
    ("LinearClassifier", {"coefficients": [1.0, -1.0, 0.5, -1.0, 1.0, -0.5],
                          "intercepts": [0.1, -0.1]})])
def test_labels(operator, inputs):
    x = np.random.default_rng(0).standard_normal((20, 3)).astype(np.float32)
    found = check([node(operator, ["x"], ["label", "scores"], **inputs,
                        classlabels_strings=["yes", "nö"])], {"x": x}, ["label", "scores"])
    assert set(found[0]) == {"yes", "nö"}


def test_moved_and_compared():
    """What only moves strings, and compares them."""
    def op(operator, inputs, output, **attributes):
        return helper.make_node(operator, inputs, [output], **attributes)

    x, y = texts(4, 6), texts(4, 6, seed=1)
    check([op("Concat", ["x", "y"], "c", axis=1), op("Transpose", ["c"], "t"),
           op("Gather", ["t", "where"], "g", axis=0), op("Equal", ["x", "y"], "e"),
           op("Where", ["e", "x", "word"], "w"), op("Reshape", ["w", "flat"], "r"),
           op("Slice", ["r", "from", "to"], "s"), op("Shape", ["s"], "n"),
           op("Equal", ["x", "word"], "is_word"), op("Identity", ["x"], "i")],
          {"x": x, "y": y}, ["g", "e", "w", "s", "n", "is_word", "i"], expected=run_reference,
          constants={"where": np.array([3, 0, -1]), "flat": np.array([-1]),
                     "from": np.array([2]), "to": np.array([17]),
                     "word": np.array(["ab"], object)})


def test_constants_and_fills():
    model = helper.make_model(helper.make_graph(
        [helper.make_node("Constant", [], ["one"], value_string=b"one"),
         helper.make_node("Constant", [], ["two"], value_strings=[b"two", "zwölf".encode()]),
         helper.make_node("Expand", ["one", "shape"], ["rows"]),
         helper.make_node("Concat", ["two", "rows"], ["out"], axis=0)], "g", [],
        [helper.make_tensor_value_info("out", TensorProto.STRING, [5])],
        [numpy_helper.from_array(np.array([3]), "shape")]),
        opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    compare(run(model, {}), run_onnxruntime(model, {}))


def test_constants_of_many_strings():
    """Numbers of so many would be read as the file has them; strings are not."""
    for count in (8, 9, 1000):
        table = np.array([f"label {i}" for i in range(count)], object)
        check([helper.make_node("Gather", ["table", "x"], ["y"])],
              {"x": np.array([0, count - 1, -1, 3])}, ["y"], constants={"table": table})


def test_sequences_that_are_empty_first():
    x, y = texts(2, 3), texts(2, 3, seed=1)
    check([helper.make_node("SequenceEmpty", [], ["none"], dtype=TensorProto.STRING),
           helper.make_node("SequenceInsert", ["none", "x"], ["one"]),
           helper.make_node("SequenceInsert", ["one", "y"], ["two"]),
           helper.make_node("ConcatFromSequence", ["two"], ["z"], axis=1)],
          {"x": x, "y": y}, ["z"])


def test_virtual_machine(tmp_path):
    """Branches that are decided when the model runs are for the virtual machine."""
    def branch(name, word):
        return helper.make_graph(
            [helper.make_node("Concat", ["x", word], [name], axis=0)], name, [],
            [helper.make_tensor_value_info(name, TensorProto.STRING, None)])

    nodes = [helper.make_node("If", ["c"], ["y"], then_branch=branch("t", "yes"),
                              else_branch=branch("e", "no"))]
    for flag in (True, False):
        inputs = {"c": np.array(flag), "x": texts(3)}
        model = make_model(nodes, inputs, ["y"], static=True, constants={
            "yes": np.array(["yes"], object), "no": np.array(["no"], object)})
        compiled = rm.compile(model)
        assert isinstance(compiled, rm.Program)
        assert compiled.inputs[1].dtype == compiled.outputs[0].dtype == np.dtype(object)
        wanted = run_onnxruntime(model, inputs)
        compare([compiled(**inputs)], wanted)
        compiled.profile(inputs, repeat=1)
        compiled.save(tmp_path / "m.so")
        compare([rm.load(tmp_path / "m.so").run(inputs)], wanted)
        for name, value in inputs.items():
            np.save(tmp_path / name, value.astype(str) if name == "x" else value)
        subprocess.run(
            [TOOLS / "relay-run", tmp_path / "m.so", f"--input=c={tmp_path / 'c.npy'}",
             f"--input=x={tmp_path / 'x.npy'}", f"--output=y={tmp_path / 'y.npy'}"], check=True)
        assert (np.load(tmp_path / "y.npy") == wanted[0]).all()


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
def test_n_grams(mode):
    attributes = dict(
        max_gram_length=2, max_skip_count=1, min_gram_length=1, mode=mode,
        ngram_counts=[0, 3], ngram_indexes=[4, 0, 2, 1, 3], pool_strings=[
            "a", "b", "水", "a", "b", "b", "über"], weights=[0.5, 2.0, 1.5, 3.0, 0.25])
    x = texts(5, 12, words=["a", "b", "水", "über", "never"])
    check([helper.make_node("TfIdfVectorizer", ["x"], ["y"], **attributes)], {"x": x}, ["y"])


def test_pipeline():
    """Categories and numbers in columns of their own, as scikit-learn has them: with labels
    that are strings."""
    rng = np.random.default_rng(0)
    colors, sizes = rng.choice(["red", "green", "blue"], 300), rng.standard_normal((300, 2))
    labels = np.where((colors == "red") ^ (sizes[:, 0] > 0.3), "take", "leave")
    frame = np.concatenate([colors[:, None], sizes], axis=1).astype(object)
    fitted = pipeline.make_pipeline(
        compose.ColumnTransformer([
            ("color", preprocessing.OneHotEncoder(handle_unknown="ignore"), [0]),
            ("size", preprocessing.StandardScaler(), [1, 2])]),
        linear_model.LogisticRegression()).fit(frame, labels)
    transformer, classifier = fitted[0], fitted[-1]
    encoder, scaler = (transformer.named_transformers_[name] for name in ("color", "size"))
    model = make_model(
        [node("OneHotEncoder", ["color"], ["hot"], cats_strings=encoder.categories_[0].tolist()),
         helper.make_node("Reshape", ["hot", "rows"], ["flat"]),
         node("Scaler", ["size"], ["scaled"], offset=scaler.mean_.tolist(),
              scale=(1 / scaler.scale_).tolist()),
         node("FeatureVectorizer", ["flat", "scaled"], ["x"], inputdimensions=[3, 2]),
         node("LinearClassifier", ["x"], ["label", "scores"],
              coefficients=np.concatenate([-classifier.coef_, classifier.coef_]).ravel().tolist(),
              intercepts=np.concatenate([-classifier.intercept_,
                                         classifier.intercept_]).tolist(),
              classlabels_strings=classifier.classes_.tolist(), post_transform="LOGISTIC")],
        {"color": colors[:, None].astype(object), "size": sizes.astype(np.float32)},
        ["label", "scores"], constants={"rows": np.array([-1, 3])})
    seen = rng.choice(["red", "green", "blue", "pink"], (50, 1)).astype(object)
    inputs = {"color": seen, "size": rng.standard_normal((50, 2)).astype(np.float32)}
    found = run(model, inputs)
    compare(found, run_onnxruntime(model, inputs))
    wanted = fitted.predict(np.concatenate([seen, inputs["size"].astype(object)], axis=1))
    assert (found[0] == wanted).all() and set(wanted) == {"take", "leave"}


# How programs of users pass strings.


ECHO = [helper.make_node("Identity", ["x"], ["y"])]


def test_arrays_of_strings():
    model = rm.compile(make_model(ECHO, {"x": texts(2, 2)}, ["y"]))
    assert model.inputs[0].dtype == model.outputs[0].dtype == np.dtype(object)
    for x in ([["a", "ö"], ["", "x"]], np.array([["a", "ö"], ["", "x"]]),
              [[b"a", "ö".encode()], [b"", b"x"]], np.array([["a", "ö"], ["", "x"]], object)):
        y = model(x)
        assert y.dtype == object and y.tolist() == [["a", "ö"], ["", "x"]]
    # Not in C order.
    x = texts(2, 4)[:, ::2].T.copy(order="F")
    assert (model(x) == x).all()
    # Numbers of strings that are not the model's are those of one call.
    assert model([["p", "q"]]).tolist() == [["p", "q"]]
    assert model([["q", "r"]]).tolist() == [["q", "r"]]


@pytest.mark.parametrize("x, message", [
    ([[1, 2]], "expects strings for input 'x', but got "),
    ([["a", None]], "expects strings for input 'x', but got "),
    (np.zeros((0, 2), np.int64), "expects strings for input 'x', but got an array of int64"),
    ([["a", b"\xff"]], "expects bytes of UTF-8 for input 'x', but got b'.xff'"),
    (["a", "b"], "input 'x'"),
    ([["a", "b", "c"]], "input 'x'")])
def test_what_is_no_array_of_strings(x, message):
    model = rm.compile(make_model(ECHO, {"x": texts(2, 2)}, ["y"]))
    with pytest.raises((TypeError, ValueError), match=message):
        model(x)


def test_session():
    model = make_model(ECHO, {"x": texts(2, 2)}, ["y"])
    session = rm.InferenceSession(model.SerializeToString())
    assert session.get_inputs()[0].type == session.get_outputs()[0].type == "tensor(string)"
    x = texts(5, 2)
    assert (session.run(None, {"x": x})[0] == x).all()


def test_relay_run(tmp_path):
    """Files of strings, from a model and from its artefact, and the interpreter's."""
    x = texts(3, 2, words=WORDS[:-1])
    model = make_model(
        [node("LabelEncoder", ["x"], ["n"], keys_strings=["a", "水"], values_int64s=[1, 2]),
         node("LabelEncoder", ["n"], ["y"], keys_int64s=[1, 2], values_strings=["A", "Water"],
              default_string="?"), helper.make_node("Concat", ["x", "y"], ["z"], axis=0)],
        {"x": x}, ["z"], opset=2)
    path, artefact = tmp_path / "m.onnx", tmp_path / "m.so"
    onnx.save(model, path)
    np.save(tmp_path / "x.npy", x.astype(str))
    np.save(tmp_path / "bytes.npy", np.char.encode(x.astype(str), "utf-8"))
    subprocess.run([TOOLS / "relay-compile", path, "-o", artefact], check=True)
    wanted = run_onnxruntime(model, {"x": x})[0]
    for file in ("x.npy", "bytes.npy"):
        for command in ([path], [artefact], [path, "--interpret"]):
            done = subprocess.run(
                [TOOLS / "relay-run", *command, f"--input=x={tmp_path / file}",
                 f"--output=z={tmp_path / 'z.npy'}"], check=True, capture_output=True, text=True)
            assert done.stdout.startswith('z: tensor<6x2xstring> ["')
            assert '"Water"' in done.stdout and '"über"' in done.stdout
            assert (np.load(tmp_path / "z.npy") == wanted).all()
    # Without a file they are some of the model's.
    done = subprocess.run([TOOLS / "relay-run", artefact, "--dim=N=4"], check=True,
                          capture_output=True, text=True)
    assert done.stdout.startswith("z: tensor<8x2xstring> [")
    done = subprocess.run([TOOLS / "relay-run", artefact, "--info"], check=True,
                          capture_output=True, text=True)
    assert "input: x string [N, 2]" in done.stdout


@pytest.mark.parametrize("array, message", [
    (np.zeros((3, 2), np.float32), "expects a dtype of strings, '<U' and a number, but got '<f4'"),
    (np.full((3, 3), "a"), "expects input 'x' of type tensor<?x2xstring>, but "),
    (np.full((3, 3), "a"), "x.npy' holds tensor<3x3xstring>"),
    (np.full((3, 2), b"\xff\xfe"), "expects strings of Unicode without zeros")])
def test_files_that_do_not_fit(tmp_path, array, message):
    onnx.save(make_model(ECHO, {"x": texts(3, 2)}, ["y"]), tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", array)
    done = subprocess.run([TOOLS / "relay-run", tmp_path / "m.onnx",
                           f"--input={tmp_path / 'x.npy'}"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and message in done.stderr


# What strings are not.


@pytest.mark.parametrize("nodes, message", [
    ([helper.make_node("Add", ["x", "x"], ["y"])],
     'expects numbers in input 0 ("x"), but got strings'),
    ([helper.make_node("StringNormalizer", ["x"], ["y"], case_change_action="lower")],
     'expects case_change_action LOWER, UPPER or NONE, but got "lower"'),
    ([node("LabelEncoder", ["x"], ["y"], keys_int64s=[1], values_int64s=[2])],
     "expects keys of the type of the data, strings, but got i64"),
    ([node("OneHotEncoder", ["x"], ["y"], cats_int64s=[1])],
     "expects data of the type of the categories, but got strings"),
    ([helper.make_node("ScatterND", ["x", "where", "x"], ["y"], reduction="max")],
     'expects no reduction of strings, but got "max"'),
    ([helper.make_node("Pad", ["x", "pads", "three"], ["y"])],
     "expects elements of type 'string' in input 2, as in input 0, but got 'i64'"),
    ([helper.make_node("Concat", ["x", "where"], ["y"], axis=0)],
     "but got 'tensor<?x2xstring>' and 'tensor<3x1xi64>'"),
    ([helper.make_node("OneHot", ["where", "three", "x"], ["y"])],
     "expects two values, but got 'tensor<?x2xstring>'"),
    ([helper.make_node("SequenceConstruct", ["x"], ["y"])],
     "expects strings in tensors as outputs, but got a sequence or an optional value of strings "
     "as output 0")])
def test_refusals(nodes, message):
    model = make_model(nodes, {"x": texts(3, 2)}, ["y"], opset=2,
                       constants={"where": np.array([[0], [1], [2]]), "three": np.array(3),
                                  "pads": np.array([0, 1, 0, 1])})
    with pytest.raises(rm.CompileError) as caught:
        rm.compile(model)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", [b"\xff", b"\xed\xa0\x80", b"\xc0\x80"])
@pytest.mark.parametrize("operator, attributes, name", [
    ("LabelEncoder", {"values_int64s": [1, 2]}, "keys_strings"),
    ("LabelEncoder", {"keys_strings": ["a", "b"]}, "values_strings"),
    ("LabelEncoder", {"keys_strings": ["a"], "values_strings": ["b"]}, "default_string"),
    ("CategoryMapper", {"cats_int64s": [1, 2]}, "cats_strings"),
    ("OneHotEncoder", {}, "cats_strings"),
    ("TfIdfVectorizer", {"mode": "TF", "min_gram_length": 1, "max_gram_length": 1,
                         "max_skip_count": 0, "ngram_counts": [0], "ngram_indexes": [0, 1]},
     "pool_strings"),
    ("Constant", {}, "value_strings"), ("Constant", {}, "value_string")])
def test_attributes_that_are_no_text(text, operator, attributes, name):
    domain = "" if operator in ("TfIdfVectorizer", "Constant") else DOMAIN
    value = text if name.endswith("string") else [b"fine", text]
    node = helper.make_node(operator, [] if operator == "Constant" else ["x"], ["c"],
                            domain=domain, **attributes)
    node.attribute.append(helper.make_attribute(name, value))
    model = make_model([node, helper.make_node("Identity", ["c"], ["y"])], {"x": texts(3, 2)},
                       ["y"], opset=2)
    with pytest.raises(rm.CompileError) as caught:
        rm.compile(model)
    assert (f'"c" ({"" if domain == "" else domain + "."}{operator}, opset' in str(caught.value)
            and f'expects attribute "{name}" to have strings that are UTF-8 text'
            in str(caught.value))


def test_values_that_are_fixed():
    model = make_model(ECHO, {"x": texts(2)}, ["y"])
    with pytest.raises(rm.CompileError, match="expects values for inputs of numbers only, but "
                       'input "x" has strings'):
        rm.compile(model, inputs={"x": [1, 2]})


@pytest.mark.parametrize("change, message", [
    (lambda tensor: tensor.string_data.append(b"more"),
     "expects strings for the dimensions [2], but got 3"),
    (lambda tensor: tensor.string_data.__setitem__(0, b"\xff"),
     "expects strings that are UTF-8 text"),
    (lambda tensor: setattr(tensor, "raw_data", b"12"),
     "expects data in one field, but there is raw_data and string_data")])
def test_damaged_constants(change, message):
    model = make_model([helper.make_node("Concat", ["x", "c"], ["y"], axis=0)], {"x": texts(3)},
                       ["y"], constants={"c": np.array(["a", "b"], object)})
    change(model.graph.initializer[0])
    with pytest.raises(rm.CompileError) as caught:
        rm.compile(model)
    assert message in str(caught.value)
