"""DenseNet, as the model zoo has it: a layer reads what the layer before it wrote,
and a block returns what its layers wrote."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload

# Initial features, growth, layers of the blocks. (69 is as it is published.)
_SPEC = {121: (64, 32, (6, 12, 24, 16)), 161: (96, 48, (6, 12, 36, 24)),
         169: (69, 32, (6, 12, 32, 32)), 201: (64, 32, (6, 12, 48, 32))}


def _norm_relu(data: Expr, name: str) -> Any:
    return op.nn.relu(layers.batch_norm_infer(data, name=name))


def _dense_layer(data: Expr, growth_rate: Any, bn_size: Any, name: str) -> Any:
    out = _norm_relu(data, name + "_bn1")
    out = layers.conv2d(out, channels=bn_size * growth_rate, kernel_size=(1, 1),
                        name=name + "_conv1")
    out = _norm_relu(out, name + "_bn2")
    return layers.conv2d(out, channels=growth_rate, kernel_size=(3, 3), padding=(1, 1),
                         name=name + "_conv2")


def _dense_block(data: Expr, num_layers: int, bn_size: Any, growth_rate: Any, name: str) -> Any:
    outputs = []
    for i in range(num_layers):
        data = _dense_layer(data, growth_rate, bn_size, f"{name}_layer{i + 1}")
        outputs.append(data)
    return op.concatenate(outputs, axis=1)


def _transition(data: Expr, channels: Any, name: str) -> Any:
    out = _norm_relu(data, name + "_bn")
    out = layers.conv2d(out, channels=channels, kernel_size=(1, 1), name=name + "_conv")
    return op.nn.avg_pool2d(out, pool_size=(2, 2), strides=(2, 2))


def get_net(densenet_size: int = 121, classes: int = 1000, batch_size: int = 4,
            image_shape: Sequence[int] = (3, 224, 224), dtype: Any = "float32",
            bn_size: int = 4) -> Function:
    """The network of 121, 161, 169 or 201 layers."""
    if densenet_size not in _SPEC:
        raise ValueError(f"expects one of {', '.join(map(str, _SPEC))}, but got "
                         f"{densenet_size}")
    features, growth_rate, blocks = _SPEC[densenet_size]
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    out = layers.conv2d(data, channels=features, kernel_size=(7, 7), strides=(2, 2),
                        padding=(3, 3), name="conv1")
    out = _norm_relu(out, "batch1")
    out = op.nn.max_pool2d(out, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    for i, num_layers in enumerate(blocks):
        out = _dense_block(out, num_layers, bn_size, growth_rate, f"block{i + 1}")
        features += num_layers * growth_rate
        if i != len(blocks) - 1:
            features //= 2
            out = _transition(out, features, f"transition{i + 1}")
    out = _norm_relu(out, "batch2")
    out = op.nn.batch_flatten(op.nn.avg_pool2d(out, pool_size=(7, 7)))
    out = layers.dense_add_bias(out, units=classes, name="dense")
    return Function(free_vars(out), out)


def get_workload(densenet_size: int = 121, classes: int = 1000, batch_size: int = 4,
                 image_shape: Sequence[int] = (3, 224, 224),
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(densenet_size, classes, batch_size, image_shape, dtype))
