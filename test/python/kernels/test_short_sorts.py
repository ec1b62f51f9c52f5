# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts of lines so short that all their loops are unrolled, against NumPy."""

import numpy as np
import pytest

from relay_mlir import relay

SIZES = range(2, 11)


@pytest.mark.parametrize("dtype", ["int32", "float32", "int8"])
def test_sort(dtype):
    params = ", ".join(f"%x{n}: Tensor[({n}), {dtype}]" for n in SIZES)
    calls = ", ".join(f"sort(%x{n}), argsort(%x{n})" for n in SIZES)
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ ({calls}) }}')
    run = relay.create_executor("aot", mod=module).evaluate()
    rng = np.random.default_rng(0)
    for _ in range(20):
        inputs = [rng.integers(-100, 100, n).astype(dtype) for n in SIZES]
        results = run(*inputs)
        for x, values, order in zip(inputs, results[::2], results[1::2], strict=True):
            np.testing.assert_array_equal(np.asarray(values), np.sort(x))
            np.testing.assert_array_equal(np.asarray(order), np.argsort(x, kind="stable"))
