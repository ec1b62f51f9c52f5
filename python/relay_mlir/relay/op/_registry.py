"""The operators, as the compiler's schema describes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

from ..._errors import Error
from .._core import core
from ..expr import Call, Expr, NDArray, Op, Tuple, const, numpy_dtype
from . import _numbers
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
    # For each operand, the dtypes that a scalar may have there.
    scalar_dtypes: list[list[str]]
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
        schemas[name] = Schema(name, summary, description, [o[:2] for o in operands],
                               [o[2] for o in operands], [Attribute(*a) for a in attributes])
    return schemas


SCHEMAS = _read()


class OperatorError(Error, ValueError):
    """A name that is no operator, or is one already."""


def get(op_name: str) -> Op:
    """The operator of a name. Raises ValueError if there is none."""
    from ._added import ADDED

    if op_name not in SCHEMAS and op_name not in ADDED:
        raise OperatorError(f"there is no operator {op_name!r}")
    return core.get_op(op_name)


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


def _operands(schema: Schema,
              values: Sequence[Any]) -> tuple[list[Any], list[_numbers.Slot]]:
    """The arguments of a call, of one value for each operand, and where they are
    numbers. A list among them is a tuple that has some."""
    args: list[Any] = []
    slots: list[_numbers.Slot] = []

    def add(value: Any, name: str, dtypes: list[str]) -> None:
        if _numbers.is_number(value):
            slots.append(_numbers.Slot((len(args),), name, value, dtypes))
        args.append(value)

    for (name, kind), dtypes, value in zip(schema.operands, schema.scalar_dtypes, values):
        if kind == OPTIONAL and value is None:
            continue
        if kind == VARIADIC and isinstance(value, (list, tuple)):
            for field in value:
                add(field, name, dtypes)
            continue
        if value is None:
            raise TypeError(f"{schema.name}: expects an expression for '{name}', but "
                            "got None")
        if kind == TUPLE and isinstance(value, (list, tuple)):
            value = list(value)
            numbers = [i for i, field in enumerate(value) if _numbers.is_number(field)]
            slots += [_numbers.Slot((len(args), i), name, value[i], dtypes) for i in numbers]
            args.append(value if numbers else Tuple(value))
        elif isinstance(value, np.ndarray):
            args.append(const(value))
        else:
            add(value, name, dtypes)
    return args, slots


def make_call(name: str, operands: Sequence[Any], attributes: Mapping[str, Any] | None = None,
              span: Any = None) -> Call:
    """Calls an operator: one value for each operand, and attributes by name.

    A number becomes a scalar constant, of the dtype of the other operands where the
    operator takes that; raises TypeError if the dtype does not have it. Attributes that equal their default are left out, as text does."""
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
    args, slots = _operands(schema, operands)
    if slots:
        return _numbers.call_with_numbers(name, args, slots, attrs, span)
    return Call(core.get_op(name), args, attrs, span=span)


def constant_value(expr: Any) -> np.ndarray[Any, Any] | None:
    """The array of a constant, else None."""
    return expr._data if isinstance(expr, core.Constant) else None


def is_expr(value: object) -> bool:
    """Whether a value is an expression that is no constant."""
    return isinstance(value, Expr) and not isinstance(value, core.Constant)


__all__ = ["SCHEMAS", "get", "make_call", "numpy_dtype"]
