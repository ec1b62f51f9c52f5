"""ResNet, the second version: normalisation and activation before convolution."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload

_UNITS = {18: [2, 2, 2, 2], 34: [3, 4, 6, 3], 50: [3, 4, 6, 3], 101: [3, 4, 23, 3],
          152: [3, 8, 36, 3], 200: [3, 24, 36, 3], 269: [3, 30, 48, 8]}


class _Builder:
    """The operators for one number of spatial dimensions and one layout."""

    def __init__(self, rank: Any, layout: str) -> None:
        self.rank = rank
        self.layout = layout
        self.axis = layout.index("C")
        self.conv_function = layers.conv2d if rank == 2 else layers.conv3d
        self.kernel_layout = layers.conv_kernel_layout(layout)

    def conv(self, data: Expr, channels: Any, kernel: Any, stride: Any, padding: Any,
             name: str) -> Any:
        return self.conv_function(
            data=data, channels=channels, kernel_size=(kernel,) * self.rank,
            strides=(stride,) * self.rank, padding=(padding,) * self.rank,
            data_layout=self.layout, kernel_layout=self.kernel_layout, name=name)

    def norm(self, data: Expr, name: str, scale: bool = True) -> Any:
        return layers.batch_norm_infer(data=data, epsilon=2e-5, scale=scale, axis=self.axis,
                                       name=name)

    def pool(self, data: Expr) -> Any:
        function = op.nn.max_pool2d if self.rank == 2 else op.nn.max_pool3d
        return function(data, pool_size=(3,) * self.rank, strides=(2,) * self.rank,
                        padding=(1,) * self.rank, layout=self.layout)

    def global_pool(self, data: Expr) -> Any:
        if self.rank == 2:
            return op.nn.global_avg_pool2d(data, layout=self.layout)
        return op.nn.global_avg_pool3d(data, layout=self.layout)

    def unit(self, data: Expr, channels: Any, stride: Any, same_shape: Any, name: str,
             bottleneck: Any) -> Any:
        """A residual unit; the shortcut starts at the first activation."""
        act = op.nn.relu(self.norm(data, name + "_bn1"))
        if bottleneck:
            out = self.conv(act, channels // 4, 1, stride, 0, name + "_conv1")
            out = op.nn.relu(self.norm(out, name + "_bn2"))
            out = self.conv(out, channels // 4, 3, 1, 1, name + "_conv2")
            out = op.nn.relu(self.norm(out, name + "_bn3"))
            out = self.conv(out, channels, 1, 1, 0, name + "_conv3")
        else:
            out = self.conv(act, channels, 3, stride, 1, name + "_conv1")
            out = op.nn.relu(self.norm(out, name + "_bn2"))
            out = self.conv(out, channels, 3, 1, 1, name + "_conv2")
        shortcut = data if same_shape else self.conv(act, channels, 1, stride, 0, name + "_sc")
        return op.add(out, shortcut)


def build(units: Any, filters: Any, num_classes: int, data_shape: Sequence[int], bottleneck: Any,
          layout: str, dtype: Any = "float32") -> Any:
    """The network, for stages of `units` units of `filters` channels."""
    builder = _Builder(len(data_shape) - 2, layout)
    data = var("data", shape=data_shape, dtype=dtype)
    out = builder.norm(data, "bn_data", scale=False)
    height = data_shape[layout.index("H")]
    if height <= 32:
        out = builder.conv(out, filters[0], 3, 1, 1, "conv0")
    else:
        out = builder.conv(out, filters[0], 7, 2, 3, "conv0")
        out = builder.pool(op.nn.relu(builder.norm(out, "bn0")))
    for stage, count in enumerate(units):
        for i in range(count):
            stride = 2 if i == 0 and stage > 0 else 1
            out = builder.unit(out, filters[stage + 1], stride, i > 0,
                               f"stage{stage + 1}_unit{i + 1}", bottleneck)
    out = builder.global_pool(op.nn.relu(builder.norm(out, "bn1")))
    out = layers.dense_add_bias(op.nn.batch_flatten(out), units=num_classes, name="fc1")
    out = op.nn.softmax(out)
    return Function(free_vars(out), out)


def plan(num_layers: int, height: Any) -> Any:
    """(units, filters, bottleneck) of a network with so many layers."""
    if height <= 32:
        if (num_layers - 2) % 9 == 0 and num_layers >= 164:
            return [(num_layers - 2) // 9] * 3, [16, 64, 128, 256], True
        if (num_layers - 2) % 6 == 0 and num_layers < 164:
            return [(num_layers - 2) // 6] * 3, [16, 16, 32, 64], False
        raise ValueError(f"expects 6n + 2 layers (9n + 2 from 164 on) for small images, but "
                         f"got {num_layers}")
    if num_layers not in _UNITS:
        raise ValueError(f"expects one of {', '.join(map(str, _UNITS))} layers, but got "
                         f"{num_layers}")
    if num_layers >= 50:
        return _UNITS[num_layers], [64, 256, 512, 1024, 2048], True
    return _UNITS[num_layers], [64, 64, 128, 256, 512], False


def get_net(batch_size: int, num_classes: int, num_layers: int = 50,
            image_shape: Sequence[int] = (3, 224, 224), layout: str = "NCHW",
            dtype: Any = "float32") -> Function:
    """The network for images of `image_shape`, which is in the order of `layout`."""
    data_shape = (batch_size, *image_shape)
    units, filters, bottleneck = plan(num_layers, data_shape[layout.index("H")])
    return build(units, filters, num_classes, data_shape, bottleneck, layout, dtype)


def get_workload(batch_size: int = 1, num_classes: int = 1000, num_layers: int = 18,
                 image_shape: Sequence[int] = (3, 224, 224), layout: str = "NCHW",
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(
        get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
