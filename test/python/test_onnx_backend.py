# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX project's tests of operators: imported, compiled, interpreted.

All of them are compiled and run as they are, as users compile models. One that is
refused is no pass: it counts as expected to fail, and only if docs/ONNX.md says so. One with other values than numbers is
skipped.
"""

import dataclasses
import os
import pathlib
import sys

import numpy as np
import pytest

import onnx_backend
import onnx_runner

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "docs"))
import onnx_page  # noqa: E402

@pytest.fixture(scope="module")
def outcomes():
    return onnx_runner.run_cases(onnx_backend.node_cases())


@pytest.fixture(scope="module")
def frozen_outcomes():
    return onnx_runner.run_cases(onnx_backend.frozen_cases())


@pytest.fixture(scope="module")
def refused():
    return onnx_page.read_refused(onnx_page.PAGE.read_text())


@pytest.mark.parametrize("name", [case.name for case in onnx_backend.node_cases()])
def test_compiled(name, outcomes, refused):
    outcome = outcomes[name]
    if outcome.status == onnx_runner.UNREPRESENTABLE:
        pytest.skip(f"not representable: {outcome.text}")
    if outcome.status == onnx_runner.CONTRADICTORY:
        pytest.xfail(outcome.text)
    if outcome.status == onnx_runner.REFUSED:
        reason = onnx_page.get_reason(outcome.text)
        assert name in refused, f"is refused now: {reason}"
        pytest.xfail(f"refused: {reason}")
    assert outcome.status in onnx_runner.PASSES, outcome.text
    assert name not in refused, "passes: run utils/docs/onnx_page.py"


@pytest.mark.nightly
def test_vm_runs_what_aot_runs(outcomes):
    found = onnx_runner.run_cases(onnx_backend.node_cases(), "vm")
    passed = {name for name, outcome in outcomes.items() if outcome.status in onnx_runner.PASSES}
    assert passed and not {name: found[name] for name in passed
                           if found[name].status != onnx_runner.PASSED_PROGRAM}


def test_page_is_current(outcomes, frozen_outcomes, interpreter):
    page = onnx_page.PAGE.read_text()
    assert page == onnx_page.write_page(page, interpreter.operators(), outcomes, frozen_outcomes), (
        "run utils/docs/onnx_page.py")


@pytest.mark.parametrize("name", [case.name for case in onnx_backend.frozen_cases()])
def test_compiled_with_constants(name, frozen_outcomes):
    """With constant operands, as networks have them."""
    outcome = frozen_outcomes[name]
    if outcome.status == onnx_runner.REFUSED:
        pytest.xfail(f"refused: {onnx_page.get_reason(outcome.text)}")
    if outcome.status == onnx_runner.CONTRADICTORY:
        pytest.xfail(outcome.text)
    assert outcome.status in onnx_runner.PASSES, outcome.text


@pytest.fixture(scope="module")
def interpreter():
    executor = onnx_backend.Interpreter()
    yield executor
    executor.close()


def is_for_interpreter(case):
    """Its interface are .npy files, which lack some types."""
    graph = case.model.graph
    return not case.unrepresentable and all(
        info.type.HasField("tensor_type") for info in [*graph.input, *graph.output]) and all(
        isinstance(value, np.ndarray) and value.dtype.isbuiltin == 1
        for value in [*case.inputs, *case.outputs])


@pytest.mark.parametrize(
    "case", [onnx_backend.freeze(case) for case in onnx_backend.node_cases()
             if is_for_interpreter(case)] + onnx_backend.converted_cases(),
    ids=lambda case: case.name)
def test_interpreted(case, interpreter, outcomes, frozen_outcomes):
    """The reference that other tests compare with."""
    try:
        onnx_backend.check_case(case, interpreter)
    except onnx_backend.ExecutionError as error:
        # What is compiled must be interpreted, too.
        for known in (outcomes, frozen_outcomes):
            assert case.name not in known or known[case.name].status not in onnx_runner.PASSES
        assert case.name in outcomes, f"a network is refused: {error}"
        pytest.xfail(f"refused: {onnx_page.get_reason(str(error))}")
    except AssertionError:
        if case.name in onnx_backend.CONTRADICTORY:
            pytest.xfail(onnx_backend.CONTRADICTORY[case.name])
        raise


def test_wrong_outputs_are_noticed(interpreter):
    """The comparison itself."""
    case = next(c for c in onnx_backend.node_cases() if c.name == "test_relu")
    onnx_backend.check_case(case, interpreter)
    wrong = dataclasses.replace(case, outputs=[case.outputs[0] + 0.01])
    with pytest.raises(AssertionError):
        onnx_backend.check_case(wrong, interpreter)
    wrong = dataclasses.replace(case,
                                outputs=[case.outputs[0].astype(np.float64)])
    with pytest.raises(AssertionError):
        onnx_backend.check_case(wrong, interpreter)


class Bomb:
    """Ends the process that receives it."""

    def __reduce__(self):
        return os._exit, (3,)


def test_a_crash_is_a_failure():
    """It is seen, and the other cases go on."""
    cases = [c for c in onnx_backend.node_cases() if c.name in ("test_relu", "test_abs")]
    bomb = dataclasses.replace(cases[0], name="bomb", inputs=[Bomb()])
    found = onnx_runner.run_cases([bomb, *cases])
    assert found["bomb"] == onnx_runner.Outcome(onnx_runner.FAILED, "the process ended with 3")
    assert {found[case.name].status for case in cases} == {onnx_runner.PASSED}
