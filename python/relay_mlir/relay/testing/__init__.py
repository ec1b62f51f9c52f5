"""Models and helpers for tests: `relay.testing.resnet.get_workload()`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import transform
from ..expr import Function
from ..module import IRModule
from . import (dcgan, densenet, dqn, inception_v3, init, layers, lstm, mlp, mobilenet, nat, resnet,
               resnet_3d, squeezenet, synthetic, vgg)
from .init import create_workload
from .nat import count, make_nat_expr, make_nat_value


def run_infer_type(expr: Any) -> Any:
    """Returns an expression with its types."""
    return transform.infer_expr(expr)


def run_opt_pass(expr: Any, opt_pass: Any, import_prelude: bool = False) -> Any:
    """Runs a pass, or several, on an expression; returns @main, or its body if the
    expression is no function."""
    passes = opt_pass if isinstance(opt_pass, list) else [opt_pass]
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
    return np.random.rand(*shape).astype(dtype)


__all__ = [
    "count", "create_workload", "dcgan", "densenet", "dqn", "inception_v3", "init", "layers",
    "lstm", "make_nat_expr", "make_nat_value", "mlp", "mobilenet", "nat", "rand", "resnet",
    "resnet_3d", "run_infer_type", "run_opt_pass", "squeezenet", "synthetic", "vgg",
]
