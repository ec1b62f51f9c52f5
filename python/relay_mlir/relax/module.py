"""Modules of Relax: functions that call kernels, and these kernels."""

from __future__ import annotations

from typing import Iterator

from .. import _compile
from .._arguments import expect, expect_text


class _Symbol:
    """Something that a module defines."""

    def __init__(self, mod: IRModule, name: str) -> None:
        self._mod = expect(mod, IRModule, "mod", "a module of relax")
        if name not in mod:
            raise KeyError(f"expects one of {', '.join(mod.names())}, but got {name!r}")
        self.name = name

    def script(self) -> str:
        """Its text."""
        return self._mod._impl._impl.print_symbol(self.name)

    def __str__(self) -> str:
        return self.script()


class Function(_Symbol):
    """A function of Relax. Its text is that of Relax's script: a function of Python, with
    the sizes of all tensors."""


class PrimFunc(_Symbol):
    """A kernel. Its text is that of the tir dialect."""


class IRModule:
    """A module of Relax, in the form relax-kernels (docs/Architecture.md): functions, and the
    kernels that they call.

    `mod["main"]` is a Function, that of a kernel a PrimFunc; `as_mlir` has all of it as the
    tools read it.
    """

    def __init__(self, impl: _compile.IRModule) -> None:
        self._impl = expect(impl, _compile.IRModule, "impl", "a relay_mlir.IRModule")

    @staticmethod
    def parse(text: str) -> IRModule:
        """Reads what `as_mlir` wrote, or `relay-compile --to=relax-kernels`. Raises
        CompileError with the place of an error, ValueError if there is no relax.func."""
        impl = _compile.IRModule.parse(expect_text(text, "text"))
        mod = IRModule(impl.run_passes("builtin.module(verify-relax-kernels)"))
        if Function not in mod._kinds().values():
            raise ValueError("expects a module with a relax.func, but got none; relay_translator "
                             "makes one of a program of Relay")
        return mod

    def _kinds(self) -> dict[str, type[_Symbol]]:
        kinds = {"relax.func": Function, "tir.prim_func": PrimFunc}
        return {name: kinds[op] for name, op in self._impl._impl.symbols() if op in kinds}

    def names(self) -> list[str]:
        """The names of all functions, with those of Relax first."""
        kinds = self._kinds()
        return sorted(kinds, key=lambda name: kinds[name] is not Function)

    def __contains__(self, name: object) -> bool:
        return name in self._kinds()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __getitem__(self, name: str) -> Function | PrimFunc:
        kind = self._kinds().get(expect_text(name, "name"))
        if kind is None:
            raise KeyError(f"expects one of {', '.join(self.names())}, but got {name!r}")
        found = kind(self, name)
        assert isinstance(found, (Function, PrimFunc))
        return found

    @property
    def functions(self) -> dict[str, Function | PrimFunc]:
        """All functions by name."""
        return {name: self[name] for name in self.names()}

    def as_mlir(self) -> str:
        """The module in MLIR's text, with all weights."""
        return self._impl.print(elide_larger=None)

    def script(self) -> str:
        """The text of all functions, those of Relax first."""
        return "\n".join(self[name].script().rstrip("\n") + "\n" for name in self.names())

    def __str__(self) -> str:
        return self.script()


__all__ = ["Function", "IRModule", "PrimFunc"]
