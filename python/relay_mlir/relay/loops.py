"""Loops, which are functions that call themselves."""

from __future__ import annotations

from typing import Callable, Sequence

from .._arguments import expect_callable, expect_list
from ._core import core
from .expr import Expr, Function, Let, Tuple, Var
from .scope_builder import ScopeBuilder


def while_loop(cond: Callable[..., Expr], loop_vars: Sequence[Expr],
               loop_bodies: Callable[..., Sequence[Expr]]) -> Let:
    """Makes a loop: a function of all loop variables, which returns a tuple of them as
    they are when `cond` no longer holds.

    `cond` and `loop_bodies` are called with the variables and return an expression for
    the condition, and the variables' next values. `loop_vars` are the first values, or
    variables of a type that is known: names and types come from there.

        loop = relay.loops.while_loop(lambda i: relay.less(i, relay.const(10)),
                                      [relay.var("i", "int32")],
                                      lambda i: [i + relay.const(1)])
        ten = relay.Function([], loop(relay.const(0)))
    """
    expect_callable(cond, "cond")
    expect_callable(loop_bodies, "loop_bodies")
    loop_vars = [core.to_expr(value) for value in expect_list(loop_vars, "loop_vars",
                                                              "expressions")]
    builder = ScopeBuilder()
    loop = Var("while_loop")
    params = [Var(value.name_hint if isinstance(value, Var) else f"arg{i}",
                  builder.type_of(value), span=value.span)
              for i, value in enumerate(loop_vars)]
    with builder.if_scope(cond(*params)):
        builder.ret(loop(*expect_list(loop_bodies(*params), "what loop_bodies returns",
                                      "expressions")))
    with builder.else_scope():
        builder.ret(Tuple(params))
    return Let(loop, Function(params, builder.get()), loop)


__all__ = ["while_loop"]
