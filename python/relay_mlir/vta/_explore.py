"""Sweeps of configurations."""

from __future__ import annotations

import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import threading
from typing import IO, Any, Callable, Iterable, NamedTuple

from .._arguments import (expect, expect_callable, expect_int, expect_list, expect_path)
from .._compile import PathLike
from .._errors import CompileError
from .._relay_mlir import __version__
from ._config import Config

_KIND = "relay-vta-explore"


class Point(NamedTuple):
    """How long a model takes on a VTA: its kernels that run there, in cycles of the cycle
    simulator, those of products and of the ALU among them, and bytes that cross the bus.

    Where `reason` is not empty, this VTA cannot run the model, and all numbers are 0.
    """

    config: Config
    kernels: int = 0
    cycles: int = 0
    gemm: int = 0
    alu: int = 0
    read: int = 0
    written: int = 0
    reason: str = ""


def pareto(points: Iterable[Point]) -> list[Point]:
    """Returns the points than which none has both fewer cycles and smaller scratchpads, those
    with the smallest ones first. One that leaves a layer to the processor that another one has
    room for is none of them: its cycles are fewer for that."""
    front: list[Point] = []
    fits = [point for point in expect_list(points, "points") if not point.reason]
    most = max((point.kernels for point in fits), default=0)
    for point in sorted((point for point in fits if point.kernels == most),
                        key=lambda p: (p.config.scratchpad_bytes, p.cycles, p.config)):
        if not front or point.cycles < front[-1].cycles:
            front.append(point)
    return front


def _is_result(value: dict[str, Any]) -> bool:
    """Whether it is what `_Results.add` writes: a reason, or all numbers."""
    if not isinstance(value.get("config"), str):
        return False
    if "reason" in value:
        return isinstance(value["reason"], str) and value["reason"] != ""
    numbers = [value.get(name) for name in Point._fields[1:-1]]
    return all(type(number) is int and number >= 0 for number in numbers)


def _open_alone(path: str) -> IO[str]:
    """Opens a file, which may be new, that no other sweep has open, and keeps others from it until
    it is closed."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"expects a file of results, but got {path!r}, which is no file")
    while True:
        file = open(path, "a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another sweep may have put its own there since.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        except BlockingIOError:
            file.close()
            raise ValueError(f"expects a file of results that no other sweep writes, but got "
                             f"{path!r}") from None
        except FileNotFoundError:
            pass
        file.close()


class _Results:
    """A file with a line of JSON for each point, which is whole whenever the program ends: a
    line that is not is no result."""

    def __init__(self, path: str | None, model: str) -> None:
        self.lock = threading.Lock()
        self.found: dict[str, dict[str, Any]] = {}
        digest = hashlib.sha256(pathlib.Path(model).read_bytes()).hexdigest()
        self.header = {"kind": _KIND, "version": __version__, "model": digest}
        self.file = None
        if path is None:
            return
        with _open_alone(path):
            lines = self._read(path)
            # What is there is written again, without the rest of a line at its end.
            temporary = f"{path}.{os.getpid()}"
            self.file = open(temporary, "w", encoding="utf-8")
            fcntl.flock(self.file, fcntl.LOCK_EX)
            for line in [self.header, *lines]:
                self._write(line)
            os.replace(temporary, path)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()

    def _read(self, path: str) -> list[dict[str, Any]]:
        try:
            text = pathlib.Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            text = "\n"
        if not text:
            return []
        lines = text.split("\n")[:-1]
        values: list[dict[str, Any]] = []
        for number, line in enumerate(lines, 1):
            try:
                value = json.loads(line)
            except (RecursionError, ValueError):
                value = None
            if not isinstance(value, dict) or not (
                    value.get("kind") == _KIND if number == 1 else _is_result(value)):
                raise ValueError(f"expects a file of results of {_KIND}, but got {path!r}, whose "
                                 f"line {number} is none")
            values.append(value)
        if values and values[0] != self.header:
            key, what = (("model", "this model")
                         if values[0].get("model") != self.header["model"] else
                         ("version", f"version {__version__}"))
            raise ValueError(f"expects results for {what}, but {path!r} has those for another "
                             f"{key}; name another file")
        for value in values[1:]:
            self.found[value["config"]] = value
        return values[1:]

    def _write(self, value: dict[str, Any]) -> None:
        if self.file is None:
            return
        self.file.write(json.dumps(value) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def add(self, config: Config, value: dict[str, Any]) -> None:
        with self.lock:
            is_kept = value.pop("isKept", True)
            self.found[config.name] = value
            if is_kept:
                self._write({"config": config.name, **value})

    def get(self, config: Config) -> Point:
        value = self.found[config.name]
        return Point(config, **{name: value[name] for name in Point._fields[1:] if name in value})


class _Processes:
    """Those that run, which end with the sweep."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: set[subprocess.Popen[str]] = set()
        # Whether the model compiles for the processor, once that is asked.
        self.check_lock = threading.Lock()
        self.checked: dict[str, Any] | None = None
        self.is_over = False
        # They find this package, wherever it is, and keep one processor busy each.
        # Its files may be links, whose targets are not beside the extension module.
        package = str(pathlib.Path(__file__).absolute().parents[2])
        path = os.environ.get("PYTHONPATH")
        self.environment = {**os.environ, "RELAY_NUM_THREADS": "1",
                            "PYTHONPATH": f"{package}:{path}" if path else package}

    def measure(self, model: str, config: Config) -> dict[str, Any]:
        value = self._run(model, config.name)
        if "fault" not in value:
            return value
        # What no target can be given is no fault of this one. That is the same for all of them.
        with self.check_lock:
            if self.checked is None:
                checked = self._run(model)
                if "isKept" in checked:
                    return checked
                self.checked = checked
        return dict(self.checked) or {"reason": value["fault"]}

    def _run(self, model: str, *arguments: str) -> dict[str, Any]:
        with self.lock:
            if self.is_over:
                return {"error": "the sweep has ended"}
            process = subprocess.Popen(
                [sys.executable, "-m", "relay_mlir.vta._measure", model, *arguments],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
            self.running.add(process)
        out, err = process.communicate()
        with self.lock:
            self.running.discard(process)
            if self.is_over:
                return {"error": "the sweep has ended"}
        try:
            value: dict[str, Any] = json.loads(out.splitlines()[-1])
        except (IndexError, ValueError):
            last = err.strip().splitlines()[-1:] or ["it says nothing"]
            what = " ".join(arguments) or os.path.basename(model)
            # What ends a process by a signal, such as too little memory, may do so once.
            value = {"reason": f"the process that measures ended by signal {-process.returncode}",
                     "isKept": False} if process.returncode < 0 else {
                         "error": f"the process that measures {what} ended with status "
                                  f"{process.returncode}: {last[0]}"}
        return value

    def end(self) -> None:
        with self.lock:
            self.is_over = True
            for process in self.running:
                process.kill()


def explore(model: PathLike, configs: Iterable[Config], *, results: PathLike | None = None,
            jobs: int | None = None,
            progress: Callable[[Point, int, int], object] | None = None) -> list[Point]:
    """Compiles a model for each configuration and counts its cycles with the cycle simulator.

    `model` is a path to an .onnx, .relay or .mlir file of a quantized network. Configurations
    are measured by `jobs` processes at once, by default one for each processor. `results` names
    a file: what is there already is not measured again, and each point is added once it is
    known, so that a sweep that was stopped goes on where it was. `progress` is called with each
    point that was measured, how many are known, and how many there are. Returns a point for each
    configuration, in their order; one for which the model does not compile has the reason.
    Raises ValueError for a file with results of another model, or that another sweep writes,
    OSError, and CompileError for what is wrong with every configuration.
    """
    path = expect_path(model, "model")
    wanted = expect_list(configs, "configs", "configurations")
    for config in wanted:
        expect(config, Config, "configs", "a list of vta.Config")
    if progress is not None:
        expect_callable(progress, "progress")
    count = len(os.sched_getaffinity(0)) if jobs is None else expect_int(jobs, "jobs", 1, 1024)
    known = _Results(None if results is None else expect_path(results, "results"), path)
    try:
        _measure_all(path, wanted, known, count, progress)
    finally:
        known.close()
    return [known.get(config) for config in wanted]


def _measure_all(path: str, wanted: list[Config], known: _Results, count: int,
                 progress: Callable[[Point, int, int], object] | None) -> None:
    """Measures those that are not known, by so many processes at once."""
    todo = [config for config in dict.fromkeys(wanted) if config.name not in known.found]
    total = len(set(wanted))
    processes = _Processes()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        futures = {pool.submit(processes.measure, path, config): config for config in todo}
        try:
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                value = future.result()
                if "error" in value:
                    raise CompileError(value["error"])
                known.add(futures[future], value)
                if progress is not None:
                    progress(known.get(futures[future]), total - len(todo) + done, total)
        except BaseException:
            for future in futures:
                future.cancel()
            processes.end()
            raise
