# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs many cases of onnx_backend, in several processes.

    run_cases(cases) -> {name: Outcome}

A case that crashes or hangs takes its process with it, and nothing else.
"""

import dataclasses
import functools
import os
import queue
import threading
from typing import Any

import onnx_backend
from memory_limit import limit_memory
from worker_process import WorkerError, WorkerProcess

PASSED = "passed"
# The same, of what is not one function of tensors.
PASSED_PROGRAM = "passed as a program"
PASSES = (PASSED, PASSED_PROGRAM)
# The compiler says that it cannot.
REFUSED = "refused"
UNREPRESENTABLE = "not representable"
# The test expects what the specification does not say.
CONTRADICTORY = "contradictory"
# Wrong results, an error at run time, a crash or a hang.
FAILED = "failed"

SECONDS = 120
MEMORY = 8 << 30


@dataclasses.dataclass(frozen=True)
class Outcome:
    status: str
    text: str = ""


def run_case(case, executor):
    if case.unrepresentable:
        return Outcome(UNREPRESENTABLE, case.unrepresentable)
    try:
        run = executor.compile(case.model)
        onnx_backend.check_outputs(case, run(*case.inputs))
    except onnx_backend.ExecutionError as error:
        return Outcome(REFUSED, str(error))
    except Exception as error:  # Also of the comparison.
        if case.name in onnx_backend.CONTRADICTORY:
            return Outcome(CONTRADICTORY, onnx_backend.CONTRADICTORY[case.name])
        return Outcome(FAILED, f"{type(error).__name__}: {error}"[:2000])
    return Outcome(PASSED_PROGRAM if run.is_program else PASSED)


@functools.lru_cache(maxsize=1)
def _limit():
    """With little memory from then on."""
    limit_memory(MEMORY)


def _answer(question):
    case, executor = question
    _limit()
    return run_case(case, onnx_backend.Compiler(executor))


def run_cases(cases, executor="aot"):
    """The outcome of each case, by its name."""
    todo: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for case in cases:
        todo.put(case)
    outcomes = {}

    def serve():
        with WorkerProcess(_answer, SECONDS) as worker:
            while True:
                try:
                    case = todo.get_nowait()
                except queue.Empty:
                    break
                try:
                    outcomes[case.name] = worker.ask((case, executor))
                except WorkerError as error:
                    outcomes[case.name] = Outcome(FAILED, str(error))

    threads = [threading.Thread(target=serve) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {case.name: outcomes[case.name] for case in cases}
