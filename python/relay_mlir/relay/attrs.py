"""Attributes of calls and functions."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping, NoReturn

from .._arguments import describe, expect_mapping, wrong
from ._core import core


# Where calls of functions have the class of their attributes in text.
_TYPE_KEY = "attrs_type_key"


class Attrs:
    """Attributes by name: `attrs.strides`, `attrs["strides"]`, `attrs.keys()`.

    Those of an operator that are not written have their defaults.
    """

    __slots__ = ("_values", "_defaults", "_type_key")

    def __init__(self, values: Mapping[str, Any] | Iterable[tuple[str, Any]],
                 defaults: Mapping[str, Any] | None = None,
                 type_key: str | None = None) -> None:
        try:
            values = dict(values)
        except (TypeError, ValueError):
            raise wrong("values", "attributes by name", values) from None
        object.__setattr__(self, "_type_key", values.pop(_TYPE_KEY, type_key))
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_defaults", expect_mapping(defaults, "defaults"))

    @property
    def type_key(self) -> str | None:
        """The class of the attributes, such as "relay.attrs.Conv2DAttrs", if
        they were made with it; those of an operator follow from its name."""
        return self._type_key

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no attribute {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("attributes cannot be changed; make a new node")

    def __getitem__(self, name: str) -> Any:
        values = self._values
        return values[name] if name in values else self._defaults[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an attribute, or `default`."""
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._defaults

    def keys(self) -> list[str]:
        """All names; those of an operator in the order of their declaration."""
        names = list(self._defaults)
        return names + [name for name in self._values if name not in self._defaults]

    def items(self) -> list[tuple[str, Any]]:
        """All names and values."""
        return [(name, self[name]) for name in self.keys()]

    def written(self) -> dict[str, Any]:
        """The attributes that the node itself has, as a dict."""
        return dict(self._values)

    def _for_call(self, is_operator: bool) -> dict[str, Any]:
        """The attributes as text has them in a call."""
        values = self.written()
        if self._type_key is not None and not is_operator:
            values[_TYPE_KEY] = self._type_key
        return values

    def get_int(self, name: str) -> int:
        return int(self[name])

    def get_str(self, name: str) -> str:
        return str(self[name])

    def get_int_tuple(self, name: str) -> tuple[int, ...]:
        return tuple(map(int, self[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attrs):
            return NotImplemented
        return (self._type_key == other._type_key and
                dict(self.items()) == dict(other.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._values, self._defaults, self._type_key)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.keys())))

    def __repr__(self) -> str:
        return "{%s}" % ", ".join(f"{k}={v!r}" for k, v in self.items())


class DictAttrs(Attrs):
    """Attributes of a function."""

    __slots__ = ()


def make_node(type_key: str, **fields: Any) -> Attrs:
    """Makes attributes: `make_node("relay.attrs.Conv2DAttrs", strides=(1, 1))`,
    `make_node("DictAttrs", Primitive=1)`. Of calls of functions, the text keeps
    `type_key` as `attrs_type_key`."""
    fields = {name: core.normalize_attribute(value) for name, value in fields.items()}
    if type_key == "DictAttrs":
        return DictAttrs(fields)
    return Attrs(fields, type_key=type_key)


def written_attrs(attrs: Any, is_operator: bool = True) -> dict[str, Any] | None:
    """What a node's constructor takes: a dict, or None."""
    if attrs is None or isinstance(attrs, dict):
        return attrs
    if isinstance(attrs, Attrs):
        return attrs._for_call(is_operator)
    raise TypeError(f"expects attributes, but got {describe(attrs)}")


__all__ = ["Attrs", "DictAttrs", "make_node"]
