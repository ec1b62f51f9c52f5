# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small graphs that once went wrong, compiled, against ONNX Runtime.

Tolerance: 2e-5 of the output's largest magnitude; integers are equal.
"""

import os
import pathlib
import re
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

pytestmark = pytest.mark.share(2)

BIN = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"


def build(nodes, inputs, outputs, constants=None, dims=None, opset=17):
    """A model of one graph; inputs have the types and, without dims, the shapes given."""
    def declare(name, array):
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype),
            (dims or {}).get(name, array.shape))

    graph = helper.make_graph(
        nodes, "g", [declare(*item) for item in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name)
         for name, array in (constants or {}).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                             ir_version=8)


def run_both(nodes, inputs, outputs, constants=None, dims=None, opset=17, **options):
    """The outputs of the compiled model and of ONNX Runtime."""
    model = build(nodes, inputs, outputs, constants, dims, opset)
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings,
                                           providers=["CPUExecutionProvider"])
    actual = rm.compile(model, **options).run(inputs)
    return actual if isinstance(actual, tuple) else (actual,), session.run(None, inputs)


def check(*arguments, **options):
    for actual, expected in zip(*run_both(*arguments, **options), strict=True):
        assert actual.shape == expected.shape and actual.dtype == expected.dtype
        if expected.dtype.kind == "f":
            scale = float(np.abs(expected).max(initial=0)) or 1.0
            np.testing.assert_allclose(actual, expected, rtol=0, atol=2e-5 * scale)
        else:
            np.testing.assert_array_equal(actual, expected)


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, "float32")


def test_scalar_with_another_rank():
    # The kernel takes the tensor of one element, the caller has a scalar.
    check([helper.make_node("Reshape", ["x", "one"], ["y"]),
           helper.make_node("Add", ["y", "c"], ["z"])],
          {"x": random()}, ["z"], {"one": np.array([1]), "c": random(1, 1)})


def test_instances_after_a_transposed_convolution():
    # The layout of convolutions must not make another dimension the instances.
    check([helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4),
           helper.make_node("Transpose", ["c"], ["t"], perm=[3, 2, 1, 0]),
           helper.make_node("InstanceNormalization", ["t", "s", "b"], ["y"])],
          {"x": random(1, 16, 12, 17)}, ["y"],
          {"w": random(17, 16, 3, 3) / 8, "s": random(12), "b": random(12, seed=1)})


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_reshaped_unsigned_elements(dtype):
    # One kernel makes them, another one reads them, a reshape returns them.
    to = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    check([helper.make_node("Cast", ["x"], ["y"], to=to),
           helper.make_node("Cast", ["y"], ["f"], to=TensorProto.DOUBLE),
           helper.make_node("CumSum", ["f", "axis"], ["s"]),
           helper.make_node("Unsqueeze", ["y", "axes"], ["u"])],
          {"x": np.arange(6, dtype=np.float32) * 40}, ["s", "u"],
          {"axis": np.array(0), "axes": np.array([0, 2])})


def test_reshaped_unsigned_argument():
    check([helper.make_node("Unsqueeze", ["x", "axes"], ["u"]),
           helper.make_node("Cast", ["u"], ["y"], to=TensorProto.FLOAT)],
          {"x": np.array([3, 200], np.uint8)}, ["u", "y"], {"axes": np.array([0])})


def test_double_to_half():
    x = np.array([0.1, -1e-7, 65519.0, 1e6, np.inf, 3.0], np.float64)
    (actual,), (expected,) = run_both(
        [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT16)], {"x": x}, ["y"])
    assert actual.dtype == np.float16
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("operator", ["ReduceL2", "ReduceLogSum"])
def test_floating_point_reductions_of_integers(operator):
    check([helper.make_node(operator, ["x"], ["y"], axes=[1])],
          {"x": np.array([[3, 4, 1], [50, 60, 70]], np.int32)}, ["y"])


def test_parts_of_an_unknown_size():
    nodes = [helper.make_node("Split", ["x"], ["a", "b"], axis=0)]
    check(nodes, {"x": random(6, 3)}, ["a", "b"], dims={"x": ["N", 3]})
    with pytest.raises(ValueError, match="but got .*; N = 5 is dimension 0 of input 'x'"):
        run_both([helper.make_node("Split", ["x"], ["a", "b"], axis=0)],
                 {"x": random(5, 3)}, ["a", "b"], dims={"x": ["N", 3]})


@pytest.mark.parametrize("begin,end,step,fits,short", [
    (-1, -8, -3, [7, 9], 3), (-3, 2**31 - 1, 1, [3, 8], 2), (0, 3, 1, [3, 5], 2)])
def test_slice_that_must_have_a_static_size(begin, end, step, fits, short):
    # The slice of a shorter input has fewer elements than the reshape wants.
    nodes = [helper.make_node("Slice", ["x", "begin", "end", "axis", "step"], ["a"]),
             helper.make_node("Reshape", ["a", "shape"], ["y"])]
    constants = {"begin": np.array([begin]), "end": np.array([end]), "axis": np.array([1]),
                 "step": np.array([step]), "shape": np.array([1, 3, 1])}
    for size in fits:
        check(nodes, {"x": random(1, size)}, ["y"], constants, dims={"x": [1, "N"]})
    with pytest.raises(ValueError, match=f"; N = {short} is dimension 1 of input 'x'"):
        model = build(nodes, {"x": random(1, short)}, ["y"], constants, {"x": [1, "N"]})
        rm.compile(model).run({"x": random(1, short)})


def test_buffers_of_a_size_that_may_be_negative():
    # Without fusion, two buffers of N - 1 elements live at a time.
    check([helper.make_node("Slice", ["x", "one", "end", "zero"], ["a"]),
           helper.make_node("Add", ["a", "c"], ["b"]),
           helper.make_node("Mul", ["b", "a"], ["y"])],
          {"x": random(5, 64)}, ["y"],
          {"one": np.array([1]), "end": np.array([2**31 - 1]), "zero": np.array([0]),
           "c": random(1, 1)}, dims={"x": ["N", 64]}, opt_level=1)


@pytest.mark.parametrize("sizes", [(2, 3), (5, 1)])
def test_fill_of_a_size_that_is_a_sum(sizes):
    # As the mask of a decoder whose past and new keys are joined.
    past, new = sizes
    check([helper.make_node("Concat", ["p", "k"], ["c"], axis=0),
           helper.make_node("Shape", ["c"], ["s"]),
           helper.make_node("ConstantOfShape", ["s"], ["y"],
                            value=numpy_helper.from_array(np.array([3], np.int64)))],
          {"p": random(past, 4), "k": random(new, 4)}, ["y"],
          dims={"p": ["P", 4], "k": ["T", 4]})


@pytest.mark.parametrize("opt_level", [0, 1, 2, 3])
@pytest.mark.parametrize("constant", [
    np.ones((1, 1, 1, 1), np.float32), np.zeros((2, 3), np.float32),
    np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(70, dtype=np.int64)
], ids=["one", "equal", "different", "many"])
def test_one_constant_twice_in_a_concatenation(constant, opt_level):
    # Equal elements are a fill, which the concatenation is done before.
    axis = constant.ndim - 1
    x = np.ones_like(constant)
    check([helper.make_node("Concat", ["c", "c"], ["y"], axis=axis),
           helper.make_node("Concat", ["c", "x", "c"], ["z"], axis=axis)],
          {"x": x}, ["y", "z"], {"c": constant}, opt_level=opt_level)


@pytest.mark.parametrize("dims", [None, {"x": ["N", "M"]}])
def test_mean_of_integers_with_a_large_sum(dims):
    # The sum is beyond the type.
    x = np.array([[2**30] * 4 + [0], [-2**31] * 5], np.int32)
    model = build([helper.make_node("ReduceMean", ["x"], ["y"], axes=[1], keepdims=0)],
                  {"x": x}, ["y"], dims=dims)
    np.testing.assert_array_equal(rm.compile(model)(x), [2**32 // 5, -2**31])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_flattened_shape_of_no_elements(axis):
    # In relay.reshape a 0 is the size of the same dimension.
    check([helper.make_node("Flatten", ["x"], ["y"], axis=axis)],
          {"x": random(5, 11, 3, 0)}, ["y"], dims={"x": [5, 11, "n", 0]})


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("axis", [0, 1, 2, 3, 4])
def test_flattened_static_shape_of_no_elements(axis, opt_level):
    # The sizes after the 0 do not agree.
    check([helper.make_node("Flatten", ["x"], ["y"], axis=axis)],
          {"x": random(0, 64, 31, 1).astype(np.float16)}, ["y"], opt_level=opt_level)


@pytest.mark.parametrize("batch", [0, 2])
def test_size_of_an_input_without_elements(batch):
    # The length is known where the batch is empty, too.
    nodes = [helper.make_node("Shape", ["x"], ["shape"]),
             helper.make_node("Gather", ["shape", "one"], ["length"]),
             helper.make_node("Range", ["zero", "length", "one"], ["y"]),
             helper.make_node("ReverseSequence", ["x", "lengths"], ["z"], time_axis=1,
                              batch_axis=0)]
    check(nodes, {"x": random(batch, 3, 5), "lengths": np.full(batch, 2)}, ["y", "z"],
          {"zero": np.array(0), "one": np.array(1)},
          dims={"x": ["batch", "length", 5], "lengths": ["batch"]})


def test_open_size_beside_no_elements():
    # It cannot be said, and must not become another size.
    with pytest.raises(rm.CompileError, match="expects no size 0 beside"):
        check([helper.make_node("Flatten", ["x"], ["y"], axis=3)],
              {"x": random(5, 11, 3, 0)}, ["y"], dims={"x": [5, 11, "n", 0]})


def test_size_of_a_slice_beside_no_elements():
    # At most 2, but 1 of an input of one element.
    with pytest.raises(rm.CompileError, match="expects no size 0 beside"):
        check([helper.make_node("Slice", ["x", "begin", "end", "axis"], ["a"]),
               helper.make_node("Flatten", ["a"], ["y"], axis=2)],
              {"x": random(2, 1, 0)}, ["y"],
              {"begin": np.array([-2]), "end": np.array([2**63 - 1]), "axis": np.array([1])},
              dims={"x": [2, "n", 0]})


@pytest.mark.parametrize("begin,end", [(0, 6), (0, 64), (0, 128), (-8, 2**63 - 1), (-70, -2)])
@pytest.mark.parametrize("length", [1, 5, 64, 70, 200])
def test_size_of_a_slice(begin, end, length):
    # A short input has less than what the slice says; Shape sees it.
    nodes = [helper.make_node("Slice", ["x", "begin", "end", "axis"], ["a"]),
             helper.make_node("Shape", ["a"], ["shape"]),
             helper.make_node("Expand", ["value", "shape"], ["y"]),
             helper.make_node("Gather", ["shape", "axis"], ["size"]),
             helper.make_node("Squeeze", ["size"], ["scalar"]),
             helper.make_node("Range", ["zero", "scalar", "one"], ["z"]),
             helper.make_node("Reshape", ["a", "flat"], ["w"])]
    check(nodes, {"x": random(2, length, 4)}, ["y", "z", "w"],
          {"begin": np.array([begin]), "end": np.array([end]), "axis": np.array([1]),
           "value": np.float32(2), "zero": np.array(0), "one": np.array(1),
           "flat": np.array([0, -1])}, dims={"x": [2, "n", 4]})


INDICES = [0, -1, 2, 3, -4, 1000, 10**12, -10**12]


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("kind", ["Gather", "GatherElements", "GatherND"])
def test_indices_beyond_the_data(kind, index, opt_level):
    x = random(3, 4)
    indices = np.array({"Gather": [index], "GatherElements": [[index] * 4],
                        "GatherND": [[index]]}[kind])
    model = build([helper.make_node(kind, ["x", "i"], ["y"])], {"x": x, "i": indices}, ["y"])
    compiled = rm.compile(model, opt_level=opt_level)
    if -3 <= index < 3:
        np.testing.assert_array_equal(np.asarray(compiled(x, indices)), x[index][None])
    else:
        with pytest.raises(ValueError, match="expects indices within the data"):
            compiled(x, indices)


def test_elements_of_nothing():
    model = build([helper.make_node("Gather", ["x", "i"], ["y"])],
                  {"x": random(3, 4), "i": np.array([1])}, ["y"], dims={"x": ["n", 4]})
    with pytest.raises(ValueError, match="n"):
        rm.compile(model)(random(0, 4), np.array([1]))


def test_more_elements_than_there_are():
    nodes = [helper.make_node("TopK", ["x", "k"], ["y", "z"], axis=0)]
    model = build(nodes, {"x": random(3, 4)}, ["y", "z"], {"k": np.array([3])},
                  dims={"x": ["n", 4]})
    compiled = rm.compile(model)
    assert compiled(random(3, 4))[0].shape == (3, 4)
    with pytest.raises(ValueError, match="expects n to be at least 3, but got 2"):
        compiled(random(2, 4))


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("time_axis", [0, 1])
def test_lengths_beyond_the_size(time_axis, opt_level, tmp_path):
    nodes = [helper.make_node("ReverseSequence", ["x", "lengths"], ["y"], time_axis=time_axis,
                              batch_axis=1 - time_axis)]
    x, fitting = random(4, 4), np.array([0, 1, 4, 2])
    dims = {"x": ["batch", "time"], "lengths": ["count"]}
    check(nodes, {"x": x, "lengths": fitting}, ["y"], dims=dims, opt_level=opt_level)
    for length in (-1, 5, 1000, 2**62):
        lengths = np.array([0, 1, length, 2])
        for constants in ({}, {"lengths": lengths}):
            inputs = {"x": x} if constants else {"x": x, "lengths": lengths}
            message = "expects lengths from 0" if constants else "expects indices"
            model = build(nodes, inputs, ["y"], constants)
            with pytest.raises((ValueError, rm.CompileError), match=message):
                rm.compile(model, opt_level=opt_level).run(inputs)
            onnx.save(model, tmp_path / "model.onnx")
            command = [BIN / "relay-run", "--interpret", tmp_path / "model.onnx"]
            for name, array in inputs.items():
                np.save(tmp_path / f"{name}.npy", array)
                command.append(f"--input={name}={tmp_path / name}.npy")
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            assert result.returncode == 1
            assert "error: " in result.stderr and message in result.stderr


@pytest.mark.parametrize("dtype", [TensorProto.INT8, TensorProto.UINT8, TensorProto.INT16,
                                   TensorProto.UINT16])
def test_quantized_type_that_an_attribute_says(dtype):
    x = np.linspace(-20, 20, 97, dtype=np.float32)
    nodes = [helper.make_node("QuantizeLinear", ["x", "s"], ["q"], output_dtype=dtype),
             helper.make_node("DequantizeLinear", ["q", "s"], ["y"])]
    check(nodes, {"x": x}, ["q", "y"], {"s": np.float32(0.1)}, opset=21)


@pytest.mark.parametrize("dtype", [TensorProto.INT32, TensorProto.UINT8, TensorProto.INT64])
@pytest.mark.parametrize("factor", [np.nan, np.inf])
def test_numbers_that_no_integer_stands_for(dtype, factor):
    """ONNX leaves open which it is: the nearest end of the range, and 0 for NaN."""
    x, info = random(256), np.iinfo(helper.tensor_dtype_to_np_dtype(dtype))
    expected = 0 if np.isnan(factor) else np.where(x > 0, info.max, info.min)
    nodes = [helper.make_node("Mul", ["x", "c"], ["m"]),
             helper.make_node("Cast", ["m"], ["y"], to=dtype)]
    compiled = rm.compile(build(nodes, {"x": x}, ["y"], {"c": np.float32(factor)}))
    np.testing.assert_array_equal(compiled(x), expected)


@pytest.mark.parametrize("op, dtype", [("QuantizeLinear", np.float32),
                                       ("DequantizeLinear", np.int8)])
@pytest.mark.parametrize("scale, zero", [(5, [5]), (5, ["k"]), ("k", [5])])
def test_scales_that_do_not_fit(op, dtype, scale, zero):
    """The message tells of the node, not of what it becomes."""
    model = build([helper.make_node(op, ["x", "s", "z"], ["y"], axis=1)],
                  {"x": np.zeros((2, 3, 4), dtype), "s": random(5), "z": np.zeros(5, np.int8)},
                  ["y"], dims={"x": [2, 3, 4], "s": [scale], "z": zero})
    wanted = "expects scales and zero points of 3 elements, as axis 1 of the data has, but got "
    with pytest.raises(rm.CompileError, match=wanted) as error:
        rm.compile(model)
    assert "relay." not in str(error.value)


@pytest.mark.parametrize("zero,message", [
    (np.uint8(3), "expects elements of type 'i8' in input 2, as in input 0, but got 'ui8'"),
    (np.zeros(2, np.int8), "expects a zero point for each scale")])
def test_zero_points_that_do_not_fit(zero, message):
    model = build([helper.make_node("DequantizeLinear", ["x", "s", "z"], ["y"], axis=0)],
                  {"x": np.zeros((2, 2), np.int8)}, ["y"], {"s": np.float32(0.5), "z": zero})
    with pytest.raises(rm.CompileError, match=re.escape(message)):
        rm.compile(model)


def test_open_number_of_output_channels():
    """It is that of the weights: compiled, or refused by a message about it."""
    model = build([helper.make_node("Conv", ["x", "w"], ["y"])],
                  {"x": random(1, 2, 5, 5), "w": random(4, 2, 3, 3)}, ["y"],
                  dims={"x": [1, 2, 5, 5], "w": ["o", 2, 3, 3]})
    try:
        y = rm.compile(model)(random(1, 2, 5, 5), random(4, 2, 3, 3))
    except rm.CompileError as error:
        assert "9223372036854775808" not in str(error)
    else:
        assert np.shape(y) == (1, 4, 3, 3)


def test_quantized_type_that_contradicts():
    model = build([helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"],
                                    output_dtype=TensorProto.UINT8)],
                  {"x": random(3)}, ["q"], {"s": np.float32(0.1), "z": np.int8(0)}, opset=21)
    with pytest.raises(rm.CompileError, match="expects a zero point of output_dtype"):
        rm.compile(model)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_sum_exp_of_infinities(dtype):
    inf = np.inf
    rows = [[1000, -1000, inf], [-inf, -inf, -inf], [-inf, 3, 4], [np.nan, inf, 1], [1000, 999, 0]]
    node = helper.make_node("ReduceLogSumExp", ["x", "axes"], ["y"], keepdims=0)
    (actual,), (expected,) = run_both([node], {"x": np.array(rows, dtype)}, ["y"],
                                      {"axes": np.array([1])}, opset=18)
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


def test_nodes_in_any_order():
    # Tools that edit graphs append nodes; ONNX Runtime sorts them as well.
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]),
             helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Softmax", ["b"], ["c"]),
             helper.make_node("Add", ["a", "c"], ["d"]),
             helper.make_node("Mul", ["d", "b"], ["y"])]
    for order in ([4, 3, 2, 1, 0], [2, 4, 0, 3, 1]):
        check([nodes[number] for number in order], {"x": random(3, 5)}, ["y"],
              {"w": random(5, 7, seed=1)})
