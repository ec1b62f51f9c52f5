"""Instruments: what is called before and after passes.

An instrument is an object with any of the methods of PassInstrument; a PassContext
takes a list of them.
"""

from __future__ import annotations

import inspect
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable

from .._arguments import expect_names, expect_path

if TYPE_CHECKING:
    from .module import IRModule
    from .pass_manager import PassInfo


class PassInstrument:
    """Base of instruments. All methods may be left out."""

    def enter_pass_ctx(self) -> None:
        """Is called when a PassContext is entered."""

    def exit_pass_ctx(self) -> None:
        """Is called when a PassContext is left."""

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        """Whether a pass is to run, unless the context requires it."""
        del mod, info
        return True

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Is called before a pass that runs."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Is called after a pass that did not fail, with its result."""


# The methods that an instrument may have.
HOOKS = [name for name in vars(PassInstrument) if not name.startswith("_")]


def pass_instrument(pi_cls: Any = None) -> Any:
    """Makes a class with some of the methods of PassInstrument an instrument:
    `@pass_instrument`."""

    def create(cls: Any) -> Any:
        if not inspect.isclass(cls):
            raise TypeError(f"expects a class, but got {cls!r}")
        if issubclass(cls, PassInstrument):
            return cls
        return type(cls.__name__, (cls, PassInstrument), {
            "__doc__": cls.__doc__, "__module__": cls.__module__})

    return create if pi_cls is None else create(pi_cls)


def call_hook(instrument: Any, name: str, *args: Any) -> Any:
    """Calls a method of an instrument; None if it has none."""
    hook: Callable[..., Any] | None = getattr(instrument, name, None)
    return hook(*args) if hook is not None else None


class PassTimingInstrument(PassInstrument):
    """Measures how long passes take, with those inside of them."""

    def __init__(self) -> None:
        # Name, level, start, and seconds; of those that run, the last is None.
        self._profiles: list[list[Any]] = []
        self._running: list[list[Any]] = []

    def enter_pass_ctx(self) -> None:
        self._profiles = []

    def exit_pass_ctx(self) -> None:
        self._profiles = []
        self._running = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        profile = [info.name, len(self._running), time.perf_counter(), None]
        self._profiles.append(profile)
        self._running.append(profile)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        # One that failed has no end of its own.
        while self._running:
            profile = self._running.pop()
            profile[3] = time.perf_counter() - profile[2]
            if profile[0] == info.name:
                return

    def render(self) -> str:
        """A line for each pass, as a tree; empty before the first one and after
        the context was left."""
        return "".join(f"{'  ' * level}{name}: {(seconds or 0.0) * 1e6:.0f}us\n"
                       for name, level, _, seconds in self._profiles)


def _print_module(mod: IRModule, info: PassInfo, when: str) -> None:
    print(f"{when} Running Pass: {info}\n{mod}", file=sys.stderr)


class PrintAfterAll(PassInstrument):
    """Prints the module after each pass, to standard error."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        _print_module(mod, info, "After")


class PrintBeforeAll(PassInstrument):
    """Prints the module before each pass, to standard error."""

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        _print_module(mod, info, "Before")


class PassPrintingInstrument(PassInstrument):
    """Prints the module before and after the passes of some names."""

    def __init__(self, print_before_pass_names: Iterable[str] = (),
                 print_after_pass_names: Iterable[str] = ()) -> None:
        self._before = set(expect_names(print_before_pass_names, "print_before_pass_names"))
        self._after = set(expect_names(print_after_pass_names, "print_after_pass_names"))

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self._before:
            _print_module(mod, info, "Before")

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self._after:
            _print_module(mod, info, "After")


class DumpIR(PassInstrument):
    """Writes the module after each pass to a file NUMBER_PASS.relay of a folder.

    A folder that is there is an error, unless `refresh`, which removes it first.
    """

    def __init__(self, dump_dir: str | os.PathLike[str], refresh: bool = False) -> None:
        self._folder = expect_path(dump_dir, "dump_dir")
        self._count = 0
        if refresh and os.path.isdir(self._folder):
            shutil.rmtree(self._folder)
        os.makedirs(self._folder)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        name = info.name.replace("/", "_").replace(".", "_")
        path = os.path.join(self._folder, f"{self._count:03}_{name}.relay")
        with open(path, "w", encoding="utf-8") as file:
            file.write(mod.astext())
        self._count += 1


# Instruments that compare, which use what is above.
from ._pass_instruments import (  # pylint: disable=wrong-import-position
    InterpreterCheck, PassStatisticsInstrument, PrintIRDiff, ReportInstrument,
    ResultChangedError)


__all__ = [
    "DumpIR", "InterpreterCheck", "PassInstrument", "PassPrintingInstrument",
    "PassStatisticsInstrument", "PassTimingInstrument", "PrintAfterAll", "PrintBeforeAll",
    "PrintIRDiff", "ReportInstrument", "ResultChangedError", "pass_instrument",
]
