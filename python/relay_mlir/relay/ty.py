"""Types of Relay."""

from __future__ import annotations

from typing import Callable, Iterable, Sequence

from .._arguments import describe, expect, expect_int, expect_list
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


class TypeConstraint(core.Type):
    """What types must fulfil, of which no value is."""

    def __init__(self) -> None:
        raise TypeError("expects a TypeRelation, which constraints are made as")

    def astext(self, **options: object) -> str:
        return str(self)


class TypeRelation(TypeConstraint):
    """A relation between types: `num_inputs` of operands, and of results.

    `func` is a function or its name, `attrs` the attributes of a call, or None.
    """

    def __init__(self, func: object, args: Iterable[Type], num_inputs: int,
                 attrs: object) -> None:
        core.Type.__init__(self)
        self.func = func
        self.args = expect_list(args, "args", "types")
        self.num_inputs = expect_int(num_inputs, "num_inputs")
        self.attrs = attrs
        for arg in self.args:
            if not isinstance(arg, core.Type):
                raise TypeError(f"expects a type, but got {describe(arg)}")

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, TypeRelation) and self.func == other.func and
                self.args == other.args and self.num_inputs == other.num_inputs and
                self.attrs == other.attrs)

    def __hash__(self) -> int:
        return hash((tuple(self.args), self.num_inputs))

    def same_as(self, other: object) -> bool:
        return self is other

    def __str__(self) -> str:
        name = getattr(self.func, "name", None) or getattr(self.func, "__name__", self.func)
        return f"{name}({', '.join(map(str, self.args))})"

    __repr__ = __str__


_init_func_type: Callable[..., None] = getattr(core.FuncType, "__init__")


def _func_type_init(self: FuncType, arg_types: Iterable[Type], ret_type: Type,
                    type_params: Iterable[TypeVar] | None = None,
                    type_constraints: Iterable[Type] | None = None) -> None:
    """A function's type. Constraints are kept with this object, for whoever looks at
    them; inference does not."""
    _init_func_type(self, arg_types, ret_type, type_params)
    constraints = [] if type_constraints is None else \
        expect_list(type_constraints, "type_constraints", "type constraints")
    for constraint in constraints:
        if not isinstance(constraint, TypeConstraint):
            raise TypeError(f"expects a type constraint, but got {constraint!r}")
    if constraints:
        setattr(self, "_type_constraints", constraints)


_func_type_init.__qualname__ = "FuncType"
setattr(core.FuncType, "__init__", _func_type_init)
setattr(core.FuncType, "type_constraints",
        property(lambda self: list(getattr(self, "_type_constraints", ()))))
# Types are values: equal ones are the same.
setattr(core.Type, "same_as", lambda self, other: self is other or bool(self == other))


def ShapeVar(name: str) -> TypeVar:  # pylint: disable=invalid-name
    """A type variable that stands for a shape."""
    return TypeVar(name, TypeKind.ShapeVar)


def is_dynamic(type_: Type) -> bool:
    """Whether a tensor in a type has a size that is known only at run time."""
    expect(type_, Type, "type_", "a type")
    if isinstance(type_, TensorType):
        return any(not isinstance(size, int) for size in type_.shape)
    return any(map(is_dynamic, _type_children(type_)))


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
    "RelayRefType", "ShapeVar", "TensorType", "TupleType", "Type", "TypeCall",
    "TypeConstraint", "TypeKind", "TypeRelation", "TypeVar", "is_dynamic", "scalar_type",
]
