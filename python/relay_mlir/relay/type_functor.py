"""Visitors of types."""

from __future__ import annotations

from typing import Any, Callable, NoReturn

from . import adt, ty

_METHODS = {
    ty.TensorType: "visit_tensor_type",
    ty.TupleType: "visit_tuple_type",
    ty.FuncType: "visit_func_type",
    ty.TypeVar: "visit_type_var",
    ty.GlobalTypeVar: "visit_global_type_var",
    ty.TypeCall: "visit_type_call",
    ty.RefType: "visit_ref_type",
    ty.IncompleteType: "visit_incomplete_type",
    adt.TypeData: "visit_type_data",
}


class TypeFunctor:
    """A function on types: `visit` calls the method for the kind of type. Those
    that a class does not define raise NotImplementedError."""

    def visit(self, type_: Any) -> Any:
        """Visits a type, or the definition of a data type."""
        method = _METHODS.get(type(type_))
        if method is None:
            # Constraints are classes of Python.
            if not isinstance(type_, ty.Type) or not hasattr(type_, "args"):
                raise TypeError(f"expects a type, but got {type_!r}")
            method = "visit_type_relation"
        return getattr(self, method)(type_)


def _not_implemented(name: str) -> Callable[..., Any]:
    def visit(self: Any, type_: Any) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__}.{name}")

    visit.__name__ = name
    return visit


for _name in [*_METHODS.values(), "visit_type_relation"]:
    setattr(TypeFunctor, _name, _not_implemented(_name))


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
        for constraint in getattr(type_, "type_constraints", ()):
            self.visit(constraint)

    def visit_type_relation(self, type_: Any) -> Any:
        for arg in type_.args:
            self.visit(arg)

    def visit_type_data(self, data: adt.TypeData) -> Any:
        self.visit(data.header)
        for var in data.type_vars:
            self.visit(var)
        for constructor in data.constructors:
            for field in constructor.inputs:
                self.visit(field)

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
        parts = [[self.visit(arg) for arg in type_.arg_types], self.visit(type_.ret_type),
                 [self.visit(param) for param in type_.type_params]]
        constraints = list(getattr(type_, "type_constraints", ()))
        if constraints:
            parts.append([self.visit(constraint) for constraint in constraints])
        make: Callable[..., ty.FuncType] = ty.FuncType
        return make(*parts)

    def visit_type_relation(self, type_: Any) -> Any:
        return type(type_)(type_.func, [self.visit(arg) for arg in type_.args],
                           type_.num_inputs, type_.attrs)

    def visit_type_data(self, data: adt.TypeData) -> Any:
        constructors = [
            adt.Constructor(c.name_hint, [self.visit(field) for field in c.inputs], c.belong_to)
            for c in data.constructors]
        result = adt.TypeData(self.visit(data.header),
                              [self.visit(var) for var in data.type_vars], constructors)
        result.is_extern = data.is_extern
        return result

    def visit_type_call(self, type_: ty.TypeCall) -> Any:
        return ty.TypeCall(self.visit(type_.func),
                           [self.visit(arg) for arg in type_.args])

    def visit_ref_type(self, type_: ty.RefType) -> Any:
        return ty.RefType(self.visit(type_.value))


__all__ = ["TypeFunctor", "TypeMutator", "TypeVisitor"]
