"""Programs of Relay as programs of Python: the same values as of the interpreter."""

import ast
from typing import Any

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay.testing import py_converter, run_as_python, to_python


def both(expr, mod=None):
    """The value by Python, compared with that of the interpreter."""
    value = run_as_python(expr, mod)
    expected = relay.create_executor("debug", mod=mod).evaluate(expr)
    assert str(value) == str(expected)
    return value


def test_tensors_and_tuples():
    value = both(relay.const(1) + relay.const(2))
    assert isinstance(value, relay.NDArray) and value == 3 and value.dtype == "int32"
    data = np.array([[1.5, -np.inf], [np.nan, np.inf]], "float32")
    np.testing.assert_array_equal(both(relay.const(data)), data)
    assert both(relay.const([1.5, 2], "float16")).dtype == "float16"
    assert both(relay.const([True, False])).dtype == "bool"
    assert both(relay.Tuple([])) == ()
    nothing = relay.const(np.zeros((0, 3), "int64"))
    assert both(relay.sum(nothing, axis=0)).tolist() == [0, 0, 0]
    assert both(nothing).shape == (0, 3)
    pair = both(relay.Tuple([relay.const(1), relay.Tuple([relay.const(2)])]))
    assert isinstance(pair, tuple) and pair[1] == (2,)
    assert both(relay.TupleGetItem(relay.Tuple([relay.const(1), relay.const(2)]), 1)) == 2
    halves = relay.split(relay.const(np.arange(6.0)), 2)
    np.testing.assert_array_equal(run_as_python(halves)[1], [3, 4, 5])
    clipped = relay.clip(relay.const([1.0, 5.0]), -np.inf, 2.0)
    np.testing.assert_array_equal(both(clipped), [1, 2])


def test_functions():
    x, y = relay.var("x", "int32"), relay.var("y", "int32")
    add = relay.Function([x], relay.Function([y], x + y))
    assert both(add(relay.const(1))(relay.const(2))) == 3
    f = run_as_python(add)
    assert f(np.int32(1))(2) == 3
    op = relay.Let(relay.var("f"), relay.op.get("tanh"), relay.const(1))
    assert both(op) == 1
    g = relay.var("g")
    apply = relay.Function([g], g(relay.const(3.0)))
    np.testing.assert_allclose(run_as_python(apply)(run_as_python(relay.op.get("sqrt"))),
                               np.sqrt(np.float32(3)), rtol=1e-6)
    with pytest.raises(ValueError, match="'x' is free"):
        run_as_python(x + y)


def test_recursion():
    mod = relay.parse('''#[version = "0.0.5"]
def @fact(%n: int32) -> int32 { if (equal(%n, 0)) { 1 } else { %n * @fact(%n - 1) } }
def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(%n - 1) } }
def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(%n - 1) } }
''')
    assert both(mod.get_global_var("fact")(relay.const(6)), mod) == 720
    assert not both(mod.get_global_var("even")(relay.const(7)), mod)
    assert run_as_python(mod.get_global_var("fact"), mod)(5) == 120
    loop = relay.loops.while_loop(lambda i: relay.less(i, relay.const(10)),
                                  [relay.var("i", "int32")], lambda i: [i + relay.const(3)])
    assert both(loop(relay.const(0))) == (12,)


def test_data_types():
    mod = relay.IRModule()
    p = relay.Prelude(mod)
    x, y = relay.var("x", "int32"), relay.var("y", "int32")
    numbers = p.nil()
    for i in (3, 2, 1):
        numbers = p.cons(relay.const(i), numbers)
    value = both(p.map(relay.Function([x], x * x), numbers), mod)
    assert isinstance(value, relay.ConstructorValue) and value.tag == p.cons.tag
    assert relay.prelude.to_list(value) == [1, 4, 9]
    assert both(p.foldl(relay.Function([x, y], x + y), relay.const(0), numbers), mod) == 6
    assert both(p.some(relay.Tuple([numbers, relay.const(1)])), mod).name_hint == "Some"
    cons = relay.var("c")
    by_name = relay.Let(cons, p.cons, cons(relay.const(7), p.nil()))
    assert relay.prelude.to_list(both(by_name, mod)) == [7]


def test_patterns():
    mod = relay.parse('''#[version = "0.0.5"]
type Shape { Circle(int32), Box(int32, (int32, int32)), Nothing }
def @size(%s: Shape) -> int32 {
  match? (%s) {
    Circle(%r) => { %r * %r },
    Box(_, (%a, %b)) => { %a - %b },
  }
}
''')
    circle, box, nothing = mod.get_type("Shape")[1:]
    size = mod.get_global_var("size")
    assert both(size(circle(relay.const(3))), mod) == 9
    pair = relay.Tuple([relay.const(7), relay.const(2)])
    assert both(size(box(relay.const(1), pair)), mod) == 5
    with pytest.raises(ValueError, match="expects a case that matches"):
        run_as_python(size(nothing()), mod)


def test_references():
    r, _ = relay.var("r"), relay.var("_")
    cell = run_as_python(relay.RefCreate(relay.Tuple([])))
    assert isinstance(cell, relay.RefValue) and cell.value == ()
    change = relay.Let(r, relay.RefCreate(relay.const(1)), relay.Let(
        _, relay.RefWrite(r, relay.RefRead(r) + relay.const(5)), relay.RefRead(r)))
    assert both(change) == 6
    # A function of its own state.
    counter = relay.Let(r, relay.RefCreate(relay.const(0)), relay.Function([], relay.Let(
        relay.var("_"), relay.RefWrite(r, relay.RefRead(r) + relay.const(1)),
        relay.RefRead(r))))
    count = run_as_python(counter)
    assert [int(count()) for _ in range(3)] == [1, 2, 3]


def test_functions_in_values():
    """References and data that hold functions, which may change."""
    x, y, r, f = relay.var("x", "int32"), relay.var("y", "int32"), relay.var("r"), relay.var("f")
    negate = relay.Function([x], relay.negative(x))
    double = relay.Function([y], y + y)
    program = relay.Let(r, relay.RefCreate(negate), relay.Let(
        relay.var("_"), relay.RefWrite(r, double), relay.RefRead(r)(relay.const(4))))
    assert both(program) == 8
    mod = relay.IRModule()
    p = relay.Prelude(mod)
    functions = p.cons(negate, p.cons(double, p.nil()))
    results = p.map(relay.Function([f], f(relay.const(3))), functions)
    assert relay.prelude.to_list(both(results, mod)) == [-3, 6]
    value = run_as_python(functions, mod)
    assert value.tag == p.cons.tag and value.fields[0](2) == -2


def test_shared_nodes_are_computed_once_and_branches_only_if_taken():
    """Where it runs is seen from what it changes."""
    r, u = relay.var("r"), relay.var("u")

    def step(amount):
        return relay.RefWrite(r, relay.RefRead(r) + relay.const(amount))

    shared = step(1)
    both_sides = relay.Tuple([shared, shared])
    program = relay.Let(r, relay.RefCreate(relay.const(0)),
                        relay.Let(u, both_sides, relay.RefRead(r)))
    assert both(program) == 1
    v = relay.var("v")
    choice = relay.If(relay.const(True), step(10), step(100))
    program = relay.Let(relay.var("c"), relay.const(0), relay.Let(
        r, relay.RefCreate(relay.const(0)), relay.Let(v, choice, relay.RefRead(r))))
    assert both(program) == 10
    x = relay.var("x", "float32")
    common = relay.exp(x)
    f = relay.Function([x], relay.If(relay.less(x, relay.const(0.0)), common,
                                     common + common))
    text = ast.unparse(to_python(f))
    assert text.count("run_operator('exp'") == 1
    np.testing.assert_allclose(run_as_python(f)(np.float32(1)), 2 * np.exp(1), rtol=1e-6)


def test_deep_programs():
    value: relay.Expr = relay.const(0)
    for _ in range(1500):
        value = value + relay.const(1)
    assert run_as_python(value) == 1500
    x = relay.var("x", "int32")
    body: relay.Expr = x
    for _ in range(300):
        body = relay.Let(relay.var("v"), body + relay.const(1), body)
    assert run_as_python(relay.Function([x], body))(5) == 5


def test_models():
    """A network of layers, against the interpreter."""
    mod, params = relay.testing.mlp.get_workload(batch_size=2)
    f = run_as_python(mod["main"], mod)
    names = [var.name_hint for var in mod["main"].params]
    data = np.random.default_rng(0).random((2, 1, 28, 28), "float32")
    args = [params.get(name, data) for name in names]
    expected = relay.create_executor("debug", mod=mod).evaluate()(*args)
    np.testing.assert_allclose(f(*args), expected, rtol=1e-6)


def test_the_program():
    """Its syntax tree is a program of its own."""
    tree = to_python(relay.const(1) + relay.const(2))
    assert isinstance(tree, ast.Module)
    scope: dict[str, Any] = {}
    exec(compile(ast.unparse(tree), "program", "exec"), scope)  # pylint: disable=exec-used
    assert scope[py_converter.OUTPUT_VAR_NAME] == 3


def test_count_ops():
    x = relay.var("x", shape=(2,))
    e = relay.exp(x)
    counts = relay.testing.count_ops(relay.Function([x], e + relay.exp(e) + e))
    assert counts == {"exp": 2, "add": 2} and counts["tanh"] == 0


def test_random_arrays_of_a_type():
    make = relay.testing.gradients.random_input
    array = make(relay.TensorType((1000,), "float64"), scale=2, mean=5)
    assert array.dtype == "float64" and array.shape == (1000,)
    assert abs(array.mean() - 5) < 1 and 1 < array.std() < 3
    assert make(relay.TensorType((), "float16")).dtype == "float16"


def nested_ifs(depth):
    """A function of `depth` ifs inside of each other, which use what is around them."""
    x = relay.var("x", "int32")
    body: relay.Expr = x
    for i in range(depth):
        body = relay.If(relay.less(x, relay.const(i)), relay.const(i) + x, body * relay.const(2))
    return relay.Function([x], body)


def test_deep_blocks():
    """More ifs and functions inside of each other than Python has levels."""
    ifs = nested_ifs(200)
    python, relays = run_as_python(ifs), relay.create_executor("debug").evaluate(ifs)
    for value in (0, 100, 198, 250):
        assert python(value) == relays(value)
    x = relay.var("x", "int32")
    body: Any = None
    for _ in range(150):
        y = relay.var("y", "int32")
        body = relay.Function([y], y + x if body is None else body(y + x))
    assert both(relay.Let(x, relay.const(3), body(relay.const(1)))) == 451
    mod = relay.IRModule()
    p = relay.Prelude(mod)
    match: relay.Expr = relay.const(0)
    for i in range(120):
        match = relay.Match(p.some(relay.const(i)), [
            relay.Clause(relay.PatternConstructor(p.some, [relay.PatternVar(
                var := relay.var("v", "int32"))]), match + var),
            relay.Clause(relay.PatternWildcard(), relay.const(-1))])
    assert both(match, mod) == sum(range(120))


def test_text_grows_with_the_program():
    short, long = (len(ast.unparse(to_python(nested_ifs(depth)))) for depth in (200, 400))
    assert long < 2.5 * short


@pytest.mark.parametrize("name", ["1", "2x", "if", "x.y", "a b", "", "é", "²", "None", "self-1"])
def test_names_that_python_does_not_have(name):
    param, local = relay.var(name, "int32"), relay.var(name)
    function = relay.Function([param], relay.Let(local, param + param, local * param))
    text = ast.unparse(to_python(function))
    compile(text, "<text>", "exec")
    assert run_as_python(function)(3) == 18
    mod = relay.IRModule({name or "f": function})
    assert both(mod.get_global_var(name or "f")(relay.const(2)), mod) == 8
