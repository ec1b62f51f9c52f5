"""Passes that make integers of floats."""

from __future__ import annotations

from typing import Any, Sequence

from . import transform as _transform
from .._arguments import expect_names
from ._core import core
from .module import IRModule
from .op import _attribute_table
from .pass_manager import FunctionPass, Pass, PassContext, PassInfo


_RULES = ("FTVMFakeQuantizationToInteger", "FTVMOptionalFakeQuantizationToInteger")


def _check_registered(mod: IRModule) -> None:
    """Raises NotImplementedError where a program has registered a rule of its own."""
    for function in mod.functions.values():
        for node in core.post_order(function):
            if isinstance(node, core.Call) and isinstance(node.op, core.Op) and any(
                    _attribute_table.get(node.op.name, key) for key in _RULES):
                raise NotImplementedError(
                    f"the rule that is registered for {node.op.name} is not asked: operators say "
                    "in C++ how they are computed in integers (IntegerFormOpInterface)")


def FakeQuantizationToInteger(  # pylint: disable=invalid-name
        hard_fail: Any = False, use_qat: Any = False,
        optional_qnn_ops: Sequence[str] | None = None) -> Pass:
    """Computes in integers what is between qnn.dequantize and qnn.quantize.

    What has an operator that cannot be computed in integers stays in floats; with
    `hard_fail` that is an error. With `use_qat` operators become integers as well where
    they read dequantized values only, and nothing is quantized behind them.
    `optional_qnn_ops` names operators whose less exact form is taken: nn.softmax."""
    options = {"hard-fail": _transform._flag(hard_fail), "use-qat": _transform._flag(use_qat)}
    names = expect_names(optional_qnn_ops or [], "optional_qnn_ops")
    if names:
        options["optional-ops"] = ",".join(str(name) for name in names)
    text = " ".join(f"{key}={value}" for key, value in options.items())
    pipeline = ("builtin.module(func.func(relay-div-to-mul),"
                f"relay-fake-quantization-to-integer{{{text}}})")

    def run(mod: IRModule, _: PassContext) -> IRModule:
        _check_registered(mod)
        return _transform._run(mod, pipeline)

    return FunctionPass(run, PassInfo("FakeQuantizationToInteger", 0))


__all__ = ["FakeQuantizationToInteger"]
