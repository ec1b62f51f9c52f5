# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one byte between quantized operators, which processors with AVX2 look
up in tables: all 256 bytes, bit for bit as the interpreter computes them."""

import numpy as np
import pytest

from relay_mlir import relay

pytestmark = pytest.mark.share(2)

nn = relay.nn


def constant(value):
    return relay.const(np.float32(value))


def hard_swish(x):
    gate = relay.clip(x + constant(3.0), 0.0, 6.0)
    return x * gate / constant(6.0)


def gelu(x):
    return x * (relay.erf(x * constant(0.70710678)) + constant(1.0)) * constant(0.5)


def twice_rounded(x):
    """A chain that is a byte in between."""
    y = relay.qnn.op.quantize(relay.sigmoid(x), constant(0.004), relay.const(3),
                              out_dtype="int8")
    return x * relay.qnn.op.dequantize(y, constant(0.004), relay.const(3))


FUNCTIONS = {
    "sigmoid": relay.sigmoid,
    "tanh": relay.tanh,
    "exp": relay.exp,
    "silu": lambda x: x * relay.sigmoid(x),
    "gelu": gelu,
    "hard_swish": hard_swish,
    "leaky": lambda x: nn.leaky_relu(relay.tanh(x), alpha=0.1),
    "twice_rounded": twice_rounded,
}


def make(function, shape, kinds, zeros, scale_in=0.05, scale_out=0.02):
    x = relay.var("x", shape=shape, dtype=kinds[0])
    y = relay.qnn.op.dequantize(x, constant(scale_in), relay.const(zeros[0]))
    y = relay.qnn.op.quantize(function(y), constant(scale_out), relay.const(zeros[1]),
                              out_dtype=kinds[1])
    return relay.IRModule.from_expr(relay.Function([x], y))


def compare(module, x):
    results = [np.asarray(relay.create_executor(kind, module).evaluate()(x))
               for kind in ("graph", "debug")]
    assert results[0].dtype == results[1].dtype
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kinds, zeros", [
    (("int8", "int8"), (0, 0)), (("uint8", "uint8"), (128, 5)), (("int8", "uint8"), (-7, 128))])
def test_all_bytes(name, kinds, zeros):
    info = np.iinfo(kinds[0])
    x = np.arange(info.min, info.max + 1).astype(kinds[0])
    compare(make(FUNCTIONS[name], x.shape, kinds, zeros), x)


# Whole registers, halves and quarters of them, and what is left over.
@pytest.mark.parametrize("shape", [(3, 8), (5, 16), (2, 24), (7, 100), (1, 1), (1, 257)])
def test_sizes(shape):
    rng = np.random.default_rng(shape[1])
    x = rng.integers(-128, 128, shape).astype("int8")
    compare(make(FUNCTIONS["silu"], shape, ("int8", "int8"), (0, 0)), x)


# Infinities of the function, and results that are beyond the bytes.
@pytest.mark.parametrize("scale_in, scale_out", [(3.0, 0.01), (1e-30, 1e-32), (1e30, 1e-3)])
@pytest.mark.parametrize("name", ["exp", "silu", "sigmoid"])
def test_far(name, scale_in, scale_out):
    x = np.arange(-128, 128).astype("int8")
    compare(make(FUNCTIONS[name], x.shape, ("int8", "int8"), (0, 0), scale_in, scale_out), x)


def test_result_in_floats():
    """What a table gives is dequantized, and added to what is no byte."""
    shape = (4, 16)
    x, z = relay.var("x", shape=shape, dtype="int8"), relay.var("z", shape=shape)
    y = relay.qnn.op.dequantize(x, constant(0.05), relay.const(0))
    y = relay.qnn.op.quantize(gelu(y), constant(0.03), relay.const(0), out_dtype="int8")
    y = relay.qnn.op.dequantize(y, constant(0.03), relay.const(0)) + z
    module = relay.IRModule.from_expr(relay.Function([x, z], y))
    rng = np.random.default_rng(0)
    values = (rng.integers(-128, 128, shape).astype("int8"),
              rng.standard_normal(shape).astype("float32"))
    results = [np.asarray(relay.create_executor(kind, module).evaluate()(*values))
               for kind in ("graph", "debug")]
    np.testing.assert_array_equal(results[0], results[1])
