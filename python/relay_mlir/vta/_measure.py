"""A point of a sweep, in a process of its own: how long a model takes on a VTA.

    python -m relay_mlir.vta._measure model [config]

It writes one line of JSON: what was counted; or `reason`, why this configuration cannot run the
model; or `error`, what is wrong with all configurations; or `fault`, why the model does not
compile, which may be either. Without a configuration it only says whether the model compiles for
the processor alone: `error`, or nothing.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from .. import CompileError, compile
from .._errors import RuntimeError

_COUNTERS = {"cycles": "cycles", "gemm": "GEMM cycles", "alu": "ALU cycles",
             "read": "bytes read", "written": "bytes written"}


def measure(model: str, config: str) -> dict[str, Any]:
    """Compiles and runs a model; returns what is written."""
    try:
        compiled = compile(model, target=f"vta -config={config},cpu", device="vta:tsim",
                           executor="graph")
    except ValueError as error:
        # The device that was asked for has no kernel in the model.
        if "for the host alone" not in str(error):
            return {"error": str(error)}
        return {"reason": "no part of the model can be computed by this VTA; relay-compile "
                "--remarks says why"}
    except CompileError as error:
        return {"fault": str(error).splitlines()[0]}
    except RuntimeError as error:
        return {"error": str(error)}
    inputs: dict[str, np.ndarray[Any, Any]] = {}
    for name, shape, dtype in compiled.inputs:
        sizes = [size for size in shape if isinstance(size, int)]
        if len(sizes) != len(shape):
            return {"error": f"expects inputs of known sizes, but got {name!r} of {shape}"}
        # How long kernels take does not depend on what they compute.
        inputs[name] = np.zeros(sizes, dtype)
    try:
        kernels = [kernel for kernel in compiled.profile(inputs, repeat=1, warm_up=0)
                   if kernel.counters]
    except ValueError as error:
        return {"reason": str(error).splitlines()[0]}
    sums = {name: sum(kernel.counters[counter] for kernel in kernels)
            for name, counter in _COUNTERS.items()}
    return {"kernels": sum(kernel.calls for kernel in kernels), **sums}


def check(model: str) -> dict[str, Any]:
    """Compiles a model for the processor; returns what is written."""
    try:
        compile(model, executor="graph")
    except CompileError as error:
        return {"error": str(error).splitlines()[0]}
    return {}


if __name__ == "__main__":
    print(json.dumps((measure if len(sys.argv) > 2 else check)(*sys.argv[1:])))
