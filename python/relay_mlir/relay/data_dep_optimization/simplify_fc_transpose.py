"""Weights of nn.dense that are transposed once, not in each run."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ..analysis import search_fc_transpose
from ..expr import Function, NDArray, ndarray
from ..transform import SimplifyFCTranspose
from . import _weights


def convert(func: Function, params: Mapping[str, Any]) -> tuple[Function, dict[str, NDArray]]:
    """Transposes the weights of `params` that nn.dense reads through a transpose. Returns
    the function, which has parameters `w.T` for them, and the new weights."""
    weights = _weights.arrays(params)
    names = [name for name in dict.fromkeys(search_fc_transpose(func)) if name in weights]
    result = _weights.main_of(func, SimplifyFCTranspose(names))
    left = {param.name_hint for param in result.params}
    for name in names:
        weights[f"{name}.T"] = ndarray(np.ascontiguousarray(weights[name].numpy().T))
        if name not in left:
            del weights[name]
    return result, weights


__all__ = ["convert"]
