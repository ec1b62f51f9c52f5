# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators, activations and casts."""

from typing import Any

import numpy as np
from onnx import helper

OPERATORS: dict[str, Any] = {}
ALL = ["float32", "float64", "float16", "int64", "int32", "int8", "uint8", "int16",
       "uint16", "uint32", "uint64"]
WIDE = ["float32", "float64", "float16", "int64", "int32"]


def operator(function):
    OPERATORS[function.__name__.rstrip("_")] = function
    return function


def _unary(op_type, dtypes=None, guard=None, since=13, **attributes):
    def append(g):
        if g.graph.opset < since:
            return
        x = g.any(dtypes) if dtypes else g.float()
        given = {k: v(g) if callable(v) else v for k, v in attributes.items()}
        if guard is None or g.op(op_type, x, **given) is None:
            g.op(op_type, guard(g, x) if guard else x, **given)

    OPERATORS[op_type] = append


def _positive(g, x):
    """Numbers from a half on."""
    half = g.constant(np.array(0.5), g.dtype(x))
    return g.op("Add", g.op("Abs", x), half)


def _above_one(g, x):
    return g.op("Add", g.op("Abs", x), g.constant(np.array(1.5), g.dtype(x)))


def _fraction(g, x):
    """Numbers between 0 and 0.9."""
    return g.op("Mul", g.op("Sigmoid", x), g.constant(np.array(0.9), g.dtype(x)))


def _number(low, high):
    # Exact in every type: what is compared with it must not lie between two.
    return lambda g: round(g.rng.uniform(low, high) * 64) / 64


for _name in ("Sigmoid", "Tanh", "Selu", "Softplus", "Softsign", "Erf", "Exp", "Sin", "Cos",
              "Atan", "Asinh", "HardSwish"):
    _unary(_name)
for _name in ("Ceil", "Floor", "Round"):
    _unary(_name)
for _name in ("IsNaN", "IsInf"):
    _unary(_name, dtypes=["float32", "float64"])
_unary("Elu", alpha=_number(0.1, 2))
_unary("Celu", alpha=_number(0.3, 2))
_unary("LeakyRelu", alpha=_number(0, 1))
_unary("HardSigmoid", alpha=_number(0.1, 0.5), beta=_number(0.2, 0.8))
_unary("ThresholdedRelu", alpha=_number(0.1, 1.5))
_unary("Shrink", lambd=_number(0.1, 1), bias=_number(0, 1))
_unary("Mish", since=18)
_unary("Swish", since=24)
_unary("Gelu", since=20, approximate=lambda g: g.pick(["none", "tanh"]))
_unary("Acos", guard=_fraction)
_unary("Asin", guard=_fraction)
_unary("Atanh", guard=_fraction)
_unary("Tan", guard=_fraction)
_unary("Sinh", guard=_fraction)
_unary("Cosh", guard=_fraction)
_unary("Log", guard=_positive)
_unary("Sqrt", guard=_positive)
_unary("Reciprocal", guard=_positive)
_unary("Acosh", guard=_above_one)
_unary("Relu", dtypes=["float32", "float64", "float16", "int32", "int8"])
_unary("Abs", dtypes=ALL)
_unary("Neg", dtypes=[d for d in ALL if d[0] != "u"])
_unary("Sign", dtypes=ALL)
_unary("Identity", dtypes=ALL + ["bool"])
_unary("Not", dtypes=["bool"])
_unary("BitwiseNot", dtypes=[d for d in ALL if "int" in d], since=18)


def other_operand(g, x, dtype=None, fill=None):
    """A value, a constant or an input that broadcasts with x."""
    dtype = np.dtype(dtype or g.dtype(x))
    if g.maybe(0.35) and fill is None:
        same = g.find(lambda n: g.dtype(n) == dtype and n != x and all(
            _broadcasts(a.shape, b.shape) for a, b in zip(g.values(n), g.values(x))))
        if same:
            return same
    if g.maybe(0.3) and fill is None:
        return g.input_like(x, dtype)
    shape = [d if d is not None and g.maybe(0.6) else 1 for d in g.shape(x)]
    shape = shape[g.integer(0, len(shape)):] if g.maybe(0.5) else shape
    if g.maybe(0.1) and len(shape) < 4:
        shape = [g.pick([1, 2])] + [1] * (g.rank(x) - len(shape)) + shape
    return g.constant((fill or g.numbers)(shape, dtype), dtype)


def _broadcasts(a, b):
    return all(x == y or 1 in (x, y) for x, y in zip(a[::-1], b[::-1]))


def _shuffled(g, *names):
    return names[::-1] if g.maybe() else names


def _binary(op_type, dtypes, since=13):
    def append(g):
        if g.graph.opset >= since:
            x = g.any(dtypes)
            g.op(op_type, *_shuffled(g, x, other_operand(g, x)))

    OPERATORS[op_type] = append


for _name in ("Add", "Sub", "Mul"):
    _binary(_name, ALL)
for _name in ("And", "Or", "Xor"):
    _binary(_name, ["bool"])
for _name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    _binary(_name, [d for d in ALL if "int" in d], 18)
for _name in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
    _binary(_name, ALL)
_binary("Equal", ALL + ["bool"])
_binary("PRelu", ["float32", "float64", "float16"])


def _divisors(g):
    """Numbers that are not zero."""
    def fill(shape, dtype):
        values = np.asarray(g.rng.integers(1, 7, shape))
        if dtype.kind == "f":
            values = values / 4 + 0.25
        return np.asarray(values * (g.rng.choice([-1, 1], shape) if dtype.kind != "u" else 1),
                          dtype)
    return fill


@operator
def Div(g):
    x = g.any(ALL)
    g.op("Div", x, other_operand(g, x, fill=_divisors(g)))


@operator
def Mod(g):
    x = g.any(ALL)
    fmod = 1 if g.kind(x) == "f" else int(g.maybe())
    g.op("Mod", x, other_operand(g, x, fill=_divisors(g)), fmod=fmod)


@operator
def Pow(g):
    x = g.float()
    if g.maybe():
        exponents = g.constant(np.array(g.pick([0, 1, 2, 3, 0.5, -1, -2])), g.dtype(x))
    else:
        exponents = other_operand(g, x, fill=lambda shape, dtype: np.asarray(
            g.rng.integers(-2, 4, shape), dtype))
    if g.op("Pow", x, exponents) is None:
        g.op("Pow", _positive(g, x), exponents)


@operator
def BitShift(g):
    x = g.any(["uint8", "uint32", "uint64", "uint16"])
    amounts = other_operand(g, x, fill=lambda shape, dtype: g.rng.integers(
        0, 6, shape).astype(dtype))
    g.op("BitShift", x, amounts, direction=g.pick(["LEFT", "RIGHT"]))


def _variadic(op_type, dtypes):
    def append(g):
        x = g.any(dtypes)
        operands = [x] + [other_operand(g, x) for _ in range(g.integer(0, 3))]
        g.op(op_type, *(operands[::-1] if g.maybe() else operands))

    OPERATORS[op_type] = append


_variadic("Max", ALL)
_variadic("Min", ALL)
_variadic("Sum", ["float32", "float64", "float16"])
_variadic("Mean", ["float32", "float64", "float16"])


@operator
def SwiGLU(g):
    if g.graph.opset < 28:
        return
    x = g.float()
    same = g.find(lambda n: g.dtype(n) == g.dtype(x) and all(
        a.shape == b.shape for a, b in zip(g.values(n), g.values(x))))
    gate = g.input_like(x) if g.maybe() else same
    g.op("SwiGLU", *_shuffled(g, x, gate), **({"alpha": 1.75} if g.maybe() else {}))


@operator
def Clip(g):
    x = g.any(ALL)
    dtype = g.dtype(x)
    low, high = (0, 5) if dtype.kind == "u" else (-1, 2)
    bounds = ["" if g.maybe(0.25) else g.constant(np.array(v), dtype) for v in (low, high)]
    g.op("Clip", x, *bounds)


@operator
def Where(g):
    x = g.any(ALL)
    condition = g.find(lambda n: g.kind(n) == "b" and all(
        _broadcasts(a.shape, b.shape) for a, b in zip(g.values(n), g.values(x))))
    if condition is None or g.maybe(0.3):
        condition = other_operand(g, x, bool)
    g.op("Where", condition, *_shuffled(g, x, other_operand(g, x)))


@operator
def Cast(g):
    x = g.any(ALL + ["bool"])
    to = np.dtype(g.pick(ALL + ["bool", "float32", "float32"]))
    # A number outside of the type's range, and the whole part of one that is not
    # exact, have no certain result.
    if to.kind != "f":
        if not g.is_exact(x):
            return
        limits = np.iinfo(to) if to.kind in "iu" else None
        for array in g.values(x):
            if limits and array.size and array.dtype.kind != "b" and (
                    array.min() < limits.min or array.max() > limits.max):
                return
    g.op("Cast", x, to=helper.np_dtype_to_tensor_dtype(to))


@operator
def CastLike(g):
    if g.graph.opset >= 15:
        g.op("CastLike", g.any(ALL), g.float())


@operator
def Dropout(g):
    g.op("Dropout", g.float())
