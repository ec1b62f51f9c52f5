"""Writes the stubs of the modules whose functions are made at import:

    python -m relay_mlir.relay.op._stubs
"""

import importlib
import inspect
import pathlib

MODULES = ("op.annotation", "op.dyn", "op.image", "op.memory", "op.nn", "op.random",
           "op.tensor", "op.vision", "op.vm", "qnn.op")
_HEADER = '''# Written by relay_mlir.relay.op._stubs.
from typing import Any

'''


def stub(name):
    """The text of the stub of a module."""
    module = importlib.import_module(f"relay_mlir.relay.{name}")
    lines = []
    for function_name in sorted(set(module.__all__)):
        function = getattr(module, function_name)
        parameters = []
        for parameter in inspect.signature(function).parameters.values():
            default = "" if parameter.default is parameter.empty else " = ..."
            parameters.append(f"{parameter.name}: Any{default}")
        lines.append(f"def {function_name}({', '.join(parameters)}) -> Any: ...")
    return _HEADER + "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(__file__).resolve().parents[1]
    for name in MODULES:
        path = folder / (name.replace(".", "/") + ".pyi")
        path.write_text(stub(name))


if __name__ == "__main__":
    main()
