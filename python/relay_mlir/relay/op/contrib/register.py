"""Tables of patterns, by the name of the compiler that takes what matches."""

from __future__ import annotations

from typing import Any, Callable

from ...._arguments import expect_callable, expect_text
from ..._composite_passes import expect_table

_TABLES: dict[str, list[tuple[Any, ...]]] = {}


def register_pattern_table(compiler: str, table: Callable[[], Any] | None = None) -> Any:
    """Registers the patterns of a compiler: `table()` returns a list of
    (name, pattern[, check]), larger patterns first. Without it, a decorator of the
    function. Returns the function."""
    expect_text(compiler, "compiler")

    def register(function: Callable[[], Any]) -> Callable[[], Any]:
        expect_callable(function, "table")
        _TABLES[compiler] = expect_table(function(), "what table returns")
        return function

    return register if table is None else register(table)


def get_pattern_table(compiler: str) -> list[tuple[Any, ...]] | None:
    """The patterns of a compiler, or None if there are none."""
    return _TABLES.get(expect_text(compiler, "compiler"))


__all__ = ["get_pattern_table", "register_pattern_table"]
