"""Operators of memory planning: `memory.*`."""

from __future__ import annotations

from typing import Any

from .. import ty
from ..._arguments import expect_list
from ..expr import Call, const, Expr, ExprLike, Tuple, TupleGetItem
from ._build import populate
from ._registry import constant_value, make_call, to_ints

__all__ = ["alloc_storage", "alloc_tensor", "flatten_tuple_type", "from_tuple_type",
           "to_tuple_type"]


def alloc_tensor(storage: ExprLike, offset: ExprLike, shape: Any, dtype: Any = "float32",
                 assert_shape: Any = None) -> Call:
    """A tensor in a storage. `assert_shape` is its shape where `shape` is not a
    constant."""
    attributes = {"dtype": dtype}
    if not isinstance(shape, Expr):
        shape = const(to_ints(shape, "alloc_tensor: 'shape'"), "int64")
    if assert_shape is None and constant_value(shape) is not None:
        assert_shape = shape
    if assert_shape is not None:
        attributes["assert_shape"] = to_ints(assert_shape, "alloc_tensor: 'assert_shape'")
    return make_call("memory.alloc_tensor", [storage, offset, shape], attributes)


def alloc_storage(size: ExprLike, shape: Any, alignment: Any, device: Any,
                  dtype_hint: str = "float32") -> Call:
    """A piece of memory of `size` bytes."""
    from .annotation import virtual_device

    return make_call("memory.alloc_storage", [size, shape, alignment],
                     {"dtype": dtype_hint, "virtual_device": virtual_device(device)})


def flatten_tuple_type(type_: Any) -> Any:
    """The tensor types inside of a type, in order."""
    if isinstance(type_, ty.TupleType):
        return [t for field in type_.fields for t in flatten_tuple_type(field)]
    return [type_]


def from_tuple_type(type_: Any, expr: Any) -> Any:
    """Expressions for the tensors inside of an expression of a type."""
    if isinstance(type_, ty.TupleType):
        return [e for i, field in enumerate(type_.fields)
                for e in from_tuple_type(field, TupleGetItem(expr, i))]
    return [expr]


def to_tuple_type(type_: Any, exprs: Any) -> Any:
    """An expression of a type, of expressions for the tensors inside of it."""
    exprs = expect_list(exprs, "exprs", "expressions")
    count = len(flatten_tuple_type(type_))
    if len(exprs) != count:
        raise ValueError(f"expects {count} expressions for {type_}, but got {len(exprs)}")
    remaining = iter(exprs)

    def build(part: Any) -> Any:
        if isinstance(part, ty.TupleType):
            return Tuple([build(field) for field in part.fields])
        return next(remaining)

    return build(type_)


populate(globals(), "memory.")
