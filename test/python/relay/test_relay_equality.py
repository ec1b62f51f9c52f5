"""Structural equality and hash."""

import itertools
from typing import Any

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay.attrs import make_node


def agree(lhs, rhs, map_free_vars=False):
    """Equality both ways, which the hashes must agree with."""
    equal = relay.structural_equal(lhs, rhs, map_free_vars)
    assert equal == relay.structural_equal(rhs, lhs, map_free_vars)
    hashes = [relay.structural_hash(value, map_free_vars) for value in (lhs, rhs)]
    assert equal == (hashes[0] == hashes[1])
    assert relay.structural_equal(lhs, lhs, map_free_vars)
    return equal


def test_structural_equality():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    assert relay.structural_equal(relay.Function([x], x + x), relay.Function([y], y + y))
    assert not relay.structural_equal(relay.Function([x], x + x), relay.Function([y], y - y))
    assert not relay.structural_equal(x + x, y + y)
    assert relay.structural_equal(x + x, y + y, map_free_vars=True)
    assert not relay.structural_equal(x + y, y + y, map_free_vars=True)
    z = relay.var("z", shape=(3,))
    assert not relay.structural_equal(relay.Function([x], x), relay.Function([z], z))
    # Sharing counts.
    shared = x + x
    assert not relay.structural_equal(relay.Tuple([shared, shared]),
                                      relay.Tuple([x + x, x + x]))
    # So does a default that is written out.
    assert relay.structural_equal(relay.nn.softmax(x), relay.nn.softmax(x, axis=-1))
    assert not relay.structural_equal(relay.nn.softmax(x), relay.nn.softmax(x, axis=0))
    assert relay.structural_equal(relay.const(1.0), relay.const(1.0))
    assert not relay.structural_equal(relay.const(1), relay.const(1.0))
    assert not relay.structural_equal(relay.const(np.zeros(2)), relay.const(np.zeros(3)))

    def let(v):
        return relay.Let(v, relay.const(1), v)

    assert relay.structural_equal(let(x), let(y))
    assert not relay.structural_equal(x, None) and not relay.structural_equal(
        relay.Function([x], x), relay.Function([x], x, x.type_annotation))
    with pytest.raises(ValueError):
        relay.assert_structural_equal(relay.TensorType((1,)), relay.TensorType((2,)))


def test_structural_equality_of_types():
    a, b = relay.TypeVar("A"), relay.TypeVar("B")
    assert relay.structural_equal(relay.FuncType([a], a, [a]), relay.FuncType([b], b, [b]))
    assert not relay.structural_equal(relay.FuncType([a], a, [a]), relay.FuncType([b], a, [b]))
    p, q = relay.var("p", a), relay.var("q", b)
    assert relay.structural_equal(relay.Function([p], p, a, [a]),
                                  relay.Function([q], q, b, [b]))
    assert relay.structural_equal(p, q, map_free_vars=True)
    assert not relay.structural_equal(p, relay.var("r", relay.RefType(b)), map_free_vars=True)
    assert relay.structural_equal(relay.Prelude().mod, relay.Prelude().mod)


def test_structural_hash():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    f, g = relay.Function([x], x + x), relay.Function([y], y + y)
    assert relay.structural_hash(f) == relay.structural_hash(g)
    assert relay.structural_hash(f) != relay.structural_hash(relay.Function([x], x - x))
    assert relay.structural_hash(x + x, True) == relay.structural_hash(y + y, True)
    assert relay.structural_hash(x + x) != relay.structural_hash(y + y)
    a, b = relay.TypeVar("A"), relay.TypeVar("B")
    assert relay.structural_hash(relay.FuncType([a], a, [a])) == relay.structural_hash(
        relay.FuncType([b], b, [b]))


def test_sharing_of_what_has_no_value_of_its_own():
    make: Any
    t = relay.var("t")
    for make in (lambda: relay.Tuple([]), lambda: relay.TupleGetItem(t, 0),
                 lambda: relay.const(1)):
        one = make()
        assert agree(relay.Tuple([one, one]), relay.Tuple([make(), make()]))
    for make in (lambda: relay.Tuple([t]), lambda: relay.add(t, t), lambda: relay.RefCreate(t),
                 lambda: relay.If(t, t, t), lambda: relay.Function([], t)):
        one = make()
        assert agree(relay.Tuple([one, one]), relay.Tuple([one, one]))
        assert not agree(relay.Tuple([one, one]), relay.Tuple([make(), make()]))


def test_calls():
    f = relay.var("f")
    t, u = relay.TensorType((1,)), relay.TensorType((2,))
    attrs = [make_node("attrs.TestAttrs", name="attr", padding=p) for p in ((3, 4), (3, 4, 4))]
    attrs.append(make_node("attrs.OtherAttrs", name="attr", padding=(3, 4)))
    variants = [relay.Call(f, [], a, types) for a in [None, *attrs]
                for types in (None, [t], [u], [t, u])]
    again = [relay.Call(f, [], a, types) for a in [None, *attrs]
             for types in (None, [t], [u], [t, u])]
    for (i, lhs), (j, rhs) in itertools.product(enumerate(variants), enumerate(again)):
        assert agree(lhs, rhs) == (i == j)
    # Operators have no type arguments of their own.
    x = relay.var("x")
    assert agree(relay.Call(relay.op.get("tanh"), [x], None, [t]), relay.tanh(x))


def test_hash_of_attributes_types_and_variables():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(3,))
    assert not agree(relay.nn.softmax(x, axis=0), relay.nn.softmax(x, axis=1))
    assert agree(relay.nn.softmax(x), relay.nn.softmax(x, axis=-1))
    assert not agree(relay.Function([x], x), relay.Function([y], y))
    assert not agree(x, relay.var("x", shape=(2,)))
    f = relay.Function([x], x)
    assert not agree(f.with_attr("name", "a"), f.with_attr("name", "b"))
    assert not agree(f.with_attr("name", 1), f)
    call = relay.Call(relay.op.get("add"), [relay.var("v"), relay.var("w")])
    # Nobody holds the variables, whose objects come and go.
    assert len({relay.structural_hash(call) for _ in range(10)}) == 1


def test_type_variables_and_kinds():
    kind = relay.TypeKind
    a, b, s = relay.TypeVar("A"), relay.TypeVar("B"), relay.TypeVar("A", kind.ShapeVar)
    assert agree(a, a) and not agree(a, b) and not agree(a, s)
    assert agree(a, b, map_free_vars=True) and not agree(a, s, map_free_vars=True)
    assert not relay.structural_equal(a, relay.TypeVar("A"))
    unit = relay.TupleType([])
    assert agree(relay.FuncType([], unit, [a]), relay.FuncType([], unit, [b]))
    assert not agree(relay.FuncType([], unit, [a]), relay.FuncType([], unit, [s]))
    assert relay.FuncType([], a, [a]) == relay.FuncType([], b, [b])
    assert hash(relay.FuncType([], a, [a])) == hash(relay.FuncType([], b, [b]))
    assert relay.FuncType([], a, [a]) != relay.FuncType([], s, [s])
    assert relay.FuncType([a], b, [a, b]) == relay.FuncType([b], a, [b, a])
    assert relay.FuncType([a], b, [a, b]) != relay.FuncType([a], a, [a, b])
    inner = relay.FuncType([a], relay.FuncType([b], a, [b]), [a])
    assert inner != relay.FuncType([a], relay.FuncType([a], a, [a]), [a])
    assert inner.type_params[0].kind == kind.Type


def test_incomplete_types():
    kind = relay.TypeKind
    one, two = relay.IncompleteType(), relay.IncompleteType()
    assert agree(one, one) and not agree(one, two)
    assert one == one and one != two and one != relay.IncompleteType(kind.ShapeVar)
    assert agree(relay.TupleType([one]), relay.TupleType([one]))
    assert not agree(relay.TupleType([one, one]), relay.TupleType([one, two]))
    assert relay.structural_equal(one, two, map_free_vars=True)


def test_attributes_keyed_by_expressions():

    def function(key):
        x = relay.var("x", shape=(10,))
        return relay.Function([x], x).with_attr("dict", {key(x): 1})

    assert agree(function(lambda x: x), function(lambda x: x.vid))
    assert not agree(function(lambda x: x), function(lambda x: relay.var("y", shape=(10,))))
    x = relay.var("x", shape=(1,))
    c, g = relay.const(np.ones(1, "float32")), relay.GlobalVar("g")
    f = relay.Function([x], x).with_attr({"__params__": {x: c}, "callee": g, "table": {g: [x]}})
    assert f.attrs["__params__"] == {x: c} and f.attrs.callee == g
    assert f.attrs.table[g][0] is x
    assert '"{%x: ' in str(f) and "callee=@g" in str(f)
    # Passes keep them.
    mod = relay.transform.InferType()(relay.IRModule.from_expr(f))
    assert mod["main"].attrs["__params__"][x] is c and mod["main"].attrs.callee == g


def test_deep_programs():
    x = relay.var("x", shape=(2,))
    chains = []
    for _ in range(2):
        expr: Any = x
        for _ in range(20000):
            expr = relay.add(expr, expr)
        chains.append(expr)
    assert agree(*chains)
    with pytest.raises(ValueError, match="structurally equal"):
        relay.assert_structural_equal(chains[0].args[0], x)
