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
import subprocess
import sys
import tempfile

import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import chains  # noqa: E402


def measure(path, arguments):
    """Seconds of processor time, of all threads, that compiling takes."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run(["relay-compile", path, "-o", pathlib.Path(folder) / "model.so",
                        "--no-cache", *arguments], check=True)
        after = os.times()
    return sum(after[i] - before[i] for i in (2, 3))


def count_operators(path):
    return len(onnx.load(path, load_external_data=False).graph.node)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help="ONNX models; none: random chains")
    parser.add_argument("--lengths", default="125,250,500", help="operators of a chain")
    parser.add_argument("--seeds", type=int, default=1, help="chains of each length")
    parser.add_argument("--target", default="native", help="as of relay-compile")
    options = parser.parse_args()
    arguments = [f"--target={options.target}"]

    print(f"{'model':30} {'operators':>9} {'seconds':>8} {'ms each':>8}")
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(model) for model in options.models]
        for quantized in (False, True) if not paths else ():
            for seed in range(options.seeds):
                for length in map(int, options.lengths.split(",")):
                    kind = "quantized chain" if quantized else "chain"
                    paths.append(pathlib.Path(folder) / f"{kind} {seed} {length}.onnx")
                    onnx.save(chains.build(seed, length, quantized), paths[-1])
        for path in paths:
            operators = count_operators(path)
            seconds = measure(path, arguments)
            print(f"{path.stem:30} {operators:9} {seconds:8.2f} {1000 * seconds / operators:8.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
