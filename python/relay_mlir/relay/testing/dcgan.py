"""The generator of DCGAN."""

from .. import op
from ..analysis import free_vars
from ..expr import Function, var
from . import layers
from .init import create_workload


def _upscale(data, channels, name, layout):
    """Twice the height and width."""
    kernel_layout = "IOHW" if layout == "NCHW" else "HWIO"
    return layers.conv2d_transpose(
        data, channels=channels, kernel_size=(4, 4), strides=(2, 2), padding=(1, 1),
        data_layout=layout, kernel_layout=kernel_layout, name=name)


def get_net(batch_size, random_len=100, oshape=(3, 64, 64), ngf=128, code=None, layout="NCHW",
            dtype="float32"):
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


def get_workload(batch_size, oshape=(3, 64, 64), ngf=128, random_len=100, layout="NCHW",
                 dtype="float32"):
    """The network as a module, and its parameters."""
    return create_workload(
        get_net(batch_size, random_len, oshape, ngf, layout=layout, dtype=dtype))
