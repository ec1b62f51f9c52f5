"""Inception-v3."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload


def _conv(data: Expr, channels: Any, kernel: Any, name: str, stride: int = 1,
          padding: Any = 0) -> Any:
    kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    padding = padding if isinstance(padding, tuple) else (padding, padding)
    out = layers.conv2d(data, channels=channels, kernel_size=kernel, strides=(stride, stride),
                        padding=padding, name=name + "_conv1")
    return op.nn.relu(layers.batch_norm_infer(out, epsilon=2e-5, name=name + "_bn"))


def _pool(data: Expr, kind: Any, stride: int = 1, padding: Any = 1) -> Any:
    options: dict[str, Any] = {"pool_size": (3, 3), "strides": (stride, stride), "padding": (padding, padding)}
    if kind == "max":
        return op.nn.max_pool2d(data, **options)
    return op.nn.avg_pool2d(data, count_include_pad=True, **options)


def _inception_a(data: Expr, pool_channels: Any, name: str) -> Any:
    one = _conv(data, 64, 1, name + "_conv")
    five = _conv(data, 48, 1, name + "_tower_conv")
    five = _conv(five, 64, 5, name + "_tower_conv_1", padding=2)
    three = _conv(data, 64, 1, name + "_tower_1_conv")
    three = _conv(three, 96, 3, name + "_tower_1_conv_1", padding=1)
    three = _conv(three, 96, 3, name + "_tower_1_conv_2", padding=1)
    pool = _conv(_pool(data, "avg"), pool_channels, 1, name + "_tower_2_conv")
    return op.concatenate((one, five, three, pool), axis=1)


def _inception_b(data: Expr, name: str) -> Any:
    three = _conv(data, 384, 3, name + "_conv", stride=2)
    double = _conv(data, 64, 1, name + "_tower_conv")
    double = _conv(double, 96, 3, name + "_tower_conv_1", padding=1)
    double = _conv(double, 96, 3, name + "_tower_conv_2", stride=2)
    return op.concatenate((three, double, _pool(data, "max", 2, 0)), axis=1)


def _inception_c(data: Expr, channels: Any, name: str) -> Any:
    one = _conv(data, 192, 1, name + "_conv")
    seven = _conv(data, channels, 1, name + "_tower_conv")
    seven = _conv(seven, channels, (1, 7), name + "_tower_conv_1", padding=(0, 3))
    seven = _conv(seven, 192, (7, 1), name + "_tower_conv_2", padding=(3, 0))
    double = _conv(data, channels, 1, name + "_tower_1_conv")
    double = _conv(double, channels, (7, 1), name + "_tower_1_conv_1", padding=(3, 0))
    double = _conv(double, channels, (1, 7), name + "_tower_1_conv_2", padding=(0, 3))
    double = _conv(double, channels, (7, 1), name + "_tower_1_conv_3", padding=(3, 0))
    double = _conv(double, 192, (1, 7), name + "_tower_1_conv_4", padding=(0, 3))
    pool = _conv(_pool(data, "avg"), 192, 1, name + "_tower_2_conv")
    return op.concatenate((one, seven, double, pool), axis=1)


def _inception_d(data: Expr, name: str) -> Any:
    three = _conv(data, 192, 1, name + "_tower_conv")
    three = _conv(three, 320, 3, name + "_tower_conv_1", stride=2)
    seven = _conv(data, 192, 1, name + "_tower_1_conv")
    seven = _conv(seven, 192, (1, 7), name + "_tower_1_conv_1", padding=(0, 3))
    seven = _conv(seven, 192, (7, 1), name + "_tower_1_conv_2", padding=(3, 0))
    seven = _conv(seven, 192, 3, name + "_tower_1_conv_3", stride=2)
    return op.concatenate((three, seven, _pool(data, "max", 2, 0)), axis=1)


def _inception_e(data: Expr, pool: Any, name: str) -> Any:
    one = _conv(data, 320, 1, name + "_conv")
    three = _conv(data, 384, 1, name + "_tower_conv")
    three_a = _conv(three, 384, (1, 3), name + "_tower_mixed_conv", padding=(0, 1))
    three_b = _conv(three, 384, (3, 1), name + "_tower_mixed_conv_1", padding=(1, 0))
    double = _conv(data, 448, 1, name + "_tower_1_conv")
    double = _conv(double, 384, 3, name + "_tower_1_conv_1", padding=1)
    double_a = _conv(double, 384, (1, 3), name + "_tower_1_mixed_conv", padding=(0, 1))
    double_b = _conv(double, 384, (3, 1), name + "_tower_1_mixed_conv_1", padding=(1, 0))
    pooled = _conv(_pool(data, pool), 192, 1, name + "_tower_2_conv")
    return op.concatenate((one, three_a, three_b, double_a, double_b, pooled), axis=1)


def get_net(batch_size: int, num_classes: int, image_shape: Sequence[int], dtype: Any) -> Function:
    """The network for images of 299 x 299."""
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    out = _conv(data, 32, 3, "conv", stride=2)
    out = _conv(out, 32, 3, "conv_1")
    out = _conv(out, 64, 3, "conv_2", padding=1)
    out = _pool(out, "max", 2, 0)
    out = _conv(out, 80, 1, "conv_3")
    out = _conv(out, 192, 3, "conv_4")
    out = _pool(out, "max", 2, 0)
    for i, channels in enumerate((32, 64, 64)):
        out = _inception_a(out, channels, "mixed" + ("", "_1", "_2")[i])
    out = _inception_b(out, "mixed_3")
    for i, channels in enumerate((128, 160, 160, 192)):
        out = _inception_c(out, channels, f"mixed_{i + 4}")
    out = _inception_d(out, "mixed_8")
    out = _inception_e(out, "avg", "mixed_9")
    out = _inception_e(out, "max", "mixed_10")
    out = op.nn.avg_pool2d(out, pool_size=(8, 8), strides=(1, 1))
    out = layers.dense_add_bias(op.nn.batch_flatten(out), units=num_classes, name="fc1")
    out = op.nn.softmax(out)
    return Function(free_vars(out), out)


def get_workload(batch_size: int = 1, num_classes: int = 1000,
                 image_shape: Sequence[int] = (3, 299, 299),
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
