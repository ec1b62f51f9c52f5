# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relay.transform.ConvertLayout on expressions."""

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
    assert conv.attrs.data_layout == "NHWC" and conv.attrs.kernel_layout == "OIHW"
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
    assert conv.attrs.kernel_layout == "HWIO" and conv.args[1].op.name == "transpose"
    sequence = relay.transform.Sequential([convert])
    assert sequence(mod)["main"].body.op.name == "nn.relu"
    with relay.transform.PassContext(opt_level=3):
        assert sequence(mod)["main"].body.op.name == "layout_transform"
    for nothing in ({}, {"nn.conv2d": ["default", "default"]}, {"nn.conv2d": "NCHW"}):
        same = relay.transform.ConvertLayout(nothing)(mod)
        assert same["main"].body.op.name == "nn.relu"


def test_errors():
    with pytest.raises(Exception, match="expects a desired layout"):
        relay.transform.ConvertLayout({"nn.dense": ["NC"]})(make_module())
    with pytest.raises(ValueError, match="one or two layouts"):
        relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "OIHW", "x"]})
