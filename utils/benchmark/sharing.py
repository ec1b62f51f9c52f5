#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a model where the machine is shared, against ONNX Runtime.

    sharing.py                          MobileNet-V2, two threads, all situations
    sharing.py model.onnx --only busy --threads 2

Latency alone says little of a server. Each situation is measured for both in
turn, in equal processes; printed are percentiles of single runs and their mean in
milliseconds, and ONNX Runtime's over ours: above 1 means that ours is faster. Where
turns are taken away (a quota), the mean counts: a run that waits is in few percentiles.
"""

import argparse
import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

import numpy as np
import onnx

import cases
import peers

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import option_types  # noqa: E402

NAMES = [peers.OURS, "onnxruntime"]
PERCENTILES = [50, 90, 99]
COLUMNS = [*(f"p{p}" for p in PERCENTILES), "mean"]


class Unavailable(Exception):
    """A situation that this machine or user cannot make."""


#===-----------------------------------------------------------------------===#
# Situations
#===-----------------------------------------------------------------------===#


class Situation:
    """What is around the runs. `sample` returns the times of one turn."""

    def __init__(self, job):
        self.job = job
        self.threads = job.threads

    def start(self, name, **arguments):
        return peers.Process(name, self.job.path, self.job.inputs, self.threads,
                             timeout=600, **arguments)

    def prepare(self, name):
        self.process = self.start(name)

    def get_runs(self, times):
        """How many runs fill a turn."""
        return max(5, min(2000, int(self.job.turn / np.median(times))))

    def sample(self):
        return self.process.run(self.get_runs(self.process.run(3)))

    def close(self):
        self.process.close()


class Alone(Situation):
    """nobody else is there"""


class SecondPool(Situation):
    """the other runtime's pool in the same process, called in turn"""

    def prepare(self, name):
        other = NAMES[1 - NAMES.index(name)]
        self.process = self.start(name, companion=other)


class SamePool(Situation):
    """a pool of ONNX Runtime's own beside both, called in turn"""

    def prepare(self, name):
        self.process = self.start(name, companion="onnxruntime")


class BusyNeighbour(Situation):
    """a process that computes all the time"""

    cpus: set[int] | None = None

    def sample(self):
        code = "while True: pass"
        if self.cpus is not None:
            code = f"import os; os.sched_setaffinity(0, {self.cpus!r})\n" + code
        busy = subprocess.Popen([sys.executable, "-c", code])
        try:
            time.sleep(0.2)
            return super().sample()
        finally:
            busy.kill()
            busy.wait()


class BusyFirst(BusyNeighbour):
    """a process that computes all the time on the first CPU"""

    cpus = {min(os.sched_getaffinity(0))}


class BusyLast(BusyNeighbour):
    """a process that computes all the time on the last CPU"""

    cpus = {max(os.sched_getaffinity(0))}


class TwoModels(Situation):
    """two threads of one process, each with a model of its own"""

    callers, models = 2, True

    def sample(self):
        # Memory of the callers counts as theirs alone: few runs decide.
        count = max(1, self.get_runs(self.process.run(3)) // self.callers)
        return self.process.run_callers(self.callers, count, self.models)


class ManyCallers(TwoModels):
    """32 threads that call one model"""

    callers, models = 32, False


class TwoProcesses(Situation):
    """two processes with the same model"""

    def prepare(self, name):
        self.processes = [self.start(name) for _ in range(2)]

    def sample(self):
        count = self.get_runs(self.processes[0].run(3))
        results: list[Any] = [None] * 2

        def run(index):
            results[index] = self.processes[index].run(count)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if None in results:
            raise peers.Failure("a process ended")
        return results[0] + results[1]

    def close(self):
        for process in self.processes:
            process.close()


class OneCPU(Situation):
    """threads for all CPUs, but only one may be used"""

    def prepare(self, name):
        first = min(os.sched_getaffinity(0))
        self.process = self.start(name, launcher=["taskset", "-c", str(first)])


class Quota(Situation):
    """a control group that may use the time of one CPU"""

    def prepare(self, name):
        self.group = make_quota_group()
        # Joins the group, then becomes the peer.
        join = f'echo $$ > "{self.group}/cgroup.procs" && exec "$@"'
        try:
            self.process = self.start(name, launcher=["sh", "-c", join, "sh"])
        except peers.Failure:
            os.rmdir(self.group)
            raise

    def close(self):
        super().close()
        with contextlib.suppress(OSError):
            os.rmdir(self.group)


class QuotaOwnThreads(Quota):
    """the same, with as many threads as each chooses by itself"""

    def prepare(self, name):
        self.threads = 0
        super().prepare(name)


group_numbers = itertools.count()


def make_quota_group():
    """A group of either kind of control groups, with a quota of one CPU."""
    for root, write in [
        ("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "100000",
                                "cpu.cfs_quota_us": "100000"}),
        ("/sys/fs/cgroup", {"cpu.max": "100000 100000"}),
    ]:
        folder = pathlib.Path(root) / (
            f"relay-mlir-sharing-{os.getpid()}-{next(group_numbers)}")
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            for key, value in write.items():
                (folder / key).write_text(value)
            return folder
        except OSError:
            folder.rmdir()
    raise Unavailable("cannot make a control group with a quota")


SITUATIONS = {
    "alone": Alone, "second-pool": SecondPool, "same-pool": SamePool,
    "busy": BusyNeighbour, "busy-first": BusyFirst, "busy-last": BusyLast,
    "two-models": TwoModels, "two-processes": TwoProcesses, "one-cpu": OneCPU, "quota": Quota,
    "quota-own-threads": QuotaOwnThreads,
    "many-callers": ManyCallers,
}


#===-----------------------------------------------------------------------===#
# Measuring
#===-----------------------------------------------------------------------===#


class Job:
    """The model and how it is measured."""

    def __init__(self, folder, model, threads, rounds, turn):
        self.path, self.inputs = folder / "model.onnx", folder / "inputs.npz"
        onnx.save(model, str(self.path))
        np.savez(self.inputs, **cases.build.random_inputs(model))
        self.threads, self.rounds, self.turn = threads, rounds, turn


def measure(kind, job):
    """Percentiles and means, in seconds, of all runs of each runtime."""
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    with contextlib.ExitStack() as stack:
        places = {}
        for name in NAMES:
            places[name] = kind(job)
            places[name].prepare(name)
            stack.callback(places[name].close)
        for _ in range(job.rounds):
            for name in NAMES:
                times[name] += places[name].sample()
    return {name: {"runs": len(samples),
                   **{f"p{p}": float(np.percentile(samples, p)) for p in PERCENTILES},
                   "mean": float(np.mean(samples))}
            for name, samples in times.items()}


def report(name, kind, result):
    print(f"{name}: {kind.__doc__}")
    ours = result[peers.OURS]
    for peer, row in result.items():
        print(f"  {peers.PEERS[peer].label:<14}"
              + "".join(f"  {key} {row[key] * 1e3:8.3f} ms" for key in COLUMNS)
              + f"  ({row['runs']} runs)", flush=True)
    print("  ratio         " + "".join(
        f"  {key} {result['onnxruntime'][key] / ours[key]:8.2f}   "
        for key in COLUMNS), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="mobilenetv2",
                        help="a network of utils/models or an .onnx file")
    parser.add_argument("--only", type=option_types.names(SITUATIONS, "situations"),
                        default=",".join(SITUATIONS), metavar="LIST",
                        help="some of " + ",".join(SITUATIONS))
    parser.add_argument("--threads", type=option_types.positive,
                        default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=option_types.positive, default=5)
    parser.add_argument("--turn", type=option_types.seconds, default=1.0, metavar="SECONDS")
    parser.add_argument("--output", type=option_types.output_file, metavar="FILE",
                        help="the numbers as JSON")
    arguments = parser.parse_args()
    missing = peers.PEERS["onnxruntime"].missing()
    if missing:
        sys.exit(f"error: ONNX Runtime is not installed ({missing})")
    try:
        if arguments.model.endswith(".onnx"):
            _, model = cases.onnx_file(path=arguments.model)
        else:
            _, model = cases.model(model=arguments.model)
    except cases.ListError as error:
        sys.exit(f"error: {error}")
    results = {"threads": arguments.threads, "situations": {}}
    print(f"{arguments.model}, {arguments.threads} thread(s)")
    # Also ends the processes of a situation that is interrupted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        job = Job(pathlib.Path(folder), model, arguments.threads, arguments.rounds,
                  arguments.turn)
        for name in arguments.only:
            kind = SITUATIONS[name]
            try:
                result = measure(kind, job)
            except Unavailable as error:
                print(f"{name}: not measured: {error}")
                continue
            except peers.Failure as error:
                print(f"{name}: failed: {error}")
                failed = True
                continue
            results["situations"][name] = result
            report(name, kind, result)
    if arguments.output:
        arguments.output.write_text(json.dumps(results, indent=1) + "\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
