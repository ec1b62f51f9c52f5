"""Types of Relay."""

from __future__ import annotations

from typing import Sequence

from ._core import core

# A size that is known only at run time.
Any = core.Any
Type = core.Type
TensorType = core.TensorType
TupleType = core.TupleType
FuncType = core.FuncType
TypeVar = core.TypeVar
GlobalTypeVar = core.GlobalTypeVar
TypeCall = core.TypeCall
RefType = core.RefType
RelayRefType = core.RefType
IncompleteType = core.IncompleteType


class TypeKind:
    """Kinds of types: `TypeVar(name, kind)` takes one."""

    Type = 0
    ShapeVar = 1
    BaseType = 2
    Constraint = 4
    AdtHandle = 5
    TypeData = 6


Kind = TypeKind


def scalar_type(dtype: object) -> TensorType:
    """The type of a tensor of rank 0."""
    return TensorType((), str(dtype))


def _type_children(type_: Type) -> Sequence[Type]:
    """The types that `type_` consists of directly."""
    if isinstance(type_, TupleType):
        return type_.fields
    if isinstance(type_, FuncType):
        return [*type_.arg_types, type_.ret_type]
    if isinstance(type_, TypeCall):
        return type_.args
    if isinstance(type_, RefType):
        return [type_.value]
    return []


__all__ = [
    "Any", "FuncType", "GlobalTypeVar", "IncompleteType", "Kind", "RefType",
    "RelayRefType", "TensorType", "TupleType", "Type", "TypeCall", "TypeKind",
    "TypeVar", "scalar_type",
]
