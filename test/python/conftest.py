# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all tests share: `bounds` and `nightly` can be imported, and a run for matrix
units that the processor lacks has their emulator."""

import os

# Before NumPy is loaded: each worker has one thread for NumPy's products. Two workers
# with two each wait for each other's threads, a hundred times as long as they compute.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

import bounds

pytest_plugins = ["nightly"]


def pytest_configure(config):
    emulated = bounds.native() == "AMX" and not bounds.TILE_FLAGS <= bounds.FLAGS
    if emulated and "AMXEmulator" not in os.environ.get("LD_PRELOAD", ""):
        raise pytest.UsageError(
            "expects LD_PRELOAD=<build>/lib/AMXEmulator.so for "
            f"RELAY_NATIVE_TARGET={os.environ['RELAY_NATIVE_TARGET']} on this processor "
            "(utils/check.sh --target sets both)")


def pytest_report_header(config):
    return f"relay-mlir: class of the native target: {bounds.native()}"
