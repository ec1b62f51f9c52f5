# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MobileNet-V2, for 224 x 224 images."""

import numpy as np

from graph import Graph


def _relu6(g, x, name):
    return g.op("Clip", x, "zero", "six", name=name)


def _conv_bn_relu6(g, x, name, cin, cout, kernel, stride=1, groups=1):
    x = g.conv(x, f"{name}.0", cin, cout, kernel, stride, kernel // 2, groups)
    return _relu6(g, g.batch_norm(x, f"{name}.1", cout), f"{name}.2")


def _inverted_residual(g, x, name, cin, cout, stride, expansion):
    width = cin * expansion
    y = x
    if expansion != 1:
        y = _conv_bn_relu6(g, y, f"{name}.expand", cin, width, 1)
    y = _conv_bn_relu6(g, y, f"{name}.depthwise", width, width, 3, stride,
                       width)
    y = g.conv(y, f"{name}.project", width, cout, 1)
    has_sum = stride == 1 and cin == cout
    y = g.batch_norm(y, f"{name}.project_bn", cout, 0.3 if has_sum else 1.0)
    return g.op("Add", x, y, name=f"{name}.add") if has_sum else y


def mobilenetv2(batch, seed):
    g = Graph("mobilenetv2", batch, seed)
    g.scalar("zero", 0, np.float32)
    g.scalar("six", 6, np.float32)
    x = g.input("input", [3, 224, 224])
    x = _conv_bn_relu6(g, x, "features.0", 3, 32, 3, 2)
    channels, index = 32, 1
    for expansion, cout, count, first_stride in [
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            x = _inverted_residual(g, x, f"features.{index}", channels, cout,
                                   first_stride if i == 0 else 1, expansion)
            channels, index = cout, index + 1
    x = _conv_bn_relu6(g, x, f"features.{index}", channels, 1280, 1)
    x = g.op("GlobalAveragePool", x, name="avgpool")
    x = g.op("Flatten", x, name="flatten", axis=1)
    x = g.linear(x, "classifier", 1280, 1000)
    g.output(x, "logits", [1000])
    return g.model()
