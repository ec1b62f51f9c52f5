"""What programs written for TVM know as `tvm.ir`."""

from __future__ import annotations

import importlib
from typing import Any

from . import instrument, transform
from .adt import Constructor, TypeData
from .attrs import Attrs, DictAttrs, make_node
from .env_func import EnvFunc
from .expr import Expr as BaseExpr, GlobalVar, Op, RelayExpr, Span
from .module import IRModule
from .pass_manager import PassContext
from .serialization import load_json, save_json
from .structural import assert_structural_equal, structural_equal, structural_hash
from .ty import (FuncType, GlobalTypeVar, IncompleteType, RelayRefType, TensorType, TupleType,
                 Type, TypeCall, TypeKind, TypeVar)

# Containers are those of Python, of which attributes are made as they are of TVM's.
Array = list
Map = dict
Node = object

# Where everything else is that is Relay's.
_ELSEWHERE = ("relay_mlir.relay.op.op", "relay_mlir.relay.base", "relay_mlir.relay")


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        for module_name in _ELSEWHERE:
            try:
                module = importlib.import_module(module_name)
            except ModuleNotFoundError:
                continue
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Array", "Attrs", "BaseExpr", "Constructor", "DictAttrs", "EnvFunc", "FuncType",
    "GlobalTypeVar", "GlobalVar", "IRModule", "IncompleteType", "Map", "Node", "Op",
    "PassContext", "RelayExpr", "RelayRefType", "Span", "TensorType", "TupleType", "Type",
    "TypeCall", "TypeData", "TypeKind", "TypeVar", "assert_structural_equal", "instrument",
    "load_json", "make_node", "save_json", "structural_equal", "structural_hash", "transform",
]
