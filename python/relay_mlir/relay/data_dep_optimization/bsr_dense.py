"""Products with sparse weights."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ..expr import Function, NDArray
from ..transform import DenseToSparse
from . import _weights


def convert(func: Function, params: Mapping[str, Any], blocksize: Sequence[int],
            sparsity_threshold: float) -> tuple[Function, dict[str, NDArray]]:
    """Makes matrices of blocks of those weights of nn.dense in `params` of which at least
    `sparsity_threshold` is zero. Returns the function, which has parameters `w.data`,
    `w.indices` and `w.indptr` for them, and the new weights."""
    blocks = _weights.check_blocks(blocksize, sparsity_threshold)
    weights = _weights.arrays(params)
    names, shapes = [], []
    for name, _ in list(_weights.read_by(func, "nn.dense")):
        matrix = _weights.compress(weights[name].numpy(), blocks, sparsity_threshold) \
            if name in weights else None
        # One that something else reads stays as well.
        if matrix is None or _uses(func, name, "nn.dense"):
            continue
        names.append(name)
        shapes.append(_weights.replace(weights, name, matrix))
    return _weights.main_of(func, DenseToSparse(names, shapes)), weights


def _uses(func: Function, name: str, operator: str) -> bool:
    """Whether anything but the operator, as its weight, reads a parameter."""
    from .._core import core

    for node in core.post_order(func.body):
        is_reader = (isinstance(node, core.Call) and isinstance(node.op, core.Op) and
                     node.op.name == operator)
        for i, child in enumerate(node.args if isinstance(node, core.Call)
                                  else core.children(node)):
            if isinstance(child, core.Var) and child.name_hint == name and not (
                    is_reader and i == 1):
                return True
    return False


__all__ = ["convert"]
