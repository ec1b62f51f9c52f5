"""Resampling of images, against ONNX Runtime where it has the operator, and
straightforward NumPy."""

import itertools
from typing import Any

import numpy as np
import pytest
from onnx_eval import run_onnx
from relay_eval import Case, check, random

TOLERANCE: dict[str, Any] = dict(rtol=2e-5, atol=2e-5)  # ONNX Runtime computes in float32.


@pytest.mark.parametrize("rank", [1, 3])
def test_resize(rank):
    rng = np.random.default_rng(0)
    layout = {1: "NCW", 3: "NCDHW"}[rank]
    x = random(rng, (2, 3, 5, 4, 6)[: 2 + rank], "f32")
    cases = []
    modes = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]
    for size, mode in itertools.product(([7, 9, 3], [3, 2, 11]), modes):
        size = size[:rank]
        sizes = np.array([*x.shape[:2], *size], np.int64)
        attrs = {"size": size, "coordinate_transformation_mode": mode}
        expected = run_onnx("Resize", [x, None, None, sizes], mode="linear", coordinate_transformation_mode=mode)
        cases.append(Case(f"image.resize{rank}d", [x], expected, attrs, **TOLERANCE))
        # ONNX Runtime interpolates cubically in two dimensions.
        if rank == 1:
            image = x[:, :, None]
            sizes = np.array([*image.shape[:3], *size], np.int64)
            onnx_attrs = dict(mode="cubic", coordinate_transformation_mode=mode, cubic_coeff_a=-0.5)
            expected = run_onnx("Resize", [image, None, None, sizes], **onnx_attrs)[:, :, 0]
            cases.append(Case("image.resize1d", [x], expected, attrs | {"method": "cubic"}, **TOLERANCE))
    for mode, rounding, nearest in (
        ("asymmetric", "floor", "floor"),
        ("asymmetric", "ceil", "ceil"),
        ("half_pixel", "round_prefer_floor", "round_prefer_floor"),
        ("align_corners", "round_prefer_ceil", "round_prefer_ceil"),
    ):
        size = [7, 9, 3][:rank]
        sizes = np.array([*x.shape[:2], *size], np.int64)
        onnx_attrs = dict(mode="nearest", coordinate_transformation_mode=mode, nearest_mode=nearest)
        expected = run_onnx("Resize", [x, None, None, sizes], **onnx_attrs)
        attrs = {"size": size, "method": "nearest_neighbor", "coordinate_transformation_mode": mode, "rounding_method": rounding}
        cases.append(Case(f"image.resize{rank}d", [x], expected, attrs))
    # Channels last.
    moved = np.ascontiguousarray(np.moveaxis(x, 1, -1))
    last = cases[0]
    attrs = last.attrs | {"layout": layout.replace("C", "") + "C"}
    cases.append(Case(last.op, [moved], np.ascontiguousarray(np.moveaxis(last.expected, 1, -1)), attrs, **TOLERANCE))
    check(cases)


def test_resize_of_region():
    """tf_crop_and_resize: a region, begins before ends, extrapolated outside."""
    x = np.arange(8, dtype=np.float32).reshape(1, 1, 8)
    attrs = {"size": [5], "roi": [0.5, 1.5], "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": -1.0}
    expected = np.array([[[3.5, 5.25, 7, -1, -1]]], np.float32)
    roi = np.array([0, 0, 0, 0.1, 0.2, 1, 1, 0.8, 0.9, 1], np.float32)
    volume = random(np.random.default_rng(1), (1, 2, 4, 5, 6), "f32")
    sizes = np.array([1, 2, 3, 4, 5], np.int64)
    onnx_attrs = dict(mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=0.0)
    resized = run_onnx("Resize", [volume, roi, None, sizes], **onnx_attrs)
    volume_attrs = {"size": [3, 4, 5], "roi": [0, 0.1, 0.2, 0.8, 0.9, 1.0], "coordinate_transformation_mode": "tf_crop_and_resize"}
    check(
        [
            Case("image.resize1d", [x], expected, attrs),
            Case("image.resize3d", [volume], resized, volume_attrs, **TOLERANCE),
        ]
    )


def test_affine_grid():
    rng = np.random.default_rng(2)
    data = random(rng, (3, 2, 3), "f32")
    sizes = np.array([3, 1, 4, 5], np.int64)
    grid = run_onnx("AffineGrid", [data, sizes], align_corners=1)  # (N, H, W, 2)
    expected = np.ascontiguousarray(np.moveaxis(grid, -1, 1))
    check([Case("image.affine_grid", [data], expected, {"target_shape": [4, 5]}, **TOLERANCE)])


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [True, False])
def test_grid_sample(padding, align):
    rng = np.random.default_rng(3)
    image, volume = random(rng, (2, 3, 5, 6), "f32"), random(rng, (1, 2, 3, 4, 5), "f32")
    cases = []
    for data, layout, methods in ((image, "NCHW", ["bilinear", "nearest", "bicubic"]), (volume, "NCDHW", ["bilinear", "nearest"])):
        rank = data.ndim - 2
        grid = random(rng, (data.shape[0], rank, *[4, 7, 6][:rank]), "f32", -1.8, 1.8)
        moved = np.ascontiguousarray(np.moveaxis(grid, 1, -1))
        for method in methods:
            mode = {"bilinear": "linear", "bicubic": "cubic"}.get(method, method)
            expected = run_onnx("GridSample", [data, moved], mode=mode, padding_mode=padding, align_corners=int(align))
            attrs = {"method": method, "layout": layout, "padding_mode": padding, "align_corners": align}
            cases.append(Case("image.grid_sample", [data, grid], expected, attrs, rtol=1e-4, atol=1e-4))
    check(cases)


def crop_and_resize(x, boxes, indices, size, nearest, fill):
    """NCHW data."""
    height, width = x.shape[2:]
    result = np.full((len(boxes), x.shape[1], *size), fill)
    for b, (y1, x1, y2, x2) in enumerate(boxes.astype(float)):
        ys = np.linspace(y1, y2, size[0]) if size[0] > 1 else [(y1 + y2) / 2]
        xs = np.linspace(x1, x2, size[1]) if size[1] > 1 else [(x1 + x2) / 2]
        for (i, py), (j, px) in itertools.product(enumerate(ys), enumerate(xs)):
            py, px = py * (height - 1), px * (width - 1)
            if not (0 <= py <= height - 1 and 0 <= px <= width - 1):
                continue
            image = np.pad(x[indices[b]], ((0, 0), (0, 1), (0, 1)), mode="edge").astype(float)
            if nearest:
                result[b, :, i, j] = image[:, int(py + 0.5), int(px + 0.5)]
                continue
            fy, fx = py % 1, px % 1
            part = image[:, int(py) : int(py) + 2, int(px) : int(px) + 2]
            result[b, :, i, j] = np.einsum("cyx,y,x->c", part, [1 - fy, fy], [1 - fx, fx])
    return result


def test_crop_and_resize():
    rng = np.random.default_rng(4)
    x = random(rng, (2, 3, 7, 6), "f32")
    boxes = np.array([[0, 0, 1, 1], [0.2, 0.1, 0.9, 0.6], [0.8, 0.9, 0.1, 0.2], [-0.3, 0.5, 0.5, 1.4]], np.float32)
    indices = np.array([0, 1, 1, 0], np.int32)
    moved = np.ascontiguousarray(np.moveaxis(x, 1, -1))
    cases = []
    for size, method in itertools.product(([4, 5], [1, 3], [2, 1]), ("bilinear", "nearest_neighbor")):
        expected = crop_and_resize(x, boxes, indices, size, method != "bilinear", -2.0).astype(np.float32)
        attrs = {"crop_size": size, "method": method, "extrapolation_value": -2.0}
        cases.append(Case("image.crop_and_resize", [x, boxes, indices], expected, attrs, rtol=1e-5, atol=1e-6))
        last = np.ascontiguousarray(np.moveaxis(expected, 1, -1))
        attrs = attrs | {"layout": "NHWC", "out_dtype": "!f64"}
        inputs = [moved, boxes, indices]
        cases.append(Case("image.crop_and_resize", inputs, last.astype(np.float64), attrs, rtol=1e-5, atol=1e-6))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "i32", "ui8"])
def test_dilation2d(dtype):
    rng = np.random.default_rng(5)
    cases = []
    for strides, padding, dilations in (([1, 1], [0, 0], [1, 1]), ([2, 1], [1, 2, 0, 1], [1, 2]), ([1, 2], [1], [2, 1])):
        x, w = random(rng, (2, 3, 7, 8), dtype, -5, 5), random(rng, (3, 3, 2), dtype, -5, 5)
        full = padding * 4 if len(padding) == 1 else padding * 2 if len(padding) == 2 else padding
        wide = np.pad(x.astype(float), ((0, 0), (0, 0), (full[0], full[2]), (full[1], full[3])), constant_values=-np.inf)
        reach = [(w.shape[1 + i] - 1) * dilations[i] + 1 for i in range(2)]
        windows = np.lib.stride_tricks.sliding_window_view(wide, reach, (2, 3))
        windows = windows[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
        expected = (windows + w.astype(float)[None, :, None, None]).max((-1, -2)).astype(x.dtype)
        attrs = {"strides": strides, "padding": padding, "dilations": dilations}
        cases.append(Case("image.dilation2d", [x, w], expected, attrs))
        moved, hwi, last = (np.ascontiguousarray(np.moveaxis(v, a, -1)) for v, a in ((x, 1), (w, 0), (expected, 1)))
        cases.append(Case("image.dilation2d", [moved, hwi], last, attrs | {"data_layout": "NHWC", "kernel_layout": "HWI"}))
    check(cases)
