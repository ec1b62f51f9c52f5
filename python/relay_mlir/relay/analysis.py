"""Analyses of expressions, types and modules."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterable, Iterator, Sequence, TypeVar

from . import adt, ty
from ._core import core
from .adt import Match, Pattern
from .expr import Call, Expr, Var
from .module import IRModule

T = TypeVar("T")


#===------------------------------------------------------------------------===#
# Traversal
#===------------------------------------------------------------------------===#


def post_order_visit(expr: Expr, fvisit: Callable[[Expr], object]) -> None:
    """Calls `fvisit` for every node at and below `expr`, once, children first."""
    for node in core.post_order(expr):
        fvisit(node)


def _children(node: Expr) -> list[Expr]:
    """What a node consists of, as it is read: the callee first."""
    if isinstance(node, core.Call):
        return [node.op, *node.args]
    return core.children(node)


def _pre_order(root: Expr) -> Iterator[Expr]:
    """All nodes at and below `root`, once, as they are read."""
    seen = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        stack.extend(reversed(_children(node)))


def _roots(value: Any) -> list[Expr]:
    if isinstance(value, IRModule):
        return list(value.functions.values())
    return [core.to_expr(value)]


def _unique(values: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(values))


#===------------------------------------------------------------------------===#
# Variables
#===------------------------------------------------------------------------===#


def all_vars(expr: Any) -> list[Var]:
    """All variables, bound and free, in the order in which they occur."""
    result = []
    for node in _pre_order(core.to_expr(expr)):
        if isinstance(node, core.Var):
            result.append(node)
        else:
            result.extend(core.bound_vars_of(node))
    return _unique(result)


def bound_vars(expr: Any) -> list[Var]:
    """The variables that are bound by lets, parameters and patterns."""
    if isinstance(expr, adt.Pattern):
        return _unique(_pattern_vars(expr))
    result = []
    for node in _pre_order(core.to_expr(expr)):
        result.extend(core.bound_vars_of(node))
    return _unique(result)


def free_vars(expr: Any) -> list[Var]:
    """The variables that are not bound, in the order of their first use."""
    bound = set()
    used = []
    for node in _pre_order(core.to_expr(expr)):
        if isinstance(node, core.Var):
            used.append(node)
        else:
            bound.update(core.bound_vars_of(node))
    return [var for var in used if var not in bound]


def _pattern_vars(pattern: Pattern) -> list[Var]:
    if isinstance(pattern, adt.PatternVar):
        return [pattern.var]
    if isinstance(pattern, (adt.PatternConstructor, adt.PatternTuple)):
        return [var for field in pattern.patterns for var in _pattern_vars(field)]
    return []


def _types_of(expr: Expr) -> Iterator[Any]:
    """The types that are written in an expression."""
    for node in _pre_order(expr):
        for var in core.bound_vars_of(node):
            yield var.type_annotation
        if isinstance(node, core.Var):
            yield node.type_annotation
        elif isinstance(node, core.Function):
            yield node.ret_type
        elif isinstance(node, core.Call):
            yield from node.type_args


def _type_vars(type_: Any, free: list[ty.TypeVar], bound: list[ty.TypeVar]) -> None:
    """Appends the type variables of a type to `free` and to `bound`."""
    if isinstance(type_, ty.TypeVar):
        free.append(type_)
        return
    inner: list[ty.TypeVar] = []
    params = type_.type_params if isinstance(type_, ty.FuncType) else []
    for child in ty._type_children(type_):
        _type_vars(child, inner, bound)
    bound.extend(params)
    free.extend(var for var in inner if var not in params)


def _collect_type_vars(value: Any,
                       mod: IRModule | None) -> tuple[list[ty.TypeVar], list[ty.TypeVar]]:
    free: list[ty.TypeVar] = []
    bound: list[ty.TypeVar] = []
    if isinstance(value, ty.Type):
        _type_vars(value, free, bound)
    else:
        expr = core.to_expr(value)
        for node in _pre_order(expr):
            if isinstance(node, core.Function):
                bound.extend(node.type_params)
        for type_ in _types_of(expr):
            if type_ is not None:
                _type_vars(type_, free, bound)
    del mod
    return _unique(free), _unique(bound)


def free_type_vars(expr: Any, mod: IRModule | None = None) -> list[ty.TypeVar]:
    """The type variables of an expression or a type that nothing binds."""
    free, bound = _collect_type_vars(expr, mod)
    return [var for var in free if var not in bound]


def bound_type_vars(expr: Any, mod: IRModule | None = None) -> list[ty.TypeVar]:
    """The type parameters inside of an expression or a type."""
    return _collect_type_vars(expr, mod)[1]


def all_type_vars(expr: Any, mod: IRModule | None = None) -> list[ty.TypeVar]:
    """All type variables of an expression or a type."""
    free, bound = _collect_type_vars(expr, mod)
    return _unique(bound + free)


def all_dtypes(expr: Expr) -> set[str]:
    """The dtypes of all tensors in a typed expression."""
    result = set()

    def collect(type_: ty.Type | None) -> None:
        if isinstance(type_, ty.TensorType):
            result.add(type_.dtype)
        elif type_ is not None:
            for child in ty._type_children(type_):
                collect(child)

    for root in _roots(expr):
        for node in _pre_order(root):
            collect(node._checked_type)
            if isinstance(node, core.Constant):
                collect(node._type)
            for var in core.bound_vars_of(node):
                collect(var.type_annotation)
    return result


#===------------------------------------------------------------------------===#
# Checks
#===------------------------------------------------------------------------===#


def well_formed(expr: Any) -> bool:
    """Whether every variable is bound at most once, and used in its scope only
    if it is bound at all."""
    return all(_WellFormed().check(root) for root in _roots(expr))


class _WellFormed:

    def __init__(self) -> None:
        self.bound: set[Expr] = set()
        self.free: set[Expr] = set()
        self.scope: set[Expr] = set()

    def _bind(self, var: Var) -> bool:
        if var in self.bound or var in self.free:
            return False
        self.bound.add(var)
        self.scope.add(var)
        return True

    def check(self, root: Expr) -> bool:
        # What is to do: visit a node, bind variables, or leave their scope.
        seen = set()
        stack: list[tuple[str, Any]] = [("visit", root)]
        while stack:
            action, value = stack.pop()
            if action == "leave":
                self.scope.difference_update(value)
                continue
            if action == "bind":
                if not all(map(self._bind, value)):
                    return False
                continue
            if isinstance(value, core.Var):
                if value in self.scope:
                    continue
                if value in self.bound:
                    return False
                self.free.add(value)
                continue
            if value in seen:
                continue
            seen.add(value)
            stack.extend(reversed(self._expand(value)))
        return True

    @staticmethod
    def _expand(node: Expr) -> Any:
        bound = core.bound_vars_of(node)
        if isinstance(node, core.Match):
            actions: list[tuple[str, Any]] = [("visit", node.data)]
            for clause in node.clauses:
                names = _pattern_vars(clause.lhs)
                actions += [("bind", names), ("visit", clause.rhs), ("leave", names)]
            return actions
        visits = [("visit", child) for child in _children(node)]
        if isinstance(node, (core.Let, core.Function)):
            return [("bind", bound), *visits, ("leave", bound)]
        return visits


def check_kind(value: Any, mod: IRModule | None = None) -> Any:
    """Returns the kind of a type. Raises TypeError for one that is not well
    kinded: an unknown data type, or one with the wrong number of arguments."""
    mod = mod if mod is not None else IRModule()
    if isinstance(value, ty.GlobalTypeVar):
        return ty.TypeKind.AdtHandle
    if isinstance(value, ty.TypeCall):
        if value.func not in mod.type_definitions:
            raise TypeError(
                f"the type variable : `{value.func.name_hint}` is undefined")
        expected = len(mod.type_definitions[value.func].type_vars)
        if len(value.args) != expected:
            raise TypeError(f"expects {expected} type arguments for "
                            f"{value.func.name_hint}, but got {len(value.args)}")
    if not isinstance(value, ty.Type):
        raise TypeError(f"expects a type, but got {value!r}")
    for child in ty._type_children(value):
        check_kind(child, mod)
    return ty.TypeKind.Type


#===------------------------------------------------------------------------===#
# Completeness of matches
#===------------------------------------------------------------------------===#

_MATCH, _CLASH, _UNKNOWN = range(3)


def _check_pattern(pattern: Any, case: Any) -> int:
    """Whether `pattern` matches all of `case`, nothing of it, or a part."""
    if isinstance(pattern, (adt.PatternWildcard, adt.PatternVar)):
        return _MATCH
    if isinstance(case, adt.PatternWildcard):
        return _UNKNOWN
    if isinstance(pattern, adt.PatternConstructor):
        if pattern.constructor != case.constructor:
            return _CLASH
    results = [_check_pattern(a, b) for a, b in zip(pattern.patterns, case.patterns)]
    if _CLASH in results:
        return _CLASH
    return _UNKNOWN if _UNKNOWN in results else _MATCH


def _expand_case(pattern: Any, case: Any, mod: IRModule) -> Sequence[Pattern]:
    """The cases that make up `case`, one level deeper where `pattern` looks."""
    if isinstance(pattern, (adt.PatternWildcard, adt.PatternVar)):
        return [case]
    if isinstance(case, adt.PatternWildcard):
        if isinstance(pattern, adt.PatternTuple):
            return [adt.PatternTuple([adt.PatternWildcard() for _ in pattern.patterns])]
        data: adt.TypeData = mod[pattern.constructor.belong_to]
        return [
            adt.PatternConstructor(c, [adt.PatternWildcard() for _ in c.inputs])
            for c in data.constructors
        ]
    fields = [_expand_case(a, b, mod) for a, b in zip(pattern.patterns, case.patterns)]
    combinations = itertools.product(*fields)
    if isinstance(case, adt.PatternTuple):
        return [adt.PatternTuple(list(choice)) for choice in combinations]
    return [adt.PatternConstructor(case.constructor, list(choice))
            for choice in combinations]


def unmatched_cases(match: Match, mod: IRModule | None = None) -> list[Pattern]:
    """The patterns that no clause of a match covers; empty if it is complete."""
    mod = mod if mod is not None else IRModule()
    work: list[Pattern] = [adt.PatternWildcard()]
    missing: list[Pattern] = []
    while work:
        case = work.pop()
        for clause in match.clauses:
            result = _check_pattern(clause.lhs, case)
            if result == _CLASH:
                continue
            if result == _UNKNOWN:
                work.extend(reversed(_expand_case(clause.lhs, case, mod)))
            break
        else:
            missing.append(case)
    return missing


#===------------------------------------------------------------------------===#
# Counting
#===------------------------------------------------------------------------===#


def list_op_freqs(mod: IRModule) -> dict[str, int]:
    """How often each operator is called, by name."""
    counts: dict[str, int] = {}
    for root in _roots(mod):
        for node in _pre_order(root):
            if isinstance(node, core.Call) and isinstance(node.op, core.Op):
                counts[node.op.name] = counts.get(node.op.name, 0) + 1
    return counts


def list_fake_quantized_op_freqs(mod: IRModule) -> dict[str, int]:
    """How often each operator is called between a dequantize and a quantize."""
    counts: dict[str, int] = {}
    for root in _roots(mod):
        for node in _pre_order(root):
            if not _calls(node, "qnn.quantize"):
                continue
            region = _fake_quantized_region(node)
            for name in region or ():
                counts[name] = counts.get(name, 0) + 1
    return counts


def _calls(node: Expr, name: str) -> bool:
    return (isinstance(node, core.Call) and isinstance(node.op, core.Op) and
            node.op.name == name)


def _fake_quantized_region(quantize: Any) -> Any:
    """Names of the operators up to the dequantizes, or None if there are none."""
    names = []
    found = False
    stack = [quantize.args[0]]
    seen = set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if _calls(node, "qnn.dequantize"):
            found = True
        elif isinstance(node, core.Call) and isinstance(node.op, core.Op):
            names.append(node.op.name)
            stack.extend(node.args)
        elif isinstance(node, (core.Tuple, core.TupleGetItem)):
            stack.extend(core.children(node))
    return names if found else None


__all__ = [
    "all_dtypes", "all_type_vars", "all_vars", "bound_type_vars", "bound_vars",
    "check_kind", "free_type_vars", "free_vars", "list_fake_quantized_op_freqs",
    "list_op_freqs", "post_order_visit", "unmatched_cases", "well_formed",
]
