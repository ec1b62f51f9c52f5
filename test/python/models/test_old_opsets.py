# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes as opsets 1 to 6 wrote them, and experimental operators of opset 1, against
ONNX Runtime where it has them, else against the node that later opsets have for
them, or NumPy."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm
from single_nodes import check_refused, compare, compiled, make, random, runtime

pytestmark = pytest.mark.share(2)

# Of the right operand by its dimensions in the left one.
PLACES = [((2, 3, 4, 5), (5,), {}, (5,)), ((2, 3, 4, 5), (4, 5), {}, (4, 5)),
          ((2, 3, 4, 5), (3, 4), {"axis": 1}, (3, 4, 1)),
          ((2, 3, 4, 5), (2,), {"axis": 0}, (2, 1, 1, 1)),
          ((2, 3, 4, 5), (3,), {"axis": -3}, (3, 1, 1)), ((2, 3), (1, 1, 1), {}, ()),
          ((2, 3), (), {}, ()), ((2, 3, 4), (3, 1), {"axis": 1}, (3, 1)),
          ((2, 0), (2,), {"axis": 0}, (2, 1)), ((4,), (1,), {"axis": 0}, (1,))]


@pytest.mark.parametrize("shape,other,attributes,place", PLACES)
@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Pow"])
def test_broadcast(op, shape, other, attributes, place):
    x = np.abs(random(*shape)) + 0.5
    y = np.asarray(np.abs(random(*other, seed=1)) + 0.5, np.float32)
    expected = {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow":
        np.power}[op](x, y.reshape(place))
    for opset in (1, 6):
        written = {"broadcast": 1, **attributes}
        if opset == 1 and op != "Pow":
            written["consumed_inputs"] = [0, 0]
        compare(compiled(op, {"x": x, "y": y}, opset, written), [expected])
        compare(compiled(op, {"x": x}, opset, written, {"y": y}), [expected])


@pytest.mark.parametrize("shape,other,attributes,place", PLACES[:4])
@pytest.mark.parametrize("op", ["And", "Or", "Xor", "Equal", "Greater", "Less"])
def test_broadcast_of_comparisons(op, shape, other, attributes, place):
    if op in ("And", "Or", "Xor"):
        x, y = random(*shape) > 0, random(*other, seed=1) > 0
    else:
        x, y = np.round(random(*shape)), np.round(random(*other, seed=1))
        if op == "Equal":
            x, y = x.astype(np.int32), y.astype(np.int32)
    expected = {
        "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "Equal": np.equal,
        "Greater": np.greater, "Less": np.less}[op](x, y.reshape(place))
    compare(compiled(op, {"x": x, "y": y}, 1, {"broadcast": 1, **attributes}), [expected])


def test_broadcast_of_open_sizes():
    x, y = random(2, 3, 4), random(3, seed=1)
    attributes = {"broadcast": 1, "axis": 1}
    compare(compiled("Add", {"x": x, "y": y}, 6, attributes, dims={"x": ["N", 3, "W"]}),
            [x + y[:, None]])
    compare(compiled("Add", {"x": x}, 6, attributes, {"y": y}, dims={"x": ["N", "C", "W"]}),
            [x + y[:, None]])
    # A dimension of the left operand is not repeated.
    model = rm.compile(make("Add", {"x": x}, 6, attributes, {"y": y}, dims={"x": ["N", "C", "W"]}))
    with pytest.raises(ValueError, match="C = 1 is dimension 1 of input 'x'"):
        model.run({"x": random(2, 1, 4)})


def test_refused_broadcasts():
    x, y = random(2, 3), random(3)
    check_refused("expects operands of the same shape without broadcast = 1, but got", "Add",
                  {"x": x, "y": y}, 6, {})
    check_refused(
        "expects the sizes of the second operand to be those of the first from dimension 0 on",
        "Add", {"x": x, "y": y}, 6, {"broadcast": 1, "axis": 0})
    check_refused("expects an axis in [-2, 2), but got 2", "Add", {"x": x, "y": y}, 6,
                  {"broadcast": 1, "axis": 2})
    check_refused("expects the sizes of the second operand", "Add", {"x": y, "y": x}, 6,
                  {"broadcast": 1})
    check_refused('expects attribute "broadcast" to be 0 or 1, but got 2', "Add", {"x": x, "y": y},
                  6, {"broadcast": 2})
    check_refused("expects operands of the same shape until opset 7", "Sum", {"x": x, "y": y}, 7,
                  {})
    compare(compiled("Sum", {"x": x, "y": y}, 8, {}), [x + y])


@pytest.mark.parametrize("op", ["Sum", "Max", "Min", "Mean"])
def test_variadic(op):
    inputs = {"x": random(2, 3), "y": random(2, 3, seed=1), "z": random(2, 3, seed=2)}
    compare(compiled(op, inputs, 6, {}), runtime(op, inputs, 6, {}))
    compare(compiled(op, inputs, 1, {"consumed_inputs": [0, 0, 0]}), runtime(op, inputs, 6, {}))


UNARY = [
    "Abs", "Ceil", "Exp", "Floor", "Neg", "Relu", "Sigmoid", "Sqrt", "Tanh", "Reciprocal", "Log"]


@pytest.mark.parametrize("op", UNARY)
def test_unary(op):
    x = np.abs(random(3, 4)) + 0.1
    expected = runtime(op, {"x": x}, 13, {})
    compare(compiled(op, {"x": x}, 1, {"consumed_inputs": [0]}), expected)
    compare(compiled(op, {"x": x}, 6, {}), expected)


@pytest.mark.parametrize("op,attributes", [("Elu", {"alpha": 0.7}), ("Elu", {}), ("LeakyRelu", {}),
                                           ("LeakyRelu", {"alpha": 0.3}), ("HardSigmoid", {}),
                                           ("HardSigmoid", {"alpha": 0.4, "beta": 0.1}),
                                           ("Selu", {"alpha": 1.5, "gamma": 1.1}),
                                           ("Softplus", {}), ("Softsign", {}), ("Softmax", {}),
                                           ("LogSoftmax", {"axis": 2}), ("Hardmax", {"axis": 0}),
                                           ("ReduceSum", {"axes": [1]}),
                                           ("ReduceMean", {"keepdims": 0}),
                                           ("ReduceL2", {"axes": [0, 2]}),
                                           ("ReduceLogSumExp", {"axes": [2]}),
                                           ("ArgMax", {"axis": 1}), ("ArgMin", {"keepdims": 0}),
                                           ("Flatten", {"axis": 2}),
                                           ("Transpose", {"perm": [2, 0, 1]}),
                                           ("Slice", {"starts": [1, -2], "ends": [9, -1]}),
                                           ("Slice", {"axes": [2], "starts": [-3], "ends": [4]}),
                                           ("Unsqueeze", {"axes": [0, 4]}),
                                           ("LpNormalization", {"p": 1}), ("Identity", {}),
                                           ("Shape", {}), ("Size", {})])
def test_the_same_as_ever(op, attributes):
    x = random(3, 4, 5)
    newer = {
        "Slice": 9, "Unsqueeze": 11, "ReduceSum": 11, "Softmax": 11, "LogSoftmax": 11, "Hardmax":
        11, "Flatten": 9}.get(op, 11)
    for opset in (1, 6):
        compare(compiled(op, {"x": x}, opset, attributes), runtime(op, {"x": x}, newer,
                                                                   attributes))


@pytest.mark.parametrize("op,attributes", [
    ("MaxPool", {"kernel_shape": [2, 3], "pads": [1, 0, 0, 1]}),
    ("AveragePool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}),
    ("GlobalAveragePool", {}), ("GlobalMaxPool", {}), ("DepthToSpace", {"blocksize": 2}),
    ("LRN", {"size": 3}), ("SpaceToDepth", {"blocksize": 2})])
def test_images(op, attributes):
    x = random(2, 4, 6, 8)
    compare(compiled(op, {"x": x}, 1, attributes), runtime(op, {"x": x}, 7, attributes))


def test_selu_constants():
    """Opset 1 had fewer digits."""
    x = random(64)
    expected = np.float32(1.0507) * np.where(x > 0, x, np.float32(1.6732) * np.expm1(x))
    compare(compiled("Selu", {"x": x}, 1, {}), [expected.astype(np.float32)])
    compare(compiled("Selu", {"x": x}, 6, {}), runtime("Selu", {"x": x}, 6, {}))


@pytest.mark.parametrize("attributes",
                         [{}, {"min": -0.5}, {"max": 0.25}, {"min": -0.5, "max": 0.25}])
def test_clip(attributes):
    x = random(64)
    for opset in (1, 6):
        compare(compiled("Clip", {"x": x}, opset, attributes),
                runtime("Clip", {"x": x}, 6, attributes))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, 1.5])
def test_float_exponents(p):
    x = random(2, 3, 4, 4)
    power = np.abs(x.astype(np.float64))**p
    expected = power.sum((2, 3), keepdims=True)**(1 / p)
    compare(compiled("GlobalLpPool", {"x": x}, 1, {"p": p}), [expected.astype(np.float32)])
    blocks = power.reshape(2, 3, 2, 2, 2, 2).sum((3, 5))**(1 / p)
    compare(compiled("LpPool", {"x": x}, 1, {"p": p, "kernel_shape": [2, 2], "strides": [2, 2]}),
            [blocks.astype(np.float32)])
    check_refused('expects attribute "p" to be an integer, but got a float', "GlobalLpPool",
                  {"x": x}, 2, {"p": p})
    check_refused("expects p to be positive, but got -1", "GlobalLpPool", {"x": x}, 1, {"p": -1.0})


@pytest.mark.parametrize("shape", [[4, 3], [0, -1], [-1], [2, 0, 2], [1, 2, 3, 2]])
def test_reshape(shape):
    x = random(2, 3, 2)
    sizes = [x.shape[i] if size == 0 else size for i, size in enumerate(shape)]
    for opset in (1, 4):
        compare(compiled("Reshape", {"x": x}, opset, {"shape": shape}), [x.reshape(sizes)])


def test_refused_reshapes():
    x = random(2, 3)
    check_refused('expects attribute "shape"', "Reshape", {"x": x}, 4, {})
    check_refused('expects attribute "shape" to be a list of integers, but got an integer',
                  "Reshape", {"x": x}, 4, {"shape": 6})
    check_refused('expects 1 input and attribute "shape", but got 2 inputs', "Reshape", {"x": x},
                  4, {"shape": [6]}, {"shape": np.array([6])})
    check_refused("expects a shape of 6 elements, but got 5", "Reshape", {"x": x}, 1,
                  {"shape": [5]})


def test_reshape_of_open_sizes():
    x = random(2, 3, 4)
    compare(compiled("Reshape", {"x": x}, 1, {"shape": [0, -1]}, dims={"x": ["N", 3, 4]}),
            [x.reshape(2, 12)])


@pytest.mark.parametrize("tiles,axis", [(2, 0), (3, 1), (1, -1), (0, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_tile(tiles, axis, dtype):
    x = random(2, 3)
    repeats = [1, 1]
    repeats[axis] = tiles
    compare(
        compiled("Tile", {"x": x}, 1, {},
                 {"tiles": np.array(tiles, dtype), "axis": np.array([axis], dtype)}),
        [np.tile(x, repeats)])


def test_refused_tiles():
    x = random(2, 3)
    check_refused("expects 3 inputs, but got 2", "Tile", {"x": x}, 5, {},
                  {"repeats": np.array([1, 2])})
    check_refused("expects constant, whole numbers in input 1", "Tile", {"x": x}, 1, {},
                  {"tiles": np.float32(1.5), "axis": np.float32(0)})
    check_refused("expects an axis in [-2, 2), but got 2", "Tile", {"x": x}, 1, {},
                  {"tiles": np.array(1), "axis": np.array(2)})


def test_pad():
    x = random(2, 3)
    for mode, expected in [("constant", np.pad(x, ((0, 0), (2, 1)), constant_values=1.5)),
                           ("reflect", np.pad(x, ((0, 0), (2, 1)), "reflect")),
                           ("edge", np.pad(x, ((0, 0), (2, 1)), "edge"))]:
        attributes = {"mode": mode, "value": 1.5}
        compare(compiled("Pad", {"x": x}, 1, {"paddings": [0, 2, 0, 1], **attributes}), [expected])
        compare(compiled("Pad", {"x": x}, 2, {"pads": [0, 2, 0, 1], **attributes}), [expected])
    check_refused("expects 4 pads, but got 0", "Pad", {"x": x}, 1, {})


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_upsample(mode):
    x = random(1, 2, 3, 4)
    newer = {"scales": [1.0, 1.0, 2.0, 3.0], "mode": {"bilinear": "linear"}.get(mode, mode)}
    for opset in (1, 6):
        compare(
            compiled("Upsample", {"x": x}, opset,
                     {"height_scale": 2.0, "width_scale": 3.0, "mode": mode}),
            runtime("Upsample", {"x": x}, 7, newer))
    check_refused('expects attribute "width_scale" to be 1 or more, but got none', "Upsample",
                  {"x": x}, 1, {"height_scale": 2.0})
    check_refused("expects data of rank 4", "Upsample", {"x": x[0]}, 1,
                  {"height_scale": 2.0, "width_scale": 2.0})


@pytest.mark.parametrize("name", ["FLOAT", "INT32", "INT64", "DOUBLE", "BOOL", "UINT8", "FLOAT16"])
def test_cast_by_name(name):
    x = np.array([0, 1, 2.5, 100], np.float32)
    compare(compiled("Cast", {"x": x}, 1, {"to": name}),
            runtime("Cast", {"x": x}, 9, {"to": getattr(TensorProto, name)}))
    check_refused('expects attribute "to" to be an integer, but got a string', "Cast", {"x": x}, 6,
                  {"to": name})
    check_refused('expects attribute "to" to be a string, but got an integer', "Cast", {"x": x}, 5,
                  {"to": 1})
    check_refused(
        'expects attribute "to" to be the name of a type, such as FLOAT, but got "float"', "Cast",
        {"x": x}, 1, {"to": "float"})


def test_concat():
    inputs = {"x": random(2, 3), "y": random(2, 1)}
    compare(compiled("Concat", inputs, 1, {}), [np.concatenate([*inputs.values()], 1)])


@pytest.mark.parametrize("opset", [1, 2, 6])
def test_split(opset):
    x = random(6, 2)
    compare(compiled("Split", {"x": x}, opset, {}, outputs=2), [x[:3], x[3:]])
    compare(compiled("Split", {"x": x}, opset, {"split": [1, 5], "axis": 0}, outputs=2),
            [x[:1], x[1:]])


def test_split_by_an_input():
    x = random(6, 2)
    compare(
        compiled("Split", {"x": x}, 1, {"axis": 0}, {"split": np.array([2.0, 4.0], np.float32)},
                 outputs=2), [x[:2], x[2:]])


@pytest.mark.parametrize("c,broadcast", [((4,), 1), ((3, 4), 0), ((1,), 1), ((), 1), ((3, 1), 1)])
def test_gemm(c, broadcast):
    inputs = {"a": random(3, 5), "b": random(5, 4, seed=1), "c": np.asarray(random(*c, seed=2))}
    attributes = {"alpha": 0.5, "beta": 2.0}
    for opset in (1, 6):
        compare(compiled("Gemm", inputs, opset, {"broadcast": broadcast, **attributes}),
                runtime("Gemm", inputs, 7, attributes))


def test_refused_gemm():
    inputs = {"a": random(3, 5), "b": random(5, 4), "c": random(4)}
    check_refused("expects C to have the shape of the product without broadcast = 1", "Gemm",
                  inputs, 6, {})


@pytest.mark.parametrize("shape,slope", [((2, 3, 4), (3,)), ((2, 3, 3), (3,)), ((2, 3, 4), (1,)),
                                         ((2, 3), (3,)), ((3,), (3,)), ((2, 3, 4), (2, 3, 4))])
def test_prelu(shape, slope):
    x, slopes = random(*shape), np.abs(random(*slope, seed=1))
    aligned = slopes.reshape(-1, *[1] *
                             (len(shape) - 2)) if len(slope) == 1 and len(shape) > 1 else slopes
    for opset in (1, 6):
        compare(compiled("PRelu", {"x": x, "s": slopes}, opset, {}),
                [np.where(x < 0, aligned * x, x)])
        compare(compiled("PRelu", {"x": x}, opset, {}, {"s": slopes}),
                [np.where(x < 0, aligned * x, x)])


def test_refused_prelu():
    check_refused("expects a slope for each channel", "PRelu",
                  {"x": random(2, 3, 4), "s": random(4)}, 6, {})


def statistics(channels):
    return {
        "s": random(channels), "b": random(channels, seed=1), "m": random(channels, seed=2), "v":
        np.abs(random(channels, seed=3)) + 0.5}


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (2, 3), (4, 3, 1, 1)])
def test_batch_normalization(shape):
    inputs = {"x": random(*shape), **statistics(3)}
    for opset, attributes in [(1, {"is_test": 1, "consumed_inputs": [0] * 5}), (6, {"is_test": 1}),
                              (6, {})]:
        compare(compiled("BatchNormalization", inputs, opset, attributes),
                runtime("BatchNormalization", inputs, 9, {}))
    # With more outputs it trains.
    for opset in (1, 6, 7, 13):
        compare(compiled("BatchNormalization", inputs, opset, {"momentum": 0.8}, outputs=5),
                runtime("BatchNormalization", inputs, 9, {"momentum": 0.8}, outputs=5))
    check_refused('expects one output where is_test = 1, but got output 1 ("y1")',
                  "BatchNormalization", inputs, 6, {"is_test": 1}, outputs=5)


@pytest.mark.parametrize("opset", [6, 7, 8])
def test_batch_normalization_of_features(opset):
    shape = (3, 4, 5)
    inputs = {
        "x": random(2, *shape), "s": random(*shape), "b": random(*shape, seed=1), "m": random(
            *shape, seed=2), "v": np.abs(random(*shape, seed=3)) + 0.5}
    compare(compiled("BatchNormalization", inputs, opset, {"spatial": 0, "epsilon": 1e-3}),
            runtime("BatchNormalization", inputs, 7, {"spatial": 0, "epsilon": 1e-3}))
    check_refused("expects statistics of the rank of the data without the batch where spatial = 0",
                  "BatchNormalization", {"x": random(2, 3, 4), **statistics(3)}, opset,
                  {"spatial": 0})


def test_dropout():
    x = random(3)
    for opset in (1, 6):
        compare(compiled("Dropout", {"x": x}, opset, {"is_test": 1}, outputs=2),
                [x, np.zeros_like(x)])
        compare(compiled("Dropout", {"x": x}, opset, {"ratio": 0.0}), [x])
        check_refused(
            "expects is_test = 1 or ratio = 0, but got ratio = 0.5: dropout in training is random",
            "Dropout", {"x": x}, opset, {})
    for opset in (7, 10, 12):
        compare(compiled("Dropout", {"x": x}, opset, {}, outputs=2),
                runtime("Dropout", {"x": x}, opset, {}, outputs=2))


def test_topk():
    x = random(3, 8)
    compare(compiled("TopK", {"x": x}, 1, {"k": 3}, outputs=2),
            runtime("TopK", {"x": x}, 10, {}, {"k": np.array([3])}, outputs=2))


@pytest.mark.parametrize("opset", [1, 6])
def test_convolutions(opset):
    inputs = {"x": random(1, 4, 7, 7), "w": random(4, 4, 3, 3)}
    for op in ("Conv", "ConvTranspose"):
        compare(compiled(op, inputs, opset, {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
                runtime(op, inputs, 7, {"strides": [2, 2], "pads": [1, 1, 1, 1]}))


@pytest.mark.parametrize("op,gates", [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
@pytest.mark.parametrize("opset", [1, 3, 6])
def test_recurrent(op, gates, opset):
    inputs = {
        "x": random(5, 2, 3), "w": random(1, gates * 4, 3, seed=1), "r": random(
            1, gates * 4, 4, seed=2), "b": random(1, gates * 8, seed=3)}
    attributes: dict = {"hidden_size": 4}
    expected = runtime(op, inputs, 7, attributes, outputs=2)
    if opset < 3:
        attributes["output_sequence"] = 1
    if opset < 3 and op == "GRU":
        # As the default was misspelt.
        attributes["direction"] = "foward"
    compare(compiled(op, inputs, opset, attributes, outputs=2), expected)


def test_not():
    x = random(2, 3) > 0
    compare(compiled("Not", {"x": x}, 1, {}), [~x])


@pytest.mark.parametrize("op,attributes",
                         [("Affine", {"alpha": 2.0, "beta": -1.5}), ("Affine", {}),
                          ("ParametricSoftplus", {"alpha": 0.5, "beta": 2.0}),
                          ("ScaledTanh", {"alpha": 1.7, "beta": 0.6}), ("Scale", {"scale": 3.0}),
                          ("Scale", {}), ("ThresholdedRelu", {"alpha": 0.5}),
                          ("ThresholdedRelu", {}),
                          ("ImageScaler", {"scale": 2.0, "bias": [1.0, -2.0, 0.5]}),
                          ("Crop", {"border": [1, 0, 2, 1]}),
                          ("Crop", {"border": [1, 2, 0, 0], "scale": [2, 3]}),
                          ("MeanVarianceNormalization", {}),
                          ("MeanVarianceNormalization", {"across_channels": 1}),
                          ("MeanVarianceNormalization", {"normalize_variance": 0})])
@pytest.mark.parametrize("opset", [1, 8])
def test_experimental(op, attributes, opset):
    x = random(2, 3, 5, 6)
    compare(compiled(op, {"x": x}, opset, attributes), runtime(op, {"x": x}, opset, attributes))


def test_refused_experimental():
    x = random(2, 3, 5, 6)
    check_refused('expects attribute "beta"', "ScaledTanh", {"x": x}, 1, {"alpha": 1.0})
    check_refused("expects floats, but got", "Affine", {"x": x.astype(np.int32)}, 1, {})
    check_refused("expects a bias for each channel of", "ImageScaler", {"x": x}, 1,
                  {"bias": [1.0]})
    check_refused("expects 4 entries in border, but got 2", "Crop", {"x": x}, 1,
                  {"border": [1, 1]})
    check_refused("expects a border within", "Crop", {"x": x}, 1, {"border": [0, 6, 0, 0]})
    check_refused("expects 0 to 4 elements from element 1 on along axis 2, but got 5", "Crop",
                  {"x": x}, 1, {"border": [0, 1, 0, 0], "scale": [5, 1]})
    check_refused("expects floats of rank 4", "Crop", {"x": x[0]}, 1, {"border": [0, 0, 0, 0]})
    check_refused("exists up to opset 9", "Scale", {"x": x}, 10, {})
    check_refused("expects data of rank 4", "MeanVarianceNormalization", {"x": x[0]}, 1, {})
    check_refused("GivenTensorFill (no conversion)", "GivenTensorFill", {"x": x}, 1, {})


@pytest.mark.parametrize("op", ["LayerNormalization", "SimplifiedLayerNormalization"])
@pytest.mark.parametrize("opset", [1, 11, 16])
def test_normalizations_of_later_opsets(op, opset):
    """ONNX Runtime has them from opset 1, and exporters write them."""
    inputs = {"x": random(2, 5, 8), "s": random(8, seed=1)}
    if op == "LayerNormalization":
        inputs["b"] = random(8, seed=2)
    compare(compiled(op, inputs, opset, {"axis": -1}), runtime(op, inputs, opset, {"axis": -1}))


def test_no_opset():
    """Until IR version 2 models had no opset, which is opset 1 then."""
    x, y = random(2, 3), random(2)
    model = make("Add", {"x": x, "y": y}, 1, {"broadcast": 1, "axis": 0})
    del model.opset_import[:]
    model.ir_version = 2
    compare([rm.compile(model).run({"x": x, "y": y})], [x + y[:, None]])
    model.ir_version = 3
    with pytest.raises(rm.CompileError, match="without a graph or an opset"):
        rm.compile(model)


def test_function_of_an_old_opset():
    """A function has an opset of its own."""
    x, y = random(2, 3), random(2)
    function = helper.make_function(
        "local", "f", ["a", "b"], ["c"],
        [helper.make_node("Add", ["a", "b"], ["c"], broadcast=1, axis=0)],
        [helper.make_opsetid("", 6)])
    graph = helper.make_graph([
        helper.make_node("f", ["x", "y"], ["z"], domain="local"),
        helper.make_node("Relu", ["z"], ["w"])], "g", [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape),
            helper.make_tensor_value_info("y", TensorProto.FLOAT, y.shape)],
                              [helper.make_empty_tensor_value_info("w")])
    model = helper.make_model(
        graph, functions=[function], ir_version=8, opset_imports=[
            helper.make_opsetid("", 17),
            helper.make_opsetid("local", 1)])
    compare([rm.compile(model).run({"x": x, "y": y})], [np.maximum(x + y[:, None], 0)])


@pytest.mark.parametrize("name", ["?", "-1", "", "None", "unk"])
def test_names_that_promise_nothing(name):
    """Exporters write one name for all sizes that they do not know."""
    x = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[1, 1] x) => (y) { y = Relu(x) }')
    shape = x.graph.input[0].type.tensor_type.shape
    for dim in shape.dim:
        dim.dim_param = name
    data = random(2, 3)
    compare([rm.compile(x).run({"x": data})], [np.maximum(data, 0)])
