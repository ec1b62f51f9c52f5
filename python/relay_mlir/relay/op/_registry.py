"""The operators, as the compiler's schema describes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

from .._core import core
from ..expr import Call, Expr, NDArray, Op, Tuple, numpy_dtype
import numpy as np

SINGLE, OPTIONAL, TUPLE, VARIADIC = "single", "optional", "tuple", "variadic"
REQUIRED, NULLABLE, OPTIONAL_ATTR, DEFAULT = "required", "nullable", "optional", "default"


@dataclass
class Attribute:
    """An attribute of an operator: its kind, and what it is if it is missing."""

    name: str
    kind: str
    presence: str
    default: Any = None


@dataclass
class Schema:
    """An operator: its operands as (name, kind), and its attributes in order."""

    name: str
    summary: str
    description: str
    operands: list[tuple[str, str]]
    attributes: list[Attribute]
    defaults: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.defaults = {
            a.name: a.default
            for a in self.attributes
            if a.presence != REQUIRED
        }


def _read() -> dict[str, Schema]:
    schemas = {}
    for name, summary, description, operands, attributes in core.operator_schemas():
        schemas[name] = Schema(name, summary, description, operands,
                               [Attribute(*a) for a in attributes])
    return schemas


SCHEMAS = _read()


def get(name: str) -> Op:
    """The operator of a name. Raises ValueError if there is none."""
    if name not in SCHEMAS:
        raise ValueError(f"there is no operator {name!r}")
    return core.get_op(name)


def attribute_defaults(name: str) -> dict[str, Any]:
    """What the attributes of an operator are if they are not written."""
    schema = SCHEMAS.get(name)
    return schema.defaults if schema else {}


#===------------------------------------------------------------------------===#
# Conversions
#===------------------------------------------------------------------------===#


def _number(value: Any) -> Any:
    """A Python number of what stands for one."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, core.Constant):
        return value._data.item()
    return value


def to_int(value: Any) -> int:
    value = _number(value)
    if isinstance(value, float) and not value.is_integer():
        raise TypeError(f"expects an integer, but got {value!r}")
    return int(value)


def to_ints(value: Any) -> list[int]:
    """A list of integers, of one, a list, or a constant."""
    if isinstance(value, core.Constant):
        value = value._data.tolist()
    elif isinstance(value, (np.ndarray, NDArray)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [to_int(v) for v in value]
    return [to_int(value)]


def _to_floats(value: Any) -> list[float]:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [float(_number(v)) for v in value]
    return [float(_number(value))]


def _to_pairs(value: Any) -> list[list[int]]:
    return [to_ints(pair) for pair in value]


def to_dtype(value: Any) -> str | None:
    """The name of a dtype; None for "", which means that of the input."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        core.TensorType((), value)  # Raises TypeError for an unknown name.
        return value
    return np.dtype(value).name


def _to_int_or_ints(value: Any) -> int | list[int]:
    if isinstance(value, (list, tuple, np.ndarray)):
        return to_ints(value)
    return to_int(value)


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "bool": lambda value: bool(_number(value)),
    "int": to_int,
    "float": lambda value: float(_number(value)),
    "string": str,
    "dtype": to_dtype,
    "ints": to_ints,
    "floats": _to_floats,
    "pairs": _to_pairs,
    "int_or_ints": _to_int_or_ints,
    "other": lambda value: value,
}


def convert_attribute(schema: Schema, attribute: Attribute, value: Any) -> Any:
    """The value of an attribute as a call has it."""
    if value is None:
        return None
    try:
        return _CONVERT[attribute.kind](value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{schema.name}: expects attribute '{attribute.name}' to be "
                        f"{attribute.kind.replace('_', ' ')}, but got {value!r}") from error


def _operands(schema: Schema, values: Sequence[Any]) -> list[Any]:
    """The arguments of a call, of one value for each operand."""
    args: list[Any] = []
    for (name, kind), value in zip(schema.operands, values):
        if kind == OPTIONAL and value is None:
            continue
        if kind == VARIADIC and isinstance(value, (list, tuple)):
            args.extend(value)
            continue
        if value is None:
            raise TypeError(f"{schema.name}: expects an expression for '{name}', but "
                            "got None")
        if kind == TUPLE and isinstance(value, (list, tuple)):
            value = Tuple(list(value))
        args.append(value)
    return args


def make_call(name: str, operands: Sequence[Any], attributes: Mapping[str, Any] | None = None,
              span: Any = None) -> Call:
    """Calls an operator: one value for each operand, and attributes by name.

    Attributes that equal their default are left out, as text does."""
    schema = SCHEMAS[name]
    attributes = attributes or {}
    attrs = {}
    for attribute in schema.attributes:
        value = attributes.get(attribute.name)
        if attribute.name in attributes:
            value = convert_attribute(schema, attribute, value)
        elif attribute.presence == REQUIRED:
            raise TypeError(f"{name}: expects attribute '{attribute.name}', but it is "
                            "missing")
        else:
            value = attribute.default
        if attribute.presence == REQUIRED and value is None:
            raise TypeError(f"{name}: expects attribute '{attribute.name}', but got None")
        # Text has attributes without a default always.
        if attribute.presence in (REQUIRED, NULLABLE) or value != attribute.default:
            attrs[attribute.name] = value
    return Call(core.get_op(name), _operands(schema, operands), attrs, span=span)


def constant_value(expr: Any) -> np.ndarray[Any, Any] | None:
    """The array of a constant, else None."""
    return expr._data if isinstance(expr, core.Constant) else None


def is_expr(value: object) -> bool:
    """Whether a value is an expression that is no constant."""
    return isinstance(value, Expr) and not isinstance(value, core.Constant)


__all__ = ["SCHEMAS", "get", "make_call", "numpy_dtype"]
