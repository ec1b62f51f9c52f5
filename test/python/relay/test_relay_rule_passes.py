"""Passes that ask functions of the program: legal forms, layouts, precision."""

from typing import Any

import numpy as np
import pytest

from pass_checks import arguments, assert_becomes, check, evaluate, module, operators
from relay_mlir import relay
from relay_mlir.relay import transform
from relay_mlir.relay.testing.temp_op_attr import TempOpAttr


def var(name, *shape, dtype="float32"):
    return relay.var(name, shape=shape, dtype=dtype)


#===------------------------------------------------------------------------===#
# Legal forms
#===------------------------------------------------------------------------===#


def test_legalize():
    x, w = var("x", 1, 4, 8, 8), var("w", 4, 4, 1, 1)
    seen = []

    def legal(attrs, inputs, types):
        seen.append([str(type_) for type_ in types])
        assert list(attrs.strides) == [1, 1]
        scaled = relay.multiply(relay.const(2.0), inputs[1])
        return relay.nn.conv2d(inputs[0], scaled, **attrs.written())

    mod = module(relay.nn.relu(relay.nn.conv2d(x, w, channels=4, kernel_size=(1, 1))))
    expected = relay.nn.relu(relay.nn.conv2d(x, relay.multiply(relay.const(2.0), w), channels=4,
                                             kernel_size=(1, 1)))
    with TempOpAttr("nn.conv2d", "FTVMLegalize", legal):
        after = transform.Legalize()(mod)
    want = module(expected)
    relay.assert_structural_equal(after["main"], want["main"])
    assert seen == [["Tensor[(1, 4, 8, 8), float32]", "Tensor[(4, 4, 1, 1), float32]",
                     "Tensor[(1, 4, 8, 8), float32]"]]
    # Without the function, and by another attribute, nothing changes.
    assert relay.structural_equal(transform.Legalize()(mod), mod)
    with TempOpAttr("nn.conv2d", "FTVMLegalize", legal):
        assert relay.structural_equal(transform.Legalize("FMyLegalize")(mod), mod)


def test_legalize_keeps_what_rules_leave():
    x = var("x", 1, 3, 4)
    mod = module(relay.nn.bias_add(x, var("b", 3)), relay.multiply(x, x))
    with TempOpAttr("nn.bias_add", "FTVMLegalize", lambda attrs, inputs, types: None):
        check(mod, transform.Legalize())
        assert relay.structural_equal(transform.Legalize()(mod), mod)

    def decompose(attrs, inputs, types):
        return relay.exp(relay.add(relay.log(inputs[0]), relay.log(inputs[1])))

    with TempOpAttr("multiply", "FTVMLegalize", decompose):
        values = [np.abs(value) + 0.5 for value in arguments(mod)]
        after = check(mod, transform.Legalize(), rtol=1e-5, values=values)
    assert operators(after) == {"nn.bias_add": 1, "log": 2, "add": 1, "exp": 1}


def test_wrong_rules():
    mod = module(relay.nn.relu(var("x", 4)))
    with TempOpAttr("nn.relu", "FTVMLegalize", lambda attrs, inputs, types: inputs[0]):
        with pytest.raises(TypeError, match="rule for nn.relu returns to be a call, or None"):
            transform.Legalize()(mod)
    with TempOpAttr("nn.relu", "FTVMLegalize", lambda attrs, inputs: None):
        with pytest.raises(TypeError, match="positional argument"):
            transform.Legalize()(mod)

    def fail(attrs, inputs, types):
        raise KeyError("mine")

    before = mod.astext()
    with TempOpAttr("nn.relu", "FTVMLegalize", fail):
        with pytest.raises(KeyError, match="mine") as error:
            transform.Sequential([transform.Legalize()])(mod)
    assert any(entry.name == "fail" for entry in error.traceback)
    assert mod.astext() == before


#===------------------------------------------------------------------------===#
# Layouts
#===------------------------------------------------------------------------===#


def blocked(attrs, inputs, types, out_type):
    if types[0].shape[1] % 4 or out_type.shape[1] % 4:
        return None
    written = {**attrs.written(), "data_layout": "NCHW4c", "kernel_layout": "OIHW4i4o"}
    return relay.Call(relay.op.get("nn.contrib_conv2d_NCHWc"), inputs, written)


def conv(x, name, channels, inputs):
    return relay.nn.conv2d(x, var(name, channels, inputs, 3, 3), channels=channels,
                           kernel_size=(3, 3), padding=(1, 1))


def test_alter_op_layout_between_blocked_operators():
    x = var("x", 1, 8, 6, 6)
    y = relay.nn.relu(relay.nn.bias_add(conv(x, "w", 8, 8), var("b", 8)))
    y = relay.add(y, var("s", 8, 1, 1))
    mod = module(conv(y, "v", 4, 8))
    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", blocked):
        after = check(mod, transform.AlterOpLayout(), rtol=1e-6, atol=1e-5)
    counts = operators(after)
    assert counts["nn.contrib_conv2d_NCHWc"] == 2
    # The first data, two weights, two operands of sums, and the result.
    assert counts["layout_transform"] == 6
    assert relay.structural_equal(transform.AlterOpLayout()(mod), mod)


def test_alter_op_layout_of_some():
    x = var("x", 1, 3, 6, 6)
    y = conv(x, "w", 4, 3)
    mod = module(relay.exp(conv(y, "v", 4, 4)), relay.nn.softmax(conv(y, "u", 8, 4)))
    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", blocked):
        after = check(mod, transform.AlterOpLayout(), rtol=1e-5, atol=1e-5)
    assert operators(after)["nn.conv2d"] == 1
    assert operators(after)["nn.contrib_conv2d_NCHWc"] == 2


def test_alter_op_layout_in_another_order():

    def last(attrs, inputs, types, out_type):
        return relay.nn.conv2d(*inputs, **{**attrs.written(), "data_layout": "NHWC",
                                           "kernel_layout": "HWIO"})

    x, w, v = var("x", 1, 3, 6, 6), var("w", 4, 3, 3, 3), var("v", 5, 4, 3, 3)
    attrs: dict[str, Any] = {"kernel_size": (3, 3), "padding": (1, 1)}
    mod = module(relay.nn.conv2d(relay.nn.conv2d(x, w, channels=4, **attrs), v, channels=5,
                                 **attrs))

    def change(value, src, dst):
        return relay.layout_transform(value, src, dst)

    attrs.update(data_layout="NHWC", kernel_layout="HWIO")
    inner = relay.nn.conv2d(change(x, "NCHW", "NHWC"), change(w, "OIHW", "HWIO"), channels=4,
                            **attrs)
    outer = relay.nn.conv2d(inner, change(v, "OIHW", "HWIO"), channels=5, **attrs)
    with TempOpAttr("nn.conv2d", "FTVMAlterOpLayout", last):
        assert_becomes(mod, transform.AlterOpLayout(), change(outer, "NHWC", "NCHW"), rtol=1e-5,
                       atol=1e-5)


def test_alter_op_layout_without_layouts():
    # A call of something else without layouts is taken as it is.
    x = var("x", 4)
    with TempOpAttr("nn.relu", "FTVMAlterOpLayout",
                    lambda attrs, inputs, types, out: relay.maximum(inputs[0], relay.const(0.0))):
        assert_becomes(module(relay.nn.relu(x)), transform.AlterOpLayout(),
                       relay.maximum(x, relay.const(0.0)))


#===------------------------------------------------------------------------===#
# Precision
#===------------------------------------------------------------------------===#

# Of values of about 10, with 11 bits; the sums are of a few products.
HALF: dict[str, Any] = {"rtol": 5e-3, "atol": 2e-2}


def mixed(mod, expected=None, **options):
    config = {"relay.ToMixedPrecision.keep_orig_output_dtype": options.pop("keep", False)}
    with transform.PassContext(config=config):
        after = transform.ToMixedPrecision(**{"missing_op_mode": 0, **options})(mod)
    if "bfloat16" not in options.values():
        values = arguments(mod)
        for new, old in zip(evaluate(after, values), evaluate(mod, values), strict=True):
            np.testing.assert_allclose(new.astype("float32"), old.astype("float32"), **HALF)
    if expected is not None:
        relay.assert_structural_equal(after["main"], module(expected)["main"])
    return after


def half(x):
    return relay.cast(x, "float16")


def single(x):
    return relay.cast(x, "float32")


def test_convolution_and_normalisation():
    x, w = var("x", 1, 3, 8, 8), var("w", 4, 3, 3, 3)
    gamma, beta, mean = (var(name, 4) for name in ("gamma", "beta", "mean"))
    attrs: dict[str, Any] = {"strides": (1, 1), "padding": (1, 1), "channels": 4, "kernel_size": (3, 3)}
    deviation = relay.const(np.full(4, 2.0, "float32"))
    norm = relay.nn.batch_norm(relay.nn.conv2d(x, w, **attrs), gamma, beta, mean, deviation)[0]
    expected = relay.nn.batch_norm(
        relay.nn.conv2d(half(x), half(w), **attrs, out_dtype="float16"),
        half(gamma), half(beta), half(mean), half(deviation))[0]
    mixed(module(norm), expected)


def test_softmax_and_sums_stay():
    x = var("x", 1, 8)
    for value in (relay.nn.softmax(x), relay.sum(x), relay.exp(x), relay.mean(x, 1),
                  relay.power(x, relay.const(2.0)), relay.arange(relay.const(4.0))):
        mod = module(value)
        assert relay.structural_equal(mixed(mod), mod)


def test_follow():
    x, y = var("x", 4, 4), var("y", 4, 4)
    product = relay.nn.dense(x, y)
    half_x = half(x)
    low = relay.nn.dense(half_x, half(y), out_dtype="float16")
    mixed(module(product + relay.exp(x)), single(low) + relay.exp(x))
    mixed(module(relay.nn.relu(product) + x), relay.nn.relu(low) + half_x)
    mixed(module(relay.where(relay.greater(product, relay.const(0.0)), product, x)),
          relay.where(relay.greater(low, half(relay.const(0.0))), low, half_x))


def test_integers_follow_nothing():
    table, indices = var("x", 5, 4), var("i", 3, dtype="int32")
    mod = module(relay.take(table, indices, axis=0))
    mixed(mod, relay.take(half(table), indices, axis=0))


def test_clip():
    x = var("x", 4)
    for low, high, is_half in ((-10, 10, True), (-1e5, 1e5, False), (0, 65504, True),
                               (0, 65520, False)):
        after = mixed(module(relay.clip(x, low, high)))
        assert (str(after["main"].checked_type.ret_type.dtype) == "float16") == is_half


def test_types_of_results():
    x, y = var("x", 4, 4), var("y", 4, 4)
    mod = module(relay.nn.dense(x, y), relay.nn.softmax(x))
    kept = mixed(mod, keep=True)
    assert kept["main"].checked_type == mod["main"].checked_type
    changed = mixed(mod)
    assert [field.dtype for field in changed["main"].checked_type.ret_type.fields] == [
        "float16", "float32"]
    assert "bfloat16" in mixed(mod, mixed_precision_type="bfloat16").astext()


def test_double_precision_stays():
    x, y = var("x", 4, 4, dtype="float64"), var("y", 4, 4, dtype="float64")
    mod = module(relay.nn.relu(relay.nn.dense(x, y)))
    assert relay.structural_equal(mixed(mod), mod)


def test_let_if_and_calls():
    x, c = var("x", 4), relay.var("c", shape=(), dtype="bool")
    v = relay.var("v", shape=(4,))
    let = relay.Let(v, x + x, relay.If(c, v * v, relay.exp(v)))
    mod = module(let)
    for flag in (True, False):
        values = [np.linspace(-1, 1, 4, dtype="float32") if param.name_hint == "x" else
                  np.array(flag) for param in mod["main"].params]
        new, old = (evaluate(m, values)[0] for m in (transform.ToMixedPrecision()(mod), mod))
        np.testing.assert_allclose(new.astype("float32"), old, **HALF)


def test_rules_of_the_program():
    x, y = var("x", 4, 4), var("y", 4, 4)
    mod = module(relay.nn.relu(relay.nn.dense(x, y)))
    with TempOpAttr("nn.dense", "FTVMMixedPrecisionConversionType",
                    lambda call, dtype: [2, dtype, dtype]):
        assert relay.structural_equal(mixed(mod), mod)
    with TempOpAttr("nn.dense", "FTVMMixedPrecisionConversionType",
                    lambda call, dtype: [0, "float32", dtype]):
        mixed(mod, relay.nn.relu(half(relay.nn.dense(half(x), half(y), out_dtype="float32"))))
    with TempOpAttr("nn.softmax", "FTVMMixedPrecisionConversionType",
                    lambda call, dtype: [0, dtype, dtype]):
        mixed(module(relay.nn.softmax(x)), relay.nn.softmax(half(x)))


def test_wrong_precision():
    mod = module(relay.nn.relu(var("x", 4)))
    for answer in ([3, "float16", "float16"], None, [0, "float16"], [0, "int8", "float16"]):
        with TempOpAttr("nn.relu", "FTVMMixedPrecisionConversionType",
                        lambda call, dtype, answer=answer: answer):
            with pytest.raises(TypeError, match="rule for nn.relu returns to be a category"):
                transform.ToMixedPrecision()(mod)
    answers = iter([[0, "float16", "float16"], [2, "float16", "float16"]])
    twice = module(relay.nn.relu(relay.nn.relu(var("x", 4))))
    with TempOpAttr("nn.relu", "FTVMMixedPrecisionConversionType",
                    lambda call, dtype: next(answers)):
        with pytest.raises(ValueError, match="rule for nn.relu to say the same of all calls"):
            transform.ToMixedPrecision()(twice)
    with pytest.raises(ValueError, match="float16 or bfloat16, but got float32"):
        transform.ToMixedPrecision("float32")
    with pytest.raises(ValueError, match="missing_op_mode from 0 to 2, but got 3"):
        transform.ToMixedPrecision("float16", 3)


def test_unknown_operators():
    mod = module(relay.sliding_window(var("x", 8), 0, [2], [1]))
    with pytest.raises(relay.DiagnosticError, match="'sliding_window'"):
        transform.ToMixedPrecision("float16", 0)(mod)
    assert "float16" in transform.ToMixedPrecision("float16", 1)(mod).astext()
    assert "float16" in transform.ToMixedPrecision("float16", 2)(mod).astext()
