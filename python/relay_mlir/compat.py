"""The names under which programs written for TVM know the package.

    import relay_mlir.compat as tvm
    from relay_mlir import relay

Only what programs of Relay use: modules, devices, arrays, and `relay` itself.
"""

from __future__ import annotations

import types
from typing import Any, Sequence

import numpy as np

from . import relax, relay
from .relay import executor_factory, ir, sizes, transform
from .relay.device import Device, cpu, cuda, device, gpu
from .relay.env_func import get_global_func, register_func
from .relay.expr import NDArray, ndarray
from .relay.module import IRModule
from ._errors import DiagnosticError, Error

TVMError = Error
context = device
parser = types.SimpleNamespace(parse=relay.parse, parse_expr=relay.parse_expr,
                               fromtext=relay.fromtext)


def _array(value: Any, device: Device | None = None, ctx: Device | None = None) -> NDArray:
    """A tensor of an array; on the host, wherever it is asked for."""
    del device, ctx
    return ndarray(np.array(value))


def _empty(shape: Sequence[int], dtype: str = "float32", device: Device | None = None,
           ctx: Device | None = None) -> NDArray:
    del device, ctx
    return ndarray(np.empty(shape, dtype))


nd = types.SimpleNamespace(NDArray=NDArray, array=_array, empty=_empty, cpu=cpu, cuda=cuda,
                           gpu=gpu, device=device)
# Compiled programs, under the names of all times.
graph_executor = types.SimpleNamespace(GraphModule=executor_factory.GraphModule,
                                       create=executor_factory.create)
contrib = types.SimpleNamespace(graph_executor=graph_executor, graph_runtime=graph_executor)
runtime = types.SimpleNamespace(Module=executor_factory.ExecutorFactoryModule, NDArray=NDArray,
                                load_module=executor_factory.load_module, ndarray=nd,
                                convert=lambda value: value, vm=relay.vm)
# Symbolic sizes.
te = types.SimpleNamespace(SizeVar=sizes.SizeVar, Var=sizes.Var, size_var=sizes.size_var,
                           var=sizes.var)
tir = types.SimpleNamespace(Any=relay.Any, IntImm=sizes.IntImm, SizeVar=sizes.SizeVar,
                            Var=sizes.Var)
def _target(target: Any) -> str:
    """A target as text; "llvm" for this processor."""
    from .relay.build_module import parse_target

    parse_target(target)
    return str(target)


target = types.SimpleNamespace(
    Target=_target, make_compilation_config=relay.collage.make_compilation_config)
testing = types.SimpleNamespace(assert_allclose=np.testing.assert_allclose)
error = types.SimpleNamespace(DiagnosticError=DiagnosticError, TVMError=TVMError)

__all__ = [
    "DiagnosticError", "Device", "IRModule", "NDArray", "TVMError", "context", "contrib",
    "cpu", "cuda", "device", "error", "get_global_func", "gpu", "ir", "nd", "parser",
    "register_func", "relax", "relay", "runtime", "target", "te", "testing", "tir",
    "transform",
]
