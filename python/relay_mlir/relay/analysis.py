"""Analyses of expressions, types and modules."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterable, Iterator, Sequence, TypeVar

from .._errors import DiagnosticError
from . import adt, ty
from .._arguments import describe, expect, expect_callable
from ._core import core
from .adt import Match, Pattern
from .call_graph import AnnotatedRegion, AnnotatedRegionSet, CallGraph
from .expr import Call, Expr, Var
from .features import Feature, check_basic_block_normal_form, detect_feature
from .module import IRModule, expect_module
from .network_analysis import (check_constant, count_layers, extract_fused_functions,
                               extract_intermdeiate_expr, get_calibration_data,
                               get_total_mac_number, search_fc_transpose)

T = TypeVar("T")


#===------------------------------------------------------------------------===#
# Traversal
#===------------------------------------------------------------------------===#


def post_order_visit(expr: Expr, fvisit: Callable[[Expr], object]) -> None:
    """Calls `fvisit` for every node at and below `expr`, once, children first."""
    expect_callable(fvisit, "fvisit")
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


def _variables(expr: Any) -> Iterator[tuple[Var, bool]]:
    """The variables of an expression as they are read, and whether it binds them
    there. Those of a pattern come before its case."""
    seen = set()
    stack: list[Any] = [core.to_expr(expr)]
    while stack:
        node = stack.pop()
        if isinstance(node, adt.Clause):
            yield from ((var, True) for var in _pattern_vars(node.lhs))
            node = node.rhs
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, core.Var):
            yield node, False
        elif isinstance(node, core.Match):
            stack.extend(reversed(node.clauses))
            stack.append(node.data)
        else:
            yield from ((var, True) for var in core.bound_vars_of(node))
            stack.extend(reversed(_children(node)))


def all_vars(expr: Any) -> list[Var]:
    """All variables, bound and free, in the order in which they occur."""
    return _unique(var for var, _ in _variables(expr))


def bound_vars(expr: Any) -> list[Var]:
    """The variables that are bound by lets, parameters and patterns."""
    if isinstance(expr, adt.Pattern):
        return _unique(_pattern_vars(expr))
    return _unique(var for var, bound in _variables(expr) if bound)


def free_vars(expr: Any) -> list[Var]:
    """The variables that are not bound, in the order of their first use."""
    variables = list(_variables(expr))
    bound = {var for var, is_bound in variables if is_bound}
    return _unique(var for var, _ in variables if var not in bound)


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


def check_kind(value: Any, mod: IRModule | None = None) -> int:
    """Returns the kind of a type (TypeKind). Raises DiagnosticError for one that is
    not well kinded: parts of another kind than they must be, an unknown data type,
    or one with the wrong number of arguments."""
    mod = expect_module(mod) if mod is not None else IRModule()
    kinds = ty.TypeKind
    if isinstance(value, (ty.TypeVar, ty.GlobalTypeVar, ty.IncompleteType)):
        return value.kind
    if isinstance(value, adt.TypeData):
        _check_parts("a data type", value.type_vars, kinds.Type, mod)
        for constructor in value.constructors:
            _check_parts("a constructor", constructor.inputs, kinds.Type, mod)
        return kinds.TypeData
    if not isinstance(value, ty.Type):
        raise TypeError(f"expects a type, but got {describe(value)}")
    if isinstance(value, ty.TypeCall):
        _check_parts("a type call", [value.func], kinds.AdtHandle, mod)
        _check_parts("a type call", value.args, kinds.Type, mod)
        if value.func not in mod.type_definitions:
            raise DiagnosticError(
                f"the type variable : `{value.func.name_hint}` is undefined")
        expected = len(mod.type_definitions[value.func].type_vars)
        if len(value.args) != expected:
            raise DiagnosticError(f"expects {expected} type arguments for "
                                  f"{value.func.name_hint}, but got {len(value.args)}")
        return kinds.Type
    if isinstance(value, ty.TypeRelation):
        _check_parts("a type relation", value.args, kinds.Type, mod)
        return kinds.Constraint
    name = {ty.TupleType: "a tuple", ty.FuncType: "a function type",
            ty.RefType: "a reference"}.get(type(value), "a type")
    _check_parts(name, ty._type_children(value), kinds.Type, mod)
    _check_parts(name, getattr(value, "type_constraints", ()), kinds.Constraint, mod)
    return kinds.Type


def _check_parts(whole: str, parts: Iterable[Any], expected: int, mod: IRModule) -> None:
    for part in parts:
        kind = check_kind(part, mod)
        if kind != expected:
            names = {number: name for name, number in vars(ty.TypeKind).items()
                     if isinstance(number, int)}
            raise DiagnosticError(f"expects {whole} of parts of kind {names[expected]}, but "
                                  f"{part} is of kind {names[kind]}")


#===------------------------------------------------------------------------===#
# Completeness of matches
#===------------------------------------------------------------------------===#

_MATCH, _CLASH, _UNKNOWN = range(3)

# The limits of the verifier of relay.match.
_MAX_COMBINATIONS = 1024
_MAX_STEPS = 100000


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
    fields = []
    count = 1
    for inner, field in zip(pattern.patterns, case.patterns):
        choices = _expand_case(inner, field, mod)
        # Fields of which there would be too many are left for the next time.
        if count > 1 and count * len(choices) > _MAX_COMBINATIONS:
            choices = [field]
        count *= len(choices)
        fields.append(choices)
    combinations = itertools.product(*fields)
    if isinstance(case, adt.PatternTuple):
        return [adt.PatternTuple(list(choice)) for choice in combinations]
    return [adt.PatternConstructor(case.constructor, list(choice))
            for choice in combinations]


def unmatched_cases(match: Match, mod: IRModule | None = None) -> list[Pattern]:
    """The patterns that no clause of a match covers; empty if it is complete.
    Raises ValueError if that is not known after 100,000 comparisons of a clause
    with a case, as few patterns of many fields can ask for."""
    expect(match, Match, "match", "a Match")
    mod = expect_module(mod) if mod is not None else IRModule()
    work: list[Pattern] = [adt.PatternWildcard()]
    missing: list[Pattern] = []
    steps = 0
    while work:
        case = work.pop()
        for clause in match.clauses:
            steps += 1
            if steps > _MAX_STEPS:
                raise ValueError("expects patterns of which it is known in reasonable "
                                 "time that they cover all values")
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


def list_op_freqs(mod: IRModule | Expr) -> dict[str, int]:
    """How often each operator is called, by name."""
    counts: dict[str, int] = {}
    for root in _roots(mod):
        for node in _pre_order(root):
            if isinstance(node, core.Call) and isinstance(node.op, core.Op):
                counts[node.op.name] = counts.get(node.op.name, 0) + 1
    return counts


def list_fake_quantized_op_freqs(mod: IRModule | Expr) -> dict[str, int]:
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
    "AnnotatedRegion", "AnnotatedRegionSet", "CallGraph", "Feature", "all_dtypes",
    "all_type_vars", "all_vars", "bound_type_vars", "bound_vars",
    "check_basic_block_normal_form", "check_constant", "check_kind", "count_layers",
    "detect_feature", "extract_fused_functions", "extract_intermdeiate_expr", "free_type_vars",
    "free_vars", "get_calibration_data", "get_total_mac_number", "list_fake_quantized_op_freqs",
    "list_op_freqs", "post_order_visit", "search_fc_transpose", "unmatched_cases",
    "well_formed",
]
