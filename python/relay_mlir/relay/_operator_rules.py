"""Passes that ask functions which programs register for operators: legal forms, other
layouts, precision."""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator

from . import blocked_layouts, transform as _transform
from .._arguments import expect_int, expect_text, wrong
from ._core import core
from .expr import Call, Expr, Function
from .expr_functor import ExprMutator
from .module import IRModule
from .op import _attribute_table
from .pass_manager import FunctionPass, Pass, PassContext, PassInfo


def _rule(call: Call, key: str) -> Callable[..., Any] | None:
    """What is registered for the operator of a call, if it is one."""
    if not isinstance(call.op, core.Op):
        return None
    rule: Callable[..., Any] | None = _attribute_table.get(call.op.name, key)
    return rule


def _replacement(rule: Callable[..., Any], call: Call, *arguments: Any) -> Call | None:
    """What a rule makes of a call: a call, or None to keep it."""
    new = rule(*arguments)
    if new is not None and not isinstance(new, core.Call):
        raise wrong(f"what the rule for {call.op.name} returns", "a call, or None", new)
    return new


def _rewrite(mod: IRModule, make: Callable[[], ExprMutator]) -> IRModule:
    """Runs a mutator on the functions of a typed module that are to be optimised."""
    mod = _transform.infer_types(mod)
    result = mod.shallow_copy()
    for var, function in mod.functions.items():
        attrs = dict(function._attrs)
        if any(attrs.get(name) for name in ("Primitive", "Compiler", "SkipOptimization")):
            continue
        new = make().visit(function)
        assert isinstance(new, Function)
        result.functions[var] = new
    return _transform.infer_types(result)


#===------------------------------------------------------------------------===#
# Legal forms
#===------------------------------------------------------------------------===#


class _Legalizer(ExprMutator):

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def visit_call(self, call: Call) -> Any:
        new = super().visit_call(call)
        rule = _rule(call, self._key)
        if rule is None:
            return new
        types = [arg.checked_type for arg in call.args] + [call.checked_type]
        result = _replacement(rule, call, new.attrs, list(new.args), types)
        return new if result is None else result


def Legalize(legalize_map_attr_name: str = "FTVMLegalize") -> Pass:  # pylint: disable=invalid-name
    """Replaces calls of operators by what functions make of them that are registered with
    this attribute (`relay.op.register_legalize`); operators of other dialects, too, by
    what they say themselves. Raises TypeError if one returns anything but a call or
    None."""
    key = expect_text(legalize_map_attr_name, "legalize_map_attr_name")

    def run(mod: IRModule, context: PassContext) -> IRModule:
        mod = _rewrite(mod, lambda: _Legalizer(key))
        return _transform._run(mod, "builtin.module(func.func(relay-legalize))")

    return FunctionPass(run, PassInfo("Legalize", 1))


#===------------------------------------------------------------------------===#
# Layouts
#===------------------------------------------------------------------------===#

# The attributes with the layouts of operands, by number, and what they are if the
# operator has none.
_OPERANDS = (("data_layout", "layout"), ("kernel_layout", "weight_layout"))
_BLOCKED = re.compile(r"NCHW([1-9]\d*)c")


def _layouts(call: Call) -> Iterator[str | None]:
    """The layout of the data, of the weight and of the result of a call, where it has
    them."""
    attrs = call.attrs
    found = [next((str(attrs[name]) for name in names if name in attrs), None)
             if attrs is not None else None for names in _OPERANDS]
    yield from found
    out = str(attrs["out_layout"] or "") if attrs is not None and "out_layout" in attrs else ""
    yield out or found[0]


class _LayoutChanger(blocked_layouts._Blocker):
    """Rebuilds a typed function. A value is there in its old layout, and known in a new
    one where an operator has left it in that; see the base."""

    def __init__(self) -> None:
        super().__init__({})
        # The old layout of what is known in a new one.
        self._plain: dict[Expr, str] = {}

    def visit_call(self, call: Call) -> Any:
        rule = _rule(call, "FTVMAlterOpLayout")
        if rule is None:
            return super().visit_call(call)
        new = ExprMutator.visit_call(self, call)
        types = [arg.checked_type for arg in call.args]
        altered = _replacement(rule, call, new.attrs, list(new.args), types, call.checked_type)
        return new if altered is None else self._altered(new, altered)

    def _altered(self, old: Call, new: Call) -> Expr:
        *inputs, result = zip(_layouts(old), _layouts(new))
        args = list(new.args)
        for i, (before, after) in enumerate(inputs):
            if i < len(args) and before and after and before != after:
                args[i] = self._changed(args[i], before, after)
        call = Call(new.op, args, dict(new._attrs))
        before, after = result
        if not before or not after or before == after:
            return call
        leaves = blocked_layouts._transform(call, after, before)
        self._blocked[leaves] = (after, call)
        self._plain[leaves] = before
        return leaves

    def _changed(self, value: Expr, before: str, after: str) -> Expr:
        known = self._blocked.get(value)
        if known is not None and known[0] == after and self._plain.get(value) == before:
            return known[1]
        return blocked_layouts._transform(value, before, after)

    def _leave(self, call: Call, layout: str) -> Expr:
        leaves = super()._leave(call, layout)
        self._plain[leaves] = blocked_layouts._PLAIN
        return leaves

    def _elementwise(self, call: Call, new: Call) -> Expr:
        layouts = {self._blocked[arg][0] for arg in new.args if arg in self._blocked}
        # Of what is not in the layout that the base knows, nothing follows.
        if all(map(_BLOCKED.fullmatch, layouts)):
            return super()._elementwise(call, new)
        return new

    def _bias(self, call: Call, new: Call) -> Expr:
        known = self._blocked.get(new.args[0])
        if known is None or _BLOCKED.fullmatch(known[0]):
            return super()._bias(call, new)
        return new


def AlterOpLayout() -> Pass:  # pylint: disable=invalid-name
    """Replaces calls of operators by those in other layouts that registered functions
    make of them (`relay.op.register_alter_op_layout`). Such a call has the old operands;
    where its attributes name other layouts than before, operands and result are
    transformed, but between two that agree. Elementwise operators on blocks of channels
    (NCHW8c) follow. Raises TypeError if a function returns anything but a call or
    None."""
    return FunctionPass(lambda mod, context: _rewrite(mod, _LayoutChanger),
                        PassInfo("AlterOpLayout", 3))


#===------------------------------------------------------------------------===#
# Precision
#===------------------------------------------------------------------------===#

_COLOURS = ("always", "follow", "never")
_TYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}
_MISSING = ("error", "warning", "ignore")


def _answers(mod: IRModule, dtype: str) -> dict[str, tuple[str, str]]:
    """What the registered functions say of the operators of a module: colour, and type of
    sums."""
    result: dict[str, tuple[str, str]] = {}

    def visit(node: Expr) -> None:
        if not isinstance(node, core.Call):
            return
        rule = _rule(node, "FTVMMixedPrecisionConversionType")
        if rule is None:
            return
        name = node.op.name
        answer = rule(node, dtype)
        if (not isinstance(answer, (list, tuple)) or len(answer) != 3 or
                answer[0] not in range(3) or
                any(str(type_) not in _TYPES for type_ in answer[1:])):
            raise wrong(f"what the rule for {name} returns",
                        "a category from 0 to 2 and two types", answer)
        if str(answer[2]) not in (dtype, str(answer[1])):
            raise ValueError(f"expects the result of {name} to be of {dtype}, or of the type of "
                             f"its sums, but got {answer[2]}")
        colour = _COLOURS[int(answer[0])], str(answer[1])
        if result.setdefault(name, colour) != colour:
            raise ValueError(f"expects the rule for {name} to say the same of all calls, but "
                             f"got {result[name]} and {colour}")

    for function in mod.functions.values():
        for node in core.post_order(function):
            visit(node)
    return result


def ToMixedPrecision(  # pylint: disable=invalid-name
        mixed_precision_type: str = "float16", missing_op_mode: int = 1) -> Pass:
    """Computes convolutions and products in float16 or bfloat16, and what can follow
    them; sums and functions of a wide range stay in float32. What operators do,
    functions of `relay.op.register_mixed_precision_conversion` say: 0 for always, 1 for
    follow, 2 for never, the type of sums and that of the result.

    Operators of which nothing is known are an error with `missing_op_mode` 0, a warning
    with 1, and follow with 2. The option relay.ToMixedPrecision.keep_orig_output_dtype
    of the context keeps the types of results."""
    dtype = expect_text(mixed_precision_type, "mixed_precision_type")
    if dtype not in ("float16", "bfloat16"):
        raise ValueError(f"expects mixed_precision_type to be float16 or bfloat16, but got "
                         f"{dtype}")
    missing = _MISSING[expect_int(missing_op_mode, "missing_op_mode", 0, 2)]

    def run(mod: IRModule, context: PassContext) -> IRModule:
        mod = _transform.infer_types(mod)
        options = {"type": _TYPES[dtype], "missing": missing,
                   "keep-output-types": _transform._flag(context.config.get(
                       "relay.ToMixedPrecision.keep_orig_output_dtype", False))}
        lists: dict[str, list[str]] = {name: [] for name in (*_COLOURS, "accumulate")}
        for name, (colour, sums) in _answers(mod, dtype).items():
            lists[colour].append(name)
            if sums != dtype:
                lists["accumulate"].append(f"{name}={_TYPES[sums]}")
        options.update({key: ",".join(names) for key, names in lists.items() if names})
        text = " ".join(f"{key}={value}" for key, value in options.items())
        return _transform._run(mod, f"builtin.module(relay-to-mixed-precision{{{text}}})")

    return FunctionPass(run, PassInfo("ToMixedPrecision", 0))


__all__ = ["AlterOpLayout", "Legalize", "ToMixedPrecision"]
