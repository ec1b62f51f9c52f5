"""Annotations, under the name that programs use: `relay.annotation`."""

from .op.annotation import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .op.annotation import __all__ as __all__
