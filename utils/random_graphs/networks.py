# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks of layers, as cases."""

import numpy as np

import images
import sequences
from generate import draw_options
from graphs import Case, Graph


def _draw(seed, build, vary):
    dynamic = seed // 10 % 2 == 1
    model, inputs = build(seed, dynamic)
    (name, x), = inputs.items()
    samples = vary(x) if dynamic else [x]
    return Case(Graph.from_model(model), [{name: value} for value in samples],
                draw_options(seed))


def draw_images(seed):
    """Convolutions and what stands between them; the batch may be open."""
    return _draw(seed, images.build,
                 lambda x: [x, np.concatenate([x, x[::-1] / 2]), x[:1]])


def draw_sequences(seed):
    """Products, attention and normalisations; batch and length may be open."""
    return _draw(seed, sequences.build, lambda x: [
        x, np.concatenate([x, x[::-1]]), np.concatenate([x, x], axis=1), x[:1, :1]])
