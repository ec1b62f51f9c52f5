# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which simulator runs the kernels of a model, and what it counts."""

import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
PIXELS = 14 * 14


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD_DIR / "lib"))
    monkeypatch.delenv("RELAY_VTA_SIMULATOR", raising=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A layer, compiled for VTA and for the processor."""
    path = tmp_path_factory.mktemp("choice")
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, 32, 14, 14), dtype="int8")
    weight = relay.const(rng.integers(-128, 128, (32, 32, 3, 3)).astype("int8"))
    out = relay.nn.conv2d(x, weight, padding=(1, 1), out_dtype="int32")
    out = relay.cast(relay.clip(relay.right_shift(out, relay.const(8)), 0, 127), "int8")
    (path / "layer.relay").write_text(
        relay.IRModule.from_expr(relay.Function([x], out)).astext())
    rm.emit(path / "layer.relay", path / "vta.so", "so", target="vta,cpu")
    rm.emit(path / "layer.relay", path / "cpu.so", "so")
    return path


def run_tool(*arguments):
    return subprocess.run([BUILD_DIR / "bin" / "relay-run", *arguments], capture_output=True,
                          text=True, check=False)


def make_input():
    return np.random.default_rng(1).integers(-128, 128, (1, 32, 14, 14), np.int8)


@pytest.mark.parametrize("device", ["vta:fsim", "vta:tsim"])
def test_results(device, folder, monkeypatch):
    # What is asked for is stronger than what is set.
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", "nonsense")
    x = make_input()
    expected = rm.load(folder / "cpu.so")(x)
    np.testing.assert_array_equal(rm.load(folder / "vta.so", device=device)(x), expected)
    compiled = rm.compile(folder / "layer.relay", target="vta,cpu", device=device)
    np.testing.assert_array_equal(compiled(x), expected)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_biases(layout, tmp_path):
    """`nn.bias_add` goes to VTA as `add` does, of any axis of channels."""
    rng = np.random.default_rng(2)
    last = layout == "NHWC"
    shape = (1, 9, 9, 16) if last else (1, 16, 9, 9)
    x = relay.var("x", shape=shape, dtype="int8")
    weight = rng.integers(-128, 128, (3, 3, 16, 16) if last else (16, 16, 3, 3)).astype("int8")
    bias = rng.integers(-10000, 10000, 16).astype("int32")
    out = relay.nn.conv2d(x, relay.const(weight), padding=(1, 1), out_dtype="int32",
                          kernel_size=(3, 3), channels=16, data_layout=layout,
                          kernel_layout="HWIO" if last else "OIHW")
    out = relay.nn.bias_add(out, relay.const(bias), axis=3 if last else 1)
    out = relay.cast(relay.clip(relay.right_shift(out, relay.const(8)), -128, 127), "int8")
    module = relay.IRModule.from_expr(relay.Function([x], out))
    data = rng.integers(-128, 128, shape, np.int8)
    path = tmp_path / "layer.relay"
    path.write_text(module.astext())
    # Without kernels for VTA there is nothing for a simulator to do, which is an error.
    compiled = rm.compile(path, target="vta,cpu", device="vta:fsim")
    np.testing.assert_array_equal(compiled(data), rm.compile(path)(data))


def test_no_room_for_numbers(tmp_path):
    """Numbers that an instruction has no bits for are elements of acc, of which there are two
    here: the processor computes the layer."""
    rng = np.random.default_rng(3)
    x = relay.var("x", shape=(1, 8, 4, 4), dtype="int8")
    weight = rng.integers(-128, 128, (8, 8, 1, 1)).astype("int8")
    out = relay.nn.conv2d(x, relay.const(weight), out_dtype="int32")
    out = relay.add(relay.minimum(out, relay.const(60000)), relay.const(-50000))
    out = relay.cast(relay.nn.relu(out), "int8")
    path = tmp_path / "layer.relay"
    path.write_text(relay.IRModule.from_expr(relay.Function([x], out)).astext())
    data = rng.integers(-128, 128, (1, 8, 4, 4), np.int8)
    compiled = rm.compile(path, target="vta -config=1x4_i8w8a32_14_12_11_5,cpu")
    np.testing.assert_array_equal(compiled(data), rm.compile(path)(data))


def test_counters(folder):
    profile = rm.load(folder / "vta.so", device="vta:tsim").profile([make_input()], repeat=2,
                                                                   warm_up=0)
    (kernel, ) = [row for row in profile if row.counters]
    counters = kernel.counters
    # A product of a block of 16 inputs and 16 outputs in a cycle: 2 x 2 blocks, 9 positions.
    assert counters["GEMM cycles"] == 2 * 2 * 9 * PIXELS
    assert counters["GEMM cycles"] + counters["ALU cycles"] < counters["cycles"]
    assert counters["bytes written"] == 32 * PIXELS
    # Once at least: data and weights.
    assert counters["bytes read"] >= 32 * PIXELS + 32 * 32 * 9
    # Its clock is that of the board: 100 MHz.
    assert kernel.median == pytest.approx(counters["cycles"] * 1e-8, abs=2e-9)
    assert kernel.device == "vta:0"


def test_functional_simulator_counts_nothing(folder):
    profile = rm.load(folder / "vta.so", device="vta:fsim").profile([make_input()], repeat=2)
    assert not any(row.counters for row in profile)
    assert all(row.median > 0 for row in profile)


def test_table(folder):
    result = run_tool(folder / "vta.so", "--device=vta:tsim", "--profile", "--repeat=1",
                      "--warm-up=0", "--peak=100,10")
    assert result.returncode == 0, result.stderr
    header, kernel, total = result.stdout.split("\n\n")[1].splitlines()
    assert re.split(r"  +", header) == ["kernel", "cycles", "GEMM cycles", "ALU cycles",
                                        "bytes read", "bytes written"]
    match = re.fullmatch(r"fused_nn_conv2d\S+ +(\d+) +([\d.]+)% +([\d.]+)% +(\d+) +(\d+)", kernel)
    assert match and float(match[2]) == pytest.approx(3600 * PIXELS / int(match[1]), abs=0.06)
    assert total.startswith("all kernels that count")
    assert total.split()[-5:] == kernel.split()[-5:]


@pytest.mark.parametrize("device,message", [
    ("vta:rtl", "expects vta:fsim, which computes, or vta:tsim, which counts cycles, but got "
     "'vta:rtl'"),
    ("vta", "expects a kind of devices and the name of what runs its kernels, such as 'vta:tsim', "
     "but got 'vta'"),
    ("", "but got ''"),
    (":tsim", "but got ':tsim'"),
    ("vta:", "but got 'vta:'"),
    ("cpu:0", "expects a model with kernels for devices of kind 'cpu', which 'cpu:0' would run, "
     "but got one for 'vta'"),
])
def test_wrong_devices(device, message, folder):
    with pytest.raises(ValueError, match=re.escape(message)):
        rm.load(folder / "vta.so", device=device)
    result = run_tool(folder / "vta.so", f"--device={device}")
    assert result.returncode == 1 and message in result.stderr


@pytest.mark.parametrize("device", ["vta:fsim", "vta:tsim"])
def test_program_of_the_virtual_machine(device, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", "nonsense")
    layer = relay.parse((folder / "layer.relay").read_text())["main"]
    x, flag = relay.var("x", shape=(1, 32, 14, 14), dtype="int8"), relay.var("flag", "bool")
    body = relay.If(flag, relay.Call(layer, [x]), relay.nn.relu(x))
    (tmp_path / "branch.relay").write_text(
        relay.IRModule.from_expr(relay.Function([x, flag], body)).astext())
    program = rm.compile(tmp_path / "branch.relay", target="vta,cpu", device=device)
    program.save(tmp_path / "branch.so")
    data = make_input()
    expected = rm.load(folder / "cpu.so")(data)
    for run in (program, rm.load(tmp_path / "branch.so", device=device),
                rm.load(tmp_path / "branch.so", device=device)):
        np.testing.assert_array_equal(run(data, np.array(True)), expected)
        np.testing.assert_array_equal(run(data, np.array(False)), np.maximum(data, 0))
    names = [kernel.name for kernel in program.profile([data, np.array(True)], repeat=1)]
    assert any("conv2d" in name for name in names)
    with pytest.raises(ValueError, match="with 'vta:csim'|expects .*vta"):
        rm.load(tmp_path / "branch.so", device="vta:csim")


def test_model_without_kernels_of_vta(folder):
    message = ("expects a model with kernels for devices of kind 'vta', which 'vta:tsim' would "
               "run, but got one for the host alone")
    with pytest.raises(ValueError, match=message):
        rm.load(folder / "cpu.so", device="vta:tsim")
    result = run_tool(folder / "layer.relay", "--device=vta:tsim")
    assert result.returncode == 1 and message in result.stderr


def test_wrong_uses(folder):
    with pytest.raises(TypeError, match="expects device to be a string, but got 3"):
        rm.load(folder / "vta.so", device=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects device to be a string, but got 3"):
        rm.load(folder / "vta.so", device=3)  # type: ignore[arg-type]
    for option in ("--info", "--verify"):
        result = run_tool(folder / "vta.so", "--device=vta:tsim", option)
        assert result.returncode == 1 and "expects no --device with" in result.stderr
