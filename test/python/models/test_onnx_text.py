# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that look into strings and make new ones, compiled, against ONNX Runtime.
Everything is compared exactly, but for what numbers are made of."""

import concurrent.futures
import gc
import os
import pathlib
import subprocess

import numpy as np
import onnx
import psutil
import pytest
from onnx import TensorProto, helper
from sklearn.feature_extraction import text as features

import relay_mlir as rm
from onnx_ml import compare, run_onnxruntime

TOOLS = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")) / "bin"
TEXTS = ["", "a", "b b", "Über", "水火 土", "a,b,,c", ",", "  a  b ", "naïve café", "A\0b", "\0", "ǅ ß İ ı",
         "x" * 300, "🙂 ok", "tab\there", "line\nbreak"]
STRING = TensorProto.STRING
# Its locale is there wherever ONNX Runtime is.
LOCALE = "C.UTF-8"


def texts(*shape, seed=0, words=TEXTS):
    return np.random.default_rng(seed).choice(np.array(words, object), shape)


def op(operator, inputs, outputs, domain="", **attributes):
    return helper.make_node(operator, inputs, outputs, domain=domain, **attributes)


def make_model(nodes, inputs, outputs, constants=None, static=False):
    """The sizes of inputs are open unless they are to be `static`."""
    def declare(name, array):
        shape = [size if static else f"{name}{axis}" for axis, size in enumerate(array.shape)]
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), shape)

    graph = helper.make_graph(
        nodes, "g", [declare(*item) for item in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [onnx.numpy_helper.from_array(np.asarray(value), name)
         for name, value in (constants or {}).items()])
    return helper.make_model(graph, ir_version=9, opset_imports=[
        helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3),
        helper.make_opsetid("com.microsoft", 1)])


def run(model, inputs, **options):
    outputs = rm.compile(model, **options).run(inputs)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def check(nodes, inputs, outputs, **options):
    """With open and with known sizes."""
    wanted = run_onnxruntime(make_model(nodes, inputs, outputs, **options), inputs)
    for static in (False, True):
        model = make_model(nodes, inputs, outputs, static=static, **options)
        compare(run(model, inputs), wanted)
    return wanted


# StringConcat


@pytest.mark.parametrize("x, y", [
    ((7,), (7,)), ((3, 4), (3, 4)), ((), ()), ((0,), (0,)), ((2, 0), (2, 0))])
def test_concat(x, y):
    check([op("StringConcat", ["x", "y"], ["z"])], {"x": texts(*x), "y": texts(*y, seed=1)}, ["z"])


@pytest.mark.parametrize("x, y", [((3, 1), (4,)), ((3, 4), ()), ((1,), (2, 3)), ((0, 3), (1,))])
def test_concat_of_what_is_repeated(x, y):
    inputs = {"x": texts(*x), "y": texts(*y, seed=1)}
    model = make_model([op("StringConcat", ["x", "y"], ["z"])], inputs, ["z"], static=True)
    compare(run(model, inputs), run_onnxruntime(model, inputs))


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_executors(executor):
    """Strings that are made are equal to those of the model and to those that come in."""
    inputs = {"x": np.array(["a", "ab", "", "水"], object), "y": np.array(["b", "", "", "火"], object)}
    model = make_model(
        [op("StringConcat", ["x", "y"], ["z"]), op("Equal", ["z", "known"], ["k"]),
         op("Equal", ["z", "x"], ["e"]), op("StringConcat", ["z", "z"], ["twice"]),
         op("LabelEncoder", ["z"], ["n"], domain="ai.onnx.ml", keys_strings=["水火", "ab"],
            values_int64s=[7, 8], default_int64=-1)],
        inputs, ["z", "k", "e", "twice", "n"], constants={"known": np.array("ab", object)})
    for opt_level in (0, 3):
        found = run(model, inputs, executor=executor, opt_level=opt_level)
        compare(found, run_onnxruntime(model, inputs))
    assert found[1].tolist() == [True, True, False, False]


# StringSplit


@pytest.mark.parametrize("shape", [(16,), (3, 5), (), (0,), (0, 2), (1, 1)])
@pytest.mark.parametrize("attributes", [
    {}, {"delimiter": ","}, {"delimiter": ",", "maxsplit": 1}, {"maxsplit": 1}, {"maxsplit": 0},
    {"delimiter": " ", "maxsplit": 0}, {"delimiter": "水火"}, {"delimiter": ""}])
def test_split(shape, attributes):
    x = np.array(TEXTS, object) if shape == (16,) else texts(*shape)
    check([op("StringSplit", ["x"], ["y", "n"], **attributes)], {"x": x}, ["y", "n"])


def test_split_of_nothing():
    """No string has parts: the last dimension has no elements."""
    check([op("StringSplit", ["x"], ["y", "n"])], {"x": np.array(["", "  "], object)}, ["y", "n"])


def test_parts_go_on():
    """What is made of parts, whose number is known when the model runs."""
    check([op("StringSplit", ["x"], ["parts", "n"], delimiter=","),
           op("StringConcat", ["parts", "mark"], ["marked"]),
           op("Equal", ["parts", "word"], ["is_word"]), op("Shape", ["marked"], ["shape"])],
          {"x": texts(9)}, ["marked", "is_word", "shape", "n"],
          constants={"mark": np.array("!", object), "word": np.array("b", object)})


def test_counts_alone_need_no_machine():
    model = make_model([op("StringSplit", ["x"], ["y", "n"])], {"x": texts(9)}, ["n"])
    assert isinstance(rm.compile(model), rm.Module)


# RegexFullMatch


@pytest.mark.parametrize("pattern", [
    "a.*", r"\d+", "[[:alpha:]]+", r"\pL+", "a|ab", "(?i)über", ".*", "", r"\s*a\s*b\s*",
    "(?s).*", "[^a]+", "x{300}"])
def test_full_match(pattern):
    x = np.array(TEXTS + ["123", "ab", "ÜBER"], object)
    check([op("RegexFullMatch", ["x"], ["y"], pattern=pattern)], {"x": x}, ["y"])


@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_full_match_of_shapes(shape):
    check([op("RegexFullMatch", ["x"], ["y"], pattern="a.*")], {"x": texts(*shape)}, ["y"])


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "[z-a]", r"\1", "a{2,1}", "*"])
def test_what_is_no_pattern(pattern):
    for node in (op("RegexFullMatch", ["x"], ["y"], pattern=pattern),
                 op("Tokenizer", ["x"], ["y"], domain="com.microsoft", mark=0, pad_value="",
                    mincharnum=1, tokenexp=pattern)):
        with pytest.raises(rm.CompileError, match="expects a regular expression of RE2, but got"):
            rm.compile(make_model([node], {"x": texts(3)}, ["y"]))


def test_patterns_take_linear_time():
    """Which one that goes back and tries again would not."""
    x = np.array(["a" * 5000 + "b"], object)
    model = make_model([op("RegexFullMatch", ["x"], ["y"], pattern="(a|aa|a*)*c")], {"x": x}, ["y"])
    assert run(model, {"x": x})[0].tolist() == [False]


# StringNormalizer


@pytest.mark.parametrize("action", ["LOWER", "UPPER", "NONE"])
@pytest.mark.parametrize("sensitive", [0, 1])
@pytest.mark.parametrize("words", [[], ["a", "Über"], ["ǆ ß i̇ ı", "水火 土", "A"]])
def test_normalizer(action, sensitive, words):
    attributes = dict(case_change_action=action, is_case_sensitive=sensitive, locale=LOCALE,
                      **({"stopwords": words} if words else {}))
    x = np.array(TEXTS + ["A", "über", "ÜBER", "µ ﬁ ÿ ΑΣ ας"], object)
    check([op("StringNormalizer", ["x"], ["y"], **attributes)], {"x": x}, ["y"])


@pytest.mark.parametrize("x", [["a"], ["a", "A", "a"], ["b"]])
def test_normalizer_that_leaves_nothing(x):
    for data in (np.array(x, object), np.array([x], object)):
        nodes = [op("StringNormalizer", ["x"], ["y"], stopwords=["a"], is_case_sensitive=0, locale=LOCALE)]
        model = make_model(nodes, {"x": data}, ["y"], static=True)
        compare(run(model, {"x": data}), run_onnxruntime(model, {"x": data}))


@pytest.mark.parametrize("shape, static, message", [
    ((3, 2), True, "expects 1 elements along axis 0, but got 'tensor<3x2xstring>'"),
    ((2, 2, 2), True, "expects strings of shape .C. or .1, C., but got 'tensor<2x2x2xstring>'"),
    ((), True, "expects strings of shape .C. or .1, C., but got 'tensor<string>'"),
    ((3, 2), False, "expects x0 to equal 1, but got 3")])
def test_normalizer_of_other_shapes(shape, static, message):
    x = texts(*shape)
    model = make_model([op("StringNormalizer", ["x"], ["y"])], {"x": x}, ["y"], static=static)
    with pytest.raises((rm.CompileError, ValueError), match=message):
        run(model, {"x": x})


@pytest.mark.parametrize("locale, lower, upper", [
    ("en_US", "iäı", "IÄI"), ("tr_TR.UTF-8", "ıäı", "İÄI"), ("az", "ıäı", "İÄI"), ("C", "iÄı", "Iäı"),
    ("", "iäı", "IÄI")])
def test_locales(locale, lower, upper):
    for action, data, wanted in (("LOWER", "IÄı", lower), ("UPPER", "iäı", upper)):
        x = np.array([data], object)
        model = make_model([op("StringNormalizer", ["x"], ["y"], case_change_action=action,
                               locale=locale)], {"x": x}, ["y"])
        assert run(model, {"x": x})[0].tolist() == [wanted]


# Casts


@pytest.mark.parametrize("dtype, values", [
    ("float32", [1.5, 0, -0.0, 1e10, 123456789, 1e-5, 3.14159274, np.nan, np.inf, -np.inf, 1e38, 0.1, 1 / 3]),
    ("float64", [0.1, 1 / 3, 1e22, 1e300, 5, -0.0, 123456789012345678, 5e-324, np.nan, -np.inf]),
    ("float16", [0.1, 1, 65504, -2**-24]), ("int64", [0, -5, 2**62, -2**63]), ("int32", [7, -2**31]),
    ("int8", [-128, 127]), ("uint8", [0, 255]), ("uint16", [65535]), ("uint32", [2**32 - 1]),
    ("uint64", [2**64 - 1, 0]), ("bool", [True, False])])
def test_format(dtype, values):
    x = np.array(values, dtype)
    check([op("Cast", ["x"], ["y"], to=STRING)], {"x": x}, ["y"])
    check([op("Cast", ["x"], ["y"], to=STRING)], {"x": x[:1].reshape(())}, ["y"])


@pytest.mark.parametrize("to", ["FLOAT", "DOUBLE", "FLOAT16", "INT64", "INT32", "INT16", "INT8", "UINT8",
                                "UINT16", "UINT32", "UINT64", "BOOL"])
def test_parse(to):
    x = ["1", " 1.5 ", "-3.75", "+7", "0", "300", "1e3", "-0", "\t42\n", "007"]
    if "FLOAT" in to or to == "DOUBLE":
        x += ["NaN", "nan", "INF", "-INF", "+inf", "infinity", "1e-50", "1E8", ".5", "5.", "3.4e38",
              "0.1", "16777217", "-1e-5"]
    elif to[0] == "U" or to == "BOOL":
        x = [text for text in x if "-" not in text] + ["-1"]
    check([op("Cast", ["x"], ["y"], to=getattr(TensorProto, to))], {"x": np.array(x, object)}, ["y"])


def test_there_and_back():
    x = np.random.default_rng(0).integers(-2**63, 2**63, (5, 4))
    nodes = [op("Cast", ["x"], ["t"], to=STRING), op("Cast", ["t"], ["y"], to=TensorProto.INT64)]
    assert (run(make_model(nodes, {"x": x}, ["y"]), {"x": x})[0] == x).all()


@pytest.mark.parametrize("to, text, message", [
    ("FLOAT", "abc", 'expects a string that is a number, but got "abc"'),
    ("FLOAT", "", 'expects a string that is a number, but got ""'),
    ("FLOAT", "1.5x", 'expects a string that is a number, but got "1.5x"'),
    ("DOUBLE", "1e400", 'expects a string that is a number of 64 bits, but got "1e400"'),
    ("INT64", "水", 'expects a string that is an integer, but got "水"'),
    ("INT64", "7 apples", 'expects a string that is a number, but got "7 apples"'),
    ("INT8", "9" * 60, 'expects a string that is an integer of 64 bits, but got "' + "9" * 40 + '..."'),
    ("UINT64", "--1", 'expects a string that is an integer, but got "--1"'),
    ("INT32", "1\0", 'expects a string that is a number, but got "1\\\\0"')])
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_what_is_no_number(to, text, message, executor):
    x = np.array(["1", text], object)
    model = rm.compile(make_model([op("Cast", ["x"], ["y"], to=getattr(TensorProto, to), name="C")],
                                  {"x": x}, ["y"]), executor=executor)
    with pytest.raises(ValueError, match=message.replace("...", r"\.\.\.")):
        model.run({"x": x})
    # The next run knows nothing of it.
    assert model.run({"x": np.array(["1", "0"], object)}).tolist() == [1, 0]


# Contrib operators


def tokenizer(**attributes):
    return op("Tokenizer", ["x"], ["y"], domain="com.microsoft",
              **{"mark": 0, "mincharnum": 1, "pad_value": "#", **attributes})


SENTENCES = ["a b  c", "héllo wörld", "", "  ", "one,two;three", "bb a ab", "水火 土", "A\0b"]


@pytest.mark.parametrize("mark", [0, 1])
@pytest.mark.parametrize("attributes", [
    {"tokenexp": "[a-z]+"}, {"tokenexp": r"\w+"}, {"tokenexp": "."}, {"tokenexp": "[^ ]*"},
    {"tokenexp": "a|ab|b c"}, {"tokenexp": r"\w+", "mincharnum": 2}, {"tokenexp": "never"},
    {"tokenexp": "^[a-z]"}, {"tokenexp": r"\bb"}, {"tokenexp": "o|$"}, {"tokenexp": r"\S+"},
    {"separators": [" "]}, {"separators": [" ", "l"]}, {"separators": [""]}, {"separators": ["l+", "o"]},
    {"separators": [" *"]}, {"separators": ["(a)|b"]}, {"separators": ["."]}, {"separators": ["^"]},
    {"separators": ["[,;]", "t"], "mincharnum": 3}, {"separators": ["é", "ö"]}, {"separators": [r"\b"]},
    {"separators": ["$"]}, {"separators": [" ", ""]}])
def test_tokenizer(attributes, mark):
    check([tokenizer(mark=mark, **attributes)], {"x": np.array(SENTENCES, object)}, ["y"])


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (1,)])
def test_tokenizer_of_shapes(shape):
    check([tokenizer(tokenexp="[a-z]")], {"x": texts(*shape, words=SENTENCES)}, ["y"])


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 2)])
@pytest.mark.parametrize("mark", [0, 1])
def test_tokenizer_of_nothing(shape, mark):
    """There is a dimension for tokens here, too, which ONNX Runtime leaves out."""
    x = texts(*shape)
    model = make_model([tokenizer(tokenexp="[a-z]", mark=mark)], {"x": x}, ["y"])
    assert run(model, {"x": x})[0].shape == (*shape, 0)


@pytest.mark.parametrize("attributes, message", [
    ({}, "expects separators or tokenexp, but got neither"),
    ({"tokenexp": ""}, "expects separators or tokenexp, but got neither"),
    ({"tokenexp": ".", "mincharnum": 2}, "expects mincharnum 1 where tokens are characters, but got 2"),
    ({"tokenexp": "a", "mincharnum": 0}, "expects mincharnum of at least 1, but got 0")])
def test_tokenizers_that_are_refused(attributes, message):
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(make_model([tokenizer(**attributes)], {"x": texts(3)}, ["y"]))


@pytest.mark.parametrize("attributes", [{}, {"seed": 7}, {"positive": 0}, {"seed": 2**32 - 1, "positive": 0}])
def test_hash(attributes):
    check([op("MurmurHash3", ["x"], ["y"], domain="com.microsoft", **attributes)],
          {"x": np.array(TEXTS + ["ab", "abc", "abcd", "abcde"], object)}, ["y"])


# Unique


@pytest.mark.parametrize("attributes", [{}, {"sorted": 0}, {"axis": 0}, {"axis": 1, "sorted": 0}, {"axis": 1}])
@pytest.mark.parametrize("shape", [(30,), (4, 3), (1, 1)])
def test_unique(attributes, shape):
    if attributes.get("axis", 0) < len(shape):
        check([op("Unique", ["x"], ["y", "i", "j", "n"], **attributes)],
              {"x": texts(*shape, words=["b", "a", "", "Ü", "z", "\0"])}, ["y", "i", "j", "n"])


# Pipelines of scikit-learn, as skl2onnx writes them


DOCUMENTS = [
    "This is the first document.", "This document is the second document.",
    "And this is the third one, isn't it?", "Is this the first document?", "", "naïve Über-texts: 42",
    "one one one ONE", "水 火"]


def text_pipeline(vectorizer, scales=None):
    """The nodes of a fitted CountVectorizer, and of the TfidfTransformer behind it."""
    names = vectorizer.get_feature_names_out()
    lowest, highest = vectorizer.ngram_range
    grams = [name.split(" ") for name in names]
    pool: list[str] = []
    indexes, counts = [], []
    for size in range(1, highest + 1):
        counts.append(len(pool))
        for index, gram in enumerate(grams):
            if len(gram) == size:
                pool += gram
                indexes.append(index)
    nodes = [
        op("Reshape", ["x", "rows"], ["flat"]),
        op("StringNormalizer", ["flat"], ["lower"], case_change_action="LOWER", is_case_sensitive=0,
           locale=LOCALE),
        op("Tokenizer", ["lower"], ["tokens"], domain="com.microsoft", mark=0, mincharnum=1, pad_value="#",
           tokenexp=vectorizer.token_pattern),
        op("Flatten", ["tokens"], ["table"]),
        op("TfIdfVectorizer", ["table"], ["counts"], min_gram_length=lowest, max_gram_length=highest,
           max_skip_count=0, mode="TF", ngram_counts=counts, ngram_indexes=indexes, pool_strings=pool,
           weights=[1.0] * len(indexes))]
    if scales is not None:
        nodes += [op("Mul", ["counts", "scales"], ["scaled"]),
                  op("Normalizer", ["scaled"], ["norm"], domain="ai.onnx.ml", norm="L2")]
    return nodes


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 2), (1, 3)])
def test_count_vectorizer(ngrams):
    fitted = features.CountVectorizer(ngram_range=ngrams, token_pattern="[a-z0-9_]+").fit(DOCUMENTS)
    x = np.array(DOCUMENTS + ["a document, this one", "second third"], object)[:, None]
    found = check(text_pipeline(fitted), {"x": x}, ["counts"], constants={"rows": np.array([-1])})
    wanted = fitted.transform(x[:, 0]).toarray()
    assert (found[0] == wanted).all()


@pytest.mark.parametrize("count", [0, 1, 3, 8])
def test_tfidf_vectorizer(count):
    """Also of the shortest texts, which have no n-gram, and of no text."""
    fitted = features.TfidfVectorizer(ngram_range=(1, 2), token_pattern="[a-z0-9_]+").fit(DOCUMENTS)
    nodes = text_pipeline(fitted, fitted.idf_)
    constants = {"rows": np.array([-1]), "scales": fitted.idf_.astype(np.float32)}
    fit = np.array(DOCUMENTS, object)[:, None]
    model = rm.compile(make_model(nodes, {"x": fit}, ["norm"], constants=constants))
    x = fit[:count]
    found = model.run({"x": x})
    wanted = (fitted.transform(x[:, 0]).toarray() if count
              else np.zeros((0, len(fitted.idf_)))).astype(np.float32)
    compare([found], [wanted])
    one = np.array([["one"]], object)
    compare([model.run({"x": one})], [fitted.transform(one[:, 0]).toarray().astype(np.float32)])


# How strings live


def split_and_join():
    x = texts(4)
    return rm.compile(make_model(
        [op("StringSplit", ["x"], ["parts", "n"], delimiter=","), op("StringConcat", ["parts", "parts"], ["y"])],
        {"x": x}, ["y", "n"]))


def test_runs_at_once():
    """Each has the strings of its own."""
    model = split_and_join()

    def call(worker):
        for i in range(100):
            words = [f"{worker}.{i}.{j}" for j in range(worker + 1)]
            y, n = model.run({"x": np.array([",".join(words), "same"], object)})
            assert y[0].tolist() == [word * 2 for word in words] and y[1][0] == "samesame"
            assert n.tolist() == [worker + 1, 1]
        return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(4)))


def test_memory_does_not_grow():
    """A model makes some MB of new strings in its runs, and keeps none."""
    model = split_and_join()

    def call(first, count):
        for i in range(first, first + count):
            model.run({"x": np.array([f"{i}," * 20 + "x" * 400], object)})
        gc.collect()
        return psutil.Process().memory_info().rss

    before = call(0, 2000)
    assert call(2000, 8000) - before < 8 << 20


def test_session():
    x = texts(3)
    model = make_model([op("StringConcat", ["x", "x"], ["y"])], {"x": x}, ["y"])
    session = rm.InferenceSession(model.SerializeToString())
    assert session.get_outputs()[0].type == "tensor(string)"
    compare(session.run(None, {"x": x}), run_onnxruntime(model, {"x": x}))


@pytest.mark.parametrize("nodes, outputs", [
    ([op("StringConcat", ["x", "x"], ["y"]), op("Cast", ["n"], ["m"], to=STRING)], ["y", "m"]),
    ([op("StringSplit", ["x"], ["y", "m"], delimiter=",")], ["y", "m"])])
def test_relay_run(tmp_path, nodes, outputs):
    """Files of strings, from a model and from its artefact, and the interpreter's."""
    inputs = {"x": np.array(["a,b", "水", "ab"], object), "n": np.array([1, -5])}
    model = make_model(nodes, inputs, outputs)
    path, artefact = tmp_path / "m.onnx", tmp_path / "m.so"
    onnx.save(model, path)
    for name, value in inputs.items():
        np.save(tmp_path / name, value.astype(str) if name == "x" else value)
    subprocess.run([TOOLS / "relay-compile", path, "-o", artefact], check=True)
    for command in ([path], [artefact], [path, "--interpret"], [path, "--check=interpreter"],
                    [artefact, "--benchmark", "--repeat=3"]):
        subprocess.run([TOOLS / "relay-run", *command,
                        *(f"--input={name}={tmp_path / name}.npy" for name in inputs),
                        *(f"--output={name}={tmp_path / 'out'}-{name}.npy" for name in outputs)], check=True)
        for name, wanted in zip(outputs, run_onnxruntime(model, inputs), strict=True):
            assert (np.load(f"{tmp_path / 'out'}-{name}.npy") == wanted).all()


def test_zeros_in_constants():
    """And code points of four bytes; of the model, of its attributes, and of a run."""
    words = ["a\0b", "\0", "\0\0", "🙂\0", ""]
    x = np.array([*words, "a"], object)
    model = make_model(
        [op("StringConcat", ["x", "zero"], ["y"]),
         op("LabelEncoder", ["x"], ["n"], domain="ai.onnx.ml", keys_strings=words,
            values_int64s=list(range(5)), default_int64=-1)],
        {"x": x}, ["y", "n"], constants={"zero": np.array("\0", object)})
    found = run(model, {"x": x})
    assert found[0].tolist() == [word + "\0" for word in x] and found[1].tolist() == [0, 1, 2, 3, 4, -1]


def test_what_is_no_unicode():
    model = rm.compile(make_model([op("StringConcat", ["x", "x"], ["y"])], {"x": texts(1)}, ["y"]))
    with pytest.raises(ValueError, match="expects strings of Unicode for input 'x', but got"):
        model.run({"x": ["\ud800"]})
