"""Continuation passing style, partial evaluation, defunctionalization, and operators
that become static."""

from typing import Any

import numpy as np
import pytest
from functional_programs import PROGRAMS, check, evaluate, parse, program

from relay_mlir import relay
from relay_mlir.relay import analysis, transform

Feature = analysis.Feature


def simplified(mod):
    """What partial evaluation leaves, without what nothing needs, as a graph."""
    return transform.Sequential([
        transform.PartialEvaluate(), transform.DeadCodeElimination(inline_once=True),
        transform.ToGraphNormalForm()])(mod)


def assert_same(mod, text, name="main"):
    relay.assert_structural_equal(
        transform.InferType()(mod)[name], transform.InferType()(parse(text))[name])


#===------------------------------------------------------------------------===#
# Continuation passing style
#===------------------------------------------------------------------------===#


def assert_calls_last(function):
    """All calls of functions are the last thing that a function does."""

    def is_call(node):
        return isinstance(node, relay.Call) and not isinstance(
            node.op, (relay.Op, relay.Constructor)) and not (
                isinstance(node.op, relay.Function) and "Primitive" in (node.op.attrs or {}))

    last = set()

    def visit(node):
        if isinstance(node, relay.Function):
            mark(node.body)

    def mark(node):
        while isinstance(node, relay.Let):
            node = node.body
        last.add(node)
        if isinstance(node, relay.If):
            mark(node.true_branch)
            mark(node.false_branch)
        elif isinstance(node, relay.Match):
            for clause in node.clauses:
                mark(clause.rhs)

    nodes: list[Any] = []
    analysis.post_order_visit(function, nodes.append)
    for node in nodes:
        visit(node)
    assert all(node in last for node in nodes if is_call(node)), function


@pytest.mark.parametrize("name", PROGRAMS)
def test_continuations(name):
    mod = transform.ToCPS()(program(name))
    for function in mod.functions.values():
        assert_calls_last(function)
        assert function.type_params[-1].name_hint.startswith("answer")
    check(name, transform.UnCPS()(mod))


@pytest.mark.parametrize("name", ["lists", "closures in closures", "effects of arguments"])
def test_continuations_and_evaluation(name):
    """Programs in this style are programs like any others."""
    mod = transform.UnCPS()(transform.ToCPS()(program(name)))
    for make in (transform.ToANormalForm, transform.LambdaLift, transform.PartialEvaluate):
        mod = make()(mod)
        check(name, mod)


@pytest.mark.parametrize("name", ["answer", "answer1", "B"])
def test_continuations_of_polymorphic_closures(name):
    """A closure may have called its parameter as continuations would call theirs."""
    mod = parse(f"""
        def @main(%x: float32) -> float32 {{
            let %f = fn [{name}](%y: float32, %k: fn (float32) -> {name}) -> {name} {{
                %k(%y + %y)
            }};
            if (%f(%x, fn (%z: float32) -> bool {{ less(%z, 3f) }})) {{ %x }} else {{
                %f(%x, fn (%z: float32) -> float32 {{ %z * 2f }})
            }}
        }}""")
    mod = transform.ToCPS()(mod)
    assert_calls_last(mod["main"])
    for value, expected in ((1.0, 1.0), (5.0, 20.0)):
        assert evaluate(transform.UnCPS()(mod), (np.float32(value),)) == ["float32", [], expected]


def test_type_of_continuations():
    mod = transform.ToCPS()(parse("""
        def @apply(%f: fn (int32) -> bool, %x: int32) -> bool { %f(%x) }
        def @main(%x: int32) -> bool { @apply(fn (%y: int32) -> bool { less(%y, 3) }, %x) }"""))
    assert {"apply_cps", "apply", "main"} <= {var.name_hint for var in mod.functions}
    text = str(mod["apply"].checked_type)
    assert text == ("fn [answer](fn (int32, fn (bool) -> answer) -> answer, int32, "
                    "fn (bool) -> answer) -> answer")


def test_functions_with_continuations():
    mod = parse("""
        def @half(%x: int32) -> int32 {
            if (less(%x, 2)) { %x } else { @half(%x - 2) + 1 }
        }""")
    x = relay.var("x", "int32")
    half = mod.get_global_var("half")
    function = relay.Function([x], half(x) * half(x + relay.const(1)), relay.scalar_type("int32"))
    result = transform.to_cps(function, mod)
    assert "half_cps" in {var.name_hint for var in mod.functions}
    assert_calls_last(result)
    mod["main"] = transform.un_cps(result, mod)
    assert evaluate(mod, (9,)) == ["int32", [], 25]
    mod["main"] = function
    assert evaluate(mod, (9,)) == ["int32", [], 25]
    with pytest.raises(TypeError, match="expects func to be a Function, but got"):
        transform.to_cps(x)  # type: ignore[arg-type]
    with pytest.raises(relay.DiagnosticError, match="in continuation passing style"):
        transform.un_cps(function, mod)


def test_calls_that_are_too_many():
    """Continuations are inside of each other."""
    x = relay.var("x", "int32")
    f = relay.var("f", relay.FuncType([relay.scalar_type("int32")], relay.scalar_type("int32")))
    y: relay.Expr = x
    for _ in range(1500):
        y = f(y)
    mod = relay.IRModule.from_expr(relay.Function([f, x], y))
    with pytest.raises(relay.DiagnosticError, match="at most 1000 calls and branches"):
        transform.ToCPS()(mod)


def test_data_of_functions_has_no_continuations():
    mod = parse("""
        type Box { Full(fn (int32) -> int32), Empty }
        def @main(%x: int32) { %x }""")
    with pytest.raises(relay.DiagnosticError, match="expects data types without functions"):
        transform.ToCPS()(mod)


#===------------------------------------------------------------------------===#
# Partial evaluation
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_stay(name):
    check(name, transform.PartialEvaluate()(program(name)))
    check(name, simplified(program(name)))


EVALUATED = {
    "tuple": ("(%x: int32)", "(%x, %x + 1).0", "%x"),
    "constants": ("(%x: int32)", "let %c = 1 + 2; (%x + %c) + %c", "%0 = 3; (%x + %0) + %0"),
    "function": ("(%x: int32)", "(fn (%y: int32) -> int32 { %y * 2 })(%x + 1)", "(%x + 1) * 2"),
    "condition": ("(%x: int32)", "if (less(1, 2)) { %x } else { %x * %x }", "%x"),
    "open condition": ("(%c: bool, %x: int32)",
                       "let %f = fn (%y: int32) -> int32 { %y + 1 };"
                       "if (%c) { %f(%x) } else { %f(%f(%x)) }",
                       "if (%c) { %x + 1 } else { (%x + 1) + 1 }"),
    "head": ("(%x: int32)", "@hd(Cons(%x + 1, Nil))", "%x + 1"),
    "map": ("(%x: int32)", "@map(fn (%y: int32) -> int32 { %y * 2 }, Cons(%x, Cons(3, Nil)))",
            "Cons(%x * 2, Cons(6, Nil))"),
    "fold": ("(%x: int32)", "@foldl(add, 0, Cons(%x, Cons(1, Cons(2, Nil))))",
             "((0 + %x) + 1) + 2"),
    "composition": ("(%x: int32)",
                    "@compose(fn (%y: int32) -> int32 { %y + 1 }, "
                    "fn (%y: int32) -> int32 { %y * 2 })(%x)",
                    "%x * 2 + 1"),
    "numbers": ("(%x: int32)",
                "@nat_iterate(fn (%y: int32) -> int32 { %y * 2 }, @nat_double(succ(zero)))(%x)",
                "(%x * 2) * 2"),
    "loop that counts down": ("(%x: int32)", """
        let %power = fn (%n: int32) -> int32 {
            if (equal(%n, 0)) { 1 } else { %x * %power(%n - 1) }
        };
        %power(3)""", "%x * (%x * (%x * 1))"),
    "patterns": ("(%x: int32, %y: int32)", """
        match ((Some(%x), Cons(%y, Nil))) {
            (None, _) => { 0 },
            (Some(%a), Cons(%b, Nil)) => { %a - %b },
            _ => { 1 },
        }""", "%x - %y"),
    "open data": ("(%l: List[int32])", """
        match (Cons(1, %l)) {
            Cons(%a, Cons(%b, _)) => { %a + %b },
            Cons(%a, _) => { %a },
            Nil => { 0 },
        }""", """
        match (Cons(1, %l)) {
            Cons(%a, Cons(%b, _)) => { %a + %b },
            Cons(%a, _) => { %a },
            Nil => { 0 },
        }"""),
    "choice of functions": ("(%x: int32)", """
        let %f = if (True) { fn (%y: int32) -> int32 { %y } } else { negative };
        (%f, 3).0(%x)""", "%x"),
}


@pytest.mark.parametrize("name", EVALUATED)
def test_evaluated(name):
    head, body, expected = EVALUATED[name]
    assert_same(simplified(parse(f"def @main{head} {{ {body} }}")),
                f"def @main{head} {{ {expected} }}")


def test_known_references():
    mod = transform.PartialEvaluate()(parse("""def @main(%x: int32) {
        let %r = ref(%x);
        let %u = ref_write(%r, ref_read(%r) + 1);
        ref_read(%r) * 2
    }"""))
    # Nothing reads it any more.
    mod = transform.DeadCodeElimination(inline_once=True, ignore_impurity=True)(mod)
    assert_same(transform.ToGraphNormalForm()(mod), "def @main(%x: int32) { (%x + 1) * 2 }")


@pytest.mark.parametrize("change", [
    "%f(%r)", "if (%c) { ref_write(%r, 7) } else { () }", "ref_write(%other, 7)"])
def test_references_that_may_have_changed(change):
    mod = simplified(parse(f"""
        def @main(%f: fn (ref(int32)) -> (), %c: bool, %other: ref(int32)) {{
            let %r = ref(1);
            let %u = {change};
            ref_read(%r)
        }}"""))
    assert Feature.fRefRead in analysis.detect_feature(mod["main"])


def test_references_in_branches():
    """What both branches leave alone is still known, and effects stay in order."""
    mod = parse("""def @main(%c: bool) {
        let %r = ref(1);
        let %s = ref(2);
        let %x = if (%c) { let %u = ref_write(%s, 5); ref_read(%s) } else { ref_read(%r) };
        (%x, ref_read(%r), ref_read(%s))
    }""")
    result = simplified(mod)
    for condition in (False, True):
        assert evaluate(result, (condition,)) == evaluate(mod, (condition,))


def test_recursion_that_is_left():
    """A loop that counts up, or whose end is not known, is a loop."""
    text = """def @main(%n: int32) {
        let %count = fn (%i: int32, %to: int32) -> int32 {
            if (less(%i, %to)) { %count(%i + 1, %to) } else { %i * 2 }
        };
        %count(0, 1000000000) + %count(0, %n)
    }"""
    mod = simplified(parse(text))
    assert Feature.fLetRec in analysis.detect_feature(mod["main"])
    # Mutual recursion of functions of the module.
    name = "global recursion"
    mod = simplified(program(name))
    check(name, mod)
    assert {"main", "even", "odd"} <= {var.name_hint for var in mod.functions}


def test_loops_that_never_end():
    """Evaluation comes to an end even if the program would not."""
    mod = simplified(parse("""
        def @loop(%x: int32) -> int32 { @loop(%x) }
        def @grow(%l: List[int32]) -> int32 { @grow(Cons(1, %l)) }
        def @down(%x: int32) -> int32 { @down(%x - 1) }
        def @swap(%x: int32, %y: int32) -> int32 { @swap(%y, %x) }
        def @self(%f: fn (int32) -> int32) -> int32 {
            let %g = fn (%y: int32) -> int32 { @self(%f) };
            @self(%g)
        }
        def @main(%x: int32) {
            (@loop(1), @grow(Nil), @down(1000000), @swap(1, 2), @self(fn (%y: int32) { %y }))
        }"""))
    assert Feature.fCall in analysis.detect_feature(mod["main"])


def test_knots_of_references():
    """A function that calls itself through a reference."""
    mod = parse("""def @main(%n: int32) {
        let %r = ref(fn (%x: int32) -> int32 { %x });
        let %fact = fn (%x: int32) -> int32 {
            if (less(%x, 2)) { 1 } else { %x * ref_read(%r)(%x - 1) }
        };
        let %u = ref_write(%r, %fact);
        (%fact(5), %fact(%n))
    }""")
    expected = [["int32", [], 120], ["int32", [], 720]]
    assert evaluate(mod, (6,)) == evaluate(simplified(mod), (6,)) == expected


def test_errors_stay_errors():
    """What fails when it runs does not fail before, and does not vanish."""
    mod = parse("""def @main(%c: bool) {
        if (%c) { match? (Nil) { Cons(%x, _) => { %x } } } else { 1 }
    }""")
    result = simplified(mod)
    assert evaluate(result, (False,)) == ["int32", [], 1]
    for each in (mod, result):
        with pytest.raises(relay.DiagnosticError):
            evaluate(each, (True,))


#===------------------------------------------------------------------------===#
# Defunctionalization
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_order(name):
    mod = program(name).shallow_copy()
    mod["main"] = transform.Defunctionalization(mod["main"], mod)
    reached = transform.remove_unused(mod)
    for function in reached.functions.values():
        nodes: list[Any] = []
        analysis.post_order_visit(function.body, nodes.append)
        for node in nodes:
            primitive = isinstance(node, relay.Function) and "Primitive" in (node.attrs or {})
            assert primitive or not isinstance(
                getattr(node, "_checked_type", None), relay.FuncType) or isinstance(
                    node, (relay.GlobalVar, relay.Op, relay.Constructor)), node
    check(name, reached)


def test_functions_that_are_no_data():
    # It has no one type in the tuple.
    mod = parse("""def @main() {
        let %id = fn [A](%x: A) -> A { %x };
        let %t = (%id, 1);
        %t.0(%t.1)
    }""")
    with pytest.raises(relay.DiagnosticError, match="expects functions as values of one type"):
        transform.Defunctionalization(mod["main"], mod)
    mod = parse("def @main(%f: fn (int32) -> int32) { %f(3) }")
    with pytest.raises(relay.DiagnosticError, match="without functions for parameters"):
        transform.Defunctionalization(mod["main"], mod)


#===------------------------------------------------------------------------===#
# Operators that become static
#===------------------------------------------------------------------------===#

DATA = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
IMAGE = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4)



def constant(values, dtype="int64"):
    """What is a constant after it is folded; constants are attributes at once."""
    return relay.negative(relay.const(-np.array(values, dtype)))


def dynamic_cases():
    from relay_mlir.relay import op

    x = relay.var("x", shape=(3, 4))
    y = relay.var("y", shape=(2, 6))
    image = relay.var("image", shape=(1, 2, 4, 4))
    volume = relay.var("volume", shape=(1, 1, 2, 4, 4))
    ids = relay.var("ids", shape=(5,), dtype="int32")
    id_values = np.array([0, 3, 2, 1, 3], np.int32)
    ones = relay.var("ones", shape=(1, 3, 1))
    value = relay.var("value", shape=())
    yield "dyn.reshape", op.reshape(x, op.shape_of(y)), [x, y], (DATA, np.zeros((2, 6), np.float32))
    yield "dyn.reshape", op.reshape(x, constant([4, -1])), [x], (DATA,)
    yield "dyn.squeeze", op.squeeze(ones, constant([0, 2])), [ones], (DATA[:1, :3].T[None],)
    yield "dyn.tile", op.tile(x, constant([2, 3])), [x], (DATA,)
    yield "dyn.topk", op.topk(x, constant(2), ret_type="values"), [x], (DATA,)
    yield "dyn.broadcast_to", op.broadcast_to(x, constant([2, 3, 4])), [x], (DATA,)
    yield "dyn.zeros", op.zeros(constant([2, 3]), "float32"), [], ()
    yield "dyn.ones", op.ones(constant([2, 3]), "float32"), [], ()
    yield "dyn.full", op.full(value, constant([2, 3])), [value], (np.float32(2.5),)
    yield "dyn.one_hot", op.one_hot(ids, relay.const(1.0), relay.const(0.0), constant(4, "int32"),
                                    -1, "float32"), [ids], (id_values,)
    yield "dyn.strided_slice", op.strided_slice(
        x, constant([0, 1]), constant([3, 4]), constant([2, 1])), [x], (DATA,)
    yield "dyn.nn.pad", op.nn.pad(x, constant([[1, 0], [0, 2]]), 1.5), [x], (DATA,)
    yield "dyn.expand_dims", op.expand_dims(x, constant(1, "int32"), 2), [x], (DATA,)
    yield "dyn.nn.upsampling", op.nn.upsampling(
        image, constant(2, "float32"), constant(1, "float32")), [image], (IMAGE,)
    yield "dyn.nn.upsampling3d", op.nn.upsampling3d(
        volume, *(constant(n, "float32") for n in (2, 1, 2))), [volume], (
            IMAGE.reshape(1, 1, 2, 4, 4),)
    yield "dyn.image.resize2d", op.image.resize2d(
        image, constant([2, 8]), constant([0, 0, 0, 0], "float32")), [image], (IMAGE,)
    yield "dyn.sparse_to_dense", op.sparse_to_dense(
        ids, constant([7]), relay.const(np.arange(5, dtype=np.float32)), 0.0), [ids], (
            np.array([0, 1, 3, 4, 6], np.int32),)


@pytest.mark.parametrize("case", range(len(list(dynamic_cases()))))
def test_dynamic_to_static(case):
    name, expr, params, args = list(dynamic_cases())[case]
    mod = transform.InferType()(relay.IRModule.from_expr(relay.Function(params, expr)))
    assert name in analysis.list_op_freqs(mod), analysis.list_op_freqs(mod)
    result = transform.DynamicToStatic()(mod)
    found = analysis.list_op_freqs(result)
    assert not [each for each in found if each.startswith("dyn.")], result
    assert name.removeprefix("dyn.") in found
    assert not any(isinstance(size, relay.Any) for size in result["main"].ret_type.shape)
    # The types say more, but the values are the same.
    assert evaluate(result, args) == evaluate(mod, args)


def test_what_stays_dynamic():
    x, shape = relay.var("x", shape=(3, 4)), relay.var("shape", shape=(2,), dtype="int64")
    mod = relay.IRModule.from_expr(
        relay.Function([x, shape], relay.reshape(relay.exp(x), shape)))
    result = transform.DynamicToStatic()(mod)
    assert "dyn.reshape" in analysis.list_op_freqs(result)
    # A shape that does not fit is an error when it runs, as it was.
    mod = relay.IRModule.from_expr(relay.Function([x], relay.reshape(x, constant([5, 5]))))
    result = transform.DynamicToStatic()(mod)
    assert "dyn.reshape" in analysis.list_op_freqs(result)
    with pytest.raises(relay.DiagnosticError):
        evaluate(result, (DATA,))


def test_chains_become_static():
    """What one operator's type tells is constant for the next."""
    x = relay.var("x", shape=(3, 4))
    y = relay.reshape(x, constant([2, 6]))
    z = relay.reshape(relay.concatenate([x, x], 0), relay.shape_of(relay.tile(
        y, constant([2, 1]))))
    mod = relay.IRModule.from_expr(relay.Function([x], z))
    result = transform.DynamicToStatic()(mod)
    assert not [each for each in analysis.list_op_freqs(result) if each.startswith("dyn.")]
    assert list(result["main"].ret_type.concrete_shape) == [4, 6]
