"""Patterns of programs: what each kind matches."""

import numpy as np
import pytest

from dataflow_programs import (
    CONV, DATA, ELEMWISE, X, Y, Z, convolution, diamond, var)
from relay_mlir import relay
from relay_mlir.relay.dataflow_pattern import (
    AltPattern, CallPattern, DFPattern, DFPatternCallback, DominatorPattern, ExprPattern, FunctionPattern,
    TupleGetItemPattern, dominates, has_attr, has_dtype, has_shape, has_type, is_constant,
    is_expr, is_function, is_if, is_let, is_op, is_tuple, is_tuple_get_item, is_var,
    wildcard)
from relay_mlir.relay.op.op import OpPattern


#===------------------------------------------------------------------------===#
# Single patterns
#===------------------------------------------------------------------------===#


def test_expr():
    assert is_expr(X).match(X) and not is_expr(X).match(Y)
    assert is_expr(X + Y).match(X + Y)
    assert not is_expr(X + Y).match(Y + X)
    assert is_expr(relay.const(1.0)).match(relay.const(1.0))
    assert not is_expr(relay.const(1.0)).match(relay.const(2.0))
    large = np.arange(1000, dtype="float32")
    assert is_expr(relay.const(large)).match(relay.const(large.copy()))
    assert not is_expr(relay.const(large)).match(relay.const(large[::-1].copy()))
    assert not is_expr(relay.const(np.zeros(1000, "float32"))).match(relay.const(large))
    # Sharing counts, and names of bound variables do not.
    double = X + Y
    assert not is_expr(double * double).match((X + Y) * (X + Y))
    a, b = var("a"), var("b")
    identity = is_expr(relay.Function([a], a + X))
    assert identity.match(relay.Function([b], b + X))
    assert not identity.match(relay.Function([b], b + Y))
    # Defaults are attributes as well.
    assert is_expr(relay.sum(X, axis=1, keepdims=False)).match(relay.sum(X, axis=1))
    assert not is_expr(relay.sum(X, axis=1, keepdims=True)).match(relay.sum(X, axis=1))


def test_op():
    pattern = is_op("add")
    assert isinstance(pattern, ExprPattern) and pattern.expr == relay.op.op.get("add")
    assert pattern.match(relay.op.op.get("add"))
    assert not pattern.match(relay.op.op.get("multiply"))
    assert not pattern.match(X + Y)
    with pytest.raises(Exception, match="no.such"):
        is_op("no.such")


def test_var():
    assert is_var("x").match(X) and not is_var("x").match(Y)
    assert is_var().match(X) and is_var().match(Y) and not is_var().match(X + Y)


def test_constant():
    assert is_constant().match(relay.const(0)) and not is_constant().match(X)


def test_wildcard():
    for expr in (X, X + Y, relay.const(1), relay.Function([X], X), relay.Tuple([])):
        assert wildcard().match(expr)


def test_call():
    pattern = is_op("subtract")(is_var("x"), wildcard())
    assert isinstance(pattern, CallPattern) and len(pattern.args or ()) == 2
    assert pattern.match(X - Y) and pattern.match(X - (Y + Z))
    assert not pattern.match(Y - X) and not pattern.match(X + Y)
    # Of any operator, or function, and of any number of arguments.
    assert wildcard()(wildcard(), wildcard()).match(X + Y)
    assert not wildcard()(wildcard()).match(X + Y)
    anything = is_op("add")(None)
    assert anything.args is None and anything.match(X + Y) and not anything.match(X - Y)
    assert is_op("zeros")().match(relay.zeros((2,), "float32"))
    f = relay.GlobalVar("f")
    assert wildcard()(is_var("x")).match(f(X))
    assert is_expr(f)(is_var("x")).match(f(X))
    assert not is_expr(relay.GlobalVar("g"))(is_var("x")).match(f(X))


def test_function():
    a, b = var("a"), var("b")
    function = relay.Function([a, b], a + b)
    assert is_function([wildcard(), wildcard()], is_op("add")(None)).match(function)
    assert is_function(None, wildcard() + wildcard()).match(function)
    assert not is_function([wildcard()], wildcard()).match(function)
    assert not is_function(None, wildcard() - wildcard()).match(function)
    pattern = FunctionPattern([wildcard()], wildcard() - wildcard())
    assert pattern.match(relay.Function([a], a - a))
    # A parameter is the same variable in the body.
    x, y = wildcard(), wildcard()
    assert FunctionPattern([x, y], x + y).match(function)
    assert not FunctionPattern([x, y], x - y).match(relay.Function([a, b], b - a))
    primitive = wildcard().has_attr({"Primitive": 1})
    assert primitive.match(function.with_attr("Primitive", 1)) and not primitive.match(function)


def test_if():
    cond = relay.var("c", shape=(), dtype="bool")
    pattern = is_if(is_var("c"), is_var("x"), is_op("add")(None))
    assert pattern.match(relay.If(cond, X, X + Y))
    assert not pattern.match(relay.If(cond, X + Y, X)) and not pattern.match(X)


def test_let():
    v = relay.var("v")
    pattern = is_let(is_var("v"), wildcard() - wildcard(), wildcard())
    assert pattern.match(relay.Let(v, X - Y, v + v))
    assert not pattern.match(relay.Let(v, X + Y, v + v))
    # The variable is the same in the body.
    name = wildcard()
    assert is_let(name, wildcard(), name + name).match(relay.Let(v, X, v + v))
    assert not is_let(name, wildcard(), name + name).match(relay.Let(v, X, Y + Y))


def test_tuple():
    pair = relay.Tuple([X, Y])
    pattern = is_tuple([is_var("x"), wildcard()])
    assert pattern.match(pair) and len(pattern) == 2 and pattern
    assert not pattern.match(relay.Tuple([Y, X])) and not pattern.match(relay.Tuple([X]))
    assert is_tuple().match(pair) and is_tuple(None).match(relay.Tuple([]))
    assert is_tuple([]).match(relay.Tuple([])) and not is_tuple([]).match(pair)
    assert not is_tuple().match(X)
    item = pattern[1]
    assert isinstance(item, TupleGetItemPattern)
    assert item.match(relay.TupleGetItem(pair, 1)) and not item.match(relay.TupleGetItem(pair, 0))
    assert is_tuple()[5].match(relay.TupleGetItem(pair, 5))
    with pytest.raises(IndexError, match="expects an index below 2, but got 2"):
        pattern[2]  # pylint: disable=pointless-statement
    with pytest.raises(TypeError, match="list of fields"):
        len(is_tuple())
    with pytest.raises(TypeError, match="no list"):
        list(pattern)


def test_tuple_get_item():
    pair = relay.Tuple([X, Y])
    assert is_tuple_get_item(is_tuple()).match(relay.TupleGetItem(pair, 1))
    assert is_tuple_get_item(wildcard(), 1).match(relay.TupleGetItem(pair, 1))
    assert not is_tuple_get_item(wildcard(), 0).match(relay.TupleGetItem(pair, 1))
    assert not is_tuple_get_item(is_var()).match(relay.TupleGetItem(pair, 1))


def test_alternative():
    pattern = is_op("add")(None) | is_op("subtract")(None)
    assert isinstance(pattern, AltPattern)
    assert pattern.match(X + Y) and pattern.match(X - Y) and not pattern.match(X * Y)
    operator = (is_op("add") | is_op("subtract"))(is_var("x"), is_var("y"))
    assert operator.match(X + Y) and operator.match(X - Y) and not operator.match(X * Y)


def test_type():
    pattern = has_type(relay.TensorType((4, 4), "float32"))
    assert pattern.match(X) and pattern.match(X + Y)
    assert not pattern.match(var("w", (4, 5))) and not pattern.match(relay.const(1))
    assert not (is_op("add")(None)).has_type(relay.TensorType((4, 4), "float16")).match(X + Y)
    # Of what no inference has seen.
    w = relay.var("w", relay.TupleType([relay.TensorType((2,)), relay.TensorType((), "int32")]))
    assert has_type(relay.TensorType((), "int32")).match(relay.TupleGetItem(w, 1))
    typed = relay.transform.infer_expr(X + Y)
    assert pattern.match(typed)


def test_dtype():
    assert has_dtype("float32").match(X) and has_dtype("int32", is_constant()).match(relay.const(1))
    assert not has_dtype("float16").match(X)
    assert is_op("cast")(None).has_dtype("bool").match(relay.cast(X, "bool"))
    assert not wildcard().has_dtype("float32").match(relay.Tuple([X]))


def test_shape():
    assert has_shape((4, 4)).match(X) and not has_shape((4,)).match(X)
    assert not wildcard().has_shape((4, 5)).match(X + Y)
    assert wildcard().has_shape((16,)).match(relay.reshape(X, (16,)))
    assert not has_shape(()).match(relay.Tuple([]))
    open_ = relay.var("o", shape=(relay.Any(), 3))
    assert has_shape((relay.Any(), 3)).match(open_) and not has_shape((2, 3)).match(open_)


def test_attributes_of_operators():
    elementwise = wildcard().has_attr({"TOpPattern": OpPattern.ELEMWISE})
    assert elementwise(wildcard()).match(relay.nn.relu(X))
    assert elementwise.match(relay.op.op.get("nn.relu"))
    assert not elementwise(None).match(relay.nn.dense(X, Y))
    assert not wildcard().has_attr({"NoSuch": 1})(None).match(relay.nn.relu(X))


def test_attributes_of_calls():
    data, weight = var("d", (1, 3, 8, 8)), var("w", (4, 3, 3, 3))
    conv = relay.nn.conv2d(data, weight, kernel_size=(3, 3), channels=4, data_layout="NCHW")
    is_conv = is_op("nn.conv2d")(wildcard(), wildcard())
    assert is_conv.has_attr({"data_layout": "NCHW"}).match(conv)
    assert not is_conv.has_attr({"data_layout": "NHWC"}).match(conv)
    assert is_conv.has_attr({"kernel_size": [3, 3], "channels": 4}).match(conv)
    assert not is_conv.has_attr({"kernel_size": [3, 3], "channels": 5}).match(conv)
    assert not is_conv.has_attr({"kernel_size": [3, 3, 3]}).match(conv)
    # What is not written has its default.
    assert is_conv.has_attr({"groups": 1, "kernel_layout": "OIHW"}).match(conv)
    assert not is_conv.has_attr({"no_such": 1}).match(conv)
    leaky = relay.nn.leaky_relu(X, alpha=0.5)
    assert has_attr({"alpha": 0.5}).match(leaky) and not has_attr({"alpha": 1}).match(leaky)
    assert has_attr({"dtype": "int8"}, is_op("cast")(None)).match(relay.cast(X, "int8"))
    assert has_attr({"axis": 1}).match(relay.concatenate([X, Y], 1))
    assert not has_attr({"axis": 1}).match(X)


#===------------------------------------------------------------------------===#
# Several places, orders, alternatives
#===------------------------------------------------------------------------===#


def test_sharing():
    x = wildcard()
    assert (x + x).match(X + X) and not (x + x).match(X + Y)
    inner = is_op("nn.relu")(wildcard())
    shared = relay.nn.relu(X)
    assert (inner * inner).match(shared * shared)
    assert not (inner * inner).match(relay.nn.relu(X) * relay.nn.relu(X))


@pytest.mark.parametrize("name", ["add", "multiply"])
def test_commutative(name):
    op = getattr(relay, name)
    pattern = is_op(name)(is_constant(), is_op("nn.relu")(wildcard()))
    relu, one = relay.nn.relu(X), relay.const(1.0)
    assert pattern.match(op(one, relu)) and pattern.match(op(relu, one))
    assert not pattern.match(op(relu, relu))
    assert not is_op("subtract")(is_constant(), wildcard()).match(X - one)
    # What one order has bound is free again in the other.
    x = wildcard()
    both = is_op(name)(is_op("nn.relu")(x), x)
    assert both.match(op(relu, X)) and both.match(op(X, relu)) and not both.match(op(Y, relu))


def test_quotients_and_products():
    a, b, c = is_var("x"), is_var("y"), is_var("z")
    quotient = (a * b) / c
    for expr in ((X * Y) / Z, (Y * X) / Z, X * (Y / Z), (X / Z) * Y, (Y / Z) * X):
        assert quotient.match(expr)
    for expr in ((X * Z) / Y, X / (Y * Z), X * (Z / Y), (X + Y) / Z):
        assert not quotient.match(expr)
    product = (a / b) * c
    for expr in ((X / Y) * Z, Z * (X / Y), (X * Z) / Y, (Z * X) / Y):
        assert product.match(expr)
    for expr in ((Y / X) * Z, (X * Y) / Z, (Y * X) / Z):
        assert not product.match(expr)


def test_no_backtracking_into_an_alternative():
    x = wildcard()
    # The left side has matched, so x is the relu.
    pattern = is_op("subtract")(x | is_op("nn.relu")(x), x)
    relu = relay.nn.relu(X)
    assert pattern.match(relu - relu) and not pattern.match(relu - X)


def test_optional():
    pattern = (wildcard() + is_constant()).optional(is_op("nn.relu"))
    total = X + relay.const(1.0)
    assert pattern.match(total) and pattern.match(relay.nn.relu(total))
    assert not pattern.match(relay.tanh(total))
    conv = is_op("nn.conv2d")(wildcard(), wildcard())
    biased = conv.optional(lambda p: is_op("nn.bias_add")(p, wildcard()))
    relu = biased.optional(is_op("nn.relu"))
    data, weight, bias = var("d", (1, 3, 8, 8)), var("w", (4, 3, 3, 3)), var("b", (4,))
    value = relay.nn.conv2d(data, weight)
    for expr in (value, relay.nn.bias_add(value, bias), relay.nn.relu(value),
                 relay.nn.relu(relay.nn.bias_add(value, bias))):
        assert relu.match(expr)
    assert not relu.match(relay.nn.relu(relay.nn.relu(value)))


def test_redirected_wildcard():
    chain = wildcard()
    chain.redirect_to(is_op("nn.relu")(chain) | is_var("x"))
    expr = X
    for _ in range(5):
        assert chain.match(expr)
        expr = relay.nn.relu(expr)
    assert not chain.match(relay.nn.relu(Y)) and not chain.match(relay.tanh(X))
    endless = wildcard()
    endless.redirect_to(endless | is_var("x"))
    assert endless.match(X) and not endless.match(Y)


def test_text():
    x = wildcard()
    shared = is_op("nn.relu")(x)
    assert (shared + shared).astext() == "call(add, #0:call(nn.relu, *), #0)"
    assert str(is_tuple()) == "tuple(...)" and is_var("a").astext() == "var[a]"
    assert has_dtype("float32").astext() == "has_dtype[f32](*)"
    assert is_op("add")(None).astext() == "call(add, ...)"
    x.redirect_to(shared)
    assert shared.astext() == "#0:call(nn.relu, *=(#0))"
    deep: DFPattern = wildcard()
    for _ in range(40):
        deep = deep | is_op("nn.relu")(deep)
    assert len(deep.astext()) < 5000


#===------------------------------------------------------------------------===#
# Dominators
#===------------------------------------------------------------------------===#


def test_dominator():
    pattern = dominates(CONV, ELEMWISE(wildcard()), is_op("add")(wildcard(), wildcard()))
    assert isinstance(pattern, DominatorPattern)
    assert pattern.match(diamond())
    # A short path, and an input that the parent is itself.
    conv = convolution()
    assert pattern.match(conv + relay.nn.relu(conv))
    # Another convolution is no path.
    assert not pattern.match(relay.nn.relu(conv) + relay.nn.relu(convolution()))
    # Nor is what is not elementwise.
    assert not pattern.match(relay.nn.relu(conv) + relay.nn.softmax(conv))
    # Something must lead to the parent.
    assert not pattern.match(relay.nn.relu(DATA) + relay.nn.relu(DATA))


def test_dominator_of_variables():
    # Variables and constants come in on the way.
    path = wildcard()(None) | wildcard()(wildcard(), wildcard())
    pattern = (wildcard()(wildcard())).dominates(CONV, path)
    bias = var("bias", (4,))
    assert pattern.match(relay.nn.relu(relay.nn.bias_add(convolution(), bias)))
    assert not pattern.match(relay.nn.relu(relay.nn.bias_add(DATA, bias)))
    assert pattern.match(relay.nn.relu(convolution() * relay.const(2.0)))


def test_dominator_is_on_all_ways():
    # The parent is used on the side: the sum is not on all ways from it.
    pattern = dominates(CONV, ELEMWISE(wildcard()), is_op("add")(wildcard(), wildcard()))
    conv = convolution()
    total = relay.nn.relu(conv) + relay.tanh(conv)

    class Callback(DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.pattern = pattern

        def callback(self, pre, post, node_map):
            return DATA

    assert Callback().rewrite(relay.tanh(total)).args[0] is DATA
    aside = relay.Tuple([total, relay.nn.softmax(conv)])
    assert Callback().rewrite(aside) is aside


def test_dominator_of_dominator():
    add = is_op("add")(wildcard(), wildcard())
    inner = dominates(CONV, ELEMWISE(wildcard()), add)
    outer = dominates(inner, ELEMWISE(wildcard()), is_op("multiply")(wildcard(), wildcard()))
    value = diamond()
    assert outer.match(relay.tanh(value) * relay.exp(value))
    assert not outer.match(relay.tanh(value) * relay.exp(diamond()))
