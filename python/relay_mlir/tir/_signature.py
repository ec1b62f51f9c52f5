"""Checks of arguments against the annotations of what is called."""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import re
from typing import Any, Callable, Mapping, TypeVar, cast

from .._arguments import wrong

C = TypeVar("C", bound=type)
Check = Callable[[Any], bool]


def _is_int(value: Any) -> bool:
    return (isinstance(value, numbers.Integral) and not isinstance(value, bool) and
            -2**63 <= int(value) < 2**63)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and (
        value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value))


def _is_list(value: Any) -> bool:
    """Whether it has elements in an order, as arrays of NumPy have."""
    return (hasattr(value, "__len__") and hasattr(value, "__getitem__") and
            not isinstance(value, (str, bytes, Mapping)))


def _is_buffer(value: Any) -> bool:
    return (isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[0], str)
            and _is_int(value[1]))


# What annotations say, for errors, and whether a value is that. Those that are not here
# hold for every value.
_KINDS: dict[str, tuple[str, Check]] = {
    "int": ("an integer of 64 bits", _is_int),
    "float": ("a finite number",
              lambda value: isinstance(value, numbers.Real) and math.isfinite(value)),
    "bool": ("a bool", lambda value: isinstance(value, bool)),
    "str": ("a string", _is_text),
    "None": ("None", lambda value: value is None),
    "tuple[str, int]": ("('read', i) or ('write', i)", _is_buffer),
    "Callable[..., Any]": ("a function or the text of an affine map",
                           lambda value: callable(value) or _is_text(value)),
}


def _parse(annotation: str, kinds: Mapping[str, tuple[str, Check]]) -> tuple[str, Check] | None:
    """What an annotation says; None if that is not known."""
    if annotation.startswith("Sequence[") and annotation.find("]") == len(annotation) - 1:
        element = _parse(annotation[len("Sequence["):-1], kinds)
        if element is None:
            return None
        what, check = element
        return f"a list, of which each is {what}", lambda value: (
            _is_list(value) and all(check(one) for one in value))
    # Alternatives, but those in brackets.
    parts = re.split(r" \| (?![^\[]*\])", annotation)
    if len(parts) == 1:
        return kinds.get(annotation)
    known = [_parse(part, kinds) for part in parts]
    if None in known:
        return None
    whats, checks = zip(*cast("list[tuple[str, Check]]", known))
    return " or ".join(whats), lambda value: any(check(value) for check in checks)


def _checked(function: Callable[..., Any], kinds: Mapping[str, tuple[str, Check]]) -> Any:
    signature = inspect.signature(function)
    checks = {name: _parse(str(parameter.annotation), kinds)
              for name, parameter in signature.parameters.items()}

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python says what is missing, or too much.
        for name, value in given.items():
            check = checks[name]
            if check is None:
                continue
            is_many = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            for one in value if is_many else [value]:
                if not check[1](one):
                    raise wrong(name, check[0], one)
        return function(*args, **kwargs)

    return wrapper


def check_arguments(*classes: type) -> Callable[[C], C]:
    """Makes the public methods of a class raise TypeError, which names the argument, for
    what is not of its annotation; `classes` may be in annotations."""
    kinds = dict(_KINDS)
    for cls in classes:
        article = "an" if cls.__name__[0] in "AEIOU" else "a"
        kinds[cls.__name__] = (f"{article} {cls.__name__}",
                               functools.partial(lambda cls, value: isinstance(value, cls), cls))

    def decorate(decorated: C) -> C:
        for name, value in list(vars(decorated).items()):
            if inspect.isfunction(value) and (not name.startswith("_") or name == "__init__"):
                setattr(decorated, name, _checked(value, kinds))
            elif isinstance(value, staticmethod):
                setattr(decorated, name, staticmethod(_checked(value.__func__, kinds)))
        return decorated

    return decorate
