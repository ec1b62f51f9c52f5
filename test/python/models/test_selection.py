# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose results elements decide, in the virtual machine, against ONNX Runtime."""

import numpy as np
import pytest

import relay_mlir as rm
from single_nodes import check_refused, compare, machine, make, random, runtime

pytestmark = pytest.mark.share(2)


def check(op, inputs, opset, attributes=None, constants=None, **options):
    expected = runtime(op, inputs, opset, attributes or {}, constants, **options)
    compare(machine(op, inputs, opset, attributes or {}, constants, **options), expected)


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 0, 3), (1, 1, 1), (2, 3, 4, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_non_zero(shape, dtype):
    data = np.random.default_rng(3).integers(0, 2, shape).astype(dtype)
    check("NonZero", {"x": data}, 13)


def test_non_zero_of_numbers_that_are_none():
    check("NonZero", {"x": np.array([0.0, -0.0, np.nan, np.inf], np.float32)}, 13)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("length", [0, 2, 3])
def test_compress(axis, length):
    condition = np.array([False, True, True])[:length]
    attributes = {} if axis is None else {"axis": axis}
    check("Compress", {"x": random(3, 4), "c": condition}, 11, attributes)


def test_compress_with_conditions_behind_the_end():
    condition = np.array([True, False, True, True, True])
    check("Compress", {"x": random(3, 4), "c": condition}, 11, {"axis": 0})


def test_compress_of_open_sizes():
    inputs = {"x": random(3, 4), "c": np.array([True, False, True])}
    expected = runtime("Compress", inputs, 11, {"axis": 0})
    compare(machine("Compress", inputs, 11, {"axis": 0}, dims={"x": ["n", 4], "c": ["m"]}),
            expected)


ROWS = np.array([[1, 0, 2], [1, 0, 2], [0, 5, 1], [2, 3, 4], [0, 5, 1], [0, 4, 9]], np.float32)


@pytest.mark.parametrize("is_sorted", [0, 1])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8])
def test_unique(is_sorted, axis, dtype):
    attributes = {"sorted": is_sorted} if axis is None else {"sorted": is_sorted, "axis": axis}
    data = ROWS if axis != 1 else ROWS.T
    check("Unique", {"x": np.ascontiguousarray(data).astype(dtype)}, 11, attributes, outputs=4)


@pytest.mark.parametrize("shape,axis", [((2, 3, 2), 1), ((4, 1), 0), ((1, 5), 1), ((2, 3, 2), -1)])
def test_unique_slices(shape, axis):
    data = np.random.default_rng(0).integers(0, 2, shape).astype(np.float32)
    check("Unique", {"x": data}, 11, {"axis": axis}, outputs=4)


def boxes(batch, count, seed=0):
    generator = np.random.default_rng(seed)
    corner = generator.uniform(0, 1, (batch, count, 2))
    return np.concatenate([corner, corner + generator.uniform(0.1, 0.8, (batch, count, 2))],
                          axis=2).astype(np.float32)


@pytest.mark.parametrize("center", [0, 1])
@pytest.mark.parametrize("most", [0, 1, 3, 100])
def test_non_max_suppression(center, most):
    inputs = {"b": boxes(2, 20),
              "s": np.random.default_rng(1).uniform(0, 1, (2, 3, 20)).astype(np.float32),
              "n": np.array([most], np.int64), "i": np.array([0.4], np.float32),
              "t": np.array([0.2], np.float32)}
    check("NonMaxSuppression", inputs, 11, {"center_point_box": center})


def test_non_max_suppression_without_thresholds():
    inputs = {"b": boxes(1, 9),
              "s": np.random.default_rng(1).uniform(-1, 1, (1, 1, 9)).astype(np.float32),
              "n": np.array(9, np.int64)}
    check("NonMaxSuppression", inputs, 11)


def test_suppression_at_the_threshold():
    """An overlap of exactly the threshold is kept."""
    inputs = {"b": np.array([[[0, 0, 1, 1], [0, 0.5, 1, 1], [0, 0, 1, 0.5]]], np.float32),
              "s": np.array([[[0.9, 0.8, 0.7]]], np.float32), "n": np.array([5], np.int64),
              "i": np.array([0.5], np.float32), "t": np.array([0], np.float32)}
    check("NonMaxSuppression", inputs, 11)


def test_refused_selections():
    x = random(3, 4)
    check_refused("expects a condition that is a vector", "Compress",
                  {"x": x, "c": np.array([[True]])}, 11, {})
    check_refused("expects boxes (batch, count, 4)", "NonMaxSuppression",
                  {"b": boxes(1, 3)[..., :3], "s": random(1, 1, 3)}, 11, {})
    check_refused("expects center_point_box to be 0 or 1", "NonMaxSuppression",
                  {"b": boxes(1, 3), "s": random(1, 1, 3)}, 11, {"center_point_box": 2})
    check_refused("expects slices with elements", "Unique", {"x": x[:, :0]}, 11, {"axis": 0})
    with pytest.raises(rm.CompileError, match="the executors aot and vm compile"):
        rm.compile(make("NonZero", {"x": x}, 13, {}), executor="graph")


AXES = np.array([0, -1], np.int64)


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
                                "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
                                "ReduceSumSquare"])
@pytest.mark.parametrize("keep", [0, 1])
def test_computed_axes_of_reductions(op, keep):
    inputs = {"x": np.abs(random(2, 3, 4)) + 0.5, "a": AXES}
    check(op, inputs, 18, {"keepdims": keep})


def test_computed_axes_of_integers():
    inputs = {"x": np.arange(24, dtype=np.int32).reshape(2, 3, 4), "a": AXES}
    for op in ("ReduceSum", "ReduceMean", "ReduceMax"):
        check(op, inputs, 18)


def test_computed_axes_of_movements():
    check("Squeeze", {"x": random(1, 3, 1, 2), "a": np.array([0, -2])}, 13)
    check("Unsqueeze", {"x": random(3, 2), "a": np.array([-1, 1])}, 13)
    inputs = {"x": random(5, 6, 7), "s": np.array([4, 1]), "e": np.array([-100, 5]),
              "a": np.array([-1, 0]), "p": np.array([-2, 2])}
    check("Slice", inputs, 13)
    for mode in ("constant", "edge", "reflect", "wrap"):
        check("Pad", {"x": random(4, 5, 3), "p": np.array([1, 2, 0, 1]),
                      "v": np.array(2, np.float32), "a": np.array([1, -3])}, 19, {"mode": mode})
    check("Split", {"x": random(7, 2), "s": np.array([2, 0, 5])}, 13, outputs=3)
    check("OneHot", {"i": np.array([0, 2, -1, 9]), "d": np.array(4, np.float32),
                     "v": np.array([2, 5], np.float32)}, 11)


def fails(op, inputs, opset, attributes=None, **options):
    with pytest.raises((rm.RuntimeError, ValueError)):
        machine(op, inputs, opset, attributes or {}, **options)


def test_wrong_computed_axes():
    x = random(1, 3, 1)
    fails("Squeeze", {"x": x, "a": np.array([3])}, 13)
    fails("Squeeze", {"x": x, "a": np.array([1])}, 13)
    fails("ReduceSum", {"x": x, "a": np.array([-4])}, 13)
    fails("Split", {"x": random(7, 2), "s": np.array([2, 4])}, 13, outputs=2)
    fails("Split", {"x": random(7, 2), "s": np.array([-1, 8])}, 13, outputs=2)
    check_refused("expects at most 3 axes, but got 4", "ReduceSum",
                  {"x": x, "a": np.arange(4)}, 13, {})


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_windows_of_computed_size(op, size):
    for periodic in (0, 1):
        if size == 1 and not periodic:
            continue
        arguments = (op, {"n": np.array(size)}, 17, {"periodic": periodic})
        # Sums of a few numbers of about 1 in float32.
        for actual, expected in zip(machine(*arguments), runtime(*arguments), strict=True):
            np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("transformation", ["half_pixel", "asymmetric", "align_corners"])
def test_resize_by_computed_scales(mode, transformation):
    inputs = {"x": random(1, 2, 4, 5), "s": np.array([1, 1, 1.5, 2], np.float32)}
    attributes = {"mode": mode, "coordinate_transformation_mode": transformation}
    check("Resize", inputs, 18, attributes, order=["x", "", "s"])


def test_resize_with_filters_by_computed_scales():
    inputs = {"x": random(1, 1, 9, 8), "s": np.array([1, 1, 0.6, 0.5], np.float32)}
    for attributes in ({"mode": "linear", "antialias": 1}, {"mode": "cubic", "antialias": 1},
                       {"mode": "cubic", "exclude_outside": 1}):
        check("Resize", inputs, 18, attributes, order=["x", "", "s"])


@pytest.mark.parametrize("size", [(3, 9), (6, 2), (4, 5)])
def test_center_crop_pad_to_computed_sizes(size):
    inputs = {"x": random(4, 5), "s": np.array(size)}
    check("CenterCropPad", inputs, 18)


@pytest.mark.parametrize("align", [0, 1])
def test_affine_grid_of_computed_size(align):
    inputs = {"t": random(2, 2, 3), "s": np.array([2, 1, 3, 4])}
    check("AffineGrid", inputs, 20, {"align_corners": align})
    fails("AffineGrid", {"t": random(2, 2, 3), "s": np.array([3, 1, 3, 4])}, 20)


@pytest.mark.parametrize("axis", [1, -2, 0])
@pytest.mark.parametrize("attributes", [{}, {"onesided": 1}, {"inverse": 1}])
def test_dft_along_computed_axes(axis, attributes):
    parts = 2 if "inverse" in attributes else 1
    inputs = {"x": random(3, 5, parts), "a": np.array(axis)}
    check("DFT", inputs, 20, attributes, order=["x", "", "a"])


def test_stft_of_computed_steps():
    inputs = {"x": random(2, 40, 1), "n": np.array(5), "w": random(8), "l": np.array(8)}
    check("STFT", inputs, 17)
    fails("STFT", {**inputs, "n": np.array(0)}, 17)
