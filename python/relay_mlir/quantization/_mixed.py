"""Networks that compute in half precision where it is safe."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

import numpy as np

from .._compile import IRModule
from ._network import FloatOperator, Network, Progress, as_tuple, check_numbers, float_operators
from ._report import Layer

# Their names in the compiler, and their largest numbers.
DTYPES = {"float16": ("f16", 65504.0), "bfloat16": ("bf16", float.fromhex("0x1.fep127"))}
_PREPARE = ("func.func(relay-simplify-inference,relay-fold-constant,relay-fold-scale-axis,"
            "relay-fold-constant)")


class _Values(NamedTuple):
    """Of one value, for all samples: its ends, and the squares of it and of what rounding
    takes from it."""

    low: float = np.inf
    high: float = -np.inf
    signal: float = 0.0
    noise: float = 0.0

    @property
    def db(self) -> float:
        """Signal to noise."""
        if self.noise == 0:
            return float("inf")
        ratio = self.signal / self.noise
        return 10 * float(np.log10(ratio)) if ratio > 0 else float("-inf")


def _round(array: np.ndarray[Any, Any], dtype: str) -> np.ndarray[Any, Any]:
    """Numbers of float32 as those of a smaller type, in float32."""
    if dtype == "float16":
        with np.errstate(over="ignore"):
            return array.astype(np.float16).astype(np.float32)
    # The upper half, rounded to the nearest, ties to even.
    bits = array.astype(np.float32).view(np.uint32)
    odd = bits >> np.uint32(16) & np.uint32(1)
    return (bits + np.uint32(0x7fff) + odd & np.uint32(0xffff0000)).view(np.float32)


class MixedPrecision(Network):
    """Computes in half precision what does not leave its range.

    An operator stays in float32 if the rules of the pass say so, or if a number that it reads
    or computes is too large for the type.
    """

    def __init__(self, model: Any, data: Any, dtype: str, limit: int | None, target: str | None,
                 progress: Progress) -> None:
        super().__init__(model, data, limit, target, progress)
        self.dtype = dtype
        self._kind, self.largest = DTYPES[dtype]
        self._prepared = self.prepare(_PREPARE)
        self._operators = float_operators(self._prepared)
        # Products, which what follows them depends on.
        self.layers = [each for each in self._operators if each.is_product and each.type == "f32"]
        if not self.layers:
            raise ValueError("expects a network with convolutions, dense layers or products of "
                             "matrices in floats, but got none")
        self._values: dict[int, _Values] = {}
        self._maxima: dict[int, float] = {}
        self._collect()
        # How large what they read or compute is, of those that the type has no numbers for.
        self.large = {each.value: largest for each in self._operators
                      if not (largest := self._largest(each)) <= self.largest}

    def _collect(self) -> None:
        """Learns ranges: of what products read each number, of all else the largest."""
        data = {number for each in self.layers for number in each.operands[:2] if number >= 0}
        others = {number for each in self._operators if each.type == "f32"
                  for number in (each.result, *each.operands) if number >= 0} - data
        values, maxima = sorted(data), sorted(others)
        options = [f"{name}={','.join(map(str, numbers))}"
                   for name, numbers in (("values", values), ("maxima", maxima)) if numbers]
        model = self.compile(self._prepared.clone().run_passes(
            f"builtin.module(relay-collect-values{{{' '.join(options)}}})"))
        self._maxima = dict.fromkeys(others, 0.0)
        self._values = dict.fromkeys(data, _Values())
        for feed in self.progress(self.samples, self.samples.num_runs, "ranges"):
            outputs = as_tuple(model.run(feed))
            for number, array in zip(values, outputs):
                self._values[number] = self._add(self._values[number], array)
            for number, array in zip(maxima, outputs[len(values):]):
                check_numbers(array, " inside of it")
                self._maxima[number] = max(self._maxima[number], float(array))

    def _add(self, known: _Values, array: np.ndarray[Any, Any]) -> _Values:
        if array.size == 0:
            return known
        check_numbers(array, " inside of it")
        signal, noise = known.signal, known.noise
        if array.dtype == np.float32 and np.isfinite(array).all():
            numbers = array.astype(np.float64)
            signal += float(np.sum(numbers ** 2))
            noise += float(np.sum((numbers - _round(array, self.dtype)) ** 2))
        return _Values(min(known.low, float(array.min())), max(known.high, float(array.max())),
                       signal, noise)

    def _largest(self, operator: FloatOperator) -> float:
        """The largest magnitude that an operator reads or computes."""
        numbers = [number for number in (operator.result, *operator.operands) if number >= 0]
        return max((max(-self._values[number].low, self._values[number].high)
                    if number in self._values else self._maxima.get(number, 0.0)
                    for number in numbers), default=0.0)

    def _convert(self, skip: Iterable[int]) -> IRModule:
        """With casts of weights."""
        layers = set(skip)
        kept = {self.layers[i].value for i in layers} | set(self.large)
        if len(layers) == len(self.layers):
            # What else there is follows no product.
            return self._prepared.clone()
        names = f" skip-values={','.join(map(str, sorted(kept)))}" if kept else ""
        return self._prepared.clone().run_passes(
            f"builtin.module(relay-to-mixed-precision{{type={self._kind} keep-output-types=true "
            f"missing=ignore{names}}})")

    def quantize(self, skip: Iterable[int]) -> IRModule:
        """The network with all layers but some in half precision."""
        return self._convert(skip).run_passes(
            "builtin.module(func.func(relay-fold-constant),canonicalize)")

    def measure(self, skip: Iterable[int], what: str) -> list[np.ndarray[Any, Any]]:
        """The outputs with all layers but some in half precision."""
        return self.run(self.compile(self.quantize(skip)), what)

    def _beyond(self, value: int) -> str:
        return f"numbers up to {self.large[value]:.3g}, beyond the largest of {self.dtype}"

    def describe(self, skip: set[int], alone: dict[int, float],
                 metric: str) -> tuple[list[Layer], dict[str, int]]:
        """What became of each layer, and how many of each other operator stay in float32, and
        why."""
        rows: list[Layer] = []
        others: dict[str, int] = {}
        skipped = {self.layers[i].value: i for i in skip}
        numbers = {each.value: i for i, each in enumerate(self.layers)}
        # The pass changes operators in their places, and adds nothing but casts.
        for before, after in zip(self._operators, float_operators(self._convert(skip))):
            stays = before.type == "f32" == after.type
            if before.value in skipped:
                reason = (f"sensitive: in {self.dtype} it would cost more than the budget of "
                          f"{metric}")
            elif before.value in self.large:
                reason = self._beyond(before.value)
            elif before.needs_full_precision:
                reason = "needs float32"
            else:
                reason = "reads float32"
            if before.value in numbers:
                i = numbers[before.value]
                rows.append(self._row(i, alone.get(i), reason if stays else ""))
            elif stays:
                key = f"{before.op} ({reason})"
                others[key] = others.get(key, 0) + 1
        return rows, dict(sorted(others.items()))

    def _row(self, i: int, alone: float | None, reason: str) -> Layer:
        operator = self.layers[i]
        row = Layer(name=operator.name or f"#{i}", op=operator.op, sqnr_alone=alone, reason=reason)
        data, weight = (self._values.get(number) for number in operator.operands[:2])
        if data is not None:
            row.low, row.high, row.sqnr_data = data.low, data.high, data.db
        if weight is not None:
            row.sqnr_weight = weight.db
        return row


__all__ = ["DTYPES", "MixedPrecision"]
