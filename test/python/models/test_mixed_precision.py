# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relay_mlir.quantize and relay-quantize: networks in half precision, and networks whose
floats are not float32."""

import os
import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"
sys.path.insert(0, str(ROOT / "utils" / "models"))

import trained
from graph import Graph

pytestmark = pytest.mark.share(2)

# How many bits of a number are there, and so how far rounding is from it in dB.
DIGITS = {"float16": 11, "bfloat16": 8}


def images(count=8, seed=1, shape=(3, 8, 8)):
    return np.random.default_rng(seed).normal(0, 1, (count, *shape)).astype(np.float32)


def network(factor=1.0, square=1.0, batch="n"):
    """Convolutions of data that is so many times as large, squares of so many times what they
    compute, a mean, a dense layer and a softmax."""
    g = Graph("small", batch, 0)
    x = g.relu(g.conv(g.input("x", [3, 8, 8]), "first", 3, 8, 3, pad=1, bias=True))
    x = g.op("Mul", g.conv(x, "second", 8, 8, 3, pad=1), g.scalar("small", 1 / factor, np.float32))
    x = g.op("Mul", x, g.scalar("size", square, np.float32))
    x = g.op("Mul", g.op("Mul", x, x), g.scalar("back", square ** -2, np.float32))
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    g.output(g.op("Softmax", g.linear(x, "classes", 8, 5), axis=1), "y", [5])
    return g.model()


@pytest.mark.parametrize("dtype", DIGITS)
@pytest.mark.parametrize("name", ["digits_cnn", "digits_mobile", "digits_attention"])
def test_accuracy(name, dtype):
    """Trained networks are right as often as in float32, within half a point."""
    model = trained.load(name)
    key = model.graph.input[0].name
    inputs = trained.training_samples(name, 64)[0].astype(np.float32)
    result = rm.quantize(model, {key: inputs}, dtype=dtype)
    x, y = trained.samples(name, None)
    x = x.astype(np.float32)
    right = [trained.measure(name, (rm.compile(net)(x),), y) for net in (model, result.module)]
    assert right[1] >= right[0] - 0.005, right
    report = result.report
    assert report.dtype == dtype and report.num_integer == len(report.layers) > 0
    assert report.sqnr[0] > 6 * DIGITS[dtype] - 16, report.sqnr
    for layer in report.layers:
        # A uniform error of half a unit in the last place.
        assert layer.sqnr_weight is None or \
            abs(layer.sqnr_weight - 6.02 * (DIGITS[dtype] + 1)) < 6, layer
    # Weights have half the bytes, and normalizations are in them.
    assert 0.4 < report.bytes[1] / report.bytes[0] < 0.55, report.bytes


def test_layers():
    """The report has the numbers of the network, and says what stays in float32."""
    x = images()
    result = rm.quantize(network(), {"x": x}, dtype="float16")
    first, second, classes = result.report.layers
    assert (first.low, first.high) == (x.min(), x.max())
    rounded = x.astype(np.float16).astype(float)
    expected = 10 * np.log10(np.sum(x.astype(float) ** 2) / np.sum((x - rounded) ** 2))
    assert first.sqnr_data == pytest.approx(expected, abs=0.01)
    assert second.low == 0 and classes.op == "nn.dense" and not classes.reason
    assert result.report.floats["nn.softmax (needs float32)"] == 1
    text = result.text()
    assert "layers in float16: 3 of 3" in text and "1 nn.softmax (needs float32)" in text
    assert re.search(r"^first +nn\.conv2d +\S+ to \S+ .* float16$", text, re.M), text
    assert "scale" not in text and "integers" not in text
    page = result.html()
    assert "Half precision: float16" in page and "http" not in page
    module = result.module.print(elide_larger=4)
    assert module.count("f16>") > 3 and "-> tensor<?x5xf32>" in module.replace("%n", "?")


def test_large_numbers():
    """What float16 has no numbers for stays in float32, and says so; bfloat16 has them."""
    x = images() * np.float32(1e6)
    floats = rm.compile(network(1e6))(x)
    result = rm.quantize(network(1e6), {"x": x}, dtype="float16")
    first, second, classes = result.report.layers
    for layer in (first, second):
        assert re.fullmatch(r"numbers up to \S+, beyond the largest of float16", layer.reason)
    assert not classes.reason and first.sqnr_data == -np.inf
    assert any(key.startswith("nn.relu (numbers up to ") for key in result.report.floats)
    np.testing.assert_allclose(rm.compile(result.module)(x), floats, atol=2e-3)
    other = rm.quantize(network(1e6), {"x": x}, dtype="bfloat16").report
    assert other.num_integer == 3 and not any("beyond" in key for key in other.floats)
    # Of what follows a layer, too, though the layer itself is small.
    x = images()
    result = rm.quantize(network(1, 3e3), {"x": x}, dtype="float16")
    assert result.report.num_integer == 3
    assert any(key.startswith("multiply (numbers up to ") for key in result.report.floats)
    np.testing.assert_allclose(rm.compile(result.module)(x), rm.compile(network(1, 3e3))(x),
                               atol=2e-3)


def test_budget():
    """Nothing may be lost: all stays in float32; or some layers."""
    x = images(16)
    nothing = rm.quantize(network(), {"x": x}, dtype="bfloat16", budget=0.0)
    assert nothing.report.num_integer == 0 and nothing.report.loss == 0
    assert all("sensitive: in bfloat16" in layer.reason for layer in nothing.report.layers)
    whole = rm.quantize(network(), {"x": x}, dtype="bfloat16").report
    some = rm.quantize(network(), {"x": x}, dtype="bfloat16", budget=whole.loss / 2).report
    assert some.loss <= whole.loss / 2 and 0 <= some.num_integer < 3
    assert all(layer.sqnr_alone is not None for layer in some.layers)


@pytest.mark.parametrize("option, value", [
    ("calibration", "min_max"), ("equalize", 0.5), ("correct_bias", True), ("weight_bits", 8)])
def test_options_of_integers(option, value):
    with pytest.raises(ValueError, match=f"expects no {option} where networks of float16 are made"):
        rm.quantize(network(), {"x": images()}, dtype="float16", **{option: value})


def test_wrong_dtype():
    with pytest.raises(ValueError, match="expects dtype to be one of int8, float16, bfloat16, but "
                                         "got 'float32'"):
        rm.quantize(network(), {"x": images()}, dtype="float32")


#
# Networks of other floats
#


def of_floats(dtype):
    """The network with all of its floats in another type."""
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    model = network()
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            array = numpy_helper.to_array(tensor).astype(dtype)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.elem_type = kind
    return model


@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16"])
def test_other_floats(dtype):
    """They become float32 first; what they take and return keeps its type."""
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    model, x = of_floats(kind), images().astype(kind)
    expected = rm.compile(model)(x).astype(float)
    for made, least in [("int8", 25), ("float16", 45), ("bfloat16", 35)]:
        result = rm.quantize(model, {"x": x}, dtype=made)
        assert result.report.num_integer == 3
        assert f"types: {dtype}, made float32 first" in result.text()
        actual = rm.compile(result.module)(x)
        assert actual.dtype == kind
        noise = np.mean((actual.astype(float) - expected) ** 2)
        assert 10 * np.log10(np.mean(expected ** 2) / max(noise, 1e-30)) > least, made


def test_nan_in_bfloat16():
    x = images().astype(ml_dtypes.bfloat16)
    x[1, 0, 2, 3] = np.nan
    with pytest.raises(ValueError, match=r"expects finite numbers for x, but got nan at "
                                         r"\[1, 0, 2, 3\]"):
        rm.quantize(of_floats(ml_dtypes.bfloat16), {"x": x})


def test_bfloat16_in_files(tmp_path):
    """NumPy writes them as two bytes."""
    x = images().astype(ml_dtypes.bfloat16)
    np.savez(tmp_path / "x.npz", x=x)
    texts = {str(rm.quantize(of_floats(ml_dtypes.bfloat16), data).module)
             for data in ({"x": x}, tmp_path / "x.npz")}
    assert len(texts) == 1


def test_program(tmp_path):
    x = images()
    onnx.save(network(), tmp_path / "model.onnx")
    np.savez(tmp_path / "samples.npz", x=x)
    run = subprocess.run([BIN / "relay-quantize", "model.onnx", "--data=samples.npz",
                          "--dtype=bfloat16", "-o", "half.mlir", "--report=half.html"],
                         cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    assert "layers in bfloat16: 3 of 3" in run.stdout
    assert "Half precision: bfloat16" in (tmp_path / "half.html").read_text()
    expected = rm.compile(rm.quantize(network(), {"x": x}, dtype="bfloat16").module)(x)
    np.testing.assert_array_equal(rm.compile(tmp_path / "half.mlir")(x), expected)
