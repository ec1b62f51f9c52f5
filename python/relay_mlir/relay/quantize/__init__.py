"""Automatic quantization: networks of floats become networks of integers.

    with relay.quantize.qconfig(calibrate_mode="percentile", weight_scale="max"):
        mod = relay.quantize.quantize(mod, params, dataset)
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from ..._arguments import expect_mapping, wrong
from .. import transform as _transform
from ..build_module import bind_main
from ..executor import create_executor
from ..expr import Function, GlobalVar, Tuple
from ..module import IRModule, expect_module
from ..pass_manager import FunctionPass, ModulePass, Pass, PassContext, PassInfo, Sequential
from ..qnn.config import requantize_config, with_requantize_config
from ._calibration import threshold_of
from .config import QAnnotateKind, QConfig, current_qconfig, kind2str, qconfig

Dataset = Iterable[Mapping[str, Any]]

_TYPES = {"int8": "i8", "uint8": "ui8", "int16": "i16", "int32": "i32"}


def _options(**values: Any) -> str:
    entries = [f"{name.replace('_', '-')}={value}" for name, value in values.items()
               if value != ""]
    return "{" + " ".join(entries) + "}" if entries else ""


def prerequisite_optimize(mod: IRModule, params: Mapping[str, Any] | None = None) -> IRModule:
    """The module as quantization expects it: parameters are constants, batch normalization
    and scales of channels are part of weights, and biases are added. With `equalize` of the
    configuration channels are as large as each other."""
    mod = expect_module(mod)
    params = expect_mapping(params, "params")
    if params:
        mod = bind_main(mod, params, stacklevel=3)
    passes = [_transform.SimplifyInference(), _transform.FoldConstant(),
              _transform.FoldScaleAxis(), _transform.CanonicalizeOps(),
              _transform.FoldConstant()]
    if current_qconfig().equalize:
        passes += [equalize(), _transform.FoldConstant()]
    for pass_ in passes:
        mod = pass_(mod)
    return mod


def equalize() -> Pass:
    """Makes the channels between layers as large as each other, in their weights."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        options = _options(
            per_channel=_transform._flag(current_qconfig().weight_scale == "per_channel"))
        return _transform._run(
            mod, f"builtin.module(func.func(relay-quantize-equalize{options}))")

    return FunctionPass(run, PassInfo("QuantizeEqualize", 1))


def partition() -> Pass:
    """Marks where the result of a convolution leaves its kernel, as integers."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        options = _options(dtype_input=_TYPES[current_qconfig().dtype_input])
        return _transform._run(
            mod, f"builtin.module(func.func(relay-quantize-partition{options}))")

    return FunctionPass(run, PassInfo("QuantizePartition", 1))


def annotate() -> Pass:
    """Inserts simulated_quantize, whose scales `calibrate` chooses."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        config = current_qconfig()
        options = _options(
            skip_conv_layers=",".join(map(str, config.skip_conv_layers or [])),
            skip_dense_layer=_transform._flag(config.skip_dense_layer))
        return _transform._run(
            mod, f"builtin.module(func.func(relay-quantize-annotate{options}))")

    return FunctionPass(run, PassInfo("QuantizeAnnotate", 1))


def _check_sample(sample: Any, names: Sequence[str]) -> list[Any]:
    """The arguments of @main in a sample of a data set."""
    if not isinstance(sample, Mapping):
        raise wrong("a sample of the data set", "a value for each parameter, by its name", sample)
    missing = [name for name in names if name not in sample]
    if missing:
        raise ValueError(f"expects samples with a value for each of {', '.join(names)}, but got "
                         f"one without {', '.join(missing)}")
    return [sample[name] for name in names]


def collect(mod: IRModule, dataset: Dataset,
            chunk: int = -1) -> Iterable[list[np.ndarray[Any, Any]]]:
    """Runs an annotated module on a data set, and yields for some of the values that are to
    be quantized at a time (`chunk`), in their order, all their elements."""
    yield from _run_samples(_transform._run(mod, "builtin.module(relay-quantize-collect)"),
                            dataset, chunk)


def _run_samples(mod: IRModule, dataset: Dataset,
                 chunk: int = -1) -> Iterable[list[np.ndarray[Any, Any]]]:
    """The elements of some fields at a time of the tuple that @main returns, those of all
    samples joined."""
    main = mod["main"]
    names = [param.name_hint for param in main.params]
    samples = [_check_sample(sample, names) for sample in dataset]
    if not samples:
        raise ValueError("expects a data set with samples, but got none")
    assert isinstance(main.body, Tuple)
    fields = list(main.body.fields)
    step = len(fields) if chunk < 0 else chunk
    for start in range(0, len(fields), max(step, 1)):
        part = mod.shallow_copy()
        part.functions[GlobalVar("main")] = Function(
            main.params, Tuple(fields[start:start + step]))
        run = create_executor("graph", _transform.infer_types(part), target="llvm").evaluate()
        results = [run(*sample) for sample in samples]
        values = [np.concatenate([np.asarray(value, "float32").ravel() for value in column])
                  for column in zip(*results)]
        for value in values:
            if not np.isfinite(value).all():
                raise ValueError("expects a data set of which a network computes finite numbers, "
                                 "but got NaN or infinities")
        yield values


def calibrate_with(thresholds: Sequence[float]) -> Pass:
    """Sets the scales by thresholds of the values that `collect` returns, in their order;
    without any, by the global_scale of the configuration."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        config = current_qconfig()
        options = _options(
            nbit_input=config.nbit_input, nbit_weight=config.nbit_weight,
            nbit_activation=config.nbit_activation, global_scale=repr(float(config.global_scale)),
            weight_scale="power2" if config.weight_scale == "power2" else "max",
            thresholds=",".join(repr(float(value)) for value in thresholds))
        return _transform._run(mod, f"builtin.module(relay-quantize-calibrate{options})")

    return ModulePass(run, PassInfo("QuantizeCalibrate", 1))


def calibrate(dataset: Dataset | None = None) -> Pass:
    """Chooses the scales, by the calibrate_mode of the configuration."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        config = current_qconfig()
        thresholds: list[float] = []
        if config.calibrate_mode != "global_scale":
            if dataset is None:
                raise ValueError(f"expects a data set for calibrate_mode "
                                 f"{config.calibrate_mode!r}, but got none")
            for values in collect(mod, dataset, config.calibrate_chunk_by):
                thresholds += [threshold_of(config.calibrate_mode, value, config.nbit_input)
                               for value in values]
        return calibrate_with(thresholds)(mod)

    return ModulePass(run, PassInfo("QuantizeCalibrate", 1))


def _mean_errors(mod: IRModule, dataset: Dataset) -> str:
    """A pass that corrects biases by what rounding takes from means, or nothing."""
    mod = _transform._run(mod, "builtin.module(relay-quantize-errors)")
    body = mod["main"].body
    assert isinstance(body, Tuple)
    if not body.fields:
        return ""
    dataset = list(dataset)
    fields, = _run_samples(mod, dataset)
    errors = [value.reshape(len(dataset), -1).mean(axis=0) for value in fields]
    text = ",".join(repr(float(error)) for error in np.concatenate(errors))
    return f"func.func(relay-quantize-correct-biases{{errors={text}}}),"


def realize(dataset: Dataset | None = None) -> Pass:
    """Makes integers of what is simulated; by `dataset` with `correct_bias` of the
    configuration."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        config = current_qconfig()
        options = _options(
            dtype_input=_TYPES[config.dtype_input], dtype_weight=_TYPES[config.dtype_weight],
            dtype_activation=_TYPES[config.dtype_activation],
            per_channel=_transform._flag(config.weight_scale == "per_channel"))
        mod = _transform._run(mod, f"builtin.module(relay-quantize-realize{options})")
        correct = ""
        if config.correct_bias:
            if dataset is None:
                raise ValueError("expects a data set for correct_bias, but got none")
            correct = _mean_errors(mod, dataset)
        mod = _transform._run(mod, f"builtin.module({correct}"
                              "relay-fake-quantization-to-integer{use-qat=true})")
        with requantize_config(rounding=config.rounding):
            return with_requantize_config(mod)

    return FunctionPass(run, PassInfo("QuantizeRealize", 1))


def quantize(mod: IRModule, params: Mapping[str, Any] | None = None,
             dataset: Dataset | None = None) -> IRModule:
    """A module that computes in integers what a network computes in floats, by the current
    configuration (`qconfig`). `params` has weights by name, and `dataset` samples: for
    each a value of each input by its name. Raises ValueError if calibration needs a data
    set and there is none, or if it is not finite."""
    mod = prerequisite_optimize(mod, params)
    # Looked at twice.
    if dataset is not None and current_qconfig().correct_bias:
        dataset = list(dataset)
    passes = [partition(), annotate(), calibrate(dataset)]
    if not current_qconfig().do_simulation:
        passes += [realize(dataset), _transform.FoldConstant(fold_qnn=True)]
    with PassContext(opt_level=3):
        return Sequential(passes, name="Quantize")(mod)


__all__ = ["QAnnotateKind", "QConfig", "annotate", "calibrate", "calibrate_with", "collect", "current_qconfig",
           "equalize", "kind2str", "partition", "prerequisite_optimize", "qconfig", "quantize", "realize"]
