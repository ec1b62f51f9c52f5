"""Passes on quantised operators."""

from __future__ import annotations

from .. import transform as _transform
from ..pass_manager import FunctionPass, Pass, PassInfo, Sequential


def CanonicalizeOps() -> Pass:  # pylint: disable=invalid-name
    """Writes quantised operators in operators on integers and floats that compute the same
    bits. The pass raises DiagnosticError where scales that are multiplied are no constants."""
    pipeline = "builtin.module(func.func(relay-qnn-canonicalize))"
    return FunctionPass(lambda mod, _: _transform._run(mod, pipeline),
                        PassInfo("QnnCanonicalize", 1))


def Legalize() -> Pass:  # pylint: disable=invalid-name
    """Makes of quantised operators what a target has code for: that is what CanonicalizeOps
    makes, for all targets; schedules choose instructions of the target for it."""
    return Sequential([CanonicalizeOps()], name="qnn.Legalize")


__all__ = ["CanonicalizeOps", "Legalize"]
