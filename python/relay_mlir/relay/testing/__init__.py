"""Models and helpers for tests: `relay.testing.resnet.get_workload()`."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from .. import transform, ty
from ..._arguments import expect_callable
from .._core import core
from ..expr import Expr, Function, Op, numpy_dtype
from ..module import IRModule
from ..prelude import Prelude
from . import (dcgan, densenet, dqn, gradients, inception_v3, init, layers, lstm, mlp, mobilenet, nat,
               py_converter, resnet, resnet_3d, squeezenet, synthetic, temp_op_attr, vgg)
from .gradients import check_grad
from .init import create_workload
from .nat import count, make_nat_expr, make_nat_value
from .py_converter import run_as_python, to_python
from .temp_op_attr import TempOpAttr


def run_infer_type(expr: Any) -> Any:
    """Returns an expression with its types."""
    return transform.infer_expr(expr)


def run_opt_pass(expr: Any, opt_pass: Any, import_prelude: bool = False) -> Any:
    """Runs a pass, or several, on an expression; returns @main, or its body if the
    expression is no function."""
    passes = opt_pass if isinstance(opt_pass, list) else [opt_pass]
    for one in passes:
        expect_callable(one, "opt_pass")
    mod = IRModule.from_expr(expr)
    if import_prelude:
        mod.import_from_std("prelude.rly")
    mod = transform.InferType()(mod)
    with transform.PassContext(opt_level=10):
        for one in passes:
            mod = one(mod)
    return mod["main"] if isinstance(expr, Function) else mod["main"].body


def rand(dtype: Any = "float32", *shape: Any) -> Any:
    """A random array."""
    return np.asarray(np.random.rand(*shape)).astype(numpy_dtype(dtype))


def count_ops(expr: Expr) -> collections.Counter[str]:
    """How often each operator is called in an expression, by name; a call that is used
    several times counts once."""
    return collections.Counter(node.op.name for node in core.post_order(expr)
                               if isinstance(node, core.Call) and isinstance(node.op, Op))


__all__ = [
    "Prelude", "TempOpAttr", "check_grad", "count", "count_ops", "create_workload", "dcgan",
    "densenet", "dqn", "gradients", "inception_v3", "init", "layers",
    "lstm", "make_nat_expr", "make_nat_value", "mlp", "mobilenet", "nat", "py_converter",
    "rand", "resnet",
    "resnet_3d", "run_as_python", "run_infer_type", "run_opt_pass", "squeezenet", "synthetic",
    "temp_op_attr", "to_python", "vgg",
]
