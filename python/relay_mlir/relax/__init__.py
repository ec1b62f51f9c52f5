"""Relax: programs over tensors whose sizes are expressions, and the kernels they call.

    from relay_mlir import relax
    from relay_mlir.relax.testing import relay_translator

    mod = relay_translator.from_relay(relay_mod["main"], "llvm")
    print(mod["main"])
    ex = relax.vm.build(mod, "llvm")
    vm = relax.VirtualMachine(ex, cpu())
    vm["main"](data, *params)
"""

from __future__ import annotations

from . import testing, vm
from .module import Function, IRModule, PrimFunc
from .vm import Executable, VirtualMachine, build

__all__ = ["Executable", "Function", "IRModule", "PrimFunc", "VirtualMachine", "build",
           "testing", "vm"]
