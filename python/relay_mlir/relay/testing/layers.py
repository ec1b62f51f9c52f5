"""Layers with their parameters as variables."""

from __future__ import annotations

from typing import Any

from .. import op
from ..expr import Expr, var


def conv2d(data: Expr, weight: Any = None, **attributes: Any) -> Any:
    """Convolution by the variable NAME_weight."""
    name = attributes.pop("name")
    return op.nn.conv2d(data, weight or var(name + "_weight"), **attributes)


def conv3d(data: Expr, weight: Any = None, **attributes: Any) -> Any:
    """Convolution by the variable NAME_weight."""
    name = attributes.pop("name")
    return op.nn.conv3d(data, weight or var(name + "_weight"), **attributes)


def conv2d_transpose(data: Expr, weight: Any = None, **attributes: Any) -> Any:
    """Transposed convolution by the variable NAME_weight."""
    name = attributes.pop("name")
    return op.nn.conv2d_transpose(data, weight or var(name + "_weight"), **attributes)


def batch_norm_infer(data: Expr, gamma: Any = None, beta: Any = None, moving_mean: Any = None,
                     moving_var: Any = None, **attributes: Any) -> Any:
    """The normalised tensor of batch_norm, by variables NAME_gamma and so on."""
    name = attributes.pop("name")
    params = [
        value or var(f"{name}_{suffix}")
        for value, suffix in [(gamma, "gamma"), (beta, "beta"), (moving_mean, "moving_mean"),
                              (moving_var, "moving_var")]
    ]
    normalised: Any = op.nn.batch_norm
    return normalised(data, *params, **attributes)[0]


def dense_add_bias(data: Expr, weight: Any = None, bias: Any = None, units: Any = None,
                   **attributes: Any) -> Any:
    """Dense layer by the variables NAME_weight and NAME_bias."""
    name = attributes.pop("name")
    data = op.nn.dense(data, weight or var(name + "_weight"), units, **attributes)
    return op.nn.bias_add(data, bias or var(name + "_bias"), axis=-1)


def conv2d_bias_relu(data: Expr, name: str, **attributes: Any) -> Any:
    """Convolution, bias, relu."""
    data = conv2d(data, name=name + "_conv", **attributes)
    return op.nn.relu(op.nn.bias_add(data, var(name + "_bias")))


def conv_kernel_layout(data_layout: str, is_depthwise: bool = False) -> Any:
    """The kernel layout that goes with a data layout."""
    layouts = {
        "NCHW": ("OIHW", "OIHW"), "NHWC": ("HWIO", "HWOI"),
        "NCDHW": ("OIDHW", "OIDHW"), "NDHWC": ("DHWIO", "DHWOI")}
    if data_layout not in layouts:
        raise ValueError(f"expects one of {', '.join(layouts)}, but got {data_layout!r}")
    return layouts[data_layout][is_depthwise]


__all__ = ["batch_norm_infer", "conv2d", "conv2d_bias_relu", "conv2d_transpose", "conv3d",
           "conv_kernel_layout", "dense_add_bias"]
