"""Quantised operators: `relay.qnn.op`."""

from . import op

__all__ = ["op"]
