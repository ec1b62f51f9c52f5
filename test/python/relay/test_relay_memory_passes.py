"""Passes that say where variables end, how much memory is in use, and where expressions
are from."""

from typing import Any

import numpy as np
import pytest

from relay_mlir import relay

transform: Any = relay.transform


def kills(mod):
    """The names of the variables that end, in the order of the program."""
    names = []

    def visit(node):
        if isinstance(node, relay.Call) and isinstance(node.op, relay.Op) and \
                node.op.name == "memory.kill":
            names.append(node.args[0].name_hint)

    relay.post_order_visit(mod["main"], visit)
    return names


def test_manifest_lifetimes():
    mod = relay.fromtext("""#[version = "0.0.5"]
def @main(%x: int32) {
  let %y = %x + %x;
  let %z = %y + %y;
  let %w = %z + %z;
  %w
}""")
    result = transform.ManifestLifetimes()(mod)
    assert kills(result) == ["x", "y", "z"]
    # After the bindings of y, z and w.
    expr, bound = result["main"].body, []
    while isinstance(expr, relay.Let):
        bound.append(expr.var.name_hint)
        expr = expr.body
    assert bound == ["y", "_", "z", "_", "w", "_"]
    assert int(relay.create_executor("debug", mod=result).evaluate()(3)) == 24


def test_manifest_lifetimes_in_cases():
    mod = relay.fromtext("""#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @main(%l: List[int32]) -> int32 {
  let %r = match (%l) {
    Cons(%h, %t) => { let %a = %h + 1; %a },
    %other => { let %b = @main(%other); %b }
  };
  %r
}""")
    result = transform.ManifestLifetimes()(mod)
    # The list itself is what the second case calls `other`.
    assert kills(result) == ["h", "l"]


def test_kills_of_programs_that_compute():
    """Programs in A-normal form compute the same, and what ends is not used any more."""
    x, y = relay.var("x", shape=(3,)), relay.var("y", shape=(3,))
    total = relay.tanh(x + y)
    condition = relay.less(relay.sum(x), relay.const(0.0))
    body = relay.If(condition, total * x, relay.exp(total))
    mod = transform.ToANormalForm()(transform.InferType()(
        relay.IRModule.from_expr(relay.Function([x, y], relay.Tuple([body, total])))))
    result = transform.ManifestLifetimes()(mod)
    assert "x" in kills(result) and "y" in kills(result)
    rng = np.random.default_rng(0)
    for _ in range(4):
        values = [rng.standard_normal(3).astype("float32") for _ in range(2)]
        one, other = (relay.create_executor("debug", mod=m).evaluate()(*values)
                      for m in (mod, result))
        for a, b in zip(one, other):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    dead: set[str] = set()

    def follow(expr, dead):
        while isinstance(expr, relay.Let):
            value = expr.value
            if isinstance(value, relay.If):
                for branch in (value.true_branch, value.false_branch):
                    follow(branch, set(dead))
            if isinstance(value, relay.Call) and isinstance(value.op, relay.Op) and \
                    value.op.name == "memory.kill":
                assert value.args[0].name_hint not in dead
                dead.add(value.args[0].name_hint)
            else:
                assert not {v.name_hint for v in relay.free_vars(value)} & dead
            expr = expr.body

    follow(result["main"].body, dead)


def used_memory(mod):
    found = []

    def visit(node):
        if isinstance(node, relay.Function) and (node.attrs or {}).get("Primitive"):
            found.append([int(size) for size in node.attrs["used_memory"]])

    relay.post_order_visit(mod["main"].body, visit)
    return found


def test_compiled_ends_of_closures_and_references():
    """The virtual machine has programs that say where these end."""
    mod = relay.fromtext("""#[version = "0.0.5"]
type Box { Box(int32) }
def @main(%x: int32) {
  let %r = ref(%x);
  let %f = fn(%y: int32) { %y * ref_read(%r) };
  let %b = Box(%f(%x));
  let %n = match (%b) { Box(%v) => %v };
  let %z = %n + 1;
  %z
}""")
    result = transform.ManifestLifetimes()(transform.InferType()(mod))
    assert {"r", "f", "b"} <= set(kills(result))
    for kind in ("debug", "vm"):
        assert int(relay.create_executor(kind, mod=result).evaluate()(3).numpy()) == 10


def test_used_memory():
    """A pool of int8, twice, and a sum with the first one: the figures by hand."""
    x = relay.var("x", shape=(1, 2, 2, 4), dtype="int8")
    first = relay.nn.max_pool2d(x)
    second = relay.annotation.stop_fusion(relay.nn.max_pool2d(first))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.nn.relu(second)))
    passes = [transform.InferType(), transform.FuseOps(0), transform.ToANormalForm(),
              transform.AnnotateUsedMemory()]
    with transform.PassContext(opt_level=3):
        result = transform.Sequential(passes)(mod)
    # Each call has its input and its result, of 16 bytes; equal pools are one function.
    assert used_memory(result) == [[32, 32], [32]]
    assert result["main"].attrs["io_used_memory"] == 32


def test_used_memory_of_parallel_ways():
    x = relay.var("x", shape=(100,), dtype="float32")
    y = relay.exp(x) + relay.tanh(x)
    mod = relay.IRModule.from_expr(relay.Function([x], y))
    with transform.PassContext(opt_level=3):
        result = transform.Sequential([
            transform.InferType(), transform.FuseOps(0), transform.ToANormalForm(),
            transform.AnnotateUsedMemory()])(mod)
    # x and a result; x, the first one and a result; both and the sum.
    assert used_memory(result) == [[800], [1200], [1200]]


def test_used_memory_of_unknown_sizes():
    x = relay.var("x", shape=(relay.Any(),))
    mod = transform.InferType()(relay.IRModule.from_expr(relay.Function([x], x)))
    with pytest.raises(relay.DiagnosticError, match="expects tensors of sizes that are known"):
        transform.AnnotateUsedMemory()(mod)


def test_capture_post_dfs_index_in_spans():
    x, y = relay.var("x", shape=(3,)), relay.var("y", shape=(3,))
    both = relay.add(x, y)
    body = relay.multiply(relay.tanh(both), relay.exp(both))
    mod = relay.IRModule.from_expr(relay.Function([x, y], body))
    result = transform.CapturePostDfsIndexInSpans()(mod)
    function = result["main"]
    assert mod["main"].body.span is None
    numbers = {}

    def visit(node):
        if isinstance(node, relay.Op):
            return
        name, index, dominator = str(node.span.source_name.name).split(":")
        assert name == "index" and node.span.line == int(index)
        numbers[node] = int(index), int(dominator)

    relay.post_order_visit(function, visit)
    product = function.body
    total = product.args[0].args[0]
    assert total.same_as(product.args[1].args[0])
    # Every way from the sum leads through the product first, which is in the function.
    assert numbers[total][1] == numbers[product][0]
    assert numbers[product.args[0]][1] == numbers[product.args[1]][1] == numbers[product][0]
    assert numbers[product][1] == numbers[function][0] and numbers[function][1] == -1
    order = [numbers[node][0] for node in (total, product.args[0], product.args[1], product,
                                           function)]
    assert order == sorted(order)
