"""Thresholds of values, from the numbers that a data set makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[np.float32]


def min_max(values: _Array) -> float:
    """The largest magnitude."""
    return float(np.abs(values).max(initial=0))


def _parts(values: _Array, largest: float) -> npt.NDArray[np.float64]:
    return values.astype(np.float64) / largest


def percentile(values: _Array, fraction: float = 0.99999) -> float:
    """The magnitude that this fraction of them does not exceed."""
    magnitudes = np.abs(values)
    if magnitudes.size == 0:
        return 0.0
    index = min(int(magnitudes.size * fraction), magnitudes.size - 1)
    return float(np.partition(magnitudes, index)[index])


def mse(values: _Array, bits: int = 8, candidates: int = 100) -> float:
    """The threshold for which integers of so many bits have the least squared error."""
    largest = min_max(values)
    if largest == 0:
        return 0.0
    steps = 2 ** (bits - 1)
    # Elements of nearly the same magnitude have nearly the same error. Parts of the largest one, of
    # which squares neither overflow nor vanish.
    counts, edges = np.histogram(_parts(np.abs(values), largest), bins=4096, range=(0, 1))
    centers = (edges[:-1] + edges[1:]) / 2
    best, threshold = np.inf, largest
    for i in range(1, candidates + 1):
        scale = i / candidates / steps
        rounded = np.minimum(np.round(centers / scale), steps - 1) * scale
        error = float(np.sum(counts * (centers - rounded) ** 2))
        if error < best:
            best, threshold = error, largest * i / candidates
    return threshold


def _divergence(p: npt.NDArray[Any], q: npt.NDArray[Any]) -> float:
    """How much information is lost where q stands for p."""
    p, q = p / p.sum(), q / q.sum()
    known = p > 0
    if (q[known] == 0).any():
        return np.inf
    return float(np.sum(p[known] * np.log(p[known] / q[known])))


def kl_divergence(values: _Array, num_bins: int = 8001, num_quantized_bins: int = 255) -> float:
    """The threshold for which the distribution of rounded values is closest to that of the
    values, those beyond it being at its ends."""
    largest = min_max(values)
    if largest == 0:
        return 0.0
    counts, edges = np.histogram(_parts(values, largest), bins=num_bins, range=(-1, 1))
    middle = num_bins // 2
    best, threshold = np.inf, largest
    for half in range(num_quantized_bins // 2, middle + 1):
        first, last = middle - half, middle + half + 1
        inside = counts[first:last].astype(np.float64)
        clipped = inside.copy()
        clipped[0] += counts[:first].sum()
        clipped[-1] += counts[last:].sum()
        # Each quantized bin takes the same number of bins; the last one the rest.
        width = len(inside) // num_quantized_bins
        index = np.minimum(np.arange(len(inside)) // width, num_quantized_bins - 1)
        filled = clipped > 0
        sums = np.bincount(index, inside, num_quantized_bins)
        numbers = np.bincount(index, filled, num_quantized_bins)
        spread = np.divide(sums, numbers, out=np.zeros_like(sums), where=numbers > 0)
        divergence = _divergence(_smooth(clipped), _smooth(np.where(filled, spread[index], 0)))
        if divergence < best:
            best, threshold = divergence, largest * float(edges[last])
    return threshold


def _smooth(counts: npt.NDArray[Any], epsilon: float = 0.0001) -> npt.NDArray[Any]:
    """Counts without zeros: these take a little of each of the others."""
    zeros = counts == 0
    others = counts.size - zeros.sum()
    if others == 0:
        return counts + 1
    less = epsilon * zeros.sum() / others
    return np.where(zeros, epsilon, np.maximum(counts - less, epsilon))


def threshold_of(mode: str, values: _Array, bits: int) -> float:
    """The threshold that a mode of qconfig chooses."""
    if mode == "kl_divergence":
        return kl_divergence(values)
    if mode == "percentile":
        return percentile(values)
    return min_max(values) if mode == "min_max" else mse(values, bits)


__all__ = ["kl_divergence", "min_max", "mse", "percentile", "threshold_of"]
