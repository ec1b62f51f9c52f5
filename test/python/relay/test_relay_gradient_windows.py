"""Gradients of operators that read windows and computed positions, against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradient_checks import I32, MODES, check_operator, check_second, indices, reals
from relay_mlir import relay
from relay_mlir.relay import op

# By name: what makes the expression, and arguments.
CASES: dict[str, Any] = {}


def case(name, build, *values, dynamic=(), **tolerances):
    assert name not in CASES
    CASES[name] = build, values, dynamic, tolerances


#===------------------------------------------------------------------------===#
# Windows
#===------------------------------------------------------------------------===#

for _rank, _shape in ((1, (2, 2, 7)), (2, (2, 2, 5, 3)), (3, (1, 2, 4, 5, 1))):
    _function = getattr(op.nn, f"adaptive_max_pool{_rank}d")
    for _size in ((3, 2, 1)[:_rank], (1,), (4, 4, 3)[:_rank]):
        case(f"adaptive_max_pool{_rank}d {_size}", lambda x, f=_function, s=_size: f(
            x, output_size=s), reals(*_shape))
case("adaptive_max_pool2d NHWC open", lambda x: op.nn.adaptive_max_pool2d(
    x, (2, 3), layout="NHWC"), reals(2, 4, 5, 3), dynamic=[0])
for _name in ("max_pool", "avg_pool"):
    case(f"{_name}3d NDHWC", lambda x, f=getattr(op.nn, f"{_name}3d"): f(
        x, pool_size=(2, 3, 1), strides=(2, 1, 2), padding=(1, 1, 0), layout="NDHWC"),
         reals(2, 3, 4, 5, 2))
    case(f"{_name}1d CNW", lambda x, f=getattr(op.nn, f"{_name}1d"): f(
        x, pool_size=(3,), strides=(2,), padding=(1,), layout="CNW"), reals(3, 2, 7))
GRADS: dict[str, Any] = {
    "": dict(pool_size=(2, 2), strides=(2, 2)),
    " overlapping": dict(pool_size=(3, 2), strides=(1, 2), padding=(1, 0)),
    " up": dict(pool_size=(3, 3), strides=(2, 2), ceil_mode=True),
    " outside": dict(pool_size=(2, 2), strides=(1, 3), padding=(3, 2)),
    " whole": dict(pool_size=(6, 5)),
    " NHWC": dict(pool_size=(2, 2), strides=(3, 1), layout="NHWC")}
for _name, _attrs in GRADS.items():
    _shape = (2, 6, 5, 3) if "NHWC" in _name else (2, 3, 6, 5)
    _x = relay.var("x", shape=_shape, dtype="float64")
    _y: Any = relay.transform.infer_expr(op.nn.max_pool2d(_x, **_attrs)).checked_type
    case(f"max_pool2d_grad{_name}", lambda g, x, a=_attrs: op.nn.max_pool2d_grad(g, x, **a),
         reals(*_y.concrete_shape, seed=1), reals(*_shape))
DILATIONS: dict[str, Any] = {
    "": {}, " steps": dict(strides=(2, 3), dilations=(1, 2)),
    " padding": dict(padding=(1, 1, 0, 2)),
    " NHWC": dict(padding=(1, 1), data_layout="NHWC", kernel_layout="HWI")}
for _name, _attrs in DILATIONS.items():
    _nhwc = "NHWC" in _name
    case(f"dilation2d{_name}", lambda x, w, a=_attrs: op.image.dilation2d(x, w, **a),
         reals(2, 5, 7, 3) if _nhwc else reals(2, 3, 5, 7),
         reals(2, 3, 3) if _nhwc else reals(3, 2, 3))
case("dilation2d open", lambda x, w: op.image.dilation2d(x, w), reals(2, 1, 3, 3),
     reals(1, 1, 2), dynamic=[0])
CORRELATIONS: dict[str, Any] = {
    "": dict(max_displacement=1, padding=(1, 1)),
    " differences": dict(max_displacement=2, stride2=2, padding=(2,), is_multiply=False),
    " patches": dict(kernel_size=3, max_displacement=1, stride1=2, padding=(1, 2, 2, 1)),
    " one": dict(max_displacement=0)}
for _name, _attrs in CORRELATIONS.items():
    case(f"correlation{_name}", lambda x, y, a=_attrs: op.nn.correlation(
        x, y, **{"kernel_size": 1, "stride1": 1, "stride2": 1, "padding": (0,),
                 "is_multiply": True, "layout": "NCHW", **a}),
         reals(2, 3, 5, 6), reals(2, 3, 5, 6, low=-1.7, seed=1))

#===------------------------------------------------------------------------===#
# Positions between pixels
#===------------------------------------------------------------------------===#

case("affine_grid", lambda x: op.image.affine_grid(x, (3, 2)), reals(2, 2, 3), dynamic=[0])
for _method in ("bilinear", "nearest", "bicubic"):
    for _mode in ("zeros", "border", "reflection"):
        for _corners in (True, False):
            case(f"grid_sample {_method} {_mode} {_corners}",
                 lambda x, g, m=_method, p=_mode, a=_corners: op.image.grid_sample(
                     x, g, m, padding_mode=p, align_corners=a),
                 reals(2, 2, 3, 5), reals(2, 2, 4, 3, low=-1.9, high=1.9, seed=1))
    case(f"grid_sample {_method} one pixel", lambda x, g, m=_method: op.image.grid_sample(
        x, g, m, padding_mode="reflection", align_corners=True), reals(1, 2, 1, 1),
         reals(1, 2, 2, 3))
case("grid_sample open", lambda x, g: op.image.grid_sample(x, g), reals(2, 1, 3, 4),
     reals(2, 2, 1, 3, low=-1.2, high=1.2), dynamic=[0, 1])
case("grid_sample of volumes", lambda x, g: op.image.grid_sample(
    x, g, layout="NCDHW", padding_mode="border"), reals(1, 2, 3, 2, 4),
     reals(1, 3, 2, 1, 3, low=-1.3, high=1.3))
BOXES = np.array([[0.1, 0.22, 0.83, 0.71], [0.4, -0.31, 1.21, 0.6], [0.93, 0.8, 0.13, 0.27]])
for _method in ("bilinear", "nearest_neighbor"):
    for _size in ((3, 4), (1, 1)):
        case(f"crop_and_resize {_method} {_size}",
             lambda x, b, i, m=_method, s=_size: op.image.crop_and_resize(
                 x, b, i, s, "NCHW", m, 0.5),
             reals(2, 2, 4, 5), BOXES, np.array([1, 0, 1], I32))
case("crop_and_resize NHWC", lambda x, b, i: op.image.crop_and_resize(
    x, b, i, (2, 2), "NHWC"), reals(2, 4, 5, 2), BOXES, np.array([1, 0, 1], I32), dynamic=[0])
# The image's number is cut off.
ROIS = np.array([[0.3, 1.23, 0.71, 6.31, 5.17], [1.4, -2.3, -3.1, 3.9, 2.3],
                 [1.5, 2.31, 1.17, 2.6, 1.4]])
for _mode in ("avg", "max"):
    case(f"roi_align {_mode}", lambda x, r, m=_mode: op.vision.roi_align(
        x, r, (2, 3), 0.81, sample_ratio=2, mode=m), reals(2, 2, 5, 6), ROIS)
case("roi_align NHWC", lambda x, r: op.vision.roi_align(
    x, r, (1, 2), 1.0, sample_ratio=3, layout="NHWC"), reals(2, 5, 1, 3), ROIS, dynamic=[0])
# Of data, offset and weight, and attributes.
DEFORMABLE: dict[str, Any] = {
    "": ((1, 2, 4, 5), (1, 12, 3, 3), (3, 2, 2, 3), {}),
    " steps": ((2, 2, 6, 7), (2, 6, 1, 7), (3, 2, 3, 1), dict(strides=(2, 1), dilation=(2, 1))),
    " groups": ((2, 4, 4, 4), (2, 36, 4, 4), (4, 2, 3, 3), dict(
        padding=(1, 1), groups=2, deformable_groups=2)),
    " parts": ((1, 4, 3, 3), (1, 16, 3, 4), (2, 4, 1, 2), dict(
        deformable_groups=4, padding=(0, 1)))}
for _name, (_data, _offset, _kernel, _attrs) in DEFORMABLE.items():
    case(f"deformable_conv2d{_name}", lambda x, o, w, a=_attrs, k=_kernel: op.nn.deformable_conv2d(
        x, o, w, kernel_size=k[2:], channels=k[0], **a), reals(*_data),
         reals(*_offset, low=-1.7, high=1.7), reals(*_kernel))

#===------------------------------------------------------------------------===#
# Sparse products
#===------------------------------------------------------------------------===#

CSR = (indices(5, below=4), np.array([0, 2, 2, 5], I32))
for _lhs in (False, True):
    case(f"sparse_dense {_lhs}", lambda x, d, i, p, lhs=_lhs: op.nn.sparse_dense(
        x, (d, i, p), sparse_lhs=lhs), reals(3, 4), reals(5), *CSR)
case("sparse_dense parts", lambda x, d: op.nn.sparse_dense(
    x, (d, relay.const(CSR[0]), relay.const(np.array([1, 1, 3, 4], I32)))), reals(1, 4),
     reals(5))
case("sparse_dense blocks", lambda x, d: op.nn.sparse_dense(
    x, (d, relay.const(indices(3, below=2)), relay.const(np.array([0, 1, 3], I32)))),
     reals(3, 6), reals(3, 2, 3))
case("sparse_dense empty", lambda x, d: op.nn.sparse_dense(
    x, (d, relay.const(np.zeros(0, I32)), relay.const(np.array([0, 0, 0], I32)))),
     reals(3, 6), np.zeros(0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_gradient(name, mode):
    build, values, dynamic, tolerances = CASES[name]
    check_operator(build, values, mode, dynamic, **tolerances)


@pytest.mark.parametrize("name", [
    "adaptive_max_pool2d (1,)", "adaptive_max_pool3d (3, 2, 1)", "max_pool3d NDHWC",
    "max_pool2d_grad outside", "dilation2d padding", "correlation", "affine_grid",
    "grid_sample bilinear zeros True", "grid_sample bicubic reflection False",
    "crop_and_resize bilinear (3, 4)", "roi_align avg", "roi_align max",
    "deformable_conv2d groups", "sparse_dense True", "sparse_dense blocks"])
def test_second_gradient(name):
    build, values, _, tolerances = CASES[name]
    check_second(build, values, **tolerances)
