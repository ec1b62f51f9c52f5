"""Operators on tensors: everything without a prefix."""

from ._build import populate
from ._tensor import *  # pylint: disable=wildcard-import,unused-wildcard-import
from . import _tensor

__all__ = list(_tensor.__all__)

# `on_device` of relay.annotation takes a device.
populate(globals(), "", ["tensor"], skip=["on_device"])
