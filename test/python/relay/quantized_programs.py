"""Programs with floats between qnn.dequantize and qnn.quantize: one for each operator
that has a form in integers, and random ones."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from relay_mlir import relay
from relay_mlir.relay import nn, qnn

F32, I32 = "float32", "int32"


class Builder:
    """Makes parameters of integers, as floats, and quantized results."""

    def __init__(self, seed: int = 0, dtype: str = "int8") -> None:
        self.rng = np.random.default_rng(seed)
        self.dtype = dtype
        self.params: list[relay.Var] = []

    def param(self, *shape: int, dtype: str | None = None) -> relay.Var:
        var = relay.var(f"q{len(self.params)}", shape=shape, dtype=dtype or self.dtype)
        self.params.append(var)
        return var

    def zero_point(self, dtype: str) -> relay.Constant:
        low = 0 if dtype == "uint8" else -8
        return relay.const(np.int32(self.rng.integers(low, low + 16)))

    def scale(self, low: float = 0.02, high: float = 0.05) -> relay.Constant:
        return relay.const(np.float32(self.rng.uniform(low, high)))

    def floats(self, *shape: int, dtype: str | None = None) -> relay.Expr:
        """A parameter of integers, dequantized."""
        var = self.param(*shape, dtype=dtype)
        return qnn.dequantize(var, self.scale(), self.zero_point(dtype or self.dtype))

    def weight(self, *shape: int, axis: int | None = None) -> relay.Expr:
        """A constant of int8, dequantized, with a scale for each index along an axis."""
        data = relay.const(self.rng.integers(-127, 128, shape).astype("int8"))
        if axis is None:
            return qnn.dequantize(data, self.scale(0.005, 0.01), relay.const(np.int32(0)))
        scales = relay.const(self.rng.uniform(0.002, 0.01, shape[axis]).astype(F32))
        return qnn.dequantize(data, scales, relay.const(np.int32(0)), axis=axis)

    def constant(self, *shape: int) -> relay.Constant:
        return relay.const(self.rng.uniform(-2, 2, shape).astype(F32))

    def quantize(self, x: relay.Expr, scale: float = 0.04, zero: int = 5,
                 dtype: str | None = None) -> relay.Expr:
        return qnn.quantize(x, relay.const(np.float32(scale)), relay.const(np.int32(zero)),
                            out_dtype=dtype or self.dtype)

    def module(self, *results: relay.Expr) -> relay.IRModule:
        body = results[0] if len(results) == 1 else relay.Tuple(list(results))
        return relay.transform.InferType()(relay.IRModule.from_expr(
            relay.Function(self.params, body)))

    def arguments(self) -> list[np.ndarray[Any, Any]]:
        values = []
        for var in self.params:
            type_ = var.type_annotation
            info = np.iinfo(type_.dtype)
            values.append(self.rng.integers(info.min, info.max + 1, type_.concrete_shape)
                          .astype(type_.dtype))
        return values


def _unary(function: Callable[..., relay.Expr], *args: Any, **attrs: Any) -> Any:
    return lambda b: function(b.floats(2, 4, 6, 6), *args, **attrs)


def _positive(function: Callable[..., relay.Expr]) -> Any:
    return lambda b: function(qnn.dequantize(b.param(2, 30), b.scale(), relay.const(np.int32(
        -128 if b.dtype == "int8" else 0))))


def _binary(function: Callable[..., relay.Expr]) -> Any:
    return lambda b: function(b.floats(2, 4, 6), b.floats(4, 1))


def _with_constant(function: Callable[..., relay.Expr], *shape: int) -> Any:
    return lambda b: function(b.floats(2, 4, 6), b.constant(*shape))


def _convolution(b: Builder, **attrs: Any) -> relay.Expr:
    return nn.conv2d(b.floats(2, 4, 8, 8), b.weight(6, 4, 3, 3), padding=(1, 1), **attrs)


# What is computed of dequantized values, by a name; each has a form in integers.
OPERATORS: dict[str, Callable[[Builder], relay.Expr]] = {
    "reshape": _unary(relay.reshape, (2, -1)),
    "squeeze": lambda b: relay.squeeze(b.floats(2, 1, 3), axis=[1]),
    "strided_slice": _unary(relay.strided_slice, begin=[0, 1], end=[2, 3], strides=[1, 1]),
    "transpose": _unary(relay.transpose, (0, 2, 3, 1)),
    "expand_dims": _unary(relay.expand_dims, 1),
    "nn.max_pool2d": _unary(nn.max_pool2d, (3, 3), padding=(1, 1)),
    "nn.batch_flatten": _unary(nn.batch_flatten),
    "nn.depth_to_space": _unary(nn.depth_to_space, 2),
    "max": _unary(relay.max, axis=[1]),
    "min": _unary(relay.min, axis=[2, 3], keepdims=True),
    "image.resize2d": _unary(relay.image.resize2d, (12, 12), method="nearest_neighbor",
                             coordinate_transformation_mode="asymmetric",
                             rounding_method="floor"),
    "image.resize2d linear": _unary(relay.image.resize2d, (9, 9), method="linear"),
    "broadcast_to": lambda b: relay.broadcast_to(b.floats(4, 1), (2, 4, 3)),
    "nn.avg_pool2d": _unary(nn.avg_pool2d, (3, 3), padding=(1, 1)),
    "nn.avg_pool2d padded": _unary(nn.avg_pool2d, (3, 3), padding=(1, 1),
                                   count_include_pad=True),
    "nn.adaptive_avg_pool1d": lambda b: nn.adaptive_avg_pool1d(b.floats(2, 3, 8), 4),
    "nn.global_avg_pool2d": _unary(nn.global_avg_pool2d),
    "mean": _unary(relay.mean, axis=[1], keepdims=True),
    "nn.bias_add": lambda b: nn.bias_add(_convolution(b), b.constant(6)),
    "nn.bias_add of bytes": lambda b: nn.bias_add(b.floats(2, 4, 3), b.constant(4)),
    "nn.bias_add quantized": lambda b: nn.bias_add(_convolution(b), b.weight(6)),
    "nn.conv2d": _convolution,
    "nn.conv2d per channel": lambda b: nn.relu(nn.bias_add(nn.conv2d(
        b.floats(2, 4, 8, 8), b.weight(6, 4, 3, 3, axis=0)), b.constant(6))),
    "nn.conv2d NHWC": lambda b: nn.conv2d(
        b.floats(2, 8, 8, 4), b.weight(3, 3, 4, 6, axis=3), data_layout="NHWC",
        kernel_layout="HWIO", strides=(2, 2)),
    "nn.conv2d depthwise": lambda b: nn.conv2d(
        b.floats(2, 4, 8, 8), b.weight(4, 1, 3, 3, axis=0), groups=4),
    "nn.conv2d_transpose": lambda b: nn.conv2d_transpose(
        b.floats(2, 4, 5, 5), b.weight(4, 3, 2, 2), strides=(2, 2)),
    "nn.dense": lambda b: nn.dense(b.floats(3, 20), b.weight(7, 20)),
    "nn.dense per channel": lambda b: relay.add(nn.dense(
        b.floats(3, 20), b.weight(7, 20, axis=0)), b.constant(7)),
    "nn.matmul": lambda b: nn.matmul(b.floats(3, 20), b.weight(20, 7, axis=1)),
    "nn.batch_matmul": lambda b: nn.batch_matmul(b.floats(2, 3, 8), b.floats(2, 5, 8)),
    "concatenate": lambda b: relay.concatenate([b.floats(2, 3), b.floats(2, 4)], 1),
    "concatenate constant": lambda b: relay.concatenate([b.floats(2, 3), b.constant(2, 4)], 1),
    "split": lambda b: relay.split(b.floats(6, 4), 3)[1],
    "clip": _unary(relay.clip, -0.5, 1.2),
    "clip per channel": lambda b: relay.clip(nn.conv2d(
        b.floats(2, 4, 8, 8), b.weight(6, 4, 3, 3, axis=0)), 0.0, 6.0),
    "nn.relu": _unary(nn.relu),
    "nn.leaky_relu": _unary(nn.leaky_relu, 0.2),
    "nn.pad": lambda b: nn.pad(b.floats(3, 4), ((1, 0), (2, 1)), pad_value=0.5),
    "nn.pad edge": lambda b: nn.pad(b.floats(3, 4), ((1, 0), (2, 1)), pad_mode="edge"),
    "take": lambda b: relay.take(b.floats(5, 3), relay.const(np.array([4, 0, 2], "int32")),
                                 axis=0),
    "topk": lambda b: relay.topk(b.floats(3, 9), k=4)[0],
    "sqrt": _positive(relay.sqrt), "rsqrt": _positive(relay.rsqrt), "log": _positive(relay.log),
    "exp": _unary(relay.exp), "erf": _unary(relay.erf), "sigmoid": _unary(relay.sigmoid),
    "tanh": _unary(relay.tanh), "abs": _unary(relay.abs),
    "add": _binary(relay.add), "subtract": _binary(relay.subtract),
    "multiply": _binary(relay.multiply), "minimum": _binary(relay.minimum),
    "maximum": _binary(relay.maximum),
    "add constant": _with_constant(relay.add, 4, 1),
    "subtract constant": lambda b: relay.subtract(b.constant(), b.floats(2, 4)),
    "multiply scalar": lambda b: relay.multiply(b.floats(2, 4), relay.const(np.float32(0.3))),
    "multiply negative": lambda b: relay.multiply(relay.const(np.float32(-0.3)), b.floats(2, 4)),
    "multiply constant": _with_constant(relay.multiply, 4, 1),
    "divide": lambda b: relay.divide(b.floats(2, 4), relay.const(np.float32(3))),
    "minimum constant": _with_constant(relay.minimum, 6),
    "maximum constant": _with_constant(relay.maximum),
    # Operators before the last one do not round to the scale of the result.
    "residual": lambda b: nn.relu(relay.add(_convolution(b), b.floats(2, 6, 8, 8))),
    "three sums": lambda b: relay.add(relay.subtract(b.floats(3, 7), b.floats(3, 7)),
                                      b.floats(7)),
    "sums of products": lambda b: relay.add(nn.dense(b.floats(3, 8), b.weight(5, 8)),
                                            nn.dense(b.floats(3, 9), b.weight(5, 9))),
    "pool of sum": lambda b: nn.max_pool2d(relay.add(b.floats(1, 2, 6, 6),
                                                     b.floats(1, 2, 6, 6)), (2, 2)),
}


def make_random(seed: int, chained: bool = True) -> tuple[relay.IRModule, list[np.ndarray[Any, Any]]]:
    """A program of some regions, one after the other, or each on arguments, and arguments."""
    b = Builder(seed, dtype=("int8", "uint8")[seed % 2])
    zero = 0 if b.dtype == "int8" else 128
    shape = (2, 4, 6, 6)

    def dequantized(q: relay.Expr) -> relay.Expr:
        return qnn.dequantize(q, relay.const(np.float32(0.03)), relay.const(np.int32(zero)))

    def one_of(pool: Sequence[relay.Expr]) -> relay.Expr:
        return pool[int(b.rng.integers(len(pool)))]

    known: list[relay.Expr] = [b.param(*shape), b.param(*shape)]
    results = []
    for _ in range(4):
        pool = [dequantized(one_of(known)) for _ in range(2)]
        for _ in range(b.rng.integers(1, 4)):
            x, y = one_of(pool), one_of(pool)
            steps: list[Callable[[], relay.Expr]] = [
                lambda: relay.add(x, y), lambda: relay.subtract(x, y), lambda: nn.relu(x),
                lambda: relay.maximum(x, y), lambda: relay.clip(x, -1.0, 2.0),
                lambda: relay.multiply(x, relay.const(np.float32(b.rng.uniform(0.2, 2)))),
                lambda: relay.transpose(x, (0, 1, 3, 2)),
                lambda: relay.add(x, b.constant(4, 1, 1)),
                lambda: nn.max_pool2d(x, (3, 3), padding=(1, 1)),
                lambda: nn.avg_pool2d(x, (3, 3), padding=(1, 1)),
                lambda: relay.tanh(dequantized(one_of(known))),
                lambda: nn.conv2d(dequantized(one_of(known)), b.weight(4, 4, 3, 3, axis=0),
                                  padding=(1, 1)),
            ]
            pool.append(steps[b.rng.integers(len(steps))]())
        results.append(b.quantize(pool[-1], float(np.float32(0.03)), zero))
        known.append(results[-1] if chained else b.param(*shape))
    return b.module(*results), b.arguments()
