# RUN: %python %s relay-opt mlir-translate %t
"""Every case of the linalg lowering of relay operators, scheduled by rules.

Each kernel is compiled for this machine and for one with short vectors; in the
second round all its inputs are constants, whose layout the rules may change.
"""

import importlib
import os
import sys

import numpy as np

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "..", "..", "..", "..")
sys.path.insert(0, os.path.join(TESTS, "Inputs"))
sys.path.insert(0, os.path.join(TESTS, "Conversion", "RelayToLinalg", "run"))

import harness
from kernels import Kernels

# Vectors change the order of sums.
RTOL, ATOL = 2e-5, 2e-5


def get_passes(target):
    return ["func.func(convert-relay-to-linalg,canonicalize,cse)",
            "convert-linalg-to-tir", "tir.prim_func(canonicalize,cse)",
            f"relay-attach-target{{target={target}}}", "tir-schedule-rules",
            "tir-apply-schedules"]


def mark_constants(text, count):
    """Lets the schedule choose the layout of all inputs."""
    return text.replace(
        "relay.primitive",
        f"relay.primitive, tir.layout_free = {list(range(count))}")


def run(case, kernels):
    """Returns a description of what is wrong, or None."""
    inputs = [np.array(value, order="C", copy=True) for value in case.inputs]
    outputs = [np.zeros(value.shape, value.dtype) for value in case.expected]
    kernels.call(case.name, inputs + outputs)
    for i, (actual, expected) in enumerate(zip(outputs, case.expected)):
        wide = np.float64 if expected.dtype.kind not in "iub" else expected.dtype
        if not np.allclose(actual.astype(wide), expected.astype(wide),
                           rtol=max(case.rtol, RTOL), atol=max(case.atol, ATOL),
                           equal_nan=True):
            return f"result {i} is\n{actual}\nnot\n{expected}"
    return None


def main(relay_opt, mlir_translate, stem):
    # The files there end with a call of main; here they only list their cases.
    suites = []
    harness.Suite.main = lambda suite: suites.append(suite)
    for name in ["convolution", "elementwise", "image", "indexing", "movement",
                 "pooling", "reduction", "channels_last"]:
        importlib.import_module(name)
    total = failures = 0
    for target, constant in [("native", False), ("x86-64", True)]:
        for number, suite in enumerate(suites):
            texts = [mark_constants(case.text, len(case.inputs)) if constant
                     else case.text for case in suite.cases]
            kernels = Kernels("\n".join(texts), get_passes(target), relay_opt,
                              mlir_translate, f"{stem}.{target}.{number}")
            for case in suite.cases:
                problem = run(case, kernels)
                total += 1
                if problem:
                    failures += 1
                    print(f"{case.name} for {target}: {problem}\n{case.text}",
                          file=sys.stderr)
    print(f"{total - failures} of {total} cases agree")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main(*sys.argv[1:4])
