"""FakeQuantizationToInteger: operators between qnn.dequantize and qnn.quantize.

Every operator with a form in integers, and random graphs, against the program in floats:
one step of the quantizer, in the interpreter and in native code, which agree in all bits.
"""

import numpy as np
import pytest

from nightly import nightly
from pass_checks import evaluate, operators
from quantized_programs import Builder, make_random, OPERATORS
from relay_mlir import relay
from relay_mlir.relay import nn, qnn
from relay_mlir.relay.transform import FakeQuantizationToInteger

SEEDS = [*range(25), *nightly(range(25, 750))]


def compiled(mod, values):
    result = relay.create_executor("graph", mod, target="llvm").evaluate()(*values)
    return [np.asarray(field) for field in (result if isinstance(result, (list, tuple))
                                            else [result])]


def assert_within_a_step(got, expected):
    for new, old in zip(got, expected, strict=True):
        assert new.dtype == old.dtype
        difference = np.abs(new.astype("int64") - old.astype("int64"))
        assert difference.max(initial=0) <= 1, f"{difference.max()} steps"


def check(mod, values, native=True):
    """The integer form of a program, after comparing what both compute. What reads
    results of others, reads the same, so that steps do not add up."""
    after = FakeQuantizationToInteger(hard_fail=True)(mod)
    got = evaluate(after, values)
    if native:
        for new, old in zip(compiled(after, values), got, strict=True):
            if new.dtype.kind == "f":
                np.testing.assert_allclose(new, old, rtol=1e-5)
            else:
                np.testing.assert_array_equal(new, old)
    return after, got


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, dtype):
    b = Builder(len(name), dtype)
    mod = b.module(b.quantize(OPERATORS[name](b)))
    values = b.arguments()
    after, got = check(mod, values, native=dtype == "int8")
    assert_within_a_step(got, evaluate(mod, values))
    assert "qnn.dequantize" not in operators(after) or name in (
        "nn.bias_add quantized",), operators(after)


@pytest.mark.parametrize("name", ["nn.conv2d per channel", "add", "concatenate", "sigmoid",
                                  "multiply", "clip", "maximum", "nn.avg_pool2d"])
def test_other_types(name):
    """A result of another type than the operands."""
    for dtype, other in [("int8", "uint8"), ("uint8", "int8"), ("int8", "int16"),
                         ("int8", "int32")]:
        b = Builder(3, dtype)
        mod = b.module(b.quantize(OPERATORS[name](b), dtype=other))
        values = b.arguments()
        _, got = check(mod, values)
        assert_within_a_step(got, evaluate(mod, values))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graphs(seed):
    """Each region on arguments of its own: what reads the results of others adds its steps
    to theirs."""
    mod, values = make_random(seed, chained=False)
    after = FakeQuantizationToInteger()(mod)
    got = evaluate(after, values)
    assert_within_a_step(got, evaluate(mod, values))
    # Sums of floats are rounded in another order.
    same = assert_within_a_step if "qnn.dequantize" in operators(after) else np.testing.assert_array_equal
    if seed % 5 == 0:
        same(got, compiled(after, values))


@pytest.mark.parametrize("seed", SEEDS)
def test_regions_that_read_each_other(seed):
    mod, values = make_random(seed)
    after = FakeQuantizationToInteger()(mod)
    got = evaluate(after, values)
    # Steps add up, and weights multiply them.
    for new, old in zip(got, evaluate(mod, values), strict=True):
        assert np.median(np.abs(new.astype("int64") - old.astype("int64"))) <= 1
    if seed % 5 == 0 and "qnn.dequantize" not in operators(after):
        np.testing.assert_array_equal(got, compiled(after, values))


def test_no_elements_and_open_sizes():
    b = Builder()
    mod = b.module(b.quantize(nn.relu(relay.add(b.floats(0, 3), b.floats(3)))))
    check(mod, b.arguments())
    x = relay.var("x", shape=(relay.Any(), 4), dtype="int8")
    scale, zero = relay.const(np.float32(0.1)), relay.const(np.int32(1))
    y = nn.relu(relay.reshape(qnn.dequantize(x, scale, zero), (-1, 2)))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(
        relay.Function([x], qnn.quantize(y, scale, zero))))
    after = FakeQuantizationToInteger(hard_fail=True)(mod)
    assert after["main"].checked_type == mod["main"].checked_type
    data = np.arange(-6, 6, dtype="int8").reshape(3, 4)
    np.testing.assert_array_equal(evaluate(after, [data])[0], evaluate(mod, [data])[0])


def test_saturation_in_between():
    """A sum that bytes do not hold, which is subtracted from again."""
    b = Builder()
    x, y = b.floats(50), b.floats(50)
    mod = b.module(b.quantize(relay.subtract(relay.add(x, y), y), 0.05, 0))
    values = b.arguments()
    _, got = check(mod, values)
    assert_within_a_step(got, evaluate(mod, values))


def test_uses_outside():
    """The floats that others read are there as before."""
    b = Builder()
    total = relay.add(b.floats(3, 4), b.floats(4))
    mod = b.module(b.quantize(nn.relu(total)), nn.softmax(total))
    values = b.arguments()
    after, got = check(mod, values)
    old = evaluate(mod, values)
    assert_within_a_step(got[:1], old[:1])
    np.testing.assert_array_equal(got[1], old[1])
    assert operators(after)["add"] == 1


def test_products_that_do_not_fit():
    """A product of sums of 32 bits stays in floats."""
    b = Builder()
    x = b.floats(3, 7)
    mod = b.module(b.quantize(relay.multiply(relay.sigmoid(x), x)))
    assert operators(FakeQuantizationToInteger()(mod)) == operators(mod)
    with pytest.raises(relay.DiagnosticError, match="factors whose product 32 bits hold"):
        FakeQuantizationToInteger(hard_fail=True)(mod)


def test_hard_fail():
    b = Builder()
    mod = b.module(b.quantize(nn.log_softmax(b.floats(3, 4))))
    assert operators(FakeQuantizationToInteger()(mod)) == operators(mod)
    with pytest.raises(relay.DiagnosticError, match="nn.log_softmax.* computed in integers"):
        FakeQuantizationToInteger(hard_fail=True)(mod)
    # Only what is reached from dequantized values alone is expected to be integers.
    x = relay.var("x", shape=(4,))
    b.params.append(x)
    mod = b.module(b.quantize(relay.add(b.floats(3, 4), x)))
    assert operators(FakeQuantizationToInteger(hard_fail=True)(mod)) == operators(mod)


def test_use_qat():
    b = Builder()
    layer = nn.bias_add(nn.conv2d(b.floats(1, 4, 6, 6), b.weight(4, 4, 3, 3, axis=0)),
                        b.constant(4))
    mod = b.module(nn.softmax(nn.batch_flatten(nn.relu(layer))), relay.sigmoid(layer))
    values = b.arguments()
    assert "qnn.conv2d" not in operators(FakeQuantizationToInteger()(mod))
    after = FakeQuantizationToInteger(use_qat=True)(mod)
    assert {"qnn.conv2d", "maximum"} <= set(operators(after))
    assert not {"nn.conv2d", "nn.relu"} & set(operators(after))
    for new, old in zip(evaluate(after, values), evaluate(mod, values), strict=True):
        # Biases are rounded to the scale of sums.
        np.testing.assert_allclose(new, old, atol=1e-4)


def test_registered_rules():
    """Rules in Python are not asked, which is an error, not a region that stays."""
    b = Builder()
    mod = b.module(b.quantize(relay.round(b.floats(3, 4))))
    relay.op.register_fake_quantization_to_integer("round", lambda expr, types: [expr, types])
    try:
        with pytest.raises(NotImplementedError, match="registered for round is not asked"):
            FakeQuantizationToInteger()(mod)
    finally:
        relay.op.get("round").reset_attr("FTVMFakeQuantizationToInteger")


def test_optional_operators():
    b = Builder()
    x = qnn.dequantize(b.param(3, 10), relay.const(np.float32(0.05)), relay.const(np.int32(0)))
    mod = b.module(b.quantize(nn.softmax(x), 1 / 256, -128))
    assert operators(FakeQuantizationToInteger()(mod)) == operators(mod)
    after = FakeQuantizationToInteger(optional_qnn_ops=["nn.softmax"])(mod)
    assert list(operators(after)) == ["qnn.softmax"]
    with pytest.raises(TypeError, match="optional_qnn_ops"):
        FakeQuantizationToInteger(optional_qnn_ops=5)  # type: ignore[arg-type]
