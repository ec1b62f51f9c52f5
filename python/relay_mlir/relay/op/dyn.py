"""Operators whose shapes are operands: `dyn.*`."""

from ._build import populate

__all__ = []

populate(globals(), "dyn.")
