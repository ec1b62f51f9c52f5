# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 4 and 8 bits and integers of 2 and 4: casts and moves, compiled and interpreted,
against the package ml_dtypes."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm
from relay_mlir import relay

pytestmark = pytest.mark.share(2)

FLOATS = {"float8_e4m3fn": TensorProto.FLOAT8E4M3FN, "float8_e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
          "float8_e5m2": TensorProto.FLOAT8E5M2, "float8_e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ,
          "float8_e8m0fnu": TensorProto.FLOAT8E8M0, "float4_e2m1fn": TensorProto.FLOAT4E2M1}
INTEGERS = {"int4": TensorProto.INT4, "uint4": TensorProto.UINT4, "int2": TensorProto.INT2,
            "uint2": TensorProto.UINT2}
TYPES = {**FLOATS, **INTEGERS}
WIDE = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16,
        "bfloat16": TensorProto.BFLOAT16, "float64": TensorProto.DOUBLE}


def get_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def all_codes(name):
    """An array with each value of a type."""
    dtype = get_dtype(name)
    bits = ml_dtypes.finfo(dtype).bits if name in FLOATS else int(name[-1])
    return np.arange(2**bits, dtype=np.uint8).view(dtype)


def get_bits(array):
    return array.view(f"u{array.dtype.itemsize}")


def cast_module(source, target, count):
    x = relay.var("x", shape=(count,), dtype=source)
    return relay.Function([x], relay.cast(x, target))


def run_both(source, target, array):
    """What the compiled cast and the interpreted one give, which must be the same bits."""
    mod = relay.IRModule.from_expr(cast_module(source, target, array.size))
    interpreted = relay.create_executor("debug", mod=mod).evaluate()(array)
    interpreted = np.asarray(getattr(interpreted, "numpy", lambda: interpreted)())
    compiled = relay.create_executor("vm", mod=mod).evaluate()(array)
    compiled = np.asarray(getattr(compiled, "numpy", lambda: compiled)())
    assert compiled.dtype == interpreted.dtype == get_dtype(target)
    nan = np.isnan(interpreted.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(compiled.astype(np.float64)), nan)
    np.testing.assert_array_equal(get_bits(compiled)[~nan], get_bits(interpreted)[~nan])
    return compiled


def interesting_floats(dtype):
    """All of 16 bits; of wider ones many, near ties of all formats and at random."""
    if dtype.itemsize == 2:
        return np.arange(2**16, dtype=np.uint16).view(dtype)
    random = np.random.default_rng(0)
    values = [random.integers(0, 2**(8 * dtype.itemsize), 20000, dtype=f"u{dtype.itemsize}").view(dtype)]
    for name in FLOATS:
        codes = all_codes(name).astype(np.float64)
        codes = np.sort(codes[np.isfinite(codes)])
        with np.errstate(all="ignore"):
            middles = np.concatenate([codes, (codes[1:] + codes[:-1]) / 2, codes * 1.5]).astype(dtype)
        values += [middles, np.nextafter(middles, np.array(np.inf, dtype)),
                   np.nextafter(middles, np.array(-np.inf, dtype))]
    return np.concatenate(values)


def to_odd(values):
    """Numbers of 64 bits as those of 32 that are rounded alike further on: ml_dtypes rounds
    them to 32 bits first, to the nearest."""
    if values.dtype != np.float64:
        return values
    near = values.astype(np.float32)
    bits = near.view(np.uint32)
    away = abs(near.astype(np.float64)) > abs(values)
    inexact = near.astype(np.float64) != values
    return np.where(np.isnan(values), near, ((bits - away) | inexact).astype(np.uint32).view(np.float32))


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("name", TYPES)
def test_every_value_is_widened_exactly(name, wide):
    codes = all_codes(name)
    with np.errstate(all="ignore"):
        expected = codes.astype(get_dtype(wide))
    actual = run_both(name, wide, codes)
    np.testing.assert_array_equal(actual.astype(np.float64), expected.astype(np.float64))
    numbers = ~np.isnan(codes.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(actual)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("name", [name for name in FLOATS if name != "float8_e8m0fnu"])
def test_floats_are_rounded_once(name, wide):
    values = interesting_floats(get_dtype(wide))
    with np.errstate(all="ignore"):
        expected = to_odd(values).astype(get_dtype(name))
        nan = np.isnan(values)
    actual = run_both(wide, name, values)
    np.testing.assert_array_equal(np.isnan(actual.astype(np.float32))[nan],
                                  np.isnan(expected.astype(np.float32))[nan])
    np.testing.assert_array_equal(get_bits(actual)[~nan], get_bits(expected)[~nan])


@pytest.mark.parametrize("wide", WIDE)
def test_exponents_are_the_nearest(wide):
    values = interesting_floats(get_dtype(wide))
    actual = run_both(wide, "float8_e8m0fnu", values)
    exact = values.astype(np.float64)
    with np.errstate(all="ignore"):
        # Of 1.5 times a power of two, the larger one.
        exponent = np.floor(np.log2(exact))
        exponent += exact >= 1.5 * np.exp2(exponent)
        exponent = np.maximum(exponent, -127)
        known = (exact > 0) & (exponent <= 127)
        expected = np.where(known, np.exp2(exponent), np.nan)
    np.testing.assert_array_equal(actual.astype(np.float64), expected)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_keep_their_low_bits(name):
    values = np.arange(-128, 128, dtype=np.int32)
    actual = run_both("int32", name, values)
    np.testing.assert_array_equal(get_bits(actual), get_bits(values.astype(get_dtype(name))))
    # Floats become the nearest end of the range.
    floats = np.array([-np.inf, -9, -1.5, -0.5, 0.5, 1.5, 3.5, 20, np.inf, np.nan], np.float32)
    info = ml_dtypes.iinfo(get_dtype(name))
    expected = np.trunc(np.clip(np.nan_to_num(floats, nan=0), int(info.min), int(info.max)))
    np.testing.assert_array_equal(run_both("float32", name, floats).astype(np.float32), expected)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_from_small_to_small(source, target):
    codes = all_codes(source)
    if target in FLOATS:
        finite = codes.astype(np.float32)
        codes = codes[~np.isnan(finite)]
        if target == "float8_e8m0fnu":
            codes = codes[codes.astype(np.float32) > 0]
    actual = run_both(source, target, codes)
    if source == target:
        np.testing.assert_array_equal(get_bits(actual), get_bits(codes))
    elif target in FLOATS and target != "float8_e8m0fnu":
        with np.errstate(all="ignore"):
            expected = codes.astype(np.float32).astype(get_dtype(target))
        np.testing.assert_array_equal(get_bits(actual), get_bits(expected))


#===----------------------------------------------------------------------===#
# ONNX
#===----------------------------------------------------------------------===#


def make_model(nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])
    model.ir_version = 12
    return model


def info(name, type_, shape):
    return helper.make_tensor_value_info(name, type_, shape)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("raw", [True, False])
def test_weights(name, raw):
    """Small types are packed in the model, also where the last byte is not full."""
    values = np.resize(all_codes(name), (3, 7))
    if raw:
        weight = numpy_helper.from_array(values, "w")
    else:
        weight = helper.make_tensor("w", TYPES[name], values.shape, values.astype(np.float32).ravel())
        values = numpy_helper.to_array(weight)
    model = make_model(
        [helper.make_node("Cast", ["w"], ["f"], to=TensorProto.FLOAT),
         helper.make_node("Transpose", ["f"], ["t"], perm=[1, 0]),
         helper.make_node("Add", ["t", "x"], ["z"])],
        [info("x", TensorProto.FLOAT, [1])], [info("z", TensorProto.FLOAT, [7, 3])], [weight])
    actual = rm.compile(model)(np.zeros(1, np.float32))
    np.testing.assert_array_equal(actual, values.astype(np.float32).T)


@pytest.mark.parametrize("name,count", [("INT4", 3), ("INT2", 2), ("FLOAT8E5M2", 5)])
def test_a_weight_of_a_wrong_size_is_refused(name, count):
    weight = onnx.TensorProto(name="w", data_type=TensorProto.DataType.Value(name), dims=[5],
                              raw_data=b"a" * (count - 1))
    model = make_model([helper.make_node("Cast", ["w"], ["y"], to=TensorProto.FLOAT)], [],
                       [info("y", TensorProto.FLOAT, [5])], [weight])
    message = rf"expects {count} bytes for \[5\] elements of {name}, but got {count - 1}"
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(model)


# Exponents alone are types of scales.
@pytest.mark.parametrize("name", [name for name in FLOATS if name != "float8_e8m0fnu"])
def test_quantization(name):
    """Codes of a model's data are what its quotient is rounded to."""
    x = np.random.default_rng(3).standard_normal((4, 16)).astype(np.float32) * 4
    scale = np.array(0.75, np.float32)
    model = make_model(
        [helper.make_node("QuantizeLinear", ["x", "s"], ["q"], output_dtype=FLOATS[name]),
         helper.make_node("DequantizeLinear", ["q", "s"], ["y"])],
        [info("x", TensorProto.FLOAT, x.shape)],
        [info("q", FLOATS[name], x.shape), info("y", TensorProto.FLOAT, x.shape)],
        [numpy_helper.from_array(scale, "s")])
    model.opset_import[0].version = 28
    codes, values = rm.compile(model)(x)
    limit = float(ml_dtypes.finfo(get_dtype(name)).max)
    expected = np.clip(x / scale, -limit, limit).astype(get_dtype(name))
    np.testing.assert_array_equal(get_bits(codes), get_bits(expected))
    np.testing.assert_array_equal(values, expected.astype(np.float32) * scale)


@pytest.mark.parametrize("name", TYPES)
def test_moves(name):
    """Inputs and outputs of small types, whose elements change their places."""
    x = np.resize(all_codes(name), (4, 6))
    model = make_model(
        [helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
         helper.make_node("Reshape", ["t", "shape"], ["y"])],
        [info("x", TYPES[name], [4, 6])], [info("y", TYPES[name], None)],
        [numpy_helper.from_array(np.array([3, 8], np.int64), "shape")])
    compiled = rm.compile(model)
    assert compiled.inputs[0].dtype == x.dtype
    actual = compiled(x)
    assert actual.dtype == x.dtype
    np.testing.assert_array_equal(get_bits(actual), get_bits(x).T.reshape(3, 8))
    # Not contiguous.
    strided = np.repeat(x, 2, axis=1)[:, ::2]
    np.testing.assert_array_equal(get_bits(compiled(strided)), get_bits(actual))


@pytest.mark.parametrize("name", TYPES)
def test_moves_of_relay(name):
    x = np.resize(all_codes(name), (4, 6))
    data = relay.var("x", shape=x.shape, dtype=name)
    both = relay.concatenate([data, relay.const(x)], axis=1)
    rows = relay.take(both, relay.const(np.array([3, 0], np.int32)), axis=0)
    function = relay.Function([data], relay.strided_slice(rows, begin=[0, 1], end=[2, 9]))
    mod = relay.IRModule.from_expr(function)
    for kind in ("debug", "vm"):
        result = relay.create_executor(kind, mod=mod).evaluate()(x)
        result = np.asarray(getattr(result, "numpy", lambda value=result: value)())
        assert result.dtype == x.dtype
        np.testing.assert_array_equal(get_bits(result),
                                      np.concatenate([get_bits(x)] * 2, 1)[[3, 0], 1:9])


@pytest.mark.parametrize("name", TYPES)
def test_an_array_of_another_type_is_refused(name):
    model = make_model([helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)],
                       [info("x", TYPES[name], [4])], [info("y", TensorProto.FLOAT, [4])])
    compiled = rm.compile(model)
    with pytest.raises(ValueError, match=f"expects {name}, but got uint8|{name}"):
        compiled(np.zeros(4, np.uint8))


@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("name", [name for name in FLOATS if name.startswith("float8_e4") or
                                  name.startswith("float8_e5")])
def test_saturation(name, saturate):
    values = interesting_floats(np.dtype(np.float16))
    model = make_model([helper.make_node("Cast", ["x"], ["y"], to=FLOATS[name], saturate=saturate)],
                       [info("x", TensorProto.FLOAT16, values.shape)],
                       [info("y", FLOATS[name], values.shape)])
    dtype = get_dtype(name)
    with np.errstate(all="ignore"):
        expected = numpy_helper.saturate_cast(values, dtype) if saturate else values.astype(dtype)
    actual = rm.compile(model)(values)
    nan = np.isnan(values)
    assert np.isnan(actual[nan].astype(np.float32)).all()
    np.testing.assert_array_equal(get_bits(actual)[~nan], get_bits(expected)[~nan])


@pytest.mark.parametrize("scale,precision,division", [
    (np.float32(0.1), TensorProto.FLOAT16, "float16"), (np.float16(0.1), None, "float16"),
    (np.float16(0.1), TensorProto.FLOAT, "float32"), (np.int32(3), None, "float64"),
    (np.array(0.25, ml_dtypes.float8_e8m0fnu), None, "float32"),
    (np.float32(0.1), TensorProto.BFLOAT16, "bfloat16")])
@pytest.mark.parametrize("target", ["int8", "int16", "float8_e4m3fn"])
def test_division_by_the_scale(scale, precision, division, target):
    """In the type of `precision`, else in that of the scale, if it has arithmetic."""
    x = np.linspace(-11, 11, 2001).astype(np.float32)
    code = {**TYPES, "int8": TensorProto.INT8, "int16": TensorProto.INT16}[target]
    attributes = {} if precision is None else {"precision": precision}
    weight = numpy_helper.from_array(np.asarray(scale), "s")
    model = make_model([helper.make_node("QuantizeLinear", ["x", "s"], ["q"], output_dtype=code,
                                         **attributes)],
                       [info("x", TensorProto.FLOAT, x.shape)], [info("q", code, x.shape)], [weight])
    model.opset_import[0].version = 28
    wide = get_dtype(division)
    quotient = x.astype(wide) / np.asarray(scale).astype(np.float32).astype(wide)
    if target in INTEGERS or target.startswith("int"):
        expected = np.rint(quotient.astype(np.float64)).astype(np.int64).clip(
            np.iinfo(target).min, np.iinfo(target).max).astype(target)
    else:
        expected = quotient.astype(np.float32).astype(get_dtype(target))
    actual = rm.compile(model)(x)
    assert actual.dtype == expected.dtype
    if wide.itemsize == 2:
        # Kernels round 16-bit floats where they store them, so quotients have more bits.
        exact = x / np.asarray(scale).astype(np.float32)
        steps = np.maximum(1, np.abs(exact) * float(ml_dtypes.finfo(wide).eps))
        steps = steps if target.startswith("int") else np.abs(exact) / 4 + 1e-3
        assert (np.abs(actual.astype(np.float64) - expected.astype(np.float64)) <= steps).all()
    else:
        np.testing.assert_array_equal(get_bits(actual), get_bits(expected))


def test_a_precision_of_integers_is_refused():
    model = make_model([helper.make_node("QuantizeLinear", ["x", "s"], ["q"], precision=TensorProto.INT32)],
                       [info("x", TensorProto.FLOAT, [2]), info("s", TensorProto.FLOAT, [])],
                       [info("q", TensorProto.UINT8, [2])])
    with pytest.raises(rm.CompileError, match="expects precision to be a float of 16 bits or more, but got INT32"):
        rm.compile(model)


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
@pytest.mark.parametrize("saturate", [0, 1])
def test_exponents_of_onnx(mode, saturate):
    random = np.random.default_rng(1)
    # Normal numbers: of others the reference takes the exponent, which is not theirs.
    values = np.exp2(random.uniform(-125, 126, 5000)).astype(np.float32)
    values = np.concatenate([values, np.exp2(np.arange(-126, 127.0)), 1.5 * np.exp2(np.arange(-126, 127.0)),
                             [np.finfo(np.float32).max, 2.0**127, 1.25 * 2.0**127]]).astype(np.float32)
    model = make_model([helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT8E8M0,
                                         saturate=saturate, round_mode=mode)],
                       [info("x", TensorProto.FLOAT, values.shape)],
                       [info("y", TensorProto.FLOAT8E8M0, values.shape)])
    expected = numpy_helper.to_float8e8m0(values, bool(saturate), mode)
    compiled = rm.compile(model)
    np.testing.assert_array_equal(get_bits(compiled(values)), get_bits(expected))
    # The special values of the specification's table.
    special = np.zeros_like(values)
    special[:3] = [0, np.nan, np.inf]
    codes = get_bits(compiled(special))[:3].tolist()
    assert codes == ([0, 255, 254] if saturate else [255, 255, 255])


def test_arithmetic_is_refused():
    model = make_model([helper.make_node("Neg", ["x"], ["y"])], [info("x", TensorProto.FLOAT8E5M2, [4])],
                       [info("y", TensorProto.FLOAT8E5M2, [4])])
    with pytest.raises(rm.CompileError, match="FLOAT8E5M2|f8E5M2"):
        rm.compile(model)
    x = relay.var("x", shape=(4,), dtype="int4")
    mod = relay.IRModule.from_expr(relay.Function([x], x + x))
    with pytest.raises(rm.CompileError, match="(?s)expects elements of bool, integers of 8 bits or more.*"
                       "there is no arithmetic on this type"):
        relay.vm.compile(mod, "llvm")
