# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of kernels for VTA that the cycle simulator chooses."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
SMALL = "1x16_i8w8a32_13_13_15_14"


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD_DIR / "lib"))
    monkeypatch.setenv("RELAY_VTA_STRICT", "1")


def write(path, size, inputs, outputs, kernel, stride, layers=1):
    """Equal layers, if there are several: their images have one size then."""
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, inputs, size, size), dtype="int8")
    out: relay.Expr = x
    for _ in range(layers):
        weight = relay.const(rng.integers(-128, 128, (outputs, inputs, kernel, kernel)).astype("int8"))
        out = relay.nn.conv2d(out, weight, strides=(stride, stride), padding=(kernel // 2, ) * 2,
                              out_dtype="int32")
        out = relay.cast(relay.clip(relay.right_shift(out, relay.const(8)), 0, 127), "int8")
    path.write_text(relay.IRModule.from_expr(relay.Function([x], out)).astext())
    return path


def compile_with(model, count, folder, *options, config="1x16_i8w8a32_15_15_18_17"):
    output = folder / f"model-{count}.so"
    subprocess.run([BUILD_DIR / "bin" / "relay-compile", model, f"--target=vta -config={config},cpu",
                    f"--vta-search={count}", "-o", output, *options], check=True)
    return output


def test_search_in_python(tmp_path):
    """Says how many tiles are tried, as --vta-search does."""
    model = write(tmp_path / "layer.relay", 28, 128, 256, 1, 2)
    x = np.random.default_rng(1).integers(-128, 128, (1, 128, 28, 28), np.int8)
    cycles = {}
    for count in (None, 0, 16):
        path = tmp_path / "layer.so"
        rm.emit(model, path, "so", target="vta,cpu", cache=False, vta_search=count)
        cycles[count] = count_cycles(path, x)
    assert cycles[None] == cycles[16] < cycles[0]
    module = rm.compile(model, target="vta,cpu", vta_search=0, device="vta:tsim")
    assert [row.counters["cycles"] for row in module.profile([x], repeat=1, warm_up=0)
            if row.counters] == cycles[0]


@pytest.mark.parametrize("count,error,got", [(-1, ValueError, "-1"), (2**31, ValueError, str(2**31)),
                                             ("3", TypeError, "'3'"), (True, TypeError, "True")])
def test_search_counts_that_are_wrong(count, error, got, tmp_path):
    model = write(tmp_path / "layer.relay", 4, 16, 16, 1, 1)
    with pytest.raises(error, match=f"expects vta_search .*, but got {got}"):
        rm.compile(model, target="vta,cpu", vta_search=count)


def count_cycles(path, x):
    profile = rm.load(path, device="vta:tsim").profile([x], repeat=1, warm_up=0)
    return [row.counters["cycles"] for row in profile if row.counters]


@pytest.mark.parametrize("layer,config,gain", [
    # What the estimate knows little of: the window of a step that skips rows.
    ((28, 128, 256, 1, 2), "1x16_i8w8a32_15_15_18_17", 0.05),
    ((14, 256, 512, 3, 2), SMALL, 0.05),
    ((8, 32, 32, 3, 1), SMALL, 0),
])
def test_search_finds_faster_tiles(layer, config, gain, tmp_path):
    model = write(tmp_path / "layer.relay", *layer)
    size, channels = layer[:2]
    x = np.random.default_rng(1).integers(-128, 128, (1, channels, size, size), np.int8)
    expected = rm.compile(model)(x)
    cycles = []
    for count in (0, 1, 16):
        path = compile_with(model, count, tmp_path, "--no-cache", config=config)
        np.testing.assert_array_equal(rm.load(path, device="vta:tsim")(x), expected)
        cycles += count_cycles(path, x)
    # The first of them is what is taken without a search.
    assert cycles[0] == cycles[1] >= cycles[2]
    assert 1 - cycles[2] / cycles[0] >= gain


def test_sizes_with_few_divisors(tmp_path):
    """Tiles of primes are small, and their programs long: few of them are made."""
    model = write(tmp_path / "layer.relay", 97, 272, 208, 3, 1)
    # It took more than 300 s.
    subprocess.run([BUILD_DIR / "bin" / "relay-compile", model, "--target=vta,cpu", "--no-cache", "-o",
                    tmp_path / "layer.so"], check=True, timeout=120)


def test_search_is_deterministic_and_remembered(tmp_path, monkeypatch):
    model = write(tmp_path / "layer.relay", 14, 32, 32, 3, 1, layers=3)
    cache = tmp_path / "cache"
    first = compile_with(model, 16, tmp_path, f"--cache-dir={cache}").read_bytes()
    again = compile_with(model, 16, tmp_path, "--no-cache").read_bytes()
    assert again == first
    # Equal kernels are one entry. Those that only compute something else for the processor
    # have one each, in which there is an object: a tile takes a line.
    tiles = [path for path in cache.glob("*.kernel") if path.stat().st_size < 200]
    assert len(tiles) == 1
    # It is read, which says that it was used, and not written again, which makes a new file.
    content, old = tiles[0].read_bytes(), tiles[0].stat()
    os.utime(tiles[0], (1e9, 1e9))
    assert compile_with(model, 16, tmp_path, f"--cache-dir={cache}").read_bytes() == first
    assert tiles[0].stat().st_ino == old.st_ino and tiles[0].stat().st_mtime > 1e9
    # A damaged one is found again, and so is one for another number of tiles.
    tiles[0].write_bytes(content[:-1])
    assert compile_with(model, 16, tmp_path, f"--cache-dir={cache}").read_bytes() == first
    assert tiles[0].read_bytes() == content
    assert compile_with(model, 1, tmp_path, f"--cache-dir={cache}").read_bytes() != first
    assert len([path for path in cache.glob("*.kernel") if path.stat().st_size < 200]) == 2


def test_schedules_that_are_written_have_the_tile(tmp_path):
    """What a user edits is what was found."""
    model = write(tmp_path / "layer.relay", 28, 128, 256, 1, 2)
    path = tmp_path / "schedules.mlir"

    def emit(*options):
        subprocess.run([BUILD_DIR / "bin" / "relay-compile", model, "--target=vta,cpu", "-o", path,
                        *options], check=True)
        return path.read_text()

    assert emit("--emit=schedules") != emit("--emit=schedules", "--vta-search=0")
    assert emit("--emit=schedules") == emit("--emit=schedules", "--vta-search=16")
    assert "vta.tile" not in emit("--emit=tir")


def test_wrong_counts(tmp_path):
    model = write(tmp_path / "layer.relay", 4, 16, 16, 1, 1)
    result = subprocess.run([BUILD_DIR / "bin" / "relay-compile", model, "--vta-search=-1", "-o",
                             tmp_path / "x.so"], capture_output=True, text=True, check=False)
    assert result.returncode != 0 and "vta-search" in result.stderr
