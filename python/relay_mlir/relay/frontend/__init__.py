"""Models of other systems as programs of Relay."""

from .onnx import from_onnx

__all__ = ["from_onnx"]
