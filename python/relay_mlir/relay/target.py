"""What programs are compiled for.

    with relay.target.Target("llvm -mcpu=skylake-avx512"):
        lib = relay.build(mod)
"""

from __future__ import annotations

import re
import types
from typing import Any, Mapping

from .._arguments import describe, expect_text
from .._compile import device_targets_text
from ._scopes import Scopes
from .device import Device


def parse_device_targets(target: Any) -> str:
    """Of a dict of targets, those of devices that are no processor, such as {"ext_dev":
    "#npu.core<lanes = 8>", "cuda": "cuda -arch=sm_90a"}, as the option device-targets has them."""
    if not isinstance(target, Mapping):
        return ""
    kinds = {_kind(key): value for key, value in target.items()}
    others = {kind: _gpu_words(str(value)) for kind, value in kinds.items() if kind != "cpu"}
    for kind, value in others.items():
        if not value.startswith(("#", "cuda")):
            raise NotImplementedError(
                f"there is no code generation for {kind!r} yet, but for a target of a dialect "
                f"such as '#npu.core<lanes = 8>', with its '#'; got {value!r}")
    return device_targets_text(others)


def _gpu_words(text: str) -> str:
    """Of "cuda" with options what the compiler asks: what else there is about a GPU follows
    from its architecture. Other targets as they are."""
    words = text.split()
    if not words or words[0] != "cuda":
        return text
    return " ".join(word for word in words
                    if not word.startswith("-") or word.startswith(("-arch", "-code")))


def _kind(key: Any) -> str:
    """The kind of devices that a key of a dict of targets means."""
    if isinstance(key, Device):
        return key.type
    if isinstance(key, int):
        return Device(key).type
    kind = expect_text(key, "a kind of devices")
    return {"llvm": "cpu", "c": "cpu", "gpu": "cuda"}.get(kind, kind)


def parse_target(target: Any) -> str:
    """The target as `relay_mlir.compile` takes it, of one as programs of Relay have
    it: "llvm", "llvm -mcpu=skylake-avx512", "cuda -arch=sm_90a", a list with that alone, or a
    dict with one for each kind of devices, of which this is that of processors."""
    if isinstance(target, Mapping):
        parse_device_targets(target)
        target = next((value for key, value in target.items() if _kind(key) == "cpu"), None)
    if isinstance(target, (list, tuple)):
        if len(target) != 1:
            raise ValueError(f"expects one target in a list, but got {len(target)}; a dict has one "
                             "for each kind of devices")
        target = target[0]
    if target is None:
        return "native"
    text = expect_text(str(target), "target")
    if not text.strip():
        raise ValueError("expects a target such as 'llvm', but got an empty one")
    kind = text.split()[0]
    if kind == "cuda":
        return _gpu_words(text)
    cpu = re.search(r"(?:^|\s)-mcpu=(\S*)", text)
    if cpu is not None:
        if not cpu[1]:
            raise ValueError(f"expects the name of a processor behind -mcpu=, but got {text!r}")
        return cpu[1]
    if kind in ("llvm", "c", "native", "cpu"):
        return "native"
    if kind in ("opencl", "vulkan", "metal", "rocm", "webgpu", "hexagon", "ext_dev",
                "nvidia/nvidia-a100"):
        raise NotImplementedError(f"there is no code generation for {kind!r} yet; programs "
                                  "are compiled for CPUs, 'llvm', and NVIDIA GPUs, 'cuda'")
    return kind


class Target(str):
    """A target as text, of a text or a dict: {"kind": "llvm", "mcpu": "skylake-avx512"} is
    "llvm -mcpu=skylake-avx512". In `with target:`, what is compiled without a target is
    compiled for it; that of the innermost counts. The host is always this machine.

    Raises NotImplementedError for a target that there is no code generation for."""

    _scopes: Scopes[Target] = Scopes()

    def __new__(cls, target: Any, host: Any = None) -> Target:
        del host
        if isinstance(target, Mapping):
            target = cls._join(target)
        parse_target(expect_text(target, "target"))
        return super().__new__(cls, target)

    @staticmethod
    def _join(target: Mapping[Any, Any]) -> str:
        rest = dict(target)
        kind = expect_text(rest.pop("kind", None), "the kind of a target")
        rest.pop("host", None)
        words = [kind]
        for key, value in rest.items():
            if isinstance(value, (list, tuple)):
                value = ",".join(map(str, value))
            if not isinstance(value, (str, int, float)):
                raise TypeError(f"expects {key!r} of a target to be a text or a number, but got "
                                f"{describe(value)}")
            words.append(f"-{expect_text(key, 'an option of a target')}={value}")
        return " ".join(words)

    @property
    def kind(self) -> Any:
        """The first word, as `kind.name`."""
        words = self.split()
        return types.SimpleNamespace(name=words[0] if words else "")

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The target of the innermost `with` of this thread, or None. Raises ValueError
        instead unless `allow_none`."""
        stack = Target._scopes.entered
        if not stack and not allow_none:
            raise ValueError("expects a target around this: `with relay.target.Target(...)`")
        return stack[-1] if stack else None

    def __enter__(self) -> Target:
        self._scopes.entered.append(self)
        return self

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        self._scopes.leave(self)


def chosen_target(target: Any) -> Any:
    """What a caller asks for, or else the target around the call."""
    return Target.current() if target is None else target


__all__ = ["Target"]
