# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's functions of one element against double precision: in float16 and
bfloat16 on every number, in float32 at all magnitudes.

Tolerance in 16 bits: one unit in the last place, whether one operator of relay
computes the function or several. In float32: the bound of functions in bounds.py.
Both are of the magnitudes of the terms that a function sums, where it sums some.
"""

import math
from typing import Any

import bounds
import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm

pytestmark = pytest.mark.share(3)

_erf = np.vectorize(math.erf, otypes=[float])
_erfc = np.vectorize(math.erfc, otypes=[float])


def _single(value):
    """An attribute, which ONNX stores in float32."""
    return float(np.float32(value))


def _softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _mish(x):
    return x * np.tanh(_softplus(x))


def _sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)), 1) / (1 + np.exp(-np.abs(x)))


def _swish(x):
    return x * _sigmoid(_single(1.7) * x)


def _gelu_argument(x):
    return 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)


def _gelu_tanh(x):
    return x * _sigmoid(_gelu_argument(x))


def _times(function, argument):
    """Terms of an exponential: what its argument is off by, the result is off by as
    many times itself."""
    return lambda x: np.abs(function(x) * argument(x))


def _expm1(x):
    return np.expm1(np.minimum(x, 0))


ALPHA, GAMMA = 1.67326319217681884765625, 1.05070102214813232421875

# Operator and attributes, what it computes, and, where that loses digits of its
# terms, their magnitudes.
FUNCTIONS: dict[str, Any] = {
    "Abs": (np.abs, None),
    "Acos": (np.arccos, None),
    "Acosh": (np.arccosh, None),
    "Asin": (np.arcsin, None),
    "Asinh": (np.arcsinh, None),
    "Atan": (np.arctan, None),
    "Atanh": (np.arctanh, None),
    "Ceil": (np.ceil, None),
    "Celu": (lambda x: np.maximum(x, 0) + _expm1(x), None),
    "Celu alpha=0.3": (lambda x: np.maximum(x, 0) + _single(0.3) * _expm1(x / _single(0.3)),
                       None),
    "Cos": (np.cos, None),
    "Cosh": (np.cosh, None),
    "Elu": (lambda x: np.where(x < 0, _expm1(x), x), None),
    "Elu alpha=0.3": (lambda x: np.where(x < 0, _single(0.3) * _expm1(x), x), None),
    "Erf": (_erf, None),
    "Exp": (np.exp, None),
    "Floor": (np.floor, None),
    # x / 2 + x / 2 * erf(x / sqrt(2))
    "Gelu": (lambda x: x / 2 * _erfc(-x / math.sqrt(2)), np.abs),
    "Gelu approximate=tanh": (_gelu_tanh, _times(_gelu_tanh, _gelu_argument)),
    "HardSigmoid": (lambda x: np.clip(_single(0.2) * x + 0.5, 0, 1), lambda x: 1.0),
    "HardSwish": (lambda x: x * np.clip(x / 6 + 0.5, 0, 1), lambda x: np.minimum(np.abs(x), 3)),
    "LeakyRelu": (lambda x: np.where(x < 0, _single(0.01) * x, x), None),
    "Log": (np.log, None),
    "Mish": (_mish, None),
    "Neg": (np.negative, None),
    "Reciprocal": (lambda x: 1 / x, None),
    "Relu": (lambda x: np.maximum(x, 0), None),
    "Round": (np.rint, None),
    "Selu": (lambda x: GAMMA * (np.maximum(x, 0) + ALPHA * _expm1(x)), None),
    "Shrink lambd=0.2 bias=0.1": (
        lambda x: np.where(x < -_single(0.2), x + _single(0.1),
                           np.where(x > _single(0.2), x - _single(0.1), 0)), None),
    "Sigmoid": (_sigmoid, None),
    "Sign": (np.sign, None),
    "Sin": (np.sin, None),
    "Sinh": (np.sinh, None),
    "Softplus": (_softplus, None),
    "Softsign": (lambda x: x / (1 + np.abs(x)), None),
    "Sqrt": (np.sqrt, None),
    "Swish alpha=1.7": (_swish, _times(_swish, lambda x: _single(1.7) * x)),
    "Tan": (np.tan, None),
    "Tanh": (np.tanh, None),
    "ThresholdedRelu alpha=0.7": (lambda x: np.where(x > _single(0.7), x, 0), None),
}
# Functions of one tensor that are not of one element, or not of one number.
OTHERS = {
    "Bernoulli", "DepthToSpace", "Det", "Dropout", "Flatten", "GlobalAveragePool",
    "GlobalLpPool", "GlobalMaxPool", "Hardmax", "Identity", "LRN", "LogSoftmax",
    "LpNormalization", "LpPool", "AveragePool", "MaxPool", "MeanVarianceNormalization",
    "Softmax", "SpaceToDepth", "Transpose", "BitCast",
}


def _parse(text):
    name, *attributes = text.split()
    pairs = [attribute.split("=") for attribute in attributes]
    return name, {key: value if value == "tanh" else float(value) for key, value in pairs}


def _run(text, x, element_type):
    """The function of float32 numbers that are numbers of the element type."""
    name, attributes = _parse(text)
    nodes = [helper.make_node("Cast", ["x"], ["a"], to=element_type),
             helper.make_node(name, ["a"], ["b"], **attributes),
             helper.make_node("Cast", ["b"], ["y"], to=TensorProto.FLOAT)]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, x.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)],
                              ir_version=10)
    return rm.compile(model)(x).astype(float)


def test_all_functions_are_here():
    """Each operator of ONNX with one input and one output of its type."""
    def is_unary(schema):
        if len(schema.inputs) != 1 or len(schema.outputs) != 1 or schema.deprecated:
            return False
        types = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        kind = schema.inputs[0].type_str
        return (kind == schema.outputs[0].type_str and
                schema.inputs[0].option == onnx.defs.OpSchema.FormalParameterOption.Single and
                "tensor(float16)" in types.get(kind, ()))

    unary = {schema.name for schema in onnx.defs.get_all_schemas()
             if schema.domain == "" and is_unary(schema)}
    tested = {_parse(text)[0] for text in FUNCTIONS}
    assert {name for name in unary if not name.startswith("Reduce")} <= tested | OTHERS


@pytest.mark.parametrize("text", FUNCTIONS)
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_of_16_bits(text, kind):
    dtype = np.dtype(np.float16 if kind == "float16" else ml_dtypes.bfloat16)
    element_type = TensorProto.FLOAT16 if kind == "float16" else TensorProto.BFLOAT16
    numbers = np.arange(1 << 16, dtype=np.uint16).view(dtype).astype(np.float32)
    x = numbers[np.isfinite(numbers)]
    _compare(text, x, _run(text, x, element_type), dtype, units=1)


@pytest.mark.parametrize("text", FUNCTIONS)
def test_of_32_bits(text):
    powers = np.exp2(np.linspace(-126, 127, 20000))
    x = np.concatenate([powers, -powers, np.linspace(-20, 20, 40001)]).astype(np.float32)
    units = bounds.bound("functions", "high") / np.finfo(np.float32).eps
    _compare(text, x, _run(text, x, TensorProto.FLOAT), np.dtype(np.float32), units)


def _compare(text, x, actual, dtype, units):
    """Errors are at most as many units in the last place of `dtype` of the exact
    result, and of float32 of its terms."""
    reference, get_terms = FUNCTIONS[text]
    with np.errstate(all="ignore"):
        exact = reference(x.astype(float))
        rounded = exact.astype(dtype).astype(float)
        # A sigmoid below the smallest normal number of float32 is zero.
        tiny = np.finfo(np.float32).tiny * np.maximum(np.abs(x.astype(float)), 1)
        info = ml_dtypes.finfo(dtype)
        spacing = np.maximum(np.exp2(np.floor(np.log2(np.abs(exact)))) * float(info.eps),
                             float(info.smallest_subnormal))
        allowed = units * spacing + tiny
        if get_terms:
            terms = get_terms(x.astype(float))
            allowed = allowed + bounds.bound("cancelling", "high") * np.where(
                np.isfinite(terms), terms, 0)
        finite = np.isfinite(rounded)
        np.testing.assert_array_equal(np.isnan(actual), np.isnan(rounded))
        error = np.where(finite, np.abs(actual - exact), 0)
        worst = np.nanargmax(error / np.where(finite, allowed, 1))
    assert error[worst] <= allowed[worst], (
        f"{text}({x[worst]}) is {exact[worst]}, but got {actual[worst]}")
    # Up to the last units before overflow.
    beyond = np.isinf(rounded)
    assert (np.abs(actual[beyond]) >= float(info.max)).all()


def test_nodes_round_by_themselves():
    """Only the steps of one node are taken in float32, not chains of nodes."""
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    x = numbers[np.isfinite(numbers)]
    declare = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT16, x.shape)
    factor = helper.make_tensor("factor", TensorProto.FLOAT16, (), [1.7])
    graph = helper.make_graph(
        [helper.make_node("Softsign", ["x"], ["a"]), helper.make_node("Mul", ["a", "factor"], ["b"]),
         helper.make_node("Add", ["b", "x"], ["c"]), helper.make_node("Softsign", ["c"], ["d"])],
        "g", [declare("x")], [declare(name) for name in "abcd"], [factor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    a, b, c, d = rm.compile(model)(x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(b, a * np.float16(1.7))
        np.testing.assert_array_equal(c, b + x)
        softsign = c.astype(np.float32) / (1 + np.abs(c.astype(np.float32)))
    finite = np.isfinite(c)
    np.testing.assert_array_equal(d[finite], softsign.astype(np.float16)[finite])
