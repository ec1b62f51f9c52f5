"""Passes that decide where operators run."""

from __future__ import annotations

from typing import Any

from . import transform as _transform
from .._arguments import describe
from .device import Device, VirtualDevice
from .module import IRModule
from .pass_manager import FunctionPass, Pass, PassInfo


def _default(device: Any) -> str:
    """The option that names a device; none for the host."""
    if device is None or (not isinstance(device, bool) and device == 0):
        return ""
    if isinstance(device, int) and not isinstance(device, bool):
        device = Device(device)
    try:
        where = VirtualDevice.of(getattr(device, "default_primitive_virtual_device", device))
    except TypeError as error:
        raise TypeError(f"expects a device, but got {describe(device)}") from error
    if where.device_type_int == -1:
        return ""
    where.attribute()  # Says what of it is not there.
    kind = str(where.target).split()[0] if where.target else Device(where.device_type_int).type
    return f"default-device={kind}:{max(where.virtual_device_id, 0)}"


def _plan(name: str, options: str) -> Pass:
    pipeline = f"builtin.module(func.func(relay-plan-devices{{{options}}}))"
    return FunctionPass(lambda mod, _: _transform._run(mod, pipeline),
                        PassInfo(name, 0))


def PlanDevices(config: Any = None) -> Pass:  # pylint: disable=invalid-name
    """Puts `device_copy` wherever a value is not where it is used, and takes `on_device`
    away. Operators run where a mark says, and those that they are connected with, up to the
    next mark; others on `config`: a Device, a VirtualDevice, or what has one as
    `default_primitive_virtual_device`; by default the host. Parameters and results of
    functions are on the host.

    Raises TypeError for what is no device, and the pass DiagnosticError if what operators
    connect is marked for two devices, or if marks are in branches or closures."""
    return _plan("PlanDevices", _default(config))


def RewriteAnnotatedOps(fallback_device: Any = None) -> Pass:  # pylint: disable=invalid-name
    """As PlanDevices, but that only the marked operators themselves run where marks say.
    `fallback_device` is a Device or the number of its type, 0 for the host."""
    return _plan("RewriteAnnotatedOps", f"per-operator=true {_default(fallback_device)}".strip())


def rewrite_annotated_ops(expr: Any, fallback_device: Any = None) -> Any:
    """The expression, or the module, as RewriteAnnotatedOps leaves it."""
    run = RewriteAnnotatedOps(fallback_device)
    if isinstance(expr, IRModule):
        return run(expr)
    return _transform.run_on_expr(run, expr)


__all__ = ["PlanDevices", "RewriteAnnotatedOps", "rewrite_annotated_ops"]
