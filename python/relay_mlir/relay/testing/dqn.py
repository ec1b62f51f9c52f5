"""A deep Q network."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload


def get_net(batch_size: int, num_actions: int = 18, image_shape: Sequence[int] = (4, 84, 84),
            dtype: Any = "float32", layout: str = "NCHW") -> Function:
    """The network: from four frames to the values of actions."""
    axis = layout.index("C")
    if layout == "NHWC":
        image_shape = (image_shape[1], image_shape[2], image_shape[0])
    out: Expr = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    for i, (channels, kernel, stride) in enumerate(((32, 8, 4), (64, 4, 2), (64, 3, 1))):
        out = layers.conv2d(
            out, channels=channels, kernel_size=(kernel, kernel), strides=(stride, stride),
            padding=(0, 0), data_layout=layout,
            kernel_layout=layers.conv_kernel_layout(layout), name=f"conv{i + 1}")
        out = op.nn.relu(op.nn.bias_add(out, var(f"conv{i + 1}_bias"), axis))
    out = op.nn.batch_flatten(out)
    out = op.nn.relu(layers.dense_add_bias(out, units=512, name="dense1"))
    out = layers.dense_add_bias(out, units=num_actions, name="dense2")
    return Function(free_vars(out), out)


def get_workload(batch_size: int, num_actions: int = 18, image_shape: Sequence[int] = (4, 84, 84),
                 dtype: Any = "float32", layout: str = "NCHW") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, num_actions, image_shape, dtype, layout))
