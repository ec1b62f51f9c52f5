"""VGG."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload

_FILTERS = (64, 128, 256, 512, 512)
_LAYERS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def _feature(data: Expr, counts: Any, batch_norm: Any) -> Any:
    for i, (count, channels) in enumerate(zip(counts, _FILTERS)):
        for j in range(count):
            name = f"conv{i + 1}_{j + 1}"
            data = layers.conv2d(data, kernel_size=(3, 3), padding=(1, 1), channels=channels,
                                 name=name)
            data = op.nn.bias_add(data, var(name + "_bias"))
            if batch_norm:
                data = layers.batch_norm_infer(data, name=f"bn{i + 1}_{j + 1}")
            data = op.nn.relu(data)
        data = op.nn.max_pool2d(data, pool_size=(2, 2), strides=(2, 2))
    return data


def get_net(batch_size: int, image_shape: Sequence[int], num_classes: int, dtype: Any,
            num_layers: int = 11, batch_norm: bool = False) -> Function:
    """The network of 11, 13, 16 or 19 layers."""
    if num_layers not in _LAYERS:
        raise ValueError(f"expects one of {', '.join(map(str, _LAYERS))} layers, but got "
                         f"{num_layers}")
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    out = op.nn.batch_flatten(_feature(data, _LAYERS[num_layers], batch_norm))
    for name in ("fc6", "fc7"):
        out = op.nn.relu(layers.dense_add_bias(out, units=4096, name=name))
        out = op.nn.dropout(out, rate=0.5)
    out = op.nn.softmax(layers.dense_add_bias(out, units=num_classes, name="fc8"))
    return Function(free_vars(out), out)


def get_workload(batch_size: int, num_classes: int = 1000,
                 image_shape: Sequence[int] = (3, 224, 224), dtype: Any = "float32",
                 num_layers: int = 11, batch_norm: bool = False) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(
        get_net(batch_size, image_shape, num_classes, dtype, num_layers, batch_norm))
