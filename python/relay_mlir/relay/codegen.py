"""Code generators for functions with the attribute Compiler.

    @relay.codegen.register("mine")
    def generate(mod):
        ...
        return relay.codegen.CSource(text)

`relay.build` calls it with a module of all functions that have its name; each has
tensors as parameters, and a tensor or a tuple of tensors as result. What it returns is

* a CSource: C that defines a function for each function of the module, of its name,

      int32_t name(void *const *args, const int64_t *dims, const void *context);

  `args` has the addresses of inputs, then outputs, contiguous and row-major, `dims` the
  sizes that are `?` in their types, one for each occurrence; it returns 0. The compiler
  of C is that of the environment variable RELAY_CC, else CC, else `cc`;
* a Blob: bytes for a library of its own, librelay_device_<name>.so, which gets them when
  the model is loaded and computes the functions (relay-mlir-c/Device.h). What is no letter
  and no digit in the name is an underscore there;
* a module of Relay, or one of MLIR (relay_mlir.IRModule) or its text, that defines the
  functions with the types that they have: it is compiled as everything else.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Sequence, TypeVar

from . import _diagnostics
from .._arguments import describe, expect_callable, expect_names, expect_text
from .._compile import IRModule as MLIRModule
from ._core import core
from .module import IRModule

Generator = TypeVar("Generator", bound=Callable[[IRModule], Any])


class CSource:
    """Source in C, and more arguments for the compiler."""

    def __init__(self, source: str, flags: Sequence[str] = ()) -> None:
        self.source = expect_text(source, "source")
        self.flags = expect_names(flags, "flags")


class Blob:
    """Bytes, and the name of their format, for what drives devices of the generator's
    kind."""

    def __init__(self, format: str, data: bytes) -> None:  # pylint: disable=redefined-builtin
        self.format = expect_text(format, "format")
        if not self.format or "\0" in self.format:
            raise ValueError(f"expects the name of a format, but got {format!r}")
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"expects data to be bytes, but got {describe(data)}")
        self.data = bytes(data)


def _convert(name: str, code: Any) -> tuple[Any, ...]:
    if isinstance(code, CSource):
        return "c", code.source, code.flags
    if isinstance(code, Blob):
        return "blob", code.format, code.data
    if isinstance(code, IRModule):
        return ("relay", *code._to_core())
    if isinstance(code, str):
        return "mlir", code
    if isinstance(code, MLIRModule):
        return "mlir", code.print(elide_larger=None)
    raise TypeError(f"expects code generator {name!r} to return a CSource, a Blob, a module or "
                    f"a text of MLIR, but got {describe(code)}")


def register(name: str, generator: Any = None) -> Any:
    """Registers a code generator, in the place of one of the same name. Without
    `generator`, returns a decorator for one. What it raises is what `relay.build`
    raises, unless that may fall back."""
    expect_text(name, "name")
    if not re.fullmatch(r"[\w-]+", name) or name == "default":
        raise ValueError("expects a name of letters, digits, _ and -, other than 'default', "
                         f"but got {name!r}")

    def add(function: Generator) -> Generator:
        expect_callable(function, "generator")

        def call(functions: Any, types: Any) -> tuple[Any, str | None]:
            try:
                mod = IRModule._from_core(functions, types, like=IRModule())
                return _convert(name, function(mod)), None
            except BaseException as error:  # pylint: disable=broad-exception-caught
                if hasattr(error, "add_note"):
                    error.add_note(f"raised in code generator {name!r}")
                return None, _diagnostics.hold(error)

        core.register_codegen(name, call)
        return function

    return add if generator is None else add(generator)


def names() -> list[str]:
    """The names of all code generators, those of plugins as well."""
    return core.codegens()


__all__ = ["Blob", "CSource", "names", "register"]
