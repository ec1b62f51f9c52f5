"""Checks of gradients by differences of values."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .. import executor, transform, ty
from ..._arguments import expect, expect_list, expect_number, wrong
from ..expr import Function, numpy_dtype


def random_input(type_: ty.TensorType, scale: float = 1, mean: float = 0) -> Any:
    """An array of a tensor type, of normally distributed numbers."""
    values = mean + scale * np.random.randn(*type_.concrete_shape)
    return np.asarray(values).astype(numpy_dtype(type_.dtype))


def _total(value: Any) -> Any:
    """The sum of all floats of a result, in float64."""
    if isinstance(value, tuple):
        return sum(_total(field) for field in value)
    array = np.asarray(value)
    return array.astype("float64").sum() if array.dtype.kind == "f" else 0.0


def _arrays(values: Any, name: str) -> list[Any]:
    result = expect_list(values, name, "arrays")
    for value in result:
        if not isinstance(value, (np.ndarray, np.generic)):
            raise wrong(f"each of {name}", "an array of NumPy", value)
    return result


def check_grad(func: Function, inputs: Sequence[Any] | None = None,
               test_inputs: Sequence[Any] | None = None, eps: float = 1e-6,
               atol: float = 1e-5, rtol: float = 1e-3, scale: float | None = None,
               mean: float = 0, mode: str = "higher_order", target_devices: Any = None,
               executor_kind: str = "debug") -> None:
    """Compares the gradients of a function with differences of what it computes.

    `inputs` are arrays for the parameters; by default normally distributed numbers around
    `mean`, times `scale` (10 * `eps` if it is None). The gradients of those that are among
    `test_inputs`, by default of all that are of floats, are compared with
    (f(x + eps) - f(x - eps)) / (2 * eps) for each element, within `atol` and `rtol`. `mode`
    is that of relay.transform.gradient. `executor_kind` is one of create_executor; all run
    on the host, so `target_devices` has no meaning.

    Raises AssertionError if a gradient is another one.
    """
    del target_devices
    eps, atol, rtol = expect_number(eps, "eps"), expect_number(atol, "atol"), expect_number(rtol, "rtol")
    if eps <= 0:
        raise ValueError(f"expects eps to be positive, but got {eps}")
    if atol < 0 or rtol < 0:
        raise ValueError(f"expects atol and rtol to be 0 or more, but got {atol} and {rtol}")
    forward = transform.infer_expr(expect(func, Function, "func", "a Function"))
    backward = transform.gradient(forward, mode=mode)
    if inputs is None:
        factor = 10 * eps if scale is None else expect_number(scale, "scale")
        if factor < 0:
            raise ValueError(f"expects scale to be 0 or more, but got {scale}")
        types = [param.checked_type for param in forward.params]
        for type_ in types:
            if not isinstance(type_, ty.TensorType):
                raise ValueError(f"expects inputs for a function of {type_}, but got None")
        inputs = [random_input(type_, factor, expect_number(mean, "mean")) for type_ in types]
    arrays = _arrays(inputs, "inputs")
    # Elements change, one at a time, and not those of the caller.
    values = [np.array(value) for value in arrays]
    tested = arrays if test_inputs is None else _arrays(test_inputs, "test_inputs")
    indices = [i for i, value in enumerate(arrays)
               if np.asarray(value).dtype.kind == "f" and any(value is one for one in tested)]
    if not indices:
        raise ValueError("expects an input of floats among test_inputs, but got none")

    for index in indices:
        largest = np.max(np.abs(values[index]), initial=0)
        if not largest + np.asarray(eps, values[index].dtype) > largest:
            raise ValueError(f"expects eps to change the inputs, but {eps} is lost in numbers as "
                             f"large as {largest}")

    run = executor.create_executor(executor_kind)
    evaluate, differentiate = run.evaluate(forward), run.evaluate(backward)
    gradients = differentiate(*values)[1]
    for index in indices:
        value = values[index]
        expected = np.zeros(value.shape)
        for position in np.ndindex(*value.shape):
            before = value[position]
            value[position] = before + eps
            high, above = float(value[position]), _total(evaluate(*values))
            value[position] = before - eps
            low, below = float(value[position]), _total(evaluate(*values))
            value[position] = before
            # The step as it was rounded.
            expected[position] = (above - below) / (high - low)
        found = np.asarray(gradients[index])
        assert found.shape == value.shape and found.dtype == value.dtype
        np.testing.assert_allclose(found, expected, atol=atol, rtol=rtol,
                                   err_msg=f"of input {index}")


__all__ = ["check_grad", "random_input"]
