"""Quantised operators: `qnn.*`."""

from __future__ import annotations

from typing import Any

from ..._arguments import describe
from ..expr import Call, const, Expr, ExprLike
from ..op._build import populate
from ..op._registry import make_call
from ..op.op import register_op_attr
from .config import RequantizeConfig, current_requantize_config, requantize_config

__all__ = ["contrib_dense_pack", "register_qnn_canonicalize", "register_qnn_legalize",
           "simulated_dequantize", "simulated_quantize"]

_CODES = {"disable": 0, "int8": 1, "uint8": 2, "int32": 3}


def _dtype_code(dtype: Any) -> Any:
    """The operand that says, at run time, which dtype is simulated."""
    if isinstance(dtype, Expr):
        return dtype
    if not isinstance(dtype, str) or dtype not in _CODES:
        raise ValueError(f"expects one of {', '.join(_CODES)}, but got {describe(dtype)}")
    return const(_CODES[dtype], "int32")


def simulated_quantize(data: ExprLike, output_scale: ExprLike, output_zero_point: ExprLike,
                       axis: Any = -1, out_dtype: Any = "int8") -> Call:
    """What quantize does, in floats; `out_dtype` may be an expression."""
    return make_call("qnn.simulated_quantize",
                     [data, _dtype_code(out_dtype), output_scale, output_zero_point],
                     {"axis": axis})


def simulated_dequantize(data: ExprLike, input_scale: ExprLike, input_zero_point: ExprLike,
                         axis: Any = -1, in_dtype: Any = "int8") -> Call:
    """What dequantize does, in floats; `in_dtype` may be an expression."""
    return make_call("qnn.simulated_dequantize",
                     [data, _dtype_code(in_dtype), input_scale, input_zero_point],
                     {"axis": axis})


def contrib_dense_pack(data: ExprLike, weight: ExprLike, input_zero_point: ExprLike,
                       kernel_zero_point: ExprLike, input_scale: ExprLike, kernel_scale: ExprLike,
                       kernel_layout: str = "NC", units: Any = None,
                       out_dtype: Any = "int32") -> Call:
    """qnn.dense with a weight in blocks."""
    return make_call("qnn.contrib_dense_pack", [
        data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale
    ], {"units": units, "out_dtype": out_dtype, "weight_layout": kernel_layout})


def register_qnn_legalize(op_name: str, legal_op: Any = None, level: int = 10) -> Any:
    """`legal_op(attrs, inputs, types)` returns what a quantised call becomes for a target."""
    return register_op_attr(op_name, "FTVMQnnLegalize", legal_op, level)


def register_qnn_canonicalize(op_name: str, legal_op: Any = None, level: int = 10) -> Any:
    """`legal_op(attrs, inputs, types)` returns a quantised call in operators of Relay."""
    return register_op_attr(op_name, "FTVMQnnCanonicalize", legal_op, level)


populate(globals(), "qnn.", ["qnn"])
