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


__all__ = ["Scopes"]
