"""Compiling modules of Relax, and running them."""

from __future__ import annotations

import functools
import pathlib
import tempfile
from typing import Any, Callable, Mapping, Sequence

from .. import _compile, _relay_mlir
from .._arguments import expect, expect_mapping, expect_text
from ..relay._benchmark import Evaluator
from ..relay.backend import vm as relay_vm
from ..relay.target import chosen_target, parse_target
from ..relay.device import Device
from ..relay.expr import NDArray, ndarray
from .module import Function, IRModule

# The form of a module of Relax.
_FORM = "relax-kernels"


class Executable:
    """A compiled module: its kernels, and a main function that plans their memory and calls
    them, as native code; or bytecode, if there are functions of objects. `build` makes it."""

    def __init__(self, compiled: _compile.Module | relay_vm.Executable, mod: IRModule,
                 target: str) -> None:
        self._compiled = expect(compiled, (_compile.Module, relay_vm.Executable), "compiled",
                                "a compiled module")
        self._mod = expect(mod, IRModule, "mod", "a module of relax")
        self._target = target

    def stats(self) -> str:
        """How many functions and kernels there are, and their names."""
        symbols = self._mod.functions
        functions = [name for name, symbol in symbols.items() if isinstance(symbol, Function)]
        kernels = [name for name in symbols if name not in functions]
        return ("Relax VM executable statistics:\n"
                f"  Globals (# {len(functions)}): [{', '.join(functions)}]\n"
                f"  Kernels (# {len(kernels)}): [{', '.join(kernels)}]\n")

    def as_text(self) -> str:
        """What main does, step by step: storage, tensors in it, and calls of kernels; or the
        instructions of a program in bytecode."""
        if isinstance(self._compiled, relay_vm.Executable):
            return self._compiled.as_text()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "main.mlir"
            _emit(self._mod, str(path), "relax", self._target, "aot")
            module = _compile.IRModule.parse(path.read_text(encoding="utf-8"))
        return module._impl.print_symbol("main")

    def export_library(self, file_name: Any) -> None:
        """Writes the code to a shared object, which `relay_mlir.load` and the C interface
        read."""
        self._compiled.save(file_name)


def _emit(mod: IRModule, path: str, kind: str, target: str, executor: str) -> bool:
    """Returns whether it is a program, with functions of objects."""
    return mod._impl._impl.compile(
        path, kind, target, opt_level=3, precision=None, device_targets="",
        force_matrix_tiles=False, desired_layout="", integer_regions="on", cache=True,
        cache_dir="", vta_search=None, report=None, form=_FORM, executor=executor)


def build(mod: IRModule, target: Any = None, params: Mapping[str, Any] | None = None,
          exec_mode: str = "bytecode") -> Executable:
    """Compiles a module of Relax. `target` is as in `relay.build`. Functions of tensors become
    native code, and those of objects bytecode, or native code with the `exec_mode` "compiled".

    Raises CompileError; NotImplementedError for `params`, which
    `relay_translator.from_relay` takes as `relay_params`."""
    expect(mod, IRModule, "mod", "a module of relax")
    executor = relay_vm.executor_of(exec_mode)
    if expect_mapping(params, "params"):
        raise NotImplementedError("there are no constants of functions of relax by name yet; "
                                  "relay_translator.from_relay takes them as relay_params")
    name = parse_target(chosen_target(target))
    file = _relay_mlir.MemoryFile("model.so")
    # Bytecode is of functions of objects.
    if not mod._impl._impl.has_objects():
        executor = "aot"
    is_program = _emit(mod, file.path(), "so", name, executor)
    # What nobody can change need not be copied when it is loaded.
    file.seal()
    if is_program:
        return Executable(relay_vm.Executable._make(file.path(), file, {}), mod, name)
    return Executable(_compile.Module(file.path(), _file=file), mod, name)


class VirtualMachine:
    """Runs an Executable: `machine["main"](data, *params)`.

    Functions of objects take and return what those of `relay.vm.VirtualMachine` do.
    """

    def __init__(self, rt_mod: Executable, device: Device | Sequence[Device] | None = None
                 ) -> None:
        self._executable: Executable = expect(rt_mod, Executable, "rt_mod", "an Executable")
        devices = device if isinstance(device, (list, tuple)) else [device]
        for one in devices:
            if one is not None and expect(one, Device, "device", "a device").type != "cpu":
                raise NotImplementedError(f"there is no execution on {one} yet, only on cpu(0)")

    def time_evaluator(self, func_name: str, dev: Any = None, number: int = 10, repeat: int = 1,
                       min_repeat_ms: float = 0) -> Evaluator:
        """What times a function by its name: `repeat` results, each the mean of `number`
        calls."""
        del dev
        return Evaluator(self[func_name], number, repeat, min_repeat_ms)

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """A function by name: that of tensors, or a public one of objects. Raises KeyError if
        there is none."""
        compiled = self._executable._compiled
        expect_text(name, "name")
        if isinstance(compiled, relay_vm.Executable):
            compiled.get_function_params(name)
            return functools.partial(relay_vm.VirtualMachine(compiled).invoke, name)
        if name != "main":
            raise KeyError(f"expects the function 'main', but got {name!r}")

        def run(*args: Any, **kwargs: Any) -> NDArray | tuple[NDArray, ...]:
            results = compiled(*args, **kwargs)
            if isinstance(results, tuple):
                return tuple(ndarray(result) for result in results)
            return ndarray(results)

        return run


__all__ = ["Executable", "VirtualMachine", "build"]
