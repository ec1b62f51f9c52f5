"""How qnn.requantize computes where a call does not say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._core import core
from ..expr import Call, Expr, Function, Op
from ..expr_functor import ExprMutator
from ..module import IRModule

_ROUNDINGS = ("UPWARD", "TONEAREST")
_DTYPES = ("int64", "float32", "float64")
# These change scales inside, always in the default way.
_IMPLICIT = frozenset(f"qnn.{name}" for name in (
    "add", "avg_pool2d", "concatenate", "leaky_relu", "mul", "subtract"))


@dataclass(frozen=True)
class RequantizeConfig:
    """How scales are changed: halves go up or away from zero (`rounding`), and numbers
    are multiplied as integers or as floats (`compute_dtype`). Inside of a `with`, it holds
    for programs that are evaluated or compiled there."""

    rounding: str = "UPWARD"
    compute_dtype: str = "int64"

    def __post_init__(self) -> None:
        for name, value, allowed in (("rounding", self.rounding, _ROUNDINGS),
                                     ("compute_dtype", self.compute_dtype, _DTYPES)):
            if value not in allowed:
                raise ValueError(f"expects {name} to be one of {', '.join(allowed)}, but got "
                                 f"{value!r}")

    def __enter__(self) -> RequantizeConfig:
        _stack.append(self)
        return self

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        _stack.pop()


_stack = [RequantizeConfig()]


def current_requantize_config() -> RequantizeConfig:
    """The configuration that is entered last, or the default."""
    return _stack[-1]


def requantize_config(**kwargs: Any) -> RequantizeConfig:
    """A configuration; see RequantizeConfig."""
    return RequantizeConfig(**kwargs)


class _Writer(ExprMutator):
    """Writes the configuration into the calls that leave it open."""

    def __init__(self, config: RequantizeConfig) -> None:
        super().__init__()
        self._config = config

    def visit_call(self, call: Call) -> Expr:
        new = super().visit_call(call)
        if not isinstance(new, core.Call) or not isinstance(new.op, Op):
            return new
        if new.op.name in _IMPLICIT:
            raise NotImplementedError(
                f"{new.op.name} changes scales in the default way only; what requantize_config "
                f"says, {self._config}, is not there yet for it")
        if new.op.name != "qnn.requantize":
            return new
        attrs = dict(new._attrs)
        for name in ("rounding", "compute_dtype"):
            if attrs.get(name, "None") == "None":
                attrs[name] = getattr(self._config, name)
        return Call(new.op, new.args, attrs, new.type_args)


def with_requantize_config(mod: IRModule) -> IRModule:
    """The module as the current configuration has it."""
    config = current_requantize_config()
    if config == RequantizeConfig():
        return mod
    result = mod.shallow_copy()
    for var, function in mod.functions.items():
        new = _Writer(config).visit(function)
        assert isinstance(new, Function)
        result.functions[var] = new
    return result


__all__ = ["RequantizeConfig", "current_requantize_config", "requantize_config"]
