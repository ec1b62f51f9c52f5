# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that are `pytest.mark.nightly` are skipped, and counted as such, but for
runs with RELAY_NIGHTLY=1 (utils/check.sh --nightly).

    @pytest.mark.parametrize("seed", [0, 1, *nightly(range(2, 1000))])

Of a grid whose cases are much alike an ordinary run takes a part, the same in each:

    pytestmark = pytest.mark.share(3)       # a third of the cases of each function

That part has each value of each parameter, if it is large enough for that.
RELAY_SHARE=4 divides the cases of all functions by 4 again, for runs on other classes of
processors, but those that are `pytest.mark.whole`. Tests without parameters always run, and one case of each function.
"""

import hashlib
import os
from typing import Any

import pytest

# What asks for all tests.
VARIABLE = "RELAY_NIGHTLY"

# Files that take long, the longest first. pytest-xdist hands out files; what comes late
# and takes long leaves the other processors idle.
LONG = ("test_onnx_backend.py", "test_operators.py", "test_documents.py", "test_excerpts.py",
        "test_types.py", "test_compiled_models.py", "test_compile_time.py", "test_networks.py",
        "test_vta_networks.py", "test_cuda.py", "test_quantize.py", "test_generated_programs.py",
        "test_phases.py", "test_random_graphs.py", "test_onnx_mutations.py", "test_sweep.py")


def nightly(values):
    """Parameters that only a nightly run has."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


def choose(cases, count):
    """That many of the cases of a function, with as many values of parameters as can be."""
    # In an order of no pattern, where several are as good.
    cases = sorted(cases, key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())
    chosen: list[Any] = []
    seen: set[tuple[str, int]] = set()
    while len(chosen) < count:
        best = max(cases, key=lambda item: len(item.callspec.indices.items() - seen))
        seen |= best.callspec.indices.items()
        cases.remove(best)
        chosen.append(best)
    return chosen


def find_left_out(items, share):
    """What an ordinary run leaves out of the cases of grids."""
    functions: dict[tuple[Any, ...], list[Any]] = {}
    for item in items:
        marker = item.get_closest_marker("share")
        parts = share * (marker.args[0] if marker else 1)
        if item.get_closest_marker("whole"):
            continue
        if parts > 1 and hasattr(item, "callspec") and not item.get_closest_marker("nightly"):
            functions.setdefault((item.path, item.originalname, parts), []).append(item)
    for (*_, parts), cases in functions.items():
        chosen = choose(cases, -(-len(cases) // parts))
        yield from (item for item in cases if item not in chosen)


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONG)))
    if os.environ.get(VARIABLE) == "1":
        return
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    left_out += find_left_out(items, int(os.environ.get("RELAY_SHARE", "1")))
    for item in left_out:
        item.add_marker(pytest.mark.skip(reason="nightly"))
