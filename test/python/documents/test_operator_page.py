"""docs/Operators.md says what the build does."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "docs"))
import operator_page  # noqa: E402

BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()


@pytest.fixture(scope="module")
def status():
    return operator_page.get_status(BUILD)


def test_page_is_current(status):
    assert operator_page.PAGE.read_text() == operator_page.write_page(status), "run utils/docs/operator_page.py"


def test_names(status):
    """All operators of TVM's Relay, each in one family, assert_op and string_map."""
    names = [name for _, rows in status for name, _ in rows]
    assert len(names) == len(set(names)) == 307


def test_every_operator_is_registered():
    registered = operator_page.ask_build(BUILD)
    missing = [name for _, names in operator_page.read_families() for name in names if name not in registered]
    assert not missing, f"{len(missing)} operators are missing: {', '.join(missing)}"
