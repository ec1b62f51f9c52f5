"""What parts of programs cost, for `relay.transform.CollagePartition`.

    mod = relay.transform.CollagePartition(["dnnl"])(mod)

compiles each part that oneDNN could take, and what we would make of it, and times both.
Other estimators say what parts cost without that.
"""

from __future__ import annotations

import math
import statistics
import time
import warnings
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from .._arguments import describe, expect, expect_callable, expect_int, expect_mapping, expect_text
from .._errors import CompileError, DiagnosticError
from . import ty
from ._core import core
from .module import IRModule, expect_module
from .pass_manager import PassContext

# What programs call our own code.
_OURS = {"llvm", "c", "cpu", "native", "default"}


def target_name(target: Any) -> str:
    """The name of a code generator, or "default" for the compiler itself: the first word
    of a target."""
    words = expect_text(target, "a target").split()
    if not words:
        raise ValueError("expects the name of a target, but got an empty text")
    return "default" if words[0] in _OURS else words[0]


class CompilationConfig:
    """The targets that a program is compiled for, at least one, in the order of
    preference."""

    def __init__(self, targets: Any) -> None:
        if isinstance(targets, Mapping):
            targets = list(targets.values())
        elif not isinstance(targets, (list, tuple)):
            targets = [targets]
        if not targets:
            raise ValueError("expects at least one target, such as 'llvm', but got none")
        self.primitive_targets = [expect_text(target, "a target") for target in targets]
        names = [target_name(target) for target in self.primitive_targets]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"expects targets of different kinds, but got {name!r} twice")


def make_compilation_config(ctxt: Any, target: Any, target_host: Any = None) -> CompilationConfig:
    """The configuration for a target, several, or a dict of them. The host is always this
    machine."""
    del ctxt, target_host
    return CompilationConfig(target)


class CostEstimator:
    """Compiles parts of programs and times them: the median of runs on random inputs, in
    seconds. A part that does not compile is infinitely expensive."""

    # Seconds to measure for, and the least and the most runs.
    _TURN, _LEAST, _MOST = 0.02, 3, 200

    def estimate(self, mod: IRModule, target: Any) -> float:
        """What a program takes whose @main computes a part; in that of a code generator it
        calls one function, for `target`."""
        from . import build_module
        from .device import cpu
        from .transform import infer_types

        target_name(target)
        mod = infer_types(expect_module(mod))
        options = {"relay.ext.fallback": False}
        try:
            with PassContext(opt_level=3, config=options), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lib = build_module.build(mod, target="llvm")
        except (CompileError, DiagnosticError, NotImplementedError):
            return math.inf
        run = lib["default"](cpu(0))
        rng = np.random.default_rng(0)
        for index, param in enumerate(mod["main"].params):
            run.set_input(index, _random(rng, param.checked_type))
        run.run()
        times: list[float] = []
        while len(times) < self._LEAST or (sum(times) < self._TURN and len(times) < self._MOST):
            start = time.perf_counter()
            run.run()
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def _random(rng: np.random.Generator, type_: Any) -> np.ndarray[Any, Any]:
    if not isinstance(type_, ty.TensorType):
        raise NotImplementedError(f"cannot time a part that takes {type_}, which is no tensor")
    # A size that is not known stands for some number.
    shape = [size if isinstance(size, int) else 8 for size in type_.shape]
    value = rng.standard_normal(shape) if "float" in type_.dtype else rng.integers(0, 2, shape)
    return value.astype(type_.dtype)


class MockCostEstimator(CostEstimator):
    """Costs by table: {"llvm": 2, "dnnl": 1} says what an operator costs on each target;
    "dnnl:nn.conv2d" is a key for one operator. Each operator of a part but the first costs
    nine tenths of that. With `max_estimates`, it is an error to ask for more."""

    def __init__(self, target_costs: Mapping[str, float], max_estimates: int = 0) -> None:
        self.max_estimates = expect_int(max_estimates, "max_estimates", 0)
        self.num_estimates = 0
        self._entries = []
        for key, cost in expect_mapping(target_costs, "target_costs").items():
            target, _, name = expect_text(key, "the name of a target").partition(":")
            if isinstance(cost, bool) or not isinstance(cost, (int, float)) or \
                    not 0 <= cost < math.inf:
                raise ValueError(f"expects the cost for {key!r} to be a number of at least 0, "
                                 f"but got {describe(cost)}")
            target = target_name(target)
            self._entries.append(f"{target}:{name}={cost}" if name else f"{target}={cost}")

    def estimate(self, mod: IRModule, target: Any) -> float:
        self.num_estimates += 1
        if self.max_estimates and self.num_estimates > self.max_estimates:
            raise ValueError(f"expects at most {self.max_estimates} estimates")
        return core.estimate_by_table(self._entries, *expect_module(mod)._to_core(),
                                      target_name(target))


class CustomCostEstimator(CostEstimator):
    """Asks a function, which takes a module and the name of the target, and returns the
    cost."""

    def __init__(self, function: Callable[[IRModule, str], float]) -> None:
        self._function = expect_callable(function, "function")

    def estimate(self, mod: IRModule, target: Any) -> float:
        cost = self._function(expect_module(mod), target_name(target))
        if isinstance(cost, bool) or not isinstance(cost, (int, float, np.number)):
            raise TypeError(f"expects an estimator to return a number, but got {describe(cost)}")
        return float(cost)


def expect_estimator(value: Any) -> CostEstimator:
    """An estimator: the one that times, for None."""
    if value is None:
        return CostEstimator()
    estimator: CostEstimator = expect(value, CostEstimator, "cost_estimator",
                                      "a relay.collage.CostEstimator")
    return estimator


def target_names(config: Any) -> Sequence[str]:
    """The names of the code generators of a configuration, or of one or several targets."""
    if not isinstance(config, CompilationConfig):
        config = CompilationConfig(config)
    names = [target_name(target) for target in config.primitive_targets]
    return [name for name in names if name != "default"]


__all__ = ["CompilationConfig", "CostEstimator", "CustomCostEstimator", "MockCostEstimator",
           "make_compilation_config"]
