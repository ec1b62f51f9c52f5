# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of com.microsoft that move elements, and the inverse, against ONNX Runtime."""

import numpy as np
import pytest

import relay_mlir as rm
from single_nodes import check_refused, compare, compiled, make, random, runtime

pytestmark = pytest.mark.share(2)

DOMAIN = "com.microsoft"


def check(op, inputs, attributes=None, constants=None, **options):
    arguments = (op, inputs, 17, attributes or {}, constants)
    compare(compiled(*arguments, domain=DOMAIN, **options),
            runtime(*arguments, domain=DOMAIN, **options))


@pytest.mark.parametrize("start, limit, step", [(2, 11, 3), (7, -2, -2), (1, 5, None)])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_range(start, limit, step, dtype):
    values = [np.array(value, dtype) for value in (start, limit, step) if value is not None]
    check("Range", {}, {}, dict(zip("abc", values)))
    check("Range", {}, {}, {name: value[None] for name, value in zip("abc", values)})


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
@pytest.mark.parametrize("shape", [(4,), (1, 4)])
def test_pad(mode, shape):
    pads = np.array([1, 2, 0, 1]).reshape(shape)
    constants = {"p": pads}
    if mode == "constant":
        constants["v"] = np.array(2.5, np.float32)
    check("Pad", {"x": random(3, 4)}, {"mode": mode}, constants)


def test_pad_of_a_negative_number():
    check("Pad", {"x": random(3, 4)}, {}, {"p": np.array([0, -1, 0, 2])})


@pytest.mark.parametrize("indices", [[[0, 1], [2, 3]], [[1], [0]], [[[2, 0]], [[1, 3]]]])
def test_gather(indices):
    check("GatherND", {"x": random(3, 4, 2), "i": np.array(indices)})


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [0, 1])
def test_samples_of_grids(mode, padding, corners):
    grid = np.random.default_rng(1).uniform(-1.3, 1.3, (2, 3, 5, 2)).astype(np.float32)
    check("GridSample", {"x": random(2, 3, 6, 7), "g": grid},
          {"mode": mode, "padding_mode": padding, "align_corners": corners})


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("shape, attributes", [
    ((2, 7, 6, 3), {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
    ((2, 7, 6, 3), {"kernel_shape": [2, 2], "dilations": [2, 2], "ceil_mode": 1, "strides": [2, 2]}),
    ((1, 9, 4), {"kernel_shape": [3], "auto_pad": "SAME_UPPER", "strides": [2]})])
def test_maxima_with_channels_last(dtype, shape, attributes):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = np.random.default_rng(0).integers(low, high, shape, dtype)
    check("NhwcMaxPool", {"x": x}, attributes)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("per_channel", [False, True])
def test_quantized_convolution(last, per_channel):
    """With small weights: sums of two products in ONNX Runtime may saturate in 16 bits."""
    generator = np.random.default_rng(0)
    shape = (2, 6, 7, 4) if last else (2, 4, 6, 7)
    count = 6 if per_channel else 1
    constants = {"xs": np.array(0.02, "f4"), "xz": np.array(120, "u1"),
                 "w": generator.integers(-30, 30, (6, 2, 3, 3)).astype(np.int8),
                 "ws": generator.uniform(0.01, 0.03, count).astype("f4"), "wz": np.zeros(count, np.int8),
                 "ys": np.array(0.1, "f4"), "yz": np.array(110, "u1"),
                 "b": generator.integers(-500, 500, 6).astype(np.int32)}
    arguments = ("QLinearConv", {"x": generator.integers(0, 256, shape).astype(np.uint8)}, 17,
                 {"group": 2, "pads": [1, 1, 1, 1], "strides": [2, 1], "channels_last": last}, constants)
    [ours], [theirs] = (run(*arguments, domain=DOMAIN) for run in (compiled, runtime))
    # A result between two numbers may become either.
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    assert np.abs(ours.astype(int) - theirs).max() <= 1


@pytest.mark.parametrize("shape, attributes", [
    ((7,), {"size": 3}), ((3, 8, 5), {"dim": 1, "size": 2, "step": 3}), ((4, 6), {"dim": 0, "size": 4})])
def test_windows(shape, attributes):
    check("UnfoldTensor", {"x": random(*shape)}, attributes)


def test_windows_of_an_open_size():
    arguments = {"op": "UnfoldTensor", "opset": 17, "attributes": {"size": 3, "step": 2, "dim": 0},
                 "domain": DOMAIN}
    program = rm.compile(make(inputs={"x": random(7, 2)}, dims={"x": ["n", 2]}, **arguments))
    for n in (3, 4, 9):
        inputs = {"x": random(n, 2)}
        compare([program(inputs["x"])], runtime(inputs=inputs, **arguments))


def test_sample_op():
    check("SampleOp", {"x": random(2, 3)})


@pytest.mark.parametrize("batch, size", [((), 1), ((), 2), ((3,), 4), ((2, 3), 7), ((2,), 20)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inverse(batch, size, dtype):
    """Errors grow with the condition number, by which the tolerance is."""
    x = random(*batch, size, size, dtype=dtype)
    # Pivots are none of the diagonal's.
    x[..., 0, 0] = 0 if size > 1 else 2
    [ours], [theirs] = (run("Inverse", {"x": x}, 17, {}, None, domain=DOMAIN)
                        for run in (compiled, runtime))
    assert ours.dtype == dtype
    condition = np.linalg.cond(x.astype(np.float64)).max()
    tolerance = 20 * size * condition * np.finfo(dtype).eps
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.abs(theirs).max())
    np.testing.assert_allclose(ours @ x, np.broadcast_to(np.eye(size), x.shape), rtol=0, atol=tolerance)


def test_inverse_of_an_open_number_of_matrices():
    program = rm.compile(make("Inverse", {"x": random(2, 3, 3)}, 17, {}, dims={"x": ["n", 3, 3]}, domain=DOMAIN))
    for n in (1, 5):
        x = random(n, 3, 3) + 3 * np.eye(3, dtype=np.float32)
        np.testing.assert_allclose(program(x), np.linalg.inv(x), rtol=1e-4, atol=1e-5)


def test_wrong_operands():
    check_refused("expects square matrices of 1 to 32 rows, but got", "Inverse", {"x": random(2, 3)}, 17, {},
                  domain=DOMAIN)
    check_refused("expects square matrices of 1 to 32 rows, but got", "Inverse", {"x": random(33, 33)}, 17, {},
                  domain=DOMAIN)
    check_refused("expects a positive step, and a size from 1 to that of axis 0", "UnfoldTensor",
                  {"x": random(5)}, 17, {"size": 6}, domain=DOMAIN)
    check_refused("expects data of rank 3 or more", "NhwcMaxPool", {"x": np.zeros((2, 3), np.int8)}, 17,
                  {"kernel_shape": [1]}, domain=DOMAIN)
