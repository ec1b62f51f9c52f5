"""Parts of programs for other compilers: annotations, regions, functions."""

import traceback
from typing import Any

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay
from relay_mlir.relay.annotation import compiler_begin, compiler_end
from relay_mlir.relay.env_func import remove_global_func

transform: Any = relay.transform


def register(target, *op_names):
    for name in op_names:
        relay.op.get(name).reset_attr(f"target.{target}")
        tvm.ir.register_op_attr(name, f"target.{target}", lambda call: True)


def module(params, body):
    return transform.InferType()(relay.IRModule.from_expr(relay.Function(params, body)))


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
        value = np.float32([1, 2])
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
# "How BYOC annotates a Relay graph", 2020: what its cells print, as far as the
# notebook has it
#===------------------------------------------------------------------------===#

D, W, B = "Tensor[(1, 32, 56, 56), float32]", "Tensor[(32, 32, 3, 3), float32]", \
    "Tensor[(32), float32]"
R = "Tensor[(1, 56, 56, 32), float32]"


def typed(name, type_):
    return f"%{name}: {type_} /* ty={type_} */"


# The demo after MergeComposite.
TALK = f"""#[version = "0.0.5"]
def @main(%data: {D}, %weight: {W}, %bias: {B}) -> {R} {{
  let %while_loop: fn (int32, {D}, {W}, {B}) -> {R} =
      fn (%iter1: int32, %d1: {D}, %w1: {W}, %b1: {B}) -> {R} {{
    %0 = less(%iter1, 2);
    if (%0) {{
      %1 = add(%iter1, 1);
      %4 = fn (%FunctionVar_1_0: {D}, %FunctionVar_1_1: {W}, %FunctionVar_1_2: {B},
               PartitionedFromPattern="nn.conv2d_nn.bias_add_nn.relu_",
               Composite="byoc-target.conv2d_relu_with_bias") -> {D} {{
        %2 = nn.conv2d(%FunctionVar_1_0, %FunctionVar_1_1, padding=[1, 1, 1, 1]);
        %3 = nn.bias_add(%2, %FunctionVar_1_2);
        nn.relu(%3)
      }};
      %5 = %4(%d1, %w1, %b1);
      %while_loop(%1, %5, %w1, %b1)
    }} else {{
      %8 = fn (%FunctionVar_0_0: {D}, %FunctionVar_0_1: {W}, %FunctionVar_0_2: {B},
               PartitionedFromPattern="nn.conv2d_nn.bias_add_nn.relu_",
               Composite="byoc-target.conv2d_relu_with_bias") -> {D} {{
        %6 = nn.conv2d(%FunctionVar_0_0, %FunctionVar_0_1, padding=[1, 1, 1, 1]);
        %7 = nn.bias_add(%6, %FunctionVar_0_2);
        nn.relu(%7)
      }};
      %9 = %8(%d1, %w1, %b1);
      reshape(%9, newshape=[1, 56, 56, 32])
    }}
  }};
  %while_loop(0, %data, %weight, %bias)
}}
"""
HEAD = f"""#[version = "0.0.5"]
fn ({typed("data", D)}, {typed("weight", W)}, {typed("bias", B)}) -> {R} {{
  let %while_loop: fn (int32, {D}, {W}, {B}) -> {R} /* ty=fn (int32, {D}, {W}, {B}) -> {R} */ =
    fn ({typed("iter1", "int32")}, {typed("d1", D)}, {typed("w1", W)}, {typed("b1", B)}) -> {R} {{
"""


def words(text):
    return " ".join(text.split())


def test_what_the_talk_prints():
    register("byoc-target", "reshape", "add")
    mod2 = transform.InferType()(relay.parse(TALK))
    mod3 = transform.AnnotateTarget("byoc-target")(mod2)
    annotated = HEAD + """
        %0 = annotation.compiler_begin(%iter1, compiler="default") /* ty=int32 */;
        %1 = annotation.compiler_begin(2"""
    assert words(mod3["main"].astext(show_meta_data=False)).startswith(words(annotated))
    mod4 = transform.MergeCompilerRegions()(mod3)
    text = mod4["main"].astext(show_meta_data=False)
    assert words(text).startswith(words(annotated))
    # "The add and the composite function call share the same set of annotation nodes."
    assert text.count('compiler="byoc-target"') == mod3["main"].astext(
        show_meta_data=False).count('compiler="byoc-target"') - 2
    mod5 = transform.PartitionGraph()(mod4)
    assert words(mod5["main"].astext(show_meta_data=False)).startswith(words(HEAD + """
        %0 = less(%iter1, 2 /* ty=int32 */) /* ty=bool */;
        if (%0) {
          %1 = @tvmgen_default_byoc_target_main_0("""))
    numbers = {var.name_hint.rpartition("_")[2] for var in mod5.functions} - {"main"}
    assert numbers == {"0", "2", "5"}

    def attrs(number):
        return (f'Compiler="byoc-target", Primitive=1, Inline=1, '
                f'global_symbol="tvmgen_default_byoc_target_main_{number}"')

    printed = {number: words(mod5[f"tvmgen_default_byoc_target_main_{number}"].astext(
        show_meta_data=False)) for number in (0, 2, 5)}
    assert printed[0] == words(f"""#[version = "0.0.5"]
        fn ({typed("byoc-target_0_i0", "int32")}, {attrs(0)}) -> int32 {{
          add(%byoc-target_0_i0, 1 /* ty=int32 */) /* ty=int32 */
        }} /* ty=fn (int32) -> int32 */""")
    assert printed[2].startswith(words(f"""#[version = "0.0.5"]
        fn ({typed("byoc-target_2_i0", D)}, {typed("byoc-target_2_i1", W)},
            {typed("byoc-target_2_i2", B)}, {attrs(2)}) -> {D} {{
          %2 = fn ({typed("FunctionVar_1_0", D)}, {typed("FunctionVar_1_1", W)},
                   {typed("FunctionVar_1_2", B)}"""))
    assert printed[5].endswith(words(f"""
          reshape(%3, newshape=[1, 56, 56, 32]) /* ty={R} */
        }} /* ty=fn ({D}, {W}, {B}) -> {R} */"""))


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
