"""What passes are, and what they are run under."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping

import numpy as np

from . import expr as _expr
from .._arguments import (describe, expect, expect_callable, expect_int, expect_list,
                          expect_mapping, expect_names, expect_text)
from .._errors import DiagnosticError
from ._scopes import Scopes
from .attrs import Attrs
from .instrument import HOOKS, call_hook
from .module import IRModule, Module


if TYPE_CHECKING:
    from typing_extensions import Self


# The options that a PassContext may have, and the types of their values. Passes
# that are written in Python read them; the compiler decides for itself.
_OPTIONS = {
    name: kind for kind, names in {
        "runtime.BoxBool": """ir.enable_si_builder relay.FuseOps.link_params
            relay.ToMixedPrecision.keep_orig_output_dtype relay.backend.use_meta_schedule
            relay.ext.fallback
            relay.frontend.fill_span relay.remove_standalone_reshapes.enable
            te.keep_schedule_record testing.immutable_module tir.debug_keep_trivial_loop
            tir.detect_global_barrier tir.disable_assert tir.disable_cse_tir
            tir.disable_storage_rewrite tir.disable_vectorize
            tir.enable_buffer_level_predication tir.enable_debug
            tir.enable_equiv_terms_in_cse_tir tir.experimental_dma_bypass_cache
            tir.instr_siblings tir.instrument_bound_checkers tir.instrument_lwp
            tir.is_entry_func tir.lwp_disable_func_prof tir.merge_static_smem tir.noalias
            tir.ptx_ldg32 tir.reset_start_id tir.use_async_copy tir.usmp.enable
            tir.usmp.use_workspace_io""",
        "IntImm": """relay.FuseOps.max_depth relay.backend.use_auto_scheduler
            relay.backend.use_meta_schedule_dispatch relay.collage.byoc_max_depth
            relay.collage.tvm_max_depth relay.fallback_device_type tir.lwp_max_depth
            tir.lwp_min_height tir.vtcm_capacity""",
        "runtime.String": """relay.backend.tir_converter tir.usmp.algorithm
            tir.usmp.custom_algorithm""",
        "Array": "relay.collage.byoc_fusion_style tir.add_lower_pass",
        "Map": """relay.ext.cmsisnn.options relay.ext.ethos-n.options
            relay.ext.ethos-u.options relay.ext.mrvl.options relay.ext.verilator.options
            relay.ext.vitis_ai.options tir.HoistExpression tir.HoistIfThenElse
            tir.InjectDoubleBuffer tir.LoopPartition tir.ReduceBranchingThroughOvercompute
            tir.RemoveNoOp tir.Simplify tir.UnrollLoop""",
    }.items() for name in names.split()
}
# What the values may be, and what errors say of that.
_OPTION_TYPES: dict[str, tuple[Any, str]] = {
    "runtime.BoxBool": ((bool, int, np.bool_), "a bool"),
    "IntImm": ((int, np.integer), "an integer"),
    "runtime.String": (str, "a string"),
    "Array": ((list, tuple), "a list"),
    "Map": ((Mapping, Attrs), "a dict, or what make_node makes"),
}


def as_class(result: IRModule, mod: IRModule) -> IRModule:
    """Makes the result of a pass a module of the class of `mod`."""
    result.__class__ = Module if isinstance(mod, Module) else IRModule
    return result


class PassInfo:
    """What is known of a pass."""

    # Those that the program has made so far; what it asks for may be one of them.
    names: set[str] = set()

    def __init__(self, name: str, opt_level: int = 0,
                 required: Iterable[str] | None = ()) -> None:
        self.name = expect_text(name, "name")
        self.opt_level = expect_int(opt_level, "opt_level", 0)
        self.required = expect_names(() if required is None else required, "required")
        PassInfo.names.add(name)

    def __repr__(self) -> str:
        return f"PassInfo({self.name}, opt_level={self.opt_level})"


class PassContext:
    """What passes are run under: passes above `opt_level` are skipped, as are
    those of `disabled_pass`; those of `required_pass` run whatever the level. Raises
    ValueError for the name of a pass that is not known.

    `instruments` are called before and after passes; each has any of the methods of
    PassInstrument, or TypeError is raised. `config` has options, which
    list_configs() lists. Raises AttributeError for any other, TypeError for values
    of another type, and ValueError for integers below 0.
    """

    _scopes: Scopes[PassContext] = Scopes()

    def __init__(self, opt_level: int = 2, required_pass: Iterable[str] | None = None,
                 disabled_pass: Iterable[str] | None = None,
                 instruments: Iterable[Any] | None = None,
                 config: Mapping[str, Any] | None = None) -> None:
        self.opt_level = expect_int(opt_level, "opt_level", 0)
        self.required_pass = _pass_names(required_pass, "required_pass")
        self.disabled_pass = _pass_names(disabled_pass, "disabled_pass")
        self.instruments = _instruments(instruments)
        self.config = dict(expect_mapping(config, "config"))
        for name, value in self.config.items():
            if name not in _OPTIONS:
                raise AttributeError(f"expects an option of passes ({', '.join(_OPTIONS)}), "
                                     f"but got {name!r}")
            types, what = _OPTION_TYPES[_OPTIONS[name]]
            expect(value, types, f"the option {name}", what)
            if _OPTIONS[name] == "IntImm":
                expect_int(value, f"the option {name}", 0)

    @staticmethod
    def _stack() -> list[PassContext]:
        """The contexts of this thread; the first is that around the program."""
        stack = PassContext._scopes.entered
        if not stack:
            stack.append(PassContext())
        return stack

    def _enter_instruments(self) -> None:
        entered = []
        try:
            for instrument in self.instruments:
                call_hook(instrument, "enter_pass_ctx")
                entered.append(instrument)
        except BaseException:
            self.instruments = []
            for instrument in entered:
                call_hook(instrument, "exit_pass_ctx")
            raise

    def _exit_instruments(self) -> None:
        try:
            for instrument in self.instruments:
                call_hook(instrument, "exit_pass_ctx")
        except BaseException:
            self.instruments = []
            raise

    def __enter__(self) -> Self:
        self._stack().append(self)
        try:
            self._enter_instruments()
        except BaseException:
            self._stack().pop()
            raise
        return self

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        self._scopes.leave(self)
        self._exit_instruments()

    def override_instruments(self, instruments: Iterable[Any] | None) -> None:
        """Replaces the instruments: leaves those that are there, and enters the
        new ones."""
        self._exit_instruments()
        self.instruments = _instruments(instruments)
        self._enter_instruments()

    @staticmethod
    def current() -> PassContext:
        """The context that is entered last."""
        return PassContext._stack()[-1]

    @staticmethod
    def is_entered() -> bool:
        """Whether there is a context that the program asked for."""
        return len(PassContext._stack()) > 1

    @staticmethod
    def list_configs() -> dict[str, dict[str, str]]:
        """The options that `config` may have, with the "type" of each."""
        return {name: {"type": kind} for name, kind in _OPTIONS.items()}

    def enabled(self, info: PassInfo) -> bool:
        """Whether a pass is to be run."""
        expect(info, PassInfo, "info", "a PassInfo")
        if info.name in self.disabled_pass:
            return False
        return info.name in self.required_pass or info.opt_level <= self.opt_level

    def run(self, info: PassInfo, mod: IRModule,
            function: Callable[[IRModule], Any]) -> Any:
        """Returns `function(mod)`, the result of a pass, with all instruments told;
        `mod` if one of them does not let it run."""
        expect(info, PassInfo, "info", "a PassInfo")
        expect_callable(function, "function")
        if info.name not in self.required_pass:
            answers = [call_hook(i, "should_run", mod, info) for i in self.instruments]
            if not all(answer is None or answer for answer in answers):
                return mod
        for instrument in self.instruments:
            call_hook(instrument, "run_before_pass", mod, info)
        result = function(mod)
        after = result if isinstance(result, IRModule) else mod
        for instrument in self.instruments:
            call_hook(instrument, "run_after_pass", after, info)
        return result


def _pass_names(names: Iterable[str] | None, parameter: str) -> list[str]:
    """The names of passes; those of other layers have a dot."""
    from .transform import NAMES

    result = expect_names(() if names is None else names, parameter)
    known = NAMES | PassInfo.names
    for name in result:
        if name not in known and "." not in name:
            raise ValueError(f"expects {parameter} to be names of passes "
                             f"({', '.join(sorted(known))}), but got {name!r}")
    return result


def _instruments(instruments: Iterable[Any] | None) -> list[Any]:
    result = expect_list(() if instruments is None else instruments, "instruments",
                         "instruments")
    for instrument in result:
        if not any(callable(getattr(instrument, hook, None)) for hook in HOOKS):
            raise TypeError(f"expects instruments to have any of the methods "
                            f"{', '.join(HOOKS)}, but got {describe(instrument)}")
    return result


def build_config(opt_level: int = 2, **options: Any) -> PassContext:
    """The context for compilation; see PassContext."""
    return PassContext(opt_level, **options)


class Pass:
    """A function from modules to modules: `InferType()(mod)`."""

    def __init__(self, function: Callable[[IRModule, PassContext], IRModule],
                 info: PassInfo) -> None:
        self._function = function
        self.info = info

    @property
    def name(self) -> str:
        return self.info.name

    def __call__(self, mod: IRModule) -> IRModule:
        if not isinstance(mod, IRModule):
            raise TypeError(f"expects a module, but got {describe(mod)}")
        for required in self.info.required:
            _maker_of_pass(required)
        context = PassContext.current()
        result = context.run(self.info, mod, lambda mod: self._function(mod, context))
        assert isinstance(result, IRModule)
        return result

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.info.name}, opt_level={self.info.opt_level})"


class FunctionPass(Pass):
    """A pass that looks at one function at a time. Functions with the attribute Compiler
    or SkipOptimization stay as they are."""

    def __init__(self, function: Callable[[IRModule, PassContext], IRModule],
                 info: PassInfo) -> None:
        super().__init__(lambda mod, context: _keep_closed(mod, function(mod, context)), info)


def _is_closed(function: _expr.Function) -> bool:
    attrs = function.attrs
    return attrs is not None and bool(attrs.get("Compiler") or attrs.get("SkipOptimization"))


def _keep_closed(mod: IRModule, result: IRModule) -> IRModule:
    """The result of a pass with the functions of `mod` that are not for it."""
    from .transform import infer_types

    closed = [var for var, function in mod.functions.items() if _is_closed(function)]
    if not closed or not isinstance(result, IRModule):
        return result
    before = infer_types(mod)
    kept = as_class(result.shallow_copy(), mod)
    for var in closed:
        if var in kept.functions:
            kept.functions[var] = before[var]
    return kept


class ModulePass(Pass):
    """A pass that looks at the whole module."""


def _maker_of_pass(name: str) -> Callable[[], Pass]:
    from . import transform

    make: Callable[[], Pass] | None = getattr(transform, name, None)
    if make is None:
        raise ValueError(f"expects the name of a pass to be required, but got {name!r}")
    return make


@contextlib.contextmanager
def _blaming(before: Pass | None) -> Iterator[None]:
    """Whose module a pass found to be ill-typed: types of what a module pass in Python
    returns are not inferred before the next pass does."""
    try:
        yield
    except DiagnosticError as error:
        made = getattr(before, "_function", None)
        is_unchecked = isinstance(made, functools.partial) and made.func is _run_on_module
        if before is not None and is_unchecked and hasattr(error, "add_note"):
            error.add_note(f"in what pass {before.name} returned")
        raise


class Sequential(Pass):
    """Passes one after another, except those that the context switches off."""

    def __init__(self, passes: Iterable[Pass] | None = None, opt_level: int = 0,
                 name: str = "sequential", required: Iterable[str] = ()) -> None:
        self.passes = expect_list(() if passes is None else passes, "passes", "passes")
        for pass_ in self.passes:
            expect(pass_, Pass, "each of passes", "a pass")

        def run(mod: IRModule, context: PassContext) -> IRModule:
            before: Pass | None = None
            for pass_ in self.passes:
                if not context.enabled(pass_.info):
                    continue
                with _blaming(before):
                    for required in pass_.info.required:
                        mod = _maker_of_pass(required)()(mod)
                    mod = pass_(mod)
                before = pass_
            return mod

        super().__init__(run, PassInfo(name, opt_level, required))


def PrintIR(header: str = "", show_meta_data: bool = False) -> Pass:  # pylint: disable=invalid-name
    """Prints the module, below `header`, to standard error."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        text = mod.astext(show_meta_data=show_meta_data)
        print(f"PrintIR({header}):\n{text}", file=sys.stderr)
        return mod

    return ModulePass(run, PassInfo("PrintIR"))


def ApplyPassToFunction(  # pylint: disable=invalid-name
        transform: Pass, func_name_regex: str,
        error_if_no_function_matches_regex: bool = False) -> Pass:
    """Runs a pass on the functions whose whole names match. Others are in the
    module, but what the pass makes of them is dropped."""

    expect(transform, Pass, "transform", "a pass")
    expect_text(func_name_regex, "func_name_regex")

    def run(mod: IRModule, _: PassContext) -> IRModule:
        names = {var for var in mod.functions
                 if re.fullmatch(func_name_regex, var.name_hint)}
        if not names:
            if error_if_no_function_matches_regex:
                raise ValueError(f"expects a function that matches {func_name_regex!r}, but "
                                 f"got {[var.name_hint for var in mod.functions]}")
            return mod
        changed = transform(mod)
        result = mod.shallow_copy()
        for var, function in changed.functions.items():
            if var in names or var not in mod.functions:
                result.functions[var] = function
        return result

    return ModulePass(run, PassInfo("ApplyPassToFunction"))


def _decorator(kind: type[Pass], make: Callable[..., IRModule], function: Any, opt_level: int,
               name: str | None, required: Iterable[str]) -> Any:
    """What function_pass and module_pass return: of a function, a pass; of a
    class, a class of passes."""

    def create(target: Any) -> Any:
        if inspect.isclass(target):
            return _pass_class(kind, make, target, opt_level, name, required)
        if not callable(target) or not hasattr(target, "__name__"):
            raise TypeError(f"expects a function or a class, but got {describe(target)}")
        info = PassInfo(name or target.__name__, opt_level, required)
        return kind(functools.partial(make, target, info.name), info)

    return create if function is None else create(function)


def _pass_class(kind: Any, make: Callable[..., IRModule], cls: type, opt_level: int,
                name: str | None, required: Iterable[str]) -> type[Pass]:
    PassInfo(name or cls.__name__, opt_level, required)  # Its name is known from now on.
    method = "transform_function" if kind is FunctionPass else "transform_module"
    if not callable(getattr(cls, method, None)):
        raise TypeError(f"expects class {cls.__name__} to have a method {method}")

    class PassClass(kind):  # type: ignore[misc]
        __doc__ = cls.__doc__

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self._instance = cls(*args, **kwargs)
            target = getattr(self._instance, method)
            super().__init__(functools.partial(make, target, name or cls.__name__),
                             PassInfo(name or cls.__name__, opt_level, required))

        def __getattr__(self, attribute: str) -> Any:
            return getattr(self._instance, attribute)

    PassClass.__name__ = PassClass.__qualname__ = cls.__name__
    return PassClass


@contextlib.contextmanager
def _in_pass(name: str) -> Iterator[None]:
    """Errors of a pass name it."""
    try:
        yield
    except BaseException as error:
        if hasattr(error, "add_note"):
            error.add_note(f"raised in pass {name}")
        raise


def _infer_types_after(name: str, mod: IRModule) -> IRModule:
    """The types of what a pass has made."""
    from .transform import infer_types

    try:
        return infer_types(mod)
    except DiagnosticError as error:
        result = DiagnosticError(
            f"expects pass {name} to return well-typed functions, but got\n{error}")
        result.location, result.notes = error.location, error.notes
        result.diagnostics = error.diagnostics
        raise result from None


def _run_on_functions(target: Callable[..., Any], name: str, mod: IRModule,
                      context: PassContext) -> IRModule:
    # What a pass writes into the module that it is given is a part of the result only.
    result = as_class(mod.shallow_copy(), mod)
    made = {}
    with _in_pass(name):
        for var, function in mod.functions.items():
            if _is_closed(function):
                continue
            new = target(function, result, context)
            if not isinstance(new, _expr.Function):
                raise TypeError(f"expects pass {name} to return a function for "
                                f"@{var.name_hint}, but got {describe(new)}")
            made[var] = new
    result.functions.update(made)
    return as_class(_infer_types_after(name, result), mod)


def _are_same(copy: IRModule, mod: IRModule) -> bool:
    """Whether nothing has been written into a copy of a module."""
    tables: list[tuple[dict[Any, Any], dict[Any, Any]]] = [
        (copy.functions, mod.functions), (copy.type_definitions, mod.type_definitions),
        (copy.global_infos, mod.global_infos), (copy.attrs, mod.attrs)]
    return copy._imported == mod._imported and all(
        len(mine) == len(theirs) and all(
            key is other and mine[key] is theirs[other] for key, other in zip(mine, theirs))
        for mine, theirs in tables)


def _run_on_module(target: Callable[..., Any], name: str, mod: IRModule,
                   context: PassContext) -> IRModule:
    given = as_class(mod.shallow_copy(), mod)
    with _in_pass(name):
        result = target(given, context)
        if not isinstance(result, IRModule):
            raise TypeError(f"expects pass {name} to return a module, but got "
                            f"{describe(result)}")
    return mod if result is given and _are_same(given, mod) else result


def function_pass(pass_func: Any = None, opt_level: int | None = None, name: str | None = None,
                  required: Iterable[str] = ()) -> Any:
    """Makes a pass of `transform_function(function, mod, context)`: a function, or
    a class that has it. Functions with the attribute Compiler or SkipOptimization stay
    as they are; types are inferred afterwards."""
    return _decorator(FunctionPass, _run_on_functions, pass_func, opt_level or 0, name, required)


def module_pass(pass_func: Any = None, opt_level: int | None = None, name: str | None = None,
                required: Iterable[str] = ()) -> Any:
    """Makes a pass of `transform_module(mod, context)`: a function, or a class that
    has it."""
    return _decorator(ModulePass, _run_on_module, pass_func, opt_level or 0, name, required)


__all__ = [
    "ApplyPassToFunction", "FunctionPass", "ModulePass", "Pass", "PassContext", "PassInfo",
    "PrintIR", "Sequential", "build_config", "function_pass", "module_pass",
]
