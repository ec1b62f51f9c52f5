"""Functions of Python by name, which compiled programs find when they run."""

from __future__ import annotations

import re
import threading
from typing import Any

from . import _relay_mlir
from ._arguments import expect_callable, expect_text

_FUNCTIONS: dict[str, Any] = {}
_LOCK = threading.Lock()


def register_func(func_name: Any, f: Any = None, override: bool = False) -> Any:
    """Registers a function under a name, or its own: `register_func("name", f)`,
    `@register_func("name")`, `@register_func`. Besides `get_global_func`, compiled programs
    find it: `relax.call_packed` and `relax.call_dps_packed` with that name.

        @rm.register_func("my.scale")
        def scale(x, y):      # of relax.call_dps_packed "my.scale"(%x)
            y[:] = 2 * x

    Programs call it with NumPy arrays, which are copies, and tuples of them. For
    `relax.call_packed` it returns an array or a tuple of them; for `relax.call_dps_packed` it
    writes the arrays behind its inputs, which are zeros, in place, and returns None. What it
    raises ends the program, and is raised by the call of that.

    Raises ValueError for an empty name, if there is a function of that name already, unless
    `override`, and for code generators ("relay.ext.<target>"), which are registered by
    relay.codegen.register."""
    if f is None and hasattr(func_name, "__name__"):
        func_name, f = func_name.__name__, func_name
    if not expect_text(func_name, "func_name") or "\0" in func_name:
        raise ValueError(f"expects a name without zeros for func_name, but got {func_name!r}")
    generator = re.fullmatch(r"relay\.ext\.([\w-]+)", func_name)
    if generator is not None:
        raise ValueError(
            f"expects code generators to be registered by relay.codegen.register"
            f"({generator[1]!r}), which take a module and return a CSource, a Blob, a module or a "
            f"text of MLIR, but got register_func({func_name!r})")

    def register(function: Any) -> Any:
        expect_callable(function, "f")
        with _LOCK:
            if func_name in _FUNCTIONS and not override:
                raise ValueError(f"expects a new name, but {func_name!r} is registered already")
            _FUNCTIONS[func_name] = function
            _relay_mlir.register_function(func_name, True)
        return function

    return register if f is None else register(f)


def get_global_func(name: str, allow_missing: bool = False) -> Any:
    """The function of a name. Raises ValueError if there is none, or returns None
    with `allow_missing`."""
    function = _FUNCTIONS.get(expect_text(name, "name"))
    if function is None and not allow_missing:
        raise ValueError(f"there is no registered function {name!r}")
    return function


def remove_global_func(name: str) -> None:
    """Forgets a function."""
    with _LOCK:
        if _FUNCTIONS.pop(expect_text(name, "name"), None) is not None:
            _relay_mlir.register_function(name, False)


__all__ = ["get_global_func", "register_func", "remove_global_func"]
