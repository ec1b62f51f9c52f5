"""Building bindings and branches in the order in which they are written."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from . import ty
from .._arguments import expect
from .expr import Expr, If, Let, Var, as_expr


class WithScope:
    """What `with` enters: a value, and what to do in the end."""

    def __init__(self, enter_value: Any, exit_callback: Callable[[], None]) -> None:
        self._enter_value = enter_value
        self._exit_callback = exit_callback

    def __enter__(self) -> Any:
        return self._enter_value

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        if type_ is None:
            self._exit_callback()


class ScopeBuilder:
    """Collects bindings; `get()` returns the expression.

        sb = ScopeBuilder()
        with sb.if_scope(condition):
            one = sb.let("one", relay.const(1))
            sb.ret(one)
        with sb.else_scope():
            sb.ret(y)
        expr = sb.get()
    """

    def __init__(self) -> None:
        # Each scope: its bindings, and its result.
        self._bindings: list[list[tuple[Var, Expr]]] = [[]]
        self._results: list[Any] = [None]

    def _enter(self) -> None:
        self._bindings.append([])
        self._results.append(None)

    def _exit(self) -> tuple[list[tuple[Var, Expr]], Any]:
        return self._bindings.pop(), self._results.pop()

    @staticmethod
    def _wrap(bindings: Sequence[tuple[Var, Expr]], body: Expr) -> Expr:
        for var, value in reversed(bindings):
            body = Let(var, value, body)
        return body

    def let(self, var: Var | str, value: Any) -> Var:
        """Binds a variable, given itself, by name, or as (name, type)."""
        if isinstance(var, (tuple, list)):
            if len(var) not in (1, 2):
                raise ValueError(f"expects a name and a type, but got {var!r}")
            var = Var(*var)
        elif isinstance(var, str):
            var = Var(var)
        expect(var, Var, "var", "a variable or its name")
        self._bindings[-1].append((var, as_expr(value)))
        return var

    def if_scope(self, cond: Expr) -> WithScope:
        """Opens the true branch of an `if`; else_scope must follow."""
        self._enter()

        def leave() -> None:
            bindings, result = self._exit()
            if result is None:
                raise RuntimeError("expects a value from the scope of `if`, but "
                                   "`ret` was not called")
            if self._results[-1] is not None:
                raise RuntimeError("expects one result of the scope, but got another")
            branch = self._wrap(bindings, result)
            self._results[-1] = lambda other: If(cond, branch, other)

        return WithScope(None, leave)

    def else_scope(self) -> WithScope:
        """Opens the false branch."""
        if not callable(self._results[-1]) or isinstance(self._results[-1], Expr):
            raise RuntimeError("expects if_scope before else_scope")
        self._enter()

        def leave() -> None:
            bindings, result = self._exit()
            if result is None:
                raise RuntimeError("expects a value from the scope of `else`, but "
                                   "`ret` was not called")
            make = self._results[-1]
            self._results[-1] = make(self._wrap(bindings, result))

        return WithScope(None, leave)

    @staticmethod
    def type_of(expr: Expr) -> ty.Type:
        """The type of a variable, as far as it is known."""
        if isinstance(expr, Var):
            return expr.type_annotation or ty.IncompleteType()
        type_ = expect(expr, Expr, "expr", "an expression")._checked_type
        return type_ if type_ is not None else ty.IncompleteType()

    def ret(self, value: Any) -> None:
        """Sets the result of the scope."""
        if self._results[-1] is not None:
            raise RuntimeError("expects one result of the scope, but got another")
        self._results[-1] = as_expr(value)

    def get(self) -> Any:
        """Returns the expression."""
        result = self._results[-1]
        if result is None:
            raise RuntimeError("expects `ret` before `get`")
        if not isinstance(result, Expr):
            raise RuntimeError("expects else_scope after if_scope")
        return self._wrap(self._bindings[-1], result)


__all__ = ["ScopeBuilder"]
