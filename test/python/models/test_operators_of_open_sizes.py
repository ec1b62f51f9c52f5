# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that are several of ours, at many sizes of one artefact, against ONNX Runtime.

The ONNX project's tests have static sizes. Tolerance: 2e-5 of the output's largest
magnitude; 1 for quantised numbers, which may fall on either side of a half.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from onnx import helper
from test_open_sizes import Pair, random

pytestmark = pytest.mark.share(2)

HEADS, SHARED, FEATURES = 4, 2, 8


@pytest.mark.parametrize("is_causal", [0, 1])
@pytest.mark.parametrize("has_mask", [False, True])
def test_attention_with_a_cache(is_causal, has_mask):
    inputs: dict[str, Any]
    inputs = {"q": (["b", "s", HEADS * FEATURES], "float32"),
              "k": (["b", "s", SHARED * FEATURES], "float32"),
              "v": (["b", "s", SHARED * FEATURES], "float32"),
              "past_k": (["b", SHARED, "p", FEATURES], "float32"),
              "past_v": (["b", SHARED, "p", FEATURES], "float32")}
    if has_mask:
        inputs["mask"] = (["s", "t"], "float32")
    node = helper.make_node(
        "Attention", ["q", "k", "v", "mask" if has_mask else "", "past_k", "past_v"],
        ["y", "present_k", "present_v"], is_causal=is_causal, q_num_heads=HEADS,
        kv_num_heads=SHARED)
    pair = Pair([node], inputs, ["y", "present_k", "present_v"], opset=23)
    for batch, length, past in [(1, 1, 7), (2, 3, 4), (1, 5, 1), (3, 1, 1)]:
        sizes = {"b": batch, "s": length, "p": past, "t": length + past}
        given = {name: random(*[sizes.get(dim, dim) for dim in dims], seed=i)
                 for i, (name, (dims, _)) in enumerate(inputs.items())}
        assert pair.check(given)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("turned", [0, 4])
def test_rotary_embedding(interleaved, turned):
    node = helper.make_node("RotaryEmbedding", ["x", "cos", "sin", "positions"], ["y"],
                            interleaved=interleaved, rotary_embedding_dim=turned, num_heads=HEADS)
    angles = np.outer(np.arange(50), 1.0 / 3 ** np.arange((turned or FEATURES) // 2))
    pair = Pair([node], {"x": (["b", "s", HEADS * FEATURES], "float32"),
                         "positions": (["b", "s"], "int64")}, ["y"],
                {"cos": np.cos(angles).astype(np.float32),
                 "sin": np.sin(angles).astype(np.float32)}, opset=23)
    for batch, length in [(1, 1), (2, 7), (3, 20)]:
        positions = np.random.default_rng(0).integers(0, 50, (batch, length))
        assert pair.check({"x": random(batch, length, HEADS * FEATURES), "positions": positions})


def quantised(*shape, dtype=np.uint8):
    """Signed weights have seven bits: without instructions for it, ONNX Runtime adds
    products of bytes in 16 bits that saturate."""
    info = np.iinfo(dtype)
    shrink = 2 if info.min < 0 else 1
    return np.random.default_rng(1).integers(info.min // shrink, info.max // shrink + 1, shape, dtype)


def test_quantised_products():
    scales = np.array([0.01, 0.02, 0.005], np.float32)
    nodes = [helper.make_node("QLinearMatMul", ["a", "s", "z", "b", "s3", "z3", "out", "z"], ["p"]),
             helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
             helper.make_node("MatMulInteger", ["q", "b", "zero"], ["r"])]
    pair = Pair(nodes, {"a": (["n", 16], "uint8"), "x": (["n", 16], "float32")},
                ["p", "q", "scale", "zero", "r"],
                {"s": np.float32(0.02), "z": np.uint8(100), "b": quantised(16, 3, dtype=np.int8),
                 "s3": scales, "z3": np.zeros(3, np.int8), "out": np.float32(0.07)})
    pair.tolerance = 1 / 255
    for rows in (1, 2, 33):
        assert pair.check({"a": quantised(rows, 16), "x": random(rows, 16)})


def test_quantised_convolution():
    node = helper.make_node("QLinearConv", ["x", "s", "z", "w", "sw", "zw", "out", "z", "bias"],
                            ["y"], pads=[1, 1, 1, 1], strides=[2, 1], group=2)
    pair = Pair([node], {"x": (["n", 4, "h", 9], "uint8")}, ["y"],
                {"s": np.float32(0.02), "z": np.uint8(128), "w": quantised(6, 2, 3, 3, dtype=np.int8),
                 "sw": np.linspace(0.01, 0.03, 6).astype(np.float32), "zw": np.zeros(6, np.int8),
                 "out": np.float32(0.9), "bias": np.arange(6, dtype=np.int32) * 100})
    pair.tolerance = 1 / 255
    for count, height in [(1, 5), (2, 8)]:
        assert pair.check({"x": quantised(count, 4, height, 9)})


@pytest.mark.parametrize("time", [0, 1])
def test_reversed_sequences(time):
    node = helper.make_node("ReverseSequence", ["x", "lengths"], ["y"], time_axis=time,
                            batch_axis=1 - time)
    dims = ["t", "b", 3] if time == 0 else ["b", "t", 3]
    pair = Pair([node], {"x": (dims, "float32"), "lengths": (["b"], "int64")}, ["y"])
    for batch, length in [(1, 1), (4, 6), (3, 1)]:
        shape = (length, batch, 3) if time == 0 else (batch, length, 3)
        lengths = np.random.default_rng(0).integers(0, length + 1, batch)
        assert pair.check({"x": random(*shape), "lengths": lengths})


def test_sums_along_an_axis_of_the_run():
    node = helper.make_node("CumSum", ["x", "axis"], ["y"], reverse=1)
    pair = Pair([node], {"x": (["a", "b", 3], "float32"), "axis": ([], "int32")}, ["y"])
    for axis, size in itertools.product(range(-3, 3), (1, 5)):
        assert pair.check({"x": random(size, 4, 3), "axis": np.array(axis, np.int32)})


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("has_weights", [False, True])
def test_losses(reduction, has_weights):
    node = helper.make_node("SoftmaxCrossEntropyLoss",
                            ["x", "target"] + ["w"] * has_weights, ["y", "log"],
                            reduction=reduction, ignore_index=-1)
    pair = Pair([node], {"x": (["n", 5, "d"], "float32"), "target": (["n", "d"], "int64")},
                ["y", "log"], {"w": np.linspace(0.1, 1, 5).astype(np.float32)} if has_weights else {})
    for count, places in [(1, 1), (4, 7)]:
        target = np.random.default_rng(0).integers(-1, 5, (count, places))
        target.flat[0] = 2
        assert pair.check({"x": random(count, 5, places), "target": target})


@pytest.mark.parametrize("rank", [2, 4])
def test_batch_normalization_of_open_channels(rank):
    dims = ["n", "c", "h", "w"][:rank]
    pair = Pair([helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"])],
                {"x": (dims, "float32")}, ["y"],
                {"s": random(3), "b": random(3, seed=1), "m": random(3, seed=2),
                 "v": abs(random(3, seed=3)) + 0.1})
    for count, channels in [(2, 3), (1, 3), (0, 3), (2, 1), (2, 4), (1, 0)]:
        assert pair.check({"x": random(*(count, channels, 5, 1)[:rank])}) == (channels == 3)


@pytest.mark.parametrize("opset", [18, 21])
@pytest.mark.parametrize("open_scales", [False, True])
def test_group_normalization_of_open_channels(opset, open_scales):
    """ONNX Runtime refuses a batch of 0, which makes a -1 of its Reshape ambiguous."""
    node = helper.make_node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=2)
    inputs = {"x": (["n", "c", "h"], "float32")}
    constants = {"s": random(4 if opset == 21 else 2), "b": random(4 if opset == 21 else 2, seed=1)}
    if open_scales:
        inputs |= {name: (["k"], "float32") for name in constants}
    pair = Pair([node], inputs, ["y"], {} if open_scales else constants, opset=opset)
    for count, channels, size in [(2, 4, 4), (1, 4, 1), (2, 2, 3), (2, 6, 3), (2, 5, 3)]:
        assert pair.check({"x": random(count, channels, size)} | (constants if open_scales else {})) \
            == (channels == 4 or (opset == 18 and channels % 2 == 0))


@pytest.mark.parametrize("op, groups", [("Conv", 2), ("Conv", 4), ("ConvTranspose", 2),
                                        ("ConvTranspose", 4), ("Conv", 1)])
def test_convolutions_of_open_channels(op, groups):
    weight = (8, 4 // groups, 3, 3) if op == "Conv" else (4, 8 // groups, 3, 3)
    pair = Pair([helper.make_node(op, ["x", "w", "b"], ["y"], group=groups)],
                {"x": (["n", "c", "h", "k"], "float32")}, ["y"],
                {"w": random(*weight), "b": random(8, seed=1)})
    for count, channels in [(2, 4), (1, 4), (1, 2), (1, 1), (1, 8)]:
        assert pair.check({"x": random(count, channels, 5, 6)}) == (channels == 4)


@pytest.mark.parametrize("transformation", ["half_pixel", "asymmetric", "align_corners",
                                            "pytorch_half_pixel", "tf_half_pixel_for_nn"])
@pytest.mark.parametrize("mode, rounding", [
    ("linear", "floor"), ("nearest", "floor"), ("nearest", "ceil"),
    ("nearest", "round_prefer_floor"), ("nearest", "round_prefer_ceil")])
def test_resize_by_scales(mode, rounding, transformation):
    # Whole scales, fractions, and what gives no whole sizes. The float nearest to
    # 0.6 is a quotient that may fall on either side of a half.
    scales = [2.0, 3.0, 0.5, 0.25, 1.5, 2.5] + [0.6] * (mode == "linear")
    nodes = [helper.make_node("Resize", ["x", "", f"s{i}"], [f"y{i}"], mode=mode,
                              nearest_mode=rounding,
                              coordinate_transformation_mode=transformation)
             for i in range(len(scales))]
    pair = Pair(nodes, {"x": (["n", 2, "h", "w"], "float32")},
                [node.output[0] for node in nodes],
                {f"s{i}": np.array([1, 1, scale, scale], np.float32)
                 for i, scale in enumerate(scales)})
    for shape in [(1, 2, 4, 4), (2, 2, 3, 5), (1, 2, 1, 2), (1, 2, 7, 10)]:
        assert pair.check({"x": random(*shape)})


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_resize_beside_a_known_size(mode):
    nodes = [helper.make_node("Resize", ["x", "", "scales"], ["y"], mode=mode)]
    pair = Pair(nodes, {"x": ([1, 2, 4, "w"], "float32")}, ["y"],
                {"scales": np.array([1, 1, 2, 3], np.float32)}, opt_level=0)
    for width in (1, 2, 7):
        assert pair.check({"x": random(1, 2, 4, width)})


def test_resize_in_what_follows():
    """Sizes that are doubled and halved are the sizes that they were."""
    nodes = [helper.make_node("Resize", ["x", "", "scales"], ["large"], mode="nearest",
                              coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
             helper.make_node("MaxPool", ["large"], ["small"], kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Add", ["x", "small"], ["sum"]),
             helper.make_node("Conv", ["large", "w"], ["y"], pads=[1, 1, 1, 1])]
    pair = Pair(nodes, {"x": (["n", 2, "h", "w_"], "float32")}, ["sum", "y"],
                {"scales": np.array([1, 1, 2, 2], np.float32), "w": random(3, 2, 3, 3)})
    for shape in [(1, 2, 4, 4), (2, 2, 3, 5), (1, 2, 1, 2)]:
        assert pair.check({"x": random(*shape)})


@pytest.mark.parametrize("dims", [["n", 0, "h", "k"], ["n", 0, "h", 4], [0, "c", "h", 4]])
def test_resize_of_nothing(dims):
    pair = Pair([helper.make_node("Resize", ["x", "", "scales"], ["y"])], {"x": (dims, "float32")},
                ["y"], {"scales": np.array([1, 1, 2, 2], np.float32)})
    shape = [{"n": 2, "c": 2, "h": 3, "k": 4}.get(dim, dim) for dim in dims]
    assert pair.compiled(random(*shape)).shape == (*shape[:2], 6, 8)


def test_upsample():
    pair = Pair([helper.make_node("Upsample", ["x", "scales"], ["y"])],
                {"x": (["n", 2, "h"], "uint8")}, ["y"],
                {"scales": np.array([1, 1, 3], np.float32)}, opset=9)
    for size in (1, 2, 7):
        assert pair.check({"x": quantised(2, 2, size)})


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scales", [(1, 1, 1, 3), (1, 1, 2, 1)])
def test_upsample_beside_open_sizes(mode, scales):
    """Of the axes that keep their size, one is open."""
    pair = Pair([helper.make_node("Upsample", ["x", "scales"], ["y"], mode=mode)],
                {"x": (["n", "c", 3, 4], "float32")}, ["y"],
                {"scales": np.array(scales, np.float32)}, opset=9)
    for channels in (1, 5):
        assert pair.check({"x": random(2, channels, 3, 4)})


@pytest.mark.parametrize("axis, dims, opset", [
    (0, ["n", "m", "k"], 13), (1, ["n", "m", "k"], 13), (-1, ["n", "m", "k"], 13),
    (0, ["n", 3, 2], 11), (1, ["n", "m", 2], 11), (2, ["n", "m", "k"], 11)])
def test_hardmax(axis, dims, opset):
    pair = Pair([helper.make_node("Hardmax", ["x"], ["y"], axis=axis)],
                {"x": (dims, "float32")}, ["y"], opset=opset)
    for sizes in [(2, 3, 2), (1, 1, 2), (5, 1, 2), (0, 2, 2), (2, 0, 2), (0, 0, 0)]:
        shape = [size if isinstance(dim, str) else dim
                 for dim, size in zip(dims, sizes, strict=True)]
        assert pair.check({"x": np.round(random(*shape))})
    x = np.full([2 if isinstance(dim, str) else dim for dim in dims], -np.inf, np.float32)
    assert pair.check({"x": x})


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0,)])
def test_hardmax_of_nothing(shape):
    pair = Pair([helper.make_node("Hardmax", ["x"], ["y"])], {"x": (shape, "float32")}, ["y"])
    assert pair.check({"x": random(*shape)})


@pytest.mark.parametrize("dims", [
    ["c", "c", 0], [0, "c", "d"], ["c", 0, "d"], ["c", 0], ["c", 3, "d"]])
def test_flatten_of_nothing(dims):
    pair = Pair([helper.make_node("Flatten", ["x"], ["y"])], {"x": (dims, "float32")}, ["y"])
    for c in (0, 1, 4):
        x = random(*({"c": c, "d": 2}.get(dim, dim) for dim in dims))
        assert pair.check({"x": x})


@pytest.mark.parametrize("k", [0, 1, -1, -5, 7, 2**62, -2**62])
def test_eye_like(k):
    nodes = [helper.make_node("EyeLike", ["x"], ["y"], k=k),
             helper.make_node("EyeLike", ["x"], ["z"], k=k, dtype=7)]
    pair = Pair(nodes, {"x": (["n", "m"], "float32")}, ["y", "z"])
    for rows, columns in [(3, 3), (2, 9), (7, 2), (1, 1), (0, 3)]:
        wanted = np.eye(rows, columns, k if abs(k) < 100 else 100, np.float32)
        if abs(k) < 100:
            assert pair.check({"x": random(rows, columns)})
        for actual in pair.compiled.run({"x": random(rows, columns)}):
            np.testing.assert_array_equal(actual, wanted)


@pytest.mark.parametrize("before, after", [(1, 2), (3, 3), (9, 0), (0, 1), (-1, 2), (-1, -1)])
@pytest.mark.parametrize("axis", [0, 1])
def test_data_that_is_wrapped(axis, before, after):
    pads = np.zeros(4, np.int64)
    pads[axis], pads[2 + axis] = before, after
    pair = Pair([helper.make_node("Pad", ["x", "pads"], ["y"], mode="wrap")],
                {"x": (["n", "m"], "float32")}, ["y"], {"pads": pads}, opset=19)
    for size in (0, 1, 2, 3, 5):
        x = random(size, 4) if axis == 0 else random(4, size)
        # ONNX Runtime refuses what is only cut off, if nothing is left.
        if size > -min(before, 0) - min(after, 0):
            assert pair.check({"x": x})
        elif max(before, after) > 0:
            assert not pair.check({"x": x})


@pytest.mark.parametrize("dims", [[2, "n"], [2, 3]])
def test_none_of_the_largest(dims):
    pair = Pair([helper.make_node("TopK", ["x", "k"], ["y", "i"])], {"x": (dims, "float32")},
                ["y", "i"], {"k": np.array([0])})
    for size in (3,) if 3 in dims else (0, 1, 3):
        assert pair.check({"x": random(2, size)})


@pytest.mark.parametrize("axis", [0, 1])
def test_halves(axis):
    """The second is shorter by one, if it has to be."""
    pair = Pair([helper.make_node("Split", ["x"], ["y", "z"], axis=axis, num_outputs=2)],
                {"x": (["n", "m"], "float32")}, ["y", "z"], opset=18)
    for size in (2, 3, 4, 7, 16):
        assert pair.check({"x": random(size, 4) if axis == 0 else random(4, size)})
    # A part of nothing is what ONNX's formula gives, but ONNX Runtime refuses it.
    for size in (0, 1):
        parts = pair.compiled.run({"x": random(size, 4) if axis == 0 else random(4, size)})
        assert [part.shape[axis] for part in parts] == [size, 0]


def test_dynamic_quantisation_of_nothing():
    pair = Pair([helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"])],
                {"x": (["n"], "float32")}, ["q", "scale", "zero"])
    assert pair.check({"x": random(0)}) and pair.check({"x": np.zeros(3, np.float32)})


SIZES = {"b": (2, 1, 3), "q": (5, 1, 4), "k": (6, 5, 1), "h": (4, 4, 4), "d": (8, 8, 8),
         "e": (3, 3, 3), "g": (2, 2, 2)}


@pytest.mark.parametrize("equation, unknown", [
    ("bhqd,bhkd->bhqk", "bqk"), ("bhqk,bhkd->bhqd", "bqk"), ("bqhd,bkhd->bhqk", "bqk"),
    ("bhqk,bkhd->bqhd", "bqk"), ("bqd,de->bqe", "bqd"), ("bqd,hde->bhqe", "bq"),
    ("bhqd,hde->bqe", "bq"), ("bqd,bkd->bqk", "bqk"), ("bqhd,qkd->bhqk", "bqk"),
    ("bq,bk->bqk", "bqk"), ("bqk->bq", "bqk"), ("bghqd,bgkd->bghqk", "bqk")])
def test_einsum(equation, unknown):
    """Some of the first operand's sizes are open where the second's are not."""
    terms = equation.split("->")[0].split(",")
    inputs = {f"x{i}": ([label if label in unknown and (i == 0 or label != "d") else SIZES[label][0]
                         for label in term], "float32") for i, term in enumerate(terms)}
    pair = Pair([helper.make_node("Einsum", list(inputs), ["y"], equation=equation)], inputs, ["y"])
    for case in range(3):
        assert pair.check({f"x{i}": random(*[SIZES[label][case if label in unknown else 0]
                                             for label in term], seed=i)
                           for i, term in enumerate(terms)})


@pytest.mark.parametrize("weight, bias", [((4, 5), (3, 5)), ((2, 4, 5), (3, 5)), ((4, 5), (2, 3, 5))])
def test_products_where_the_weight_has_the_sizes(weight, bias):
    pair = Pair([helper.make_node("MatMul", ["x", "w"], ["t"]),
                 helper.make_node("Add", ["t", "b"], ["y"]),
                 helper.make_node("Reshape", ["t", "flat"], ["z"])],
                {"x": (["a", "b", "c"], "float32")}, ["y", "z"],
                {"w": random(*weight), "b": random(*bias, seed=1), "flat": np.array([0, -1])})
    for shape in [(2, 3, 4), (1, 3, 4), (2, 1, 4), (2, 3, 1), (2, 3, 5)]:
        assert pair.check({"x": random(*shape)}) == (shape[2] == 4)
