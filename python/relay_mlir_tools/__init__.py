"""What starts the command-line tools, and the tools and libraries that a wheel carries.

It is no part of `relay_mlir`, which loads NumPy and the compiler before a tool could
start.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program in bin/ that has the name under which this was called."""
    name = os.path.basename(sys.argv[0])
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    try:
        os.execv(program, sys.argv)
    except OSError as error:
        sys.exit(f"{name}: error: cannot run {program}: {error.strerror}")


def _run(module: str) -> NoReturn:
    """Runs a program of the package `relay_mlir`. What stops it while that loads says nothing of
    where that was. (A shell may have it ignore such signals.)"""
    # pylint: disable=import-outside-toplevel
    import signal
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import importlib
    program = importlib.import_module(f"relay_mlir.{module}.__main__")
    signal.signal(signal.SIGINT, handler)
    sys.exit(program.main())


def quantize() -> NoReturn:
    """relay-quantize"""
    _run("quantization")


def vta_explore() -> NoReturn:
    """relay-vta-explore"""
    _run("vta")
