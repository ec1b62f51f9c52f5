# Written by relay_mlir.relay.op._stubs.
from typing import Any, Callable, Sequence

from relay_mlir.relay.expr import Call, Expr, ExprLike, Tuple, TupleWrapper

__all__ = [
    "multinomial",
    "normal",
    "threefry_generate",
    "threefry_key",
    "threefry_split",
    "uniform",
]

def multinomial(key: ExprLike, probs: ExprLike, num_samples: Any) -> TupleWrapper: ...
def normal(key: ExprLike, shape: Any, dtype: Any = ..., mean: Any = ..., scale: Any = ...) -> TupleWrapper: ...
def threefry_generate(key: ExprLike, shape: Any) -> TupleWrapper: ...
def threefry_key(seed: Any) -> Any: ...
def threefry_split(key: ExprLike) -> TupleWrapper: ...
def uniform(key: ExprLike, shape: Any, dtype: Any = ..., low: Any = ..., high: Any = ...) -> TupleWrapper: ...
