"""Gradients of programs: every construct of the language, in both modes."""

from __future__ import annotations

import numpy as np
import pytest

from gradient_checks import F64, MODES, compare, flatten, operators, parse, run, values, var
from relay_mlir import relay
from relay_mlir.relay import transform
from relay_mlir.relay.testing import make_nat_expr


def check_text(text, *arguments, imports=(), mode="higher_order"):
    """Checks the gradients of @main of a program, and returns them."""
    mod = parse(text, *imports)
    return compare(mod["main"], arguments, mode, mod=mod)


#===------------------------------------------------------------------------===#
# Straight code
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("mode", MODES)
def test_types(mode):
    x, y = var("x", 2, 3), var("y", 3)
    gradient = transform.gradient(relay.Function([x, y], (x + y) * x), mode=mode)
    x_type, y_type = relay.TensorType((2, 3), F64), relay.TensorType((3,), F64)
    assert gradient.checked_type == relay.FuncType(
        [x_type, y_type],
        relay.TupleType([x_type, relay.TupleType([x_type, y_type])]))
    assert [param.name_hint for param in gradient.params] == ["x", "y"]


@pytest.mark.parametrize("mode", MODES)
def test_closed_forms(mode):
    x, y = var("x", 2, 3), var("y", 3)
    a, b = values((2, 3), (3,))
    for body, expected in [
            (x, (1, 0)), (x + x, (2, 0)), (x - y, (1, -2)), (x * y, (b, a.sum(axis=0))),
            (relay.nn.relu(-x), (0, 0)), (x + y + x * y, (1 + b, 2 + a.sum(axis=0)))]:
        gradient = transform.gradient(relay.Function([x, y], body), mode=mode)
        _, found = run(gradient, [a, b])
        for one, value, shape in zip(found, expected, [(2, 3), (3,)], strict=True):
            np.testing.assert_allclose(one, np.broadcast_to(value, shape), rtol=1e-15)


@pytest.mark.parametrize("mode", MODES)
def test_tuples(mode):
    t = relay.var("t", relay.TupleType([relay.TensorType((2,), F64), relay.TupleType(
        [relay.TensorType((3,), F64), relay.TensorType((), "int32")])]))
    inner = relay.TupleGetItem(t, 1)
    body = relay.Tuple([
        relay.TupleGetItem(t, 0) * relay.const(2.0, F64),
        relay.Tuple([relay.exp(relay.TupleGetItem(inner, 0)), relay.TupleGetItem(inner, 1)]),
        relay.TupleGetItem(t, 0)])
    gradient = transform.gradient(relay.Function([t], body), mode=mode)
    a, b = values((2,), (3,))
    result, (found,) = run(gradient, [(a, (b, np.int32(7)))])
    # Each tensor of the result counts.
    np.testing.assert_array_equal(result[0], 2 * a)
    np.testing.assert_allclose(found[0], [3, 3])
    np.testing.assert_allclose(found[1][0], np.exp(b))
    assert found[1][1].dtype == "int32" and found[1][1] == 0


@pytest.mark.parametrize("mode", MODES)
def test_what_is_not_of_floats(mode):
    x, i = var("x", 3), var("i", 3, dtype="int32")
    # Integers are constants, whatever they are computed from.
    body = relay.where(i * i > relay.const(1), x, x * relay.cast(i, F64)) + \
        relay.cast(relay.argmax(x), F64)
    gradient = transform.gradient(relay.Function([x, i], body), mode=mode)
    _, (by_x, by_i) = run(gradient, [values((3,))[0], np.array([0, 1, 2], "int32")])
    np.testing.assert_array_equal(by_x, [0, 1, 1])
    assert by_i.dtype == "int32" and not by_i.any()


@pytest.mark.parametrize("mode", MODES)
def test_shared_values(mode):
    x = var("x", 2)
    y = x
    for _ in range(40):
        y = y + y  # 2^40 paths.
    gradient = transform.gradient(relay.Function([x], y), mode=mode)
    _, (found,) = run(gradient, values((2,)))
    np.testing.assert_array_equal(found, [2.0 ** 40] * 2)


@pytest.mark.parametrize("mode", MODES)
def test_the_same_value_twice_in_a_result(mode):
    x = var("x", 2)
    gradient = transform.gradient(relay.Function([x], relay.Tuple([x, x])), mode=mode)
    _, (found,) = run(gradient, values((2,)))
    np.testing.assert_array_equal(found, [2, 2])


@pytest.mark.parametrize("mode", MODES)
def test_open_sizes(mode):
    x = relay.var("x", shape=(relay.Any(), 3), dtype=F64)
    w = var("w", 3)
    function = relay.Function([x, w], relay.nn.softmax(relay.tanh(x * w) + w))
    for size in (1, 2, 5):
        compare(function, values((size, 3), (3,)), mode)


def test_first_order_code_has_only_operators():
    x, w = var("x", 2, 3), var("w", 4, 3)
    y = relay.var("y", shape=(2, 4), dtype=F64)
    bound = relay.Let(y, relay.nn.dense(x, w), relay.nn.relu(y) * y)
    gradient = transform.gradient(relay.Function([x, w], bound), mode="first_order")
    kinds = set()
    relay.analysis.post_order_visit(gradient.body, lambda node: kinds.add(type(node)))
    assert kinds <= {relay.Call, relay.Tuple, relay.Var, relay.Constant, relay.Op,
                     relay.TupleGetItem}
    # Nothing is computed that no gradient needs.
    only_x = transform.gradient(
        relay.Function([x], relay.nn.dense(x, relay.const(np.ones((4, 3))))), mode="first_order")
    assert operators(only_x)["nn.matmul"] == 1


#===------------------------------------------------------------------------===#
# Functions
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("mode", MODES)
def test_closures(mode):
    # Called twice, with other arguments: each call is one of its own.
    text = """
    def @main(%x: Tensor[(2), float64], %y: Tensor[(2), float64]) {
      let %f = fn (%z: Tensor[(2), float64]) { multiply(%z, %x) };
      let %t = (%f, %y);
      add(%f(%y), %t.0(%f(%x)))
    }"""
    a, b = values((2,), (2,))
    by_x, by_y = check_text(text, a, b, mode=mode)
    np.testing.assert_allclose(by_x, b + 3 * a ** 2)
    np.testing.assert_allclose(by_y, a)


def test_closures_of_closures_and_operators():
    check_text("""
    def @main(%x: Tensor[(2), float64], %y: Tensor[(2), float64]) {
      let %compose = fn (%f: fn (Tensor[(2), float64]) -> Tensor[(2), float64],
                         %g: fn (Tensor[(2), float64]) -> Tensor[(2), float64]) {
        fn (%z: Tensor[(2), float64]) -> Tensor[(2), float64] { %f(%g(%z)) }
      };
      let %h = %compose(tanh, fn (%z: Tensor[(2), float64]) { multiply(%z, %y) });
      %compose(%h, %h)(%x)
    }""", *values((2,), (2,)))


def test_closures_that_call_themselves():
    power = """
    def @main(%x: Tensor[(2), float64]) {
      let %power = fn (%n: int32, %y: Tensor[(2), float64]) -> Tensor[(2), float64] {
        if (equal(%n, 0)) { %y } else { %power(subtract(%n, 1), multiply(%y, %x)) }
      };
      %power(5, exp(%x))
    }"""
    a, = values((2,))
    found, = check_text(power, a)
    np.testing.assert_allclose(found, (a ** 5 + 5 * a ** 4) * np.exp(a))


def test_functions_of_the_module():
    text = """
    def @square(%x: Tensor[(2), float64]) { multiply(%x, %x) }
    def @even(%n: int32, %x: Tensor[(2), float64]) -> Tensor[(2), float64] {
      if (equal(%n, 0)) { %x } else { @odd(subtract(%n, 1), @square(%x)) }
    }
    def @odd(%n: int32, %x: Tensor[(2), float64]) -> Tensor[(2), float64] {
      if (equal(%n, 0)) { negative(%x) } else { @even(subtract(%n, 1), tanh(%x)) }
    }
    def @main(%x: Tensor[(2), float64]) { let %f = @even; %f(3, %x) }"""
    mod = parse(text)
    compare(mod["main"], values((2,)), "higher_order", mod=mod)
    # What main calls has become functions of the module as well.
    names = {name.name_hint for name in mod.functions}
    assert names == {"square", "even", "odd", "main", "square_grad", "even_grad", "odd_grad"}
    # By name, and of a function that calls itself.
    gradient = transform.gradient(relay.GlobalVar("square"), mod)
    _, (found,) = run(gradient, values((2,)), mod)
    np.testing.assert_allclose(found, 2 * values((2,))[0])


def test_a_function_that_calls_itself_is_kept():
    text = """
    def @main(%n: int32, %x: Tensor[(2), float64]) -> Tensor[(2), float64] {
      if (equal(%n, 0)) { %x } else { multiply(%x, @main(subtract(%n, 1), %x)) }
    }"""
    found = check_text(text, np.int32(3), values((2,))[0])
    np.testing.assert_allclose(found[1], 4 * values((2,))[0] ** 3)


def test_polymorphic_functions():
    check_text("""
    def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
    def @swap[A, B](%t: (A, B)) -> (B, A) { (%t.1, %t.0) }
    def @main(%x: Tensor[(2), float64], %y: Tensor[(3), float64]) {
      let %id = fn [A](%x: A) -> A { %x };
      let %t = @twice(@swap, (%id(%y), %y));
      (@twice(exp, %x), %t.0, @swap((%x, %t)).1)
    }""", *values((2,), (3,)))


def test_natural_numbers():
    # Tests of TVM have this one: pow by iteration.
    mod = relay.IRModule()
    prelude = relay.prelude.Prelude(mod)
    mod.import_from_std("nat.rly")
    x = var("x", 3)
    double = relay.Function([y := var("y", 3)], y + y)
    body = relay.Call(mod.get_global_var("nat_iterate"),
                      [double, make_nat_expr(prelude, 3)])(x)
    function = relay.Function([x], body)
    found, = compare(function, values((3,)), "higher_order", mod=mod)
    np.testing.assert_array_equal(found, [8, 8, 8])


#===------------------------------------------------------------------------===#
# References and branches
#===------------------------------------------------------------------------===#


def test_references():
    text = """
    def @main(%x: Tensor[(2), float64]) {
      let %r = ref(%x);
      let %old = ref_read(%r);
      let %u = ref_write(%r, multiply(%old, %old));
      let %v = ref_write(%r, add(ref_read(%r), exp(%old)));
      add(ref_read(%r), %old)
    }"""
    a, = values((2,))
    found, = check_text(text, a)
    np.testing.assert_allclose(found, 2 * a + np.exp(a) + 1)


def test_references_to_closures():
    check_text("""
    def @main(%x: Tensor[(2), float64]) {
      let %r = ref(fn (%y: Tensor[(2), float64]) -> Tensor[(2), float64] { %y });
      let %f = ref_read(%r);
      let %u = ref_write(%r, fn (%y: Tensor[(2), float64]) -> Tensor[(2), float64] {
        multiply(%f(%y), %x)
      });
      ref_read(%r)(ref_read(%r)(%x))
    }""", *values((2,)))


def test_branches():
    text = """
    def @main(%c: bool, %x: Tensor[(2), float64], %y: Tensor[(2), float64]) {
      let %z = if (%c) { (%x, exp(%y)) } else { (multiply(%y, %x), %x) };
      multiply(%z.0, %z.1)
    }"""
    a, b = values((2,), (2,))
    for condition, expected in ((True, np.exp(b)), (False, 2 * a * b)):
        found = check_text(text, np.bool_(condition), a, b)
        np.testing.assert_allclose(found[1], expected)
    # A condition that floats decide.
    check_text("""
    def @main(%x: float64) { if (greater(%x, 1f64)) { multiply(%x, %x) } else { sin(%x) } }
    """, np.array(1.5))


#===------------------------------------------------------------------------===#
# Data types
#===------------------------------------------------------------------------===#


def test_lists():
    text = """
    def @main(%x: Tensor[(2), float64], %y: Tensor[(2), float64]) {
      let %l = Cons(%x, Cons(%y, Cons(%x, Nil())));
      @foldl(fn (%a: Tensor[(2), float64], %b: Tensor[(2), float64]) {
        add(multiply(%a, %b), %y)
      }, %y, @map(tanh, %l))
    }"""
    check_text(text, *values((2,), (2,)), imports=["prelude.rly"])


def test_a_recurrent_network_on_a_list():
    text = """
    def @cell(%h: Tensor[(1, 3), float64], %x: Tensor[(1, 2), float64],
              %w: Tensor[(3, 2), float64], %u: Tensor[(3, 3), float64]) {
      tanh(add(nn.dense(%x, %w), nn.dense(%h, %u)))
    }
    def @rnn(%l: List[Tensor[(1, 2), float64]], %h: Tensor[(1, 3), float64],
             %w: Tensor[(3, 2), float64], %u: Tensor[(3, 3), float64])
        -> Tensor[(1, 3), float64] {
      match (%l) {
        Cons(%x, %rest) => @rnn(%rest, @cell(%h, %x, %w, %u), %w, %u),
        Nil => %h,
      }
    }
    def @main(%a: Tensor[(1, 2), float64], %b: Tensor[(1, 2), float64],
              %w: Tensor[(3, 2), float64], %u: Tensor[(3, 3), float64]) {
      @rnn(Cons(%a, Cons(%b, Cons(%a, Nil()))), zeros(shape=[1, 3], dtype="float64"), %w, %u)
    }"""
    check_text(text, *values((1, 2), (1, 2), (3, 2), (3, 3)), imports=["prelude.rly"])


def test_a_tree_of_tensors():
    # A data type with floats for fields becomes another one.
    text = """
    type Tree { Leaf(Tensor[(2), float64]), Node(Tree, fn (Tensor[(2), float64]) -> Tensor[(2), float64], Tree), }
    type Box[A] { Full(A), Empty, }
    def @sum(%t: Tree) -> Tensor[(2), float64] {
      match (%t) {
        Leaf(%x) => %x,
        Node(Leaf(%x), %f, Leaf(_)) => %f(%x),
        Node(%l, %f, %r) => multiply(%f(@sum(%l)), @sum(%r)),
      }
    }
    def @main(%x: Tensor[(2), float64], %y: Tensor[(2), float64]) {
      let %t = Node(Node(Leaf(%x), exp, Leaf(%y)), sin, Node(Leaf(%y), tanh, Leaf(%y)));
      match ((Full(%t), Empty())) {
        (Full(%t), Empty) => @sum(%t),
        (_, Full(%x)) => %x,
        _ => %y,
      }
    }"""
    mod = parse(text)
    compare(mod["main"], values((2,), (2,)), "higher_order", mod=mod)
    names = [var.name_hint for var in mod.type_definitions]
    assert names == ["Tree", "Box", "Tree_grad"]
    assert [c.name_hint for c in mod.get_type("Tree_grad")[1:]] == ["Leaf_grad", "Node_grad"]


def test_constructors_as_values():
    check_text("""
    def @main(%x: Tensor[(2), float64]) {
      let %some = Some;
      match (%some(exp(%x))) { Some(%y) => multiply(%y, %x), None => %x, }
    }""", *values((2,)), imports=["prelude.rly"])


#===------------------------------------------------------------------------===#
# Checkpoints
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("mode", MODES)
def test_checkpoints(mode):
    a, b, c, d = (var(name, 2) for name in "abcd")
    inner = relay.annotation.checkpoint(relay.multiply(relay.sin(a + b), relay.cos(c - d)))
    outer = relay.annotation.checkpoint(relay.exp(inner * a) + relay.tanh(inner))
    pair = relay.annotation.checkpoint(relay.Tuple([outer * d, relay.sigmoid(b)]))
    arguments = values((2,), (2,), (2,), (2,))
    plain = relay.Tuple([
        (y := relay.exp((x := relay.multiply(relay.sin(a + b), relay.cos(c - d))) * a) +
         relay.tanh(x)) * d, relay.sigmoid(b)])
    for with_, without in ((inner, x), (outer, y), (pair, plain)):
        found = compare(relay.Function([a, b, c, d], with_), arguments, mode)
        expected = compare(relay.Function([a, b, c, d], without), arguments, mode)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_checkpoints_compute_again():
    x = var("x", 2)
    kept = relay.cosh(relay.sinh(x))
    count = lambda body: operators(transform.gradient(relay.Function([x], body)))["sinh"]
    again = relay.annotation.checkpoint(kept)
    # sinh(x) is computed for the value, and once more for the gradient, in which the
    # derivative of cosh has one, too.
    assert (count(kept), count(again)) == (2, 3)
    # A variable is kept.
    y = var("y", 2)
    bound = relay.Let(y, relay.sinh(x), relay.annotation.checkpoint(relay.cosh(y)))
    assert count(bound) == 2


#===------------------------------------------------------------------------===#
# Gradients of gradients, and of what becomes of them
#===------------------------------------------------------------------------===#


# A gradient of higher order has references, which one of first order cannot have.
@pytest.mark.parametrize("first, second", [("first_order", "first_order"),
                                           ("first_order", "higher_order"),
                                           ("higher_order", "higher_order")])
def test_second_order(first, second):
    a, = values((3,))
    x = var("x", 3)
    for body, expected in ((x * x, 2 + 0 * a),
                           (relay.tanh(x), -2 * np.tanh(a) * (1 - np.tanh(a) ** 2)),
                           (relay.power(x, relay.const(4.0, F64)), 12 * a ** 2)):
        gradient = transform.gradient(relay.Function([x], body), mode=first)
        y = var("y", 3)
        by_x = relay.TupleGetItem(relay.TupleGetItem(relay.Call(gradient, [y]), 1), 0)
        function = relay.Function([y], by_x)
        again = transform.gradient(transform.infer_expr(function), mode=second)
        _, (found,) = run(again, [a])
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_second_order_of_a_program():
    mod = parse("""
    type Tree { Leaf(Tensor[(2), float64]), Node(Tree, Tree), }
    def @product(%t: Tree) -> Tensor[(2), float64] {
      match (%t) {
        Leaf(%x) => multiply(%x, tanh(%x)),
        Node(%l, %r) => multiply(@product(%l), @product(%r)),
      }
    }
    def @main(%x: Tensor[(2), float64], %y: Tensor[(2), float64]) {
      @product(Node(Leaf(%x), Node(Leaf(%y), Leaf(%x))))
    }""")
    mod["first"] = transform.gradient(mod["main"], mod)
    # Once more: what is there has its name.
    transform.gradient(mod["main"], mod)
    mod = transform.InferType()(mod)
    x, y = var("x", 2), var("y", 2)
    both = relay.Call(mod.get_global_var("first"), [x, y])
    by_x = relay.TupleGetItem(relay.TupleGetItem(both, 1), 0)
    compare(relay.Function([x, y], by_x), values((2,), (2,)), "higher_order", mod=mod)
    assert {"product_grad", "product_grad_grad"} < {var.name_hint for var in mod.functions}
    assert {"Tree_grad", "Tree_grad_grad"} < {var.name_hint for var in mod.type_definitions}


def test_second_order_of_a_convolution():
    x, w = var("x", 1, 2, 5, 5), var("w", 3, 2, 3, 3)
    body = relay.nn.avg_pool2d(relay.tanh(relay.nn.conv2d(x, w, padding=(1, 1))), (2, 2), (2, 2))
    gradient = transform.gradient(relay.Function([x, w], body), mode="first_order")
    squares = relay.Tuple([
        relay.multiply(one, one) for one in (
            relay.TupleGetItem(relay.TupleGetItem(gradient.body, 1), i) for i in (0, 1))])
    compare(relay.Function(gradient.params, squares), values((1, 2, 5, 5), (3, 2, 3, 3)),
            "first_order")


def _straight(mod):
    passes = transform.Sequential([transform.PartialEvaluate(),
                                   transform.DeadCodeElimination(ignore_impurity=True),
                                   transform.ToGraphNormalForm()])
    return passes(mod)


def test_partial_evaluation_leaves_straight_code():
    # A test of TVM: of the identity nothing is left but zeros plus ones.
    x = var("x", 3, 2)
    identity = transform.gradient(relay.Function([x], x))
    function = _straight(relay.IRModule.from_expr(identity))["main"]
    assert function.body.fields[0] == function.params[0]
    kinds = set()
    relay.analysis.post_order_visit(function.body, lambda node: kinds.add(type(node)))
    assert kinds <= {relay.Tuple, relay.Var, relay.Call, relay.Op, relay.Constant}
    assert set(operators(function.body)) <= {"zeros", "ones", "add"}
    _, (found,) = run(function, values((3, 2)))
    np.testing.assert_array_equal(found, np.ones((3, 2)))


@pytest.mark.parametrize("text", ["""
    def @main(%x: Tensor[(2), float64], %y: Tensor[(2), float64]) {
      let %f = fn (%z: Tensor[(2), float64]) { multiply(%z, %x) };
      let %r = ref(%f(%y));
      let %u = ref_write(%r, tanh(ref_read(%r)));
      %f(ref_read(%r))
    }""", """
    def @power(%n: int32, %x: Tensor[(2), float64]) -> Tensor[(2), float64] {
      if (equal(%n, 0)) { ones_like(%x) } else { multiply(%x, @power(subtract(%n, 1), %x)) }
    }
    def @main(%x: Tensor[(2), float64], %y: Tensor[(2), float64]) { @power(3, add(%x, %y)) }
    """])
def test_higher_order_becomes_native_code(text):
    mod = parse(text)
    gradient = transform.gradient(mod["main"], mod)
    arguments = values((2,), (2,))
    expected = run(gradient, arguments, mod)
    mod["main"] = gradient
    mod = _straight(mod)
    kinds = set()
    relay.analysis.post_order_visit(mod["main"].body, lambda node: kinds.add(type(node)))
    assert not kinds & {relay.Function, relay.RefCreate, relay.RefRead, relay.RefWrite,
                        relay.If, relay.Let}
    compiled = relay.create_executor("aot", relay.IRModule.from_expr(mod["main"])).evaluate()
    for found, one in zip(flatten(compiled(*arguments)), flatten(expected), strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-13)


#===------------------------------------------------------------------------===#
# Passes
#===------------------------------------------------------------------------===#


def test_first_order_pass():
    mod = relay.IRModule()
    x = var("x", 2)
    mod["one"], mod["two"] = (relay.Function([x], relay.exp(x)), relay.Function([x], x * x))
    after = transform.FirstOrderGradient()(mod)
    a, = values((2,))
    for name, expected in (("one", np.exp(a)), ("two", 2 * a)):
        _, (found,) = run(after[name], [a])
        np.testing.assert_allclose(found, expected)
    assert transform.FirstOrderGradient().info.opt_level == 0
    assert transform.LazyGradientInit().info.opt_level == 2


def _condition_in_branches(x, y):
    condition = relay.sum(x) > relay.const(0.0, F64)
    inner = relay.If(condition, x * y, y)
    return relay.If(condition, inner, relay.where(condition, x, inner))


@pytest.mark.parametrize("build", [
    _condition_in_branches,
    lambda x, y: x + y, lambda x, y: x * y, lambda x, y: relay.Tuple([x, y * x]),
    lambda x, y: relay.zeros_like(x) + y, lambda x, y: relay.ones_like(x) * y + x,
    lambda x, y: relay.zeros((3, 4), F64) * x + relay.ones((3, 4), F64) * y,
    lambda x, y: relay.TupleGetItem(relay.split(x, 2, axis=1), 0) + relay.sum(y),
    lambda x, y: relay.If(relay.sum(x) > relay.const(0.0, F64), x, y),
    lambda x, y: relay.zeros((4,), F64) * x + relay.ones((1,), F64) * y])
@pytest.mark.parametrize("evaluates", [False, True])
def test_lazy_gradients(build, evaluates):
    x, y = var("x", 3, 4), var("y", 3, 4)
    function = transform.infer_expr(relay.Function([x, y], build(x, y)))
    arguments = values((3, 4), (3, 4))
    mod = transform.LazyGradientInit()(relay.IRModule.from_expr(function))
    assert mod["main"].checked_type == function.checked_type
    if evaluates:
        mod = _straight(mod)
    for found, expected in zip(flatten(run(mod["main"], arguments, mod)),
                               flatten(run(function, arguments)), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_lazy_gradients_make_no_zeros():
    x = var("x", 3, 4)
    gradient = transform.gradient(relay.Function([x], relay.exp(x) * x))
    mod = relay.IRModule.from_expr(gradient)
    eager = operators(_straight(mod)["main"])
    mod = _straight(transform.LazyGradientInit()(mod))
    lazy = operators(mod["main"])
    assert eager["zeros"] >= 1 and "zeros" not in lazy and lazy["add"] < eager["add"]
    a, = values((3, 4))
    _, (found,) = run(mod["main"], [a], mod)
    np.testing.assert_allclose(found, np.exp(a) * (1 + a))


@pytest.mark.parametrize("mode", ["first_order", "higher_order"])
@pytest.mark.parametrize("call", ["repeat(%x, repeats=0, axis=0)", "tile(%x, reps=[0, 2])",
                                  "tile(sum(%x), reps=[0])"])
def test_results_without_elements(call, mode):
    """Whatever the formula of an operator would do with them."""
    mod = relay.parse('#[version = "0.0.5"]\n'
                      f"def @main(%x: Tensor[(2, 3), float32]) {{ {call} }}")
    function = relay.transform.gradient(mod["main"], mod, mode=mode)
    _, (gradient,) = relay.create_executor("debug").evaluate(function)(np.ones((2, 3), "float32"))
    np.testing.assert_array_equal(gradient, np.zeros((2, 3)))
