"""DeadCodeElimination and EliminateCommonSubexpr, with their options."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import transform


def parse(body, head="def @main(%x: Tensor[(2), float32])"):
    return relay.parse(f'#[version = "0.0.5"]\n{head} {{ {body} }}')


def same(mod, body, **kwargs):
    expected = transform.InferType()(parse(body, **kwargs))
    return relay.structural_equal(transform.InferType()(mod)["main"], expected["main"])


@pytest.mark.parametrize("options, body, expected", [
    ({}, "let %a = 1; 3 + 2", "3 + 2"),
    ({}, "let %a = exp(%x); tanh(%a)", "let %a = exp(%x); tanh(%a)"),
    ({"inline_once": True}, "let %a = exp(%x); tanh(%a)", "tanh(exp(%x))"),
    ({"inline_once": True}, "let %a = exp(%x); %a + %a", "let %a = exp(%x); %a + %a"),
    ({"inline_once": True}, "let %a = exp(%x); let %b = tanh(%a); let %c = %b; sqrt(%c)",
     "sqrt(tanh(exp(%x)))"),
    ({"inline_once": True}, """
        let %a = 1 + 1;
        let %f = fn (%y: int32) -> int32 { let %z = %y + %y; %a + %z };
        (%f(2), %f(3))""", """
        let %a = 1 + 1;
        let %f = fn (%y: int32) -> int32 { %a + (%y + %y) };
        (%f(2), %f(3))"""),
])
def test_dead_code(options, body, expected):
    assert same(transform.DeadCodeElimination(**options)(parse(body)), expected)


def test_what_has_effects_goes_if_asked():
    body = "let %r = ref(%x); let %u = ref_write(%r, exp(%x)); ref_read(%r)"
    kept = transform.DeadCodeElimination(inline_once=True)(parse(body))
    x = np.array([1, 2], np.float32)
    for mod, expected in (
            (kept, np.exp(x)),
            (transform.DeadCodeElimination(ignore_impurity=True)(parse(body)), x)):
        result = relay.create_executor("debug", mod=mod).evaluate()(x)
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("head, call", [
    ("def @main(%x: int32) { let %f = fn (%n: int32) -> int32 { %n + 1 };", "%f(3)"),
    ("def @main(%x: int32) { let %f = fn (%n: int32) -> int32 {"
     " if (less(%n, 1)) { 1 } else { %f(%n - 1) } };", "%f(3)"),
    ("def @f(%n: int32) -> int32 { if (less(%n, 1)) { 1 } else { @f(%n - 1) } }"
     "def @main(%x: int32) {", "@f(%x)"),
])
def test_calls_that_only_compute(head, call):
    """Functions of a program may call themselves: that counts as coming to an end."""
    text = f'#[version = "0.0.5"]\n{head} let %unused = {call}; %x }}'
    mod = transform.DeadCodeElimination()(relay.parse(text))
    assert isinstance(mod["main"].body, relay.Var)
    # What is used is computed.
    mod = transform.DeadCodeElimination()(relay.parse(text.replace("; %x }", "; %unused }")))
    assert relay.create_executor("debug", mod=mod).evaluate()(2).numpy() in (1, 4)


@pytest.mark.parametrize("call", ["%g(%f, 3)", "%f(3)", "%t.0(3)"])
def test_calls_that_may_do_more(call):
    """A function that nobody knows, or that calls one."""
    mod = relay.parse(f"""#[version = "0.0.5"]
        def @main(%f: fn (int32) -> int32, %t: (fn (int32) -> int32,), %x: int32) {{
            let %g = fn (%h: fn (int32) -> int32, %n: int32) -> int32 {{ %h(%n) }};
            let %unused = {call};
            %x
        }}""")
    def has_call(mod):
        found = []
        relay.post_order_visit(mod["main"].body, lambda node: found.append(
            isinstance(node, relay.Call) and not isinstance(node.op, relay.Op)))
        return any(found)

    assert has_call(transform.DeadCodeElimination()(mod))
    assert not has_call(transform.DeadCodeElimination(ignore_impurity=True)(mod))


def casts():
    x = relay.var("x", shape=(2,))
    added = [relay.add(x, relay.const(1.0)) for _ in range(2)]
    return relay.IRModule.from_expr(relay.Function([x], relay.Tuple(
        [relay.exp(added[0]), relay.exp(added[1]), relay.cast(x, "int32"),
         relay.cast(x, "int32"), relay.cast(x, "int64")])))


def test_equal_calls():
    fields = transform.EliminateCommonSubexpr()(casts())["main"].body.fields
    assert fields[0] == fields[1] and fields[2] == fields[3] != fields[4]


def test_calls_that_are_to_stay():
    seen = []

    def fskip(call):
        seen.append(call.op.name)
        return call.op.name == "cast"

    merged = transform.EliminateCommonSubexpr(fskip)(casts())
    fields = merged["main"].body.fields
    # Arguments come first, so that calls of equal calls are equal.
    assert fields[0] == fields[1] and len(set(fields[2:])) == 3
    assert sorted(set(seen)) == ["add", "cast", "exp"]
    x = np.array([1.5, -2.5], np.float32)
    results = [relay.create_executor("debug", mod=mod).evaluate()(x)
               for mod in (casts(), merged)]
    for one, other in zip(*results):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


@pytest.mark.parametrize("name", ["debug", "annotation.compiler_begin", "memory.kill"])
def test_equal_calls_that_are_not_one(name):
    """Each is something of its own."""
    x = relay.var("x", shape=(2,))
    calls = {
        "debug": lambda: relay.debug(x, debug_func="test.equal_calls"),
        "annotation.compiler_begin": lambda: relay.annotation.compiler_begin(x, "dnnl"),
        "memory.kill": lambda: relay.Call(relay.op.get("memory.kill"), [x]),
    }
    mod = relay.IRModule.from_expr(relay.Function(
        [x], relay.Tuple([calls[name](), calls[name]()])))
    assert relay.op.get(name).get_attr("TOpIsStateful") is True
    for pass_ in (transform.EliminateCommonSubexpr(),
                  transform.EliminateCommonSubexpr(lambda call: False)):
        fields = pass_(mod)["main"].body.fields
        assert fields[0] != fields[1]
    assert relay.op.get("add").get_attr("TOpIsStateful") is False


def test_equal_calls_in_different_scopes():
    mod = parse("""
        let %c = less(sum(%x), 0f);
        let %f = fn (%y: Tensor[(2), float32]) { exp(%y) };
        let %first = split(%x, indices_or_sections=2);
        let %again = split(%x, indices_or_sections=2);
        let %a = if (%c) { tanh(%x) } else { tanh(%x) };
        (%a, tanh(%x), %first.0, %again.0, %f(%x), exp(%x))""")
    merged = transform.EliminateCommonSubexpr(lambda call: False)(mod)
    assert str(merged).count("split(") == 1
    for x in (np.array([1, 2], np.float32), np.array([-1, -2], np.float32)):
        results = [relay.create_executor("debug", mod=one).evaluate()(x)
                   for one in (mod, merged)]
        for one, other in zip(*results):
            np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_information_of_a_module():
    mod = relay.IRModule(global_infos={"vdevice": ["cpu", "gpu"]})
    assert mod.global_infos == {"vdevice": ["cpu", "gpu"]}
    assert mod.clone().global_infos == mod.global_infos
