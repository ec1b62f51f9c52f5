# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that run cases, one after the other, and may die of them."""

import functools

from run import Outcome, check
# Of test/python, which `reference` has added to the path.
from worker_process import Died, Raised, TimedOut, WorkerProcess

_KINDS = {Died: "crash", Raised: "error", TimedOut: "hang"}


def _check(make, task):
    return check(make(task) if isinstance(task, int) else task)


class Worker:
    """A process that stays; a new one follows one that died."""

    def __init__(self, make, limit):
        """`make` makes the case of a seed. `limit` is how long one case may take, in
        seconds."""
        self._process = WorkerProcess(functools.partial(_check, make), limit)

    def check(self, task):
        """The outcome of a case, or of a seed's."""
        try:
            return self._process.ask(task)
        except tuple(_KINDS) as error:
            return Outcome(_KINDS[type(error)], str(error))

    def close(self):
        self._process.close()
