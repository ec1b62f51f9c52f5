# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in ONNX models that have no meaning: the message says what is expected, and
where numbers are large, it says how large they may be."""

import math
import re

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm
from relay_mlir.relay import frontend

LEAST, MOST = -2**63, 2**63 - 1


def fail(op, constants, message, shape=(1, 1, 4, 4), outputs=("y",), **attributes):
    """Constants of no value are the input."""
    names = [f"c{i}" if value is not None else "x" for i, value in enumerate(constants)]
    graph = helper.make_graph(
        [helper.make_node(op, names, outputs, **attributes)], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(np.asarray(value), name)
         for name, value in zip(names, constants) if value is not None])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(model)


@pytest.mark.parametrize("size", [0, -1, LEAST])
def test_sizes_of_a_resize(size):
    fail("Resize", [None, np.zeros(0, np.float32), np.zeros(0, np.float32), [1, 1, size, 4]],
         f"expects a positive size for axis 2, but got {size}")


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e30, -1e5])
def test_region_of_a_resize(number):
    roi, scales = np.array([0, 0, 0, 0, 1, 1, 1, number], "f"), np.array([1, 1, 2, 2], "f")
    fail("Resize", [None, roi, scales],
         "expects numbers of roi in .*, but got ",
         coordinate_transformation_mode="tf_crop_and_resize")


@pytest.mark.parametrize("scale, said", [
    (-0.5, "expects positive scales, but got -0.5 for axis 3"),
    (math.nan, "expects positive scales, but got nan for axis 3"),
    (1e20, r"expects scales that .*, but got 1e\+20 for axis 3")])
def test_scales_of_a_resize(scale, said):
    """Numbers are written as in programs, not as -5.000000e-01."""
    scales = np.array([1, 1, 1, scale], "f")
    fail("Resize", [None, np.zeros(0, "f"), scales], said)


@pytest.mark.parametrize("depth", [math.nan, math.inf, -math.inf, 0, -1, 0.5, 2**31, 1e30])
def test_depth_of_one_hot(depth):
    fail("OneHot", [np.array([1, 2]), np.float32(depth), np.array([0, 1], "f")],
         r"expects a depth in \[1, 2147483647\], but got ")


@pytest.mark.parametrize("wanted", [0, -1, 3, MOST])
def test_outputs_of_a_split(wanted):
    fail("Split", [None], f"expects {wanted} outputs, but got 2", axis=2, num_outputs=wanted,
         outputs=("a", "y"))


@pytest.mark.parametrize("name, least", [("strides", 1), ("dilations", 1), ("pads", 0)])
def test_numbers_of_a_window(name, least):
    for value in (LEAST, least - 1, 2**31, MOST):
        fail("Conv", [None, np.ones((1, 1, 2, 2), np.float32)],
             rf"expects entries of {name} in \[{least}, 2147483647\], but got {value}",
             **{name: [value] * (4 if name == "pads" else 2)})


@pytest.mark.parametrize("op, gates", [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_hidden_size(op, gates):
    fail(op, [None, np.ones((1, 2 * gates, 3), np.float32), np.ones((1, 2 * gates, 2), np.float32)],
         f"expects recurrence weights of hidden_size {MOST}, but got", shape=(2, 1, 3),
         hidden_size=MOST)


def make_model(op, shapes, domain="", **attributes):
    """Nothing but shapes is known of the inputs; those of no shape are left out."""
    names = [f"x{i}" if shape is not None else "" for i, shape in enumerate(shapes)]
    types = [TensorProto.INT64 if op == "MaxUnpool" and i == 1 else TensorProto.FLOAT
             for i in range(len(shapes))]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], domain=domain, **attributes)], "g",
        [helper.make_tensor_value_info(name, element, shape)
         for name, element, shape in zip(names, types, shapes) if shape is not None],
        [helper.make_empty_tensor_value_info("y")])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def fail_inputs(op, shapes, message, **attributes):
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(make_model(op, shapes, **attributes))


@pytest.mark.parametrize("op", ["Conv", "ConvTranspose"])
@pytest.mark.parametrize("rows", [4, "n"])
def test_size_of_a_window(op, rows):
    """An extent that is no number would be taken for another."""
    fail_inputs(op, [(1, 1, rows, 4), (1, 1, 2**40, 1)],
                f"expects a window of sizes up to 2147483647, but got {2**40}",
                dilations=[2**31 - 1, 1])


def test_elements_of_a_window():
    """The sum is the mean times their number."""
    model = make_model("LpPool", [(1, 1, 4, 4, 4)], kernel_shape=[2**31 - 1] * 3, pads=[2**30] * 6)
    module = str(frontend.from_onnx(model))
    factors = [float(number) for number in re.findall(r"multiply\(%\d+, ([^f]*)f", module)]
    assert factors == [pytest.approx((2.0**31 - 1)**3)]


@pytest.mark.parametrize("size, stride", [(2**34 + 1, 2**30), (2**40, 2**31 - 1)])
def test_result_of_an_unpool(size, stride):
    """Modulo 2^64, the first would be 2 elements, and the second less than none."""
    fail_inputs("MaxUnpool", [(1, 1, size)] * 2, "expects tensors of at most 140737488355328 bytes",
                kernel_shape=[2], strides=[stride])


@pytest.mark.parametrize("wanted", [[LEAST, 4], [MOST, 4]])
def test_shape_of_a_transposed_convolution(wanted):
    fail_inputs("ConvTranspose", [(1, 1, 2**20, 4), (1, 1, 2, 2)], "expects ",
                output_shape=wanted, strides=[2**31 - 1, 1])


@pytest.mark.parametrize("heads, shared", [(2**62, 2**62), (2**62, 2**61)])
def test_heads_of_grouped_queries(heads, shared):
    fail_inputs("GroupQueryAttention", [(1, 3, 12), None, None, None, None, (1,), (1,)],
                "expects features of [1-9][0-9]* heads, but got ", domain="com.microsoft",
                num_heads=heads, kv_num_heads=shared)


def test_blocks_of_a_product():
    """The bytes of the weight would be none modulo 2^64."""
    fail_inputs("MatMulNBits", [(2, 2**31 - 1), (0,), (2**31,)],
                r"expects 1073741824 rows of 2 blocks, of 1073741824 bytes and a scale, but got a weight 'tensor<0xf32>'",
                domain="com.microsoft", N=2**30, K=2**31 - 1, block_size=2**30, bits=8)
