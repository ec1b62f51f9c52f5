#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of random chains of operators, by their length.

    compile_time.py --lengths 125,250,500,1000 --seeds 3

Prints, for chains of plain and of quantized operators, the processor time of
relay-compile in seconds, and milliseconds per operator: if those grow, time
grows faster than length. For models, give their files instead.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "models"))
sys.path.append(str(ROOT / "utils"))
import cases  # noqa: E402
import chains  # noqa: E402
import option_types  # noqa: E402


def measure(path, arguments):
    """Seconds of processor time, of all threads, that compiling takes."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run(["relay-compile", path, "-o", pathlib.Path(folder) / "model.so",
                        "--no-cache", *arguments], check=True)
        after = os.times()
    return sum(after[i] - before[i] for i in (2, 3))


def count_operators(path):
    """At least one, so that there is something to divide by."""
    return max(1, len(cases.onnx_file(path=str(path))[1].graph.node))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=option_types.existing_file,
                        help="ONNX models; none: random chains")
    parser.add_argument("--lengths", type=option_types.positives, default="125,250,500",
                        help="operators of a chain")
    parser.add_argument("--seeds", type=option_types.positive, default=1,
                        help="chains of each length")
    parser.add_argument("--target", default="native", help="as of relay-compile")
    options = parser.parse_args()
    arguments = [f"--target={options.target}"]
    if not shutil.which("relay-compile"):
        parser.error("expects relay-compile in a folder of PATH (build/bin)")

    print(f"{'model':30} {'operators':>9} {'seconds':>8} {'ms each':>8}")
    with tempfile.TemporaryDirectory() as folder:
        paths = list(options.models)
        for quantized in (False, True) if not paths else ():
            for seed in range(options.seeds):
                for length in options.lengths:
                    kind = "quantized chain" if quantized else "chain"
                    paths.append(pathlib.Path(folder) / f"{kind} {seed} {length}.onnx")
                    onnx.save(chains.build(seed, length, quantized), paths[-1])
        for path in paths:
            try:
                operators = count_operators(path)
                seconds = measure(path, arguments)
            except (cases.ListError, subprocess.CalledProcessError) as error:
                sys.exit(f"error: {error}")
            print(f"{path.stem:30} {operators:9} {seconds:8.2f} {1000 * seconds / operators:8.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
