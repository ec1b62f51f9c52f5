"""Operators that programs add: what is known of them, and what the compiler asks.

The compiler calls an operator's type relation while it infers types, and its
definition while it evaluates. An exception that one of them raises ends both, and
is raised by whoever asked for them.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

import numpy as np

from ..._errors import CompileError, Error
from ..._functions import register_func
from .. import _diagnostics, ty
from ..._arguments import expect_text
from .._core import core
from ..attrs import DictAttrs
from ..expr import NDArray, ndarray
from . import _attribute_table

Relation = Callable[[Sequence[ty.Type], Any], Any]


@dataclass
class Argument:
    """An operand, as `Op.add_argument` describes it."""

    name: str
    type_info: str
    description: str


class _NoDefinition(Exception):
    """Nobody has said what an operator computes."""


@functools.lru_cache(maxsize=None)
def _read_call(text: bytes) -> tuple[list[tuple[str, Any]], ty.Type]:
    """Attributes and type of a call in a compiled program."""
    return core.read_call(text.decode())


@dataclass
class AddedOperator:
    """What was said of an operator. `num_inputs` is -1 where any number is right."""

    name: str
    description: str
    num_inputs: int = -1
    support_level: int = 10
    attrs_type_key: str = ""
    arguments: list[Argument] = field(default_factory=list)
    relation: Relation | None = None

    def publish(self) -> None:
        """Tells the compiler of the operator as it is now."""
        operands = None
        if self.num_inputs >= 0:
            names = [argument.name for argument in self.arguments[:self.num_inputs]]
            names += [f"arg{i}" for i in range(len(names), self.num_inputs)]
            operands = names
        core.register_operator(self.name, self.description, operands, self._infer_type)

    def _infer_type(self, types: list[ty.Type],
                    attrs: list[tuple[str, Any]]) -> tuple[ty.Type | None, str | None]:
        if self.relation is None:
            return None, "expects a type relation (Op.add_type_rel), but has none"
        try:
            result = self.relation(types, _to_attrs(attrs))
            if result is None:
                return None, ("expects operands from which its type relation infers a type, "
                              f"but got {', '.join(map(str, types)) or 'none'}")
            if not isinstance(result, ty.Type):
                return None, f"expects a type from its type relation, but got {result!r}"
            return result, None
        except BaseException as error:  # pylint: disable=broad-exception-caught
            return None, _diagnostics.hold(error)

    def evaluate(self, inputs: Sequence[Any], attrs: list[tuple[str, Any]],
                 out_type: ty.Type) -> tuple[Any, str | None]:
        """What the interpreter calls."""
        try:
            return self._compute(inputs, attrs, out_type), None
        except _NoDefinition as error:
            return None, str(error)
        except BaseException as error:  # pylint: disable=broad-exception-caught
            return None, _diagnostics.hold(error)

    def call(self, text: np.ndarray[Any, Any], *inputs: Any) -> Any:
        """What compiled programs call, with attributes and type as text first."""
        try:
            return self._compute(inputs, *_read_call(text.tobytes()))
        except _NoDefinition as error:
            raise Error(f"'relay.{self.name}' op {error}") from None

    def _compute(self, inputs: Sequence[Any], attrs: list[tuple[str, Any]],
                 out_type: ty.Type) -> Any:
        compute = definition_of(self.name, _to_attrs(attrs), _flatten(inputs), out_type)
        if compute is None:
            raise _NoDefinition("expects a definition (register_compute or register_strategy), "
                                "but has none")
        return _to_value(compute(_to_attrs(attrs), _flatten(inputs), out_type), out_type)


ADDED: dict[str, AddedOperator] = {}


def add(name: str, description: str = "") -> AddedOperator:
    """Adds an operator. Raises ValueError for a name that text cannot have."""
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", expect_text(name, "op_name"),
                        re.ASCII):
        raise ValueError("expects letters, digits, underscores and dots between them as the "
                         f"name of an operator, but got {name!r}")
    if not _is_operator_in_text(name):
        raise ValueError("expects the name of an operator to be no word of the text format, "
                         f"but got {name!r}")
    expect_text(description, "the description")
    op = AddedOperator(name, description)
    op.publish()
    core.register_evaluator(name, op.evaluate)
    register_func(f"relay.op.{name}", op.call, override=True)
    ADDED[name] = op
    return op


def _is_operator_in_text(name: str) -> bool:
    """Whether text means an operator by a word, and no keyword or literal."""
    try:
        call: Any = core.parse_expr(f'#[version = "0.0.5"]\n{name}()', name)
    except CompileError:
        return False
    return isinstance(call.op, core.Op) and call.op.name == name


def _to_attrs(attrs: list[tuple[str, Any]]) -> DictAttrs | None:
    return DictAttrs(attrs) if attrs else None


def _flatten(values: Sequence[Any]) -> list[NDArray]:
    """The tensors of the operands, as definitions take them: fields of tuples one
    by one."""
    result: list[NDArray] = []
    for value in values:
        result += _flatten(value) if isinstance(value, tuple) else [ndarray(value)]
    return result


def definition_of(name: str, attrs: Any, inputs: list[NDArray],
                  out_type: ty.Type) -> Callable[..., Any] | None:
    """What computes an operator: the implementation of the highest level of its
    strategy, else its compute function."""
    fstrategy = _attribute_table.get(name, "FTVMStrategy")
    if fstrategy is None:
        compute: Callable[..., Any] | None = _attribute_table.get(name, "FTVMCompute")
        return compute
    strategy = fstrategy(attrs, inputs, out_type, "llvm")
    implementations = [i for s in strategy.specializations for i in s.implementations]
    if not implementations:
        raise ValueError(f"expects an implementation in the strategy of {name!r}, but it is "
                         "empty")
    best: Callable[..., Any] = max(implementations, key=lambda i: i.plevel).compute
    return best


def _to_value(result: Any, out_type: ty.Type) -> Any:
    """A value of the operator's type: definitions return a list of all tensors."""
    tensors = list(result) if isinstance(result, (list, tuple)) else [result]
    remaining = iter(tensors)

    def build(type_: ty.Type) -> Any:
        if isinstance(type_, ty.TupleType):
            return tuple(build(part) for part in type_.fields)
        tensor = np.asarray(next(remaining))
        if not isinstance(type_, ty.TensorType) or tensor.dtype.name != type_.dtype:
            raise TypeError(f"expects a tensor of type {type_}, but got one of "
                            f"{tensor.dtype.name}")
        known = [None if isinstance(size, core.Any) else int(str(size)) for size in type_.shape]
        if tensor.ndim != len(known) or any(size not in (None, actual) for size, actual
                                            in zip(known, tensor.shape)):
            raise TypeError(f"expects a tensor of type {type_}, but got one of shape "
                            f"{tensor.shape}")
        return tensor

    expected = len(_tensor_types(out_type))
    if len(tensors) != expected:
        raise ValueError(f"expects {expected} tensors from a definition, but got "
                         f"{len(tensors)}")
    return build(out_type)


def _tensor_types(type_: ty.Type) -> list[ty.Type]:
    if isinstance(type_, ty.TupleType):
        return [t for part in type_.fields for t in _tensor_types(part)]
    return [type_]
