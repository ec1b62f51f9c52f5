"""Parameters of models at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import text
from ..._arguments import expect_callable, expect_int
from ..expr import ndarray
from ..module import IRModule
from ..transform import InferType


class Initializer:
    """Fills arrays by the names of their parameters."""

    def __call__(self, name: str, array: Any) -> Any:
        if name.endswith(("gamma", "var")):
            array[:] = 1.0
        elif name.endswith(("beta", "mean", "bias")):
            array[:] = 0.0
        elif name.endswith("weight"):
            self.init_weight(name, array)
        else:
            raise ValueError(f"expects a parameter whose name tells its use (weight, bias, "
                             f"gamma, beta, mean, var), but got {name!r}")

    def init_weight(self, name: str, array: Any) -> Any:
        """Fills a weight."""
        raise NotImplementedError


class Xavier(Initializer):
    """Weights whose size depends on the number of inputs and outputs."""

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg",
                 magnitude: int = 3) -> None:
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def init_weight(self, name: str, array: Any) -> Any:
        if array.ndim < 2:
            raise ValueError(f"expects {name!r} to have two dimensions at least, but got "
                             f"{array.shape}")
        window = float(np.prod(array.shape[2:]))
        outputs, inputs = array.shape[0] * window, array.shape[1] * window
        factor = {"in": inputs, "out": outputs, "avg": (inputs + outputs) / 2}[self.factor_type]
        if "depthwise" in name:
            factor = window  # Each output has one input.
        scale = np.sqrt(self.magnitude / factor)
        if self.rnd_type == "uniform":
            array[:] = np.random.uniform(-scale, scale, size=array.shape)
        else:
            array[:] = np.random.normal(0, scale, size=array.shape)


class Constant(Initializer):
    """One value for all weights."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def init_weight(self, name: str, array: Any) -> Any:
        array[:] = self._value


def create_workload(net: Any, initializer: Any = None, seed: int = 0) -> Any:
    """Returns the module of a network, typed, and values of its parameters but
    "data"."""
    mod = InferType()(IRModule.from_expr(net))
    np.random.seed(expect_int(seed, "seed", 0, 2**32 - 1))
    initializer = Xavier() if initializer is None else expect_callable(initializer, "initializer")
    params = {}
    for var in mod["main"].params:
        type_: Any = var.checked_type_ or var.type_annotation
        if var.name_hint == "data" or var.name_hint in params:
            continue
        value = np.zeros(type_.concrete_shape, type_.dtype)
        initializer(var.name_hint, value)
        params[var.name_hint] = ndarray(value)
    # Before there were modules, a workload was a function.
    result = mod["main"] if text.get_text_version() == "v0.0.1" else mod
    return result, params


__all__ = ["Constant", "Initializer", "Xavier", "create_workload"]
