"""Unary, binary and other elementwise operators against NumPy."""

import math

import numpy as np
import pytest
from relay_eval import (
    FLOATS,
    SIGNED,
    TYPES,
    UNSIGNED,
    Case,
    check,
    exact,
    random,
)

erf = np.vectorize(math.erf, otypes=[np.float64])

# Name, function on doubles, range of inputs.
FLOAT_UNARY = [
    ("log", np.log, 0.01, 9),
    ("log2", np.log2, 0.01, 9),
    ("log10", np.log10, 0.01, 9),
    ("tan", np.tan, -1.5, 1.5),
    ("cos", np.cos, -9, 9),
    ("cosh", np.cosh, -5, 5),
    ("sin", np.sin, -9, 9),
    ("sinh", np.sinh, -5, 5),
    ("acos", np.arccos, -1, 1),
    ("acosh", np.arccosh, 1, 9),
    ("asin", np.arcsin, -1, 1),
    ("asinh", np.arcsinh, -9, 9),
    ("atan", np.arctan, -9, 9),
    ("atanh", np.arctanh, -0.99, 0.99),
    ("exp", np.exp, -9, 9),
    ("fast_exp", np.exp, -9, 9),
    ("erf", erf, -3, 3),
    ("fast_erf", erf, -3, 3),
    ("sqrt", np.sqrt, 0, 9),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 0.01, 9),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), -20, 20),
    ("floor", np.floor, -9, 9),
    ("ceil", np.ceil, -9, 9),
    ("trunc", np.trunc, -9, 9),
    ("round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), -9, 9),
    ("sign", np.sign, -2, 2),
    ("abs", np.abs, -9, 9),
    ("tanh", np.tanh, -9, 9),
    ("fast_tanh", np.tanh, -9, 9),
    ("negative", np.negative, -9, 9),
    ("nn.relu", lambda x: np.maximum(x, 0), -9, 9),
    ("zeros_like", np.zeros_like, -9, 9),
    ("ones_like", np.ones_like, -9, 9),
    ("copy", np.copy, -9, 9),
]


@pytest.mark.parametrize("name,fn,low,high", FLOAT_UNARY,
                         ids=lambda v: "" if callable(v) else str(v))
def test_float_unary(name, fn, low, high):
    rng = np.random.default_rng(0)
    cases = []
    for dtype in FLOATS:
        for shape in [(), (7,), (3, 1, 700), (2, 0, 3)]:
            x = random(rng, shape, dtype, low, high)
            cases.append(Case(name, [x], exact(fn, x), atol=1e-300))
    check(cases)


def test_special_values():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 2.5, -2.5, 1e30], np.float32)
    with np.errstate(all="ignore"):
        cases = [
            Case("isnan", [x], np.isnan(x)),
            Case("isinf", [x], np.isinf(x)),
            Case("isfinite", [x], np.isfinite(x)),
            Case("nn.relu", [x], np.maximum(x, 0)),
            Case("abs", [x], np.abs(x)),
            Case("sign", [x], np.sign(x)),
            Case("exp", [x], np.exp(x)),
            Case("maximum", [x, x[::-1].copy()], np.maximum(x, x[::-1])),
            Case("minimum", [x, x[::-1].copy()], np.minimum(x, x[::-1])),
            Case("less", [x, x], np.less(x, x)),
            Case("equal", [x, x], np.equal(x, x)),
            Case("not_equal", [x, x], np.not_equal(x, x)),
            Case("round", [x[3:7]], np.array([0, 0, 3, -3], np.float32)),
        ]
    check(cases)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer_unary(dtype):
    info = np.iinfo(TYPES[dtype])
    x = np.array([0, 1, 2, 100, info.min, info.max], TYPES[dtype])
    with np.errstate(all="ignore"):
        check(
            [
                Case("abs", [x], np.abs(x)),
                Case("negative", [x], np.negative(x)),
                Case("sign", [x], np.sign(x)),
                Case("bitwise_not", [x], ~x),
                Case("nn.relu", [x], np.maximum(x, 0)),
                Case("floor", [x], x),
                Case("round", [x], x),
                Case("clip", [x], np.clip(x, 1, 99), {"a_min": 1.0, "a_max": 99.0}),
                Case("clip", [x], x, {"a_min": -1e300, "a_max": 1e300}),
            ]
        )


def test_bools():
    x = np.array([True, False, True, False])
    y = np.array([True, True, False, False])
    check(
        [
            Case("logical_not", [x], ~x),
            Case("bitwise_not", [x], ~x),
            Case("logical_and", [x, y], x & y),
            Case("logical_or", [x, y], x | y),
            Case("logical_xor", [x, y], x ^ y),
            Case("bitwise_and", [x, y], x & y),
            Case("bitwise_or", [x, y], x | y),
            Case("bitwise_xor", [x, y], x ^ y),
            Case("equal", [x, y], x == y),
            Case("less", [x, y], x < y),
        ]
    )


def test_clip_and_leaky_relu():
    rng = np.random.default_rng(1)
    cases = []
    for dtype in FLOATS:
        x = random(rng, (3, 50), dtype)
        cases += [
            Case(
                "clip",
                [x],
                exact(lambda v: np.clip(v, -0.5, 1.25), x),
                {"a_min": -0.5, "a_max": 1.25},
            ),
            Case(
                "nn.leaky_relu",
                [x],
                exact(lambda v: np.where(v > 0, v, 0.1 * v), x),
                {"alpha": 0.1},
            ),
            Case("nn.leaky_relu", [x], exact(lambda v: np.where(v > 0, v, 0.25 * v), x)),
        ]
    check(cases)


def test_fixed_point_multiply():
    x = np.array([0, 1, -1, 1000, -1000, 2**30, -(2**30)], np.int32)
    cases = []
    for multiplier, shift in [(2**30, 0), (1395864371, 2), (2**30, -3), (7, 5)]:
        left, right = max(shift, 0), 31 + max(-shift, 0)
        values = [((int(v) << left) * multiplier + (1 << (right - 1))) >> right for v in x]
        expected = np.array(values).astype(np.int32)
        attrs = {"multiplier": multiplier, "shift": shift}
        cases.append(Case("fixed_point_multiply", [x], expected, attrs))
    check(cases)


SHAPES = [
    ((), ()),
    ((5,), ()),
    ((2, 3, 4), (4,)),
    ((2, 1, 4), (3, 1)),
    ((1, 600), (3, 600)),
    ((2, 3, 4, 5), (3, 1, 1)),
    ((0, 3), (1, 3)),
    ((3, 0), (3, 1)),
]

ARITHMETIC = [
    ("add", np.add),
    ("subtract", np.subtract),
    ("multiply", np.multiply),
    ("maximum", np.maximum),
    ("minimum", np.minimum),
]
COMPARISONS = [
    ("equal", np.equal),
    ("not_equal", np.not_equal),
    ("less", np.less),
    ("less_equal", np.less_equal),
    ("greater", np.greater),
    ("greater_equal", np.greater_equal),
]


@pytest.mark.parametrize("dtype", FLOATS + SIGNED + UNSIGNED)
def test_arithmetic(dtype):
    rng = np.random.default_rng(2)
    cases = []
    for left, right in SHAPES:
        x, y = random(rng, left, dtype, -9, 9), random(rng, right, dtype, -9, 9)
        for name, fn in ARITHMETIC:
            wraps = x.dtype.kind in "iu"
            expected = fn(x, y) if wraps else exact(fn, x, y)
            cases.append(Case(name, [x, y], np.asarray(expected)))
        for name, fn in COMPARISONS:
            cases.append(Case(name, [x, y], np.asarray(fn(x, y), bool)))
    check(cases)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_division(dtype):
    rng = np.random.default_rng(3)
    x = random(rng, (4, 100), dtype, -9, 9)
    y = random(rng, (100,), dtype, 0.3, 5) * random(rng, (100,), "i8", 0, 1).astype(
        TYPES[dtype]
    )
    y = np.where(y == 0, -0.75, y).astype(TYPES[dtype])
    check(
        [
            Case("divide", [x, y], exact(np.divide, x, y)),
            Case("trunc_divide", [x, y], exact(lambda a, b: np.trunc(a / b), x, y)),
            Case("floor_divide", [x, y], exact(lambda a, b: np.floor(a / b), x, y)),
            Case("mod", [x, y], exact(np.fmod, x, y)),
            Case("trunc_mod", [x, y], exact(np.fmod, x, y)),
            Case("floor_mod", [x, y], exact(np.mod, x, y)),
            Case("power", [np.abs(x), y], exact(np.power, np.abs(x), y)),
        ]
    )


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer_division(dtype):
    info = np.iinfo(TYPES[dtype])
    x = np.array([7, info.max, info.min, 0, 5, 6, 100], TYPES[dtype])[:, None]
    divisors = [0, 1, 2, 3, 7, info.max] + ([-1, -2, -3] if info.min else [])
    y = np.array(divisors, TYPES[dtype])
    pairs = [(int(a), int(b)) for a in x[:, 0] for b in y]

    def table(fn):
        # Python's integers; results wrap as the element type does, and those of
        # a division by 0 are 0.
        bits = [fn(a, b) & ((1 << info.bits) - 1) if b else 0 for a, b in pairs]
        unsigned = np.array(bits, np.uint64).astype(f"u{info.bits // 8}")
        return unsigned.view(TYPES[dtype]).reshape(len(x), len(y))

    def truncated(a, b):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    check(
        [
            Case("divide", [x, y], table(truncated)),
            Case("trunc_divide", [x, y], table(truncated)),
            Case("floor_divide", [x, y], table(lambda a, b: a // b)),
            Case("mod", [x, y], table(lambda a, b: a - truncated(a, b) * b)),
            Case("trunc_mod", [x, y], table(lambda a, b: a - truncated(a, b) * b)),
            Case("floor_mod", [x, y], table(lambda a, b: a % b)),
        ]
    )


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer_bits(dtype):
    rng = np.random.default_rng(4)
    info = np.iinfo(TYPES[dtype])
    x = rng.integers(info.min, info.max, (6, 8), TYPES[dtype], endpoint=True)
    y = rng.integers(info.min, info.max, (8,), TYPES[dtype], endpoint=True)
    shift = np.arange(8).astype(TYPES[dtype])
    small = np.array([0, 1, 2, 3], TYPES[dtype])
    exponent = np.array([0, 1, 2, 5], TYPES[dtype])
    with np.errstate(all="ignore"):
        check(
            [
                Case("bitwise_and", [x, y], x & y),
                Case("bitwise_or", [x, y], x | y),
                Case("bitwise_xor", [x, y], x ^ y),
                Case("left_shift", [x, shift], x << shift),
                Case("right_shift", [x, shift], x >> shift),
                Case("add", [x, y], x + y),
                Case("multiply", [x, y], x * y),
                Case("power", [small, exponent], small**exponent),
            ]
        )


def test_shift_beyond_width():
    x = np.array([-5, 5], np.int32)
    by = np.array([32, 40], np.int32)
    check(
        [
            Case("left_shift", [x, by], np.array([0, 0], np.int32)),
            Case("right_shift", [x, by], np.array([-1, 0], np.int32)),
        ]
    )


@pytest.mark.parametrize("source", sorted(TYPES))
def test_cast(source):
    rng = np.random.default_rng(5)
    cases = []
    for target in TYPES:
        low = 0 if "u" in source + target else -100
        x = random(rng, (3, 40), source, low, 100)
        cases.append(Case("cast", [x], x.astype(TYPES[target]), {"dtype": "!" + target}))
    check(cases)


def test_cast_saturates():
    x = np.array([1e10, -1e10, np.nan, 3.99, -3.99], np.float32)
    check(
        [
            Case("cast", [x], np.array([127, -128, 0, 3, -3], np.int8), {"dtype": "!i8"}),
            Case("cast", [x], np.array([255, 0, 0, 3, 0], np.uint8), {"dtype": "!ui8"}),
        ]
    )


def test_where():
    rng = np.random.default_rng(6)
    cases = []
    for dtype in ["f32", "bf16", "i8", "ui64", "i1"]:
        x, y = random(rng, (2, 1, 5), dtype), random(rng, (4, 1), dtype)
        condition = random(rng, (4, 5), "i1")
        cases.append(Case("where", [condition, x, y], np.where(condition, x, y)))
    condition = np.array([0.5, 0.0, -1.0], np.float32)
    x, y = np.array([1, 2, 3], np.int32), np.array([4, 5, 6], np.int32)
    cases.append(Case("where", [condition, x, y], np.where(condition, x, y)))
    check(cases)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_vectors_along_axis(axis):
    rng = np.random.default_rng(7)
    cases = []
    for dtype in FLOATS:
        x = random(rng, (2, 3, 4), dtype)
        v = random(rng, (x.shape[axis],), dtype)
        shape = [1, 1, 1]
        shape[axis] = -1
        aligned = v.reshape(shape)
        attrs = {"axis": axis}
        cases += [
            Case("nn.bias_add", [x, v], exact(np.add, x, aligned), attrs),
            Case(
                "nn.prelu",
                [x, v],
                exact(lambda a, b: np.where(a > 0, a, a * b), x, aligned),
                attrs,
            ),
        ]
    check(cases)
