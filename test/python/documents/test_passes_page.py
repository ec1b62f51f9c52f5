# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Passes.md is what utils/docs/passes_page.py makes of the passes that there are."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils" / "docs"))

import passes_page  # noqa: E402


@pytest.fixture(scope="module")
def text():
    return passes_page.write_page()


def test_page_is_up_to_date(text):
    assert passes_page.PAGE.read_text() == text, "run utils/docs/passes_page.py"


def test_every_row_says_something(text):
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    names = [row[0].strip("| ") for row in rows]
    assert len(set(names)) == len(names) > 70
    for row in rows:
        assert row[-1].strip("| "), f"{row[0]} has neither flags nor a reason"


def test_flags_are_those_that_run():
    flags = passes_page.registered_passes()
    assert passes_page.trace("FoldScaleAxis", flags) == ["relay-fold-scale-axis",
                                                         "relay-fold-constant"]
    assert passes_page.trace("EliminateCommonSubexpr", flags) == ["cse"]
    assert passes_page.trace("Nothing", flags) is None
