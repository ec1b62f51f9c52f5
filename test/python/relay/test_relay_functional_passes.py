"""Normal forms, and passes on functions: what they leave, and that results stay."""

from typing import Any

import numpy as np
import pytest
from functional_programs import PROGRAMS, check, evaluate, parse, program

from relay_mlir import relay
from relay_mlir.relay import analysis, transform

PASSES: dict[str, Any] = {
    "ToANormalForm": transform.ToANormalForm(),
    "ToBasicBlockNormalForm": transform.ToBasicBlockNormalForm(),
    "ToGraphNormalForm": transform.ToGraphNormalForm(),
    "ANF to graph": transform.Sequential(
        [transform.ToANormalForm(), transform.ToGraphNormalForm()]),
    "EtaExpand": transform.EtaExpand(expand_constructor=True, expand_global_var=True),
    "Inline": transform.Inline(),
    "LambdaLift": transform.LambdaLift(),
    "LambdaLift of ANF": transform.Sequential(
        [transform.ToANormalForm(), transform.LambdaLift()]),
    "RemoveUnusedFunctions": transform.RemoveUnusedFunctions(),
}


def inferred(text):
    return transform.InferType()(parse(text))


def assert_main(mod, text):
    """@main is what a text says, up to names of variables."""
    expected = inferred(text)
    relay.assert_structural_equal(transform.InferType()(mod)["main"], expected["main"])


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("kind", PASSES)
def test_results_stay(name, kind):
    check(name, PASSES[kind](program(name)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_passes_come_to_an_end(name):
    """What a pass has done is nothing to do for it."""
    for kind in ("ToANormalForm", "ToBasicBlockNormalForm", "LambdaLift"):
        once = PASSES[kind](program(name))
        relay.assert_structural_equal(PASSES[kind](once), once)


#===------------------------------------------------------------------------===#
# Basic block normal form
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("name", PROGRAMS)
def test_basic_blocks_of_programs(name):
    mod = transform.ToBasicBlockNormalForm()(program(name))
    for function in mod.functions.values():
        assert analysis.check_basic_block_normal_form(function)


BLOCKS = [
    # Nothing is shared.
    ("%c: bool, %x: float32", "if (%c) { %x + %x } else { %x }", None),
    # Both branches, and what is shared by several is bound in order.
    ("%c: bool, %x: float32", "%0 = %x + %x; if (%c) { %0 } else { %0 * %0 }",
     "let %a = %x + %x; if (%c) { %a } else { %a * %a }"),
    # The condition, too, is outside of the branches.
    ("%x: float32", "%0 = %x + %x; if (less(%0, 1f)) { %0 } else { %x }",
     "let %a = %x + %x; if (less(%a, 1f)) { %a } else { %x }"),
    # A chain that one branch shares with the code after it.
    ("%c: bool, %x: float32",
     "%0 = exp(%x); %1 = tanh(%0); (if (%c) { %1 } else { %x }) + %0",
     "let %a = exp(%x); (if (%c) { tanh(%a) } else { %x }) + %a"),
    # The innermost scope around all uses.
    ("%c: bool, %d: bool, %x: float32",
     "%0 = exp(%x); if (%c) { if (%d) { %0 } else { %0 + %x } } else { %x }",
     "if (%c) { let %a = exp(%x); if (%d) { %a } else { %a + %x } } else { %x }"),
    # An if that several use.
    ("%c: bool, %d: bool, %x: float32",
     "%0 = if (%d) { %x } else { exp(%x) }; if (%c) { %0 } else { tanh(%0) }",
     "let %a = if (%d) { %x } else { exp(%x) }; if (%c) { %a } else { tanh(%a) }"),
    # Functions are scopes.
    ("%x: float32",
     "%0 = exp(%x); %1 = fn (%y: float32) -> float32 { %y + %0 }; %1(%0)",
     "let %a = exp(%x); (fn (%y: float32) -> float32 { %y + %a })(%a)"),
    ("%x: float32", "%1 = fn (%y: float32) -> float32 { %0 = exp(%y); %0 + %0 }; %1(%x)", None),
    ("%x: float32", """
        %0 = exp(%x);
        let %f = fn (%y: float32) -> float32 { if (less(%y, 1f)) { %0 } else { %0 + %y } };
        %f(%x)""", """
        let %f = fn (%y: float32) -> float32 {
            let %a = exp(%x);
            if (less(%y, 1f)) { %a } else { %a + %y }
        };
        %f(%x)"""),
    # The value of a let, and what it is used with.
    ("%c: bool, %x: float32", """
        %0 = exp(%x);
        let %y = %0 + %x;
        if (%c) { %y } else { %y + %0 }""", """
        let %a = exp(%x);
        let %y = %a + %x;
        if (%c) { %y } else { %y + %a }"""),
    # Tuples and their fields.
    ("%c: bool, %x: float32", "%0 = (%x, exp(%x)); if (%c) { %0.0 } else { %0.1 }",
     "let %a = (%x, exp(%x)); if (%c) { %a.0 } else { %a.1 }"),
]


@pytest.mark.parametrize("head, body, expected", BLOCKS)
def test_basic_blocks(head, body, expected):
    mod = parse(f"def @main({head}) {{ {body} }}")
    # The check only asks for what its first use hides from others.
    first_is_outside = "less(%0" in body or "let %y = %0" in body
    if expected is None or first_is_outside:
        assert analysis.check_basic_block_normal_form(mod["main"])
    else:
        with pytest.raises(relay.DiagnosticError, match="in basic block normal form"):
            analysis.check_basic_block_normal_form(mod["main"])
    result = transform.ToBasicBlockNormalForm()(mod)
    assert_main(result, f"def @main({head}) {{ {expected or body} }}")
    assert analysis.check_basic_block_normal_form(result["main"])


def test_basic_blocks_of_cases():
    head = "def @main(%l: List[float32], %x: float32)"
    result = transform.ToBasicBlockNormalForm()(parse(f"""{head} {{
        %0 = exp(%x);
        match (%l) {{ Cons(%h, _) => {{ %h + %0 }}, Nil => {{ %0 }} }}
    }}"""))
    assert_main(result, f"""{head} {{
        let %a = exp(%x);
        match (%l) {{ Cons(%h, _) => {{ %h + %a }}, Nil => {{ %a }} }}
    }}""")


def test_names_are_in_any_block():
    """Functions, constructors and operators are no values that need a variable."""
    mod = inferred("""def @f(%x: int32) -> List[int32] { Cons(%x, Nil) }
        def @main(%c: bool, %x: int32) {
            if (%c) { @f(%x + 1) } else { Cons(%x + 2, @f(%x)) }
        }""")
    assert analysis.check_basic_block_normal_form(mod["main"])
    result = transform.ToBasicBlockNormalForm()(mod)
    assert analysis.Feature.fLet not in analysis.detect_feature(result["main"])


#===------------------------------------------------------------------------===#
# A-normal form
#===------------------------------------------------------------------------===#


def assert_a_normal(expr):
    """Lets of one step each: operands are variables or names."""
    names = (relay.Var, relay.GlobalVar, relay.Op, relay.Constructor)

    def value(node):
        if isinstance(node, relay.Function):
            if "Primitive" not in (node.attrs or {}):
                body(node.body)
        elif isinstance(node, relay.If):
            assert isinstance(node.cond, names)
            body(node.true_branch)
            body(node.false_branch)
        elif isinstance(node, relay.Match):
            assert isinstance(node.data, names)
            for clause in node.clauses:
                body(clause.rhs)
        elif not isinstance(node, (*names, relay.Constant)):
            parts = {relay.Call: lambda: [node.op, *node.args],
                     relay.Tuple: lambda: node.fields,
                     relay.TupleGetItem: lambda: [node.tuple_value],
                     relay.RefCreate: lambda: [node.value],
                     relay.RefRead: lambda: [node.ref],
                     relay.RefWrite: lambda: [node.ref, node.value]}[type(node)]()
            assert all(isinstance(part, names) for part in parts), node

    def body(node):
        while isinstance(node, relay.Let):
            value(node.value)
            node = node.body
        assert isinstance(node, names), node

    value(expr)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_normal_form_of_programs(name):
    mod = transform.ToANormalForm()(program(name))
    for function in mod.functions.values():
        assert_a_normal(function)


def test_order_of_a_normal_form():
    mod = transform.ToANormalForm()(parse("def @main(%x: int32) { (%x + 1) * (%x - 2) }"))
    assert_main(mod, """def @main(%x: int32) {
        let %one = 1;
        let %sum = %x + %one;
        let %two = 2;
        let %difference = %x - %two;
        let %product = %sum * %difference;
        %product
    }""")


def test_branches_of_a_normal_form():
    """What both branches use is computed before them, what one uses inside."""
    mod = transform.ToANormalForm()(parse("""def @main(%c: bool, %x: int32) {
        %0 = %x + %x;
        %1 = %x * %0;
        if (%c) { %1 } else { %0 }
    }"""))
    assert_main(mod, """def @main(%c: bool, %x: int32) {
        let %sum = %x + %x;
        let %if = if (%c) { let %product = %x * %sum; %product } else { %sum };
        %if
    }""")


def test_a_normal_form_of_expressions():
    x = relay.var("x", "int32")
    result = transform.ToANormalFormExpr(relay.add(x, x) * x)
    assert isinstance(result, relay.Let) and isinstance(result.body, relay.Let)
    assert [var.name_hint for var in analysis.free_vars(result)] == ["x"]
    function = transform.ToANormalFormExpr(relay.Function([x], relay.add(x, x) * x))
    assert isinstance(function, relay.Function)
    assert_a_normal(function)
    with pytest.raises(TypeError, match="expects e to be an expression, but got 3"):
        transform.ToANormalFormExpr(3)  # type: ignore[arg-type]


def test_graph_normal_form():
    mod = transform.ToGraphNormalForm()(parse("""def @main(%x: int32) {
        let %a = %x + %x;
        let %b = (let %c = %a * %a; %c + %a);
        %b
    }"""))
    assert_main(mod, "def @main(%x: int32) { %0 = %x + %x; %0 * %0 + %0 }")
    # A function that calls itself needs its name.
    recursive = transform.ToGraphNormalForm()(program("local recursion"))["main"]
    assert analysis.Feature.fLetRec in analysis.detect_feature(recursive)


def test_long_chains():
    """Time is linear, and the stack does not grow with the program."""
    x = relay.var("x", shape=(2,))
    y: relay.Expr = x
    for _ in range(20000):
        y = relay.exp(y)
    mod = relay.IRModule.from_expr(relay.Function([x], y))
    anf = transform.ToANormalForm()(mod)
    count = 0
    node = anf["main"].body
    while isinstance(node, relay.Let):
        count += 1
        node = node.body
    assert count == 20000
    graph = transform.ToGraphNormalForm()(anf)
    assert analysis.list_op_freqs(graph) == {"exp": 20000}
    assert analysis.detect_feature(transform.ToBasicBlockNormalForm()(mod)["main"]) == \
        analysis.detect_feature(mod["main"])


#===------------------------------------------------------------------------===#
# Functions
#===------------------------------------------------------------------------===#


def test_eta_expand():
    text = """def @double(%x: int32) -> int32 { %x * 2 }
        def @main(%x: int32) { @map(Some, @map(@double, Cons(@double(%x), Nil))) }"""
    constructors = """def @double(%x: int32) -> int32 { %x * 2 }
        def @main(%x: int32) {
            @map(fn [A](%a: A) -> Option[A] { Some(%a) },
                 @map(@double, Cons(@double(%x), Nil)))
        }"""
    functions = """def @double(%x: int32) -> int32 { %x * 2 }
        def @main(%x: int32) {
            @map(Some, @map(fn (%a: int32) -> int32 { @double(%a) }, Cons(@double(%x), Nil)))
        }"""
    assert_main(transform.EtaExpand()(parse(text)), text)
    assert_main(transform.EtaExpand(expand_constructor=True)(parse(text)), constructors)
    assert_main(transform.EtaExpand(expand_global_var=True)(parse(text)), functions)
    with pytest.raises(TypeError, match="expects expand_constructor to be a bool, but got 'yes'"):
        transform.EtaExpand("yes")  # type: ignore[arg-type]


INLINE = """
    def @leaf(%x: int32, Inline=1) -> int32 {{ %x * 2 }}
    def @middle(%x: int32{middle}) -> int32 {{ @leaf(%x) + 1 }}
    def @other(%x: int32) -> int32 {{ @middle(%x) - @leaf(%x) }}
    def @main(%x: int32) -> int32 {{ @middle(@other(%x)) }}
"""


PRELUDE = {var.name_hint for var in parse("").functions}


def names(mod):
    """Names of functions that are not those of the prelude."""
    return {var.name_hint for var in mod.functions} - PRELUDE


def test_inline():
    mod = transform.Inline()(parse(INLINE.format(middle=", Inline=1")))
    assert names(mod) == {"main", "other"}
    assert_main(mod, INLINE.format(middle="").replace("@middle(@other(%x))", """
        %0 = @other(%x);
        %0 * 2 + 1"""))
    assert evaluate(mod, (3,)) == evaluate(parse(INLINE.format(middle="")), (3,))
    # One without the attribute stays, but what it calls is inlined.
    mod = transform.Inline()(parse(INLINE.format(middle="")))
    assert names(mod) == {"main", "other", "middle"}
    assert "leaf" not in str(mod)


def test_functions_that_are_not_inlined():
    text = """
        def @plain(%x: int32) -> int32 { %x }
        def @caller(%x: int32, Inline=1) -> int32 { @plain(%x) }
        def @loop(%x: int32, Inline=1) -> int32 {
            if (less(%x, 1)) { %x } else { @loop(%x - 1) }
        }
        def @unused(%x: int32, Inline=1) -> int32 { %x }
        def @main(%x: int32, Inline=1) -> int32 { @caller(@loop(%x)) }"""
    mod = transform.Inline()(parse(text))
    assert names(mod) == {"plain", "caller", "loop", "unused", "main"}
    assert_main(mod, text)


def test_inlined_names():
    mod = transform.Inline()(parse("""def @inc(%x: int32, Inline=1) -> int32 { %x + 1 }
        def @main(%x: int32) { @map(@inc, Cons(@inc(%x), Nil)) }"""))
    assert "inc" not in names(mod)
    assert_main(mod, """def @main(%x: int32) {
            @map(fn (%y: int32) -> int32 { %y + 1 }, Cons(%x + 1, Nil))
        }""")


def test_inlined_compiler_functions():
    mod = transform.Inline()(parse("""
        def @kernel(%x: int32, Inline=1, Compiler="somebody") -> int32 { %x + 1 }
        def @main(%x: int32) { @kernel(%x) }"""))
    assert names(mod) == {"main"}
    call = mod["main"].body
    assert isinstance(call.op, relay.Function) and call.op.attrs["Compiler"] == "somebody"


def alone(text):
    """A module without the prelude."""
    return transform.InferType()(relay.parse(f'#[version = "0.0.5"]\n{text}'))


def test_lambda_lift():
    mod = alone("""def @main(%x: int32) {
        let %inc = fn (%y: int32) -> int32 { %y + 1 };
        let %same = fn (%z: int32) -> int32 { %z + 1 };
        let %plus = fn (%y: int32) -> int32 { %y + %x };
        %inc(%same(%plus(2)))
    }""")
    lifted = transform.LambdaLift()(mod)
    assert len(lifted.functions) == 3
    assert evaluate(lifted, (4,)) == evaluate(mod, (4,)) == evaluate(mod, (np.int32(4),))
    closures = [f for f in lifted.functions.values() if f.attrs and "Closure" in f.attrs]
    assert len(closures) == 1 and isinstance(closures[0].body, relay.Function)
    assert analysis.Feature.fFunction in analysis.detect_feature(lifted["main"])
    # The name is made of what the function is: it is the same in another module.
    other = transform.LambdaLift()(alone("""def @main(%a: int32, %b: int32) {
        (fn (%c: int32) -> int32 { %c + 1 })(%a) + %b
    }"""))
    assert len(names(other) & names(lifted)) == 2  # And @main.


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_to_lift_is_left(name):
    mod = transform.LambdaLift()(program(name))
    for function in mod.functions.values():
        body = function.body
        if function.attrs and "Closure" in function.attrs:
            assert isinstance(body, relay.Function)
            body = body.body
        nodes: list[Any] = []
        analysis.post_order_visit(body, nodes.append)
        assert all("Primitive" in (node.attrs or {}) for node in nodes
                   if isinstance(node, relay.Function)), mod


def test_remove_unused_functions_of_the_prelude():
    mod = program("lists")
    result = transform.RemoveUnusedFunctions()(mod)
    used = {var.name_hint for var in result.functions}
    assert used == {"main", "map", "foldl", "foldr", "rev", "filter", "flip"}
    assert len(transform.RemoveUnusedFunctions(["map"])(mod).functions) == 1
    assert not transform.RemoveUnusedFunctions([])(mod).functions
    assert len(mod.functions) > 20
    with pytest.raises(ValueError, match="nobody"):
        transform.RemoveUnusedFunctions(["nobody"])(mod)


def test_levels_and_names():
    """What instruments and contexts know the passes by."""
    for make, name in [(transform.ToANormalForm, "ToANormalForm"),
                       (transform.ToBasicBlockNormalForm, "ToBasicBlockNormalForm"),
                       (transform.ToGraphNormalForm, "ToGraphNormalForm"),
                       (transform.EtaExpand, "EtaExpand"), (transform.Inline, "InlineGlobals"),
                       (transform.LambdaLift, "LambdaLift"),
                       (transform.RemoveUnusedFunctions, "RemoveUnusedFunctions")]:
        info = make().info
        assert (info.name, info.opt_level) == (name, 1)
        assert transform.PassContext(disabled_pass=[name]).disabled_pass
    mod = inferred("def @main(%x: int32) { (%x + 1) * 2 }")
    with transform.PassContext(disabled_pass=["ToANormalForm"]):
        same = transform.Sequential([transform.ToANormalForm()])(mod)
    relay.assert_structural_equal(same["main"], mod["main"])
