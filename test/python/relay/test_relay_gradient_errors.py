"""Programs without gradients, and wrong arguments."""

import numpy as np
import pytest

from gradient_checks import F64, MODES, compare, parse, values, var
from relay_mlir import relay
from relay_mlir.relay import transform


def test_operators_without_gradients():
    body = relay.vision.roi_pool(relay.op.stft(var("y", 1, 8), 4, 2, 4), var("x", 2, 5), (2, 2), 1.0)
    function = relay.Function(relay.analysis.free_vars(body), body)
    for mode in MODES:
        with pytest.raises(relay.DiagnosticError, match="gradients are known, but got ") as info:
            transform.gradient(function, mode=mode)
        assert "vision.roi_pool" in str(info.value)
    assert "stft" in str(info.value)
    # What depends on no parameter needs none.
    constant = relay.op.stft(relay.const(np.ones((1, 8))), 4, 2, 4)
    compare(relay.Function([y := var("y", 1, 3, 3, 2)], y * constant), values((1, 3, 3, 2)),
            "first_order")


@pytest.mark.parametrize("text, message", [
    ("def @main(%c: bool, %x: float64) { if (%c) { %x } else { exp(%x) } }", "'if'"),
    ("def @main(%x: float64) { ref_read(ref(%x)) }", "'ref_create'"),
    ("def @f(%x: float64) { %x }\ndef @main(%x: float64) { @f(%x) }", "'call'"),
    ("""def @main(%x: float64) {
       let %f = fn (%n: int32) -> float64 { if (equal(%n, 0)) { %x } else { %f(0) } };
       %f(1)
     }""", "a closure that calls itself"),
])
def test_what_first_order_gradients_cannot_have(text, message):
    mod = parse(text)
    with pytest.raises(relay.DiagnosticError, match="for a first-order gradient, but got") as info:
        transform.gradient(mod["main"], mod, "first_order")
    assert message in str(info.value) and "higher_order" in str(info.value)
    transform.gradient(mod["main"], mod)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text, message", [
    ("def @main[A](%x: A) -> A { %x }", "without type parameters"),
    ("def @main(%f: fn (float64) -> float64) { %f(1f64) }", "for parameters of a function"),
    ("def @main(%x: float64) { fn () { %x } }", "for the result of a function"),
    ("def @main(%x: float64) { cast(%x, dtype=\"int32\") }", "a result with floats"),
])
def test_what_cannot_be_differentiated(text, message, mode):
    mod = parse(text)
    with pytest.raises(relay.DiagnosticError, match=message):
        transform.gradient(mod["main"], mod, mode)


def test_limits_of_first_order_gradients():
    x = var("x", 2)

    def nested(count, make):
        names = [relay.var(f"f{i}") for i in range(count + 1)]
        body: relay.Expr = relay.Call(names[-1], [x])
        for i in range(count, -1, -1):
            y = var("y", 2)
            inner = make(names[i - 1], y) if i else relay.tanh(y)
            body = relay.Let(names[i], relay.Function([y], inner, relay.TensorType((2,), F64)),
                             body)
        return relay.Function([x], body)

    once = lambda f, y: relay.Call(f, [y])
    twice = lambda f, y: relay.Call(f, [relay.Call(f, [y])])
    compare(nested(10, twice), [np.array([0.1, -3.0])], "first_order")
    with pytest.raises(relay.DiagnosticError, match="at most 262144 operators after calls"):
        transform.gradient(nested(19, twice), mode="first_order")
    with pytest.raises(relay.DiagnosticError, match="at most 1000 calls inside of each other"):
        transform.gradient(nested(1001, once), mode="first_order")


def test_wrong_arguments():
    x = var("x", 2)
    function = relay.Function([x], x)
    with pytest.raises(ValueError, match="expects mode to be one of higher_order, first_order"):
        transform.gradient(function, mode="second_order")
    with pytest.raises(TypeError, match="expects expr to be a Function"):
        transform.gradient(x)
    with pytest.raises(relay.DiagnosticError, match="sizes|known"):
        y = relay.var("y", shape=(1, 2, relay.Any(), 5), dtype=F64)
        transform.gradient(relay.Function([y], relay.nn.conv2d(y, relay.const(
            np.ones((3, 2, 3, 3))))))
