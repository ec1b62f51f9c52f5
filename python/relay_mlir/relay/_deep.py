"""Recursion over deep programs.

A visitor's methods call each other once for every level of the program, which
may have tens of thousands. The outermost call therefore gets a limit and a
stack to match.
"""

from __future__ import annotations

import sys
import threading
from typing import Callable, TypeVar

from ._core import core

T = TypeVar("T")
R = TypeVar("R")

# Calls of Python functions for each level, generously.
_FRAMES_PER_LEVEL = 12
_STACK_PER_LEVEL = 8 * 1024
_SHALLOW = 40


def depth_of(value: object) -> int:
    """The number of levels of an expression; 0 for anything else."""
    return core.depth(value) if isinstance(value, core.Expr) else 0


def call_deep(function: Callable[[T], R], argument: T, depth: int) -> R:
    """Returns `function(argument)`, which may recurse `depth` levels."""
    if depth <= _SHALLOW:
        return function(argument)
    result: list[R] = []
    error: list[BaseException] = []

    def run() -> None:
        try:
            result.append(function(argument))
        except BaseException as exception:  # Raised again below.
            error.append(exception)

    old_limit = sys.getrecursionlimit()
    old_size = threading.stack_size()
    sys.setrecursionlimit(max(old_limit, depth * _FRAMES_PER_LEVEL + old_limit))
    try:
        if depth < 200 and sys.version_info >= (3, 11):
            return function(argument)
        threading.stack_size(min(max(depth * _STACK_PER_LEVEL, 1 << 24), 1 << 34))
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old_size)
        sys.setrecursionlimit(old_limit)
    if error:
        raise error[0]
    return result[0]
