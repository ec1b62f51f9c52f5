"""Structural equality and hash: alpha equivalence of expressions and types.

Both walk over the same parts, which `_parts` lists for each kind of node.
"""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np

from . import adt, ty
from .._arguments import expect_finite
from ._core import core
from .attrs import Attrs
from .expr import extend
from .module import IRModule


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two expressions, types, modules, or lists of such are the same up
    to the names of bound variables and type parameters.

    Sharing counts: one node used twice differs from two equal nodes, but not if it
    is a constant, `()` or a field of a tuple. Free variables, type variables and
    incomplete types are equal if they are the same, or, with `map_free_vars`, if
    they correspond one to one. Raises ValueError for lists and dicts that hold
    themselves.
    """
    expect_finite(lhs, "lhs")
    expect_finite(rhs, "rhs")
    return _Equality().equal(lhs, rhs, map_free_vars)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raises ValueError, with both sides, unless they are structurally equal."""
    if not structural_equal(lhs, rhs, map_free_vars):
        raise ValueError(f"expects structurally equal values, but got\n{lhs}\nand\n{rhs}")


def structural_hash(value: Any, map_free_vars: bool = False) -> int:
    """A hash that is equal for structurally equal values, and for others hardly
    ever. It holds in one process."""
    expect_finite(value, "value")
    return _Hasher().hash(value, map_free_vars)


#===------------------------------------------------------------------------===#
# Parts
#===------------------------------------------------------------------------===#


class _Define(NamedTuple):
    """Parts whose free variables and incomplete types are bound here."""

    value: Any


class _Open(NamedTuple):
    """Begins the scope of type parameters."""

    params: Sequence[ty.TypeVar]


# Ends the scope of type parameters.
_CLOSE = object()


class _Parts(NamedTuple):
    """What a node consists of."""

    # What must be equal as it is.
    own: Any
    # What must be equal structurally.
    children: Iterable[Any]
    # Whether one node differs from two that are equal.
    shared: bool = False


def _parts(node: Any) -> _Parts:
    """The parts of a value. Variables and incomplete types are not asked for."""
    function = _PARTS.get(type(node))
    if function is not None:
        return function(node)
    for cls, function in _PARTS.items():
        if isinstance(node, cls):
            return function(node)
    if isinstance(node, ty.Type):  # One that a class of Python defines.
        return _dict_parts(vars(node))
    return _Parts(_plain(node), ())


def _plain(value: Any) -> Any:
    """A value of Python as one that is hashable, and equal to itself."""
    if isinstance(value, float) and value != value:
        return "nan"
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


def _array_parts(array: Any) -> _Parts:
    data = np.ascontiguousarray(array)
    return _Parts((data.dtype.name, array.shape, data.tobytes()), ())


def _dict_parts(values: Any) -> _Parts:
    """A dictionary: in the order of its keys, if they are strings."""
    items = list(values.items())
    if all(isinstance(key, str) for key, _ in items):
        items.sort(key=lambda item: item[0])
        return _Parts(tuple(key for key, _ in items), [value for _, value in items])
    return _Parts(len(items), [part for item in items for part in item])


def _attrs_parts(attrs: Attrs) -> _Parts:
    own, values, shared = _dict_parts(dict(attrs.items()))
    return _Parts((attrs.type_key, own), values, shared)


def _call_parts(call: Any) -> _Parts:
    op = call.op
    children = [op, call.args, call.attrs or None]
    if not isinstance(op, core.Op):
        children.append(call.type_args)
    return _Parts(None, children, shared=True)


def _function_parts(function: Any) -> _Parts:
    type_params = function.type_params
    return _Parts(len(type_params), [
        _Open(type_params), _Define(function.params), function.ret_type, function.attrs,
        function.body, _CLOSE], shared=True)


def _constructor_parts(constructor: Any) -> _Parts:
    variables: list[Any] = []
    for type_ in constructor.inputs:
        _collect_type_vars(type_, variables)
    return _Parts((constructor.name_hint, constructor.belong_to.name_hint),
                  [_Open(variables), constructor.inputs, _CLOSE])


def _collect_type_vars(type_: Any, variables: list[Any]) -> None:
    if isinstance(type_, ty.TypeVar):
        if type_ not in variables:
            variables.append(type_)
    else:
        for child in ty._type_children(type_):
            _collect_type_vars(child, variables)


def _func_type_parts(type_: Any) -> _Parts:
    params = type_.type_params
    constraints = list(getattr(type_, "type_constraints", ()))
    return _Parts(tuple(param.kind for param in params), [
        _Open(params), type_.arg_types, type_.ret_type, constraints, _CLOSE])


def _type_data_parts(data: Any) -> _Parts:
    return _Parts((data.header.name_hint, len(data.type_vars), data.is_extern), [
        _Open(data.type_vars), *(c.name_hint for c in data.constructors),
        *(c.inputs for c in data.constructors), _CLOSE])


def _module_parts(mod: IRModule) -> _Parts:
    functions = sorted(mod.functions.items(), key=lambda item: item[0].name_hint)
    types = sorted(mod.type_definitions.items(), key=lambda item: item[0].name_hint)
    names = (tuple(var.name_hint for var, _ in functions),
             tuple(var.name_hint for var, _ in types))
    return _Parts(names, [
        mod.attrs or None, mod.global_infos or None,
        *(data for _, data in types), *(function for _, function in functions)])


_PARTS: dict[type, Any] = {
    core.Call: _call_parts,
    core.Constant: lambda node: _array_parts(node._data),
    core.GlobalVar: lambda node: _Parts(node.name_hint, ()),
    core.Op: lambda node: _Parts(node.name, ()),
    core.Constructor: _constructor_parts,
    core.Tuple: lambda node: _Parts(None, [node.fields], shared=bool(node.fields)),
    core.TupleGetItem: lambda node: _Parts(node.index, [node.tuple_value]),
    core.Let: lambda node: _Parts(
        None, [_Define(node.var), node.value, node.body], shared=True),
    core.If: lambda node: _Parts(
        None, [node.cond, node.true_branch, node.false_branch], shared=True),
    core.Function: _function_parts,
    core.Match: lambda node: _Parts(node.complete, [node.data, node.clauses], shared=True),
    core.RefCreate: lambda node: _Parts(None, [node.value], shared=True),
    core.RefRead: lambda node: _Parts(None, [node.ref], shared=True),
    core.RefWrite: lambda node: _Parts(None, [node.ref, node.value], shared=True),
    adt.Clause: lambda node: _Parts(None, [node.lhs, node.rhs]),
    adt.PatternVar: lambda node: _Parts(None, [_Define(node.var)]),
    adt.PatternWildcard: lambda node: _Parts(None, ()),
    adt.PatternConstructor: lambda node: _Parts(None, [node.constructor, node.patterns]),
    adt.PatternTuple: lambda node: _Parts(None, [node.patterns]),
    adt.TypeData: _type_data_parts,
    ty.TensorType: lambda node: _Parts((len(node.shape), node.dtype), node.shape),
    ty.TupleType: lambda node: _Parts(None, [node.fields]),
    ty.FuncType: _func_type_parts,
    ty.TypeCall: lambda node: _Parts(None, [node.func, node.args]),
    ty.GlobalTypeVar: lambda node: _Parts((node.name_hint, node.kind), ()),
    ty.RefType: lambda node: _Parts(None, [node.value]),
    list: lambda node: _Parts(len(node), node),
    tuple: lambda node: _Parts(len(node), node),
    dict: _dict_parts,
    np.ndarray: _array_parts,
    Attrs: _attrs_parts,
    IRModule: _module_parts,
}

# Values of Python that are compared as they are.
_PLAIN = (str, int, float, bool, type(None))


def _class_of(value: Any) -> Any:
    """What must be equal before the parts are looked at: lists and tuples are one
    class, and so are modules of any class."""
    for cls in (tuple, IRModule, np.ndarray, Attrs):
        if isinstance(value, cls):
            return list if cls is tuple else cls
    return type(value)


def _var_parts(var: Any) -> list[Any]:
    """What must be equal of variables that correspond."""
    return [var.type_annotation, var._virtual_device]


#===------------------------------------------------------------------------===#
# Equality
#===------------------------------------------------------------------------===#

# A pair of nodes all parts of which were found to be equal.
_EQUAL = object()


class _Equality:
    """Compares with a stack of pairs, as programs are deep."""

    def __init__(self, by_name: bool = False) -> None:
        # Whether type variables are the same if their names are.
        self._by_name = by_name
        self._to_rhs: dict[Any, Any] = {}
        self._to_lhs: dict[Any, Any] = {}
        # Type parameters, by name, in both directions; the innermost pair counts.
        self._type_params: list[tuple[dict[str, str], dict[str, str]]] = []

    def equal(self, lhs: Any, rhs: Any, define: bool) -> bool:
        # Pairs, and whether free variables in them are bound to each other.
        stack: list[tuple[Any, Any, Any]] = [(lhs, rhs, define)]
        while stack:
            lhs, rhs, define = stack.pop()
            if define is _EQUAL:
                self._map(lhs, rhs)
                continue
            kind = type(lhs)
            if kind in _PLAIN and type(rhs) in _PLAIN:
                if lhs != rhs and _plain(lhs) != _plain(rhs):
                    return False
                continue
            if lhs is _CLOSE or rhs is _CLOSE:
                self._type_params.pop()
                continue
            if kind is _Open:
                if not self._open(lhs.params, rhs.params):
                    return False
                continue
            if kind is _Define:
                lhs, rhs, define = lhs.value, rhs.value, True
                kind = type(lhs)
            if _class_of(lhs) is not _class_of(rhs):
                return False
            if kind is core.Var or kind is ty.IncompleteType:
                pairs = self._variables(lhs, rhs, define)
                if pairs is None:
                    return False
                stack.extend((a, b, define) for a, b in pairs)
                continue
            if kind is ty.TypeVar:
                if not self._type_variables(lhs, rhs, define):
                    return False
                continue
            if isinstance(lhs, core.Expr) and (lhs in self._to_rhs or rhs in self._to_lhs):
                if self._to_rhs.get(lhs) is not rhs or self._to_lhs.get(rhs) is not lhs:
                    return False
                continue
            left, right = _parts(lhs), _parts(rhs)
            if left.own != right.own or left.shared != right.shared:
                return False
            if left.shared:
                stack.append((lhs, rhs, _EQUAL))
            children = [(a, b, define) for a, b in zip(left.children, right.children)]
            children.reverse()
            stack.extend(children)
        return True

    def _map(self, lhs: Any, rhs: Any) -> None:
        self._to_rhs[lhs] = rhs
        self._to_lhs[rhs] = lhs

    def _variables(self, lhs: Any, rhs: Any, define: bool) -> Any:
        """Returns the pairs that must be equal as well, or None."""
        if isinstance(lhs, ty.IncompleteType):
            return [] if lhs.kind == rhs.kind and (define or lhs._is_same(rhs)) else None
        if lhs in self._to_rhs or rhs in self._to_lhs:
            same = self._to_rhs.get(lhs) is rhs and self._to_lhs.get(rhs) is lhs
            return [] if same else None
        if lhs is not rhs and not define:
            return None
        self._map(lhs, rhs)
        return zip(_var_parts(lhs), _var_parts(rhs))

    def _open(self, lhs: Sequence[Any], rhs: Sequence[Any]) -> bool:
        if [var.kind for var in lhs] != [var.kind for var in rhs]:
            return False
        self._type_params.append(({a.name_hint: b.name_hint for a, b in zip(lhs, rhs)},
                                  {b.name_hint: a.name_hint for a, b in zip(lhs, rhs)}))
        return True

    def _type_variables(self, lhs: Any, rhs: Any, define: bool) -> bool:
        if lhs.kind != rhs.kind:
            return False
        for to_rhs, to_lhs in reversed(self._type_params):
            if lhs.name_hint in to_rhs or rhs.name_hint in to_lhs:
                return (to_rhs.get(lhs.name_hint) == rhs.name_hint and
                        to_lhs.get(rhs.name_hint) == lhs.name_hint)
        same = lhs.name_hint == rhs.name_hint
        # Those that did not come from Python are known by their names.
        if same and not self._by_name and lhs._identity and rhs._identity:
            same = lhs._identity == rhs._identity
        if same or not define:
            return bool(same)
        if lhs in self._to_rhs or rhs in self._to_lhs:
            return bool(self._to_rhs.get(lhs) == rhs and self._to_lhs.get(rhs) == lhs)
        self._map(lhs, rhs)
        return True


#===------------------------------------------------------------------------===#
# Hash
#===------------------------------------------------------------------------===#


class _Frame:
    """A node whose parts are being hashed."""

    __slots__ = ("node", "define", "shared", "children", "hashes")

    def __init__(self, node: Any, define: bool, parts: _Parts) -> None:
        self.node = node
        self.define = define
        self.shared = parts.shared
        self.children = iter(parts.children)
        self.hashes = [_class_of(node).__name__, parts.own]


class _Hasher:
    """Hashes with a stack. Bound variables, and nodes that may be shared, are
    numbered in the order in which they are met."""

    def __init__(self) -> None:
        self._hashes: dict[Any, int] = {}
        self._count = 0
        self._type_params: list[dict[str, int]] = []

    def hash(self, value: Any, define: bool) -> int:
        root = _Frame([], define, _Parts(None, [value]))
        stack = [root]
        while True:
            frame = stack[-1]
            try:
                child = next(frame.children)
            except StopIteration:
                stack.pop()
                result = self._finish(frame)
                if not stack:
                    return result
                stack[-1].hashes.append(result)
                continue
            inner = self._enter(child, frame)
            if inner is not None:
                stack.append(inner)

    def _number(self) -> int:
        self._count += 1
        return self._count

    def _finish(self, frame: _Frame) -> int:
        if frame.shared:
            frame.hashes.append(self._number())
        result = hash(tuple(frame.hashes))
        if isinstance(frame.node, core.Expr):
            self._hashes[frame.node] = result
        return result

    def _enter(self, child: Any, frame: _Frame) -> _Frame | None:
        """Appends the hash of a part, or returns the frame that finds it."""
        define = frame.define
        kind = type(child)
        if child is _CLOSE:
            self._type_params.pop()
            return None
        if kind is _Open:
            self._type_params.append(
                {var.name_hint: self._number() for var in child.params})
            frame.hashes.append(tuple(var.kind for var in child.params))
            return None
        if kind is _Define:
            child, define = child.value, True
            kind = type(child)
        if kind in _PLAIN:
            frame.hashes.append(_plain(child))
            return None
        if kind is ty.TypeVar:
            frame.hashes.append(self._hash_type_var(child, define))
            return None
        if kind is ty.IncompleteType:
            frame.hashes.append(("_", child.kind, 0 if define else child._identity))
            return None
        if isinstance(child, core.Expr):
            known = self._hashes.get(child)
            if known is not None:
                frame.hashes.append(known)
                return None
            if kind is core.Var:
                own = self._number() if define else child._identity
                self._hashes[child] = hash(("Var", own))
                return _Frame(child, define, _Parts(own, _var_parts(child)))
        return _Frame(child, define, _parts(child))

    def _hash_type_var(self, var: Any, define: bool) -> Any:
        for numbers in reversed(self._type_params):
            if var.name_hint in numbers:
                return numbers[var.name_hint]
        return ("type", var.kind, None if define else var.name_hint)


def _equal_types(self: ty.Type, other: object) -> bool:
    """Types are equal up to the names of what they bind; variables that nothing
    binds are equal if they have the same name and kind."""
    if not self._has_variables:
        return self._is_same(other)
    return self is other or _Equality(by_name=True).equal(self, other, False)


extend(ty.Type, __eq__=_equal_types)

__all__ = ["assert_structural_equal", "structural_equal", "structural_hash"]
