"""Operators that programs add: inference, text, evaluation, and the attributes of operators."""

import itertools
import threading
from typing import Any

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay
from relay_mlir.relay import op as _op
from relay_mlir.relay.attrs import DictAttrs

_numbers = itertools.count()
X = np.arange(6, dtype="float32").reshape(2, 3)


def add_operator(num_inputs=1, relation="Identity", function=None):
    """Adds an operator of a name of its own."""
    name = f"test.added{next(_numbers)}"
    _op.op.register(name, "An operator of a test.")
    op = _op.get(name)
    op.set_num_inputs(num_inputs)
    op.add_type_rel(relation, function)
    return op


def interpret(expr, *args):
    mod = relay.IRModule.from_expr(expr)
    return relay.create_executor("debug", mod=mod).evaluate()(*args)


def evaluate(expr, *args):
    """What the interpreter computes, and the virtual machine: these are equal."""
    mod = expr if isinstance(expr, relay.IRModule) else relay.IRModule.from_expr(expr)
    interpreted, compiled = (relay.create_executor(kind, mod=mod).evaluate()(*args)
                             for kind in ("debug", "vm"))
    assert isinstance(interpreted, tuple) == isinstance(compiled, tuple)
    pairs = zip(interpreted, compiled) if isinstance(interpreted, tuple) else [
        (interpreted, compiled)]
    for one, other in pairs:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    return compiled


def infer(expr):
    return relay.testing.run_infer_type(expr)


def scale(attrs, inputs, out_type):
    assert isinstance(out_type, relay.TensorType)
    return [inputs[0] * np.float32(attrs["factor"])]


def test_is_inferred_printed_read_and_evaluated():
    op = add_operator()
    _op.register_compute(op.name, scale)
    x = relay.var("x", shape=(2, 3))
    function = relay.Function([x], relay.Call(op, [x], {"factor": 3.0}) + x)
    mod = relay.transform.InferType()(relay.IRModule.from_expr(function))
    assert mod["main"].body.args[0].checked_type == relay.TensorType((2, 3))
    assert f"{op.name}(%x, factor=3f)" in str(mod)
    assert relay.structural_equal(relay.parse(mod.astext()), mod)
    for program in (function, relay.parse(mod.astext())["main"]):
        np.testing.assert_array_equal(evaluate(program, X), X * 4)


def test_the_type_is_known_only_through_inference():
    """Calls are inferred before their operands' types are written."""
    op = add_operator(2, "Broadcast")
    _op.register_compute(op.name, lambda attrs, inputs, out_type: inputs[0] + inputs[1])
    x, y = relay.var("x", shape=(2, 3)), relay.var("y")
    inner = relay.Function([y], relay.nn.relu(relay.Call(op, [y, relay.sum(y)])))
    function = relay.Function([x], inner(x))
    assert infer(function).ret_type == relay.TensorType((2, 3))
    np.testing.assert_array_equal(evaluate(function, X), X + X.sum())


def test_as_a_value():
    op = add_operator()
    _op.register_compute(op.name, lambda attrs, inputs, out_type: [-inputs[0]])
    mod = relay.parse(f'#[version = "0.0.5"]\n'
                      f'def @main(%x: Tensor[(2, 3), float32]) {{ let %f = {op.name}; %f(%x) }}')
    np.testing.assert_array_equal(evaluate(mod, X), -X)
    assert f"= {op.name};" in str(mod)


def test_tuples_and_any_number_of_operands():
    """Fields of tuples come one by one, and results go back into tuples."""

    def relation(types, attrs):
        assert isinstance(attrs, DictAttrs) and attrs["order"] == [1, 0]
        fields = types[0].fields
        return relay.TupleType([fields[i] for i in attrs["order"]])

    op = add_operator(-1, "swap", relation)
    _op.register_compute(op.name, lambda attrs, inputs, out_type:
                         [inputs[i] for i in attrs["order"]])
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(), dtype="int8")
    call = relay.Call(op, [relay.Tuple([x, y])], {"order": [1, 0]})
    function = relay.Function([x, y], call)
    assert infer(function).ret_type == relay.TupleType(
        [relay.TensorType((), "int8"), relay.TensorType((2, 3))])
    first, second = evaluate(function, X, np.int8(7))
    assert first == 7 and first.dtype == "int8"
    np.testing.assert_array_equal(second, X)


def test_a_result_of_unknown_size():
    def relation(types, attrs):
        return relay.TensorType((relay.Any(),), types[0].dtype)

    op = add_operator(1, "positive", relation)
    _op.register_compute(op.name, lambda attrs, inputs, out_type: [inputs[0][inputs[0] > 2]])
    _op.register_shape_func(op.name, True, lambda attrs, inputs, ndims: [])
    assert op.get_attr("TShapeDataDependent") == [True]
    x = relay.var("x", shape=(2, 3))
    np.testing.assert_array_equal(evaluate(relay.Function([x], relay.Call(op, [x])), X),
                                  [3, 4, 5])


def test_strategies():
    """The implementation of the highest level counts, and a strategy before a compute
    function."""
    op = add_operator()
    _op.register_compute(op.name, lambda attrs, inputs, out_type: [inputs[0] * 0])

    @_op.register_strategy(op.name)
    def strategy(attrs, inputs, out_type, target):
        assert inputs[0].shape == (2, 3) and target == "llvm"
        result = _op.OpStrategy()
        result.add_implementation(lambda *_: [inputs[0] + 1], None, "slow", plevel=5)
        result.add_implementation(lambda *_: [inputs[0] + 2], None, "fast", plevel=15)
        return result

    x = relay.var("x", shape=(2, 3))
    np.testing.assert_array_equal(evaluate(relay.Function([x], relay.Call(op, [x])), X), X + 2)

    other = add_operator()
    with pytest.raises(ValueError, match="compute function of .* before its schedule"):
        _op.register_injective_schedule(other.name)
    _op.register_compute(other.name, lambda attrs, inputs, out_type: [inputs[0] + 3])
    _op.register_injective_schedule(other.name)
    np.testing.assert_array_equal(evaluate(relay.Function([x], relay.Call(other, [x])), X), X + 3)
    implementation, = strategy(None, [X], None, "llvm").specializations[0].implementations[:1]
    assert implementation.name == "slow" and implementation.plevel == 5
    np.testing.assert_array_equal(implementation.compute(None, [X], None)[0], X + 1)


def test_what_python_raises_is_raised():
    def relation(types, attrs):
        assert len(types) == 2, "type relation arg number mismatch!"

    op = add_operator(1, "broken", relation)
    x = relay.var("x", shape=(2, 3))
    function = relay.Function([x], relay.Call(op, [x]))
    with pytest.raises(AssertionError, match="arg number mismatch"):
        infer(function)

    def compute(attrs, inputs, out_type):
        raise KeyError("nothing")

    other = add_operator()
    _op.register_compute(other.name, compute)
    with pytest.raises(KeyError, match="nothing"):
        evaluate(relay.Function([x], relay.Call(other, [x])), X)


@pytest.mark.parametrize("result, message", [
    (None, "expects operands from which its type relation infers a type"),
    (3, "expects a type from its type relation, but got 3"),
    (relay.TypeRelation("f", [], 0, None), "expects a type of values, but got a constraint"),
])
def test_relations_that_give_no_type(result, message):
    op = add_operator(1, "none", lambda types, attrs: result)
    x = relay.var("x", shape=(2, 3))
    with pytest.raises(relay.DiagnosticError, match=message):
        infer(relay.Function([x], relay.Call(op, [x])))


def test_errors():
    x = relay.var("x", shape=(2, 3))
    name = f"test.added{next(_numbers)}"
    _op.register(name)
    op = _op.get(name)
    with pytest.raises(relay.DiagnosticError, match="expects a type relation"):
        infer(relay.Function([x], relay.Call(op, [x])))
    op.add_type_rel("Identity")
    with pytest.raises(relay.DiagnosticError, match="register_compute or register_strategy"):
        evaluate(relay.Function([x], relay.Call(op, [x])), X)
    op.set_num_inputs(2)
    with pytest.raises(relay.DiagnosticError, match=f"expects 2 arguments of '{name}', but got 1"):
        infer(relay.Function([x], relay.Call(op, [x])))
    with pytest.raises(ValueError, match=f"Operator {name} is registered before"):
        _op.register(name)
    for wrong in ("", "my op", "1st", "a..b", "a.1", "ä"):
        with pytest.raises(ValueError, match="expects letters, digits"):
            _op.register(wrong)
    with pytest.raises(ValueError, match="Operator add is registered before"):
        _op.register("add")
    with pytest.raises(ValueError, match="type relation of Broadcast, .* but got 'Conv9D'"):
        op.add_type_rel("Conv9D")
    with pytest.raises(ValueError, match="there is no operator 'nothing.like.it'"):
        _op.get(op_name="nothing.like.it")
    with pytest.raises(ValueError, match="'add' is one of Relay"):
        _op.get("add").set_num_inputs(3)
    with pytest.raises(RuntimeError, match="relay.op.get"):
        relay.Op()


def test_a_result_of_another_type():
    x = relay.var("x", shape=(2, 3))
    for value, message in [([X.astype("float64")], "of type .* but got one of float64"),
                           ([X, X], "expects 1 tensors from a definition, but got 2"),
                           ([X[:1]], r"of type .* but got one of shape \(1, 3\)")]:
        op = add_operator()
        _op.register_compute(op.name, lambda attrs, inputs, out_type, value=value: value)
        with pytest.raises((TypeError, ValueError, relay.DiagnosticError), match=message):
            evaluate(relay.Function([x], relay.Call(op, [x])), X)
        with pytest.raises((TypeError, ValueError), match=message.replace("a result", "a tensor")):
            run_compiled(op, X)


def run_compiled(op, *args):
    x = relay.var("x", shape=(2, 3))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.Call(op, [x])))
    return relay.create_executor("vm", mod=mod).evaluate()(*args)


def test_errors_of_compiled_programs():
    def fail(attrs, inputs, out_type):
        raise KeyError("nothing")

    op = add_operator()
    with pytest.raises(rm.Error, match="register_compute or register_strategy"):
        run_compiled(op, X)
    _op.register_compute(op.name, fail)
    with pytest.raises(KeyError, match="nothing"):
        run_compiled(op, X)


def test_is_no_kernel():
    op = add_operator()
    x = relay.var("x", shape=(2, 3))
    with pytest.raises(relay.DiagnosticError, match="run in the interpreter and in the virtual "
                       "machine"):
        relay.build(relay.Function([x], relay.Call(op, [x])), "llvm")


def test_in_a_model_with_other_operators(tmp_path):
    """The machine calls it between functions of tensors, also in loops and closures; a file
    runs where the operator is added."""
    op = add_operator()
    _op.register_compute(op.name, scale)
    mod = relay.parse(f"""#[version = "0.0.5"]
        def @repeat(%n: int32, %x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {{
          if (less(%n, 1)) {{ %x }} else {{
            let %f = fn (%y: Tensor[(?, 3), float32]) {{ {op.name}(%y, factor=0.5f) }};
            @repeat(subtract(%n, 1), add(%f(%x), 1f))
          }}
        }}
        def @main(%n: int32, %x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {{
          nn.relu(@repeat(%n, {op.name}(tanh(%x), factor=2f)))
        }}""")
    for rows in (0, 1, 4):
        x = np.random.default_rng(rows).standard_normal((rows, 3)).astype("float32")
        want = 2 * np.tanh(x)
        for _ in range(3):
            want = want / 2 + 1
        np.testing.assert_allclose(evaluate(mod, np.int32(3), x), np.maximum(want, 0), rtol=1e-6)
    executable = relay.vm.compile(mod)
    executable.save(tmp_path / "model.so")
    program = rm.load(tmp_path / "model.so")
    np.testing.assert_allclose(program(np.int32(3), x), np.maximum(want, 0), rtol=1e-6)


def test_programs_in_several_threads():
    """A relation may infer a program itself, and each thread runs what it asked for."""

    def relation(types, attrs):
        y = relay.var("y", types[0])
        return infer(relay.Function([y], relay.nn.relu(y))).ret_type

    op = add_operator(1, "nested", relation)
    errors = []

    def run(size):
        x = relay.var("x", shape=(size,))
        try:
            for _ in range(5):
                type_ = infer(relay.Function([x], relay.Call(op, [x]))).ret_type
                assert type_ == relay.TensorType((size,))
                with pytest.raises(relay.DiagnosticError, match=f"got .*{size + 1}"):
                    y = relay.var("y", shape=(size + 1,))
                    infer(relay.Function([x, y], relay.Call(op, [x + y])))
        except BaseException as error:  # pylint: disable=broad-exception-caught
            errors.append(error)

    threads = [threading.Thread(target=run, args=(size,)) for size in (3, 30, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


#===------------------------------------------------------------------------===#
# Attributes
#===------------------------------------------------------------------------===#


def test_relations_by_name():
    def result(relation, *types):
        op = add_operator(len(types), relation)
        params = [relay.var(f"x{i}", type_) for i, type_ in enumerate(types)]
        return infer(relay.Function(params, relay.Call(op, params))).ret_type

    a, b = relay.TensorType((2, 1, 3)), relay.TensorType((relay.Any(), 5, 1))
    assert result("Broadcast", a, b) == relay.TensorType((2, 5, 3))
    assert result("BroadcastComp", a, b) == relay.TensorType((2, 5, 3), "bool")
    assert result("Identity", a) == a
    assert result("IdentityCompRel", b) == relay.TensorType((relay.Any(), 5, 1), "bool")
    with pytest.raises(TypeError, match="expects shapes that broadcast"):
        result("Broadcast", a, relay.TensorType((4,)))
    with pytest.raises(TypeError, match="expects tensors of one dtype"):
        result("Broadcast", a, relay.TensorType((3,), "int8"))


def test_attributes_of_operators():
    assert relay.op.get("exp").num_inputs == 1 and relay.op.get("add").num_inputs == 2
    assert relay.op.get("log").support_level == 1 and relay.op.get("ceil").support_level == 3
    assert relay.op.get("nn.conv2d").support_level == 2
    assert [a.name for a in relay.op.get("nn.dense").arguments] == ["data", "weight"]
    assert relay.op.get("exp").description
    assert relay.Op.get("exp") is relay.op.get("exp")
    assert {"exp", "nn.conv2d"} <= set(relay.Op.list_op_names())
    patterns = {"exp": _op.OpPattern.ELEMWISE, "add": _op.OpPattern.BROADCAST,
                "reshape": _op.OpPattern.INJECTIVE, "sum": _op.OpPattern.COMM_REDUCE,
                "nn.conv2d": _op.OpPattern.OUT_ELEMWISE_FUSABLE}
    assert {n: relay.op.get(n).get_attr("TOpPattern") for n in patterns} == patterns

    name = f"test.added{next(_numbers)}"
    _op.register(name, "Of a test.")
    op = _op.get(name)
    assert op.num_inputs == -1 and op.support_level == 10 and op.description == "Of a test."
    op.add_argument("data", "Tensor", "What it is of.")
    op.set_num_inputs(2)
    op.set_support_level(3)
    op.set_attrs_type_key("DictAttrs")
    assert op.arguments[0].name == "data" and op.arguments[0].type_info == "Tensor"
    assert (op.num_inputs, op.support_level, op.attrs_type_key) == (2, 3, "DictAttrs")
    assert name in relay.Op.list_op_names()


def test_setting_attributes():
    @_op.register_op_attr("exp", "ftest")
    def ftest(x):
        return x + 1

    exp = relay.op.get("exp")
    assert exp.get_attr("ftest") is ftest and exp.has_attr("ftest")
    assert relay.op.get("log").get_attr("ftest") is None
    with pytest.raises(ValueError, match="registered with level 10 already"):
        exp.set_attr("ftest", 3)
    exp.set_attr("ftest", 3, plevel=5)
    assert exp.get_attr("ftest") is ftest
    exp.set_attr("ftest", 3, plevel=11)
    assert exp.get_attr("ftest") == 3
    with relay.testing.TempOpAttr("exp", "ftest", 4):
        assert exp.get_attr("ftest") == 4
    assert exp.get_attr("ftest") == 3
    exp.reset_attr("ftest")
    assert not exp.has_attr("ftest")
    with pytest.raises(ValueError, match="level of an attribute to be 1 or more"):
        exp.set_attr("ftest", 3, plevel=0)


@pytest.mark.parametrize("register, key", [
    (_op.register_alter_op_layout, "FTVMAlterOpLayout"),
    (_op.register_convert_op_layout, "FTVMConvertOpLayout"),
    (_op.register_external_compiler, "FTVMExternalCompiler"),
    (_op.register_fake_quantization_to_integer, "FTVMFakeQuantizationToInteger"),
    (_op.register_gradient, "FPrimalGradient"),
    (_op.register_infer_correct_layout, "FInferCorrectLayout"),
    (_op.register_legalize, "FTVMLegalize"),
    (_op.register_mixed_precision_conversion, "FTVMMixedPrecisionConversionType"),
    (_op.register_optional_fake_quantization_to_integer, "FTVMOptionalFakeQuantizationToInteger"),
    (_op.register_stateful, "TOpIsStateful"),
    (_op.register_pattern, "TOpPattern"),
    (relay.qnn.op.register_qnn_legalize, "FTVMQnnLegalize"),
    (relay.qnn.op.register_qnn_canonicalize, "FTVMQnnCanonicalize"),
])
def test_registration(register, key):
    name = f"test.added{next(_numbers)}"
    _op.register(name)
    register(name, 1)
    assert _op.get(name).get_attr(key) == 1
    _op.get(name).reset_attr(key)
    if register not in (_op.register_stateful, _op.register_pattern):  # As decorators.
        assert register(name)(2) == 2
        assert _op.get(name).get_attr(key) == 2


@pytest.mark.parametrize("register", [
    lambda: _op.register_compute("exp", scale), lambda: _op.register_strategy("exp", scale),
    lambda: _op.register_injective_schedule("exp"), lambda: _op.register_reduce_schedule("sum"),
    lambda: _op.register_broadcast_schedule("add"),
])
def test_definitions_of_relay_stay(register):
    with pytest.raises(NotImplementedError, match="schedules, is not chosen by strategies yet"):
        register()


def test_an_attribute_adds_an_operator():
    name = f"test.added{next(_numbers)}"
    _op.register_op_attr(name, "target.dnnl", True)
    assert _op.get(name).get_attr("target.dnnl") is True


def test_shape_func():
    f = relay.var("f", relay.FuncType([relay.TensorType((relay.Any(), 3))],
                                      relay.TensorType((relay.Any(),))))
    shape = relay.var("shape", shape=(2,), dtype="int64")
    out = relay.var("out", shape=(1,), dtype="int64")
    call = relay.op.vm.shape_func(f, [shape], [out], [False])
    function = relay.Function([f, shape, out], call)
    assert infer(function).ret_type == relay.TupleType([])
    assert call.attrs.is_input == [0]
    with pytest.raises(relay.DiagnosticError, match="expects inputs of types"):
        infer(relay.Function([f, shape, out], relay.op.vm.shape_func(f, [shape], [out], [True])))


#===------------------------------------------------------------------------===#
# Debugging
#===------------------------------------------------------------------------===#


def test_debug():
    """The function gets each value that comes by, and what it raises is raised."""
    mod = relay.IRModule()
    p = relay.Prelude(mod)
    seen: list[Any] = []
    x = relay.var("x", "int32")
    double = relay.Function([x], relay.op.debug(x + x, debug_func=seen.append))
    assert interpret(double, np.int32(2)) == 4
    pair = relay.Function([x], relay.op.debug(relay.Tuple([x, relay.Tuple([])]), seen.append))
    interpret(pair, np.int32(3))
    cons = relay.op.debug(p.cons(relay.const(1), p.nil()), seen.append)
    relay.create_executor("debug", mod=mod).evaluate(cons)
    assert seen == [4, (3, ()), "Cons(1, Nil)"]

    # In compiled programs, too; elsewhere an error says where.
    for kind in ("vm", "aot"):
        seen.clear()
        for program, arg in [(double, 2), (pair, 3)]:
            relay.create_executor(kind).evaluate(program)(np.int32(arg))
        relay.create_executor(kind, mod=mod).evaluate(cons)
        assert seen == [4, (3, ()), "Cons(1, Nil)"]
        order: list[Any] = []
        shown = relay.Let(y := relay.var("y"), relay.op.debug(x + x, order.append),
                          relay.op.debug(y + x, order.append) + y)
        assert relay.create_executor(kind).evaluate(relay.Function([x], shown))(np.int32(1)) == 5
        assert order == [2, 3]
    seen[:] = [4, (3, ()), "Cons(1, Nil)"]
    with pytest.raises(relay.CompileError, match="the executors aot and vm compile that"):
        relay.build(double)

    call = relay.op.debug(x, seen.append)
    assert call.attrs.debug_func.startswith("debugger_func")
    text = relay.parse(relay.IRModule.from_expr(relay.Function([x], call)).astext())
    relay.create_executor("debug", mod=text).evaluate()(np.int32(7))
    assert seen[-1] == 7 and len(seen) == 4
    assert interpret(relay.Function([x], relay.debug(x)), np.int32(5)) == 5

    def fail(value):
        raise LookupError(f"at {value}")

    with pytest.raises(LookupError, match="at 6"):
        interpret(relay.Function([x], relay.op.debug(x, fail)), np.int32(6))
