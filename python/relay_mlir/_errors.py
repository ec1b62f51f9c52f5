"""Exceptions of the package."""

import builtins
from typing import Any, Optional, Sequence


class Error(Exception):
    """Base of the package's exceptions."""


class CompileError(Error):
    """A model that cannot be read, or a compilation or pass that failed.

    `location` and `notes` are those of the first error; `diagnostics` lists all
    of them as (location, message, notes).
    """

    location: Optional[str] = None
    notes: Sequence[Any] = ()
    diagnostics: Sequence[Any] = ()


class DiagnosticError(CompileError):
    """A program of Relay that cannot be read, or is ill-typed.

    The message has each error with its line, and a caret below it.
    """


class RuntimeError(Error, builtins.RuntimeError):  # pylint: disable=redefined-builtin
    """An artefact that cannot be loaded here, or a run that failed."""
