"""Names of Relay's Python: places, devices, types, copies of nodes, parameters as bytes."""

import struct
import sys
from typing import Any

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import op as _op
from relay_mlir.relay.device import VirtualDevice


def evaluate(expr, *args):
    return relay.create_executor("debug", mod=relay.IRModule.from_expr(expr)).evaluate()(*args)


def test_namespace():
    for name in ("base", "function", "loops", "param_dict", "build_module", "prelude", "debug"):
        assert hasattr(relay, name)
    assert relay.setrecursionlimit is sys.setrecursionlimit
    assert _op.const is relay.const
    assert relay.function.Function is relay.Function


@pytest.mark.parametrize("name", ["contrib"])
def test_what_is_not_there_yet(name):
    with pytest.raises(AttributeError, match=f"'{name}': .* is not there yet"):
        getattr(relay, name)
    assert not hasattr(relay, "nothing_of_this_name")


#===------------------------------------------------------------------------===#
# Places
#===------------------------------------------------------------------------===#


def test_spans():
    span = relay.Span(relay.SourceName("model.py"), 3, 4, 5, 6)
    assert (span.source_name.name, span.line, span.end_line, span.column, span.end_column) == (
        "model.py", 3, 4, 5, 6)
    assert span == relay.Span("model.py", 3, 4, 5, 6)
    assert span.same_as(span) and not span.same_as(relay.Span("model.py", 3, 4, 5, 6))
    assert str(span) == "Span(model.py, 3, 4, 5, 6)"
    x = relay.var("x", span=span)
    assert x.span == span and relay.const(1, span=span).span == span
    assert relay.Call(relay.op.get("exp"), [x], span=span).span == span
    assert relay.var("y").span is None
    nowhere = relay.Span(None, 1, 2, 3, 4)
    assert nowhere.source_name is None and relay.var("x", span=nowhere).span == nowhere
    with pytest.raises(TypeError, match="expects a Span, but got"):
        relay.var("x", span=("model.py", 3, 4))


def test_spans_of_several_places():
    first, second = relay.Span("a", 1, 1, 2, 3), relay.Span("b", 4, 5, 6, 7)
    span = relay.SequentialSpan([first, relay.SequentialSpan([second, first])])
    assert span.spans == [first, second]
    assert relay.var("x", span=span).span == span
    assert relay.var("x", span=relay.SequentialSpan([first])).span == first
    with pytest.raises(ValueError, match="expects places"):
        relay.SequentialSpan([])


def test_spans_of_text_and_through_passes():
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) {\n  exp(%x)\n}\n'
    body = relay.parse(source=text, source_name="text")["main"].body
    assert body.span.source_name == relay.SourceName("text") and body.span.line == 3
    assert body.span.column == 3 and body.span.end_column > 3
    span = relay.SequentialSpan([relay.Span("a", 1, 1, 2, 3), relay.Span("b", 4, 5, 6, 7)])
    x = relay.var("x", shape=(2,))
    call = relay.Call(relay.op.get("exp"), [x], span=span)
    inferred = relay.testing.run_infer_type(relay.Function([x], call))
    assert inferred.body.span == span


def test_span_check():
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { exp(%x) }\n'
    mod = relay.parse(text)
    x = relay.var("x", shape=(2,))
    without = relay.IRModule.from_expr(relay.Function([x], relay.exp(x)))
    with pytest.warns(UserWarning, match="@main: 3 expressions have no span"):
        assert relay.SpanCheck()(without) is without
    mod = relay.SpanCheck()(mod)
    assert relay.SpanCheck().name == "SpanCheck"


#===------------------------------------------------------------------------===#
# Types
#===------------------------------------------------------------------------===#


def test_types():
    a = relay.TypeVar("a")
    relation = relay.TypeRelation("Broadcast", [a, relay.TensorType((1, 2))], 1, None)
    assert isinstance(relation, relay.TypeConstraint) and isinstance(relation, relay.Type)
    assert relation.args == [a, relay.TensorType((1, 2))] and relation.num_inputs == 1
    assert relation.func == "Broadcast" and relation.attrs is None
    assert str(relation) == "Broadcast(a, Tensor[(1, 2), float32])"
    assert relation == relay.TypeRelation("Broadcast", relation.args, 1, None)
    assert relation != relay.TypeRelation("Identity", relation.args, 1, None)

    type_ = relay.FuncType([a], a, [a], [relation])
    assert type_.type_constraints == [relation] and type_.arg_types == [a]
    assert relay.FuncType(arg_types=[a], ret_type=a, type_params=[a],
                          type_constraints=[]).type_constraints == []
    with pytest.raises(TypeError, match="expects a type constraint, but got"):
        relay.FuncType([a], a, [a], [a])
    with pytest.raises(TypeError, match="expects a type of values, but got a constraint"):
        relay.var("x", relation)
    with pytest.raises(TypeError, match="expects a TypeRelation"):
        relay.TypeConstraint()
    assert isinstance(relay.ShapeVar("s"), relay.TypeVar)


def test_is_dynamic():
    static, unknown = relay.TensorType((2, 3)), relay.TensorType((2, relay.Any()))
    assert not relay.is_dynamic(static) and relay.is_dynamic(unknown)
    assert relay.is_dynamic(relay.TupleType([static, unknown]))
    assert relay.is_dynamic(relay.FuncType([static], unknown))
    assert not relay.is_dynamic(relay.TupleType([static, relay.TypeVar("a")]))
    assert relay.is_dynamic is relay.ty.is_dynamic


def test_same_as():
    x = relay.var("x")
    call = relay.exp(x)
    assert call.args[0].same_as(x) and not x.same_as(relay.var("x"))
    # GlobalVars of one name are equal, but not the same.
    f = relay.GlobalVar("f")
    assert f == relay.GlobalVar("f") and not f.same_as(relay.GlobalVar("f"))
    assert relay.TensorType((2,)).same_as(relay.TensorType((2,)))
    assert not relay.TensorType((2,)).same_as(relay.TensorType((3,)))


def test_const_of_a_type():
    constant = relay.const([1, 2], dtype=relay.TensorType((2,), "int8"))
    assert constant.data.dtype == "int8" and constant.data.shape == (2,)


def test_temp_expr():
    assert issubclass(relay.TempExpr, relay.Expr)
    with pytest.raises(NotImplementedError, match="forward rewriting"):
        relay.TempExpr()


#===------------------------------------------------------------------------===#
# Devices
#===------------------------------------------------------------------------===#


def test_virtual_devices():
    gpu = VirtualDevice.of("cuda(1)")
    assert (gpu.device_type_int, gpu.virtual_device_id) == (2, 1)
    x = relay.Var("x", relay.TensorType((2,)), virtual_device_=gpu)
    assert x.virtual_device_ == gpu
    assert relay.var("x").virtual_device_.is_fully_unconstrained()
    assert relay.exp(x).virtual_device_ == VirtualDevice()
    mod = relay.IRModule.from_expr(relay.Function([x], relay.exp(x)))
    assert "virtual_device=" in mod.astext()
    assert relay.parse(mod.astext())["main"].params[0].virtual_device_ == gpu
    function = relay.annotation.function_on_device(mod["main"], [gpu], relay.device.cpu())
    assert function.virtual_device_ == VirtualDevice.of(relay.device.cpu())
    assert relay.on_device(x, gpu).attrs.virtual_device["virtual_device_id"] == 1
    with pytest.raises(NotImplementedError, match="on_device"):
        relay.Tuple([x], virtual_device_=gpu)
    with pytest.raises(NotImplementedError, match="targets and kinds of memory"):
        relay.Var("x", virtual_device_=VirtualDevice(1, 0, memory_scope="global"))


#===------------------------------------------------------------------------===#
# Copies with other fields
#===------------------------------------------------------------------------===#

X, Y, C = relay.var("x"), relay.var("y"), relay.var("c", "bool")
SPAN = relay.Span("s", 1, 1, 1, 2)
REF = relay.RefCreate(X)
TUP = relay.Tuple([X, Y])


@pytest.mark.parametrize("copy, node, changes", [
    (relay.TupleWithFields, TUP, {"fields": [Y, X]}),
    (relay.CallWithFields, relay.add(X, Y), {"op": relay.op.get("subtract"), "args": [Y, X]}),
    (relay.CallWithFields, relay.sum(X, axis=1), {"attrs": {"axis": [0]}}),
    (relay.LetWithFields, relay.Let(X, Y, X), {"value": C, "body": Y}),
    (relay.IfWithFields, relay.If(C, X, Y),
     {"cond": X, "true_branch": Y, "false_branch": X}),
    (relay.TupleGetItemWithFields, relay.TupleGetItem(TUP, 0), {"tuple_value": X, "index": 1}),
    (relay.RefCreateWithFields, REF, {"value": Y}),
    (relay.RefReadWithFields, relay.RefRead(REF), {"ref": X}),
    (relay.RefWriteWithFields, relay.RefWrite(REF, X), {"ref": X, "value": Y}),
    (relay.FunctionWithFields, relay.Function([X], X),
     {"params": [Y], "body": Y, "ret_type": relay.TensorType((1,))}),
])
def test_with_fields(copy, node, changes):
    assert copy(node) is node
    same = {name: getattr(node, name) for name in changes}
    assert copy(node, **same) is node
    new = copy(node, **changes)
    assert type(new) is type(node) and new is not node
    for name, value in changes.items():
        got = getattr(new, name)
        assert got == value if name != "attrs" else got.axis == [0]
        one = copy(node, **{name: value})
        for other in set(changes) - {name}:
            assert getattr(one, other) == getattr(node, other)
    assert new.span is None
    placed = copy(node, span=SPAN)
    assert placed is not node and placed.span == SPAN and copy(placed, span=SPAN) is placed
    assert copy(placed, **changes).span == SPAN


def test_variables_constants_and_functions_with_fields():
    type_ = relay.TensorType((3,))
    variable = relay.VarWithFields(X, type_annotation=type_)
    assert variable.name_hint == "x" and variable.type_annotation == type_ and variable is not X
    assert relay.VarWithFields(X) is X and relay.VarWithFields(X, vid=Y).name_hint == "y"
    device = VirtualDevice.of("cuda")
    there = relay.VarWithFields(X, virtual_device=device)
    assert there.virtual_device_ == device
    assert relay.VarWithFields(there, type_annotation=type_).virtual_device_ == device

    constant = relay.const([1.0, 2.0])
    assert relay.ConstantWithFields(constant) is constant
    assert relay.ConstantWithFields(constant, constant.data) is constant
    other = relay.ConstantWithFields(constant, np.array([3], "float32"))
    np.testing.assert_array_equal(other.data, [3])

    function = relay.Function([X], X, attrs={"Primitive": 1})
    moved = relay.FunctionWithFields(function, virtual_device=device)
    assert moved.virtual_device_ == device and moved.attrs.Primitive == 1
    assert relay.FunctionWithFields(function, attrs={"Inline": 1}).attrs.keys() == ["Inline"]


#===------------------------------------------------------------------------===#
# Parameters
#===------------------------------------------------------------------------===#

PARAMS = {
    "a": np.arange(6, dtype="float32").reshape(2, 3), "scalar": np.array(True),
    "empty": np.zeros((0, 2), "int64"), "ü": np.array([1, 255], "uint8"),
    "transposed": np.arange(6, dtype="float64").reshape(2, 3).T,
    "half": np.array([1.5], "float16"), "brain": relay.const([1.5], "bfloat16").data,
}


def test_param_dict():
    data = relay.save_param_dict(PARAMS)
    loaded = relay.load_param_dict(data)
    assert list(loaded) == list(PARAMS)
    for name, value in PARAMS.items():
        assert loaded[name].dtype == value.dtype and loaded[name].shape == value.shape
        np.testing.assert_array_equal(loaded[name], value)
    assert relay.load_param_dict(bytes(relay.save_param_dict({}))) == {}
    assert relay.param_dict.save_param_dict is relay.save_param_dict


def test_param_dict_of_tvm():
    """The bytes of its format, written out: the magic numbers, the name, and a 1x2
    float32 array on the CPU."""
    data = (struct.pack("<QQ", 0xF7E58D4F05049CB7, 0) + struct.pack("<QQ", 1, 1) + b"w" +
            struct.pack("<Q", 1) + struct.pack("<QQ", 0xDD5E40F096B4A13F, 0) +
            struct.pack("<iiiBBH", 1, 0, 2, 2, 32, 1) + struct.pack("<qqq", 1, 2, 8) +
            struct.pack("<ff", 1.5, -2))
    array = np.array([[1.5, -2]], "float32")
    np.testing.assert_array_equal(relay.load_param_dict(data)["w"], array)
    assert relay.save_param_dict({"w": array}) == data


def _is_read(data):
    try:
        return len(relay.load_param_dict(data)) == 1
    except ValueError:
        return False


def test_param_dict_of_other_bytes():
    data = bytes(relay.save_param_dict({"a": np.ones(3)}))
    for size in range(len(data)):
        with pytest.raises(ValueError, match="expects"):
            relay.load_param_dict(data[:size])
    with pytest.raises(ValueError, match="begin with"):
        relay.load_param_dict(b"x" * 100)
    for place in range(len(data)):
        broken = bytearray(data)
        broken[place] ^= 0xff
        readable = _is_read(broken)
        # What may be anything: reserved numbers, the name, the device, the contents.
        assert not readable or place not in range(0, 8), place
    with pytest.raises(TypeError, match="expects bytes"):
        relay.load_param_dict({"a": 1})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="numbers or bools"):
        relay.save_param_dict({"a": np.array(["x"])})


def test_bind_params_by_name():
    x = relay.var("x", "float32")
    function = relay.bind_params_by_name(func=relay.Function([x, Y], x + Y), params={"y": 2.0})
    assert function.params == [x]
    assert evaluate(function, np.float32(1)) == 3


#===------------------------------------------------------------------------===#
# Loops, optimize
#===------------------------------------------------------------------------===#


def test_while_loop():
    """Sums 1 to 10, and doubles a vector whose type the loop takes from its start."""
    i = relay.var("i", "int32")
    total = relay.var("total", "int32")
    v = relay.var("v", shape=(2,))
    loop = relay.loops.while_loop(
        lambda i, total, v: relay.less(i, relay.const(10)), [i, total, v],
        lambda i, total, v: [i + relay.const(1), total + i + relay.const(1), v + v])
    start = relay.var("start", shape=(2,))
    result = relay.Function([start], loop(relay.const(0), relay.const(0), start))
    count, total, vector = evaluate(result, np.array([1, 3], "float32"))
    assert (count, total) == (10, 55)
    np.testing.assert_array_equal(vector, [1024, 3072])
    assert isinstance(loop, relay.Let) and loop.value.params[0].name_hint == "i"


def test_optimize():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    function = relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w)))
    weights = np.ones((4, 3), "float32")
    with relay.PassContext(opt_level=3):
        mod, params = relay.optimize(function, target="llvm", params={"w": weights})
    calls = [node.op for node in relay_nodes(mod["main"]) if isinstance(node, relay.Call)]
    assert all(isinstance(op, relay.GlobalVar) for op in calls)
    assert len(calls) == 1 and mod[calls[0]].attrs.Primitive == 1
    np.testing.assert_array_equal(params["w"], weights)
    run = relay.create_executor("debug", mod=mod).evaluate()
    np.testing.assert_array_equal(run(np.ones((2, 3), "float32")), np.full((2, 4), 3))


def relay_nodes(function):
    nodes: list[Any] = []
    relay.post_order_visit(function.body, nodes.append)
    return nodes


#===------------------------------------------------------------------------===#
# Values
#===------------------------------------------------------------------------===#


def test_constructor_values():
    mod = relay.IRModule()
    p = relay.Prelude(mod)
    nil = relay.ConstructorValue(p.nil.tag, [], p.nil)
    value = relay.ConstructorValue(tag=p.cons.tag, fields=[np.array([1, 2], "float32"), nil],
                                   constructor=p.cons)
    assert value.tag == p.cons.tag and value.constructor is p.cons
    assert value.fields[1] is nil
    np.testing.assert_array_equal(value.fields[0], [1, 2])
    a = relay.TypeVar("a")
    x = relay.var("x", p.l(a))
    same = relay.Function([x], x, p.l(a), [a])
    back = relay.create_executor("debug", mod=mod).evaluate(same)(value)
    assert str(back) == str(value) and back.tag == value.tag
    # The interpreter's values have constructors of their program's definitions.
    assert back.constructor == p.cons and back.fields[1].constructor == p.nil
    assert [str(t) for t in back.constructor.inputs] == [str(t) for t in p.cons.inputs]
    with pytest.raises(ValueError, match="expects the tag of Nil"):
        relay.ConstructorValue(p.cons.tag, [], p.nil)
    with pytest.raises(ValueError, match="expects 2 fields of Cons, but got 1"):
        relay.ConstructorValue(p.cons.tag, [nil], p.cons)
    with pytest.raises(TypeError, match="to be a constructor, but got .Nil"):
        relay.ConstructorValue(0, [], "Nil")  # type: ignore[arg-type]
    pair = relay.ConstructorValue(p.cons.tag, [(np.int32(1), ()), nil], p.cons)
    assert str(pair) == "Cons((1, ()), Nil)"


def test_constructors_by_tag():
    mod = relay.parse('#[version = "0.0.5"]\ntype Either { Left(int32), Right }')
    for constructor in mod.get_type("Either")[1:]:
        assert mod.get_constructor(constructor.tag) == constructor
        assert mod.get_constructor("Either", constructor.name_hint) == constructor
    with pytest.raises(ValueError, match="expects the tag of one constructor, but got 12345"):
        mod.get_constructor(12345)


def test_reference_values():
    mod = relay.IRModule()
    p = relay.Prelude(mod)
    cell = relay.RefValue(np.float32(3))
    assert cell.value == 3
    cell.value = np.float32(4)
    assert cell.value == 4
    r = relay.var("r", relay.RefType(relay.scalar_type("float32")))
    twice = relay.Function([r], relay.RefWrite(r, relay.RefRead(r) + relay.RefRead(r)))
    evaluate(twice, cell)
    assert cell.value == 8
    nil = relay.ConstructorValue(p.nil.tag, [], p.nil)
    assert relay.RefValue((nil, ())).value[1] == ()
    with pytest.raises(AttributeError):
        cell.contents = 3  # type: ignore[attr-defined]


def test_count():
    mod = relay.IRModule()
    p = relay.Prelude(mod)
    number = relay.testing.make_nat_value(p, 5)
    assert relay.testing.count(p, number) == relay.testing.count(number) == 5
    with pytest.raises(TypeError, match="expects a value of nat"):
        relay.testing.count(p, 5)
