"""Structural equality and hash: alpha equivalence of expressions and types."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import adt, ty
from ._core import core
from .expr import Expr, Function
from .module import IRModule

# Nodes that stand for themselves wherever they occur.
_LEAVES = (core.Constant, core.GlobalVar, core.Op, core.Constructor)

# Ends the scope of type parameters, on the stack of pairs.
_CLOSE = object()


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two expressions, types, modules, or lists of such are the same up
    to the names of bound variables and type parameters.

    Sharing counts: one node used twice differs from two equal nodes. Free
    variables are equal if they are the same, or, with `map_free_vars`, if they
    correspond one to one.
    """
    return _Equality(map_free_vars).equal(lhs, rhs)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raises ValueError, with both sides, unless they are structurally equal."""
    if not structural_equal(lhs, rhs, map_free_vars):
        raise ValueError(f"expects structurally equal values, but got\n{lhs}\nand\n{rhs}")


def structural_hash(value: Any, map_free_vars: bool = False) -> int:
    """A hash that is equal for structurally equal values."""
    return _Hasher(map_free_vars).hash(value)


class _Equality:
    """Compares with a stack of pairs; binders are compared before their scope."""

    def __init__(self, map_free_vars: bool) -> None:
        self._map_free_vars = map_free_vars
        self._to_rhs: dict[Any, Any] = {}
        self._to_lhs: dict[Any, Any] = {}
        # Type parameters, by name; the innermost pair counts.
        self._type_params: list[Any] = []

    def equal(self, lhs: Any, rhs: Any) -> bool:
        stack = [(lhs, rhs)]
        while stack:
            lhs, rhs = stack.pop()
            if rhs is _CLOSE:
                self._type_params.pop()
                continue
            parts = self._compare(lhs, rhs)
            if parts is None:
                return False
            stack.extend(reversed(parts))
        return True

    def _map(self, lhs: Any, rhs: Any) -> None:
        self._to_rhs[lhs] = rhs
        self._to_lhs[rhs] = lhs

    def _define(self, lhs: Any, rhs: Any) -> Any:
        """Binds a pair of variables; returns the types to be compared, or None."""
        if lhs in self._to_rhs or rhs in self._to_lhs:
            if self._to_rhs.get(lhs) is not rhs or self._to_lhs.get(rhs) is not lhs:
                return None
        self._map(lhs, rhs)
        return [(lhs.type_annotation, rhs.type_annotation)]

    def _compare(self, lhs: Any, rhs: Any) -> Any:
        """Returns the pairs that must be equal as well, or None."""
        if isinstance(lhs, core.Expr) and isinstance(rhs, core.Expr):
            return self._compare_exprs(lhs, rhs)
        if isinstance(lhs, (list, tuple)) and isinstance(rhs, (list, tuple)):
            return list(zip(lhs, rhs)) if len(lhs) == len(rhs) else None
        if type(lhs) is not type(rhs):
            return None
        if isinstance(lhs, ty.Type):
            return [] if self._equal_types(lhs, rhs) else None
        if isinstance(lhs, adt.Pattern):
            return self._compare_patterns(lhs, rhs)
        if isinstance(lhs, IRModule):
            return self._compare_modules(lhs, rhs)
        if isinstance(lhs, adt.TypeData):
            if lhs.header != rhs.header or len(lhs.type_vars) != len(rhs.type_vars):
                return None
            inputs = [(a.inputs, b.inputs)
                      for a, b in zip(lhs.constructors, rhs.constructors)]
            if lhs.constructors != rhs.constructors:
                return None
            self._open_types(lhs.type_vars, rhs.type_vars)
            return [*inputs, (None, _CLOSE)]
        if isinstance(lhs, np.ndarray):
            return [] if _equal_arrays(lhs, rhs) else None
        return [] if lhs == rhs else None

    def _compare_exprs(self, lhs: Any, rhs: Any) -> Any:
        if type(lhs) is not type(rhs):
            return None
        if isinstance(lhs, core.Constant):
            same = lhs is rhs or _equal_arrays(lhs._data, rhs._data)
            return [] if same else None
        if isinstance(lhs, _LEAVES):
            return [] if lhs == rhs else None
        if lhs in self._to_rhs or rhs in self._to_lhs:
            same = self._to_rhs.get(lhs) is rhs and self._to_lhs.get(rhs) is lhs
            return [] if same else None
        if isinstance(lhs, core.Var):
            if lhs is rhs:
                self._map(lhs, rhs)
                return []
            return self._define(lhs, rhs) if self._map_free_vars else None
        self._map(lhs, rhs)
        return self._expand(lhs, rhs)

    def _expand(self, lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, core.Call):
            if lhs._attrs != rhs._attrs and lhs.attrs != rhs.attrs:
                return None
            return [(lhs.op, rhs.op), (lhs.args, rhs.args)]
        if isinstance(lhs, core.Tuple):
            return [(lhs.fields, rhs.fields)]
        if isinstance(lhs, core.TupleGetItem):
            if lhs.index != rhs.index:
                return None
            return [(lhs.tuple_value, rhs.tuple_value)]
        if isinstance(lhs, core.Let):
            types = self._define(lhs.var, rhs.var)
            if types is None:
                return None
            return types + [(lhs.value, rhs.value), (lhs.body, rhs.body)]
        if isinstance(lhs, core.If):
            return [(lhs.cond, rhs.cond), (lhs.true_branch, rhs.true_branch),
                    (lhs.false_branch, rhs.false_branch)]
        if isinstance(lhs, core.Function):
            return self._expand_functions(lhs, rhs)
        if isinstance(lhs, core.Match):
            if lhs.complete != rhs.complete or len(lhs.clauses) != len(rhs.clauses):
                return None
            pairs: list[tuple[Any, Any]] = [(lhs.data, rhs.data)]
            for a, b in zip(lhs.clauses, rhs.clauses):
                pairs += [(a.lhs, b.lhs), (a.rhs, b.rhs)]
            return pairs
        if isinstance(lhs, core.RefCreate):
            return [(lhs.value, rhs.value)]
        if isinstance(lhs, core.RefRead):
            return [(lhs.ref, rhs.ref)]
        return [(lhs.ref, rhs.ref), (lhs.value, rhs.value)]

    def _expand_functions(self, lhs: Function, rhs: Function) -> Any:
        if len(lhs.params) != len(rhs.params) or lhs.attrs != rhs.attrs:
            return None
        if len(lhs.type_params) != len(rhs.type_params):
            return None
        self._open_types(lhs.type_params, rhs.type_params)
        pairs = []
        for a, b in zip(lhs.params, rhs.params):
            types = self._define(a, b)
            if types is None:
                return None
            pairs += types
        return pairs + [(lhs.ret_type, rhs.ret_type), (lhs.body, rhs.body), (None, _CLOSE)]

    def _compare_patterns(self, lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, adt.PatternVar):
            return self._define(lhs.var, rhs.var)
        if isinstance(lhs, adt.PatternWildcard):
            return []
        pairs = [(lhs.patterns, rhs.patterns)]
        if isinstance(lhs, adt.PatternConstructor):
            pairs.append((lhs.constructor, rhs.constructor))
        return pairs

    def _compare_modules(self, lhs: IRModule, rhs: IRModule) -> Any:
        if set(lhs.functions) != set(rhs.functions):
            return None
        if set(lhs.type_definitions) != set(rhs.type_definitions):
            return None
        return [(lhs.type_definitions[name], rhs.type_definitions[name])
                for name in lhs.type_definitions] + [
                    (lhs.functions[name], rhs.functions[name])
                    for name in lhs.functions]

    def _open_types(self, lhs: Sequence[Any], rhs: Sequence[Any]) -> Any:
        self._type_params.append({a.name_hint: b.name_hint for a, b in zip(lhs, rhs)})

    def _equal_types(self, lhs: Any, rhs: Any) -> bool:
        if not any(self._type_params) and not _has_binder(lhs):
            return lhs == rhs
        if type(lhs) is not type(rhs):
            return False
        if isinstance(lhs, ty.TypeVar):
            for names in reversed(self._type_params):
                if lhs.name_hint in names:
                    return names[lhs.name_hint] == rhs.name_hint
            return lhs == rhs
        if isinstance(lhs, (ty.TensorType, ty.IncompleteType, ty.GlobalTypeVar)):
            return lhs == rhs
        if isinstance(lhs, ty.TypeCall) and lhs.func != rhs.func:
            return False
        left, right = ty._type_children(lhs), ty._type_children(rhs)
        if len(left) != len(right):
            return False
        binder = isinstance(lhs, ty.FuncType)
        if binder:
            if len(lhs.type_params) != len(rhs.type_params):
                return False
            self._open_types(lhs.type_params, rhs.type_params)
        same = all(self._equal_types(a, b) for a, b in zip(left, right))
        if binder:
            self._type_params.pop()
        return same


def _has_binder(type_: ty.Type) -> bool:
    if isinstance(type_, ty.FuncType) and type_.type_params:
        return True
    return any(map(_has_binder, ty._type_children(type_)))


def _equal_arrays(lhs: Any, rhs: Any) -> bool:
    return (lhs.dtype == rhs.dtype and lhs.shape == rhs.shape and
            np.ascontiguousarray(lhs).tobytes() == np.ascontiguousarray(rhs).tobytes())


class _Hasher:
    """Hashes bottom up; a bound variable by when it is first bound."""

    def __init__(self, map_free_vars: bool) -> None:
        self._map_free_vars = map_free_vars
        self._hashes: dict[Expr, int] = {}

    def hash(self, value: Any) -> int:
        if isinstance(value, core.Expr):
            nodes = core.post_order(value)
            for node in nodes:
                for i, var in enumerate(core.bound_vars_of(node)):
                    # The nodes are in the same order on both sides.
                    self._hashes.setdefault(var, hash((_shape(var.type_annotation), i)))
            for node in nodes:
                if node not in self._hashes:
                    self._hashes[node] = self._hash_node(node)
            return self._hashes[value]
        if isinstance(value, (list, tuple)):
            return hash(tuple(map(self.hash, value)))
        if isinstance(value, IRModule):
            names = sorted(value.functions, key=lambda name: name.name_hint)
            return hash(tuple(
                (name.name_hint, self.hash(value.functions[name])) for name in names))
        if isinstance(value, ty.Type):
            return hash(_shape(value))
        return hash(value)

    def _hash_node(self, node: Expr) -> int:
        if isinstance(node, core.Constant):
            data = node._data
            return hash((data.dtype.name, data.shape, data.tobytes()))
        if isinstance(node, core.Var):
            return 1 if self._map_free_vars else id(node)
        if isinstance(node, _LEAVES):
            return hash(node)
        parts = [self._hashes[child] for child in core.children(node)]
        own: Any = ()
        if isinstance(node, core.TupleGetItem):
            own = node.index
        elif isinstance(node, core.Call):
            own = node.attrs
        elif isinstance(node, core.Function):
            own = (len(node.params), _shape(node.ret_type), node.attrs)
        elif isinstance(node, core.Match):
            own = (node.complete, len(node.clauses))
        return hash((type(node).__name__, own, tuple(parts)))


def _shape(type_: Any) -> Any:
    """A type without the names of type variables."""
    if type_ is None:
        return None
    if isinstance(type_, ty.TypeVar):
        return "typevar"
    if isinstance(type_, (ty.TensorType, ty.IncompleteType, ty.GlobalTypeVar)):
        return hash(type_)
    name = type_.func.name_hint if isinstance(type_, ty.TypeCall) else None
    return (type(type_).__name__, name, tuple(map(_shape, ty._type_children(type_))))


__all__ = ["assert_structural_equal", "structural_equal", "structural_hash"]
