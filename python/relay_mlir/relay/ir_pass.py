"""Analyses, and passes as functions of expressions, as programs of before 2020 call them.

A pass takes an expression, a function for instance, and returns what becomes of it; `mod`
has the functions that it calls.
"""

from __future__ import annotations

from typing import Any, Callable

from . import structural, transform as _transform
from .analysis import *  # pylint: disable=wildcard-import,unused-wildcard-import
from . import analysis as _analysis
from .module import IRModule
from ._device_passes import rewrite_annotated_ops

infer_type = _transform.infer_expr
alpha_equal = structural.structural_equal
structural_hash = structural.structural_hash


def _of(make: Callable[[], _transform.Pass]) -> Callable[..., Any]:
    def run(expr: Any, mod: IRModule | None = None) -> Any:
        return _transform.run_on_expr(make(), expr, mod)

    run.__name__ = run.__qualname__ = make.__name__
    run.__doc__ = f"The expression after the pass {make.__name__}; `mod` has what it calls."
    return run


simplify_inference = _of(_transform.SimplifyInference)
canonicalize_ops = _of(_transform.CanonicalizeOps)
fold_constant = _of(_transform.FoldConstant)
dead_code_elimination = _of(_transform.DeadCodeElimination)
to_a_normal_form = _of(_transform.ToANormalForm)
to_graph_normal_form = _of(_transform.ToGraphNormalForm)
partial_evaluate = _of(_transform.PartialEvaluate)
forward_fold_scale_axis = _of(_transform.ForwardFoldScaleAxis)
backward_fold_scale_axis = _of(_transform.BackwardFoldScaleAxis)
combine_parallel_conv2d = _of(_transform.CombineParallelConv2D)
eliminate_common_subexpr = _of(_transform.EliminateCommonSubexpr)


def fuse_ops(expr: Any, opt_level: int = 1, mod: IRModule | None = None) -> Any:
    """The expression with its operators in primitive functions; with `opt_level` 0 one in
    each."""
    return _transform.run_on_expr(_transform.FuseOps(opt_level), expr, mod)


__all__ = [
    *_analysis.__all__, "alpha_equal", "backward_fold_scale_axis", "canonicalize_ops",
    "combine_parallel_conv2d", "dead_code_elimination", "eliminate_common_subexpr",
    "fold_constant", "forward_fold_scale_axis", "fuse_ops", "infer_type", "partial_evaluate",
    "rewrite_annotated_ops", "simplify_inference", "structural_hash", "to_a_normal_form",
    "to_graph_normal_form",
]
