# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every elementwise operator on floats, at the values that are special: zeros of
both signs, denormal numbers, the ends of the range, infinities, NaN, and numbers
at which something changes. Compiled code and the interpreter, each against NumPy
in float64, rounded once. NaN, infinities, zeros and their signs are exact; other
results may be off by the rounding errors that ROUNDING states.
"""

import math
import pathlib
import re
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import relay_mlir as rm

pytestmark = pytest.mark.share(2)

ROOT = pathlib.Path(__file__).resolve().parents[3]
DEFINITIONS = ROOT / "include/relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"

DTYPES = {"f64": np.dtype(np.float64), "f32": np.dtype(np.float32),
          "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}
# Relative; 1 / 2 / 8 units of the last place. Functions of f16 and bf16 are
# computed in f32 and rounded once.
ROUNDING = {"f64": 2e-15, "f32": 1e-6, "f16": 1.1e-3, "bf16": 8.5e-3}

erf = np.vectorize(math.erf, otypes=[np.float64])


def divide_exactly(round_):
    """round_(a / b) of the exact quotient where a and b are finite, which the
    rounded quotient may miss."""
    def one(a, b):
        if math.isfinite(a) and math.isfinite(b) and b != 0 and a != 0:
            whole = round_(Fraction(a) / Fraction(b))
            try:
                return math.copysign(float(whole), math.copysign(1, a) * math.copysign(1, b))
            except OverflowError:
                return math.inf if whole > 0 else -math.inf
        quotient = np.float64(a) / np.float64(b)
        return {math.floor: np.floor, math.trunc: np.trunc}[round_](quotient)
    return np.vectorize(one, otypes=[np.float64])


def power(a, b):
    return np.float_power(a, b)


UNARY = {
    "log": np.log, "log2": np.log2, "log10": np.log10, "tan": np.tan, "cos": np.cos,
    "cosh": np.cosh, "sin": np.sin, "sinh": np.sinh, "acos": np.arccos, "acosh": np.arccosh,
    "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan, "atanh": np.arctanh,
    "exp": np.exp, "fast_exp": np.exp, "erf": erf, "fast_erf": erf, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "zeros_like": np.zeros_like, "ones_like": np.ones_like,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "copy": np.copy, "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "sign": np.sign, "abs": np.abs, "tanh": np.tanh,
    "fast_tanh": np.tanh, "negative": np.negative,
    # Halves go away from zero; of NaN, the maximum is NaN.
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "nn.relu": lambda x: np.where(x <= 0, 0, x),
    "nn.leaky_relu": lambda x: np.where(x > 0, x, 0.25 * x),
    "clip": lambda x: np.clip(x, -1.5, 7),
}
ATTRIBUTES = {"nn.leaky_relu": "{alpha = 2.5e-1 : f64}",
              "clip": "{a_min = -1.5e0 : f64, a_max = 7.0e0 : f64}"}
TESTS = {"isnan": np.isnan, "isfinite": np.isfinite, "isinf": np.isinf}
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "trunc_divide": divide_exactly(math.trunc), "floor_divide": divide_exactly(math.floor),
    "mod": np.fmod, "trunc_mod": np.fmod, "floor_mod": np.mod, "power": power,
    "maximum": np.maximum, "minimum": np.minimum,
}
COMPARISONS = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less,
               "less_equal": np.less_equal, "greater": np.greater,
               "greater_equal": np.greater_equal}
# Operators that have no float operands, or more than elements.
OTHERS = {"bitwise_not", "logical_not", "fixed_point_multiply", "logical_and", "logical_or",
          "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
          "cast", "where", "assert_op", "string_map"}


def test_table_is_complete():
    """A new operator needs its line."""
    names = re.findall(r'def Relay_\w+Op\s*:\s*Relay_\w+<\s*"([\w.]+)"',
                       DEFINITIONS.read_text(encoding="utf-8"))
    elementwise = set(names) - OTHERS
    known = {*UNARY, *TESTS, *BINARY, *COMPARISONS}
    assert elementwise - known <= {"nn.bias_add", "nn.prelu"}
    assert len(known & elementwise) > 50


def specials(dtype):
    info = ml_dtypes.finfo(dtype) if dtype == DTYPES["bf16"] else np.finfo(dtype)
    tiny, eps = float(info.tiny), float(info.eps)
    magnitudes = [0, float(info.smallest_subnormal), 0.75 * tiny, tiny, eps, 0.1, 1 / 3, 0.5,
                  1 - eps / 2, 1, 1 + eps, 1.5, 2, 2.5, 3, math.pi, 7, 10, 100.5, 1e4,
                  float(info.max) / 2, float(info.max), math.inf]
    values = [sign * value for value in magnitudes for sign in (1, -1)]
    with np.errstate(over="ignore"):
        return np.array([*values, math.nan]).astype(dtype)


def build(names, dtype, size, num_operands, result):
    type_, result = f"tensor<{size}x{dtype}>", f"tensor<{size}x{result}>"
    arguments = [f"%x{i}" for i in range(num_operands)]
    lines = [f"%{i} = relay.{name} {', '.join(arguments)} {ATTRIBUTES.get(name, '')} : "
             f"({', '.join([type_] * num_operands)}) -> {result}" for i, name in enumerate(names)]
    results = ", ".join([result] * len(names))
    return (f"func.func @main({', '.join(f'{x}: {type_}' for x in arguments)}) -> ({results}) {{\n"
            + "\n".join(lines) + f"\nreturn {', '.join(f'%{i}' for i in range(len(names)))} : "
            f"{results}\n}}")


def run_compiled(text, inputs):
    results = rm.compile(rm.IRModule.parse(text))(*inputs)
    return results if isinstance(results, tuple) else (results,)


def run_interpreted(text, inputs, tmp_path):
    # Constants, so that folding them interprets the operators.
    lines = text.splitlines()
    arguments = re.findall(r"(%x\d): (tensor<[^>]*>)", lines[0])
    lines[0] = re.sub(r"@main\(.*?\) ->", "@main() ->", lines[0])
    for (name, type_), value in zip(arguments, inputs):
        data = np.ascontiguousarray(value).tobytes().hex().upper()
        lines.insert(1, f'{name} = relay.constant dense<"0x{data}"> : {type_}')
    module = rm.IRModule.parse("\n".join(lines))
    module.run_passes("builtin.module(func.func(relay-fold-constant))")
    folded = module.print(elide_larger=None)
    assert not re.search(r"relay\.(?!constant)", folded), folded[:1000]
    results = rm.compile(module, opt_level=0)()
    return results if isinstance(results, tuple) else (results,)


def check(name, dtype, result, expected, inputs, who):
    with np.errstate(all="ignore"):
        wanted = expected.astype(DTYPES[dtype]).astype(np.float64)
    got = np.asarray(result).astype(np.float64)
    smallest = float((ml_dtypes.finfo if dtype == "bf16" else np.finfo)(
        DTYPES[dtype]).smallest_subnormal)
    same = got == wanted
    if name not in ("maximum", "minimum"):  # Of two zeros, either is.
        same &= np.signbit(got) == np.signbit(wanted)
    same |= np.isnan(got) & np.isnan(wanted)
    finite = np.isfinite(got) & np.isfinite(wanted) & (wanted != 0)
    with np.errstate(invalid="ignore"):
        near = np.abs(got - wanted) <= ROUNDING[dtype] * np.abs(wanted) + 2 * smallest
    same |= finite & near
    bad = np.flatnonzero(~same)
    assert not len(bad), f"{who}, {name} on {dtype}, {len(bad)} wrong: " + "; ".join(
        f"({', '.join(repr(float(x[i])) for x in inputs)}) is {got[i]!r}, expects {wanted[i]!r}"
        for i in bad[:8])


def is_known(name, dtype, inputs):
    """Where compiled code is allowed to differ."""
    if name == "sigmoid" and dtype != "f64":
        # exp(-x), in the middle of 1 / (1 + exp(-x)), is beyond float32.
        return inputs[0].astype(np.float64) < -88
    return np.zeros(inputs[0].shape, bool)


def check_all(functions, dtype, num_operands, result_dtype, tmp_path, rest):
    values = specials(DTYPES[dtype])
    inputs = [part.ravel() for part in np.meshgrid(*[values] * num_operands)]
    inputs = [np.ascontiguousarray(part[:len(part) - rest]) for part in inputs]
    text = build(functions, dtype, len(inputs[0]), num_operands, result_dtype)
    wide = [part.astype(np.float64) for part in inputs]
    compiled = run_compiled(text, inputs)
    interpreted = run_interpreted(text, inputs, tmp_path)
    for (name, function), ours, reference in zip(functions.items(), compiled, interpreted):
        with np.errstate(all="ignore"):
            expected = function(*wide)
        if result_dtype == "i1":
            np.testing.assert_array_equal(ours, expected, err_msg=f"compiled {name} on {dtype}")
            np.testing.assert_array_equal(reference, expected, err_msg=f"{name} on {dtype}")
            continue
        known = is_known(name, dtype, inputs)
        with np.errstate(all="ignore"):
            expected = expected.astype(DTYPES[dtype])
        check(name, dtype, np.where(known, expected, ours), expected, inputs, "compiled")
        check(name, dtype, reference, expected, inputs, "interpreter")


# What does not fill a vector takes another way.
@pytest.mark.parametrize("rest", [0, 40])
@pytest.mark.parametrize("dtype", DTYPES)
def test_unary(dtype, rest, tmp_path):
    check_all(UNARY, dtype, 1, dtype, tmp_path, rest)
    check_all(TESTS, dtype, 1, "i1", tmp_path, rest)


@pytest.mark.parametrize("dtype", DTYPES)
def test_binary(dtype, tmp_path):
    check_all(BINARY, dtype, 2, dtype, tmp_path, 0)
    check_all(COMPARISONS, dtype, 2, "i1", tmp_path, 0)


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_casts(source, target):
    """Between types of floats, rounded once."""
    x = np.concatenate([specials(dtype).astype(np.float64) for dtype in DTYPES.values()])
    with np.errstate(all="ignore"):
        x = x.astype(DTYPES[source])
        expected = x.astype(np.float64).astype(DTYPES[target])
    types = f"tensor<{x.size}x{source}>", f"tensor<{x.size}x{target}>"
    result, = run_compiled(f"""func.func @main(%x: {types[0]}) -> {types[1]} {{
  %0 = relay.cast %x {{dtype = {target}}} : ({types[0]}) -> {types[1]}
  return %0 : {types[1]}
}}""", [x])
    result, expected = (np.asarray(v).astype(np.float64) for v in (result, expected))
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result[~np.isnan(result)]),
                                  np.signbit(expected[~np.isnan(expected)]))


INTEGERS = {f"{sign}i{bits}": np.dtype(f"{sign}int{bits}")
            for sign in ("", "u") for bits in (8, 16, 32, 64)}


def saturate(values, target):
    """Rounded to zero; the nearest end of the range beyond it, and 0 for NaN."""
    info = np.iinfo(INTEGERS[target])

    def one(value):
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return info.max if value > 0 else info.min
        return min(max(math.trunc(value), info.min), info.max)
    return np.array([one(float(value)) for value in values], INTEGERS[target])


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", DTYPES)
def test_casts_to_integers(source, target, tmp_path):
    bounds = [2.0**bits + step for bits in (7, 8, 15, 16, 31, 32, 63, 64)
              for step in (-2, -1, -0.5, 0, 1)]
    x = np.concatenate([*(specials(dtype).astype(np.float64) for dtype in DTYPES.values()),
                        bounds, -np.array(bounds), [1e30, -1e30, -math.nan]])
    with np.errstate(all="ignore"):
        x = x.astype(DTYPES[source])
    # Whole vectors, and elements one by one.
    for x in (np.resize(x, 512), x[:7], x[-3:]):
        types = f"tensor<{x.size}x{source}>", f"tensor<{x.size}x{target}>"
        text = f"""func.func @main(%x0: {types[0]}) -> {types[1]} {{
%0 = relay.cast %x0 {{dtype = {target}}} : ({types[0]}) -> {types[1]}
return %0 : {types[1]}
}}"""
        for run in (run_compiled(text, [x]), run_interpreted(text, [x], tmp_path)):
            np.testing.assert_array_equal(run[0], saturate(x, target))


@pytest.mark.parametrize("low, high", [(-128, 127), (0, 255), (-10, 300), (5, 7)])
@pytest.mark.parametrize("target", ["i8", "ui8", "i32"])
def test_clipped_casts(target, low, high, tmp_path):
    """A clip may leave less to do, but not if its bounds are others."""
    x = np.resize(specials(DTYPES["f32"]), 256)
    text = f"""func.func @main(%x0: tensor<256xf32>) -> tensor<256x{target}> {{
%0 = relay.clip %x0 {{a_min = {low}.0e0 : f64, a_max = {high}.0e0 : f64}} : (tensor<256xf32>) -> tensor<256xf32>
%1 = relay.cast %0 {{dtype = {target}}} : (tensor<256xf32>) -> tensor<256x{target}>
return %1 : tensor<256x{target}>
}}"""
    expected = saturate(np.clip(x, low, high), target)
    for run in (run_compiled(text, [x]), run_interpreted(text, [x], tmp_path)):
        np.testing.assert_array_equal(run[0], expected)


@pytest.mark.parametrize("divisor", [[0, 0, 0, 0], [3, 0, 1, 0]])
@pytest.mark.parametrize("dtype", ["i8", "ui8", "i32", "i64"])
def test_division_by_constant_zero(dtype, divisor, tmp_path):
    """Quotient and remainder are 0, compiled and folded."""
    names = ["divide", "trunc_divide", "floor_divide", "mod", "trunc_mod", "floor_mod"]
    x = np.array([7, 7, 0, 100], INTEGERS[dtype])
    type_ = f"tensor<4x{dtype}>"
    lines = [f"%{i} = relay.{name} %x0, %y : ({type_}, {type_}) -> {type_}"
             for i, name in enumerate(names)]
    results = ", ".join([type_] * len(names))
    text = "\n".join([f"func.func @main(%x0: {type_}) -> ({results}) {{",
                      f"%y = relay.constant dense<{divisor}> : {type_}", *lines,
                      f"return {', '.join(f'%{i}' for i in range(len(names)))} : {results}", "}"])
    for run in (run_compiled(text, [x]), run_interpreted(text, [x], tmp_path)):
        for name, result in zip(names, run):
            operation = np.remainder if "mod" in name else np.floor_divide
            with np.errstate(divide="ignore"):
                np.testing.assert_array_equal(result, operation(x, np.array(divisor, x.dtype)))
