"""The operators of `relay.op.tensor`, under the name that programs also use."""

from .tensor import *  # pylint: disable=wildcard-import,unused-wildcard-import
