# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that run cases, one after the other, and may die of them."""

import multiprocessing
import traceback

from run import Outcome, check


def _serve(connection, make):
    """Runs what comes in: seeds, of which `make` makes cases, or cases."""
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            case = make(task) if isinstance(task, int) else task
            answer = check(case)
        except Exception:  # pylint: disable=broad-except
            answer = Outcome("error", traceback.format_exc())
        connection.send(answer)


class Worker:
    """A process that stays; a new one follows one that died."""

    def __init__(self, make, limit):
        """`limit` is how long one case may take, in seconds."""
        self.make, self.limit, self.process = make, limit, None

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, remote = context.Pipe()
        self.process = context.Process(target=_serve, args=(remote, self.make), daemon=True)
        self.process.start()
        remote.close()

    def check(self, task):
        """The outcome of a case, or of a seed's."""
        if self.process is None:
            self._start()
        self.connection.send(task)
        if not self.connection.poll(self.limit):
            self.close()
            return Outcome("hang", f"no result after {self.limit} s")
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode
            self.close()
            return Outcome("crash", f"the process ended with {code}")

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None
