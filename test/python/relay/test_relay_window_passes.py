"""Passes on what stands around convolutions and pools: padding, blocks, scales."""

from typing import Any

import numpy as np
import pytest

from pass_checks import arguments, assert_becomes, check, module, operators
from relay_mlir import relay
from relay_mlir.relay import transform

# Of sums of some dozens of products, whose factors are rounded once more.
SCALED: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}


def var(name, *shape, dtype="float32"):
    return relay.var(name, shape=shape, dtype=dtype)


#===------------------------------------------------------------------------===#
# Padding
#===------------------------------------------------------------------------===#

CONVOLUTIONS = {1: (relay.nn.conv1d, "NCW"), 2: (relay.nn.conv2d, "NCHW"),
                3: (relay.nn.conv3d, "NCDHW")}


def widths(rank, before, after):
    return [(0, 0), (0, 0)] + [(before, after)] * rank


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("own", [0, 1])
def test_padding_of_convolutions(rank, own):
    conv, _ = CONVOLUTIONS[rank]
    x, w = var("x", 1, 2, *[5] * rank), var("w", 3, 2, *[3] * rank)
    mod = module(conv(relay.nn.pad(x, widths(rank, 1, 2)), w, padding=[own] * rank,
                      kernel_size=[3] * rank, channels=3))
    expected = conv(x, w, padding=[1 + own] * rank + [2 + own] * rank, kernel_size=[3] * rank,
                    channels=3)
    assert_becomes(mod, transform.FoldExplicitPadding(), expected, rtol=1e-6, atol=1e-6)


def test_padding_that_is_not_folded():
    x, w = var("x", 1, 2, 5, 5), var("w", 3, 2, 3, 3)
    for pad in (relay.nn.pad(x, widths(2, 1, 1), pad_value=1.0),
                relay.nn.pad(x, widths(2, 1, 1), pad_mode="edge"),
                relay.nn.pad(x, widths(2, 1, 1), pad_mode="reflect"),
                relay.nn.pad(x, [(1, 0), (0, 0), (1, 1), (1, 1)])):
        mod = module(relay.nn.conv2d(pad, w))
        assert relay.structural_equal(transform.FoldExplicitPadding()(mod), mod)


@pytest.mark.parametrize("dtype, value", [
    ("float32", float(np.finfo("float32").min)), ("float32", -np.inf), ("int8", -128),
    ("uint8", 0), ("float16", float(np.finfo("float16").min))])
def test_padding_of_maxima(dtype, value):
    x = var("x", 1, 2, 5, 5, dtype=dtype)
    mod = module(relay.nn.max_pool2d(relay.nn.pad(x, widths(2, 1, 1), pad_value=value),
                                     pool_size=(2, 2), strides=(2, 2)))
    after = check(mod, transform.FoldExplicitPadding(), values=[
        np.arange(50).reshape(1, 2, 5, 5).astype(dtype)])
    assert "nn.pad" not in operators(after)
    # Windows that are all padding have the smallest number, which is not -inf.
    mod = module(relay.nn.max_pool2d(relay.nn.pad(x, widths(2, 3, 0), pad_value=value),
                                     pool_size=(2, 2)))
    after = check(mod, transform.FoldExplicitPadding(), values=[
        np.arange(50).reshape(1, 2, 5, 5).astype(dtype)])
    assert ("nn.pad" in operators(after)) == (value == -np.inf)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("own", [0, 1])
def test_padding_of_means(own, counts, ceil_mode):
    x = var("x", 1, 2, 6, 6)
    mod = module(relay.nn.avg_pool2d(relay.nn.pad(x, widths(2, 1, 0)), pool_size=(3, 3),
                                     strides=(2, 2), padding=(own, own), ceil_mode=ceil_mode,
                                     count_include_pad=counts))
    after = check(mod, transform.FoldExplicitPadding(), rtol=1e-6)
    assert ("nn.pad" in operators(after)) == (own == 1 and not counts)


@pytest.mark.parametrize("value", [0, 7])
def test_padding_of_quantized_convolutions(value):
    x, w = var("x", 1, 2, 5, 5, dtype="uint8"), var("w", 3, 2, 3, 3, dtype="int8")
    conv = relay.qnn.op.conv2d(
        relay.nn.pad(x, widths(2, 1, 1), pad_value=value), w, relay.const(7, "int32"),
        relay.const(1, "int32"), relay.const(0.5), relay.const(0.25), (3, 3), 3)
    after = check(module(conv), transform.FoldExplicitPadding())
    assert ("nn.pad" in operators(after)) == (value == 0)


#===------------------------------------------------------------------------===#
# Kernels
#===------------------------------------------------------------------------===#

@transform.module_pass(opt_level=0, name="CropKernels")
def crop_kernels(mod: relay.IRModule, _: Any) -> relay.IRModule:
    return transform._run(mod, "builtin.module(func.func(relay-crop-kernels))")


def test_kernels_that_meet_padding():
    """What is left out are products with zeros: results are the same to the bit. Large
    dilations over few pixels, so that most kernels lose something."""
    rng = np.random.default_rng(4)
    cropped = 0
    for _ in range(120):
        rank = int(rng.integers(1, 4))
        conv, _ = CONVOLUTIONS[rank]
        kernel = rng.integers(1, 5, rank)
        dilation, stride = rng.integers(1, 9, rank), rng.integers(1, 6, rank)
        size, before, after = (rng.integers(low, 9, rank) for low in (1, 0, 0))
        after += np.maximum((kernel - 1) * dilation + 1 - size - before - after, 0)
        w = rng.uniform(-1, 1, (2, 2, *kernel)).astype("float32")
        mod = module(conv(
            var("x", 1, 2, *map(int, size)), relay.const(w), channels=2,
            kernel_size=kernel.tolist(), strides=stride.tolist(), dilation=dilation.tolist(),
            padding=[*before.tolist(), *after.tolist()]))
        after_pass = check(mod, crop_kernels)
        cropped += "strided_slice" in operators(after_pass)
        # There is nothing left to leave out.
        folded = transform.FoldConstant()(after_pass)
        assert relay.structural_equal(crop_kernels(folded), folded)
    assert cropped > 40


#===------------------------------------------------------------------------===#
# Blocks
#===------------------------------------------------------------------------===#


def atrous(block, paddings, crops, size=(8, 9), strides=1, kernel=3):
    x, w = var("x", 2, *size, 4), var("w", kernel, kernel, 4, 5)
    y = relay.nn.space_to_batch_nd(x, block, paddings)
    y = relay.nn.conv2d(y, w, data_layout="NHWC", kernel_layout="HWIO", channels=5,
                        kernel_size=(kernel, kernel), strides=(strides, strides))
    return x, w, relay.nn.batch_to_space_nd(y, block, crops)


@pytest.mark.parametrize("block, paddings, crops, padding", [
    ([2, 2], [[2, 2], [2, 3]], [[0, 0], [0, 1]], (2, 2, 2, 2)),
    ([2, 3], [[1, 1], [3, 3]], [[1, 1], [0, 0]], (0, 3, 0, 3)),
    ([2, 1], [[2, 2], [1, 1]], [[0, 0], [0, 0]], (2, 1, 2, 1))])
def test_flatten_atrous_conv(block, paddings, crops, padding):
    x, w, y = atrous(block, paddings, crops)
    expected = relay.nn.conv2d(x, w, data_layout="NHWC", kernel_layout="HWIO", channels=5,
                               kernel_size=(3, 3), dilation=tuple(block), padding=padding)
    assert_becomes(module(y), transform.FlattenAtrousConv(), expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("arguments_", [
    {"crops": [[0, 0], [2, 2]], "paddings": [[2, 2], [1, 2]]}, {"strides": 2, "kernel": 1}])
def test_atrous_conv_that_is_none(arguments_):
    arguments_ = {"block": [2, 2], "paddings": [[2, 2], [2, 3]], "crops": [[0, 0], [0, 1]],
                  **arguments_}
    mod = module(atrous(**arguments_)[2])
    assert relay.structural_equal(transform.FlattenAtrousConv()(mod), mod)


#===------------------------------------------------------------------------===#
# Scales
#===------------------------------------------------------------------------===#


def positive(*shape):
    return relay.const(np.random.default_rng(0).uniform(0.5, 2, shape).astype("float32"))


def conv(x, name, channels=4, inputs=2, **attrs):
    w = var(name, channels, inputs // attrs.get("groups", 1), 3, 3)
    return relay.nn.conv2d(x, w, channels=channels, kernel_size=(3, 3), padding=(1, 1), **attrs)


def multiplies(mod):
    """Products of images, rather than of weights."""
    count = 0

    def visit(node):
        nonlocal count
        if isinstance(node, relay.Call) and node.op == relay.op.get("multiply"):
            count += tuple(node.checked_type.shape)[2:4] == (8, 8)

    relay.post_order_visit(mod["main"], visit)
    return count


X = var("x", 1, 2, 8, 8)
BACKWARD = {
    "convolution": lambda: conv(X, "w") * positive(4, 1, 1),
    "scale first": lambda: positive(4, 1, 1) * conv(X, "w"),
    "variable": lambda: conv(X, "w") * var("s", 4, 1, 1),
    "relu": lambda: relay.nn.relu(conv(X, "w")) * positive(4, 1, 1),
    "bias": lambda: relay.nn.bias_add(conv(X, "w"), var("b", 4)) * positive(4, 1, 1),
    "two": lambda: (conv(X, "w") - conv(X, "v")) * positive(4, 1, 1),
    "residual": lambda: relay.nn.relu(conv(X, "w") + var("r", 4, 1, 1)) * positive(1),
    "depthwise": lambda: conv(X, "w", groups=2) * positive(4, 1, 1),
    "chain": lambda: relay.nn.relu(conv(X, "w") * positive(4, 1, 1) + positive(4, 1, 1)) *
             positive(4, 1, 1),
}
FORWARD = {
    "convolution": lambda: conv(X * positive(2, 1, 1), "w"),
    "variable": lambda: conv(X * var("s", 2, 1, 1), "w"),
    "leaky relu": lambda: conv(relay.nn.leaky_relu(positive(2, 1, 1) * X, 0.1), "w"),
    "bias": lambda: conv(relay.nn.relu(X * positive(2, 1, 1) + positive(2, 1, 1)), "w"),
    "variable bias": lambda: conv(var("b", 2, 1, 1) - X * positive(2, 1, 1), "w"),
    "depthwise": lambda: conv(X * positive(2, 1, 1), "w", channels=2, groups=2),
}
KEPT = {
    "negative through relu": lambda: relay.nn.relu(conv(X, "w")) * relay.const(-2.0),
    "unknown through relu": lambda: relay.nn.relu(conv(X, "w")) * var("s", 4, 1, 1),
    "rows": lambda: conv(X, "w") * positive(8, 1),
    "grouped forward": lambda: conv(var("y", 1, 4, 8, 8) * positive(4, 1, 1), "w", inputs=4,
                                    groups=2),
}


@pytest.mark.parametrize("case", BACKWARD)
def test_backward_fold_scale_axis(case):
    mod = module(BACKWARD[case]())
    assert multiplies(mod) and not multiplies(check(
        mod, transform.BackwardFoldScaleAxis(), **SCALED))
    assert not multiplies(check(mod, transform.FoldScaleAxis(), **SCALED))


@pytest.mark.parametrize("case", FORWARD)
def test_forward_fold_scale_axis(case):
    mod = module(FORWARD[case]())
    assert multiplies(mod) and not multiplies(check(
        mod, transform.ForwardFoldScaleAxis(), **SCALED))
    assert not multiplies(check(mod, transform.FoldScaleAxis(), **SCALED))


@pytest.mark.parametrize("case", KEPT)
def test_scales_that_stay(case):
    mod = module(KEPT[case]())
    assert multiplies(check(mod, transform.FoldScaleAxis())) == multiplies(mod) == 1


def test_several_readers():
    scaled = X * positive(2, 1, 1)
    mod = module(conv(scaled, "w"), conv(relay.nn.relu(scaled), "v"))
    assert not multiplies(check(mod, transform.ForwardFoldScaleAxis(), **SCALED))
    mod = module(conv(scaled, "w"), relay.exp(scaled))
    assert multiplies(check(mod, transform.ForwardFoldScaleAxis(), **SCALED)) == 1
    once = conv(X, "w")
    mod = module(once * positive(4, 1, 1), once)
    assert multiplies(check(mod, transform.BackwardFoldScaleAxis(), **SCALED)) == 1


def test_scales_in_blocked_layouts():
    x, w = var("x", 1, 1, 8, 8, 2), var("w", 2, 1, 3, 3, 2, 2)
    y = relay.nn.conv2d(x * positive(1, 1, 1, 1, 2), w, channels=4, kernel_size=(3, 3),
                        padding=(1, 1), data_layout="NCHW2c", kernel_layout="OIHW2i2o")
    mod = module(y * positive(1, 2, 1, 1, 2))
    assert multiplies(mod) == 2
    assert not multiplies(check(mod, transform.FoldScaleAxis(), **SCALED))


def test_scales_of_dense_and_conv3d():
    dense = relay.nn.dense(var("d", 3, 5) * positive(5), var("v", 4, 5)) * positive(4)
    x = var("y", 1, 2, 4, 8, 8)
    deep = relay.nn.conv3d(x * positive(2, 1, 1, 1), var("w", 3, 2, 1, 1, 1), channels=3,
                           kernel_size=(1, 1, 1)) * positive(3, 1, 1, 1)
    for value, count in ((dense, 2), (deep, 2)):
        mod = module(value)
        after = check(mod, transform.Sequential([
            transform.BackwardFoldScaleAxis(), transform.ForwardFoldScaleAxis()]), **SCALED) \
            if count == 0 else check(transform.BackwardFoldScaleAxis()(mod),
                                     transform.ForwardFoldScaleAxis(), **SCALED)
        shape = tuple(mod["main"].checked_type.ret_type.shape)
        data = arguments(mod)[0].shape
        for node_shape in shapes_of(after, "multiply"):
            assert node_shape not in (shape, data)


def shapes_of(mod, name):
    shapes = []

    def visit(node):
        if isinstance(node, relay.Call) and node.op == relay.op.get(name):
            shapes.append(tuple(node.checked_type.shape))

    relay.post_order_visit(mod["main"], visit)
    return shapes
