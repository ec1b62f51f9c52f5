"""The operators, as functions: `relay.op.add`, `relay.op.nn.conv2d`."""

from __future__ import annotations

from ..expr import Op
from . import (algorithm, annotation, dyn, image, memory, nn, random, reduce, tensor, transform,
               vision, vm)
from . import _registry
from ._registry import get
from .tensor import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .annotation import on_device


def list_ops() -> list[str]:
    """The names of all operators."""
    return sorted(_registry.SCHEMAS)


__all__ = [
    "Op", "algorithm", "annotation", "dyn", "get", "image", "list_ops", "memory", "nn",
    "on_device", "random", "reduce", "tensor", "transform", "vision", "vm",
    *tensor.__all__,
]
