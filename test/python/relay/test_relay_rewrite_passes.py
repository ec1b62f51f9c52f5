# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SimplifyExpr and other passes that apply rules: what becomes of programs. That their
results stay the same, test/python/rewrites tests for each rule."""

import functools

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import transform


@functools.lru_cache
def var(name, shape, dtype="float32"):
    """The same variable for the same arguments."""
    return relay.var(name, shape=shape, dtype=dtype)


def function_of(expr, params=None):
    params = relay.analysis.free_vars(expr) if params is None else params
    mod = relay.IRModule.from_expr(relay.Function(params, expr))
    return transform.InferType()(mod)["main"]


def run(expr, *passes):
    mod = relay.IRModule.from_expr(function_of(expr))
    return relay.transform.Sequential(passes or [transform.SimplifyExpr()])(mod)["main"]


def check(before, after, *passes):
    with transform.PassContext(opt_level=4):
        result = run(before, *passes)
    expected = function_of(after, relay.analysis.free_vars(before))
    assert relay.structural_equal(result, expected), f"{result}\ninstead of\n{expected}"


X = var("x", (2, 3, 4))
Y = var("y", (2, 3, 4))
K = relay.const(np.float32(3))


@pytest.mark.parametrize("before, after", [
    # Shapes of other tensors.
    (relay.zeros_like(X) + Y, Y),
    (relay.ones_like(X) * Y, Y),
    (relay.full_like(X, K), relay.full(K, (2, 3, 4), "float32")),
    (relay.reshape_like(X, var("z", (4, 6))), relay.reshape(X, (4, 6))),
    (relay.collapse_sum_like(X, var("z", (3, 1))), relay.collapse_sum_to(X, (3, 1))),
    (relay.broadcast_to_like(var("z", (3, 1)), X), relay.broadcast_to(var("z", (3, 1)), (2, 3, 4))),
    (relay.cast_like(X, var("z", (1,), "int8")), relay.cast(X, "int8")),
    # Sums and roots.
    (X + X, X * relay.const(np.float32(2))),
    (X / relay.sqrt(Y), X * relay.rsqrt(Y)),
    # Identities.
    (X + relay.const(np.float32(0)), X),
    (relay.const(np.float32(0)) + X, X),
    (X - relay.const(np.zeros((3, 1), "float32")), X),
    (X * relay.ones((1, 1), "float32"), X),
    (X / relay.const(np.float32(1)), X),
    # It adds a dimension.
    (X * relay.const(np.ones((1, 1, 1, 1), "float32")),
     X * relay.const(np.ones((1, 1, 1, 1), "float32"))),
    # Reshapes.
    (relay.reshape(relay.reshape(X, (6, 4)), (3, -1)), relay.reshape(X, (3, 8))),
    (relay.reshape(relay.reverse_reshape(X, (-1, 0)), (24,)), relay.reshape(X, (24,))),
    # Orders.
    (relay.transpose(relay.transpose(X, (2, 0, 1)), (1, 0, 2)), relay.transpose(X, (0, 2, 1))),
    (relay.transpose(relay.transpose(X, (2, 0, 1)), (1, 2, 0)), X),
    (relay.layout_transform(relay.transpose(var("z", (2, 4, 6, 8)), (0, 2, 3, 1)),
                            "NHWC", "NCHW"), var("z", (2, 4, 6, 8))),
    (relay.layout_transform(relay.layout_transform(var("z", (2, 8, 6, 5)), "NCHW", "NCHW4c"),
                            "NCHW4c", "NHWC"),
     relay.layout_transform(var("z", (2, 8, 6, 5)), "NCHW", "NHWC")),
    (relay.layout_transform(relay.transpose(var("z", (2, 6, 5, 8)), (0, 3, 1, 2)),
                            "NCHW", "NCHW4c"),
     relay.layout_transform(var("z", (2, 6, 5, 8)), "NHWC", "NCHW4c")),
    # Casts.
    (relay.cast(X, "float32"), X),
    (relay.cast(relay.cast(var("z", (3,), "int8"), "int32"), "float32"),
     relay.cast(var("z", (3,), "int8"), "float32")),
    (relay.cast(relay.cast(X, "float16"), "float32"), relay.cast(relay.cast(X, "float16"),
                                                                  "float32")),
    # Tensors of one value.
    (relay.full(K, (3, 4)) * X, K * X),
    (relay.maximum(X, relay.zeros((2, 3, 4), "float32")),
     relay.maximum(X, relay.const(np.float32(0)))),
    # Constants.
    ((X + relay.const(np.float32(2))) * K, X * K + relay.const(np.float32(6))),
    (K * (relay.const(np.float32(2)) * X), X * relay.const(np.float32(6))),
    ((X + K) + relay.const(np.array([1, 2, 3, 4], "float32")),
     X + relay.const(np.array([4, 5, 6, 7], "float32"))),
    # Clips.
    (relay.clip(var("z", (3,), "uint8"), 0, 255), var("z", (3,), "uint8")),
    (relay.cast(relay.cast(relay.clip(var("z", (3,), "int32"), 0, 255), "uint8"), "int32"),
     relay.clip(var("z", (3,), "int32"), 0, 255)),
])
def test_simplify_expr(before, after):
    check(before, after)


def test_argmax_of_quantized():
    data = var("q", (2, 3), "int8")
    real = relay.qnn.op.dequantize(data, relay.const(np.float32(0.5)), relay.const(3))
    check(relay.argmax(real, axis=1, keepdims=True), relay.argmax(data, axis=1, keepdims=True))
    check(relay.argsort(real, axis=0), relay.argsort(data, axis=0))


def test_after_a_change_of_layouts():
    """Only some rules."""
    kept = relay.transpose(relay.transpose(X, (2, 0, 1)), (1, 2, 0)) + X * K * K
    check(kept + relay.const(np.float32(0)), kept, transform.SimplifyExprPostAlterOp())


def test_div_to_mul():
    for dtype in ("float16", "float32", "float64"):
        x = var("x", (5,), dtype)
        check(x / relay.const(np.array(4, dtype)), x * relay.const(np.array(0.25, dtype)),
              transform.DivToMul())
    # Each element has its reciprocal.
    x = var("x", (2, 3))
    check(x / relay.const(np.array([1, 2, 4], "float32")),
          x * relay.const(np.array([1, 0.5, 0.25], "float32")), transform.DivToMul())
    integers = var("x", (5,), "int32") / relay.const(2)
    check(integers, integers, transform.DivToMul())


def test_fast_math():
    x = var("x", (2, 3))
    check(relay.exp(x), relay.fast_exp(x), transform.FastMath())
    check(relay.tanh(x), relay.fast_tanh(x), transform.FastMath())
    check(relay.erf(x), relay.fast_erf(x), transform.FastMath())
    check(relay.nn.softmax(x, axis=0), relay.nn.fast_softmax(x, axis=0), transform.FastMath())
    check(relay.nn.log_softmax(x), relay.nn.log_softmax(x), transform.FastMath())


def test_fast_math_is_of_level_4():
    mod = relay.IRModule.from_expr(function_of(relay.exp(X)))
    with transform.PassContext(opt_level=3):
        assert "fast_exp" not in str(transform.Sequential([transform.FastMath()])(mod))
    with transform.PassContext(opt_level=3, required_pass=["FastMath"]):
        assert "fast_exp" in str(transform.Sequential([transform.FastMath()])(mod))


def test_canonicalize_ops():
    x, b = var("x", (1, 16, 5, 5)), var("b", (16,))
    check(relay.nn.bias_add(x, b), x + relay.expand_dims(b, 1, 2), transform.CanonicalizeOps())
    x = var("x", (5, 16))
    check(relay.nn.bias_add(x, b, axis=-1), x + b, transform.CanonicalizeOps())


def test_inside_of_functions_and_branches():
    """Closures, branches and other functions are simplified as well; kernels are not."""
    zero = relay.const(np.float32(0))
    p, q = relay.var("p", shape=(), dtype="bool"), var("q", (3,))
    inner = relay.Function([q], q + zero)
    mod = relay.IRModule()
    z = var("z", (3,))
    mod["main"] = relay.Function([p, z], relay.If(p, inner(z), z * relay.const(np.float32(1))))
    kernel = relay.Function([q], q + zero).with_attr("Primitive", 1)
    mod["kernel"] = kernel
    text = str(transform.SimplifyExpr()(mod))
    assert text.count("add(") == 1 and "multiply(" not in text
    assert "add(" in str(transform.SimplifyExpr()(mod)["kernel"])
