"""Modules: functions and data types by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, overload

from . import adt, expr as _expr, ty
from .._arguments import describe, expect, expect_list, expect_mapping, expect_text
from .adt import Constructor, TypeData
from .attrs import Attrs, DictAttrs
from .expr import Expr, Function, GlobalVar
from .ty import GlobalTypeVar


if TYPE_CHECKING:
    from typing_extensions import Self


class IRModule:
    """Functions and data types of a program.

    `mod["main"]` and `mod[global_var]` are functions, `mod[type_var]` the
    definition of a data type.
    """

    def __init__(self, functions: Mapping[Any, Expr] | None = None,
                 type_definitions: Mapping[GlobalTypeVar, TypeData] | None = None,
                 attrs: Mapping[str, Any] | None = None,
                 global_infos: Mapping[str, Iterable[Any]] | None = None) -> None:
        self.functions: dict[GlobalVar, Function] = {}
        self.type_definitions: dict[GlobalTypeVar, TypeData] = {}
        self.attrs: dict[str, Any] = dict(expect_mapping(attrs, "attrs"))
        self.global_infos: dict[str, list[Any]] = {}
        for name, infos in expect_mapping(global_infos, "global_infos").items():
            self.update_global_info(name, infos)
        self._imported: set[str] = set()
        for var, data in expect_mapping(type_definitions, "type_definitions").items():
            self[var] = data
        for var, function in expect_mapping(functions, "functions").items():
            self[var] = function

    #===--------------------------------------------------------------------===#
    # Contents
    #===--------------------------------------------------------------------===#

    @staticmethod
    def _to_var(var: object) -> GlobalVar:
        if isinstance(var, str):
            return _expr.GlobalVar(var)
        if not isinstance(var, _expr.GlobalVar):
            raise TypeError(f"expects the name of a function, but got {describe(var)}")
        return var

    def __setitem__(self, var: str | GlobalVar | GlobalTypeVar, value: Expr | TypeData) -> None:
        self._add(var, value)

    def _add(self, var: str | GlobalVar | GlobalTypeVar,
             value: Expr | TypeData) -> GlobalVar | GlobalTypeVar:
        if isinstance(value, adt.TypeData):
            return self._add_type(var, value)
        var = self._to_var(var)
        if not isinstance(value, _expr.Function):
            if not isinstance(value, _expr.Expr):
                raise TypeError(f"expects a function or a type definition, but got "
                                f"{value!r}")
            value = _close(value)
        self.functions[var] = value
        return var

    def _add_type(self, var: str | GlobalVar | GlobalTypeVar,
                  data: TypeData) -> GlobalTypeVar:
        if isinstance(var, str):
            var = ty.GlobalTypeVar(var)
        if not isinstance(var, ty.GlobalTypeVar):
            raise TypeError(f"expects the name of a data type, but got {describe(var)}")
        if var != data.header:
            raise ValueError(f"expects the definition of {var.name_hint}, but got that "
                             f"of {data.header.name_hint}")
        for other in self.type_definitions.values():
            if other.header == var:
                continue
            for constructor in data.constructors:
                if constructor in other.constructors:
                    raise ValueError(
                        f"expects constructors of unique names, but "
                        f"{constructor.name_hint!r} is one of "
                        f"{other.header.name_hint} already")
        self.type_definitions[var] = data
        return var

    @overload
    def __getitem__(self, var: str | GlobalVar) -> Function: ...

    @overload
    def __getitem__(self, var: GlobalTypeVar) -> TypeData: ...

    def __getitem__(self, var: str | GlobalVar | GlobalTypeVar) -> Function | TypeData:
        if isinstance(var, ty.GlobalTypeVar):
            if var not in self.type_definitions:
                raise ValueError(f"there is no data type {var.name_hint!r} in the module")
            return self.type_definitions[var]
        var = self._to_var(var)
        if var not in self.functions:
            raise ValueError(f"there is no function {var.name_hint!r} in the module")
        return self.functions[var]

    def __delitem__(self, var: str | GlobalVar | GlobalTypeVar) -> None:
        self[var]  # pylint: disable=pointless-statement
        if isinstance(var, ty.GlobalTypeVar):
            del self.type_definitions[var]
        else:
            del self.functions[self._to_var(var)]

    def __contains__(self, var: object) -> bool:
        if isinstance(var, ty.GlobalTypeVar):
            return var in self.type_definitions
        return self._to_var(var) in self.functions

    def __len__(self) -> int:
        return len(self.functions)

    def __iter__(self) -> Iterator[GlobalVar]:
        return iter(self.functions)

    def functions_items(self) -> list[tuple[GlobalVar, Function]]:
        """The functions, as (variable, function), in the order of their names."""
        return sorted(self.functions.items(), key=lambda item: item[0].name_hint)

    def update(self, other: IRModule | Mapping[Any, Expr]) -> IRModule:
        """Adds what `other` (a module, or a dict of functions) has, over what is
        there under the same names."""
        if not isinstance(other, IRModule):
            other = IRModule(other)
        for type_var, data in other.type_definitions.items():
            self._add(type_var, data)
        for var, function in other.functions.items():
            self._add(var, function)
        self._imported |= other._imported
        return self

    def update_func(self, var: str | GlobalVar, function: Expr) -> None:
        """Replaces a function, or adds it."""
        self._add(var, function)

    def get_global_var(self, name: str) -> GlobalVar:
        """The variable of a function, by name. Raises ValueError."""
        var = _expr.GlobalVar(name)
        for other in self.functions:
            if other == var:
                return other
        raise ValueError(f"there is no function {name!r} in the module")

    def get_global_vars(self) -> list[GlobalVar]:
        """The variables of all functions."""
        return list(self.functions)

    def get_global_type_var(self, name: str) -> GlobalTypeVar:
        """The variable of a data type, by name. Raises ValueError."""
        var = ty.GlobalTypeVar(name)
        if var not in self.type_definitions and "prelude.rly" in self._imported:
            from .prelude import add_tensor_type

            add_tensor_type(self, name)
        if var not in self.type_definitions:
            raise ValueError(f"there is no data type {name!r} in the module")
        return self.type_definitions[var].header

    def get_global_type_vars(self) -> list[GlobalTypeVar]:
        """The variables of all data types."""
        return list(self.type_definitions)

    def get_type(self, name: str) -> tuple[Any, ...]:
        """Returns the variable of a data type and its constructors."""
        var = self.get_global_type_var(name)
        data = self.type_definitions[var]
        return (data.header, *data.constructors)

    def get_constructor(self, data_type: str | int, name: str | None = None) -> Constructor:
        """A constructor by the names of its type and its own, or by its tag. Raises
        ValueError if there is none, or are several of a tag."""
        if not isinstance(data_type, str):
            return self._get_constructor_of_tag(data_type)
        var = self.get_global_type_var(data_type)
        data = self.type_definitions[var]
        for constructor in data.constructors:
            if constructor.name_hint == name:
                return constructor
        raise ValueError(f"there is no constructor {name!r} of {data_type}")

    def _get_constructor_of_tag(self, tag: int) -> Constructor:
        found = [constructor for data in self.type_definitions.values()
                 for constructor in data.constructors if constructor.tag == tag]
        if len(found) == 1:
            return found[0]
        names = ", ".join(constructor.name_hint for constructor in found)
        raise ValueError(f"expects the tag of one constructor, but got {tag}" +
                         (f", that of {names}" if names else ""))

    def with_attr(self, name: str, value: Any) -> IRModule:
        """Returns a copy of the module with an attribute."""
        copy = self.shallow_copy()
        copy.attrs[expect_text(name, "name")] = value
        return copy

    def with_attrs(self, attrs: Mapping[str, Any] | Attrs) -> IRModule:
        """Returns a copy of the module with attributes."""
        copy = self.shallow_copy()
        copy.attrs.update(attrs.written() if isinstance(attrs, Attrs)
                          else expect_mapping(attrs, "attrs"))
        return copy

    def without_attr(self, name: str) -> IRModule:
        """Returns a copy of the module without an attribute."""
        copy = self.shallow_copy()
        copy.attrs.pop(expect_text(name, "name"), None)
        return copy

    def get_attr(self, name: str) -> Any:
        """An attribute of the module, or None."""
        return self.attrs.get(expect_text(name, "name"))

    def get_attrs(self) -> DictAttrs | None:
        """All attributes of the module; None if it has none."""
        return DictAttrs(self.attrs) if self.attrs else None

    def update_global_info(self, name: str, global_info: Iterable[Any]) -> None:
        """Sets the entries of `global_infos` under a name."""
        self.global_infos[expect_text(name, "name")] = expect_list(global_info, "global_info")

    def replace_global_vars(
            self, replacements: Mapping[str | GlobalVar, str | GlobalVar]) -> IRModule:
        """Returns a module in which functions have other names, wherever they are
        used. Raises ValueError if two functions had the same name then."""
        from .expr_functor import ExprMutator

        renamed = {self._to_var(old): self._to_var(new)
                   for old, new in expect_mapping(replacements, "replacements").items()}

        class Renamer(ExprMutator):

            def visit_global_var(self, gvar: GlobalVar) -> Expr:
                return renamed.get(gvar, gvar)

        renamer = Renamer()
        result = self.shallow_copy()
        result.functions = {}
        for var, function in self.functions.items():
            new = renamed.get(var, var)
            if new in result.functions:
                raise ValueError(f"expects functions of different names, but two would be "
                                 f"{new.name_hint!r}")
            result.functions[new] = renamer.visit(function)
        return result

    def shallow_copy(self) -> IRModule:
        """Returns a module with the same functions and data types."""
        copy = IRModule(attrs=self.attrs)
        copy.functions = dict(self.functions)
        copy.type_definitions = dict(self.type_definitions)
        copy._imported = set(self._imported)
        copy.global_infos = dict(self.global_infos)
        return copy

    __copy__ = shallow_copy

    def same_as(self, other: object) -> bool:
        """Whether this is `other` itself."""
        return self is other

    def clone(self) -> IRModule:
        """Returns a module with the same functions and data types."""
        return self.shallow_copy()

    #===--------------------------------------------------------------------===#
    # Making modules
    #===--------------------------------------------------------------------===#

    @classmethod
    def from_expr(cls, expr: Expr, functions: Mapping[Any, Expr] | None = None,
                  type_defs: Mapping[GlobalTypeVar, TypeData] | None = None) -> IRModule:
        """Makes a module whose @main is `expr`: a function, or an expression
        whose free variables become parameters."""
        mod = cls(functions, type_defs)
        mod["main"] = expr
        return mod

    @classmethod
    def from_text(cls, text: str, source_name: str = "from_string") -> IRModule:
        """Parses a module."""
        from .text import parse

        return cls()._assign(parse(text, source_name))

    def import_from_std(self, path: str) -> None:
        """Adds the definitions of a file of the standard library, such as
        "prelude.rly"; once."""
        from .prelude import import_from_std

        import_from_std(self, path)

    def _assign(self, other: IRModule) -> Self:
        self.functions = dict(other.functions)
        self.type_definitions = dict(other.type_definitions)
        self._imported = set(other._imported)
        return self

    #===--------------------------------------------------------------------===#
    # What the extension takes and returns
    #===--------------------------------------------------------------------===#

    def _to_core(self) -> tuple[list[tuple[str, Function]], list[TypeData]]:
        functions = [(self._to_var(var).name_hint, f) for var, f in self.functions.items()]
        return functions, list(self.type_definitions.values())

    @staticmethod
    def _from_core(functions: Iterable[tuple[str, Function]], types: Iterable[TypeData],
                   like: IRModule | None = None) -> IRModule:
        mod = like.shallow_copy() if like is not None else IRModule()
        mod.functions = {_expr.GlobalVar(name): f for name, f in functions}
        mod.type_definitions = {data.header: data for data in types}
        return mod

    #===--------------------------------------------------------------------===#
    # Text
    #===--------------------------------------------------------------------===#

    def astext(self, show_meta_data: bool = True, annotate: Callable[[Expr], str] | None = None,
               **options: Any) -> str:
        """The program as text that `parse` reads."""
        from .text import print_text

        return print_text(self, show_meta_data, annotate, **options)

    def as_mlir(self) -> str:
        """The module as text of MLIR, in the dialect relay, with all constants. Types are
        inferred. `relay_mlir.IRModule.parse` reads it, and a code generator may return it.
        Raises DiagnosticError for an ill-typed module."""
        from . import _diagnostics
        from ._core import core
        from .transform import infer_types

        with _diagnostics.raising():
            text: str = core.print_mlir(*infer_types(self)._to_core(), -1)
        return text

    def __str__(self) -> str:
        from .text import print_short

        return print_short(self)

    __repr__ = __str__


class Module(IRModule):
    """A module as programs of 2019 know it: a function is type-checked when it
    is added, so that printing the module shows types."""

    def _add(self, var: str | GlobalVar | GlobalTypeVar,
             value: Expr | TypeData) -> GlobalVar | GlobalTypeVar:
        var = super()._add(var, value)
        if isinstance(var, _expr.GlobalVar):
            from .transform import infer_types

            old = {name: f for name, f in self.functions.items() if name != var}
            try:
                checked = infer_types(self)
            except Exception:
                self.functions = old
                raise
            self.functions = checked.functions
        return var


def _close(expr: Expr) -> Function:
    """Makes a function of an expression, of its free variables."""
    from .analysis import free_vars

    return _expr.Function(free_vars(expr), expr)


def expect_module(value: Any, name: str = "mod") -> IRModule:
    """`value` itself. Raises TypeError if it is no module."""
    mod: IRModule = expect(value, IRModule, name, "a relay.IRModule")
    return mod


def module_arguments(value: IRModule | Expr | None) -> IRModule:
    """A module, or what makes one: None or a function."""
    if value is None:
        return IRModule()
    if isinstance(value, IRModule):
        return value
    if not isinstance(value, Expr):
        from .._compile import IRModule as MLIRModule

        text = f"expects a relay.IRModule, a function or an expression, but got {describe(value)}"
        if isinstance(value, MLIRModule):
            text = ("expects a relay.IRModule, a function or an expression, but got a "
                    "relay_mlir.IRModule, which relay_mlir.compile compiles")
        raise TypeError(text)
    return IRModule.from_expr(value)


__all__ = ["IRModule", "Module"]
