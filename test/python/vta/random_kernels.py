#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random small layers for VTA: compiled, run on both simulators, which refuse what
published implementations do differently and what no token orders, and compared with NumPy.

    random_kernels.py --seeds 0:500         # 20 layers each

Layers have random windows, strides, padding, dilation, groups, layouts, channels that are no
whole blocks, one dimension or two, and constants, shifts from one end of their range to the
other, clips, changes of scale, other signs, sums with bytes and multiples of them. Behind some of
them are pools, averages, and functions of elements that are kernels of their own.
"""

import argparse
import os
import pathlib
import sys
import tempfile
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
sys.path.insert(0, str(BUILD / "python_packages"))

import relay_mlir as rm  # noqa: E402
from relay_mlir import relay  # noqa: E402

# The usual ones, some with little memory, in which tiles are small, and the least and largest blocks.
CONFIGS = ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_15_16_16_18", "1x16_i8w8a32_12_11_14_13",
           "2x8_i8w8a32_14_12_14_14", "1x8_i8w8a32_12_11_12_12", "1x32_i8w8a32_14_13_17_15",
           "1x64_i8w8a32_13_14_18_16", "1x2_i8w8a32_11_9_9_11", "4x4_i8w8a32_12_11_11_13",
           "2x16_i8w8a32_15_15_17_16"]
LAYERS = 20


def wrap(value, bits=32):
    """As integers of so many bits."""
    half = 1 << (bits - 1)
    return (value.astype(np.int64) + half) % (2 * half) - half


def conv2d(x, w, stride, pad, dilation, groups):
    """Sums of products in 64 bits."""
    x = np.pad(x.astype(np.int64), ((0, 0), (0, 0), *pad))
    n, channels, height, width = x.shape
    outputs, inputs, kh, kw = w.shape
    rows = (height - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    columns = (width - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    result = np.zeros((n, groups, outputs // groups, rows, columns), np.int64)
    x = x.reshape(n, groups, channels // groups, height, width)
    w = w.astype(np.int64).reshape(groups, outputs // groups, inputs, kh, kw)
    for i in range(kh):
        for j in range(kw):
            top, left = i * dilation[0], j * dilation[1]
            part = x[..., top:top + (rows - 1) * stride[0] + 1:stride[0],
                     left:left + (columns - 1) * stride[1] + 1:stride[1]]
            result += np.einsum("ngchw,goc->ngohw", part, w[..., i, j])
    return result.reshape(n, outputs, rows, columns)


def conv2d_transpose(x, w, stride, pad, extra, groups):
    """Adds each product to where it belongs, then cuts padding off."""
    n, channels, height, width = x.shape
    _, outputs, kh, kw = w.shape
    x = x.astype(np.int64).reshape(n, groups, channels // groups, height, width)
    w = w.astype(np.int64).reshape(groups, channels // groups, outputs, kh, kw)
    outputs *= groups
    result = np.zeros((n, outputs, (height - 1) * stride[0] + kh + extra[0],
                       (width - 1) * stride[1] + kw + extra[1]), np.int64)
    for i in range(kh):
        for j in range(kw):
            part = np.einsum("ngchw,gco->ngohw", x, w[..., i, j])
            part = part.reshape(n, outputs, height, width)
            result[:, :, i:i + height * stride[0]:stride[0],
                   j:j + width * stride[1]:stride[1]] += part
    rows, columns = result.shape[2] - sum(pad[0]), result.shape[3] - sum(pad[1])
    return result[:, :, pad[0][0]:pad[0][0] + rows, pad[1][0]:pad[1][0] + columns]


def windows(x, kernel, stride, dilation):
    """What each element of a window is in all windows of `x`."""
    rows, columns = [(size - (k - 1) * d - 1) // s + 1
                     for size, k, s, d in zip(x.shape[2:], kernel, stride, dilation)]
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilation[0], j * dilation[1]
            yield x[..., top:top + (rows - 1) * stride[0] + 1:stride[0],
                    left:left + (columns - 1) * stride[1] + 1:stride[1]]


class Layer:
    """One layer: `out` of the variables `inputs`, and what NumPy computes of `values`. `more`
    are results with their values that others see besides."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.inputs, self.values = [], {}
        self.more: list[Any] = []
        self.value: Any = None
        kind = rng.choice(["conv2d", "groups", "conv1d", "transpose", "dense"],
                          p=[0.4, 0.2, 0.1, 0.2, 0.1])
        getattr(self, f"make_{kind}")()
        self.value = wrap(self.value)
        # Where a layer is subtracted, nothing but a constant may have been added before.
        if rng.random() < 0.15:
            self.do_negative()
        for step in rng.choice(["bias", "add", "left", "right", "maximum", "minimum", "clip",
                                "multiply", "round", "subtract", "scale", "relu"],
                               int(rng.integers(0, 5))):
            getattr(self, f"do_{step}")()
        if kind != "transpose" and rng.random() < 0.2:
            self.do_multiple()
        self.to_bytes()
        if kind != "transpose" and rng.random() < 0.3:
            self.add_bytes()
        if kind in ("conv2d", "groups"):
            for region in rng.choice(["max_pool", "average", "elements"],
                                     int(rng.choice([0, 1, 2], p=[0.4, 0.5, 0.1]))):
                getattr(self, f"add_{region}")()

    def integer(self, *ends):
        return int(self.rng.integers(*ends))

    def new_input(self, *shape):
        name = f"{self.name}_{len(self.inputs)}"
        self.inputs.append(relay.var(name, shape=shape, dtype="int8"))
        self.values[name] = self.rng.integers(-128, 128, shape).astype("int8")
        return self.inputs[-1], self.values[name]

    def weights(self, *shape):
        values = self.rng.integers(-128, 128, shape).astype("int8")
        return relay.const(values), values

    def channels(self):
        return int(self.rng.choice([1, 3, 7, 8, 13, 15, 16, 17, 23, 32, 40]))

    def window(self, size):
        return [size] * 2 if self.rng.random() < 0.7 else [size, self.integer(1, 4)]

    def make_conv2d(self, groups=1, inputs=None, outputs=None):
        inputs, outputs = inputs or self.channels(), outputs or self.channels()
        kernel = self.window(self.integer(1, 5))
        stride = [self.integer(1, 4) for _ in range(2)]
        dilation = [self.integer(1, 3) for _ in range(2)]
        pad = [(self.integer(0, 4), self.integer(0, 4)) for _ in range(2)]
        sizes = [max(1, (size - 1) * step + 1 - sum(ends)) + self.integer(0, 8)
                 for size, step, ends in zip(kernel, dilation, pad)]
        x, data = self.new_input(int(self.rng.choice([1, 1, 2, 5])), inputs, *sizes)
        w, weight = self.weights(outputs, inputs // groups, *kernel)
        layouts: dict[str, Any] = {}
        has_last = groups == 1 and self.rng.random() < 0.2
        if has_last:
            # Channels last.
            x = relay.transpose(x, (0, 2, 3, 1))
            w = relay.const(np.ascontiguousarray(weight.transpose(2, 3, 1, 0)))
            layouts = {"data_layout": "NHWC", "kernel_layout": "HWIO"}
        self.out = relay.nn.conv2d(x, w, strides=stride, dilation=dilation, groups=groups,
                                   padding=[pad[0][0], pad[1][0], pad[0][1], pad[1][1]],
                                   out_dtype="int32", **layouts)
        if has_last:
            self.out = relay.transpose(self.out, (0, 3, 1, 2))
        self.value = conv2d(data, weight, stride, pad, dilation, groups)

    def make_conv1d(self):
        groups = int(self.rng.choice([1, 1, 2, 17]))
        inputs, outputs = groups * self.integer(1, 20), groups * self.integer(1, 20)
        kernel, stride, dilation = (self.integer(1, 6) for _ in range(3))
        pad = (self.integer(0, 4), self.integer(0, 4))
        size = max(1, (kernel - 1) * dilation + 1 - sum(pad)) + self.integer(0, 24)
        x, data = self.new_input(int(self.rng.choice([1, 1, 2, 5])), inputs, size)
        w, weight = self.weights(outputs, inputs // groups, kernel)
        self.out = relay.nn.conv1d(x, w, strides=stride, dilation=dilation, groups=groups,
                                   padding=pad, out_dtype="int32")
        self.value = conv2d(data[:, :, None], weight[:, :, None], (1, stride), ((0, 0), pad),
                            (1, dilation), groups)[:, :, 0]

    def make_groups(self):
        groups = int(self.rng.choice([2, 3, 8, 16, 17, 20, 35]))
        inputs, outputs = self.rng.choice([(1, 1), (1, 1), (2, 2), (4, 4), (8, 8), (1, 2), (16, 16),
                                           (16, 8), (32, 16), (32, 32), (16, 48), (24, 24)])
        self.make_conv2d(groups, groups * int(inputs), groups * int(outputs))

    def make_transpose(self):
        groups = int(self.rng.choice([1, 1, 1, 2, 3, 17]))
        inputs, outputs = self.channels(), self.channels()
        if groups != 1:
            inputs, outputs = groups * (inputs // 2 + 1), outputs // 2 + 1
        kernel = self.window(self.integer(1, 5))
        stride = [self.integer(1, 4) for _ in range(2)]
        extra = [self.integer(0, step) for step in stride]
        sizes = [self.integer(2, 6) for _ in range(2)]
        pad = [(self.integer(0, size), self.integer(0, size)) for size in kernel]
        x, data = self.new_input(int(self.rng.choice([1, 3])), inputs, *sizes)
        w, weight = self.weights(inputs, outputs, *kernel)
        full = [(size - 1) * step + k + more
                for size, step, k, more in zip(sizes, stride, kernel, extra)]
        pad = [ends if sum(ends) < size else (0, 0) for ends, size in zip(pad, full)]
        self.out = relay.nn.conv2d_transpose(
            x, w, strides=stride, padding=[pad[0][0], pad[1][0], pad[0][1], pad[1][1]],
            output_padding=extra, groups=groups, out_dtype="int32")
        self.value = conv2d_transpose(data, weight, stride, pad, extra, groups)

    def make_dense(self):
        inputs, outputs = self.channels() + self.integer(0, 40), self.channels()
        x, data = self.new_input(self.integer(1, 6), inputs)
        w, weight = self.weights(outputs, inputs)
        self.out = relay.nn.dense(x, w, out_dtype="int32")
        self.value = data.astype(np.int64) @ weight.astype(np.int64).T

    def per_channel(self, magnitude):
        """A number for each channel."""
        shape = (self.value.shape[1], *[1] * (self.value.ndim - 2))
        return self.rng.integers(-magnitude, magnitude, shape).astype("int32")

    def do_bias(self):
        numbers = self.per_channel(1 << self.integer(1, 31))
        if self.rng.random() < 0.3:
            self.out = relay.nn.bias_add(self.out, relay.const(numbers.reshape(-1)))
        else:
            self.out = relay.add(self.out, relay.const(numbers))
        self.value = wrap(self.value + numbers)

    def do_negative(self):
        numbers = self.per_channel(1 << self.integer(1, 31))
        if self.rng.random() < 0.5:
            self.out, self.value = relay.negative(self.out), wrap(-self.value)
        else:
            self.out = relay.subtract(relay.const(numbers), self.out)
            self.value = wrap(numbers - self.value)

    def do_subtract(self):
        numbers = self.per_channel(1 << self.integer(1, 31))
        self.out = relay.subtract(self.out, relay.const(numbers))
        self.value = wrap(self.value - numbers)

    def do_relu(self):
        self.out, self.value = relay.nn.relu(self.out), np.maximum(self.value, 0)

    def do_scale(self):
        """A change of scale by a power of two as quantization writes it. It has 64 bits, and
        the device 32: numbers are made few enough for both."""
        self.do_right()
        low, high = -self.integer(0, 10**6), self.integer(0, 10**6)
        self.out = relay.clip(self.out, low, high)
        self.value = np.clip(self.value, low, high)
        power, bits = self.integer(0, 32), self.integer(0, 12)
        rounding = 1 << (power + bits - 1) if power + bits else 0
        value = relay.multiply(relay.cast(self.out, "int64"), relay.const(1 << power, "int64"))
        value = relay.add(value, relay.const(rounding, "int64"))
        value = relay.right_shift(value, relay.const(power + bits, "int64"))
        self.out = relay.cast(value, "int32")
        self.value = (self.value * (1 << power) + rounding) >> (power + bits)

    def do_multiple(self):
        """Bytes, or a multiple of them that a weight can be, are added."""
        other, values = self.new_input(*self.value.shape)
        word, factor = relay.cast(other, "int32"), 1
        if self.rng.random() < 0.5:
            bits = self.integer(0, 7)
            word, factor = relay.left_shift(word, relay.const(bits)), 1 << bits
        elif self.rng.random() < 0.7:
            factor = self.integer(1, 128)
            word = relay.multiply(word, relay.const(factor))
        operands = [self.out, word]
        self.out = relay.add(*(operands if self.rng.random() < 0.5 else operands[::-1]))
        self.value = wrap(self.value + values.astype(np.int64) * factor)

    def do_add(self):
        number = self.integer(-2**31, 2**31) >> self.integer(0, 31)
        self.out = relay.add(self.out, relay.const(number, "int32"))
        self.value = wrap(self.value + number)

    def do_left(self):
        bits = int(self.rng.choice([0, 1, 3, 8, 15, 16, 17, 30, 31]))
        self.out = relay.left_shift(self.out, relay.const(bits, "int32"))
        self.value = wrap(self.value << bits)

    def do_right(self):
        bits = int(self.rng.choice([0, 1, 3, 8, 15, 16, 17, 30, 31]))
        self.out = relay.right_shift(self.out, relay.const(bits, "int32"))
        self.value = self.value >> bits

    def do_round(self):
        bits = self.integer(1, 16)
        self.out = relay.add(self.out, relay.const(1 << (bits - 1), "int32"))
        self.out = relay.right_shift(self.out, relay.const(bits, "int32"))
        self.value = wrap(self.value + (1 << (bits - 1))) >> bits

    def do_maximum(self):
        number = self.integer(-70000, 70000)
        self.out = relay.maximum(self.out, relay.const(number, "int32"))
        self.value = np.maximum(self.value, number)

    def do_minimum(self):
        number = self.integer(-70000, 70000)
        self.out = relay.minimum(relay.const(number, "int32"), self.out)
        self.value = np.minimum(self.value, number)

    def do_clip(self):
        low, high = -self.integer(0, 10**5), self.integer(0, 10**5)
        self.out = relay.clip(self.out, low, high)
        self.value = np.clip(self.value, low, high)

    def do_multiply(self):
        bits = self.integer(0, 12)
        self.out = relay.multiply(self.out, relay.const(1 << bits, "int32"))
        self.value = wrap(self.value << bits)

    def to_bytes(self):
        if self.rng.random() < 0.5:
            self.out = relay.clip(self.out, -128, 127)
            self.value = np.clip(self.value, -128, 127)
        self.out = relay.cast(self.out, "int8")
        self.value = wrap(self.value, 8)

    def add_bytes(self):
        other, values = self.new_input(*self.value.shape)
        self.out = relay.add(relay.cast(self.out, "int32"), relay.cast(other, "int32"))
        self.value = self.value + values
        self.to_bytes()


    def pool_window(self):
        """A window that its data has room for: its size, strides, and padding."""
        kernel = [self.integer(1, min(4, size) + 1) for size in self.value.shape[2:]]
        stride = [self.integer(1, 4) for _ in range(2)]
        pad = [(self.integer(0, size), self.integer(0, size)) for size in kernel]
        return kernel, stride, pad

    def add_max_pool(self):
        kernel, stride, pad = self.pool_window()
        self.out = relay.nn.max_pool2d(
            self.out, pool_size=kernel, strides=stride,
            padding=[pad[0][0], pad[1][0], pad[0][1], pad[1][1]])
        padded = np.pad(self.value, ((0, 0), (0, 0), *pad), constant_values=-128)
        self.value = np.max(list(windows(padded, kernel, stride, (1, 1))), axis=0)

    def add_average(self):
        """As relay.quantize writes it: of numbers with more bits than bytes."""
        kernel, stride, _ = self.pool_window()
        if self.rng.random() < 0.3:
            kernel, stride = list(self.value.shape[2:]), [1, 1]
        bits = 8
        value = relay.multiply(relay.cast(self.out, "int32"), relay.const(1 << bits))
        value = relay.nn.avg_pool2d(value, pool_size=kernel, strides=stride)
        value = relay.multiply(relay.cast(value, "int64"), relay.const(1 << 30, "int64"))
        value = relay.add(value, relay.const(1 << (29 + bits), "int64"))
        value = relay.right_shift(value, relay.const(30 + bits, "int64"))
        self.out = relay.cast(relay.clip(relay.cast(value, "int32"), -128, 127), "int8")
        total = np.sum(list(windows(self.value, kernel, stride, (1, 1))), axis=0) << bits
        mean = np.sign(total) * (np.abs(total) // (kernel[0] * kernel[1]))
        self.value = np.clip((mean + (1 << (bits - 1))) >> bits, -128, 127)

    def add_elements(self):
        """What is computed of bytes that others need too, so that no layer takes it."""
        self.more.append((self.out, self.value))
        word = relay.cast(self.out, "int32")
        step = self.rng.choice(["sum", "maximum", "minimum", "clip", "relu", "right", "left",
                                "channels"])
        if step in ("sum", "maximum", "minimum"):
            other, values = self.new_input(*self.value.shape)
            if step == "sum":
                self.out = relay.cast(relay.right_shift(relay.add(
                    word, relay.cast(other, "int32")), relay.const(1)), "int8")
                self.value = (self.value + values) >> 1
            else:
                self.out = getattr(relay, step)(self.out, other)
                self.value = getattr(np, step)(self.value, values)
        elif step == "clip":
            low, high = -self.integer(0, 128), self.integer(0, 128)
            self.out = relay.clip(self.out, low, high)
            self.value = np.clip(self.value, low, high)
        elif step == "relu":
            self.out, self.value = relay.nn.relu(self.out), np.maximum(self.value, 0)
        elif step == "right":
            bits = self.integer(1, 8)
            self.out = relay.cast(relay.right_shift(word, relay.const(bits)), "int8")
            self.value = self.value >> bits
        elif step == "left":
            bits = self.integer(1, 8)
            self.out = relay.cast(relay.left_shift(word, relay.const(bits)), "int8")
            self.value = wrap(self.value << bits, 8)
        else:
            numbers = self.rng.integers(-300, 300, (self.value.shape[1], 1, 1)).astype("int32")
            self.out = relay.cast(relay.clip(relay.add(word, relay.const(numbers)), -128, 127),
                                  "int8")
            self.value = np.clip(self.value + numbers, -128, 127)

    def results(self):
        return [(self.out, self.value), *self.more]


def check(seed, folder, layers=LAYERS):
    """Compiles and runs some layers; the number of kernels on the device."""
    rng = np.random.default_rng(seed)
    config = CONFIGS[seed % len(CONFIGS)]
    network = [Layer(rng, f"x{i}") for i in range(layers)]
    results = [(layer.name, *result) for layer in network for result in layer.results()]
    function = relay.Function([var for layer in network for var in layer.inputs],
                              relay.Tuple([out for _, out, _ in results]))
    path = pathlib.Path(folder) / "kernels.relay"
    path.write_text(relay.IRModule.from_expr(function).astext())
    values = {name: value for layer in network for name, value in layer.values.items()}
    os.environ["RELAY_DEVICE_PATH"] = str(BUILD / "lib")
    os.environ["RELAY_VTA_STRICT"] = "1"
    artefact = path.with_suffix(".so")
    rm.emit(path, artefact, "so", target=f"vta -config={config},cpu")
    for simulator in ("functional", "cycle"):
        os.environ["RELAY_VTA_SIMULATOR"] = simulator
        model = rm.load(artefact)
        for (name, _, expected), result in zip(results, model.run(values), strict=True):
            np.testing.assert_array_equal(np.asarray(result), expected.astype("int8"),
                                          f"{name} of seed {seed} on {simulator}")
    return sum(kernel.calls for kernel in model.profile(values, repeat=1)
               if kernel.device == "vta:0" and "fused" in kernel.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:500", help="first:end (default: %(default)s)")
    args = parser.parse_args()
    first, end = (int(text) for text in args.seeds.split(":"))
    kernels = failures = 0
    for seed in range(first, end):
        with tempfile.TemporaryDirectory() as folder:
            try:
                kernels += check(seed, folder)
            except (AssertionError, rm.CompileError, RuntimeError) as error:
                failures += 1
                print(f"seed {seed}: {str(error)[:600]}", flush=True)
        if seed % 10 == 9:
            print(f"{seed + 1 - first} seeds, {kernels} kernels, {failures} failures", flush=True)
    print(f"{kernels} kernels, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
