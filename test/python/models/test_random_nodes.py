# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes with random results: there are no numbers to compare with, but statistics. The
seeds are fixed, and so are the numbers."""

import numpy as np
import onnx.parser
import pytest

import relay_mlir as rm
from single_nodes import check_refused, compiled, random

COUNT = 100_000


def run(op, inputs, attributes, opset=22, **options):
    return compiled(op, inputs, opset, attributes, **options)


def check_normal(values, mean, scale):
    # Within five standard errors.
    error = 5 * scale / np.sqrt(values.size)
    assert abs(float(values.mean()) - mean) < error
    assert abs(float(values.std()) - scale) < error
    assert abs(float((values > mean).mean()) - 0.5) < 2.5 / np.sqrt(values.size)


def check_uniform(values, low, high):
    assert values.min() >= low and values.max() <= high
    counts, _ = np.histogram(values, 10, (low, high))
    assert np.abs(counts - values.size / 10).max() < 5 * np.sqrt(values.size * 0.09)


@pytest.mark.parametrize("dtype,number", [(np.float32, 1), (np.float64, 11)])
def test_normal_and_uniform(dtype, number):
    attributes = {"shape": [COUNT], "dtype": number, "seed": 3.0}
    (values,) = run("RandomNormal", {}, {**attributes, "mean": 2.0, "scale": 3.0})
    assert values.dtype == dtype
    check_normal(values, 2, 3)
    (values,) = run("RandomUniform", {}, {**attributes, "low": -1.0, "high": 4.0})
    assert values.dtype == dtype
    check_uniform(values, -1, 4)


# What a model is told of the sizes of its input.
DIMS = [None, {"x": ["n", "k"]}]


@pytest.mark.parametrize("dims", DIMS)
def test_likes(dims):
    inputs = {"x": np.zeros((100, 1000), np.float32)}
    (values,) = run("RandomNormalLike", inputs, {}, dims=dims)
    check_normal(values, 0, 1)
    (values,) = run("RandomNormalLike", inputs, {"mean": 2.0, "scale": 3.0, "dtype": 11},
                    dims=dims)
    assert values.shape == (100, 1000) and values.dtype == np.float64
    check_normal(values, 2, 3)
    (values,) = run("RandomUniformLike", inputs, {"dtype": 10}, dims=dims)
    assert values.shape == (100, 1000) and values.dtype == np.float16
    check_uniform(values.astype(np.float32), 0, 1)
    (values,) = run("RandomUniformLike", inputs, {"low": -1.0, "high": 4.0}, dims=dims)
    check_uniform(values, -1, 4)
    # Neighbours, in either direction, are independent.
    values = (values - 1.5) / np.sqrt(25 / 12)
    for product in (values[:, 1:] * values[:, :-1], values[1:] * values[:-1]):
        assert abs(float(product.mean())) < 5 / np.sqrt(values.size)


def test_open_sizes_without_elements():
    (values,) = run("RandomNormalLike", {"x": np.zeros((0, 5), np.float32)}, {}, dims=DIMS[1])
    assert values.shape == (0, 5)


@pytest.mark.parametrize("dims", DIMS)
def test_seeds(dims):
    def numbers(seed):
        return run("RandomUniformLike", {"x": np.zeros((3, 3), np.float32)}, {"seed": seed},
                   dims=dims)[0]

    np.testing.assert_array_equal(numbers(1.0), numbers(1.0))
    assert not np.array_equal(numbers(1.0), numbers(2.0))
    assert not np.array_equal(numbers(1.0), numbers(1.5))


@pytest.mark.parametrize("dims", [None, {"x": ["n"]}])
def test_bernoulli(dims):
    shares = np.repeat(np.array([0, 0.25, 1], np.float32), COUNT)
    (values,) = run("Bernoulli", {"x": shares}, {"seed": 1.0, "dtype": 6}, dims=dims)
    assert values.dtype == np.int32
    means = values.reshape(3, COUNT).mean(1)
    assert means[0] == 0 and means[2] == 1
    assert abs(means[1] - 0.25) < 5 * np.sqrt(0.1875 / COUNT)


@pytest.mark.parametrize("dims", [None, {"x": ["n", 4]}, {"x": ["n", "classes"]}])
def test_multinomial(dims):
    shares = np.array([[0.5, 0.25, 0.25, 0], [0, 0.1, 0.2, 0.7]])
    with np.errstate(divide="ignore"):
        logarithms = np.log(shares).astype(np.float32)
    (values,) = run("Multinomial", {"x": logarithms},
                    {"sample_size": COUNT, "seed": 2.0, "dtype": 7}, dims=dims)
    assert values.dtype == np.int64 and values.shape == (2, COUNT)
    for row, expected in zip(values, shares):
        found = np.bincount(row, minlength=4) / COUNT
        assert not found[expected == 0].any()
        assert np.abs(found - expected).max() < 5 * np.sqrt(0.25 / COUNT)


@pytest.mark.parametrize("dims", DIMS)
@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.75])
def test_dropout_in_training(ratio, dims):
    x = random(100, 1000) + 5
    inputs = {"x": x, "r": np.array(ratio, np.float32)}
    y, mask = run("Dropout", inputs, {"seed": 0}, outputs=2, constants={"t": np.array(True)},
                  dims=dims)
    np.testing.assert_allclose(y, np.where(mask, x / np.float32(1 - ratio), 0), rtol=1e-6)
    assert abs(float(mask.mean()) - (1 - ratio)) <= 5 * np.sqrt(ratio * (1 - ratio) / x.size)
    # The mode may be an input.
    for mode in (False, True):
        result, kept = run("Dropout", {**inputs, "t": np.array(mode)}, {"seed": 0}, outputs=2,
                           dims=dims)
        np.testing.assert_array_equal(result, y if mode else x)
        np.testing.assert_array_equal(kept, mask if mode else np.ones_like(mask))


def parse(text):
    return rm.compile(onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 17]>\n' + text))


def test_nodes_of_one_name_have_numbers_of_their_own():
    compiled = parse('''g () => (float[3] a, float[3] b, float[3] c, float[3] d, float[3] e) {
      [same] a = RandomUniform<shape = [3]>()
      [same] b = RandomUniform<shape = [3]>()
      c = RandomNormal<shape = [3], seed = 1.0>()
      d = RandomNormal<shape = [3], seed = 1.0>()
      [other] e = RandomUniform<shape = [3]>()
    }''')
    a, b, c, d, e = compiled.run({})
    assert len({float(values[0]) for values in (a, b, e)}) == 3
    np.testing.assert_array_equal(c, d)


# Loops whose iterations are written out, and others.
@pytest.mark.parametrize("count", ["count = Constant<value_int = 4>()", "count = Identity(n)"])
@pytest.mark.parametrize("node", ["RandomUniform<shape = [5]>()", "RandomNormal<shape = [5], seed = 2.0>()",
                                  "RandomUniformLike(x)", "RandomNormalLike<seed = 1.0>(x)"])
def test_each_iteration_has_numbers_of_its_own(count, node):
    compiled = parse(f'''g (float[k] x, int64 n) => (float[i,j,m] y) {{
      {count}
      true = Constant<value = bool {{1}}>()
      y = Loop(count, true)<body = outer (int64 i, bool c) => (bool d, float[j,m] rows) {{
        two = Constant<value_int = 2>()
        rows = Loop(two, true)<body = inner (int64 j, bool e) => (bool f, float[m] r) {{
          r = {node}
          f = Identity(e)
        }}>
        d = Identity(c)
      }}>
    }}''')
    y = compiled.run({"x": np.zeros(5, np.float32), "n": np.array(4)})
    assert y.shape == (4, 2, 5)
    assert len(np.unique(y)) == 40
    np.testing.assert_array_equal(y, compiled.run({"x": np.zeros(5, np.float32), "n": np.array(4)}))


def test_refused():
    check_refused("expects dtype to be a type of floats", "RandomNormal", {}, 22,
                  {"shape": [3], "dtype": 7})
    check_refused('expects attribute "shape"', "RandomUniform", {}, 22, {})
    check_refused("expects sizes, but got -1", "RandomUniform", {}, 22, {"shape": [2, -1]})
    check_refused("bytes", "RandomUniform", {}, 22, {"shape": [2**40, 2**20]})
    check_refused("expects sample_size to be positive", "Multinomial", {"x": random(1, 3)}, 22,
                  {"sample_size": 0})
