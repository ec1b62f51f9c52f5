# RUN: %python %s relay-opt mlir-translate %t
"""Every case of the linalg lowering of relay operators, as a tir kernel.

The cases and their expected values are those of Conversion/RelayToLinalg/run.
"""

import importlib
import os
import sys

import numpy as np

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path.insert(0, os.path.join(TESTS, "Inputs"))
sys.path.insert(0, os.path.join(TESTS, "Conversion", "RelayToLinalg", "run"))

import harness
from kernels import Kernels

PASSES = ["func.func(convert-relay-to-linalg,canonicalize,cse)",
          "convert-linalg-to-tir", "tir.prim_func(canonicalize,cse)"]


def run(case, kernels):
    """Returns a description of what is wrong, or None."""
    inputs = [np.array(value, order="C", copy=True) for value in case.inputs]
    outputs = [np.zeros(value.shape, value.dtype) for value in case.expected]
    kernels.call(case.name, inputs + outputs)
    for i, (actual, expected) in enumerate(zip(outputs, case.expected)):
        wide = np.float64 if expected.dtype.kind not in "iub" else expected.dtype
        if not np.allclose(actual.astype(wide), expected.astype(wide),
                           rtol=case.rtol, atol=case.atol, equal_nan=True):
            return f"result {i} is\n{actual}\nnot\n{expected}"
    for i, (value, original) in enumerate(zip(inputs, case.inputs)):
        if value.tobytes() != np.ascontiguousarray(original).tobytes():
            return f"input {i} was changed"
    return None


def main(relay_opt, mlir_translate, stem):
    # The files there end with a call of main; here they only list their cases.
    suites = []
    harness.Suite.main = lambda suite: suites.append(suite)
    for name in ["convolution", "elementwise", "image", "indexing", "movement",
                 "pooling", "reduction"]:
        importlib.import_module(name)
    total = failures = 0
    for number, suite in enumerate(suites):
        kernels = Kernels("\n".join(case.text for case in suite.cases), PASSES,
                          relay_opt, mlir_translate, f"{stem}.{number}")
        for case in suite.cases:
            problem = run(case, kernels)
            total += 1
            if problem:
                failures += 1
                print(f"{case.name}: {problem}\n{case.text}", file=sys.stderr)
    print(f"{total - failures} of {total} cases agree")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main(*sys.argv[1:4])
