"""Passes on bindings, scopes and functions."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from . import expr as _expr, transform as _transform
from .._arguments import expect, expect_names
from ._core import core
from .expr_functor import ExprMutator
from .module import IRModule, expect_module
from .pass_manager import FunctionPass, ModulePass, Pass, PassContext, PassInfo


def _module_pass(name: str, *passes: str) -> Pass:
    pipeline = f"builtin.module({','.join(passes)})"
    return ModulePass(lambda mod, context: _transform._run(mod, pipeline), PassInfo(name, 1))


def _flag(value: bool, name: str) -> str:
    return str(expect(value, bool, name, "a bool")).lower()


def _of_expression(make: Callable[[], Pass], expr: Any) -> Any:
    """What a pass makes of an expression, which may have free variables."""
    mod = IRModule()
    function, rest = _transform._in_function(core.to_expr(expr))
    mod["main"] = function
    return rest(make()(mod)["main"])


#===------------------------------------------------------------------------===#
# Normal forms
#===------------------------------------------------------------------------===#


def ToANormalForm() -> Pass:  # pylint: disable=invalid-name
    """Binds every value that is computed to a variable, in the order of evaluation;
    constants and tuples as well, but no names of functions, constructors or
    operators. Primitive functions stay as they are."""
    return _module_pass("ToANormalForm", "relay-to-a-normal-form")


def ToANormalFormExpr(e: _expr.Expr) -> _expr.Expr:  # pylint: disable=invalid-name
    """Returns an expression in A-normal form; see ToANormalForm. The types of its free
    variables are to be known. Raises TypeError for what is no expression."""
    result: _expr.Expr = _of_expression(ToANormalForm, expect(e, _expr.Expr, "e", "an expression"))
    return result


def ToBasicBlockNormalForm() -> Pass:  # pylint: disable=invalid-name
    """Binds values that several branches, cases or functions use to variables around
    them, so that each expression belongs to one of them."""
    return _module_pass("ToBasicBlockNormalForm", "relay-to-basic-block-normal-form")


def ToGraphNormalForm() -> Pass:  # pylint: disable=invalid-name
    """Replaces variables by the values that they are bound to, except where that would
    change the order of effects, or a function calls itself."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        return _transform._run(mod, "builtin.module(relay-to-graph-normal-form)")

    return FunctionPass(run, PassInfo("ToGraphNormalForm", 1))


#===------------------------------------------------------------------------===#
# Memory
#===------------------------------------------------------------------------===#


def ManifestLifetimes() -> Pass:  # pylint: disable=invalid-name
    """Puts memory.kill of each variable behind the binding of what uses it last, of a
    program in A-normal form; parameters end, too. Variables for variables are replaced by
    these. Results, and what nobody uses, do not end."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        return _transform._run(mod, "builtin.module(func.func(relay-manifest-lifetimes))")

    return FunctionPass(run, PassInfo("ManifestLifetimes", 0))


def AnnotateUsedMemory() -> Pass:  # pylint: disable=invalid-name
    """Gives primitive functions of a program in A-normal form the attribute used_memory:
    for each call, the bytes of the tensors that are in use before it, and of its result.
    @main has the bytes of its parameters and results as io_used_memory. The pass raises
    DiagnosticError for a tensor of a size that is not known."""
    pipeline = "builtin.module(relay-annotate-used-memory)"
    return ModulePass(lambda mod, _: _transform._run(mod, pipeline),
                      PassInfo("AnnotateUsedMemory", 0))


#===------------------------------------------------------------------------===#
# Functions
#===------------------------------------------------------------------------===#


def EtaExpand(  # pylint: disable=invalid-name
        expand_constructor: bool = False, expand_global_var: bool = False) -> Pass:
    """Replaces constructors (`expand_constructor`) and functions of the module
    (`expand_global_var`) that are not called but used as values by functions that call
    them."""
    return _module_pass(
        "EtaExpand",
        f"relay-eta-expand{{expand-constructor={_flag(expand_constructor, 'expand_constructor')} "
        f"expand-global-var={_flag(expand_global_var, 'expand_global_var')}}}")


def Inline() -> Pass:  # pylint: disable=invalid-name
    """Replaces calls of functions with the attribute `Inline` by what they compute, and
    removes those that nothing uses after that. A function that calls others, which are
    not inlined themselves, stays; so does one that calls itself."""
    return _module_pass("InlineGlobals", "relay-inline-functions")


def LambdaLift() -> Pass:  # pylint: disable=invalid-name
    """Makes functions of the module, `@lifted_name...`, of functions that are inside of
    others. One that uses variables from outside becomes a call of a function of those
    variables, with the attribute `Closure`, which returns it."""
    return _module_pass("LambdaLift", "relay-lambda-lift")


def RemoveUnusedFunctions(  # pylint: disable=invalid-name
        entry_functions: Sequence[str] | None = None) -> Pass:
    """Removes functions that those of `entry_functions`, else @main, do not use. Raises
    TypeError if that is no list of names; the pass raises ValueError for one that is
    not in the module."""
    entries = ["main"] if entry_functions is None else \
        expect_names(entry_functions, "entry_functions")

    def run(mod: IRModule, _: PassContext) -> IRModule:
        for name in entries:
            mod[name]  # pylint: disable=pointless-statement
        if not entries:
            return _transform.remove_unused(mod, ())
        return _transform._run(
            mod, f"builtin.module(relay-remove-unused-functions{{entries={','.join(entries)}}})")

    return ModulePass(run, PassInfo("RemoveUnusedFunctions", 1))


#===------------------------------------------------------------------------===#
# Continuation passing style
#===------------------------------------------------------------------------===#


def ToCPS() -> Pass:  # pylint: disable=invalid-name
    """Makes functions of continuation passing style: they have one more parameter, a
    function that they call with their result, and a type parameter for what that
    returns. What they call becomes `@<name>_cps`."""
    return FunctionPass(lambda mod, _: _transform._run(mod, "builtin.module(relay-to-cps)"),
                        PassInfo("ToCPS", 1))


def UnCPS() -> Pass:  # pylint: disable=invalid-name
    """Makes functions of continuation passing style that no function uses functions
    that return their result. Raises DiagnosticError for functions of another form."""
    return FunctionPass(lambda mod, _: _transform._run(mod, "builtin.module(relay-un-cps)"),
                        PassInfo("UnCPS", 1))


def _unused_name(name: str, *mods: IRModule) -> str:
    """A name that begins with another one, and that no function has."""
    number = 1
    while any(f"{name}_{number}" in mod for mod in mods):
        number += 1
    return f"{name}_{number}"


class _Renaming(ExprMutator):
    """Gives functions of a module other names."""

    def __init__(self, names: dict[str, _expr.GlobalVar]) -> None:
        super().__init__()
        self._names = names

    def visit_global_var(self, gvar: _expr.GlobalVar) -> _expr.GlobalVar:
        """The function by its new name."""
        return self._names.get(gvar.name_hint, gvar)


def _of_function(func: _expr.Function, mod: IRModule, passes: str,
                 changes_all: bool = False) -> _expr.Function:
    """What passes make of a function, in a module that gets the functions and types
    that are new; `passes` has {} for the function's name. If they change all functions,
    those that are there stay, and the others have new names."""
    expect(func, _expr.Function, "func", "a Function")
    whole = expect_module(mod).shallow_copy()
    var = _transform._unused_name(whole)
    whole.functions[var] = func
    whole = _transform._run(whole, f"builtin.module({passes.format(var.name_hint)})")
    if changes_all:
        renaming = _Renaming({
            other.name_hint: _expr.GlobalVar(_unused_name(other.name_hint, mod, whole))
            for other in whole.functions if other in mod.functions})
        whole.functions = {renaming.visit(other): renaming.visit(function)
                           for other, function in whole.functions.items()}
    result: _expr.Function = whole.functions.pop(var)
    for other, function in whole.functions.items():
        if other not in mod.functions:
            mod.functions[other] = function
    for name, definition in whole.type_definitions.items():
        if name not in mod.type_definitions:
            mod.type_definitions[name] = definition
    return result


def to_cps(func: _expr.Function, mod: IRModule | None = None) -> _expr.Function:
    """Returns a function in continuation passing style; see ToCPS. Adds what it calls, in
    this style, to `mod`."""
    return _of_function(func, IRModule() if mod is None else mod, "relay-to-cps{{entries={}}}")


def un_cps(func: _expr.Function, mod: IRModule | None = None) -> _expr.Function:
    """Returns a function of continuation passing style, of a module, as one that returns
    its result. Raises DiagnosticError for a function of another form."""
    return _of_function(func, IRModule() if mod is None else mod, "relay-un-cps{{entries={}}}")


#===------------------------------------------------------------------------===#
# Evaluation
#===------------------------------------------------------------------------===#


def PartialEvaluate() -> Pass:  # pylint: disable=invalid-name
    """Evaluates what is known when the program is compiled: calls of known functions,
    branches and cases that known values choose, operators of constants, and references
    that are known. What is left is in A-normal form; DeadCodeElimination removes what of
    it nothing needs."""
    return ModulePass(
        lambda mod, _: _transform._run(
            mod, "builtin.module(relay-partial-evaluate,relay-to-a-normal-form)"),
        PassInfo("PartialEval", 1))


def Defunctionalization(func: _expr.Function, mod: IRModule) -> _expr.Function:  # pylint: disable=invalid-name
    """Returns a function that does the same without functions as values: they become
    data, and calls of them calls of functions that match on the data. Adds these types
    and functions to `mod`. Functions with type parameters become functions of one type
    each.

    Raises DiagnosticError for a function that has functions for parameters or results,
    and for closures with type parameters whose uses do not tell their types.
    """
    return _of_function(func, mod, "relay-defunctionalize{{entries={}}}", changes_all=True)


def DynamicToStatic() -> Pass:  # pylint: disable=invalid-name
    """Replaces operators such as dyn.reshape by those with attributes in place of
    operands, where these operands are constants after constants are folded."""
    return FunctionPass(
        lambda mod, _: _transform._run(mod, "builtin.module(relay-dynamic-to-static)"),
        PassInfo("DynamicToStatic", 2))


__all__ = [
    "AnnotateUsedMemory", "Defunctionalization", "DynamicToStatic", "EtaExpand", "Inline",
    "LambdaLift", "ManifestLifetimes", "PartialEvaluate", "RemoveUnusedFunctions",
    "ToANormalForm", "ToANormalFormExpr", "ToBasicBlockNormalForm", "ToCPS",
    "ToGraphNormalForm", "UnCPS", "to_cps", "un_cps",
]
