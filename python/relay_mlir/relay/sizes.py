"""Symbolic sizes of tensors: `TensorType((size_var("n"), 4))`.

A program knows such a size as an unknown one, `?`; which sizes are equal follows from
its operators, and is checked when it runs. The type keeps the symbol.
"""

from __future__ import annotations

from typing import Any

from .._arguments import expect_int, expect_text


class SizeExpr:
    """An expression of sizes. It has no value; it can be printed and compared by
    identity."""

    _is_symbolic_size = True

    def __init__(self, text: str, dtype: str = "int32") -> None:
        self._text = expect_text(text, "the name of a size")
        self.dtype = dtype

    def __repr__(self) -> str:
        return self._text

    def _binary(self, sign: str, other: Any, swap: bool = False) -> SizeExpr:
        if not isinstance(other, (SizeExpr, int)):
            return NotImplemented
        lhs, rhs = (other, self) if swap else (self, other)
        return SizeExpr(f"({lhs} {sign} {rhs})", self.dtype)

    def __add__(self, other: Any) -> SizeExpr:
        return self._binary("+", other)

    def __radd__(self, other: Any) -> SizeExpr:
        return self._binary("+", other, True)

    def __sub__(self, other: Any) -> SizeExpr:
        return self._binary("-", other)

    def __rsub__(self, other: Any) -> SizeExpr:
        return self._binary("-", other, True)

    def __mul__(self, other: Any) -> SizeExpr:
        return self._binary("*", other)

    def __rmul__(self, other: Any) -> SizeExpr:
        return self._binary("*", other, True)

    def __floordiv__(self, other: Any) -> SizeExpr:
        return self._binary("//", other)

    def __mod__(self, other: Any) -> SizeExpr:
        return self._binary("%", other)


class Var(SizeExpr):
    """A symbol."""

    def __init__(self, name: str, dtype: str = "int32", span: Any = None) -> None:
        super().__init__(name, dtype)
        self.name = name
        self.span = span


class SizeVar(Var):
    """A symbol that is not negative."""


class IntImm(int):
    """A number with a dtype."""

    dtype: str

    def __new__(cls, dtype: str, value: int, span: Any = None) -> IntImm:
        expect_text(dtype, "dtype")
        number = super().__new__(cls, expect_int(value, "value"))
        number.dtype = dtype
        del span
        return number

    @property
    def value(self) -> int:
        return int(self)


def size_var(name: str = "size", dtype: str = "int32", span: Any = None) -> SizeVar:
    """Makes a symbol for a size."""
    return SizeVar(name, dtype, span)


def var(name: str = "tindex", dtype: str = "int32", span: Any = None) -> Var:
    """Makes a symbol."""
    return Var(name, dtype, span)


__all__ = ["IntImm", "SizeExpr", "SizeVar", "Var", "size_var", "var"]
