"""Numbers as operands: which constant a number becomes.

Its dtype is that of the call's other operands, if the operator takes it there; else
float32, int32 or bool, as relay.const has it. What the operator takes, type inference
says, which sees only the call: its operands are variables of their types.
"""

from __future__ import annotations

import itertools
import math
import numbers
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from .. import ty
from .._core import core
from ..expr import Call, Constant, Expr, Tuple, TupleGetItem, Var, const, numpy_dtype
from ..._errors import CompileError, DiagnosticError


def is_number(value: Any) -> bool:
    """Whether a value is a number or a bool, of Python or NumPy, and no array."""
    return isinstance(value, (numbers.Real, np.bool_)) or (
        isinstance(value, np.generic) and value.dtype.name == "bfloat16")


def fits(value: Any, dtype: str) -> bool:
    """Whether a dtype has a number: an integer exactly, a float up to rounding."""
    if dtype == "bool":
        return isinstance(value, (bool, np.bool_))
    if dtype.startswith(("int", "uint")):
        if not isinstance(value, (numbers.Integral, np.bool_)) and not float(value).is_integer():
            return False
        limits = np.iinfo(dtype)
        return bool(limits.min <= int(value) <= limits.max)
    try:
        value = float(value)
    except OverflowError:
        return False
    with np.errstate(over="ignore"):
        rounded = np.asarray(value).astype(numpy_dtype(dtype))
    return not math.isfinite(value) or bool(np.isfinite(rounded.astype(np.float64)))


def constant(what: str, value: Any, dtype: Any) -> Constant:
    """A number as a constant of a dtype. Raises TypeError, in which `what` is the
    operator and its operand, if the dtype does not have it."""
    dtype = dtype if isinstance(dtype, str) else numpy_dtype(dtype).name
    if not fits(value, dtype):
        raise TypeError(f"{what}: expects a number that {dtype} has, but got {value!r}; "
                        "relay.const makes a constant of another dtype, relay.cast a tensor")
    return const(int(value) if dtype.startswith(("int", "uint")) else value, dtype)


def scalar(what: str, value: Any, dtype: Any) -> Any:
    """`value` if it is no number, else a constant of a dtype."""
    numpy_dtype(dtype)  # Raises TypeError for what is no dtype.
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    return constant(what, value, dtype) if is_number(value) else value


#===------------------------------------------------------------------------===#
# Types of operands
#===------------------------------------------------------------------------===#


def _is_complete(type_: Any) -> bool:
    if isinstance(type_, ty.TupleType):
        return all(map(_is_complete, type_.fields))
    return isinstance(type_, ty.TensorType)


def _known_type(expr: Expr) -> Any:
    """A type that nobody has to infer, or None."""
    types = [expr._checked_type, expr._local_type]
    if isinstance(expr, Var):
        types.append(expr.type_annotation)
    if isinstance(expr, Constant):
        types.append(expr._type)
    return next(filter(_is_complete, types), None)


def _parts(expr: Expr) -> list[Expr]:
    if isinstance(expr, Call) and isinstance(expr.op, core.Op):
        return list(expr.args)
    if isinstance(expr, Tuple):
        return list(expr.fields)
    return [expr.tuple_value] if isinstance(expr, TupleGetItem) else []


def _rebuild(expr: Expr, parts: list[Expr]) -> Expr:
    if isinstance(expr, Call):
        return Call(expr.op, parts, dict(expr._attrs))
    if isinstance(expr, Tuple):
        return Tuple(parts)
    if isinstance(expr, TupleGetItem):
        return TupleGetItem(parts[0], expr.index)
    return expr


def _infer(expr: Expr) -> Any:
    """The type of an expression, or None if it has none."""
    from ..transform import infer_expr

    try:
        return infer_expr(expr).checked_type
    except (CompileError, DiagnosticError, ValueError, TypeError):
        return None


def _stand_in(expr: Expr, type_: Any) -> Expr:
    return expr if isinstance(expr, Var) or type_ is None else Var("x", type_)


def type_of(expr: Expr) -> Any:
    """The type of an expression if it is a tensor's, or that of a tuple of tensors,
    and can be inferred without the program around it; else None.

    It is noted in the node, so that what lies below a node is looked at once."""
    type_ = _known_type(expr)
    if type_ is not None:
        return type_
    # Copies of nodes, down to those whose type is known.
    copies: dict[Expr, Expr] = {}
    stack = [expr]
    while stack:
        node = stack[-1]
        type_ = _known_type(node)
        if node in copies:
            stack.pop()
        elif type_ is not None:
            copies[node] = _stand_in(node, type_)
        else:
            parts = _parts(node)
            missing = [part for part in parts if part not in copies]
            if missing:
                stack += missing
            else:
                copies[node] = _rebuild(node, [copies[part] for part in parts])
    type_ = _infer(copies[expr])
    if not _is_complete(type_):
        return None
    expr._local_type = type_
    return type_


def _dtypes(type_: Any) -> Iterable[str]:
    if isinstance(type_, ty.TupleType):
        return itertools.chain.from_iterable(map(_dtypes, type_.fields))
    return [type_.dtype] if isinstance(type_, ty.TensorType) else []


def dtype_of(expr: Any) -> str | None:
    """The dtype of a tensor, as far as it can be told, else None."""
    type_ = type_of(core.to_expr(expr))
    return type_.dtype if isinstance(type_, ty.TensorType) else None


#===------------------------------------------------------------------------===#
# Calls
#===------------------------------------------------------------------------===#


def _default_dtypes(values: Sequence[Any]) -> list[str]:
    """Of numbers that no tensor stands beside."""
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return ["bool", "int32", "float32"]
    integers = ["int32", "int64", "uint64"]
    if all(isinstance(value, numbers.Integral) for value in values):
        return [dtype for dtype in integers if all(fits(v, dtype) for v in values)] + ["float32"]
    return ["float32", *integers]


class Slot(NamedTuple):
    """A number among the arguments of a call: its place there, the operand that it
    is of, and the dtypes that a scalar may have there."""

    place: tuple[int, ...]
    name: str
    value: Any
    dtypes: list[str]


def _replaced(args: Sequence[Any], values: Mapping[tuple[int, ...], Any]) -> list[Any]:
    """Arguments with others at some places; (2, 1) is field 1 of argument 2."""
    result = [list(arg) if isinstance(arg, list) else arg for arg in args]
    for (first, *rest), value in values.items():
        if rest:
            result[first][rest[0]] = value
        else:
            result[first] = value
    return [Tuple(arg) if isinstance(arg, list) else arg for arg in result]


def call_with_numbers(name: str, args: Sequence[Any], slots: Sequence[Slot],
                      attrs: Mapping[str, Any], span: Any) -> Call:
    """A call whose arguments, lists of fields among them, have numbers at `slots`."""
    op = core.get_op(name)
    places = {slot.place for slot in slots}
    tensors: dict[tuple[int, ...], Expr] = {}
    for i, arg in enumerate(args):
        fields = {(i, j): field for j, field in enumerate(arg)} if isinstance(arg, list) \
            else {(i,): arg}
        tensors.update({place: core.to_expr(value) for place, value in fields.items()
                        if place not in places})
    types = {place: type_of(value) for place, value in tensors.items()}
    dtypes = list(dict.fromkeys(itertools.chain.from_iterable(map(_dtypes, types.values()))))
    dtypes += [d for d in _default_dtypes([slot.value for slot in slots]) if d not in dtypes]
    candidates = [[d for d in dtypes if not slot.dtypes or d in slot.dtypes] or slot.dtypes
                  for slot in slots]
    unknown = next((value for place, value in tensors.items() if types[place] is None), None)
    if unknown is not None and any(len(slot.dtypes) != 1 for slot in slots):
        slot = next(slot for slot in slots if len(slot.dtypes) != 1)
        raise TypeError(
            f"{name}: expects operands of known types beside the number {slot.value!r} for "
            f"'{slot.name}', but got one of which the type cannot be inferred yet: annotate its "
            f"variables, or write relay.const({slot.value!r}, dtype)")

    def constants(choice: Sequence[str]) -> dict[tuple[int, ...], Any]:
        return {slot.place: constant(f"{name}: '{slot.name}'", slot.value, dtype)
                for slot, dtype in zip(slots, choice)}

    def infer(choice: Sequence[str]) -> Any:
        stand_ins = {place: _stand_in(value, types[place]) for place, value in tensors.items()}
        stand_ins.update({slot.place: Var("x", ty.TensorType((), dtype))
                          for slot, dtype in zip(slots, choice)})
        return _infer(Call(op, _replaced(args, stand_ins), attrs))

    # The first that the operator takes, and that has the numbers.
    chosen, type_ = None, None
    for choice in itertools.product(*candidates):
        fitting = all(fits(slot.value, d) for slot, d in zip(slots, choice))
        if chosen is not None and not fitting:
            continue
        found = infer(choice)
        if found is not None and (fitting or chosen is None):
            chosen, type_ = choice, found
            if fitting:
                break
    if chosen is None:
        # Type inference will say what is wrong.
        chosen = tuple(next((d for d in dtypes if fits(slot.value, d)), dtypes[0])
                       for slot, dtypes in zip(slots, candidates))
    result = Call(op, _replaced(args, {**tensors, **constants(chosen)}), attrs, span=span)
    if _is_complete(type_):
        result._local_type = type_
    return result
