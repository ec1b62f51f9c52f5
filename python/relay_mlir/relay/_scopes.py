"""What a thread is in: `with` statements of contexts that others ask for."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

T = TypeVar("T")


class Scopes(threading.local, Generic[T]):
    """The contexts that a thread has entered and not left; the innermost is the last."""

    def __init__(self) -> None:
        super().__init__()
        self.entered: list[T] = []

    def leave(self, context: T) -> None:
        """Ends the innermost `with`. Raises RuntimeError if that is not the one of `context`."""
        if not self.entered or self.entered[-1] is not context:
            raise RuntimeError(f"expects to leave the innermost context, but got {context!r}, "
                               "which is not")
        self.entered.pop()


__all__ = ["Scopes"]
