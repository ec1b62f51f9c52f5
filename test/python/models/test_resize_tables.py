# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize as relay.image.resize2d does not have it, against ONNX Runtime, or the
reference evaluator of ONNX where ONNX Runtime refuses."""

import numpy as np
import pytest

from single_nodes import check_refused, compare, compiled, random, reference, runtime

pytestmark = pytest.mark.share(4)


def resize(shape, attributes, scales=None, sizes=None, by=runtime, opset=19, dtype=np.float32,
           order=None):
    x = random(*shape).astype(dtype)
    constants = {"scales": np.array(scales, np.float32)} if scales else {"sizes": np.array(sizes)}
    order = ["x", "", *constants] if scales else ["x", "", "", *constants]
    arguments = "Resize", {"x": x}, opset, attributes, constants
    compare(compiled(*arguments, order=order), by(*arguments, order=order))


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("sizes", [(3, 4), (5, 20), (12, 3), (2, 17), (1, 1)])
@pytest.mark.parametrize("exclude", [0, 1])
def test_antialias(mode, sizes, exclude):
    attributes = {"mode": mode, "antialias": 1, "exclude_outside": exclude}
    resize((1, 2, 10, 11), attributes, sizes=[1, 2, *sizes], opset=18)


def test_antialias_of_scales():
    for mode in ("linear", "cubic"):
        resize((1, 1, 10, 12), {"mode": mode, "antialias": 1}, scales=[1, 1, 0.6, 0.25], opset=18)
        resize((1, 1, 64, 8), {"mode": mode, "antialias": 1}, scales=[1, 1, 0.125, 0.5], opset=18)


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("scales", [(0.55, 0.55), (1.7, 2.3), (0.3, 1.1)])
def test_half_pixel_symmetric(mode, scales):
    attributes = {"mode": mode, "coordinate_transformation_mode": "half_pixel_symmetric"}
    resize((1, 2, 5, 7), attributes, scales=[1, 1, *scales])


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("sizes", [(3, 5), (10, 9), (7, 20), (1, 1)])
def test_aspect_ratio(policy, mode, sizes):
    attributes = {"mode": mode, "keep_aspect_ratio_policy": policy, "axes": [2, 3]}
    resize((1, 2, 5, 7), attributes, sizes=sizes)


def test_aspect_ratio_that_leaves_nothing():
    """A size that is rounded to none."""
    attributes = {"mode": "nearest", "keep_aspect_ratio_policy": "not_larger", "axes": [2, 3]}
    resize((1, 1, 1000, 4), attributes, sizes=(1, 3))


@pytest.mark.parametrize("transformation",
                         ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("scales", [(0.6, 0.7), (1.3, 2.2)])
def test_scales_that_give_no_whole_size(transformation, mode, scales):
    attributes = {"mode": mode, "coordinate_transformation_mode": transformation}
    resize((1, 2, 7, 9), attributes, scales=[1, 1, *scales])


@pytest.mark.parametrize("rounding", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
def test_nearest_of_scales_that_give_no_whole_size(rounding):
    for scale in (0.31, 0.75, 1.6, 2.9):
        for transformation in ("half_pixel", "asymmetric", "tf_half_pixel_for_nn"):
            attributes = {
                "mode": "nearest", "nearest_mode": rounding, "coordinate_transformation_mode":
                transformation}
            x = random(1, 1, 7, 9)
            arguments = "Resize", {"x": x}, 11, attributes, {
                "roi": np.zeros(0, np.float32), "s": np.array([1, 1, scale, scale], np.float32)}
            compare(compiled(*arguments), runtime(*arguments))


@pytest.mark.parametrize("mode", ["linear", "nearest"])
@pytest.mark.parametrize("sizes", [(4, 6, 10), (2, 2, 2), (3, 9, 5)])
def test_volumes(mode, sizes):
    for transformation in ("half_pixel", "align_corners", "asymmetric"):
        attributes = {"mode": mode, "coordinate_transformation_mode": transformation}
        resize((1, 2, 3, 4, 5), attributes, sizes=[1, 2, *sizes])


def test_other_ranks():
    resize((7,), {"mode": "nearest"}, sizes=[10])
    resize((7,), {"mode": "linear"}, sizes=[4], by=reference)
    resize((2, 3, 4, 5), {"mode": "nearest"}, scales=[2, 2, 0.5, 2])


def test_other_types():
    attributes = {"mode": "linear", "antialias": 1}
    resize((1, 1, 8, 8), attributes, sizes=[1, 1, 3, 5], dtype=np.float64, by=reference)
    x = random(1, 1, 8, 8, dtype=np.float16)
    constants = {"sizes": np.array([1, 1, 3, 5])}
    (expected,) = runtime("Resize", {"x": x.astype(np.float32)}, 18, attributes, constants, order=[
        "x", "", "", "sizes"])
    compare(compiled("Resize", {"x": x}, 18, attributes, constants, order=["x", "", "", "sizes"]),
            [expected.astype(np.float16)])
    resize((2, 3, 4, 5), {"mode": "nearest"}, scales=[2, 2, 0.5, 2], dtype=np.int32)


def test_nothing():
    x = random(1, 1, 4, 4)
    (actual,) = compiled("Resize", {"x": x}, 19, {"mode": "nearest"},
                         {"s": np.array([1, 1, 0.2, 1], np.float32)}, order=["x", "", "s"])
    assert actual.shape == (1, 1, 0, 4)


def test_refused():

    def fail(message, attributes, sizes, shape=(1, 1, 4, 4), dims=None, dtype=np.float32):
        check_refused(message, "Resize", {"x": np.zeros(shape, dtype)}, 19, attributes,
                      {"s": np.array(sizes)}, order=["x", "", "",
                                                     "s"], dims={"x": dims} if dims else None)

    fail("expects keep_aspect_ratio_policy stretch, not_larger or not_smaller",
         {"keep_aspect_ratio_policy": "x"}, [1, 1, 2, 2])
    fail("expects floats for mode linear of these axes and scales",
         {"mode": "linear", "antialias": 1}, [1, 1, 2, 2], dtype=np.int32)
    fail("expects sizes that can be resized, but got 0 and 2", {"mode": "linear", "antialias": 1},
         [1, 1, 2, 4], shape=(1, 1, 0, 4))


@pytest.mark.parametrize("attributes", [{"mode": "linear", "antialias": 1},
                                        {"mode": "cubic", "antialias": 1},
                                        {"mode": "nearest", "axes": [2, 3],
                                         "keep_aspect_ratio_policy": "not_larger"}])
def test_open_height(attributes):
    inputs = {"x": random(1, 1, 6, 4)}
    sizes = {"s": np.array([3, 2] if "axes" in attributes else [1, 1, 3, 2])}
    order = ["x", "", "", "s"]
    compare(compiled("Resize", inputs, 19, attributes, sizes, order=order,
                     dims={"x": [1, 1, "H", 4]}),
            runtime("Resize", inputs, 19, attributes, sizes, order=order))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_one_axis_beside_open_ones(mode):
    """None of the others has a number to be resized to."""
    for dims, scales in ((["n", "a", 4], [1, 1, 2]), ([4, "n", "a"], [0.5, 1, 1])):
        arguments = ("Resize", {"x": random(4, 3, 4)}, 19, {"mode": mode},
                     {"s": np.array(scales, np.float32)})
        compare(compiled(*arguments, order=["x", "", "s"], dims={"x": dims}),
                runtime(*arguments, order=["x", "", "s"]))


@pytest.mark.parametrize("scales", [(0.6, 0.6), (2.0, 0.6), (0.4, 1.5), (2.0, 3.0), (0.3, 1.0)])
def test_nearest_of_opset_10(scales):
    """The neighbour above where an axis shrinks, and else the one below."""
    inputs = {"x": random(1, 2, 5, 7)}
    arguments = "Resize", inputs, 10, {"mode": "nearest"}, {"s": np.array([1, 1, *scales], np.float32)}
    compare(compiled(*arguments), runtime(*arguments))
    if (scales[0] < 1) == (scales[1] < 1):
        dims = {"x": ["n", 2, "h", "w"]}
        compare(compiled(*arguments, dims=dims), runtime(*arguments))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
@pytest.mark.parametrize("transformation, scales", [
    ("half_pixel", (2, 4)), ("half_pixel", (0.5, 1)), ("asymmetric", (4, 2)),
    # (size - 1) / (count - 1) is 2.
    ("align_corners", (11 / 6, 9 / 5))])
def test_linear_of_integers(dtype, transformation, scales):
    """Fractions, which are exact here, are cut, as in ONNX Runtime."""
    low = 0 if dtype == np.uint8 else -100
    inputs = {"x": np.random.default_rng(0).integers(low, 100, (2, 3, 6, 5)).astype(dtype)}
    attributes = {"mode": "linear", "coordinate_transformation_mode": transformation}
    constants = {"s": np.array([1, 1, *scales], np.float32)}
    arguments = "Resize", inputs, 19, attributes, constants
    expected = runtime(*arguments, order=["x", "", "s"])
    for dims in ({}, {"x": ["n", 3, "h", "w"]}):
        compare(compiled(*arguments, order=["x", "", "s"], dims=dims), expected)
