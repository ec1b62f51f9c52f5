# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer convolutions channels first, narrowed as they are stored, whose rows end at every lane
of a vector. They have the bits of NumPy's sums, and no row writes over the next."""

import numpy as np
import pytest

import relay_mlir as rm

TYPES = {"int8": "i8", "uint8": "ui8", "int16": "i16"}


# One pixel less or more than tiles and vectors have.
@pytest.mark.parametrize("dtype", TYPES)
def test_each_number_of_pixels(dtype):
    outputs = 16
    rng = np.random.default_rng(outputs)
    info = np.iinfo(dtype)
    shift = 0 if dtype == "int16" else 8
    for pixels in range(1, 70):
        x = rng.integers(-128, 128, (1, 16, 1, pixels)).astype("int8")
        w = rng.integers(-128, 128, (outputs, 16, 1, 1)).astype("int8")
        sums = f"tensor<1x{outputs}x1x{pixels}xi32>"
        result = f"tensor<1x{outputs}x1x{pixels}x{TYPES[dtype]}>"
        kernel = f"tensor<{outputs}x16x1x1xi8>"
        module = rm.IRModule.parse(f"""
            func.func @main(%x: tensor<1x16x1x{pixels}xi8>) -> {result} {{
              %w = relay.constant dense<"0x{w.tobytes().hex()}"> : {kernel}
              %s = relay.constant dense<{shift}> : tensor<i32>
              %0 = relay.nn.conv2d %x, %w {{out_dtype = i32}}
                : (tensor<1x16x1x{pixels}xi8>, {kernel}) -> {sums}
              %1 = relay.right_shift %0, %s : ({sums}, tensor<i32>) -> {sums}
              %2 = relay.clip %1 {{a_min = {info.min}.0 : f64, a_max = {info.max}.0 : f64}}
                : ({sums}) -> {sums}
              %3 = relay.cast %2 {{dtype = {TYPES[dtype]}}} : ({sums}) -> {result}
              return %3 : {result}
            }}""")
        total = np.einsum("ncij,oc->noij", x.astype(np.int64), w[:, :, 0, 0].astype(np.int64))
        expected = np.clip(total >> shift, info.min, info.max).astype(dtype)
        np.testing.assert_array_equal(np.asarray(rm.compile(module)(x)), expected, f"{pixels} pixels")
