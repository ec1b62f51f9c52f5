"""Transcendental functions against double precision, in units of the last
place (ulp) of float32: all magnitudes, edges, infinities, NaN, denormals."""

import math

import numpy as np
import pytest

import relay_mlir as rm

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


# name, reference, dense range, edges, ulps
FUNCTIONS = {
    "exp": (np.exp, (-110, 95), (-103.97, -87.336, 88.7228, -105, 89, 0.3466), 1.5),
    "erf": (_erf, (-6, 6), (3.92, -3.92, 3.8), 8),
    "tanh": (np.tanh, (-12, 12), (7.9, 9.01, -9.01, 4e-4), 6),
    "sigmoid": (_sigmoid, (-87, 110), (-87, 17, 88), 4),
    "log": (np.log, (0, 1e6), (1, 0.7071, 1.4142, TINY), 4),
}


def _run(name, x):
    size = len(x)
    type = f"tensor<{size}xf32>"
    model = rm.compile(rm.parse(f"""
func.func @main(%x: {type} {{relay.name = "x"}}) -> ({type} {{relay.name = "y"}}) {{
  %0 = relay.{name} %x : ({type}) -> {type}
  return %0 : {type}
}}"""))
    return model(x)


@pytest.mark.parametrize("name", FUNCTIONS)
# What does not fill a vector, or several of them, takes another way.
@pytest.mark.parametrize("rest", [0, 1, 7, 13])
def test_error(name, rest):
    reference, bounds, edges, limit = FUNCTIONS[name]
    x = np.concatenate([_dense(*bounds, 200000), _near(*edges), SPECIAL])
    size = len(x) // 64 * 64 - rest
    x = x[-size:]
    y = _run(name, x)
    with np.errstate(all="ignore"):
        expected = reference(x.astype(np.float64))
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
    assert error[worst] <= limit, (x[finite][worst], y[finite][worst])


@pytest.mark.parametrize("name", ["erf", "tanh", "sigmoid"])
def test_stays_within_its_bounds(name):
    x = np.concatenate([_dense(-20, 20, 1 << 19), SPECIAL])
    y = _run(name, x)
    y = y[~np.isnan(y)]
    assert y.max() == 1
    assert y.min() == (0 if name == "sigmoid" else -1)


@pytest.mark.parametrize("name", ["erf", "tanh"])
def test_odd(name):
    x = np.concatenate([_dense(0, 10, 20000), SPECIAL[:1]])
    np.testing.assert_array_equal(_run(name, -x), -_run(name, x))


def test_signed_zero_and_denormals():
    for name in ("erf", "tanh"):
        y = _run(name, np.array([0.0, -0.0], np.float32))
        assert list(np.signbit(y)) == [False, True]
    # Results below the smallest normal number are gradual.
    x = np.linspace(-103, -88, 1000).astype(np.float32)
    y = _run("exp", x)
    assert ((y > 0) & (y < TINY)).all()
    assert (np.diff(y) >= 0).all()
