"""Analyses of networks: sizes, parts, and values between functions."""

from __future__ import annotations

import math
from typing import Any, Mapping, Sequence

from .._errors import DiagnosticError
from . import expr as _expr, ty
from .._arguments import expect_int, expect_mapping, expect_names
from ._core import core
from .expr import Expr, Function, GlobalVar
from .module import IRModule, expect_module


def _root(expr: Any) -> Expr:
    return expr["main"] if isinstance(expr, IRModule) else core.to_expr(expr)


def check_constant(expr: Any) -> bool:
    """Whether an expression is a constant, or a tuple of such."""
    node = core.to_expr(expr)
    if isinstance(node, core.Tuple):
        return all(map(check_constant, node.fields))
    return isinstance(node, core.Constant)


def count_layers(expr: Any, valid_ops: Sequence[str]) -> int:
    """How many operators of the names `valid_ops` there are on the longest chain
    from an input to the result of an expression, or of @main of a module."""
    names = set(expect_names(valid_ops, "valid_ops"))
    counts: dict[Expr, int] = {}
    root = _root(expr)
    for node in core.post_order(root):
        below = max((counts[child] for child in core.children(node)), default=0)
        is_layer = isinstance(node, core.Call) and isinstance(
            node.op, core.Op) and node.op.name in names
        counts[node] = below + is_layer
    return counts[root]


def _shape(node: Expr) -> tuple[int, ...]:
    type_ = node._checked_type
    if type_ is None:
        raise ValueError("expects an expression whose types have been inferred")
    if not isinstance(type_, ty.TensorType):
        raise TypeError(f"expects a tensor, but got one of type {type_}")
    return type_.concrete_shape


def _convolution_macs(call: Any) -> int:
    data = _shape(call.args[0])
    layout = call.attrs.data_layout
    channels = math.prod(data[i] for i, letter in
                         enumerate(c for c in layout if c.isalpha()) if letter in "Cc")
    kernel = call.attrs.kernel_size
    if kernel is None:
        letters = [c for c in call.attrs.kernel_layout if c.isalpha()]
        kernel = [size for letter, size in zip(letters, _shape(call.args[1]))
                  if letter in "DHW"]
    if channels % call.attrs.groups:
        raise ValueError(f"expects a number of channels that is divisible by "
                         f"{call.attrs.groups} groups, but got {channels}")
    return math.prod(_shape(call)) * math.prod(kernel) * (channels // call.attrs.groups)


def _matmul_macs(call: Any) -> int:
    data = _shape(call.args[0])
    depth = data[-2] if call.attrs.get("transpose_a") else data[-1]
    return math.prod(_shape(call)) * depth


_MACS = {
    "nn.conv2d": _convolution_macs, "nn.conv2d_transpose": _convolution_macs,
    "nn.dense": _matmul_macs, "nn.batch_matmul": _matmul_macs,
}


def get_total_mac_number(expr: Any) -> int:
    """The multiplications, each with an addition, of all nn.conv2d,
    nn.conv2d_transpose, nn.dense and nn.batch_matmul of a typed expression. Raises
    ValueError before type inference, TypeError for unknown sizes."""
    total = 0
    for node in core.post_order(_root(expr)):
        if isinstance(node, core.Call) and isinstance(node.op, core.Op):
            count = _MACS.get(node.op.name)
            total += count(node) if count is not None else 0
    return total


def search_fc_transpose(expr: Any) -> list[str]:
    """The names of variables `w` in nn.dense(_, transpose(w)), in the order of the
    program."""
    from .analysis import _pre_order

    names = []
    for node in _pre_order(_root(expr)):
        if not (isinstance(node, core.Call) and isinstance(node.op, core.Op) and
                node.op.name == "nn.dense"):
            continue
        weight = node.args[1]
        if isinstance(weight, core.Call) and isinstance(weight.op, core.Op) and \
                weight.op.name == "transpose" and isinstance(weight.args[0], core.Var):
            names.append(weight.args[0].name_hint)
    return names


def extract_fused_functions(mod: IRModule) -> dict[GlobalVar, Function]:
    """The functions that fusion makes of @main, each a kernel."""
    from .transform import _run

    fused = _run(mod, "builtin.module(func.func(relay-simplify-inference),relay-fuse-ops)")
    return {var: function for var, function in fused.functions.items()
            if dict(function._attrs).get("Primitive")}


def extract_intermdeiate_expr(mod: IRModule, expr_id: int) -> IRModule:
    """A module whose @main computes the call, tuple or field with a number in @main
    of `mod`: those that are printed as %NUMBER count, and those that are printed
    where they are used."""
    expect_int(expr_id, "expr_id")
    nodes = [node for node in core.post_order(expect_module(mod)["main"])
             if isinstance(node, (core.Call, core.Tuple, core.TupleGetItem))]
    if not 0 <= expr_id < len(nodes):
        raise ValueError(f"expects the number of one of {len(nodes)} expressions, but got "
                         f"{expr_id}")
    return IRModule.from_expr(nodes[expr_id])


def _recorded(function: Function,
              mod: IRModule) -> tuple[list[tuple[GlobalVar, int, int]], Function]:
    """Calls of functions for other compilers, as (function, number of inputs, number
    of outputs), and the function that returns all of these values."""
    calls: list[tuple[GlobalVar, int, int]] = []
    values: list[Expr] = []
    for node in core.post_order(function.body):
        if not isinstance(node, core.Call) or not isinstance(node.op, core.GlobalVar):
            continue
        callee = mod[node.op]
        if not dict(callee._attrs).get("Compiler"):
            continue
        if any(node.op == var for var, _, _ in calls):
            raise DiagnosticError(f"expects functions that are called once, but "
                                  f"@{node.op.name_hint} is called again")
        type_ = node.checked_type
        outputs: list[Expr] = [node]
        if isinstance(type_, ty.TupleType):
            outputs = [_expr.TupleGetItem(node, i) for i in range(len(type_.fields))]
        for arg in node.args:
            if isinstance(arg.checked_type, ty.TupleType):
                raise DiagnosticError("expects functions of tensors, but an argument of "
                                      f"@{node.op.name_hint} is a tuple")
        calls.append((node.op, len(node.args), len(outputs)))
        values += [*node.args, *outputs]
    return calls, _expr.Function(function.params, _expr.Tuple(values), None,
                                 function.type_params, dict(function._attrs))


def get_calibration_data(mod: IRModule,
                         data: Mapping[str, Any]) -> dict[GlobalVar, dict[str, list[Any]]]:
    """Runs @main of a typed module on `data` (values by name) and returns for each
    function with the attribute Compiler that it calls the "inputs" and "outputs".

    Such a function takes tensors, and is called once; branches and loops are not
    looked into. Raises DiagnosticError.
    """
    from .executor import create_executor
    from .transform import infer_types

    data = expect_mapping(data, "data")
    mod = infer_types(mod)
    calls, main = _recorded(mod["main"], mod)
    program = IRModule({var: f.without_attr("Compiler") for var, f in mod.functions.items()},
                       mod.type_definitions)
    program["main"] = main
    values = list(create_executor("debug", mod=program).evaluate()(**dict(data)))
    result = {}
    for var, num_inputs, num_outputs in calls:
        result[var] = {"inputs": values[:num_inputs],
                       "outputs": values[num_inputs:num_inputs + num_outputs]}
        del values[:num_inputs + num_outputs]
    return result


__all__ = [
    "check_constant", "count_layers", "extract_fused_functions", "extract_intermdeiate_expr",
    "get_calibration_data", "get_total_mac_number", "search_fc_transpose",
]
