"""Floats that are rounded to bytes, compiled, against NumPy: halves, both ends, what is
beyond 32 bits, infinities and NaN, with and without a zero point."""

from typing import Any

import numpy as np
import pytest

import relay_mlir as rm

TYPES = {"i8": np.int8, "ui8": np.uint8}


def values():
    """Whole vectors and a rest."""
    halves = np.arange(-300, 300) / 2
    ends = [sign * value * (1 + delta) for sign in (1, -1) for delta in (0, 2.0**-23, -2.0**-24)
            for value in (2.0**15, 2.0**23, 2.0**31, 2.0**32, 2.0**63, 3e38)]
    near = np.nextafter(np.float32(127.5), np.array([0, 200], np.float32))
    special = [np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 1e-45, -1e-45, *near, *-near]
    return np.concatenate([halves, ends, special, [0.5] * 5]).astype(np.float32)


def expect(x, zero_point, dtype):
    info = np.iinfo(dtype)
    rounded = np.clip(np.rint(x.astype(np.float64)) + zero_point, info.min, info.max)
    return np.where(np.isnan(x), np.clip(0, info.min, info.max), rounded).astype(dtype)


@pytest.mark.parametrize("target", ["native", "x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("element,zero_point", [("i8", 0), ("i8", -128), ("i8", 127), ("i8", -5),
                                                ("ui8", 0), ("ui8", 128), ("ui8", 255)])
def test_quantize(element, zero_point, target):
    x = values()
    run = rm.compile(rm.IRModule.parse(f"""
func.func @main(%x: tensor<{x.size}xf32>) -> tensor<{x.size}x{element}> {{
  %s = relay.constant dense<1.0> : tensor<f32>
  %z = relay.constant dense<{zero_point}> : tensor<i32>
  %0 = relay.qnn.quantize %x, %s, %z {{out_dtype = {element}, rounding = "TOEVEN"}}
      : (tensor<{x.size}xf32>, tensor<f32>, tensor<i32>) -> tensor<{x.size}x{element}>
  return %0 : tensor<{x.size}x{element}>
}}"""), target=target)
    np.testing.assert_array_equal(run(x), expect(x, zero_point, TYPES[element]))


@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
@pytest.mark.parametrize("element", ["i8", "ui8", "i32"])
@pytest.mark.parametrize("bounds", [False, True])
def test_requantize(element, bounds, target):
    """Sums of 32 bits, with a factor for each channel, some of which put them beyond."""
    rng = np.random.default_rng(0)
    ends = [-2**31, 2**31 - 1, -2**24 - 1, 2**24 + 1, -1, 0, 1]
    x = np.concatenate([rng.integers(-2**31, 2**31, 200), rng.integers(-600, 600, 300),
                        ends]).astype(np.int32)[:, None].repeat(13, axis=1)
    scales = np.array([1, 0.5, 0.25, 1e-7, 3e-9, 2.0**20, 1e30, 0.1, 1.5, 1e-3, 7e-5, 2, 4],
                      np.float32)
    shape = f"{x.shape[0]}x13"
    clip = ("" if not bounds else f"""
  %low = relay.constant dense<0> : tensor<i32>
  %high = relay.constant dense<70> : tensor<i32>
  %1 = relay.maximum %x, %low : (tensor<{shape}xi32>, tensor<i32>) -> tensor<{shape}xi32>
  %y = relay.minimum %1, %high : (tensor<{shape}xi32>, tensor<i32>) -> tensor<{shape}xi32>""")
    data = "%y" if bounds else "%x"
    run = rm.compile(rm.IRModule.parse(f"""
func.func @main(%x: tensor<{shape}xi32>) -> tensor<{shape}x{element}> {{
  %s = relay.constant dense<"0x{scales.tobytes().hex().upper()}"> : tensor<13xf32>
  %one = relay.constant dense<1.0> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>{clip}
  %0 = relay.qnn.requantize {data}, %s, %z, %one, %z {{axis = 1, compute_dtype = "float32",
      rounding = "TOEVEN", out_dtype = {element}}} : (tensor<{shape}xi32>, tensor<13xf32>,
      tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<{shape}x{element}>
  return %0 : tensor<{shape}x{element}>
}}"""), target=target)
    sums = np.clip(x, 0, 70) if bounds else x
    dtype: Any = {**TYPES, "i32": np.int32}[element]
    info = np.iinfo(dtype)
    product = sums.astype(np.float32) * scales
    expected = np.clip(np.rint(product.astype(np.float64)), info.min, info.max).astype(dtype)
    np.testing.assert_array_equal(run(x), expected)
