# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of VTA compute what the scheduled kernels in tir say: the processor runs these."""

import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import relay_mlir as rm

from test_vta_networks import Network, library  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin" / "relay-compile"


def make_residual(network):
    first = network.to_bytes(network.bias(network.conv(32)), low=0)
    network.out = first
    value = rm.relay.add(rm.relay.right_shift(network.bias(network.conv(32)), rm.relay.const(7)),
                         rm.relay.cast(first, "int32"))
    network.out = rm.relay.cast(rm.relay.clip(value, -128, 127), "int8")
    network.out = rm.relay.nn.max_pool2d(network.out, pool_size=(2, 2), strides=(2, 2))


def make_pixel(network):
    network.out = network.to_bytes(network.bias(network.conv(80, size=1)))


def on_processor(text):
    """Kernels in memories and on devices of VTA, on the processor."""
    for old, new in [(r', #target\.memory<"(acc|inp|wgt)">', ""),
                     (r"target\.spec = #vta\.config<[^>]*>, ", ""),
                     (r"target\.device_specs = \{vta = #vta\.config<[^>]*>\}, ", ""),
                     (r', #target\.device<"vta", 0>', ""), (r' on #target\.device<"vta", 0>', ""),
                     (r"relax\.to_device", "relax.reshape")]:
        text, count = re.subn(old, new, text)
        assert count, old
    assert "vta" not in text
    return text


@pytest.mark.parametrize("simulator", ["functional", "cycle"])
@pytest.mark.parametrize("make,shape", [(make_residual, (1, 16, 11, 9)), (make_pixel, (1, 16, 1, 1))])
@pytest.mark.parametrize("config", ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_12_12_13_14"])
def test_scheduled_kernels(tmp_path, monkeypatch, config, make, shape, simulator):
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", simulator)
    network = Network(shape)
    make(network)
    path = network.to_file(tmp_path)
    target = f"vta -config={config},cpu"
    scheduled, kernels, host = (tmp_path / name for name in
                                ("scheduled.mlir", "kernels.mlir", "kernels.so"))
    subprocess.run([TOOL, path, f"--target={target}", "--to=tir-scheduled", "-o", scheduled],
                   check=True)
    kernels.write_text(on_processor(scheduled.read_text()))
    subprocess.run([TOOL, kernels, "--from=tir-scheduled", "-o", host], check=True)
    inputs = {"x": network.rng.integers(-128, 128, shape).astype("int8")}
    for ours, expected in zip(rm.compile(path, target=target).run(inputs),
                              rm.load(host).run(inputs), strict=True):
        np.testing.assert_array_equal(ours, expected)
