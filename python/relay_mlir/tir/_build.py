"""Kernels from models, and from kernels to functions on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _relay_mlir
from .._arguments import describe, expect_int, expect_path, expect_text
from .._compile import IRModule, Module, PathLike, TensorInfo, _to_module


def to_module(source: IRModule | str) -> IRModule:
    """Accepts an IRModule or MLIR text."""
    if isinstance(source, str):
        return IRModule.parse(source)
    if not isinstance(source, IRModule):
        raise TypeError("expects a relay_mlir.IRModule or text of MLIR, but got "
                        f"{describe(source)}")
    return source


def lower(model: Any, *, opt_level: int = 3) -> IRModule:
    """Returns the kernels of a model, not scheduled yet, as an IRModule.

    `model` is what `relay_mlir.compile` accepts.
    """
    expect_int(opt_level, "opt_level", 0, 3)
    module = _to_module(model).clone()
    module.run_passes(f"builtin.module(relay-optimize{{opt-level={opt_level}}},"
                      "relay-to-kernels)")
    _relay_mlir.tir_keep_kernels(module._impl)
    return module


def kernels(mod: IRModule | str) -> list[str]:
    """Returns the names of the kernels of a module, in its order."""
    return _relay_mlir.tir_kernel_names(to_module(mod)._impl)


class Kernel:
    """A compiled kernel: call it with its inputs, and perhaps its outputs."""

    def __init__(self, module: Module) -> None:
        self._module = module

    @property
    def inputs(self) -> list[TensorInfo]:
        """The inputs, as a list of TensorInfo."""
        return self._module.inputs

    @property
    def outputs(self) -> list[TensorInfo]:
        """The outputs, as a list of TensorInfo."""
        return self._module.outputs

    def __call__(self, *args: Any) -> Any:
        """Runs the kernel.

        With as many arrays as there are inputs, returns the output, or a tuple
        of them. Arrays behind the inputs are filled with the outputs.
        """
        num_inputs = len(self.inputs)
        if len(args) not in (num_inputs, num_inputs + len(self.outputs)):
            raise ValueError(
                f"expects {num_inputs} inputs, or these and {len(self.outputs)} "
                f"outputs, but got {len(args)} arrays")
        results = self._module(*args[:num_inputs])
        if len(args) == num_inputs:
            return results
        results = results if isinstance(results, tuple) else (results,)
        for target, result in zip(args[num_inputs:], results):
            if target.shape != result.shape or target.dtype != result.dtype:
                raise ValueError(
                    f"expects an output of shape {result.shape} and dtype "
                    f"{result.dtype}, but got {target.shape} and {target.dtype}")
            np.copyto(target, result)
        return None

    def save(self, path: PathLike) -> None:
        """Writes the artefact, which `relay_mlir.load` reads."""
        self._module.save(path)


def build(mod: Any, name: str = "", *, target: str = "native", cache: bool = True,
          cache_dir: PathLike | None = None) -> Kernel:
    """Compiles a kernel as it is: no rule schedules it.

    `mod` is a Schedule, an IRModule or MLIR text; `name` chooses one of several
    kernels, by default that of the Schedule. The kernel has static shapes, and all of its arguments
    their own layout. Raises CompileError.
    """
    if hasattr(mod, "trace"):
        mod, name = mod.mod, name or mod.name
    expect_text(name, "name")
    expect_text(target, "target")
    folder = "" if cache_dir is None else expect_path(cache_dir, "cache_dir")
    return Kernel(Module._make("kernel.so", lambda path: _relay_mlir.tir_build(
        to_module(mod)._impl, name, path, target, bool(cache), folder)))
