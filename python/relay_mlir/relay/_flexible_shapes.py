"""Programs with a part for each of several sizes, and spans of printed text."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import expr as _expr, transform as _transform, ty
from .._arguments import expect, expect_int, expect_list, wrong
from .module import IRModule
from .pass_manager import ModulePass, Pass, PassContext, PassInfo


#===------------------------------------------------------------------------===#
# Sizes
#===------------------------------------------------------------------------===#


def _with_size(function: _expr.Function, indices: Sequence[int], axis: int,
               size: Any) -> _expr.Function:
    """The function with another size of some parameters along an axis."""
    params = []
    for i, param in enumerate(function.params):
        type_ = param.checked_type
        if i in indices:
            if not isinstance(type_, ty.TensorType) or not -len(type_.shape) <= axis < \
                    len(type_.shape):
                raise ValueError(f"expects parameter {param.name_hint!r} to be a tensor with "
                                 f"axis {axis}, but it is of type {type_}")
            shape = list(type_.shape)
            shape[axis] = size
            type_ = ty.TensorType(shape, type_.dtype)
        params.append(_expr.var(param.name_hint, type_))
    body = _expr.bind(function.body, dict(zip(function.params, params)))
    return _expr.Function(params, body)


class _Dispatch:
    """A function that calls, of several for one size each, the one for the size it gets."""

    def __init__(self, function: _expr.Function, indices: Sequence[int], axis: int) -> None:
        self._function, self._indices, self._axis = function, indices, axis
        type_ = function.params[indices[0]].checked_type
        assert isinstance(type_, ty.TensorType)
        self._size = _take(_shape_of(function.params[indices[0]]), axis % len(type_.shape))

    def condition(self, bucket: int, pads: bool) -> _expr.Expr:
        """Whether inputs are of a size, or smaller with `pads`."""
        from .op import tensor

        compare = tensor.less_equal if pads else tensor.equal
        found: _expr.Expr = compare(self._size, _expr.const(bucket, "int64"))
        return found

    def call(self, name: _expr.GlobalVar, bucket: int, pad_value: float | None,
             affects_output: bool) -> _expr.Expr:
        """A call of the function for a size, of inputs that are padded to it."""
        args: list[_expr.Expr] = list(self._function.params)
        if pad_value is not None:
            for i in self._indices:
                args[i] = self._padded(self._function.params[i], bucket, pad_value)
        result = _expr.Call(name, args)
        if pad_value is None or not affects_output:
            return result
        return self._cut(result, self._function.ret_type)

    def _padded(self, param: _expr.Var, bucket: int, pad_value: float) -> _expr.Expr:
        from .op import nn, transform

        type_ = param.checked_type
        assert isinstance(type_, ty.TensorType)
        where = np.zeros((len(type_.shape), 2), "int64")
        where[self._axis % len(type_.shape), 1] = 1
        missing = _expr.const(bucket, "int64") - self._size
        padded = nn.pad(param, _expr.const(where) * missing,
                        _expr.const(np.array(pad_value, type_.dtype)))
        # What the widths leave is known.
        shape = list(type_.shape)
        shape[self._axis] = bucket
        reshaped: _expr.Expr = transform.reshape(padded, shape)
        return reshaped

    def _cut(self, value: _expr.Expr, type_: ty.Type | None) -> _expr.Expr:
        """The first elements of each tensor of a result, as many as there are inputs."""
        from .op import _registry, transform

        if isinstance(type_, ty.TupleType):
            return _expr.Tuple([self._cut(_expr.TupleGetItem(value, i), field)
                                for i, field in enumerate(type_.fields)])
        bounds = [_expr.const(np.array([0], "int64")), transform.reshape(self._size, (1,)),
                  _expr.const(np.array([1], "int64"))]
        cut: _expr.Expr = _expr.Call(_registry.get("dyn.strided_slice"), [value, *bounds],
                                     {"axes": [self._axis], "slice_mode": "end"})
        return cut


def _shape_of(value: _expr.Expr) -> _expr.Expr:
    from .op import tensor

    result: _expr.Expr = tensor.shape_of(value, "int64")
    return result


def _take(value: _expr.Expr, index: int) -> _expr.Expr:
    from .op import transform

    result: _expr.Expr = transform.take(value, _expr.const(index))
    return result


def FlexibleShapeDispatch(  # pylint: disable=invalid-name
        buckets: Sequence[int], axis: int = 0, auto_pad: bool = True,
        pad_value: float | None = 0, input_indices: Sequence[int] | None = None,
        affects_output: bool = True) -> Pass:
    """Makes @main a function of inputs of any size along `axis`: those of `input_indices`,
    by default all. For each size of `buckets` there is a function of its own,
    `@main_<size>`; other sizes run as they are.

    With `auto_pad`, smaller inputs are padded with `pad_value` to the next size of
    `buckets`, and results are cut to the size of the inputs along `axis`, unless
    `affects_output` is False. Raises ValueError for sizes below 1, and for parameters
    without that axis."""
    sizes = sorted({expect_int(size, "each of buckets", 1)
                    for size in expect_list(buckets, "buckets", "sizes")})
    if not sizes:
        raise ValueError("expects buckets to have a size, but got none")
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
        raise wrong("axis", "an integer", axis)
    expect(auto_pad, bool, "auto_pad", "a bool")
    expect(affects_output, bool, "affects_output", "a bool")
    filling = None
    if auto_pad:
        if isinstance(pad_value, bool) or not isinstance(pad_value, (int, float)):
            raise wrong("pad_value", "a number", pad_value)
        filling = float(pad_value)
    chosen = None if input_indices is None else [
        expect_int(i, "each of input_indices", 0)
        for i in expect_list(input_indices, "input_indices", "numbers")]

    def run(mod: IRModule, _: PassContext) -> IRModule:
        mod = _transform.infer_types(mod)
        main = mod["main"]
        indices = list(range(len(main.params))) if chosen is None else chosen
        if not indices or max(indices) >= len(main.params):
            raise ValueError(f"expects input_indices to be of {len(main.params)} parameters, "
                             f"but got {indices}")
        result = mod.shallow_copy()
        general = _transform.infer_expr(_with_size(main, indices, axis, ty.Any()), mod)
        dispatch = _Dispatch(general, indices, int(axis))
        body = general.body
        for size in reversed(sizes):
            name = _expr.GlobalVar(f"main_{size}")
            if name in result.functions:
                raise ValueError(f"expects no function @{name.name_hint}, but there is one")
            result.functions[name] = _with_size(main, indices, int(axis), size)
            body = _expr.If(dispatch.condition(size, auto_pad),
                            dispatch.call(name, size, filling, affects_output), body)
        result["main"] = _expr.Function(general.params, body)
        return _transform.infer_types(result)

    return ModulePass(run, PassInfo("FlexibleShapeDispatch", 0))


__all__ = ["FlexibleShapeDispatch"]
