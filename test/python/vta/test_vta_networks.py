# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized networks on VTA and the processor: the same bits as on the processor alone."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay

pytestmark = pytest.mark.share(2)

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
LIB = BUILD_DIR / "lib"


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(LIB))
    # What published implementations do differently, and races, are errors.
    monkeypatch.setenv("RELAY_VTA_STRICT", "1")


class Network:
    """Layers of random bytes; `out` is the result so far."""

    def __init__(self, shape, seed=0):
        self.rng = np.random.default_rng(seed)
        self.x = relay.var("x", shape=shape, dtype="int8")
        self.out: relay.Expr = self.x
        self.shape = shape
        self.channels = shape[1]

    def weights(self, *shape):
        return relay.const(self.rng.integers(-128, 128, shape).astype("int8"))

    def conv(self, outputs, size=3, stride=1, padding=None, data=None, channels=None):
        padding = size // 2 if padding is None else padding
        weight = self.weights(outputs, channels or self.channels, size, size)
        result = relay.nn.conv2d(self.out if data is None else data, weight, strides=(stride, ) * 2,
                                 padding=(padding, ) * 2, out_dtype="int32")
        self.channels = outputs
        return result

    def bias(self, value, magnitude=1 << 16):
        values = self.rng.integers(-magnitude, magnitude, (self.channels, 1, 1)).astype("int32")
        return relay.add(value, relay.const(values))

    @staticmethod
    def to_bytes(value, shift=8, low=-128, high=127):
        if shift:
            value = relay.right_shift(relay.add(value, relay.const(1 << (shift - 1))),
                                      relay.const(shift))
        return relay.cast(relay.clip(value, low, high), "int8")

    def to_file(self, folder):
        path = folder / "network.relay"
        path.write_text(relay.IRModule.from_expr(relay.Function([self.x], self.out)).astext())
        return path

    def check(self, folder, parts=1, target="vta,cpu"):
        """As on the processor, with a number of kernels on the device."""
        path = self.to_file(folder)
        device, host = rm.compile(path, target=target), rm.compile(path)
        inputs = {"x": self.rng.integers(-128, 128, self.shape).astype("int8")}
        kernels = [kernel for kernel in device.profile(inputs, repeat=1)
                   if kernel.device == "vta:0" and "conv2d" in kernel.name]
        assert sum(kernel.calls for kernel in kernels) == parts
        for _ in range(2):
            inputs = {"x": self.rng.integers(-128, 128, self.shape).astype("int8")}
            for ours, expected in zip(device.run(inputs), host.run(inputs)):
                np.testing.assert_array_equal(ours, expected)


def make_network(shape, outputs, size=3, stride=1, padding=None, shift=8, bias=True, **clip):
    network = Network(shape)
    value = network.conv(outputs, size, stride, padding)
    if bias:
        value = network.bias(value)
    network.out = network.to_bytes(value, shift, **clip)
    return network


@pytest.mark.parametrize("shape,outputs,size,stride,padding", [
    ((1, 16, 4, 4), 16, 1, 1, 0),
    ((1, 32, 8, 8), 48, 3, 1, 1),
    ((1, 16, 9, 7), 32, 3, 2, 1),
    ((1, 3, 8, 8), 17, 3, 1, 1),
    ((1, 17, 5, 5), 3, 1, 2, 0),
    ((3, 16, 6, 6), 16, 3, 1, 1),
    ((1, 64, 1, 1), 32, 1, 1, 0),
    ((1, 16, 1, 1), 16, 3, 1, 1),
    ((1, 16, 14, 14), 16, 7, 2, 3),
    ((1, 16, 6, 6), 16, 1, 1, 1),
    ((1, 16, 8, 8), 16, 5, 1, 0),
    ((1, 16, 9, 6), 16, 21, 1, 20),  # more padding than a load has bits for
    ((1, 16, 5, 20), 16, 3, 5, 17),
    ((1, 16, 7, 7), 16, 7, 1, 0),  # no loops around what is within an element
])
@pytest.mark.parametrize("config", ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18"])
def test_convolutions(tmp_path, config, shape, outputs, size, stride, padding):
    make_network(shape, outputs, size, stride, padding).check(
        tmp_path, target=f"vta -config={config},cpu")


@pytest.mark.parametrize("number", [1, -64, 241998, -243903, 241999, -243904, 1 << 30])
@pytest.mark.parametrize("shift", [0, 5])
@pytest.mark.parametrize("config", ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18"])
def test_constants_of_channels(tmp_path, config, number, shift):
    """As products of bytes up to 15 * 127 * 127 + 63, for 16 channels; larger ones as they are."""
    network = Network((1, 32, 5, 6))
    value = network.conv(48)
    if shift:
        value = relay.right_shift(value, relay.const(shift))
    values = network.rng.integers(-100, 100, (48, 1, 1)).astype("int32")
    values[17] = number
    value = relay.add(value, relay.const(values))
    network.out = network.to_bytes(value, 3)
    network.check(tmp_path, target=f"vta -config={config},cpu")


@pytest.mark.parametrize("factor", [3, 57, 2**31 - 1])
def test_factors(tmp_path, factor):
    """Products with a number, which wrap around, are sums of shifts."""
    network = Network((1, 32, 9, 9))
    value = relay.multiply(network.bias(network.conv(32)), relay.const(factor))
    network.out = relay.cast(relay.right_shift(value, relay.const(19)), "int8")
    network.check(tmp_path, target="vta -config=1x16_i8w8a32_12_12_14_14,cpu")


@pytest.mark.parametrize("shift", [0, 1, 15, 16, 31])
def test_shifts(tmp_path, shift):
    make_network((1, 16, 5, 5), 16, shift=shift, bias=False).check(tmp_path)


def test_dense(tmp_path):
    network = Network((5, 40))
    value = relay.nn.dense(network.x, network.weights(20, 40), out_dtype="int32")
    bias = network.rng.integers(-999, 999, (20, )).astype("int32")
    network.out = network.to_bytes(relay.add(value, relay.const(bias)))
    network.check(tmp_path)


def test_residual_sums(tmp_path):
    """Several kernels, whose tensors stay on the device in between."""
    network = Network((1, 32, 8, 8))
    network.out = first = network.to_bytes(network.bias(network.conv(32)), low=0)
    network.out = network.to_bytes(network.conv(32), low=0)
    second = network.to_bytes(network.bias(network.conv(32)), low=-127)
    total = relay.add(relay.cast(second, "int32"), relay.cast(first, "int32"))
    network.out = network.to_bytes(total, shift=1, low=0)
    network.check(tmp_path, parts=3)


def test_sums_of_two_results(tmp_path):
    """One of them computes the sum, the other one's part ends before."""
    network = Network((1, 16, 6, 6))
    first = network.to_bytes(network.conv(32))
    network.channels = 16
    second = network.to_bytes(network.bias(network.conv(32, size=1)))
    total = relay.add(relay.cast(first, "int32"), relay.cast(second, "int32"))
    network.out = network.to_bytes(total, shift=1)
    network.check(tmp_path, parts=2)


def test_operator_between(tmp_path):
    """What VTA cannot do runs on the processor, with copies around it."""
    network = Network((1, 16, 8, 8))
    network.out = network.to_bytes(network.conv(32))
    network.out = relay.nn.max_pool2d(network.out, pool_size=(2, 2), strides=(2, 2))
    network.out = network.to_bytes(network.conv(16))
    network.out = relay.cast(relay.nn.softmax(relay.cast(network.out, "float32")), "float32")
    network.check(tmp_path, parts=2)


@pytest.mark.parametrize("inputs,outputs", [(3, 49), (16, 33), (16, 16), (16, 1024), (17, 63)])
@pytest.mark.parametrize("config", [
    "1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18", "1x16_i8w8a32_10_9_12_11"])
@pytest.mark.parametrize("images", [1, 3])
def test_products_of_one_pixel(tmp_path, images, config, inputs, outputs):
    """With one block of inputs and several of outputs, blocks are rows of one matrix."""
    make_network((images, inputs, 1, 1), outputs, size=1).check(
        tmp_path, target=f"vta -config={config},cpu")


def test_results_that_are_constant(tmp_path):
    network = Network((1, 16, 4, 4))
    network.out = relay.cast(relay.maximum(network.conv(16), relay.const(2**31 - 1)), "int8")
    network.check(tmp_path, parts=0)


@pytest.mark.parametrize("level, parts", [(0, 0), (1, 1), (2, 1)])
def test_optimization_levels(tmp_path, level, parts):
    path = make_network((1, 32, 6, 6), 32).to_file(tmp_path)
    device = rm.compile(path, target="vta,cpu", opt_level=level)
    inputs = {"x": np.random.default_rng(1).integers(-128, 128, (1, 32, 6, 6)).astype("int8")}
    kernels = [kernel for kernel in device.profile(inputs, repeat=1)
               if kernel.device == "vta:0" and "conv2d" in kernel.name]
    assert len(kernels) == parts
    np.testing.assert_array_equal(device.run(inputs)[0], rm.compile(path).run(inputs)[0])


CONFIGS = ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18"]


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("channels,outputs,groups,size,stride,padding", [
    (32, 32, 32, 3, 1, 1),  # depthwise
    (48, 48, 48, 3, 2, 1),
    (20, 20, 20, 3, 1, 1),  # the last block is not whole
    (16, 16, 16, 5, 1, 2),
    (32, 32, 8, 3, 1, 1),  # narrower than a block
    (24, 24, 6, 1, 1, 0),
    (64, 32, 4, 3, 1, 1),
    (64, 32, 2, 3, 2, 1),  # a block of outputs, several of inputs
    (16, 32, 4, 3, 1, 1),  # all groups joined
    (6, 10, 2, 3, 1, 1),
    (64, 96, 2, 3, 1, 1),  # several blocks of both
    (48, 96, 3, 1, 2, 0),
    (48, 96, 48, 3, 1, 1),  # two outputs for each input
    (96, 96, 4, 3, 1, 1),  # of one and a half blocks
    (18 * 24, 18 * 24, 18, 1, 1, 0),
    (17 * 32, 17 * 32, 17, 1, 1, 0),
])
def test_convolutions_in_groups(tmp_path, config, channels, outputs, groups, size, stride, padding):
    network = Network((2, channels, 9, 7))
    weight = network.weights(outputs, channels // groups, size, size)
    network.channels = outputs
    value = relay.nn.conv2d(network.x, weight, groups=groups, strides=(stride, stride),
                            padding=(padding, padding), out_dtype="int32")
    network.out = network.to_bytes(network.bias(value))
    network.check(tmp_path, target=f"vta -config={config},cpu")


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("groups,inputs,outputs", [(17, 24, 24), (17, 3, 5), (21, 9, 20), (19, 12, 1)])
def test_groups_with_more_blocks(tmp_path, config, groups, inputs, outputs):
    """No group ends where the last block does: the processor pads channels before and behind."""
    network = Network((1, 20, 5, 4))
    network.out = network.to_bytes(network.bias(network.conv(groups * inputs)))
    for _ in range(2):
        channels = network.channels // groups
        value = relay.nn.conv2d(network.out, network.weights(groups * outputs, channels, 3, 3),
                                groups=groups, padding=(1, 1), out_dtype="int32")
        network.channels = groups * outputs
        network.out = network.to_bytes(network.bias(value))
    first = network.out
    # A sum of bytes that have more blocks, and one of those that have not.
    value = relay.nn.conv2d(first, network.weights(groups * outputs, outputs, 1, 1), groups=groups,
                            out_dtype="int32")
    value = relay.add(relay.right_shift(value, relay.const(9)), relay.cast(first, "int32"))
    network.out = relay.cast(relay.clip(value, -128, 127), "int8")
    value = relay.add(relay.right_shift(network.conv(groups * outputs), relay.const(9)),
                      relay.cast(first, "int32"))
    network.out = relay.cast(relay.clip(value, -128, 127), "int8")
    network.out = relay.nn.max_pool2d(network.out, pool_size=(2, 2))
    network.out = network.to_bytes(network.conv(7))
    network.check(tmp_path, parts=6, target=f"vta -config={config},cpu")


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("channels,outputs,groups,kernel,stride", [
    (32, 32, 32, 4, 2),  # depthwise, as it is where images become larger
    (24, 36, 6, 3, 1),
    (32, 64, 2, 4, 2),
    (17 * 24, 17 * 8, 17, 2, 2),
])
def test_transposed_convolutions_in_groups(tmp_path, config, channels, outputs, groups, kernel,
                                           stride):
    network = Network((1, channels, 4, 5))
    weight = network.weights(channels, outputs // groups, kernel, kernel)
    network.channels = outputs
    value = relay.nn.conv2d_transpose(network.x, weight, strides=(stride, stride), groups=groups,
                                      padding=(kernel // 4, kernel // 4), out_dtype="int32")
    network.out = network.to_bytes(network.bias(value))
    network.check(tmp_path, parts=stride**2, target=f"vta -config={config},cpu")


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("shape,outputs,kernel,stride,padding,extra", [
    ((1, 32, 4, 4), 16, 4, 2, (1, 1), 0),  # DCGAN
    ((2, 17, 5, 3), 20, 3, 1, (1, 1), 0),
    ((1, 16, 4, 5), 16, 3, 2, (1, 1), 1),
    ((1, 16, 4, 5), 16, 3, 2, (1, 1), 0),  # phases of different sizes
    ((1, 16, 3, 4), 16, 2, 3, (0, 0), 0),  # a phase that the kernel has nothing for
    ((1, 16, 3, 3), 16, 5, 3, (2, 1), 2),
    ((1, 16, 5, 5), 16, 2, 2, (3, 3), 0),  # padding cuts data off
])
def test_transposed_convolutions(tmp_path, config, shape, outputs, kernel, stride, padding, extra):
    network = Network(shape)
    weight = network.weights(shape[1], outputs, kernel, kernel)
    network.channels = outputs
    value = relay.nn.conv2d_transpose(network.x, weight, strides=(stride, stride),
                                      padding=padding, output_padding=(extra, extra),
                                      out_dtype="int32")
    network.out = network.to_bytes(network.bias(value))
    network.check(tmp_path, parts=stride**2, target=f"vta -config={config},cpu")


def test_transposed_convolution_between(tmp_path):
    """The processor interleaves phases, and what comes after is on the device again."""
    network = Network((1, 16, 4, 4))
    network.out = network.to_bytes(network.conv(32))
    value = relay.nn.conv2d_transpose(network.out, network.weights(32, 16, 4, 4), strides=(2, 2),
                                      padding=(1, 1), out_dtype="int32")
    network.channels = 16
    network.out = network.to_bytes(network.bias(value))
    network.out = network.to_bytes(network.conv(16))
    network.check(tmp_path, parts=6)


def test_sums_that_leave_bytes(tmp_path):
    """Casts without a clip keep the low bits, and what comes after sees these."""
    network = Network((1, 16, 6, 6))
    value = relay.cast(relay.right_shift(network.conv(16), relay.const(3)), "int8")
    value = relay.add(relay.cast(value, "int32"), relay.const(100000))
    network.out = relay.cast(relay.right_shift(value, relay.const(2)), "int8")
    network.check(tmp_path)


@pytest.mark.parametrize("simulator", ["functional", "cycle"])
def test_quantized_residual_network(tmp_path, monkeypatch, simulator):
    """A network of floats, quantized with scales that are powers of two."""
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", simulator)
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, 3, 16, 16))

    def conv(data, outputs, inputs, stride=1):
        weight = rng.normal(0, 0.1, (outputs, inputs, 3, 3)).astype("float32")
        return relay.nn.conv2d(data, relay.const(weight), padding=(1, 1), strides=(stride, stride))

    y = relay.nn.relu(conv(x, 16, 3))
    y = relay.nn.relu(y + conv(relay.nn.relu(conv(y, 16, 16)), 16, 16))
    y = relay.nn.relu(conv(y, 32, 16, 2))
    y = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(y))
    y = relay.nn.dense(y, relay.const(rng.normal(0, 0.3, (10, 32)).astype("float32")))
    module = relay.IRModule.from_expr(relay.Function([x], y))
    with relay.quantize.qconfig(global_scale=8.0, weight_scale="power2"):
        integers = relay.quantize.quantize(module)
    path = tmp_path / "network.relay"
    path.write_text(integers.astext())
    device, host = rm.compile(path, target="vta,cpu"), rm.compile(path)
    inputs = {"x": rng.normal(0, 1, (1, 3, 16, 16)).astype("float32")}
    kernels = [kernel for kernel in device.profile(inputs, repeat=1) if kernel.device == "vta:0"]
    assert sum("conv2d" in kernel.name for kernel in kernels) == 3
    np.testing.assert_array_equal(device.run(inputs)[0], host.run(inputs)[0])


def test_another_configuration(tmp_path, monkeypatch):
    """An artefact for another board is refused when it is loaded."""
    monkeypatch.setenv("RELAY_VTA_CONFIG", "4x8_i8w8a32_15_16_16_18")
    with pytest.raises(Exception, match="expects kernels for the configuration "
                       "4x8_i8w8a32_15_16_16_18, which RELAY_VTA_CONFIG says, but got "
                       "1x16_i8w8a32_15_15_18_17"):
        make_network((1, 16, 4, 4), 16).check(tmp_path)
    monkeypatch.setenv("RELAY_VTA_CONFIG", "large")
    with pytest.raises(Exception, match="RELAY_VTA_CONFIG: expects a configuration such as .*, but "
                       "got 'large'"):
        make_network((1, 16, 4, 4), 16).check(tmp_path)
    # As if it were not set.
    monkeypatch.setenv("RELAY_VTA_CONFIG", "")
    make_network((1, 16, 4, 4), 16).check(tmp_path)


@pytest.mark.parametrize("size,config,bias,residual,room", [
    (7, "1x16_i8w8a32_15_15_13_17", False, False, "32 elements in wgt"),
    (7, "1x16_i8w8a32_15_15_14_17", True, True, None),
    # Constants of channels, and what brings other bytes to accumulators, are weights too.
    (8, "1x16_i8w8a32_15_15_14_17", False, False, None),
    (8, "1x16_i8w8a32_15_15_14_17", True, False, "64 elements in wgt"),
    (8, "1x16_i8w8a32_15_15_14_17", False, True, "64 elements in wgt"),
    (8, "1x16_i8w8a32_15_10_18_12", False, False, None),
    (9, "1x16_i8w8a32_15_10_18_12", False, False, "64 elements in inp"),
    (3, "1x16_i8w8a32_15_15_18_7", False, False, None),
    (3, "1x16_i8w8a32_15_15_18_6", False, False, "1 elements in acc"),
])
def test_windows_at_the_size_of_scratchpads(tmp_path, size, config, bias, residual, room):
    """The processor computes what has no room, and a remark says what there is too little of."""
    network = Network((1, 16, 9, 9))
    value = network.conv(16, size, padding=size // 2)
    if bias:
        value = network.bias(value)
    if residual:
        # Of an odd window, or without its last row and column.
        other = network.x if size % 2 else relay.nn.pad(network.x, ((0, 0), (0, 0), (0, 1), (0, 1)))
        value = relay.add(value, relay.cast(other, "int32"))
    network.out = network.to_bytes(value)
    target = f"vta -config={config},cpu"
    result = subprocess.run([BUILD_DIR / "bin" / "relay-compile", network.to_file(tmp_path),
                             f"--target={target}", "-o", tmp_path / "network.so", "--remarks"],
                            capture_output=True, text=True, check=True)
    message = f"expects at most {room} of {config} for a result and its window, but got "
    assert (message in result.stdout + result.stderr) == (room is not None)
    network.check(tmp_path, parts=int(room is None), target=target)


@pytest.mark.parametrize("shape,channels,config,message", [
    # With the bytes of a program, and those of tensors in whole blocks.
    ((1, 16, 4200, 4200), 16, "1x16_i8w8a32_15_15_18_17",
     "expects at most 268435456 bytes in the memory of a program, but got about"),
    ((1, 3, 4200, 3000), 16, "1x16_i8w8a32_15_15_18_17",
     "expects at most 268435456 bytes in the memory of a program, but got about"),
    ((1, 16, 8, 8), 16, "1x16_i8w8a32_15_14_18_17",
     "expects as many elements in inp of 1x16_i8w8a32_15_14_18_17 as in acc, or more"),
])
def test_layers_that_no_program_can_have(tmp_path, shape, channels, config, message):
    """The processor computes them."""
    network = Network(shape)
    network.out = network.to_bytes(network.conv(channels, 1))
    result = subprocess.run([BUILD_DIR / "bin" / "relay-compile", network.to_file(tmp_path),
                             f"--target=vta -config={config},cpu", "--vta-search=0",
                             "-o", tmp_path / "network.so", "--remarks"],
                            capture_output=True, text=True, check=True)
    assert message in result.stdout + result.stderr


@pytest.mark.parametrize("target,message", [
    ("vta -config=1x16,cpu", "expects a configuration such as 1x16_i8w8a32_15_15_18_17, but got "
     "'1x16'"),
    ("vta -config=1x1_i8w8a32_8_8_8_8,cpu", "expects a VTA with blocks of at least two channels, but "
     "got #vta.config<batch = 1, block = 1"),
    ("vta -config=3x16_i8w8a32_15_15_18_17,cpu", "expects a power of 2 for batch, but got 3"),
    ("cpu,vta", "expects vta before the processor, as in 'vta,native', but got 'cpu,vta'"),
    ("x86-64-v3,vta -config=1x16", "expects vta before the processor"),
    ("vta,vta", "expects one of cuda and vta, and then the processor, but got 'vta,vta'"),
    ("vta,cpu,cuda", "expects one of cuda and vta, and then the processor, but got"),
    ("vta -size=3", "expects -config=<name> after vta, but got '-size=3'"),
])
def test_targets_that_are_wrong(tmp_path, target, message):
    with pytest.raises(Exception, match=message):
        rm.compile(make_network((1, 16, 4, 4), 16).to_file(tmp_path), target=target)


@pytest.mark.parametrize("size,inputs,outputs,kernel,stride", [
    (56, 64, 64, 3, 1), (56, 64, 128, 3, 2), (56, 64, 128, 1, 2), (28, 128, 128, 3, 1),
    (28, 128, 256, 3, 2), (28, 128, 256, 1, 2), (14, 256, 256, 3, 1), (14, 256, 512, 3, 2),
    (14, 256, 512, 1, 2), (7, 512, 512, 3, 1),
])
@pytest.mark.parametrize("config", CONFIGS)
def test_layers_of_resnet18(tmp_path, config, size, inputs, outputs, kernel, stride):
    make_network((1, inputs, size, size), outputs, kernel, stride).check(
        tmp_path, target=f"vta -config={config},cpu")


@pytest.mark.parametrize("seed", range(12))
def test_random_kernels(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", str(rng.choice(["functional", "cycle"])))
    config = rng.choice(["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18",
                         "1x16_i8w8a32_12_11_14_13", "2x8_i8w8a32_14_12_14_14"])
    size, stride = int(rng.choice([1, 2, 3, 5])), int(rng.integers(1, 4))
    shape = (int(rng.choice([1, 2, 5])), int(rng.choice([1, 3, 17, 32])),
             *(int(n) for n in rng.integers(size, 16, 2)))
    network = Network(shape, seed)
    value = network.conv(int(rng.choice([1, 16, 17, 48])), size, stride,
                         int(rng.integers(0, size + 1)))
    steps = {
        "bias": lambda value: network.bias(value, int(rng.choice([10, 1 << 15, 1 << 24]))),
        "add": lambda value: relay.add(value, relay.const(int(rng.integers(-2**30, 2**30)))),
        "left": lambda value: relay.left_shift(value, relay.const(int(rng.integers(0, 32)))),
        "right": lambda value: relay.right_shift(value, relay.const(int(rng.integers(0, 32)))),
        "maximum": lambda value: relay.maximum(value, relay.const(int(rng.integers(-70000, 70000)))),
        "clip": lambda value: relay.clip(value, -int(rng.integers(0, 10**5)), int(rng.integers(0, 10**5))),
        "multiply": lambda value: relay.multiply(value, relay.const(1 << int(rng.integers(0, 8)))),
    }
    for name in rng.choice(list(steps), int(rng.integers(0, 4))):
        value = steps[name](value)
    first = network.out = relay.cast(value, "int8")
    second = relay.cast(relay.right_shift(network.conv(network.channels, 1), relay.const(7)), "int8")
    total = relay.add(relay.cast(first, "int32"), relay.cast(second, "int32"))
    network.out = network.to_bytes(total, int(rng.integers(0, 3)))
    # A bound beyond all results of the first one leaves that to the processor.
    network.check(tmp_path, parts=1 if seed == 1 else 2, target=f"vta -config={config},cpu")
