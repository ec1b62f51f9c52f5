# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random small layers on both simulators; random_kernels.py runs as many as one likes."""

import subprocess
import sys

import pytest

import random_kernels


@pytest.fixture(autouse=True)
def variables(monkeypatch):
    # What `check` sets is for this test alone.
    for name in ("RELAY_DEVICE_PATH", "RELAY_VTA_STRICT", "RELAY_VTA_SIMULATOR"):
        monkeypatch.setenv(name, "")


@pytest.mark.share(4)
@pytest.mark.parametrize("seed", range(24))
def test_layers(tmp_path, seed):
    # A bound beyond all results leaves a layer to the processor.
    assert random_kernels.check(seed, tmp_path) >= random_kernels.LAYERS // 2


def test_command(tmp_path):
    run = subprocess.run([sys.executable, random_kernels.__file__, "--seeds", "0:1"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert " kernels, 0 failures" in run.stdout
