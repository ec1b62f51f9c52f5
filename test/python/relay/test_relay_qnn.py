"""Quantised operators: their names, and how scales are changed."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay.qnn.op import current_requantize_config, requantize_config

DATA = np.arange(-40, 40, dtype="int32").reshape(8, 10)


def requantize(**attrs):
    x = relay.var("x", shape=DATA.shape, dtype="int32")
    zero = relay.const(0)
    call = relay.qnn.requantize(x, relay.const(0.5), zero, relay.const(1.0), zero,
                                out_dtype="int8", **attrs)
    return relay.IRModule.from_expr(relay.Function([x], call))


def evaluate(mod):
    return relay.create_executor("debug", mod=mod).evaluate()(DATA)


def test_names():
    assert relay.qnn.quantize is relay.qnn.op.quantize
    assert relay.qnn.conv2d is relay.qnn.op.conv2d
    assert set(relay.qnn.op.__all__) <= set(dir(relay.qnn))


def test_rounding():
    """Halves go up, or away from zero; a call that says it is as it says."""
    up = np.floor(DATA / 2 + 0.5).astype("int8")
    away = np.where(DATA < 0, np.ceil(DATA / 2 - 0.5), np.floor(DATA / 2 + 0.5)).astype("int8")
    assert not np.array_equal(up, away)
    mod, explicit = requantize(), requantize(rounding="UPWARD")
    np.testing.assert_array_equal(evaluate(mod), up)
    with requantize_config(rounding="TONEAREST") as config:
        assert current_requantize_config() is config
        for dtype in ("int64", "float32"):
            with requantize_config(rounding="TONEAREST", compute_dtype=dtype):
                np.testing.assert_array_equal(evaluate(mod), away)
                np.testing.assert_array_equal(evaluate(explicit), up)
    assert current_requantize_config().rounding == "UPWARD"
    np.testing.assert_array_equal(evaluate(mod), up)


def test_optimized_programs():
    with requantize_config(rounding="TONEAREST", compute_dtype="float64"):
        mod, _ = relay.optimize(requantize())
    assert "float64" in str(mod) and "round(" in str(mod)
    away = np.where(DATA < 0, np.ceil(DATA / 2 - 0.5), np.floor(DATA / 2 + 0.5)).astype("int8")
    np.testing.assert_array_equal(evaluate(mod), away)


def test_errors():
    with pytest.raises(ValueError, match="expects rounding to be one of UPWARD, TONEAREST"):
        requantize_config(rounding="DOWN")
    with pytest.raises(ValueError, match="expects compute_dtype to be one of"):
        requantize_config(compute_dtype="int8")
    with pytest.raises(TypeError, match="unexpected keyword"):
        requantize_config(direction="up")
    x = relay.var("x", shape=(2,), dtype="int8")
    scale, zero = relay.const(1.0), relay.const(0)
    total = relay.qnn.add(x, x, scale, zero, scale, zero, scale, zero)
    with requantize_config(rounding="TONEAREST"):
        with pytest.raises(NotImplementedError, match="qnn.add changes scales in the default way"):
            relay.create_executor("debug").evaluate(relay.Function([x], total))


@pytest.mark.parametrize("name", ["CanonicalizeOps", "Legalize"])
def test_canonical_form(name):
    mod = getattr(relay.qnn.transform, name)()(requantize(rounding="TONEAREST"))
    assert "qnn." not in str(mod)
    away = np.where(DATA < 0, np.ceil(DATA / 2 - 0.5), np.floor(DATA / 2 + 0.5)).astype("int8")
    np.testing.assert_array_equal(evaluate(mod), away)
    x, scale = relay.var("x", shape=(4,), dtype="int32"), relay.var("s", shape=())
    open_scale = relay.qnn.requantize(x, scale, relay.const(0), relay.const(1.0), relay.const(0),
                                      out_dtype="int8")
    with pytest.raises(relay.DiagnosticError, match="expects constant scales where code is made"):
        getattr(relay.qnn.transform, name)()(relay.IRModule.from_expr(
            relay.Function([x, scale], open_scale)))


#===------------------------------------------------------------------------===#
# Scales, zero points and attributes
#===------------------------------------------------------------------------===#


def run(call, params, *values):
    mod = relay.IRModule.from_expr(relay.Function(params, call))
    return np.asarray(relay.create_executor("debug", mod=mod).evaluate()(*values))


def vector(value, dtype):
    return relay.const(np.array([value], dtype))


def test_vectors_of_one_value():
    """Are for all indices of any axis, whatever its size."""
    for shape in [(2, 3), (10,), (), (0, 3)]:
        data = np.linspace(-3, 3, int(np.prod(shape))).reshape(shape).astype("float32")
        x = relay.var("x", shape=shape)
        for axis in (-1, 7):
            call = relay.qnn.quantize(x, vector(0.5, "float32"), vector(3, "int32"), axis=axis)
            got = run(call, [x], data)
            np.testing.assert_array_equal(got, np.trunc(data * 2 + np.copysign(0.5, data)) + 3)
            q = relay.var("q", shape=shape, dtype="int8")
            call = relay.qnn.dequantize(q, vector(0.5, "float32"), vector(3, "int32"), axis=axis)
            np.testing.assert_array_equal(run(call, [q], got), (got.astype("float32") - 3) / 2)
    with pytest.raises(relay.DiagnosticError, match="a vector of 3 elements"):
        x = relay.var("x", shape=(2, 3))
        relay.transform.infer_expr(relay.qnn.quantize(
            x, relay.const(np.ones(2, "float32")), relay.const(0)))


def test_products_of_vectors_of_one_value():
    """One of two scales lies along an axis."""
    x, y = (relay.var(n, shape=(2, 3), dtype="int8") for n in "xy")
    many, one, zero = relay.const(np.array([1, 2, 4], "float32")), vector(1, "float32"), \
        relay.const(0)
    data = np.array([[1, 2, 3], [-4, 5, 6]], "int8")
    for scales in [(many, one), (one, many)]:
        call = relay.qnn.mul(x, y, scales[0], zero, scales[1], zero, relay.const(1.0), zero,
                             lhs_axis=1 if scales[0] is many else 0,
                             rhs_axis=1 if scales[1] is many else 0)
        want = np.clip(data.astype(int) ** 2 * [1, 2, 4], -128, 127)
        np.testing.assert_array_equal(run(call, [x, y], data, data), want)


def test_conv2d_transpose_with_vectors_of_one_value():
    rng = np.random.default_rng(0)
    data, weight = (rng.integers(0, 255, s, "uint8") for s in [(1, 2, 3, 3), (2, 4, 2, 2)])
    x = relay.var("x", shape=data.shape, dtype="uint8")
    w = relay.var("w", shape=weight.shape, dtype="uint8")
    results = []
    for make in (vector, lambda value, dtype: relay.const(value, dtype)):
        call = relay.qnn.conv2d_transpose(
            x, w, make(5, "int32"), make(3, "int32"), make(0.5, "float32"), make(0.5, "float32"),
            channels=4, kernel_size=(2, 2))
        results.append(run(call, [x, w], data, weight))
    np.testing.assert_array_equal(*results)
    with pytest.raises(relay.DiagnosticError, match="input_zero_point to be a scalar or a vector"):
        relay.transform.infer_expr(relay.qnn.conv2d_transpose(
            x, w, relay.const(np.array([1, 2], "int32")), relay.const(3), relay.const(1.0),
            relay.const(1.0), channels=4, kernel_size=(2, 2)))


@pytest.mark.parametrize("layouts", [("NCHW", "OIHW"), ("NHWC", "HWOI")])
@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise_zero_points(layouts, multiplier):
    """One for each input channel, of all its output channels."""
    rng = np.random.default_rng(multiplier)
    data = rng.integers(0, 255, (2, 4, 5, 5), "uint8")
    weight = rng.integers(0, 255, (4, multiplier, 3, 3), "uint8")
    points = rng.integers(0, 10, 4).astype("int32")
    shifted = weight.astype("int64") - points[:, None, None, None]
    windows = np.lib.stride_tricks.sliding_window_view(data.astype("int64") - 4, (3, 3), (2, 3))
    want = np.einsum("nchwij,cmij->ncmhw", windows, shifted).reshape(2, 4 * multiplier, 3, 3)
    if layouts[0] == "NHWC":
        data, want = (a.transpose(0, 2, 3, 1) for a in (data, want))
        weight = weight.transpose(2, 3, 0, 1)
    x = relay.var("x", shape=data.shape, dtype="uint8")
    w = relay.var("w", shape=weight.shape, dtype="uint8")
    call = relay.qnn.conv2d(
        x, w, relay.const(4), relay.const(points), relay.const(1.0), relay.const(1.0),
        kernel_size=(3, 3), channels=4 * multiplier, groups=4, data_layout=layouts[0],
        kernel_layout=layouts[1])
    np.testing.assert_array_equal(run(call, [x, w], data, weight), want)


def test_constants_of_default_types():
    """Scales and zero points that NumPy made are float32 and int32."""
    x = relay.var("x", shape=(2, 3), dtype="int8")
    scale, zero = relay.const(np.array([0.5, 1, 2])), relay.const(np.array([1, 2, 3]))
    call = relay.qnn.dequantize(x, scale, zero)
    assert [c.data.dtype for c in call.args[1:]] == ["float32", "int32"]
    data = np.array([[1, 2, 3], [-4, 5, 6]], "int8")
    np.testing.assert_array_equal(run(call, [x], data), (data - [1, 2, 3]) * [0.5, 1, 2])
    call = relay.qnn.concatenate([x, x], [relay.const(np.float64(1))] * 2, [relay.const(0)] * 2,
                                 np.array(1.0), relay.const(np.int64(0)), 0)
    np.testing.assert_array_equal(run(call, [x], data), np.concatenate([data, data]))
    far = relay.const(np.array(2**40))
    assert relay.qnn.dequantize(x, relay.const(1.0), far).args[2].data.dtype == "int64"


@pytest.mark.parametrize("units", [None, 4])
def test_dense_without_units(units):
    data, weight = np.full((2, 3), 3, "int8"), np.arange(12).reshape(4, 3).astype("int8")
    x = relay.var("x", shape=data.shape, dtype="int8")
    w = relay.var("w", shape=weight.shape, dtype="int8")
    call = relay.qnn.dense(x, w, relay.const(1), relay.const(2), relay.const(1.0),
                           relay.const(1.0), units=units)
    assert f"units={units}" in call.astext()
    assert relay.transform.infer_expr(call).checked_type == relay.TensorType((2, 4), "int32")
    want = (data.astype(int) - 1) @ (weight.astype(int) - 2).T
    np.testing.assert_array_equal(run(call, [x, w], data, weight), want)
    mod = relay.parse(relay.IRModule.from_expr(relay.Function([x, w], call)).astext())
    np.testing.assert_array_equal(
        np.asarray(relay.create_executor("debug", mod=mod).evaluate()(data, weight)), want)


def test_batch_matmul_transposes():
    data, other = (np.random.default_rng(i).integers(-128, 127, s, "int8")
                   for i, s in enumerate([(2, 3, 4), (2, 5, 4)]))
    x = relay.var("x", shape=data.shape, dtype="int8")
    y = relay.var("y", shape=other.shape, dtype="int8")
    call = relay.qnn.batch_matmul(x, y, relay.const(1), relay.const(2), relay.const(1.0),
                                  relay.const(1.0))
    assert call.attrs.written()["transpose_b"] is True
    want = (data.astype(int) - 1) @ (other.astype(int) - 2).swapaxes(1, 2)
    np.testing.assert_array_equal(run(call, [x, y], data, other), want)


def test_sums_of_floats_have_a_type_only():
    x = relay.var("x", shape=(2, 2))
    one, zero = relay.const(1.0), relay.const(0)
    for make in (relay.qnn.add, relay.qnn.subtract, relay.qnn.mul):
        call = make(x, x, one, zero, one, zero, one, zero)
        assert relay.transform.infer_expr(call).checked_type == relay.TensorType((2, 2))
        with pytest.raises(relay.DiagnosticError, match="expects quantized integers"):
            run(call, [x], np.ones((2, 2), "float32"))


#===------------------------------------------------------------------------===#
# Compiled: the same bits as interpreted
#===------------------------------------------------------------------------===#


def check_compiled(call, params, *values, level=3):
    mod = relay.IRModule.from_expr(relay.Function(params, call))
    with relay.transform.PassContext(opt_level=level):
        got = relay.build(mod, "llvm")(*values)
    np.testing.assert_array_equal(got, relay.create_executor("debug", mod=mod).evaluate()(*values))


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("zeros", [(0, 0), (3, 0), (100, 0), (0, 4), (7, 4), (7, [1, 2, 0, -3, 5, 6])])
def test_compiled_layers(zeros, kind, level):
    """A convolution by bytes, with scales of channels, and what follows it."""
    rng = np.random.default_rng(4)
    weight = relay.const(rng.integers(-128, 128, (6, 5, 3, 3)).astype("int8"))
    data = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, (2, 5, 9, 8)).astype(kind)
    scales = relay.const(rng.uniform(0.01, 0.1, 6).astype("float32"))
    bias = relay.const(rng.integers(-5000, 5000, 6).astype("int32"))
    zero = relay.const(np.array(zeros[1], "int32"))
    x = relay.var("x", shape=(2, 5, 9, 8), dtype=kind)
    y = relay.qnn.conv2d(x, weight, relay.const(zeros[0]), zero, relay.const(0.05), scales,
                         padding=(1, 2, 0, 1), strides=(2, 1), channels=6, kernel_size=(3, 3),
                         out_dtype="int32")
    y = relay.nn.bias_add(y, bias)
    y = relay.qnn.requantize(y, scales, relay.const(0), relay.const(9.0), relay.const(-4), axis=1,
                             out_dtype=kind)
    check_compiled(relay.clip(y, 0, 100), [x], data, level=level)


def test_compiled_network():
    """Open sizes, a residual sum, a pool and a classifier, whose input is quantised here."""
    rng = np.random.default_rng(5)
    data = rng.normal(size=(3, 4, 8, 8)).astype("float32")
    x = relay.var("x", shape=(relay.Any(), 4, 8, 8))
    scale, zero, none = relay.const(0.05), relay.const(10), relay.const(0)
    q = relay.qnn.quantize(x, scale, zero, out_dtype="uint8")
    weight = relay.const(rng.integers(-128, 128, (4, 4, 3, 3)).astype("int8"))
    y = relay.qnn.conv2d(q, weight, zero, none, scale, relay.const(0.01), padding=(1, 1),
                         channels=4, kernel_size=(3, 3), out_dtype="int32")
    y = relay.qnn.requantize(y, relay.const(0.0005), none, scale, zero, out_dtype="uint8")
    y = relay.qnn.add(y, q, scale, zero, scale, zero, relay.const(0.07), relay.const(3))
    y = relay.qnn.avg_pool2d(y, relay.const(0.07), relay.const(3), scale, zero, pool_size=(8, 8),
                             strides=(1, 1), padding=(0, 0), dilation=(1, 1), layout="NCHW")
    y = relay.qnn.dense(relay.nn.batch_flatten(y), relay.const(
        rng.integers(-128, 128, (5, 4)).astype("int8")), zero, none, scale, relay.const(0.02),
        units=5, out_dtype="int32")
    check_compiled(relay.qnn.dequantize(y, relay.const(0.001), none), [x], data)


def test_many_channels():
    """Scales and zero points of more channels than are written out in text."""
    rng = np.random.default_rng(6)
    channels = 600
    x = relay.var("x", shape=(2, channels), dtype="int32")
    y = relay.qnn.requantize(x, relay.const(rng.uniform(0.1, 2, channels).astype("float32")),
                             relay.const(rng.integers(-9, 9, channels).astype("int32")),
                             relay.const(3.0), relay.const(1), axis=1, out_dtype="int16")
    check_compiled(y, [x], rng.integers(-20000, 20000, (2, channels)).astype("int32"))


def test_compiled_with_parameters_that_are_inputs():
    """What only subtracts zero points or divides by scales."""
    x = relay.var("x", shape=(2, 3))
    scale, zero = relay.var("s", shape=(3,)), relay.var("z", shape=(3,), dtype="int32")
    q = relay.qnn.quantize(x, scale, zero, axis=1, out_dtype="int8")
    y = relay.qnn.dequantize(q, scale, zero, axis=1)
    data = np.array([[1, -2.5, np.nan], [np.inf, -np.inf, 0.3]], "float32")
    check_compiled(y, [x, scale, zero], data, np.array([0.5, 0.1, 0.2], "float32"),
                   np.array([0, 3, -5], "int32"))
