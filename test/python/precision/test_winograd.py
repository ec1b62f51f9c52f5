"""Convolutions by Winograd's algorithm, compiled, against NumPy in float64.

Bounds, for what precision "high" may do: 1e-5 of the scale of the result, which
is its largest magnitude, or, where terms cancel, the largest sum of magnitudes
of terms. What "highest" does is held to 5e-6 of the same.
"""

import platform
from typing import Any

import numpy as np
import pytest

import relay_mlir as rm
from float_tensors import literal, uniform

pytestmark = pytest.mark.share(3)

# Not on matrix units, which test_matrix_tiles.py is about.
TARGET = "native,-amx-tile" if platform.machine() == "x86_64" else "native"
BOUND = 1e-5
EXACT_BOUND = 5e-6


def convolve(data, weight, padding):
    top, left, bottom, right = padding
    data = np.pad(data.astype(np.float64), ((0, 0), (top, bottom), (left, right), (0, 0)))
    kernel = weight.shape[2]
    height, width = data.shape[1] - kernel + 1, data.shape[2] - kernel + 1
    result = 0
    for y in range(kernel):
        for x in range(kernel):
            taps = weight[:, :, y, x].T.astype(np.float64)
            result = result + data[:, y:y + height, x:x + width] @ taps
    return result


def build(shape, weight, padding, bias=None, residual=False, tile=None):
    """An IRModule: conv2d, and with a bias also bias, residual and relu."""
    batch, height, width, _ = shape
    top, left, bottom, right = padding
    data_type = f"tensor<{'x'.join(map(str, shape))}xf32>"
    outputs, reach = weight.shape[0], weight.shape[2] - 1
    result_type = (f"tensor<{batch}x{height + top + bottom - reach}x"
                   f"{width + left + right - reach}x{outputs}xf32>")
    weight_type = f"tensor<{'x'.join(map(str, weight.shape))}xf32>"
    argument = f", %r: {result_type}" if residual else ""
    lines = [f"func.func @main(%x: {data_type}{argument}) -> {result_type} {{",
             f"%w = relay.constant {literal(weight)}",
             f"%0 = relay.nn.conv2d %x, %w {{padding = array<i64: {top}, {left}, "
             f'{bottom}, {right}>, data_layout = "NHWC"}} : ({data_type}, '
             f"{weight_type}) -> {result_type}"]
    last = "%0"
    if bias is not None:
        lines += [f"%b = relay.constant {literal(bias)}",
                  f"%1 = relay.add %0, %b : ({result_type}, tensor<{outputs}xf32>) "
                  f"-> {result_type}"]
        last = "%1"
        if residual:
            lines.append(f"%2 = relay.add %1, %r : ({result_type}, {result_type}) "
                         f"-> {result_type}")
            last = "%2"
        lines.append(f"%3 = relay.nn.relu {last} : ({result_type}) -> {result_type}")
        last = "%3"
    lines += [f"return {last} : {result_type}", "}"]
    module = rm.IRModule.parse("\n".join(lines))
    if tile:
        module.run_passes("builtin.module(func.func(relay-winograd{tile-size="
                          f"{tile}}},relay-fold-constant))")
    return module


def uses_winograd(module, precision="high"):
    text = module.clone()
    text.run_passes(f"builtin.module(relay-optimize{{precision={precision} target=x86-64-v3}})")
    return "winograd_without" in text.print(elide_larger=8)


def run(module, *inputs, precision="high"):
    return np.asarray(rm.compile(module, precision=precision, target=TARGET)(*inputs))


# Heights and widths that leave partial tiles of every size, one row, one column,
# every padding; channels and outputs that leave partial vectors.
SHAPES = [
    ((1, 8, 8, 16), 16, (1, 1, 1, 1)),
    ((1, 7, 7, 16), 24, (1, 1, 1, 1)),
    ((1, 13, 9, 8), 8, (1, 1, 1, 1)),
    ((1, 14, 5, 16), 16, (0, 0, 0, 0)),
    ((1, 6, 11, 16), 16, (2, 0, 1, 3)),
    ((1, 1, 1, 16), 16, (1, 1, 1, 1)),
    ((1, 1, 17, 16), 8, (1, 1, 1, 1)),
    ((1, 19, 2, 8), 16, (1, 1, 1, 1)),
    ((1, 3, 3, 8), 8, (0, 0, 0, 0)),
    ((3, 9, 10, 16), 16, (1, 1, 1, 1)),
    ((2, 12, 12, 19), 16, (1, 1, 1, 1)),
    ((1, 12, 12, 16), 21, (1, 1, 1, 1)),
    ((2, 10, 7, 13), 37, (1, 0, 1, 0)),
    ((1, 5, 5, 1), 3, (1, 1, 1, 1)),
    ((1, 30, 30, 40), 70, (1, 1, 1, 1)),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("tile", [2, 4, 6])
@pytest.mark.parametrize("shape,outputs,padding", SHAPES)
def test_shapes(shape, outputs, padding, tile, threads):
    rm.set_num_threads(threads)
    data, weight = uniform(shape), uniform((outputs, shape[3], 3, 3), 1)
    expected = convolve(data, weight, padding)
    actual = run(build(shape, weight, padding, tile=tile), data)
    scale = np.abs(expected).max()
    # Tiles of 6 are chosen for nothing.
    bound = BOUND if tile != 6 else 1e-4
    assert np.abs(actual - expected).max() <= bound * scale


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("shape,outputs,padding", SHAPES)
def test_epilogues(shape, outputs, padding, residual):
    rm.set_num_threads(2)
    data, weight = uniform(shape), uniform((outputs, shape[3], 3, 3), 1)
    bias = uniform((outputs,), 2)
    sums = convolve(data, weight, padding)
    expected = sums + bias
    inputs = [data]
    if residual:
        inputs.append(uniform(expected.shape, 3))
        expected = expected + inputs[1]
    expected = np.maximum(expected, 0)
    module = build(shape, weight, padding, bias, residual, tile=4)
    actual = run(module, *inputs)
    assert np.abs(actual - expected).max() <= BOUND * np.abs(sums).max()


def check(data, weight, scale=None):
    padding = (weight.shape[2] // 2,) * 4
    module = build(data.shape, weight, padding)
    assert uses_winograd(module) and not uses_winograd(module, "highest")
    expected = convolve(data, weight, padding)
    if scale is None:
        scale = np.abs(expected).max()
    for precision, bound in [("high", BOUND), ("medium", BOUND), ("highest", EXACT_BOUND)]:
        actual = run(module, data, precision=precision)
        assert np.abs(actual - expected).max() <= bound * scale, precision


SIZES = [(16, 56), (64, 56), (128, 28), (256, 14), (512, 14), (512, 28)]


# Of 16 channels, a window of 5 is no gain.
CASES = [(3, *case) for case in SIZES] + [(5, 64, 28), (5, 256, 14), (5, 512, 14)]


@pytest.mark.parametrize("kernel,channels,size", CASES)
@pytest.mark.parametrize("distribution", ["uniform", "normal", "positive"])
def test_accuracy(kernel, channels, size, distribution):
    rng = np.random.default_rng(channels)
    draw: Any
    draw = {"uniform": lambda shape: rng.uniform(-1, 1, shape),
            "normal": lambda shape: rng.normal(size=shape),
            "positive": lambda shape: rng.uniform(0, 1, shape)}[distribution]
    # Few outputs keep the reference fast.
    check(draw((1, size, size, channels)).astype(np.float32),
          draw((64, channels, kernel, kernel)).astype(np.float32))


@pytest.mark.parametrize("low,high", [(-20, -20), (20, 20), (20, 5), (-10, 20)])
def test_scales(low, high):
    """Data of 10**low, weights of 10**-high: no product overflows or is denormal."""
    data = uniform((1, 28, 28, 64)) * np.float32(10.0**low)
    weight = uniform((64, 64, 3, 3), 1) * np.float32(10.0**-high)
    check(data, weight)


def test_mixed_scales():
    """Each channel has a magnitude of its own, from 1e-20 to 1e20."""
    magnitudes = 10.0**np.random.default_rng(0).uniform(-20, 20, 64)
    data = (uniform((1, 28, 28, 64)) * magnitudes).astype(np.float32)
    weight = (uniform((64, 64, 3, 3), 1) / magnitudes[:, None, None]).astype(np.float32)
    check(data, weight)


def test_mixed_pixels():
    """Each pixel has a magnitude of its own."""
    magnitudes = 10.0**np.random.default_rng(0).uniform(-20, 15, (1, 28, 28, 1))
    check((uniform((1, 28, 28, 64)) * magnitudes).astype(np.float32),
          uniform((64, 64, 3, 3), 1))


def test_cancelling():
    """Sums of terms of both signs that are zero but for rounding."""
    data = uniform((1, 28, 28, 128))
    data[..., 1::2] = data[..., ::2]
    weight = uniform((64, 128, 3, 3), 1)
    weight[:, 1::2] = -weight[:, ::2] * np.float32(1 + 2.0**-20)
    scale = convolve(np.abs(data), np.abs(weight), (1, 1, 1, 1)).max()
    check(data, weight, scale)


def test_constant_regions():
    """Filters that take differences, on data that hardly has any."""
    data = (1000 + uniform((1, 28, 28, 64))).astype(np.float32)
    weight = uniform((64, 64, 3, 3), 1)
    weight -= weight.mean(axis=(2, 3), keepdims=True)
    scale = convolve(np.abs(data), np.abs(weight), (1, 1, 1, 1)).max()
    check(data, weight, scale)


def test_denormals():
    data = uniform((1, 28, 28, 64)) * np.float32(1e-38)
    check(data, uniform((64, 64, 3, 3), 1))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_not_finite(value):
    """What is not finite stays near where it is; at "highest", exactly there."""
    data, weight = uniform((1, 28, 28, 64)), uniform((64, 64, 3, 3), 1)
    data[0, 9, 17, 5] = value
    padding = (weight.shape[2] // 2,) * 4
    module = build(data.shape, weight, padding)
    expected = convolve(data, weight, padding)
    exact = run(module, data, precision="highest")
    np.testing.assert_array_equal(np.isfinite(exact), np.isfinite(expected))
    fast = run(module, data)
    # Tiles of 4 x 4 whose 6 x 6 inputs hold the element.
    touched = np.zeros(fast.shape, bool)
    touched[0, 8:12, 16:20] = True
    touched |= ~np.isfinite(expected)
    assert np.isfinite(fast[~touched]).all()
    assert not np.isfinite(fast[~np.isfinite(expected)]).any()


def test_deterministic():
    data, weight = uniform((1, 30, 30, 64)), uniform((64, 64, 3, 3), 1)
    module = build(data.shape, weight, (1, 1, 1, 1))
    compiled = rm.compile(module)
    results = []
    for threads in (1, 2, 1, 2):
        rm.set_num_threads(threads)
        results.append(np.asarray(compiled(data)))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_unknown_precision():
    module = build((1, 8, 8, 16), uniform((16, 16, 3, 3)), (1, 1, 1, 1))
    with pytest.raises(ValueError, match="'highest', 'high' or 'medium', but got 'low'"):
        rm.compile(module, precision="low")
