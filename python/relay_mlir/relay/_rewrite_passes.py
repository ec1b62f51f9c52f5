"""Passes that apply tables of rules; docs/Rewrites.md shows the rules."""

from __future__ import annotations

from . import transform as _transform
from .pass_manager import FunctionPass, Pass, PassInfo


def _rule_pass(name: str, opt_level: int, argument: str) -> Pass:
    pipeline = f"builtin.module(func.func({argument}))"
    return FunctionPass(lambda mod, context: _transform._run(mod, pipeline),
                        PassInfo(name, opt_level))


def CanonicalizeOps() -> Pass:  # pylint: disable=invalid-name
    """Replaces nn.bias_add by an add, of a bias that is aligned with the axis."""
    return _rule_pass("CanonicalizeOps", 3, "relay-canonicalize-ops")


def DivToMul() -> Pass:  # pylint: disable=invalid-name
    """Replaces divisions of floats by constants by products with their reciprocals."""
    return _rule_pass("DivToMul", 0, "relay-div-to-mul")


def FastMath() -> Pass:  # pylint: disable=invalid-name
    """Replaces exp, erf, tanh and nn.softmax by fast operators, which may be less
    exact."""
    return _rule_pass("FastMath", 4, "relay-fast-math")


def SimplifyExpr() -> Pass:  # pylint: disable=invalid-name
    """Simplifies expressions by algebraic rules, until none applies. Some rules change
    the rounding of floats."""
    return _rule_pass("SimplifyExpr", 0, "relay-simplify-expr")


def SimplifyExprPostAlterOp() -> Pass:  # pylint: disable=invalid-name
    """Applies those rules of SimplifyExpr that are about identities, reshapes, casts and
    clips, which a change of layouts leaves."""
    return _rule_pass("SimplifyExprPostAlterOp", 0, "relay-simplify-expr-post-alter-op")


__all__ = ["CanonicalizeOps", "DivToMul", "FastMath", "SimplifyExpr", "SimplifyExprPostAlterOp"]
