# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operator that the compiler has code for, compiled and run in each element
type, with static sizes and with sizes of the run, against the interpreter; and
what importing ONNX models makes. What works is recorded in
utils/docs/operators.json, which docs/Operators.md is written from:

    python test/python/operators/test_operators.py             writes it anew
    python test/python/operators/test_operators.py NAME...     for these operators
"""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "utils" / "docs"), str(ROOT / "test" / "python")]
import operator_imports  # noqa: E402
import operator_runs  # noqa: E402
import operator_page  # noqa: E402
from operator_rows import DTYPES  # noqa: E402
from operator_table import TABLE  # noqa: E402

BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
HINT = "run test/python/operators/test_operators.py and utils/docs/operator_page.py"


@pytest.mark.share(9)
@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("mode", ["static", "dynamic"])
@pytest.mark.parametrize("operator", TABLE)
def test_operator(operator, mode, part):
    """A third of the element types that an operator is recorded for, or one."""
    recorded = operator_page.read_record()["compiled"][operator][mode]
    dtypes = [dtype for dtype in DTYPES if dtype in recorded["compiled"] + recorded["refused"]]
    # What has no sizes has none that are open; else each part has a type.
    if dtypes:
        dtypes = dtypes[part::3] or [dtypes[part % len(dtypes)]]
    elif mode == "static":
        raise AssertionError(HINT)
    result = operator_runs.run_operator(operator, mode, recorded["compiled"], dtypes)
    assert not result.wrong, "\n".join(result.wrong)
    assert result.record() == {what: [dtype for dtype in names if dtype in dtypes]
                               for what, names in recorded.items()}, HINT


# Passes of every compilation take these away: fusion, and the plan of devices.
TAKEN_AWAY = {"annotation.stop_fusion", "on_device", "device_copy"}
# Calls of the run time.
CALLS = {"debug"}


def test_what_has_a_lowering_is_in_the_table():
    lowered = {name for name, holds in operator_page.ask_build(BUILD).items() if "lowered" in holds}
    names = {name for _, names in operator_page.read_families() for name in names}
    assert lowered & names | TAKEN_AWAY | CALLS == set(TABLE)
    assert set(operator_page.read_record()["compiled"]) == set(TABLE)


def test_imported():
    """What is recorded, and all that the importer's sources can make."""
    names = [name for _, names in operator_page.read_families() for name in names]
    found = operator_imports.find_imported()
    assert [name for name in names if name in found] == operator_page.read_record()["imported"], HINT
    classes = operator_page.read_classes("lib/Frontend/ONNX")
    made = [name for name in names if operator_page.class_of(name) in classes]
    assert [name for name in made if name not in found] == [], \
        "expects a node that makes these in operator_imports.NODES"


def write_record(chosen):
    names = [name for _, names in operator_page.read_families() for name in names]
    unknown = [name for name in chosen if name not in TABLE]
    if unknown:
        print(f"expects operators of the table, but got {', '.join(unknown)}")
        return 1
    found, wrong = {}, []
    for operator in chosen or TABLE:
        # All types at once, as far as that compiles.
        results = {mode: operator_runs.run_operator(operator, mode, DTYPES)
                   for mode in ("static", "dynamic")}
        found[operator] = {mode: result.record() for mode, result in results.items()}
        wrong += [line for result in results.values() for line in result.wrong]
    # Others may have been written meanwhile.
    record = operator_page.read_record()
    compiled = {**record["compiled"], **found} if chosen else found
    imported = record["imported"] if chosen else operator_imports.find_imported()
    operator_page.write_record({
        "compiled": {name: compiled[name] for name in names if name in compiled},
        "imported": [name for name in names if name in imported]})
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(write_record(sys.argv[1:]))
