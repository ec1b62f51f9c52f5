"""Programs that compute single operators in another type, or with another batch."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from . import expr as _expr, ty
from .._arguments import describe, expect, expect_int, expect_list, expect_mapping, expect_names
from ._core import core
from .expr_functor import ExprMutator
from .module import IRModule
from .op import _registry
from .pass_manager import FunctionPass, Pass, PassContext, PassInfo


class _Recaster(ExprMutator):
    """Rebuilds a typed function. Operators are numbered as they are computed."""

    def __init__(self, dtype: str, out_dtype: str, ops: Sequence[str], chosen: set[int]) -> None:
        super().__init__()
        self._dtype, self._out_dtype = dtype, out_dtype
        self._ops, self._chosen = ops, chosen
        self.number = -1

    def _cast(self, expr: _expr.Expr, dtype: str) -> _expr.Expr:
        return _expr.Call(core.get_op("cast"), [expr], {"dtype": dtype})

    def _cast_operand(self, arg: _expr.Expr, type_: ty.Type) -> _expr.Expr:
        """An operand, which may be a tuple of tensors, written out or not."""
        if not isinstance(type_, ty.TupleType):
            return self._cast(arg, self._dtype)
        fields = (arg.fields if isinstance(arg, core.Tuple) else
                  [_expr.TupleGetItem(arg, index) for index in range(len(type_.fields))])
        return _expr.Tuple([self._cast_operand(field, field_type)
                            for field, field_type in zip(fields, type_.fields)])

    def visit_call(self, call: _expr.Call) -> Any:
        new = super().visit_call(call)
        if not isinstance(call.op, core.Op) or call.op.name not in self._ops:
            return new
        self.number += 1
        if self.number not in self._chosen:
            return new
        result = expect(call.checked_type, ty.TensorType, f"the result of {call.op.name}",
                        "a tensor")
        args = [self._cast_operand(arg, typed.checked_type)
                for arg, typed in zip(new.args, call.args)]
        attrs = dict(new._attrs)
        if "out_dtype" in _registry.attribute_defaults(call.op.name):
            attrs["out_dtype"] = self._out_dtype
        return self._cast(_expr.Call(call.op, args, attrs), result.dtype)


def recast(expr: _expr.Expr | IRModule, dtype: str, out_dtype: str, ops: Sequence[str] | None = None,
           skip_layers: Sequence[int] | None = None) -> Any:
    """Computes operators in another type: casts what they take to `dtype`, and what they
    return back. Those with an attribute out_dtype return `out_dtype` before that.

    `ops` has the names of the operators (["nn.conv2d"]), `skip_layers` the numbers of those
    that stay as they are, in the order in which they are computed; numbers below 0 count
    from the last one. Takes an expression, or a module, of which it changes @main. This
    tells how fast a program would be, and not how to quantize it: values are not scaled."""
    from .transform import infer_expr, infer_types

    names = ["nn.conv2d"] if ops is None else expect_names(ops, "ops")
    for name in names:
        _registry.get(name)
    for name in (dtype, out_dtype):
        ty.TensorType((), name)  # Raises TypeError for an unknown name.
    skipped = [expect_int(layer, "each of skip_layers")
               for layer in expect_list(skip_layers or [], "skip_layers")]
    if isinstance(expr, IRModule):
        mod = infer_types(expr)
        result = mod.shallow_copy()
        result.functions[_expr.GlobalVar("main")] = _recast(
            mod["main"], dtype, out_dtype, names, skipped)
        return infer_types(result)
    return _recast(infer_expr(expect(expr, _expr.Expr, "expr", "an expression or a module")),
                   dtype, out_dtype, names, skipped)


def _recast(typed: Any, dtype: str, out_dtype: str, ops: Sequence[str],
            skipped: Sequence[int]) -> Any:
    counter = _Recaster(dtype, out_dtype, ops, set())
    counter.visit(typed)
    count = counter.number + 1
    chosen = set(range(count)) - {layer + count if layer < 0 else layer for layer in skipped}
    return _Recaster(dtype, out_dtype, ops, chosen).visit(typed)


def ChangeBatch(data: Mapping[Any, int], batch_size: int = 16) -> Pass:  # pylint: disable=invalid-name
    """Gives parameters another size along one axis each: `data` has the axis for
    parameters, or their names. Raises ValueError for a size below 1; the pass for what is no
    parameter of any function, or has no such axis."""
    axes = {}
    for key, axis in expect_mapping(data, "data").items():
        if not isinstance(key, (str, _expr.Var)):
            raise TypeError(f"expects the keys of data to be parameters, but got {describe(key)}")
        axes[key if isinstance(key, str) else key.name_hint] = expect_int(axis, "an axis")
    size = expect_int(batch_size, "batch_size", 1)

    def run(mod: IRModule, _: PassContext) -> IRModule:
        from .transform import infer_types

        result = mod.shallow_copy()
        found: set[str] = set()
        for var, function in mod.functions.items():
            binds = {param: _expr.var(param.name_hint, _with_size(param, axes[param.name_hint],
                                                                 size))
                     for param in function.params if param.name_hint in axes}
            if not binds:
                continue
            found.update(param.name_hint for param in binds)
            params = [binds.get(param, param) for param in function.params]
            result.functions[var] = _expr.Function(
                params, _expr.bind(function.body, binds), None, function.type_params,
                dict(function._attrs))
        for name in axes:
            if name not in found:
                raise ValueError(f"expects data to have parameters of functions, but none is "
                                 f"{name!r}")
        return infer_types(result)

    return FunctionPass(run, PassInfo("ChangeBatch", 1))


def _with_size(param: _expr.Var, axis: int, size: int) -> ty.Type:
    type_ = param.type_annotation
    if not isinstance(type_, ty.TensorType) or not -len(type_.shape) <= axis < len(type_.shape):
        raise ValueError(f"expects parameter {param.name_hint!r} to be a tensor with axis {axis}, "
                         f"but it is of type {type_}")
    shape = list(type_.shape)
    shape[axis] = size
    return ty.TensorType(shape, type_.dtype)


__all__ = ["ChangeBatch", "recast"]
