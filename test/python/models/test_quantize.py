# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relay_mlir.quantize and relay-quantize: networks that were trained, in integers."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm
from relay_mlir.quantization.__main__ import main

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"
sys.path.insert(0, str(ROOT / "utils" / "models"))

import quantized
import trained
from graph import Graph

pytestmark = pytest.mark.share(2)


def network(batch="n", seed=0):
    """Two convolutions, one by channels, and a dense layer."""
    g = Graph("small", batch, seed)
    x = g.relu(g.conv(g.input("x", [3, 8, 8]), "first", 3, 8, 3, pad=1, bias=True))
    x = g.relu(g.conv(x, "second", 8, 8, 3, pad=1, groups=8, bias=True))
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    g.output(g.linear(x, "classes", 8, 5), "y", [5])
    return g.model()


def images(count=8, seed=1, shape=(3, 8, 8)):
    return np.random.default_rng(seed).normal(0, 1, (count, *shape)).astype(np.float32)


def as_tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


@pytest.mark.parametrize("name", ["digits_mlp", "digits_cnn", "digits_residual",
                                  "digits_depthwise", "digits_mobile", "digits_attention"])
def test_accuracy(name):
    """Top-1 within half a point of that in floats, on digits that are not those of the ranges."""
    model = trained.load(name)
    key = model.graph.input[0].name
    inputs, _ = trained.training_samples(name, 256)
    result = rm.quantize(model, {key: inputs.astype(np.float32)})
    x, y = trained.samples(name, None)
    x = x.astype(np.float32)
    right = [trained.measure(name, as_tuple(rm.compile(net).run({key: x})), y)
             for net in (model, result.module)]
    assert right[1] >= right[0] - 0.005, right
    report = result.report
    assert report.num_integer == len(report.layers) and report.sqnr[0] > 20
    # Weights are bytes; biases and scales are not.
    assert report.bytes[1] < 0.5 * report.bytes[0]


@pytest.mark.parametrize("name", ["digits_mlp", "digits_cnn"])
def test_weights_of_7_bits(name):
    """Within half a point, too; the largest are 63, and those of 8 bits 127."""
    model = trained.load(name)
    key = model.graph.input[0].name
    inputs, _ = trained.training_samples(name, 256)
    x, y = trained.samples(name, None)
    x = x.astype(np.float32)
    largest, right = {}, [trained.measure(name, as_tuple(rm.compile(model).run({key: x})), y)]
    for bits in rm.quantization.WEIGHT_BITS:
        result = rm.quantize(model, {key: inputs.astype(np.float32)}, weight_bits=bits)
        right.append(trained.measure(name, as_tuple(rm.compile(result.module).run({key: x})), y))
        assert result.report.weight_bits == bits
        assert f"weights: {bits} bits" in result.text()
        text = result.module.print(elide_larger=None)
        names = re.findall(r"dense_resource<(\S+)> : tensor<[0-9x]+xi8>", text)
        # The first four bytes are the alignment.
        weights = [np.frombuffer(bytes.fromhex(digits)[4:], np.int8) for name in names
                   for digits in re.findall(rf'{re.escape(name)}: "0x(\w+)"', text)]
        assert len(weights) == len(result.report.layers)
        largest[bits] = max(np.abs(weight.astype(int)).max() for weight in weights)
    assert largest == {7: 63, 8: 127}
    assert min(right[1:]) >= right[0] - 0.005, right


AVX2, VNNI = "x86-64-v3", "x86-64-v3,+avxvnni"


@pytest.mark.parametrize("target, sign, budget, bits, says", [
    (AVX2, True, 0.5, 7, "weights: 7 bits (chosen, since the target"),
    (AVX2, True, 0.0, 8, "weights: 8 bits (7 would be faster, but lose "),
    (AVX2, False, 0.5, 8, "weights: 8 bits\n"),
    (AVX2, True, None, 8, "weights: 8 bits\n")])
def test_chosen_weight_bits(target, sign, budget, bits, says):
    """7 where the target gains by them, data has a sign, and a budget allows for it."""
    x = np.random.default_rng(0).standard_normal((8, 3, 8, 8)).astype(np.float32)
    result = rm.quantize(network(), {"x": x if sign else np.abs(x)}, target=target,
                         budget=budget)
    assert result.report.weight_bits == bits
    assert says in result.text()
    # What is asked for is what it is.
    assert rm.quantize(network(), {"x": x}, target=target, budget=0.5,
                       weight_bits=8).report.weight_bits == 8


@pytest.mark.parametrize("target, gains", [(AVX2, True), (VNNI, False), ("x86-64-v2", False),
                                           ("aarch64", False), ("sapphirerapids", False)])
def test_targets_that_gain(target, gains):
    module = rm.IRModule.parse("func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {"
                               " return %x : tensor<1xf32> }")
    module.run_passes(f'builtin.module(relay-attach-target{{target="{target}"}})')
    assert module._impl.gains_by_small_weights() == gains


def uneven(model, factor, seed=0):
    """The same function of floats, of which one in four of the channels inside of a block is
    so many times as large: a normalisation is, and what reads it is as many times as small."""
    rng = np.random.default_rng(seed)
    result = onnx.ModelProto()
    result.CopyFrom(model)
    arrays = {t.name: onnx.numpy_helper.to_array(t).copy() for t in result.graph.initializer}
    producers = {name: node for node in result.graph.node for name in node.output}
    readers: dict[str, list] = {}
    for node in result.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    for node in result.graph.node:
        value = node.output[0]
        if node.op_type == "Relu" and \
                producers[node.input[0]].op_type == "BatchNormalization":
            source = producers[node.input[0]]
        elif node.op_type == "LayerNormalization":
            source = node
        else:
            continue
        if any(reader.op_type not in ("Conv", "MatMul") for reader in readers[value]):
            continue
        factors = np.where(rng.random(len(arrays[source.input[1]])) < 0.25, factor, 1)
        for name in source.input[1:3]:
            arrays[name] = arrays[name] * factors.astype(np.float32)
        for reader in readers[value]:
            weight = arrays[reader.input[1]]
            # Of a matrix product columns of data are rows of the weight, and of a
            # depthwise convolution there is one weight for each channel.
            axis = 0 if reader.op_type == "MatMul" or weight.shape[1] == 1 else 1
            shape = [-1 if i == axis else 1 for i in range(weight.ndim)]
            arrays[reader.input[1]] = weight / factors.astype(np.float32).reshape(shape)
    for tensor in result.graph.initializer:
        tensor.CopyFrom(onnx.numpy_helper.from_array(arrays[tensor.name], tensor.name))
    return result


@pytest.mark.parametrize("name, factor", [("digits_mobile", 64), ("digits_attention", 256)])
def test_equalization(name, factor):
    """What a network has lost to few large channels comes back, within half a point."""
    model = uneven(trained.load(name), factor)
    key = model.graph.input[0].name
    inputs = trained.training_samples(name, 128)[0].astype(np.float32)
    x, y = trained.samples(name, None)
    x = x.astype(np.float32)

    def right(module):
        return trained.measure(name, as_tuple(rm.compile(module).run({key: x})), y)

    floats = right(model)
    assert abs(floats - right(trained.load(name))) <= 0.005
    before = rm.quantize(model, {key: inputs}, calibration="min_max")
    after = rm.quantize(model, {key: inputs}, calibration="min_max", equalize=0.5)
    shares = right(before.module), right(after.module)
    print(f"{name}: {floats:.1%} of floats, {shares[0]:.1%} before, {shares[1]:.1%} after")
    step, = after.report.steps
    assert step.name == "equalization" and step.before == before.report.sqnr
    assert step.after == after.report.sqnr and step.after[0] > step.before[0] + 10
    assert shares[0] < floats - 0.03 and shares[1] >= floats - 0.005
    assert re.search(r"^equalization: weights of \d+ layers, .* dB$", after.text(), re.M)


def test_bias_correction():
    """Means of results are closer to those of floats."""
    digits = trained.load("digits_residual")
    inputs = trained.training_samples("digits_residual", 64)[0].astype(np.float32)
    report = rm.quantize(digits, {digits.graph.input[0].name: inputs}, calibration="min_max",
                         correct_bias=True).report
    # How much depends on the training, and so on the processor; 1.3 dB on one.
    assert report.steps[0].after[0] > report.steps[0].before[0] + 0.2
    assert report.num_integer == len(report.layers)
    model = network()
    weights = {t.name: t for t in model.graph.initializer}
    # All of a row is rounded to the same side.
    array = onnx.numpy_helper.to_array(weights["second.weight"]).copy()
    array[:] = 1.4 / 127
    array[:, :, 0, 0] = 1
    weights["second.weight"].CopyFrom(onnx.numpy_helper.from_array(array, "second.weight"))
    x = images(64)
    floats = rm.compile(model).run({"x": x}).mean(axis=0)
    errors = []
    for correct in (False, True):
        result = rm.quantize(model, {"x": x}, correct_bias=correct, calibration="min_max")
        outputs = rm.compile(result.module).run({"x": x}).mean(axis=0)
        errors.append(np.abs(outputs - floats).max())
    # What is left is of bytes that outputs are rounded to.
    assert errors[1] < 0.6 * errors[0], errors
    step, = result.report.steps
    assert step.name == "bias correction" and step.after[0] > step.before[0] + 2
    assert result.report.sqnr == step.after and result.report.num_integer == 3
    # Of layers in floats nothing is taken.
    nothing = rm.quantize(model, {"x": x}, correct_bias=True, budget=0.0)
    np.testing.assert_allclose(rm.compile(nothing.module).run({"x": x}),
                               rm.compile(model).run({"x": x}), rtol=1e-4, atol=1e-5)


def test_layers():
    """The report has the numbers of the network."""
    model, x = network(), images()
    result = rm.quantize(model, {"x": x}, calibration="min_max")
    first, second, classes = result.report.layers
    assert (first.low, first.high) == (x.min(), x.max())
    assert first.scale == pytest.approx(np.abs(x).max() / 128)
    weights = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    scales = np.abs(weights["first.weight"]).max(axis=(1, 2, 3)) / 127
    assert first.weight_scales == (pytest.approx(scales.min()), pytest.approx(scales.max()), 8)
    assert second.low == 0 and second.weight_scales is not None and second.weight_scales[2] == 8
    assert classes.weight_scales is not None and classes.weight_scales[2] == 5
    assert classes.op == "nn.dense"
    # A uniform error of a step of 1 / 128 of the range.
    rounded = np.clip(np.rint(x / first.scale), -127, 127) * first.scale
    expected = 10 * np.log10(np.sum(x.astype(float) ** 2) / np.sum((x - rounded.astype(float)) ** 2))
    assert first.sqnr_data == pytest.approx(expected, abs=0.1)
    assert all(not layer.reason for layer in result.report.layers)


def test_fixed_inputs(tmp_path):
    """What is the same in every run is no input of the network, and has no data."""
    model = network()
    [result] = [output.name for output in model.graph.output]
    model.graph.node.append(helper.make_node("Mul", [result, "scale"], ["scaled"]))
    model.graph.input.append(helper.make_tensor_value_info("scale", TensorProto.FLOAT, []))
    model.graph.output[0].name = "scaled"
    x = images()
    quantized = rm.quantize(model, {"x": x}, inputs={"scale": 2.0}, shapes={"x": [8, 3, 8, 8]})
    compiled = rm.compile(quantized.module)
    assert [(info.name, info.shape) for info in compiled.inputs] == [("x", (8, 3, 8, 8))]
    # Of the same sizes: kernels of an open batch may add in another order, and so find
    # ranges that differ by a bit.
    unscaled = rm.quantize(network(), {"x": x}, shapes={"x": [8, 3, 8, 8]})
    np.testing.assert_array_equal(compiled(x), 2 * rm.compile(unscaled.module)(x))
    onnx.save(model, tmp_path / "model.onnx")
    np.savez(tmp_path / "data.npz", x=x)
    np.save(tmp_path / "scale.npy", np.float32(2))
    for number, given in enumerate(["2", tmp_path / "scale.npy"]):
        output = tmp_path / f"{number}.mlir"
        assert main([str(tmp_path / "model.onnx"), f"--data={tmp_path / 'data.npz'}", "-o",
                     str(output), f"--input=scale={given}", "--shape=x=8x3x8x8"]) == 0
        np.testing.assert_array_equal(rm.compile(output)(x), compiled(x))


def test_constants_as_data():
    """Constants that are multiplied as data is have scales of their own, and so has data of
    which maxima are taken."""
    g = Graph("constants", "n", 0)
    x = g.input("x", [4, 8, 8])
    y = g.max_pool(g.relu(g.conv(x, "first", 4, 4, 3, pad=1)), "pool", 2, 2)
    y = g.conv(y, "second", 4, 4, 3, pad=1)
    y = g.op("Mul", g.scalar("small", 0.01, np.float32), y)
    y = g.op("Add", g.constant("large", np.full((4, 1, 1), 50, np.float32)), y)
    g.output(g.conv(y, "third", 4, 4, 1), "y", [4, 4, 4])
    data = {"x": images(8, shape=(4, 8, 8))}
    for equalize in (None, 0.5):
        report = rm.quantize(g.model(), data, calibration="min_max", equalize=equalize).report
        first, second, third = report.layers
        assert report.sqnr[0] > 25, report.sqnr
        assert second.low == 0 and second.high is not None and second.high > 0


def test_data_forms(tmp_path):
    """A file, arrays, and a list of samples are the same data; labels are not an input."""
    x = images()
    np.savez(tmp_path / "samples.npz", x=x, labels=np.arange(8) % 5)
    texts = {str(rm.quantize(network(), data).module) for data in [
        {"x": x}, [{"x": sample} for sample in x], tmp_path / "samples.npz",
        str(tmp_path / "samples.npz")]}
    assert len(texts) == 1
    report = rm.quantize(network(), tmp_path / "samples.npz", metric="top1").report
    assert report.top1 is not None and report.loss == pytest.approx(report.top1[0] - report.top1[1])
    fixed = rm.quantize(network(batch=4), {"x": x}).report
    assert fixed.num_samples == 8 and fixed.num_integer == 3
    assert rm.quantize(network(batch=4), {"x": x}, max_runs=1).report.num_samples == 4


@pytest.mark.parametrize("calibration", rm.quantization.CALIBRATIONS)
def test_calibrations(calibration):
    assert rm.quantize(network(), {"x": images(3)}, calibration=calibration).report.sqnr[0] > 15


def test_budget():
    """Fewer layers are integers where less may be lost; all or none at the ends."""
    x = images(16)
    everything = rm.quantize(network(), {"x": x}).report
    nothing = rm.quantize(network(), {"x": x}, budget=0.0)
    assert everything.num_integer == 3 and nothing.report.num_integer == 0
    assert nothing.report.loss <= 1e-9
    assert all("more than the budget" in layer.reason for layer in nothing.report.layers)
    some = rm.quantize(network(), {"x": x}, budget=everything.loss * 0.6).report
    assert some.loss <= everything.loss * 0.6 and 0 < some.num_integer < 3
    assert all(layer.sqnr_alone is not None for layer in some.layers)
    loose = rm.quantize(network(), {"x": x}, budget=0.5).report
    assert loose.num_integer == 3


@pytest.mark.parametrize("data, message", [
    ({}, "expects data for each input .x., but got none"),
    ({"y": images()}, "expects data for each input .x., but got y"),
    ({"x": images(), "z": images()}, "but got x, z"),
    ({"x": images().astype(np.float64)}, "expects x of float32, but got float64"),
    ({"x": images(shape=(3, 8, 7))}, r"expects samples of x of \[n, 3, 8, 8\].* but got "
     r"float32\[8, 3, 8, 7\]"),
    ({"x": images()[0]}, r"but got float32\[3, 8, 8\]"),
    ({"x": images(0)}, "expects samples, but got none"),
    ([], "but got none"),
    ([{"x": images()[0]}, {"x": images(shape=(3, 8, 9))[0]}], "expects samples of one shape"),
    ([{"x": images()[0]}, {"y": images()[0]}], "expects samples with a value for each of x"),
    ({"x": images(), "labels": np.arange(3)}, "expects labels to be 8 integers"),
    ({"x": images(), "labels": np.arange(8) + 100}, "expects labels from 0 to .* but got 100"),
    ({"x": images(), "labels": np.zeros(8)}, "expects labels to be 8 integers"),
    ({"x": np.zeros_like(images())}, "expects samples of what the network will see, but got only "
     "zeros for x"),
])
def test_wrong_data(data, message):
    with pytest.raises(ValueError, match=message):
        rm.quantize(network(), data)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_data_that_is_not_finite(bad):
    x = images()
    x[3, 1, 2, 5] = bad
    with pytest.raises(ValueError, match=rf"expects finite numbers for x, but got {bad} at "
                       r"\[3, 1, 2, 5\]"):
        rm.quantize(network(), {"x": x})
    # Finite itself, but not what the network makes of it.
    with pytest.raises(ValueError, match="of which the network computes numbers"):
        rm.quantize(network(), {"x": np.full((2, 3, 8, 8), 3e38, np.float32)})


def test_infinities_inside():
    """As of a mask: what reads them stays in floats, and all else is in integers."""
    g = Graph("masked", "n", 0)
    x = g.input("x", [6, 6])
    g.constant("mask", np.where(np.tri(6), 0, -np.inf).astype(np.float32))
    query, key, value = (g.op("MatMul", x, g.normal(name, (6, 6), 0.4)) for name in "qkv")
    scores = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 2, 1]))
    result = g.op("MatMul", g.op("Softmax", g.op("Add", scores, "mask"), axis=-1), value)
    g.output(g.op("MatMul", result, g.normal("out", (6, 6), 0.4)), "y", [6, 6])
    # Infinite where a number is 0.
    logarithms = g.op("Log", g.op("Relu", value))
    g.output(g.op("Exp", g.op("MatMul", g.op("Softmax", scores, axis=-1), logarithms)), "z", [6, 6])
    x = images(8, shape=(6, 6))
    result = rm.quantize(g.model(), {"x": x})
    reasons = {layer.reason for layer in result.report.layers}
    assert len(result.report.layers) == 7 and reasons == {"", "what it reads has infinities"}
    floats, integers = (rm.compile(net).run({"x": x}) for net in (g.model(), result.module))
    assert np.mean((floats[0] - integers[0]) ** 2) < 1e-3 * np.mean(floats[0]**2)
    assert np.isfinite(integers[1]).all() and ((integers[1] == 0) == (floats[1] == 0)).mean() > 0.9


def test_wrong_count():
    with pytest.raises(ValueError, match="expects a multiple of 4 samples for x of .*, but got 6"):
        rm.quantize(network(batch=4), {"x": images(6)})


def test_wrong_arguments():
    data = {"x": images()}
    with pytest.raises(ValueError, match="expects metric to be one of cosine, top1, but got 'l2'"):
        rm.quantize(network(), data, metric="l2")
    with pytest.raises(ValueError, match="expects calibration to be one of .* but got 'none'"):
        rm.quantize(network(), data, calibration="none")
    with pytest.raises(ValueError, match="expects budget from 0 to 1, but got -1"):
        rm.quantize(network(), data, budget=-1)
    with pytest.raises(ValueError, match="expects budget from 0 to 1, but got nan"):
        rm.quantize(network(), data, budget=float("nan"))
    with pytest.raises(TypeError, match="expects budget to be a number, but got 'much'"):
        rm.quantize(network(), data, budget="much")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expects max_runs to be 1 or more, but got 0"):
        rm.quantize(network(), data, max_runs=0)
    with pytest.raises(ValueError, match="expects equalize from 0 to 1, but got 2"):
        rm.quantize(network(), data, equalize=2)
    with pytest.raises(TypeError, match="expects equalize to be a number, but got 'all'"):
        rm.quantize(network(), data, equalize="all")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects correct_bias to be True or False, but got 1"):
        rm.quantize(network(), data, correct_bias=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expects weight_bits from 7 to 8, but got 4"):
        rm.quantize(network(), data, weight_bits=4)
    with pytest.raises(TypeError, match="expects weight_bits to be an integer, but got '7'"):
        rm.quantize(network(), data, weight_bits="7")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects data to be a path"):
        rm.quantize(network(), 3)
    with pytest.raises(TypeError, match="expects a path to an .onnx"):
        rm.quantize(3, data)


def test_networks_that_cannot_be():
    g = Graph("no products", 2, 0)
    g.output(g.relu(g.input("x", [4])), "y", [4])
    with pytest.raises(ValueError, match="expects a network with convolutions"):
        rm.quantize(g.model(), {"x": np.ones((2, 4), np.float32)})
    integers = rm.quantize(network(), {"x": images()}).module
    # As integers, and as floats between them.
    for model in (integers, quantized.quantize(network(), [{"x": images()}])):
        with pytest.raises(ValueError, match="expects a network of floats, but got one that is "
                           "quantized already"):
            rm.quantize(model, {"x": images()})


def test_moved_data():
    """Data that was reshaped behind a pooling has the range of what was pooled."""
    g = Graph("moved", "n", 0)
    x = g.max_pool(g.relu(g.conv(g.input("x", [3, 8, 8]), "first", 3, 8, 3, pad=1)), "pool", 2, 2)
    g.output(g.linear(g.op("Flatten", x, axis=1), "classes", 128, 5), "y", [5])
    for equalize in (None, 0.5):
        report = rm.quantize(g.model(), {"x": images()}, equalize=equalize).report
        first, classes = report.layers
        assert classes.low == 0 and classes.high is not None and classes.high > 0
        assert classes.scale is not None and classes.sqnr_data is not None
        assert report.num_integer == 2 and report.sqnr[0] > 25


def test_unknown_products():
    """A convolution of volumes stays in floats, and the report says so."""
    g = Graph("volumes", "n", 0)
    x = g.op("Conv", g.input("x", [2, 4, 4, 4]), g.normal("w", (2, 2, 3, 3, 3), 0.3))
    g.output(g.linear(g.op("Flatten", x, axis=1), "classes", 16, 5), "y", [5])
    report = rm.quantize(g.model(), {"x": images(shape=(2, 4, 4, 4))}).report
    reasons = {layer.op: layer.reason for layer in report.layers}
    assert reasons == {"nn.dense": "", "nn.conv3d": "quantization does not know the operator"}
    assert report.num_integer == 1 and report.floats["nn.conv3d"] == 1


def test_loops():
    """What runs in a loop, as often as an input says, stays in floats."""
    rng = np.random.default_rng(5)
    weights = {name: rng.normal(0, 0.5, (8, 8)).astype(np.float32) for name in ("w", "inner")}
    step = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["still"]),
         helper.make_node("MatMul", ["state", "inner"], ["next"])], "step",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []),
         helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("state", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("still", TensorProto.BOOL, []),
         helper.make_tensor_value_info("next", TensorProto.FLOAT, None)])
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["a"]),
         helper.make_node("Loop", ["n", "", "a"], ["b"], body=step),
         helper.make_node("MatMul", ["b", "w"], ["y"])], "loop",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 8]),
         helper.make_tensor_value_info("n", TensorProto.INT64, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 8])],
        [onnx.numpy_helper.from_array(value, name) for name, value in weights.items()])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    x = rng.normal(0, 1, (5, 4, 8)).astype(np.float32)
    result = rm.quantize(model, {"x": x, "n": np.full(5, 3)})
    assert [bool(row.reason) for row in result.report.layers] == [False, True, False]
    # Two layers, each within half a step of 255 of its range.
    compiled = rm.compile(result.module)
    for n in (0, 3):
        expected = x[0] @ weights["w"] @ np.linalg.matrix_power(weights["inner"], n) @ weights["w"]
        error = np.abs(compiled(x[0], np.int64(n)) - expected).max()
        assert 0 < error < 0.03 * np.abs(expected).max()


#
# The program
#


def run_program(folder, *arguments):
    return subprocess.run([BIN / "relay-quantize", *arguments], cwd=folder, capture_output=True,
                          text=True, check=False, timeout=300)


def test_program(tmp_path):
    """What it writes is compiled and run as any model."""
    x = images()
    onnx.save(network(), tmp_path / "model.onnx")
    np.savez(tmp_path / "samples.npz", x=x, labels=np.arange(8) % 5)
    run = run_program(tmp_path, "model.onnx", "--data=samples.npz", "--metric=top1", "--budget=0.5",
                      "--calibration=percentile", "--equalize", "--correct-bias", "--weight-bits=7",
                      "-o", "int8.mlir", "--report=out.html")
    assert run.returncode == 0, run.stderr
    assert "layers in integers: 3 of 3" in run.stdout and "top-1:" in run.stdout
    assert "equalization: weights of 3 layers, " in run.stdout
    assert "bias correction: results of 3 layers, " in run.stdout
    assert re.search(r"^first +nn\.conv2d +\S+ to \S+ .* integers$", run.stdout, re.M), run.stdout
    page = (tmp_path / "out.html").read_text()
    assert page.count("<tr") >= 4 and "first" in page and "http" not in page
    built = subprocess.run([BIN / "relay-compile", "int8.mlir", "-o", "int8.so"], cwd=tmp_path,
                           capture_output=True, text=True, check=False, timeout=300)
    assert built.returncode == 0, built.stderr
    actual = rm.load(tmp_path / "int8.so").run({"x": x})
    expected = rm.compile(rm.quantize(network(), {"x": x}, calibration="percentile", equalize=0.5,
                                      correct_bias=True, weight_bits=7).module).run({"x": x})
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("arguments, message", [
    (["model.onnx", "--data=none.npz"], "none.npz"),
    (["none.onnx", "--data=samples.npz"], "none.onnx"),
    (["model.onnx", "--data=model.onnx"], "expects an .npz file with arrays of numbers"),
    (["model.onnx", "--data=samples.npz", "--budget=2"], "expects budget from 0 to 1, but got 2"),
    (["model.onnx", "--data=bad.npz"], "expects finite numbers for x, but got nan"),
])
def test_program_errors(arguments, message, tmp_path):
    onnx.save(network(), tmp_path / "model.onnx")
    np.savez(tmp_path / "samples.npz", x=images())
    np.savez(tmp_path / "bad.npz", x=images() * np.float32(np.nan))
    run = run_program(tmp_path, *arguments, "-o", "out.mlir")
    assert run.returncode == 1 and message in run.stderr, run.stderr
    assert "Traceback" not in run.stderr and not (tmp_path / "out.mlir").exists()
