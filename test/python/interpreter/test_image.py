"""Resizing of images, against ONNX Runtime and NumPy."""

import itertools

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from relay_eval import Case, check, exact, random


def resize(x, size, **attrs):
    """ONNX Resize of a float32 NCHW tensor to (height, width)."""
    target = np.array([*x.shape[:2], *size], np.int64)
    sizes = helper.make_tensor("sizes", TensorProto.INT64, [4], target)
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **attrs)
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "g", [value], [output], [sizes])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


SIZES = [(7, 9), (14, 18), (3, 4), (10, 5), (1, 1)]
MODES = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]


@pytest.mark.parametrize("mode", MODES)
def test_linear_and_cubic(mode):
    rng = np.random.default_rng(0)
    x = random(rng, (2, 3, 7, 9), "f32")
    cases = []
    for size, method in itertools.product(SIZES, ("linear", "cubic")):
        expected = resize(x, size, mode=method, coordinate_transformation_mode=mode, cubic_coeff_a=-0.75)
        attrs = {"size": list(size), "method": method, "coordinate_transformation_mode": mode, "cubic_alpha": -0.75}
        # ONNX Runtime computes positions in float32.
        cases.append(Case("image.resize2d", [x], expected, attrs, rtol=2e-5, atol=2e-5))
        nhwc = x.transpose(0, 2, 3, 1).copy()
        moved = expected.transpose(0, 2, 3, 1).copy()
        cases.append(Case("image.resize2d", [nhwc], moved, {**attrs, "layout": "NHWC"}, rtol=2e-5, atol=2e-5))
    check(cases)


def test_cubic_exclude():
    x = random(np.random.default_rng(1), (1, 1, 5, 6), "f32")
    cases = []
    for size in ((10, 12), (3, 4)):
        expected = resize(x, size, mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1)
        attrs = {"size": list(size), "method": "cubic", "cubic_exclude": 1}
        cases.append(Case("image.resize2d", [x], expected, attrs, rtol=2e-5, atol=2e-5))
    check(cases)


ROUNDING = {
    "floor": "floor",
    "ceil": "ceil",
    "round_prefer_floor": "round_prefer_floor",
    "round_prefer_ceil": "round_prefer_ceil",
}


@pytest.mark.parametrize("rounding", ROUNDING)
def test_nearest(rounding):
    rng = np.random.default_rng(2)
    x = random(rng, (1, 2, 6, 8), "f32")
    cases = []
    # Scales that are exact in binary: positions have no rounding error.
    for size, mode in itertools.product([(12, 16), (3, 4), (24, 2)], ("half_pixel", "asymmetric")):
        expected = resize(x, size, mode="nearest", coordinate_transformation_mode=mode, nearest_mode=rounding)
        attrs = {
            "size": list(size),
            "method": "nearest_neighbor",
            "coordinate_transformation_mode": mode,
            "rounding_method": ROUNDING[rounding],
        }
        cases.append(Case("image.resize2d", [x], expected, attrs))
    check(cases)


def test_nearest_of_integers():
    x = np.arange(12, dtype=np.uint8).reshape(1, 1, 3, 4)
    expected = x.repeat(2, 2).repeat(3, 3)
    attrs = {
        "size": [6, 12],
        "method": "nearest_neighbor",
        "coordinate_transformation_mode": "asymmetric",
        "rounding_method": "floor",
    }
    check([Case("image.resize2d", [x], expected, attrs)])


def test_crop_and_resize():
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    rows, columns = np.linspace(0.75, 2.25, 3), np.linspace(0, 3, 4)
    expected = rows[:, None] * 4 + columns
    attrs = {
        "size": [3, 4],
        "roi": [0.25, 0.0, 0.75, 1.0],
        "coordinate_transformation_mode": "tf_crop_and_resize",
    }
    cases = [Case("image.resize2d", [x], expected[None, None].astype(np.float32), attrs, rtol=1e-6)]
    # Outside of the image: the extrapolation value.
    outside = np.array([[-9, 0], [-9, 12]], np.float32)[None, None]
    attrs = {**attrs, "size": [2, 2], "roi": [0.0, -1.0, 1.0, 0.0], "extrapolation_value": -9.0}
    cases.append(Case("image.resize2d", [x], outside, attrs))
    check(cases)


def test_upsampling():
    rng = np.random.default_rng(3)
    cases = []
    for dtype in ("f32", "f16", "f64"):
        x = random(rng, (1, 2, 3, 4), dtype)
        scales = {"scale_h": 2.0, "scale_w": 3.0}
        cases.append(Case("nn.upsampling", [x], x.repeat(2, 2).repeat(3, 3), scales))
    x = random(rng, (1, 2, 3, 4), "f32")
    for corners, mode in ((False, "asymmetric"), (True, "align_corners")):
        expected = resize(x, (6, 12), mode="linear", coordinate_transformation_mode=mode)
        attrs = {**scales, "method": "bilinear", "align_corners": corners}
        cases.append(Case("nn.upsampling", [x], expected, attrs, rtol=1e-5, atol=1e-5))
    check(cases)
