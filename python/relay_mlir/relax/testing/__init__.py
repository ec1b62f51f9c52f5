"""What tests and tutorials of Relax use."""

from . import relay_translator

__all__ = ["relay_translator"]
