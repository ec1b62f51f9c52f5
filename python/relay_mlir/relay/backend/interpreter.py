"""The interpreter and its values, under the names of programs written for TVM."""

from ..executor import Closure, ConstructorValue, Executor, Interpreter, RefValue

__all__ = ["Closure", "ConstructorValue", "Executor", "Interpreter", "RefValue"]
