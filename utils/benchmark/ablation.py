#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times models as each level of optimisation compiles them, -O0 to -O3, in turn.

    ablation.py resnet18 model.onnx --threads 1 --rounds 5

Models are names of utils/models/build.py, or files; without any, those of the Relay paper:
ResNet-18, MobileNet, DQN and VGG-16. Printed are medians in milliseconds, and how many
times -O0 takes as long as -O3, with what the paper says of it. Outputs of the levels must
agree to 1e-4 of the scale, or the program fails.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")
sys.path[:0] = [str(BUILD / "python_packages"), str(HERE.parent), str(HERE.parent / "models")]
import option_types  # noqa: E402

LEVELS = range(4)
TOLERANCE = 1e-4
# Relay: A High-Level Compiler for Deep Learning (arXiv:1904.08368), -O3 against -O0.
PAPER = {"resnet18": 1.94, "mobilenetv2": 1.99, "dqn": 1.30, "vgg16": 1.41}


def measure(runs, inputs, rounds, turn):
    """The median time of each, in milliseconds."""
    times: list[list[float]] = [[] for _ in runs]
    once = []
    for run in runs:
        start = time.perf_counter()
        run.run(inputs)
        once.append(time.perf_counter() - start)
    for _ in range(rounds):
        for samples, run, first in zip(times, runs, once):
            for _ in range(max(3, min(200, int(turn / first)))):
                start = time.perf_counter()
                run.run(inputs)
                samples.append(time.perf_counter() - start)
    return [statistics.median(samples) * 1e3 for samples in times]


def find_error(values, others):
    """The largest difference, in parts of the scale."""
    import numpy as np

    error = 0.0
    for value, other in zip(values, others, strict=True):
        one, two = np.asarray(value, "float64"), np.asarray(other, "float64")
        scale = max(1e-30, np.abs(one).max(initial=0.0))
        error = max(error, float(np.abs(one - two).max(initial=0.0)) / scale)
    return error


def run_model(name, arguments):
    """Prints the row of a model; whether all levels compute the same."""
    import onnx

    import build
    import relay_mlir as rm

    model = build.build(name) if name in build.MODELS else onnx.load(name)
    inputs = build.random_inputs(model)
    runs = [rm.compile(model, opt_level=level) for level in LEVELS]
    outputs = [list(run.run(inputs)) for run in runs]
    medians = measure(runs, inputs, arguments.rounds, arguments.turn)
    error = max(find_error(outputs[0], other) for other in outputs)
    paper = f"{PAPER[name]:.2f}" if name in PAPER else "-"
    cells = "".join(f"{median:10.3f}" for median in medians)
    agrees = error <= TOLERANCE
    print(f"{pathlib.Path(name).stem:16}{cells}{medians[0] / medians[-1]:8.2f}{paper:>7}"
          f"{error:10.1e}{'' if agrees else '  DIFFERS'}", flush=True)
    return agrees


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=option_types.model, default=[])
    parser.add_argument("--threads", type=option_types.positive, default=1)
    parser.add_argument("--rounds", type=option_types.positive, default=5)
    parser.add_argument("--turn", type=option_types.seconds, default=0.3,
                        help="seconds of a turn (default: %(default)s)")
    arguments = parser.parse_args()
    # It is asked for when the package is loaded.
    os.environ["RELAY_NUM_THREADS"] = str(arguments.threads)
    header = "".join(f"{f'-O{level} ms':>10}" for level in LEVELS)
    print(f"{'model':16}{header}{'O0/O3':>8}{'paper':>7}{'error':>10}", flush=True)
    results = [run_model(model, arguments) for model in arguments.models or PAPER]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
