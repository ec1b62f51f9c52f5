"""Expressions of Relay: the nodes, and how to make them."""

import numbers

import numpy as np

from . import ty
from ._core import core
from .attrs import Attrs, DictAttrs, written_attrs

Expr = RelayExpr = core.Expr
ExprWithOp = Expr
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


class Span(tuple):
    """A place in a source: its name, line and column."""

    def __new__(cls, source_name, line, column):
        return super().__new__(cls, (str(source_name), int(line), int(column)))

    source_name = property(lambda self: self[0])
    line = property(lambda self: self[1])
    column = property(lambda self: self[2])

    def __repr__(self):
        return "Span(%s, %d, %d)" % self


class NDArray(np.ndarray):
    """The tensor of a constant, a parameter or a result: a NumPy array.

    `numpy()` and `asnumpy()` give it as a plain one.
    """

    def numpy(self):
        return self.view(np.ndarray)

    asnumpy = numpy


def ndarray(value):
    """Views an array as NDArray."""
    return np.asarray(value).view(NDArray)


#===------------------------------------------------------------------------===#
# Constructors
#===------------------------------------------------------------------------===#

# The classes of the extension take these arguments, and a span besides. They
# stay the classes of the nodes, so that isinstance() works with both names.


def _accept_span(cls, convert=None):
    """Lets the constructor of a node take `span=` and `virtual_device=`."""
    init = cls.__init__

    def __init__(self, *args, span=None, virtual_device_=None, **kwargs):
        if convert is not None:
            args, kwargs = convert(*args, **kwargs)
        init(self, *args, **kwargs)
        if span is not None:
            self._span = tuple(span)

    __init__.__doc__ = init.__doc__
    cls.__init__ = __init__


def _constant_arguments(data):
    if isinstance(data, Constant):
        data = data._data
    if not isinstance(data, np.ndarray):
        data = np.asarray(data)
    return (data.view(np.ndarray),), {}


def _var_arguments(name_hint, type_annotation=None):
    if isinstance(type_annotation, str):
        type_annotation = ty.scalar_type(type_annotation)
    return (name_hint, type_annotation), {}


def _call_arguments(op, args, attrs=None, type_args=None):
    return (op, args, written_attrs(attrs), type_args), {}


def _function_arguments(params, body, ret_type=None, type_params=None, attrs=None):
    return (params, body, ret_type, type_params, written_attrs(attrs)), {}


for _cls, _convert in [
        (Constant, _constant_arguments), (Var, _var_arguments),
        (core.Call, None), (core.Function, _function_arguments),
        (Tuple, None), (TupleGetItem, None), (Let, None), (If, None),
        (core.Match, None), (RefCreate, None), (RefRead, None), (RefWrite, None)]:
    if _cls is not core.Call:
        _accept_span(_cls, _convert)

_init_call = core.Call.__init__


def _call_init(self, op, args, attrs=None, type_args=None, span=None):
    # Spelled out, as programs consist of calls.
    if attrs is not None and not isinstance(attrs, dict):
        attrs = written_attrs(attrs)
    _init_call(self, op, args, attrs, type_args)
    if span is not None:
        self._span = tuple(span)


core.Call.__init__ = _call_init
Call = core.Call
Function = core.Function


def var(name_hint, type_annotation=None, shape=None, dtype="float32", span=None):
    """Makes a variable.

    Its type is `type_annotation` (a type, or the name of a scalar one), or that
    of tensors of `shape` and `dtype`, or left to inference.
    """
    if type_annotation is not None and shape is not None:
        raise ValueError("expects either a type or a shape, but got both")
    if isinstance(type_annotation, (tuple, list)):
        type_annotation, shape = None, type_annotation
    if shape is not None:
        type_annotation = ty.TensorType(shape, _dtype_name(dtype))
    return Var(name_hint, type_annotation, span=span)


def _dtype_name(dtype):
    return dtype if isinstance(dtype, str) else np.dtype(dtype).name


def numpy_dtype(name):
    """NumPy's dtype for a name of Relay's."""
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def const(value, dtype=None, span=None):
    """Makes a constant of a number, a list, or an array.

    Without `dtype`, numbers and lists of Python become float32, int32 or bool;
    arrays keep theirs.
    """
    if isinstance(value, Constant):
        value = value._data
    python = isinstance(value, (bool, int, float, list, tuple))
    python &= not isinstance(value, np.generic)  # np.float64 is a float.
    if dtype is None and not python and hasattr(value, "dtype"):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        array = np.from_dlpack(value)
    else:
        array = np.asarray(value)
    if dtype is not None:
        array = array.astype(numpy_dtype(_dtype_name(dtype)), copy=False)
    elif python:
        narrow = {"f": np.float32, "i": np.int32}.get(array.dtype.kind)
        if narrow is np.int32 and array.size and (
                array.max() > 2**31 - 1 or array.min() < -(2**31)):
            narrow = np.int64
        if narrow is not None:
            array = array.astype(narrow)
    if array.dtype.kind not in "biuf" and array.dtype.name != "bfloat16":
        raise TypeError(f"expects numbers or bools, but got {value!r}")
    return Constant(array, span=span)


def as_expr(value):
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


def _checked_type(self):
    """The inferred type. Raises ValueError before type inference."""
    type_ = self._checked_type
    if type_ is None:
        raise ValueError("expects an expression whose type has been inferred, but "
                         "transform.InferType has not run on this one")
    return type_


def _call_attrs(self):
    values = self._attrs
    op = self.op
    if isinstance(op, Op):
        from .op import _registry

        return Attrs(values, _registry.attribute_defaults(op.name))
    return Attrs(values) if values else None


def _function_attrs(self):
    values = self._attrs
    return DictAttrs(values) if values else None


def _with_attr(self, name, value=None):
    """Returns the function with an attribute added, or several in a dict."""
    added = name if isinstance(name, dict) else {name: value}
    attrs = {**dict(self._attrs), **added}
    return self._copy_types(
        Function(self.params, self.body, self.ret_type, self.type_params, attrs))


def _without_attr(self, name):
    """Returns the function without an attribute."""
    attrs = {key: value for key, value in self._attrs if key != name}
    return self._copy_types(
        Function(self.params, self.body, self.ret_type, self.type_params, attrs))


def _copy_types(self, copy):
    """Gives a copy of a node the type and the place of this one."""
    if self._checked_type is not None:
        copy._checked_type = self._checked_type
    if self._span is not None:
        copy._span = self._span
    return copy


Expr.checked_type = property(_checked_type)
Expr.checked_type_ = property(lambda self: self._checked_type)
Expr.span = property(lambda self: Span(*self._span) if self._span else None)
Expr._copy_types = _copy_types
Call.attrs = property(_call_attrs)
Function.attrs = property(_function_attrs)
Function.with_attr = _with_attr
Function.without_attr = _without_attr
Constant.data = property(lambda self: self._data.view(NDArray))
Var.vid = property(lambda self: self, doc="The identity of a variable: itself.")
for _cls in (Var, GlobalVar, core.Constructor):
    _cls.name = property(lambda self: self.name_hint)


#===------------------------------------------------------------------------===#
# Operators of Python
#===------------------------------------------------------------------------===#


def _binary(name):
    op = core.get_op(name)

    def overload(self, other):
        if isinstance(other, Expr):
            return Call(op, [self, other])
        if isinstance(other, (numbers.Number, np.ndarray)):
            raise TypeError(f"expects an expression, but got {other!r}; relay.const "
                            "makes one of a number")
        return NotImplemented

    return overload


def _no_number(self, other):
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
Expr.__array_ufunc__ = None
Expr.__array_priority__ = 1000


def _negative(self):
    return Call(core.get_op("negative"), [self])


def _astype(self, dtype):
    """Casts to another dtype."""
    return Call(core.get_op("cast"), [self], {"dtype": _dtype_name(dtype)})


def _call(self, *args):
    """Makes a call of this function."""
    return Call(self, list(map(as_expr, args)))


def _call_global(self, *args):
    return Call(self, list(map(as_expr, args)))


def _getitem(self, index):
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


def _tuple_len(self):
    return len(self.fields)


Expr.__neg__ = _negative
Expr.astype = _astype
Expr.__call__ = _call
Tuple.__getitem__ = _getitem
Tuple.__len__ = _tuple_len
Var.__getitem__ = _getitem
Call.__getitem__ = _getitem
# Otherwise __getitem__ would make them look like sequences.
Var.__iter__ = None
Call.__iter__ = None


class TupleWrapper:
    """A call that returns a tuple of known length: it can be indexed, unpacked,
    and passed to operators as the tuple that it is."""

    def __init__(self, tuple_value, size):
        self.tuple_value = tuple_value
        self.size = size

    def astuple(self):
        """The expression itself."""
        return self.tuple_value

    def astext(self, **options):
        return self.tuple_value.astext(**options)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.size))]
        if not -self.size <= index < self.size:
            raise IndexError(f"expects an index below {self.size}, but got {index}")
        return TupleGetItem(self.tuple_value, index % self.size)

    def __len__(self):
        return self.size

    def __iter__(self):
        return (self[i] for i in range(self.size))

    def __repr__(self):
        return f"TupleWrapper({self.tuple_value!r}, {self.size})"


def bind(expr, binds):
    """Replaces variables: `binds` maps each to an expression. Parameters of a
    function `expr` that are bound go away; parameters of inner functions stay."""
    from .expr_functor import Binder

    return Binder(binds).bind(expr)


def pattern_type_error(pattern):
    return TypeError(f"expects a pattern, but got {pattern!r}")


__all__ = [
    "Call", "Constant", "Expr", "ExprWithOp", "Function", "GlobalVar", "If", "Let",
    "NDArray", "Op", "RefCreate", "RefRead", "RefWrite", "RelayExpr", "Span", "Tuple",
    "TupleGetItem", "TupleWrapper", "Var", "as_expr", "bind", "const", "ndarray", "var",
]
