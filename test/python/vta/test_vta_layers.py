# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers in other forms on VTA: of one dimension, with another sign, and with multiples of bytes
that are added. They have the bits of the processor and of the interpreter."""

import os
import pathlib

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIB = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "lib"
CONFIGS = ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18"]


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(LIB))
    monkeypatch.setenv("RELAY_VTA_STRICT", "1")


def to_bytes(value, shift=8):
    return relay.cast(relay.clip(relay.right_shift(value, relay.const(shift)), -128, 127), "int8")


def check(function, folder, parts=1, config=CONFIGS[0]):
    """With so many kernels on the device."""
    path = folder / "layer.relay"
    path.write_text(relay.IRModule.from_expr(function).astext())
    device, host = rm.compile(path, target=f"vta -config={config},cpu"), rm.compile(path)
    interpreter = relay.create_executor("debug", mod=relay.IRModule.from_expr(function)).evaluate()
    rng = np.random.default_rng(3)
    for _ in range(2):
        inputs = {entry.name: rng.integers(
            -128, 128, [int(size) for size in entry.shape]).astype("int8")
                  for entry in device.inputs}
        ours, expected = device.run(inputs), host.run(inputs)
        np.testing.assert_array_equal(ours, expected)
        np.testing.assert_array_equal(ours, interpreter(**inputs).numpy())
    kernels = [row for row in device.profile(inputs, repeat=1)
               if row.device == "vta:0" and "conv" in row.name]
    assert sum(row.calls for row in kernels) == parts


def weights(rng, *shape, low=-128):
    return relay.const(rng.integers(low, 128, shape).astype("int8"))


@pytest.mark.parametrize("images,channels,width,outputs,kernel,stride,padding,dilation,groups", [
    (1, 16, 20, 16, 3, 1, 1, 1, 1), (2, 20, 17, 35, 5, 2, 2, 1, 1), (1, 16, 40, 16, 3, 1, 4, 4, 1),
    (1, 32, 9, 32, 3, 1, 1, 1, 32), (4, 3, 8, 8, 1, 1, 0, 1, 1), (1, 32, 12, 64, 3, 1, 0, 1, 2)])
@pytest.mark.parametrize("config", CONFIGS)
def test_convolutions_of_one_dimension(tmp_path, config, images, channels, width, outputs, kernel,
                                       stride, padding, dilation, groups):
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(images, channels, width), dtype="int8")
    value = relay.nn.conv1d(x, weights(rng, outputs, channels // groups, kernel), strides=stride,
                            padding=(padding, padding), dilation=dilation, groups=groups,
                            out_dtype="int32")
    bias = rng.integers(-5000, 5000, (outputs, 1)).astype("int32")
    check(relay.Function([x], to_bytes(relay.add(value, relay.const(bias)))), tmp_path,
          config=config)


def test_convolutions_of_one_dimension_stay_on_the_device(tmp_path):
    rng = np.random.default_rng(1)
    x = relay.var("x", shape=(1, 16, 30), dtype="int8")
    value: relay.Expr = x
    for _ in range(2):
        value = to_bytes(relay.nn.conv1d(value, weights(rng, 16, 16, 3), padding=(1, 1),
                                         out_dtype="int32"))
    # A sum of bytes, which takes what is on the device.
    value = relay.add(relay.cast(value, "int32"), relay.cast(x, "int32"))
    check(relay.Function([x], to_bytes(value, 1)), tmp_path, parts=2)


@pytest.mark.parametrize("multiply", [
    lambda value: relay.left_shift(value, relay.const(0)),
    lambda value: relay.left_shift(value, relay.const(1)),
    lambda value: relay.left_shift(value, relay.const(6)),
    lambda value: relay.multiply(value, relay.const(1)),
    lambda value: relay.multiply(value, relay.const(37)),
    lambda value: relay.multiply(value, relay.const(127)),
])
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("is_first", [False, True])
def test_multiples_of_bytes_are_added(tmp_path, config, multiply, is_first):
    rng = np.random.default_rng(2)
    x, y = (relay.var(name, shape=(1, 16, 9, 7), dtype="int8") for name in "xy")
    value = relay.nn.conv2d(x, weights(rng, 16, 16, 3, 3), padding=(1, 1), out_dtype="int32")
    value = relay.right_shift(value, relay.const(4))
    other = multiply(relay.cast(y, "int32"))
    # Another multiple has a weight of its own.
    value = relay.add(other, value) if is_first else relay.add(value, other)
    value = relay.add(value, relay.cast(x, "int32"))
    check(relay.Function([x, y], to_bytes(value, 5)), tmp_path, config=config)


@pytest.mark.parametrize("multiply", [
    lambda value: relay.left_shift(value, relay.const(7)),
    lambda value: relay.multiply(value, relay.const(128)),
    lambda value: relay.multiply(value, relay.const(-3)),
    lambda value: relay.multiply(value, relay.const(0)),
])
def test_multiples_that_are_no_weights(tmp_path, multiply):
    rng = np.random.default_rng(2)
    x, y = (relay.var(name, shape=(1, 16, 9, 7), dtype="int8") for name in "xy")
    value = relay.nn.conv2d(x, weights(rng, 16, 16, 1, 1), out_dtype="int32")
    value = relay.add(value, multiply(relay.cast(y, "int32")))
    check(relay.Function([x, y], to_bytes(value)), tmp_path, parts=0)


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("low,parts", [(-127, 1), (-128, 0)])
@pytest.mark.parametrize("kind", ["number", "channels", "bytes", "negative"])
def test_layers_that_are_subtracted(tmp_path, has_bias, low, parts, kind):
    """Their weights get the other sign, but for -128."""
    rng = np.random.default_rng(4)
    x = relay.var("x", shape=(1, 16, 6, 6), dtype="int8")
    weight = rng.integers(-127, 128, (16, 16, 3, 3)).astype("int8")
    weight[0, 0, 0, 0] = low
    value = relay.nn.conv2d(x, relay.const(weight), padding=(1, 1), out_dtype="int32")
    if has_bias:
        bias = rng.integers(-5000, 5000, (16, 1, 1)).astype("int32")
        bias[0] = -2**31
        value = relay.add(value, relay.const(bias))
    if kind == "negative":
        value = relay.negative(value)
    else:
        value = relay.subtract({
            "number": relay.const(1234),
            "channels": relay.const(rng.integers(-9999, 9999, (16, 1, 1)).astype("int32")),
            "bytes": relay.cast(x, "int32")}[kind], value)
    check(relay.Function([x], to_bytes(value)), tmp_path, parts)
