"""What rewrite and partition make of what patterns match. Programs are compared as they are,
and in the interpreter, exactly: both sides compute the same operators."""

import numpy as np
from typing import cast

import pytest

from dataflow_programs import (
    CONV, DATA, ELEMWISE, WEIGHT, X, Y, Z, chain, check_equal, check_same_result, convolution,
    diamond, evaluate, var)
from relay_mlir import relay
from relay_mlir.relay.dataflow_pattern import (
    DFPattern, DFPatternCallback, dominates, has_attr, is_constant, is_expr, is_function, is_if, is_let, is_op,
    is_tuple, is_tuple_get_item, is_var, match, partition, rewrite, wildcard)
from relay_mlir.relay.op.op import OpPattern


#===------------------------------------------------------------------------===#
# Rewriting
#===------------------------------------------------------------------------===#


class Replace(DFPatternCallback):
    """Replaces a pattern by what a function makes of its match."""

    def __init__(self, pattern, make, require_type=False, rewrite_once=False):
        super().__init__(require_type, rewrite_once)
        self.pattern = pattern
        self.make = make

    def callback(self, pre, post, node_map):
        return self.make(pre, post, node_map)


def test_rewrite():
    x, y = wildcard(), wildcard()
    callback = Replace(x + y, lambda pre, post, node_map: node_map[x][0] - node_map[y][0])
    check_equal(rewrite(callback, X + Y), X - Y)
    # Everywhere, from the leaves up, and sharing stays.
    inner = X + Y
    result = callback.rewrite((inner * inner) + Z)
    check_equal(result, (lambda i: (i * i) - Z)(X - Y))
    assert result.args[0].args[0] is result.args[0].args[1]
    unchanged = X * Y
    assert rewrite(callback, unchanged) is unchanged
    check_equal(rewrite([callback], relay.Function([X, Y], X + Y)),
                relay.Function([X, Y], X - Y))


def test_rewrite_looks_everywhere():
    one = relay.const(1.0)
    callback = Replace(is_op("nn.relu")(wildcard()), lambda pre, post, node_map: post.args[0])
    v, c = var("v"), relay.var("c", shape=(), dtype="bool")
    relu = relay.nn.relu
    before = relay.Let(v, relu(X), relay.If(c, relu(v) + one, relay.TupleGetItem(
        relay.Tuple([relu(Y), v]), 0)))
    check_equal(rewrite(callback, before), relay.Let(v, X, relay.If(
        c, v + one, relay.TupleGetItem(relay.Tuple([Y, v]), 0))))
    ref = relay.RefCreate(relu(X))
    check_equal(rewrite(callback, relay.RefWrite(ref, relu(Y))),
                relay.RefWrite(relay.RefCreate(X), Y))
    some = relay.Clause(relay.PatternWildcard(), relu(X))
    check_equal(rewrite(callback, relay.Match(relu(Y), [some])),
                relay.Match(Y, [relay.Clause(relay.PatternWildcard(), X)]))


def test_rewrite_batch_norm():
    x, mean, variance, beta, gamma, eps = [wildcard() for _ in range(6)]
    pattern = gamma * (x - mean) / is_op("sqrt")(variance + eps) + beta

    def make(pre, post, node_map):
        values = [node_map[p][0] for p in (x, gamma, beta, mean, variance)]
        epsilon = node_map[eps][0].data.numpy().item()
        data, gamma_, beta_, mean_, variance_ = values
        return relay.nn.batch_norm(data, gamma_, beta_, mean_, variance_, epsilon=epsilon)[0]

    data, names = var("data", (2, 5)), ["mean", "variance", "beta", "gamma"]
    m, v, b, g = [var(name, (5,)) for name in names]
    epsilon = relay.const(1e-5)
    expected = relay.nn.batch_norm(data, g, b, m, v, epsilon=epsilon.data.numpy().item())[0]
    root = relay.sqrt(v + epsilon)
    for before in (g * (data - m) / root + b, b + (data - m) * g / root,
                   g * ((data - m) / root) + b, (g / root) * (data - m) + b,
                   b + (data - m) / root * g):
        result = rewrite(Replace(pattern, make), before)
        check_equal(result, expected)
        # The operator rounds in another order.
        np.testing.assert_allclose(evaluate(before), evaluate(result), rtol=1e-5)


def test_rewrite_nested_batch_norm():
    """A match whose inputs are matches: they are replaced before."""
    x, scale = wildcard(), is_constant()
    callback = Replace(is_op("nn.relu")(x * scale),
                       lambda pre, post, node_map: relay.clip(node_map[x][0], 0, 6))
    two = relay.const(2.0)
    nested = relay.nn.relu(relay.nn.relu(X * two) * two)
    check_equal(rewrite(callback, nested), relay.clip(relay.clip(X, 0, 6), 0, 6))


def test_rewrite_does_not_split_what_is_used():
    x = wildcard()
    callback = Replace(is_op("nn.relu")(x + x), lambda pre, post, node_map: node_map[x][0])
    total = X + X
    aside = relay.nn.relu(total) * total
    assert rewrite(callback, aside) is aside


def test_rewrite_repeats():
    callback = Replace(is_op("nn.relu")(is_op("nn.relu")(wildcard())),
                       lambda pre, post, node_map: post.args[0])
    expr = X
    for _ in range(7):
        expr = relay.nn.relu(expr)
    check_equal(rewrite(callback, expr), relay.nn.relu(X))
    # An equal result ends it.
    same = Replace(wildcard() + wildcard(), lambda pre, post, node_map: relay.add(*post.args))
    check_equal(rewrite(same, X + Y), X + Y)


def test_rewrite_once():
    calls = []

    def wrap(pre, post, node_map):
        calls.append(post)
        return relay.tanh(post)

    once = Replace(is_op("nn.relu")(wildcard()), wrap, rewrite_once=True)
    check_equal(rewrite(once, relay.nn.relu(relay.nn.relu(X))),
                relay.tanh(relay.nn.relu(relay.tanh(relay.nn.relu(X)))))
    assert len(calls) == 2
    # A round that changes nothing is not the one.
    first = Replace(is_op("exp")(wildcard()), lambda pre, post, node_map: relay.nn.relu(post))
    first.rewrite_once = True
    check_equal(rewrite([once, first], relay.exp(X)), relay.tanh(relay.nn.relu(relay.exp(X))))


def test_rewrite_that_does_not_end():
    grows = Replace(is_op("nn.relu")(wildcard()), lambda pre, post, node_map: relay.nn.relu(post))
    with pytest.raises(RuntimeError, match="patterns that stop matching.*by Replace"):
        rewrite(grows, relay.nn.relu(X))


def test_rewrite_of_free_variables():
    """Variables that nothing binds are not alike: an expression with two of them in the other
    order is another one, and what it makes possible is done in the next round."""
    exchange = Replace(is_op("divide")(is_expr(X), is_expr(Y)), lambda pre, post, node_map: Y / X)
    done = Replace(is_op("divide")(is_expr(Y), is_expr(X)), lambda pre, post, node_map: X * Y)
    # `done` is before what it waits for.
    for closed in (False, True):
        before = relay.Function([X, Y], X / Y) if closed else X / Y
        after = relay.Function([X, Y], X * Y) if closed else X * Y
        check_equal(rewrite([done, exchange], before), after)
    # Inference makes new variables each round; they are no change.
    x, y = var("x", (2,)), var("y", (2,))
    same = Replace(wildcard() / wildcard(), lambda pre, post, node_map: relay.divide(*post.args),
                   require_type=True)
    result = rewrite(same, x / y)
    assert [v.name_hint for v in relay.free_vars(result)] == ["x", "y"]
    # And so may a callback.
    fresh = Replace(wildcard() / wildcard(),
                    lambda pre, post, node_map: post.args[0] / relay.var("fresh"))
    assert relay.free_vars(rewrite(fresh, X / Y))[1].name_hint == "fresh"
    # What exchanges operands for ever does not end, with and without a function around it.
    swap = Replace(wildcard() / wildcard(), lambda pre, post, node_map: post.args[1] / post.args[0])
    for before in (X / Y, relay.Function([X, Y], X / Y), x / y):
        with pytest.raises(RuntimeError, match="patterns that stop matching.*by Replace"):
            rewrite(swap, before)


def test_rewrite_with_types():
    def make(pre, post, node_map):
        assert pre.checked_type == relay.TensorType((4, 4))
        return post.args[0]

    callback = Replace(wildcard() + wildcard().has_shape((4, 4)), make, require_type=True)
    result = rewrite(callback, relay.nn.relu(X + Y))
    assert result.op.name == "nn.relu" and isinstance(result.args[0], relay.Var)
    x = var("p")
    mod = relay.IRModule({relay.GlobalVar("f"): relay.Function([x], relay.nn.relu(x))})
    call = relay.GlobalVar("f")(X) + Y
    assert isinstance(rewrite(callback, call, mod), relay.Call)


def test_rewrite_leaves():
    callback = Replace(is_constant(), lambda pre, post, node_map: relay.zeros_like(X))
    check_equal(rewrite(callback, X + relay.const(0.0)), X + relay.zeros_like(X))
    to_y = Replace(is_var("x"), lambda pre, post, node_map: Y)
    check_equal(rewrite(to_y, X * relay.nn.relu(X)), Y * relay.nn.relu(Y))


def test_rewrite_errors():
    raises = Replace(wildcard() + wildcard(), lambda pre, post, node_map: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        rewrite(raises, X + Y)
    wrong = Replace(wildcard() + wildcard(), lambda pre, post, node_map: "text")
    with pytest.raises(TypeError, match="what Replace.callback returns.*'text'"):
        rewrite(wrong, X + Y)
    with pytest.raises(NotImplementedError, match="method callback"):
        nothing = DFPatternCallback()
        nothing.pattern = wildcard()
        rewrite(nothing, X)
    with pytest.raises(TypeError, match="the pattern of DFPatternCallback to be a pattern"):
        rewrite(DFPatternCallback(), X)


#===------------------------------------------------------------------------===#
# Partitioning
#===------------------------------------------------------------------------===#


def function(params, body, name, **attrs):
    return relay.Function(params, body).with_attr({"PartitionedFromPattern": name, **attrs})


def test_partition():
    pattern = is_op("nn.relu")(wildcard() + wildcard())
    before = relay.nn.relu(X + Y) * Z
    after = partition(pattern, before, {"Composite": "t.add_relu"})
    a, b = relay.var("a"), relay.var("b")
    expected = function([a, b], relay.nn.relu(a + b), "add_nn.relu_", Composite="t.add_relu")
    check_equal(after, expected(X, Y) * Z)
    assert [p.name_hint for p in after.args[0].op.params] == ["FunctionVar_0_0", "FunctionVar_0_1"]
    assert list(after.args[0].op.attrs.keys()) == ["PartitionedFromPattern", "Composite"]
    check_same_result(before, after)
    assert match(wildcard() * wildcard(), after)
    # What is in such a function is not partitioned again.
    assert pattern.partition(after) is after


def test_partition_of_a_variable_used_twice():
    pattern = is_op("nn.relu")(wildcard() + wildcard())
    after = pattern.partition(relay.nn.relu(X + X))
    a = relay.var("a")
    check_equal(after, function([a], relay.nn.relu(a + a), "add_nn.relu_")(X))


def test_partition_check():
    pattern = is_op("nn.conv2d")(wildcard(), wildcard())
    conv = convolution()
    expr = relay.nn.relu(conv)
    seen = []
    assert pattern.partition(expr, check=lambda root: seen.append(root)) is expr
    assert seen == [conv]
    assert pattern.partition(expr, check=lambda root: root.attrs.groups == 1) is not expr
    with pytest.raises(KeyError):
        pattern.partition(expr, check=lambda root: cast(dict[int, int], {})[1])


def test_partition_constants():
    # A constant that the pattern asks for is in the function; another one is not.
    one = relay.const(1.0)
    asked = (wildcard() + is_constant()).partition(X + one)
    a, b = relay.var("a"), relay.var("b")
    check_equal(asked, function([a], a + one, "add_")(X))
    asked = (wildcard() + is_expr(relay.const(1.0))).partition(X + one)
    check_equal(asked, function([a], a + one, "add_")(X))
    other = (wildcard() + wildcard()).partition(X + one)
    check_equal(other, function([a, b], a + b, "add_")(X, one))
    either = (wildcard() + (is_var() | is_constant())).partition(X + one)
    check_equal(either, function([a], a + one, "add_")(X))


def test_partition_of_any_arguments():
    a, b = relay.var("a"), relay.var("b")
    after = is_op("nn.relu")(is_op("add")(None)).partition(relay.nn.relu(X + Y))
    check_equal(after, function([a, b], relay.nn.relu(a + b), "add_nn.relu_")(X, Y))
    joined = is_op("concatenate")(is_tuple(None)).partition(relay.concatenate([X, Y], 0))
    check_equal(joined, function([a, b], relay.concatenate([a, b], 0), "Tuple_concatenate_")(X, Y))
    items = is_tuple_get_item(is_op("split")(wildcard()), 1).partition(
        relay.split(X, 2, 1)[1])
    check_equal(items, function([a], relay.split(a, 2, 1)[1], "split_TupleGetItem1_")(X))


def test_partition_prefers_the_larger_match():
    pattern = (wildcard() + wildcard()).optional(is_op("nn.relu"))
    before = relay.tanh(relay.nn.relu(X + Y))
    after = pattern.partition(before)
    a, b = relay.var("a"), relay.var("b")
    check_equal(after, relay.tanh(function([a, b], relay.nn.relu(a + b), "add_nn.relu_")(X, Y)))


def test_partition_overlaps():
    # Both products need the sum, so neither may take it.
    total = X + Y
    pattern = (wildcard() + wildcard()) * wildcard()
    before = relay.Tuple([total * X, total * Z])
    assert pattern.partition(before) is before
    # Of three in a row, the last two are one group, and the first is not in one.
    three = is_op("nn.relu")(is_op("nn.relu")(wildcard()))
    after = three.partition(relay.nn.relu(relay.nn.relu(relay.nn.relu(X))))
    a = relay.var("a")
    name = "nn.relu_nn.relu_"
    check_equal(after, function([a], relay.nn.relu(relay.nn.relu(a)), name)(relay.nn.relu(X)))


def test_partition_twice():
    pattern = is_op("nn.relu")(wildcard() + wildcard())
    inner = relay.nn.relu(X + Y)
    before = relay.nn.relu(inner + Z)
    after = pattern.partition(before)
    a, b, c, d = [relay.var(name) for name in "abcd"]
    name = "add_nn.relu_"
    check_equal(after, function([a, b], relay.nn.relu(a + b), name)(
        function([c, d], relay.nn.relu(c + d), name)(X, Y), Z))
    # The outer one comes first.
    assert after.op.params[0].name_hint == "FunctionVar_0_0"
    assert after.args[0].op.params[0].name_hint == "FunctionVar_1_0"
    check_same_result(before, after)


def test_partition_dominator():
    pattern = dominates(CONV, ELEMWISE(wildcard()), is_op("add")(wildcard(), wildcard()))
    data, weight = relay.var("a"), relay.var("b")
    name = "nn.conv2d_nn.relu_nn.relu_nn.leaky_relu_add_"
    before = diamond(DATA * DATA, WEIGHT * WEIGHT)
    after = pattern.partition(before)
    check_equal(after, function([data, weight], diamond(data, weight), name)(
        DATA * DATA, WEIGHT * WEIGHT))
    check_same_result(before, after)
    # What comes in on the way is an input as well.
    broadcast = has_attr({"TOpPattern": OpPattern.BROADCAST})(None)
    pattern = is_op("nn.relu")(wildcard()).dominates(CONV, broadcast)
    bias = var("bias", (4, 1, 1))
    before = relay.nn.relu(convolution() + bias)
    a, b, c = [relay.var(n) for n in "abc"]
    after = pattern.partition(before)
    check_equal(after, function(
        [a, b, c], relay.nn.relu(convolution(a, b) + c), "nn.conv2d_add_nn.relu_")(
            DATA, WEIGHT, bias))
    check_same_result(before, after)


def test_partition_functions_inside():
    a, b, c = [relay.var(n) for n in "abc"]
    inner = relay.Function([a], relay.nn.relu(a))
    pattern = is_function([wildcard()], is_op("nn.relu")(wildcard()))(wildcard())
    after = pattern.partition(inner(X) + Y)
    check_equal(after, function(
        [b], relay.Function([c], relay.nn.relu(c))(b), "nn.relu_FunctionCall_")(X) + Y)
    # The body of a pattern of any parameters is no input either.
    pattern = is_function(None, wildcard())(None)
    after = pattern.partition(inner(X) + Y)
    check_equal(after, function(
        [b], relay.Function([c], relay.nn.relu(c))(b), "nn.relu_FunctionCall_")(X) + Y)
    check_same_result(inner(X) + Y, after)


def test_partition_if_and_let():
    c, v = relay.var("c", shape=(), dtype="bool"), var("v")
    pattern: DFPattern = is_if(wildcard(), wildcard() + wildcard(), wildcard())
    after = pattern.partition(relay.If(c, X + Y, Z))
    p = [relay.var(n) for n in "abcd"]
    check_equal(after, function(p, relay.If(p[0], p[1] + p[2], p[3]), "add_If_")(c, X, Y, Z))
    pattern = is_op("nn.relu")(wildcard())
    before = relay.Let(v, relay.nn.relu(X), relay.nn.relu(v) + v)
    after = pattern.partition(before)
    a, b = relay.var("a"), relay.var("b")
    check_equal(after, relay.Let(v, function([a], relay.nn.relu(a), "nn.relu_")(X), function(
        [b], relay.nn.relu(b), "nn.relu_")(v) + v))
    check_same_result(before, after)


def test_partition_of_let_takes_what_its_variable_is_for():
    v, a, b = var("v"), relay.var("a"), relay.var("b")
    before = relay.Let(v, X + Y, relay.nn.relu(v) * v - Z)
    pattern: DFPattern = is_let(wildcard(), wildcard(), wildcard())
    after = pattern.partition(before)
    check_equal(after, function([a, b], relay.Let(v, a, relay.nn.relu(v) * v - b),
                                "nn.relu_multiply_subtract_Let_")(X + Y, Z))
    assert {p.name_hint for p in relay.analysis.free_vars(after)} == {"x", "y", "z"}
    check_same_result(before, after)


def test_partition_makes_no_function_of_a_leaf():
    for pattern in (wildcard(), is_var(), wildcard().has_dtype("float32")):
        assert pattern.partition(X) is X


#===------------------------------------------------------------------------===#
# Size
#===------------------------------------------------------------------------===#


def test_deep_programs():
    expr = chain(20_000)
    pattern = is_op("tanh")(is_op("nn.relu")(wildcard()))
    after = pattern.partition(expr)
    assert isinstance(after.op, relay.Function)
    mod = relay.IRModule.from_expr(relay.Function([X], after))
    assert str(mod).count("PartitionedFromPattern") == 10_000
    callback = Replace(is_op("tanh")(is_op("nn.relu")(wildcard())),
                       lambda pre, post, node_map: relay.sigmoid(post.args[0].args[0]))
    result = rewrite(callback, expr)
    assert relay.analysis.list_op_freqs(relay.IRModule.from_expr(
        relay.Function([X], result))) == {"sigmoid": 10_000}


def test_deep_patterns():
    steps = wildcard()
    steps.redirect_to(is_op("nn.relu")(steps) | is_op("tanh")(steps) | is_var("x"))
    assert steps.match(chain(20_000))
    elementwise = ELEMWISE(wildcard())
    dominator = is_op("nn.relu")(wildcard()).dominates(is_op("exp")(wildcard()), elementwise)
    expr = relay.exp(X)
    for _ in range(20_000):
        expr = relay.nn.relu(expr)
    assert dominator.match(expr)
    # Nothing leads to a parent: the path is not followed anew from each call.
    assert dominator.partition(chain(20_000, (relay.nn.relu,))) is not None
    pattern: DFPattern = wildcard()
    for _ in range(20_000):
        pattern = is_op("nn.relu")(pattern)
    assert pattern.match(chain(20_001, (relay.nn.relu,)))
    assert not pattern.match(chain(19_999, (relay.nn.relu,)))


def test_no_exponential_time():
    # Each level has two ways, and all of them fail at the end.
    pattern: DFPattern = is_var("nobody")
    for _ in range(60):
        pattern = is_op("nn.relu")(pattern) | is_op("nn.relu")(pattern) | pattern
    assert not pattern.match(chain(60, (relay.nn.relu,)))
    # The left way matches all below before it fails.
    inner: DFPattern = is_var("x")
    expr = X
    for _ in range(60):
        inner = (inner - is_constant()) | (inner - is_var("y"))
        expr = expr - Y
    assert inner.match(expr)
    # Sums with sums on both sides: each has two orders.
    pattern, expr = is_var("nobody"), X
    for _ in range(60):
        pattern = is_op("add")(pattern, pattern)
        expr = expr + expr
    assert not pattern.match(expr)
    pattern, expr = is_var("x"), X
    for _ in range(200):
        pattern = is_op("add")(pattern, wildcard())
        expr = expr + expr
    assert pattern.match(expr)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed):
    """Partitions of random programs by random patterns compute the same."""
    rng = np.random.default_rng(seed)
    unary = [("nn.relu", relay.nn.relu), ("tanh", relay.tanh), ("negative", relay.negative)]
    binary = [("add", relay.add), ("multiply", relay.multiply), ("maximum", relay.maximum)]
    values = [X, Y, Z, relay.const(np.full((4, 4), 0.5, "float32"))]
    for _ in range(30):
        a, b = [values[-1 - min(int(rng.exponential(2)), len(values) - 1)] for _ in range(2)]
        values.append(unary[rng.integers(3)][1](a) if rng.random() < 0.5
                      else binary[rng.integers(3)][1](a, b))
    expr = relay.Tuple(values[-3:])
    def pattern(depth):
        kind = rng.integers(6) if depth else 0
        if kind == 0:
            return wildcard() if rng.random() < 0.8 else is_constant()
        if kind == 1:
            return pattern(depth - 1) | pattern(depth - 1)
        if kind <= 3:
            return is_op(unary[rng.integers(3)][0])(pattern(depth - 1))
        return is_op(binary[rng.integers(3)][0])(pattern(depth - 1), pattern(depth - 1))

    before = relay.concatenate(expr, 0)
    for _ in range(6):
        after = pattern(3).partition(before, {"Composite": "t.any"})
        check_same_result(before, after)
