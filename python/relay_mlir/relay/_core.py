"""The extension module's part for Relay, under one name for the package."""

from .._relay_mlir import relay as core

__all__ = ["core"]
