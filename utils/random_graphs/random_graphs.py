#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random graphs and compares them with ONNX Runtime and the interpreter.

    random_graphs.py --seeds 0:1000 --jobs 2 --output failures
    random_graphs.py --seconds 600 --seeds 5000:1000000

A failing graph is made smaller, and written to the folder as <seed>.onnx with its
inputs and a text. The same seed makes the same graph. Exit status 1 if one failed.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import queue
import re
import signal
import sys
import threading
import time

import numpy as np
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import networks
import option_types
from generate import draw_case
from operators import OPERATORS
from reduce import reduce_case
from workers import Worker


def make_case(seed):
    """Most graphs are of single operators; some are networks."""
    kind = seed % 10
    if kind == 8:
        return networks.draw_images(seed)
    if kind == 9:
        return networks.draw_sequences(seed)
    return draw_case(seed, OPERATORS)


def write_failure(folder, seed, case, outcome):
    """The graph, its inputs, and a text that says how to run it."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(case.graph.model(), folder / f"{seed}.onnx")
    sample = case.samples[min(outcome.sample, len(case.samples) - 1)]
    words = []
    for name in case.graph.inputs:
        np.save(folder / f"{seed}.{name}.npy", sample[name])
        words.append(f"--input={name}={seed}.{name}.npy")
    options = outcome.options or "--interpret"
    lines = [f"{outcome.kind}: {outcome.message}", "",
             f"relay-run {seed}.onnx {options} {' '.join(words)}", "",
             onnx.printer.to_text(case.graph.model())]
    (folder / f"{seed}.txt").write_text("\n".join(lines), encoding="utf-8")


def first_line(message):
    """The gist of a message: no names, no numbers."""
    line = next((line for line in message.splitlines() if "error:" in line), message)
    line = line.split("error:")[-1].strip().splitlines()[0] if line.strip() else ""
    return re.sub(r"\d+", "N", re.sub(r"'?\"?\b[vxc]\d+\b\"?'?", "V", line))[:140]


class Tester:
    """Runs seeds with some workers and counts what becomes of them."""

    def __init__(self, jobs, limit, folder, verbose=True):
        self.workers: queue.Queue[Worker] = queue.Queue()
        self.all_workers = [Worker(make_case, limit) for _ in range(jobs)]
        for worker in self.all_workers:
            self.workers.put(worker)
        self.jobs, self.folder, self.verbose = jobs, folder, verbose
        self.kinds: collections.Counter[str] = collections.Counter()
        self.refusals: collections.Counter[str] = collections.Counter()
        self.unstable, self.failures, self.lock = 0, [], threading.Lock()

    def run_seed(self, seed):
        worker = self.workers.get()
        try:
            outcome = worker.check(seed)
            if outcome.is_failure:
                self._fail(worker, seed, outcome)
        finally:
            self.workers.put(worker)
        with self.lock:
            self.kinds[outcome.kind] += 1
            self.unstable += outcome.unstable > 0
            if "refused" in outcome.kind:
                self.refusals[f"{outcome.kind}: {first_line(outcome.message)}"] += 1
            if self.verbose and sum(self.kinds.values()) % 500 == 0:
                print(self.counts(), flush=True)

    def _fail(self, worker, seed, outcome):
        if outcome.kind != "error":
            case = make_case(seed)
            if outcome.kind in ("crash", "hang") and outcome.options is None:
                # Which of the ways to compile it is not known.
                for options in case.options:
                    one = type(case)(case.graph, case.samples, [options])
                    found = worker.check(one)
                    if found.kind == outcome.kind:
                        outcome.options = options
                        break
            case, outcome = reduce_case(case, outcome, worker.check)
            if self.folder:
                write_failure(self.folder, seed, case, outcome)
        with self.lock:
            self.failures.append((seed, outcome))
            if self.verbose:
                print(f"seed {seed}: {outcome.kind} ({outcome.options}): "
                      f"{outcome.message[:600]}", flush=True)

    def run(self, seeds, seconds=None):
        """Runs seeds until they or the time are over."""
        end = time.monotonic() + seconds if seconds else float("inf")
        source, lock, stopped = iter(seeds), threading.Lock(), threading.Event()

        def loop():
            while time.monotonic() < end and not stopped.is_set():
                with lock:
                    seed = next(source, None)
                if seed is None:
                    return
                self.run_seed(seed)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            try:
                for future in [pool.submit(loop) for _ in range(self.jobs)]:
                    future.result()
            finally:
                stopped.set()
        for worker in self.all_workers:
            worker.close()

    def counts(self):
        return f"{sum(self.kinds.values())} graphs: " + ", ".join(
            f"{count} {kind}" for kind, count in self.kinds.most_common())

    def summary(self):
        lines = [self.counts()]
        lines.append(f"{self.unstable} graphs with outputs that small errors make others, "
                     "which were not compared")
        lines += [f"{count:6} {message}" for message, count in self.refusals.most_common(40)]
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=option_types.seeds, default="0:100",
                        help="first:last, without the last; first:, without end; or one")
    parser.add_argument("--seconds", type=option_types.seconds, help="stop after this time")
    parser.add_argument("--jobs", type=option_types.positive, default=1, help="processes")
    parser.add_argument("--limit", type=option_types.seconds, default=300,
                        help="seconds for one graph")
    parser.add_argument("--output", type=option_types.output_folder,
                        default="random_graphs.out", help="folder for the graphs that fail")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tester = Tester(arguments.jobs, arguments.limit, arguments.output)
    try:
        tester.run(arguments.seeds, arguments.seconds)
    except KeyboardInterrupt:
        pass
    print(tester.summary())
    return 1 if tester.failures else 0


if __name__ == "__main__":
    sys.exit(main())
