# Written by relay_mlir.relay.op._stubs.
from typing import Any, Callable, Sequence

from relay_mlir.relay.expr import Call, Expr, ExprLike, Tuple, TupleWrapper

__all__ = [
    "invoke_tvm_op",
    "reshape_tensor",
    "shape_func",
    "shape_of",
]

def invoke_tvm_op(func: Any, inputs: Any, outputs: Any) -> Call: ...
def reshape_tensor(data: ExprLike, shape: Any, newshape: Any) -> Call: ...
def shape_func(func: Any, inputs: Any, outputs: Any, is_inputs: Sequence[bool]) -> Call: ...
def shape_of(expr: Any) -> Call: ...
