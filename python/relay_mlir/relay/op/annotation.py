"""Annotations of expressions: `annotation.*`, `on_device`."""

from __future__ import annotations

from typing import Any

from ..._arguments import expect, expect_list
from ..expr import Call, ExprLike, Function
from ..device import VirtualDevice
from ._build import populate
from ._registry import make_call

__all__ = ["compiler_begin", "compiler_end", "function_on_device", "on_device",
           "virtual_device"]


def virtual_device(device: Any) -> Any:
    """The attribute for a device: a Device, a VirtualDevice, a name such as "cuda(1)", or
    the attribute itself."""
    return device if isinstance(device, dict) else VirtualDevice.of(device).attribute()


def on_device(body: ExprLike, device: Any, constrain_result: bool = False,
              constrain_body: bool = True) -> Call:
    """Says on which device an expression is evaluated."""
    return make_call("on_device", [body], {
        "virtual_device": virtual_device(device), "constrain_result": constrain_result,
        "constrain_body": constrain_body})


def function_on_device(function: Any, param_devices: Any, result_device: Any) -> Any:
    """Says on which devices a function's parameters and result are: as its
    attributes."""
    expect(function, Function, "function", "a function")
    devices = expect_list(param_devices, "param_devices", "devices")
    return function.with_attr({
        "param_virtual_devices": [virtual_device(d) for d in devices],
        "result_virtual_device": virtual_device(result_device)})


def compiler_begin(data: ExprLike, compiler: str) -> Call:
    """Where a value enters the part of the program for another compiler."""
    return make_call("annotation.compiler_begin", [data], {"compiler": compiler})


def compiler_end(data: ExprLike, compiler: str) -> Call:
    """Where a value leaves the part of the program for another compiler."""
    return make_call("annotation.compiler_end", [data], {"compiler": compiler})


populate(globals(), "annotation.")
