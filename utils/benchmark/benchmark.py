#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times compiled models and kernels against other runtimes, in one run.

    benchmark.py                                    the networks of models.json
    benchmark.py batches dynamic                    more images at once; open sizes
    benchmark.py kernels --only conv --threads 1,2
    benchmark.py model.onnx --peers onnxruntime --rounds 3

Everybody does the same work on the same random input with the same number of
threads, in turn, while all others stand still. The medians are printed and
compared: a ratio above 1 means that ours is faster. The numbers and a page with
plots are written to --output. Outputs must agree: a case whose outputs differ by
more than a bound, by precision (compare.py), fails, and so does the program.
"""

import argparse
import datetime
import fnmatch
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

import cases
import compare
import peers
import report

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import option_types  # noqa: E402
BIN = peers.BUILD / "bin"

# A median of fewer runs, and its spread, say nothing.
FEWEST_RUNS = 15


def machine(threads):
    """The processor, its features and its limits, as relay-peak measures them."""
    result = subprocess.run([BIN / "relay-peak", "--json", f"--threads={threads}"],
                            check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


# A child counts the memory of whom it was forked from, so the compiler is
# started by a small process.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def measure_compiler(path, folder, precision):
    """Seconds of a compilation without and with the object cache, MiB of memory
    and of the artefact."""
    artefact = folder / "model.so"
    command = [sys.executable, "-c", MEASURE, str(BIN / "relay-compile"), str(path),
               "-o", str(artefact), f"--cache-dir={folder / 'cache'}",
               f"--precision={precision}"]
    seconds, memory = [], 0.0
    for _ in range(2):
        start = time.perf_counter()
        result = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds.append(time.perf_counter() - start)
        memory = max(memory, float(result.stdout))
    return {"cold_s": seconds[0], "warm_s": seconds[1], "memory_mib": memory,
            "artefact_mib": artefact.stat().st_size / 2**20}


class Participants:
    """The peers that are at work on one model; who fails leaves."""

    def __init__(self):
        self.processes, self.errors = {}, {}

    def each(self, do):
        """Calls `do(process)` for each peer, in turn, and returns the results."""
        results = {}
        for name, process in list(self.processes.items()):
            try:
                results[name] = do(process)
            except peers.Failure as failure:
                self.errors[name] = str(failure)
                self.processes.pop(name).close()
        return results

    def start(self, name, *arguments, **options):
        try:
            self.processes[name] = peers.Process(name, *arguments, **options)
        except peers.Failure as failure:
            self.errors[name] = str(failure)

    def time(self, rounds, turn):
        """Times of each peer, from `rounds` turns of about `turn` seconds, longer
        where FEWEST_RUNS take longer."""
        once = self.each(lambda process: min(process.run(3)))
        fewest = -(-FEWEST_RUNS // rounds)
        runs = {self.processes[name]: max(fewest, min(200, int(turn / max(seconds, 1e-9))))
                for name, seconds in once.items()}
        times: dict[str, list[float]] = {name: [] for name in once}
        for _ in range(rounds):
            for name, part in self.each(lambda process: process.run(runs[process])).items():
                times[name] += part
        return {name: times[name] for name in self.processes}

    def close(self):
        for process in self.processes.values():
            process.close()


def get_spread(samples):
    """The middle of the times and how far they are from it, in seconds."""
    p10, p25, median, p75, p90 = map(float, np.percentile(samples, [10, 25, 50, 75, 90]))
    return {"median_s": median, "min_s": min(samples), "max_s": max(samples),
            "p10_s": p10, "p90_s": p90, "iqr_s": p75 - p25, "runs": len(samples)}


def measure(case, names, threads, limits, arguments):
    """Returns the result of one case with one number of threads."""
    result = {"name": case.name, "threads": threads, "flop": case.flop,
              "bytes": case.bytes, "precision": arguments.precision, "peers": {}}
    participants = Participants()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, inputs = folder / "model.onnx", folder / "inputs.npz"
        onnx.save(case.model, str(path))
        np.savez(inputs, **case.inputs)
        names = [peer for peer in names
                 if case.sizes or not peers.PEERS[peer].of_open_sizes]
        try:
            for peer in names:
                participants.start(peer, path, inputs, threads, arguments.timeout,
                                   precision=arguments.precision)
            outputs = participants.each(lambda process: process.outputs(name))
            times = participants.time(arguments.rounds, arguments.turn)
        finally:
            participants.close()
        for peer in names:
            if peer not in times:
                result["peers"][peer] = {"error": participants.errors[peer]}
                continue
            process = participants.processes[peer]
            row = {"version": process.version, "computes": process.computes,
                   "prepare_s": process.prepare, "first_s": process.first}
            if peers.OURS in times:
                found = compare.compare(outputs[peers.OURS], outputs[peer],
                                        arguments.precision, process.computes)
                # JSON has no infinity.
                row.update(error_to_ours=found.error if math.isfinite(found.error) else "inf",
                           bound=found.bound, agrees=not found.fails, reason=found.reason)
            result["peers"][peer] = row
        if case.is_model and peers.OURS in times:
            result["compiler"] = measure_compiler(path, folder, arguments.precision)

    ours = float(np.median(times[peers.OURS])) if times.get(peers.OURS) else None
    for peer, samples in times.items():
        row = result["peers"][peer]
        row.update(get_spread(samples))
        median = row["median_s"]
        row["bytes_per_s"] = case.bytes / median
        limit = case.bytes / limits["gbytes_per_s"] / 1e9
        if case.flop is not None:
            row["flop_per_s"] = case.flop / median
            row["peak"] = row["flop_per_s"] / limits["gflops"] / 1e9
            limit = max(limit, case.flop / limits["gflops"] / 1e9)
        row["roofline"] = limit / median
        if ours:
            row["ratio"] = median / ours
    return result


#===-----------------------------------------------------------------------===#
# The command line
#===-----------------------------------------------------------------------===#


def choose_peers(text):
    """Returns the peers to measure, ours first, and a line for each that is not
    there."""
    others = peers.OTHERS
    wanted = {"all": others, "none": []}.get(text)
    if wanted is None:
        wanted = text.split(",")
    for name in wanted:
        if name not in others:
            raise cases.ListError(f"expects --peers to be all, none or some of "
                                  f"{','.join(others)}, but got '{name}'")
    # Ours with known sizes is what ours with open ones is measured by.
    chosen, missing = [name for name in peers.PEERS if name not in others], []
    for name in wanted:
        command = peers.PEERS[name].missing()
        if command:
            missing.append(f"{peers.PEERS[name].label}: not installed ({command})")
        else:
            chosen.append(name)
    return chosen, missing


def find_list(name):
    """A file, or the name of a list beside this program."""
    own = HERE / f"{name}.json"
    return own if not os.path.exists(name) and own.exists() else pathlib.Path(name)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="*", default=["models"],
                        help="JSON lists, .onnx files, or: models, batches, dynamic, kernels, "
                        "decisions")
    parser.add_argument("--only", default="*", metavar="PATTERN",
                        help="only cases whose names contain or match this")
    parser.add_argument("--peers", default="all",
                        help="all (that are installed), none, or a list out of "
                        + ",".join(peers.OTHERS))
    parser.add_argument("--threads", type=option_types.threads, default=None,
                        help="numbers of threads, such as 1,2 (default: what a case "
                        "says, else 1)")
    parser.add_argument("--rounds", type=option_types.positive, default=10,
                        help="turns of each peer (default 10)")
    parser.add_argument("--turn", type=option_types.seconds, default=0.1, metavar="SECONDS",
                        help="length of a turn (default 0.1; longer where "
                        f"{FEWEST_RUNS} runs in all rounds take longer)")
    parser.add_argument("--precision", choices=["highest", "high", "medium"],
                        default="high",
                        help="ours (default high); with medium, peers that can compute "
                        "in bf16 do")
    parser.add_argument("--timeout", type=option_types.positive, default=900, metavar="SECONDS",
                        help="for what a peer may take to prepare a model (default 900)")
    parser.add_argument("--output", type=option_types.output_folder,
                        default="benchmark-results", metavar="FOLDER",
                        help="where benchmark.json and benchmark.html go")
    arguments = parser.parse_args()
    try:
        run(arguments)
    except cases.ListError as error:
        sys.exit(f"error: {error}")


def run(arguments):
    chosen, missing = choose_peers(arguments.peers)
    pattern = arguments.only

    def matches(name):
        return fnmatch.fnmatch(name, pattern) or (
            pattern in name if "*" not in pattern else False)

    limits = {}
    results = {"date": datetime.datetime.now().isoformat(timespec="seconds"),
               "machine": {}, "missing": missing, "cases": []}
    for line in missing:
        print(line)
    for name in arguments.lists:
        for case in cases.load(find_list(name), matches):
            for threads in arguments.threads or case.threads or [1]:
                if threads not in limits:
                    limits[threads] = results["machine"][str(threads)] = machine(threads)
                    report.print_machine(limits[threads])
                result = measure(case, chosen, threads, limits[threads], arguments)
                results["cases"].append(result)
                report.print_case(result)
    if not results["cases"]:
        raise cases.ListError(f"expects cases called '{pattern}', but the lists "
                              f"{', '.join(map(str, arguments.lists))} have none")
    results["geomean"] = report.get_geomeans(results)
    results["failures"] = get_failures(results)
    report.print_summary(results)
    folder = pathlib.Path(arguments.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "benchmark.json").write_text(json.dumps(results, indent=1) + "\n")
        (folder / "benchmark.html").write_text(report.make_page(results))
    except OSError as error:
        raise cases.ListError(f"cannot write '{error.filename}': "
                              f"{error.strerror}") from error
    print(f"wrote {folder / 'benchmark.json'} and {folder / 'benchmark.html'}")
    failures = results["failures"]
    if failures:
        raise cases.ListError("\n  ".join([f"{len(failures)} failure(s):", *failures]))


def get_failures(results):
    """A line for each case that ours cannot run or whose outputs disagree."""
    lines = []
    for case in results["cases"]:
        place = f"{case['name']}, {case['threads']} thread(s)"
        ours = case["peers"][peers.OURS]
        if "error" in ours:
            lines.append(f"{place}: relay-mlir cannot run it: {ours['error']}")
        lines += [f"{place}: {report.describe_difference(name, row)}"
                  for name, row in case["peers"].items() if not row.get("agrees", True)]
    return lines


if __name__ == "__main__":
    main()
