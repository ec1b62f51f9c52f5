"""How long compiled programs take."""

from __future__ import annotations

import timeit
from typing import Any, Callable, NamedTuple

import numpy as np

from .._arguments import expect_int


class BenchmarkResult(NamedTuple):
    """Seconds of each of several timed runs, and what follows from them."""

    results: list[float]

    @property
    def mean(self) -> float:
        """The mean."""
        return float(np.mean(self.results))

    @property
    def median(self) -> float:
        """The median."""
        return float(np.median(self.results))

    @property
    def min(self) -> float:
        """The shortest."""
        return min(self.results)

    @property
    def max(self) -> float:
        """The longest."""
        return max(self.results)

    @property
    def std(self) -> float:
        """The standard deviation."""
        return float(np.std(self.results))


def measure(run: Callable[[], Any], repeat: int, number: int) -> BenchmarkResult:
    """Calls `run` once, then times it: `repeat` results, each the mean of `number` calls."""
    expect_int(repeat, "repeat", 1)
    expect_int(number, "number", 1)
    run()
    times = timeit.repeat(run, repeat=repeat, number=number)
    return BenchmarkResult([time / number for time in times])


__all__ = ["BenchmarkResult", "measure"]
