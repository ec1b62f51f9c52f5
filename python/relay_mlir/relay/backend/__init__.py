"""What evaluates programs: `relay.backend.interpreter`, `relay.backend.vm`."""

from . import interpreter, vm

__all__ = ["interpreter", "vm"]
