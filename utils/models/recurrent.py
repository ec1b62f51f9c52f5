# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One recurrent layer: 32 tokens of 300 numbers to a state of 512."""

import numpy as np
from graph import Graph

TOKENS, INPUTS, STATES = 32, 300, 512


def _layer(kind, gates, batch, seed, **attributes):
    g = Graph(kind.lower(), batch, seed)
    x = g.input("tokens", [TOKENS, INPUTS])
    x = g.op("Transpose", x, name="by_token", perm=[1, 0, 2])
    bound = 1 / np.sqrt(STATES)
    weights = [
        g.uniform("input_weight", (1, gates * STATES, INPUTS), -bound, bound),
        g.uniform("state_weight", (1, gates * STATES, STATES), -bound, bound),
        g.uniform("bias", (1, 2 * gates * STATES), -bound, bound),
    ]
    y = g.op(kind, x, *weights, name="layer", hidden_size=STATES, **attributes)
    y = g.op("Squeeze", y, g.ints("direction", [1]), name="one_direction")
    y = g.op("Transpose", y, name="by_batch", perm=[1, 0, 2])
    g.output(y, "states", [TOKENS, STATES])
    return g.model()


def lstm(batch, seed):
    return _layer("LSTM", 4, batch, seed)


def gru(batch, seed):
    """As PyTorch has it: the reset gate is applied after the product."""
    return _layer("GRU", 3, batch, seed, linear_before_reset=1)
