"""Quantised operators: `qnn.*`."""

from ..expr import Expr, const
from ..op._build import populate
from ..op._registry import make_call

__all__ = ["contrib_dense_pack", "simulated_dequantize", "simulated_quantize"]

_CODES = {"disable": 0, "int8": 1, "uint8": 2, "int32": 3}


def _dtype_code(dtype):
    """The operand that says, at run time, which dtype is simulated."""
    if isinstance(dtype, Expr):
        return dtype
    if dtype not in _CODES:
        raise ValueError(f"expects one of {', '.join(_CODES)}, but got {dtype!r}")
    return const(_CODES[dtype], "int32")


def simulated_quantize(data, output_scale, output_zero_point, axis=-1, out_dtype="int8"):
    """What quantize does, in floats; `out_dtype` may be an expression."""
    return make_call("qnn.simulated_quantize",
                     [data, _dtype_code(out_dtype), output_scale, output_zero_point],
                     {"axis": axis})


def simulated_dequantize(data, input_scale, input_zero_point, axis=-1, in_dtype="int8"):
    """What dequantize does, in floats; `in_dtype` may be an expression."""
    return make_call("qnn.simulated_dequantize",
                     [data, _dtype_code(in_dtype), input_scale, input_zero_point],
                     {"axis": axis})


def contrib_dense_pack(data, weight, input_zero_point, kernel_zero_point, input_scale,
                       kernel_scale, kernel_layout="NC", units=None, out_dtype="int32"):
    """qnn.dense with a weight in blocks."""
    return make_call("qnn.contrib_dense_pack", [
        data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale
    ], {"units": units, "out_dtype": out_dtype, "weight_layout": kernel_layout})


populate(globals(), "qnn.", ["qnn"])
