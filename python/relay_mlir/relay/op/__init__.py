"""The operators, as functions: `relay.op.add`, `relay.op.nn.conv2d`."""

from ..expr import Op
from . import (algorithm, annotation, dyn, image, memory, nn, random, reduce, tensor, transform,
               vision, vm)
from . import _registry
from ._registry import get
from .annotation import on_device
from .tensor import *  # pylint: disable=wildcard-import,unused-wildcard-import


def list_ops():
    """The names of all operators."""
    return sorted(_registry.SCHEMAS)


__all__ = [
    "Op", "algorithm", "annotation", "dyn", "get", "image", "list_ops", "memory", "nn",
    "on_device", "random", "reduce", "tensor", "transform", "vision", "vm",
    *tensor.__all__,
]
