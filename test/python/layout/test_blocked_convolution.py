# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions on blocks of channels and images compute what they do on whole ones."""

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay


@pytest.mark.parametrize("block,images", [(16, 1), (4, 2)])
@pytest.mark.parametrize("strides,padding,dilation", [
    ((1, 1), (0, 0), (1, 1)),
    ((2, 1), (1, 2), (1, 1)),
    ((1, 1), (2, 2), (2, 3)),
])
@pytest.mark.parametrize("dtype,out_dtype", [("int8", "int32"), ("float32", "float32")])
def test_blocks(block, images, strides, padding, dilation, dtype, out_dtype):
    rng = np.random.default_rng(0)
    shape, weight_shape = (2, 32, 9, 8), (16, 32, 3, 2)
    x, w = (rng.integers(-128, 128, s).astype(dtype) for s in (shape, weight_shape))
    data = relay.var("x", shape=shape, dtype=dtype)
    options = {"strides": strides, "padding": padding, "dilation": dilation,
               "out_dtype": out_dtype}
    layout = f"NCHW{images}n{block}c" if images > 1 else f"NCHW{block}c"
    kernel = f"OIHW{block}o{block}i"
    blocked = relay.nn.conv2d(relay.layout_transform(data, "NCHW", layout),
                              relay.layout_transform(relay.const(w), "OIHW", kernel),
                              data_layout=layout, kernel_layout=kernel, **options)
    blocked = relay.layout_transform(blocked, layout, "NCHW")
    whole = relay.nn.conv2d(data, relay.const(w), **options)

    def run(out):
        lib = relay.build(relay.IRModule.from_expr(relay.Function([data], out)), target="llvm")
        module = lib["default"](tvm.cpu(0))
        module.run(x=x)
        return module.get_output(0).numpy()

    np.testing.assert_array_equal(run(blocked), run(whole))
