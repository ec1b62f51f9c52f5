"""Which constructs of Relay a program uses, and in which scopes its values are."""

from __future__ import annotations

import enum
from typing import Any, Iterator, TypeVar

from .._errors import DiagnosticError
from ._core import core
from .expr import Expr
from .module import IRModule


class Feature(enum.IntEnum):
    """Constructs that a program may use."""

    fVar = 0
    fGlobalVar = 1
    fConstant = 2
    fTuple = 3
    fTupleGetItem = 4
    fFunction = 5
    fOp = 6
    fCall = 7
    fLet = 8
    fIf = 9
    fRefCreate = 10
    fRefRead = 11
    fRefWrite = 12
    fConstructor = 13
    fMatch = 14
    # A part that is no leaf is used more than once.
    fGraph = 15
    # A let whose value uses its own variable.
    fLetRec = 16


# What is no expression that is computed anywhere.
_NAMES = (core.Var, core.Op, core.Constructor, core.GlobalVar)
_LEAVES = (core.Var, core.Op, core.Constructor, core.GlobalVar, core.Constant)


def parts_in_order(node: Expr) -> Iterator[tuple[Any, Expr]]:
    """The parts of a node as they are visited, each with the scope that it is in: a
    number for what a branch, a case, a function or a let encloses, None for the
    node's own."""
    if isinstance(node, core.Call):
        yield from ((None, part) for part in (node.op, *node.args))
    elif isinstance(node, core.If):
        yield from ((None, node.cond), (0, node.true_branch), (1, node.false_branch))
    elif isinstance(node, core.Let):
        yield from ((0, node.var), (0, node.value), (0, node.body))
    elif isinstance(node, core.Function):
        yield from ((0, part) for part in (*node.params, node.body))
    elif isinstance(node, core.Match):
        yield None, node.data
        yield from enumerate(clause.rhs for clause in node.clauses)
    else:
        yield from ((None, part) for part in core.children(node))


def _features_of(root: Expr) -> set[Feature]:
    from .analysis import free_vars

    features = set()
    seen = {root}
    stack = [root]
    while stack:
        node = stack.pop()
        features.add(Feature["f" + type(node).__name__])
        if isinstance(node, core.Let) and node.var in free_vars(node.value):
            features.add(Feature.fLetRec)
        if isinstance(node, core.Function) and dict(node._attrs).get("Primitive"):
            continue
        for _, part in parts_in_order(node):
            if part not in seen:
                seen.add(part)
                stack.append(part)
            elif not isinstance(part, _LEAVES):
                features.add(Feature.fGraph)
    return features


def detect_feature(a: Any, b: Any = None) -> set[Feature]:
    """The constructs that an expression, a module, or both use. What primitive
    functions consist of is not looked at."""
    features = set()
    for value in (a, b):
        if isinstance(value, IRModule):
            for function in value.functions.values():
                features |= _features_of(function)
        elif value is not None:
            features |= _features_of(core.to_expr(value))
    return features


#===------------------------------------------------------------------------===#
# Basic block normal form
#===------------------------------------------------------------------------===#


class Scope:
    """A part of a program in which values are known, and the one around it."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.level: int = parent.level + 1 if parent is not None else 0


S = TypeVar("S", bound=Scope)


def common_scope(lhs: S, rhs: S) -> S:
    """The innermost scope around two."""
    one: Any = lhs
    other: Any = rhs
    while one is not other:
        if one.level >= other.level:
            one = one.parent
        else:
            other = other.parent
    scope: S = one
    return scope


def _uses_in_order(root: Expr) -> tuple[list[Expr], dict[Expr, list[tuple[Expr, Any]]]]:
    """All nodes, users first, and of each its uses, the first one first."""
    uses: dict[Expr, list[tuple[Expr, Any]]] = {root: []}
    order = []
    stack = [(root, parts_in_order(root))]
    while stack:
        node, parts = stack[-1]
        for scope, part in parts:
            if part not in uses:
                uses[part] = [(node, scope)]
                stack.append((part, parts_in_order(part)))
                break
            uses[part].append((node, scope))
        else:
            order.append(node)
            stack.pop()
    order.reverse()
    return order, uses


def check_basic_block_normal_form(expr: Any) -> bool:
    """Whether each value is computed in the innermost scope around all its uses: a
    branch, a case, a function, or what a let binds.

    Returns True. Raises DiagnosticError for a value that is first used inside of a
    narrower scope than that; a let around the uses would bind it.
    """
    order, uses = _uses_in_order(core.to_expr(expr))
    own: dict[Expr, Scope] = {order[0]: Scope()}
    inner: dict[tuple[Expr, Any], Scope] = {}

    def scope_of_use(use: tuple[Expr, Any]) -> Scope:
        node, number = use
        if number is None:
            return own[node]
        if use not in inner:
            inner[use] = Scope(own[node])
        return inner[use]

    for node in order[1:]:
        first = scope = scope_of_use(uses[node][0])
        for use in uses[node][1:]:
            scope = common_scope(scope, scope_of_use(use))
        if scope is not first and not isinstance(node, _NAMES):
            raise DiagnosticError("expects a program in basic block normal form, but the scope "
                                  f"of an expression is narrower than its uses:\n{node}")
        own[node] = scope
    return True


__all__ = ["Feature", "check_basic_block_normal_form", "detect_feature", "parts_in_order"]
