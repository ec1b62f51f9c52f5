# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs a case, and compares it with both references."""

import dataclasses
import functools
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import onnx

import relay_mlir as rm
from graphs import Options
from reference import Evaluation, explain_difference

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build"))

# How long the interpreter may take for one sample, in seconds.
INTERPRETER_LIMIT = 120


@dataclasses.dataclass
class Outcome:
    """What became of a case.

    `kind` is "right", "wrong", "refused" (the compiler says that it cannot), "run
    refused" (the compiled model says that it cannot take an input), "interpreter
    wrong", "interpreter refused", or, from a `Worker`, "crash", "hang" or "error".
    """

    kind: str
    message: str = ""
    options: object = None
    sample: int = 0
    # Outputs that small errors make others, which were not compared.
    unstable: int = 0

    @property
    def is_failure(self):
        return self.kind not in ("right", "refused", "interpreter refused")


@functools.lru_cache(maxsize=1)
def _folder():
    return tempfile.TemporaryDirectory(prefix="random_graphs")


def interpret(path, inputs, count):
    """The outputs of the interpreter. Raises RuntimeError with its message."""
    folder = pathlib.Path(_folder().name)
    command = [BUILD / "bin" / "relay-run", "--interpret", path]
    for i, (name, array) in enumerate(inputs.items()):
        np.save(folder / f"input{i}.npy", array)
        command.append(f"--input={name}={folder}/input{i}.npy")
    outputs = [folder / f"output{i}.npy" for i in range(count)]
    command += [f"--output={output}" for output in outputs]
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            timeout=INTERPRETER_LIMIT)
    if result.returncode < 0 or "PLEASE submit a bug report" in result.stderr:
        raise AssertionError(f"relay-run --interpret ended with {result.returncode}: "
                             f"{result.stderr[:1000]}")
    if result.returncode:
        raise RuntimeError(result.stderr[:1000])
    return [np.load(output) for output in outputs]


def _compare(actual, evaluation, sample, tolerances):
    for name, got, want, tolerance in zip(
            evaluation.graph.outputs, actual, evaluation.outputs(sample), tolerances,
            strict=True):
        difference = explain_difference(np.asarray(got), want, tolerance)
        if difference:
            return f"output {name}: {difference}"
    return None


def check(case):
    """The outcome of a case: the first failure, else the first refusal."""
    evaluation = Evaluation(case.graph, case.samples)
    path = pathlib.Path(_folder().name) / "model.onnx"
    onnx.save(case.graph.model(), str(path))
    refusal, unstable = None, 0
    for options in case.options:
        outcome = _check_compiled(case, evaluation, path, options)
        if outcome.is_failure:
            return outcome
        refusal = refusal or (outcome if outcome.kind == "refused" else None)
        unstable = max(unstable, outcome.unstable)
    outcome = _check_interpreter(case, evaluation, path)
    if refusal and not outcome.is_failure:
        outcome = refusal
    outcome.unstable = unstable
    return outcome


def _check_compiled(case, evaluation, path, options):
    try:
        model = rm.compile(path, cache=False, **options.compile_arguments())
    except rm.CompileError as error:
        return Outcome("refused", str(error), options)
    rm.set_num_threads(options.threads)
    unstable = 0
    for i, inputs in enumerate(case.samples):
        tolerances = evaluation.tolerances(i, options)
        unstable += tolerances.count(None)
        try:
            actual = model.run({n: inputs[n] for n in case.graph.inputs})
        except (ValueError, RuntimeError) as error:
            return Outcome("run refused", str(error), options, i)
        actual = actual if isinstance(actual, tuple) else (actual,)
        difference = _compare(actual, evaluation, i, tolerances)
        if difference:
            return Outcome("wrong", difference, options, i)
    return Outcome("right", unstable=unstable)


def _check_interpreter(case, evaluation, path):
    for i, inputs in enumerate(case.samples):
        inputs = {n: inputs[n] for n in case.graph.inputs}
        try:
            actual = interpret(path, inputs, len(case.graph.outputs))
        except AssertionError as error:
            return Outcome("crash", str(error), None, i)
        except RuntimeError as error:
            return Outcome("interpreter refused", str(error), None, i)
        difference = _compare(actual, evaluation, i, evaluation.tolerances(
            i, Options(precision="highest")))
        if difference:
            return Outcome("interpreter wrong", difference, None, i)
    return Outcome("right")
