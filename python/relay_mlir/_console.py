"""What programs of the package write, and how they end."""

from __future__ import annotations

import os
import sys
from typing import Callable

from ._errors import CompileError


def write(text: str) -> None:
    """Writes to the standard output; OSError if that cannot be."""
    if sys.stdout is None:
        raise OSError("the standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is left is not tried again at the end of the program.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OSError(f"cannot write the standard output: {error.strerror}") from None


def write_file(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file; the OSError if that cannot be has its name."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def run(program: str, body: Callable[[], int], stopped: str = "stopped") -> int:
    """The exit status of a program, whose errors are told without where they are from."""
    try:
        return body()
    except (CompileError, OSError, ValueError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            text = f"cannot open '{error.filename}': {error.strerror}"
        print(f"{program}: error: {text}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{program}: {stopped}", file=sys.stderr)
        return 130
