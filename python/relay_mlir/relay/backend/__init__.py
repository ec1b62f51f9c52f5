"""What evaluates programs: `relay.backend.interpreter`, `relay.backend.vm`; and what
`relay.build` is told about them, `Executor` and `Runtime`."""

from . import interpreter, vm
from .options import Executor, Runtime

__all__ = ["Executor", "Runtime", "interpreter", "vm"]
