"""Gradients of operators, against differences of what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradient_checks import I32, MODES, check_operator, check_second, indices, reals
from relay_mlir import relay
from relay_mlir.relay import op


def c(value, dtype="float64"):
    return relay.const(value, dtype)


X = reals(2, 3)
IMAGE = reals(2, 3, 5, 7)

# By name: what makes the expression, and arguments.
CASES: dict[str, Any] = {}


def case(name, build, *values, dynamic=(), **tolerances):
    assert name not in CASES
    CASES[name] = build, values, dynamic, tolerances


#===------------------------------------------------------------------------===#
# Elementwise
#===------------------------------------------------------------------------===#

for _name, _low, _high in [
        ("log", 0.2, 3), ("log2", 0.2, 3), ("log10", 0.2, 3), ("tan", -1, 1), ("cos", -3, 3),
        ("cosh", -2, 2), ("sin", -3, 3), ("sinh", -2, 2), ("acos", -0.9, 0.9),
        ("acosh", 1.2, 3), ("asin", -0.9, 0.9), ("asinh", -2, 2), ("atan", -2, 2),
        ("atanh", -0.9, 0.9), ("exp", -2, 2), ("erf", -2, 2), ("sqrt", 0.2, 3),
        ("rsqrt", 0.2, 3), ("sigmoid", -2, 2), ("tanh", -2, 2), ("negative", -2, 2),
        ("copy", -2, 2), ("abs", -2, 2), ("floor", -2, 2), ("ceil", -2, 2), ("trunc", -2, 2),
        ("round", -2, 2), ("sign", -2, 2), ("zeros_like", -2, 2), ("ones_like", -2, 2)]:
    _function = getattr(relay, _name)
    case(_name, _function, reals(2, 3, low=_low, high=_high))
    case(f"{_name} open", _function, reals(3, 1, low=_low, high=_high), dynamic=[0])
case("scalar", relay.exp, np.array(0.7))
case("empty", lambda x: relay.exp(x) * c(2.0), np.zeros((0, 3)))
case("relu", op.nn.relu, X)
case("leaky_relu", lambda x: op.nn.leaky_relu(x, 0.1), X)
case("clip", lambda x: relay.clip(x, -0.5, 1.5), X)
case("clip integers", lambda x: relay.clip(x, -1.0, 1.0), X)
case("cast", lambda x: relay.cast(relay.cast(x, "float32"), "float64"), X, atol=1e-1, rtol=1e-2)
case("cast_like", lambda x, y: relay.cast_like(x, y), X, reals(1))
case("fast_tanh", relay.fast_tanh, X)
case("fast_exp", relay.fast_exp, X)
case("fast_erf", relay.fast_erf, X)

for _name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "mod", "floor_mod",
              "trunc_mod", "floor_divide", "trunc_divide"):
    _function = getattr(relay, _name)
    case(_name, _function, X, reals(2, 3, low=0.6, high=2.3, seed=1))
    case(f"{_name} broadcast", _function, reals(2, 1, 3), reals(5, 1, low=0.6, high=2.3, seed=2))
    case(f"{_name} scalar", _function, np.array(1.3), reals(2, 3, low=0.6, high=2.3))
    case(f"{_name} open", _function, X, reals(1, 3, low=0.6, high=2.3), dynamic=[0])
    case(f"{_name} both open", _function, X, reals(1, 3, low=0.6, high=2.3), dynamic=[0, 1])
case("power", relay.power, reals(2, 3, low=0.3, high=2), reals(2, 3))
case("power broadcast", relay.power, reals(2, 1, low=0.3, high=2), reals(3))
case("power of negative numbers", lambda x: relay.power(x, c(3.0)), X)
case("power of zero", lambda x: relay.power(x, c(2.0)), np.array([0.0, 1.0, -2.0]))
case("zeroth power", lambda x: relay.power(x, c(0.0)), np.array([0.0, 1.0, -2.0]))
case("where", lambda x, y: relay.where(relay.const([[True], [False]]), x, y), X,
     reals(3, seed=1))
case("where condition", lambda k, x, y: relay.where(k, x, y), indices(2, 1, below=2), X,
     np.array(0.5))
case("bias_add", lambda x, b: op.nn.bias_add(x, b), IMAGE, reals(3))
case("bias_add last", lambda x, b: op.nn.bias_add(x, b, axis=-1), X, reals(3), dynamic=[0])
case("prelu", lambda x, a: op.nn.prelu(x, a), IMAGE, reals(3))
case("prelu last", lambda x, a: op.nn.prelu(x, a, axis=1), X, reals(3))
for _name in ("softmax", "log_softmax", "fast_softmax"):
    _function = getattr(op.nn, _name)
    case(_name, _function, X, dynamic=[0])
    case(f"{_name} of an axis", lambda x, f=_function: f(x, axis=1), IMAGE)

#===------------------------------------------------------------------------===#
# Reductions
#===------------------------------------------------------------------------===#

for _name in ("sum", "mean", "max", "min", "prod"):
    _function = getattr(relay, _name)
    case(_name, lambda x, f=_function: f(x), X)
    case(f"{_name} axis", lambda x, f=_function: f(x, axis=[1, -1]), reals(2, 3, 2))
    case(f"{_name} kept", lambda x, f=_function: f(x, axis=1, keepdims=True), reals(2, 3, 2))
    case(f"{_name} others", lambda x, f=_function: f(x, axis=1, exclude=True), reals(2, 3, 2))
    case(f"{_name} open", lambda x, f=_function: f(x, axis=0), reals(4, 3), dynamic=[0])
    case(f"{_name} all open", lambda x, f=_function: f(x), reals(4, 3), dynamic=[0])
case("prod with zeros", lambda x: relay.prod(x, axis=[0, 1]),
     np.array([[0.0, 1.5], [2.0, 3.0]]))
case("prod with two zeros", relay.prod, np.array([0.0, 1.5, 0.0]))
case("variance", lambda x: relay.variance(x, axis=1), reals(2, 5, 2))
case("variance kept", lambda x: relay.variance(x, axis=[0, 2], keepdims=True), reals(2, 5, 2))
case("unbiased variance", lambda x: relay.variance(x, axis=1, unbiased=True), reals(3, 4))
case("variance of a mean", lambda x, m: relay.op.reduce._variance(x, m, 1)
     if hasattr(relay.op.reduce, "_variance") else relay.std(x, axis=1) * relay.sum(m),
     reals(3, 4), reals(3, 1))
case("cumsum", lambda x: relay.cumsum(x, axis=1), X)
case("cumsum exclusive", lambda x: relay.cumsum(x, axis=0, exclusive=True), X, dynamic=[0])
case("cumsum flat", relay.cumsum, X)
case("cumprod", lambda x: relay.cumprod(x, axis=1), reals(2, 3, 2))
case("cumprod exclusive", lambda x: relay.cumprod(x, axis=0, exclusive=True), reals(4, 2))
case("cumprod flat with zeros", relay.cumprod, np.array([[1.5, 0.0], [2.0, 3.0]]))

#===------------------------------------------------------------------------===#
# Shapes and movement
#===------------------------------------------------------------------------===#

case("reshape", lambda x: relay.reshape(x, (3, -1)), reals(2, 3, 2))
case("reshape open", lambda x: relay.reshape(x, (-1, 2)), reals(2, 3, 4), dynamic=[0])
case("squeeze", lambda x: relay.squeeze(x, axis=[1]), reals(3, 1, 2))
case("expand_dims", lambda x: relay.expand_dims(x, axis=1, num_newaxis=2), X)
case("batch_flatten", op.nn.batch_flatten, reals(2, 3, 2), dynamic=[0])
case("reverse_reshape", lambda x: relay.reverse_reshape(x, (-1, 0)), reals(2, 3, 4))
case("reshape_like", lambda x, y: relay.reshape_like(x, y), reals(2, 6), reals(3, 4))
case("transpose", lambda x: relay.transpose(x, (1, 2, 0)), reals(2, 3, 4))
case("transpose all", relay.transpose, reals(2, 3, 4), dynamic=[0])
case("broadcast_to", lambda x: relay.broadcast_to(x, (4, 2, 3)), reals(2, 1))
case("broadcast_to_like", lambda x, y: relay.broadcast_to_like(x, y), reals(2, 1), X)
case("collapse_sum_like", lambda x, y: relay.collapse_sum_like(x, y), reals(4, 2, 3),
     reals(2, 1))
case("collapse_sum_to", lambda x: relay.collapse_sum_to(x, (2, 1)), reals(4, 2, 3))
case("tile", lambda x: relay.tile(x, (2, 1, 3)), X)
case("tile less", lambda x: relay.tile(x, (2,)), X)
case("repeat", lambda x: relay.repeat(x, 3, axis=1), reals(2, 3, 2))
case("repeat last", lambda x: relay.repeat(x, 2, axis=-1), X, dynamic=[0])
case("meshgrid", lambda x, y, z: relay.meshgrid([x, y, z], indexing="ij"), reals(2), reals(3),
     reals(4))
case("meshgrid xy", lambda x, y: relay.meshgrid([x, y], indexing="xy"), reals(2), reals(3))
case("concatenate", lambda x, y: relay.concatenate([x, y], axis=1), reals(2, 3), reals(2, 2))
case("concatenate once more", lambda x: relay.concatenate([x, relay.exp(x), x], axis=-1), X)
case("concatenate open", lambda x, y: relay.concatenate([x, y], axis=0), reals(2, 3),
     reals(4, 3), dynamic=[1])
case("concatenate open first", lambda x, y, z: relay.concatenate([x, y, z], axis=0), reals(2, 3),
     reals(4, 3), reals(1, 3), dynamic=[0])
case("concatenate open between", lambda x, y, z: relay.concatenate([x, y, z, y], axis=0),
     reals(2, 3), reals(1, 3), reals(4, 3), dynamic=[2])
case("stack", lambda x, y: relay.stack([x, y, x], axis=1), X, X + 1)
case("stack last", lambda x, y: relay.stack([x, y], axis=-1), X, X + 1)
case("split", lambda x: relay.split(x, [1, 3], axis=1), reals(2, 5))
case("split alike", lambda x: relay.split(x, 3, axis=-1), reals(2, 6))
case("a part of split", lambda x: relay.split(x, 2, axis=0)[1], reals(4, 2))
case("strided_slice", lambda x: relay.strided_slice(x, [1, 0], [3, 2]), reals(4, 3))
case("strided_slice steps", lambda x: relay.strided_slice(x, [0, 2], [4, 0], [2, -1]),
     reals(4, 3))
case("strided_slice from behind", lambda x: relay.strided_slice(x, [-3], [-1], axes=[1]),
     reals(2, 5))
case("strided_slice by size",
     lambda x: relay.strided_slice(x, [1, 1], [2, -1], slice_mode="size"), reals(4, 3))
case("strided_slice open", lambda x: relay.strided_slice(x, [1], [3], axes=[1]), reals(4, 3),
     dynamic=[0])
case("slice_like", lambda x, y: relay.slice_like(x, y), reals(4, 3), reals(2, 2))
case("slice_like axes", lambda x, y: relay.slice_like(x, y, axes=[0]), reals(4, 3), reals(2, 2),
     dynamic=[0])
case("strided_set", lambda x, v: relay.strided_set(
    x, v, relay.const([1, 0]), relay.const([4, 3]), relay.const([2, 1])), reals(4, 3),
     reals(2, 3))
case("strided_set repeated", lambda x, v: relay.strided_set(
    x, v, relay.const([1]), relay.const([3]), relay.const([1])), reals(4, 3), reals(1, 3))
case("pad", lambda x: op.nn.pad(x, ((1, 2), (0, 1)), 3.0), X)
case("pad value", lambda x, v: op.nn.pad(x, ((1, 2), (0, 1)), v), X, np.array(0.5))
case("pad less", lambda x: op.nn.pad(x, ((-1, 2), (0, -1))), reals(3, 4))
case("pad edge", lambda x: op.nn.pad(x, ((1, 2), (0, 1)), pad_mode="edge"), X)
case("pad reflect", lambda x: op.nn.pad(x, ((1, 1), (2, 0)), pad_mode="reflect"), X)
case("mirror_pad", lambda x: op.nn.mirror_pad(x, ((1, 1), (2, 0)), mode="SYMMETRIC"), X)
case("dilate", lambda x: op.nn.dilate(x, (2, 3), 0.5), X)
case("reverse", lambda x: relay.reverse(x, axis=1), X, dynamic=[0])
case("reverse_sequence", lambda x: relay.reverse_sequence(
    x, relay.const([2, 3], I32), seq_axis=1, batch_axis=0), reals(2, 4))
case("layout_transform", lambda x: relay.layout_transform(x, "NCHW", "NCHW2c"),
     reals(1, 4, 2, 3))
case("depth_to_space", lambda x: op.nn.depth_to_space(x, 2), reals(1, 8, 2, 3))
case("depth_to_space CDR", lambda x: op.nn.depth_to_space(x, 2, mode="CDR"), reals(1, 8, 2, 3))
case("space_to_depth", lambda x: op.nn.space_to_depth(x, 2), reals(1, 2, 4, 6))
case("space_to_batch_nd", lambda x: op.nn.space_to_batch_nd(x, [2, 2], [[0, 1], [1, 0]], 0.5),
     reals(1, 3, 5, 2))
case("batch_to_space_nd", lambda x: op.nn.batch_to_space_nd(x, [2, 2], [[0, 1], [1, 0]]),
     reals(4, 2, 3, 2))
case("sliding_window", lambda x: relay.sliding_window(x, 1, (2, 3), (1, 2)), reals(2, 3, 5))
case("yolo_reorg", lambda x: relay.vision.yolo_reorg(x, 2), reals(1, 4, 2, 4))
case("trilu", lambda x: relay.trilu(x, relay.const(1), upper=False), reals(2, 3, 4))
case("sequence_mask", lambda x: relay.sequence_mask(x, relay.const([1, 3], I32), 0.5),
     reals(4, 2, 3))
case("matrix_set_diag", lambda x, y: relay.matrix_set_diag(x, y, k=(-1, 1)), reals(3, 4),
     reals(3, 3))
case("fifo_buffer", lambda x, y: op.nn.fifo_buffer(x, y, axis=1), reals(1, 2, 3),
     reals(1, 4, 3))
case("full", lambda x: relay.full(x, (2, 3)), np.array(0.5))
case("full_like", lambda x, v: relay.full_like(x, v), X, np.array(0.5))
case("arange", lambda a, s: relay.arange(a, c(9.0), s, "float64"), np.array(1.25),
     np.array(0.7))
case("one_hot", lambda i, a, b: relay.one_hot(i, a, b, 4, -1, "float64"), indices(5, below=5),
     np.array(0.5), np.array(-0.3))

_KEY = relay.random.threefry_key(3)
case("random uniform", lambda a, b: relay.random.uniform(_KEY, (3, 4), "float64", a, b),
     np.array(0.5), np.array(1.5))
case("random normal", lambda m, s: relay.random.normal(_KEY, (3, 4), "float64", m, s),
     np.array(0.5), np.array(0.0))

#===------------------------------------------------------------------------===#
# Positions
#===------------------------------------------------------------------------===#

case("take flat", lambda x, i: relay.take(x, i), X, indices(4, below=6))
case("take a scalar", lambda x: relay.take(x, relay.const(1), axis=1), X)
for _mode in ("clip", "wrap", "fast"):
    case(f"take {_mode}", lambda x, i, m=_mode: relay.take(x, i, axis=1, mode=m),
         reals(2, 3, 2), indices(2, 4, below=3))
for _mode in ("clip", "wrap"):
    case(f"take outside {_mode}", lambda x, m=_mode: relay.take(
        x, relay.const([-4, 5, 1, 1]), axis=0, mode=m), reals(3, 2))
case("take open", lambda x, i: relay.take(x, i, axis=0), reals(3, 2), indices(4, below=3),
     dynamic=[0, 1])
case("take batches", lambda x, i: relay.take(x, i, axis=1, batch_dims=1), reals(2, 3),
     indices(2, 4, below=3))
case("gather", lambda x, i: relay.gather(x, 1, i), X, indices(2, 4, below=3))
case("gather_nd", lambda x, i: relay.gather_nd(x, i), reals(2, 2, 3), indices(2, 4, below=2))
case("gather_nd batches", lambda x, i: relay.gather_nd(x, i, batch_dims=1), reals(2, 2, 3),
     indices(1, 2, below=2))
case("adv_index", lambda x, i, j: relay.adv_index([x, i, j]), reals(2, 2, 3),
     indices(3, 1, below=2), indices(2, below=2))
for _mode in ("update", "add"):
    case(f"scatter_elements {_mode}", lambda x, u, m=_mode: relay.scatter_elements(
        x, relay.const([[0, 2], [1, 0]]), u, axis=1, reduction=m), X, reals(2, 2))
    case(f"scatter_elements {_mode} less", lambda x, u, m=_mode: relay.scatter_elements(
        x, relay.const([[0, 2]]), u, axis=1, reduction=m), X, reals(1, 2))
    case(f"scatter_nd {_mode}", lambda x, u, m=_mode: relay.scatter_nd(
        x, relay.const([[0, 1]]), u, mode=m), reals(3, 2), reals(2, 2))
case("sparse_to_dense", lambda v, e: relay.sparse_to_dense(
    relay.const([[0, 1], [2, 0]]), (3, 2), v, e), reals(2), np.array(0.5))
case("sort", lambda x: relay.sort(x, axis=0), reals(4, 3))
case("sort down", lambda x: relay.sort(x, is_ascend=False), reals(4, 3))
case("topk", lambda x: relay.topk(x, 2, axis=1), reals(3, 4))
case("topk values", lambda x: relay.topk(x, 2, axis=0, ret_type="values", is_ascend=True),
     reals(3, 4))

#===------------------------------------------------------------------------===#
# Products
#===------------------------------------------------------------------------===#

case("dense", lambda x, w: op.nn.dense(x, w), reals(2, 3), reals(4, 3))
case("dense open", lambda x, w: op.nn.dense(x, w), reals(5, 3), reals(4, 3), dynamic=[0])
case("dense of more", lambda x, w: op.nn.dense(x, w), reals(2, 1, 3), reals(4, 3))
case("dense of a vector", lambda x, w: op.nn.dense(x, w), reals(3), reals(4, 3))
for _a in (False, True):
    for _b in (False, True):
        case(f"matmul {_a} {_b}", lambda x, y, a=_a, b=_b: op.nn.matmul(
            x, y, transpose_a=a, transpose_b=b), reals(3, 2) if _a else reals(2, 3),
             reals(4, 3) if _b else reals(3, 4))
        case(f"batch_matmul {_a} {_b}", lambda x, y, a=_a, b=_b: op.nn.batch_matmul(
            x, y, transpose_a=a, transpose_b=b), reals(2, 3, 2) if _a else reals(2, 2, 3),
             reals(2, 4, 3) if _b else reals(2, 3, 4))
        case(f"batch_matmul of one {_a} {_b}", lambda x, y, a=_a, b=_b: op.nn.batch_matmul(
            x, y, transpose_a=a, transpose_b=b), reals(1, 3, 2) if _a else reals(1, 2, 3),
             reals(3, 4, 3) if _b else reals(3, 3, 4))
case("einsum", lambda x, y: relay.einsum([x, y], "bij,bjk->bik"), reals(2, 2, 3),
     reals(2, 3, 2))
case("einsum sums", lambda x, y: relay.einsum([x, y], "ij,k->i"), reals(2, 3), reals(4))
case("einsum of one", lambda x: relay.einsum([x], "ijk->ki"), reals(2, 3, 2))
case("dft", lambda x, y: relay.dft(x, y), reals(2, 5), reals(2, 5, seed=1))
case("inverse dft", lambda x, y: relay.dft(x, y, inverse=True), reals(2, 4),
     reals(2, 4, seed=1))

#===------------------------------------------------------------------------===#
# Convolutions
#===------------------------------------------------------------------------===#


def conv(rank, **attrs):
    function = getattr(op.nn, f"conv{rank}d")
    return lambda x, w: function(x, w, **attrs)


case("conv1d", conv(1, kernel_size=(3,), channels=2), reals(2, 3, 7), reals(2, 3, 3))
case("conv1d strides", conv(1, strides=(2,), padding=(2, 1), dilation=(2,)), reals(1, 2, 9),
     reals(3, 2, 3))
case("conv2d", conv(2), IMAGE, reals(2, 3, 3, 2))
case("conv2d strides", conv(2, strides=(2, 3), padding=(1, 2)), IMAGE, reals(2, 3, 3, 3))
case("conv2d uneven", conv(2, strides=(2, 2), padding=(1, 0, 2, 1), dilation=(2, 1)),
     reals(1, 2, 8, 7), reals(2, 2, 2, 3))
case("conv2d groups", conv(2, groups=2, padding=(1, 1)), reals(1, 4, 4, 5), reals(6, 2, 3, 3))
case("conv2d depthwise", conv(2, groups=3, padding=(1, 1)), IMAGE, reals(3, 1, 3, 3))
case("conv2d multiplied", conv(2, groups=3, channels=6, kernel_size=(3, 3)), IMAGE,
     reals(3, 2, 3, 3))
case("conv2d NHWC", conv(2, data_layout="NHWC", kernel_layout="HWIO", strides=(2, 1),
                         padding=(1, 1)), reals(2, 5, 4, 3), reals(3, 3, 3, 2))
case("conv2d NHWC depthwise", conv(2, data_layout="NHWC", kernel_layout="HWOI", groups=3),
     reals(1, 5, 4, 3), reals(3, 3, 3, 1))
case("conv2d open", conv(2), IMAGE, reals(2, 3, 3, 2), dynamic=[0])
case("conv2d 1x1", conv(2), reals(1, 3, 1, 1), reals(2, 3, 1, 1))
case("conv3d", conv(3, padding=(1, 1, 1)), reals(1, 2, 3, 4, 3), reals(2, 2, 2, 3, 2))
case("conv3d strides", conv(3, strides=(1, 2, 2), dilation=(1, 1, 2)), reals(2, 2, 3, 5, 6),
     reals(2, 2, 2, 2, 2))
case("conv3d groups", conv(3, groups=2), reals(2, 4, 3, 3, 3), reals(2, 2, 2, 2, 2))


def transposed(rank, **attrs):
    function = getattr(op.nn, f"conv{rank}d_transpose")
    return lambda x, w: function(x, w, **attrs)


case("conv1d_transpose", transposed(1, strides=(2,), padding=(1,), output_padding=(1,),
                                    channels=3, kernel_size=(3,)), reals(1, 2, 4),
     reals(2, 3, 3))
case("conv2d_transpose", transposed(2, strides=(2, 1), padding=(1, 0), channels=3,
                                    kernel_size=(3, 2)), reals(2, 2, 3, 4), reals(2, 3, 3, 2))
case("conv2d_transpose rest", transposed(
    2, strides=(3, 2), padding=(1, 1), output_padding=(2, 1), channels=2, kernel_size=(3, 3)),
     reals(1, 2, 3, 2), reals(2, 2, 3, 3))
case("conv2d_transpose groups", transposed(2, groups=2, channels=4, kernel_size=(2, 2)),
     reals(1, 4, 3, 2), reals(4, 2, 2, 2))
case("conv3d_transpose", transposed(3, strides=(1, 2, 1), channels=3, kernel_size=(2, 2, 2)),
     reals(1, 2, 2, 2, 3), reals(2, 3, 2, 2, 2))
case("conv2d_backward_weight", lambda g, x: op.nn.conv2d_backward_weight(
    g, x, strides=(2, 1), padding=(1, 1), kernel_size=(3, 3), channels=2,
    grad_layout="NCHW", data_layout="NCHW"), reals(2, 2, 3, 4), reals(2, 3, 5, 4))

EINSUMS: Any = [
    ("ellipsis", "...ij,...jk->...ik", [(2, 3, 4), (4, 2)]),
    ("ellipsis repeated", "a...,...b->ab...", [(3, 1, 4), (2, 1, 5)]),
    ("ellipsis summed", "...i->...", [(2, 1, 3)]),
    ("ellipsis implicit", "i...,i", [(3, 2, 2), (3,)]),
    ("diagonal", "ii,ij->ij", [(3, 3), (3, 2)]),
    ("trace", "ii", [(3, 3)]), ("diagonal of three", "iii->i", [(2, 2, 2)]),
    ("diagonals", "bij,bij,iijj->b", [(2, 3, 2), (2, 3, 2), (3, 3, 2, 2)]),
    ("repeated size", "ij,jk->ik", [(2, 1), (3, 2)]),
    ("diagonal of one", "ii,i->i", [(3, 1), (3,)])]
for _name, _equation, _shapes in EINSUMS:
    case(f"einsum {_name}", lambda *xs, e=_equation: relay.einsum(xs, e),
         *(reals(*shape, seed=i) for i, shape in enumerate(_shapes)))
case("einsum diagonal open", lambda x, y: relay.einsum((x, y), "ii,ij->j"), reals(3, 3),
     reals(3, 2), dynamic=[1])
SOME = np.array([[0, 2, 2], [3, 2, 0]], I32)
for _how in ("mul", "min", "max"):
    case(f"scatter_elements {_how}", lambda x, i, u, h=_how: relay.scatter_elements(
        x, i, u, 1, h), reals(3, 4), SOME, reals(2, 3, seed=1))
    case(f"scatter_nd {_how}", lambda x, i, u, h=_how: relay.scatter_nd(x, i, u, h),
         reals(3, 4), np.array([[0, 2, 0]], I32), reals(3, 4, seed=1))
case("scatter_elements mul zeros", lambda x, i, u: relay.scatter_elements(x, i, u, 1, "mul"),
     np.array([[1.5, 0.5, 0.0, 2.0], [0.0, 0.3, 1.2, 0.0]]), SOME,
     np.array([[0.0, 0.7, 1.1], [0.0, 0.0, 0.0]]))

#===------------------------------------------------------------------------===#
# Pooling and resizing
#===------------------------------------------------------------------------===#

for _name in ("max_pool", "avg_pool"):
    for _rank, _shape in ((1, (2, 2, 7)), (2, (2, 2, 5, 6)), (3, (1, 2, 4, 5, 6))):
        _function = getattr(op.nn, f"{_name}{_rank}d")
        _ones = (1,) * _rank
        case(f"{_name}{_rank}d", lambda x, f=_function, r=_rank: f(
            x, pool_size=(2,) * r, strides=(2,) * r), reals(*_shape))
        case(f"{_name}{_rank}d overlapping", lambda x, f=_function, r=_rank: f(
            x, pool_size=(3,) * r, strides=(1,) * r, padding=(1,) * r), reals(*_shape))
        case(f"{_name}{_rank}d up", lambda x, f=_function, r=_rank: f(
            x, pool_size=(3,) * r, strides=(2,) * r, ceil_mode=True), reals(*_shape))
case("avg_pool2d with padding", lambda x: op.nn.avg_pool2d(
    x, (3, 3), (2, 2), padding=(1, 1), count_include_pad=True), reals(1, 2, 5, 5))
case("max_pool2d NHWC open", lambda x: op.nn.max_pool2d(
    x, (2, 2), (2, 2), layout="NHWC"), reals(2, 4, 4, 3), dynamic=[0])
case("avg_pool2d_grad", lambda g, x: op.nn.avg_pool2d_grad(
    g, x, pool_size=(2, 2), strides=(2, 2)), reals(1, 2, 2, 2), reals(1, 2, 4, 4))
for _name in ("global_avg_pool2d", "global_max_pool2d"):
    _function = getattr(op.nn, _name)
    case(_name, _function, IMAGE)
    case(f"{_name} NHWC", lambda x, f=_function: f(x, layout="NHWC"), reals(2, 3, 4, 2),
         dynamic=[0])
for _rank, _shape in ((1, (2, 2, 7)), (2, (1, 2, 5, 7)), (3, (1, 2, 4, 5, 3))):
    _function = getattr(op.nn, f"adaptive_avg_pool{_rank}d")
    case(f"adaptive_avg_pool{_rank}d", lambda x, f=_function, r=_rank: f(
        x, output_size=(3, 2, 2)[:r]), reals(*_shape))
case("adaptive_avg_pool2d NHWC", lambda x: op.nn.adaptive_avg_pool2d(
    x, (2, 3), layout="NHWC"), reals(2, 4, 5, 3), dynamic=[0])

for _method in ("nearest_neighbor", "linear", "cubic"):
    for _mode in ("half_pixel", "align_corners", "asymmetric"):
        case(f"resize2d {_method} {_mode}", lambda x, m=_method, t=_mode: op.image.resize2d(
            x, (7, 4), method=m, coordinate_transformation_mode=t, rounding_method="floor"),
             reals(1, 2, 3, 5))
case("resize1d", lambda x: op.image.resize1d(x, (9,)), reals(1, 2, 5))
case("resize3d", lambda x: op.image.resize3d(x, (3, 5, 2)), reals(1, 2, 2, 3, 4))
case("resize2d NHWC open", lambda x: op.image.resize2d(x, (5, 2), layout="NHWC"),
     reals(2, 3, 4, 2), dynamic=[0])
case("resize2d of a region", lambda x: op.image.resize2d(
    x, (4, 5), roi=(0.1, 0.2, 1.2, 0.9), coordinate_transformation_mode="tf_crop_and_resize",
    extrapolation_value=0.5), reals(1, 2, 4, 6))
for _method in ("nearest_neighbor", "bilinear", "bicubic"):
    case(f"upsampling {_method}", lambda x, m=_method: op.nn.upsampling(x, 2, 3, method=m),
         reals(1, 2, 3, 2))
case("upsampling corners", lambda x: op.nn.upsampling(
    x, 2, 2, method="bilinear", align_corners=True), reals(1, 2, 3, 2))
case("upsampling3d", lambda x: op.nn.upsampling3d(x, 2, 2, 1, method="trilinear"),
     reals(1, 1, 2, 3, 2))

#===------------------------------------------------------------------------===#
# Normalisation and losses
#===------------------------------------------------------------------------===#

case("layer_norm", op.nn.layer_norm, reals(2, 5), reals(5, low=0.5), reals(5), dynamic=[0])
case("layer_norm of an axis", lambda x, g, b: op.nn.layer_norm(x, g, b, axis=1, center=False),
     reals(2, 3, 4), reals(3, low=0.5), reals(3))
case("instance_norm", op.nn.instance_norm, reals(2, 3, 2, 4), reals(3, low=0.5), reals(3))
case("instance_norm last", lambda x, g, b: op.nn.instance_norm(x, g, b, axis=2, scale=False),
     reals(2, 5, 3), reals(3), reals(3))
case("instance_norm of single numbers", op.nn.instance_norm, reals(4, 3), reals(3, low=0.5),
     reals(3))
case("group_norm", lambda x, g, b: op.nn.group_norm(x, g, b, num_groups=2), reals(2, 4, 3),
     reals(4, low=0.5), reals(4))
case("batch_norm", lambda *args: op.nn.batch_norm(*args), reals(2, 3, 4), reals(3, low=0.5),
     reals(3), reals(3, seed=1), reals(3, low=0.3))
case("batch_norm last", lambda x, g, b, m, v: op.nn.batch_norm(
    x, g, b, m, v, axis=-1, scale=False)[0],
     reals(4, 3), reals(3), reals(3), reals(3, seed=1), reals(3, low=0.3), dynamic=[0])
case("batch_norm for training", lambda x, g, b: op.nn.batch_norm(
    x, g, b, relay.mean(x, axis=[0, 2]), relay.variance(x, axis=[0, 2]))[0], reals(3, 2, 4),
     reals(2, low=0.5), reals(2))
case("lrn", lambda x: op.nn.lrn(x, size=3, alpha=0.5), reals(1, 5, 2, 2))
case("lrn even", lambda x: op.nn.lrn(x, size=5, axis=3, alpha=0.5, bias=1.0), reals(1, 2, 2, 4))
case("l2_normalize", lambda x: op.nn.l2_normalize(x, 1e-3, axis=[1]), reals(2, 3, 2))
case("l2_normalize short", lambda x: op.nn.l2_normalize(x, 100.0, axis=[0]), X)
case("l2_normalize all", lambda x: op.nn.l2_normalize(x, 1e-3, axis=[]), X)
case("dropout", lambda x: op.nn.dropout(x), X)
case("cross_entropy", op.nn.cross_entropy, reals(2, 3, low=0.2), reals(2, 3, seed=1))
case("cross_entropy_with_logits", op.nn.cross_entropy_with_logits, X, reals(2, 3, seed=1),
     dynamic=[0])
for _reduction in ("mean", "sum", "none"):
    case(f"nll_loss {_reduction}", lambda x, t, w, r=_reduction: op.nn.nll_loss(
        x, t, w, reduction=r, ignore_index=1), reals(4, 3), np.array([0, 1, 2, 2], I32),
         reals(3, low=0.5))
case("nll_loss of images", lambda x, t, w: op.nn.nll_loss(x, t, w), reals(2, 3, 2),
     indices(2, 2, below=3), reals(3, low=0.5))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_gradient(name, mode):
    build, values, dynamic, tolerances = CASES[name]
    check_operator(build, values, mode, dynamic, **tolerances)


@pytest.mark.parametrize("name", [
    "avg_pool3d", "max_pool1d overlapping", "max_pool2d", "max_pool2d overlapping", "max_pool2d up",
    "max_pool2d NHWC open", "max_pool3d overlapping", "einsum ellipsis", "einsum diagonal",
    "scatter_elements mul", "scatter_elements mul zeros", "scatter_nd max"])
def test_second_gradient(name):
    build, values, _, tolerances = CASES[name]
    check_second(build, values, **tolerances)
