"""An LSTM, unrolled: a closure for the cell of each step, bound by lets."""

from __future__ import annotations

from typing import Any

from .. import op, ty
from ..analysis import free_vars
from ..expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from ..scope_builder import ScopeBuilder
from .init import create_workload


def lstm_cell(num_hidden: int, batch_size: int = 1, dtype: Any = "float32", name: str = "") -> Any:
    """The function of a cell: (input, (hidden, memory), weights and biases) to
    (output, (hidden, memory))."""
    builder = ScopeBuilder()
    state_type = ty.TensorType((batch_size, num_hidden), dtype)
    weight_type = ty.TensorType((4 * num_hidden, num_hidden), dtype)
    bias_type = ty.TensorType((4 * num_hidden,), dtype)
    inputs = Var("inputs", state_type)
    states = Var("states", ty.TupleType([state_type, state_type]))
    i2h_weight, i2h_bias = Var("i2h_weight", weight_type), Var("i2h_bias", bias_type)
    h2h_weight, h2h_bias = Var("h2h_weight", weight_type), Var("h2h_bias", bias_type)

    def let(label: str, value: Any) -> Any:
        return builder.let(f"{name}{label}", value)

    def linear(label: str, data: Expr, weight: Any, bias: Any) -> Any:
        dense = let(f"{label}_dense", op.nn.dense(data, weight, units=4 * num_hidden))
        return let(label, op.nn.bias_add(dense, bias, axis=-1))

    i2h = linear("i2h", inputs, i2h_weight, i2h_bias)
    h2h = linear("h2h", TupleGetItem(states, 0), h2h_weight, h2h_bias)
    gates = let("gates", op.add(i2h, h2h))
    slices = let("slice", op.split(gates, indices_or_sections=4, axis=1).astuple())
    in_gate = let("in_gate", op.sigmoid(TupleGetItem(slices, 0)))
    forget_gate = let("forget_gate", op.sigmoid(TupleGetItem(slices, 1)))
    transform = let("in_transform", op.tanh(TupleGetItem(slices, 2)))
    out_gate = let("out_gate", op.sigmoid(TupleGetItem(slices, 3)))
    memory = let("next_c", op.add(op.multiply(forget_gate, TupleGetItem(states, 1)),
                                  op.multiply(in_gate, transform)))
    hidden = let("next_h", op.multiply(out_gate, op.tanh(memory)))
    builder.ret(Tuple([hidden, Tuple([hidden, memory])]))
    params = [inputs, states, i2h_weight, i2h_bias, h2h_weight, h2h_bias]
    result_type = ty.TupleType([state_type, ty.TupleType([state_type, state_type])])
    return Function(params, builder.get(), result_type)


def get_net(iterations: int, num_hidden: int, batch_size: int = 1,
            dtype: Any = "float32") -> Function:
    """The network of `iterations` steps; each has an input "data" and weights of
    its own."""
    builder = ScopeBuilder()
    state_type = ty.TensorType((batch_size, num_hidden), dtype)
    weight_type = ty.TensorType((4 * num_hidden, num_hidden), dtype)
    bias_type = ty.TensorType((4 * num_hidden,), dtype)
    zeros = builder.let("zeros", op.zeros((batch_size, num_hidden), dtype))
    states = builder.let("init_states", Tuple([zeros, zeros]))
    out = None
    for i in range(iterations):
        args = [Var("data", state_type), states]
        for part in ("i2h", "h2h"):
            args.append(Var(f"{part}_{i}_weight", weight_type))
            args.append(Var(f"{part}_{i}_bias", bias_type))
        cell = builder.let(f"cell_{i}", lstm_cell(num_hidden, batch_size, dtype, f"lstm_{i}_"))
        call = builder.let(f"call_{i}", Call(cell, args))
        out = builder.let(f"out_{i}", TupleGetItem(call, 0))
        states = builder.let(f"states_{i}", TupleGetItem(call, 1))
    builder.ret(out)
    body = builder.get()
    return Function(free_vars(body), body)


def get_workload(iterations: int, num_hidden: int, batch_size: int = 1,
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(iterations, num_hidden, batch_size, dtype))
