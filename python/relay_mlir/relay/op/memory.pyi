# Written by relay_mlir.relay.op._stubs.
from typing import Any, Callable, Sequence

from relay_mlir.relay.expr import Call, Expr, ExprLike, Tuple, TupleWrapper

__all__ = [
    "alloc_storage",
    "alloc_tensor",
    "flatten_tuple_type",
    "from_tuple_type",
    "kill",
    "to_tuple_type",
]

def alloc_storage(size: ExprLike, shape: Any, alignment: Any, device: Any, dtype_hint: str = ...) -> Call: ...
def alloc_tensor(storage: ExprLike, offset: ExprLike, shape: Any, dtype: Any = ..., assert_shape: Any = ...) -> Call: ...
def flatten_tuple_type(type_: Any) -> Any: ...
def from_tuple_type(type_: Any, expr: Any) -> Any: ...
def kill(to_free: ExprLike) -> Call: ...
def to_tuple_type(type_: Any, exprs: Any) -> Any: ...
