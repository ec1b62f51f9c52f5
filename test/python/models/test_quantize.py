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

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"
sys.path.insert(0, str(ROOT / "utils" / "models"))

import trained
from graph import Graph


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


@pytest.mark.parametrize("name", ["digits_mlp", "digits_cnn", "digits_depthwise"])
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
    ({"x": images(), "labels": np.zeros(8)}, "expects labels to be 8 integers"),
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
    with pytest.raises(ValueError, match="of which the network computes finite numbers"):
        rm.quantize(network(), {"x": np.full((2, 3, 8, 8), 3e38, np.float32)})


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
    with pytest.raises(ValueError, match="expects a network of floats, but got one that is "
                       "quantized already"):
        rm.quantize(integers, {"x": images()})


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
                      "--calibration=percentile", "-o", "int8.mlir", "--report=out.html")
    assert run.returncode == 0, run.stderr
    assert "layers in integers: 3 of 3" in run.stdout and "top-1:" in run.stdout
    assert re.search(r"^first +nn\.conv2d +\S+ to \S+ .* integers$", run.stdout, re.M), run.stdout
    page = (tmp_path / "out.html").read_text()
    assert page.count("<tr") >= 4 and "first" in page and "http" not in page
    built = subprocess.run([BIN / "relay-compile", "int8.mlir", "-o", "int8.so"], cwd=tmp_path,
                           capture_output=True, text=True, check=False, timeout=300)
    assert built.returncode == 0, built.stderr
    actual = rm.load(tmp_path / "int8.so").run({"x": x})
    expected = rm.compile(rm.quantize(network(), {"x": x}, calibration="percentile").module).run(
        {"x": x})
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
