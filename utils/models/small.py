# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks: the Nature DQN, and a multi-layer perceptron."""

from graph import Graph


def dqn(batch, seed):
    """The network of "Human-level control through deep reinforcement
    learning": four frames of 84 x 84 to the values of 18 actions."""
    g = Graph("dqn", batch, seed)
    x = g.input("frames", [4, 84, 84])
    x = g.relu(g.conv(x, "conv1", 4, 32, 8, 4, bias=True))
    x = g.relu(g.conv(x, "conv2", 32, 64, 4, 2, bias=True))
    x = g.relu(g.conv(x, "conv3", 64, 64, 3, 1, bias=True))
    x = g.op("Flatten", x, name="flatten", axis=1)
    x = g.relu(g.linear(x, "fc1", 64 * 7 * 7, 512))
    g.output(g.linear(x, "fc2", 512, 18, gain=1.0), "values", [18])
    return g.model()


def mlp(batch, seed):
    """256 inputs, three hidden layers of 1024, ten outputs."""
    g = Graph("mlp", batch, seed)
    x = g.input("input", [256])
    width = 256
    for i in range(3):
        x = g.relu(g.linear(x, f"hidden{i}", width, 1024))
        width = 1024
    g.output(g.linear(x, "output_layer", width, 10, gain=1.0), "output", [10])
    return g.model()
