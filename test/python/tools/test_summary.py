# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What did not run, and what is refused, does not count as passed."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]

TESTS = """
import pytest

def test_good(): assert True
def test_bad(): assert False
def test_refused(): pytest.xfail("refused: no such operator")
@pytest.mark.skip(reason="nightly")
def test_large(): assert True
@pytest.mark.parametrize("name", ["a", "b"])
def test_type(name): pytest.skip(f"not representable: a list of {name}")
"""


def summarize(folder):
    result = subprocess.run([sys.executable, str(ROOT / "utils" / "summarize.py"), str(folder)],
                            capture_output=True, text=True, check=False)
    return result.returncode, result.stdout.splitlines()


def test_counts(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                    f"--junitxml={tmp_path}/pytest.xml", str(tmp_path)],
                   cwd=tmp_path, capture_output=True, check=False)
    (tmp_path / "lit.xml").write_text(
        '<testsuites><testsuite><testcase classname="lit" name="a"/>'
        '<testcase classname="unit" name="b"><skipped message="User interrupt"/></testcase>'
        "</testsuite></testsuites>")
    status, lines = summarize(tmp_path)
    assert status == 1
    assert lines == ["failed: test_it test_bad", "refused: 1", "skipped: 2 not representable",
                     "skipped: 1 unit tests that skip themselves on this machine",
                     "skipped: 1 nightly",
                     "2 passed, 1 failed, 1 refused, 4 skipped"]


def test_nothing_ran(tmp_path):
    (tmp_path / "lit.xml").write_text("<testsuites/>")
    assert summarize(tmp_path) == (1, ["0 passed, 0 failed"])
