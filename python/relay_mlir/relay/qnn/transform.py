"""Passes on quantised operators."""

from __future__ import annotations

from typing import NoReturn


def CanonicalizeOps() -> NoReturn:  # pylint: disable=invalid-name
    """Makes operators of Relay of the quantised ones, once that pass is there."""
    raise NotImplementedError("the pass that makes operators of Relay of quantised ones "
                              "(CanonicalizeOps) is not there yet; they are evaluated as "
                              "they are, and not compiled")


def Legalize() -> NoReturn:  # pylint: disable=invalid-name
    """Replaces quantised operators by rules of a target, once that pass is there."""
    raise NotImplementedError("the pass that replaces operators by rules of a target "
                              "(Legalize) is not there yet")


__all__ = ["CanonicalizeOps", "Legalize"]
