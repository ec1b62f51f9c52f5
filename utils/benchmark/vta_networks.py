# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks for VTA, of random weights, as relay.quantize makes integers of them: scales are
powers of two, and the same for all data. Normalisation is part of weights and biases."""

import numpy as np

from relay_mlir import relay


class Builder:
    """Layers of random weights, such that data neither grows nor vanishes."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def weights(self, *shape, fan_in, gain=2):
        values = self.rng.normal(0, (gain / fan_in)**0.5, shape)
        return relay.const(values.astype("float32"))

    def bias(self, channels):
        return relay.const(self.rng.normal(0, 0.1, (channels, 1, 1)).astype("float32"))

    def conv(self, x, inputs, outputs, size, stride=1, groups=1, gain=2):
        weight = self.weights(outputs, inputs // groups, size, size,
                              fan_in=inputs // groups * size * size, gain=gain)
        result = relay.nn.conv2d(x, weight, strides=(stride, stride), padding=(size // 2, ) * 2,
                                 groups=groups)
        return relay.add(result, self.bias(outputs))

    def upscale(self, x, inputs, outputs):
        """Twice the height and width; each result has a quarter of the window."""
        weight = self.weights(inputs, outputs, 4, 4, fan_in=inputs * 4)
        result = relay.nn.conv2d_transpose(x, weight, strides=(2, 2), padding=(1, 1))
        return relay.add(result, self.bias(outputs))

    def head(self, x, inputs, classes):
        x = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(x))
        return relay.nn.dense(x, self.weights(classes, inputs, fan_in=inputs))


def resnet(depth, width=64, size=224, classes=1000):
    """As published in 2015: what is added up is activated."""
    units = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3)}[depth]
    factor = 4 if depth >= 50 else 1
    b = Builder()
    x = relay.var("data", shape=(1, 3, size, size))
    y = relay.nn.relu(b.conv(x, 3, width, 7, 2))
    y = relay.nn.max_pool2d(y, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    channels = width
    for stage, count in enumerate(units):
        inner = width << stage
        for unit in range(count):
            stride = 2 if stage and not unit else 1
            if factor == 1:
                z = relay.nn.relu(b.conv(y, channels, inner, 3, stride))
                z = b.conv(z, inner, inner, 3, gain=0.5)
            else:
                z = relay.nn.relu(b.conv(y, channels, inner, 1))
                z = relay.nn.relu(b.conv(z, inner, inner, 3, stride))
                z = b.conv(z, inner, inner * factor, 1, gain=0.5)
            if stride != 1 or channels != inner * factor:
                y = b.conv(y, channels, inner * factor, 1, stride, gain=1)
            channels = inner * factor
            y = relay.nn.relu(relay.add(z, y))
    return relay.Function([x], b.head(y, channels, classes))


def mobilenet(width=32, size=224, classes=1000, blocks=13):
    """Convolutions of each channel, and of each pixel."""
    b = Builder()
    x = relay.var("data", shape=(1, 3, size, size))
    y = relay.clip(b.conv(x, 3, width, 3, 2), 0, 6)
    channels = width
    plan = [(2, 1), (4, 2), (4, 1), (8, 2), (8, 1), (16, 2), *[(16, 1)] * 5, (32, 2), (32, 1)]
    for factor, stride in plan[:blocks]:
        y = relay.clip(b.conv(y, channels, channels, 3, stride, groups=channels), 0, 6)
        y = relay.clip(b.conv(y, channels, width * factor, 1), 0, 6)
        channels = width * factor
    return relay.Function([x], b.head(y, channels, classes))


def dcgan(filters=128, code=100):
    """The generator of images of 64 x 64."""
    b = Builder()
    x = relay.var("data", shape=(1, code))
    channels = filters * 8
    y = relay.nn.relu(relay.nn.dense(x, b.weights(channels * 16, code, fan_in=code)))
    y = relay.reshape(y, (1, channels, 4, 4))
    for factor in (4, 2, 1):
        y = relay.nn.relu(b.upscale(y, channels, filters * factor))
        channels = filters * factor
    return relay.Function([x], relay.tanh(b.upscale(y, channels, 3)))


NETWORKS = {
    "ResNet-18": lambda: resnet(18),
    "ResNet-34": lambda: resnet(34),
    "ResNet-50": lambda: resnet(50),
    "MobileNet": mobilenet,
    "DCGAN generator": dcgan,
}


def quantize(function):
    """Bytes between layers of integers, in a module."""
    module = relay.IRModule.from_expr(function)
    with relay.quantize.qconfig(calibrate_mode="global_scale", global_scale=8.0,
                                weight_scale="power2"):
        return relay.quantize.quantize(module)


def get_inputs(function, seed=0):
    shape = [int(size) for size in function.params[0].type_annotation.shape]
    rng = np.random.default_rng(seed)
    return {"data": rng.normal(0, 1, shape).astype("float32")}
