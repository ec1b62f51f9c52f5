"""Gradients that programs register for operators, and their check."""

from __future__ import annotations

import numpy as np
import pytest

from gradient_checks import F64, MODES, compare, operators, run, values, var
from relay_mlir import relay
from relay_mlir.relay import transform
from relay_mlir.relay.testing import check_grad


@pytest.fixture
def registered():
    names = []

    def register(name, rule, level=10):
        relay.op.register_gradient(name, rule, level)
        names.append(name)

    yield register
    for name in names:
        relay.op.get(name).reset_attr("FPrimalGradient")


@pytest.mark.parametrize("mode", MODES)
def test_registered_gradients(mode, registered):
    seen = []

    def rule(orig, grad):
        seen.append((orig.op.name, orig.checked_type, grad.checked_type))
        # The operator's result is at hand; the constant is to be seen.
        return [grad * orig * relay.const(3.0, F64)]

    registered("exp", rule)
    x = var("x", 2)
    gradient = transform.gradient(relay.Function([x], relay.exp(x * x)), mode=mode)
    a, = values((2,))
    _, (found,) = run(gradient, [a])
    np.testing.assert_allclose(found, 3 * np.exp(a * a) * 2 * a)
    type_ = relay.TensorType((2,), F64)
    assert seen == [("exp", type_, type_)]
    # What stands for the operator meanwhile is not there any more.
    assert not any(isinstance(node, relay.GlobalVar) for node in
                   relay.analysis.all_vars(gradient)) and operators(gradient)["exp"] >= 1


@pytest.mark.parametrize("mode", MODES)
def test_registered_gradients_of_added_operators(mode, registered):
    name = f"test.cube.{mode}"
    relay.op.op.register(name)
    op = relay.op.get(name)
    op.set_num_inputs(1)
    op.add_type_rel("Identity")
    relay.op.op.register_compute(name, lambda attrs, inputs, out: [inputs[0] ** 3])
    x = var("x", 2)
    function = relay.Function([x], relay.Call(op, [relay.sin(x)]))
    with pytest.raises(relay.DiagnosticError, match=f"known, but got '{name}'"):
        transform.gradient(function, mode=mode)
    registered(name, lambda orig, grad: [grad * relay.const(3.0, F64) * orig.args[0] *
                                         orig.args[0]])
    compare(function, values((2,)), mode)


def test_gradients_of_operators_by_name(registered):
    multiply = relay.op.get("multiply").get_attr("FPrimalGradient")
    x, y, g = var("x", 2, 3), var("y", 3), var("g", 2, 3)
    typed = transform.infer_expr(relay.Function([x, y, g], relay.Tuple([x * y, g])))
    by_x, by_y = multiply(typed.body.fields[0], typed.body.fields[1])
    a, b, c = values((2, 3), (3,), (2, 3))
    found = run(relay.Function(typed.params, relay.Tuple([by_x, by_y])), [a, b, c])
    np.testing.assert_allclose(found[0], c * b)
    np.testing.assert_allclose(found[1], (c * a).sum(axis=0))
    # Of a tuple.
    split = relay.op.get("split").get_attr("FPrimalGradient")
    typed = transform.infer_expr(relay.Function(
        [x], relay.split(x, 3, axis=1).astuple()))
    grads = relay.Tuple([relay.const(np.full((2, 1), float(i))) for i in range(3)])
    whole, = split(typed.body, grads)
    np.testing.assert_array_equal(run(relay.Function(typed.params, whole), [a]),
                                  [[0, 1, 2], [0, 1, 2]])
    assert relay.op.get("vision.roi_pool").get_attr("FPrimalGradient") is None
    rule = lambda orig, grad: [grad]
    registered("exp", rule)
    assert relay.op.get("exp").get_attr("FPrimalGradient") is rule
    for wrong in [(x, g), (typed.body, "g")]:
        with pytest.raises(TypeError, match="expects (orig|grad) to be"):
            split(*wrong)


def test_registered_gradients_that_are_wrong(registered):
    x = var("x", 2)
    function = relay.Function([x], relay.exp(x))
    for result, error, message in [
            ([], ValueError, "one for each of 1 operands, but got 0"),
            (x, TypeError, "a list of expressions"),
            ([relay.const(1.0, F64)], relay.DiagnosticError, "tuple<tensor<2xf64>>|Tensor")]:
        registered("exp", lambda orig, grad, r=result: r)
        with pytest.raises(error, match=message):
            transform.gradient(function)
        relay.op.get("exp").reset_attr("FPrimalGradient")


#===------------------------------------------------------------------------===#
# check_grad
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("mode", MODES)
def test_check_grad(mode, registered):
    x, y = var("x", 2, 3), var("y", 3)
    function = relay.Function([x, y], relay.exp(x) * y)
    check_grad(function, mode=mode)
    check_grad(function, scale=1, mean=0.5, mode=mode, eps=1e-5)
    a, b = values((2, 3), (3,))
    check_grad(function, [a, b], mode=mode)
    registered("exp", lambda orig, grad: [grad * orig * relay.const(1.1, F64)])
    with pytest.raises(AssertionError, match="of input 0"):
        check_grad(function, [a, b], mode=mode)
    # The gradient by y is right.
    check_grad(function, [a, b], test_inputs=[b], mode=mode)


def test_check_grad_of_wrong_arguments():
    x = var("x", 2)
    function = relay.Function([x], x)
    with pytest.raises(TypeError, match="expects func to be a Function"):
        check_grad(x)
    with pytest.raises(TypeError, match="expects each of inputs to be an array"):
        check_grad(function, inputs=[[1.0, 2.0]])
    with pytest.raises(ValueError, match="expects eps to be positive"):
        check_grad(function, eps=0)
    with pytest.raises(ValueError, match="expects an input of floats among test_inputs"):
        check_grad(function, [np.ones(2)], test_inputs=[np.ones(2)])
    with pytest.raises(ValueError, match="expects scale to be 0 or more"):
        check_grad(function, scale=-1)
    with pytest.raises(ValueError, match="expects atol to be finite"):
        check_grad(function, atol=float("nan"))
    with pytest.raises(ValueError, match="expects atol and rtol to be 0 or more"):
        check_grad(function, rtol=-1.0)
    with pytest.raises(ValueError, match="is lost in numbers as large as"):
        check_grad(function, scale=1e20)
    with pytest.raises(ValueError, match="expects inputs for a function of"):
        t = relay.var("t", relay.TupleType([relay.TensorType((2,), F64)]))
        check_grad(relay.Function([t], relay.TupleGetItem(t, 0)))
