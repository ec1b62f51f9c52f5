"""Equal calls, evaluated once."""

from __future__ import annotations

from typing import Any, Callable, Hashable

from .expr import Call, Constant, Expr, Function, If, Op, Tuple, TupleGetItem
from .expr_functor import ExprMutator
from .adt import Match


def merge_equal_calls(function: Function, fskip: Callable[[Call], bool]) -> Function:
    """Returns the function with one call of an operator for all that have the same
    attributes and arguments, but those for which `fskip` returns True. Arguments are
    the same if they are the same node, equal scalars, or tuples of such."""
    result: Function = _Merger(fskip).visit(function)
    return result


class _Merger(ExprMutator):
    """`first` has the first call of each kind that is in scope: what a branch or an
    inner function evaluates is not there outside of it."""

    def __init__(self, fskip: Callable[[Call], bool]) -> None:
        super().__init__()
        self.fskip = fskip
        self.first: dict[Hashable, Expr] = {}

    def visit_call(self, call: Call) -> Any:
        new = super().visit_call(call)
        if (not isinstance(new.op, Op) or not new.args or
                new.op.get_attr("TOpIsStateful") or self.fskip(new)):
            return new
        attrs = new.attrs
        names = attrs.keys() if attrs is not None else ()
        kind = (new.op.name, *(_key(arg) for arg in new.args),
                *((name, str(attrs[name])) for name in names))
        return self.first.setdefault(kind, new)

    def visit_tuple_getitem(self, item: TupleGetItem) -> Any:
        new: Any = super().visit_tuple_getitem(item)
        return self.first.setdefault((_key(new.tuple_value), new.index), new)

    def _scope(self, visit: Callable[[Any], Any], expr: Expr) -> Any:
        outer, self.first = self.first, dict(self.first)
        try:
            return visit(expr)
        finally:
            self.first = outer

    def visit_if(self, ite: If) -> Any:
        self.visit(ite.cond)
        self._scope(self.visit, ite.true_branch)
        self._scope(self.visit, ite.false_branch)
        return super().visit_if(ite)

    def visit_function(self, func: Function) -> Any:
        return self._scope(super().visit_function, func)

    def visit_match(self, match: Match) -> Any:
        self.visit(match.data)
        for clause in match.clauses:
            self._scope(self.visit, clause.rhs)
        return super().visit_match(match)


def _key(arg: Expr) -> Hashable:
    """Equal for arguments that are the same."""
    if isinstance(arg, Constant):
        data = arg.data.numpy()
        if data.ndim == 0:
            return (str(data.dtype), data.tobytes())
    if isinstance(arg, Tuple):
        return tuple(_key(field) for field in arg.fields)
    return arg
