"""What evaluates programs: `relay.backend.interpreter`."""

from . import interpreter

__all__ = ["interpreter"]
