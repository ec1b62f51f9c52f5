# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs networks, one after the other, for test_networks.py: what a
WorkerProcess answers.

A process of its own, because instructions that the processor lacks are emulated
by a library that must be there first.
"""

import numpy as np
import onnx

import relay_mlir as rm


def answer(request):
    """The outputs for each of the inputs."""
    model, inputs, options = request
    compiled = rm.compile(onnx.ModelProto.FromString(model), **options)
    results = []
    for x in inputs:
        y = compiled.run(x)
        results.append([np.asarray(part) for part in (y if isinstance(y, tuple) else (y,))])
    return results
