# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relay.transform.ConvertLayout on expressions."""

import re

import numpy as np
import pytest

from relay_mlir import relay


def make_module():
    x = relay.var("x", shape=(1, 8, 7, 7))
    w = relay.var("w", shape=(4, 8, 3, 3))
    y = relay.nn.relu(relay.nn.conv2d(x, w))
    return relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x, w], y)))


def test_channels_last():
    mod = make_module()
    new = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]})(mod)
    transform = new["main"].body
    relu = transform.args[0]
    conv = relu.args[0]
    assert [e.op.name for e in (transform, relu, conv)] == \
        ["layout_transform", "nn.relu", "nn.conv2d"]
    assert conv.attrs.data_layout == "NHWC" and conv.attrs.kernel_layout == "HWIO"
    kernel = conv.args[1].attrs
    assert (kernel.src_layout, kernel.dst_layout) == ("OIHW", "HWIO")
    assert new["main"].checked_type == mod["main"].checked_type

    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape, "float32") for shape in [(1, 8, 7, 7), (4, 8, 3, 3)]]
    results = [relay.create_executor("debug", mod=m).evaluate()(*arrays) for m in (mod, new)]
    # The reference adds in another order when channels come last.
    np.testing.assert_allclose(results[1].numpy(), results[0].numpy(), rtol=1e-5, atol=1e-5)


def test_kernels_and_levels():
    mod = make_module()
    convert = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "HWIO"]})
    conv = convert(mod)["main"].body.args[0].args[0]
    assert conv.attrs.kernel_layout == "HWIO" and conv.args[1].op.name == "layout_transform"
    sequence = relay.transform.Sequential([convert])
    assert sequence(mod)["main"].body.op.name == "nn.relu"
    with relay.transform.PassContext(opt_level=3):
        assert sequence(mod)["main"].body.op.name == "layout_transform"
    for nothing in ({}, {"nn.conv2d": "NCHW"}):
        same = relay.transform.ConvertLayout(nothing)(mod)
        assert same["main"].body.op.name == "nn.relu"


@pytest.mark.parametrize("op,shape,attrs,last", [
    (relay.nn.conv2d, (4, 8, 3, 3), {}, "HWIO"),
    (relay.nn.conv2d, (8, 1, 3, 3), {"groups": 8}, "HWOI"),
    (relay.nn.conv2d, (16, 1, 3, 3), {"groups": 8}, "HWIO"),
    (relay.nn.conv2d_transpose, (8, 4, 3, 3), {}, "HWIO"),
])
def test_default_kernels(op, shape, attrs, last):
    rng = np.random.default_rng(0)
    name = "nn." + op.__name__
    x = relay.var("x", shape=(1, 8, 7, 7))
    w = relay.const(rng.standard_normal(shape, "float32"))
    mod = relay.IRModule.from_expr(relay.Function([x], op(x, w, **attrs)))
    new = relay.transform.ConvertLayout({name: ["NHWC", "default"]})(mod)
    assert new["main"].body.args[0].attrs.kernel_layout == last
    run_both(mod, new, x=rng.standard_normal((1, 8, 7, 7), "float32"))
    back = relay.transform.ConvertLayout({name: ["NCHW", "default"]})(new)
    calls = []
    relay.post_order_visit(back["main"], lambda e: calls.append(e) if isinstance(
        e, relay.Call) and e.op.name == name else None)
    assert calls[0].attrs.kernel_layout == ("IOHW" if "transpose" in name else "OIHW")
    run_both(mod, back, x=rng.standard_normal((1, 8, 7, 7), "float32"))
    same = relay.transform.ConvertLayout({name: ["NHWC"]})(mod)["main"].body.args[0]
    assert same.attrs.kernel_layout == ("IOHW" if "transpose" in name else "OIHW")


@pytest.mark.parametrize("name,layouts,message", [
    ("nn.dense", ["NC"], 'expects a desired layout of an operator that may have one, such as '
                         'nn.conv2d or nn.max_pool2d, but got "nn.dense"'),
    ("nn.conv2d", ["FOO", "default"], 'expects a desired layout of the letters NCHW, or default, '
                                      'for nn.conv2d, but got "FOO"'),
    ("nn.conv2d", ["NHWC", "FOO"], 'expects a desired layout of the letters OIHW, or default, '
                                   'for the kernel of nn.conv2d, but got "FOO"'),
    ("nn.max_pool2d", ["NHWC", "OIHW"], 'expects no desired layout of a kernel for nn.max_pool2d'),
    ("nn.conv2d", [], "expects one or two layouts of nn.conv2d, but got []"),
    ("nn.conv2d", ["NHWC", "OIHW", "x"], "expects one or two layouts of nn.conv2d"),
    ("nn.conv2d", [""], "expects a layout of nn.conv2d such as NHWC, but got ''"),
    ("nn.conv2d", ["N H W C"], "expects a layout of nn.conv2d such as NHWC, but got 'N H W C'"),
    ("nn.conv2d", ["NHWC,NCHW"], "expects a layout of nn.conv2d such as NHWC, but got 'NHWC,N"),
    ("nn conv2d", ["NHWC"], "expects the name of an operator such as nn.conv2d, but got 'nn "),
    ("nn.conv2d", None, "expects the layouts of nn.conv2d to be a list of names, but got None")])
def test_errors(name, layouts, message):
    with pytest.raises((ValueError, TypeError, relay.CompileError), match=re.escape(message)):
        relay.transform.ConvertLayout({name: layouts})(make_module())


def of_four(op, *args, **attrs):
    """An operator on 8 channels of 12x12 pixels, between two that follow it."""
    x = relay.var("x", shape=(1, 8, 12, 12))
    y = op(relay.exp(x), *args, **attrs)
    return relay.Function([x], relay.add(relay.nn.relu(y), relay.const(1.0)))


ROIS = np.array([[0, 1, 1, 8, 8], [0, 0, 2, 7, 11]], "float32")
BOXES = np.array([[0.1, 0.2, 0.8, 0.9]], "float32")


@pytest.mark.parametrize("name,make", [
    ("nn.max_pool2d", lambda: of_four(relay.nn.max_pool2d, pool_size=(3, 3), strides=(2, 1),
                                      padding=(1, 0))),
    ("nn.avg_pool2d", lambda: of_four(relay.nn.avg_pool2d, pool_size=(2, 3), padding=(1, 1))),
    ("nn.global_avg_pool2d", lambda: of_four(relay.nn.global_avg_pool2d)),
    ("nn.adaptive_max_pool2d", lambda: of_four(relay.nn.adaptive_max_pool2d,
                                               output_size=(3, 4))),
    ("image.resize2d", lambda: of_four(relay.image.resize2d, size=(7, 19), method="linear")),
    ("nn.upsampling", lambda: of_four(relay.nn.upsampling, scale_h=2, scale_w=3)),
    ("nn.depth_to_space", lambda: of_four(relay.nn.depth_to_space, block_size=2)),
    ("nn.space_to_depth", lambda: of_four(relay.nn.space_to_depth, block_size=3)),
    ("vision.roi_align", lambda: of_four(relay.vision.roi_align, relay.const(ROIS),
                                         pooled_size=(3, 2), spatial_scale=1.0)),
    ("vision.roi_pool", lambda: of_four(relay.vision.roi_pool, relay.const(ROIS),
                                        pooled_size=(3, 2), spatial_scale=1.0)),
    ("image.crop_and_resize", lambda: of_four(
        relay.image.crop_and_resize, relay.const(BOXES), relay.const(np.zeros(1, "int32")),
        crop_size=(5, 6), layout="NCHW")),
])
def test_operators_with_a_layout(name, make):
    mod = relay.transform.InferType()(relay.IRModule.from_expr(make()))
    new = relay.transform.ConvertLayout({name: ["NHWC"]})(mod)
    calls = []
    relay.post_order_visit(new["main"], lambda e: calls.append(e) if isinstance(
        e, relay.Call) else None)
    converted, = (call for call in calls if call.op.name == name)
    assert converted.attrs.layout == "NHWC"
    # What follows goes on in the same layout, to the end.
    counts = relay.analysis.list_op_freqs(new)
    changes = counts["layout_transform"] + counts.get("reshape", 0)  # Of one pixel.
    assert new["main"].body.op.name in ("layout_transform", "reshape") and changes == 2
    assert new["main"].checked_type == mod["main"].checked_type
    x = np.random.default_rng(0).standard_normal((1, 8, 12, 12), "float32")
    results = [relay.create_executor("debug", mod=m).evaluate()(x) for m in (mod, new)]
    np.testing.assert_allclose(results[1].numpy(), results[0].numpy(), rtol=1e-5, atol=1e-5)
    # In the layout that it has already, it stays.
    assert relay.structural_equal(relay.transform.ConvertLayout({name: "NCHW"})(mod), mod)


@pytest.mark.parametrize("per_axis", [False, True])
def test_quantized(per_axis):
    rng = np.random.default_rng(0)
    one, zero = relay.const(0.5), relay.const(3)
    scale = relay.const(np.linspace(0.1, 0.9, 8, dtype="float32")) if per_axis else one
    zeros = relay.const(np.zeros(8, "int32")) if per_axis else zero
    x = relay.var("x", shape=(1, 8, 10, 10), dtype="int8")
    w = relay.const(rng.integers(-9, 9, (8, 8, 3, 3), "int8"))
    conv = relay.qnn.op.conv2d(x, w, zero, zero, one, one, kernel_size=(3, 3), channels=8)
    conv = relay.qnn.op.requantize(conv, relay.const(0.25), relay.const(0), one, zero, axis=1)
    bias = relay.const(rng.integers(-9, 9, (1, 8, 1, 1), "int8"))
    y = relay.qnn.op.add(conv, bias, one if not per_axis else scale, zero if not per_axis else
                         zeros, one, zero, one, zero, lhs_axis=1, rhs_axis=1)
    y = relay.qnn.op.tanh(y, one, zero, relay.const(0.01), relay.const(0))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x], y)))
    new = relay.transform.ConvertLayout({"qnn.conv2d": ["NHWC", "HWIO"]})(mod)
    assert relay.analysis.list_op_freqs(new)["layout_transform"] <= 3
    assert new["main"].body.op.name == "layout_transform"
    data = rng.integers(-100, 100, (1, 8, 10, 10), "int8")
    results = [relay.create_executor("debug", mod=m).evaluate()(data) for m in (mod, new)]
    np.testing.assert_array_equal(results[1].numpy(), results[0].numpy())


def test_kernels_of_operators_without_one():
    with pytest.raises(Exception, match="expects no desired layout of a kernel for nn.max_pool2d"):
        relay.transform.ConvertLayout({"nn.max_pool2d": ["NHWC", "OIHW"]})(make_module())


def run_both(mod, new, **data):
    results = [relay.create_executor("debug", mod=m).evaluate()(**data) for m in (mod, new)]
    np.testing.assert_allclose(results[1].numpy(), results[0].numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kernel", ["OIHW4i4o", "OIHW4o"])
def test_blocked(kernel):
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, 8, 14, 14))
    bias = relay.const(rng.standard_normal((4, 1, 1), "float32"))
    map_ = relay.const(rng.standard_normal((1, 1, 14, 14), "float32"))
    weights = [relay.const(rng.standard_normal((4, c, 3, 3), "float32")) for c in (8, 4)]
    y = relay.nn.conv2d(x, weights[0], padding=(1, 1))
    y = relay.nn.relu(relay.add(relay.multiply(y, relay.const(0.5)), bias)) * map_
    z = relay.nn.conv2d(y, weights[1], padding=(1, 1))
    z = relay.nn.bias_add(z, relay.const(rng.standard_normal(4, "float32")))
    z = relay.nn.max_pool2d(relay.add(y, z), pool_size=(2, 2), strides=(2, 2))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.nn.global_avg_pool2d(z)))
    new = relay.transform.ConvertLayout({"nn.conv2d": ["NCHW4c", kernel]})(mod)
    counts = relay.analysis.list_op_freqs(new)
    assert counts["nn.contrib_conv2d_NCHWc"] == 2 and "nn.conv2d" not in counts
    # In, out, two kernels and two biases: nothing between the convolutions.
    assert counts["layout_transform"] == 6
    run_both(mod, new, x=rng.standard_normal((1, 8, 14, 14), "float32"))


def test_blocked_and_what_does_not_fit():
    x, w = relay.var("x", shape=(1, 8, 6, 6)), relay.var("w", shape=(6, 8, 3, 3))
    # Six channels are no multiple of four, and grouped convolutions stay.
    depthwise = relay.nn.conv2d(x, relay.var("d", shape=(8, 1, 3, 3)), groups=8)
    mod = relay.transform.InferType()(relay.IRModule.from_expr(
        relay.Tuple([relay.nn.conv2d(x, w), depthwise])))
    new = relay.transform.ConvertLayout({"nn.conv2d": ["NCHW4c", "OIHW4i4o"]})(mod)
    assert relay.structural_equal(new, mod)
    for desired, message in [
            ({"nn.conv2d": ["NCHW4c"]}, "OIHW4i4o for NCHW4c, but got none"),
            ({"nn.conv2d": ["NCHW4c", "OIHW4i8o"]}, "but got OIHW4i8o"),
            ({"nn.conv2d": ["NHWC4c", "OIHW4i4o"]}, "such as NCHW8c, but got NHWC4c"),
            ({"nn.conv3d": ["NCHW4c", "OIHW4i4o"]}, "but got nn.conv3d"),
            ({"nn.max_pool2d": ["NCHW4c"]}, "but got nn.max_pool2d")]:
        with pytest.raises(ValueError, match=message):
            relay.transform.ConvertLayout(desired)(make_module())


def test_blocked_networks():
    mod, params = relay.testing.resnet.get_workload(batch_size=1, num_layers=8,
                                                    image_shape=(3, 28, 28), num_classes=10)
    mod["main"] = relay.bind_params_by_name(mod["main"], params)
    mod = relay.transform.SimplifyInference()(mod)
    new = relay.transform.ConvertLayout({"nn.conv2d": ["NCHW16c", "OIHW16i16o"]})(mod)
    assert relay.analysis.list_op_freqs(new)["nn.contrib_conv2d_NCHWc"] >= 5
    run_both(mod, new, data=np.random.default_rng(0).random((1, 3, 28, 28), "float32"))
