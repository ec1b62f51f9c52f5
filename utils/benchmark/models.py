#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times compiled models against ONNX Runtime.

    models.py resnet50 mobilenetv2 --threads 1 --rounds 20
    models.py model.onnx

Both run in this process, in turn, with the same threads and the same random
input, each after a pause and a run that is not counted; the medians and their ratio are printed, and how far the outputs are
apart (relative to the largest magnitude). A ratio above 1 means ours is faster.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402

import relay_mlir as rm  # noqa: E402


def timed(run):
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


# A child counts the memory of whom it was forked from, so the compiler is
# started by a small process.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def compile_model(command):
    """Returns the seconds and the peak memory in MiB of a compilation."""
    start = time.perf_counter()
    result = subprocess.run([sys.executable, "-c", MEASURE, *command],
                            check=True, capture_output=True, text=True)
    return time.perf_counter() - start, float(result.stdout)


def measure(name, threads, rounds, folder):
    """Returns a row of the table for one model."""
    if name.endswith(".onnx"):
        path = pathlib.Path(name)
        model = onnx.load(str(path))
    else:
        model = build.build(name)
        path = folder / f"{name}.onnx"
        onnx.save(model, str(path))
    inputs = build.random_inputs(model)

    artefact = folder / "model.so"
    cache = folder / "cache"
    tool = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin" / "relay-compile"
    command = [str(tool), str(path), "-o", str(artefact), f"--cache-dir={cache}"]
    cold, memory = compile_model(command)
    warm, _ = compile_model(command)

    rm.set_num_threads(threads)
    ours = rm.load(artefact)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"])

    runs = (lambda: ours.run(inputs), lambda: session.run(None, inputs))
    for run in runs:
        for _ in range(3):
            run()
    times = ([], [])
    for _ in range(rounds):
        for run, list_ in zip(runs, times):
            # The other's threads spin for a while after its run, on the CPUs
            # that this one needs.
            time.sleep(0.02)
            run()
            seconds, _ = timed(run)
            list_.append(seconds)
    got = runs[0]()
    got = got if isinstance(got, tuple) else (got,)
    error = max(
        float(np.abs(a.astype(np.float64) - b).max() / max(np.abs(b).max(), 1e-30))
        for a, b in zip(got, runs[1]()) if a.size)
    a, b = (statistics.median(list_) * 1e3 for list_ in times)
    return (pathlib.Path(name).stem, error, a, b, b / a, cold, warm, memory,
            artefact.stat().st_size / 2**20)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", help=".onnx files, or names of "
                        "utils/models/build.py --list")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    print(f"relay-mlir {rm.__version__}, ONNX Runtime {onnxruntime.__version__}, "
          f"{arguments.threads} thread(s), median of {arguments.rounds} runs in turn")
    print(f"{'model':<24}{'error':>9}{'ours ms':>10}{'ORT ms':>10}{'ratio':>7}"
          f"{'cold s':>8}{'warm s':>8}{'RSS MiB':>9}{'MiB':>8}", flush=True)
    for name in arguments.models:
        with tempfile.TemporaryDirectory() as folder:
            row = measure(name, arguments.threads, arguments.rounds,
                          pathlib.Path(folder))
        print(f"{row[0]:<24}{row[1]:>9.1e}{row[2]:>10.3f}{row[3]:>10.3f}"
              f"{row[4]:>7.2f}{row[5]:>8.2f}{row[6]:>8.2f}{row[7]:>9.0f}"
              f"{row[8]:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
