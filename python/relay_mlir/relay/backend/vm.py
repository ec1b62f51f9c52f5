"""The virtual machine: compiles the whole language, and runs what it compiled.

    exe = relay.vm.compile(mod, "llvm")
    machine = relay.vm.VirtualMachine(exe, relay.device.cpu())
    result = machine.run(array)
"""

from __future__ import annotations

import hashlib
import typing
from typing import Any, Callable, Mapping, Sequence

from .. import _diagnostics
from .._benchmark import BenchmarkResult, Evaluated, measure
from ..._arguments import expect, expect_mapping, expect_path, expect_text, wrong
from ..._errors import CompileError
from ..._compile import Module, PathLike
from ... import _relay_mlir
from .._core import core
from ..device import Device
from ..executor import Executor, _to_python
from ..module import IRModule, module_arguments
from ..target import chosen_target


# How code begins that `Executable.save` returns.
_CODE = b"relay-vm\0"


class Executable:
    """A compiled program: bytecode, or native code in its place, and the functions of tensors
    that it calls.

    `compile` makes it, `load_exec` reads it from a file that `save`, or
    `relay-compile --executor=vm`, has written.
    """

    _path: str
    _file: object
    _types: dict[str, list[Any]]
    _params: dict[str, list[str]]
    _program: Any

    def __new__(cls, *args: Any) -> Executable:
        del args
        raise TypeError("expects relay.vm.compile or Executable.load_exec to make an Executable, "
                        "but got a call of the class")

    @classmethod
    def _make(cls, path: str, file: object, types: dict[str, list[Any]]) -> Executable:
        self = object.__new__(cls)
        self._path = path
        self._file = file  # Keeps an artefact in memory.
        self._types = types
        self._program = core.VMProgram(path)
        self._params = {f[0]: list(f[3]) for f in self._functions() if f[1] == "bytecode" and f[2]}
        return self

    @staticmethod
    def load_exec(path: PathLike | bytes | bytearray, lib: Executable | None = None) -> Executable:
        """Reads an artefact, and checks it; or, of the code that `save` returned, and the
        library that `export_library` wrote and `runtime.load_module` loaded, checks that they
        belong to each other. Raises RuntimeError, or ValueError for what has no bytecode, and
        for another library."""
        if lib is None:
            if isinstance(path, (bytes, bytearray)) and path.startswith(_CODE):
                raise TypeError("expects the library that was saved with the code, but got none")
            return Executable._make(expect_path(path), None, {})
        expect(lib, Executable, "lib", "a library of the virtual machine")
        if not isinstance(path, (bytes, bytearray)):
            raise wrong("the code", "bytes that save returned", path)
        if bytes(path) != lib._code():
            raise ValueError("expects the code of the library, but got that of another one")
        return lib

    def _code(self) -> bytes:
        """What tells the artefact from others."""
        with open(self._path, "rb") as file:
            return _CODE + hashlib.file_digest(file, "sha256").digest()

    @typing.overload
    def save(self, path: PathLike) -> None: ...

    @typing.overload
    def save(self) -> tuple[bytearray, Executable]: ...

    def save(self, path: PathLike | None = None) -> tuple[bytearray, Executable] | None:
        """Writes the artefact, a shared object, to a file. Without one, returns code and
        library, as programs of TVM save them apart: the library, to be written by
        `export_library`, has all of it; the code says which one it is."""
        if path is None:
            return bytearray(self._code()), self
        self.export_library(path)
        return None

    def export_library(self, file_name: PathLike) -> None:
        """Writes the artefact, a shared object, to a file."""
        _relay_mlir.copy_file(self._path, expect_path(file_name))

    @property
    def lib(self) -> Executable:
        """The library: the artefact itself."""
        return self

    mod = module = lib

    def _functions(self) -> list[Any]:
        return list(self._program.functions())

    @property
    def bytecode(self) -> str:
        """The instructions as text."""
        return str(self._program.text())

    def as_text(self) -> str:
        """The instructions as text."""
        return self.bytecode

    @property
    def globals(self) -> list[str]:
        """The names of the functions that can be called."""
        return list(self._params)

    @property
    def primitives(self) -> list[str]:
        """The names of the functions of tensors."""
        return [f[0] for f in self._functions() if f[1] == "tensors"]

    @property
    def constants(self) -> str:
        """The constants of the bytecode, a line for each."""
        return "\n".join(f"VM Const[{i}]: {dtype.name}{list(shape)}"
                         for i, (shape, dtype) in enumerate(self._program.constants()))

    @property
    def stats(self) -> str:
        """How much of what there is."""
        shapes = ", ".join(str(list(shape)) if shape else "scalar"
                           for shape, _ in self._program.constants())
        names = ", ".join(f'("{name}", {i})' for i, name in enumerate(self.globals))
        primitives = self.primitives
        return (f"Relay VM executable statistics:\n"
                f"  Constant shapes (# {len(self._program.constants())}): [{shapes}]\n"
                f"  Globals (#{len(self.globals)}): [{names}]\n"
                f"  Primitive ops (#{len(primitives)}): [{', '.join(primitives)}]\n")

    def get_function_params(self, func_name: str) -> list[str]:
        """The names of the parameters of a function."""
        return list(self._get_params(func_name))

    def _get_params(self, name: str) -> list[str]:
        params = self._params.get(expect_text(name, "func_name"))
        if params is None:
            raise KeyError(f"expects one of the functions {', '.join(self.globals)}, but got "
                           f"{name!r}")
        return params

    def _run(self, name: str, args: Sequence[Any]) -> Any:
        count = len(self._get_params(name))
        if len(args) != count:
            raise TypeError(f"expects {count} arguments of {name!r}, but got {len(args)}")
        with _diagnostics.raising():
            return _to_python(self._program.run(name, list(args), self._types.get(name)))


def compile(mod: Any, target: Any = None, params: Mapping[str, Any] | None = None,
            exec_mode: str = "bytecode") -> Executable:
    """Compiles a module, or a function, with all that the language has: closures,
    recursion, data types, match, references.

    `target` and `params` are as in `relay.build`. `exec_mode` is "bytecode", or "compiled" for
    native code in its place, as in `relax.vm.build`. Raises DiagnosticError for a program that
    is ill-typed, or has an operator that is not compiled yet.
    """
    from ..build_module import _opt_level, _warn_of_settings, bind_main

    executor = executor_of(exec_mode)
    _warn_of_settings()
    bound = dict(expect_mapping(params, "params"))
    compiled = compile_program(bind_main(module_arguments(mod), bound, stacklevel=2),
                               chosen_target(target), _opt_level(), executor)
    assert isinstance(compiled, Executable)
    return compiled


def executor_of(exec_mode: str) -> str:
    """What the compiler calls an `exec_mode`. Raises TypeError, or ValueError."""
    executors = {"bytecode": "vm", "compiled": "aot"}
    if expect_text(exec_mode, "exec_mode") not in executors:
        raise ValueError(f"expects exec_mode 'bytecode' or 'compiled', but got {exec_mode!r}")
    return executors[exec_mode]


def compile_program(mod: IRModule, target: Any, opt_level: int, executor: str,
                    is_whole: bool = True) -> Executable | Module:
    """A program of all functions of a module, in bytecode ("vm") or native code ("aot"); a
    Module where @main is one function of tensors, unless it `is_whole`, which bytecode is."""
    from ..build_module import write_artifact
    from ..transform import PassContext, PassInfo, infer_types

    def run(mod: IRModule) -> Executable | Module:
        file = _relay_mlir.MemoryFile("program.so")
        is_program = write_artifact(mod, target, opt_level, file.path(), executor,
                                    is_whole=is_whole)
        file.seal()
        if not is_program:
            return Module(file.path(), _file=file)
        types = {var.name_hint: [param.checked_type for param in function.params]
                 for var, function in infer_types(mod).functions.items()}
        return Executable._make(file.path(), file, types)

    compiled = PassContext.current().run(PassInfo("Compile"), mod, run)
    if not isinstance(compiled, (Executable, Module)):
        raise CompileError("expects the instruments of the PassContext to let the program be "
                           "compiled, but one of them stopped it")
    return compiled


class VirtualMachine(Evaluated):
    """Runs an Executable.

    Values are NumPy arrays, numbers, tuples, and, of data types, closures and references,
    what the interpreter has, too: ConstructorValue, functions to call, RefValue.
    """

    def __init__(self, exe: Executable, device: Device | Sequence[Device] | None = None,
                 memory_cfg: Any = None) -> None:
        del device, memory_cfg  # All of it runs on the host.
        self._exe: Executable = expect(exe, Executable, "exe", "an Executable")
        self._inputs: dict[str, list[Any]] = {}
        self._outputs: Any = None

    def _arguments(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        return Executor._arguments(self._exe._get_params(name), args, kwargs)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Calls @main, with arguments by position or by name, or those of `set_input`."""
        return self.invoke("main", *args, **kwargs)

    def invoke(self, func_name: str, *args: Any, **kwargs: Any) -> Any:
        """Calls a function, as `run` calls @main."""
        if not args and not kwargs and expect_text(func_name, "func_name") in self._inputs:
            return self._exe._run(func_name, self._inputs[func_name])
        return self._exe._run(func_name, self._arguments(func_name, args, kwargs))

    def set_input(self, func_name: str, *args: Any, **kwargs: Any) -> None:
        """Sets the arguments of later calls of a function that have none."""
        self._inputs[func_name] = self._arguments(expect_text(func_name, "func_name"), args,
                                                  kwargs)

    def invoke_stateful(self, func_name: str) -> None:
        """Calls a function with what `set_input` has set; `get_outputs` has the result."""
        expect_text(func_name, "func_name")
        if func_name not in self._inputs and self._exe.get_function_params(func_name):
            raise ValueError(f"expects set_input({func_name!r}, ...) before invoke_stateful, but "
                             "got none")
        self._outputs = (self._exe._run(func_name, self._inputs.get(func_name, [])),)

    def get_outputs(self) -> list[Any]:
        """The result of the last `invoke_stateful`; the fields of a tuple."""
        if self._outputs is None:
            raise ValueError("expects invoke_stateful before get_outputs, but got none")
        value = self._outputs[0]
        return list(value) if isinstance(value, tuple) else [value]

    def benchmark(self, device: Device | None = None, *args: Any, func_name: str = "main",
                  repeat: int = 5, number: int = 5, **kwargs: Any) -> BenchmarkResult:
        """Times calls of a function: `repeat` results, each the mean of `number` calls."""
        del device
        expect_text(func_name, "func_name")
        values = (self._inputs[func_name] if not args and not kwargs
                  and func_name in self._inputs else self._arguments(func_name, args, kwargs))
        return measure(lambda: self._exe._run(func_name, values), repeat, number)


class VMExecutor(Executor):
    """Compiles functions for the virtual machine."""

    def __init__(self, mod: IRModule, target: Any) -> None:
        super().__init__(mod)
        self._target = target

    def _function(self, mod: IRModule, name: str) -> Callable[..., Any]:
        from ..transform import remove_unused

        exe = compile_program(remove_unused(mod, [name]), self._target, 3, "vm")
        assert isinstance(exe, Executable)
        names = [var.name_hint for var in mod[name].params]

        def run(*args: Any, **kwargs: Any) -> Any:
            return exe._run(name, self._arguments(names, args, kwargs))

        run.__name__ = name
        return run


__all__ = ["BenchmarkResult", "Executable", "VMExecutor", "VirtualMachine", "compile"]
