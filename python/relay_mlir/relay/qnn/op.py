"""Quantised operators: `qnn.*`."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from ..._arguments import describe
from ..expr import Call, Constant, const, Expr, ExprLike, Tuple
from ..op import _registry
from ..op._build import populate
from ..op.op import register_op_attr
from .config import RequantizeConfig, current_requantize_config, requantize_config

__all__ = ["batch_matmul", "contrib_dense_pack", "register_qnn_canonicalize",
           "register_qnn_legalize", "simulated_dequantize", "simulated_quantize"]

# What constants of NumPy's default types become: those of scales and zero points.
_NARROW = {"float64": "float32", "int64": "int32"}


def _narrow(value: Any) -> Any:
    """A scale or zero point, or several, as the operators take them."""
    if isinstance(value, np.ndarray):
        value = const(value)
    if isinstance(value, Constant):
        array = value._data
        dtype = _NARROW.get(array.dtype.name)
        # Numbers that int32 does not have are for type inference.
        if dtype == "float32" or (dtype and (array.astype(dtype) == array).all()):
            return const(array, dtype, span=value.span)
    if isinstance(value, Tuple) and any(isinstance(field, Constant) for field in value.fields):
        return Tuple([_narrow(field) for field in value.fields], span=value.span)
    return [_narrow(field) for field in value] if isinstance(value, (list, tuple)) else value


def make_call(name: str, operands: Sequence[Any],
              attributes: Mapping[str, Any] | None = None) -> Call:
    """Calls a quantised operator."""
    names = [name for name, _ in _registry.SCHEMAS[name].operands]
    return _registry.make_call(name, [
        _narrow(value) if "scale" in operand or "zero_point" in operand else value
        for operand, value in zip(names, operands)], attributes)


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


def batch_matmul(x: ExprLike, y: ExprLike, x_zero_point: ExprLike, y_zero_point: ExprLike,
                 x_scale: ExprLike, y_scale: ExprLike, out_dtype: Any = "int32") -> Call:
    """Products of matrices (M, K) and transposed ones (N, K) of a batch."""
    return make_call("qnn.batch_matmul", [x, y, x_zero_point, y_zero_point, x_scale, y_scale],
                     {"out_dtype": out_dtype, "transpose_b": True})


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


populate(globals(), "qnn.", ["qnn"], make=make_call)
