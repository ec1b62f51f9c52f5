"""Patterns of programs: to find, to rewrite, or to make functions of what matches.

    from relay_mlir.relay.dataflow_pattern import is_op, rewrite, wildcard, DFPatternCallback

    class NoDoubleNegation(DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.x = wildcard()
            self.pattern = is_op("negative")(is_op("negative")(self.x))

        def callback(self, pre, post, node_map):
            return node_map[self.x][0]

    expr = rewrite(NoDoubleNegation(), expr)

A pattern object that is used twice must match the same expression in both places. Of
alternatives the left one is tried first, and stays once it has matched.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, NoReturn, Sequence

from .._arguments import (expect, expect_callable, expect_int, expect_list, expect_mapping,
                          expect_text)
from . import ty
from ._core import core
from .expr import Expr, Op
from .module import IRModule, expect_module

# Rounds of a rewrite before it is taken to be endless: those that change something, and
# those after which the program has grown out of proportion.
_MAX_ROUNDS = 100
_MAX_GROWING_ROUNDS = 10
_MAX_GROWTH = 100


def _pattern(value: Any, name: str) -> DFPattern:
    pattern: DFPattern = expect(value, DFPattern, name, "a pattern")
    return pattern


def _patterns(values: Any, name: str) -> list[DFPattern]:
    return [_pattern(value, f"each of {name}")
            for value in expect_list(values, name, "patterns")]


#===------------------------------------------------------------------------===#
# Patterns
#===------------------------------------------------------------------------===#


class DFPattern(core.DFPattern):
    """A pattern. `+`, `-`, `*` and `/` make patterns of calls, `|` alternatives."""

    def __init__(self, kind: str, parts: Sequence[DFPattern] = (), any_parts: bool = False,
                 name: str = "", index: int = -1, type_: ty.Type | None = None,
                 attrs: Mapping[str, Any] | None = None, expr: Expr | None = None) -> None:
        below: list[core.DFPattern] = [*_patterns(parts, "parts")]
        if type_ is not None:
            expect(type_, ty.Type, "type_", "a type")
        if expr is not None:
            expect(expr, Expr, "expr", "an expression")
        super().__init__(expect_text(kind, "kind"), below, bool(any_parts),
                         expect_text(name, "name"),
                         expect_int(index, "index", -1, 2**31 - 1), type_,
                         None if attrs is None else dict(expect_mapping(attrs, "attrs")), expr)

    def __call__(self, *args: DFPattern | None) -> CallPattern:
        """A call of this pattern: `p(a, b)`; `p(None)` is one with any arguments."""
        if len(args) == 1 and args[0] is None:
            return CallPattern(self, None)
        return CallPattern(self, [_pattern(arg, "args") for arg in args])

    def __or__(self, other: DFPattern) -> AltPattern:
        return AltPattern(self, _pattern(other, "other"))

    def __add__(self, other: DFPattern) -> CallPattern:
        return is_op("add")(self, _pattern(other, "other"))

    def __sub__(self, other: DFPattern) -> CallPattern:
        return is_op("subtract")(self, _pattern(other, "other"))

    def __mul__(self, other: DFPattern) -> CallPattern:
        return is_op("multiply")(self, _pattern(other, "other"))

    def __truediv__(self, other: DFPattern) -> CallPattern:
        return is_op("divide")(self, _pattern(other, "other"))

    def has_attr(self, attrs: Mapping[str, Any]) -> AttrPattern:
        """This pattern, with attributes of a call, a function or an operator."""
        return AttrPattern(self, attrs)

    def has_type(self, ttype: ty.Type) -> TypePattern:
        """This pattern, of a type."""
        return TypePattern(self, ttype)

    def has_dtype(self, dtype: str) -> DataTypePattern:
        """This pattern, of a tensor of a data type."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[Any]) -> ShapePattern:
        """This pattern, of a tensor of a shape."""
        return ShapePattern(self, shape)

    def match(self, expr: Expr) -> bool:
        """Whether an expression matches."""
        return match(self, expr)

    def partition(self, expr: Expr, attrs: Mapping[str, Any] | None = None,
                  check: Callable[[Any], Any] = lambda expr: True) -> Any:
        """See `partition`."""
        return partition(self, expr, attrs, check)

    def dominates(self, parent: DFPattern, path: DFPattern | None = None) -> DominatorPattern:
        """This pattern as the child of a dominator pattern; any path without one."""
        return DominatorPattern(parent, wildcard() if path is None else path, self)

    def optional(self, option_constructor: Callable[[DFPattern], DFPattern]) -> AltPattern:
        """This pattern, or what the function makes of it."""
        expect_callable(option_constructor, "option_constructor")
        return AltPattern(self, _pattern(option_constructor(self), "what "
                                         "option_constructor returns"))

    def astext(self) -> str:
        """The pattern as text. One that is used again is a number after the first time."""
        return self._text()

    __str__ = astext


class ExprPattern(DFPattern):
    """An expression that is structurally equal to one."""

    def __init__(self, expr: Expr) -> None:
        self.expr: Expr = expect(expr, Expr, "expr", "an expression")
        if isinstance(expr, Op):
            super().__init__("op", name=expr.name)
        else:
            super().__init__("expr", expr=expr)


class VarPattern(DFPattern):
    """A variable, with a name unless that is empty."""

    def __init__(self, name_hint: str = "") -> None:
        self.name_hint = self.name = expect_text(name_hint, "name_hint")
        super().__init__("var", name=self.name)


class ConstantPattern(DFPattern):
    """A constant."""

    def __init__(self) -> None:
        super().__init__("constant")


class CallPattern(DFPattern):
    """A call; without a list, of any arguments."""

    def __init__(self, op: DFPattern, args: Iterable[DFPattern] | None) -> None:
        self.op = _pattern(op, "op")
        self.args = None if args is None else _patterns(args, "args")
        super().__init__("call", [op, *(self.args or ())], args is None)


class FunctionPattern(DFPattern):
    """A function; without a list, of any parameters."""

    def __init__(self, params: Iterable[DFPattern] | None, body: DFPattern) -> None:
        self.params = None if params is None else _patterns(params, "params")
        self.body = _pattern(body, "body")
        super().__init__("function", [*(self.params or ()), body], params is None)


class IfPattern(DFPattern):
    """An `if`."""

    def __init__(self, cond: DFPattern, true_branch: DFPattern,
                 false_branch: DFPattern) -> None:
        self.cond = _pattern(cond, "cond")
        self.true_branch = _pattern(true_branch, "true_branch")
        self.false_branch = _pattern(false_branch, "false_branch")
        super().__init__("if", [cond, true_branch, false_branch])


class LetPattern(DFPattern):
    """A `let`."""

    def __init__(self, var: DFPattern, value: DFPattern, body: DFPattern) -> None:
        self.var = _pattern(var, "var")
        self.value = _pattern(value, "value")
        self.body = _pattern(body, "body")
        super().__init__("let", [var, value, body])


class TuplePattern(DFPattern):
    """A tuple; without a list, of any fields."""

    def __init__(self, fields: Iterable[DFPattern] | None) -> None:
        self.fields = None if fields is None else _patterns(fields, "fields")
        super().__init__("tuple", self.fields or (), fields is None)

    def __getitem__(self, index: int) -> TupleGetItemPattern:
        """The pattern of a field of the tuple."""
        expect_int(index, "index")
        if self.fields is not None and not 0 <= index < len(self.fields):
            raise IndexError(f"expects an index below {len(self.fields)}, but got {index}")
        return is_tuple_get_item(self, index)

    def __len__(self) -> int:
        if self.fields is None:
            raise TypeError("expects a pattern of a list of fields, but got one of any")
        return len(self.fields)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> NoReturn:
        raise TypeError("expects an index, but a pattern of a tuple is no list")


class TupleGetItemPattern(DFPattern):
    """A field of a tuple; without an index, any."""

    def __init__(self, tuple_value: DFPattern, index: int | None = None) -> None:
        self.tuple = self.tuple_value = _pattern(tuple_value, "tuple_value")
        self.index = -1 if index is None else expect_int(index, "index", -1)
        super().__init__("tuple_get_item", [tuple_value], index=self.index)


class AltPattern(DFPattern):
    """One of two patterns."""

    def __init__(self, left: DFPattern, right: DFPattern) -> None:
        self.left = _pattern(left, "left")
        self.right = _pattern(right, "right")
        super().__init__("alternative", [left, right])


class WildcardPattern(DFPattern):
    """Anything."""

    def __init__(self) -> None:
        self.pattern: DFPattern | None = None
        super().__init__("wildcard")

    def redirect_to(self, pat: DFPattern) -> None:
        """Makes this pattern match what `pat` does, which may have this one inside: so
        are patterns written that repeat."""
        self.pattern = _pattern(pat, "pat")
        self._redirect_to(pat)


class TypePattern(DFPattern):
    """A pattern of a type."""

    def __init__(self, pattern: DFPattern, ttype: ty.Type) -> None:
        self.pattern = _pattern(pattern, "pattern")
        self.type: ty.Type = expect(ttype, ty.Type, "ttype", "a type")
        super().__init__("type", [pattern], type_=ttype)


class DataTypePattern(DFPattern):
    """A pattern of a tensor of a data type."""

    def __init__(self, pattern: DFPattern, dtype: str) -> None:
        self.pattern = _pattern(pattern, "pattern")
        self.dtype = expect_text(dtype, "dtype")
        super().__init__("dtype", [pattern], type_=ty.TensorType((), dtype))


class ShapePattern(DFPattern):
    """A pattern of a tensor of a shape."""

    def __init__(self, pattern: DFPattern, shape: Sequence[Any]) -> None:
        self.pattern = _pattern(pattern, "pattern")
        self.shape = expect_list(shape, "shape", "sizes")
        super().__init__("shape", [pattern], type_=ty.TensorType(self.shape))


class AttrPattern(DFPattern):
    """A pattern with attributes of a call, a function or an operator."""

    def __init__(self, pattern: DFPattern, attrs: Mapping[str, Any]) -> None:
        self.pattern = _pattern(pattern, "pattern")
        self.attrs = dict(expect_mapping(attrs, "attrs"))
        super().__init__("attributes", [pattern], attrs=self.attrs)


class DominatorPattern(DFPattern):
    """A child all of whose inputs lead to one parent, through a path of which each
    expression matches `path`. Variables and constants may come in on the way. The child
    is on all ways from the parent to the result."""

    def __init__(self, parent: DFPattern, path: DFPattern, child: DFPattern) -> None:
        self.parent = _pattern(parent, "parent")
        self.path = _pattern(path, "path")
        self.child = _pattern(child, "child")
        super().__init__("dominator", [parent, path, child])


#===------------------------------------------------------------------------===#
# Makers of patterns
#===------------------------------------------------------------------------===#


def is_var(name: str = "") -> VarPattern:
    """A variable, with a name unless that is empty."""
    return VarPattern(name)


def is_constant() -> ConstantPattern:
    """A constant."""
    return ConstantPattern()


def is_expr(expr: Expr) -> ExprPattern:
    """An expression that is structurally equal to `expr`."""
    return ExprPattern(expr)


def is_op(op_name: str) -> ExprPattern:
    """An operator. Raises AttributeError if there is none of that name."""
    from .op import get

    return ExprPattern(get(expect_text(op_name, "op_name")))


def is_tuple(fields: Iterable[DFPattern] | None = None) -> TuplePattern:
    """A tuple; without a list, of any fields."""
    return TuplePattern(fields)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> TupleGetItemPattern:
    """A field of a tuple; without an index, any."""
    return TupleGetItemPattern(tuple_value, index)


def is_if(cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> IfPattern:
    """An `if`."""
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern, value: DFPattern, body: DFPattern) -> LetPattern:
    """A `let`."""
    return LetPattern(var, value, body)


def is_function(params: Iterable[DFPattern] | None, body: DFPattern) -> FunctionPattern:
    """A function; without a list, of any parameters."""
    return FunctionPattern(params, body)


def wildcard() -> WildcardPattern:
    """Anything."""
    return WildcardPattern()


def has_type(ttype: ty.Type, pattern: DFPattern | None = None) -> TypePattern:
    """A pattern of a type, anything without one."""
    return TypePattern(wildcard() if pattern is None else pattern, ttype)


def has_dtype(dtype: str, pattern: DFPattern | None = None) -> DataTypePattern:
    """A pattern of a tensor of a data type, anything without one."""
    return DataTypePattern(wildcard() if pattern is None else pattern, dtype)


def has_shape(shape: Sequence[Any], pattern: DFPattern | None = None) -> ShapePattern:
    """A pattern of a tensor of a shape, anything without one."""
    return ShapePattern(wildcard() if pattern is None else pattern, shape)


def has_attr(attrs: Mapping[str, Any], pattern: DFPattern | None = None) -> AttrPattern:
    """A pattern with attributes, anything without one."""
    return AttrPattern(wildcard() if pattern is None else pattern, attrs)


def dominates(parent: DFPattern, path: DFPattern, child: DFPattern) -> DominatorPattern:
    """A child all of whose inputs lead to a parent through a path."""
    return DominatorPattern(parent, path, child)


#===------------------------------------------------------------------------===#
# Use of patterns
#===------------------------------------------------------------------------===#


def _infer_type(expr: Expr) -> ty.Type:
    """The type of an expression that inference has not run on."""
    from .transform import infer_expr

    type_: ty.Type = infer_expr(expr).checked_type
    return type_


def match(pattern: DFPattern, expr: Expr) -> bool:
    """Whether an expression matches a pattern."""
    _pattern(pattern, "pattern")
    return core.match_pattern(pattern, expr, _infer_type) is not None


def partition(pattern: DFPattern, expr: Expr, attrs: Mapping[str, Any] | None = None,
              check: Callable[[Any], Any] = lambda expr: True) -> Any:
    """Makes functions of the matches in an expression for which `check` is true, and calls
    of them. They have the attributes `attrs`, and PartitionedFromPattern, which has the
    names of the operators. What a match uses from outside is a parameter."""
    _pattern(pattern, "pattern")
    expect_mapping(attrs, "attrs")
    expect_callable(check, "check")
    return core.partition_pattern(pattern, expr, None if attrs is None else dict(attrs), check,
                                  _infer_type)


class DFPatternCallback:
    """What is matched, and what replaces it. A class below this one sets `pattern`, and
    has a method `callback`.

    With `require_type`, types are inferred before each round. With `rewrite_once`, the
    first round that changes something is the last one.
    """

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.pattern: DFPattern | None = None
        self.require_type = require_type
        self.rewrite_once = rewrite_once

    def rewrite(self, expr: Expr) -> Any:
        """Rewrites an expression."""
        return rewrite(self, expr)

    def callback(self, pre: Any, post: Any, node_map: Mapping[DFPattern, Sequence[Any]]) -> Any:
        """Returns what replaces a match: `pre` as it was, `post` with the expressions below
        replaced already. `node_map` has, for each pattern, what it matched, replaced
        already: one expression, but for patterns on the path of a dominator."""
        raise NotImplementedError("expects a class that has a method callback")


def rewrite(callbacks: DFPatternCallback | Iterable[DFPatternCallback], expr: Expr,
            mod: IRModule | None = None) -> Any:
    """Replaces what patterns match until nothing changes. Raises RuntimeError if that
    does not end. `mod` has the functions that the expression calls."""
    if isinstance(callbacks, DFPatternCallback):
        callbacks = [callbacks]
    todo = expect_list(callbacks, "callbacks", "DFPatternCallback")
    for one in todo:
        expect(one, DFPatternCallback, "each of callbacks", "a DFPatternCallback")
        _pattern(one.pattern, f"the pattern of {type(one).__name__}")
    if mod is not None:
        expect_module(mod)
    from .transform import infer_expr

    result: Any = expect(expr, Expr, "expr", "an expression")
    size = len(core.post_order(result))
    rounds = 0
    changed = True
    while changed:
        changed = False
        for one in list(todo):
            before = result
            if one.require_type:
                before = infer_expr(result, mod)
            new = _rewrite_round(one, before)
            rounds += 1
            if not _is_same(before, new):
                changed = True
                if one.rewrite_once:
                    todo.remove(one)
                if rounds >= _MAX_ROUNDS or (
                        rounds >= _MAX_GROWING_ROUNDS and
                        len(core.post_order(new)) > _MAX_GROWTH * (size + 10)):
                    raise RuntimeError(
                        f"expects patterns that stop matching, but got {rounds} rounds that "
                        f"changed something; the last one by {type(one).__name__}")
            result = new
    return result


def _rewrite_round(callback: DFPatternCallback, expr: Any) -> Any:
    def run(pre: Any, post: Any, bindings: list[tuple[DFPattern, Any]]) -> Any:
        node_map: dict[DFPattern, list[Any]] = {}
        for pattern, node in bindings:
            node_map.setdefault(pattern, []).append(node)
        result = callback.callback(pre, post, node_map)
        return expect(result, Expr, f"what {type(callback).__name__}.callback returns",
                      "an expression")

    return core.rewrite_pattern(_pattern(callback.pattern, "callback.pattern"), expr, run,
                                _infer_type)


def _is_same(before: Any, after: Any) -> bool:
    """Whether a round has changed nothing. A callback may make variables anew, but those
    that are in both are the same: `y - x` is not `x - y`."""
    from .analysis import free_vars
    from .structural import structural_equal

    if before is after:
        return True
    if not structural_equal(before, after, map_free_vars=True):
        return False
    old, new = free_vars(before), free_vars(after)
    known = set(old)
    return all(a is b or b not in known for a, b in zip(old, new))


__all__ = [
    "AltPattern", "AttrPattern", "CallPattern", "ConstantPattern", "DFPattern",
    "DFPatternCallback", "DataTypePattern", "DominatorPattern", "ExprPattern",
    "FunctionPattern", "IfPattern", "LetPattern", "ShapePattern", "TupleGetItemPattern",
    "TuplePattern", "TypePattern", "VarPattern", "WildcardPattern", "dominates", "has_attr",
    "has_dtype", "has_shape", "has_type", "is_constant", "is_expr", "is_function", "is_if",
    "is_let", "is_op", "is_tuple", "is_tuple_get_item", "is_var", "match", "partition",
    "rewrite", "wildcard",
]
