# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Narrow networks as utils/benchmark/vta.py measures them: the same bits on VTA and the
processor as on the processor alone, nearly all products on VTA, and cycles."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "benchmark"))

import vta  # noqa: E402
import vta_layers  # noqa: E402
import vta_networks  # noqa: E402

NETWORKS = {
    "resnet18": lambda: vta_networks.resnet(18, width=16, size=32, classes=10),
    "resnet34": lambda: vta_networks.resnet(34, width=8, size=32, classes=10),
    "resnet50": lambda: vta_networks.resnet(50, width=8, size=32, classes=10),
    "mobilenet": lambda: vta_networks.mobilenet(width=8, size=32, classes=10),
    "dcgan": lambda: vta_networks.dcgan(filters=8, code=20),
}


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(vta.BUILD / "lib"))
    monkeypatch.setenv("RELAY_VTA_STRICT", "1")
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", "functional")


# The first layer is of floats, and so is a dense layer behind a pool.
@pytest.mark.parametrize("name, total, rest", [
    # The first layer, four convolutions of 16 channels, and three times a smaller one, three
    # of twice the channels, and one of a pixel; the last time on 2x2 pixels and one, where a
    # window of 3x3 meets four of them, and one.
    ("resnet18", 602112 + 4 * 147456 + 2 * (73728 + 3 * 147456 + 8192) + 32768 + 3 * 16384
     + 8192 + 1280, 602112 + 1280),
    ("resnet34", None, 16 * 16 * 8 * 147 + 64 * 10),
    ("resnet50", None, 16 * 16 * 8 * 147 + 256 * 10),
    ("mobilenet", None, 16 * 16 * 8 * 27 + 256 * 10),
    # Four phases of 16 channels from 64 and so on: a quarter of the window each.
    ("dcgan", 20480 + 3 * 524288 + 393216, 20480),
])
def test_networks(tmp_path, name, total, rest):
    products, share, cycles, busy = vta.measure(NETWORKS[name](), "vta,cpu", tmp_path)
    assert total in (None, products)
    assert round(products * (1 - share)) == rest
    # A cycle has 256 products, of channels that are padded to blocks.
    assert cycles * busy * 256 >= products * share * 0.99
    assert 0 < busy < 1


@pytest.mark.parametrize("line, expected", [
    ('%3 = relay.nn.conv2d %1, %2 {data_layout = "NCHW16c", kernel_layout = "OIHW16o16i"} : '
     "(tensor<1x2x4x4x16xi8>, tensor<3x2x3x3x16x16xi8>) -> tensor<1x3x4x4x16xi32>",
     (3 * 16 * 16 * 2 * 9 * 16, True)),
    ("%3 = relay.nn.conv2d %1, %2 {groups = 2} : (tensor<1x4x4x4xf32>, tensor<6x2x3x3xf32>) -> "
     "tensor<1x6x2x2xf32>", (24 * 18, False)),
    ("%3 = relay.nn.contrib_conv2d_winograd_without_weight_transform %1, %2 {tile_size = 2, "
     "kernel_size = [3, 3], channels = 6} : (tensor<1x5x8x8xi8>, tensor<4x4x6x5xi16>) -> "
     "tensor<1x6x8x8xi32>", (6 * 64 * 45, False)),
    ("%3 = relay.nn.dense %1, %2 {units = 5} : (tensor<2x7xf32>, tensor<5x7xf32>) -> "
     "tensor<2x5xf32>", (70, False)),
    ("%3 = relay.add %1, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>", None),
])
def test_products(line, expected):
    assert vta.count_products(line) == expected


def test_networks_that_there_are_not():
    run = subprocess.run([sys.executable, vta.__file__, "ResNet-19"], capture_output=True,
                         text=True, check=False)
    assert run.returncode == 2
    assert "expects networks of ResNet-18, " in run.stderr and "but got 'ResNet-19'" in run.stderr


@pytest.mark.parametrize("arguments, layers, pools", [
    (["C10"], {"C10": (8, 8, 32, 64, 1, 2)}, {}),
    (["--bias", "--config=4x8_i8w8a32_15_16_16_18"], {"C2": (1, 8, 16, 16, 3, 1)}, {}),
    (["--pools"], {}, {"maximum": [(8, 16, 3, 2, 1)], "average": [(6, 32, 2, 2, 0)]}),
])
def test_layers(monkeypatch, capsys, arguments, layers, pools):
    """Small ones, with the bits of the interpreter: cycles, and where they go."""
    monkeypatch.setattr(vta_layers, "LAYERS", {
        name: (size, inputs, outputs, window, stride, 1, 1.0)
        for name, (_, size, inputs, outputs, window, stride) in layers.items()})
    monkeypatch.setattr(vta_layers, "POOLS", pools)
    monkeypatch.setattr(sys, "argv", ["vta_layers.py", *arguments])
    vta_layers.main()
    text = capsys.readouterr().out
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()
            if line.startswith(("| C", "| maximum", "| average"))]
    if pools:
        assert [row[0] for row in rows] == ["maximum", "average"]
        assert all(int(row[4]) > 0 for row in rows)
        return
    found, where = rows
    # No more than the bound, and compute waits less than all the time.
    share, bound = (float(cell.split()[0]) for cell in found[-2:])
    assert 0 < share <= bound
    assert sum(int(cell) for cell in where[6:10]) < int(found[5])
    assert f"all, as often as in the network: {found[5]} cycles, GEMM {found[-2]}" in text


def test_layers_that_there_are_not():
    run = subprocess.run([sys.executable, vta_layers.__file__, "C1"], capture_output=True,
                         text=True, check=False)
    assert run.returncode == 2
    assert "expects layers of C2, " in run.stderr and "but got 'C1'" in run.stderr
