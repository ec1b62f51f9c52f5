"""Nodes: making them, their fields, identity, operators of Python, errors."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay.attrs import make_node


def test_fields_and_identity():
    x = relay.var("x", shape=(2, relay.Any()), dtype="int8")
    assert x.name_hint == "x"
    assert x.type_annotation == relay.TensorType((2, relay.Any()), "int8")
    assert x.type_annotation.shape == (2, relay.Any())
    call = relay.add(x, x)
    assert call.op is relay.op.get("add")
    assert call.args[0] is x and call.args[1] is x
    assert call.args == [x, x]
    function = relay.Function([x], call, attrs={"Primitive": 1})
    assert function.params[0] is x and function.body is call
    assert function.attrs.Primitive == 1 and function.ret_type is None
    assert function.with_attr("Compiler", "c").attrs["Compiler"] == "c"
    assert function.without_attr("Primitive").attrs is None
    assert relay.var("x") != relay.var("x")
    assert relay.GlobalVar("f") == relay.GlobalVar("f")


def test_a_node_outlives_its_wrappers():
    x = relay.var("x")
    tup = relay.Tuple([relay.const(1), x])
    first = tup.fields[0]
    assert tup.fields[0] is first
    del first
    assert tup.fields[0].data.item() == 1
    assert tup.fields[1] is x


def test_control_and_data():
    x, c = relay.var("x", "float32"), relay.var("c", "bool")
    ite = relay.If(c, x, x)
    assert ite.cond is c and ite.true_branch is x
    let = relay.Let(x, relay.const(1.0), ite)
    assert let.var is x and let.body is ite
    ref = relay.RefCreate(x)
    write = relay.RefWrite(ref, x)
    assert relay.RefRead(ref).ref is ref and write.ref is ref and write.value is x
    a = relay.TypeVar("A")
    box = relay.GlobalTypeVar("Box")
    make = relay.Constructor("Make", [a], box)
    empty = relay.Constructor("Empty", [], box)
    data = relay.TypeData(box, [a], [make, empty])
    assert empty.tag == make.tag + 1 and make.tag != 0
    assert make.belong_to == box and make.inputs == [a]
    y = relay.Var("y")
    match = relay.Match(make(x), [
        relay.Clause(relay.PatternConstructor(make, [relay.PatternVar(y)]), y),
        relay.Clause(relay.PatternWildcard(), x)])
    assert match.clauses[0].lhs.patterns[0].var is y
    assert match.complete and match.data.op is make
    mod = relay.IRModule()
    mod[box] = data
    assert mod.get_type("Box") == (box, make, empty)
    with pytest.raises(ValueError, match="constructors of unique names"):
        mod[relay.GlobalTypeVar("Other")] = relay.TypeData(
            relay.GlobalTypeVar("Other"), [],
            [relay.Constructor("Make", [], relay.GlobalTypeVar("Other"))])


def test_types():
    t = relay.TensorType((1, 2))
    assert t.dtype == "float32" and t.concrete_shape == (1, 2)
    assert relay.scalar_type("bool").shape == ()
    function = relay.FuncType([t], relay.TupleType([t]), [relay.TypeVar("A")])
    assert function.arg_types == [t] and function.ret_type.fields == [t]
    assert function.type_params == [relay.TypeVar("A")]
    box = relay.GlobalTypeVar("Box")
    assert box(t).func == box and box(t).args == [t]
    assert relay.RefType(t).value == t
    assert hash(relay.TensorType((1, 2))) == hash(t)
    with pytest.raises(TypeError, match="known sizes"):
        relay.TensorType((relay.Any(),)).concrete_shape  # pylint: disable=expression-not-assigned
    # Without a width it is 32.
    for short in ("int", "uint", "float"):
        assert relay.TensorType((1,), short) == relay.TensorType((1,), short + "32")
    for name in ("float33", "int7", "int+8", "int 8", "", "Float32"):
        with pytest.raises(TypeError, match="expects a data type such as 'float32'"):
            relay.TensorType((), name)
    with pytest.raises(ValueError, match="not negative"):
        relay.TensorType((-1,))


@pytest.mark.parametrize("value,dtype,expected", [
    (1, None, "int32"), (1.5, None, "float32"), (True, None, "bool"), (2**40, None, "int64"),
    ([1, 2], None, "int32"), ([[0.5]], None, "float32"), (1, "uint8", "uint8"),
    (np.float64(1), None, "float64"), (np.arange(3), None, "int64"), (3, "float16", "float16"),
    (1.0, "bfloat16", "bfloat16")])
def test_const(value, dtype, expected):
    const = relay.const(value, dtype)
    assert const.data.dtype.name == expected
    np.testing.assert_array_equal(const.data.astype("float64"), np.asarray(value, "float64"))


@pytest.mark.parametrize("value,dtype,said", [
    (1.5, "int32", "1.5"), ([1, 2.5], "int8", "2.5"), (float("nan"), "int32", "nan"),
    (float("-inf"), "int64", "-inf"), (300, "uint8", "300"), (-1, "uint8", "-1"),
    (-1, "uint64", "-1"), (2**31, "int32", "2147483648"), (2.0**63, "int64", "9.2"),
    (1e300, None, r"1e\+300"), (70000, "float16", "70000"),
    (1e39, "bfloat16", r"1e\+39"), (np.array([3.0, 3.5], "float32"), "int32", "3.5"),
    (np.array([0, 128]), "int8", "128"), (np.array([-1], "int8"), "uint8", "-1")])
def test_const_of_another_number(value, dtype, said):
    """A constant is the number that the program has, or an error, not another one."""
    with pytest.raises(ValueError, match=f"expects numbers that .* has, but got {said}"):
        relay.const(value, dtype)


@pytest.mark.parametrize("value,dtype", [
    (2.0, "int32"), (-128, "int8"), (2**63, "uint64"), (-2.0**63, "int64"), (1, "bool"),
    (0.0, "bool"), (float("inf"), "float16"), (float("nan"), "bfloat16"), (65504, "float16"),
    (np.zeros((0, 2)), "int8"), (np.arange(3), "uint8"), (np.array([4.0]), "int8")])
def test_const_of_the_same_number(value, dtype):
    got = relay.const(value, dtype).data.astype("float64")
    np.testing.assert_array_equal(got, np.asarray(value, "float64"))


def test_const_rounds_floats():
    assert relay.const(0.1, "float16").data == np.float16(0.1)
    assert relay.const(2**24 + 1, "float32").data == 2**24
    assert relay.const([0, 2, 0.5], "bool").data.tolist() == [False, True, True]
    with pytest.raises(ValueError, match="expects integers of 64 bits or less, but got 1180"):
        relay.const(2**70, "int32")


def test_constants_share_memory_that_nobody_writes():
    array = np.arange(1000, dtype="float32")
    copied = relay.const(array)
    array[0] = 7
    assert copied.data[0] == 0
    frozen = np.arange(1000, dtype="float32")
    frozen.setflags(write=False)
    assert np.shares_memory(relay.const(frozen).data, frozen)
    data = copied.data
    assert np.shares_memory(relay.const(data).data, data)
    with pytest.raises(ValueError):
        data[0] = 1
    strided = np.arange(2000, dtype=">f4").reshape(20, 100).T[::3]
    np.testing.assert_array_equal(relay.const(strided).data, strided)


def test_overloads():
    x, y = relay.var("x"), relay.var("y")
    for expr, name in [(x + y, "add"), (x - y, "subtract"), (x * y, "multiply"),
                       (x / y, "divide"), (x < y, "less"), (x > y, "greater"),
                       (x <= y, "less_equal"), (x >= y, "greater_equal"), (-x, "negative")]:
        assert expr.op.name == name
    assert x.astype("int8").attrs.dtype == "int8"
    assert x(y).op is x
    for broken in (lambda: x + 1, lambda: 1 * x, lambda: x < 2.0, lambda: np.ones(2) - x):
        with pytest.raises(TypeError, match="relay.const"):
            broken()
    assert (x == y) is False
    items = relay.split(x, 3)
    assert len(items) == 3 and [i.index for i in items] == [0, 1, 2]
    assert items[-1].index == 2 and items[0].tuple_value is items.astuple()
    with pytest.raises(IndexError):
        items[3]  # pylint: disable=pointless-statement


@pytest.mark.parametrize("make,message", [
    (lambda: relay.Call(relay.op.get("add"), [1, 2]), "expects an expression of Relay"),
    (lambda: relay.Function([relay.const(1)], relay.const(1)),  # type: ignore[list-item]
     "expects a Var"),
    (lambda: relay.Tuple([None]), "expects an expression of Relay"),
    (lambda: relay.Clause(1, relay.const(1)), "expects a pattern"),  # type: ignore[arg-type]
    (lambda: relay.Let(relay.const(1), relay.const(1), relay.const(1)),  # type: ignore[arg-type]
     "expects a Var"),
    (lambda: relay.nn.relu("3"), "expects an expression of Relay"),
    (lambda: relay.const("x"), "expects numbers or bools"),
    (lambda: relay.nn.relu(relay.var("x")).attrs.missing, "no attribute"),
])
def test_wrong_arguments(make, message):
    with pytest.raises((TypeError, AttributeError), match=message):
        make()


def test_scope_builder():
    cond, x = relay.var("cond", "bool"), relay.var("x")
    builder = relay.ScopeBuilder()
    with builder.if_scope(cond):
        one = builder.let("one", relay.const(1.0))
        builder.ret(x + one)
    with builder.else_scope():
        builder.ret(x)
    expr = builder.get()
    assert isinstance(expr, relay.If) and expr.false_branch is x
    assert isinstance(expr.true_branch, relay.Let)
    with pytest.raises(RuntimeError, match="ret"):
        relay.ScopeBuilder().get()


def test_bind():
    x, y = relay.var("x"), relay.var("y")
    function = relay.Function([x, y], x + y)
    bound = relay.bind(function, {x: relay.const(1.0)})
    assert bound.params == [y] and bound.body.args[0].data.item() == 1.0
    assert relay.bind(x + y, {x: y}).args == [y, y]
    with pytest.raises(ValueError, match="bound by a let"):
        relay.bind(relay.Let(x, y, x), {x: y})


def test_tags_of_constructors():
    prelude = relay.Prelude()
    prelude.mod.import_from_std("nat.rly")
    tags = {}
    for data in prelude.mod.type_definitions.values():
        for i, constructor in enumerate(data.constructors):
            assert constructor.tag - data.constructors[0].tag == i
            tags[constructor.tag] = constructor
    assert len(tags) == sum(len(d.constructors) for d in prelude.mod.type_definitions.values())
    # They depend on names alone, and values have them.
    assert relay.Prelude().cons.tag == prelude.cons.tag
    value = relay.create_executor("debug", mod=prelude.mod).evaluate(prelude.some(relay.const(1)))
    assert value.tag == prelude.some.tag


def test_class_of_attributes():
    f, x = relay.GlobalVar("f"), relay.var("x", shape=(2,))
    attrs = make_node("attrs.TestAttrs", name="attr", padding=(3, 4))
    assert attrs.type_key == "attrs.TestAttrs" and attrs.keys() == ["name", "padding"]
    call = relay.Call(f, [x], attrs)
    assert call.attrs == attrs and call.attrs.padding == [3, 4]
    assert 'attrs_type_key="attrs.TestAttrs"' in str(call)
    again = relay.parse_expr(f"free_var %x: Tensor[(2), float32];\n{str(call).splitlines()[-1]}")
    assert again.attrs == attrs
    # That of an operator follows from its name.
    soft = relay.Call(relay.op.get("nn.softmax"), [x],
                      make_node("relay.attrs.SoftmaxAttrs", axis=0))
    assert "attrs_type_key" not in str(soft) and soft.attrs.axis == 0


def test_bind_params_by_name():
    x, other, y = relay.var("x"), relay.var("x"), relay.var("y")
    function = relay.Function([x, other, y], relay.Tuple([x, other, y]))
    one = np.ones(1, "float32")
    assert relay.bind_params_by_name(function, {"y": one, "z": one}).params == [x, other]
    with pytest.raises(relay.DiagnosticError, match="'x' is that of two"):
        relay.bind_params_by_name(function, {"x": one})


def test_shapes_that_are_arrays():
    assert relay.TensorType(np.array([2, 3])).shape == (2, 3)
    # The elements are made for the loop alone, and the error shows one.
    for shape in (np.ones((2, 3)), np.ones((2, 2), np.int8), np.array(["alpha", "b"])):
        with pytest.raises(TypeError, match="expects a size to be an integer"):
            relay.TensorType(shape)
    with pytest.raises(TypeError):
        relay.TensorType(np.array(3))


def test_types_of_many_levels():
    """Types of more levels than anything goes down are refused, not printed to death."""
    nested: relay.Type = relay.TensorType((2,), "float32")
    with pytest.raises(ValueError, match="at most 1000 levels"):
        for _ in range(5000):
            nested = relay.TupleType([nested])
    assert str(nested).startswith("(((")
