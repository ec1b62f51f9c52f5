# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows and Fourier transforms, against ONNX Runtime and NumPy."""

import numpy as np
import pytest
from onnx import TensorProto

from single_nodes import check_refused, compare, compiled, random, reference, runtime


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("size", [3, 7, 16])
@pytest.mark.parametrize("periodic", [0, 1])
def test_windows(op, size, periodic):
    constants = {"n": np.array(size)}
    for dtype in (TensorProto.FLOAT, TensorProto.DOUBLE):
        attributes = {"periodic": periodic, "output_datatype": dtype}
        (expected,) = reference(op, {}, 17, attributes, constants)
        compare(compiled(op, {}, 17, attributes, constants), [expected])


def test_small_windows():
    compare(compiled("HannWindow", {}, 17, {"periodic": 0}, {"n": np.array(1)}),
            [np.ones(1, np.float32)])
    compare(compiled("HannWindow", {}, 17, {}, {"n": np.array(0)}), [np.ones(0, np.float32)])
    check_refused("expects size in [0, 262144], but got -1", "HannWindow", {}, 17, {},
                  {"n": np.array(-1)})
    check_refused("expects output_datatype to be a type of numbers, but got STRING", "HannWindow",
                  {}, 17, {"output_datatype": TensorProto.STRING}, {"n": np.array(2)})


def test_mel_weights():
    constants = {
        "bins": np.array(8), "length": np.array(64), "rate": np.array(8192), "low": np.float32(0),
        "high": np.float32(4096)}
    (expected,) = reference("MelWeightMatrix", {}, 17, {}, constants)
    compare(compiled("MelWeightMatrix", {}, 17, {}, constants), [expected])
    check_refused("expects edges below half of sample_rate", "MelWeightMatrix", {}, 17, {},
                  {**constants, "high": np.float32(8192)})
    check_refused("expects num_mel_bins in [1, 262144], but got 0", "MelWeightMatrix", {}, 17, {},
                  {**constants, "bins": np.array(0)})


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("inverse", [0, 1])
@pytest.mark.parametrize("shape,axis", [((2, 5, 7), 1), ((2, 5, 7), 2), ((16,), 0), ((3, 1), 1),
                                        ((2, 33), -2)])
def test_dft(shape, axis, inverse, parts):
    x = random(*shape, parts)
    if axis < 0:
        axis += len(shape) + 1
    signal = x[..., 0] + (1j * x[..., 1] if parts == 2 else 0)
    result = (np.fft.ifft if inverse else np.fft.fft)(signal, axis=axis)
    expected = np.stack([result.real, result.imag], -1).astype(np.float32)
    compare(compiled("DFT", {"x": x}, 17, {"axis": axis, "inverse": inverse}), [expected])
    compare(
        compiled("DFT", {"x": x}, 20, {"inverse": inverse}, {"axis": np.array(axis)}, order=[
            "x", "", "axis"]), [expected])


@pytest.mark.parametrize("length", [3, 8, 12])
def test_lengths_of_dft(length):
    x = random(2, 8, 1)
    spectrum = np.fft.fft(x[..., 0], length)
    expected = np.stack([spectrum.real, spectrum.imag], -1).astype(np.float32)
    constants = {"n": np.array(length)}
    compare(compiled("DFT", {"x": x}, 20, {}, constants), [expected])
    compare(compiled("DFT", {"x": x}, 17, {"onesided": 1}, constants),
            [expected[:, :length // 2 + 1]])
    half = expected[:, :length // 2 + 1]
    back = np.fft.irfft(spectrum[:, :length // 2 + 1], length)[..., None].astype(np.float32)
    for opset in (17, 20):
        compare(compiled("DFT", {"x": half}, opset, {"onesided": 1, "inverse": 1}, constants),
                [back])


def test_dft_of_other_types():
    x = random(2, 8, 1, dtype=np.float64)
    compare(compiled("DFT", {"x": x}, 17, {}), runtime("DFT", {"x": x}, 17, {}))
    half = random(2, 8, 1, dtype=np.float16)
    (expected,) = runtime("DFT", {"x": half.astype(np.float32)}, 17, {})
    compare(compiled("DFT", {"x": half}, 17, {}), [expected.astype(np.float16)])


def test_refused_transforms():
    x = random(2, 8, 1)
    check_refused("whose last size is 1 or 2", "DFT", {"x": random(2, 8, 3)}, 17, {})
    check_refused("expects an axis of the signal, but got 2", "DFT", {"x": x}, 17, {"axis": 2})
    check_refused("expects real data where onesided = 1", "DFT", {"x": random(2, 8, 2)}, 17,
                  {"onesided": 1})
    check_refused("expects a length in [1, 4096], but got 0", "DFT", {"x": x}, 17, {},
                  {"n": np.array(0)})


def test_transform_of_an_open_length():
    for attributes in ({}, {"onesided": 1}, {"inverse": 1}):
        arguments = ("DFT", {"x": random(2, 9, 1 if "onesided" in attributes else 2)}, 17,
                     attributes)
        compare(compiled(*arguments, dims={"x": [2, "N", arguments[1]["x"].shape[2]]}),
                runtime(*arguments))


@pytest.mark.parametrize("onesided", [0, 1])
@pytest.mark.parametrize("windowed", [False, True])
@pytest.mark.parametrize("parts", [(), (1,)])
def test_stft(onesided, windowed, parts):
    x = random(2, 64, *parts)
    constants = {"step": np.array(8)}
    if windowed:
        constants["w"] = np.hanning(16).astype(np.float32)
    constants["length"] = np.array(16)
    order = ["x", "step", "w" if windowed else "", "length"]
    arguments = "STFT", {"x": x}, 17, {"onesided": onesided}, constants
    compare(compiled(*arguments, order=order), runtime(*arguments, order=order))
    compare(compiled(*arguments, order=order, dims={"x": ["N", "L", *parts]}),
            runtime(*arguments, order=order))


def test_stft_of_complex_signals():
    x = random(2, 20, 2)
    frames = np.stack([(x[..., 0] + 1j * x[..., 1])[:, i:i + 8] for i in range(0, 13, 3)], 1)
    result = np.fft.fft(frames)
    expected = np.stack([result.real, result.imag], -1).astype(np.float32)
    constants = {"step": np.array(3), "length": np.array(8)}
    compare(
        compiled("STFT", {"x": x}, 17, {"onesided": 0}, constants, order=[
            "x", "step", "", "length"]), [expected])
    check_refused("expects a real signal where onesided = 1", "STFT", {"x": x}, 17, {}, constants,
                  order=["x", "step", "", "length"])
    check_refused("expects a window of 8 elements", "STFT", {"x": x}, 17, {"onesided": 0},
                  {**constants, "w": random(7)}, order=["x", "step", "w", "length"])
    check_refused("expects a signal of 21 elements or more", "STFT", {"x": x}, 17, {"onesided": 0},
                  {**constants, "length": np.array(21)}, order=["x", "step", "", "length"])
