"""How long compiled programs take."""

from __future__ import annotations

import timeit
from typing import Any, Callable, NamedTuple

import numpy as np

from .._arguments import expect_int, expect_number, expect_text


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


class Evaluator:
    """Times calls of a function: `evaluator(*args)` is a BenchmarkResult."""

    def __init__(self, function: Callable[..., Any], number: int, repeat: int,
                 min_repeat_ms: float) -> None:
        self._function = function
        self._number = expect_int(number, "number", 1)
        self._repeat = expect_int(repeat, "repeat", 1)
        self._min_seconds = expect_number(min_repeat_ms, "min_repeat_ms") / 1000

    def __call__(self, *args: Any, **kwargs: Any) -> BenchmarkResult:
        """Calls the function once, then times it. `number` calls become as many as take
        `min_repeat_ms`."""
        timer = timeit.Timer(lambda: self._function(*args, **kwargs))
        timer.timeit(1)
        number = self._number
        times: list[float] = []
        while len(times) < self._repeat:
            seconds = timer.timeit(number)
            if seconds < self._min_seconds:
                number = max(number + 1, int(number * min(
                    1.1 * self._min_seconds / max(seconds, 1e-9), 1000)))
                continue
            times.append(seconds / number)
        return BenchmarkResult(times)


class Evaluated:
    """A mixin of what can be run: functions that are timed by their names."""

    @property
    def module(self) -> Any:
        """The functions: the object itself."""
        return self

    def time_evaluator(self, func_name: str, dev: Any = None, number: int = 10, repeat: int = 1,
                       min_repeat_ms: float = 0, limit_zero_time_iterations: int = 100,
                       cooldown_interval_ms: int = 0, repeats_to_cooldown: int = 1,
                       cache_flush_bytes: int = 0, f_preproc: str = "") -> Evaluator:
        """What times a function by its name, such as "run": `repeat` results, each the mean of
        `number` calls. Nothing is run before each result, so f_preproc and what is to cool
        down or to flush caches raise NotImplementedError."""
        del dev, limit_zero_time_iterations, repeats_to_cooldown
        if f_preproc or cooldown_interval_ms or cache_flush_bytes:
            raise NotImplementedError("nothing can be run between timed calls yet")
        function = getattr(self, expect_text(func_name, "func_name"), None)
        if func_name.startswith("_") or not callable(function):
            raise AttributeError(f"there is no function {func_name!r}")
        return Evaluator(function, number, repeat, min_repeat_ms)


__all__ = ["BenchmarkResult", "Evaluated", "Evaluator", "measure"]
