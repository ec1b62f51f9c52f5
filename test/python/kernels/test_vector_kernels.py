# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that run through memory once: softmax, reductions over any axes, the
positions of extremes, running sums, transposes; against NumPy in float64.

Sizes are odd, prime, one, zero, and large enough for each way to go through
memory. Sums may be wrong by 2e-6 of the sum of the magnitudes.
"""

import itertools

import numpy as np
import pytest

import relay_mlir as rm

pytestmark = pytest.mark.share(3)

RNG = np.random.default_rng(7)


def tensor(shape, kind="f32"):
    return f"tensor<{'x'.join(map(str, (*shape, kind)))}>"


def run(line, x, shape, kind="f32", dynamic=(), **options):
    """One operator of %x. The axes in `dynamic` are known at run time only."""
    kinds = {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32",
             "int8": "i8", "uint8": "ui8", "int64": "i64", "bool": "i1"}
    sizes = ["?" if axis in dynamic else size for axis, size in enumerate(x.shape)]
    types = f"({tensor(sizes, kinds[str(x.dtype)])}) -> {tensor(shape, kind)}"
    source, target = types[1:].split(") -> ")
    module = rm.compile(rm.parse(f"""
func.func @main(%x: {source}) -> {target} {{
  %0 = relay.{line} : {types}
  return %0 : {target}
}}"""), cache=False, **options)
    return np.asarray(module(x))


def uniform(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


#===-----------------------------------------------------------------------===#
# Softmax
#===-----------------------------------------------------------------------===#


def softmax(x, axis):
    with np.errstate(all="ignore"):
        x = x.astype(np.float64)
        e = np.exp(x - np.max(x, axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)


SOFTMAX = [((5, 33), 1), ((1, 1000), -1), ((7, 1), 1), ((3, 0), 0), ((0, 4), 1),
           ((2, 21, 5, 9), 1), ((64, 7), 0), ((3, 100, 100), -1), ((1024, 4100), 1),
           # Rows of whole vectors are finished in the next one.
           ((37, 128), 1), ((1, 256), 1), ((2, 64), 1), ((1100, 4096), 1)]


@pytest.mark.parametrize("shape, axis", SOFTMAX)
def test_softmax(shape, axis):
    x = (20 * uniform(*shape)).astype(np.float32)
    if 0 not in shape:
        expected = softmax(x, axis)
        got = run(f"nn.softmax %x {{axis = {axis} : i64}}", x, shape)
        np.testing.assert_allclose(got, expected, rtol=4e-6, atol=1e-37)
        got = run(f"nn.log_softmax %x {{axis = {axis} : i64}}", x, shape)
        np.testing.assert_allclose(got, np.log(expected), rtol=2e-6, atol=4e-6)
    else:
        assert run(f"nn.softmax %x {{axis = {axis} : i64}}", x, shape).shape == shape


@pytest.mark.parametrize("columns", [3, 8, 100, 1000])
def test_softmax_of_what_is_not_finite(columns):
    x = uniform(12, columns)
    x[1, 0] = np.nan
    x[2, -1] = np.nan
    x[3] = np.nan
    x[4, 1] = np.inf
    x[5, :-1] = -np.inf
    x[6] = -np.inf
    x[7, 1:] = -1e9
    x[8, 1:] = -100
    x[9] = 3e38
    x[10, 0], x[10, 1:] = 3e38, -3e38
    got = run("nn.softmax %x {axis = 1 : i64}", x, x.shape)
    expected = softmax(x, 1)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    good = ~np.isnan(expected)
    np.testing.assert_allclose(got[good], expected[good], rtol=4e-6, atol=1e-37)
    # What is masked gets nothing, not just little.
    assert (got[5, :-1] == 0).all() and got[5, -1] == 1
    assert (got[7, 1:] == 0).all()
    # Nor a number that is too small to be normal, which is slow to compute with.
    assert (got[8, 1:] == 0).all()


#===-----------------------------------------------------------------------===#
# Reductions
#===-----------------------------------------------------------------------===#

# Shape, axes: rows short and long, contiguous or not, ones that go to and from
# memory several times.
REDUCTIONS = [((5, 7), (0,)), ((5, 7), (1,)), ((1, 1), (0,)), ((97, 300), (0,)),
              ((512, 1000), (0,)), ((520, 2051), (0,)), ((64, 5000), (0,)),
              ((16, 14, 14, 40), (0, 1, 2)), ((16, 14, 14, 80), (0, 2)),
              ((2, 128, 2000), (1,)), ((3, 33, 7, 5), (2, 3)), ((4, 9, 1300), (0, 2)),
              ((3, 6, 4), (0, 1, 2)), ((4096, 64), (0,))]


def result_shape(shape, axes):
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


@pytest.mark.parametrize("shape, axes", REDUCTIONS)
def test_reductions(shape, axes):
    x = uniform(*shape)
    x64 = x.astype(np.float64)
    where = f"%x {{axis = [{', '.join(map(str, axes))}]}}"
    out = result_shape(shape, axes)
    magnitude = np.abs(x64).sum(axes)
    for name, wanted, error in [("sum", x64.sum(axes), 2e-6 * magnitude),
                                ("mean", x64.mean(axes), 2e-6 * magnitude / (
                                    x.size / max(1, magnitude.size))),
                                ("max", x.max(axes), 0), ("min", x.min(axes), 0)]:
        got = run(f"{name} {where}", x, out)
        assert got.shape == out
        assert (np.abs(got - wanted) <= error + 1e-7 * (error > 0)).all(), name


@pytest.mark.parametrize("dtype, kind", [("float64", "f64"), ("int32", "i32"),
                                         ("int8", "i8"), ("float16", "f16"),
                                         ("int64", "i64"), ("uint8", "ui8")])
def test_reductions_of_other_types(dtype, kind):
    x = (100 * uniform(1024, 300)).astype(dtype)
    for axis in (0, 1):
        for name in ("max", "min"):
            got = run(f"{name} %x {{axis = [{axis}]}}", x, result_shape(x.shape, (axis,)),
                      kind)
            np.testing.assert_array_equal(got, getattr(np, name)(x, axis))
    if dtype == "int64" or dtype == "int32":
        got = run("sum %x {axis = [0]}", x, (300,), kind)
        np.testing.assert_array_equal(got, x.sum(0))


def test_extremes_keep_nan():
    x = uniform(600, 1000)
    x[7, 11] = np.nan
    x[599, 999] = np.nan
    for axis in (0, 1):
        for name in ("max", "min"):
            got = run(f"{name} %x {{axis = [{axis}]}}", x, result_shape(x.shape, (axis,)))
            np.testing.assert_array_equal(got, getattr(np, name)(x, axis))


#===-----------------------------------------------------------------------===#
# Positions
#===-----------------------------------------------------------------------===#


def position(x, axes, largest, last):
    """Over all of `axes`, row-major; NaN is beyond every number."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*kept, *axes).reshape([x.shape[axis] for axis in kept] + [-1])
    if last:
        rows = rows[..., ::-1]
    found = rows.argmax(-1) if largest else rows.argmin(-1)
    return rows.shape[-1] - 1 - found if last else found


POSITIONS = [((5, 7), (1,)), ((5, 7), (0,)), ((1, 1000), (1,)), ((300, 129), (0,)),
             ((300, 129), (1,)), ((3, 5, 7), (0, 2)), ((3, 5, 7), (1, 2)),
             ((2, 3, 40), (0, 1, 2)), ((9, 1), (1,))]


@pytest.mark.parametrize("shape, axes", POSITIONS)
@pytest.mark.parametrize("dtype", ["float32", "int32", "int8", "float16", "float64"])
def test_positions(shape, axes, dtype):
    # Few values, so that there are ties.
    x = RNG.integers(-4, 5, shape).astype(dtype)
    if dtype.startswith("float"):
        flat = x.reshape(-1)
        flat[RNG.integers(0, flat.size, flat.size // 60)] = np.nan
    where = f"axis = [{', '.join(map(str, axes))}]"
    for (name, largest), last in itertools.product(
            [("argmax", True), ("argmin", False)], [False, True]):
        got = run(f"{name} %x {{{where}, select_last_index = {str(last).lower()}}}", x,
                  result_shape(shape, axes), "i32")
        np.testing.assert_array_equal(got, position(x, axes, largest, last))


def test_positions_of_extremes_of_a_type():
    low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    x = np.array([[low, low, low], [high, high, high], [high, low, high]], np.int32)
    got = run("argmax %x {axis = [1]}", x, (3,), "i32")
    np.testing.assert_array_equal(got, x.argmax(1))
    got = run("argmin %x {axis = [1]}", x, (3,), "i32")
    np.testing.assert_array_equal(got, x.argmin(1))
    x = np.full((2, 9), -np.inf, np.float32)
    np.testing.assert_array_equal(run("argmax %x {axis = [1]}", x, (2,), "i32"), [0, 0])


def test_positions_of_unknown_sizes():
    x = uniform(31, 67)
    for axis in (0, 1):
        got = run(f"argmax %x {{axis = [{axis}]}}", x,
                  ("?",) if axis == 1 else (67,), "i32", dynamic=(0,))
        np.testing.assert_array_equal(got, x.argmax(axis))


#===-----------------------------------------------------------------------===#
# Running sums
#===-----------------------------------------------------------------------===#

SCANS = [((7,), 0), ((1,), 0), ((0, 3), 1), ((3, 0), 1), ((33, 1030), 1), ((33, 1030), 0),
         ((4, 13, 17), 1), ((2, 3, 4, 5), -1)]


@pytest.mark.parametrize("shape, axis", SCANS)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("dynamic", [(), (0,)])
def test_running_sums(shape, axis, exclusive, dynamic):
    for x, kind in [(uniform(*shape), "f32"),
                    (RNG.integers(-100, 100, shape).astype(np.int32), "i32")]:
        wanted = x.astype(np.float64).cumsum(axis)
        if exclusive:
            wanted = wanted - x
        out = ["?" if number in dynamic else size for number, size in enumerate(shape)]
        got = run(f"cumsum %x {{axis = {axis} : i64, exclusive = "
                  f"{str(exclusive).lower()}}}", x, out, kind, dynamic)
        error = 0 if kind == "i32" else 2e-6 * np.abs(x).astype(np.float64).cumsum(axis)
        assert got.shape == shape
        assert (np.abs(got - wanted) <= error + (kind == "f32") * 1e-7).all()


#===-----------------------------------------------------------------------===#
# Transposes
#===-----------------------------------------------------------------------===#

TRANSPOSES = [((70, 131), (1, 0)), ((64, 64), (1, 0)), ((1, 33), (1, 0)),
              ((0, 5), (1, 0)), ((3, 40, 37), (2, 0, 1)), ((2, 5, 64, 33), (0, 2, 3, 1)),
              ((2, 33, 3, 65), (0, 3, 1, 2)), ((1024, 7), (1, 0)), ((2, 129, 3, 64), (0, 2, 1, 3))]


@pytest.mark.parametrize("shape, axes", TRANSPOSES)
@pytest.mark.parametrize("dtype, kind", [("int8", "i8"), ("float16", "f16"),
                                         ("float32", "f32"), ("int64", "i64"),
                                         ("bool", "i1"), ("float64", "f64")])
@pytest.mark.parametrize("dynamic", [(), (0, 1)])
def test_transposes(shape, axes, dtype, kind, dynamic):
    x = RNG.integers(-100, 100, shape).astype(dtype)
    wanted = x.transpose(axes)
    out = ["?" if axis in dynamic else shape[axis] for axis in axes]
    got = run(f"transpose %x {{axes = [{', '.join(map(str, axes))}]}}", x, out, kind,
              dynamic)
    np.testing.assert_array_equal(got, wanted)
