"""Quantization of a network by data, with a report: `relay_mlir.quantize`.

    import relay_mlir as rm
    result = rm.quantize("model.onnx", "samples.npz", metric="top1", budget=0.005)
    print(result.text())
    model = rm.compile(result.module)
"""

from __future__ import annotations

import time
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from .._arguments import expect, expect_int, expect_text, wrong
from .._compile import IRModule, Module, PathLike, _to_module
from .._inputs import fixed_inputs
from .._program import Program
from ._metrics import METRICS, loss, sqnr, top1
from ._mixed import DTYPES as _FLOATS, MixedPrecision
from ._network import Network, Progress, as_tuple, check_numbers, float_operators
from ._report import Layer, QuantizationReport, Step
from ._samples import Samples

# What networks are made of.
DTYPES = ("int8", *_FLOATS)
CALIBRATIONS = ("kl_divergence", "percentile", "min_max", "mse")
# The fewest and the most of a weight.
WEIGHT_BITS = (7, 8)
# QuantizeKind in C++.
_WEIGHT = 2
# The share of layers with signed data from which on weights of 7 bits are tried.
_MIN_SIGNED = 0.25
# Of a value more elements than these do not make its range any better known.
_MAX_ELEMENTS = 1 << 20
_PREPARE = ("func.func(relay-simplify-inference,relay-fold-constant,relay-fold-scale-axis,"
            "relay-canonicalize-ops,relay-fold-constant)")


class _Layer(NamedTuple):
    """QuantizedLayer in C++."""

    name: str
    op: str
    data: int
    weight: int
    source: int
    weight_axis: int
    data_axis: int
    data_channels: int
    is_integer: bool


def _layers(module: IRModule) -> list[_Layer]:
    return [_Layer._make(layer) for layer in module._impl.quantized_layers()]


class _Value:
    """What a data set makes of one value that is quantized."""

    def __init__(self, seed: int) -> None:
        self.low, self.high = np.inf, -np.inf
        self.is_finite = True
        self.parts: list[np.ndarray[Any, Any]] = []
        self.seen = 0
        self._rng = np.random.default_rng(seed)

    def add(self, array: np.ndarray[Any, Any], num_runs: int) -> None:
        """Elements of one run; of large ones as many as there is room for."""
        if array.size == 0:
            return
        if not np.isfinite(array).all():
            check_numbers(array, " inside of it")
            # As of a mask, which no scale keeps.
            self.is_finite = False
            return
        self.low = min(self.low, float(array.min()))
        self.high = max(self.high, float(array.max()))
        flat = array.ravel()
        room = max(_MAX_ELEMENTS // num_runs, 256)
        if flat.size > room:
            flat = flat[self._rng.integers(0, flat.size, room)]
        self.parts.append(flat.astype(np.float32))

    def elements(self) -> np.ndarray[Any, Any]:
        """Elements, with both ends of the range."""
        if not self.parts:
            return np.zeros(0, np.float32)
        return np.concatenate([*self.parts, np.array([self.low, self.high], np.float32)])


class Quantized:
    """A network in integers, and what is to be said of it.

    `module` is the network, which `relay_mlir.compile` takes, and `report` a
    QuantizationReport.
    """

    def __init__(self, module: IRModule, report: QuantizationReport) -> None:
        self.module = module
        self.report = report

    def text(self) -> str:
        """The report as lines of text."""
        return self.report.text()

    def html(self) -> str:
        """The report as a page that needs no other file."""
        return self.report.html()

    def save(self, path: PathLike) -> None:
        """Writes the network, with its weights, as MLIR text."""
        self.module.save(path)


class _Quantizer(Network):
    """Makes integers of parts of one network."""

    def __init__(self, model: Any, data: Any, calibration: str, weight_bits: int,
                 limit: int | None, target: str | None, progress: Progress) -> None:
        super().__init__(model, data, limit, target, progress)
        self.weight_bits = weight_bits
        self._calibration = calibration
        prepared = self.prepare(_PREPARE)
        layers = _layers(prepared)
        if not layers:
            raise ValueError("expects a network with convolutions, dense layers or products of "
                             "matrices, but got none")
        operators = float_operators(prepared)
        dequantized = {each.value for each in operators if each.op == "qnn.dequantize"}
        if any(layer.is_integer for layer in layers) or any(
                each.is_product and each.operands[0] in dequantized for each in operators):
            raise ValueError("expects a network of floats, but got one that is quantized already")
        # For each channel of the result of each layer.
        self._errors: np.ndarray[Any, Any] | None = None
        self.steps: list[Step] = []
        self._start(prepared)

    def _start(self, prepared: IRModule) -> None:
        """Looks at the values of a network."""
        self._prepared = prepared
        # By the number of the value in C++.
        self.values: dict[int, _Value] = {}
        self.thresholds: dict[int, float] = {}
        # Values with infinities, which only floats read.
        self.infinite: set[int] = set()
        while True:
            annotated = self._annotate(())
            known = len(self.infinite)
            self.weights = self._collect(annotated, "calibration")
            if len(self.infinite) == known:
                break
        self.kinds = annotated._impl.simulated_values()
        self.layers = _layers(annotated)

    def improve(self, equalize: float | None, correct_bias: bool) -> None:
        """Makes a network of which integers are closer to floats, and learns what that
        has changed."""
        if equalize is None and not correct_bias:
            return
        before = self._sqnr()
        if equalize is not None:
            before = self._equalize(equalize, before)
        if correct_bias:
            self._correct_biases(before)

    def _sqnr(self) -> list[float]:
        outputs = self.measure((), "all in integers")
        return [sqnr(value, other) for value, other in zip(self.float_outputs, outputs)]

    def _equalize(self, strength: float, before: list[float]) -> list[float]:
        ranges = self._channel_ranges()
        options = f"strength={strength!r} per-channel=true"
        if ranges.size:
            options += " ranges=" + ",".join(repr(float(value)) for value in ranges)
        old = [self.weights.get(layer.weight) for layer in self.layers]
        self._start(self._prepared.clone().run_passes(
            f"builtin.module(func.func(relay-quantize-equalize{{{options}}},"
            "relay-fold-constant))"))
        changed = sum(array is not None and not np.array_equal(array, self.weights[layer.weight])
                      for array, layer in zip(old, self.layers))
        after = self._sqnr()
        self.steps.append(Step("equalization", f"weights of {changed} layers", before, after))
        return after

    def _channel_ranges(self) -> np.ndarray[Any, Any]:
        """The largest magnitudes of the channels of the data of layers."""
        model = self.compile(self._annotate(()).run_passes(
            "builtin.module(relay-quantize-collect{all=true})"))
        layers = [layer for layer in self.layers if layer.data_axis >= 0]
        # Of data that is not quantized itself nothing is known, which leaves it as it is.
        ranges = [np.zeros(layer.data_channels) for layer in layers]
        for feed in self.progress(self.samples, self.samples.num_runs, "ranges of channels"):
            outputs = as_tuple(model.run(feed))
            for i, layer in enumerate(layers):
                if layer.data < 0:
                    continue
                values = np.abs(np.moveaxis(outputs[layer.data], layer.data_axis, 0))
                ranges[i] = np.maximum(ranges[i], values.reshape(len(values), -1).max(
                    axis=1, initial=0))
        return np.concatenate(ranges) if ranges else np.zeros(0)

    def _correct_biases(self, before: list[float]) -> None:
        model = self.compile(self._realize(()).run_passes(
            "builtin.module(relay-quantize-errors)"))
        total: Any = 0.0
        count = 0
        for feed in self.progress(self.samples, self.samples.num_runs, "errors of means"):
            size = len(next(iter(feed.values())))
            total = total + size * np.concatenate(
                [np.zeros(0), *map(np.ravel, as_tuple(model.run(feed)))])
            count += size
        self._errors = total / count
        corrected = sum(layer.data_axis >= 0 for layer in self.layers)
        self.steps.append(Step("bias correction", f"results of {corrected} layers", before,
                               self._sqnr()))

    def _annotate(self, skip: Iterable[int]) -> IRModule:
        layers = ",".join(map(str, sorted(skip)))
        options = "skip-dense-layer=false whole=true" + (f" skip-layers={layers}" if layers else "")
        if self.infinite:
            options += " skip-values=" + ",".join(map(str, sorted(self.infinite)))
        return self._prepared.clone().run_passes(
            f"builtin.module(func.func(relay-quantize-annotate{{{options}}}))")

    def _collect(self, annotated: IRModule, what: str) -> dict[int, np.ndarray[Any, Any]]:
        """Learns the ranges of values that are not known yet. Returns the weights by their
        numbers among what is simulated."""
        kinds = annotated._impl.simulated_values()
        new = {key: i for i, (kind, key) in enumerate(kinds)
               if kind != _WEIGHT and key not in self.values}
        model = self.compile(annotated.clone().run_passes(
            "builtin.module(relay-quantize-collect{all=true})"))
        values = {key: _Value(key) for key in new}
        weights: dict[int, np.ndarray[Any, Any]] = {}
        for feed in self.progress(self.samples, self.samples.num_runs, what):
            outputs = as_tuple(model.run(feed))
            for key, i in new.items():
                values[key].add(outputs[i], self.samples.num_runs)
            if not weights:
                weights = {i: np.array(outputs[i]) for i, (kind, _) in enumerate(kinds)
                           if kind == _WEIGHT}
        from ..relay.quantize._calibration import threshold_of

        for key, value in values.items():
            if not value.is_finite:
                self.infinite.add(key)
                continue
            self.values[key] = value
            self.thresholds[key] = threshold_of(self._calibration, value.elements(), 8)
        return weights

    def quantize(self, skip: Iterable[int]) -> IRModule:
        """The network with all layers but some in integers."""
        realized = self._realize(skip)
        correct = ""
        if self._errors is not None and self._errors.size:
            errors = ",".join(repr(float(value)) for value in self._errors)
            correct = f"func.func(relay-quantize-correct-biases{{errors={errors}}}),"
        return realized.run_passes(
            f"builtin.module({correct}"
            "relay-fake-quantization-to-integer{use-qat=true estimate=true},"
            "func.func(relay-fold-constant),canonicalize)")

    def _realize(self, skip: Iterable[int]) -> IRModule:
        """Quantizes and dequantizes what is annotated."""
        while True:
            annotated = self._annotate(skip)
            keys = [key for kind, key in annotated._impl.simulated_values() if kind != _WEIGHT]
            if all(key in self.thresholds for key in keys):
                break
            # A sum whose other side stays in floats is quantized itself.
            self._collect(annotated, "calibration of sums")
        thresholds = ",".join(repr(float(self.thresholds[key])) for key in keys)
        options = f"weight-scale=max nbit-weight={self.weight_bits}" + (
            f" thresholds={thresholds}" if thresholds else "")
        return annotated.run_passes(
            f"builtin.module(relay-quantize-calibrate{{{options}}},"
            "relay-quantize-realize{per-channel=true rounding=TOEVEN})")

    def gains_by_small_weights(self) -> bool:
        """Whether the target multiplies a good part of the layers faster with weights of 7
        bits: data that is never negative it multiplies as fast with those of 8, and
        convolutions of each channel by itself gain nothing."""
        options = "" if self.target is None else f'{{target="{self.target}"}}'
        module = self.source.clone().run_passes(
            f"builtin.module(relay-attach-target{options})")
        if not module._impl.gains_by_small_weights():
            return False
        signs = []
        for layer in self.layers:
            weight = self.weights.get(layer.weight)
            is_depthwise = weight is not None and weight.ndim > 2 and weight.shape[1] == 1
            if weight is None or layer.source < 0 or is_depthwise:
                continue
            value = self.values.get(self.kinds[layer.source][1])
            signs.append(value is not None and value.low < 0)
        return bool(signs) and sum(signs) >= _MIN_SIGNED * len(signs)

    def measure(self, skip: Iterable[int], what: str) -> list[np.ndarray[Any, Any]]:
        """The outputs with all layers but some in integers."""
        return self.run(self.compile(self.quantize(skip)), what)


def _choose(quantizer: _Quantizer | MixedPrecision, metric: str, budget: float,
            progress: Progress) -> tuple[set[int], dict[int, float]]:
    """The layers to leave in floats, so that no more than `budget` is lost, and the loss
    of each layer alone."""

    def lost(skip: set[int], what: str) -> tuple[float, list[np.ndarray[Any, Any]]]:
        outputs = quantizer.measure(skip, what)
        return loss(metric, quantizer.float_outputs, outputs, quantizer.samples.labels), outputs

    everything = set(range(len(quantizer.layers)))
    if lost(set(), "all in integers")[0] <= budget:
        return set(), {}
    alone: dict[int, float] = {}
    order = []
    for layer in progress(sorted(everything), len(everything), "sensitivity"):
        value, outputs = lost(everything - {layer}, "")
        alone[layer] = sqnr(quantizer.float_outputs[0], outputs[0])
        order.append((value, -alone[layer], layer))
    ranking = [layer for *_, layer in sorted(order, reverse=True)]
    # The fewest of the most sensitive ones; all of them lose nothing.
    low, high = 1, len(ranking)
    while low < high:
        middle = (low + high) // 2
        if lost(set(ranking[:middle]), "search")[0] <= budget:
            high = middle
        else:
            low = middle + 1
    return set(ranking[:low]), alone


def _choose_weight_bits(quantizer: _Quantizer, metric: str, budget: float) -> str:
    """Takes weights of 7 bits where the target gains by them, if all of the network keeps to
    the budget in integers then. Returns why, or why not."""
    if not quantizer.gains_by_small_weights():
        return ""
    quantizer.weight_bits = 7
    outputs = quantizer.measure((), "weights of 7 bits")
    lost = loss(metric, quantizer.float_outputs, outputs, quantizer.samples.labels)
    if lost <= budget:
        return "chosen, since the target multiplies data with a sign faster by them"
    quantizer.weight_bits = 8
    return f"7 would be faster, but lose {lost:.4g}"


def _time(model: Module | Program, samples: Samples, runs: int = 20) -> float:
    """Seconds of a run: the median."""
    feed = next(iter(samples))
    times = []
    for _ in range(runs + 2):
        start = time.perf_counter()
        model.run(feed)
        times.append(time.perf_counter() - start)
    return float(np.median(times[2:]))


def _round(values: np.ndarray[Any, Any], scale: Any, bound: int = 127) -> np.ndarray[Any, Any]:
    return np.clip(np.rint(values / scale), -bound, bound) * scale


def _describe(quantizer: _Quantizer, skip: set[int], alone: dict[int, float],
              result: IRModule, metric: str) -> list[Layer]:
    """What became of each layer."""
    left: dict[str, int] = {}
    for layer in _layers(result):
        if not layer.is_integer:
            left[layer.name] = left.get(layer.name, 0) + 1
    rows = []
    for i, (name, op, _, weight, data, axis, *_) in enumerate(quantizer.layers):
        row = Layer(name=name or f"#{i}", op=op, sqnr_alone=alone.get(i))
        if data >= 0:
            kind, key = quantizer.kinds[data]
            if kind != _WEIGHT:
                value = quantizer.values[key]
                row.low, row.high = value.low, value.high
                row.scale = quantizer.thresholds[key] / 128 or 1 / 128
                elements = value.elements()
                row.sqnr_data = sqnr(elements, _round(elements, row.scale))
        if weight in quantizer.weights:
            array = quantizer.weights[weight]
            axes = tuple(a for a in range(array.ndim) if a != axis) if axis >= 0 else None
            largest = np.abs(array).max(axis=axes, keepdims=True) if array.size else np.ones(1)
            bound = 2 ** (quantizer.weight_bits - 1) - 1
            scales = np.where(largest > 0, largest, bound) / bound
            row.weight_scales = (float(scales.min()), float(scales.max()), int(scales.size))
            row.sqnr_weight = sqnr(array, _round(array, scales, bound))
        if i in skip:
            row.reason = f"sensitive: in integers it would cost more than the budget of {metric}"
        elif left.get(name, 0):
            left[name] -= 1
            row.reason = ("what it reads has infinities" if data < 0 and quantizer.infinite
                          else "its region has no form in integers")
        rows.append(row)
    for operator in float_operators(result):
        if operator.is_product and not operator.is_quantizable:
            rows.append(Layer(operator.name or operator.op, operator.op,
                              reason="quantization does not know the operator"))
    return rows


def quantize(model: Any, data: Any, *, dtype: str = "int8", metric: str = "cosine",
             budget: float | None = None, calibration: str = "mse",
             equalize: float | None = None, correct_bias: bool = False,
             weight_bits: int | None = None, max_runs: int | None = None, target: str | None = None,
             progress: bool = False, dims: Mapping[str, int] | None = None,
             shapes: Mapping[str, Sequence[int | None]] | None = None,
             inputs: Mapping[str, Any] | None = None) -> Quantized:
    """Makes integers of 8 bits of a network of floats, with ranges that it has for `data`.

    With a `dtype` of "float16" or "bfloat16" it is half precision instead, where that is safe:
    convolutions and products, and what follows them. Sums and functions that need float32 stay
    in it, and so does what reads or computes numbers that the type does not have for `data`.

    `model` is what `compile` takes. `data` has samples: a path to an .npz file or a dict
    with an array for each input, whose first dimension counts samples (of a fixed batch
    size, a multiple of it), or a list of dicts with one sample each. `max_runs` bounds how
    many runs of the network are looked at.

    `calibration` chooses ranges of data: "mse", "min_max", "percentile" or "kl_divergence".
    `equalize`, from 0 to 1, says how much of the differences between channels of data goes
    into the weights that read it, where what computes the data can be scaled; 0.5 is usual.
    `correct_bias` adds to biases what rounding takes from the means of results.
    With `weight_bits` of 7 weights are -63 to 63, as ONNX Runtime's `reduce_range` makes them:
    processors that have AVX2 but no VNNI multiply these faster, where data has a sign. If it
    is not said, weights have 7 bits where the target gains by that, in a quarter of the
    layers or more, and the network with all layers in integers keeps to the budget; without
    a budget, 8.
    With a `budget`, the layers that cost most stay in floats, as few as let the loss by
    `metric` be no larger: "cosine", 1 less the mean cosine between outputs in floats and in
    integers, or "top1", the share of samples whose class changes, or, where `data` has
    `labels`, that is no longer right. `progress` shows bars on standard error. `dims`,
    `shapes` and `inputs` fix sizes and inputs of the network, as in `compile`; `data` has
    nothing for an input that is fixed.

    What reads infinities inside of the network, as of a mask, stays in floats. Networks of
    float16, bfloat16 and float64 compute in float32 first; what they take and return keeps its
    type.

    Returns a Quantized: `module` is the network, which `compile` takes, `report` says what
    became of each layer. Raises ValueError for data that does not fit, or has NaN.
    """
    if metric not in METRICS:
        raise ValueError(f"expects metric to be one of {', '.join(METRICS)}, but got {metric!r}")
    if calibration not in CALIBRATIONS:
        raise ValueError(f"expects calibration to be one of {', '.join(CALIBRATIONS)}, but got "
                         f"{calibration!r}")
    if budget is not None:
        if isinstance(budget, bool) or not isinstance(budget, (int, float)):
            raise wrong("budget", "a number", budget)
        if not 0 <= budget <= 1:
            raise ValueError(f"expects budget from 0 to 1, but got {budget!r}")
    if equalize is not None:
        if isinstance(equalize, bool) or not isinstance(equalize, (int, float)):
            raise wrong("equalize", "a number", equalize)
        if not 0 <= equalize <= 1:
            raise ValueError(f"expects equalize from 0 to 1, but got {equalize!r}")
    expect(correct_bias, bool, "correct_bias", "True or False")
    if weight_bits is not None:
        expect_int(weight_bits, "weight_bits", *WEIGHT_BITS)
    if max_runs is not None:
        expect_int(max_runs, "max_runs", 1)
    if target is not None:
        expect_text(target, "target")
    if dtype not in DTYPES:
        raise ValueError(f"expects dtype to be one of {', '.join(DTYPES)}, but got {dtype!r}")
    if dtype != "int8":
        of_integers = {"calibration": calibration != "mse", "equalize": equalize is not None,
                       "correct_bias": correct_bias, "weight_bits": weight_bits is not None}
        for name, is_given in of_integers.items():
            if is_given:
                raise ValueError(f"expects no {name} where networks of {dtype} are made")
    bars = _bars if progress else _no_bars
    model = _to_module(model, fixed_inputs(dims, shapes, inputs))
    skip: set[int] = set()
    alone: dict[int, float] = {}
    network: _Quantizer | MixedPrecision
    why = ""
    if dtype == "int8":
        network = _Quantizer(model, data, calibration, weight_bits or 8, max_runs, target, bars)
        network.improve(equalize, correct_bias)
        if weight_bits is None and budget is not None:
            why = _choose_weight_bits(network, metric, budget)
    else:
        network = MixedPrecision(model, data, dtype, max_runs, target, bars)
    if budget is not None:
        skip, alone = _choose(network, metric, budget, bars)
    module = network.quantize(skip)
    compiled = network.compile(module)
    outputs = network.run(compiled, dtype)
    labels = network.samples.labels
    if isinstance(network, MixedPrecision):
        layers, floats = network.describe(skip, alone, metric)
    else:
        layers, floats = _describe(network, skip, alone, module, metric), _count_floats(module)
    report = QuantizationReport(
        layers=layers, metric=metric, budget=None if budget is None else float(budget),
        dtype=dtype, source_floats=network.other_floats, calibration=calibration,
        weight_bits=network.weight_bits if isinstance(network, _Quantizer) else None,
        weight_bits_reason=why, num_samples=network.samples.count,
        steps=network.steps if isinstance(network, _Quantizer) else [],
        loss=loss(metric, network.float_outputs, outputs, labels),
        sqnr=[sqnr(before, after) for before, after in zip(network.float_outputs, outputs)],
        top1=None if labels is None else (top1(network.float_outputs, labels),
                                          top1(outputs, labels)),
        bytes=(network.source._impl.constant_bytes(), module._impl.constant_bytes()),
        seconds=(_time(network.floats, network.samples), _time(compiled, network.samples)),
        floats=floats)
    return Quantized(module, report)


def _count_floats(module: IRModule) -> dict[str, int]:
    """How many of each operator compute floats of floats."""
    names = [each.op for each in float_operators(module) if each.op != "qnn.dequantize"]
    return {name: names.count(name) for name in sorted(set(names))}


def _no_bars(values: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    yield from values


def _bars(values: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """Those, with a bar on standard error; without a name, none."""
    from tqdm import tqdm  # type: ignore[import-untyped]

    if what:
        yield from tqdm(values, desc=what, total=total, leave=False)
    else:
        yield from values


__all__ = ["CALIBRATIONS", "DTYPES", "WEIGHT_BITS", "Layer", "Quantized", "QuantizationReport", "quantize"]
