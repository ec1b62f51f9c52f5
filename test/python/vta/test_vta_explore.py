# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps of configurations of VTA."""

import csv
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay, vta

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
FITS = vta.Config()
SMALL = vta.Config(wgt_buff=1 << 11)
IMPOSSIBLE = vta.Config(block=64, wgt_buff=1 << 11)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD_DIR / "lib"))


def write(path, channels):
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, channels, 6, 6), dtype="int8")
    out: relay.Expr = x
    for _ in range(2):
        weight = relay.const(rng.integers(-128, 128, (channels, channels, 3, 3)).astype("int8"))
        out = relay.nn.conv2d(out, weight, padding=(1, 1), out_dtype="int32")
        out = relay.cast(relay.clip(relay.right_shift(out, relay.const(8)), 0, 127), "int8")
    path.write_text(relay.IRModule.from_expr(relay.Function([x], out)).astext())
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write(tmp_path_factory.mktemp("explore") / "network.relay", 32)


def test_points_are_what_a_run_counts(model):
    """Whoever compiles and runs the model counts the same."""
    point, small, none = vta.explore(model, [FITS, SMALL, IMPOSSIBLE])
    compiled = rm.compile(model, target=f"vta -config={FITS.name},cpu", device="vta:tsim")
    x = np.random.default_rng(1).integers(-128, 128, (1, 32, 6, 6), np.int8)
    rows = [row for row in compiled.profile([x], repeat=1) if row.counters]
    assert point.kernels == sum(row.calls for row in rows) == 2
    assert point.cycles == sum(row.counters["cycles"] for row in rows)
    assert point.gemm == 2 * 2 * 2 * 9 * 36 < point.cycles and 0 < point.alu < point.cycles
    assert point.written == 2 * 32 * 36 and point.read > 2 * 32 * 32 * 9
    # Others do not fit, and say why.
    assert small.cycles == none.cycles == 0
    assert small.reason.startswith("no part of the model can be computed by this VTA; ")
    assert "expects a buffer of wgt with room for an element of 4096 bytes" in none.reason


def test_model_that_stays_on_the_processor(tmp_path):
    path = tmp_path / "model.relay"
    path.write_text('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }\n')
    (point, ) = vta.explore(path, [FITS])
    assert point.reason == ("no part of the model can be computed by this VTA; relay-compile "
                            "--remarks says why")


def test_what_is_wrong_with_all(tmp_path, monkeypatch, model):
    path = tmp_path / "model.relay"
    path.write_text("def")
    results = tmp_path / "results.jsonl"
    with pytest.raises(rm.CompileError, match="model.relay"):
        vta.explore(path, [FITS], results=results)
    # A fault of the model is no result for a configuration.
    assert results.read_text().count("\n") == 1
    with pytest.raises(OSError):
        vta.explore(tmp_path / "none.relay", [FITS])
    monkeypatch.setenv("RELAY_DEVICE_PATH", "")
    with pytest.raises(rm.CompileError, match="expects something to drive devices of kind 'vta'"):
        vta.explore(model, [FITS])


def test_model_is_compiled_for_the_processor_once(model, monkeypatch):
    """What several configurations cannot be given may be the model's fault, which one look says."""
    commands = []
    start = subprocess.Popen

    def note(command, **options):
        commands.append(command[3:])
        return start(command, **options)

    monkeypatch.setattr(subprocess, "Popen", note)
    fail = [vta.Config(block=64, wgt_buff=1 << log) for log in (9, 10, 11)]
    points = vta.explore(model, [*fail, FITS], jobs=2)
    assert [bool(point.reason) for point in points] == [True, True, True, False]
    assert sorted(commands) == sorted([[str(model)], *([str(model), config.name]
                                                       for config in [*fail, FITS])])


def test_sweeps_at_once(model, tmp_path):
    """A file of results is for one sweep at a time."""
    results = tmp_path / "results.jsonl"
    refused = []

    def progress(*values):
        with pytest.raises(ValueError, match="expects a file of results that no other sweep "
                           "writes, but got .*results.jsonl"):
            vta.explore(model, [FITS], results=results)
        refused.append(values)

    points = vta.explore(model, [IMPOSSIBLE], results=results, progress=progress)
    assert len(refused) == 1
    # Then it is free, and whole.
    assert vta.explore(model, [IMPOSSIBLE], results=results) == points
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]


def test_known_points_are_not_measured_again(model, tmp_path, monkeypatch):
    results = tmp_path / "results.jsonl"
    seen: list[tuple[vta.Point, int, int]] = []
    points = vta.explore(model, [FITS, SMALL], results=results,
                         progress=lambda *values: seen.append(values))
    assert sorted(done for _, done, _ in seen) == [1, 2] and {total for *_, total in seen} == {2}
    assert {point for point, *_ in seen} == set(points)

    def refuse(*arguments, **options):
        raise AssertionError("measured again")

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", refuse)
        assert vta.explore(model, [SMALL, FITS], results=results) == points[::-1]
        with pytest.raises(AssertionError, match="measured again"):
            vta.explore(model, [FITS, IMPOSSIBLE], results=results)
    # A line that was cut is measured again; all others stay.
    text = results.read_text()
    for cut in (len(text) - 1, len(text) - 20, text.index("\n") + 5, 10):
        results.write_text(text[:cut])
        assert vta.explore(model, [FITS, SMALL], results=results) == points
        assert sorted(results.read_text().splitlines()) == sorted(text.splitlines())


def test_killed_sweep_goes_on(model, tmp_path):
    command = [BUILD_DIR / "bin" / "relay-vta-explore", model, "-o", tmp_path / "out",
               "--acc-buff=16k,32k,64k,128k", "-j1"]
    results = tmp_path / "out" / "results.jsonl"
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(600):
            if results.exists() and results.read_text().count("\n") >= 2:
                break
            time.sleep(0.1)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    known = results.read_text().count("\n") - 1
    assert 1 <= known < 4
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stderr.startswith(f"[{known + 1}/4] ") and result.stderr.count("\n") == 4 - known
    assert results.read_text().count("\n") == 5
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "plot.svg", "results.jsonl", "table.csv", "table.txt"]
    assert (tmp_path / "out" / "table.txt").read_text() == result.stdout


@pytest.mark.parametrize("content", ["notes\n", "[1]\n", '{"kind": "other"}\n', "\xff\n",
                                     "[" * 100000 + "\n"])
def test_files_of_others_stay(model, tmp_path, content):
    path = tmp_path / "notes"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ValueError, match="expects a file of results of relay-vta-explore, but "
                       "got .* line 1 is none"):
        vta.explore(model, [FITS], results=path)
    assert path.read_bytes() == content.encode("latin-1")


NUMBERS = '"kernels": 1, "gemm": 1, "alu": 0, "read": 1, "written": 1'


@pytest.mark.parametrize("line", [
    '{"config": ["a"]}', f'{{"config": "{FITS.name}"}}',
    f'{{"config": "{FITS.name}", "reason": 5}}',
    *(f'{{"config": "{FITS.name}", {NUMBERS}, "cycles": {cycles}}}'
      for cycles in ("-5", '"abc"', "null", "1e400", "true"))])
def test_damaged_results(model, tmp_path, line):
    results = tmp_path / "results.jsonl"
    vta.explore(model, [], results=results)
    results.write_text(results.read_text() + line + "\n")
    with pytest.raises(ValueError, match="expects a file of results .* line 2 is none"):
        vta.explore(model, [FITS], results=results)


def test_results_that_are_no_file(model, tmp_path):
    os.mkfifo(tmp_path / "results.jsonl")
    with pytest.raises(ValueError, match="expects a file of results, but got .* no file"):
        vta.explore(model, [FITS], results=tmp_path / "results.jsonl")


def test_output_that_takes_nothing(model, tmp_path):
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([BUILD_DIR / "bin" / "relay-vta-explore", model, "-o", tmp_path,
                                 "--no-progress"], stdout=full,
                                stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 1
    assert re.fullmatch("relay-vta-explore: error: .*No space left.*\n", result.stderr)


@pytest.mark.parametrize("arguments, name", [(["missing.onnx", "-o", "out"], "missing.onnx"),
                                             (["model", "-o", ""], "")])
def test_names_of_no_file(model, tmp_path, arguments, name):
    arguments = [model if each == "model" else each for each in arguments]
    result = subprocess.run([BUILD_DIR / "bin" / "relay-vta-explore", *arguments, "--no-progress"],
                            cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == (f"relay-vta-explore: error: cannot open '{name}': "
                             "No such file or directory\n")


def test_results_of_another_model(model, tmp_path):
    results = tmp_path / "results.jsonl"
    vta.explore(model, [], results=results)
    other = write(tmp_path / "other.relay", 16)
    with pytest.raises(ValueError, match="expects results for this model, but .* has those for "
                       "another model"):
        vta.explore(other, [FITS], results=results)


def make_points(count, seed=0):
    rng = np.random.default_rng(seed)
    return [vta.Point(vta.Config(1, int(2**rng.integers(3, 6)), *(int(2**n) for n in
                                                                  rng.integers(10, 20, 4))),
                      1, int(rng.integers(1000, 9000)), 500, 100, 10, 10,
                      "too small, \"this\"" if i % 5 == 0 else "") for i in range(count)]


def test_front():
    points = make_points(60)
    fits = [point for point in points if not point.reason]
    expected = {point for point in fits if not any(
        other.cycles <= point.cycles and
        other.config.scratchpad_bytes <= point.config.scratchpad_bytes and
        (other.cycles, other.config.scratchpad_bytes) !=
        (point.cycles, point.config.scratchpad_bytes) for other in fits)}
    front = vta.pareto(points)
    assert len(expected) > 2 and set(front) == expected
    assert [point.cycles for point in front] == sorted((p.cycles for p in front), reverse=True)
    assert vta.pareto([]) == []
    # One with fewer kernels computes less.
    part = points[1]._replace(kernels=0, cycles=1, reason="")
    assert vta.pareto([*points, part]) == front


def test_tables_and_plot():
    points = make_points(20)
    front = vta.pareto(points)
    rows = list(csv.DictReader(io.StringIO(vta.csv(points))))
    assert [row["configuration"] for row in rows] == [point.config.name for point in points]
    for row, point in zip(rows, points):
        assert row["reason"] == point.reason and int(row["pareto"]) == (point in front)
        assert row["cycles"] == ("" if point.reason else str(point.cycles))
        assert int(row["scratchpad_bytes"]) == point.config.scratchpad_bytes
        assert int(row["wgt_buff"]) == point.config.wgt_buff
    lines = vta.table(points).splitlines()
    assert len(lines) == 21
    for line, point in zip(lines[1:], points):
        assert line.endswith(" *") == (point in front)
        assert point.reason in line and point.config.name in line
    picture = ElementTree.fromstring(vta.plot(points, title="a < b & c"))
    names = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert len(names) == 16
    for point in points:
        assert (f"{point.config.name}: {point.cycles} cycles" in names) == (not point.reason)
    assert "a < b & c" in [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    # Nothing that fits is a picture, too.
    ElementTree.fromstring(vta.plot([]))
    assert len(vta.table([]).splitlines()) == len(vta.csv([]).splitlines()) == 1


def test_names():
    assert FITS.name == "1x16_i8w8a32_15_15_18_17"
    assert vta.Config(4, 8, 1 << 15, 1 << 16, 1 << 16, 1 << 18).name == "4x8_i8w8a32_15_16_16_18"
    assert FITS.products == 256 and FITS.scratchpad_bytes == 458752
    configs = vta.configurations(block=[8, 16], batch=[1, 2, 1], wgt_buff=[1 << 12])
    assert [(config.batch, config.block) for config in configs] == [(1, 8), (1, 16), (2, 8), (2, 16)]
    assert {config.wgt_buff for config in configs} == {1 << 12}


@pytest.mark.parametrize("arguments,error,message", [
    ({"block": [3]}, ValueError, "expects block to be powers of two, but got 3"),
    ({"block": [0]}, ValueError, "block"),
    ({"block": 8}, TypeError, "expects block to be a list of integers, but got 8"),
    ({"acc_buff": ["1k"]}, TypeError, "expects acc_buff to be an integer, but got '1k'"),
])
def test_wrong_configurations(arguments, error, message):
    with pytest.raises(error, match=message):
        vta.configurations(**arguments)


@pytest.mark.parametrize("arguments,message", [
    (["--block=x"], "expects numbers with commas between them, such as 16k,32k, but got 'x'"),
    (["--block="], "but got ''"),
    (["--inp-buff=3k"], "expects inp_buff to be powers of two, but got 3072"),
    (["-j0"], "expects jobs"),
])
def test_wrong_options(model, tmp_path, arguments, message):
    result = subprocess.run([sys.executable, BUILD_DIR / "bin" / "relay-vta-explore", model, "-o",
                             tmp_path, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode != 0 and message in result.stderr and not result.stdout


def test_command_without_any_cycles(model, tmp_path):
    """There is a table with the reasons, and no success."""
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"garbage")
    for path, arguments, code, message, error in [
            (model, ["--wgt-buff=2k"], 1, "no part of the model can be computed by this VTA",
             "expects a configuration that the network fits"),
            (broken, [], 1, "", "not an ONNX model"),
            (model, ["--wgt-buff=2k,256k"], 0, "cycles", "")]:
        result = subprocess.run([BUILD_DIR / "bin" / "relay-vta-explore", path, "-o",
                                 tmp_path / path.stem, "--no-progress", *arguments],
                                capture_output=True, text=True, check=False)
        assert result.returncode == code and message in result.stdout
        assert error in result.stderr and bool(result.stderr) == bool(code)


def test_wrong_arguments(model):
    with pytest.raises(TypeError, match="expects configs to be a list of vta.Config, but got 3"):
        vta.explore(model, [3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="expects model to be a path, but got 3"):
        vta.explore(3, [FITS])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects progress to be a function, but got 3"):
        vta.explore(model, [FITS], progress=3)  # type: ignore[arg-type]
