"""Convolutions in blocked layouts, such as NCHW8c.

Each value that is computed in a blocked layout is known in both forms: readers that
can take the blocked one, others that one which was there. What nobody reads is not
part of the program.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from . import ty
from .._arguments import expect_mapping, expect_names
from ._core import core
from .expr import Call, Expr, Function
from .expr_functor import ExprMutator
from .module import IRModule

_PLAIN = "NCHW"
_DATA = re.compile(r"NCHW([1-9]\d*)c")
_KERNEL = re.compile(r"OIHW(?:([1-9]\d*)i)?([1-9]\d*)o")

# Operators that compute each element by itself.
_ELEMENTWISE = set("""
    abs add ceil clip copy cast cos divide equal erf exp floor greater greater_equal less
    less_equal log logical_and logical_not logical_or maximum minimum mod multiply negative
    nn.leaky_relu nn.relu not_equal power round rsqrt sigmoid sign sin sqrt subtract tan tanh
    trunc""".split())


def is_blocked(layouts: Sequence[str]) -> bool:
    """Whether the layout of the data is a blocked one."""
    names = expect_names(layouts, "layouts")
    return bool(names) and any(c.isdigit() for c in names[0])


def _check(name: str, layouts: Sequence[str]) -> None:
    expect_names(layouts, f"the layouts of {name}")
    data = _DATA.fullmatch(layouts[0]) if layouts else None
    if name != "nn.conv2d":
        raise ValueError(f"expects nn.conv2d to have a blocked layout, but got {name}")
    if data is None:
        raise ValueError(f"expects a blocked layout such as NCHW8c, but got {', '.join(layouts)}")
    kernel = _KERNEL.fullmatch(layouts[1]) if len(layouts) == 2 else None
    if kernel is None or kernel[1] not in (None, data[1]) or kernel[2] != data[1]:
        raise ValueError(f"expects a kernel's layout such as OIHW{data[1]}i{data[1]}o for "
                         f"{layouts[0]}, but got {', '.join(layouts[1:]) or 'none'}")


def _transform(expr: Expr, src: str, dst: str) -> Call:
    return Call(core.get_op("layout_transform"), [expr],
                {"src_layout": src, "dst_layout": dst})


def _shape(expr: Expr) -> tuple[Any, ...] | None:
    type_ = expr._checked_type
    return type_.shape if isinstance(type_, ty.TensorType) else None


class _Blocker(ExprMutator):
    """Rebuilds a typed function. A value is its new expression; `_blocked` has
    those that are there in a blocked layout, too."""

    def __init__(self, desired: Mapping[str, Sequence[str]], skipped: Sequence[int] = ()) -> None:
        super().__init__()
        self._desired = desired
        self._skipped, self._number = skipped, -1
        self._blocked: dict[Expr, tuple[str, Expr]] = {}

    def _in_layout(self, new: Expr, layout: str) -> Expr:
        known = self._blocked.get(new)
        if known is not None and known[0] == layout:
            return known[1]
        return _transform(new, _PLAIN, layout)

    def _leave(self, call: Call, layout: str) -> Expr:
        result = _transform(call, layout, _PLAIN)
        self._blocked[result] = (layout, call)
        return result

    def _channels_fit(self, expr: Expr, layout: str) -> bool:
        shape = _shape(expr)
        block = _DATA.fullmatch(layout)
        return (shape is not None and block is not None and len(shape) == 4 and
                isinstance(shape[1], int) and shape[1] % int(block[1]) == 0)

    def visit_call(self, call: Call) -> Any:
        new = super().visit_call(call)
        if not isinstance(call.op, core.Op) or not isinstance(new, core.Call):
            return new
        name = call.op.name
        layouts = self._desired.get(name, ())
        if name == "nn.conv2d" and layouts:
            self._number += 1
            if self._number in self._skipped:
                return new
            return self._convolution(call, new, layouts)
        if name in _ELEMENTWISE:
            return self._elementwise(call, new)
        if name == "nn.bias_add" and call.attrs is not None and call.attrs.axis in (1, -3):
            return self._bias(call, new)
        return new

    def _convolution(self, call: Call, new: Call, layouts: Sequence[str]) -> Expr:
        attrs = call.attrs
        assert attrs is not None
        weight = _shape(call.args[1])
        fits = (attrs.data_layout == _PLAIN and attrs.kernel_layout == "OIHW" and
                attrs.out_layout in ("", _PLAIN, None) and attrs.groups == 1 and
                weight is not None and all(isinstance(size, int) for size in weight) and
                self._channels_fit(call.args[0], layouts[0]) and
                self._channels_fit(call, layouts[0]))
        if not fits:
            return new
        assert weight is not None
        written = dict(attrs.written())
        written.update(data_layout=layouts[0], kernel_layout=layouts[1], out_layout=layouts[0],
                       channels=weight[0], kernel_size=list(weight[2:]))
        kernel = _transform(new.args[1], "OIHW", layouts[1])
        data = self._in_layout(new.args[0], layouts[0])
        return self._leave(Call(core.get_op("nn.contrib_conv2d_NCHWc"), [data, kernel], written),
                           layouts[0])

    def _elementwise(self, call: Call, new: Call) -> Expr:
        layout = next((self._blocked[arg][0] for arg in new.args if arg in self._blocked), None)
        if layout is None or not self._channels_fit(call, layout):
            return new
        result = _shape(call)
        assert result is not None
        operands = [self._operand(_shape(old), arg, layout, result[1])
                    for old, arg in zip(call.args, new.args)]
        if any(operand is None for operand in operands):
            return new
        return self._leave(Call(new.op, operands, dict(new._attrs)), layout)

    def _bias(self, call: Call, new: Call) -> Expr:
        known = self._blocked.get(new.args[0])
        bias = _shape(call.args[1])
        if known is None or bias is None or not self._channels_fit(call, known[0]):
            return new
        values = Call(core.get_op("expand_dims"), [new.args[1]], {"axis": 1, "num_newaxis": 2})
        operand = self._operand((*bias, 1, 1), values, known[0], bias[0])
        assert operand is not None
        return self._leave(Call(core.get_op("add"), [known[1], operand]), known[0])

    def _operand(self, shape: tuple[Any, ...] | None, new: Expr, layout: str,
                 channels: int) -> Expr | None:
        """An operand of a shape, that broadcasts to a blocked result, or None."""
        if shape is None or len(shape) > 4:
            return None
        if all(size == 1 for size in shape):
            return new if len(shape) <= 1 else Call(
                core.get_op("reshape"), [new], {"newshape": [1]})
        if len(shape) < 4:
            new = Call(core.get_op("expand_dims"), [new],
                       {"axis": 0, "num_newaxis": 4 - len(shape)})
            shape = (*[1] * (4 - len(shape)), *shape)
        if shape[1] == channels:
            return self._in_layout(new, layout)
        if shape[1] == 1:
            return Call(core.get_op("expand_dims"), [new], {"axis": 4, "num_newaxis": 1})
        return None


def convert(mod: IRModule, desired: Mapping[str, Sequence[str]],
            skipped: Sequence[int] = ()) -> IRModule:
    """Runs convolutions of a module in blocked layouts, and elementwise operators
    between them. Grouped convolutions stay as they are, channels that the block does
    not divide, and convolutions with the numbers of `skipped`. Raises ValueError for other
    operators and layouts."""
    from .pass_manager import as_class
    from .transform import infer_types

    desired = expect_mapping(desired, "desired")
    for name, layouts in desired.items():
        _check(name, layouts)
    mod = infer_types(mod)
    result = mod.shallow_copy()
    for var, function in mod.functions.items():
        attrs = dict(function._attrs)
        if attrs.get("Primitive") or attrs.get("Compiler"):
            continue
        new = _Blocker(desired, skipped).visit(function)
        assert isinstance(new, Function)
        result.functions[var] = new
    return as_class(infer_types(result), mod)


__all__ = ["convert", "is_blocked"]
