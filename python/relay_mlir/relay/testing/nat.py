"""Peano numbers: values and expressions of the type `nat`."""

from __future__ import annotations

from typing import Any

from ..._arguments import expect_int
from ..executor import ConstructorValue
from ..module import expect_module


def get_type(prelude: Any) -> Any:
    """(nat, zero, succ) of a module or a Prelude."""
    mod = expect_module(getattr(prelude, "mod", prelude), "prelude")
    mod.import_from_std("nat.rly")
    nat, *constructors = mod.get_type("nat")
    by_name = {c.name_hint: c for c in constructors}
    zero = by_name.get("zero") or by_name["Z"]
    succ = by_name.get("succ") or by_name["S"]
    return nat, zero, succ


def make_nat_value(prelude: Any, n: Any) -> Any:
    """The value of the number `n`."""
    n = expect_int(n, "n", 0)
    _, zero, succ = get_type(prelude)
    value = ConstructorValue(zero.tag, [], zero)
    for _ in range(n):
        value = ConstructorValue(succ.tag, [value], succ)
    return value


def make_nat_expr(prelude: Any, n: Any) -> Any:
    """An expression for the number `n`."""
    n = expect_int(n, "n", 0)
    _, zero, succ = get_type(prelude)
    expr = zero()
    for _ in range(n):
        expr = succ(expr)
    return expr


def count(prelude: Any, n: Any = None) -> int:
    """The number that a value of `nat` stands for: `count(prelude, n)`, or `count(n)` as
    programs of 2019 have it. Raises TypeError for any other value."""
    value = prelude if n is None else n
    if not isinstance(value, ConstructorValue):
        raise TypeError(f"expects a value of nat, but got {value!r}")
    result = 0
    while value.fields:
        value = value.fields[0]
        result += 1
    return result
