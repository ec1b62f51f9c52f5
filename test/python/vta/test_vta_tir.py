# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of VTA compute what the scheduled kernels in tir say, which the processor runs: this
is `relay-run --check=tir`. What is wrong on purpose is found, where NumPy finds it."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import relay_mlir as rm

from test_vta_networks import LIB, ROOT, Network, library  # noqa: F401

sys.path.insert(0, str(ROOT / "utils" / "benchmark"))

import vta_networks  # noqa: E402

TOOL = LIB.parent / "bin" / "relay-run"
CONFIGS = ["1x16_i8w8a32_15_15_18_17", "4x8_i8w8a32_12_12_13_14"]


def make_residual(network):
    first = network.to_bytes(network.bias(network.conv(32)), low=0)
    network.out = first
    value = rm.relay.add(rm.relay.right_shift(network.bias(network.conv(32)), rm.relay.const(7)),
                         rm.relay.cast(first, "int32"))
    network.out = rm.relay.cast(rm.relay.clip(value, -128, 127), "int8")
    network.out = rm.relay.nn.max_pool2d(network.out, pool_size=(2, 2), strides=(2, 2))


def make_pixel(network):
    network.out = network.to_bytes(network.bias(network.conv(80, size=1)))


def run(path, *args, wrong=None):
    """With `wrong`, the last immediate in the program of this kernel is one more."""
    environment = dict(os.environ)
    if wrong:
        environment |= {"RELAY_DEVICE_PATH": str(LIB / "faulty-vta"),
                        "RELAY_FAULTY_VTA": str(LIB / "librelay_device_vta.so"),
                        "RELAY_FAULTY_VTA_KERNEL": wrong}
    return subprocess.run([TOOL, path, *args], capture_output=True, text=True, check=False,
                          env=environment)


def check(path, *args, calls):
    result = run(path, "--check=tir", *args)
    assert result.returncode == 0, result
    assert result.stdout.splitlines()[0] == f"kernels of vta agree with their tir: {calls}"


@pytest.mark.parametrize("simulator", ["fsim", "tsim"])
@pytest.mark.parametrize("make,shape,calls", [(make_residual, (1, 16, 11, 9), "3 calls of 3"),
                                              (make_pixel, (1, 16, 1, 1), "1 calls of 1")])
@pytest.mark.parametrize("config", CONFIGS)
def test_scheduled_kernels(tmp_path, config, make, shape, calls, simulator):
    network = Network(shape)
    make(network)
    check(network.to_file(tmp_path), f"--target=vta -config={config},cpu",
          f"--device=vta:{simulator}", calls=calls)


@pytest.mark.parametrize("simulator", ["fsim", "tsim"])
@pytest.mark.parametrize("network,calls", [
    (lambda: vta_networks.resnet(18, width=16, size=32, classes=10), "19 calls of 15"),
    (lambda: vta_networks.mobilenet(width=8, size=32, classes=10), "26 calls of 20"),
    (lambda: vta_networks.dcgan(filters=8, code=20), "16 calls of 16"),
], ids=["resnet18", "mobilenet", "dcgan"])
def test_networks(tmp_path, network, calls, simulator):
    """Some kernels are called several times, with other weights."""
    path = tmp_path / "network.relay"
    path.write_text(vta_networks.quantize(network()).astext())
    check(path, "--target=vta,cpu", f"--device=vta:{simulator}", calls=calls)


@pytest.mark.parametrize("simulator", ["fsim", "tsim"])
@pytest.mark.parametrize("config,batch,block", [(CONFIGS[0], 1, 16), (CONFIGS[1], 4, 8)])
def test_wrong_instruction(tmp_path, config, batch, block, simulator):
    """The last part of a layer's results is clipped to one more, which wraps around to -128."""
    shape = (batch, 32, 11, 9)
    network = Network(shape)
    network.out = network.to_bytes(network.bias(network.conv(32)), shift=9)
    path = network.to_file(tmp_path)
    data = network.rng.integers(-128, 128, shape).astype("int8")
    np.save(tmp_path / "x.npy", data)
    right = rm.compile(path).run({"x": data})
    args = [f"--target=vta -config={config},cpu", f"--device=vta:{simulator}",
            f"--input=x={tmp_path / 'x.npy'}"]
    kernel = "fused_nn_conv2d_add_add_right_shift_clip_cast"
    wrong = run(path, *args, f"--output={tmp_path / 'y.npy'}", wrong=kernel)
    assert wrong.returncode == 0, wrong

    def to_elements(tensor):
        """As it is on the device."""
        tensor = tensor.reshape(1, batch, 32 // block, block, 11, 9).transpose(0, 2, 4, 5, 1, 3)
        return tensor.squeeze(4) if batch == 1 else tensor

    right, got = to_elements(right), to_elements(np.load(tmp_path / "y.npy"))
    places = np.argwhere(right != got)
    first = tuple(int(index) for index in places[0])
    assert right[first] == 127 and got[first] == -128
    result = run(path, *args, "--check=tir", wrong=kernel)
    assert result.returncode == 1 and not result.stderr
    message = re.fullmatch(
        r"first kernel that differs from its tir: (\S+) \(call \d+, result 0\): expects 127 at "
        r"\[([\d, ]+)\], but got -128; instruction \d+ stores it: STORE out\[\d+\.\.\d+\] to "
        r"0x[0-9a-f]+, \d+ bytes; (\d+) of \d+ elements differ\n", result.stdout)
    assert message, result.stdout
    place = tuple(int(index) for index in message[2].split(", "))
    assert (message[1], place, int(message[3])) == (kernel, first, len(places))


def test_no_kernels(tmp_path):
    network = Network((1, 16, 4, 4))
    make_pixel(network)
    result = run(network.to_file(tmp_path), "--check=tir")
    assert result.returncode == 1
    assert "expects a model with kernels for vta" in result.stderr
