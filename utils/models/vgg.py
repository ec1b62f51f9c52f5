# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""VGG-16, for 224 x 224 images."""

from graph import Graph


def vgg16(batch, seed):
    g = Graph("vgg16", batch, seed)
    x = g.input("input", [3, 224, 224])
    channels = 3
    for stage, (width, depth) in enumerate(
            [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]):
        for i in range(depth):
            name = f"features.{stage}.{i}"
            x = g.conv(x, name, channels, width, 3, 1, 1, bias=True)
            x = g.relu(x, f"{name}.relu")
            channels = width
        x = g.max_pool(x, f"features.{stage}.pool", 2, 2)
    x = g.op("Flatten", x, name="flatten", axis=1)
    x = g.relu(g.linear(x, "classifier.0", 512 * 7 * 7, 4096))
    x = g.relu(g.linear(x, "classifier.1", 4096, 4096))
    # Max pools make activations grow; the probabilities stay spread out.
    x = g.linear(x, "classifier.2", 4096, 1000, gain=0.02)
    x = g.op("Softmax", x, name="softmax", axis=1)
    g.output(x, "probabilities", [1000])
    return g.model()
