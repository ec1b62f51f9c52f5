"""Where the time goes: relay-run --profile and Module.profile."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy as np
import onnx
import pytest

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402

BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

# Two products of known size, one of them with a constant.
MODEL = """
func.func @main(%x: tensor<?x32xf32> {relay.name = "x", relay.dims = ["n", ""]},
                %b: tensor<16x64xf32> {relay.name = "b"}) -> tensor<?x16xf32> {
  %w = relay.constant dense<0.5> : tensor<64x32xf32>
  %0 = relay.nn.dense %x, %w : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
  %1 = relay.nn.dense %0, %b : (tensor<?x64xf32>, tensor<16x64xf32>) -> tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}
"""
INPUTS = {"x": np.random.default_rng(0).uniform(-1, 1, (5, 32)).astype(np.float32),
          "b": np.random.default_rng(1).uniform(-1, 1, (16, 64)).astype(np.float32)}


@pytest.fixture(scope="module")
def products():
    return rm.compile(rm.parse(MODEL))


def test_rows(products):
    rows = products.profile(INPUTS, repeat=7)
    assert sorted(row.flop for row in rows) == [2 * 5 * 64 * 16, 2 * 5 * 32 * 64]
    first = max(rows, key=lambda row: row.flop)
    assert first.calls == 1 and first.name.startswith("fused_nn_dense")
    assert first.bytes == 4 * (5 * 32 + 64 * 32 + 5 * 64)
    assert sum(row.share for row in rows) == pytest.approx(1)
    for row in rows:
        assert 0 < row.min <= row.median and 0 < row.busy <= 1
        assert row.gflops == pytest.approx(row.flop / row.median / 1e9)
    assert [row.median for row in rows] == sorted((row.median for row in rows), reverse=True)
    # By position, and without a trace of the observer afterwards.
    assert len(products.profile(list(INPUTS.values()), repeat=1, warm_up=0)) == 2
    np.testing.assert_array_equal(products.run(INPUTS), products.run(INPUTS))


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_beside_runs_of_other_threads(executor):
    """A profile waits for runs of others, which wait for it: it has its own runs only."""
    if executor == "aot":
        model = rm.compile(rm.parse(MODEL))
        run, profile = lambda: model.run(INPUTS), lambda: model.profile(INPUTS, repeat=3)
    else:
        program = rm.compile(rm.parse(MODEL), executor="vm")
        run, profile = lambda: program.run(INPUTS), lambda: program.profile(INPUTS, repeat=3)
    expected, calls = np.asarray(run()), sorted((row.name, row.calls) for row in profile())

    def work(_):
        for _ in range(20):
            np.testing.assert_array_equal(np.asarray(run()), expected)
            assert sorted((row.name, row.calls) for row in profile()) == calls

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_equal_kernels_share_a_row():
    model = rm.compile(build.build("mlp"))
    x = np.random.default_rng(0).standard_normal((1, 256), np.float32)
    rows = model.profile([x], repeat=3)
    assert sum(row.calls for row in rows) == 4
    (twice,) = [row for row in rows if row.calls == 2]
    # Two layers of 1024, each with a bias and a maximum with 0.
    assert twice.flop == 2 * (2 * 1024 * 1024 + 2 * 1024)


def test_wrong_use(products, tmp_path):
    with pytest.raises(ValueError, match="expects a positive number of runs, but got 0"):
        products.profile(INPUTS, repeat=0)
    with pytest.raises(ValueError, match="expects input 'b', but it is missing"):
        products.profile({"x": INPUTS["x"]})
    with pytest.raises(ValueError, match="to have shape"):
        products.profile({**INPUTS, "x": np.ones((5, 31), np.float32)})
    with pytest.raises(OSError, match="No such file"):
        products.profile(INPUTS, repeat=1, trace=tmp_path / "missing" / "trace.json")


def check_trace(path, calls, runs, threads=None):
    """What Perfetto needs to show a row for each thread: complete events that
    nest or follow each other in their row, and a name for every row."""
    events = json.loads(path.read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    events = [event for event in events if event["ph"] != "M"]
    assert all(event["ph"] == "X" and event["dur"] >= 0 and event["ts"] >= 0
               and {"pid", "tid", "name", "cat"} <= event.keys() for event in events)
    assert {event["tid"] for event in events} <= names.keys()
    if threads:
        assert list(names.values()) == ["kernels", "thread 0 (caller)"] + [
            f"thread {i}" for i in range(1, threads)]
    kernels = [event for event in events if event["cat"] == "kernel"]
    outer = [event for event in events if event["cat"] == "run"]
    assert len(outer) == runs and len(kernels) == calls * runs
    for run in outer:
        inside = [event for event in kernels if run["ts"] <= event["ts"] < run["ts"] + run["dur"]]
        assert [event["args"]["call"] for event in inside] == list(range(calls))
        # One kernel after the other, with nothing in between.
        assert sum(event["dur"] for event in inside) == pytest.approx(run["dur"], abs=1e-3)
    # Pieces lie in their kernel, in a row of their own, one after the other.
    pieces = [event for event in events if event["cat"] == "piece"]
    rows: dict[Any, list[Any]] = {}
    for piece in pieces:
        rows.setdefault(piece["tid"], []).append(piece)
        kernel = next(event for event in kernels if event["args"]["call"] == piece["args"]["call"]
                      and event["ts"] <= piece["ts"] <= event["ts"] + event["dur"])
        assert kernel["name"] == piece["name"] and names[piece["tid"]] != "kernels"
        assert piece["ts"] + piece["dur"] <= kernel["ts"] + kernel["dur"] + 1e-3
    for row in rows.values():
        row.sort(key=lambda event: event["ts"])
        for before, after in zip(row, row[1:]):
            assert before["ts"] + before["dur"] <= after["ts"] + 1e-3
    # Together the pieces of a loop are all of its iterations, each once; every loop
    # of a kernel starts at 0.
    for kernel in kernels:
        parts = [(piece["args"]["from"], piece["args"]["to"]) for piece in pieces
                 if piece["args"]["call"] == kernel["args"]["call"]
                 and kernel["ts"] <= piece["ts"] <= kernel["ts"] + kernel["dur"]]
        times = np.zeros(max((end for _, end in parts), default=0), int)
        for begin, end in parts:
            times[begin:end] += 1
        assert (np.diff(times) <= 0).all() and (times > 0).all()
    return kernels


def test_trace(products, tmp_path):
    products.profile(INPUTS, repeat=3, trace=tmp_path / "trace.json")
    kernels = check_trace(tmp_path / "trace.json", calls=2, runs=3)
    assert kernels[0]["args"]["flop"] == 2 * 5 * 32 * 64
    assert kernels[0]["args"]["bytes"] == 4 * (5 * 32 + 64 * 32 + 5 * 64)


def test_threads(tmp_path):
    """A product that is worth several threads: all of them show up."""
    model = rm.parse("""
func.func @main(%x: tensor<512x512xf32> {relay.name = "x"},
                %w: tensor<512x512xf32> {relay.name = "w"}) -> tensor<512x512xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
""")
    path = tmp_path / "product.so"
    rm.compile(model).save(path)
    for threads in (1, 3):
        result = subprocess.run(
            [BIN / "relay-run", path, "--profile=trace.json", "--repeat=5",
             f"--threads={threads}", "--peak=100,20"],
            cwd=tmp_path, check=True, capture_output=True, text=True)
        assert f"median of 5 runs on {threads} thread{'s' * (threads > 1)}:" in result.stdout
        kernels = check_trace(tmp_path / "trace.json", calls=1, runs=5, threads=threads)
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        rows = {event["tid"] for event in events if event.get("cat") == "piece"}
        assert len(rows) <= threads
        # Workers that sleep or are delayed may come late, but not in all runs.
        assert threads == 1 or len(rows) > 1
        busy = float(next(line for line in result.stdout.splitlines()
                          if line.startswith("all kernels")).split()[-1].rstrip("%"))
        assert 100 / threads - 1 <= busy <= 100
        assert len(kernels) == 5


def test_command(tmp_path):
    onnx.save(build.build("dqn"), str(tmp_path / "dqn.onnx"))
    result = subprocess.run(
        [BIN / "relay-run", "dqn.onnx", "--profile=trace.json", "--repeat=4", "--threads=1",
         "--peak=100,20"], cwd=tmp_path, check=True, capture_output=True, text=True)
    lines = result.stdout.splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("kernel "))
    last = next(i for i, line in enumerate(lines) if line.startswith("all kernels"))
    rows = [line.split() for line in lines[header + 1:last]]
    calls = sum(int(row[1]) for row in rows)
    medians = [float(row[3]) for row in rows]
    assert medians == sorted(medians, reverse=True)
    total = lines[last].split()
    assert int(total[2]) == calls
    assert float(total[4]) == pytest.approx(sum(medians), abs=0.06 * len(rows))
    assert sum(float(row[4].rstrip("%")) for row in rows) == pytest.approx(100, abs=0.06 * len(rows))
    for row in rows:
        mflop, megabytes, median = float(row[5]), float(row[6]), float(row[3])
        limit = max(mflop * 1e6 / 100e9, megabytes * 1e6 / 20e9) * 1e6
        # Times are printed to 0.1 microseconds, which matters for the smallest kernels.
        assert float(row[9].rstrip("%")) == pytest.approx(
            100 * limit / median, rel=0.1 + 0.06 / max(median - 0.05, 0.05), abs=0.2)
    assert any("nn_conv2d" in row[0] for row in rows)
    assert re.search(r"median of 4 runs on 1 thread: .* roofline: 100.0 GFLOP/s, 20.0 GB/s", lines[last + 1])
    check_trace(tmp_path / "trace.json", calls, runs=4)


@pytest.mark.parametrize("arguments,message", [
    (["--profile", "--peak=fast"], "expects --peak=<GFLOP/s>,<GB/s>, but got 'fast'"),
    (["--profile", "--peak=0,10"], "expects --peak=<GFLOP/s>,<GB/s>"),
    (["--profile", "--peak=100"], "expects --peak=<GFLOP/s>,<GB/s>"),
    (["--profile=no/such/folder/trace.json", "--peak=1,1"], "cannot write 'no/such/folder"),
    (["--profile", "--interpret"], ": it has no effect there"),
    (["--info", "--interpret"], ": it has no effect there"),
])
def test_wrong_command(tmp_path, arguments, message):
    (tmp_path / "model.mlir").write_text(MODEL)
    result = subprocess.run([BIN / "relay-run", "model.mlir", *arguments], cwd=tmp_path,
                            check=False, capture_output=True, text=True)
    assert result.returncode == 1
    assert "error: " in result.stderr and message in result.stderr


def test_peak():
    result = subprocess.run([BIN / "relay-peak", "--json", "--threads=1"], check=True,
                            capture_output=True, text=True)
    peak = json.loads(result.stdout)
    assert peak["threads"] == 1 and peak["gflops"] > 0 and peak["gbytes_per_s"] > 0
    assert isinstance(peak["cpu"], str) and isinstance(peak["features"], list)
    failed = subprocess.run([BIN / "relay-peak", "--threads=0"], check=False,
                            capture_output=True, text=True)
    assert failed.returncode == 1
    assert "expects a number of threads from 1 to 1024, but got 0" in failed.stderr
