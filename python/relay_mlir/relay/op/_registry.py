"""The operators, as the compiler's schema describes them."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ..._errors import Error
from ..._arguments import describe, expect_text
from .._core import core
from ..expr import Call, Expr, NDArray, Op, Tuple, const, numpy_dtype
from . import _numbers

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

    if expect_text(op_name, "op_name") not in SCHEMAS and op_name not in ADDED:
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
    if isinstance(value, core.Constant):
        value = value._data
    if isinstance(value, (np.generic, np.ndarray)) and value.size == 1:
        return value.item()
    return value


def to_int(value: Any, what: str) -> int:
    """An integer, of one or of a constant. Raises TypeError, or OverflowError for more
    than 64 bits, in which `what` is the operator and its argument."""
    number = _number(value)
    is_whole = isinstance(number, float) and number.is_integer()
    if not is_whole and not hasattr(number, "__index__"):
        raise TypeError(f"{what}: expects an integer, but got {describe(value)}")
    number = int(number)
    if not -2**63 <= number < 2**63:
        raise OverflowError(f"{what}: expects an integer of 64 bits, but got {number}")
    return number


def to_ints(value: Any, what: str) -> list[int]:
    """A list of integers, of one, a list, or a constant. Raises what to_int does."""
    if isinstance(value, core.Constant):
        value = value._data.tolist()
    elif isinstance(value, (np.ndarray, NDArray)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [to_int(v, what) for v in value]
    return [to_int(value, what)]


def _to_float(value: Any, what: str) -> float:
    number = _number(value)
    if not isinstance(number, numbers.Real):
        raise TypeError(f"{what}: expects a number, but got {describe(value)}")
    return float(number)


def _to_floats(value: Any, what: str) -> list[float]:
    if isinstance(value, core.Constant):
        value = value._data
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_to_float(v, what) for v in value]
    return [_to_float(value, what)]


def to_pairs(value: Any, what: str) -> list[list[int]]:
    """A list of lists of integers, or a constant. Raises what to_int does."""
    if isinstance(value, core.Constant):
        value = value._data
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise TypeError(f"{what}: expects a list of pairs, but got {describe(value)}")
    return [to_ints(pair, what) for pair in value]


def to_dtype(value: Any, what: str) -> str | None:
    """The name of a dtype; None for "", which means that of the input."""
    del what
    if value is None or isinstance(value, str) and not value:
        return None
    if isinstance(value, str):
        core.TensorType((), value)  # Raises TypeError for an unknown name.
        return value
    return numpy_dtype(value).name


def _to_int_or_ints(value: Any, what: str) -> int | list[int]:
    if isinstance(value, (list, tuple, np.ndarray)):
        return to_ints(value, what)
    return to_int(value, what)


def _to_bool(value: Any, what: str) -> bool:
    number = _number(value)
    if not isinstance(number, numbers.Real):
        raise TypeError(f"{what}: expects a bool, but got {describe(value)}")
    return bool(number)


def _to_string(value: Any, what: str) -> str:
    return expect_text(value, what)


_CONVERT: dict[str, Callable[[Any, str], Any]] = {
    "bool": _to_bool,
    "int": to_int,
    "float": _to_float,
    "string": _to_string,
    "dtype": to_dtype,
    "ints": to_ints,
    "floats": _to_floats,
    "pairs": to_pairs,
    "int_or_ints": _to_int_or_ints,
    "other": lambda value, _: value,
}

# What errors say that attributes of each kind are.
_WORDS = {
    "bool": "a bool", "int": "an integer", "float": "a number", "string": "a string",
    "dtype": "a dtype", "ints": "integers", "floats": "numbers", "pairs": "pairs of integers",
    "int_or_ints": "an integer or integers", "other": "an attribute",
}


def convert_attribute(schema: Schema, attribute: Attribute, value: Any) -> Any:
    """The value of an attribute as a call has it."""
    if value is None:
        return None
    try:
        return _CONVERT[attribute.kind](value, attribute.name)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{schema.name}: expects attribute '{attribute.name}' to be "
                        f"{_WORDS[attribute.kind]}, but got {describe(value)}") from error
    except OverflowError:
        raise OverflowError(f"{schema.name}: expects attribute '{attribute.name}' to be "
                            f"{_WORDS[attribute.kind]} of 64 bits, but got "
                            f"{describe(value)}") from None


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
    operator takes that; raises TypeError if the dtype does not have it. Attributes that
    equal their default are left out, as text does."""
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
