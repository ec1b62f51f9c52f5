# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes in which other tests run what may crash."""

import os
import signal
import time

import pytest

import worker_process
from worker_process import Died, Raised, TimedOut, WorkerProcess


def answer(request):
    """Does what the request says: a value to return, or how to fail."""
    print("what anyone prints is no answer", flush=True)
    if request == "raise":
        raise ValueError("as asked")
    if request == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if request == "hang":
        time.sleep(600)
    if request == "environment":
        return os.getpid(), os.environ.get("RELAY_TEST_WORKER")
    return request


def test_answers():
    with WorkerProcess(answer) as worker:
        assert worker.ask([1, {"a": 2.5}]) == [1, {"a": 2.5}]
        with pytest.raises(Raised, match="ValueError: as asked"):
            worker.ask("raise")
        assert worker.ask("still there") == "still there"


def test_dies_and_is_started_anew():
    with WorkerProcess(answer) as worker:
        first, _ = worker.ask("environment")
        with pytest.raises(Died, match="ended with -9"):
            worker.ask("die")
        second, _ = worker.ask("environment")
        assert first != second


def test_hangs_and_is_started_anew():
    with WorkerProcess(answer, seconds=60) as worker:
        first, _ = worker.ask("environment")
        worker._seconds = 0.1  # It is there already: what takes time is the answer.
        with pytest.raises(TimedOut, match="no answer after 0.1 s"):
            worker.ask("hang")
        worker._seconds = 60
        second, _ = worker.ask("environment")
        assert first != second


def test_environment(monkeypatch):
    with WorkerProcess(answer, environment={"RELAY_TEST_WORKER": "1"}) as worker:
        assert worker.ask("environment")[1] == "1"
    assert "RELAY_TEST_WORKER" not in os.environ
    monkeypatch.setenv("RELAY_TEST_WORKER", "ours")
    with WorkerProcess(answer, environment={"RELAY_TEST_WORKER": "1"}) as worker:
        assert worker.ask("environment")[1] == "1"
    assert os.environ["RELAY_TEST_WORKER"] == "ours"


def test_emulator_comes_after_what_is_preloaded(monkeypatch, tmp_path):
    library = tmp_path / "AMXEmulator.so"
    library.touch()
    monkeypatch.setattr(worker_process, "EMULATOR", library)
    lacking = {"no_such_flag"}
    monkeypatch.setenv("LD_PRELOAD", "/libasan.so")
    assert worker_process.emulator(lacking) == {"LD_PRELOAD": f"/libasan.so:{library}"}
    monkeypatch.delenv("LD_PRELOAD")
    assert worker_process.emulator(lacking) == {"LD_PRELOAD": str(library)}
    monkeypatch.setenv("LD_PRELOAD", f"/libasan.so:{library}")
    assert worker_process.emulator(lacking) == {}
    monkeypatch.delenv("LD_PRELOAD")
    assert worker_process.emulator(set()) == {}
