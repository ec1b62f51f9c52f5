"""How programs are quantized: `qconfig`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from ..._arguments import expect, expect_int

CALIBRATE_MODES = ("global_scale", "kl_divergence", "percentile", "min_max", "mse")
WEIGHT_SCALES = ("power2", "max", "per_channel")
_DTYPES = ("int8", "uint8", "int16", "int32")


class QAnnotateKind:
    """What a value is that simulated_quantize is for: its attribute `kind`."""

    IDENTITY = 0
    INPUT = 1
    WEIGHT = 2
    ACTIVATION = 3


def kind2str(kind: int) -> str:
    """The name of a kind, in small letters."""
    names = {getattr(QAnnotateKind, name): name.lower()
             for name in ("IDENTITY", "INPUT", "WEIGHT", "ACTIVATION")}
    if expect_int(kind, "kind") not in names:
        raise ValueError(f"expects a kind from 0 to 3, but got {kind!r}")
    return names[kind]


def _expect_one(name: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"expects {name} to be one of {', '.join(allowed)}, but got {value!r}")


@dataclass(frozen=True)
class QConfig:
    """What `quantize` does, inside of a `with` of it.

    Data, weights and sums are of `nbit_input`, `nbit_weight` and `nbit_activation` bits, in
    integers of `dtype_input`, `dtype_weight` and `dtype_activation`. The scale of data
    comes from `global_scale`, or from what a data set makes it: `calibrate_mode` is
    global_scale, kl_divergence, percentile, min_max or mse. Scales of weights are the
    largest magnitude (`max`), that rounded up to a power of two (`power2`), or one for
    each channel (`per_channel`).

    Dense layers stay in floats with `skip_dense_layer`, and so do the convolutions that
    `skip_conv_layers` counts, from 0. With `do_simulation` the result computes floats
    that are rounded as integers would be. `calibrate_chunk_by` is how many values are
    looked at in one run of the data set; all, if it is -1.

    With `equalize` the channels between layers are made as large as each other in their
    weights, before all else. With `correct_bias` biases take in what rounding takes from
    the means of results for a data set."""

    nbit_input: int = 8
    nbit_weight: int = 8
    nbit_activation: int = 32
    dtype_input: str = "int8"
    dtype_weight: str = "int8"
    dtype_activation: str = "int32"
    calibrate_mode: str = "global_scale"
    global_scale: float = 8.0
    weight_scale: str = "power2"
    skip_dense_layer: bool = True
    skip_conv_layers: Sequence[int] | None = (0,)
    do_simulation: bool = False
    round_for_shift: bool = True
    debug_enabled_ops: Sequence[str] | None = None
    rounding: str = "UPWARD"
    calibrate_chunk_by: int = -1
    partition_conversions: str = "disabled"
    equalize: bool = False
    correct_bias: bool = False

    def __post_init__(self) -> None:
        for name in ("dtype_input", "dtype_weight"):
            _expect_one(name, getattr(self, name), _DTYPES)
        _expect_one("dtype_activation", self.dtype_activation, ("int32",))
        _expect_one("calibrate_mode", self.calibrate_mode, CALIBRATE_MODES)
        _expect_one("weight_scale", self.weight_scale, WEIGHT_SCALES)
        _expect_one("rounding", self.rounding, ("UPWARD", "TONEAREST"))
        for name, dtype in (("nbit_input", self.dtype_input),
                            ("nbit_weight", self.dtype_weight),
                            ("nbit_activation", self.dtype_activation)):
            bits, most = getattr(self, name), int(dtype.lstrip("uint"))
            if isinstance(bits, bool) or not isinstance(bits, int) or not 2 <= bits <= most:
                raise ValueError(f"expects {name} to be from 2 to {most}, the bits of {dtype}, "
                                 f"but got {bits!r}")
        expect(self.global_scale, (int, float), "global_scale", "a number")
        if not self.global_scale > 0 or self.global_scale == float("inf"):
            raise ValueError("expects global_scale to be positive and finite, but got "
                             f"{self.global_scale!r}")
        chunk = self.calibrate_chunk_by
        if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk == 0 or chunk < -1:
            raise ValueError("expects calibrate_chunk_by to be -1 or a number of values, but "
                             f"got {chunk!r}")
        for name in ("equalize", "correct_bias"):
            expect(getattr(self, name), bool, name, "True or False")
        if not self.round_for_shift:
            raise NotImplementedError("round_for_shift=False, integers that are cut instead of "
                                      "rounded, is not there")
        if self.debug_enabled_ops is not None:
            raise NotImplementedError("debug_enabled_ops is not there yet")
        if self.partition_conversions != "disabled":
            _expect_one("partition_conversions", self.partition_conversions,
                        ("disabled", "enabled", "fully_integral"))
            raise NotImplementedError(
                f"partition_conversions={self.partition_conversions!r} is not there yet")

    def __enter__(self) -> QConfig:
        _stack.append(self)
        return self

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        _stack.pop()


_stack = [QConfig()]


def current_qconfig() -> QConfig:
    """The configuration that is entered last, or the default."""
    return _stack[-1]


def qconfig(**kwargs: Any) -> QConfig:
    """A configuration; see QConfig. Raises TypeError for a field that there is not."""
    return QConfig(**kwargs)


__all__ = ["QAnnotateKind", "QConfig", "current_qconfig", "kind2str", "qconfig"]
