# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that are `pytest.mark.nightly` are skipped, and counted as such, but for
runs with RELAY_NIGHTLY=1 (utils/check.sh --nightly).

    @pytest.mark.parametrize("seed", [0, 1, *nightly(range(2, 1000))])
"""

import os

import pytest


def nightly(values):
    """Parameters that only a nightly run has."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


def pytest_collection_modifyitems(items):
    if os.environ.get("RELAY_NIGHTLY") == "1":
        return
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.skip(reason="nightly"))
