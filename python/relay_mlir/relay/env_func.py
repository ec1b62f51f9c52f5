"""Functions of Python by name, as nodes refer to them."""

from __future__ import annotations

from typing import Any, Callable

from . import expr as _expr, ty
from .._arguments import expect_text
from .._functions import get_global_func, register_func, remove_global_func


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
