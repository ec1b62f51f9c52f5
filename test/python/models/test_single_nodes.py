# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose results have several outputs or that put data into place, each by
itself, against ONNX Runtime or the reference evaluator of ONNX."""

import numpy as np
import pytest
from onnx import helper

import relay_mlir as rm
from single_nodes import check_refused, compare, compiled, machine, make, random, reference, runtime

pytestmark = pytest.mark.share(3)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("shape,attributes", [
    ((2, 3, 6, 7), {"kernel_shape": [2, 3], "strides": [2, 1]}),
    ((2, 3, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 0, 2, 1]}),
    ((1, 2, 7, 7), {"kernel_shape": [2, 2], "dilations": [2, 3]}),
    ((1, 2, 7, 8), {"kernel_shape": [3, 2], "strides": [2, 3], "ceil_mode": 1}),
    ((1, 2, 7, 8), {"kernel_shape": [3, 2], "strides": [2, 3], "auto_pad": "SAME_UPPER"}),
    ((1, 2, 7, 8), {"kernel_shape": [3, 2], "strides": [2, 3], "auto_pad": "SAME_LOWER"}),
    ((2, 3, 9), {"kernel_shape": [3]}),
    ((2, 2, 4, 5, 6), {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2]}),
    ((1, 1, 1, 1), {"kernel_shape": [1, 1]})])
def test_indices_of_maxima(shape, attributes, order):
    # Equal numbers: the first one counts.
    for x in (random(*shape), np.round(random(*shape)), np.zeros(shape, np.float32)):
        attributes = {**attributes, "storage_order": order}
        compare(compiled("MaxPool", {"x": x}, 12, attributes, outputs=2),
                runtime("MaxPool", {"x": x}, 12, attributes, outputs=2))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float64])
def test_indices_of_maxima_of_other_types(dtype):
    x = np.random.default_rng(0).integers(0, 100, (1, 2, 6, 6)).astype(dtype)
    attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    compare(compiled("MaxPool", {"x": x}, 12, attributes, outputs=2),
            runtime("MaxPool", {"x": x}, 12, attributes, outputs=2))


def test_indices_of_an_open_batch():
    x = random(3, 2, 6, 6)
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
    compare(compiled("MaxPool", {"x": x}, 12, attributes, outputs=2, dims={"x": ["N", 2, 6, 6]}),
            runtime("MaxPool", {"x": x}, 12, attributes, outputs=2))
    check_refused("add up to at most 1024 for the indices of maxima, but got 2000", "MaxPool",
                  {"x": random(1, 1, 1000, 1000)}, 12, {"kernel_shape": [1000, 1000]}, outputs=2)


@pytest.mark.parametrize("shape", [(2, 3, 6, 8), (1, 2, 7, 7), (1, 1, 4, 4, 4)])
def test_max_unpool(shape):
    x = random(*shape)
    rank = len(shape) - 2
    attributes = {"kernel_shape": [2] * rank, "strides": [2] * rank}
    values, indices = runtime("MaxPool", {"x": x}, 12, attributes, outputs=2)
    inputs = {"v": values, "i": indices}
    for constants in ({}, {"shape": np.array(shape)}):
        if not constants and any(size % 2 for size in shape[2:]):
            continue
        compare(compiled("MaxUnpool", inputs, 11, attributes, constants),
                runtime("MaxUnpool", inputs, 11, attributes, constants))


def test_refused_unpools():
    inputs = {"v": random(1, 1, 2, 2), "i": np.zeros((1, 1, 2, 2), np.int64)}
    attributes = {"kernel_shape": [2, 2]}
    check_refused("expects 4 sizes in output_shape, but got 2", "MaxUnpool", inputs, 11,
                  attributes, {"s": np.array([4, 4])})
    check_refused("expects a place for each element", "MaxUnpool", inputs, 11, attributes,
                  {"s": np.array([1, 1, 0, 4])})
    check_refused('expects attribute "kernel_shape" with 2 entries', "MaxUnpool", inputs, 11,
                  {"kernel_shape": [2]})
    check_refused("indices of the same shape", "MaxUnpool",
                  {**inputs, "i": np.zeros((1, 1, 2, 3), np.int64)}, 11, attributes)
    model = rm.compile(make("MaxUnpool", inputs, 11, attributes))
    with pytest.raises(ValueError, match="expects indices within the data"):
        model.run({**inputs, "i": np.full((1, 1, 2, 2), 99)})


@pytest.mark.parametrize("shape", [(4, 3, 2, 5), (4, 3), (1, 3, 1, 1), (2, 3, 7)])
@pytest.mark.parametrize("opset", [14, 15])
def test_batch_normalization_in_training(shape, opset):
    inputs = {
        "x": random(*shape), "s": random(3), "b": random(3, seed=1), "m": random(3, seed=2), "v":
        np.abs(random(3, seed=3))}
    attributes = {"training_mode": 1, "momentum": 0.75, "epsilon": 1e-3}
    expected = runtime("BatchNormalization", inputs, opset, attributes, outputs=3)
    compare(compiled("BatchNormalization", inputs, opset, attributes, outputs=3), expected)
    compare(compiled("BatchNormalization", inputs, opset, attributes), expected[:1])
    dims = {"x": ["N", "C", *shape[2:]]}
    compare(compiled("BatchNormalization", inputs, opset, attributes, outputs=3, dims=dims),
            expected)


def test_batch_normalization_of_half_floats():
    inputs = {
        "x": random(4, 3, 2, 5, dtype=np.float16), "s": random(3, dtype=np.float16), "b": random(
            3, dtype=np.float16), "m": random(3), "v": np.abs(random(3))}
    actual = compiled("BatchNormalization", inputs, 15, {"training_mode": 1}, outputs=3)
    expected = reference("BatchNormalization",
                         {k: v.astype(np.float32) for k, v in inputs.items()}, 15,
                         {"training_mode": 1}, outputs=3)
    compare(actual, [expected[0].astype(np.float16), *expected[1:]])


def test_refused_training():
    inputs = {"x": random(4, 3), "s": random(3), "b": random(3), "m": random(3), "v": random(3)}
    check_refused('expects one output without training_mode = 1, but got output 1 ("y1")',
                  "BatchNormalization", inputs, 14, {}, outputs=3)
    check_refused("expects a number for each channel", "BatchNormalization",
                  {**inputs, "s": random(4)}, 14, {"training_mode": 1})


@pytest.mark.parametrize("ratio,training", [(0.5, False), (0.0, True), (0.0, False)])
def test_dropout_that_does_nothing(ratio, training):
    constants = {"r": np.float32(ratio), "t": np.array(training)}
    compare(*(function("Dropout", {"x": random(3)}, 13, {}, constants, outputs=2)
              for function in (compiled, runtime)))


@pytest.mark.parametrize("size,axes", [((3, 8), None), ((5, 2), None), ((4, 7), None), ((9,), [0]),
                                       ((2, 9), [-1, 0]), ((0, 3), None)])
def test_center_crop_pad(size, axes):
    x = random(4, 7)
    attributes = {} if axes is None else {"axes": axes}
    constants = {"s": np.array(size)}
    compare(compiled("CenterCropPad", {"x": x}, 18, attributes, constants),
            reference("CenterCropPad", {"x": x}, 18, attributes, constants))


def test_center_crop_pad_of_open_sizes():
    x = random(4, 7)
    compare(
        compiled("CenterCropPad", {"x": x}, 18, {"axes": [1]}, {"s": np.array([5])}, dims={
            "x": ["N", 7]}), [x[:, 1:6]])
    compare(
        compiled("CenterCropPad", {"x": x}, 18, {"axes": [1]}, {"s": np.array([5])}, dims={
            "x": ["N", "M"]}), [x[:, 1:6]])
    check_refused("expects 2 sizes, but got 1", "CenterCropPad", {"x": x}, 18, {},
                  {"s": np.array([5])})
    check_refused("expects sizes, but got -5", "CenterCropPad", {"x": x}, 18, {},
                  {"s": np.array([-5, 7])})


@pytest.mark.parametrize("image,block,attributes",
                         [([5, 6], [2, 3], {}), ([5, 5], [2, 2], {"strides": [2, 2]}),
                          ([5, 6], [2, 2], {"pads": [1, 0, 0, 2]}),
                          ([6, 6], [2, 3], {"dilations": [2, 1], "strides": [1, 2]}),
                          ([4, 4, 5], [2, 1, 2], {}), ([5, 4], [1, 1], {})])
def test_col2im(image, block, attributes):
    count = 1
    for axis, (size, extent) in enumerate(zip(image, block)):
        rank = len(image)
        pads = attributes.get("pads", [0] * 2 * rank)
        covered = (extent - 1) * attributes.get("dilations", [1] * rank)[axis] + 1
        count *= (size + pads[axis] + pads[axis + rank] - covered) // attributes.get(
            "strides", [1] * rank)[axis] + 1
    x = random(2, 3 * int(np.prod(block)), count)
    constants = {"i": np.array(image), "b": np.array(block)}
    compare(compiled("Col2Im", {"x": x}, 18, attributes, constants),
            runtime("Col2Im", {"x": x}, 18, attributes, constants))


@pytest.mark.parametrize("image,block,attributes", [
    ([5, 6], [2, 3], {}), ([5, 5], [2, 2], {"strides": [2, 2]}),
    ([5, 6], [2, 2], {"pads": [1, 0, 0, 2]}), ([6, 6], [2, 3], {"dilations": [2, 1], "strides": [1, 2]}),
    ([4, 4, 5], [2, 1, 2], {}), ([7], [3], {"pads": [1, 1]}), ([1, 1], [1, 1], {}), ([3, 4], [3, 4], {})])
@pytest.mark.parametrize("batch,channels", [(2, 3), (1, 1), (0, 2), (2, 0)])
@pytest.mark.parametrize("dims", [{}, {"x": ["n", "rows", "blocks"]}])
def test_col2im_of_a_computed_block(image, block, attributes, batch, channels, dims):
    rank = len(image)
    pads, strides, dilations = (attributes.get(name, [default] * count) for name, default, count in (
        ("pads", 0, 2 * rank), ("strides", 1, rank), ("dilations", 1, rank)))
    count = np.prod([(image[axis] + pads[axis] + pads[axis + rank] - (block[axis] - 1) * dilations[axis] - 1)
                     // strides[axis] + 1 for axis in range(rank)])
    inputs = {"x": random(batch, channels * int(np.prod(block)), count),
              "i": np.array(image), "b": np.array(block)}
    arguments = ("Col2Im", inputs, 18, attributes)
    if channels == 0 or batch == 0:
        [result] = machine(*arguments, dims=dims)
        assert result.shape == (batch, channels, *image)
        return
    expected = runtime(*arguments)
    compare(machine(*arguments, dims=dims), expected)
    # Only the block.
    fixed = ("Col2Im", {"x": inputs["x"], "b": inputs["b"]}, 18, attributes, {"i": inputs["i"]})
    compare(machine(*fixed, dims=dims, order=["x", "i", "b"]), expected)


@pytest.mark.parametrize("image,block", [
    ([5, 6], [2, 2]),  # of 4 elements, which do not divide 6 rows
    ([5, 6], [0, 3]), ([5, 6], [-2, -3]), ([5, 6], [2**32, 2**32]), ([5, 6], [2**62, 3]),
    ([5, 5], [2, 3]), ([0, 6], [2, 3]), ([-5, -6], [2, 3]), ([2**62, 6], [2, 3]),
    ([2**32, 2**32], [2, 3]), ([5, 6], [6, 1]), ([5, 6], [1, 6])])
def test_wrong_col2im_at_run_time(image, block):
    with pytest.raises(ValueError, match="expects an image and blocks that the data fits"):
        machine("Col2Im", {"x": random(1, 6, 16), "i": np.array(image), "b": np.array(block)}, 18, {})


def test_refused_col2im():
    x = random(1, 6, 20)
    check_refused("expects a multiple of 6 rows and 16 blocks, but got", "Col2Im", {"x": x}, 18,
                  {}, {"i": np.array([5, 6]), "b": np.array([2, 3])})
    check_refused("expects sizes of the image that are positive, but got 0", "Col2Im", {"x": x},
                  18, {}, {"i": np.array([0, 6]), "b": np.array([2, 3])})
    check_refused("and as many sizes of the image as of a block", "Col2Im", {"x": x}, 18, {},
                  {"i": np.array([5]), "b": np.array([2, 3])})
    check_refused("and as many sizes of the image as of a block", "Col2Im",
                  {"x": x, "i": np.array([5, 6]), "b": np.array([2])}, 18, {})


@pytest.mark.parametrize("mode,begin", [("linear", [0, 3]), ("circular", [4, 9]), ("linear", None),
                                        ("circular", [-1, 5])])
@pytest.mark.parametrize("axis", [-2, 1, 3])
def test_tensor_scatter(mode, begin, axis):
    shape, update = [2, 6, 6, 6], [2, 6, 6, 6]
    update[axis] = 3
    inputs = {"c": random(*shape), "u": random(*update, seed=1)}
    if begin:
        inputs["i"] = np.array(begin)
    attributes = {"mode": mode, "axis": axis}
    compare(compiled("TensorScatter", inputs, 24, attributes),
            reference("TensorScatter", inputs, 24, attributes))


def test_refused_scatters():
    c, u = random(2, 6, 4), random(2, 3, 4)
    check_refused("expects mode linear or circular", "TensorScatter", {"c": c, "u": u}, 24,
                  {"mode": "x"})
    check_refused("expects an axis other than 0", "TensorScatter", {"c": c, "u": u}, 24,
                  {"axis": 0})
    check_refused("that fits into the cache along axis 1", "TensorScatter",
                  {"c": c, "u": random(2, 7, 4)}, 24, {})
    check_refused("with the sizes of the cache but along axis 1", "TensorScatter",
                  {"c": c, "u": random(2, 3, 5)}, 24, {})


@pytest.mark.parametrize("equation,shapes", [("ii->i", [(4, 4)]), ("ii", [(4, 4)]),
                                             ("bii->bi", [(2, 3, 3)]), ("iji->j", [(3, 2, 3)]),
                                             ("iii->i", [(3, 3, 3)]), ("...ii->...i", [(2, 3, 3)]),
                                             ("ii,ij->j", [(3, 3), (3, 2)]),
                                             ("iijj->ij", [(2, 2, 3, 3)]), ("ii->i", [(1, 1)]),
                                             ("ii->i", [(0, 0)])])
def test_einsum_of_diagonals(equation, shapes):
    inputs = {f"x{i}": random(*shape, seed=i) for i, shape in enumerate(shapes)}
    expected = np.einsum(equation, *inputs.values())
    compare(compiled("Einsum", inputs, 12, {"equation": equation}), [np.asarray(expected)])


def test_einsum_repeats_dimensions_of_one():
    for equation, shapes in (("...ij,...jk->...ik", ((2, 2, 3), (1, 3, 4))),
                             ("...i,...i->...i", ((2, 1, 3), (1, 4, 3))),
                             ("bij,bjk,bk->bi", ((2, 2, 3), (1, 3, 4), (2, 1))),
                             ("ij,jk->ik", ((2, 1), (3, 4))), ("ij,ij->", ((2, 3), (1, 3))),
                             ("i,i->i", ((1,), (1,)))):
        inputs = {f"x{i}": random(*shape) for i, shape in enumerate(shapes)}
        expected = np.einsum(equation, *inputs.values())
        compare(compiled("Einsum", inputs, 12, {"equation": equation}), [np.asarray(expected)])


def test_refused_diagonals():
    check_refused("expects equal, static sizes of a repeated label", "Einsum", {"x": random(2, 3)},
                  12, {"equation": "ii->i"})
    check_refused("expects each label once in the result", "Einsum", {"x": random(2)}, 12,
                  {"equation": "i->ii"})


@pytest.mark.parametrize("attributes", [{}, {"strides": [2, 1, 2], "pads": [1, 0, 1, 0, 1, 1]}, {
    "group": 2, "output_padding": [1, 0, 1], "strides": [2, 2, 2]}, {
        "output_shape": [7, 7, 7], "strides": [2, 2, 2]}])
def test_transposed_convolution_of_volumes(attributes):
    inputs = {
        "x": random(1, 4, 3, 3, 3), "w": random(4, 2, 3, 3, 3), "b":
        random(2 * attributes.get("group", 1))}
    compare(compiled("ConvTranspose", inputs, 11, attributes),
            runtime("ConvTranspose", inputs, 11, attributes))


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (2, 4, 4), (2, 3, 5, 5), (6, 6),
                                   (0, 3, 3)])
def test_determinants(shape):
    x = random(*shape)
    compare(compiled("Det", {"x": x}, 11, {}), [np.asarray(np.linalg.det(x))])
    check_refused("expects square matrices of 1 to 6 rows", "Det", {"x": random(2, 3)}, 11, {})
    check_refused("expects square matrices of 1 to 6 rows", "Det", {"x": random(7, 7)}, 11, {})


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def layer(op, directions=1, hidden=4):
    gates = GATES[op]
    inputs = {
        "x": random(5, 3, 2), "w": random(directions, gates * hidden, 2, seed=1), "r": random(
            directions, gates * hidden, hidden,
            seed=2), "b": random(directions, 2 * gates * hidden, seed=3), "lens":
        np.array([5, 2, 3], np.int32), "h": random(directions, 3, hidden, seed=4)}
    if op == "LSTM":
        inputs["c"] = random(directions, 3, hidden, seed=5)
    return inputs


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("constant", [False, True])
def test_sequences_of_several_lengths(op, direction, constant):
    inputs = layer(op, 1 + (direction == "bidirectional"))
    attributes = {"hidden_size": 4, "direction": direction}
    outputs = 3 if op == "LSTM" else 2
    expected = runtime(op, inputs, 14, attributes, outputs=outputs)
    order = list(inputs)
    constants = {"lens": inputs.pop("lens")} if constant else {}
    compare(compiled(op, inputs, 14, attributes, constants, outputs=outputs, order=order),
            expected)


@pytest.mark.parametrize("op", GATES)
def test_clipped_layers(op):
    inputs = layer(op)
    attributes = {"hidden_size": 4, "clip": 0.3}
    compare(compiled(op, inputs, 14, attributes, outputs=2),
            runtime(op, inputs, 14, attributes, outputs=2))


def test_coupled_gates():
    inputs = layer("LSTM")
    attributes = {"hidden_size": 4, "input_forget": 1}
    compare(compiled("LSTM", inputs, 14, attributes, outputs=3),
            runtime("LSTM", inputs, 14, attributes, outputs=3))


@pytest.mark.parametrize("name,alpha,beta", [("Affine", [0.5], [0.1]), ("LeakyRelu", [0.2], None),
                                             ("LeakyRelu", None, None),
                                             ("ThresholdedRelu", [0.1], None),
                                             ("ScaledTanh", [0.5], [0.7]),
                                             ("HardSigmoid", [0.3], [0.4]),
                                             ("HardSigmoid", None, None), ("Elu", [0.7], None),
                                             ("Softsign", None, None), ("Softplus", None, None)])
def test_activations_of_layers(name, alpha, beta):
    inputs = layer("RNN")
    attributes = {"hidden_size": 4, "activations": [name]}
    if alpha:
        attributes["activation_alpha"] = alpha
    if beta:
        attributes["activation_beta"] = beta
    compare(compiled("RNN", inputs, 14, attributes, outputs=2),
            runtime("RNN", inputs, 14, attributes, outputs=2))


def test_numbers_of_several_activations():
    inputs = layer("LSTM")
    attributes = {
        "hidden_size": 4, "activations": ["HardSigmoid", "Tanh", "ScaledTanh"], "activation_alpha":
        [0.3, 0.9], "activation_beta": [0.4, 0.8]}
    compare(compiled("LSTM", inputs, 14, attributes, outputs=2),
            runtime("LSTM", inputs, 14, attributes, outputs=2))


def test_refused_layers():
    inputs = layer("RNN")
    check_refused("expects clip to be positive, but got -1", "RNN", inputs, 14,
                  {"hidden_size": 4, "clip": -1.0})
    check_refused('expects activations of Relu, Tanh', "RNN", inputs, 14,
                  {"hidden_size": 4, "activations": ["Gelu"]})
    check_refused("expects 1 activations, but got 2", "RNN", inputs, 14,
                  {"hidden_size": 4, "activations": ["Tanh", "Tanh"]})
    check_refused("expects a length for each sequence", "RNN",
                  {**inputs, "lens": np.ones((3, 1), np.int32)}, 14, {"hidden_size": 4})


def test_input_without_a_shape():
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", 1, None)],
                              [helper.make_empty_tensor_value_info("y")])
    with pytest.raises(
            rm.CompileError,
            match="or in the model, with a size or a name of a size for each dimension"):
        rm.compile(
            helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]))
