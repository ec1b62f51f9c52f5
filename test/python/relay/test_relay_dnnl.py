"""Parts of programs that oneDNN computes: which, and with what numbers. The reference is
the interpreter, which runs the functions as programs of Relay; sums of up to 600 products
of float32 in another order differ by 1e-5 of the scale."""

import os
import pathlib
import threading
from typing import Any

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay
from relay_mlir.relay.op.contrib import dnnl, get_pattern_table

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")
transform: Any = relay.transform


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD / "lib"))


def const(*shape, seed=0):
    rng = np.random.default_rng([seed, *shape])
    return relay.const(rng.standard_normal(shape).astype("float32") / 4)


def partition(inputs, body, **options):
    mod = relay.IRModule.from_expr(relay.Function(inputs, body))
    return dnnl.partition_for_dnnl(mod, **options)


def taken(mod):
    """The patterns and operators in functions for oneDNN, sorted; a list for each."""
    found = []
    for _, function in mod.functions_items():
        if (function.attrs or {}).get("Compiler") != "dnnl":
            continue
        names: list[str] = []

        def visit(node, names=names):
            if isinstance(node, relay.Function) and (node.attrs or {}).get("Composite"):
                names.append(str(node.attrs["Composite"]))

        relay.post_order_visit(function.body, visit)
        found.append(sorted(names))
    return found


def run(mod, *values):
    lib = relay.build(mod, target="llvm")["default"](tvm.cpu(0))
    for index, value in enumerate(values):
        lib.set_input(index, value)
    lib.run()
    return [lib.get_output(i).numpy() for i in range(lib.get_num_outputs())]


def check(mod, tolerance=1e-5):
    values = [np.random.default_rng(i).standard_normal(
        [int(size) for size in param.checked_type.shape]).astype("float32")
        for i, param in enumerate(mod["main"].params)]
    expected = relay.create_executor("debug", mod=mod).evaluate()(*values)
    expected = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    by_vm = relay.create_executor("vm", mod=mod).evaluate()(*values)
    by_vm = by_vm if isinstance(by_vm, (list, tuple)) else [by_vm]
    for actual, reference in zip(run(mod, *values) + list(by_vm), 2 * expected, strict=True):
        reference = np.asarray(reference)
        np.testing.assert_allclose(actual, reference, rtol=0,
                                   atol=tolerance * max(1, abs(reference).max()))


ACTIVATIONS = {
    "": lambda x: x, "nn.relu": relay.nn.relu, "clip": lambda x: relay.clip(x, 0.0, 6.0),
    "sigmoid": relay.sigmoid, "tanh": relay.tanh, "swish": lambda x: x * relay.sigmoid(x),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("has_sum", [False, True])
@pytest.mark.parametrize("bias", ["", "add", "bias_add"])
def test_convolution(bias, has_sum, activation):
    x = relay.var("x", shape=(2, 5, 9, 8))
    y = relay.nn.conv2d(x, const(7, 5, 3, 3), channels=7, kernel_size=(3, 3), padding=(1, 1))
    params = [x]
    if bias:
        y = y + const(7, 1, 1) if bias == "add" else relay.nn.bias_add(y, const(7))
    if has_sum:
        params.append(relay.var("y", shape=(2, 7, 9, 8)))
        y = params[1] + y
    mod = partition(params, relay.exp(ACTIVATIONS[activation](y) * relay.const(0.1)))
    parts = ["bias"] * bool(bias) + ["sum"] * has_sum + [activation.replace("nn.", "")]
    assert taken(mod) == [["_".join(["dnnl.conv2d", *filter(None, parts)])]]
    check(mod)


@pytest.mark.parametrize("shape,kernel,attrs", [
    ((1, 3, 11, 7), (4, 3, 3, 3), {"strides": (2, 2)}),
    ((1, 3, 11, 7), (4, 3, 3, 2), {"padding": (0, 1, 2, 0), "strides": (1, 2)}),
    ((1, 4, 11, 7), (4, 4, 3, 3), {"dilation": (2, 2)}),
    ((2, 4, 6, 6), (4, 1, 3, 3), {"groups": 4, "padding": (1, 1)}),
    ((1, 6, 6, 6), (4, 3, 1, 1), {"groups": 2}),
    ((1, 17, 1, 1), (33, 17, 1, 1), {}),
])
def test_shapes_of_convolutions(shape, kernel, attrs):
    x = relay.var("x", shape=shape)
    y = relay.nn.conv2d(x, const(*kernel), channels=kernel[0], kernel_size=kernel[2:], **attrs)
    mod = partition([x], y)
    assert taken(mod) == [["dnnl.conv2d"]]
    check(mod)


def test_convolutions_of_other_ranks():
    x, y = relay.var("x", shape=(1, 3, 10)), relay.var("y", shape=(1, 2, 5, 6, 4))
    one = relay.nn.relu(relay.nn.conv1d(x, const(4, 3, 3), channels=4, kernel_size=(3,),
                                        padding=(1,)))
    other = relay.nn.conv3d(y, const(3, 2, 2, 3, 1), channels=3, kernel_size=(2, 3, 1))
    mod = partition([x, y], relay.Tuple([one, other]))
    assert sorted(sum(taken(mod), [])) == ["dnnl.conv1d_relu", "dnnl.conv3d"]
    check(mod)


def test_products():
    x = relay.var("x", shape=(5, 12))
    hidden = relay.nn.relu(relay.nn.dense(x, const(20, 12)) + const(20))
    y = relay.nn.dense(hidden, const(6, 20))
    mod = partition([x], relay.nn.softmax(y))
    assert taken(mod) == [["dnnl.dense", "dnnl.dense_bias_relu"]]
    check(mod)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_batches_of_products(transpose_a, transpose_b, inner):
    """Of parameters, and of what oneDNN has computed."""
    x = relay.var("x", shape=(2, 4, 3) if transpose_a else (2, 3, 4))
    y = relay.var("y", shape=(2, 5, 4) if transpose_b else (2, 4, 5))
    left, right = (relay.tanh(x), relay.nn.relu(y)) if inner else (x, y)
    product = relay.nn.batch_matmul(left, right, transpose_a=transpose_a, transpose_b=transpose_b)
    mod = partition([x, y], relay.nn.relu(product))
    assert taken(mod) == [["dnnl.batch_matmul_relu"]]
    check(mod)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_products_of_matrices(transpose_a, transpose_b):
    """Those of nn.matmul, of which either side may be transposed, with what follows."""
    x = relay.var("x", shape=(4, 3) if transpose_a else (3, 4))
    weight = const(5, 4) if transpose_b else const(4, 5)
    product = relay.nn.matmul(x, weight, transpose_a=transpose_a, transpose_b=transpose_b)
    mod = partition([x], relay.nn.relu(relay.nn.bias_add(product, const(5))))
    assert taken(mod) == [["dnnl.matmul_bias_relu"]]
    check(mod)


def test_what_is_between():
    """A network: pooling, sums, normalization and softmax are in the same function."""
    x = relay.var("x", shape=(1, 8, 12, 12))
    y = relay.nn.relu(relay.nn.conv2d(x, const(16, 8, 3, 3), channels=16, kernel_size=(3, 3),
                                      padding=(1, 1)))
    y = relay.nn.max_pool2d(y, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    z = relay.nn.conv2d(y, const(16, 16, 1, 1), channels=16, kernel_size=(1, 1))
    z = relay.nn.relu(z + y) * relay.sigmoid(y)
    z = relay.nn.avg_pool2d(z, pool_size=(2, 2), strides=(2, 2), padding=(1, 0),
                            count_include_pad=False)
    z = relay.nn.avg_pool2d(z, pool_size=(2, 2), padding=(1, 0), count_include_pad=True)
    z = relay.nn.layer_norm(z, const(2), const(2), epsilon=1e-3)
    mod = partition([x], relay.nn.global_avg_pool2d(z))
    assert len(taken(mod)) == 1 and len(mod.functions) == 2
    check(mod)


def test_several_outputs():
    x = relay.var("x", shape=(1, 4, 6, 6))
    y = relay.nn.conv2d(x, const(4, 4, 1, 1), channels=4, kernel_size=(1, 1))
    z = relay.nn.relu(y)
    mod = partition([x], relay.Tuple([relay.exp(y), z, relay.erf(z)]))
    check(mod)


def test_batch_normalization_is_folded():
    x = relay.var("x", shape=(1, 4, 6, 6))
    y = relay.nn.conv2d(x, const(8, 4, 3, 3), channels=8, kernel_size=(3, 3))
    y = relay.nn.batch_norm(y, const(8), const(8), const(8), relay.const(
        np.linspace(0.5, 2, 8, dtype="float32")))[0]
    mod = partition([x], relay.nn.relu(y))
    assert taken(mod) == [["dnnl.conv2d_bias_relu"]]
    check(mod, 1e-4)


def test_parameters_become_constants():
    x, w = relay.var("x", shape=(1, 4, 6, 6)), relay.var("w", shape=(8, 4, 3, 3))
    y = relay.nn.conv2d(x, w, channels=8, kernel_size=(3, 3))
    weight = const(8, 4, 3, 3).data.numpy()
    mod = partition([x, w], y, params={"w": weight})
    assert len(mod["main"].params) == 1
    check(mod)


def test_weights_that_are_inputs():
    x, w, b = (relay.var("x", shape=(1, 4, 6, 6)), relay.var("w", shape=(8, 4, 3, 3)),
               relay.var("b", shape=(8, 1, 1)))
    y = relay.nn.relu(relay.nn.conv2d(x, w, channels=8, kernel_size=(3, 3)) + b)
    mod = partition([x, w, b], y)
    assert taken(mod) == [["dnnl.conv2d_bias_relu"]]
    check(mod)


@pytest.mark.parametrize("make", [
    lambda x: relay.nn.conv2d(x, const(3, 3, 5, 4), channels=4, kernel_size=(3, 3),
                              data_layout="NHWC", kernel_layout="HWIO"),
    lambda x: relay.nn.relu(relay.exp(x)),
    lambda x: relay.nn.max_pool2d(x, pool_size=(2, 2), ceil_mode=True),
])
def test_what_stays(make):
    x = relay.var("x", shape=(1, 5, 5, 5))
    mod = partition([x], make(x))
    assert not taken(mod) and len(mod.functions) == 1


def test_types_and_open_sizes_stay():
    for shape, dtype in (((1, 4, relay.Any(), 6), "float32"), ((1, 4, 6, 6), "float64")):
        x = relay.var("x", shape=shape, dtype=dtype)
        weight = relay.const(np.ones((8, 4, 3, 3), dtype))
        mod = partition([x], relay.nn.conv2d(x, weight, channels=8, kernel_size=(3, 3)))
        assert len(mod.functions) == 1


def test_a_sum_of_two_convolutions():
    """One of them is the tensor that the other is added to."""
    x = relay.var("x", shape=(1, 4, 6, 6))
    one = relay.nn.conv2d(x, const(4, 4, 1, 1), channels=4, kernel_size=(1, 1))
    other = relay.nn.conv2d(x, const(4, 4, 3, 3), channels=4, kernel_size=(3, 3),
                            padding=(1, 1)) + const(4, 1, 1)
    mod = partition([x], relay.nn.relu(one + other))
    assert len(taken(mod)) == 1
    check(mod)


@pytest.mark.parametrize("alone", [
    lambda x: relay.nn.max_pool2d(x, (2, 2)), lambda x: relay.nn.softmax(x, axis=1),
    lambda x: relay.nn.layer_norm(x, const(6), const(6)), relay.nn.relu])
def test_what_goes_with_products(alone):
    """As in TVM: alone, it is not worth a call, unless the caller asks for it; behind a
    convolution, it goes along. The global average counts as much as a product."""
    x, weight = relay.var("x", shape=(1, 4, 6, 6)), const(4, 4, 1, 1)
    assert len(partition([x], alone(x)).functions) == 1
    assert len(partition([x], alone(x), prune_subgraphs=False).functions) == 2
    mod = partition([x], alone(relay.nn.conv2d(x, weight, channels=4, kernel_size=(1, 1))))
    assert len(mod.functions) == 2 and isinstance(mod["main"].body.op, relay.GlobalVar)
    check(mod)
    mod = partition([x], relay.nn.global_avg_pool2d(x))
    assert len(mod.functions) == 2
    check(mod)


def test_alone_without_products():
    x = relay.var("x", shape=(2, 6))
    assert len(partition([x], relay.nn.softmax(relay.nn.relu(x))).functions) == 1
    mod = partition([x], relay.nn.softmax(relay.nn.relu(x)), prune_subgraphs=False)
    assert len(mod.functions) == 2
    check(mod)


def test_threads():
    x = relay.var("x", shape=(1, 8, 12, 12))
    y: relay.Expr = x
    for seed in range(3):
        y = relay.nn.relu(relay.nn.conv2d(y, const(8, 8, 3, 3, seed=seed), channels=8,
                                          kernel_size=(3, 3), padding=(1, 1)) + y)
    mod = partition([x], y)
    factory = relay.build(mod, target="llvm")
    values = [np.random.default_rng(i).standard_normal((1, 8, 12, 12)).astype("float32")
              for i in range(4)]
    expected = [run(mod, value)[0] for value in values]
    results: list[Any] = [None] * 4

    def work(index):
        lib = factory["default"](tvm.cpu(0))
        for _ in range(20):
            lib.run(x=values[index])
            results[index] = lib.get_output(0).numpy()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result, reference in zip(results, expected):
        np.testing.assert_array_equal(result, reference)


def dense(x, columns=4, seed=0):
    return relay.nn.dense(x, const(columns, x_columns(x), seed=seed))


def x_columns(x):
    return int(transform.InferType()(relay.IRModule.from_expr(
        relay.Function(relay.analysis.free_vars(x), x)))["main"].ret_type.shape[-1])


@pytest.mark.parametrize("shape,make", [
    # A value that is added to itself, before and after a bias, and two of one input.
    ((2, 4), lambda x: (lambda d: d + d)(dense(x))),
    ((2, 4), lambda x: relay.nn.relu((lambda d: d + d)(dense(x) + const(4)))),
    ((1, 4), lambda x: dense(x) + relay.nn.relu(dense(x, seed=1))),
    ((2, 4), lambda x: (lambda d: (d + const(4)) + d)(dense(x))),
    ((1, 1), lambda x: (lambda y: y * relay.sigmoid(y))((lambda d: d + d)(dense(x, 1)))),
    # A bias and weights that are computed in the same function.
    ((1, 4), lambda x: relay.tanh(dense(x) + dense(x, seed=2))),
    ((4,), lambda x: relay.nn.bias_add(dense(relay.reshape(x, (1, 4))), relay.tanh(x))),
    ((1, 4, 6, 6), lambda x: (lambda p: relay.nn.conv2d(
        p, const(4, 4, 1, 1), channels=4, kernel_size=(1, 1)) + p)(
            relay.nn.global_avg_pool2d(x))),
    ((4, 1, 3, 3), lambda x: relay.nn.conv2d(
        const(1, 4, 5, 5), relay.tanh(x), channels=4, kernel_size=(3, 3), groups=4)),
    # Limits that are no numbers for oneDNN.
    ((2, 4), lambda x: relay.clip(dense(x), float("-inf"), 6.0)),
    ((2, 4), lambda x: relay.clip(dense(x), 0.5, 1e39)),
    ((2, 4), lambda x: relay.clip(dense(x), 3.0, 1.0)),
    # More dimensions than it can copy.
    ((2, 4), lambda x: relay.nn.softmax(relay.reshape(dense(x), (1,) * 7 + (2, 4)))),
])
def test_unusual_graphs(shape, make):
    x = relay.var("x", shape=shape)
    check(partition([x], make(x)))
    check(partition([x], make(x), prune_subgraphs=False))


def test_long_region():
    """More operators one after another than Python has levels of recursion."""
    x = relay.var("x", shape=(2, 4))
    y: relay.Expr = x
    for i in range(500):
        y = dense(x) if i == 0 else relay.tanh(y) if i % 2 else y + x
    mod = partition([x], y)
    assert len(taken(mod)) == 1
    check(mod)


def _external(params, body):
    """A program that is one call of a function for oneDNN."""
    function = relay.Function(params, body).with_attr("Compiler", "dnnl")
    outer = [relay.var(param.name_hint, param.type_annotation) for param in params]
    var, mod = relay.GlobalVar("part"), relay.IRModule()
    mod[var] = function
    mod["main"] = relay.Function(outer, relay.Call(var, outer))
    return transform.InferType()(mod)


def test_pattern_that_is_called_twice():
    """One function of a pattern, and its own result is what it is called with."""
    data, weight = relay.var("data", shape=(2, 4)), relay.var("weight", shape=(4, 4))
    pattern = relay.Function([data, weight], relay.nn.relu(relay.nn.dense(data, weight)))
    pattern = pattern.with_attr("Composite", "dnnl.dense_relu")
    x, v, w = [relay.var(name, shape=(size, 4)) for name, size in (("x", 2), ("v", 4), ("w", 4))]
    check(_external([x, v, w], relay.Call(pattern, [relay.Call(pattern, [x, v]), w]) + x))


@pytest.mark.parametrize("make,message", [
    (lambda x: relay.Let(relay.var("y", shape=(2, 4)), relay.tanh(x), x), "but got a Let"),
    (lambda x: relay.nn.relu(relay.exp(x)), "but got exp"),
])
def test_functions_of_something_else(make, message):
    x = relay.var("x", shape=(2, 4))
    with pytest.raises(ValueError, match=message):
        run(_external([x], make(x)), np.zeros((2, 4), "float32"))


def test_pattern_table():
    names = [entry[0] for entry in get_pattern_table("dnnl") or []]
    assert names.index("dnnl.conv2d_bias_sum_relu") < names.index("dnnl.conv2d_bias_relu")
    assert names.index("dnnl.conv2d_bias_relu") < names.index("dnnl.conv2d")


@pytest.mark.parametrize("text,message", [
    (b"function f", "expects an empty line before the weights"),
    (b"conv 1 2\n\n", "expects a function first, but got 'conv 1 2'"),
    (b"function f\nvalue 0 input 0 1 4 1\nnothing 1 0\n\n", "expects a primitive, but got 'not"),
    (b"function f\nvalue 0 weight 0 1 4 1\n\nabc", "expects weights of 16 bytes at the offset 0"),
    (b"function f\nvalue 0 input 0 99 4 1\n\n", "expects at most 12 dimensions"),
    (b"function f\nvalue 0 input -1 1 4 1\n\n", "expects a number from 0"),
    (b"function f\nvalue 0 input 18446744073709551615 1 4 1\n\n", "expects a number"),
    (b"function f\nvalue 0 input 0 1 0 1\n\n", "expects sizes from 1"),
    (b"function f\nvalue 0 input 0 2 4611686018427387904 8 8 1\n\n", "expects sizes from 1"),
    (b"function f\nvalue 0 weight 0 2 2 3 4611686018427387904 1\n\n", "expects strides from 1"),
    (b"function f\nvalue 0 input 0 2 2 3 4 1\n\n", "expects strides of contiguous elements"),
    (b"function f\nvalue 0 output 0 1 4 1\n\n", "expects input or weight, but got 'output'"),
    (b"function f\nvalue 0 input 0 1 4 1\nview 1 0 1 5 1\n\n", "expects a shape of as many"),
    (b"function f\nvalue 0 input 0 1 4 1\noutput 0 0 1 5 1\n\n", "expects the output to have"),
    (b"function f\nvalue 0 input 0 1 4 1\noutput -1 0 1 4 1\n\n", "expects a number from 0"),
    (b"function f\nvalue 0 input 0 2 2 3 3 1\nvalue 1 weight 0 1 1 1\n"
     b"layer_norm 2 0 1 1 0.1\n\nabcd", "expects factors of the last dimension"),
    (b"function f\neltwise 1 relu 7 0 0\n\n", "expects a value that is there"),
    (b"function f\nvalue 0 input 0 1 4 1\nsoftmax 1 0 9\n\n", "oneDNN: "),
    (b"function g\n\n", "there is no function tvmgen_default_dnnl_main_0"),
])
def test_wrong_code(text, message):
    x = relay.var("x", shape=(1, 4, 6, 6))
    mod = partition([x], relay.nn.conv2d(x, const(4, 4, 1, 1), channels=4, kernel_size=(1, 1)))
    generate = dnnl._generate
    try:
        relay.codegen.register("dnnl", lambda mod: relay.codegen.Blob("dnnl 1", text))
        with pytest.raises(Exception, match=message):
            run(mod, np.zeros((1, 4, 6, 6), "float32"))
    finally:
        relay.codegen.register("dnnl", generate)
