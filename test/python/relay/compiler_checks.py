"""What tests of programs for other compilers share."""

from typing import Any

import relay_mlir.compat as tvm
from relay_mlir import relay

transform: Any = relay.transform


def register(target, *op_names):
    """Makes operators those that `target` takes."""
    for name in op_names:
        relay.op.get(name).reset_attr(f"target.{target}")
        tvm.ir.register_op_attr(name, f"target.{target}", lambda call: True)


def module(params, body):
    """A typed module with one function."""
    return transform.InferType()(relay.IRModule.from_expr(relay.Function(params, body)))
