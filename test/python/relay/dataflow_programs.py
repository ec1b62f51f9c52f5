"""Programs for tests of patterns, and how they are compared."""

import numpy as np

from relay_mlir import relay
from relay_mlir.relay.analysis import free_vars
from relay_mlir.relay.dataflow_pattern import is_op, wildcard
from relay_mlir.relay.op.op import OpPattern


def var(name, shape=(4, 4)):
    return relay.var(name, shape=shape)


X, Y, Z = var("x"), var("y"), var("z")


def evaluate(expr, seed=0):
    """The result of an expression for random values of its free variables, by name."""
    params = sorted(free_vars(expr), key=lambda v: v.name_hint)
    mod = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function(params, expr)))
    rng = np.random.default_rng(seed)
    args = [rng.uniform(0.5, 2, [int(size) for size in param.type_annotation.shape])
            .astype("float32") for param in params]
    return relay.create_executor("debug", mod=mod).evaluate()(*args)


def check_same_result(before, after):
    np.testing.assert_array_equal(evaluate(before), evaluate(after))


def check_equal(actual, expected):
    relay.assert_structural_equal(actual, expected, map_free_vars=True)


CONV = is_op("nn.conv2d")(wildcard(), wildcard())
ELEMWISE = wildcard().has_attr({"TOpPattern": OpPattern.ELEMWISE})
DATA, WEIGHT = var("data", (1, 4, 8, 8)), var("weight", (4, 4, 3, 3))


def convolution(data=DATA, weight=WEIGHT):
    return relay.nn.conv2d(data, weight, padding=(1, 1), kernel_size=(3, 3), channels=4)


def diamond(data=DATA, weight=WEIGHT):
    conv = convolution(data, weight)
    relu = relay.nn.relu(relay.nn.relu(conv))
    return relu + relay.nn.leaky_relu(conv, alpha=0.5)


def chain(length, ops=(relay.nn.relu, relay.tanh)):
    expr = X
    for i in range(length):
        expr = ops[i % len(ops)](expr)
    return expr
