# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LinearAttention, FlexAttention and TfIdfVectorizer beyond ONNX's own tests of them."""

import itertools

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import relay_mlir as rm

RNG = np.random.default_rng(0)


def make_model(node, inputs, outputs, opset=27, ir_version=13, extra=()):
    graph = helper.make_graph([node], "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), *extra])
    model.ir_version = ir_version
    return model


def info(name, array, shape=None):
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape if shape is None else shape)


def random(*shape, dtype=np.float32):
    return (RNG.standard_normal(shape) / 2).astype(dtype)


def linear_attention(rule, batch=2, length=5, heads=2, queries=4, features=3, width=5, state=True,
                     wide_decay=True, shared_beta=False, dtype=np.float32, state_dtype=None, **attributes):
    feeds = {"query": random(batch, length, queries * features, dtype=dtype),
             "key": random(batch, length, heads * features, dtype=dtype),
             "value": random(batch, length, heads * width, dtype=dtype)}
    names = [*feeds, "", "", ""]
    if state:
        names[3] = "state"
        feeds["state"] = random(batch, heads, features, width, dtype=state_dtype or dtype)
    if rule in ("gated", "gated_delta"):
        names[4] = "decay"
        feeds["decay"] = -abs(random(batch, length, heads * (features if wide_decay else 1), dtype=dtype))
    if rule in ("delta", "gated_delta"):
        names[5] = "beta"
        feeds["beta"] = abs(random(batch, length, 1 if shared_beta else heads, dtype=dtype))
    node = helper.make_node("LinearAttention", names, ["y", "present"], q_num_heads=queries,
                            kv_num_heads=heads, update_rule=rule, **attributes)
    outputs = [helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), None),
               helper.make_tensor_value_info(
                   "present", helper.np_dtype_to_tensor_dtype(np.dtype(state_dtype or dtype)), None)]
    return make_model(node, [info(name, array) for name, array in feeds.items()], outputs), feeds


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("options", [
    {}, {"state": False}, {"queries": 2}, {"wide_decay": False, "shared_beta": True}, {"length": 1, "batch": 1},
    {"scale": 0.3, "dtype": np.float16}, {"dtype": np.float16, "state_dtype": np.float32}],
    ids=lambda options: "-".join(map(str, options)) or "plain")
def test_linear_attention(rule, options):
    model, feeds = linear_attention(rule, **options)
    compiled = rm.compile(model, precision="highest")
    expected = ReferenceEvaluator(model).run(None, feeds)
    tolerance = 1e-5 if options.get("dtype") is None else 5e-3
    for actual, wanted in zip(compiled.run(feeds), expected, strict=True):
        assert actual.dtype == wanted.dtype and actual.shape == wanted.shape
        np.testing.assert_allclose(actual.astype(np.float32), wanted.astype(np.float32),
                                   rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("options", [
    {}, {"state": False}, {"wide_decay": False, "shared_beta": True},
    {"dtype": np.float16}, {"dtype": np.float16, "state_dtype": np.float32}],
    ids=lambda options: "-".join(map(str, options)) or "plain")
def test_linear_attention_over_any_number_of_positions(rule, options):
    """A loop, whose state is no less exact than that of positions that are written out."""
    model, _ = linear_attention(rule, **options)
    for value in model.graph.input:
        if value.name != "state":
            for dim, name in zip(value.type.tensor_type.shape.dim, ("batch", "positions")):
                dim.dim_param = name
    if options.get("state", True):
        model.graph.input[3].type.tensor_type.shape.dim[0].dim_param = "batch"
    compiled = rm.compile(model, precision="highest")
    tolerance = 1e-5 if options.get("dtype") is None else 5e-3
    for batch, length in ((1, 1), (2, 7), (1, 70)):
        fixed, feeds = linear_attention(rule, **options, batch=batch, length=length)
        feeds["key"] /= 2
        programs = [compiled] if length != 70 else [compiled, rm.compile(fixed, precision="highest")]
        expected = ReferenceEvaluator(fixed).run(None, feeds)
        for program in programs:
            for actual, wanted in zip(program.run(feeds), expected, strict=True):
                assert actual.dtype == wanted.dtype and actual.shape == wanted.shape
                scale = max(1, np.abs(wanted.astype(np.float32)).max())
                np.testing.assert_allclose(actual.astype(np.float32), wanted.astype(np.float32),
                                           rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("rule, options, message", [
    ("linear", {"queries": 3}, "expects q_num_heads that is a multiple of kv_num_heads, but got 3 and 2"),
    ("other", {}, "expects update_rule linear, gated, delta or gated_delta, but got \"other\"")])
def test_wrong_linear_attention(rule, options, message):
    model, _ = linear_attention(rule, **options)
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(model)


def test_linear_attention_wants_what_its_rule_has():
    model, _ = linear_attention("gated")
    model.graph.node[0].input[4] = ""
    with pytest.raises(rm.CompileError, match='expects decay and no beta for update_rule "gated"'):
        rm.compile(model)


def flex_attention(graph_inputs=1, batch="n"):
    """Scores plus a bias from around the graph."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["s", "bias"], ["t"])], "mod",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ["s", "r"][:graph_inputs]],
        [helper.make_tensor_value_info("t", TensorProto.FLOAT, None)])
    node = helper.make_node("FlexAttention", ["q", "k", "v"], ["y"], domain="ai.onnx.preview", score_mod=graph)
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, heads, length, 8])
              for name, heads, length in (("q", 4, 3), ("k", 2, "t"), ("v", 2, "t"))]
    inputs.append(helper.make_tensor_value_info("bias", TensorProto.FLOAT, [3, "t"]))
    return make_model(node, inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                      extra=[helper.make_opsetid("ai.onnx.preview", 1)])


def test_flex_attention_with_open_sizes():
    compiled = rm.compile(flex_attention(), precision="highest")
    for batch, length in itertools.product((1, 2), (1, 7)):
        q, k, v = random(batch, 4, 3, 8), random(batch, 2, length, 8), random(batch, 2, length, 8)
        bias = random(3, length)
        keys, values = (np.repeat(a, 2, axis=1) for a in (k, v))
        scores = q @ keys.swapaxes(2, 3) / np.sqrt(8) + bias
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        expected = weights / weights.sum(-1, keepdims=True) @ values
        np.testing.assert_allclose(compiled(q, k, v, bias), expected, rtol=1e-5, atol=1e-5)


def test_wrong_graphs_of_flex_attention():
    with pytest.raises(rm.CompileError, match="expects one input and one output of score_mod, but got 2 and 1"):
        rm.compile(flex_attention(graph_inputs=2))


def grams(dtype, shape, rank=2, **attributes):
    node = helper.make_node("TfIdfVectorizer", ["x"], ["y"], **attributes)
    return make_model(node, [helper.make_tensor_value_info("x", dtype, shape)],
                      [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * rank)], 9, 8)


POOL = {"pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7, 2, 3, 4, 5, 6], "ngram_counts": [0, 4, 12],
        "ngram_indexes": [0, 1, 2, 3, 5, 6, 7, 9, 8], "weights": [0.5, 2, 1, 3, 0.25, 1, 1, 4, 8]}


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (1, 2), (1, 3), (3, 3), (2, 3)])
@pytest.mark.parametrize("skip", [0, 1, 4])
def test_grams(mode, sizes, skip):
    model = grams(TensorProto.INT64, ["n", 9], mode=mode, min_gram_length=sizes[0],
                  max_gram_length=sizes[1], max_skip_count=skip, **POOL)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    compiled = rm.compile(model)
    for rows in (1, 3):
        x = RNG.integers(1, 9, (rows, 9))
        [expected] = session.run(None, {"x": x})
        np.testing.assert_allclose(compiled(x), expected, rtol=1e-6)


def test_grams_of_a_vector():
    model = grams(TensorProto.INT32, [2], rank=1, mode="TF", min_gram_length=1, max_gram_length=3,
                  max_skip_count=0, **POOL)
    # Too short for three numbers.
    np.testing.assert_array_equal(rm.compile(model)(np.array([5, 6], np.int32)), [0, 0, 1, 0, 0, 1, 0, 0, 0, 0])


@pytest.mark.parametrize("changes, message", [
    ({"mode": "ALL"}, "expects mode TF, IDF or TFIDF"),
    ({"min_gram_length": 0}, "expects 1 <= min_gram_length"),
    ({"ngram_counts": [0, 3, 12]}, "expects ngram_counts that divide"),
    ({"ngram_indexes": [0, 1, 2]}, "expects ngram_indexes of 9 n-grams, but got 3"),
    ({"ngram_indexes": [0, 1, 2, 3, 5, 6, 7, 9, 9]}, "expects each of ngram_indexes once, but got 9 twice"),
    ({"weights": [1.0]}, "expects weights of 9 n-grams, but got 1"),
    ({"max_skip_count": -1}, "expects max_skip_count from 0")])
def test_wrong_grams(changes, message):
    attributes = {"mode": "TF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0, **POOL, **changes}
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(grams(TensorProto.INT64, ["n", 9], **attributes))


#===----------------------------------------------------------------------===#
# Quantization to floats
#===----------------------------------------------------------------------===#


@pytest.mark.parametrize("name, type_", [("float8_e4m3fn", TensorProto.FLOAT8E4M3FN),
                                         ("float8_e5m2fnuz", TensorProto.FLOAT8E5M2FNUZ),
                                         ("float4_e2m1fn", TensorProto.FLOAT4E2M1)])
def test_quantization_to_floats(name, type_):
    """There and back, a scale for each row."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    x = (RNG.standard_normal((4, 50)) * 20).astype(np.float32)
    scale = np.array([0.25, 0.1, 3, 1], np.float32)
    graph = helper.make_graph(
        [helper.make_node("QuantizeLinear", ["x", "s"], ["q"], axis=0, output_dtype=type_),
         helper.make_node("DequantizeLinear", ["q", "s"], ["y"], axis=0)], "g",
        [info("x", x), info("s", scale)],
        [helper.make_tensor_value_info("q", type_, [4, 50]),
         helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 50])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])
    model.ir_version = 12
    q, y = rm.compile(model, precision="highest")(x, scale)
    limit = float(ml_dtypes.finfo(dtype).max)
    expected = np.clip(x / scale[:, None], -limit, limit).astype(dtype)
    np.testing.assert_array_equal(q.view(np.uint8), expected.view(np.uint8))
    np.testing.assert_allclose(y, expected.astype(np.float32) * scale[:, None], rtol=1e-6)
