"""Operators of neural networks: `nn.*`."""

from __future__ import annotations

from typing import Any

from ..._arguments import expect_list
from ..expr import Call, const, ExprLike, TupleGetItem, TupleWrapper
from ._build import _expand, _pad, populate
from ._numbers import dtype_of, scalar
from ._registry import is_expr, make_call

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "batch_norm",
    "conv2d_backward_weight", "dropout", "global_avg_pool1d", "global_avg_pool3d",
    "global_max_pool1d", "global_max_pool3d", "pad", "sparse_add", "sparse_dense",
    "sparse_transpose", "upsampling", "upsampling3d",
]


def batch_norm(data: ExprLike, gamma: ExprLike, beta: ExprLike, moving_mean: ExprLike,
               moving_var: ExprLike, axis: Any = 1, epsilon: Any = 1e-05, center: bool = True,
               scale: bool = True) -> TupleWrapper:
    """Batch normalisation. Returns a TupleWrapper of the result and the moving
    mean and variance."""
    call = make_call("nn.batch_norm", [data, gamma, beta, moving_mean, moving_var], {
        "axis": axis, "epsilon": epsilon, "center": center, "scale": scale})
    return TupleWrapper(call, 3)


def dropout(data: ExprLike, rate: Any = 0.5) -> Any:
    """Sets elements to zero at random in training; nothing in inference."""
    return TupleGetItem(make_call("nn.dropout", [data], {"rate": rate}), 0)


def pad(data: ExprLike, pad_width: Any, pad_value: Any = 0, pad_mode: str = "constant") -> Call:
    """Pads a tensor; `pad_width` has (before, after) for each dimension, or is an
    expression."""
    # Data whose type depends on the program around it is taken to be float32.
    pad_value = scalar("nn.pad: 'pad_value'", pad_value, dtype_of(data) or "float32")
    if is_expr(pad_width):
        return make_call("dyn.nn.pad", [data, pad_width, pad_value], {"pad_mode": pad_mode})
    return make_call("nn.pad", [data, pad_value], {
        "pad_width": pad_width, "pad_mode": pad_mode})


def upsampling(data: ExprLike, scale_h: Any = 1, scale_w: Any = 1, layout: str = "NCHW",
               method: str = "nearest_neighbor", align_corners: bool = False) -> Call:
    """Enlarges images; the scales may be expressions."""
    attributes = {"layout": layout, "method": method, "align_corners": align_corners}
    if is_expr(scale_h) or is_expr(scale_w):
        scales = [_scale(scale_h), _scale(scale_w)]
        return make_call("dyn.nn.upsampling", [data, *scales], attributes)
    return make_call("nn.upsampling", [data],
                     {"scale_h": scale_h, "scale_w": scale_w, **attributes})


def upsampling3d(data: ExprLike, scale_d: Any = 1, scale_h: Any = 1, scale_w: Any = 1,
                 layout: str = "NCDHW", method: str = "nearest_neighbor",
                 coordinate_transformation_mode: str = "half_pixel") -> Call:
    """Enlarges volumes; the scales may be expressions."""
    attributes = {"layout": layout, "method": method,
                  "coordinate_transformation_mode": coordinate_transformation_mode}
    if any(map(is_expr, (scale_d, scale_h, scale_w))):
        scales = list(map(_scale, (scale_d, scale_h, scale_w)))
        return make_call("dyn.nn.upsampling3d", [data, *scales], attributes)
    return make_call("nn.upsampling3d", [data], {
        "scale_d": scale_d, "scale_h": scale_h, "scale_w": scale_w, **attributes})


def _scale(value: Any) -> Any:
    return scalar("nn.upsampling: the scale", value, "float64")


#===------------------------------------------------------------------------===#
# Pooling
#===------------------------------------------------------------------------===#


def _adaptive(name: str, rank: Any, data: ExprLike, output_size: Any, layout: str,
              out_layout: str) -> Call:
    size = [] if output_size is None else _expand(output_size, rank, f"{name}: 'output_size'")
    return make_call(name, [data],
                     {"output_size": size, "layout": layout, "out_layout": out_layout})


def adaptive_max_pool1d(data: ExprLike, output_size: Any = None, layout: str = "NCW",
                        out_layout: str = "") -> Any:
    """Maximum over windows that give `output_size`."""
    return _adaptive("nn.adaptive_max_pool1d", 1, data, output_size, layout, out_layout)


def adaptive_avg_pool1d(data: ExprLike, output_size: Any = None, layout: str = "NCW",
                        out_layout: str = "") -> Any:
    """Mean over windows that give `output_size`."""
    return _adaptive("nn.adaptive_avg_pool1d", 1, data, output_size, layout, out_layout)


def adaptive_max_pool2d(data: ExprLike, output_size: Any = None, layout: str = "NCHW",
                        out_layout: str = "") -> Any:
    """Maximum over windows that give `output_size`."""
    return _adaptive("nn.adaptive_max_pool2d", 2, data, output_size, layout, out_layout)


def adaptive_avg_pool2d(data: ExprLike, output_size: Any = None, layout: str = "NCHW",
                        out_layout: str = "") -> Any:
    """Mean over windows that give `output_size`."""
    return _adaptive("nn.adaptive_avg_pool2d", 2, data, output_size, layout, out_layout)


def adaptive_max_pool3d(data: ExprLike, output_size: Any = None, layout: str = "NCDHW",
                        out_layout: str = "") -> Any:
    """Maximum over windows that give `output_size`."""
    return _adaptive("nn.adaptive_max_pool3d", 3, data, output_size, layout, out_layout)


def adaptive_avg_pool3d(data: ExprLike, output_size: Any = None, layout: str = "NCDHW",
                        out_layout: str = "") -> Any:
    """Mean over windows that give `output_size`."""
    return _adaptive("nn.adaptive_avg_pool3d", 3, data, output_size, layout, out_layout)


def global_max_pool1d(data: ExprLike, layout: str = "NCW", out_layout: str = "") -> Any:
    """Maximum over all positions."""
    return adaptive_max_pool1d(data, [1], layout, out_layout)


def global_avg_pool1d(data: ExprLike, layout: str = "NCW", out_layout: str = "") -> Any:
    """Mean over all positions."""
    return adaptive_avg_pool1d(data, [1], layout, out_layout)


def global_max_pool3d(data: ExprLike, layout: str = "NCDHW", out_layout: str = "") -> Any:
    """Maximum over all positions."""
    return adaptive_max_pool3d(data, [1, 1, 1], layout, out_layout)


def global_avg_pool3d(data: ExprLike, layout: str = "NCDHW", out_layout: str = "") -> Any:
    """Mean over all positions."""
    return adaptive_avg_pool3d(data, [1, 1, 1], layout, out_layout)


#===------------------------------------------------------------------------===#
# Sparse, gradients
#===------------------------------------------------------------------------===#


def _sparse_parts(matrix: Any) -> Any:
    """(data, indices, indptr) of a tuple or of a matrix of SciPy."""
    if hasattr(matrix, "indptr"):
        return [const(matrix.data), const(matrix.indices), const(matrix.indptr)]
    return expect_list(matrix, "a sparse matrix", "its data, indices and indptr")


def sparse_dense(dense_mat: ExprLike, sparse_mat: ExprLike, sparse_lhs: bool = False) -> Call:
    """Product of a dense matrix and the transpose of a sparse one, given as (data,
    indices, indptr); with `sparse_lhs`, of the sparse and the dense one."""
    return make_call("nn.sparse_dense", [dense_mat, *_sparse_parts(sparse_mat)],
                     {"sparse_lhs": sparse_lhs})


def sparse_transpose(x: ExprLike) -> TupleWrapper:
    """Transpose of a square sparse matrix. Returns a TupleWrapper of its parts."""
    return TupleWrapper(make_call("nn.sparse_transpose", _sparse_parts(x)), 3)


def sparse_add(dense_mat: ExprLike, sparse_mat: ExprLike) -> Call:
    """Sum of a dense and a sparse matrix."""
    return make_call("nn.sparse_add", [dense_mat, *_sparse_parts(sparse_mat)])


def conv2d_backward_weight(grad: ExprLike, data: ExprLike, strides: Any = (1, 1),
                           padding: Any = (0, 0), dilation: Any = (1, 1), groups: int = 1,
                           channels: Any = None, kernel_size: Any = None,
                           grad_layout: str = "NCHW", data_layout: str = "NCHW",
                           kernel_layout: str = "OIHW", out_dtype: Any = "") -> Call:
    """Gradient of conv2d with respect to its weight. The operator's layouts are
    those of its arguments and its result, in this order."""
    name = "nn.conv2d_backward_weight"
    return make_call(name, [grad, data], {
        "strides": _expand(strides, 2, f"{name}: 'strides'"),
        "padding": _pad(padding, 2, f"{name}: 'padding'"),
        "dilation": _expand(dilation, 2, f"{name}: 'dilation'"), "groups": groups,
        "channels": channels, "kernel_size": _expand(kernel_size, 2, f"{name}: 'kernel_size'"),
        "data_layout": grad_layout,
        "kernel_layout": data_layout, "out_layout": kernel_layout, "out_dtype": out_dtype})


populate(globals(), "nn.", ["nn"])
