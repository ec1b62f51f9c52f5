"""Functions of Python by name."""

from __future__ import annotations

import re
from typing import Any, Callable

from . import expr as _expr, ty
from .._arguments import expect_callable, expect_text

_FUNCTIONS: dict[str, Any] = {}


def register_func(func_name: Any, f: Any = None, override: bool = False) -> Any:
    """Registers a function under a name, or its own: `register_func("name", f)`,
    `@register_func("name")`, `@register_func`. Raises ValueError if there is one
    already, unless `override`, and for code generators ("relay.ext.<target>"), which are
    registered by relay.codegen.register."""
    if f is None and hasattr(func_name, "__name__"):
        func_name, f = func_name.__name__, func_name
    generator = re.fullmatch(r"relay\.ext\.([\w-]+)", expect_text(func_name, "func_name"))
    if generator is not None:
        raise ValueError(
            f"expects code generators to be registered by relay.codegen.register"
            f"({generator[1]!r}), which take a module and return a CSource, a Blob, a module or a "
            f"text of MLIR, but got register_func({func_name!r})")

    def register(function: Any) -> Any:
        expect_callable(function, "f")
        if func_name in _FUNCTIONS and not override:
            raise ValueError(f"expects a new name, but {func_name!r} is registered already")
        _FUNCTIONS[func_name] = function
        return function

    return register if f is None else register(f)


def get_global_func(name: str, allow_missing: bool = False) -> Any:
    """The function of a name. Raises ValueError if there is none, or returns None
    with `allow_missing`."""
    function = _FUNCTIONS.get(expect_text(name, "name"))
    if function is None and not allow_missing:
        raise ValueError(f"there is no registered function {name!r}")
    return function


def remove_global_func(name: str) -> None:
    """Forgets a function."""
    _FUNCTIONS.pop(expect_text(name, "name"), None)


class EnvFunc:
    """A registered function that nodes refer to by its name."""

    _known: dict[str, EnvFunc] = {}

    def __init__(self, name: str) -> None:
        get_global_func(name)
        self.name = name

    @staticmethod
    def get(name: str) -> EnvFunc:
        """The function of a name, always the same object. Raises ValueError."""
        if expect_text(name, "name") not in EnvFunc._known:
            EnvFunc._known[name] = EnvFunc(name)
        return EnvFunc._known[name]

    @property
    def func(self) -> Callable[..., Any]:
        """The function itself."""
        function: Callable[..., Any] = get_global_func(self.name)
        return function

    def __call__(self, *args: Any) -> Any:
        return self.func(*args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnvFunc) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"EnvFunc({self.name})"


def _relation(name: str, op_name: str, num_inputs: int) -> None:
    """Registers what an operator does with types, without attributes."""

    def infer(*types: ty.Type) -> ty.Type:
        from .op import _registry
        from .transform import infer_expr

        params = [_expr.Var(f"p{i}", type_) for i, type_ in enumerate(types[:num_inputs])]
        call = _expr.Call(_registry.get(op_name), params)
        type_ = infer_expr(call).checked_type
        assert isinstance(type_, ty.Type)
        return type_

    infer.__doc__ = f"The type of {op_name} for {num_inputs} types of operands."
    register_func(f"tvm.relay.type_relation.{name}", infer)


_relation("Identity", "copy", 1)
_relation("Broadcast", "add", 2)
_relation("BroadcastComp", "less", 2)

__all__ = ["EnvFunc", "get_global_func", "register_func", "remove_global_func"]
