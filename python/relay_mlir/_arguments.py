"""Checks of arguments: errors that name the argument, and what it should be."""

from __future__ import annotations

import math
import numbers
import os
from typing import Any, Callable, Iterable, Mapping

# Of a long value, so many characters are part of an error.
_MAX_TEXT = 200


def describe(value: object) -> str:
    """What errors say of a value: its text, unless that is long."""
    text = repr(value)
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "..."


def wrong(name: str, what: str, value: object) -> TypeError:
    """The error for an argument that is not `what` it should be."""
    return TypeError(f"expects {name} to be {what}, but got {describe(value)}")


def expect(value: Any, cls: type | tuple[type, ...], name: str, what: str) -> Any:
    """`value` itself. Raises TypeError if it is not of a class."""
    if not isinstance(value, cls):
        raise wrong(name, what, value)
    return value


def expect_text(value: Any, name: str) -> str:
    """`value` itself. Raises TypeError if it is no string, ValueError if it is no
    text of Unicode."""
    text: str = expect(value, str, name, "a string")
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(f"expects {name} to be text, but got one with surrogates, "
                         f"{describe(text)}")
    return text


def expect_path(value: Any, name: str = "path") -> str:
    """A path as a string. Raises TypeError for anything else, ValueError if it is no
    text of Unicode."""
    return expect_text(os.fspath(expect(value, (str, os.PathLike), name, "a path")), name)


def expect_int(value: Any, name: str, lowest: int | None = None,
               highest: int | None = None) -> int:
    """An integer of Python or NumPy, from `lowest`, or 0, to `highest` if that is given.
    Raises TypeError for anything else, ValueError for another integer."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise wrong(name, "an integer", value)
    number = int(value)
    if highest is not None and not (lowest or 0) <= number <= highest:
        raise ValueError(f"expects {name} from {lowest or 0} to {highest}, but got {number}")
    if lowest is not None and number < lowest:
        raise ValueError(f"expects {name} to be {lowest} or more, but got {number}")
    return number


def expect_number(value: Any, name: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise wrong(name, "a number", value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"expects {name} to be finite, but got {number}")
    return number


def expect_callable(value: Any, name: str) -> Callable[..., Any]:
    """`value` itself. Raises TypeError if it cannot be called."""
    if not callable(value):
        raise wrong(name, "a function", value)
    result: Callable[..., Any] = value
    return result


def expect_mapping(value: Any, name: str) -> Mapping[Any, Any]:
    """`value` itself, or no entries for None. Raises TypeError for anything but a
    dict."""
    mapping: Mapping[Any, Any] = expect({} if value is None else value, (dict, Mapping), name,
                                        "a dict")
    return mapping


def expect_list(value: Any, name: str, what: str = "values") -> list[Any]:
    """The elements of an iterable. Raises TypeError for strings, and for what is no
    iterable."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise wrong(name, f"a list of {what}", value)
    return list(value)


def expect_names(value: Any, name: str) -> list[str]:
    """A list of strings. Raises TypeError for anything else, a single string as
    well."""
    names = expect_list(value, name, "names")
    if not all(isinstance(one, str) for one in names):
        raise wrong(name, "a list of names", value)
    return names


def expect_finite(value: Any, name: str) -> None:
    """Raises ValueError for a list, tuple or dict that holds itself."""
    open_ids: set[int] = set()
    closed_ids: set[int] = set()
    # Containers to be entered, and, after what they hold, to be left.
    stack = [(value, False)]
    while stack:
        container, is_left = stack.pop()
        if is_left:
            open_ids.remove(id(container))
            closed_ids.add(id(container))
            continue
        if not isinstance(container, (list, tuple, dict)) or id(container) in closed_ids:
            continue
        if id(container) in open_ids:
            raise ValueError(f"expects {name} to be finite, but got a "
                             f"{type(container).__name__} that holds itself")
        open_ids.add(id(container))
        stack.append((container, True))
        held = container.values() if isinstance(container, dict) else container
        stack.extend((one, False) for one in held)
