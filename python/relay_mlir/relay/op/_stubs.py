"""Writes the stubs of the modules whose functions are made at import:

    python -m relay_mlir.relay.op._stubs
"""

from __future__ import annotations

import importlib
import inspect
import pathlib

MODULES = ("op.annotation", "op.dyn", "op.image", "op.memory", "op.nn", "op.random",
           "op.tensor", "op.vision", "op.vm", "qnn.op")
_HEADER = '''# Written by relay_mlir.relay.op._stubs.
from typing import Any, Callable, Sequence

from relay_mlir.relay.expr import Call, Expr, ExprLike, Tuple, TupleWrapper

'''


# What a module has of others.
_IMPORTS = {"qnn.op": "from relay_mlir.relay.qnn.config import (\n"
                      "    RequantizeConfig as RequantizeConfig,\n"
                      "    current_requantize_config as current_requantize_config,\n"
                      "    requantize_config as requantize_config)\n"}


def _type(annotation: object) -> str:
    if annotation is inspect.Signature.empty:
        return "Any"
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any")


def stub(name: str) -> str:
    """The text of the stub of a module."""
    module = importlib.import_module(f"relay_mlir.relay.{name}")
    names = sorted(set(module.__all__))
    lines = ["__all__ = [", *(f'    "{name}",' for name in names), "]", ""]
    for function_name in names:
        signature = inspect.signature(getattr(module, function_name))
        parameters = []
        for parameter in signature.parameters.values():
            default = "" if parameter.default is parameter.empty else " = ..."
            parameters.append(f"{parameter.name}: {_type(parameter.annotation)}{default}")
        lines.append(f"def {function_name}({', '.join(parameters)}) -> "
                     f"{_type(signature.return_annotation)}: ...")
    return _HEADER + _IMPORTS.get(name, "") + "\n".join(lines) + "\n"


def main() -> None:
    folder = pathlib.Path(__file__).resolve().parents[1]
    for name in MODULES:
        path = folder / (name.replace(".", "/") + ".pyi")
        path.write_text(stub(name))


if __name__ == "__main__":
    main()
