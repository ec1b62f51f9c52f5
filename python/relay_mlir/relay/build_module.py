"""Compiling programs: `relay.build`."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any, Mapping, Sequence

from .._errors import CompileError, DiagnosticError
from . import _diagnostics, expr as _expr, ty
from .._arguments import expect, expect_mapping
from .._compile import IRModule as MLIRModule, Module
from ._core import core
from .executor_factory import ExecutorFactoryModule
from ._pass_instruments import find_report
from .backend.options import Executor, Runtime
from .expr import Expr, Function, Var
from .module import IRModule, module_arguments
from .qnn.config import with_requantize_config
from .target import chosen_target, parse_device_targets, parse_target
from .transform import PassContext, PassInfo, remove_unused, _run as run_pipeline


def bind_params_by_name(func: Function, params: Mapping[str, Any]) -> Function:
    """Makes constants of parameters: `params` has values by name, of which those that no
    parameter has are ignored. Raises DiagnosticError if one is that of two parameters, or
    of another type than its parameter."""
    params = expect_mapping(params, "params")
    by_name: dict[str, Var] = {}
    for var in expect(func, Function, "func", "a function").params:
        if var.name_hint in by_name and var.name_hint in params:
            raise DiagnosticError(f"expects parameters of unique names, but {var.name_hint!r} "
                                  "is that of two")
        by_name[var.name_hint] = var
    binds = {by_name[name]: _expr.const(value)
             for name, value in params.items() if name in by_name}
    for var, constant in binds.items():
        _check_type(var, constant)
    bound = _expr.bind(func, binds)
    assert isinstance(bound, Function)
    return bound


def _check_type(var: Var, constant: _expr.Constant) -> None:
    """Raises DiagnosticError if a parameter cannot be this constant."""
    declared = var.type_annotation
    if not isinstance(declared, ty.TensorType):
        return
    shape, dtype = tuple(constant.data.shape), str(constant.data.dtype)
    if (dtype == declared.dtype and len(shape) == len(declared.shape) and
            all(not isinstance(want, int) or want == size
                for want, size in zip(declared.shape, shape))):
        return
    raise DiagnosticError(f"expects parameter {var.name_hint!r} to be {declared}, but got "
                          f"{ty.TensorType(shape, dtype)}")


def bind_main(mod: IRModule, params: Mapping[str, Any], stacklevel: int) -> IRModule:
    """A copy of the module, in which parameters of @main are constants. Warns of names
    that no parameter has: they may be misspelled, but programs also bind parameters
    before they give all of them to `build`, or have removed those without a use."""
    mod = mod.shallow_copy()
    if not params:
        return mod
    main = mod["main"]
    names = [var.name_hint for var in main.params]
    unknown = [name for name in params if name not in names]
    if unknown:
        warnings.warn(f"expects params of {_list(names)}, which @main has, but got "
                      f"{_list(unknown)}, which has no effect", stacklevel=stacklevel + 1)
    mod.functions[_expr.GlobalVar("main")] = bind_params_by_name(main, params)
    return mod


def _list(names: Sequence[object]) -> str:
    """What a message says of names, which may be many."""
    shown = ", ".join(repr(name) for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown or "no names"


def _opt_level() -> int:
    # Whoever did not ask for a level gets the best code.
    level = PassContext.current().opt_level if PassContext.is_entered() else 3
    return min(level, 3)  # Passes in Python may have levels of their own above.


# Whether what code generators of others fail at is compiled as everything else.
_FALLBACK = "relay.ext.fallback"


def _warn_of_settings() -> None:
    """Says which settings of the PassContext the compiler does not read."""
    context = PassContext.current()
    ignored = [f"disabled_pass={context.disabled_pass}"] if context.disabled_pass else []
    if context.required_pass:
        ignored.append(f"required_pass={context.required_pass}")
    ignored += [f"the option {name}" for name in context.config if name != _FALLBACK]
    if ignored:
        warnings.warn(f"the compiler chooses its passes by opt_level alone; of the PassContext, "
                      f"{', '.join(ignored)} has no effect on it", stacklevel=3)


def write_artifact(mod: IRModule, target: Any, opt_level: int, path: str, executor: str,
                   kind: str = "so", is_whole: bool = False) -> bool:
    """Compiles a module, for "graph" only @main, and writes the artefact, or another stage.
    Returns whether it is a program, not one function of tensors, which it is not with
    `is_whole`: any function of the module can be called then."""
    context = PassContext.current()
    program = with_requantize_config(mod)._to_core()
    with _diagnostics.raising():
        return core.compile(*program, path, kind, parse_target(target),
                            parse_device_targets(target), opt_level,
                            bool(context.config.get(_FALLBACK, False)),
                            find_report(context.instruments), executor, is_whole)


def compile_main(mod: IRModule, target: Any, opt_level: int) -> Module:
    """Compiles @main and loads it."""

    def run(mod: IRModule) -> Module:
        used = remove_unused(mod)
        return Module._make("model.so",
                            lambda path: write_artifact(used, target, opt_level, path,
                                                        "graph"))

    compiled = PassContext.current().run(PassInfo("Compile"), mod, run)
    if isinstance(compiled, IRModule):
        raise CompileError("expects the instruments of the PassContext to let the program be "
                           "compiled, but one of them stopped it")
    assert isinstance(compiled, Module)
    return compiled


def _optimize_pass(target: Any, opt_level: int) -> str:
    """The passes of graphs, for a target."""
    devices = parse_device_targets(target)
    return (f"relay-optimize{{opt-level={opt_level} target={{{parse_target(target)}}}"
            f"{' device-targets={' + devices + '}' if devices else ''}}}")


def to_mlir(mod: IRModule) -> MLIRModule:
    """@main of a program, and what it uses, as a module of MLIR."""
    program = with_requantize_config(remove_unused(mod))._to_core()
    with _diagnostics.raising():
        return MLIRModule.parse(core.print_mlir(*program, -1), "<relay>")


def lower_to_kernels(mod: IRModule, target: Any, opt_level: int) -> MLIRModule:
    """The kernels of @main, and a function of Relax that calls them, by names that say what
    they compute."""
    module = to_mlir(mod)
    with _diagnostics.raising():
        module.run_passes(f"builtin.module({_optimize_pass(target, opt_level)},relay-to-kernels,"
                          "relax-name-kernels)")
    return module


def _graph_json(mod: IRModule, target: Any, opt_level: int) -> str:
    """The kernels that @main calls, as the graph executor has graphs."""
    module = lower_to_kernels(mod, target, opt_level)
    with _diagnostics.raising():
        return module._impl.graph_json()


def _source(mod: IRModule, target: Any, opt_level: int, kind: str) -> str:
    """The code of @main as text: "llvm" or "asm"."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "main")
        write_artifact(remove_unused(mod), target, opt_level, path, "graph", kind)
        with open(path, encoding="utf-8") as file:
            return file.read()


def build(ir_mod: IRModule | Expr, target: Any = None, target_host: Any = None,
          executor: Any = None, runtime: Any = None, workspace_memory_pools: Any = None,
          constant_memory_pools: Any = None, params: Mapping[str, Any] | None = None,
          mod_name: str = "default") -> ExecutorFactoryModule:
    """Compiles @main of a module, or a function, to native code.

    `target` is "llvm", with "-mcpu=..." for another processor than this one, or "cuda", with
    "-arch=sm_90a" and the like, for the first NVIDIA GPU (docs/GPU.md); a dict has
    one for each kind of devices that the program uses, such as {"cpu": "llvm", "npu":
    "#npu.core<lanes = 8>"} for those of VirtualDevice(12, 0, "npu"), of a dialect that
    `relay_mlir.load_dialect_plugin` knows; without it, it is that of the innermost
    `with relay.target.Target(...)` around the call, or this processor;
    `params` has values of parameters by name, which become constants; a warning tells of
    names that no parameter of @main has, which are ignored. The optimisation level is that
    of the PassContext around the call, where those above 3 are as 3, else 3; a warning
    names what else is set there, which has no effect.
    Returns a module of which `lib["default"](device)` is a GraphModule;
    `graph, lib, params = build(...)` works as well.

    Functions with the attribute Compiler go to the code generator of that name
    (relay.codegen). What it raises is raised here; with the option "relay.ext.fallback"
    of the PassContext, it is a warning, and they are compiled as everything else.

    What is compiled consists of operators on tensors. Raises DiagnosticError for
    a program that is ill-typed, or in which @main needs more: calls, closures, data
    types or references, which `relay.vm.compile` and `create_executor("aot")` compile;
    NotImplementedError for targets, memory pools and executors that are not there
    yet.
    """
    del target_host  # The host is this machine.
    if workspace_memory_pools or constant_memory_pools:
        raise NotImplementedError("memory pools of the caller are not supported yet")
    kind = str(getattr(executor, "name", executor or "graph"))
    if kind not in Executor.names:
        raise NotImplementedError(f"there is no executor {kind!r} yet; 'graph' and 'aot' are "
                                  "the same here, native code")
    if runtime is not None and str(getattr(runtime, "name", runtime)) not in Runtime.names:
        raise NotImplementedError(f"there is no run time {runtime!r} yet, only 'cpp'")
    _warn_of_settings()
    target = chosen_target(target)
    bound = dict(expect_mapping(params, "params"))
    mod = bind_main(module_arguments(ir_mod), bound, stacklevel=2)
    level = _opt_level()
    return ExecutorFactoryModule(compile_main(mod, target, level), bound, mod_name,
                                 lambda: _graph_json(mod, target, level),
                                 lambda kind: _source(mod, target, level, kind))


def optimize(mod: IRModule | Expr, target: Any = None,
             params: Mapping[str, Any] | None = None) -> tuple[IRModule, dict[str, Any]]:
    """Runs what `build` runs on the program before it makes kernels: simplifies, folds
    constants, changes layouts, and fuses operators.

    Returns the module, in which @main calls primitive functions, and the parameters, of
    which those in `params` have become constants. `target` and `params` are as in
    `build`, as is the level.
    """
    _warn_of_settings()
    bound = dict(expect_mapping(params, "params"))
    mod = bind_main(module_arguments(mod), bound, stacklevel=2)
    target = chosen_target(target)
    pipeline = f"builtin.module({_optimize_pass(target, _opt_level())})"
    return run_pipeline(with_requantize_config(remove_unused(mod)), pipeline), bound


__all__ = ["bind_params_by_name", "build", "optimize"]
