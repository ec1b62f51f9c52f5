"""Passes on modules."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

from . import _diagnostics, expr as _expr, ty
from ._core import core
from .module import IRModule, Module


if TYPE_CHECKING:
    from typing_extensions import Self


def infer_types(mod: IRModule) -> IRModule:
    """Returns the module with the types of all expressions. Raises
    DiagnosticError with all errors."""
    return _run(mod, "")


def _run(mod: IRModule, pipeline: str) -> IRModule:
    """Infers types, runs a pipeline of MLIR's passes, and returns a module."""
    with _diagnostics.raising():
        functions, types = core.run_passes(*mod._to_core(), pipeline)
    result = IRModule._from_core(functions, types, like=mod)
    return _as_class(result, mod)


def _as_class(result: IRModule, mod: IRModule) -> IRModule:
    """Makes the result of a pass a module of the class of `mod`."""
    result.__class__ = Module if isinstance(mod, Module) else IRModule
    return result


class PassInfo:
    """What is known of a pass."""

    def __init__(self, name: str, opt_level: int = 0, required: Iterable[str] = ()) -> None:
        self.name = name
        self.opt_level = opt_level
        self.required = list(required)

    def __repr__(self) -> str:
        return f"PassInfo({self.name}, opt_level={self.opt_level})"


class PassContext:
    """What passes are run under: passes above `opt_level` are skipped, as are
    those of `disabled_pass`."""

    _stack: list[PassContext] = []

    def __init__(self, opt_level: int = 2, required_pass: Iterable[str] | None = None,
                 disabled_pass: Iterable[str] | None = None,
                 instruments: Iterable[Any] | None = None,
                 config: Mapping[str, Any] | None = None) -> None:
        self.opt_level = opt_level
        self.required_pass = list(required_pass or ())
        self.disabled_pass = list(disabled_pass or ())
        self.instruments = list(instruments or ())
        self.config = dict(config or {})

    def __enter__(self) -> Self:
        PassContext._stack.append(self)
        return self

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        PassContext._stack.pop()

    @staticmethod
    def current() -> PassContext:
        """The context that is entered last."""
        return PassContext._stack[-1] if PassContext._stack else PassContext()

    @staticmethod
    def is_entered() -> bool:
        """Whether there is a context that the program asked for."""
        return bool(PassContext._stack)

    def enabled(self, info: PassInfo) -> bool:
        """Whether a pass is to be run."""
        if info.name in self.disabled_pass:
            return False
        return info.name in self.required_pass or info.opt_level <= self.opt_level


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
            raise TypeError(f"expects a module, but got {mod!r}")
        return self._function(mod, PassContext.current())

    def __repr__(self) -> str:
        return f"Pass({self.info.name})"


class Sequential(Pass):
    """Passes one after another, except those that the context switches off."""

    def __init__(self, passes: Iterable[Pass] | None = None, opt_level: int = 0,
                 name: str = "sequential", required: Iterable[str] = ()) -> None:
        self.passes = list(passes or ())

        def run(mod: IRModule, context: PassContext) -> IRModule:
            for pass_ in self.passes:
                if context.enabled(pass_.info):
                    mod = pass_(mod)
            return mod

        super().__init__(run, PassInfo(name, opt_level, required))


def _compiler_pass(name: str, pipeline: str, doc: str, opt_level: int = 0) -> Callable[[], Pass]:
    """A class of passes that the compiler has."""

    def make() -> Pass:
        return Pass(lambda mod, context: _run(mod, pipeline), PassInfo(name, opt_level))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = doc
    return make


InferType = _compiler_pass("InferType", "", "Infers the types of all expressions.")
FoldConstant = _compiler_pass(
    "FoldConstant", "builtin.module(func.func(relay-fold-constant))",
    "Evaluates operators on constants.", 2)
FoldScaleAxis = _compiler_pass(
    "FoldScaleAxis",
    "builtin.module(func.func(relay-fold-scale-axis,relay-fold-constant))",
    "Multiplies weights instead of data by scales of channels, where it can.", 3)
SimplifyInference = _compiler_pass(
    "SimplifyInference", "builtin.module(func.func(relay-simplify-inference))",
    "Replaces operators that are of use in training only.")
RemoveUnusedFunctions = _compiler_pass(
    "RemoveUnusedFunctions", "builtin.module(symbol-dce)",
    "Removes functions that @main does not use.", 1)
EliminateCommonSubexpr = _compiler_pass(
    "EliminateCommonSubexpr", "builtin.module(func.func(cse))",
    "Evaluates equal expressions once.", 3)
DeadCodeElimination = _compiler_pass(
    "DeadCodeElimination", "builtin.module(relay-dead-code)",
    "Removes what no result needs.", 1)


def ConvertLayout(desired_layouts: Mapping[str, str | Sequence[str]]) -> Pass:  # pylint: disable=invalid-name
    """Runs convolutions, and the operators around them, in other layouts.

    `desired_layouts` has for names of convolutions the layout of the data, or a
    list of it and that of the kernel; "default" leaves one as it is:
    `{"nn.conv2d": ["NHWC", "OHWI"]}`.
    """
    entries = []
    for name, layouts in desired_layouts.items():
        layouts = [layouts] if isinstance(layouts, str) else list(layouts)
        if len(layouts) not in (1, 2):
            raise ValueError(f"expects one or two layouts of {name}, but got {layouts}")
        entries.append(f"{name}={':'.join(map(str, layouts))}")

    def run(mod: IRModule, _: PassContext) -> IRModule:
        if not entries:
            return mod
        options = f"desired-layouts={','.join(entries)}"
        return _run(mod, f"builtin.module(func.func(relay-convert-layout{{{options}}}))")

    return Pass(run, PassInfo("ConvertLayout", 3))


def _decorator(make: Callable[..., IRModule], function: Any, opt_level: int, name: str | None,
               required: Iterable[str]) -> Any:
    """What function_pass and module_pass return: of a function, a pass; of a
    class, a class of passes."""

    def create(target: Any) -> Any:
        if inspect.isclass(target):
            return _pass_class(make, target, opt_level, name, required)
        info = PassInfo(name or target.__name__, opt_level, required)
        return Pass(functools.partial(make, target), info)

    return create if function is None else create(function)


def _pass_class(make: Callable[..., IRModule], cls: type, opt_level: int, name: str | None,
                required: Iterable[str]) -> type[Pass]:

    class PassClass(Pass):
        __doc__ = cls.__doc__

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self._instance = instance = cls(*args, **kwargs)
            target = getattr(instance, "transform_function", None) or \
                instance.transform_module
            super().__init__(functools.partial(make, target),
                             PassInfo(name or cls.__name__, opt_level, required))

        def __getattr__(self, attribute: str) -> Any:
            return getattr(self._instance, attribute)

    PassClass.__name__ = PassClass.__qualname__ = cls.__name__
    return PassClass


def _run_on_functions(target: Callable[..., Any], mod: IRModule, context: PassContext) -> IRModule:
    result = mod.shallow_copy()
    for var, function in mod.functions.items():
        new = target(function, mod, context)
        if not isinstance(new, _expr.Function):
            raise TypeError(f"expects the pass to return a function, but got {new!r}")
        result.functions[var] = new
    return _as_class(infer_types(result), mod)


def _run_on_module(target: Callable[..., Any], mod: IRModule, context: PassContext) -> IRModule:
    result = target(mod, context)
    if not isinstance(result, IRModule):
        raise TypeError(f"expects the pass to return a module, but got {result!r}")
    return result


def function_pass(pass_func: Any = None, opt_level: int | None = None, name: str | None = None,
                  required: Iterable[str] = ()) -> Any:
    """Makes a pass of `transform_function(function, mod, context)`: a function, or
    a class that has it. Types are inferred afterwards."""
    return _decorator(_run_on_functions, pass_func, opt_level or 0, name, required)


def module_pass(pass_func: Any = None, opt_level: int | None = None, name: str | None = None,
                required: Iterable[str] = ()) -> Any:
    """Makes a pass of `transform_module(mod, context)`: a function, or a class that
    has it."""
    return _decorator(_run_on_module, pass_func, opt_level or 0, name, required)


def InferTypeLocal(expr: _expr.Expr) -> ty.Type:  # pylint: disable=invalid-name
    """Infers the type of an expression, sets it (`expr.checked_type`), and returns
    it. The types of its parts stay as they are."""
    type_ = infer_expr(expr).checked_type
    expr._checked_type = type_
    return type_


def infer_expr(expr: Any, mod: IRModule | None = None) -> Any:
    """Returns an expression with the types of all its parts. Its free variables
    need annotations unless their types can be inferred."""
    from .analysis import free_vars

    expr = core.to_expr(expr)
    mod = mod.shallow_copy() if mod is not None else IRModule()
    name = "main"
    while name in mod:
        name += "_"
    params = free_vars(expr)
    closed = isinstance(expr, _expr.Function) and not params
    function = expr if closed else _expr.Function(params, expr)
    mod.functions[_expr.GlobalVar(name)] = function
    result = infer_types(mod)[name]
    return result if closed else result.body


__all__ = [
    "ConvertLayout", "DeadCodeElimination", "EliminateCommonSubexpr", "FoldConstant",
    "FoldScaleAxis", "InferType", "InferTypeLocal", "Pass", "PassContext", "PassInfo",
    "RemoveUnusedFunctions", "Sequential", "SimplifyInference", "build_config",
    "function_pass", "infer_expr", "infer_types", "module_pass",
]
