"""Passes after which a program takes some of its weights in another form."""

from __future__ import annotations

import re
from typing import Any, Sequence

from . import transform as _transform
from .._arguments import expect_int, expect_list, expect_names, expect_text, wrong
from .pass_manager import FunctionPass, Pass, PassInfo


def _names(names: Any, parameter: str) -> list[str]:
    result = [str(name) for name in expect_names(names, parameter)]
    for name in result:
        if not re.fullmatch(r"[^\s,:=(){}'\"]+", name):
            raise ValueError(f"expects {parameter} without spaces and ,:=(){{}}, but got {name!r}")
    return result


def _pass(name: str, opt_level: int, pipeline: str) -> Pass:
    return FunctionPass(lambda mod, context: _transform._run(mod, f"builtin.module({pipeline})"),
                        PassInfo(name, opt_level))


def SimplifyFCTranspose(target_weight_name: Sequence[str]) -> Pass:  # pylint: disable=invalid-name
    """Takes the weights of these names transposed where nn.dense has the transpose of one
    as its weight: `w` becomes the parameter `w.T`."""
    names = ",".join(_names(target_weight_name, "target_weight_name"))
    return _pass("SimplifyFCTranspose", 4, f"relay-simplify-fc-transpose{{weights={names}}}")


def _shapes(weight_name: Sequence[str], weight_shape: Sequence[Sequence[int]]) -> str:
    """Names with the shapes of data, indices and indptr, all in one list for each."""
    names = _names(weight_name, "weight_name")
    shapes = expect_list(weight_shape, "weight_shape", "lists of sizes")
    if len(shapes) != len(names):
        raise ValueError(f"expects a weight_shape for each weight_name, but got {len(shapes)} for "
                         f"{len(names)}")
    entries = []
    for name, shape in zip(names, shapes):
        if not isinstance(shape, (list, tuple)) or len(shape) < 3:
            raise wrong(f"the weight_shape of {name}",
                        "a list with the sizes of data, indices and indptr", shape)
        sizes = [expect_int(size, f"a size of {name}", 0) for size in shape]
        entries.append(f"{name}={'x'.join(map(str, sizes[:-2]))}:{sizes[-2]}:{sizes[-1]}")
    return ",".join(entries)


def DenseToSparse(  # pylint: disable=invalid-name
        weight_name: Sequence[str], weight_shape: Sequence[Sequence[int]]) -> Pass:
    """Takes the weights of these names as sparse matrices where nn.dense reads them: `w`
    becomes the parameters `w.data`, `w.indices` and `w.indptr`. `weight_shape` has for
    each weight the sizes of the data, the number of indices and that of positions."""
    return _pass("DenseToSparse", 4,
                 f"relay-dense-to-sparse{{weights={_shapes(weight_name, weight_shape)}}}")


def _layout(layout: str, kernel_size: int) -> str:
    if expect_text(layout, "layout") not in ("NHWC", "NCHW"):
        raise ValueError(f"expects layout to be NHWC or NCHW, but got {layout}")
    if expect_int(kernel_size, "kernel_size", 1) not in (1, 3):
        raise ValueError(f"expects kernel_size to be 1 or 3, but got {kernel_size}")
    return f"layout={layout} kernel-size={kernel_size}"


def Conv2dToSparse(  # pylint: disable=invalid-name
        weight_name: Sequence[str], weight_shape: Sequence[Sequence[int]], layout: str,
        kernel_size: int) -> Pass:
    """DenseToSparse for nn.conv2d in a layout, with kernels of `kernel_size` (1 or 3),
    padding that keeps the size of the data, and no strides, dilation or groups."""
    return _pass("Conv2dToSparse", 4,
                 f"relay-conv2d-to-sparse{{{_layout(layout, kernel_size)} "
                 f"weights={_shapes(weight_name, weight_shape)}}}")


def Conv2dToSparse2(  # pylint: disable=invalid-name
        layout: str, kernel_size: int, blocksize: Sequence[int],
        sparsity_threshold: float) -> Pass:
    """Makes nn.sparse_conv2d of nn.conv2d, as Conv2dToSparse, whose weight is a constant
    with at least `sparsity_threshold` of zeros, in blocks of `blocksize`."""
    sizes = [expect_int(size, "a size of blocksize", 1)
             for size in expect_list(blocksize, "blocksize", "integers")]
    if len(sizes) != 2:
        raise ValueError(f"expects blocksize to be two sizes, but got {sizes}")
    if not isinstance(sparsity_threshold, (int, float)) or not 0 <= sparsity_threshold <= 1:
        raise wrong("sparsity_threshold", "a number from 0 to 1", sparsity_threshold)
    return _pass("Conv2dToSparse2", 5,
                 f"func.func(relay-conv2d-to-sparse2{{{_layout(layout, kernel_size)} "
                 f"block-rows={sizes[0]} block-columns={sizes[1]} "
                 f"sparsity={float(sparsity_threshold)!r}}})")


__all__ = ["Conv2dToSparse", "Conv2dToSparse2", "DenseToSparse", "SimplifyFCTranspose"]
