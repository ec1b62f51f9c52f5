# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools and functions of elements on VTA, between layers: the same bits as on the processor."""

import os
import pathlib

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay

pytestmark = pytest.mark.share(2)

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIB = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "lib"
# The usual ones, and some with little memory, in which tiles are small.
CONFIGS = ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18", "1x16_i8w8a32_12_11_14_13",
           "2x8_i8w8a32_14_12_14_14"]


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(LIB))
    # What published implementations do differently, and races, are errors.
    monkeypatch.setenv("RELAY_VTA_STRICT", "1")


def word(value):
    return relay.cast(value, "int32")


def to_bytes(value, shift=0, low=-128, high=127):
    if shift:
        value = relay.right_shift(relay.add(value, relay.const(1 << (shift - 1))),
                                  relay.const(shift))
    return relay.cast(relay.clip(value, low, high), "int8")


class Model:
    """A layer of random bytes, so that its results are on the device."""

    def __init__(self, shape, seed=0):
        self.rng = np.random.default_rng(seed)
        self.shape = shape
        self.x = relay.var("x", shape=shape, dtype="int8")

    def layer(self, data=None, channels=None):
        channels = channels or self.shape[1]
        weight = self.rng.integers(-128, 128, (channels, channels, 1, 1)).astype("int8")
        value = relay.nn.conv2d(self.x if data is None else data, relay.const(weight),
                                out_dtype="int32")
        return to_bytes(value, 8)

    def check(self, folder, out, kernels, config=CONFIGS[0], others=0):
        """The same on both simulators as on the processor, with so many kernels on the device,
        and `others` on the processor besides changes of layout."""
        path = folder / "model.relay"
        outs = out if isinstance(out, list) else [out]
        body = relay.Tuple(outs) if len(outs) > 1 else outs[0]
        path.write_text(relay.IRModule.from_expr(relay.Function([self.x], body)).astext())
        inputs = {"x": self.rng.integers(-128, 128, self.shape).astype("int8")}
        host = rm.compile(path)
        expected = host.run(inputs)
        for device in ("vta:fsim", "vta:tsim"):
            model = rm.compile(path, target=f"vta -config={config},cpu", device=device)
            for ours, theirs in zip(model.run(inputs), expected, strict=True):
                assert len(np.unique(theirs)) > 1
                np.testing.assert_array_equal(ours, theirs)
        rows = [row for row in model.profile(inputs, repeat=1) if row.name.startswith("fused_")]
        moves = ("fused_layout_transform", "fused_nn_pad", "fused_strided_slice")
        assert sum(row.calls for row in rows if row.device == "vta:0") == kernels, rows
        assert sum(row.calls for row in rows
                   if row.device != "vta:0" and not row.name.startswith(moves)) == others, rows


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("shape,size,stride,padding,more", [
    ((1, 16, 8, 8), 2, 2, 0, {}),
    ((2, 32, 14, 13), 3, 2, 1, {}),
    ((1, 17, 9, 7), 3, 1, 1, {}),  # the last block is not whole
    ((5, 16, 5, 5), 2, 1, 0, {}),
    ((1, 16, 1, 1), 3, 1, 1, {}),  # a window that is mostly padding
    ((1, 48, 11, 6), 3, 3, 0, {"ceil_mode": True}),
    ((1, 16, 9, 9), 2, 2, 0, {"dilation": (2, 3)}),
    ((3, 16, 6, 40), 5, 2, 2, {}),
    ((1, 16, 3, 20), 3, 2, 17, {}),  # more padding than a load has bits for
])
def test_maximum_of_windows(tmp_path, config, shape, size, stride, padding, more):
    model = Model(shape)
    out = relay.nn.max_pool2d(model.layer(), pool_size=(size, size), strides=(stride, stride),
                              padding=(padding, padding), **more)
    model.check(tmp_path, out, kernels=2, config=config)


@pytest.mark.parametrize("shape", [(1, 16, 7, 7), (2, 40, 4, 3)])
def test_maximum_of_all(tmp_path, shape):
    model = Model(shape)
    model.check(tmp_path, relay.nn.global_max_pool2d(model.layer()), kernels=2)


def test_steps_behind_a_maximum(tmp_path):
    model = Model((2, 32, 8, 8))
    first = model.layer()
    pool = relay.nn.max_pool2d(first, pool_size=(3, 3), padding=(1, 1))
    out = to_bytes(relay.add(word(pool), word(first)), 1, low=0)
    model.check(tmp_path, out, kernels=2)


def test_pools_between_layers(tmp_path):
    """Nothing is copied between the first and the last kernel."""
    model = Model((1, 16, 12, 12))
    value = relay.nn.max_pool2d(model.layer(), pool_size=(2, 2), strides=(2, 2))
    value = relay.nn.max_pool2d(model.layer(value), pool_size=(3, 3), strides=(2, 2),
                                padding=(1, 1))
    model.check(tmp_path, model.layer(value), kernels=5)


def quantized_average(value, pool, bits=8):
    """As relay.quantize writes averages: of numbers with more bits than bytes."""
    value = pool(relay.multiply(word(value), relay.const(1 << bits)))
    value = relay.multiply(relay.cast(value, "int64"), relay.const(1 << 30, "int64"))
    value = relay.add(value, relay.const(1 << (29 + bits), "int64"))
    value = relay.cast(relay.right_shift(value, relay.const(30 + bits, "int64")), "int32")
    return relay.clip(to_bytes(value), -127, 127)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("shape,size,stride", [
    ((1, 16, 8, 8), (2, 2), (2, 2)),  # a shift
    ((2, 20, 9, 7), (3, 3), (2, 1)),
    ((1, 32, 7, 7), (7, 7), (1, 1)),
    ((5, 16, 6, 5), (1, 5), (1, 1)),
])
def test_averages(tmp_path, config, shape, size, stride):
    model = Model(shape)
    out = quantized_average(model.layer(),
                            lambda value: relay.nn.avg_pool2d(value, pool_size=size,
                                                              strides=stride))
    model.check(tmp_path, out, kernels=2, config=config)


@pytest.mark.parametrize("size", [(7, 7), (14, 14), (13, 11)])
def test_averages_of_all(tmp_path, size):
    model = Model((1, 16, *size))
    model.check(tmp_path, quantized_average(model.layer(), relay.nn.global_avg_pool2d), kernels=2)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_averages_of_bytes(tmp_path, size):
    """Without a change of scale, what is left of a division is cut off towards zero."""
    model = Model((1, 16, 10, 10))
    out = relay.nn.avg_pool2d(model.layer(), pool_size=(size, size), strides=(2, 2))
    # No one product and shift rounds towards zero from both sides.
    model.check(tmp_path, out, kernels=1, others=1)


def test_averages_that_stay(tmp_path):
    """Windows that count different numbers of elements, or in which a product and a shift
    cannot be the same."""
    model = Model((1, 16, 9, 9))
    first = model.layer()
    outs = [quantized_average(first, lambda value: relay.nn.avg_pool2d(
        value, pool_size=(3, 3), strides=(2, 2), padding=(1, 1)))]
    model.check(tmp_path, outs, kernels=1, others=1)


def test_averages_that_count_padding(tmp_path):
    model = Model((1, 16, 9, 9))
    out = quantized_average(model.layer(), lambda value: relay.nn.avg_pool2d(
        value, pool_size=(3, 3), strides=(2, 2), padding=(1, 1), count_include_pad=True))
    model.check(tmp_path, out, kernels=2)


# Of what a step takes.
CHANNELS: dict[int, int] = {}
STEPS = {
    "sum": lambda a, b: to_bytes(relay.add(word(a), word(b)), 1),
    "maximum": relay.maximum,
    "minimum": lambda a, b: relay.minimum(b, a),
    "clip": lambda a, b: relay.clip(a, -100, 50),
    "relu": lambda a, b: relay.nn.relu(a),
    "shift": lambda a, b: relay.cast(relay.right_shift(word(a), relay.const(3)), "int8"),
    "left": lambda a, b: relay.cast(relay.left_shift(word(a), relay.const(3)), "int8"),
    "channels": lambda a, b: to_bytes(relay.add(word(a), relay.const(np.arange(
        CHANNELS[id(a)], dtype="int32").reshape(-1, 1, 1)))),
    "chain": lambda a, b: to_bytes(relay.add(relay.maximum(relay.left_shift(
        word(a), relay.const(8)), word(b)), relay.const(70000)), 10),
}


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("shape", [(1, 32, 6, 7), (3, 17, 5, 5)])
def test_elements(tmp_path, config, shape):
    """What two layers have computed and others need too, so that no layer takes it."""
    model = Model(shape)
    first, second = model.layer(), model.layer()
    CHANNELS[id(first)] = shape[1]
    outs = [step(first, second) for step in STEPS.values()]
    model.check(tmp_path, [*outs, first, second], kernels=2 + len(STEPS), config=config)


def test_long_tensors(tmp_path):
    """In tiles, of which none divides a prime number of positions."""
    model = Model((1, 16, 1, 2053))
    first, second = model.layer(), model.layer()
    model.check(tmp_path, [STEPS["sum"](first, second), first, second], kernels=3)


def test_elements_of_the_processor_stay(tmp_path):
    """Copies would take longer."""
    model = Model((1, 16, 6, 6))
    outs = [relay.nn.max_pool2d(model.x, pool_size=(2, 2)), relay.clip(model.x, -5, 5)]
    path = tmp_path / "model.relay"
    path.write_text(
        relay.IRModule.from_expr(relay.Function([model.x], relay.Tuple(outs))).astext())
    module = rm.compile(path, target="vta,cpu")
    x = model.rng.integers(-128, 128, model.shape).astype("int8")
    rows = module.profile({"x": x}, repeat=1)
    assert all(row.device != "vta:0" for row in rows)


def test_windows_that_do_not_fit(tmp_path):
    """The maximum of more than scratchpads have is the processor's."""
    model = Model((1, 16, 50, 50))
    first = model.layer()
    # Not all of them have the same maximum.
    value = to_bytes(relay.add(word(first), relay.const(
        np.arange(-40, -24, dtype="int32").reshape(-1, 1, 1))))
    model.check(tmp_path, relay.nn.global_max_pool2d(value), kernels=1, others=1)


def test_quantized_network_with_pools(tmp_path):
    """As relay.quantize writes it; the last average stays, since floats come after."""
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, 3, 16, 16))

    def conv(data, outputs, inputs):
        weight = rng.normal(0, 0.1, (outputs, inputs, 3, 3)).astype("float32")
        return relay.nn.relu(relay.nn.conv2d(data, relay.const(weight), padding=(1, 1)))

    y = conv(conv(x, 16, 3), 16, 16)
    y = conv(relay.nn.max_pool2d(y, pool_size=(2, 2), strides=(2, 2)), 16, 16)
    y = conv(relay.nn.avg_pool2d(y, pool_size=(3, 3), strides=(2, 2)), 32, 16)
    y = relay.nn.global_avg_pool2d(y)
    with relay.quantize.qconfig(global_scale=8.0, weight_scale="power2"):
        integers = relay.quantize.quantize(relay.IRModule.from_expr(relay.Function([x], y)))
    path = tmp_path / "network.relay"
    path.write_text(integers.astext())
    device, host = rm.compile(path, target="vta,cpu"), rm.compile(path)
    inputs = {"x": rng.normal(0, 1, (1, 3, 16, 16)).astype("float32")}
    np.testing.assert_array_equal(device.run(inputs)[0], host.run(inputs)[0])
    names = [row.name for row in device.profile(inputs, repeat=1) if row.device == "vta:0"
             and row.name.startswith("fused_")]
    assert sum("max_pool2d" in name for name in names) == 1
    assert sum("conv2d" in name for name in names) == 4
