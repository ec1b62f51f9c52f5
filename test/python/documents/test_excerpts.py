"""The excerpts of IR in the documents are what the build writes."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "docs"))
import excerpts  # noqa: E402

BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()

TEXT = "module {\n  func @a {\n    one\n    two\n    three\n  }\n}\n"


@pytest.mark.parametrize("page", excerpts.PAGES, ids=lambda page: page.stem)
def test_page_is_current(page):
    assert page.read_text() == excerpts.write_page(page, BUILD), "run utils/docs/excerpts.py"


def test_what_is_left_out_is_marked():
    assert excerpts.write_excerpt(TEXT, ["@a", "two", "}"]) == "func @a {\n  ...\n  two\n...\n}\n"


def test_everything_between():
    assert excerpts.write_excerpt(TEXT, ["@a", "..", "three"]) == "func @a {\n  one\n  two\n  three\n"


def test_the_beginning_of_a_line():
    assert excerpts.write_excerpt(TEXT, ["@a", "^}"]) == "  func @a {\n...\n}\n"


def test_lines_without_text_stay():
    assert excerpts.write_excerpt("a\n\nb\n", ["a", "..", "b"]) == "a\n\nb\n"


def test_a_part_that_is_gone():
    with pytest.raises(ValueError, match="expects a line with 'one'"):
        excerpts.write_excerpt(TEXT, ["two", "one"])


def test_numbers_and_lists_are_cut():
    line = f'w: "0x{"0123456789ABCDEF" * 9}" (%arg1 = %0, %arg2 = %0, %arg3 = %0, %arg4 = %0)'
    assert excerpts.shorten(line) == 'w: "0x' + "0123456789ABCDEF" * 2 + '..." (%arg1 = %0, ...)'


def test_the_example_is_as_short_as_its_page_says():
    page = next(page for page in excerpts.PAGES if page.stem == "Downstream")
    assert "in less than 300 lines" in page.read_text()
    files = list((ROOT / "test" / "Examples" / "downstream").iterdir())
    assert len(files) == 5
    assert sum(len(path.read_text().splitlines()) for path in files) < 300
