"""Parts of programs for other compilers: annotations, regions, functions."""

import traceback
from typing import Any

import numpy as np
import pytest

import relay_mlir.compat as tvm
from compiler_checks import module, register
from relay_mlir import relay
from relay_mlir.relay.annotation import compiler_begin, compiler_end
from relay_mlir.relay.env_func import remove_global_func

transform: Any = relay.transform


def vector(name, dtype="float32"):
    return relay.var(name, shape=(10,), dtype=dtype)


def check_equal(actual, params, body):
    expected = module(params, body)
    tvm.ir.assert_structural_equal(actual["main"], expected["main"], map_free_vars=True)


#===------------------------------------------------------------------------===#
# AnnotateTarget
#===------------------------------------------------------------------------===#


def test_annotates_each_use():
    register("each", "add", "nn.relu")
    x, y = vector("x"), vector("y")
    mod = transform.AnnotateTarget("each")(module([x, y], relay.nn.relu(x + y)))
    total = compiler_begin(x, "each") + compiler_begin(y, "each")
    out = relay.nn.relu(compiler_begin(compiler_end(total, "each"), "each"))
    check_equal(mod, [x, y], compiler_end(out, "each"))


def test_predicates_see_the_call():
    seen = []

    @tvm.ir.register_op_attr("nn.dense", "target.sees")
    def dense(call):
        seen.append(call)
        return call.args[0].checked_type.dtype == "float32" and call.attrs.units == 3

    x, w = relay.var("x", shape=(2, 4)), relay.const(np.ones((3, 4), "float32"))
    mod = module([x], relay.nn.dense(x, w, units=3))
    assert "sees" in transform.AnnotateTarget("sees")(mod).astext()
    assert isinstance(seen[0].args[1], relay.Constant)
    assert seen[0].args[0].name_hint == "x"
    y = relay.var("y", shape=(2, 4), dtype="float64")
    mod = module([y], relay.nn.dense(y, relay.const(np.ones((3, 4)))))
    assert "sees" not in transform.AnnotateTarget("sees")(mod).astext()


def test_error_of_a_predicate_arrives():

    @tvm.ir.register_op_attr("erf", "target.raises")
    def erf(call):
        raise ZeroDivisionError("nobody expects this")

    x = vector("x")
    mod = module([x], relay.erf(x))
    before = mod.astext()
    with pytest.raises(ZeroDivisionError, match="nobody expects this") as caught:
        transform.AnnotateTarget("raises")(mod)
    assert "in erf" in "".join(traceback.format_tb(caught.value.__traceback__))
    assert mod.astext() == before


def test_added_operator():
    relay.op.op.register("byoc.scale")
    relay.op.get("byoc.scale").set_num_inputs(1)
    relay.op.get("byoc.scale").add_type_rel("Identity")
    register("added", "byoc.scale")
    x = vector("x")
    call = relay.Call(relay.op.get("byoc.scale"), [x])
    assert 'compiler="added"' in transform.AnnotateTarget("added")(module([x], call)).astext()


def test_composite_goes_by_its_name():
    x, a = vector("x"), vector("a")
    function = relay.Function([a], relay.nn.relu(a)).with_attr("Composite", "own.relu")
    mod = transform.AnnotateTarget(["other", "own"])(module([x], relay.Call(function, [x])))
    check_equal(mod, [x], compiler_end(relay.Call(function, [compiler_begin(x, "own")]), "own"))


def test_two_targets_one_after_another():
    register("first", "nn.relu")
    register("second", "nn.relu", "tanh")
    x = vector("x")
    mod = module([x], relay.tanh(relay.nn.relu(x)))
    both = transform.AnnotateTarget(["first", "second"])(mod)
    after = transform.AnnotateTarget("second")(transform.AnnotateTarget("first")(mod))
    tvm.ir.assert_structural_equal(both, after)
    tvm.ir.assert_structural_equal(both, transform.AnnotateTarget(["first", "second"])(both))


def test_loop():
    """A closure that calls itself, with and without annotations of what is no call of an
    operator."""
    register("loop", "less", "add")

    def program(annotate, include):
        begin = compiler_begin if annotate else lambda value, _: value
        end = compiler_end if annotate else lambda value, _: value
        default_begin = begin if include else lambda value, _: value
        x = relay.var("x", shape=(2,))
        n, total = relay.var("n", "int32"), relay.var("total", shape=(2,))
        loop = relay.var("loop")
        condition = relay.less(begin(n, "loop"), begin(relay.const(10), "loop"))
        following = begin(n, "loop") + begin(relay.const(1), "loop")
        more = begin(total, "loop") + begin(x, "loop")
        again = loop(default_begin(end(following, "loop"), "default"),
                     default_begin(end(more, "loop"), "default"))
        if include:
            again = end(again, "default")
        body = relay.If(end(condition, "loop"), again, total)
        function = relay.Function([n, total], body, relay.TensorType((2,)))
        start = loop(default_begin(relay.const(0), "default"), default_begin(x, "default"))
        if include:
            start = end(start, "default")
        return [x], relay.Let(loop, function, start)

    for include in (True, False):
        mod = module(*program(False, include))
        annotated = transform.AnnotateTarget("loop", include)(mod)
        expected = module(*program(True, include))
        tvm.ir.assert_structural_equal(annotated["main"], expected["main"], map_free_vars=True)
        parts = transform.PartitionGraph()(transform.MergeCompilerRegions()(annotated))
        value = np.array([1, 2], np.float32)
        results = [relay.create_executor("debug", mod=m).evaluate()(value) for m in (mod, parts)]
        np.testing.assert_array_equal(*results)


#===------------------------------------------------------------------------===#
# PartitionGraph
#===------------------------------------------------------------------------===#


def partition(mod, targets, **options):
    mod = transform.AnnotateTarget(targets)(mod)
    return transform.PartitionGraph(**options)(transform.MergeCompilerRegions()(mod))


def test_partition_has_the_names_of_tvm():
    register("my-target", "add", "nn.relu")
    x = vector("x")
    mod = partition(module([x], relay.tanh(relay.nn.relu(x + relay.const(np.ones(10, "float32"))))),
                    "my-target", mod_name="some.mod")
    name = "tvmgen_some_mod_my_target_main_0"
    function = mod[name]
    assert dict(function.attrs) == {"Compiler": "my-target", "Primitive": 1, "Inline": 1,
                                    "global_symbol": name}
    assert [p.name_hint for p in function.params] == ["my-target_0_i0"]
    a = vector("a")
    tvm.ir.assert_structural_equal(
        function.body, relay.nn.relu(a + relay.const(np.ones(10, "float32"))), map_free_vars=True)
    main = mod["main"].body
    assert main.op == relay.op.get("tanh") and main.args[0].op.name_hint == name


def test_constants_stay_outside_if_asked():
    register("outside", "add")
    x = vector("x")
    mod = partition(module([x], x + relay.const(np.ones(10, "float32"))), "outside",
                    bind_constants=False)
    assert len(mod["tvmgen_default_outside_main_0"].params) == 2


def test_outputs_are_a_tuple_once_each():
    register("outputs", "nn.relu", "tanh")
    x = vector("x")
    shared = relay.nn.relu(x)
    mod = partition(module([x], relay.Tuple([relay.exp(shared), relay.erf(shared),
                                             relay.exp(relay.tanh(shared))])), "outputs")
    function = mod["tvmgen_default_outputs_main_0"]
    assert len(mod.functions) == 2 and len(function.ret_type.fields) == 2


def test_min_operators_and_cost():
    register("small", "nn.relu", "nn.dense")
    x = relay.var("x", shape=(2, 4))
    w = relay.const(np.ones((3, 4), "float32"))
    mod = module([x], relay.tanh(relay.nn.relu(relay.exp(relay.nn.dense(x, w)))))
    assert len(partition(mod, "small").functions) == 3
    # The product costs 24, the maximum 6.
    assert len(partition(mod, "small", min_cost=24).functions) == 2
    assert len(partition(mod, "small", min_cost=25).functions) == 1
    assert len(partition(mod, "small", min_operators=2).functions) == 1
    tvm.ir.assert_structural_equal(partition(mod, "small", min_operators=2), mod)


def test_optimize_hook():
    register("hooked", "nn.relu", "negative")
    seen = []

    def optimize(mod):
        seen.append(mod["main"])
        a = mod["main"].params[0]
        return relay.IRModule.from_expr(relay.Function([a], relay.negative(a)))

    name = "relay.ext.hooked.optimize"
    tvm.register_func(name, optimize)
    try:
        x = vector("x")
        mod = partition(module([x], relay.nn.relu(x)), "hooked")
        function = mod["tvmgen_default_hooked_main_0"]
        assert seen[0].attrs is None or not dict(seen[0].attrs)
        assert function.body.op == relay.op.get("negative")
        assert function.attrs["Compiler"] == "hooked"
        tvm.register_func(name, lambda mod: 3, override=True)
        with pytest.raises(TypeError, match="hooked.optimize to return a module with @main, but"):
            partition(module([x], relay.nn.relu(x)), "hooked")
        tvm.register_func(name, lambda mod: relay.IRModule.from_expr(relay.const(1)),
                          override=True)
        with pytest.raises(TypeError, match="to return a function of type fn"):
            partition(module([x], relay.nn.relu(x)), "hooked")
    finally:
        remove_global_func(name)

#===------------------------------------------------------------------------===#
# Functions
#===------------------------------------------------------------------------===#


def test_inline_outline_extern():
    register("moved", "nn.relu", "tanh")
    x = vector("x")
    mod = module([x], relay.exp(relay.nn.relu(relay.exp(relay.tanh(x)))))
    parts = partition(mod, "moved")
    names = [v for v in parts.functions if v.name_hint != "main"]
    assert len(names) == 2
    tvm.ir.assert_structural_equal(transform.InlineCompilerFunctionsBoundTo(names)(parts), mod)
    one = transform.InlineCompilerFunctionsBoundTo(names[:1])(parts)
    assert len(one.functions) == 2
    tvm.ir.assert_structural_equal(transform.InlineCompilerFunctionsBoundTo([])(parts), parts)
    extern = transform.MarkCompilerFunctionsAsExtern("moved")(parts)
    assert dict(extern[names[0]].attrs) == {"Extern": 1}
    value = np.linspace(-1, 1, 10, dtype="float32")
    for executor in ("debug", "aot", "vm"):
        result = relay.create_executor(executor, mod=extern).evaluate()(value)
        np.testing.assert_allclose(
            result.numpy(), np.exp(np.maximum(np.exp(np.tanh(value)), 0)), rtol=1e-5)
    same = transform.MarkCompilerFunctionsAsExtern("another")(parts)
    tvm.ir.assert_structural_equal(same, parts)

    a = vector("a")
    function = relay.Function([a], relay.nn.relu(a)).with_attr(
        {"Compiler": "moved", "global_symbol": "its_name", "Primitive": 1})
    literal = module([x], relay.exp(relay.Call(function, [x])))
    outlined = transform.OutlineCompilerFunctionsWithExistingGlobalSymbols("moved")(literal)
    assert outlined["main"].body.args[0].op.name_hint == "its_name"
    assert outlined["its_name"].attrs["Compiler"] == "moved"
    stays = transform.OutlineCompilerFunctionsWithExistingGlobalSymbols("another")(literal)
    tvm.ir.assert_structural_equal(stays, literal)


@pytest.mark.parametrize("call,error,message", [
    (lambda: transform.AnnotateTarget("a.b"), ValueError, "names of targets of letters"),
    (lambda: transform.AnnotateTarget("default"), ValueError, "other than 'default'"),
    (lambda: transform.AnnotateTarget([3]), TypeError, "expects targets to be"),
    (lambda: transform.PartitionGraph("a b"), ValueError, "expects mod_name to be letters"),
    (lambda: transform.PartitionGraph(min_cost=-1), ValueError, "min_cost to be a number"),
    (lambda: transform.PartitionGraph(min_operators=-1), ValueError, "min_operators"),
    (lambda: transform.PartitionGraph(min_operators=2**70), ValueError, "min_operators from 0 to"),
    (lambda: transform.InlineCompilerFunctionsBoundTo([3]), TypeError, "variables of functions"),
    (lambda: transform.MarkCompilerFunctionsAsExtern(3), TypeError, "compiler_filter"),
])
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_unknown_function():
    x = vector("x")
    with pytest.raises(ValueError, match="there is no function 'none'"):
        transform.InlineCompilerFunctionsBoundTo(["none"])(module([x], x))


def test_no_region_is_an_error():
    x = vector("x")
    mod = module([x], compiler_end(relay.exp(x), "t"))
    with pytest.raises(tvm.DiagnosticError, match="a region that compiler_begin begins"):
        transform.PartitionGraph()(mod)


def test_long_chains():
    """Time grows as the program does, and no stack is too small."""
    register("long", "nn.relu")
    x = vector("x")
    value = x
    for i in range(20000):
        value = relay.tanh(value) if i % 50 == 0 else relay.nn.relu(value)
    mod = partition(module([x], value), "long")
    assert len(mod.functions) == 401
