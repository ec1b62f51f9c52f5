"""Passes on graphs: parallel branches, groups of operators, casts."""

import numpy as np
import pytest

from pass_checks import arguments, assert_becomes, check, evaluate, module, operators
from relay_mlir import relay
from relay_mlir.relay import transform


def var(name, *shape, dtype="float32"):
    return relay.var(name, shape=shape, dtype=dtype)


#===------------------------------------------------------------------------===#
# Parallel branches
#===------------------------------------------------------------------------===#


def part(value, begin, size, axis):
    return relay.Call(relay.op.get("strided_slice"), [value], {
        "begin": [begin], "end": [size], "axes": [axis], "slice_mode": "size"})


def convolutions(channels, kernels=None, **attrs):
    x = var("x", 1, 4, 8, 8)
    kernels = kernels or [(1, 1)] * len(channels)
    return [relay.nn.conv2d(x, var(f"w{i}", c, 4, *kernel), channels=c, kernel_size=kernel,
                            **attrs)
            for i, (c, kernel) in enumerate(zip(channels, kernels))]


def test_parallel_conv2d():
    y = convolutions([4, 4, 2])
    mod = module(*y, relay.nn.max_pool2d(y[0].args[0], pool_size=(2, 2)))
    x, w = y[0].args[0], [call.args[1] for call in y]
    all_ = relay.nn.conv2d(x, relay.concatenate(w, 0), channels=10, kernel_size=(1, 1))
    parts = [part(all_, begin, size, 1) for begin, size in ((0, 4), (4, 4), (8, 2))]
    assert_becomes(mod, transform.CombineParallelConv2D(2), relay.Tuple(
        [*parts, relay.nn.max_pool2d(x, pool_size=(2, 2))]))
    # Three are enough by default, four are asked for here.
    assert operators(transform.CombineParallelConv2D()(mod))["nn.conv2d"] == 1
    unchanged = transform.CombineParallelConv2D(min_num_branches=4)(mod)
    assert relay.structural_equal(unchanged, mod)


def test_parallel_conv2d_that_differ():
    # Each by something else: size of the kernel, strides, groups, layout, data.
    y = [*convolutions([4, 4]), *convolutions([4], [(3, 3)], padding=(1, 1)),
         *convolutions([4], strides=(2, 2))]
    grouped = relay.nn.conv2d(y[0].args[0], var("g", 4, 1, 1, 1), groups=4, channels=4,
                              kernel_size=(1, 1))
    other = relay.nn.conv2d(var("y", 1, 4, 8, 8), var("v", 4, 4, 1, 1), channels=4,
                            kernel_size=(1, 1))
    x = y[0].args[0]
    calls = [relay.nn.conv2d(x, call.args[1], **{
        key: call.attrs[key] for key in ("strides", "padding", "channels", "kernel_size")})
             for call in y]
    mod = module(*calls, grouped, other)
    after = check(mod, transform.CombineParallelConv2D(2), rtol=1e-6, atol=1e-6)
    assert operators(after)["nn.conv2d"] == 5 and operators(after)["strided_slice"] == 2


@pytest.mark.parametrize("scale", [(1,), (4, 1, 1), (1, 4, 1, 1), (4, 8, 8)])
def test_parallel_conv2d_with_scales(scale):
    y = convolutions([4, 4])
    scaled = [relay.nn.relu(call * var(f"s{i}", *scale)) for i, call in enumerate(y)]
    # Again: what comes out goes into the next ones.
    total = scaled[0] + scaled[1]
    again = [relay.nn.conv2d(total, var(f"v{i}", 3, 4, 1, 1), channels=3, kernel_size=(1, 1))
             for i in range(2)]
    mod = module(*again)
    after = check(mod, transform.CombineParallelConv2D(2), rtol=1e-6, atol=1e-6)
    counts = operators(after)
    # One of its own for each branch, along another axis, ends what is combined.
    assert counts["nn.conv2d"] == 2
    assert counts["multiply"] == counts["nn.relu"] == (2 if scale == (1,) else 1)


def test_parallel_conv2d_of_different_depth():
    y = convolutions([4, 4, 4])
    deep = [relay.nn.relu(y[0]), relay.nn.relu(relay.nn.relu(y[1])), relay.exp(y[2])]
    counts = operators(check(module(*deep), transform.CombineParallelConv2D()))
    assert counts["nn.conv2d"] == 1 and counts["nn.relu"] == 3 and counts["exp"] == 1


def products(units, bias=None, factor=None, rows=2):
    x = var("x", rows, 3)
    calls = []
    for i, n in enumerate(units):
        y = relay.nn.dense(x, var(f"w{i}", n, 3), units=n)
        if bias is not None:
            y = relay.add(y, var(f"b{i}", *(n if size == "n" else size for size in bias)))
        if factor is not None:
            y = relay.multiply(y, var(f"s{i}", *factor))
        calls.append(y)
    return calls


@pytest.mark.parametrize("bias, expanded", [(("n",), 1), ((2, "n"), 0), ((1,), 1), ((), 2)])
def test_parallel_dense_to_batch(bias, expanded):
    mod = module(*products([4, 4], bias))
    args = {param.name_hint: param for param in mod["main"].params}
    x = relay.stack([args["x"]] * 2, 0)
    w = relay.stack([args["w0"], args["w1"]], 0)
    y = relay.nn.batch_matmul(x, w)
    biases: list[relay.Expr] = [args["b0"], args["b1"]]
    if expanded:
        biases = [relay.expand_dims(b, 0, num_newaxis=expanded) for b in biases]
    y = relay.add(y, relay.stack(biases, 0))
    parts = relay.split(y, 2)
    assert_becomes(mod, transform.CombineParallelDense(2), relay.Tuple(
        [relay.squeeze(parts[i], [0]) for i in range(2)]), rtol=1e-6, atol=1e-6)


def test_parallel_dense_to_batch_that_differ():
    # Another number of units, and another type of the result, are products of their own.
    y = products([4, 4, 4, 5])
    wide = relay.nn.dense(y[0].args[0], var("v", 4, 3), units=4, out_dtype="float32")
    after = check(module(y[0], y[3], wide), transform.CombineParallelDense(2))
    assert "nn.batch_matmul" not in operators(after)
    after = check(module(*products([4, 4, 4, 5])), transform.CombineParallelDense())
    assert operators(after) == {"stack": 2, "nn.batch_matmul": 1, "split": 1, "squeeze": 3,
                                "nn.dense": 1}


@pytest.mark.parametrize("bias", [None, ("n",), (2, "n"), (2, 1), (1,), ()])
@pytest.mark.parametrize("factor", [None, (), (1,), (2, 1)])
def test_parallel_dense_flat(bias, factor):
    mod = module(*products([4, 5, 4], bias, factor))
    counts = operators(check(mod, transform.CombineParallelDense(3, to_batch=False),
                             rtol=1e-6, atol=1e-6))
    assert counts["nn.dense"] == 1 and counts["strided_slice"] == 3
    assert counts.get("add", 0) == (bias is not None)
    assert counts.get("multiply", 0) == (factor is not None)


def test_parallel_batch_matmul():
    x = var("x", 2, 5, 3)
    y = [relay.nn.batch_matmul(x, var(f"w{n}", 2, n, 3)) + var(f"b{n}", 2, 1, n)
         for n in (4, 2, 7)]
    mod = module(*y)
    args = {param.name_hint: param for param in mod["main"].params}
    all_ = relay.nn.batch_matmul(args["x"], relay.concatenate(
        [args["w4"], args["w2"], args["w7"]], 1))
    all_ = relay.add(all_, relay.concatenate([args["b4"], args["b2"], args["b7"]], 2))
    parts = [part(all_, begin, size, 2) for begin, size in ((0, 4), (4, 2), (6, 7))]
    assert_becomes(mod, transform.CombineParallelBatchMatmul(), relay.Tuple(parts),
                   rtol=1e-6, atol=1e-6)
    plain = [relay.nn.batch_matmul(x, var(f"v{i}", 2, 3, 4), transpose_b=False)
             for i in range(3)]
    mod = module(*plain)
    assert relay.structural_equal(transform.CombineParallelBatchMatmul()(mod), mod)


def test_parallel_operators_as_a_batch():
    x = var("x", 2, 3)
    mod = module(*(relay.maximum(x, var(f"y{i}", 2, 3)) for i in range(3)))
    after = check(mod, transform.CombineParallelOpBatch("maximum", "maximum"))
    assert operators(after)["maximum"] == 1
    with pytest.raises(relay.DiagnosticError, match="cannot make a batch of 'maximum'"):
        transform.CombineParallelOpBatch("maximum", "nn.relu")(mod)
    with pytest.raises(ValueError, match="there is no operator 'nothing'"):
        transform.CombineParallelOpBatch("maximum", "nothing")


def test_batching_ops():
    mod = module(*products([4, 4, 4]), *convolutions([2, 3, 4])[1:])
    passes = transform.BatchingOps()
    assert isinstance(passes, transform.Sequential)
    with transform.PassContext(opt_level=4):
        assert "nn.batch_matmul" in operators(check(module(*products([4, 4, 4])), passes))
    with transform.PassContext(opt_level=3):
        assert relay.structural_equal(passes(mod), mod)


#===------------------------------------------------------------------------===#
# Groups
#===------------------------------------------------------------------------===#


def primitive(params, body):
    return relay.Function(params, body).with_attr("Primitive", 1)


def test_fuse_and_defuse():
    x, w = var("x", 2, 3), var("w", 4, 3)
    mod = module(relay.nn.softmax(relay.nn.relu(relay.nn.dense(x, w)) + relay.const(1.0)))
    p0, p1 = var("p0", 2, 3), var("p1", 4, 3)
    first = primitive([p0, p1], relay.nn.relu(relay.nn.dense(p0, p1)) + relay.const(1.0))
    q0 = var("p0", 2, 4)
    second = primitive([q0], relay.nn.softmax(q0))
    expected = relay.Call(second, [relay.Call(first, [x, w])])
    assert_becomes(mod, transform.FuseOps(), expected)
    fused = transform.FuseOps()(mod)
    assert relay.structural_equal(transform.DefuseOps()(fused), mod)


def calls_of_primitives(mod):
    count = 0

    def visit(node):
        nonlocal count
        count += isinstance(node, relay.Call) and isinstance(node.op, relay.Function)

    relay.post_order_visit(mod["main"], visit)
    return count


def test_levels_and_limits_of_fusion():
    x = var("x", 4)
    y = x
    for _ in range(300):
        y = relay.exp(y * relay.const(0.5)) - relay.const(1.0)
    mod = module(y)
    assert calls_of_primitives(transform.FuseOps(0)(mod)) == 900
    assert calls_of_primitives(transform.FuseOps(1)(mod)) == 4
    with transform.PassContext(opt_level=0):
        assert calls_of_primitives(transform.FuseOps()(mod)) == 900
    with transform.PassContext(config={"relay.FuseOps.max_depth": 90}):
        assert calls_of_primitives(transform.FuseOps()(mod)) == 10
    with pytest.raises(ValueError, match="fuse_opt_level"):
        transform.FuseOps(-2)


def test_constants_in_groups():
    x = var("x", 2, 3)
    mod = module(relay.nn.dense(x, relay.const(np.ones((4, 3), "float32"))))
    assert len(transform.FuseOps()(mod)["main"].body.args) == 2
    with transform.PassContext(config={"relay.FuseOps.link_params": True}):
        linked = check(mod, transform.FuseOps())
    assert len(linked["main"].body.args) == 1


def test_stop_fusion():
    x = var("x", 4)
    mod = module(relay.exp(relay.annotation.stop_fusion(relay.negative(x))))
    fused = check(mod, transform.FuseOps())
    assert calls_of_primitives(fused) == 2
    assert "annotation.stop_fusion" not in operators(fused)


def test_fusion_of_tuples():
    x = var("x", 4, 6)
    parts = relay.split(relay.exp(x), 2, axis=1)
    mod = module(relay.concatenate([relay.nn.relu(parts[0]), parts[1]], 1), parts[0])
    fused = check(mod, transform.FuseOps())
    check(fused, transform.DefuseOps())
    assert operators(transform.DefuseOps()(fused)) == operators(mod)


def test_defuse_keeps_the_module():
    p = var("p", 4)
    inner = primitive([p], relay.exp(p))
    x = var("x", 4)
    mod = module(relay.Call(inner, [relay.Call(inner, [x])]))
    before = mod.astext()
    assert_becomes(mod, transform.DefuseOps(), relay.exp(relay.exp(x)))
    assert mod.astext() == before


def test_label_ops():
    x = var("x", 1, 4, 4, 3)
    conv = relay.nn.conv2d(x, var("w", 1, 1, 3, 3), data_layout="NHWC", kernel_layout="HWIO")
    mod = transform.FuseOps(0)(module(relay.tanh(conv), relay.tanh(relay.tanh(conv))))
    labelled = check(mod, transform.LabelOps())
    attrs = []
    relay.post_order_visit(labelled["main"], lambda node: attrs.append(dict(node.attrs)) if
                           isinstance(node, relay.Function) and node.attrs else None)
    hashes = [str(a["hash"]) for a in attrs if "Primitive" in a]
    assert len(set(hashes)) == 2 and len(hashes) >= 2
    layouts = [a["data_layout"] for a in attrs if "data_layout" in a]
    assert layouts == ["NHWC"]
    again = transform.LabelOps()(labelled)
    assert relay.structural_equal(again, labelled)


def test_split_args():
    x = [var(f"x{i}", 2, i + 1) for i in range(7)]
    mod = module(relay.concatenate(x, 1))
    after = check(mod, transform.SplitArgs(4))
    assert operators(after) == {"concatenate": 3, "annotation.stop_fusion": 2}
    fused = check(after, transform.FuseOps())

    def visit(node):
        if isinstance(node, relay.Call) and isinstance(node.op, relay.Function):
            assert len(node.args) <= 3

    relay.post_order_visit(fused["main"], visit)
    assert relay.structural_equal(transform.SplitArgs(0)(mod), mod)
    with pytest.raises(ValueError, match="at least 3, but got 2"):
        transform.SplitArgs(2)


#===------------------------------------------------------------------------===#
# Casts
#===------------------------------------------------------------------------===#


def test_canonicalize_cast():
    x = var("x", 1, 8, 4, 4, dtype="int8")
    bias = var("b", 8, 1, 1, dtype="int32")
    wide = relay.cast(x, "int32")
    first = relay.cast(relay.right_shift(relay.add(wide, bias), relay.const(2, "int32")), "int8")
    mod = module(first, relay.add(wide, relay.const(1, "int32")))
    expected = relay.Tuple([first, relay.add(relay.cast(x, "int32"), relay.const(1, "int32"))])
    assert_becomes(mod, transform.CanonicalizeCast(), expected)
    assert operators(mod)["cast"] == 2
    assert operators(transform.CanonicalizeCast()(mod))["cast"] == 3
    assert evaluate(mod, arguments(mod))[0].dtype == np.int8
