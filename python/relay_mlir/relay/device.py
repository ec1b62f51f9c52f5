"""Devices, as programs name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .._arguments import expect_int, expect_text

_TYPES = {"cpu": 1, "llvm": 1, "c": 1, "cuda": 2, "gpu": 2, "opencl": 4, "cl": 4, "vulkan": 7,
          "metal": 8, "vpi": 9, "rocm": 10, "ext_dev": 12, "hexagon": 14, "webgpu": 15}
_NAMES = {1: "cpu", 2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 9: "vpi", 10: "rocm",
          12: "ext_dev", 14: "hexagon", 15: "webgpu"}


class Device:
    """A device: its type, as DLPack numbers it, and which of them."""

    def __init__(self, device_type: int, device_id: int = 0) -> None:
        self.device_type = expect_int(device_type, "device_type")
        self.device_id = expect_int(device_id, "device_id", 0)

    @staticmethod
    def parse(text: str, device_id: int = 0) -> Device:
        """Reads "cuda", "cuda(1)", "cuda:1", or a target such as "llvm -mcpu=..."."""
        words = expect_text(text, "a device").split()
        match = re.fullmatch(r"(\w+)(?:[(:](\d+)\)?)?", words[0] if words else "")
        if not match or match[1] not in _TYPES:
            raise ValueError(f"expects a device such as 'cpu' or 'cuda(0)', but got {text!r}")
        return Device(_TYPES[match[1]], int(match[2]) if match[2] else device_id)

    @property
    def type(self) -> str:
        """The name of the device's type."""
        return _NAMES.get(self.device_type, str(self.device_type))

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Device) and self.device_type == other.device_type and
                self.device_id == other.device_id)

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_id))

    def __repr__(self) -> str:
        return f"{self.type}({self.device_id})"


@dataclass(frozen=True)
class VirtualDevice:
    """Where a value is kept: a device of a type and number, for a target, in a kind of
    memory; -1, None and "" leave each open."""

    device_type_int: int = -1
    virtual_device_id: int = -1
    target: Any = None
    memory_scope: str = ""

    @staticmethod
    def of(device_: Any) -> VirtualDevice:
        """That of a Device, of a name such as "cuda(1)", or of its attribute."""
        if isinstance(device_, VirtualDevice):
            return device_
        if isinstance(device_, str):
            device_ = Device.parse(device_)
        if isinstance(device_, Device):
            return VirtualDevice(device_.device_type, device_.device_id)
        if isinstance(device_, dict):
            return VirtualDevice(device_.get("device_type", -1),
                                 device_.get("virtual_device_id", -1), device_.get("target"))
        raise TypeError(f"expects a device, but got {device_!r}")

    def is_fully_unconstrained(self) -> bool:
        """Whether everything is open."""
        return self == VirtualDevice()

    def attribute(self) -> dict[str, Any]:
        """The attribute that expressions have. Devices of type 12, an extension, have the
        kind that `target` names."""
        is_extension = self.device_type_int == _TYPES["ext_dev"]
        if (self.target is not None and not is_extension) or self.memory_scope:
            raise NotImplementedError("targets and kinds of memory of single values are not "
                                      f"there yet, but got {self}")
        attribute = {"device_type": self.device_type_int,
                     "virtual_device_id": self.virtual_device_id}
        return attribute if self.target is None else {**attribute, "target": str(self.target)}


def device(name: str, device_id: int = 0) -> Device:
    """A device by name."""
    return Device.parse(name, device_id)


def cpu(device_id: int = 0) -> Device:
    """The host."""
    return Device(_TYPES["cpu"], device_id)


def cuda(device_id: int = 0) -> Device:
    """A GPU by CUDA."""
    return Device(_TYPES["cuda"], device_id)


gpu = cuda

__all__ = ["Device", "VirtualDevice", "cpu", "cuda", "device", "gpu"]
