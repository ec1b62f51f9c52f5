"""The names under which programs written for TVM know the package.

    import relay_mlir.compat as tvm
    from relay_mlir import relay
    from relay_mlir.compat.contrib import graph_executor

Only what programs of Relay use: modules, devices, arrays, and `relay` itself, which has
modules of the names of TVM below it: `relay_mlir.relay.transform.recast`.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Sequence

import numpy as np

from . import relax, relay
from .relay import (debug_executor as _debug_executor, executor_factory, ir, sizes,
                    transform)
from .relay.device import Device, cpu, cuda, device, gpu
from .relay.env_func import get_global_func, register_func
from .relay.expr import NDArray, ndarray
from .relay.module import IRModule
from ._errors import DiagnosticError, Error

TVMError = Error
context = device
instrument = ir.instrument
# What is below has no files, and yet is imported.
__path__: list[str] = []


def _namespace(name: str, **members: Any) -> types.ModuleType:
    """A module below this one."""
    module = types.ModuleType(f"{__name__}.{name}")
    module.__dict__.update(members)
    module.__path__ = []
    sys.modules[module.__name__] = module
    return module


parser = _namespace("parser", parse=relay.parse, parse_expr=relay.parse_expr,
                    fromtext=relay.fromtext)


def _array(value: Any, device: Device | None = None, ctx: Device | None = None) -> NDArray:
    """A tensor of an array; on the host, wherever it is asked for."""
    del device, ctx
    return ndarray(np.array(value))


def _empty(shape: Sequence[int], dtype: str = "float32", device: Device | None = None,
           ctx: Device | None = None) -> NDArray:
    del device, ctx
    return ndarray(np.empty(shape, dtype))


nd = _namespace("nd", NDArray=NDArray, array=_array, empty=_empty, cpu=cpu, cuda=cuda, gpu=gpu,
                device=device)
# Compiled programs, under the names of all times.
graph_executor = _namespace("contrib.graph_executor", GraphModule=executor_factory.GraphModule,
                            create=executor_factory.create)
debug_executor = _namespace("contrib.debugger.debug_executor",
                            GraphModuleDebug=_debug_executor.GraphModuleDebug,
                            create=_debug_executor.create)
debugger = _namespace("contrib.debugger", debug_executor=debug_executor,
                      debug_runtime=debug_executor)
contrib = _namespace("contrib", debugger=debugger, graph_executor=graph_executor,
                     graph_runtime=graph_executor)
aot_executor = _namespace("runtime.executor.aot_executor",
                          AotModule=executor_factory.GraphModule)
executor = _namespace("runtime.executor", AotModule=executor_factory.GraphModule,
                      aot_executor=aot_executor)
runtime = _namespace("runtime", Module=executor_factory.ExecutorFactoryModule, NDArray=NDArray,
                     load_module=executor_factory.load_module, ndarray=nd,
                     convert=lambda value: value, executor=executor,
                     load_param_dict=relay.load_param_dict,
                     save_param_dict=relay.save_param_dict, vm=relay.vm)
# Symbolic sizes.
te = _namespace("te", SizeVar=sizes.SizeVar, Var=sizes.Var, size_var=sizes.size_var,
                var=sizes.var)
tir = _namespace("tir", Any=relay.Any, IntImm=sizes.IntImm, SizeVar=sizes.SizeVar, Var=sizes.Var)
target = _namespace("target", Target=relay.target.Target,
                    make_compilation_config=relay.collage.make_compilation_config)
testing = _namespace("testing", assert_allclose=np.testing.assert_allclose)
error = _namespace("error", DiagnosticError=DiagnosticError, TVMError=TVMError)

for _name, _module in {
        "contrib.graph_runtime": graph_executor,
        "contrib.debugger.debug_runtime": debug_executor, "instrument": instrument, "ir": ir,
        "ir.instrument": instrument, "ir.transform": ir.transform, "relax": relax, "runtime.ndarray": nd,
        "runtime.vm": relay.vm, "transform": transform}.items():
    sys.modules[f"{__name__}.{_name}"] = _module

__all__ = [
    "DiagnosticError", "Device", "IRModule", "NDArray", "TVMError", "context", "contrib",
    "cpu", "cuda", "device", "error", "get_global_func", "gpu", "instrument", "ir", "nd", "parser",
    "register_func", "relax", "relay", "runtime", "target", "te", "testing", "tir",
    "transform",
]
