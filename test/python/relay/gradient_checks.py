"""What tests of gradients share: gradients against differences of values."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from relay_mlir import relay
from relay_mlir.relay import transform

F64, I32 = "float64", "int32"
MODES = ["first_order", "higher_order"]
# Central differences in float64: the step that balances rounding and curvature, and what
# is left then, of values of the order of 1.
STEP = 1e-5
ATOL, RTOL = 1e-7, 1e-6
# Operands with more elements are changed in so many random directions.
DIRECTIONS = 4


def var(name, *shape, dtype=F64):
    return relay.var(name, shape=shape, dtype=dtype)


def parse(text, *imports):
    """A module of Relay text, with types."""
    mod = relay.IRModule()
    for name in imports:
        mod.import_from_std(name)
    return transform.InferType()(relay.parse('#[version = "0.0.5"]\n' + text, init_module=mod))


def values(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 2, shape) for shape in shapes]


def operators(expr):
    return relay.analysis.list_op_freqs(expr)


def reals(*shape, low=-2.0, high=2.0, seed=0):
    """Random numbers, none of which is near to a whole number or to another one: functions
    have corners there."""
    rng = np.random.default_rng([seed, *shape])
    values = rng.permutation(np.linspace(low, high, int(np.prod(shape)) + 2)[1:-1] + 1.234e-3)
    return values.reshape(shape)


def indices(*shape, below, seed=0):
    return np.random.default_rng(seed).integers(0, below, shape).astype(I32)


def flatten(value: Any) -> list[Any]:
    """The tensors of a result."""
    if isinstance(value, tuple):
        return [leaf for field in value for leaf in flatten(field)]
    return [np.asarray(value)]


def run(function: relay.Function, values: Sequence[Any], mod: Any = None) -> Any:
    return relay.create_executor("debug", mod).evaluate(function)(*values)


def total(result: Any) -> float:
    return sum(float(leaf.sum()) for leaf in flatten(result) if leaf.dtype.kind == "f")


def weigh(expr: Any, type_: Any, rng: Any) -> Any:
    """Floats times random numbers, so that their gradients differ; others as they are."""
    if isinstance(type_, relay.TupleType):
        fields = [weigh(relay.TupleGetItem(expr, i), field, rng)
                  for i, field in enumerate(type_.fields)]
        return relay.Tuple([field for field in fields if field is not None])
    if not type_.dtype.startswith("float"):
        return None
    shape = [size if isinstance(size, int) else 1 for size in type_.shape]
    return expr * relay.const(rng.uniform(0.5, 1.5, shape), type_.dtype)


def compare(function: relay.Function, values: Sequence[Any], mode: str,
            atol: float = ATOL, rtol: float = RTOL, mod: Any = None) -> list[Any]:
    """Checks the gradients by all float arguments of a function of float64, and returns
    them."""
    function = transform.infer_expr(function, mod)
    gradient = transform.gradient(function, mod, mode)
    before = flatten(run(function, values, mod))
    result, gradients = run(gradient, values, mod)
    for old, new in zip(before, flatten(result), strict=True):
        np.testing.assert_array_equal(old, new)
    # A tuple of parameters is a tuple of gradients.
    assert len(gradients) == len(values)
    rng = np.random.default_rng(0)
    for i, value in enumerate(values):
        found = np.asarray(gradients[i])
        assert found.dtype == value.dtype and found.shape == np.shape(value)
        if value.dtype.kind != "f":
            assert not found.any()
            continue
        for direction in directions(np.shape(value), rng):
            changed = list(values)
            changed[i] = value + STEP * direction
            above = total(run(function, changed, mod))
            changed[i] = value - STEP * direction
            below = total(run(function, changed, mod))
            expected = (above - below) / (2 * STEP)
            np.testing.assert_allclose((found * direction).sum(), expected, atol=atol,
                                       rtol=rtol, err_msg=f"by parameter {i}")
    return [np.asarray(gradient) for gradient in gradients]


def directions(shape: Sequence[int], rng: Any) -> Any:
    size = int(np.prod(shape))
    if size > 24:
        return [rng.standard_normal(shape) for _ in range(DIRECTIONS)]
    return [unit.reshape(shape) for unit in np.eye(size)]


def check_operator(build: Callable[..., Any], values: Sequence[Any], mode: str,
                   dynamic: Sequence[int] = (), **tolerances: float) -> list[Any]:
    """Checks an operator on arguments. Dimension 0 of those of `dynamic` is open."""
    params = []
    for i, value in enumerate(values):
        shape = list(value.shape)
        if i in dynamic:
            shape[0] = relay.Any()
        params.append(relay.var(f"x{i}", shape=shape, dtype=str(value.dtype)))
    expr = build(*params)
    expr = expr.astuple() if isinstance(expr, relay.TupleWrapper) else expr
    plain = transform.infer_expr(relay.Function(params, expr))
    body = weigh(plain.body, plain.body.checked_type, np.random.default_rng(1))
    return compare(relay.Function(plain.params, body), values, mode, **tolerances)


def check_second(build: Callable[..., Any], values: Sequence[Any], **tolerances: float) -> None:
    """Checks the gradients of the gradients of the square of an operator: one that is linear
    has a second derivative then as well."""
    params = [relay.var(f"x{i}", shape=value.shape, dtype=str(value.dtype))
              for i, value in enumerate(values)]
    y = build(*params)
    first = transform.gradient(
        transform.infer_expr(relay.Function(params, y * y)), mode="first_order")
    fields = [relay.TupleGetItem(relay.TupleGetItem(first.body, 1), i)
              for i, value in enumerate(values) if value.dtype.kind == "f"]

    def gradients(*args: Any) -> Any:
        function = relay.Function(first.params, relay.Tuple(fields))
        return relay.bind(function, dict(zip(first.params, args, strict=True))).body

    check_operator(gradients, values, "first_order", (),
                   **{"atol": 1e-6, "rtol": 1e-5, **tolerances})
