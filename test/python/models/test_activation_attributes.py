# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations whose attributes are unusual numbers, against ONNX Runtime.

What one side of zero does not use must not reach it: NaN times zero is NaN.
Tolerance: single_nodes.compare's.
"""

import numpy as np
import pytest

from single_nodes import compare, compiled, runtime

X = np.array([-np.inf, -3, -1, -0.25, -0.0, 0, 0.25, 1, 3, np.inf, np.nan], np.float32)


@pytest.mark.parametrize("value", [0.0, -1.5, 1e30, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("op, attribute", [
    ("Elu", "alpha"),
    ("HardSigmoid", "alpha"),
    ("HardSigmoid", "beta"),
    ("LeakyRelu", "alpha"),
    ("Selu", "alpha"),
    ("Selu", "gamma"),
    ("ThresholdedRelu", "alpha"),
])
def test_unusual(op, attribute, value):
    # Relay multiplies zero, too.
    x = X[X != 0] if op == "LeakyRelu" else X
    inputs, attributes = {"x": x}, {attribute: float(value)}
    compare(compiled(op, inputs, 22, attributes), runtime(op, inputs, 22, attributes))
