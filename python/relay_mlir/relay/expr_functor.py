"""Visitors of expressions."""

from __future__ import annotations

from typing import Any, Callable, Mapping, NoReturn, Sequence, TypeVar

from . import adt, expr as _expr
from .._arguments import describe
from ._core import core
from ._deep import call_deep, depth_of
from .adt import Constructor, Match, Pattern
from .expr import (Call, Constant, Expr, Function, GlobalVar, If, Let, Op, RefCreate, RefRead,
                   RefWrite, Tuple, TupleGetItem, Var)

E = TypeVar("E", bound=Expr)

_METHODS: dict[type, str] = {
    core.Constant: "visit_constant",
    core.Var: "visit_var",
    core.GlobalVar: "visit_global_var",
    core.Op: "visit_op",
    core.Constructor: "visit_constructor",
    core.Tuple: "visit_tuple",
    core.TupleGetItem: "visit_tuple_getitem",
    core.Call: "visit_call",
    core.Let: "visit_let",
    core.If: "visit_if",
    core.Function: "visit_function",
    core.Match: "visit_match",
    core.RefCreate: "visit_ref_create",
    core.RefRead: "visit_ref_read",
    core.RefWrite: "visit_ref_write",
}


class ExprFunctor:
    """A function on expressions: `visit` calls the method for the kind of node,
    `visit_call`, `visit_let` and so on, once for each node."""

    # Visitors that do not call __init__ get the memo on first use.
    _active = False

    def __init__(self) -> None:
        self.memo_map: dict[Expr, Any] = {}

    def visit(self, expr: Expr) -> Any:
        """Visits an expression and returns what the method for it returns."""
        memo = self.__dict__.get("memo_map")
        if memo is None:
            memo = self.memo_map = {}
        try:
            if expr in memo:
                return memo[expr]
        except TypeError:  # What has no hash is no expression.
            raise TypeError(f"expects an expression, but got {describe(expr)}") from None
        if not self._active:
            depth = depth_of(expr)
            self._active = True
            try:
                return call_deep(self._visit, expr, depth)
            finally:
                self._active = False
        return self._visit(expr)

    def _visit(self, expr: Expr) -> Any:
        method = _METHODS.get(type(expr))
        if method is None:
            if isinstance(expr, _expr.TupleWrapper):
                return self.visit(expr.tuple_value)
            raise TypeError(f"expects an expression, but got {describe(expr)}")
        result = getattr(self, method)(expr)
        self.memo_map[expr] = result
        return result

    def visit_global_id(self: Any, gvar: GlobalVar) -> Any:
        """The older name of visit_global_var."""
        return self.visit_global_var(gvar)


def _not_implemented(name: str) -> Callable[..., Any]:
    def visit(self: Any, expr: Expr) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__}.{name}")

    visit.__name__ = name
    return visit


for _name in _METHODS.values():
    setattr(ExprFunctor, _name, _not_implemented(_name))


class ExprVisitor(ExprFunctor):
    """Visits every node below an expression. A method that overrides another
    calls it to go on below its node."""

    def visit_constant(self, const: Constant) -> Any:
        pass

    def visit_var(self, var: Var) -> Any:
        pass

    def visit_global_var(self, gvar: GlobalVar) -> Any:
        pass

    def visit_op(self, op: Op) -> Any:
        pass

    def visit_constructor(self, ctor: Constructor) -> Any:
        pass

    def visit_tuple(self, tup: Tuple) -> Any:
        for field in tup.fields:
            self.visit(field)

    def visit_tuple_getitem(self, item: TupleGetItem) -> Any:
        self.visit(item.tuple_value)

    def visit_call(self, call: Call) -> Any:
        self.visit(call.op)
        for arg in call.args:
            self.visit(arg)

    def visit_let(self, let: Let) -> Any:
        self.visit(let.var)
        self.visit(let.value)
        self.visit(let.body)

    def visit_if(self, ite: If) -> Any:
        self.visit(ite.cond)
        self.visit(ite.true_branch)
        self.visit(ite.false_branch)

    def visit_function(self, func: Function) -> Any:
        for param in func.params:
            self.visit(param)
        self.visit(func.body)

    def visit_match(self, match: Match) -> Any:
        self.visit(match.data)
        for clause in match.clauses:
            self.visit_pattern(clause.lhs)
            self.visit(clause.rhs)

    def visit_pattern(self, pattern: Pattern) -> None:
        """Visits the variables and constructors of a pattern."""
        if isinstance(pattern, adt.PatternVar):
            self.visit(pattern.var)
        elif isinstance(pattern, adt.PatternConstructor):
            self.visit(pattern.constructor)
            for field in pattern.patterns:
                self.visit_pattern(field)
        elif isinstance(pattern, adt.PatternTuple):
            for field in pattern.patterns:
                self.visit_pattern(field)

    def visit_ref_create(self, ref: RefCreate) -> Any:
        self.visit(ref.value)

    def visit_ref_read(self, read: RefRead) -> Any:
        self.visit(read.ref)

    def visit_ref_write(self, write: RefWrite) -> Any:
        self.visit(write.ref)
        self.visit(write.value)


class ExprMutator(ExprFunctor):
    """Rebuilds an expression: each method returns the node that takes the place
    of its argument. Nodes whose parts stay are kept, not copied."""

    def visit_constant(self, const: Constant) -> Expr:
        return const

    def visit_var(self, var: Var) -> Any:
        return var

    def visit_global_var(self, gvar: GlobalVar) -> Expr:
        return gvar

    def visit_op(self, op: Op) -> Expr:
        return op

    def visit_constructor(self, ctor: Constructor) -> Expr:
        return ctor

    def visit_tuple(self, tup: Tuple) -> Expr:
        old = tup.fields
        new = [self.visit(field) for field in old]
        if _same(new, old):
            return tup
        return _copy_span(tup, core.Tuple(new))

    def visit_tuple_getitem(self, item: TupleGetItem) -> Expr:
        old = item.tuple_value
        new = self.visit(old)
        if new is old:
            return item
        return _copy_span(item, core.TupleGetItem(new, item.index))

    def visit_call(self, call: Call) -> Any:
        old_op, old_args = call.op, call.args
        op = self.visit(old_op)
        args = [self.visit(arg) for arg in old_args]
        if op is old_op and _same(args, old_args):
            return call
        return _copy_span(
            call, core.Call(op, args, dict(call._attrs), call.type_args))

    def visit_let(self, let: Let) -> Expr:
        old = (let.var, let.value, let.body)
        new = (self.visit(old[0]), self.visit(old[1]), self.visit(old[2]))
        return let if _same(new, old) else _copy_span(let, core.Let(*new))

    def visit_if(self, ite: If) -> Expr:
        old = (ite.cond, ite.true_branch, ite.false_branch)
        new = (self.visit(old[0]), self.visit(old[1]), self.visit(old[2]))
        return ite if _same(new, old) else _copy_span(ite, core.If(*new))

    def visit_function(self, func: Function) -> Any:
        old_params, old_body = func.params, func.body
        params = [self.visit(param) for param in old_params]
        body = self.visit(old_body)
        if body is old_body and _same(params, old_params):
            return func
        return _copy_span(
            func, core.Function(params, body, func.ret_type, func.type_params,
                                dict(func._attrs)))

    def visit_match(self, match: Match) -> Expr:
        old_data = match.data
        data = self.visit(old_data)
        changed = data is not old_data
        clauses = []
        for clause in match.clauses:
            lhs, rhs = clause.lhs, clause.rhs
            new_lhs, new_rhs = self.visit_pattern(lhs), self.visit(rhs)
            changed |= new_lhs is not lhs or new_rhs is not rhs
            clauses.append(core.Clause(new_lhs, new_rhs))
        if not changed:
            return match
        return _copy_span(match, core.Match(data, clauses, match.complete))

    def visit_pattern(self, pattern: Pattern) -> Pattern:
        """Returns the pattern that takes the place of `pattern`."""
        if isinstance(pattern, adt.PatternVar):
            var = self.visit(pattern.var)
            return pattern if var is pattern.var else core.PatternVar(var)
        if isinstance(pattern, (adt.PatternConstructor, adt.PatternTuple)):
            old = pattern.patterns
            new = [self.visit_pattern(field) for field in old]
            if _same(new, old):
                return pattern
            if isinstance(pattern, adt.PatternTuple):
                return core.PatternTuple(new)
            return core.PatternConstructor(pattern.constructor, new)
        return pattern

    def visit_ref_create(self, ref: RefCreate) -> Expr:
        old = ref.value
        new = self.visit(old)
        return ref if new is old else _copy_span(ref, core.RefCreate(new))

    def visit_ref_read(self, read: RefRead) -> Expr:
        old = read.ref
        new = self.visit(old)
        return read if new is old else _copy_span(read, core.RefRead(new))

    def visit_ref_write(self, write: RefWrite) -> Expr:
        old = (write.ref, write.value)
        new = (self.visit(old[0]), self.visit(old[1]))
        return write if _same(new, old) else _copy_span(write, core.RefWrite(*new))


def _same(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return len(new) == len(old) and all(a is b for a, b in zip(new, old))


def _copy_span(old: Expr, new: E) -> E:
    span = old._span
    if span is not None:
        new._span = span
    return new


class Binder(ExprMutator):
    """Replaces variables by expressions."""

    def __init__(self, binds: Mapping[Var, Any]) -> None:
        super().__init__()
        for var in binds:
            if not isinstance(var, core.Var):
                raise TypeError(f"expects variables to be bound, but got {var!r}")
        self._binds = {var: _expr.as_expr(value) for var, value in binds.items()}

    def bind(self, expr: Expr) -> Expr:
        """Applies the replacement; drops parameters that are bound."""
        if not isinstance(expr, core.Function):
            return self.visit(expr)
        body = self.visit(expr.body)
        params = [param for param in expr.params if param not in self._binds]
        # Free variables of what was put in stay free, as in any substitution.
        return core.Function(params, body, expr.ret_type, expr.type_params,
                             dict(expr._attrs))

    def visit_var(self, var: Var) -> Any:
        return self._binds.get(var, var)

    def visit_let(self, let: Let) -> Expr:
        if let.var in self._binds:
            raise ValueError(f"expects free variables or parameters to be bound, but "
                             f"{let.var.name_hint!r} is bound by a let")
        return super().visit_let(let)

    def visit_function(self, func: Function) -> Any:
        for param in func.params:
            if param in self._binds:
                raise ValueError(
                    f"expects free variables or parameters of the function to be bound, "
                    f"but {param.name_hint!r} is one of an inner function")
        return super().visit_function(func)


__all__ = ["ExprFunctor", "ExprMutator", "ExprVisitor"]
