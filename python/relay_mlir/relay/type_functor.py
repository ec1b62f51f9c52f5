"""Visitors of types."""

from __future__ import annotations

from typing import Any

from . import ty

_METHODS = {
    ty.TensorType: "visit_tensor_type",
    ty.TupleType: "visit_tuple_type",
    ty.FuncType: "visit_func_type",
    ty.TypeVar: "visit_type_var",
    ty.GlobalTypeVar: "visit_global_type_var",
    ty.TypeCall: "visit_type_call",
    ty.RefType: "visit_ref_type",
    ty.IncompleteType: "visit_incomplete_type",
}


class TypeFunctor:
    """A function on types: `visit` calls the method for the kind of type."""

    def visit(self, type_: ty.Type) -> Any:
        method = _METHODS.get(type(type_))
        if method is None:
            raise TypeError(f"expects a type, but got {type_!r}")
        return getattr(self, method)(type_)


class TypeVisitor(TypeFunctor):
    """Visits all types inside of a type."""

    def visit_tensor_type(self, type_: ty.TensorType) -> Any:
        pass

    def visit_type_var(self, type_: ty.TypeVar) -> Any:
        pass

    def visit_global_type_var(self, type_: ty.GlobalTypeVar) -> Any:
        pass

    def visit_incomplete_type(self, type_: ty.IncompleteType) -> Any:
        pass

    def visit_tuple_type(self, type_: ty.TupleType) -> Any:
        for field in type_.fields:
            self.visit(field)

    def visit_func_type(self, type_: ty.FuncType) -> Any:
        for arg in type_.arg_types:
            self.visit(arg)
        self.visit(type_.ret_type)
        for param in type_.type_params:
            self.visit(param)

    def visit_type_call(self, type_: ty.TypeCall) -> Any:
        self.visit(type_.func)
        for arg in type_.args:
            self.visit(arg)

    def visit_ref_type(self, type_: ty.RefType) -> Any:
        self.visit(type_.value)


class TypeMutator(TypeFunctor):
    """Rebuilds a type: each method returns what takes its argument's place."""

    def visit_tensor_type(self, type_: ty.TensorType) -> Any:
        return type_

    def visit_type_var(self, type_: ty.TypeVar) -> Any:
        return type_

    def visit_global_type_var(self, type_: ty.GlobalTypeVar) -> Any:
        return type_

    def visit_incomplete_type(self, type_: ty.IncompleteType) -> Any:
        return type_

    def visit_tuple_type(self, type_: ty.TupleType) -> Any:
        return ty.TupleType([self.visit(field) for field in type_.fields])

    def visit_func_type(self, type_: ty.FuncType) -> Any:
        return ty.FuncType([self.visit(arg) for arg in type_.arg_types],
                           self.visit(type_.ret_type),
                           [self.visit(param) for param in type_.type_params])

    def visit_type_call(self, type_: ty.TypeCall) -> Any:
        return ty.TypeCall(self.visit(type_.func),
                           [self.visit(arg) for arg in type_.args])

    def visit_ref_type(self, type_: ty.RefType) -> Any:
        return ty.RefType(self.visit(type_.value))


__all__ = ["TypeFunctor", "TypeMutator", "TypeVisitor"]
