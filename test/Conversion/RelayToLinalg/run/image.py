# RUN: %python %s relay-opt mlir-translate %t
"""Resizing of images."""

import itertools
import math

import numpy as np

from harness import Suite, random

suite = Suite()


def coordinate(mode, i, source, result, roi):
    """Where position `i` of the result lies in the source."""
    if mode == "half_pixel":
        return (i + 0.5) * source / result - 0.5
    if mode == "pytorch_half_pixel":
        return (i + 0.5) * source / result - 0.5 if result > 1 else 0.0
    if mode == "asymmetric":
        return i * source / result
    if mode == "tf_half_pixel_for_nn":
        return (i + 0.5) * source / result
    if mode == "align_corners":
        return i * (source - 1) / (result - 1) if result > 1 else 0.0
    if result > 1:
        return (roi[0] * (source - 1)
                + i * (roi[1] - roi[0]) * (source - 1) / (result - 1))
    return 0.5 * (roi[0] + roi[1]) * (source - 1)


def round_away(x):
    return math.trunc(x + math.copysign(0.5, x))


ROUNDINGS = {"floor": math.floor, "ceil": math.ceil, "round": round_away,
             "round_prefer_floor": lambda x: math.ceil(x - 0.5),
             "round_prefer_ceil": lambda x: math.floor(x + 0.5)}


def cubic(x, alpha):
    x = abs(x)
    if x < 1:
        return (alpha + 2) * x**3 - (alpha + 3) * x**2 + 1
    if x < 2:
        return alpha * (x**3 - 5 * x**2 + 8 * x - 4)
    return 0.0


def weights(method, mode, rounding, source, result, roi, alpha, exclude):
    """The matrix (result, source) of one axis, and which rows lie outside."""
    matrix, outside = np.zeros((result, source)), np.zeros(result, bool)
    for i in range(result):
        x = coordinate(mode, i, source, result, roi)
        outside[i] = mode == "tf_crop_and_resize" and not 0 <= x <= source - 1
        if method == "nearest_neighbor":
            taps = [(ROUNDINGS[rounding](x), 1.0)]
        elif method == "linear":
            low = math.floor(x)
            taps = [(low, 1 - (x - low)), (low + 1, x - low)]
        else:
            low = math.floor(x)
            taps = [(k, cubic(x - k, alpha)) for k in range(low - 1, low + 3)]
            if exclude:
                taps = [(k, w if 0 <= k < source else 0.0) for k, w in taps]
                total = sum(w for _, w in taps)
                taps = [(k, w / total) for k, w in taps]
        for k, w in taps:
            matrix[i, min(max(k, 0), source - 1)] += w
    return matrix, outside


def resize(data, size, method="linear", mode="half_pixel", rounding="round",
           roi=(0, 0, 1, 1), alpha=-0.5, exclude=False, extrapolation=0.0):
    result = data.astype(np.float64)
    rows, out_y = weights(method, mode, rounding, data.shape[2], size[0],
                          (roi[0], roi[2]), alpha, exclude)
    columns, out_x = weights(method, mode, rounding, data.shape[3], size[1],
                             (roi[1], roi[3]), alpha, exclude)
    result = np.einsum("nchw,yh,xw->ncyx", result, rows, columns)
    result[:, :, out_y[:, None] | out_x[None, :]] = extrapolation
    return result.astype(data.dtype)


MODES = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel",
         "tf_half_pixel_for_nn", "tf_crop_and_resize"]
image = random(2, 3, 4, 6)
# No position is half-way between two elements, where the last bit decides.
roi = (0.21, 0.13, 0.87, 1.31)
for mode, size in itertools.product(MODES, [(8, 12), (7, 5), (1, 3), (2, 3)]):
    common = (f'size = {list(size)}, coordinate_transformation_mode = "{mode}", '
              f"roi = array<f64: {', '.join(map(str, roi))}>")
    for rounding in ROUNDINGS:
        expected = resize(image, size, "nearest_neighbor", mode, rounding, roi,
                          extrapolation=9)
        suite.add("image.resize2d", [image], expected,
                  attrs=f'{common}, method = "nearest_neighbor", '
                        f'rounding_method = "{rounding}", extrapolation_value = 9.0')
    for method in ("linear", "cubic"):
        expected = resize(image, size, method, mode, roi=roi, extrapolation=9)
        suite.add("image.resize2d", [image], expected, rtol=1e-4, atol=1e-4,
                  attrs=f'{common}, method = "{method}", extrapolation_value = 9.0')
        suite.add("image.resize2d", [image], expected, rtol=1e-4, atol=1e-4,
                  attrs=f'{common}, method = "{method}", extrapolation_value = 9.0',
                  dynamic=[(0, 2, 3)], dynamic_result=(0,))
for exclude in (0, 1):
    suite.add("image.resize2d", [image],
              resize(image, (7, 9), "cubic", alpha=-0.75, exclude=bool(exclude)),
              rtol=1e-4, atol=1e-4,
              attrs=f'size = [7, 9], method = "cubic", cubic_alpha = -0.75, '
                    f"cubic_exclude = {exclude}")
last = np.ascontiguousarray(image.transpose(0, 2, 3, 1))
suite.add("image.resize2d", [last],
          np.ascontiguousarray(resize(image, (5, 7)).transpose(0, 2, 3, 1)),
          attrs='size = [5, 7], layout = "NHWC"', rtol=1e-4, atol=1e-5)
octets = random(1, 2, 3, 3, dtype=np.uint8, low=0, high=256)
suite.add("image.resize2d", [octets],
          resize(octets, (5, 4), "nearest_neighbor", "asymmetric", "floor"),
          attrs='size = [5, 4], method = "nearest_neighbor", '
                'coordinate_transformation_mode = "asymmetric", '
                'rounding_method = "floor"')

for method, align in itertools.product(
        [("nearest_neighbor", "nearest_neighbor"), ("bilinear", "linear"),
         ("bicubic", "cubic")], [False, True]):
    mode = "align_corners" if align else "asymmetric"
    for scales, options in [((2, 3), dict()), ((1.5, 2.5), dict()),
                            ((2, 3), dict(dynamic=[(0, 2, 3)],
                                          dynamic_result=(0, 2, 3)))]:
        size = tuple(int(round(n * s)) for n, s in zip((4, 6), scales))
        expected = resize(image, size, method[1], mode,
                          "round" if align else "floor")
        suite.add("nn.upsampling", [image], expected, rtol=1e-4, atol=1e-4,
                  attrs=f"scale_h = {float(scales[0])}, scale_w = {float(scales[1])}, "
                        f'method = "{method[0]}", align_corners = {str(align).lower()}',
                  **options)

suite.main()
