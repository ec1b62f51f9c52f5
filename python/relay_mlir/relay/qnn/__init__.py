"""Quantised operators: `relay.qnn.quantize`, `relay.qnn.op.quantize`."""

from . import op, transform
from .op import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .op import RequantizeConfig, current_requantize_config, requantize_config

__all__ = ["RequantizeConfig", "current_requantize_config", "op", "requantize_config",
           "transform", *op.__all__]
