"""Instruments that compare a module before and after each pass: its text, its operators,
and what it computes."""

from __future__ import annotations

import difflib
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Sequence, TextIO

import numpy as np

from .. import _relay_mlir
from .._arguments import expect, expect_int, expect_list, expect_path
from .._errors import Error
from .instrument import PassInstrument

if TYPE_CHECKING:
    from .module import IRModule
    from .pass_manager import PassInfo


# What programs fail with that are not complete, ill-typed, or not to be evaluated.
_FAILURES = (Error, ValueError, TypeError, RuntimeError)


class PrintIRDiff(PassInstrument):
    """Prints how each pass changes the text of the module, as a unified diff, to standard
    error or another stream."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._texts: list[list[str]] = []

    def enter_pass_ctx(self) -> None:
        self._texts = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._texts.append(mod.astext(show_meta_data=False).splitlines())

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        before = self._texts.pop()
        after = mod.astext(show_meta_data=False).splitlines()
        lines = list(difflib.unified_diff(before, after, "before", "after", lineterm=""))
        stream = sys.stderr if self._stream is None else self._stream
        print(f"Pass {info.name}: {'changed' if lines else 'no change'}", *lines, sep="\n",
              file=stream)


class PassStatisticsInstrument(PassInstrument):
    """Counts the operators of the module before and after each pass."""

    def __init__(self) -> None:
        # Names, how deep, and counts by operator before and after.
        self._profiles: list[tuple[str, int, dict[str, int], dict[str, int]]] = []
        self._running: list[int] = []

    def enter_pass_ctx(self) -> None:
        self._profiles = []
        self._running = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._running.append(len(self._profiles))
        self._profiles.append((info.name, len(self._running) - 1, _counts(mod), {}))

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        # One that failed has no end of its own.
        while self._running:
            profile = self._profiles[self._running.pop()]
            if profile[0] == info.name:
                profile[3].update(_counts(mod))
                return

    def render(self) -> str:
        """A line for each pass, as a tree, with the operators whose number changed."""
        lines = []
        for name, level, before, after in self._profiles:
            changes = [f"{operator} {before.get(operator, 0)} -> {after.get(operator, 0)}"
                       for operator in sorted({*before, *after})
                       if before.get(operator, 0) != after.get(operator, 0)]
            total = f"{sum(before.values())} -> {sum(after.values())} operators"
            lines.append(f"{'  ' * level}{name}: {'; '.join([total, *changes])}\n")
        return "".join(lines)


class ReportInstrument(PassInstrument):
    """Writes a page that shows what each pass does, with its time, operators, differences
    and graphs, when the context is left; or the graphs alone, for Model Explorer, if `path`
    ends in ".json". It has the passes of `relay.build` in the context, too, and a pass that
    failed. Passes that others run come before these.

    `profile` is a file that `relay-run --profile` or `Module.profile` wrote, whose times
    the page shows with the operators. Modules that are not complete or ill-typed cannot be
    shown; `skipped` has the names of passes that made them. Raises OSError if a file
    cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str],
                 profile: str | os.PathLike[str] | None = None) -> None:
        self._path = expect_path(path)
        self._profile = None if profile is None else expect_path(profile, "profile")
        self._running: list[tuple[str, int, Any, float]] = []
        self.skipped: list[str] = []
        self._report = self._make()

    def _make(self) -> _relay_mlir.Report:
        report = _relay_mlir.Report(self._path, "passes")
        if self._profile is not None:
            report.read_profile(self._profile)
        return report

    def enter_pass_ctx(self) -> None:
        self._report = self._make()
        self._running = []
        self.skipped = []

    def exit_pass_ctx(self) -> None:
        # What began and did not end has failed, and so has what it is a part of.
        if self._running:
            self._add(self._running[-1], None)
        self._running = []
        self._report.write()

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._running.append((info.name, self._report.num_steps(), mod.shallow_copy(),
                              time.perf_counter()))

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        end = time.perf_counter()
        # One that failed, and whose error was caught, has no end of its own.
        while self._running:
            step = self._running.pop()
            if step[0] == info.name:
                self._add(step, mod, end)
                return

    def _add(self, step: tuple[str, int, Any, float], mod: IRModule | None,
             end: float | None = None) -> None:
        name, number, before, start = step
        # Of a compilation the passes of the compiler are shown.
        if name == "Compile" and self._report.num_steps() != number:
            return
        seconds = (time.perf_counter() if end is None else end) - start
        try:
            self._report.add_pass(name, seconds, before._to_core(),
                                  None if mod is None else mod._to_core())
        except _FAILURES:
            self.skipped.append(name)


def find_report(instruments: Sequence[Any]) -> _relay_mlir.Report | None:
    """The report that passes of the compiler are to be told to, if there is one."""
    for instrument in instruments:
        if isinstance(instrument, ReportInstrument):
            return instrument._report
    return None


def _counts(mod: IRModule) -> dict[str, int]:
    from .analysis import list_op_freqs

    return list_op_freqs(mod)


class ResultChangedError(ValueError):
    """A pass after which a program computes something else, or nothing."""

    def __init__(self, pass_name: str, what: str) -> None:
        super().__init__(f"expects pass {pass_name} to keep what @main computes, but {what}")
        self.pass_name = pass_name


class InterpreterCheck(PassInstrument):
    """Evaluates @main in the interpreter after each pass, and raises ResultChangedError
    with the name of the first one after which results are others.

    `inputs` are the arguments of @main; without them, they are made of random numbers
    from `seed`, and open sizes are 2. Floats may differ by `rtol` of their magnitude and
    by `atol`; the element types of results may change (as ToMixedPrecision does it), and
    are compared after a cast. A module that cannot be evaluated before a pass is not
    compared after it; `skipped` has the names of these passes.
    """

    def __init__(self, inputs: Sequence[Any] | None = None, rtol: float = 1e-5,
                 atol: float = 1e-5, seed: int = 0) -> None:
        self._inputs = None if inputs is None else list(expect_list(inputs, "inputs", "values"))
        self._rtol = float(expect(rtol, (int, float), "rtol", "a number"))
        self._atol = float(expect(atol, (int, float), "atol", "a number"))
        self._seed = expect_int(seed, "seed", 0)
        self._running: list[Any] = []
        # The module that was evaluated last, since it is what the next pass begins with.
        self._last: tuple[Any, Any] = (None, None)
        self.skipped: list[str] = []

    def enter_pass_ctx(self) -> None:
        self._running = []
        self._last = (None, None)
        self.skipped = []

    def _results(self, mod: IRModule) -> list[np.ndarray[Any, Any]]:
        if self._last[0] is not mod:
            self._last = (mod, evaluate_main(mod, self._inputs, self._seed))
        results: list[np.ndarray[Any, Any]] = self._last[1]
        return results

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        try:
            self._running.append(self._results(mod))
        except _FAILURES:
            self._running.append(None)
            self.skipped.append(info.name)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        before = self._running.pop()
        if before is None:
            return
        try:
            after = self._results(mod)
        except _FAILURES as error:
            raise ResultChangedError(info.name, f"it fails: {error}") from error
        if len(before) != len(after):
            raise ResultChangedError(
                info.name, f"there are {len(after)} results instead of {len(before)}")
        for i, (old, new) in enumerate(zip(before, after)):
            if old.shape != new.shape:
                raise ResultChangedError(
                    info.name, f"result {i} has shape {new.shape} instead of {old.shape}")
            if not _are_close(old, new, self._rtol, self._atol):
                raise ResultChangedError(
                    info.name, f"result {i} differs{_largest_difference(old, new)}")


def _are_close(old: Any, new: Any, rtol: float, atol: float) -> bool:
    if old.dtype.kind in "iub" and new.dtype.kind in "iub":
        return bool(np.array_equal(old, new))
    return bool(np.allclose(new.astype("float64"), old.astype("float64"), rtol=rtol, atol=atol,
                            equal_nan=True))


def _largest_difference(old: Any, new: Any) -> str:
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(new.astype("float64") - old.astype("float64"))
    if not np.isfinite(distance).any():
        return ""
    index = np.unravel_index(int(np.nanargmax(distance)), distance.shape)
    place = ", ".join(map(str, index))
    return f" by {distance[index]:g} at [{place}]: {new[index]} instead of {old[index]}"


def evaluate_main(mod: IRModule, inputs: Sequence[Any] | None = None,
                  seed: int = 0) -> list[np.ndarray[Any, Any]]:
    """The tensors that @main computes in the interpreter, those in tuples and data types
    one after another. Without `inputs` these are random, and open sizes are 2."""
    from .executor import create_executor
    from .transform import infer_types

    mod = infer_types(mod)
    values = random_arguments(mod, seed) if inputs is None else inputs
    return _flatten(create_executor("debug", mod).evaluate()(*values))


def random_arguments(mod: IRModule, seed: int = 0) -> list[Any]:
    """Random arguments for @main of a typed module, where open sizes are 2. Raises
    TypeError for parameters that are no tensors."""
    from . import ty

    rng = np.random.default_rng(seed)
    values = []
    for param in mod["main"].params:
        type_ = param.checked_type
        if not isinstance(type_, ty.TensorType):
            raise TypeError(f"expects parameters of @main to be tensors, but got {type_}")
        shape = [size if isinstance(size, int) else 2 for size in type_.shape]
        if type_.dtype == "bool":
            values.append(rng.integers(0, 2, shape).astype(bool))
        elif "int" in type_.dtype:
            values.append(rng.integers(0, 4, shape).astype(type_.dtype))
        else:
            values.append(rng.uniform(-2, 2, shape).astype(type_.dtype))
    return values


def _flatten(value: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(value, (list, tuple)):
        return [tensor for field in value for tensor in _flatten(field)]
    fields = getattr(value, "fields", None)
    if fields is not None:
        return [tensor for field in fields for tensor in _flatten(field)]
    return [np.asarray(value.numpy() if hasattr(value, "numpy") else value)]


__all__ = ["InterpreterCheck", "PassStatisticsInstrument", "PrintIRDiff", "ReportInstrument",
           "ResultChangedError", "find_report"]
