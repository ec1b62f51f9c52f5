# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that answer requests, one after the other, and may die of them.

    with WorkerProcess(answer, seconds=60) as worker:
        print(worker.ask(request))

`answer(request)` is a function of a module, so that a new process of Python finds
it; what it takes and gives is pickled.
"""

import multiprocessing
import os
import pathlib
import threading
import traceback
from typing import Any

import bounds

EMULATOR = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build"), "lib", "AMXEmulator.so")
# A process inherits the environment of this one, which is changed while it starts.
_starting = threading.Lock()


class WorkerError(Exception):
    """There is no answer; the text says why."""


class Raised(WorkerError):
    """The function raised what the text, a traceback, shows."""


class Died(WorkerError):
    """The process ended."""


class TimedOut(WorkerError):
    """The process did not answer in time."""


def emulator(needed=bounds.TILE_FLAGS):
    """The environment in which a process runs instructions of flags that the
    processor may lack: what is preloaded already stays, the emulator comes after."""
    preloaded = os.environ.get("LD_PRELOAD", "")
    if set(needed) <= bounds.FLAGS or EMULATOR.name in preloaded or not EMULATOR.exists():
        return {}
    return {"LD_PRELOAD": ":".join(filter(None, [preloaded, str(EMULATOR.resolve())]))}


def _serve(connection, answer):
    while True:
        try:
            request = connection.recv()
        except (EOFError, OSError):
            return
        try:
            reply = True, answer(request)
        except Exception:  # pylint: disable=broad-except
            reply = False, traceback.format_exc()
        connection.send(reply)


class WorkerProcess:
    """A process that runs `answer`, started by the first request, and anew by the
    next one after it died or was too late.

    It has `seconds` for an answer, all that it takes if that is None, and the
    environment of this process, changed by `environment`.
    """

    def __init__(self, answer, seconds=None, environment=None):
        self._answer, self._seconds = answer, seconds
        self._environment = environment or {}
        self._process: Any = None
        self._connection: Any = None

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._answer), daemon=True)
        with _starting:
            before = {name: os.environ.get(name) for name in self._environment}
            os.environ.update(self._environment)
            try:
                self._process.start()
            finally:
                for name, value in before.items():
                    if value is None:
                        del os.environ[name]
                    else:
                        os.environ[name] = value
        theirs.close()

    def ask(self, request):
        """The answer. Raises a WorkerError if there is none."""
        if self._process is None:
            self._start()
        try:
            self._connection.send(request)
            if not self._connection.poll(self._seconds):
                self.close()
                raise TimedOut(f"no answer after {self._seconds} s")
            is_answer, reply = self._connection.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self.close()
            raise Died(f"the process ended with {code}") from None
        if not is_answer:
            raise Raised(reply)
        return reply

    def close(self):
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = self._connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
