"""MobileNet."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload


def _norm_relu(data: Expr, name: str, layout: str, epsilon: float = 1e-05) -> Any:
    data = layers.batch_norm_infer(data, epsilon=epsilon, axis=layout.index("C"), name=name)
    return op.nn.relu(data)


def conv_block(data: Expr, name: str, channels: Any, kernel_size: Any = (3, 3),
               strides: Any = (1, 1), padding: Any = (1, 1), layout: str = "NCHW") -> Any:
    """Convolution, normalisation, activation."""
    conv = layers.conv2d(
        data, channels=channels, kernel_size=kernel_size, strides=strides, padding=padding,
        data_layout=layout, kernel_layout=layers.conv_kernel_layout(layout),
        name=name + "_conv")
    return _norm_relu(conv, name + "_bn", layout)


def separable_conv_block(data: Expr, name: str, depthwise_channels: Any, pointwise_channels: Any,
                         strides: Any = (1, 1), layout: str = "NCHW",
                         dtype: Any = "float32") -> Any:
    """A convolution of each channel, then one of each pixel."""
    if layout == "NCHW":
        shape = (depthwise_channels, 1, 3, 3)
    else:
        shape = (3, 3, depthwise_channels, 1)
    weight = var(name + "_depthwise_weight", shape=shape, dtype=dtype)
    conv = layers.conv2d(
        data, weight=weight, channels=depthwise_channels, groups=depthwise_channels,
        kernel_size=(3, 3), strides=strides, padding=(1, 1), data_layout=layout,
        kernel_layout=layers.conv_kernel_layout(layout, is_depthwise=True), name=name)
    act = _norm_relu(conv, name + "_bn1", layout)
    conv = layers.conv2d(
        act, channels=pointwise_channels, kernel_size=(1, 1), data_layout=layout,
        kernel_layout=layers.conv_kernel_layout(layout), name=name + "_conv2")
    return _norm_relu(conv, name + "_bn2", layout)


def mobile_net(num_classes: int = 1000, data_shape: Sequence[int] = (1, 3, 224, 224),
               dtype: Any = "float32", alpha: float = 1.0, is_shallow: bool = False,
               layout: str = "NCHW") -> Any:
    """The network; `alpha` scales the channels, `is_shallow` leaves out the blocks of
    512 channels in the middle."""
    data = var("data", shape=data_shape, dtype=dtype)
    out = conv_block(data, "conv_block_1", int(32 * alpha), strides=(2, 2), layout=layout)
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)]
    blocks += [] if is_shallow else [(512, 1)] * 5
    blocks += [(1024, 2), (1024, 1)]
    channels = 32
    for i, (next_channels, stride) in enumerate(blocks):
        out = separable_conv_block(
            out, f"separable_conv_block_{i + 1}", int(channels * alpha),
            int(next_channels * alpha), (stride, stride), layout, dtype)
        channels = next_channels
    out = op.nn.batch_flatten(op.nn.global_avg_pool2d(out, layout=layout))
    out = op.nn.dense(out, var("fc_weight"), units=num_classes)
    out = op.nn.softmax(op.nn.bias_add(out, var("fc_bias")))
    return Function(free_vars(out), out)


def get_workload(batch_size: int = 1, num_classes: int = 1000,
                 image_shape: Sequence[int] = (3, 224, 224), dtype: Any = "float32",
                 layout: str = "NCHW") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(
        mobile_net(num_classes, (batch_size, *image_shape), dtype, layout=layout))
