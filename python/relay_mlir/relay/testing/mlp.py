"""A perceptron of three layers."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Function, var
from . import layers
from .init import create_workload


def get_net(batch_size: int, num_classes: int = 10, image_shape: Sequence[int] = (1, 28, 28),
            dtype: Any = "float32") -> Function:
    """The network: dense layers of 128, 64 and `num_classes`."""
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    out = op.nn.batch_flatten(data)
    for i, units in enumerate((128, 64)):
        out = op.nn.relu(layers.dense_add_bias(out, units=units, name=f"fc{i + 1}"))
    out = op.nn.softmax(layers.dense_add_bias(out, units=num_classes, name="fc3"))
    return Function(free_vars(out), out)


def get_workload(batch_size: Any, num_classes: int = 10, image_shape: Sequence[int] = (1, 28, 28),
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
