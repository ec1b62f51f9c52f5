"""What `relay.build` is told about executors and run times, as objects: their names, and
options that have an effect here.

    relay.build(mod, "llvm", executor=relay.backend.Executor("aot", {"link-params": True}))
"""

from __future__ import annotations

from typing import Any, ClassVar, Mapping

from ..._arguments import expect_mapping, expect_text


class _Choice:
    """A name, and options by name."""

    names: ClassVar[tuple[str, ...]]
    # Values of options that say what is so anyway.
    supported: ClassVar[dict[str, Any]]

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        self.name = expect_text(name, "name")
        if name not in self.names:
            raise NotImplementedError(f"expects {' or '.join(map(repr, self.names))}, but got "
                                      f"{name!r}")
        self.options = dict(expect_mapping(options, "options"))
        for option, value in self.options.items():
            if option not in self.supported or self.supported[option] != value:
                known = ", ".join(f"{key}={wanted!r}" for key, wanted in self.supported.items())
                raise NotImplementedError(f"expects options {known}, but got "
                                          f"{option}={value!r}")

    def __getitem__(self, option: str) -> Any:
        return self.options[option]

    def __contains__(self, option: str) -> bool:
        return option in self.options

    def __eq__(self, other: object) -> bool:
        return (type(self) is type(other) and isinstance(other, _Choice) and
                (self.name, self.options) == (other.name, other.options))

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.options))))

    def __repr__(self) -> str:
        options = f", {self.options!r}" if self.options else ""
        return f"{type(self).__name__}({self.name!r}{options})"


class Executor(_Choice):
    """How a library runs: "graph" and "aot", which are the same here. Parameters are
    always linked into the library ("link-params")."""

    names = ("graph", "aot")
    supported = {"link-params": True}


class Runtime(_Choice):
    """What a library runs in: "cpp", with functions that programs look up
    ("system-lib": False)."""

    names = ("cpp",)
    supported = {"system-lib": False}


__all__ = ["Executor", "Runtime"]
