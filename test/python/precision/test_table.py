# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the table of bounds.py, of which docs/Precision.md is made: each family
of operators, at each precision, for each class of targets. What is measured stays
within the bound, and the bound is not far from it.

Columns that the processor cannot run are skipped; matrix units that it lacks are
emulated.
"""

import math
import pathlib
import sys
from typing import Any

import numpy as np
import pytest

import bounds
import matrix_worker
from worker_process import emulator, WorkerProcess

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils" / "docs"))
import precision as page  # noqa: E402


@pytest.fixture(scope="module", name="worker")
def fixture_worker(tmp_path_factory):
    environment = {"RELAY_CACHE_DIR": str(tmp_path_factory.mktemp("cache")), **emulator()}
    with WorkerProcess(matrix_worker.answer, environment=environment) as process:
        def run(text, *inputs, **options):
            options = {"force_matrix_tiles": False, **options}
            return process.ask((text, inputs, options, 1))[0]
        yield run


def require(target):
    vectors = "AVX-512" if target == "AMX" else target
    if not bounds.has(vectors):
        pytest.skip(f"the machine lacks {vectors}")


#
# Operators: text, inputs, the exact result, and the sums of magnitudes of terms.
#


def tensor(x):
    return f"tensor<{'x'.join(map(str, x.shape))}xf32>"


def constant(x):
    return f'relay.constant dense<"0x{x.tobytes().hex()}"> : {tensor(x)}'


def operator(name, data, weight, result, attributes="", is_constant=True):
    """A function of `data`, and of `weight` unless that is a constant."""
    arguments = f"%x: {tensor(data)}" + ("" if is_constant else f", %w: {tensor(weight)}")
    lines = [f"func.func @main({arguments}) -> {tensor(result)} {{"]
    if is_constant:
        lines.append(f"%w = {constant(weight)}")
    lines += [f"%0 = relay.{name} %x, %w {{{attributes}}} : ({tensor(data)}, {tensor(weight)}) "
              f"-> {tensor(result)}", f"return %0 : {tensor(result)}", "}"]
    return "\n".join(lines), [data] if is_constant else [data, weight]


def dense(draw, rows, depth, columns, is_constant=True):
    data, weight = draw((rows, depth)), draw((columns, depth))
    multiply = lambda x, w: x.astype(np.float64) @ w.astype(np.float64).T
    exact = multiply(data, weight)
    return (*operator("nn.dense", data, weight, exact, is_constant=is_constant), exact,
            multiply(np.abs(data), np.abs(weight)))


def few_bits(draw, rows, depth, columns):
    """Blocks of 128 of a column share a scale."""
    block = 128
    shape = (columns, depth // block, block)
    data = draw((rows, depth))
    numbers = np.round(draw(shape) * 60).clip(-128, 127).astype(np.int8)
    scales = np.abs(draw((*shape[:2], 1))) + np.float32(0.01)
    weight = (numbers * scales.astype(np.float64)).reshape(columns, depth).T
    whole, out = f"tensor<{columns}x{depth}xf32>", f"tensor<{rows}x{columns}xf32>"
    floats = f"tensor<{'x'.join(map(str, shape))}xf32>"
    text = f"""func.func @main(%x: {tensor(data)}) -> {out} {{
  %q = relay.constant dense<"0x{numbers.tobytes().hex()}"> : {floats.replace("f32", "i8")}
  %s = {constant(scales)}
  %0 = relay.cast %q {{dtype = f32}} : ({floats.replace("f32", "i8")}) -> {floats}
  %1 = relay.multiply %0, %s : ({floats}, {tensor(scales)}) -> {floats}
  %2 = relay.reshape %1 {{newshape = [{columns}, {depth}]}} : ({floats}) -> {whole}
  %3 = relay.nn.dense %x, %2 : ({tensor(data)}, {whole}) -> {out}
  return %3 : {out}
}}"""
    return (text, [data], data.astype(np.float64) @ weight,
            np.abs(data).astype(np.float64) @ np.abs(weight))


def taps(data, window, stride, pad):
    data = np.pad(data.astype(np.float64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    size = [(n - window) // stride + 1 for n in data.shape[1:3]]
    for i in range(window):
        for j in range(window):
            yield i, j, data[:, i:, j:][:, ::stride, ::stride][:, :size[0], :size[1]]


def convolve(data, weight, stride, pad):
    return sum(part @ weight[:, :, i, j].astype(np.float64).T
               for i, j, part in taps(data, weight.shape[2], stride, pad))


def conv(draw, shape, outputs, window, stride=1, pad=0):
    data, weight = draw(shape), draw((outputs, shape[3], window, window))
    exact = convolve(data, weight, stride, pad)
    attributes = (f'strides = array<i64: {stride}, {stride}>, padding = array<i64: {pad}, {pad}>, '
                  'data_layout = "NHWC"')
    return (*operator("nn.conv2d", data, weight, exact, attributes), exact,
            convolve(np.abs(data), np.abs(weight), stride, pad))


def depthwise(draw, shape, window):
    data, weight = draw(shape), draw((shape[3], 1, window, window))

    def fold(x, w):
        return sum(part * w[:, 0, i, j].astype(np.float64) for i, j, part in taps(x, window, 1, 1))

    exact = fold(data, weight)
    attributes = (f'padding = array<i64: 1, 1>, groups = {shape[3]} : i64, data_layout = "NHWC"')
    return (*operator("nn.conv2d", data, weight, exact, attributes), exact,
            fold(np.abs(data), np.abs(weight)))


def transposed(draw, channels, outputs):
    """A window of 2 x 2, with a stride of 2: no two windows meet."""
    data, weight = draw((1, channels, 9, 11)), draw((channels, outputs, 2, 2))

    def spread(x, w):
        y = np.einsum("nchw,coij->nohiwj", x.astype(np.float64), w.astype(np.float64))
        return y.reshape(1, outputs, 18, 22)

    exact = spread(data, weight)
    return (*operator("nn.conv2d_transpose", data, weight, exact,
                      "strides = array<i64: 2, 2>"), exact, spread(np.abs(data), np.abs(weight)))


def reduction(name, draw):
    x = draw((37, 1000))
    function: Any = {"sum": np.sum, "mean": np.mean}[name]
    exact = function(x.astype(np.float64), 1)
    text = f"""func.func @main(%x: {tensor(x)}) -> {tensor(exact)} {{
  %0 = relay.{name} %x {{axis = array<i64: 1>}} : ({tensor(x)}) -> {tensor(exact)}
  return %0 : {tensor(exact)}
}}"""
    return text, [x], exact, function(np.abs(x).astype(np.float64), 1)


def exponential(draw):
    x = draw((5000,)) * np.float32(20)
    exact = np.exp(x.astype(np.float64))
    text = f"""func.func @main(%x: {tensor(x)}) -> {tensor(x)} {{
  %0 = relay.exp %x : ({tensor(x)}) -> {tensor(x)}
  return %0 : {tensor(x)}
}}"""
    return text, [x], exact, exact


def gelu(draw):
    """x / 2 + x / 2 * erf(x / sqrt(2)), factored as models have it."""
    x = draw((5000,)) * np.float32(3)
    exact = x.astype(np.float64) / 2 * np.array([math.erfc(-v / math.sqrt(2)) for v in x])
    type = tensor(x)
    text = f"""func.func @main(%x: {type}) -> {type} {{
  %root = relay.constant dense<{math.sqrt(0.5)}> : tensor<f32>
  %one = relay.constant dense<1.0> : tensor<f32>
  %half = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.multiply %x, %root : ({type}, tensor<f32>) -> {type}
  %1 = relay.erf %0 : ({type}) -> {type}
  %2 = relay.add %one, %1 : (tensor<f32>, {type}) -> {type}
  %3 = relay.multiply %x, %half : ({type}, tensor<f32>) -> {type}
  %4 = relay.multiply %3, %2 : ({type}, {type}) -> {type}
  return %4 : {type}
}}"""
    # The largest term, besides the error relative to the result itself.
    return text, [x], exact, np.abs(x)


CASES = {
    "products": [
        lambda draw: dense(draw, 40, 1024, 96), lambda draw: dense(draw, 64, 256, 64),
        lambda draw: dense(draw, 64, 64, 64), lambda draw: dense(draw, 33, 17, 47),
        lambda draw: dense(draw, 96, 300, 80, is_constant=False),
        lambda draw: conv(draw, (1, 14, 14, 320), 64, 1),
        lambda draw: conv(draw, (1, 15, 15, 64), 64, 3, 2, 1),
        lambda draw: conv(draw, (1, 30, 30, 3), 32, 7, 2, 3),
        lambda draw: transposed(draw, 288, 32)],
    "few rows": [lambda draw: dense(draw, 1, 2048, 2048), lambda draw: dense(draw, 3, 2048, 1024)],
    "few bits": [lambda draw: few_bits(draw, 1, 2048, 1024),
                 lambda draw: few_bits(draw, 8, 1024, 1024),
                 lambda draw: few_bits(draw, 40, 1024, 1024)],
    "winograd": [lambda draw: conv(draw, (1, 28, 28, 64), 64, 3, 1, 1),
                 lambda draw: conv(draw, (1, 14, 14, 256), 64, 3, 1, 1),
                 lambda draw: conv(draw, (1, 28, 28, 64), 64, 5, 1, 2)],
    "sums": [lambda draw: reduction("sum", draw), lambda draw: reduction("mean", draw),
             lambda draw: depthwise(draw, (1, 14, 14, 64), 3)],
    "functions": [exponential],
    "cancelling": [gelu],
}
DISTRIBUTIONS = {
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "normal": lambda rng, shape: rng.normal(size=shape),
    "one-sided": lambda rng, shape: rng.uniform(0, 1, shape),
}


def test_families():
    assert CASES.keys() == bounds.FAMILIES.keys()


@pytest.mark.parametrize("target", bounds.TARGETS)
@pytest.mark.parametrize("precision", bounds.PRECISIONS)
@pytest.mark.parametrize("family", CASES)
def test_bound(worker, family, precision, target):
    require(target)
    bound, worst = bounds.bound(family, precision, target), 0
    for case in CASES[family]:
        for seed, (name, values) in enumerate(DISTRIBUTIONS.items()):
            rng = np.random.default_rng(seed)
            draw = lambda shape: values(rng, shape).astype(np.float32)
            text, inputs, exact, magnitude = case(draw)
            result = worker(text, *inputs, precision=precision, target=bounds.TARGETS[target])
            scale = magnitude.max() if bounds.FAMILIES[family].of_scale else magnitude
            error = (np.abs(result - exact) / scale).max()
            assert error <= bound, (name, error)
            worst = max(worst, error)
    print(f"{family}, {precision}, {target}: measured {worst:.1e}, bound {bound:.1e}")
    # A bound that is far from what happens says nothing.
    assert worst >= bound / 20


@pytest.mark.parametrize("precision", bounds.PRECISIONS)
@pytest.mark.parametrize("target", bounds.TARGETS)
def test_near_zero(worker, target, precision):
    """Sums that cancel to a ten-thousandth of their terms: each is within the bound
    of its own terms, thus of a part of itself that the page states."""
    require(target)
    rng = np.random.default_rng(0)
    data, weight = rng.normal(size=(40, 512)), rng.normal(size=(64, 512))
    # The last product takes away what the others add up to, all but a little.
    weight[:, -1] = 1
    data, weight = data.astype(np.float32), weight.astype(np.float32)
    rest = data[:, :-1].astype(np.float64) @ weight[:, :-1].astype(np.float64).T
    data[:, -1] = -rest[:, 0]
    text, inputs, = operator("nn.dense", data, weight, rest)
    exact = data.astype(np.float64) @ weight.astype(np.float64).T
    magnitude = np.abs(data).astype(np.float64) @ np.abs(weight).astype(np.float64).T
    result = worker(text, *inputs, precision=precision, target=bounds.TARGETS[target])
    assert np.abs(exact[:, 0] / magnitude[:, 0]).max() < 1e-4
    bound = bounds.bound("products", precision, target)
    assert (np.abs(result - exact) <= bound * magnitude).all()


def test_page_is_current():
    assert page.PAGE.read_text(encoding="utf-8") == page.write_page(), "run utils/docs/precision.py"
