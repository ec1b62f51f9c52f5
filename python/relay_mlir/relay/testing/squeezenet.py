"""SqueezeNet."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload


def _conv(data: Expr, channels: Any, kernel: Any, name: str, stride: int = 1,
          padding: Any = 0) -> Any:
    out = layers.conv2d(data, channels=channels, kernel_size=(kernel, kernel),
                        strides=(stride, stride), padding=(padding, padding), name=name)
    return op.nn.relu(op.nn.bias_add(out, var(name + "_bias")))


def _fire(data: Expr, squeeze: Any, expand1x1: Any, expand3x3: Any, name: str) -> Any:
    out = _conv(data, squeeze, 1, name + "_squeeze1x1")
    left = _conv(out, expand1x1, 1, name + "_expand1x1")
    right = _conv(out, expand3x3, 3, name + "_expand3x3", padding=1)
    return op.concatenate((left, right), axis=1)


def _pool(data: Expr) -> Any:
    return op.nn.max_pool2d(data, pool_size=(3, 3), strides=(2, 2))


def get_net(batch_size: int, image_shape: Sequence[int], num_classes: int, version: Any,
            dtype: Any) -> Function:
    """The network, of version "1.0" or "1.1"."""
    if version not in ("1.0", "1.1"):
        raise ValueError(f"expects version '1.0' or '1.1', but got {version!r}")
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    sizes = [(16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256),
             (64, 256)]
    if version == "1.0":
        out = _conv(data, 96, 7, "conv1", stride=2, padding=3)
        pools = (0, 3, 7)
    else:
        out = _conv(data, 64, 3, "conv1", stride=2, padding=1)
        pools = (0, 2, 4)
    for i, (squeeze, expand) in enumerate(sizes):
        if i in pools:
            out = _pool(out)
        out = _fire(out, squeeze, expand, expand, f"fire{i + 2}")
    out = _conv(op.nn.dropout(out, rate=0.5), num_classes, 1, "conv_final")
    out = op.nn.softmax(op.nn.batch_flatten(op.nn.global_avg_pool2d(out)))
    return Function(free_vars(out), out)


def get_workload(batch_size: int = 1, num_classes: int = 1000, version: str = "1.0",
                 image_shape: Sequence[int] = (3, 224, 224),
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, image_shape, num_classes, version, dtype))
