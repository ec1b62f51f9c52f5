"""Operators of the virtual machine: `vm.*`."""

from __future__ import annotations

from typing import Any, Sequence

from ..._arguments import expect_list
from ..expr import Call, ExprLike, Tuple
from ._build import populate
from ._registry import make_call, to_int

__all__ = ["invoke_tvm_op", "reshape_tensor", "shape_func", "shape_of"]


def shape_of(expr: Any) -> Call:
    """The shape of a tensor, as int64."""
    return make_call("vm.shape_of", [expr], {"dtype": "int64"})


def _as_tuple(values: Any) -> Any:
    return Tuple(list(values)) if isinstance(values, (list, tuple)) else values


def invoke_tvm_op(func: Any, inputs: Any, outputs: Any) -> Call:
    """Calls a function on tensors, with memory for its results."""
    return make_call("vm.invoke_tvm_op", [func, _as_tuple(inputs), _as_tuple(outputs)])


def shape_func(func: Any, inputs: Any, outputs: Any, is_inputs: Sequence[bool]) -> Call:
    """Computes the shapes of a function's results into `outputs`, of its tensors where
    `is_inputs` says so, and else of their shapes."""
    return make_call("vm.shape_func", [func, _as_tuple(inputs), _as_tuple(outputs)],
                     {"is_input": [to_int(flag, "shape_func: 'is_inputs'")
                                   for flag in expect_list(is_inputs, "is_inputs", "bools")]})


def reshape_tensor(data: ExprLike, shape: Any, newshape: Any) -> Call:
    """The same memory with another shape."""
    return make_call("vm.reshape_tensor", [data, shape], {"newshape": newshape})


populate(globals(), "vm.")
