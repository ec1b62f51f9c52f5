"""Transcendental functions against double precision, in units of the last
place (ulp) of float32: all magnitudes, edges, infinities, NaN, denormals."""

import math
from typing import Any

import numpy as np
import pytest

import relay_mlir as rm

pytestmark = pytest.mark.share(3)

TINY = np.finfo(np.float32).tiny


def _dense(low, high, count):
    """Evenly spaced values and all magnitudes of both signs."""
    powers = np.exp2(np.linspace(-149, np.log2(max(abs(low), abs(high))), count // 4))
    parts = [np.linspace(low, high, count), powers, -powers]
    values = np.concatenate(parts).astype(np.float32)
    return values[(values >= low) & (values <= high)]


def _near(*points):
    """Neighbours of points at which something changes."""
    around = []
    for point in points:
        bits = np.float32(point).view(np.int32) + np.arange(-40, 41, dtype=np.int32)
        around.append(bits.view(np.float32))
    return np.concatenate(around)


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, TINY, -TINY,
                    np.finfo(np.float32).max, -np.finfo(np.float32).max, 1, -1],
                   np.float32)


def _erf(x):
    return np.array([math.erf(value) for value in x.tolist()])


def _sigmoid(x):
    # Far down, exp(-x) in the middle of 1 / (1 + exp(-x)) is beyond float32.
    return 1 / (1 + np.exp(-x))


# Where sines change sign, near and far.
MULTIPLES = (np.pi / 4, np.pi / 2, np.pi, 22.0, 710.0 / 2, 52174.0, -np.pi, 8388.0)

# name, reference, dense range, edges, ulps
FUNCTIONS: dict[str, Any] = {
    "exp": (np.exp, (-110, 95), (-103.97, -87.336, 88.7228, -105, 89, 0.3466), 1.5),
    "erf": (_erf, (-6, 6), (3.92, -3.92, 3.8), 8),
    "tanh": (np.tanh, (-12, 12), (7.9, 9.01, -9.01, 4e-4), 6),
    "sigmoid": (_sigmoid, (-87, 110), (-87, 17, 88), 4),
    "log": (np.log, (0, 1e6), (1, 0.7071, 1.4142, TINY), 4),
    "log2": (np.log2, (0, 1e6), (1, 2, 8, 0.7071, 1.4142, TINY), 2),
    "log10": (np.log10, (0, 1e6), (1, 10, 100, 0.7071, 1.4142, TINY), 3),
    "sin": (np.sin, (-1e5, 1e5), (*MULTIPLES, 2**20, 1e12, 1e30), 2),
    "cos": (np.cos, (-1e5, 1e5), (*MULTIPLES, 2**20, 1e12, 1e30), 2),
    "tan": (np.tan, (-1e5, 1e5), (*MULTIPLES, 2**20, 1e12, 1e30), 4),
    "asin": (np.arcsin, (-1.01, 1.01), (0.5, -0.5, 1, -1), 3),
    "acos": (np.arccos, (-1.01, 1.01), (0.5, -0.5, 1, -1), 3),
    "atan": (np.arctan, (-1e4, 1e4), (1, -1, 1e30), 3),
    "sinh": (np.sinh, (-90, 90), (1, -1, 88.7228, 89.4159), 4),
    "cosh": (np.cosh, (-90, 90), (1, -1, 88.7228, 89.4159), 3),
    "asinh": (np.arcsinh, (-1e12, 1e12), (1, -1, 2.0**30, 1e30), 4),
    "acosh": (np.arccosh, (0.9, 1e12), (1, 2, 2.0**30, 1e30), 4),
    "atanh": (np.arctanh, (-1.01, 1.01), (0.5, 1, -1), 4),
}


def _run(name, x, *others):
    size = len(x)
    type = f"tensor<{size}xf32>"
    names = [f"%x{number}" for number in range(1 + len(others))]
    model = rm.compile(rm.parse(f"""
func.func @main({", ".join(f"{x}: {type}" for x in names)}) -> {type} {{
  %0 = relay.{name} {", ".join(names)} : ({", ".join(type for _ in names)}) -> {type}
  return %0 : {type}
}}"""))
    return model(x, *others)


@pytest.mark.parametrize("name", FUNCTIONS)
# What does not fill a vector, or several of them, takes another way.
@pytest.mark.parametrize("rest", [0, 1, 7, 13])
def test_error(name, rest):
    reference, bounds, edges, limit = FUNCTIONS[name]
    low, high = bounds
    x = np.concatenate([_dense(low, high, 200000), _near(*edges), SPECIAL])
    size = len(x) // 64 * 64 - rest
    x = x[-size:]
    y = _run(name, x)
    with np.errstate(all="ignore"):
        expected = reference(x.astype(np.float64))
    _check(y, expected, limit, x)


def _check(y, expected, limit, *arguments):
    """`y` is within `limit` units in the last place of `expected`."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(np.float32)
    finite = np.isfinite(rounded)
    # Infinities and NaN come out as they are, at the same arguments (up to the
    # last units before overflow).
    overflow = np.isinf(rounded) & (np.abs(expected) < 3.4028247e38 * (1 + 2e-7))
    np.testing.assert_array_equal(np.isnan(y), np.isnan(rounded))
    strict = ~finite & ~overflow
    np.testing.assert_array_equal(y[strict], rounded[strict])
    unit = np.spacing(np.maximum(np.abs(rounded[finite]), TINY)).astype(np.float64)
    with np.errstate(all="ignore"):
        error = np.abs(y[finite].astype(np.float64) - expected[finite]) / unit
    worst = np.argmax(error)
    assert error[worst] <= limit, (error[worst], [x[finite][worst] for x in arguments],
                                   y[finite][worst], expected[finite][worst])


@pytest.mark.parametrize("rest", [0, 1, 7])
def test_power(rest):
    rng = np.random.default_rng(0)
    count = 1 << 17
    # All magnitudes of bases, exponents that keep the power within float32, and
    # whole exponents of negative bases.
    x = np.exp2(rng.uniform(-149, 128, count))
    y = rng.uniform(-140, 130, count) / np.maximum(np.abs(np.log2(x)), 1e-3)
    x2 = -np.exp2(rng.uniform(-8, 8, count))
    y2 = rng.integers(-20, 20, count)
    near = 1 + rng.uniform(-1e-3, 1e-3, count)
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 3, -3,
                      1e-45, -1e-45, 3.4e38, -3.4e38, 16777217, 2.5, -2.5], np.float32)
    x = np.concatenate([x, x2, near, np.repeat(edges, len(edges))]).astype(np.float32)
    y = np.concatenate([y, y2, rng.uniform(-1e5, 1e5, count),
                        np.tile(edges, len(edges))]).astype(np.float32)
    size = len(x) // 64 * 64 - rest
    x, y = x[-size:], y[-size:]
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64))
    result = _run("power", x, y)
    _check(result, expected, 1, x, y)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(result[zero]), np.signbit(expected[zero]))


def test_angles_that_are_too_large_for_vectors():
    # In the middle of a vector, and only there.
    x = np.linspace(-10, 10, 1024).astype(np.float32)
    x[[5, 100, 101, 1023]] = [1e20, -3e38, np.inf, 1e13]
    for name in ("sin", "cos", "tan"):
        with np.errstate(all="ignore"):
            expected = FUNCTIONS[name][0](x.astype(np.float64))
        _check(_run(name, x), expected, 3, x)


def test_nan_of_any_payload():
    bits = 0x7F800000 + np.concatenate([np.arange(1, 1 << 12), 0x400000 + np.arange(1 << 12)])
    x = np.concatenate([bits, bits | 0x80000000]).astype(np.uint32).view(np.float32)
    for name in FUNCTIONS:
        assert np.isnan(_run(name, x)).all(), name


@pytest.mark.parametrize("name", ["erf", "tanh", "sigmoid"])
def test_stays_within_its_bounds(name):
    x = np.concatenate([_dense(-20, 20, 1 << 19), SPECIAL])
    y = _run(name, x)
    y = y[~np.isnan(y)]
    assert y.max() == 1
    assert y.min() == (0 if name == "sigmoid" else -1)


ODD = ["erf", "tanh", "sin", "tan", "asin", "atan", "sinh", "asinh", "atanh"]


@pytest.mark.parametrize("name", ODD)
def test_odd(name):
    x = np.concatenate([_dense(0, 10, 20000), SPECIAL[:1]])
    np.testing.assert_array_equal(_run(name, -x), -_run(name, x))


def test_signed_zero_and_denormals():
    for name in ODD:
        y = _run(name, np.array([0.0, -0.0], np.float32))
        assert list(np.signbit(y)) == [False, True]
    # Results below the smallest normal number are gradual.
    x = np.linspace(-103, -88, 1000).astype(np.float32)
    y = _run("exp", x)
    assert ((y > 0) & (y < TINY)).all()
    assert (np.diff(y) >= 0).all()
