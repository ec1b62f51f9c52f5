"""Python values as the attributes of schedule primitives."""

from __future__ import annotations

import inspect
import json
from typing import Any, Callable, Iterable


class _Index:
    """An index expression: what the argument of an index map computes with."""

    def __init__(self, text: str) -> None:
        self.text = text

    @staticmethod
    def _text(value: Any) -> str:
        if isinstance(value, _Index):
            return value.text
        if isinstance(value, int):
            return str(value)
        raise TypeError(f"expects an index or an integer, but got {value!r}")

    def _binary(self, other: Any, sign: str, swap: bool = False) -> _Index:
        left, right = self._text(self), self._text(other)
        if swap:
            left, right = right, left
        return _Index(f"({left} {sign} {right})")

    def __add__(self, other: Any) -> _Index:
        return self._binary(other, "+")

    def __radd__(self, other: Any) -> _Index:
        return self._binary(other, "+", swap=True)

    def __sub__(self, other: Any) -> _Index:
        return self._binary(other, "-")

    def __rsub__(self, other: Any) -> _Index:
        return self._binary(other, "-", swap=True)

    def __mul__(self, other: Any) -> _Index:
        return self._binary(other, "*")

    def __rmul__(self, other: Any) -> _Index:
        return self._binary(other, "*")

    def __floordiv__(self, other: Any) -> _Index:
        return self._binary(other, "floordiv")

    def __mod__(self, other: Any) -> _Index:
        return self._binary(other, "mod")


def affine_map(index_map: Callable[..., Any]) -> str:
    """The text of an affine map that a Python function computes."""
    if isinstance(index_map, str):
        return index_map
    names = list(inspect.signature(index_map).parameters)
    results = index_map(*(_Index(name) for name in names))
    if not isinstance(results, (list, tuple)):
        results = [results]
    return (f"affine_map<({', '.join(names)}) -> "
            f"({', '.join(_Index._text(result) for result in results)})>")


def attribute(value: Any) -> str:
    """A Python value as the text of an attribute."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{value!r} : f64"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(attribute(item) for item in value) + "]"
    raise TypeError(f"expects a bool, number, string or list of them, but got {value!r}")


def i64(value: int) -> str:
    return f"{int(value)} : i64"


INFER = -2**63  # How the attribute writes a size that follows from the others.
SAMPLED = -2**63 + 1  # ... and a factor that is the next sampled one.


def sizes(values: Iterable[Any]) -> str:
    text = ", ".join(str(INFER if value is None else int(value)) for value in values)
    return f"array<i64: {text}>" if text else "array<i64>"


def doubles(values: Iterable[float]) -> str:
    text = ", ".join(repr(float(value)) for value in values)
    return f"array<f64: {text}>" if text else "array<f64>"


_ELEMENT_TYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
                  "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}


def element_type(dtype: str) -> str:
    dtype = str(dtype)
    if dtype not in _ELEMENT_TYPES and dtype not in _ELEMENT_TYPES.values():
        raise ValueError(f"expects one of the types {', '.join(_ELEMENT_TYPES)}, but got {dtype}")
    return _ELEMENT_TYPES.get(dtype, dtype)


def buffer(buffer: tuple[str, int]) -> dict[str, Any]:
    """("read", i) or ("write", i) as attributes."""
    kind, index = buffer
    if kind not in ("read", "write"):
        raise ValueError(f"expects ('read', i) or ('write', i), but got {buffer!r}")
    attributes = {"index": i64(index)}
    if kind == "write":
        attributes["write"] = "unit"
    return attributes
