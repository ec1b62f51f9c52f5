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
    assert 'rounding="TONEAREST"' in str(mod) and 'compute_dtype="float64"' in str(mod)


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
def test_passes_that_are_not_there(name):
    with pytest.raises(NotImplementedError, match=name):
        getattr(relay.qnn.transform, name)()
