"""MergeComposite: what becomes a function, by which pattern, and the tables of patterns.
Results are compared in the interpreter, exactly: the operators are the same."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay.dataflow_pattern import is_constant, is_op, is_tuple, wildcard
from relay_mlir.relay.op.contrib import get_pattern_table, register_pattern_table
from relay_mlir.relay.transform import InferType, MergeComposite


def merge(function, table):
    mod = InferType()(relay.IRModule.from_expr(function))
    result = MergeComposite(table)(mod)
    rng = np.random.default_rng(3)
    args = [rng.standard_normal([int(n) for n in p.type_annotation.shape], dtype="float32")
            for p in function.params]
    before, after = [relay.create_executor("debug", mod=m).evaluate()(*args)
                     for m in (mod, result)]
    for one, other in zip(*[r if isinstance(r, (list, tuple)) else [r] for r in (before, after)]):
        np.testing.assert_array_equal(one, other)
    return result["main"]


def composite(params, body, name, operators):
    return relay.Function(params, body).with_attr(
        {"PartitionedFromPattern": operators, "Composite": name})


def check(actual, expected):
    expected = InferType()(relay.IRModule.from_expr(expected))["main"]
    relay.assert_structural_equal(actual, expected)


def var(name, shape=(10, 10)):
    return relay.var(name, shape=shape)


def add_relu():
    return is_op("nn.relu")(is_op("add")(wildcard(), wildcard()))


def add_sub_mul():
    a, b = wildcard(), wildcard()
    total = is_op("add")(a, b)
    difference = is_op("subtract")(a, b)
    return is_op("multiply")(total, difference)


def conv_bias_relu(with_bias=True):
    conv = is_op("nn.conv2d")(wildcard(), wildcard())
    return is_op("nn.relu")(is_op("nn.bias_add")(conv, wildcard()) if with_bias else conv)


def test_simple():
    a, b = var("a"), var("b")
    result = merge(relay.Function([a, b], relay.nn.relu(relay.add(a, b))),
                   [("add_relu", add_relu())])
    x, y = var("x"), var("y")
    function = composite([x, y], relay.nn.relu(x + y), "add_relu", "add_nn.relu_")
    check(result, relay.Function([a, b], function(a, b)))


def test_branches():
    """Two inputs that are both used twice, and the same pattern again below."""
    a, b, c = var("a"), var("b"), var("c")
    first = (a + b) * (a - b)
    second = (c + first) * (c - first)
    result = merge(relay.Function([a, b, c], relay.nn.relu(second)),
                   [("add_sub_mul", add_sub_mul())])
    x, y, z, w = [var(n) for n in "xyzw"]
    name = "add_subtract_multiply_"
    inner = composite([x, y], (x + y) * (x - y), "add_sub_mul", name)
    outer = composite([z, w], (z + w) * (z - w), "add_sub_mul", name)
    check(result, relay.Function([a, b, c], relay.nn.relu(outer(c, inner(a, b)))))


def test_reused_call():
    a, b = var("a"), var("b")
    value = (a + b) * (a - b)
    result = merge(relay.Function([a, b], value + value), [("add_sub_mul", add_sub_mul())])
    x, y = var("x"), var("y")
    call = composite([x, y], (x + y) * (x - y), "add_sub_mul", "add_subtract_multiply_")(a, b)
    check(result, relay.Function([a, b], call + call))


def convolutions():
    x, w, b = var("x", (1, 4, 8, 8)), var("w", (4, 4, 3, 3)), var("b", (4,))
    conv = lambda data: relay.nn.conv2d(data, w, kernel_size=(3, 3), padding=(1, 1))
    biased = relay.nn.relu(relay.nn.bias_add(conv(x), b))
    return relay.Function([x, w, b], relay.nn.relu(conv(biased)))


def test_several_patterns():
    table = [("t.biased", conv_bias_relu()), ("t.plain", conv_bias_relu(False))]
    for rows in (table, table[::-1]):
        main = merge(convolutions(), rows)
        assert main.body.op.attrs.Composite == "t.plain"
        assert main.body.args[0].op.attrs.Composite == "t.biased"
    # The one that comes first takes what both match.
    table = [("t.relu", is_op("nn.relu")(wildcard())), *table]
    text = str(merge(convolutions(), table))
    assert text.count('Composite="t.relu"') == 2 and "t.biased" not in text


def test_optional():
    conv = is_op("nn.conv2d")(wildcard(), wildcard())
    pattern = is_op("nn.relu")(conv.optional(lambda p: is_op("nn.bias_add")(p, wildcard())))
    main = merge(convolutions(), [("t.conv", pattern)])
    assert main.body.op.attrs.PartitionedFromPattern == "nn.conv2d_nn.relu_"
    assert main.body.args[0].op.attrs.PartitionedFromPattern == \
        "nn.conv2d_nn.bias_add_nn.relu_"


def test_checks():
    seen = []

    def first(root):
        # What is checked has types.
        seen.append(root.checked_type)
        conv = root.args[0]
        return conv.op.name == "nn.conv2d" and conv.attrs.groups == 1

    main = merge(convolutions(), [("t.biased", conv_bias_relu(), lambda root: False),
                                  ("t.plain", conv_bias_relu(False), first)])
    assert main.body.op.attrs.Composite == "t.plain"
    assert main.body.args[0].op.name == "nn.relu"
    assert seen == [relay.TensorType((1, 4, 8, 8))]
    with pytest.raises(ZeroDivisionError):
        merge(convolutions(), [("t.plain", conv_bias_relu(False), lambda root: 1 / 0)])


def test_types_between_patterns():
    """A check of a later pattern sees calls of functions with types."""
    a, b = var("a"), var("b")
    pattern = is_op("tanh")(wildcard())

    def is_square(root):
        return root.args[0].checked_type == relay.TensorType((10, 10))

    main = merge(relay.Function([a, b], relay.tanh(relay.nn.relu(a + b))),
                 [("first", add_relu()), ("second", pattern, is_square)])
    assert main.body.op.attrs.Composite == "second"


def test_constants_and_tuples():
    a = var("a")
    pattern = is_op("concatenate")(is_tuple([wildcard(), is_op("multiply")(
        wildcard(), is_constant())]))
    result = merge(relay.Function([a], relay.concatenate([a, a * relay.const(2.0)], 1)),
                   [("t.join", pattern)])
    x = var("x")
    check(result, relay.Function([a], composite(
        [x], relay.concatenate([x, x * relay.const(2.0)], 1), "t.join",
        "multiply_Tuple_concatenate_")(a)))


def test_all_functions_of_a_module():
    x, y, z = var("x"), var("y"), var("z")
    f = relay.GlobalVar("f")
    mod = relay.IRModule({f: relay.Function([x, y], relay.nn.relu(x + y))})
    mod["main"] = relay.Function([z], f(z, relay.nn.relu(z + z)))
    merged = MergeComposite([("t.p", add_relu())])(mod)
    assert merged["f"].body.op.attrs.Composite == "t.p"
    assert merged["main"].body.args[1].op.attrs.Composite == "t.p"
    # The module itself stays.
    assert mod["f"].body.op.name == "nn.relu"
    # A second run finds nothing new.
    relay.assert_structural_equal(MergeComposite([("t.p", add_relu())])(merged), merged)


def test_registered_tables():
    assert get_pattern_table("nobody") is None

    @register_pattern_table("test.table")
    def table():
        return [("test.table.add_relu", add_relu())]

    assert table()[0][0] == "test.table.add_relu"
    rows = get_pattern_table("test.table")
    assert rows is not None
    assert [row[0] for row in rows] == ["test.table.add_relu"]
    a, b = var("a"), var("b")
    main = merge(relay.Function([a, b], relay.nn.relu(a + b)), rows)
    assert main.body.op.attrs.Composite == "test.table.add_relu"
    register_pattern_table("test.table", lambda: [])
    assert get_pattern_table("test.table") == []


@pytest.mark.parametrize("table,message", [
    (None, "expects pattern_table to be a list of"),
    ("text", "expects pattern_table to be a list of"),
    ([("name",)], r"expects each of pattern_table to be \(name, pattern\) or"),
    ([(1, wildcard())], "expects the name of a pattern to be a string, but got 1"),
    ([("name", is_op)], "expects name to have a pattern, but got"),
    ([("name", wildcard(), 3)], "expects the check of name to be a function, but got 3"),
])
def test_wrong_tables(table, message):
    with pytest.raises(TypeError, match=message):
        MergeComposite(table)
    with pytest.raises(TypeError, match=message.replace("pattern_table", "what table returns")):
        register_pattern_table("wrong", lambda: table)


def test_large_program():
    """Time in proportion to the size: 20,000 operators, none of them used twice."""
    x = var("x", (4,))
    expr = x
    for _ in range(10_000):
        expr = relay.nn.relu(expr + x)
    mod = relay.IRModule.from_expr(relay.Function([x], expr))
    merged = MergeComposite([("t.p", add_relu())])(mod)
    assert relay.analysis.list_op_freqs(merged) == {"add": 10_000, "nn.relu": 10_000}
    assert str(merged).count('Composite="t.p"') == 10_000


def test_wildcard_that_is_a_part():
    """What the pattern describes is in the function, even if the wildcard is the same."""
    x = var("x")
    value = relay.tanh(x)
    pattern = is_op("add")(is_op("tanh")(wildcard()), wildcard())
    result = merge(relay.Function([x], value + value), [("tanh_add", pattern)])
    y = var("y")
    inner = relay.tanh(y)
    check(result, relay.Function([x], composite([y], inner + inner, "tanh_add", "tanh_add_")(x)))
