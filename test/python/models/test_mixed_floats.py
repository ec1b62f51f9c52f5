# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 16 bits with operands in float32 beside them, as PyTorch's autocast and its exporter leave
them, against NumPy."""

import ml_dtypes
import numpy as np
import pytest

from single_nodes import check_refused, compiled, random

BF16 = ml_dtypes.bfloat16


def check(op, inputs, expected, attributes=None, opset=17, **options):
    """Inputs and a result in the type of the first one."""
    result, = compiled(op, inputs, opset, attributes or {}, **options)
    data = next(iter(inputs.values()))
    assert result.dtype == data.dtype
    np.testing.assert_allclose(result.astype("f4"), expected, rtol=0, atol=0.02 * np.abs(expected).max())


def widened(*arrays):
    return [array.astype(np.float64) for array in arrays]


@pytest.mark.parametrize("data", [BF16, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("scale", [BF16, np.float32, np.float64])
@pytest.mark.parametrize("statistics", [BF16, np.float32, np.float64])
@pytest.mark.parametrize("training", [0, 1])
def test_batch_normalization(data, scale, statistics, training):
    inputs = {"x": random(2, 3, 4).astype(data), "s": random(3, seed=1).astype(scale),
              "b": random(3, seed=2).astype(scale), "m": random(3, seed=3).astype(statistics),
              "v": (1 + np.abs(random(3, seed=4))).astype(statistics)}
    x, s, b, m, v = widened(*inputs.values())
    if training:
        m, v = x.mean((0, 2)), x.var((0, 2))
    s, b, m, v = (vector[:, None] for vector in (s, b, m, v))
    check("BatchNormalization", inputs, (x - m) / np.sqrt(v + 1e-5) * s + b,
          {"training_mode": training}, dims={"x": ["n", 3, 4]})


def test_weights_for_bfloat16():
    x, w, b = random(2, 3, 4).astype(BF16), random(5, 3, 1, seed=1), random(5, seed=2)
    wide = x.astype("f4")
    expected = np.einsum("nct,oc->not", wide, w[..., 0]) + b[:, None]
    check("Conv", {"x": x, "w": w, "b": b}, expected)
    check("ConvTranspose", {"x": x, "w": w.transpose(1, 0, 2), "b": b}, expected)
    check("Gemm", {"x": x[0], "w": random(4, 5, seed=1), "b": b}, wide[0] @ random(4, 5, seed=1) + b)
    centered = wide - wide.mean(2, keepdims=True)
    expected = centered / np.sqrt((centered**2).mean(2, keepdims=True) + 1e-5) * b[:3, None] + b[1:4, None]
    check("InstanceNormalization", {"x": x, "s": b[:3], "b": b[1:4]}, expected)


def test_weights_of_other_types():
    check_refused("expects data and weight of the same element type", "Conv",
                  {"x": random(1, 2, 3).astype("f2"), "w": random(2, 2, 1)}, 17, {})
    check_refused("expects data and weight of the same element type", "Conv",
                  {"x": random(1, 2, 3), "w": random(2, 2, 1).astype(BF16)}, 17, {})
