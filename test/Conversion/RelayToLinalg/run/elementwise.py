# RUN: %python %s relay-opt mlir-translate %t
"""Elementwise operators, broadcasting, casts and activations."""

import math

import numpy as np

from harness import BFLOAT16, Suite, random

suite = Suite()
x = random(3, 5)
positive = random(3, 5, low=0.1, high=4.0)
unit = random(3, 5, low=-0.9, high=0.9)
special = np.array([0.0, -0.0, 1.5, -1.5, 2.5, -2.5, np.inf, -np.inf, np.nan],
                   np.float32)


def erf(values):
    return np.vectorize(math.erf)(values).astype(values.dtype)


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def round_away(values):
    return np.trunc(values + np.copysign(0.5, values))


# Functions of one real number.
for name, function, data in [
        ("log", np.log, positive), ("log2", np.log2, positive),
        ("log10", np.log10, positive), ("exp", np.exp, x),
        ("fast_exp", np.exp, x), ("erf", erf, x), ("fast_erf", erf, x),
        ("sqrt", np.sqrt, positive), ("rsqrt", lambda v: 1 / np.sqrt(v), positive),
        ("sigmoid", sigmoid, x), ("tan", np.tan, unit), ("cos", np.cos, x),
        ("cosh", np.cosh, x), ("sin", np.sin, x), ("sinh", np.sinh, x),
        ("tanh", np.tanh, x), ("fast_tanh", np.tanh, x),
        ("acos", np.arccos, unit), ("acosh", np.arccosh, positive + 1),
        ("asin", np.arcsin, unit), ("asinh", np.arcsinh, x),
        ("atan", np.arctan, x), ("atanh", np.arctanh, unit)]:
    suite.add(name, [data], function(data))
    half = data.astype(np.float16)
    suite.add(name, [half],
              function(half.astype(np.float32)).astype(np.float16), rtol=2e-3,
              atol=1e-3)
brain = x.astype(BFLOAT16)
suite.add("exp", [brain], np.exp(brain.astype(np.float32)).astype(BFLOAT16),
          rtol=1e-2)
suite.add("sigmoid", [np.array([-200.0, -90.0, 0.0, 90.0, 200.0], np.float32)],
          np.array([0.0, 0.0, 0.5, 1.0, 1.0], np.float32))
suite.add("exp", [x], np.exp(x), dynamic=[(0, 1)], dynamic_result=(0, 1))
suite.add("exp", [np.float32(1.5)], np.exp(np.float32(1.5)), name="scalar")

# Rounding, signs and tests.
for name, function in [("floor", np.floor), ("ceil", np.ceil),
                       ("trunc", np.trunc), ("round", round_away),
                       ("sign", np.sign), ("abs", np.abs),
                       ("negative", np.negative), ("copy", np.copy)]:
    suite.add(name, [special], function(special))
integers = np.array([-128, -7, 0, 7, 127], np.int8)
for name, function in [("sign", np.sign), ("abs", np.abs),
                       ("negative", np.negative), ("floor", np.copy),
                       ("bitwise_not", np.invert)]:
    suite.add(name, [integers], function(integers))
unsigned = np.array([0, 1, 127, 128, 255], np.uint8)
for name, function in [("sign", np.sign), ("abs", np.abs),
                       ("bitwise_not", np.invert)]:
    suite.add(name, [unsigned], function(unsigned))
flags = np.array([True, False, True])
suite.add("logical_not", [flags], ~flags)
for name, function in [("isnan", np.isnan), ("isinf", np.isinf),
                       ("isfinite", np.isfinite)]:
    suite.add(name, [special], function(special))

# Binary arithmetic with every kind of broadcasting.
y = random(3, 5, low=0.5, high=3.0, seed=1)
for name, function in [
        ("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply),
        ("divide", np.divide), ("maximum", np.maximum), ("minimum", np.minimum),
        ("trunc_divide", lambda a, b: np.trunc(a / b)),
        ("floor_divide", lambda a, b: np.floor(a / b)),
        ("mod", np.fmod), ("trunc_mod", np.fmod),
        ("floor_mod", lambda a, b: a - np.floor(a / b) * b)]:
    suite.add(name, [x, y], function(x, y))
suite.add("power", [positive, x], np.power(positive, x))
for left, right in [((3, 5), (5,)), ((3, 1), (1, 5)), ((2, 3, 4), (3, 1)),
                    ((4,), (2, 3, 4)), ((), (2, 2)), ((1, 1), (1,))]:
    a, b = random(*left), random(*right, seed=2)
    suite.add("subtract", [a, b], a - b)
a, b = random(4, 3), random(4, 1, seed=2)
suite.add("subtract", [a, b], a - b, dynamic=[(0,), (0,)], dynamic_result=(0,))
suite.add("subtract", [b, a], b - a, dynamic=[(0,), (0, 1)],
          dynamic_result=(0, 1))
suite.add("subtract", [random(3), a], random(3) - a, dynamic=[(), (0,)],
          dynamic_result=(0,))
# A size that turns out to be 1 where the other is a constant.
for size in (1, 3):
    for axis in (0, 1, 2):
        shape = [3, 3, 3]
        shape[axis] = size
        part, whole = random(*shape, seed=1), random(3, 3, 3)
        suite.add("subtract", [part, whole], part - whole, dynamic=[(axis,), ()],
                  name="repeated")
        suite.add("subtract", [whole, part[0] if axis else part],
                  whole - (part[0] if axis else part),
                  dynamic=[(), (axis - 1 if axis else axis,)], name="repeated")
        suite.add("where", [whole > 0, whole, part], np.where(whole > 0, whole, part),
                  dynamic=[(), (), (axis,)], name="repeated")
        suite.add("broadcast_to", [part], np.broadcast_to(part, (3, 3, 3)).copy(),
                  dynamic=[(axis,)], attrs="shape = [3, 3, 3]", name="repeated")
# Python's remainder, also of infinities and zeros.
edges = np.array([0, -0.0, 1, -1, 3, -3.5, np.inf, -np.inf, np.nan, 1e30], np.float32)
with np.errstate(invalid="ignore"):
    suite.add("floor_mod", [edges[:, None], edges], np.mod(edges[:, None], edges))
for name, function in [("maximum", np.maximum), ("minimum", np.minimum)]:
    left = np.repeat(special, len(special))
    right = np.tile(special, len(special))
    suite.add(name, [left, right], function(left, right))

# Integers: every pair of a few values, with overflow and division by zero.
for dtype in [np.int8, np.uint8, np.int32, np.int64, np.uint64]:
    info = np.iinfo(dtype)
    values = np.array([info.min, 0, 1, 2, 5, 7, info.max - 1, info.max], dtype)
    if info.min < 0:
        values = np.concatenate([values, np.array([-1, -2, -5, -7], dtype)])
    left, right = np.repeat(values, len(values)), np.tile(values, len(values))
    with np.errstate(all="ignore"):
        for name, function in [
                ("add", np.add), ("subtract", np.subtract),
                ("multiply", np.multiply), ("maximum", np.maximum),
                ("minimum", np.minimum), ("bitwise_and", np.bitwise_and),
                ("bitwise_or", np.bitwise_or), ("bitwise_xor", np.bitwise_xor),
                ("floor_divide", np.floor_divide), ("floor_mod", np.mod),
                ("mod", np.fmod), ("trunc_mod", np.fmod)]:
            suite.add(name, [left, right], function(left, right))

        def truncated(a, b):
            exact = [0 if d == 0 else abs(n) // abs(d) * (1 if n * d > 0 else -1)
                     for n, d in zip(map(int, a), map(int, b))]
            return np.array([q & (2**info.bits - 1) for q in exact],
                            f"uint{info.bits}").view(dtype)
        suite.add("divide", [left, right], truncated(left, right))
        suite.add("trunc_divide", [left, right], truncated(left, right))
    small = np.arange(0, 2 * info.bits, 3).astype(dtype)
    left, right = np.repeat(values, len(small)), np.tile(small, len(values))

    def shifted(a, b, sign):
        wide = [int(n) << int(s) if sign > 0 else int(n) >> int(s)
                for n, s in zip(a, b)]
        return np.array([w & (2**info.bits - 1) for w in wide],
                        f"uint{info.bits}").view(dtype)
    suite.add("left_shift", [left, right], shifted(left, right, 1))
    suite.add("right_shift", [left, right], shifted(left, right, -1))
bases = np.array([-3, -1, 0, 1, 2, 7, -2, -1, 1, 3], np.int32)
exponents = np.array([3, 5, 0, -4, 31, 20, -1, -3, -5, 2], np.int32)
powers = [pow(int(n), int(e)) if e >= 0 else (int(n) ** -int(e) if abs(n) == 1
                                             else 0)
          for n, e in zip(bases, exponents)]
suite.add("power", [bases, exponents],
          np.array([p & 0xFFFFFFFF for p in powers], np.uint32).view(np.int32))

# Comparison, logic and choice.
left, right = np.repeat(special, len(special)), np.tile(special, len(special))
for name, function in [("equal", np.equal), ("not_equal", np.not_equal),
                       ("less", np.less), ("less_equal", np.less_equal),
                       ("greater", np.greater),
                       ("greater_equal", np.greater_equal)]:
    suite.add(name, [left, right], function(left, right))
    for values in (integers, unsigned):
        a, b = np.repeat(values, 5), np.tile(values, 5)
        suite.add(name, [a, b], function(a, b))
p, q = np.array([True, True, False, False]), np.array([True, False] * 2)
for name, function in [("logical_and", np.logical_and),
                       ("logical_or", np.logical_or),
                       ("logical_xor", np.logical_xor)]:
    suite.add(name, [p, q], function(p, q))
condition = random(3, 1, low=-1, high=1) > 0
suite.add("where", [condition, x, y], np.where(condition, x, y))
suite.add("where", [np.array([0, 2, -1, 0, 1], np.int32), x, np.float32(3)],
          np.where([0, 1, 1, 0, 1], x, np.float32(3)))
suite.add("where", [p, unsigned[:4], unsigned[1:]],
          np.where(p, unsigned[:4], unsigned[1:]))

# Casts.
numbers = np.array([-3.7, -1.0, -0.2, 0.0, 0.6, 2.5, 100.9], np.float32)
for dtype in [np.float64, np.float16, np.int8, np.int32, np.int64, np.bool_]:
    suite.add("cast", [numbers], numbers.astype(dtype),
              attrs=f"dtype = {dict(float64='f64', float16='f16', int8='i8', int32='i32', int64='i64', bool='i1')[np.dtype(dtype).name]}")
suite.add("cast", [numbers], np.maximum(numbers, 0).astype(np.uint8),
          attrs="dtype = ui8")
suite.add("cast", [unsigned], unsigned.astype(np.float32), attrs="dtype = f32")
suite.add("cast", [unsigned], unsigned.astype(np.int32), attrs="dtype = i32")
suite.add("cast", [integers], integers.astype(np.int64), attrs="dtype = i64")
suite.add("cast", [integers], integers.astype(np.uint8), attrs="dtype = ui8")
suite.add("cast", [integers], integers.astype(np.float32), attrs="dtype = f32")
suite.add("cast", [flags], flags.astype(np.float32), attrs="dtype = f32")
suite.add("cast", [flags], flags.astype(np.int64), attrs="dtype = i64")
suite.add("cast", [numbers.astype(np.float16)],
          numbers.astype(np.float16).astype(BFLOAT16), attrs="dtype = bf16")
suite.add("cast", [np.array([300, -300, 65535], np.int32)],
          np.array([300, -300, 65535], np.int32).astype(np.int8),
          attrs="dtype = i8")

# Activations.
image = random(2, 3, 4)
bias = random(3, seed=3)
suite.add("nn.bias_add", [image, bias], image + bias[:, None])
suite.add("nn.bias_add", [image, random(4)], image + random(4), attrs="axis = -1")
suite.add("nn.bias_add", [image, bias], image + bias[:, None],
          dynamic=[(0,), ()], dynamic_result=(0,))
suite.add("nn.prelu", [image, bias],
          np.where(image > 0, image, image * bias[:, None]))
suite.add("nn.leaky_relu", [image], np.where(image > 0, image, image * 0.1),
          attrs="alpha = 0.1")
suite.add("nn.relu", [special], np.maximum(special, 0))
suite.add("nn.relu", [integers], np.maximum(integers, 0))
suite.add("clip", [special], np.clip(special, -1, 2),
          attrs="a_min = -1.0, a_max = 2.0")
suite.add("clip", [integers], np.clip(integers, -5, 6),
          attrs="a_min = -5.0, a_max = 6.0")
suite.add("clip", [unsigned], np.clip(unsigned, 0, 130),
          attrs="a_min = -5.0, a_max = 130.0")
suite.add("clip", [unsigned], unsigned, attrs="a_min = -1.0e30, a_max = 1.0e30")
fixed = np.array([-1000, -3, 0, 3, 1000, 123456], np.int32)
for multiplier, shift in [(1 << 30, 0), (1518500250, -3), (1100000000, 2)]:
    exact = [(int(v) * (1 << max(shift, 0)) * multiplier +
              (1 << (30 + max(-shift, 0)))) >> (31 + max(-shift, 0))
             for v in fixed]
    suite.add("fixed_point_multiply", [fixed], np.array(exact, np.int32),
              attrs=f"multiplier = {multiplier}, shift = {shift}")

# Constant scalars become part of the body, and a constant result is filled in.
suite.add("multiply", [image], (2 * image + 3).astype(np.float32), name="constants",
          body="""%c = relay.constant dense<2.0> : tensor<1x1xf32>
%d = relay.constant dense<3.0> : tensor<f32>
%0 = relay.multiply %a0, %c : ({0}, tensor<1x1xf32>) -> {0}
%1 = relay.add %0, %d : ({0}, tensor<f32>) -> {r0}
return %1 : {r0}""")
suite.add("constant", [], np.full((2, 2), 7, np.uint8), body="""
%c = relay.constant dense<7> : tensor<2x2xui8>
return %c : {r0}""")

suite.main()
