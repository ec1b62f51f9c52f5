#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of ONNX, one by one, against ONNX Runtime, to find those that are slow.

    onnx_operators.py [--only Resize] [--sizes small,medium,large] [--rounds 9]

With one thread, in time of the processor, which others on the machine change less than time
of the clock. Both run in turns; a time is the lower quartile of all runs, and a ratio above 1
means that ours is faster. Operators are printed from the slowest ratio on. Where floats
differ by more than 1e-3 of their scale, or integers at all (bytes, which are rounded, by more
than one), the program says so and fails.
"""

import argparse
import math
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / os.environ.get("RELAY_BUILD_DIR", "build")
os.environ["RELAY_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path[:0] = [str(BUILD / "python_packages"), str(HERE.parent)]
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import operator_cases  # noqa: E402
import option_types  # noqa: E402

# How far outputs may be apart, of the largest of them: a convolution by Winograd's
# algorithm and a sum of a thousand terms in another order stay well below it.
TOLERANCE = 1e-3


def prepare(case):
    """Ours and the peer, as functions of no arguments."""
    import onnxruntime
    import relay_mlir
    model = case.model()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "operator.onnx"
        onnx.save(model, path)
        compiled = relay_mlir.compile(path)
    feeds = case.feeds()

    def ours():
        result = compiled.run(feeds)
        return result if isinstance(result, tuple) else (result,)

    return ours, lambda: session.run(None, feeds)


def differ(found, expected):
    for ours, peer in zip(map(np.asarray, found), expected):
        if peer.dtype.kind != "f":
            # What is rounded may be one apart.
            allowed = 1 if peer.dtype.kind in "iu" and peer.dtype.itemsize == 1 else 0
            if np.any(np.abs(ours.astype(np.int64) - peer.astype(np.int64)) > allowed):
                return True
        else:
            scale = np.max(np.abs(peer), initial=1e-6, where=np.isfinite(peer))
            if not np.allclose(ours, peer, rtol=0, atol=TOLERANCE * scale, equal_nan=True):
                return True
    return False


def measure(functions, rounds, turn):
    """The lower quartiles of the times of all runs of each, in seconds."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for run, measured in zip(functions, times):
            end = time.thread_time() + turn
            while True:
                start = time.thread_time()
                run()
                now = time.thread_time()
                measured.append(now - start)
                if now > end:
                    break
    return [float(np.quantile(measured, 0.25)) for measured in times]


def sizes(text):
    names = text.split(",")
    for name in names:
        if name not in operator_cases.SIZES:
            raise argparse.ArgumentTypeError(
                f"expects sizes of {', '.join(operator_cases.SIZES)}, but got '{name}'")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--sizes", type=sizes, default="medium",
                        help="small, medium and large, separated by commas (default: medium)")
    parser.add_argument("--rounds", type=option_types.positive, default=9,
                        help="turns of each (default: 9)")
    parser.add_argument("--turn", type=option_types.seconds, default=0.02,
                        help="seconds of a turn (default: 0.02)")
    options = parser.parse_args()
    try:
        import onnxruntime
        import relay_mlir
    except ImportError as error:
        parser.error(f"expects the package '{error.name}', but it is not installed")
    print(f"relay-mlir {relay_mlir.__version__}, ONNX Runtime {onnxruntime.__version__}, "
          "1 thread")

    status = 0
    for size in options.sizes:
        rows = []
        cases = [case for case in operator_cases.build(size)
                 if options.only.lower() in case.name.lower()]
        if not cases:
            parser.error(f"expects a part of the name of a case, but got '{options.only}'")
        for case in cases:
            ours, peer = prepare(case)
            if differ(ours(), peer()):
                print(f"{case.name}, {size}: outputs differ", file=sys.stderr)
                status = 1
            mine, other = measure([ours, peer], options.rounds, options.turn)
            rows.append((other / mine, case.name, mine, other))
        rows.sort()
        print(f"\n{size:32} {'ours us':>10} {'peer us':>10} {'ratio':>7}")
        for ratio, name, mine, other in rows:
            print(f"{name:32} {mine * 1e6:10.1f} {other * 1e6:10.1f} {ratio:7.2f}")
        mean = math.exp(sum(math.log(row[0]) for row in rows) / len(rows))
        below = sum(row[0] < 1 for row in rows)
        print(f"{'geometric mean':32} {'':10} {'':10} {mean:7.2f}   "
              f"{len(rows)} cases, {below} below 1")
    return status


if __name__ == "__main__":
    sys.exit(main())
