"""The generator of DCGAN."""

from __future__ import annotations

from typing import Any, Sequence

from .. import op
from ..analysis import free_vars
from ..expr import Expr, Function, var
from . import layers
from .init import create_workload


def _upscale(data: Expr, channels: Any, name: str, layout: str) -> Any:
    """Twice the height and width."""
    kernel_layout = "IOHW" if layout == "NCHW" else "HWIO"
    return layers.conv2d_transpose(
        data, channels=channels, kernel_size=(4, 4), strides=(2, 2), padding=(1, 1),
        data_layout=layout, kernel_layout=kernel_layout, name=name)


def get_net(batch_size: int, random_len: int = 100, oshape: Sequence[int] = (3, 64, 64),
            ngf: int = 128, code: Any = None, layout: str = "NCHW",
            dtype: Any = "float32") -> Function:
    """The network: from `random_len` numbers to an image of `oshape`."""
    if tuple(oshape[-2:]) != (64, 64) and layout == "NCHW":
        raise ValueError(f"expects images of 64 x 64, but got {oshape}")
    code = code or var("data", shape=(batch_size, random_len), dtype=dtype)
    out = op.nn.dense(code, var("dense_weight"), units=4 * 4 * ngf * 8)
    out = op.nn.relu(out)
    out = op.reshape(out, newshape=(-1, ngf * 8, 4, 4))
    if layout == "NHWC":
        out = op.transpose(out, axes=[0, 2, 3, 1])
    for i, factor in enumerate((4, 2, 1)):
        out = _upscale(out, ngf * factor, f"g{i + 2}", layout)
        out = layers.batch_norm_infer(out, epsilon=1e-5, scale=False, axis=layout.index("C"),
                                      name=f"g{i + 2}_batch")
        out = op.nn.relu(out)
    out = op.tanh(_upscale(out, oshape[layout.index("C") - 1], "g5", layout))
    return Function(free_vars(out), out)


def get_workload(batch_size: int, oshape: Sequence[int] = (3, 64, 64), ngf: int = 128,
                 random_len: int = 100, layout: str = "NCHW",
                 dtype: Any = "float32") -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(
        get_net(batch_size, random_len, oshape, ngf, layout=layout, dtype=dtype))
