# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of float64 that have vector code against NumPy's extended precision, in
units of the last place (ulp) of float64: all magnitudes, edges, infinities, NaN,
denormals."""

from typing import Any

import numpy as np
import pytest

import relay_mlir as rm

TINY = np.finfo(np.float64).tiny
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, TINY, -TINY,
                    np.finfo(np.float64).max, -np.finfo(np.float64).max, 1, -1])

# What a function is in Relay, a reference, a dense range, edges, ulps
FUNCTIONS: dict[str, Any] = {
    "exp": ("relay.exp %x : (T) -> T\n  return %0 : T", np.exp, (-750, 712),
            (-745.13, -708.39, 709.78, 0.34657), 2),
    "expm1": ("relay.exp %x : (T) -> T\n  %c = relay.constant dense<1.0> : tensor<f64>\n"
              "  %1 = relay.subtract %0, %c : (T, tensor<f64>) -> T\n  return %1 : T",
              np.expm1, (-50, 712), (-37.4, 709.78, 0.34657, -0.34657), 3),
    "tanh": ("relay.tanh %x : (T) -> T\n  return %0 : T", np.tanh, (-25, 25),
             (19.06, 20, -20, 0.17328), 4),
    "log": ("relay.log %x : (T) -> T\n  return %0 : T", np.log, (0, 1e6),
            (1, 0.70710678, 1.41421356, TINY), 2),
}


def values(low, high, edges):
    """Evenly spaced ones, all magnitudes, and neighbours of edges."""
    powers = np.exp2(np.linspace(-1074, np.log2(max(abs(low), abs(high))), 20000))
    near = np.concatenate([(np.float64(edge).view(np.int64) + np.arange(-40, 41)).view(np.float64)
                           for edge in edges])
    x = np.concatenate([np.linspace(low, high, 40000), powers, -powers, near])
    return np.concatenate([x[(x >= low) & (x <= high)], SPECIAL])


def run(name, x):
    kind = f"tensor<{len(x)}xf64>"
    body = FUNCTIONS[name][0].replace("T", kind)
    return rm.compile(rm.parse(f"func.func @main(%x: {kind}) -> {kind} {{\n  %0 = {body}\n}}"))(x)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="the machine lacks floats of extended precision")
@pytest.mark.parametrize("name", FUNCTIONS)
# What does not fill a vector, or several of them, takes another way.
@pytest.mark.parametrize("rest", [0, 1, 3])
def test_error(name, rest):
    _, reference, (low, high), edges, limit = FUNCTIONS[name]
    x = values(low, high, edges)
    x = x[-(len(x) // 16 * 16 - rest):]
    y = run(name, x)
    with np.errstate(all="ignore"):
        expected = reference(x.astype(np.longdouble))
        rounded = expected.astype(np.float64)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(rounded))
    # Infinities are where they should be, up to the last units before overflow.
    strict = ~finite & ~(np.isinf(rounded) & (np.abs(expected) < np.longdouble(2)**1024.01))
    np.testing.assert_array_equal(y[strict], rounded[strict])
    unit = np.spacing(np.maximum(np.abs(rounded[finite]), TINY)).astype(np.longdouble)
    with np.errstate(all="ignore"):
        error = np.abs(y[finite].astype(np.longdouble) - expected[finite]) / unit
    worst = np.argmax(error)
    assert error[worst] <= limit, (error[worst], x[finite][worst], y[finite][worst],
                                   rounded[finite][worst])


def test_tanh_stays_within_its_bounds():
    x = values(-800, 800, (19.06, 20))
    y = run("tanh", x)
    np.testing.assert_array_equal(run("tanh", -x), -y)
    assert np.nanmax(y) == 1 and np.nanmin(y) == -1
    assert list(np.signbit(run("tanh", np.array([0.0, -0.0] * 8)))) == [False, True] * 8
