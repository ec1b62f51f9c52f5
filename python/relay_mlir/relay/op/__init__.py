"""The operators, as functions: `relay.op.add`, `relay.op.nn.conv2d`."""

from __future__ import annotations

from ..expr import const, Op
from . import (algorithm, annotation, contrib, dyn, image, memory, nn, op, random, reduce, tensor,
               transform, vision, vm)
from . import _registry
from .op import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .tensor import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .annotation import on_device



def list_ops() -> list[str]:
    """The names of all operators of Relay."""
    return sorted(_registry.SCHEMAS)


__all__ = [
    "Op", "algorithm", "annotation", "const", "contrib", "dyn", "image", "list_ops", "memory", "nn",
    "on_device", "op", "random", "reduce", "tensor", "transform", "vision", "vm",
    *op.__all__, *tensor.__all__,
]
