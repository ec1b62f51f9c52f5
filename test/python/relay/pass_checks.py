"""What tests of passes share: results before and after, and which operators there are."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from relay_mlir import relay
from relay_mlir.relay import analysis, transform


def module(result: relay.Expr, *others: relay.Expr) -> relay.IRModule:
    """A typed module that computes one expression, or a tuple of several."""
    body = relay.Tuple([result, *others]) if others else result
    return transform.InferType()(relay.IRModule.from_expr(
        relay.Function(analysis.free_vars(body), body)))


def arguments(mod: relay.IRModule, seed: int = 0, sizes: int = 2) -> list[np.ndarray[Any, Any]]:
    """Random arguments for @main; what is open in a shape is of `sizes`."""
    rng = np.random.default_rng(seed)
    values = []
    for param in mod["main"].params:
        type_ = param.checked_type
        assert isinstance(type_, relay.TensorType)
        shape = [size if isinstance(size, int) else sizes for size in type_.shape]
        values.append(rng.uniform(-3, 3, shape).astype(type_.dtype))
    return values


def evaluate(mod: relay.IRModule, values: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """The results of @main in the interpreter."""
    result = relay.create_executor("debug", mod).evaluate()(*values)
    return [np.asarray(field.numpy()) for field in
            (result if isinstance(result, (list, tuple)) else [result])]


def check(mod: relay.IRModule, pass_: transform.Pass, rtol: float = 0.0, atol: float = 0.0,
          values: Sequence[Any] | None = None) -> relay.IRModule:
    """Runs a pass, compares the results of @main before and after, and returns the new
    module."""
    values = arguments(mod) if values is None else values
    after = pass_(mod)
    assert after["main"].checked_type == mod["main"].checked_type
    for new, old in zip(evaluate(after, values), evaluate(mod, values), strict=True):
        assert new.dtype == old.dtype
        np.testing.assert_allclose(new, old, rtol=rtol, atol=atol)
    return after


def operators(mod: relay.IRModule) -> dict[str, int]:
    """How often @main, and functions in it, call each operator."""
    return analysis.list_op_freqs(mod["main"])


def assert_becomes(mod: relay.IRModule, pass_: transform.Pass, expected: relay.Expr,
                   rtol: float = 0.0, atol: float = 0.0) -> None:
    """Runs a pass whose result is to be a module that computes `expected`."""
    after = check(mod, pass_, rtol, atol)
    params = analysis.free_vars(expected)
    order = {param.name_hint: i for i, param in enumerate(mod["main"].params)}
    params.sort(key=lambda param: order[param.name_hint])
    want = transform.InferType()(relay.IRModule.from_expr(relay.Function(params, expected)))
    relay.assert_structural_equal(after["main"], want["main"])
