# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-18 and ResNet-50, for 224 x 224 images."""

from graph import Graph

# The last batch norm of a block is small, so that the sum with the input stays
# about as large as the input.
RESIDUAL_SCALE = 0.3


def _downsample(g, x, name, cin, cout, stride):
    if stride == 1 and cin == cout:
        return x
    # No ReLU follows: half the gain.
    x = g.conv(x, f"{name}.downsample.0", cin, cout, 1, stride, gain=1.0)
    return g.batch_norm(x, f"{name}.downsample.1", cout)


def _basic_block(g, x, name, cin, width, stride):
    y = g.conv(x, f"{name}.conv1", cin, width, 3, stride, 1)
    y = g.relu(g.batch_norm(y, f"{name}.bn1", width), f"{name}.relu")
    y = g.conv(y, f"{name}.conv2", width, width, 3, 1, 1)
    y = g.batch_norm(y, f"{name}.bn2", width, RESIDUAL_SCALE)
    x = _downsample(g, x, name, cin, width, stride)
    y = g.op("Add", y, x, name=f"{name}.add")
    return g.relu(y, f"{name}.relu_1"), width


def _bottleneck(g, x, name, cin, width, stride):
    cout = 4 * width
    y = g.conv(x, f"{name}.conv1", cin, width, 1)
    y = g.relu(g.batch_norm(y, f"{name}.bn1", width), f"{name}.relu")
    y = g.conv(y, f"{name}.conv2", width, width, 3, stride, 1)
    y = g.relu(g.batch_norm(y, f"{name}.bn2", width), f"{name}.relu_1")
    y = g.conv(y, f"{name}.conv3", width, cout, 1)
    y = g.batch_norm(y, f"{name}.bn3", cout, RESIDUAL_SCALE)
    x = _downsample(g, x, name, cin, cout, stride)
    y = g.op("Add", y, x, name=f"{name}.add")
    return g.relu(y, f"{name}.relu_2"), cout


def _resnet(name, block, depths, batch, seed):
    g = Graph(name, batch, seed)
    x = g.input("input", [3, 224, 224])
    x = g.conv(x, "conv1", 3, 64, 7, 2, 3)
    x = g.relu(g.batch_norm(x, "bn1", 64), "relu")
    x = g.max_pool(x, "maxpool", 3, 2, 1)
    channels = 64
    for stage, depth in enumerate(depths):
        for i in range(depth):
            stride = 2 if stage > 0 and i == 0 else 1
            x, channels = block(g, x, f"layer{stage + 1}.{i}", channels,
                                64 << stage, stride)
    x = g.op("GlobalAveragePool", x, name="avgpool")
    x = g.op("Flatten", x, name="flatten", axis=1)
    x = g.linear(x, "fc", channels, 1000)
    g.output(x, "logits", [1000])
    return g.model()


def resnet18(batch, seed):
    return _resnet("resnet18", _basic_block, [2, 2, 2, 2], batch, seed)


def resnet50(batch, seed):
    return _resnet("resnet50", _bottleneck, [3, 4, 6, 3], batch, seed)
