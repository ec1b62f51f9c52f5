"""Passes on graphs of operators: which are combined, and what is computed together."""

from __future__ import annotations

from . import expr as _expr, transform as _transform
from .._arguments import expect_int, expect_text
from .expr_functor import ExprMutator
from .module import IRModule
from .op import _registry
from .pass_manager import FunctionPass, ModulePass, Pass, PassContext, PassInfo, Sequential


def _function_pass(name: str, opt_level: int, *passes: str) -> Pass:
    pipeline = f"builtin.module(func.func({','.join(passes)}))"
    return FunctionPass(lambda mod, context: _transform._run(mod, pipeline),
                        PassInfo(name, opt_level))


#===------------------------------------------------------------------------===#
# Parallel branches
#===------------------------------------------------------------------------===#


def _branches(min_num_branches: int) -> str:
    return f"min-num-branches={expect_int(min_num_branches, 'min_num_branches', 0, 2**31)}"


def CombineParallelConv2D(min_num_branches: int = 3) -> Pass:  # pylint: disable=invalid-name
    """Computes nn.conv2d of the same data, with weights of the same size and one group,
    by one whose weights are those of all, if there are `min_num_branches`; so are
    elementwise operators that follow in each branch."""
    return _function_pass("CombineParallelConv2d", 4,
                          f"relay-combine-parallel-conv2d{{{_branches(min_num_branches)}}}")


def CombineParallelDense(  # pylint: disable=invalid-name
        min_num_branches: int = 3, to_batch: bool = True) -> Pass:
    """Computes nn.dense of the same data at once, if there are `min_num_branches`: with
    `to_batch` those whose weights have one shape by nn.batch_matmul, otherwise by one
    nn.dense with the weights of all."""
    if to_batch:
        return _op_batch("CombineParallelDense", "nn.dense", "nn.batch_matmul",
                         min_num_branches, "attributes=transpose_b=true ")
    return _function_pass("CombineParallelDense", 4,
                          f"relay-combine-parallel-dense{{{_branches(min_num_branches)}}}")


def CombineParallelBatchMatmul(  # pylint: disable=invalid-name
        min_num_branches: int = 3) -> Pass:
    """Computes nn.batch_matmul of the same data by one, whose second operand is those of
    all, if there are `min_num_branches`."""
    return _function_pass("CombineParallelBatchMatmul", 4,
                          f"relay-combine-parallel-batch-matmul{{{_branches(min_num_branches)}}}")


def _op_batch(name: str, op_name: str, batch_op_name: str, min_num_branches: int,
              more: str = "") -> Pass:
    branches = _branches(min_num_branches)
    for operator in (op_name, batch_op_name):
        _registry.get(expect_text(operator, "the name of an operator"))
    return _function_pass(name, 4, f"relay-combine-parallel-op-batch{{op={op_name} "
                                   f"batch-op={batch_op_name} {more}{branches}}}")


def CombineParallelOpBatch(  # pylint: disable=invalid-name
        op_name: str, batch_op_name: str, min_num_branches: int = 3) -> Pass:
    """Computes calls of `op_name` on the same data, with operands of equal types, by one
    `batch_op_name` on stacks of these, if there are `min_num_branches`."""
    return _op_batch("CombineParallelOpBatch", op_name, batch_op_name, min_num_branches)


def BatchingOps() -> Pass:  # pylint: disable=invalid-name
    """Combines parallel operators of all kinds."""
    return Sequential([CombineParallelConv2D(), CombineParallelDense(),
                       CombineParallelBatchMatmul()], name="BatchingOps")


#===------------------------------------------------------------------------===#
# Groups of operators
#===------------------------------------------------------------------------===#


def FuseOps(fuse_opt_level: int = -1) -> Pass:  # pylint: disable=invalid-name
    """Makes functions with the attribute Primitive of the operators that one kernel
    computes, at the place where they are called. `fuse_opt_level` is the level of the
    context if it is -1; at 0 each operator has a function of its own.

    The context's options relay.FuseOps.max_depth (256) and relay.FuseOps.link_params
    (False) say how many operators a function may have, and whether it has its
    constants inside."""
    level = expect_int(fuse_opt_level, "fuse_opt_level", -1)

    def run(mod: IRModule, context: PassContext) -> IRModule:
        merge = (context.opt_level if level < 0 else level) > 0
        options = {"merge": _transform._flag(merge), "rows": "false",
                   "max-depth": int(context.config.get("relay.FuseOps.max_depth", 256)),
                   "link-params": _transform._flag(
                       context.config.get("relay.FuseOps.link_params", False))}
        text = " ".join(f"{name}={value}" for name, value in options.items())
        fused = _transform._run(mod, f"builtin.module(relay-fuse-ops{{{text}}})")
        return _with_literals(fused, {var.name_hint for var in mod.functions})

    return FunctionPass(run, PassInfo("FuseOps", 0))


def _with_literals(mod: IRModule, kept: set[str]) -> IRModule:
    """The module with its primitive functions where they are called, but those of the
    names `kept`."""
    groups = {var: function for var, function in mod.functions.items()
              if var.name_hint not in kept and dict(function._attrs).get("Primitive")}
    literals = _Literals(groups)
    result = mod.shallow_copy()
    for var, function in mod.functions.items():
        if var in groups:
            del result.functions[var]
        else:
            result.functions[var] = literals.visit(function)
    return _transform.infer_types(result)


class _Literals(ExprMutator):
    """Puts functions where their names are."""

    def __init__(self, functions: dict[_expr.GlobalVar, _expr.Function]) -> None:
        super().__init__()
        self._functions = functions

    def visit_global_var(self, gvar: _expr.GlobalVar) -> _expr.Expr:
        function = self._functions.get(gvar)
        if function is None:
            return gvar
        params = [_expr.Var(f"p{i}", param.type_annotation)
                  for i, param in enumerate(function.params)]
        body = _expr.bind(function.body, dict(zip(function.params, params)))
        return _expr.Function(params, body, function.ret_type, function.type_params,
                              dict(function._attrs))


def DefuseOps() -> Pass:  # pylint: disable=invalid-name
    """Puts the operators of functions that FuseOps made, and of function literals that
    are called, back to where they are called."""
    return FunctionPass(lambda mod, context: _transform._run(
        mod, "builtin.module(relay-defuse-ops)"), PassInfo("DefuseOps", 3))


def LabelOps() -> Pass:  # pylint: disable=invalid-name
    """Gives functions with the attribute Primitive a `hash` of what they compute, and the
    layouts of their operators."""
    return FunctionPass(lambda mod, context: _transform._run(
        mod, "builtin.module(relay-label-ops)"), PassInfo("LabelOps", 1))


def SplitArgs(max_function_args: int) -> Pass:  # pylint: disable=invalid-name
    """Computes concatenations that would need more than `max_function_args` tensors, with
    their result, in parts that are not fused; 0 changes nothing."""
    count = expect_int(max_function_args, "max_function_args", 0, 2**31)
    if count in (1, 2):
        raise ValueError(f"expects max_function_args to be 0, or at least 3, but got {count}")
    return _function_pass("SplitArgs", 1, f"relay-split-args{{max-function-args={count}}}")


#===------------------------------------------------------------------------===#
# Convolutions
#===------------------------------------------------------------------------===#


def FoldExplicitPadding() -> Pass:  # pylint: disable=invalid-name
    """Lets convolutions and pools pad their data themselves, where an nn.pad before them
    adds what counts for nothing."""
    return _function_pass("FoldExplicitPadding", 0, "relay-fold-explicit-padding")


def FlattenAtrousConv() -> Pass:  # pylint: disable=invalid-name
    """Makes one convolution with dilation of nn.space_to_batch_nd, a convolution and
    nn.batch_to_space_nd."""
    return _function_pass("FlattenAtrousConv", 0, "relay-flatten-atrous-conv")


#===------------------------------------------------------------------------===#
# Scales, casts
#===------------------------------------------------------------------------===#


def BackwardFoldScaleAxis() -> Pass:  # pylint: disable=invalid-name
    """Multiplies the weights whose products are multiplied by scales of channels."""
    return _function_pass("BackwardFoldScaleAxis", 3, "relay-fold-scale-axis{forward=false}")


def ForwardFoldScaleAxis() -> Pass:  # pylint: disable=invalid-name
    """Multiplies the weights that are multiplied with scaled channels."""
    return _function_pass("ForwardFoldScaleAxis", 3, "relay-fold-scale-axis{backward=false}")


def CanonicalizeCast() -> Pass:  # pylint: disable=invalid-name
    """Gives each elementwise reader of a cast to a wider type a cast of its own, so that
    it is fused with that."""
    return _function_pass("CanonicalizeCast", 3, "relay-canonicalize-cast")


__all__ = [
    "BackwardFoldScaleAxis", "BatchingOps", "CanonicalizeCast", "CombineParallelBatchMatmul",
    "CombineParallelConv2D", "CombineParallelDense", "CombineParallelOpBatch", "DefuseOps",
    "FlattenAtrousConv", "FoldExplicitPadding", "ForwardFoldScaleAxis", "FuseOps", "LabelOps", "SplitArgs",
]
