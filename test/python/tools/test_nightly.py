# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an ordinary run of the tests leaves out, and a nightly run does not."""

import os
import pathlib
import re
import subprocess
import sys

import nightly
import pytest

TESTS = """
import pytest
from nightly import nightly

@pytest.mark.share(3)
@pytest.mark.parametrize("a", range(4))
@pytest.mark.parametrize("b", range(6))
def test_grid(a, b): pass

@pytest.mark.share(3)
@pytest.mark.parametrize("a", [0])
def test_one(a): pass

@pytest.mark.share(3)
def test_plain(): pass

@pytest.mark.parametrize("seed", [0, 1, *nightly(range(2, 5))])
def test_seeds(seed): pass
"""


def run(folder, **environment):
    """The names of tests that pass, and how many are skipped."""
    (folder / "test_it.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    nightly: x\n    share: x\n")
    clean = {name: value for name, value in os.environ.items()
             if name not in (nightly.VARIABLE, "RELAY_SHARE")}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "nightly", "-p", "no:cacheprovider", folder],
        capture_output=True, text=True, check=True, env=clean | environment | {
            "PYTHONPATH": str(pathlib.Path(__file__).resolve().parents[1])})
    skipped = sum(int(count) for count in re.findall(r"(\d+) skipped", result.stdout))
    return re.findall(r"^PASSED \S*::(\S+)$", result.stdout, re.M), skipped


def test_ordinary_run(tmp_path):
    passed, skipped = run(tmp_path)
    grid = [name for name in passed if name.startswith("test_grid")]
    assert len(grid) == 8 and skipped == 16 + 3
    # Each value of each parameter occurs, and the cases are the same again.
    assert {name[-4:-1].split("-")[0] for name in grid} == set("012345")
    assert {"test_one[0]", "test_plain", "test_seeds[0]", "test_seeds[1]"} <= set(passed)
    assert run(tmp_path) == (passed, skipped)


@pytest.mark.parametrize("share,grid,seeds", [(2, 4, 1), (100, 1, 1)])
def test_part_of_a_run(tmp_path, share, grid, seeds):
    passed, _ = run(tmp_path, RELAY_SHARE=str(share))
    assert sum(name.startswith("test_grid") for name in passed) == grid
    assert sum(name.startswith("test_seeds") for name in passed) == seeds
    assert {"test_one[0]", "test_plain"} <= set(passed)


def test_nightly_run(tmp_path):
    passed, skipped = run(tmp_path, **{nightly.VARIABLE: "1", "RELAY_SHARE": "2"})
    assert len(passed) == 24 + 1 + 1 + 5 and skipped == 0
