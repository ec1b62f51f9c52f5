"""Convolutions with sparse weights."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ..build_module import bind_params_by_name
from ..expr import Function, NDArray
from ..transform import Conv2dToSparse2
from . import _weights


def convert(func: Function, params: Mapping[str, Any], blocksize: Sequence[int],
            sparsity_threshold: float, layout: str = "NHWC",
            kernel_size: int = 1) -> tuple[Function, dict[str, NDArray]]:
    """Makes matrices of blocks of those weights of nn.conv2d in `params` of which at least
    `sparsity_threshold` is zero, for convolutions in a layout, with kernels of
    `kernel_size` and padding that keeps the size. Returns the function, which has these
    weights as constants, and the other weights."""
    blocks = _weights.check_blocks(blocksize, sparsity_threshold)
    weights = _weights.arrays(params)
    sparse = {name: weights[name] for name, _ in _weights.read_by(func, "nn.conv2d")
              if name in weights and
              (weights[name].numpy() == 0).mean() >= sparsity_threshold}
    result = _weights.main_of(
        bind_params_by_name(func, sparse),
        Conv2dToSparse2(layout, kernel_size, blocks, sparsity_threshold))
    left = {param.name_hint for param in result.params}
    return result, {name: value for name, value in weights.items()
                    if name in left or name not in sparse}


__all__ = ["convert"]
