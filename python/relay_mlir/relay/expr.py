"""Expressions of Relay: the nodes, and how to make them."""

from __future__ import annotations

import numbers
import typing
from typing import Any, Callable, Iterable, Iterator, Mapping, NoReturn, Sequence, TypeVar, Union

import numpy as np

from . import base, ty
from .._arguments import describe, expect_int, expect_mapping, expect_text
from ._core import core
from .attrs import Attrs, DictAttrs, written_attrs
from .base import Span
from .device import VirtualDevice

Expr = core.Expr
RelayExpr = core.Expr
ExprWithOp = core.Expr
Constant = core.Constant
Var = core.Var
GlobalVar = core.GlobalVar
Op = core.Op
Tuple = core.Tuple
TupleGetItem = core.TupleGetItem
Let = core.Let
If = core.If
RefCreate = core.RefCreate
RefRead = core.RefRead
RefWrite = core.RefWrite
Call = core.Call
Function = core.Function


if typing.TYPE_CHECKING:
    from typing_extensions import Self

    Array = np.ndarray[Any, Any]
else:
    Array = np.ndarray

E = TypeVar("E", bound=Expr)


class NDArray(Array):
    """The tensor of a constant, a parameter or a result: a NumPy array.

    `numpy()` and `asnumpy()` give it as a plain one.
    """

    def numpy(self) -> Array:
        return self.view(np.ndarray)

    asnumpy = numpy


def ndarray(value: Any) -> NDArray:
    """Views an array as NDArray."""
    return np.asarray(value).view(NDArray)


#===------------------------------------------------------------------------===#
# Constructors
#===------------------------------------------------------------------------===#

# The classes of the extension take these arguments, and a span besides. They
# stay the classes of the nodes, so that isinstance() works with both names.


def _accept_span(cls: type, convert: Any = None) -> None:
    """Lets the constructor of a node take `span=` and `virtual_device=`."""
    init: Callable[..., None] = getattr(cls, "__init__")

    def __init__(self: Any, *args: Any, span: Any = None, virtual_device_: Any = None,
                 **kwargs: Any) -> None:
        if convert is not None:
            args, kwargs = convert(*args, **kwargs)
        init(self, *args, **kwargs)
        if span is not None:
            self._span = base.to_core(span)
        if virtual_device_ is not None:
            self._set_virtual_device(virtual_device_)

    __init__.__doc__ = init.__doc__
    setattr(cls, "__init__", __init__)


def _constant_arguments(data: Any) -> tuple[tuple[Array], dict[str, Any]]:
    if isinstance(data, Constant):
        data = data._data
    if not isinstance(data, np.ndarray):
        data = _asarray(data)
    return (data.view(np.ndarray),), {}


def _var_arguments(name_hint: str,
                   type_annotation: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(type_annotation, str):
        type_annotation = ty.scalar_type(type_annotation)
    return (name_hint, type_annotation), {}


def _call_arguments(op: Any, args: Any, attrs: Any = None,
                    type_args: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (op, args, written_attrs(attrs), type_args), {}


def _function_arguments(params: Any, body: Any, ret_type: Any = None, type_params: Any = None,
                        attrs: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (params, body, ret_type, type_params, written_attrs(attrs)), {}


for _cls, _convert in [
        (Constant, _constant_arguments), (Var, _var_arguments),
        (core.Call, None), (core.Function, _function_arguments),
        (Tuple, None), (TupleGetItem, None), (Let, None), (If, None),
        (core.Match, None), (RefCreate, None), (RefRead, None), (RefWrite, None)]:
    if _cls is not core.Call:
        _accept_span(_cls, _convert)
    if _convert is not None:
        _convert.__qualname__ = _cls.__name__  # What errors of missing arguments say.

_init_call: Callable[..., None] = getattr(core.Call, "__init__")


def _call_init(self: Call, op: Expr, args: Iterable[Any], attrs: Any = None,
               type_args: Iterable[ty.Type] | None = None, span: Any = None) -> None:
    # Spelled out, as programs consist of calls.
    if attrs is not None and not isinstance(attrs, dict):
        attrs = written_attrs(attrs, isinstance(op, Op))
    _init_call(self, op, args, attrs, type_args)
    if span is not None:
        self._span = base.to_core(span)


_call_init.__qualname__ = "Call"
setattr(core.Call, "__init__", _call_init)


def var(name_hint: str, type_annotation: ty.Type | str | Sequence[Any] | None = None,
        shape: Sequence[Any] | None = None, dtype: Any = "float32", span: Any = None) -> Var:
    """Makes a variable.

    Its type is `type_annotation` (a type, or the name of a scalar one), or that
    of tensors of `shape` and `dtype`, or left to inference.
    """
    if type_annotation is not None and shape is not None:
        raise ValueError("expects either a type or a shape, but got both")
    if isinstance(type_annotation, (tuple, list)):
        type_annotation, shape = None, type_annotation
    annotation: Any = type_annotation
    if shape is not None:
        annotation = ty.TensorType(shape, _dtype_name(dtype))
    return Var(name_hint, annotation, span=span)


def _dtype_name(dtype: Any) -> str:
    return dtype if isinstance(dtype, str) else numpy_dtype(dtype).name


# What NumPy lacks, and the package ml_dtypes has.
_SMALL_INTEGERS = ("int2", "uint2", "int4", "uint4")
_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
              "float8_e8m0fnu", "float4_e2m1fn", *_SMALL_INTEGERS)


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """NumPy's dtype for a name of Relay's, or for what NumPy takes. Raises TypeError
    for anything else."""
    if isinstance(dtype, str) and dtype in _ML_DTYPES:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, dtype))
    try:
        found = None if dtype is None else np.dtype(dtype)  # None is float64 for NumPy.
    except (TypeError, ValueError):
        found = None
    if found is not None and (found.kind in "biuf" or found.name in _ML_DTYPES):
        return found
    raise TypeError(f"expects a data type such as 'float32', but got {describe(dtype)}")


def _asarray(value: Any) -> Array:
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError("expects lists of numbers, of which those at one level have the same "
                         f"length, but got {describe(value)}") from None


def _integer_limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    if dtype.name in _SMALL_INTEGERS:
        count = 2 ** int(dtype.name[-1])
        return (0, count - 1) if dtype.name.startswith("u") else (-count // 2, count // 2 - 1)
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _to_dtype(array: Array, dtype: np.dtype[Any]) -> Array:
    """The numbers of `array` in another data type. Floats are rounded, and bool is whether
    a number is not 0. Raises ValueError if one becomes another number otherwise."""
    if array.size == 0 or dtype.kind == "b" or np.can_cast(array.dtype, dtype):
        return array.astype(dtype, copy=False)
    with np.errstate(all="ignore"):
        converted = array.astype(dtype)
        if dtype.kind in "iu" or dtype.name in _SMALL_INTEGERS:
            low, high = _integer_limits(dtype)
            # Python compares integers and floats exactly.
            exact = array if array.dtype.kind in "iu" else array.astype(np.float64)
            wrong = [number for number in (exact.min().item(), exact.max().item())
                     if not low <= number <= high]
            wrong = wrong or exact[exact != np.trunc(exact)][:1].tolist()
        else:
            wrong = array[np.isinf(converted) & ~np.isinf(array)][:1].tolist()
    if wrong:
        raise ValueError(f"expects numbers that {dtype.name} has, but got {wrong[0]}")
    return converted


def const(value: Any, dtype: Any = None, span: Any = None) -> Constant:
    """Makes a constant of a number, a list, or an array.

    Without `dtype`, numbers and lists of Python become float32, int32 or bool;
    arrays keep theirs. `dtype` may be a tensor type, of which it is that.

    Raises ValueError for a number that `dtype` does not have: one with a fraction or out
    of range for integers, or one that becomes infinite. Floats are rounded, and of bool
    is whether a number is not 0. For a conversion that cuts or wraps numbers, call astype
    of the array.
    """
    if isinstance(dtype, ty.TensorType):
        dtype = dtype.dtype
    if isinstance(value, Constant):
        value = value._data
    python = isinstance(value, (bool, int, float, list, tuple))
    python &= not isinstance(value, np.generic)  # np.float64 is a float.
    if dtype is None and not python and hasattr(value, "dtype"):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        array = np.from_dlpack(value)
    else:
        array = _asarray(value)
    if array.dtype.kind not in "biuf" and array.dtype.name not in _ML_DTYPES:
        if isinstance(value, int):
            raise ValueError(f"expects integers of 64 bits or less, but got {describe(value)}")
        raise TypeError(f"expects numbers or bools, but got {describe(value)}")
    if dtype is not None:
        array = _to_dtype(array, numpy_dtype(_dtype_name(dtype)))
    elif python:
        narrow: Any = {"f": np.float32, "i": np.int32}.get(array.dtype.kind)
        if narrow is np.int32 and array.size and (
                array.max() > 2**31 - 1 or array.min() < -(2**31)):
            narrow = np.int64
        if narrow is not None:
            array = _to_dtype(array, np.dtype(narrow))
    return Constant(array, span=span)


def as_expr(value: Any) -> Expr:
    """Returns `value` if it is an expression; makes a constant of a number, and
    a tuple of a list."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, (numbers.Number, np.ndarray, np.generic)):
        return const(value)
    return core.to_expr(value)


#===------------------------------------------------------------------------===#
# Properties of nodes
#===------------------------------------------------------------------------===#


def _checked_type(self: Expr) -> ty.Type:
    """The inferred type. Raises ValueError before type inference."""
    type_ = self._checked_type
    if type_ is None:
        raise ValueError("expects an expression whose type has been inferred, but "
                         "transform.InferType has not run on this one")
    return type_


def _call_attrs(self: Call) -> Attrs | None:
    values = self._attrs
    op = self.op
    if isinstance(op, Op):
        from .op import _registry

        return Attrs(values, _registry.attribute_defaults(op.name))
    return Attrs(values) if values else None


def _function_attrs(self: Function) -> DictAttrs | None:
    values = self._attrs
    return DictAttrs(values) if values else None


def _with_attr(self: Function, name: str | Mapping[str, Any], value: Any = None) -> Function:
    """Returns the function with an attribute added, or several in a dict."""
    added = name if isinstance(name, Mapping) else {expect_text(name, "name"): value}
    attrs = {**dict(self._attrs), **added}
    return self._copy_types(
        Function(self.params, self.body, self.ret_type, self.type_params, attrs))


def _without_attr(self: Function, name: str) -> Function:
    """Returns the function without an attribute."""
    attrs = {key: value for key, value in self._attrs if key != name}
    return self._copy_types(
        Function(self.params, self.body, self.ret_type, self.type_params, attrs))


def _copy_types(self: Expr, copy: E) -> E:
    """Gives a copy of a node the type and the place of this one."""
    if self._checked_type is not None:
        copy._checked_type = self._checked_type
    if self._span is not None:
        copy._span = self._span
    return copy


def _virtual_device(self: Expr) -> VirtualDevice:
    """Where the value is kept, of a variable, or the result, of a function; elsewhere,
    on_device says it."""
    value = None
    if isinstance(self, Var):
        value = self._virtual_device
    elif isinstance(self, Function):
        value = dict(self._attrs).get("result_virtual_device")
    return VirtualDevice() if value is None else VirtualDevice.of(value)


def _set_virtual_device(self: Expr, device: Any) -> None:
    """Says of a new node where its value is kept."""
    virtual = VirtualDevice.of(device)
    if isinstance(self, Var):
        self._virtual_device = None if virtual.is_fully_unconstrained() else virtual.attribute()
    elif not virtual.is_fully_unconstrained():
        raise NotImplementedError("devices of expressions that are no variables are said by "
                                  "on_device, or, of functions, by FunctionWithFields")


def _with_virtual_device(self: Expr, device: Any) -> Expr:
    """A new node itself, or a copy, whose value is kept on a device."""
    if isinstance(self, Function):
        return self.with_attr("result_virtual_device", VirtualDevice.of(device).attribute())
    self._set_virtual_device(device)
    return self


def extend(cls: type, **members: Any) -> None:
    """Adds members to a class of the extension; its stub has their types."""
    for name, member in members.items():
        setattr(cls, name, member)


extend(Expr, checked_type=property(_checked_type),
       checked_type_=property(lambda self: self._checked_type),
       span=property(lambda self: base.from_core(self._span)),
       same_as=lambda self, other: self is other, _copy_types=_copy_types,
       virtual_device_=property(_virtual_device), _set_virtual_device=_set_virtual_device,
       _with_virtual_device=_with_virtual_device)
extend(Call, attrs=property(_call_attrs))
extend(Function, attrs=property(_function_attrs), with_attr=_with_attr,
       without_attr=_without_attr)
extend(Constant, data=property(lambda self: self._data.view(NDArray)))
extend(Var, vid=property(lambda self: self, doc="The identity of a variable: itself."))
for _cls in (Var, GlobalVar, core.Constructor):
    extend(_cls, name=property(lambda self: self.name_hint))


#===------------------------------------------------------------------------===#
# Operators of Python
#===------------------------------------------------------------------------===#


def _binary(name: str) -> Callable[[Expr, Any], Any]:
    op = core.get_op(name)

    def overload(self: Expr, other: Any) -> Any:
        if isinstance(other, Expr):
            return Call(op, [self, other])
        if isinstance(other, (numbers.Number, np.ndarray)):
            raise TypeError(f"expects an expression, but got {other!r}; relay.const "
                            "makes one of a number")
        return NotImplemented

    return overload


def _no_number(self: Expr, other: Any) -> NoReturn:
    raise TypeError(f"expects an expression, but got {other!r}; relay.const makes "
                    "one of a number")


for _method, _name in [
        ("__add__", "add"), ("__sub__", "subtract"), ("__mul__", "multiply"),
        ("__truediv__", "divide"), ("__lt__", "less"), ("__gt__", "greater"),
        ("__le__", "less_equal"), ("__ge__", "greater_equal")]:
    setattr(Expr, _method, _binary(_name))
for _method in ("__radd__", "__rsub__", "__rmul__", "__rtruediv__"):
    setattr(Expr, _method, _no_number)
# NumPy must leave `array + expr` to the expression.
extend(Expr, __array_ufunc__=None, __array_priority__=1000)


def _negative(self: Expr) -> Call:
    return Call(core.get_op("negative"), [self])


def _astype(self: Expr, dtype: Any) -> Call:
    """Casts to another dtype."""
    return Call(core.get_op("cast"), [self], {"dtype": _dtype_name(dtype)})


def _call(self: Expr, *args: Any) -> Call:
    """Makes a call of this function."""
    return Call(self, list(map(as_expr, args)))


def _getitem(self: Expr, index: int) -> Expr:
    type_ = self._checked_type
    size = None
    if isinstance(self, Tuple):
        size = len(self.fields)
    elif isinstance(type_, ty.TupleType):
        size = len(type_.fields)
    elif type_ is None and isinstance(self, Var):
        annotation = self.type_annotation
        if isinstance(annotation, ty.TupleType):
            size = len(annotation.fields)
    if size is None and not isinstance(self, (Tuple, Var, Call)):
        raise TypeError("expects a tuple to take a field of")
    if not isinstance(index, numbers.Integral):
        raise TypeError(f"expects an integer index, but got {index!r}")
    if size is not None and not -size <= index < size:
        raise IndexError(f"expects an index below {size}, but got {index}")
    if isinstance(self, Tuple):
        return self.fields[index]
    return TupleGetItem(self, int(index) % size if size else int(index))


def _tuple_len(self: Tuple) -> int:
    return len(self.fields)


extend(Expr, __neg__=_negative, astype=_astype, __call__=_call)
extend(Tuple, __getitem__=_getitem, __len__=_tuple_len)
# Otherwise __getitem__ would make them look like sequences.
extend(Var, __getitem__=_getitem, __iter__=None)
extend(Call, __getitem__=_getitem, __iter__=None)


class TupleWrapper:
    """A call that returns a tuple of known length: it can be indexed, unpacked,
    and passed to operators as the tuple that it is."""

    def __init__(self, tuple_value: Expr, size: int) -> None:
        self.tuple_value: Any = core.to_expr(tuple_value)
        self.size = expect_int(size, "size", 0)

    def astuple(self) -> Any:
        """The expression itself."""
        return self.tuple_value

    def astext(self, **options: Any) -> str:
        return self.tuple_value.astext(**options)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.size))]
        expect_int(index, "an index")
        if not -self.size <= index < self.size:
            raise IndexError(f"expects an index below {self.size}, but got {index}")
        return TupleGetItem(self.tuple_value, index % self.size)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[TupleGetItem]:
        return (self[i] for i in range(self.size))

    def __repr__(self) -> str:
        return f"TupleWrapper({self.tuple_value!r}, {self.size})"


# What becomes an operand: constants are made of numbers and arrays, tuples of
# lists.
ExprLike = Union[Expr, TupleWrapper, int, float, np.generic, Array, Sequence[Any]]


def bind(expr: Expr, binds: Mapping[Var, Any]) -> Any:
    """Replaces variables: `binds` maps each to an expression. Parameters of a
    function `expr` that are bound go away; parameters of inner functions stay."""
    from .expr_functor import Binder

    return Binder(expect_mapping(binds, "binds")).bind(core.to_expr(expr))


class TempExpr(Expr):
    """Base of nodes that some passes make for their own use, and replace by what
    `realize` returns."""

    def __init__(self) -> None:
        raise NotImplementedError("the passes that make temporary expressions, by forward "
                                  "rewriting, are not there yet")

    def realize(self) -> Expr:
        """The expression that takes the place of this one."""
        raise NotImplementedError


def pattern_type_error(pattern: object) -> TypeError:
    return TypeError(f"expects a pattern, but got {pattern!r}")


__all__ = [
    "Call", "Constant", "Expr", "ExprWithOp", "Function", "GlobalVar", "If", "Let",
    "NDArray", "Op", "RefCreate", "RefRead", "RefWrite", "RelayExpr", "Span", "TempExpr",
    "Tuple", "TupleGetItem", "TupleWrapper", "Var", "as_expr", "bind", "const", "ndarray", "var",
]
