"""Operators on tensors that are more than one call, or other ones for shapes
that are known only at run time."""

from __future__ import annotations

import itertools
from typing import Any, Callable

import numpy as np

from .. import _diagnostics, ty
from ..._arguments import expect_callable, expect_list
from .._core import core
from ..expr import Call, const, Expr, ExprLike, Tuple, TupleWrapper
from ._numbers import dtype_of, scalar
from ._registry import constant_value, is_expr, make_call, to_int, to_ints

#===------------------------------------------------------------------------===#
# Creation
#===------------------------------------------------------------------------===#


def _shape(value: Any) -> tuple[Any, bool]:
    """A shape, and whether it is an expression whose value is not known yet."""
    return value, is_expr(value)


def zeros(shape: Any, dtype: Any) -> Call:
    """A tensor of zeros; `shape` may be an expression."""
    shape, dynamic = _shape(shape)
    if dynamic:
        return make_call("dyn.zeros", [shape], {"dtype": dtype})
    return make_call("zeros", [], {"shape": shape, "dtype": dtype})


def ones(shape: Any, dtype: Any) -> Call:
    """A tensor of ones; `shape` may be an expression."""
    shape, dynamic = _shape(shape)
    if dynamic:
        return make_call("dyn.ones", [shape], {"dtype": dtype})
    return make_call("ones", [], {"shape": shape, "dtype": dtype})


def full(fill_value: ExprLike, shape: Any = (), dtype: Any = "") -> Call:
    """A tensor filled with a scalar; `shape` may be an expression."""
    shape, dynamic = _shape(shape)
    if dtype:
        fill_value = scalar("full: 'fill_value'", fill_value, dtype)
    if dynamic:
        return make_call("dyn.full", [fill_value, shape], {"dtype": dtype})
    return make_call("full", [fill_value], {"shape": shape, "dtype": dtype})


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = "float32") -> Call:
    """The values from `start` up to, not including, `stop`: numbers, or scalar
    expressions of `dtype`. With one argument, from 0 up to it."""
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    values = [scalar(f"arange: '{name}'", value, dtype)
              for name, value in (("start", start), ("stop", stop), ("step", step))]
    return make_call("arange", values, {"dtype": dtype})


def one_hot(indices: ExprLike, on_value: ExprLike, off_value: ExprLike, depth: Any, axis: Any,
            dtype: Any) -> Call:
    """on_value where an index points, else off_value; `depth` may be an
    expression."""
    attributes = {"axis": axis, "dtype": dtype}
    if dtype:
        on_value = scalar("one_hot: 'on_value'", on_value, dtype)
        off_value = scalar("one_hot: 'off_value'", off_value, dtype)
    if is_expr(depth):
        return make_call("dyn.one_hot", [indices, on_value, off_value, depth], attributes)
    return make_call("one_hot", [indices, on_value, off_value],
                     {"depth": depth, **attributes})


#===------------------------------------------------------------------------===#
# Shapes
#===------------------------------------------------------------------------===#


def _dynamic_list(values: Any) -> Any:
    """One expression for a list with expressions among its integers, or None."""
    if not isinstance(values, (list, tuple)) or not any(map(is_expr, values)):
        return None
    parts = []
    for value in values:
        size: Expr
        if is_expr(value):
            size = make_call("cast", [value], {"dtype": "int64"})
        else:
            size = const(to_int(value, "reshape: 'newshape'"), "int64")
        parts.append(make_call("expand_dims", [size], {"axis": 0}))
    return make_call("concatenate", [parts], {"axis": 0})


def reshape(data: ExprLike, newshape: Any, allowzero: bool = False) -> Call:
    """Gives a tensor another shape. Besides sizes, `newshape` may have 0 (as it
    is), -1 (what remains), -2 (all that remain), -3 (the product of two) and -4
    (a split in two); or be an expression."""
    dynamic = _dynamic_list(newshape)
    if dynamic is None and is_expr(newshape):
        dynamic = newshape
    if dynamic is not None:
        return make_call("dyn.reshape", [data, dynamic], {"allowzero": allowzero})
    return make_call("reshape", [data], {"newshape": newshape, "allowzero": allowzero})


def expand_dims(data: ExprLike, axis: Any, num_newaxis: Any = 1) -> Call:
    """Inserts dimensions of size 1; `axis` may be an expression."""
    if is_expr(axis):
        return make_call("dyn.expand_dims", [data, axis], {"num_newaxis": num_newaxis})
    return make_call("expand_dims", [data], {"axis": axis, "num_newaxis": num_newaxis})


def squeeze(data: ExprLike, axis: Any = None) -> Call:
    """Removes dimensions of size 1: all, or those of `axis`, which may be an
    expression."""
    if is_expr(axis):
        return make_call("dyn.squeeze", [data, axis], {})
    return make_call("squeeze", [data], {"axis": axis})


def tile(data: ExprLike, reps: Any) -> Call:
    """Repeats a tensor along its dimensions; `reps` may be an expression."""
    reps, dynamic = _shape(reps)
    if dynamic:
        return make_call("dyn.tile", [data, reps], {})
    return make_call("tile", [data], {"reps": reps})


def broadcast_to(data: ExprLike, shape: Any) -> Call:
    """Broadcasts a tensor; `shape` may be an expression."""
    shape, dynamic = _shape(shape)
    if dynamic:
        return make_call("dyn.broadcast_to", [data, shape], {})
    return make_call("broadcast_to", [data], {"shape": shape})


def collapse_sum_to(data: ExprLike, shape: Any) -> Call:
    """Sums the dimensions along which `shape` would be broadcast."""
    if is_expr(shape):
        return make_call("collapse_sum_to", [data, shape], {})
    shape = to_ints(shape, "collapse_sum_to: 'shape'")
    return make_call("collapse_sum_to", [data, const(np.array(shape, "int64"))],
                     {"shape": shape})


def cast(data: ExprLike, dtype: Any) -> Call:
    """Converts the elements to another dtype."""
    return make_call("cast", [data], {"dtype": dtype})


def reinterpret(data: ExprLike, dtype: Any) -> Call:
    """Takes the bits of the elements as another dtype."""
    return make_call("reinterpret", [data], {"dtype": dtype})


def split(data: ExprLike, indices_or_sections: Any, axis: Any = 0) -> TupleWrapper:
    """Splits a tensor into equal parts, or at indices. Returns a TupleWrapper."""
    if isinstance(indices_or_sections, (list, tuple, np.ndarray)):
        sections: Any = to_ints(indices_or_sections, "split: 'indices_or_sections'")
        count = len(sections) + 1
    else:
        sections = count = to_int(indices_or_sections, "split: 'indices_or_sections'")
    call = make_call("split", [data], {"indices_or_sections": sections, "axis": axis})
    return TupleWrapper(call, count)


def strided_slice(data: ExprLike, begin: Any, end: Any, strides: Any = None, axes: Any = None,
                  slice_mode: str = "end") -> Call:
    """Takes begin:end:strides of each dimension, or of those of `axes`. With
    `slice_mode="size"`, `end` has sizes. Any of them may be an expression."""
    if any(map(is_expr, (begin, end, strides))):
        if axes is not None:
            raise ValueError("strided_slice: expects no axes with bounds that are "
                             "expressions, but got some")
        operands = [_as_vector(v, f"strided_slice: '{name}'") for name, v in (
            ("begin", begin), ("end", end), ("strides", [1] if strides is None else strides))]
        if constant_value(operands[2]) is not None and strides is None:
            operands[2] = make_call("ones_like", [operands[0]], {})
        return make_call("dyn.strided_slice", [data, *operands], {"slice_mode": slice_mode})
    return make_call("strided_slice", [data], {
        "begin": begin, "end": end, "strides": [1] if strides is None else strides,
        "axes": axes, "slice_mode": slice_mode})


def _as_vector(value: Any, what: str) -> Any:
    return value if isinstance(value, Expr) else const(np.array(to_ints(value, what), "int64"))


def strided_set(data: ExprLike, v: ExprLike, begin: Any, end: Any, strides: Any = None) -> Call:
    """Writes `v` over data[begin:end:strides]."""
    begin, end = (_as_vector(begin, "strided_set: 'begin'"),
                  _as_vector(end, "strided_set: 'end'"))
    strides = make_call("ones_like", [begin], {}) if strides is None else \
        _as_vector(strides, "strided_set: 'strides'")
    return make_call("strided_set", [data, v, begin, end, strides], {})


_debug_functions = itertools.count()


def debug(program: ExprLike, debug_func: Callable[[Any], object] | str | None = None) -> Call:
    """The value of `program`. Where the interpreter, or a program of the executor vm, comes
    by, it calls `debug_func` with it: tensors and tuples of them as NumPy arrays and tuples,
    any other value as text. What the function raises ends the evaluation."""
    if debug_func is None or isinstance(debug_func, str):
        return make_call("debug", [program], {"debug_func": debug_func or ""})
    function = expect_callable(debug_func, "debug_func")

    def call(value: Any) -> tuple[None, str | None]:
        try:
            function(value)
            return None, None
        except BaseException as error:  # pylint: disable=broad-exception-caught
            return None, _diagnostics.hold(error)

    name = f"debugger_func{next(_debug_functions)}"
    core.register_debug_function(name, call, function)
    return make_call("debug", [program], {"debug_func": name})


def meshgrid(data: Any, indexing: str = "ij") -> TupleWrapper:
    """Coordinate matrices of vectors. Returns a TupleWrapper."""
    fields = data.fields if isinstance(data, Tuple) else \
        expect_list(data, "data", "expressions")
    call = make_call("meshgrid", [fields], {"indexing": indexing})
    return TupleWrapper(call, len(fields))


def where(condition: ExprLike, x: ExprLike, y: ExprLike) -> Call:
    """Elements of `x` where the condition holds, else of `y`."""
    return make_call("where", [condition, x, y], {})


def unravel_index(indices: ExprLike, shape: Any) -> Call:
    """Coordinates of flat indices."""
    return make_call("unravel_index", [indices, _as_vector(shape, "unravel_index: 'shape'")], {})


def matrix_set_diag(data: ExprLike, diagonal: ExprLike, k: Any = 0,
                    align: str = "RIGHT_LEFT") -> Call:
    """Writes the diagonals `k` (one, or the first and last) of matrices."""
    k1, k2 = k if isinstance(k, (list, tuple)) and len(k) == 2 else (k, k)
    names = [part.upper() for part in str(align).split("_")]
    if len(names) != 2 or not set(names) <= {"LEFT", "RIGHT"}:
        raise ValueError("matrix_set_diag: expects align to be 'RIGHT_LEFT', 'LEFT_RIGHT', "
                         f"'LEFT_LEFT' or 'RIGHT_RIGHT', but got {align!r}")
    return make_call("matrix_set_diag", [data, diagonal], {
        "k1": k1, "k2": k2, "super_diag_right_align": names[0] == "RIGHT",
        "sub_diag_right_align": names[1] == "RIGHT"})


def cast_like(data: ExprLike, dtype_like: ExprLike) -> Call:
    """Converts the elements to the dtype of another tensor."""
    return make_call("cast_like", [data, dtype_like], {})


#===------------------------------------------------------------------------===#
# Sparse tensors, sets
#===------------------------------------------------------------------------===#


def sparse_to_dense(sparse_indices: ExprLike, output_shape: Any, sparse_values: Any,
                    default_value: ExprLike = 0) -> Call:
    """A dense tensor with `sparse_values` at `sparse_indices`; `output_shape` may
    be an expression."""
    dtype = dtype_of(sparse_values)
    if dtype is not None:
        default_value = scalar("sparse_to_dense: 'default_value'", default_value, dtype)
    elif not isinstance(default_value, Expr):
        default_value = const(default_value)
    operands = [sparse_indices, sparse_values, default_value]
    if is_expr(output_shape):
        return make_call("dyn.sparse_to_dense", [*operands, output_shape], {})
    return make_call("sparse_to_dense", operands, {"output_shape": output_shape})


def sparse_fill_empty_rows(sparse_indices: ExprLike, sparse_values: ExprLike,
                           dense_shape: ExprLike, default_value: ExprLike) -> Tuple:
    """Gives rows without an element the default. Returns a tuple of the new indices,
    the new values, both of the types of the old ones, and which rows were empty."""
    call = make_call("sparse_fill_empty_rows",
                     [sparse_indices, sparse_values,
                      _as_vector(dense_shape, "sparse_fill_empty_rows: 'dense_shape'"),
                      default_value])
    indices, values, is_empty = TupleWrapper(call, 3)
    return Tuple([cast_like(indices, sparse_indices), cast_like(values, sparse_values),
                        cast(is_empty, "bool")])


def sparse_reshape(sparse_indices: ExprLike, prev_shape: ExprLike, new_shape: Any) -> TupleWrapper:
    """Indices in another shape. Returns a TupleWrapper of them and the shape."""
    call = make_call("sparse_reshape",
                     [sparse_indices, _as_vector(prev_shape, "sparse_reshape: 'prev_shape'"),
                      _as_vector(new_shape, "sparse_reshape: 'new_shape'")])
    return TupleWrapper(call, 2)


def unique(data: ExprLike, is_sorted: bool = True, return_counts: bool = False) -> TupleWrapper:
    """The distinct elements. Returns a TupleWrapper: values, first indices,
    inverse indices, how many there are, and, if asked for, counts."""
    call = make_call("unique", [data], {"sorted": is_sorted, "return_counts": return_counts})
    return TupleWrapper(call, 5 if return_counts else 4)


def adv_index(inputs: Any) -> Call:
    """NumPy's indexing with tensors of indices: inputs[0][inputs[1], ...]."""
    return make_call("adv_index", [inputs])


def segment_sum(data: ExprLike, segment_ids: ExprLike, num_segments: Any = None) -> Call:
    """Sums the rows of each segment; `segment_ids` has the segments of the first rows, and
    the others do not count. Without `num_segments`, segments are 0 up to the largest of
    them."""
    dtype = dtype_of(data)
    if dtype is None:
        raise ValueError("segment_sum: expects data of a known dtype, but its type is "
                         "not known yet")
    if num_segments is None:
        largest = make_call("max", [make_call("cast", [segment_ids], {"dtype": "int64"})],
                            {"axis": [0]})
        count = make_call("add", [largest, const(1, "int64")])
    else:
        count = scalar("segment_sum: 'num_segments'", num_segments, "int64")
    count = make_call("reshape", [make_call("cast", [count], {"dtype": "int64"})],
                      {"newshape": [1]})
    rest = make_call("strided_slice", [make_call("shape_of", [data], {"dtype": "int64"})], {
        "begin": [1], "end": [2**31 - 1], "strides": [1]})
    shape = make_call("concatenate", [[count, rest]], {"axis": 0})
    initial = make_call("dyn.zeros", [shape], {"dtype": dtype})
    indices = make_call("expand_dims", [segment_ids], {"axis": 0})
    rows = make_call("dyn.strided_slice", [
        data, const([0], "int64"), make_call("shape_of", [segment_ids], {"dtype": "int64"}),
        const([1], "int64")])
    return make_call("scatter_nd", [initial, indices, rows], {"mode": "add"})


def topk(data: ExprLike, k: Any = 1, axis: Any = -1, ret_type: str = "both",
         is_ascend: bool = False, dtype: Any = "int32") -> Any:
    """The k largest (or smallest) elements. Returns a TupleWrapper of values and
    indices, or one of both; `k` may be an expression."""
    attributes = {"axis": axis, "ret_type": ret_type, "is_ascend": is_ascend, "dtype": dtype}
    if is_expr(k):
        call = make_call("dyn.topk", [data, k], attributes)
    else:
        call = make_call("topk", [data], {"k": k, **attributes})
    return TupleWrapper(call, 2) if ret_type == "both" else call


#===------------------------------------------------------------------------===#
# Reductions and scans
#===------------------------------------------------------------------------===#


def variance(data: ExprLike, axis: Any = None, keepdims: bool = False, exclude: bool = False,
             unbiased: bool = False, with_mean: Any = None) -> Call:
    """Variance; `with_mean` is the mean if it is there already."""
    attributes = {"axis": axis, "keepdims": keepdims, "exclude": exclude}
    if with_mean is None:
        with_mean = make_call("mean", [data],
                              {"axis": axis, "keepdims": True, "exclude": exclude})
    return make_call("variance", [data, with_mean], {**attributes, "unbiased": unbiased})


def std(data: ExprLike, axis: Any = None, keepdims: bool = False, exclude: bool = False,
        unbiased: bool = False) -> Call:
    """Standard deviation: the root of the variance."""
    return make_call("sqrt", [variance(data, axis, keepdims, exclude, unbiased)])


def mean_variance(data: ExprLike, axis: Any = None, keepdims: bool = False, exclude: bool = False,
                  unbiased: bool = False) -> TupleWrapper:
    """Mean and variance, as a TupleWrapper."""
    mean = make_call("mean", [data], {"axis": axis, "keepdims": True, "exclude": exclude})
    var = variance(data, axis, keepdims, exclude, unbiased, mean)
    if not keepdims:
        mean = make_call("mean", [data], {"axis": axis, "keepdims": False, "exclude": exclude})
    return TupleWrapper(Tuple([mean, var]), 2)


def mean_std(data: ExprLike, axis: Any = None, keepdims: bool = False,
             exclude: bool = False) -> TupleWrapper:
    """Mean and standard deviation, as a TupleWrapper."""
    both: Any = mean_variance(data, axis, keepdims, exclude).astuple()
    mean, var = both.fields
    return TupleWrapper(Tuple([mean, make_call("sqrt", [var])]), 2)


def logsumexp(data: ExprLike, axis: Any = None, keepdims: bool = False) -> Any:
    """The logarithm of the sum of exponentials, stably."""
    largest = make_call("max", [data], {"axis": axis, "keepdims": True})
    shifted = make_call("exp", [make_call("subtract", [data, largest])])
    total = make_call("log", [make_call("sum", [shifted], {"axis": axis, "keepdims": True})])
    result = make_call("add", [total, largest])
    return result if keepdims else squeeze(result, axis)


def _scan(name: str, data: ExprLike, axis: Any, dtype: Any, exclusive: Any) -> Call:
    return make_call(name, [data], {
        "axis": axis, "dtype": dtype, "exclusive": bool(exclusive)})


def cumsum(data: ExprLike, axis: Any = None, dtype: Any = None, exclusive: Any = None) -> Any:
    """Sums of the elements up to each, along an axis or of all."""
    return _scan("cumsum", data, axis, dtype, exclusive)


def cumprod(data: ExprLike, axis: Any = None, dtype: Any = None, exclusive: Any = None) -> Any:
    """Products of the elements up to each, along an axis or of all."""
    return _scan("cumprod", data, axis, dtype, exclusive)


def stft(data: ExprLike, n_fft: Any, hop_length: Any = None, win_length: Any = None,
         window: Any = None, normalized: bool = False, onesided: bool = True) -> Call:
    """Fourier transforms of windows of a signal."""
    n_fft = to_int(n_fft, "stft: 'n_fft'")
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if window is None:
        window = make_call("ones", [], {"shape": [n_fft], "dtype": "int32"})
    return make_call("stft", [data, window], {
        "n_fft": n_fft, "hop_length": hop_length, "win_length": win_length,
        "normalized": normalized, "onesided": onesided})


def dft(re_data: ExprLike, im_data: ExprLike, inverse: bool = False) -> TupleWrapper:
    """Discrete Fourier transform of complex signals. Returns a TupleWrapper."""
    return TupleWrapper(make_call("dft", [re_data, im_data], {"inverse": inverse}), 2)


def device_copy(data: ExprLike, src_device: Any, dst_device: Any) -> Call:
    """Copies a tensor between devices."""
    from .annotation import virtual_device

    return make_call("device_copy", [data], {
        "src_virtual_device": virtual_device(src_device),
        "dst_virtual_device": virtual_device(dst_device)})


__all__ = [
    "adv_index", "arange", "broadcast_to", "cast", "cast_like", "collapse_sum_to", "cumprod",
    "cumsum", "debug", "device_copy", "dft", "expand_dims", "full", "logsumexp", "matrix_set_diag",
    "mean_std", "mean_variance", "meshgrid", "one_hot", "ones", "reinterpret", "reshape",
    "segment_sum", "sparse_fill_empty_rows", "sparse_reshape", "sparse_to_dense", "split",
    "squeeze", "std", "stft", "strided_set", "strided_slice", "tile", "topk", "unique",
    "unravel_index", "variance", "where", "zeros",
]
