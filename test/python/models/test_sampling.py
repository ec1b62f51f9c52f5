# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that sample images, against ONNX Runtime."""

import numpy as np
import pytest

import relay_mlir as rm
from single_nodes import check_refused, compare, compiled, make, random, reference, runtime

pytestmark = pytest.mark.share(2)


def grid(*shape, scale=1.3, seed=5, dtype=np.float32):
    """Positions, some of which are outside of [-1, 1]."""
    return np.random.default_rng(seed).uniform(-scale, scale, shape).astype(dtype)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_grid_sample(mode, padding, align):
    inputs = {"x": random(2, 3, 5, 6), "g": grid(2, 4, 7, 2, scale=2.5)}
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
    compare(compiled("GridSample", inputs, 20, attributes),
            runtime("GridSample", inputs, 20, attributes))
    old = {**attributes, "mode": {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)}
    # Vectors of channels, and some that are left.
    inputs["x"] = random(2, 19, 5, 6)
    compare(compiled("GridSample", inputs, 16, old), runtime("GridSample", inputs, 16, old))


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_grid_sample_of_volumes(mode, padding):
    inputs = {"x": random(1, 2, 3, 4, 5), "g": grid(1, 2, 3, 4, 3)}
    attributes = {"mode": mode, "padding_mode": padding}
    compare(compiled("GridSample", inputs, 20, attributes),
            runtime("GridSample", inputs, 20, attributes))


@pytest.mark.parametrize("shape,positions", [((1, 1, 1, 1), (1, 3, 3, 2)),
                                             ((1, 2, 1, 4), (1, 2, 2, 2)),
                                             ((2, 1, 3, 3), (2, 0, 2, 2)),
                                             ((1, 3, 2, 2), (1, 1, 1, 2))])
@pytest.mark.parametrize("align", [0, 1])
def test_grid_sample_of_small_sizes(shape, positions, align):
    for padding in ("zeros", "border"):
        inputs = {"x": random(*shape), "g": grid(*positions)}
        attributes = {"padding_mode": padding, "align_corners": align}
        compare(compiled("GridSample", inputs, 20, attributes),
                runtime("GridSample", inputs, 20, attributes))


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_grid_sample_of_lines(mode):
    """One spatial dimension, which ONNX Runtime does not have: as rows of height 1."""
    inputs = {"x": random(2, 3, 7), "g": grid(2, 5, 1)}
    (expected,) = reference("GridSample", inputs, 20, {"mode": mode})
    compare(compiled("GridSample", inputs, 20, {"mode": mode}), [expected])


def test_grid_sample_of_other_types():
    attributes = {"padding_mode": "border"}
    wide = {"x": random(1, 2, 4, 4, dtype=np.float64), "g": grid(1, 3, 3, 2, dtype=np.float64)}
    compare(compiled("GridSample", wide, 20, attributes),
            runtime("GridSample", wide, 20, attributes))
    half = {"x": random(1, 2, 4, 4, dtype=np.float16), "g": grid(1, 3, 3, 2, dtype=np.float16)}
    (expected,) = runtime("GridSample", {k: v.astype(np.float32) for k, v in half.items()}, 20,
                          attributes)
    compare(compiled("GridSample", half, 20, attributes), [expected.astype(np.float16)])


def test_grid_sample_beyond_all_numbers():
    """Positions that are no numbers find some element, and do no harm."""
    inputs = {
        "x": random(1, 1, 3, 3), "g": np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 0],
                                               np.float32).reshape(1, 1, 3, 2)}
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            (actual,) = compiled("GridSample", inputs, 20, {"mode": mode, "padding_mode": padding})
            assert actual.shape == (1, 1, 1, 3)


def test_grid_sample_of_open_sizes():
    inputs = {"x": random(2, 3, 5, 6), "g": grid(2, 4, 7, 2)}
    compare(
        compiled("GridSample", inputs, 16, {}, dims={
            "x": ["N", 3, "H", "W"], "g": ["N", "h", "w", 2]}),
        runtime("GridSample", inputs, 16, {}))


def test_refused_grids():
    x, g = random(2, 3, 5, 6), grid(2, 4, 7, 2)
    check_refused("expects mode linear, nearest or cubic, but got", "GridSample", {"x": x, "g": g},
                  20, {"mode": "area"})
    check_refused("expects padding_mode zeros, border or reflection", "GridSample",
                  {"x": x, "g": g}, 20, {"padding_mode": "wrap"})
    check_refused("and a grid of the same rank", "GridSample", {"x": x, "g": grid(2, 4, 7, 3)}, 20,
                  {})
    check_refused("expects data and grid of the same batch", "GridSample",
                  {"x": x, "g": grid(3, 4, 7, 2)}, 20, {})
    check_refused("expects data with elements", "GridSample", {"x": random(2, 3, 0, 6), "g": g},
                  20, {})
    check_refused("expects data with 1 to 2 spatial dimensions", "GridSample",
                  {"x": random(1, 1, 2, 2, 2), "g": grid(1, 1, 1, 1, 3)}, 20, {"mode": "cubic"})


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("size", [(2, 3, 4, 5), (1, 1, 2, 3, 4), (2, 1, 1, 3), (1, 1, 2, 1, 1)])
def test_affine_grid(size, align):
    rank = len(size) - 2
    inputs = {"t": random(size[0], rank, rank + 1)}
    constants = {"size": np.array(size)}
    compare(compiled("AffineGrid", inputs, 20, {"align_corners": align}, constants),
            runtime("AffineGrid", inputs, 20, {"align_corners": align}, constants))


def test_refused_affine_grids():
    t = random(2, 2, 3)
    check_refused("expects sizes that are positive, but got 0", "AffineGrid", {"t": t}, 20, {},
                  {"size": np.array([2, 1, 0, 3])})
    check_refused("expects 4 or 5 sizes", "AffineGrid", {"t": t}, 20, {},
                  {"size": np.array([2, 1, 3])})
    check_refused("expects 4 or 5 sizes", "AffineGrid", {"t": t}, 20, {},
                  {"size": np.array([2, 1, 3, 3, 3])})
    check_refused("expects 3 elements along axis 0", "AffineGrid", {"t": t}, 20, {},
                  {"size": np.array([3, 1, 3, 3])})


def regions(count, seed=1):
    corner = np.random.default_rng(seed).uniform(-2, 8, (count, 2))
    size = np.random.default_rng(seed + 1).uniform(0.1, 10, (count, 2))
    return np.concatenate([corner, corner + size], 1).astype(np.float32)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("transformation", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("ratio,scale", [(1, 1.0), (2, 0.5), (3, 1.0)])
def test_roi_align(mode, transformation, ratio, scale):
    inputs = {"x": random(2, 3, 9, 11), "r": regions(6), "b": np.array([0, 1, 1, 0, 0, 1])}
    attributes = {
        "mode": mode, "coordinate_transformation_mode": transformation, "sampling_ratio": ratio,
        "spatial_scale": scale, "output_height": 3, "output_width": 2}
    compare(compiled("RoiAlign", inputs, 16, attributes),
            runtime("RoiAlign", inputs, 16, attributes))


def test_roi_align_of_old_opsets():
    inputs = {"x": random(1, 2, 9, 11), "r": regions(4), "b": np.zeros(4, np.int64)}
    compare(compiled("RoiAlign", inputs, 10, {"sampling_ratio": 2}),
            runtime("RoiAlign", inputs, 10, {"sampling_ratio": 2}))


@pytest.mark.parametrize("count", [0, 1, 5])
def test_roi_align_of_open_sizes(count):
    inputs = {"x": random(1, 2, 9, 11), "r": regions(count), "b": np.zeros(count, np.int64)}
    attributes = {"sampling_ratio": 2, "output_height": 2, "output_width": 2}
    compare(
        compiled("RoiAlign", inputs, 16, attributes, dims={
            "r": ["R", 4], "b": ["R"], "x": [1, 2, "H", "W"]}),
        runtime("RoiAlign", inputs, 16, attributes))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transformation", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("scale", [1.0, 0.1, 0.0625])
def test_roi_align_of_as_many_samples_as_pixels(dtype, transformation, scale):
    """Also for regions of less than a pixel along one axis or both, empty ones, those that
    end before they begin or reach far beyond the image, and bins of whole pixels."""
    few = regions(20, 3) * [1, 1, 1, 0.5]
    odd = np.array([[1, 2, 13, 14], [0, 0, 3, 2], [2, 2, 2, 5], [2, 3, 2, 3], [5, 5, 2, 8],
                    [5, 5, 2, 1], [2.1, 3.2, 2.3, 3.3], [-40, -30, 90, 60], [0, 1, 100, 41],
                    [30, 30, 31, 90]])
    rois = np.concatenate([few, odd, odd / scale, few / scale]).astype(dtype)
    if transformation == "half_pixel":
        # ONNX Runtime fails where one ends before it begins.
        rois = rois[(rois[:, 2:] >= rois[:, :2]).all(1)]
    inputs = {"x": random(2, 3, 9, 11).astype(dtype), "r": rois,
              "b": np.arange(len(rois)) % 2}
    attributes = {"coordinate_transformation_mode": transformation, "spatial_scale": scale,
                  "output_height": 3, "output_width": 2}
    expected = runtime("RoiAlign", inputs, 16, attributes)
    compare(compiled("RoiAlign", inputs, 16, attributes), expected)
    compare(compiled("RoiAlign", inputs, 16, attributes,
                     dims={"r": ["R", 4], "b": ["R"], "x": ["N", "C", "H", "W"]}), expected)


def test_roi_align_without_samples():
    inputs = {"x": random(1, 2, 9, 11), "r": np.array([[5, 5, 2, 8], [1, 3, 2, 1]], np.float32),
              "b": np.zeros(2, np.int64)}
    [result] = compiled("RoiAlign", inputs, 16, {})
    assert result.shape == (2, 2, 1, 1) and not result.any()


def test_roi_align_of_an_image_that_is_not_there():
    inputs = {"x": random(1, 2, 9, 11), "r": regions(1), "b": np.array([5])}
    model = rm.compile(make("RoiAlign", inputs, 16, {"sampling_ratio": 2}))
    with pytest.raises(ValueError, match="expects indices within the data"):
        model.run(inputs)


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.3])
def test_max_roi_pool(scale):
    inputs = {"x": random(2, 3, 9, 11), "r": np.array(
        [[0, 1, 2, 7, 8], [1, 0, 0, 30, 40], [0, 5, 5, 2, 3], [1, 8, 8, 8, 8], [0, 30, 30, 50, 60],
         [1, 2.5, 3.5, 9.5, 4.5]], np.float32)}
    attributes = {"pooled_shape": [3, 2], "spatial_scale": scale}
    expected = runtime("MaxRoiPool", inputs, 16, attributes)
    compare(compiled("MaxRoiPool", inputs, 16, attributes), expected)
    compare(compiled("MaxRoiPool", inputs, 22, attributes,
                     dims={"x": ["n", "c", "h", "w"], "r": ["R", 5]}), expected)


def test_refused_regions():
    inputs = {"x": random(1, 2, 9, 11), "r": regions(1), "b": np.array([0])}
    check_refused("as a number of samples that depends on the regions is not supported, but got 0",
                  "RoiAlign", inputs, 16, {"mode": "max"})
    check_refused("expects sampling_ratio in [0, 256], but got -1", "RoiAlign", inputs, 16,
                  {"sampling_ratio": -1})
    pooled = {"x": inputs["x"], "r": random(1, 5)}
    for shape in ({}, {"pooled_shape": [2]}, {"pooled_shape": [2, 0]}):
        check_refused('expects attribute "pooled_shape" of two sizes in [1, 4096]', "MaxRoiPool",
                      pooled, 16, shape)
    check_refused("expects data of rank 4 and regions (count, 5)", "MaxRoiPool",
                  {**pooled, "r": random(1, 4)}, 16, {"pooled_shape": [2, 2]})
    check_refused("expects mode avg or max", "RoiAlign", inputs, 16,
                  {"sampling_ratio": 1, "mode": "sum"})
    check_refused("expects output_height and output_width in [1, 4096], but got 0", "RoiAlign",
                  inputs, 16, {"sampling_ratio": 1, "output_height": 0})
    check_refused("expects coordinate_transformation_mode half_pixel", "RoiAlign", inputs, 16,
                  {"sampling_ratio": 1, "coordinate_transformation_mode": "x"})
    check_refused("expects data of rank 4, regions (count, 4)", "RoiAlign",
                  {**inputs, "r": random(1, 5)}, 16, {"sampling_ratio": 1})
