"""Automatic differentiation."""

from __future__ import annotations

from typing import Any

from . import expr as _expr, transform as _transform, ty
from .._arguments import expect, expect_text, wrong
from ._core import core
from .expr_functor import ExprMutator
from .module import IRModule, expect_module
from .op import _attribute_table
from .pass_manager import FunctionPass, ModulePass, Pass, PassContext, PassInfo

_KEY = "FPrimalGradient"
_MODES = ("higher_order", "first_order")


#===------------------------------------------------------------------------===#
# Gradients that programs register
#===------------------------------------------------------------------------===#


class _Replacement(ExprMutator):
    """An expression with a variable for one of its parts."""

    def __init__(self, part: _expr.Expr, var: _expr.Var) -> None:
        super().__init__()
        self._part, self._var = part, var

    def visit(self, expr: _expr.Expr) -> Any:
        return self._var if expr is self._part else super().visit(expr)


def _gradient_function(call: _expr.Call, rule: Any) -> _expr.Function:
    """The gradient of a typed call of variables: a function of these, the result and its
    gradient, which returns a tuple."""
    name = call.op.name
    result_type = call.checked_type
    assert result_type is not None
    result = _expr.var("result", result_type)
    grad = _transform.infer_expr(_expr.var("grad", result_type))
    found = rule(call, grad)
    if not isinstance(found, (list, tuple)):
        raise wrong(f"what the gradient of {name} returns", "a list of expressions", found)
    if len(found) != len(call.args):
        raise ValueError(f"expects the gradient of {name} to return one for each of "
                         f"{len(call.args)} operands, but got {len(found)}")
    fields = [core.to_expr(field) for field in found]
    body = _Replacement(call, result).visit(_expr.Tuple(fields))
    types = [arg.checked_type for arg in call.args]
    return _expr.Function([*call.args, result, grad], body, ty.TupleType(types),
                          attrs={"Inline": 1})


class _Registered(ExprMutator):
    """Replaces calls of operators with a registered gradient by calls of functions whose
    gradient is known."""

    def __init__(self, mod: IRModule) -> None:
        super().__init__()
        self._mod = mod
        self.made: dict[_expr.GlobalVar, _expr.Function] = {}

    def _name(self, text: str) -> _expr.GlobalVar:
        name = text
        while name in self._mod or _expr.GlobalVar(name) in self.made:
            name += "_"
        return _expr.GlobalVar(name)

    def visit_call(self, call: _expr.Call) -> Any:
        new = super().visit_call(call)
        if not isinstance(call.op, core.Op):
            return new
        rule = _attribute_table.get(call.op.name, _KEY)
        if rule is None:
            return new
        params = [_expr.var(f"x{i}", arg.checked_type) for i, arg in enumerate(call.args)]
        inner = _transform.infer_expr(_expr.Function(
            params, _expr.Call(call.op, params, dict(call._attrs))))
        backward = self._name(f"{call.op.name.replace('.', '_')}_gradient")
        self.made[backward] = _gradient_function(inner.body, rule)
        forward = self._name(call.op.name.replace(".", "_"))
        self.made[forward] = _expr.Function(
            inner.params, inner.body, call.checked_type,
            attrs={"Inline": 1, _KEY: backward.name_hint})
        return _expr.Call(forward, new.args)


def _with_registered(mod: IRModule) -> tuple[IRModule, bool]:
    """A module in which the gradients of all operators are known to the compiler, and
    whether functions were added for that."""
    names = _attribute_table.names(_KEY)
    if not names:
        return mod, False
    mod = _transform.infer_types(mod)
    result = mod.shallow_copy()
    added = False
    for var, function in mod.functions.items():
        mutator = _Registered(result)
        new = mutator.visit(function)
        if mutator.made:
            result.functions[var] = new
            result.functions.update(mutator.made)
            added = True
    return result, added


def _differentiate(mod: IRModule, flag: str, entries: str = "") -> IRModule:
    whole, added = _with_registered(mod)
    passes = flag + (f"{{entries={entries}}}" if entries else "")
    if added:
        passes += ",relay-inline-functions"
    return _transform._run(whole, f"builtin.module({passes})")


def gradients_of_call(orig: _expr.Call, grad: _expr.Expr) -> list[_expr.Expr]:
    """The gradients of the operands of a call of an operator, given that of its result,
    as the compiler makes them."""
    expect(orig, _expr.Call, "orig", "a call")
    expect(grad, _expr.Expr, "grad", "an expression")
    types = [_transform.infer_expr(arg).checked_type for arg in orig.args]
    params = [_expr.var(f"x{i}", type_) for i, type_ in enumerate(types)]
    call = _expr.Call(orig.op, params, dict(orig._attrs))
    result_type = _transform.infer_expr(_expr.Function(params, call)).ret_type
    seed = _expr.var("grad", result_type)
    # Of the sum of products, the gradient is that of the call times `grad`.
    if isinstance(result_type, ty.TupleType):
        product: _expr.Expr = _expr.Tuple([
            core.to_expr(_expr.TupleGetItem(call, i) * _expr.TupleGetItem(seed, i))
            for i in range(len(result_type.fields))])
    else:
        product = core.to_expr(call * seed)
    function = gradient(_expr.Function([*params, seed], product), mode="first_order")
    values = dict(zip(function.params, [*orig.args, grad]))
    gradients = _expr.bind(function.body, values).fields[1]
    return list(gradients.fields[:-1])


#===------------------------------------------------------------------------===#
# Passes
#===------------------------------------------------------------------------===#


def gradient(expr: _expr.Expr, mod: IRModule | None = None,
             mode: str = "higher_order") -> _expr.Function:
    """Returns the gradient of a function, or of one of a module by its GlobalVar: a
    function `fn(T...) -> (R, (T...))` that returns what the other one does, and the
    gradients of the sum of that by its parameters.

    With mode "higher_order" the function may have any construct of the language;
    functions that it calls get a gradient, which is added to `mod`. With "first_order" it
    may have operators, tuples, variables, and functions that are called where they are
    known; the result has operators and tuples only.

    Raises DiagnosticError for constructs and operators that have no gradient.
    """
    if expect_text(mode, "mode") not in _MODES:
        raise ValueError(f"expects mode to be one of {', '.join(_MODES)}, but got {mode!r}")
    mod = IRModule() if mod is None else expect_module(mod)
    function = mod[expr] if isinstance(expr, _expr.GlobalVar) else expr
    expect(function, _expr.Function, "expr", "a Function, or the GlobalVar of one")
    assert isinstance(function, _expr.Function)
    whole = mod.shallow_copy()
    var = _transform._unused_name(whole)
    whole.functions[var] = function
    flag = "relay-gradient" if mode == "higher_order" else "relay-first-order-gradient"
    whole = _differentiate(whole, flag, var.name_hint)
    result: _expr.Function = whole.functions.pop(var)
    for other, added in whole.functions.items():
        if other not in mod.functions:
            mod.functions[other] = added
    for name, definition in whole.type_definitions.items():
        if name not in mod.type_definitions:
            mod.type_definitions[name] = definition
    return result


def FirstOrderGradient() -> Pass:  # pylint: disable=invalid-name
    """Makes gradients of all functions that no other function uses: of
    `fn(T...) -> R`, `fn(T...) -> (R, (T...))`; see gradient() with mode "first_order".
    Raises DiagnosticError for constructs and operators that have no such gradient."""
    return ModulePass(lambda mod, _: _differentiate(mod, "relay-first-order-gradient"),
                      PassInfo("FirstOrderGradient", 0))


def LazyGradientInit() -> Pass:  # pylint: disable=invalid-name
    """Makes tensors of zeros and ones only where something needs them: inside of
    functions, tensors become the `GradCell` of gradient.rly, which is imported. Sums with
    zeros, and products with zeros or ones, are not computed. Functions whose parameters or
    result are not tensors, or tuples of them, stay as they are."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        whole = mod.shallow_copy()
        whole.import_from_std("gradient.rly")
        return _transform._run(whole, "builtin.module(relay-lazy-gradient-init)")

    return FunctionPass(run, PassInfo("LazyGradientInit", 2))


__all__ = ["FirstOrderGradient", "LazyGradientInit", "gradient"]
