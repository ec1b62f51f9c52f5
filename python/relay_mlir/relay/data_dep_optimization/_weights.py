"""Weights by name, and matrices without their blocks of zeros."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from ..._arguments import describe, expect, expect_int, expect_list, expect_mapping, wrong
from .._core import core
from ..expr import Function, NDArray, ndarray
from ..module import IRModule


class Matrix(NamedTuple):
    """A matrix of blocks: those with anything but zeros, their columns, and where each
    row of blocks begins."""

    data: NDArray
    indices: NDArray
    indptr: NDArray


def arrays(params: Mapping[str, Any]) -> dict[str, NDArray]:
    """The weights as arrays."""
    return {name: ndarray(value.numpy() if hasattr(value, "numpy") else value)
            for name, value in expect_mapping(params, "params").items()}


def main_of(func: Function, change: Any) -> Function:
    """What a pass makes of a function."""
    result = change(IRModule.from_expr(func))["main"]
    assert isinstance(result, Function)
    return result


def read_by(func: Function, operator: str) -> Iterable[tuple[str, Any]]:
    """Names of parameters that are the weight of an operator, with the call."""
    params = set(expect(func, Function, "func", "a function").params)
    seen = set()
    for node in core.post_order(func):
        if not (isinstance(node, core.Call) and isinstance(node.op, core.Op) and
                node.op.name == operator):
            continue
        weight = node.args[1]
        if weight in params and weight not in seen:
            seen.add(weight)
            yield weight.name_hint, node


def check_blocks(blocksize: Sequence[int], sparsity_threshold: float) -> tuple[int, int]:
    """The two sizes of blocks."""
    sizes = [expect_int(size, "a size of blocksize", 1)
             for size in expect_list(blocksize, "blocksize", "integers")]
    if len(sizes) != 2:
        raise ValueError(f"expects blocksize to be two sizes, but got {describe(blocksize)}")
    if not isinstance(sparsity_threshold, (int, float)) or not 0 <= sparsity_threshold <= 1:
        raise wrong("sparsity_threshold", "a number from 0 to 1", sparsity_threshold)
    return sizes[0], sizes[1]


def compress(matrix: Any, blocks: tuple[int, int], sparsity: float) -> Matrix | None:
    """The matrix of blocks, unless less than `sparsity` of its elements are zeros, or
    blocks do not divide it."""
    rows, columns = matrix.shape
    if (not matrix.size or np.count_nonzero(matrix == 0) < sparsity * matrix.size or
            rows % blocks[0] or columns % blocks[1]):
        return None
    parts = matrix.reshape(rows // blocks[0], blocks[0], columns // blocks[1], blocks[1])
    parts = parts.transpose(0, 2, 1, 3)
    used = (parts != 0).any(axis=(2, 3))
    pointers = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    return Matrix(ndarray(np.ascontiguousarray(parts[used])),
                  ndarray(np.nonzero(used)[1].astype("int32")),
                  ndarray(pointers.astype("int32")))


def replace(params: dict[str, NDArray], name: str, matrix: Matrix) -> list[int]:
    """Puts the parts of a matrix in the place of a weight; returns their sizes."""
    del params[name]
    params.update({f"{name}.{part}": value for part, value in matrix._asdict().items()})
    return [*matrix.data.shape, *matrix.indices.shape, *matrix.indptr.shape]
