"""A network in floats, and what it computes for samples."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, NamedTuple

import numpy as np

from .._compile import IRModule, Module, _to_module, compile as _compile
from .._program import Program
from ._samples import Samples

Progress = Callable[[Iterable[Any], int, str], Iterator[Any]]


class FloatOperator(NamedTuple):
    """FloatOperator in C++."""

    name: str
    op: str
    type: str
    value: int
    result: int
    operands: list[int]
    is_product: bool
    is_quantizable: bool
    needs_full_precision: bool


def float_operators(module: IRModule) -> list[FloatOperator]:
    """What computes floats, casts aside."""
    operators = map(FloatOperator._make, module._impl.float_operators())
    return [each for each in operators if each.op != "cast"]


def check_numbers(array: np.ndarray[Any, Any], where: str) -> None:
    """NaN is of no range."""
    is_float = np.issubdtype(array.dtype, np.floating) or array.dtype.name == "bfloat16"
    if is_float and np.isnan(array).any():
        raise ValueError(f"expects samples of which the network computes numbers, but got NaN{where}")


def as_tuple(outputs: Any) -> tuple[np.ndarray[Any, Any], ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)


class Network:
    """A network, and its outputs for all samples."""

    def __init__(self, model: Any, data: Any, limit: int | None, target: str | None,
                 progress: Progress) -> None:
        self.target = target
        self.progress = progress
        self.source = _to_module(model)
        self.floats = self.compile(self.source)
        self.samples = Samples(data, self.floats.inputs, limit)
        self.float_outputs = self.run(self.floats, "floats")
        for value in self.float_outputs:
            check_numbers(value, "")

    def prepare(self, passes: str) -> IRModule:
        """The network after passes, with all of its floats in float32; but its inputs and
        outputs are what they were."""
        module = self.source.clone().run_passes("builtin.module(relay-infer-types)")
        # By their names in NumPy.
        names = {"f16": "float16", "bf16": "bfloat16", "f64": "float64"}
        found = {each.type for each in float_operators(module)}
        self.other_floats = [name for kind, name in names.items() if kind in found]
        single = "relay-to-single-precision," if self.other_floats else ""
        return module.run_passes(f"builtin.module({single}{passes})")

    def compile(self, module: IRModule) -> Module | Program:
        return _compile(module, target=self.target)

    def run(self, model: Module | Program, what: str) -> list[np.ndarray[Any, Any]]:
        """The outputs for all samples, those of runs joined along the first dimension."""
        runs = []
        for feed in self.progress(self.samples, self.samples.num_runs, what):
            runs.append(as_tuple(model.run(feed)))
        return [np.concatenate([np.atleast_1d(value) for value in column])
                for column in zip(*runs)]
