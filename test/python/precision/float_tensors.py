# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float tensors of tests, as arrays and as constants in MLIR."""

import numpy as np


def uniform(shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def literal(values):
    shape = "x".join(map(str, values.shape))
    return f'dense<"0x{values.tobytes().hex()}"> : tensor<{shape}xf32>'


def round_to_bf16(values):
    bits = values.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(np.float32)
