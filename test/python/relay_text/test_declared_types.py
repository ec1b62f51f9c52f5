"""What a program declares holds: types of results, variables, parameters.

A declared type is a constraint. What it leaves open is inferred, what it says
stays, and a value of another type is an error that names both types and both
places.
"""

import re

import numpy as np
import pytest

from relay_mlir import relay

PRELUDE = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}
type Box[A] {
  Box(A),
}
type nat {
  zero,
  succ(nat),
}
def @id[A](%x: A) -> A { %x }
def @hd[A](%l: List[A]) -> A { match? (%l) { Cons(%x, _) => { %x }, } }
def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
  match (%l) {
    Cons(%x, %rest) => { Cons(%f(%x), @map(%f, %rest)) },
    Nil => { Nil },
  }
}
"""

# (program, the declared or inferred result of @main)
ACCEPTED = [
    # Sizes: a declared `?` stays, a declared size is checked at run time.
    ("def @main(%x: Tensor[(2), float32]) -> Tensor[(?), float32] { %x }",
     "Tensor[(?), float32]"),
    ("def @main(%x: Tensor[(?), float32]) -> Tensor[(2), float32] { %x }",
     "Tensor[(2), float32]"),
    ("def @main(%a: Tensor[(5, 7), float32]) -> Tensor[(?, ?), float32] { add(%a, %a) }",
     "Tensor[(?, ?), float32]"),
    ("def @main(%a: Tensor[(5, 7), float32]) {"
     " let %b: Tensor[(?, ?), float32] = %a; %b }", "Tensor[(?, ?), float32]"),
    ("def @main(%a: Tensor[(5, 7), float32]) {"
     " let %b: Tensor[(?, 7), float32] = %a; add(%b, %b) }", "Tensor[(?, 7), float32]"),
    ("def @main(%a: Tensor[(5, 7), float32]) {"
     " (fn (%x: Tensor[(5, 7), float32]) -> Tensor[(?, 7), float32] { %x })(%a) }",
     "Tensor[(?, 7), float32]"),
    ("def @main(%a: Tensor[(2), float32]) -> (Tensor[(?), float32], int32) { (%a, 1) }",
     "(Tensor[(?), float32], int32)"),
    ("def @f(%a: Tensor[(2), float32]) -> Tensor[(?), float32] { %a }"
     "def @main(%a: Tensor[(2), float32]) { @f(%a) }", "Tensor[(?), float32]"),
    ("def @main(%a: Tensor[(2), float32]) {"
     " let %f: fn (Tensor[(?), float32]) -> Tensor[(?), float32] ="
     " fn (%x: Tensor[(?), float32]) { tanh(%x) }; %f(%a) }", "Tensor[(?), float32]"),
    ("def @main(%c: bool, %x: Tensor[(2), float32], %y: Tensor[(?), float32]) {"
     " if (%c) { %x } else { %y } }", "Tensor[(?), float32]"),
    ("def @main(%a: Tensor[(2), float32]) -> ref(Tensor[(?), float32]) { ref(%a) }",
     "ref(Tensor[(?), float32])"),
    ("def @main(%a: Tensor[(2), float32]) -> List[Tensor[(?), float32]] { Cons(%a, Nil) }",
     "List[Tensor[(?), float32]]"),
    # Recursion: the declared type is that of the calls inside.
    ("def @main(%n: int32, %x: Tensor[(2), float32]) -> Tensor[(?), float32] {"
     " if (equal(%n, 0)) { %x } else { @main(%n - 1, %x) } }", "Tensor[(?), float32]"),
    ("def @main() { let %f: fn (int32) -> int32 = fn (%n) {"
     " if (equal(%n, 0)) { 0 } else { %f(%n - 1) } }; %f(3) }", "int32"),
    ("def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(%n - 1) } }"
     "def @odd(%n: int32) { if (equal(%n, 0)) { False } else { @even(%n - 1) } }"
     "def @main() { @odd(3) }", "bool"),
    # Incomplete parts are inferred.
    ("def @main() -> (_, float32) { (1, 2f) }", "(int32, float32)"),
    ("def @main() { let %x: (_, _) = (1, 2f); %x }", "(int32, float32)"),
    ("def @main() { let %l: List[_] = Cons(1, Nil); %l }", "List[int32]"),
    ("def @main() -> fn (_) -> _ { fn (%x: int32) { %x } }", "fn (int32) -> int32"),
    # Declarations tell what values leave open.
    ("def @main() -> List[int32] { Nil }", "List[int32]"),
    ("def @main() { let %l: List[float32] = Nil; %l }", "List[float32]"),
    ("def @main() -> List[int32] { let %n = Nil; %n }", "List[int32]"),
    ("def @main() -> fn (int32) -> int32 { fn (%x) { %x } }", "fn (int32) -> int32"),
    # Polymorphic values where an instance is declared.
    ("def @main() -> fn (int32) -> int32 { @id }", "fn (int32) -> int32"),
    ("def @main[B]() -> fn (B) -> B { fn [A](%x: A) -> A { %x } }", "fn (B) -> B"),
    ("def @main() -> fn (int32, List[int32]) -> List[int32] { Cons }",
     "fn (int32, List[int32]) -> List[int32]"),
    ("def @main() -> (fn (int32) -> Box[int32],) { (Box,) }", "(fn (int32) -> Box[int32],)"),
    ("def @main() -> List[fn (int32) -> int32] { Cons(@id, Nil) }",
     "List[fn (int32) -> int32]"),
    ("def @main() { let %f: fn [A](A) -> A = fn [B](%x: B) { %x }; (%f(1), %f(2f)) }",
     "(int32, float32)"),
    ("def @main() { let %f: fn [A](A, A) -> A = fn [A, B](%x: A, %y: B) { %x };"
     " %f(1, 2) }", "int32"),
    ("def @main() { (fn (%f: fn [A](A) -> A) { (%f(1), %f(True)) })(@id) }",
     "(int32, bool)"),
    # A name of a type parameter inside of another of that name.
    ("def @main[A](%y: A) { let %g = fn [A](%x: A) { (%x, %y) }; %g(1) }", "(int32, A)"),
    # What nothing determines, and nothing needs.
    ("def @main() { let %n = Nil; 1 }", "int32"),
    ("def @main() { match (Nil) { Cons(%x, _) => { 1 }, Nil => { 2 }, } }", "int32"),
    ("def @main() { let %x = @hd(Nil); 1 }", "int32"),
    ("def @main() { Nil }", "List[_]"),
    ("def @main(%l: List[_]) { 1 }", "int32"),
    ("def @main() { let %f = tanh; 1 }", "int32"),
    # Names of types, and parentheses.
    ("def @main(%x: int) -> (int) { %x }", "int32"),
    ("def @main(%x: float) -> (float,) { (%x,) }", "(float32,)"),
    ("def @main() -> (fn (int32) -> int32) { @id }", "fn (int32) -> int32"),
    ("def @main(%x: Tensor[(2), int]) -> ((Tensor[(2), int32])) { %x }",
     "Tensor[(2), int32]"),
]


@pytest.mark.parametrize("text,expected", ACCEPTED)
def test_accepted(text, expected):
    mod = relay.parse(PRELUDE + text)
    assert str(mod["main"].ret_type) == expected
    # What is printed says the same.
    text = mod.astext(show_spans=False)
    assert text == relay.parse(text).astext(show_spans=False)


def test_undetermined_result():
    """The element of an empty list may be anything."""
    mod = relay.parse(PRELUDE + "def @main() { @hd(Nil) }")
    assert mod["main"].ret_type is None
    with pytest.raises(relay.DiagnosticError, match="expects a case that matches the value"):
        relay.create_executor("debug", mod=mod).evaluate()()


# (program, expected, got): the error names both types.
REFUSED = [
    ("def @main(%x: Tensor[(2), float32]) -> Tensor[(3), float32] { %x }",
     "a result of type Tensor[(3), float32]", "Tensor[(2), float32]"),
    ("def @main() -> float32 { 1 }", "a result of type float32", "int32"),
    ("def @main() { let %x: float32 = 1; %x }", "a value of type float32", "int32"),
    ("def @main() { let %x: (int32, int32) = (1, 2, 3); %x }",
     "a value of type (int32, int32)", "(int32, int32, int32)"),
    ("def @main(%x: Tensor[(2, 2), float32]) -> Tensor[(?), float32] { %x }",
     "a result of type Tensor[(?), float32]", "Tensor[(2, 2), float32]"),
    ("def @main(%x: Tensor[(2, 2), float32]) { let %y: Tensor[(?, 3), float32] = %x; %y }",
     "a value of type Tensor[(?, 3), float32]", "Tensor[(2, 2), float32]"),
    ("def @main() { (fn (%x: int32) -> bool { %x })(1) }", "a result of type bool", "int32"),
    ("def @main(%x: int32) -> (int32,) { %x }", "a result of type (int32,)", "int32"),
    ("def @main() -> List[int32] { Cons(1f, Nil) }", "a result of type List[int32]",
     "List[float32]"),
    ("def @main() -> Box[int32] { Cons(1, Nil) }", "a result of type Box[int32]",
     "List[int32]"),
    ("def @main() -> nat[] { 1 }", "a result of type nat[]", "int32"),
    ("def @main() -> ref(int32) { ref(1f) }", "a result of type ref(int32)", "ref(float32)"),
    ("def @main() -> fn (int32) -> int32 { fn (%x: float32) { %x } }",
     "a result of type fn (int32) -> int32", "fn (float32) -> float32"),
    ("def @main() -> fn (int32) -> bool { @id }", "a result of type fn (int32) -> bool",
     "fn [A](A) -> A"),
    ("def @main() { let %f: fn [A](A) -> A = fn (%x: int32) { %x }; 1 }",
     "a value of type fn [A](A) -> A", "fn (int32) -> int32"),
    ("def @main() { let %f: fn [A, B](A, B) -> A = fn [A](%x: A, %y: A) { %x }; 1 }",
     "a value of type fn [A, B](A, B) -> A", "fn [A](A, A) -> A"),
    # Type parameters are rigid.
    ("def @f[A, B](%x: A) -> B { %x } def @main() { 1 }", "a result of type B", "A"),
    ("def @f[A](%x: A) -> int32 { %x } def @main() { 1 }", "a result of type int32", "A"),
    ("def @f[A](%x: int32) -> A { %x } def @main() { 1 }", "a result of type A", "int32"),
    ("def @f[A, B](%x: A, %y: B) -> List[A] { Cons(%y, Nil) } def @main() { 1 }",
     "a result of type List[A]", "List[B]"),
    ("def @main() { let %f = fn [A, B](%x: A) -> B { %x }; 1 }", "a result of type B", "A"),
    ("def @main[A](%y: A) { let %g = fn [A](%x: A) -> (A, A) { (%x, %y) }; %g(1) }",
     "a result of type (A1, A1)", "(A1, A)"),
    # A function is checked against what it declares, whoever calls it.
    ("def @f(%x: int32) -> float32 { if (equal(%x, 0)) { @f(%x) } else { %x } }"
     "def @main() { 1 }", "the value of each branch to be of type float32", "int32"),
    # Parameters.
    ("def @f(%x: Tensor[(?), float32]) { %x }"
     "def @main(%x: Tensor[(2, 2), float32]) { @f(%x) }",
     "argument 0 of type Tensor[(?), float32]", "Tensor[(2, 2), float32]"),
    ("def @main() { (fn (%f: fn [A](A) -> A) { %f(1) })(fn (%x: int32) { %x }) }",
     "argument 0 of type fn [A](A) -> A", "fn (int32) -> int32"),
    # Patterns.
    ("def @main(%l: List[int32]) { match (%l) { Cons(%x: float32, _) => { %x },"
     " Nil => { 1f }, } }", "a pattern variable of type float32", "int32"),
]


@pytest.mark.parametrize("text,expected,got", REFUSED)
def test_refused(text, expected, got):
    with pytest.raises(relay.DiagnosticError) as error:
        relay.parse(PRELUDE + text)
    message = str(error.value)
    assert f"error: expects {expected}, but got {got}" in message
    assert not re.search(r"tensor<|!relay|'relay\.|' op ", message), message


@pytest.mark.parametrize("text,places", [
    ("def @main(%x: Tensor[(2), float32]) -> Tensor[(3), float32] { %x }",
     [("error", "%x", 63), ("note: the value comes from here", "%x", 11),
      ("note: Tensor[(3), float32] is declared here", "Tensor[(3), float32]", 40)]),
    ("def @main() { let %x: (float32,) = (1,); %x }",
     [("error", "let %x: (float32,) = (1,)", 15), ("note: the value comes from here", "(1,)", 36),
      ("note: (float32,) is declared here", "(float32,)", 23)]),
])
def test_places(text, places):
    """Each place is underlined."""
    with pytest.raises(relay.DiagnosticError) as error:
        relay.parse('#[version = "0.0.5"]\n' + text, "program.relay")
    lines = str(error.value).splitlines()
    assert len(lines) == 3 * len(places)
    for i, (message, marked, column) in enumerate(places):
        place, source, mark = lines[3 * i:3 * i + 3]
        assert place.startswith(f"program.relay:2:{column}: {message}")
        assert source == text
        assert mark == " " * (column - 1) + "^" + "~" * (len(marked) - 1)


def test_nothing_of_mlir_is_left_to_the_user():
    """The dialect has an operation for declared types; text has none."""
    mod = relay.parse(PRELUDE + "def @main(%x: Tensor[(2), float32]) -> Tensor[(?), float32] {"
                      " let %y: Tensor[(?), float32] = %x; tanh(%y) }")
    assert "cast" not in mod.astext()
    body = mod["main"].body
    assert str(body.var.type_annotation) == "Tensor[(?), float32]"
    assert isinstance(body.value, relay.Var)


def test_declared_sizes_are_checked_at_run_time():
    mod = relay.parse(PRELUDE + "def @main(%x: Tensor[(?), float32]) -> Tensor[(2), float32] {"
                      " %x }")
    run = relay.create_executor("debug", mod=mod).evaluate()
    np.testing.assert_array_equal(run(np.ones(2, "float32")), [1, 1])
    with pytest.raises(relay.DiagnosticError,
                       match=r"expects a result of type Tensor\[\(2\), float32\], but got "
                             r"Tensor\[\(3\), float32\]"):
        run(np.ones(3, "float32"))


@pytest.mark.parametrize("body", [
    "%x", "tanh(%x)", "let %y: Tensor[(2), float32] = %x; add(%y, %y)",
    "let %y: Tensor[(?), float32] = %x; add(%y, %y)"])
def test_declared_sizes_in_compiled_programs(body):
    mod = relay.parse(PRELUDE + "def @main(%x: Tensor[(?), float32]) -> Tensor[(2), float32] {"
                      f" {body} }}")
    run = relay.create_executor("aot", mod=mod).evaluate()
    reference = relay.create_executor("debug", mod=mod).evaluate()
    x = np.array([0.5, -2], "float32")
    np.testing.assert_allclose(run(x), reference(x), rtol=1e-6)
    with pytest.raises(Exception, match="expects|do not fit"):
        run(np.ones(3, "float32"))


@pytest.mark.parametrize("body,reference", [
    ("(nn.relu(%x), %y)", lambda x, y: (np.maximum(x, 0), y)),
    ("(%y, nn.relu(%x))", lambda x, y: (y, np.maximum(x, 0))),
    # Of one field nothing is left to check.
    ("(nn.relu(%x), %z)", lambda x, y: (np.maximum(x, 0), np.float32(2) * x)),
    ("let %t = (nn.relu(%x), %y); (%t.1, %t.0)", lambda x, y: (y, np.maximum(x, 0)))])
def test_declared_tuples_in_compiled_programs(body, reference):
    known, unknown = "Tensor[(2, 3), float32]", "Tensor[(?, ?), float32]"
    mod = relay.parse(PRELUDE + f"def @main(%x: {unknown}, %y: {unknown}, %z: {known})"
                      f" -> ({known}, {known}) {{ {body} }}")
    run = relay.create_executor("aot", mod=mod).evaluate()
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    for got, want in zip(run(x, -x, 2 * x), reference(x, -x), strict=True):
        np.testing.assert_array_equal(got.numpy(), want)
    for wrong in ((x[:1], -x), (x, -x[:, :2])) if "%y" in body else ((x[:1], -x),):
        with pytest.raises(Exception, match="expects|do not fit"):
            run(*wrong, 2 * x)


@pytest.mark.parametrize("body", [
    "let %unused: Tensor[(2), float32] = %x; tanh(%x)",
    "let %unused: Tensor[(2), float32] = tanh(%x); %x",
    # Nothing uses what uses it.
    "let %y: Tensor[(2), float32] = %x; let %unused = tanh(%y); negative(%x)",
    "let %unused: (Tensor[(2), float32], float32) = (tanh(%x), 1f); %x",
    "@inner(%x)",
])
def test_declared_sizes_of_unused_values(body):
    mod = relay.parse(PRELUDE + "def @inner(%z: Tensor[(?), float32]) {"
                      " let %unused: Tensor[(2), float32] = %z; %z }"
                      "def @main(%x: Tensor[(?), float32]) -> Tensor[(?), float32] {"
                      f" {body} }}")
    run = relay.create_executor("aot", mod=mod).evaluate()
    reference = relay.create_executor("debug", mod=mod).evaluate()
    x = np.array([0.5, -2], "float32")
    np.testing.assert_allclose(run(x), reference(x), rtol=1e-6)
    for execute in (run, reference):
        with pytest.raises(Exception, match="expects|do not fit"):
            execute(np.ones(3, "float32"))


@pytest.mark.parametrize("executor", ["debug", "aot", "vm"])
@pytest.mark.parametrize("parameter,argument,body", [
    ("Tensor[(2), float32]", "%x", "tanh(%z)"),
    ("Tensor[(2), float32]", "%x", "%z"),
    ("Tensor[(2), float32]", "%x", "sum(%z)"),
    # What is repeated, or reads other elements, would take other sizes.
    ("Tensor[(2), float32]", "%x", "add(%z, meta[relay.Constant][0])"),
    ("Tensor[(2), float32]", "%x", "take(%z, 1)"),
    ("Tensor[(2), float32]", "%x", "3f"),
    ("(Tensor[(2), float32], float32)", "(%x, 1f)", "multiply(%z.0, %z.1)"),
    ("Tensor[(?), float32]", "%x", "let %y: Tensor[(2), float32] = %z; tanh(%y)"),
])
def test_declared_sizes_of_parameters(parameter, argument, body, executor):
    """Also where other calls know them."""
    body = body.replace("meta[relay.Constant][0]", "stack((1f, 2f), axis=0)")
    mod = relay.parse(PRELUDE + f"def @inner(%z: {parameter}) {{ {body} }}"
                      "def @main(%x: Tensor[(?), float32], %w: Tensor[(2), float32]) {"
                      f" (@inner({argument}), @inner({argument.replace('%x', '%w')})) }}")
    run = relay.create_executor(executor, mod=mod).evaluate()
    x = np.array([0.5, -2], "float32")
    first, second = run(x, x)
    np.testing.assert_array_equal(first.numpy(), second.numpy())
    for size in (1, 3, 9):
        with pytest.raises(Exception, match="expects|do not fit"):
            run(np.ones(size, "float32"), x)


@pytest.mark.parametrize("body,expected", [
    ("%x", (2,)), ("(tanh(%x), %x)", ((2,), (2,)))])
def test_unknown_declared_sizes_in_compiled_programs(body, expected):
    """What is declared to be of some size may be of a known one."""
    declared = "Tensor[(?), float32]"
    if isinstance(expected[0], tuple):
        declared = f"({declared}, {declared})"
    mod = relay.parse(PRELUDE + f"def @main(%x: Tensor[(2), float32]) -> {declared} {{ {body} }}")
    x = np.array([0.5, -2], "float32")
    got = relay.create_executor("aot", mod=mod).evaluate()(x)
    want = relay.create_executor("debug", mod=mod).evaluate()(x)
    for a, b in zip(got if isinstance(got, tuple) else [got],
                    want if isinstance(want, tuple) else [want]):
        assert a.shape == (2,)
        np.testing.assert_allclose(a, b, rtol=1e-6)


#===------------------------------------------------------------------------===#
# Type arguments and operators as values
#===------------------------------------------------------------------------===#


def calls(expr):
    found = []
    relay.post_order_visit(expr, lambda node: found.append(node)
                           if isinstance(node, relay.Call) else None)
    return found


def test_type_args_are_filled():
    mod = relay.parse(PRELUDE + "def @main(%x: Tensor[(3), float32]) {"
                      " @map(@id, Cons(%x, Nil)) }")
    args = {call.op.name_hint: [str(t) for t in call.type_args]
            for call in calls(mod["main"].body)}
    tensor = "Tensor[(3), float32]"
    assert args["map"] == [tensor, tensor]
    assert args["Cons"] == [tensor]
    assert args["Nil"] == [tensor]


def test_type_args_of_operators_are_the_types_of_operands():
    mod = relay.parse(PRELUDE + "def @main(%x: Tensor[(3), float32]) { add(%x, 1f) }")
    assert [str(t) for t in mod["main"].body.type_args] == ["Tensor[(3), float32]", "float32"]


def test_written_type_args_are_constraints():
    mod = relay.parse(PRELUDE + "def @main() { 1 }")
    identity, x = mod.get_global_var("id"), relay.var("x", "int32")
    for args, fits in [([], True), ([relay.TensorType((), "int32")], True),
                       ([relay.TensorType((), "float32")], False),
                       ([relay.TensorType((), "int32")] * 2, False)]:
        mod["main"] = relay.Function([x], relay.Call(identity, [x], None, args))
        if fits:
            assert str(relay.transform.infer_types(mod)["main"].ret_type) == "int32"
            continue
        with pytest.raises(relay.DiagnosticError, match="expects"):
            relay.transform.infer_types(mod)


def test_operators_stay_operators():
    mod = relay.parse(PRELUDE + "def @main(%x: Tensor[(3), float32]) {"
                      " let %f = tanh; (%f(%x), %f(1f)) }")
    let = mod["main"].body
    assert let.value == relay.op.get("tanh")
    assert str(mod["main"].ret_type) == "(Tensor[(3), float32], float32)"
    got = relay.create_executor("debug", mod=mod).evaluate()(np.zeros(3, "float32"))
    np.testing.assert_allclose(got[1], np.tanh(1), rtol=1e-6)
    # A function that applies one stays a function.
    mod = relay.parse(PRELUDE + "def @main() { fn (%x: float32) { tanh(%x) } }")
    assert isinstance(mod["main"].body, relay.Function)


def test_infer_type_local():
    """Sets the type of the expression itself."""
    x = relay.var("x", shape=(2, 3))
    expr = relay.nn.relu(x)
    type_ = relay.transform.InferTypeLocal(expr)
    assert type_ == relay.TensorType((2, 3))
    assert expr.checked_type == type_


#===------------------------------------------------------------------------===#
# Inference of operands
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("data,attributes,weight", [
    ("(1, 4, 8, 8, 4)", 'channels=16, data_layout="NCHW4c", kernel_layout="OIHW4i4o"',
     "(4, 4, 3, 3, 4, 4)"),
    ("(1, 4, 8, 8, 4)", 'channels=8, data_layout="NCHW4c", kernel_layout="OIHW4o4i"',
     "(2, 4, 3, 3, 4, 4)"),
    ("(2, 4, 8, 8, 4, 4)", 'channels=8, data_layout="NCHW4n4c", kernel_layout="OIHW4o4i"',
     "(2, 4, 3, 3, 4, 4)"),
    ("(1, 8, 8, 16)", 'channels=8, data_layout="NHWC", kernel_layout="HWIO"',
     "(3, 3, 16, 8)"),
    ("(1, 16, 8, 8)", "channels=8, groups=2", "(8, 8, 3, 3)"),
])
def test_weights_of_convolutions(data, attributes, weight):
    mod = relay.parse('#[version = "0.0.5"]\n'
                      f"def @main(%x: Tensor[{data}, float32], %w) {{"
                      f" nn.conv2d(%x, %w, kernel_size=[3, 3], {attributes}) }}")
    assert str(mod["main"].params[1].checked_type) == f"Tensor[{weight}, float32]"


def test_operands_of_deformable_convolutions():
    mod = relay.parse(
        '#[version = "0.0.5"]\n'
        "def @main(%x: Tensor[(1, 7, 8, 4), float32], %o, %w) {"
        " nn.deformable_conv2d(%x, %o, %w, channels=6, kernel_size=[3, 3],"
        ' data_layout="NHWC", kernel_layout="HWIO") }')
    types = [str(p.checked_type) for p in mod["main"].params]
    assert types[1:] == ["Tensor[(1, 5, 6, 18), float32]", "Tensor[(3, 3, 4, 6), float32]"]


@pytest.mark.parametrize("shapes,axis,expected", [
    (["(1, 3)", "(1, ?)"], 0, "(2, ?)"), (["(1, 3)", "(?, 3)"], 0, "(?, 3)"),
    (["(?, 3)", "(2, ?)"], 0, "(?, 3)"), (["(2, ?)", "(?, 4)"], 1, "(2, ?)"),
    (["(2, 3)", "(2, 4)"], 1, "(2, 7)")])
def test_concatenation_of_unknown_sizes(shapes, axis, expected):
    params = ", ".join(f"%x{i}: Tensor[{shape}, float32]" for i, shape in enumerate(shapes))
    mod = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{'
                      f" concatenate((%x0, %x1), axis={axis}) }}")
    assert str(mod["main"].ret_type) == f"Tensor[{expected}, float32]"


#===------------------------------------------------------------------------===#
# Versions
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("version", [
    '#[version = "0.0.5"]', '#[version = "v0.0.5"]', "v0.0.4", "0.0.4",
    '#[version = "0.0.4"]', '#[version = "v0.0.4"]', "v0.0.1", "0.0.1"])
def test_versions(version):
    mod = relay.parse(f"{version}\ndef @main(%x: int32) -> int32 {{ %x }}")
    assert str(mod["main"].ret_type) == "int32"


def test_types_named_as_data_types():
    """A program may define types of these names."""
    mod = relay.parse('#[version = "0.0.5"]\ntype int { one, two, }\n'
                      "def @main() -> int { one }")
    assert str(mod["main"].ret_type) == "int[]"
