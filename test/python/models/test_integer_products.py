# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of integers (MatMulInteger, ConvInteger) against NumPy in 64 bits, and
what dynamic quantization makes of them against ONNX Runtime.

Tolerance: none for integers.
"""

import itertools

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm


def make_model(kind, inputs, constants, open_sizes=False, **attributes):
    """One node on what `inputs` and then `constants` name, in the order of ONNX;
    None stands for an input that is left out."""
    names = [name for name, value in (inputs | constants).items() if value is not None]
    order = [name if name in names else "" for name in inputs | constants]

    def declare(name, value):
        shape = [f"{name}{i}" for i in range(value.ndim)] if open_sizes else value.shape
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), shape)
    graph = helper.make_graph(
        [helper.make_node(kind, order, ["y"], **attributes)], "g",
        [declare(name, value) for name, value in inputs.items() if value is not None],
        [helper.make_tensor_value_info("y", TensorProto.INT32, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()
         if value is not None])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def random_bytes(rng, dtype, *shape):
    """The ends of the range among them, where sums of pairs would saturate."""
    limits = np.iinfo(dtype)
    values = rng.integers(limits.min, limits.max + 1, shape)
    return np.where(rng.random(shape) < 0.2, rng.choice([limits.min, limits.max], shape),
                    values).astype(dtype)


def test_gemm_of_integers():
    """Factors are floats. What they give is cut, as ONNX's reference has it."""
    rng = np.random.default_rng(0)
    for dtype in ("int32", "int64", "uint32"):
        a, b = (rng.integers(0, 9, shape).astype(dtype) for shape in ((4, 5), (5, 3)))
        for c in (np.arange(1, 4).astype(dtype), np.arange(1, 5).astype(dtype)[:, None]):
            for alpha, beta in ((0.5, 2.0), (2.0, 0.5), (0.75, 0.25), (3.0, 2.0), (0.5, 0.0)):
                model = make_model("Gemm", {"a": a, "b": b, "c": c}, {}, alpha=alpha, beta=beta)
                del model.graph.output[:]
                model.graph.output.append(helper.make_empty_tensor_value_info("y"))
                expected = (alpha * (a.astype(np.float64) @ b) + beta * c).astype(dtype)
                found = rm.compile(model)(a, b, c)
                assert found.dtype == dtype
                np.testing.assert_array_equal(found, expected)


def difference(value, zero, shape):
    return value.astype(np.int64) - (0 if zero is None else zero.astype(np.int64).reshape(shape))


SHAPES = [((5, 37), (37, 24)), ((1, 64), (64, 48)), ((64, 128), (128, 80)), ((3, 7, 33), (33, 17)),
          ((2, 3, 8, 40), (2, 3, 40, 12)), ((4, 9, 20), (20, 1)), ((31,), (31, 6)), ((6, 5), (5,)),
          ((0, 8), (8, 4)), ((3, 0), (0, 4)), ((2, 3, 8), (1, 8, 5))]
TYPES = [("uint8", "int8"), ("uint8", "uint8"), ("int8", "int8"), ("int8", "uint8")]


@pytest.mark.share(8)
@pytest.mark.parametrize("zeros", ["none", "left", "right", "both", "columns", "rows"])
@pytest.mark.parametrize("is_constant", [True, False])
@pytest.mark.parametrize("types", TYPES, ids=" ".join)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(shapes, types, is_constant, zeros):
    rng = np.random.default_rng(len(zeros) + sum(shapes[0]))
    a, b = (random_bytes(rng, dtype, *shape) for dtype, shape in zip(types, shapes))
    left = right = None
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    if zeros in ("left", "both", "columns"):
        left = random_bytes(rng, types[0])
    if zeros == "rows" and a.ndim == 2:
        left, rows = random_bytes(rng, types[0], a.shape[0]), (-1, 1)
    if zeros in ("right", "both"):
        right = random_bytes(rng, types[1], *((1,) if a.ndim == 3 else ()))
        columns = (1,) * right.ndim
    if zeros == "columns" and b.ndim == 2:
        right, columns = random_bytes(rng, types[1], b.shape[1]), (-1,)
    weights = {"b": b}
    points = {"left": left, "right": right}
    inputs, constants = ({"a": a}, weights) if is_constant else ({"a": a} | weights, {})
    model = rm.compile(make_model("MatMulInteger", inputs, constants | points))
    expected = np.matmul(difference(a, left, rows), difference(b, right, columns))
    np.testing.assert_array_equal(model.run(inputs), expected)


@pytest.mark.parametrize("types", TYPES, ids=" ".join)
def test_computed_zero_points(types):
    """As dynamic quantization computes them, with sizes that are open too."""
    rng = np.random.default_rng(3)
    a, b = random_bytes(rng, types[0], 19, 65), random_bytes(rng, types[1], 65, 32)
    inputs = {"a": a, "b": b, "left": random_bytes(rng, types[0]),
              "right": random_bytes(rng, types[1])}
    model = rm.compile(make_model("MatMulInteger", inputs, {}, open_sizes=True))
    expected = difference(a, inputs["left"], ()) @ difference(b, inputs["right"], ())
    np.testing.assert_array_equal(model.run(inputs), expected)


def convolve(x, w, pads, strides):
    """A convolution of 64-bit integers, one shift of the window after the other."""
    x = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    sizes = [(x.shape[2 + i] - w.shape[2 + i]) // strides[i] + 1 for i in range(2)]
    result = np.zeros((x.shape[0], w.shape[0], *sizes), np.int64)
    for i, j in itertools.product(range(w.shape[2]), range(w.shape[3])):
        part = x[:, :, i:i + strides[0] * sizes[0]:strides[0],
                 j:j + strides[1] * sizes[1]:strides[1]]
        result += np.einsum("ncij,oc->noij", part, w[:, :, i, j])
    return result


@pytest.mark.parametrize("pads", [[0, 0, 0, 0], [1, 1, 1, 1], [2, 0, 1, 3]], ids=str)
@pytest.mark.parametrize("strides", [[1, 1], [2, 1]], ids=str)
@pytest.mark.parametrize("types", TYPES, ids=" ".join)
@pytest.mark.parametrize("zeros", ["none", "constant", "computed", "channels"])
def test_convolution(zeros, types, strides, pads):
    rng = np.random.default_rng(7)
    x, w = random_bytes(rng, types[0], 2, 12, 14, 9), random_bytes(rng, types[1], 16, 12, 3, 3)
    zero = None if zeros == "none" else random_bytes(rng, types[0])
    weight_zero = None
    shape: tuple[int, ...] = ()
    if zeros == "channels":
        weight_zero, shape = random_bytes(rng, types[1], 16), (-1, 1, 1, 1)
    inputs = {"x": x}
    constants = {"w": w, "zero": zero, "weight_zero": weight_zero}
    model = make_model("ConvInteger", inputs, constants, pads=pads, strides=strides)
    if zeros == "computed":
        inputs["zero"] = zero
        model = make_model("ConvInteger", {"x": x, "w": w, "zero": zero}, {}, pads=pads,
                           strides=strides)
        inputs["w"] = w
    expected = convolve(difference(x, zero, ()), difference(w, weight_zero, shape), pads, strides)
    np.testing.assert_array_equal(rm.compile(model).run(inputs), expected)
