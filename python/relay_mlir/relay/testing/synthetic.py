"""A small network of many kinds of operators, for tests of compilation."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload


def _dense_rows(data: Expr, size: Any, name: str, dtype: Any) -> Any:
    """A dense layer on the last dimension."""
    weight = var(name + "_weight", shape=(size, size), dtype=dtype)
    rows = op.nn.relu(op.nn.dense(op.reshape(data, (-1, size)), weight))
    return op.reshape_like(rows, data)


def get_net(input_shape: Sequence[int] = (1, 3, 24, 12), dtype: Any = "float32",
            wtype: Any = None) -> Function:
    """The network: dense and convolution side by side, then normalisation, then
    dense. `wtype` is the dtype of the weights."""
    wtype = wtype or dtype
    channels, width = input_shape[1], input_shape[3]
    data = var("data", shape=input_shape, dtype=dtype)
    dense = _dense_rows(data, width, "dense", wtype)
    weight = var("conv_weight", shape=(channels, channels, 3, 3), dtype=wtype)
    conv = op.nn.conv2d(data, weight, padding=(1, 1), channels=channels, kernel_size=(3, 3))
    total = op.add(dense, op.nn.softmax(conv))
    total = op.nn.bias_add(total, var("bias", shape=(channels,), dtype=wtype))
    total = layers.batch_norm_infer(total, name="batch_norm")
    out = _dense_rows(total, width, "dense2", wtype)
    return Function(free_vars(out), out)


def get_workload(input_shape: Sequence[int] = (1, 3, 24, 12), dtype: Any = "float32",
                 wtype: Any = None) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(input_shape, dtype, wtype))
