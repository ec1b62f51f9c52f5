"""Visitors, analyses, structural equality."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import analysis, ty
from relay_mlir.relay.expr_functor import ExprMutator, ExprVisitor

DEEP = 10000


def chain(length=DEEP, x=None):
    x = x or relay.var("x", shape=(1,))
    out = x
    for _ in range(length):
        out = relay.nn.relu(out)
    return x, out


def lets(length=DEEP):
    x = relay.var("x", shape=(1,))
    variables = [relay.var(f"v{i}") for i in range(length)]
    body: relay.Expr = variables[-1]
    for i in reversed(range(length)):
        body = relay.Let(variables[i], relay.nn.relu(variables[i - 1] if i else x), body)
    return x, body


class CountCalls(ExprVisitor):

    def __init__(self):
        super().__init__()
        self.calls = 0

    def visit_call(self, call):
        self.calls += 1
        super().visit_call(call)


class ReluToTanh(ExprMutator):

    def visit_call(self, call):
        new = super().visit_call(call)
        if call.op == relay.op.get("nn.relu"):
            return relay.tanh(new.args[0])
        return new


@pytest.mark.parametrize("make", [chain, lets])
def test_deep_programs(make):
    x, out = make()
    counter = CountCalls()
    counter.visit(out)
    assert counter.calls == DEEP
    changed = ReluToTanh().visit(out)
    assert analysis.list_op_freqs(changed) == {"tanh": DEEP}
    assert analysis.free_vars(changed) == [x]
    assert analysis.well_formed(out)
    assert relay.structural_equal(out, ReluToTanh().visit(changed)) is False


def test_a_visit_that_raises():

    class Failing(ExprVisitor):

        def visit_var(self, var):
            raise KeyError(var.name_hint)

    with pytest.raises(KeyError, match="x"):
        Failing().visit(chain()[1])


def test_a_shared_node_is_visited_once():
    x = relay.var("x")
    y = x + x
    expr = relay.Tuple([y, y, relay.nn.relu(y)])
    counter = CountCalls()
    counter.visit(expr)
    assert counter.calls == 2
    mutated = ReluToTanh().visit(expr)
    assert mutated.fields[0] is y and mutated.fields[2].args[0] is y
    assert ExprMutator().visit(expr) is expr


def test_every_kind_is_rebuilt():
    x = relay.var("x", "float32")
    y = relay.var("y")
    box = relay.GlobalTypeVar("Box")
    make = relay.Constructor("Make", [relay.scalar_type("float32")], box)
    match = relay.Match(make(x), [
        relay.Clause(relay.PatternConstructor(make, [relay.PatternVar(y)]), y),
        relay.Clause(relay.PatternTuple([relay.PatternWildcard()]), x)], complete=False)
    expr = relay.Let(relay.var("r"), relay.RefCreate(match),
                     relay.If(relay.const(True), relay.RefRead(x),
                              relay.RefWrite(x, relay.TupleGetItem(relay.Tuple([x]), 0))))

    class Rename(ExprMutator):

        def __init__(self):
            super().__init__()
            self.names = {}

        def visit_var(self, var):
            return self.names.setdefault(var, relay.var(var.name_hint + "_", var.type_annotation))

    copy = Rename().visit(expr)
    assert copy is not expr
    assert relay.structural_equal(copy, expr, map_free_vars=True)
    assert not relay.structural_equal(copy, expr)
    assert [v.name_hint for v in analysis.free_vars(copy)] == ["x_"]


def test_vars():
    x, y, z = relay.var("x"), relay.var("y"), relay.var("z")
    expr = relay.Let(y, x + z, relay.Function([z], z(y, x)))
    assert analysis.bound_vars(expr) == [y, z]
    assert analysis.all_vars(relay.Let(y, x, y)) == [y, x]
    assert analysis.free_vars(relay.Let(y, x, y)) == [x]
    assert analysis.free_vars(relay.Function([x], x(y))) == [y]
    f = relay.var("f")
    assert analysis.free_vars(f(x)) == [f, x]


def test_type_vars():
    a, b = relay.TypeVar("A"), relay.TypeVar("B")
    t = relay.FuncType([a], b, [a])
    assert analysis.free_type_vars(t) == [b]
    assert analysis.bound_type_vars(t) == [a]
    assert set(analysis.all_type_vars(t)) == {a, b}
    x = relay.var("x", a)
    function = relay.Function([x], x, a, [a])
    assert analysis.free_type_vars(function) == []
    assert analysis.bound_type_vars(function) == [a]
    assert analysis.free_type_vars(function.body) == [a]


def test_well_formed():
    x, y = relay.var("x"), relay.var("y")
    assert analysis.well_formed(relay.Let(x, relay.const(1), x))
    assert not analysis.well_formed(relay.Let(x, relay.const(1), relay.Let(x, y, x)))
    # Used after its scope; both free and bound.
    let = relay.Let(x, relay.const(1), x)
    assert not analysis.well_formed(relay.Tuple([let, x]))
    assert not analysis.well_formed(relay.Tuple([x, let]))
    function = relay.Function([x], x)
    assert analysis.well_formed(relay.Tuple([function, function]))
    assert not analysis.well_formed(relay.Tuple([function, relay.Function([x], x + x)]))


def test_check_kind():
    box = relay.GlobalTypeVar("Box")
    a = relay.TypeVar("A")
    mod = relay.IRModule()
    t = relay.TensorType((1,))
    with pytest.raises(relay.DiagnosticError, match="`Box` is undefined"):
        analysis.check_kind(box(t), mod)
    mod[box] = relay.TypeData(box, [a], [])
    assert analysis.check_kind(box(t), mod) == ty.TypeKind.Type
    assert analysis.check_kind(relay.FuncType([box(t)], t), mod) == ty.TypeKind.Type
    assert analysis.check_kind(box, mod) == ty.TypeKind.AdtHandle
    with pytest.raises(relay.DiagnosticError,
                       match="expects 1 type arguments for Box, but got 2"):
        analysis.check_kind(relay.TupleType([box(t, t)]), mod)
    with pytest.raises(relay.DiagnosticError,
                       match="a tuple of parts of kind Type, but Box is of kind AdtHandle"):
        analysis.check_kind(relay.TupleType([box]), mod)


def test_kinds():
    kind = relay.TypeKind
    for k in (kind.Type, kind.ShapeVar, kind.Constraint):
        assert analysis.check_kind(relay.TypeVar("A", k)) == k
        assert analysis.check_kind(relay.IncompleteType(k)) == k
    handle, wrong = relay.GlobalTypeVar("L"), relay.GlobalTypeVar("L", kind.Type)
    assert analysis.check_kind(handle) == kind.AdtHandle
    assert analysis.check_kind(wrong) == kind.Type
    a, shape = relay.TypeVar("A"), relay.TypeVar("S", kind.ShapeVar)
    data = relay.TypeData(handle, [a], [relay.Constructor("Mk", [a], handle)])
    assert analysis.check_kind(data) == kind.TypeData
    for broken in (relay.TupleType([shape]), relay.RefType(shape), relay.FuncType([shape], a),
                   relay.FuncType([a], shape), relay.TypeCall(wrong, []),
                   relay.TupleType([relay.FuncType([], relay.TupleType([shape]), [shape])])):
        with pytest.raises(relay.DiagnosticError, match="kind"):
            analysis.check_kind(broken)


def lists():
    a, l = relay.TypeVar("A"), relay.GlobalTypeVar("List")
    cons = relay.Constructor("Cons", [a, l(a)], l)
    nil = relay.Constructor("Nil", [], l)
    mod = relay.IRModule()
    mod[l] = relay.TypeData(l, [a], [cons, nil])
    return mod, cons, nil


def test_unmatched_cases():
    mod, cons, nil = lists()
    wild = relay.PatternWildcard
    x = relay.var("x")

    def missing(*patterns):
        clauses = [relay.Clause(pattern, relay.const(1)) for pattern in patterns]
        return sorted(map(str, analysis.unmatched_cases(relay.Match(x, clauses), mod)))

    assert missing() == ["_"]
    assert missing(wild()) == []
    assert missing(relay.PatternConstructor(nil)) == ["Cons(_, _)"]
    two = relay.PatternConstructor(cons, [wild(), relay.PatternConstructor(cons, [wild(), wild()])])
    assert missing(two) == ["Cons(_, Nil)", "Nil"]
    assert missing(two, relay.PatternConstructor(nil),
                   relay.PatternConstructor(cons, [wild(), wild()])) == []
    pair = relay.PatternTuple([relay.PatternConstructor(nil), relay.PatternConstructor(nil)])
    assert missing(pair) == ["(Cons(_, _), Cons(_, _))", "(Cons(_, _), Nil)",
                             "(Nil, Cons(_, _))"]
    assert missing(relay.PatternVar(x)) == []


def test_unmatched_cases_of_many_fields():
    mod, cons, nil = lists()
    x = relay.var("x")

    def row(fields, at):
        return relay.PatternTuple([relay.PatternConstructor(nil) if at(i) else relay.PatternWildcard()
                                   for i in range(fields)])

    def unmatched(*patterns):
        clauses = [relay.Clause(pattern, relay.const(1)) for pattern in patterns]
        return analysis.unmatched_cases(relay.Match(x, clauses), mod)

    # A power of two would be 2^40 cases at once.
    assert unmatched(row(40, lambda i: True), relay.PatternWildcard()) == []
    with pytest.raises(ValueError, match="reasonable time"):
        unmatched(*[row(40, lambda i, k=k: i % 10 == k) for k in range(10)])


def test_type_functors():

    class Widen(relay.TypeMutator):

        def visit_tensor_type(self, type_):
            return relay.TensorType(type_.shape, "float64")

    t = relay.TensorType((1,))
    wide = relay.TensorType((1,), "float64")
    before = relay.FuncType([relay.TupleType([t]), relay.RefType(t)],
                            relay.GlobalTypeVar("L")(t), [relay.TypeVar("A")])
    assert Widen().visit(before) == relay.FuncType(
        [relay.TupleType([wide]), relay.RefType(wide)], relay.GlobalTypeVar("L")(wide),
        [relay.TypeVar("A")])

    class Count(relay.TypeVisitor):
        tensors = 0

        def visit_tensor_type(self, type_):
            self.tensors += 1

    count = Count()
    count.visit(before)
    assert count.tensors == 3
