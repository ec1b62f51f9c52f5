"""Attributes of operators by name, which Python sets: compute functions, patterns,
rules for passes. Each has a level; a higher one replaces a lower one."""

from __future__ import annotations

from typing import Any

from ..._arguments import expect_int

_table: dict[str, dict[str, tuple[Any, int]]] = {}


def get(op_name: str, key: str) -> Any:
    """The value of an attribute, or None."""
    return _table.get(key, {}).get(op_name, (None, 0))[0]


def has(op_name: str, key: str) -> bool:
    """Whether an operator has an attribute."""
    return op_name in _table.get(key, {})


def names(key: str) -> list[str]:
    """The operators that have an attribute."""
    return list(_table.get(key, {}))


def put(op_name: str, key: str, value: Any, level: int) -> None:
    """Sets an attribute, unless one of a higher level is there. Raises ValueError if
    there is one of the same level."""
    expect_int(level, "the level of an attribute", 1)
    column = _table.setdefault(key, {})
    _, present = column.get(op_name, (None, 0))
    if present == level:
        raise ValueError(f"attribute {key!r} of operator {op_name!r} is registered with level "
                         f"{level} already")
    if present < level:
        column[op_name] = (value, level)


def remove(op_name: str, key: str) -> None:
    """Removes an attribute, of whatever level."""
    _table.get(key, {}).pop(op_name, None)
