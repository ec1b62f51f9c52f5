"""Copies of expressions with some fields changed: `CallWithFields(call, args=[x])`.

None means no change; without any change the expression itself is returned. A copy has
the place of the original.
"""
# pylint: disable=invalid-name

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence, TypeVar

import numpy as np

from . import base, ty
from .._arguments import expect
from .device import VirtualDevice
from .expr import (Call, Constant, Expr, Function, If, Let, RefCreate, RefRead, RefWrite, Tuple,
                   TupleGetItem, Var)

E = TypeVar("E", bound=Expr)


def _is_same(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray):
        return old is new
    if isinstance(old, (list, tuple)):
        return (isinstance(new, (list, tuple)) and len(old) == len(new) and
                all(map(_is_same, old, new)))
    if isinstance(old, (Expr, ty.Type)):
        return old.same_as(new)
    return bool(old is new or old == new)


def _copy(node: E, cls: type[E], fields: Mapping[str, Any],
          virtual_device: VirtualDevice | None, span: Any,
          make: Callable[..., E] | None = None) -> E:
    """`make`, by default the class of the node, of its fields, some of which are new;
    the node itself if nothing changes. Raises TypeError for a node of another class."""
    expect(node, cls, "the expression", f"a {cls.__name__}")
    pairs = [(getattr(node, name), new) for name, new in fields.items()]
    changed = any(new is not None and not _is_same(old, new) for old, new in pairs)
    if span is not None and span == node.span:
        span = None
    if virtual_device is not None and virtual_device == node.virtual_device_:
        virtual_device = None
    if not changed and span is None and virtual_device is None:
        return node
    copy = (make or cls)(*(old if new is None else new for old, new in pairs))
    copy._span = node._span if span is None else base.to_core(span)
    if virtual_device is None and isinstance(node, Var):
        virtual_device = node.virtual_device_
    if virtual_device is not None:
        copy = copy._with_virtual_device(virtual_device)
    return copy


def ConstantWithFields(constant: Constant, data: Any = None,
                       virtual_device: VirtualDevice | None = None,
                       span: Any = None) -> Constant:
    """A constant with other data."""
    known = expect(constant, Constant, "the expression", "a Constant")._data
    if isinstance(data, np.ndarray) and data.shape == known.shape and (
            data.dtype == known.dtype and np.shares_memory(data, known)):
        data = None
    return _copy(constant, Constant, {"_data": data}, virtual_device, span)


def TupleWithFields(tup: Tuple, fields: Sequence[Expr] | None = None,
                    virtual_device: VirtualDevice | None = None, span: Any = None) -> Tuple:
    """A tuple of other fields."""
    return _copy(tup, Tuple, {"fields": fields}, virtual_device, span)


def VarWithFields(variable: Var, vid: Any = None, type_annotation: ty.Type | None = None,
                  virtual_device: VirtualDevice | None = None, span: Any = None) -> Var:
    """Another variable: `vid`, a variable, has its name."""
    if vid is not None:
        expect(vid, Var, "vid", "a variable")
    return _copy(variable, Var, {"vid": vid, "type_annotation": type_annotation},
                 virtual_device, span,
                 lambda named, annotation: Var(named.name_hint, annotation))


def CallWithFields(call: Call, op: Expr | None = None, args: Sequence[Expr] | None = None,
                   attrs: Any = None, type_args: Sequence[ty.Type] | None = None,
                   virtual_device: VirtualDevice | None = None, span: Any = None) -> Call:
    """A call of another function, or with other arguments."""
    return _copy(call, Call, {"op": op, "args": args, "attrs": attrs, "type_args": type_args},
                 virtual_device, span)


def LetWithFields(let: Let, variable: Var | None = None, value: Expr | None = None,
                  body: Expr | None = None, virtual_device: VirtualDevice | None = None,
                  span: Any = None) -> Let:
    """A let of another variable, value or body."""
    return _copy(let, Let, {"var": variable, "value": value, "body": body}, virtual_device, span)


def IfWithFields(if_expr: If, cond: Expr | None = None, true_branch: Expr | None = None,
                 false_branch: Expr | None = None, virtual_device: VirtualDevice | None = None,
                 span: Any = None) -> If:
    """An if with another condition or branch."""
    return _copy(if_expr, If, {"cond": cond, "true_branch": true_branch,
                               "false_branch": false_branch}, virtual_device, span)


def TupleGetItemWithFields(tuple_get_item: TupleGetItem, tuple_value: Expr | None = None,
                           index: int | None = None, virtual_device: VirtualDevice | None = None,
                           span: Any = None) -> TupleGetItem:
    """Another field, or one of another tuple."""
    return _copy(tuple_get_item, TupleGetItem, {"tuple_value": tuple_value, "index": index},
                 virtual_device, span)


def RefCreateWithFields(ref_create: RefCreate, value: Expr | None = None,
                        virtual_device: VirtualDevice | None = None,
                        span: Any = None) -> RefCreate:
    """A reference to another value."""
    return _copy(ref_create, RefCreate, {"value": value}, virtual_device, span)


def RefReadWithFields(ref_read: RefRead, ref: Expr | None = None,
                      virtual_device: VirtualDevice | None = None, span: Any = None) -> RefRead:
    """What another reference holds."""
    return _copy(ref_read, RefRead, {"ref": ref}, virtual_device, span)


def RefWriteWithFields(ref_write: RefWrite, ref: Expr | None = None, value: Expr | None = None,
                       virtual_device: VirtualDevice | None = None,
                       span: Any = None) -> RefWrite:
    """A change of another reference, or to another value."""
    return _copy(ref_write, RefWrite, {"ref": ref, "value": value}, virtual_device, span)


def FunctionWithFields(function: Function, params: Sequence[Var] | None = None,
                       body: Expr | None = None, ret_type: ty.Type | None = None,
                       ty_params: Sequence[ty.TypeVar] | None = None, attrs: Any = None,
                       virtual_device: VirtualDevice | None = None,
                       span: Any = None) -> Function:
    """A function with other parameters, another body, or other attributes."""
    return _copy(function, Function,
                 {"params": params, "body": body, "ret_type": ret_type, "type_params": ty_params,
                  "attrs": attrs}, virtual_device, span)


__all__ = [
    "CallWithFields", "ConstantWithFields", "FunctionWithFields", "IfWithFields",
    "LetWithFields", "RefCreateWithFields", "RefReadWithFields", "RefWriteWithFields",
    "TupleGetItemWithFields", "TupleWithFields", "VarWithFields",
]
