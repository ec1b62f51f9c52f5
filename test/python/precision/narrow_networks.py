# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks with random weights whose sums are short: depthwise convolutions and
such of single pixels, of 16 to 64 channels."""

from graph import Graph


def separable(width, blocks, activation, residual, seed):
    """A network of `blocks` blocks on an image of 32 x 32, of `width` channels and
    then of twice as many, with an activation of ONNX or "silu"."""
    g = Graph(f"separable_{width}_{blocks}_{activation}", 1, seed)

    def activate(x):
        if activation == "silu":
            return g.op("Mul", x, g.op("Sigmoid", x))
        return g.op(activation, x)

    def layer(x, name, cin, cout, kernel, stride=1, groups=1):
        x = g.conv(x, name, cin, cout, kernel, stride, pad=kernel // 2, groups=groups)
        return activate(g.batch_norm(x, f"{name}.norm", cout))

    x = layer(g.input("image", [3, 32, 32]), "stem", 3, width, 3, stride=2)
    for i in range(blocks):
        cout = width * 2 if i == blocks // 2 else width
        y = layer(x, f"depthwise{i}", width, width, 3, groups=width)
        y = layer(y, f"pointwise{i}", width, cout, 1)
        x = g.op("Add", x, y) if residual and cout == width else y
        width = cout
    g.output(g.conv(x, "head", width, 12, 1, bias=True, gain=1.0), "boxes", [12, 16, 16])
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    g.output(g.linear(x, "last", width, 20, gain=1.0), "classes", [20])
    return g.model()


def plain(width, layers, seed):
    """3 x 3 convolutions of `width` channels with ReLU: sums of 9 x `width`."""
    g = Graph(f"plain_{width}_{layers}", 1, seed)
    x = g.relu(g.conv(g.input("image", [3, 24, 24]), "stem", 3, width, 3, pad=1))
    for i in range(layers):
        x = g.relu(g.batch_norm(g.conv(x, f"conv{i}", width, width, 3, pad=1), f"norm{i}", width))
    g.output(g.conv(x, "last", width, 8, 1, bias=True, gain=1.0), "result", [8, 24, 24])
    return g.model()


def layers(widths, rows, seed):
    """Dense layers with ReLU for `rows` rows."""
    g = Graph(f"layers_{'_'.join(map(str, widths))}", rows, seed)
    x = g.input("x", [widths[0]])
    for i, (cin, cout) in enumerate(zip(widths, widths[1:])):
        x = g.linear(x, f"layer{i}", cin, cout)
        x = g.relu(x) if i + 2 < len(widths) else x
    g.output(x, "y", [widths[-1]])
    return g.model()


NETWORKS = {
    "separable 16, SiLU": lambda: separable(16, 8, "silu", False, 1),
    "separable 16, deep, SiLU": lambda: separable(16, 30, "silu", True, 2),
    "separable 32, ReLU": lambda: separable(32, 10, "Relu", False, 3),
    "separable 64, SiLU": lambda: separable(64, 12, "silu", True, 4),
    "separable 48, HardSwish": lambda: separable(48, 10, "HardSwish", False, 5),
    "plain 16": lambda: plain(16, 6, 6),
    "plain 32": lambda: plain(32, 6, 7),
    "plain 64": lambda: plain(64, 5, 8),
    "plain 128": lambda: plain(128, 3, 9),
    "layers of 256": lambda: layers([256, 256, 256, 256, 64], 40, 10),
    "layers of 512": lambda: layers([512, 512, 512, 512, 64], 40, 11),
    "layers of 1024": lambda: layers([1024, 1024, 1024, 1024, 64], 40, 12),
    "layers of 3072": lambda: layers([768, 3072, 768, 3072, 768], 40, 13),
}
