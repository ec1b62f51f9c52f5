"""Samples of a data set, checked against what a model takes."""

from __future__ import annotations

import os
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from .._arguments import describe, wrong
from .._compile import TensorInfo
from .._program import ValueInfo

LABELS = "labels"
Feed = dict[str, "np.ndarray[Any, Any]"]


class Samples:
    """Inputs of many runs of a model; `labels` is what is right for each sample, if
    the data set says it."""

    def __init__(self, data: Any, inputs: Sequence[TensorInfo | ValueInfo],
                 limit: int | None = None) -> None:
        arrays = _read(data)
        names = [info.name for info in inputs]
        self.labels: np.ndarray[Any, Any] | None = None
        if LABELS not in names and LABELS in arrays:
            self.labels = arrays.pop(LABELS)
        missing = [name for name in names if name not in arrays]
        unknown = [name for name in arrays if name not in names]
        if missing or unknown:
            raise ValueError(f"expects data for each input ({', '.join(names)}), but got "
                             f"{', '.join(arrays) or 'none'}")
        checked = [_check(arrays[info.name], info) for info in inputs]
        counts = {len(array) // step for array, step, _ in checked}
        if len(counts) > 1:
            raise ValueError("expects the same number of samples for each input, but got "
                             + ", ".join(f"{len(array)} of {name}" for name, (array, _, _)
                                         in zip(names, checked)))
        self.num_runs = counts.pop() if counts else 0
        if self.num_runs == 0:
            raise ValueError("expects samples, but got none")
        if limit is not None:
            self.num_runs = min(self.num_runs, max(limit, 1))
        self._inputs = list(zip(names, checked))
        floats = {name: array for name, (array, _, _) in zip(names, checked)
                  if _has_floats(array)}
        if floats and not any(array.any() for array in floats.values()):
            raise ValueError(f"expects samples of what the network will see, but got only zeros for "
                             f"{', '.join(floats)}")
        per_run = {step for _, step, has_batch in checked if has_batch}
        self.count = self.num_runs * (per_run.pop() if len(per_run) == 1 else 1)
        if self.labels is not None:
            if self.labels.ndim != 1 or len(self.labels) < self.count \
                    or not np.issubdtype(self.labels.dtype, np.integer):
                raise ValueError(f"expects labels to be {self.count} integers, one for each sample, "
                                 f"but got {_text(self.labels)}")
            self.labels = self.labels[:self.count]

    def __iter__(self) -> Iterator[Feed]:
        for run in range(self.num_runs):
            yield {name: array[run * step:(run + 1) * step] if has_batch else array[run]
                   for name, (array, step, has_batch) in self._inputs}


def _has_floats(array: np.ndarray[Any, Any]) -> bool:
    return np.issubdtype(array.dtype, np.inexact) or array.dtype.name == "bfloat16"


def _text(array: np.ndarray[Any, Any]) -> str:
    return f"{array.dtype}{list(array.shape)}"


def _read(data: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays by name, of a path to an .npz file, a mapping, or a list of mappings."""
    if isinstance(data, (str, os.PathLike)):
        try:
            loaded = np.load(data, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                raise ValueError("one array without a name")
            with loaded as file:
                return dict(file)
        except OSError:
            raise
        # What NumPy, zipfile and zlib raise of damaged files is not said anywhere.
        except Exception as error:  # pylint: disable=broad-exception-caught
            raise ValueError(f"expects an .npz file with arrays of numbers, but got "
                             f"{os.fspath(data)!r}: {error}") from None
    if isinstance(data, Mapping):
        return {_name(name): np.asarray(value) for name, value in data.items()}
    try:
        samples = list(data)
    except TypeError:
        samples = [data]
    if not all(isinstance(sample, Mapping) for sample in samples):
        raise wrong("data", "a path to an .npz file, a dict of arrays, or a list of such dicts, one "
                    "for each sample", data)
    if not samples:
        return {}
    names = list(samples[0])
    for sample in samples:
        if set(sample) != set(names):
            raise ValueError(f"expects samples with a value for each of {', '.join(map(str, names))}, "
                             f"but got one with {', '.join(map(str, sample)) or 'none'}")
    stacked = {}
    for name in names:
        values = [np.asarray(sample[name]) for sample in samples]
        if len({(value.shape, value.dtype) for value in values}) > 1:
            raise ValueError(f"expects samples of one shape and type, but got for {name} "
                             f"{_text(values[0])} and others")
        stacked[_name(name)] = np.stack(values)
    return stacked


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise wrong("the name of an input", "a string", name)
    return name


def _fits(sizes: tuple[int, ...], dims: tuple[int | str, ...]) -> bool:
    """A dynamic dimension takes any size."""
    return all(isinstance(dim, str) or dim == size for size, dim in zip(sizes, dims))


def _check(array: np.ndarray[Any, Any],
           info: TensorInfo | ValueInfo) -> tuple[np.ndarray[Any, Any], int, bool]:
    """The array, how many of its rows are one run, and whether a row is one index of the
    input's first dimension; or else it is a whole input."""
    shape = ", ".join(map(str, info.shape))
    # NumPy writes numbers of bfloat16 as bytes.
    if array.dtype.kind == "V" and not array.dtype.names and info.dtype.name == "bfloat16" \
            and array.dtype.itemsize == info.dtype.itemsize:
        array = array.view(info.dtype)
    if array.dtype != info.dtype:
        raise ValueError(f"expects {info.name} of {info.dtype}, but got {array.dtype}")
    rank = len(info.shape)
    if array.ndim == rank + 1 and _fits(array.shape[1:], info.shape):
        step, has_batch = 1, False
    elif array.ndim == rank and rank and _fits(array.shape[1:], info.shape[1:]):
        batch = info.shape[0]
        step = 1 if isinstance(batch, str) else int(batch)
        has_batch = True
        if step == 0 or len(array) % step:
            raise ValueError(f"expects a multiple of {step} samples for {info.name} of [{shape}], "
                             f"but got {len(array)}")
    else:
        raise ValueError(f"expects samples of {info.name} of [{shape}], stacked along their first "
                         f"dimension or a new one, but got {_text(array)}")
    if _has_floats(array):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            place = tuple(int(i) for i in bad[0])
            raise ValueError(f"expects finite numbers for {info.name}, but got "
                             f"{describe(float(array[place]))} at {list(place)}")
    return array, step, has_batch


__all__ = ["Feed", "LABELS", "Samples"]
