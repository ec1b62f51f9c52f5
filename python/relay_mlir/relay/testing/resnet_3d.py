"""ResNet on videos."""

from __future__ import annotations

from typing import Any, Sequence

from ..expr import Function
from . import resnet
from .init import create_workload


def get_net(batch_size: int, num_classes: int, num_layers: int = 50,
            image_shape: Sequence[int] = (3, 16, 112, 112), layout: str = "NCDHW",
            dtype: Any = "float32") -> Function:
    """The network for videos of `image_shape`."""
    data_shape = (batch_size, *image_shape)
    units, filters, bottleneck = resnet.plan(num_layers, data_shape[layout.index("H")])
    return resnet.build(units, filters, num_classes, data_shape, bottleneck, layout, dtype)


def get_workload(batch_size: int = 1, num_classes: int = 1000, num_layers: int = 18,
                 image_shape: Sequence[int] = (3, 16, 112, 112), layout: str = "NCDHW",
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(
        get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
