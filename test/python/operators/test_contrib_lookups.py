# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CDist and GatherBlockQuantized of com.microsoft, against ONNX Runtime."""

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

RNG = np.random.default_rng(0)


def make_model(op_type, names, inputs, output, initializers=(), **attributes):
    node = helper.make_node(op_type, names, ["y"], domain="com.microsoft", **attributes)
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", output, None)],
                              list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21),
                                                    helper.make_opsetid("com.microsoft", 1)])
    model.ir_version = 10
    return model


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
@pytest.mark.parametrize("type_", [TensorProto.FLOAT, TensorProto.DOUBLE])
def test_cdist(metric, type_):
    model = make_model("CDist", ["a", "b"], [helper.make_tensor_value_info("a", type_, ["n", 5]),
                                             helper.make_tensor_value_info("b", type_, ["m", 5])],
                       type_, metric=metric)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    compiled = rm.compile(model, precision="highest")
    for n, m in [(1, 1), (3, 7)]:
        a, b = (RNG.standard_normal((k, 5)).astype(helper.tensor_dtype_to_np_dtype(type_)) for k in (n, m))
        [expected] = session.run(None, {"a": a, "b": b})
        np.testing.assert_allclose(compiled(a, b), expected, rtol=1e-4, atol=1e-5)


def test_wrong_metric():
    model = make_model("CDist", ["a", "b"], [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 5])
                                             for name in "ab"], TensorProto.FLOAT, metric="cityblock")
    with pytest.raises(rm.CompileError, match='expects metric euclidean or sqeuclidean, but got "cityblock"'):
        rm.compile(model)


def gather(dtype, data_shape, gather_axis, quantize_axis, bits=4, size=16, zeros=True, float_type=np.float32):
    """A model whose table is a weight, and its scales and zero points."""
    packed = dtype == "uint8" and bits == 4
    blocks = list(data_shape)
    blocks[quantize_axis] = -(-data_shape[quantize_axis] // size)

    def make(shape):
        if dtype == "uint8":
            shape = [*shape[:-1], -(-shape[-1] // 2)] if packed else shape
            return RNG.integers(0, 256, shape).astype(np.uint8)
        low = -8 if dtype == "int4" else 0
        return RNG.integers(low, low + 16, shape).astype(getattr(ml_dtypes, dtype))

    weights = [numpy_helper.from_array(make(list(data_shape)), "table"),
               numpy_helper.from_array(RNG.standard_normal(blocks).astype(float_type), "scales")]
    names = ["table", "i", "scales"]
    if zeros:
        weights.append(numpy_helper.from_array(make(blocks), "zeros"))
        names.append("zeros")
    attributes = {"gather_axis": gather_axis, "quantize_axis": quantize_axis, "block_size": size}
    if bits != 4:
        attributes["bits"] = bits
    return make_model("GatherBlockQuantized", names,
                      [helper.make_tensor_value_info("i", TensorProto.INT64, ["n", 2])],
                      helper.np_dtype_to_tensor_dtype(np.dtype(float_type)), weights, **attributes)


@pytest.mark.parametrize("zeros", [True, False])
@pytest.mark.parametrize("dtype, shape, gather_axis, quantize_axis, bits", [
    ("uint4", (7, 48), 0, 1, 4), ("int4", (7, 40), 0, 1, 4), ("uint4", (3, 32, 5), 2, 1, 4),
    ("int4", (33, 6), 1, 0, 4), ("uint8", (7, 64), 0, 1, 4), ("uint8", (7, 48), 0, 1, 8)])
def test_gather_of_blocks(dtype, shape, gather_axis, quantize_axis, bits, zeros):
    model = gather(dtype, shape, gather_axis, quantize_axis, bits, zeros=zeros)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    compiled = rm.compile(model, precision="highest")
    for rows in (1, 4):
        i = RNG.integers(0, shape[gather_axis], (rows, 2))
        [expected] = session.run(None, {"i": i})
        np.testing.assert_allclose(compiled(i), expected, rtol=1e-6)


@pytest.mark.parametrize("changes, message", [
    ({"gather_axis": 1}, "expects a gather_axis other than quantize_axis"),
    ({"size": 24}, "expects block_size to be a power of two from 16 on, but got 24"),
    ({"bits": 8}, "expects bits 4, or 8 for uint8, but got 8")])
def test_wrong_gather_of_blocks(changes, message):
    options = {"dtype": "uint4", "data_shape": (7, 48), "gather_axis": 0, "quantize_axis": 1, **changes}
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(gather(**options))
