"""Evaluating expressions: `create_executor`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from . import _diagnostics, adt, analysis, expr as _expr, ty
from .._arguments import expect, expect_list, expect_mapping, expect_text
from .._compile import Module
from ._core import core
from .device import Device
from .expr import Expr, Function, TupleWrapper, Var
from .module import IRModule, module_arguments
from .qnn.config import with_requantize_config

if TYPE_CHECKING:
    from .backend.vm import Executable

ConstructorValue = core.ConstructorValue
RefValue = core.RefValue
Closure = core.Closure


def _to_python(value: Any) -> Any:
    """What the extension returns, with the arrays as NDArray."""
    if isinstance(value, np.ndarray):
        return value.view(_expr.NDArray)
    if isinstance(value, tuple):
        return tuple(map(_to_python, value))
    return value


def _nest(tensors: Iterator[Any], type_: ty.Type) -> Any:
    """A value of a type, made of its tensors."""
    if isinstance(type_, ty.TupleType):
        return tuple(_nest(tensors, field) for field in type_.fields)
    return next(tensors)


def _fields(self: ConstructorValue) -> list[Any]:
    """The fields of a value of a data type."""
    return [_to_python(field) for field in self._fields]


def _call_closure(self: Closure, *args: Any) -> Any:
    """Calls a function that an evaluation returned."""
    with _diagnostics.raising():
        return _to_python(self._call(list(args)))


_init_data: Callable[..., None] = getattr(ConstructorValue, "__init__")
_init_reference: Callable[..., None] = getattr(RefValue, "__init__")


def _data_init(self: ConstructorValue, tag: int, fields: Sequence[Any],
               constructor: adt.Constructor) -> None:
    """A value of a data type: what `constructor`, the tag of which is `tag`, makes of
    `fields`."""
    expect(constructor, adt.Constructor, "constructor", "a constructor")
    if tag != constructor.tag:
        raise ValueError(f"expects the tag of {constructor.name_hint}, {constructor.tag}, but "
                         f"got {tag}")
    _init_data(self, constructor, expect_list(fields, "fields"))


@functools.lru_cache(maxsize=None)
def _cells() -> Any:
    """A program that makes references to values of any type, and changes them."""
    from .text import parse

    return core.Program(*parse('''#[version = "0.0.5"]
def @make[A](%x: A) -> ref(A) { ref(%x) }
def @write[A](%r: ref(A), %x: A) -> () { ref_write(%r, %x) }
''')._to_core())


def _reference_init(self: RefValue, value: Any) -> None:
    """A reference that holds a value."""
    with _diagnostics.raising():
        _init_reference(self, _cells().run("make", [value]))


def _set_contents(self: RefValue, value: Any) -> None:
    with _diagnostics.raising():
        _cells().run("write", [self, self._convert(value)])


def _set_machine_contents(self: core.VMRefValue, value: Any) -> None:
    with _diagnostics.raising():
        self._write(value)


_expr.extend(ConstructorValue, __init__=_data_init, fields=property(_fields))
_expr.extend(RefValue, __init__=_reference_init,
             value=property(lambda self: _to_python(self._value), _set_contents,
                            doc="What the reference holds now."))
_expr.extend(core.VMRefValue,
             value=property(lambda self: _to_python(self._value), _set_machine_contents,
                            doc="What the reference holds now."))
_expr.extend(Closure, __call__=_call_closure)


class Executor:
    """Evaluates expressions in a module."""

    def __init__(self, mod: IRModule) -> None:
        self.mod = mod

    def evaluate(self, expr: Expr | TupleWrapper | None = None,
                 binds: Mapping[Var, Any] | None = None) -> Any:
        """Evaluates an expression (by default @main of the module).

        A function becomes a function of Python, whose arguments are NumPy arrays,
        numbers, tuples and values of data types, by position or by name. Any other
        expression becomes its value. `binds` maps free variables to values.
        """
        mod = self.mod.shallow_copy()
        if expr is None:
            expr = mod["main"]
        expr = core.to_expr(expr)
        binds = expect_mapping(binds, "binds")
        if binds:
            expr = _expr.bind(expr, {v: _bound(value) for v, value in binds.items()})
        if isinstance(expr, _expr.GlobalVar):
            return self._function(mod, expr.name_hint)
        name = self._unused_name(mod)
        free = analysis.free_vars(expr)
        if free:
            names = ", ".join(repr(var.name_hint) for var in free)
            raise ValueError(f"expects an expression without free variables, but {names} "
                             "is free")
        if isinstance(expr, _expr.Function):
            mod.functions[_expr.GlobalVar(name)] = expr
            return self._function(mod, name)
        mod.functions[_expr.GlobalVar(name)] = _expr.Function([], expr)
        return self._function(mod, name)()

    @staticmethod
    def _unused_name(mod: IRModule) -> str:
        name = "main"
        while name in mod:
            name = "_" + name
        return name

    def _function(self, mod: IRModule, name: str) -> Callable[..., Any]:
        raise NotImplementedError

    @staticmethod
    def _arguments(names: Sequence[str], args: Sequence[Any],
                   kwargs: Mapping[str, Any]) -> list[Any]:
        """All arguments by position. Parameters are called by their names."""
        if not kwargs and len(args) == len(names):
            return list(args)
        if len(args) > len(names):
            raise TypeError(f"expects {len(names)} arguments, but got {len(args)}")
        values = dict(zip(range(len(args)), args))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"expects one of the parameters {', '.join(names)}, but got "
                                f"{name!r}")
            index = names.index(name)
            if index in values:
                raise TypeError(f"expects parameter {name!r} once, but got it twice")
            values[index] = value
        missing = [n for i, n in enumerate(names) if i not in values]
        if missing:
            raise TypeError(f"expects parameter {missing[0]!r}, but it is missing")
        return [values[i] for i in range(len(names))]


def _bound(value: Any) -> Expr:
    return value if isinstance(value, _expr.Expr) else _expr.const(value)


class Interpreter(Executor):
    """The reference interpreter: the whole language."""

    def _function(self, mod: IRModule, name: str) -> Callable[..., Any]:
        with _diagnostics.raising():
            program = core.Program(*with_requantize_config(mod)._to_core())
        names = [var.name_hint for var in mod[name].params]

        def run(*args: Any, **kwargs: Any) -> Any:
            arguments = self._arguments(names, args, kwargs)
            with _diagnostics.raising():
                return _to_python(program.run(name, arguments))

        run.__name__ = name
        return run


class AotExecutor(Executor):
    """Compiles to native code."""

    def __init__(self, mod: IRModule, target: Any) -> None:
        super().__init__(mod)
        self._target = target

    def _compile(self, mod: IRModule, is_whole: bool) -> Executable | Module:
        from .backend.vm import compile_program

        return compile_program(mod, self._target, 3, "aot", is_whole)

    def _function(self, mod: IRModule, name: str) -> Callable[..., Any]:
        from .transform import infer_types, remove_unused

        mod = remove_unused(mod, [name])
        names = [var.name_hint for var in mod[name].params]
        is_called = any(isinstance(node, _expr.GlobalVar) and node.name_hint == name
                        for function in mod.functions.values()
                        for node in core.post_order(function))
        entry = name
        if not is_called and "main" not in mod:
            # @main alone may be one function of tensors.
            entry = "main"
            mod.functions = {(_expr.GlobalVar(entry) if var.name_hint == name else var): f
                             for var, f in mod.functions.items()}
        compiled = self._compile(mod, entry != "main")
        result_type = infer_types(mod)[entry].ret_type
        assert result_type is not None

        def run(*args: Any, **kwargs: Any) -> Any:
            arguments = self._arguments(names, args, kwargs)
            if not isinstance(compiled, Module):
                return compiled._run(entry, arguments)
            outputs = compiled(*arguments)
            flat = outputs if isinstance(outputs, tuple) else (outputs,)
            return _to_python(_nest(iter(flat), result_type))

        run.__name__ = name
        return run


class GraphExecutor(AotExecutor):
    """Compiles graphs of kernels to native code: functions of tensors of known sizes."""

    def _compile(self, mod: IRModule, is_whole: bool) -> Executable | Module:
        from .build_module import compile_main

        if is_whole:
            raise ValueError("expects a function that nothing calls, as graphs are, but got one "
                             "that is called; the executors 'aot' and 'vm' take it")
        return compile_main(mod, self._target, 3)

    def _function(self, mod: IRModule, name: str) -> Callable[..., Any]:
        from .transform import infer_types

        for var in infer_types(mod)[name].params:
            sizes = getattr(var.checked_type, "shape", ())
            if not all(isinstance(size, int) for size in sizes):
                raise ValueError(f"expects sizes that are known, as graphs have them, but got "
                                 f"parameter {var.name_hint!r} of type {var.checked_type}; the "
                                 "executors 'aot' and 'vm' take it")
        return super()._function(mod, name)


def create_executor(kind: str = "debug", mod: IRModule | Function | None = None,
                    device: Device | None = None, target: Any = "llvm",
                    params: Mapping[str, Any] | None = None) -> Executor:
    """Makes an executor: "debug", the interpreter; "vm", bytecode that calls native functions
    of tensors; "aot", native code; or "graph", native code of functions of tensors whose sizes
    are known. The others take the whole language.

    `params` are values of parameters of @main, by name, and `target` is one or a dict, as
    in `build`.
    """
    del device  # All of them run on the host.
    mod = module_arguments(mod)
    expect_text(kind, "kind")
    params = expect_mapping(params, "params")
    if params:
        from .build_module import bind_main

        mod = bind_main(mod, params, stacklevel=2)
    if kind in ("debug", "interp"):
        return Interpreter(mod)
    if kind == "aot":
        return AotExecutor(mod, target)
    if kind == "graph":
        return GraphExecutor(mod, target)
    if kind == "vm":
        from .backend.vm import VMExecutor

        return VMExecutor(mod, target)
    raise ValueError("expects an executor 'debug', 'vm', 'aot' or 'graph', but got "
                     f"{kind!r}")


__all__ = ["Closure", "ConstructorValue", "Executor", "Interpreter", "RefValue",
           "create_executor"]
