"""How far a network is from another one that it is to stand for."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

METRICS = ("cosine", "top1")
Arrays = Sequence["np.ndarray[Any, Any]"]


def sqnr(values: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> float:
    """Signal to quantization noise in dB; infinite where both are equal."""
    values = np.asarray(values, np.float64)
    noise = float(np.sum((values - np.asarray(others, np.float64)) ** 2))
    signal = float(np.sum(values ** 2))
    if noise == 0:
        return float("inf")
    return 10 * float(np.log10(signal / noise)) if signal else float("-inf")


def _classes(outputs: Arrays) -> np.ndarray[Any, Any]:
    scores = outputs[0]
    return np.argmax(scores.reshape(-1, scores.shape[-1]), axis=-1) if scores.ndim != 1 \
        else np.argmax(scores, keepdims=True)


def top1(outputs: Arrays, labels: np.ndarray[Any, Any]) -> float:
    """The share of samples whose largest score is that of the label."""
    classes = _classes(outputs)
    if len(classes) != len(labels):
        raise ValueError(f"expects a row of scores for each of {len(labels)} labels in the first "
                         f"output, but got {len(classes)}")
    count = outputs[0].shape[-1]
    wrong = labels[(labels < 0) | (labels >= count)]
    if len(wrong):
        raise ValueError(f"expects labels from 0 to {count - 1}, the last score of the first "
                         f"output, but got {wrong[0]}")
    return float(np.mean(classes == labels))


def loss(metric: str, floats: Arrays, others: Arrays,
         labels: np.ndarray[Any, Any] | None = None) -> float:
    """What is lost, from 0: with "cosine" 1 less the smallest mean over the outputs of
    cosines between rows; with "top1" the share of samples that is no longer right, or
    without labels, no longer the same."""
    if metric == "top1":
        if labels is not None:
            return top1(floats, labels) - top1(others, labels)
        return float(np.mean(_classes(floats) != _classes(others)))
    worst = 1.0
    for value, other in zip(floats, others):
        rows = np.asarray(value, np.float64).reshape(len(value) if value.ndim > 1 else 1, -1)
        more = np.asarray(other, np.float64).reshape(rows.shape)
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(more, axis=1)
        products = np.sum(rows * more, axis=1)
        equal = np.all(rows == more, axis=1)
        cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
        worst = min(worst, float(np.mean(np.where(equal, 1.0, cosines))))
    return 1 - worst


__all__ = ["METRICS", "loss", "sqnr", "top1"]
