"""utils/benchmark on kernels that take no time. Nothing depends on a speed."""

import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

import numpy as np
import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = ROOT / "utils" / "benchmark" / "benchmark.py"
sys.path.insert(0, str(COMMAND.parent))
import benchmark  # noqa: E402
import cases  # noqa: E402
import compare  # noqa: E402

FAST = ["--rounds=2", "--turn=0.001"]


def run(folder, *arguments):
    return subprocess.run([sys.executable, COMMAND, *arguments], cwd=folder,
                          capture_output=True, text=True, check=False, timeout=300)


def test_kernels(tmp_path):
    (tmp_path / "list.json").write_text(json.dumps([
        {"name": "small product", "kind": "matmul", "rows": 8, "columns": 24, "depth": 16,
         "threads": [1, 2]},
        {"kind": "unary", "operator": "Relu", "shape": [3, 5]},
    ]))
    result = run(tmp_path, "list.json", "--peers=onnxruntime", "--output=out", *FAST)
    assert result.returncode == 0, result.stderr
    assert "relay-mlir" in result.stdout and "geometric mean, 2 thread(s)" in result.stdout
    data = json.loads((tmp_path / "out" / "benchmark.json").read_text())
    assert [(c["name"], c["threads"]) for c in data["cases"]] == [
        ("small product", 1), ("small product", 2), ("Relu 3x5", 1)]
    assert data["machine"]["1"]["gflops"] > 0
    product = data["cases"][0]
    assert product["flop"] == 2 * 8 * 24 * 16
    assert product["bytes"] == 4 * (8 * 16 + 16 * 24 + 8 * 24)
    ours, theirs = product["peers"]["relay-mlir"], product["peers"]["onnxruntime"]
    assert theirs["version"] == __import__("onnxruntime").__version__
    assert theirs["error_to_ours"] < 1e-5 and theirs["agrees"]
    assert (ours["computes"], theirs["computes"]) == ("high", "f32")
    assert theirs["bound"] == pytest.approx(1.2e-4)
    assert theirs["ratio"] == pytest.approx(theirs["median_s"] / ours["median_s"])
    assert ours["ratio"] == 1 and ours["min_s"] <= ours["median_s"]
    assert ours["flop_per_s"] == pytest.approx(product["flop"] / ours["median_s"])
    # In two turns of a millisecond, but never fewer than 15 runs.
    for row in (ours, theirs):
        assert row["runs"] >= 15 and row["iqr_s"] >= 0
        assert row["min_s"] <= row["p10_s"] <= row["median_s"] <= row["p90_s"] <= row["max_s"]
    mean = data["geomean"]["1"]["onnxruntime"]
    ratios = [c["peers"]["onnxruntime"]["ratio"] for c in data["cases"] if c["threads"] == 1]
    assert mean["cases"] == 2 and mean["ratio"] ** 2 == pytest.approx(ratios[0] * ratios[1])
    assert mean["lowest"] == min(ratios)
    page = (tmp_path / "out" / "benchmark.html").read_text()
    assert "small product" in page and "ONNX Runtime" in page and "<th>p90</th>" in page
    # One file: no picture, script or style sheet from elsewhere.
    assert " src=" not in page and "<link" not in page


FLOATS = np.array([0.0, -4.0, 1.0], np.float32)


def change(value, dtype=np.float32):
    """FLOATS with another last element."""
    return np.array([0.0, -4.0, value], dtype)


@pytest.mark.parametrize("got,wanted,precisions,error", [
    (FLOATS, FLOATS, ["highest", "f32"], 0),
    # Relative to the largest magnitude.
    (change(1.0002), FLOATS, ["high", "f32"], 5e-5),
    (change(1.04), FLOATS, ["medium", "f32"], 1e-2),
    (change(1.04), FLOATS, ["high", "bf16"], 1e-2),
    # Each may be off by 2e-2, to different sides.
    (change(1.12), FLOATS, ["medium", "bf16"], 3e-2),
    (change(np.nan), change(np.nan), ["highest", "f32"], 0),
    (change(np.inf), change(np.inf), ["highest", "f32"], 0),
    (change(1.001, np.float16), FLOATS.astype(np.float16), ["highest", "f32"], 2.44e-4),
    (np.zeros(3, np.float32), np.zeros(3, np.float32), ["highest", "f32"], 0),
    (FLOATS[:0], FLOATS[:0], ["highest", "f32"], 0),
    (np.array([2**62 + 1]), np.array([2**62 + 1]), ["medium", "f32"], 0),
])
def test_outputs_that_agree(got, wanted, precisions, error):
    found = compare.compare([got], [wanted], *precisions)
    assert not found.fails and found.error == pytest.approx(error, rel=0.01)


@pytest.mark.parametrize("got,wanted,precisions,reason", [
    (change(1.0002), FLOATS, ["highest", "f32"], ""),
    (change(1.0006), FLOATS, ["high", "f32"], ""),
    (change(1.2), FLOATS, ["medium", "bf16"], ""),
    (np.full(3, 1e-20, np.float32), np.zeros(3, np.float32), ["high", "f32"], ""),
    (change(np.nan), FLOATS, ["medium", "f32"], "nan instead of 1.0 at [2]"),
    (FLOATS, change(np.nan), ["medium", "f32"], "1.0 instead of nan at [2]"),
    (change(np.inf), FLOATS, ["medium", "f32"], "inf instead of 1.0 at [2]"),
    (change(np.inf), change(-np.inf), ["medium", "f32"], "inf instead of -inf at [2]"),
    (np.full(3, np.nan), np.ones(3), ["medium", "f32"], "nan instead of 1.0 at [0]"),
    (FLOATS[:2], FLOATS, ["high", "f32"], "shape [2] instead of [3]"),
    (FLOATS, FLOATS.astype(np.float64), ["high", "f32"], "float32 instead of float64"),
    (np.array([2**62 + 1]), np.array([2**62]), ["medium", "f32"], "1 of 1 integers differ"),
    (np.array([True]), np.array([False]), ["high", "f32"], "1 of 1 integers differ"),
])
def test_outputs_that_disagree(got, wanted, precisions, reason):
    """Also where another output agrees."""
    found = compare.compare([FLOATS, got], [FLOATS, wanted], *precisions)
    assert found.fails and reason in found.reason
    assert np.isinf(found.error) == bool(reason)
    assert compare.compare([got], [], *precisions).fails


class FakeProcess:
    """In place of a peer's process: returns what it is told to."""

    version, prepare, first = "1.0", 0.0, 0.0
    values: dict[str, Any] = {}

    def __init__(self, name, *_, precision, **__):
        self.name = name
        self.computes = precision if name == benchmark.peers.OURS else "f32"

    def run(self, runs):
        return [0.1] * runs

    def outputs(self, _):
        return [np.array([1.0, self.values[self.name]], np.float32)]

    def close(self):
        pass


@pytest.mark.parametrize("ours,theirs,precision,message", [
    (1.0, 1.0, "high", None),
    (1.0, 1.01, "medium", None),
    (1.0, 1.01, "high", "the error is 9.9e-03 of the scale, above 1e-04"),
    (np.nan, 1.0, "medium", "output 0: nan instead of 1.0 at [1]"),
])
def test_wrong_outputs_fail(ours, theirs, precision, message, tmp_path, monkeypatch, capsys):
    """The exit status, and a line that names the case."""
    monkeypatch.setattr(FakeProcess, "values", {"relay-mlir": ours, "onnxruntime": theirs})
    monkeypatch.setattr(benchmark.peers, "Process", FakeProcess)
    monkeypatch.setattr(benchmark, "machine", lambda threads: {
        "cpu": "none", "features": [], "threads": threads, "gflops": 1.0,
        "instructions": "none", "gbytes_per_s": 1.0})
    (tmp_path / "list.json").write_text('[{"kind": "unary", "operator": "Relu", "shape": [2]}]')
    monkeypatch.setattr(sys, "argv", [
        "benchmark.py", str(tmp_path / "list.json"), "--peers=onnxruntime", "--rounds=2",
        f"--precision={precision}", f"--output={tmp_path / 'out'}"])
    if message is None:
        benchmark.main()
    else:
        with pytest.raises(SystemExit) as exit_:
            benchmark.main()
        assert "Relu 2, 1 thread(s): relay-mlir and ONNX Runtime (f32) disagree: " + message \
            in str(exit_.value.code)
        assert message in capsys.readouterr().out
    # Strictly JSON.
    text = (tmp_path / "out" / "benchmark.json").read_text()
    data = json.loads(text, parse_constant=pytest.fail)
    assert len(data["failures"]) == (message is not None)
    # A tenth of a second would have been one run for each turn.
    assert data["cases"][0]["peers"]["relay-mlir"]["runs"] == 16
    assert ("disagree" in (tmp_path / "out" / "benchmark.html").read_text()) == (
        message is not None)


def test_precision_reaches_the_compiler(tmp_path):
    (tmp_path / "list.json").write_text('[{"kind": "unary", "operator": "Relu", "shape": [2]}]')
    result = run(tmp_path, "list.json", "--peers=none", "--precision=highest", "--output=out",
                 *FAST)
    assert result.returncode == 0, result.stderr
    (case,) = json.loads((tmp_path / "out" / "benchmark.json").read_text())["cases"]
    assert case["precision"] == case["peers"]["relay-mlir"]["computes"] == "highest"
    result = run(tmp_path, "list.json", "--peers=none", "--precision=low", *FAST)
    assert result.returncode == 2 and "invalid choice: 'low'" in result.stderr


def is_alive(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_peers_end_with_a_benchmark_that_is_killed(tmp_path):
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [3])
    result = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [3])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g",
                                   [value], [result])
    onnx.save(onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8),
        str(tmp_path / "model.onnx"))
    np.savez(tmp_path / "inputs.npz", x=np.zeros(3, np.float32))
    script = ("import sys, time; sys.path.insert(0, sys.argv[1]); import peers\n"
              "peer = peers.Process('onnxruntime', 'model.onnx', 'inputs.npz', 1)\n"
              "print(peer.process.pid, peer.guard.pid, flush=True)\n"
              "time.sleep(600)\n")
    parent = subprocess.Popen([sys.executable, "-c", script, str(COMMAND.parent)],
                              cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    try:
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2 and all(is_alive(pid) for pid in children)
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    deadline = time.monotonic() + 30
    while any(is_alive(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in children if is_alive(pid)] == []


def test_model_without_peers(tmp_path):
    proto = cases.build.build("mlp")
    onnx.save(proto, str(tmp_path / "net.onnx"))
    result = run(tmp_path, "net.onnx", "--peers=none", "--output=out", *FAST)
    assert result.returncode == 0, result.stderr
    (case,) = json.loads((tmp_path / "out" / "benchmark.json").read_text())["cases"]
    assert case["name"] == "net" and list(case["peers"]) == ["relay-mlir"]
    assert case["compiler"]["cold_s"] > 0 and case["compiler"]["artefact_mib"] > 0


def test_peer_that_fails_is_told(tmp_path):
    """A model that ONNX Runtime refuses: an integer where it takes floats only."""
    helper = onnx.helper
    graph = helper.make_graph(
        [helper.make_node("Sin", ["x"], ["y"])], "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.BFLOAT16, [2])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.BFLOAT16, [2])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)],
                                ir_version=8), str(tmp_path / "odd.onnx"))
    result = run(tmp_path, "odd.onnx", "--peers=onnxruntime", "--output=out", *FAST)
    row = json.loads((tmp_path / "out" / "benchmark.json").read_text())[
        "cases"][0]["peers"]["onnxruntime"]
    assert "median_s" not in row and row["error"] in result.stdout


@pytest.mark.parametrize("text,message", [
    ("[{", "list.json: expects JSON, but"),
    ("{}", "list.json: expects a list of objects, but got dict"),
    ("[3]", "list.json: entry 0: expects an object, but got 3"),
    ('[{"kind": "cnv"}]', "entry 0: expects a kind out of conv, "),
    ('[{"kind": "model"}]', "expects the field 'model' of kind 'model', but it is missing"),
    ('[{"kind": "model", "model": "resnet"}]', "expects one of the models "),
    ('[{"kind": "matmul", "rows": 1, "columns": 1, "depth": 1}, {"kind": "matmul", "rows": "1"}]',
     "entry 1: expects 'rows' of kind 'matmul' to be a positive int, but got '1'"),
    ('[{"kind": "matmul", "rows": 0}]', "to be a positive int, but got 0"),
    ('[{"kind": "matmul", "row": 1}]', "expects the fields rows, columns, depth, batch, "
     "constant of kind 'matmul', but got 'row'"),
    ('[{"kind": "model", "model": "mlp", "threads": 0}]',
     "expects threads from 1 to 1024, but got 0"),
    ('[{"kind": "onnx", "path": "missing.onnx"}]', "cannot read 'missing.onnx'"),
    ('[{"kind": "unary", "operator": "Rleu", "shape": [2]}]', "cannot make kind 'unary'"),
    ('[{"kind": "node", "operator": "Rleu", "inputs": [[2]]}]',
     "expects an operator of ONNX, but got 'Rleu'"),
    ('[{"kind": "node", "operator": "Relu", "inputs": [3]}]',
     "expects inputs that are lists or objects, but got 3"),
    ('[{"kind": "node", "operator": "Relu", "inputs": [{"shape": 3}]}]',
     "expects inputs with a shape, and perhaps a type, or with values, but got"),
    ('[{"kind": "node", "operator": "Relu", "inputs": [{"shape": [3], "type": "f33"}]}]',
     "expects a type of NumPy, but got 'f33'"),
    ('[{"kind": "node", "operator": "Concat", "inputs": [[2], [2]]}]',
     "cannot make operator 'Concat'"),
    ("[]", "expects cases called '*'"),
])
def test_bad_list(tmp_path, text, message):
    (tmp_path / "list.json").write_text(text)
    result = run(tmp_path, "list.json", "--peers=none", *FAST)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments,message", [
    (["missing.json"], "cannot read 'missing.json': No such file"),
    (["list.json", "--peers=tvn"], "expects --peers to be all, none or some of"),
    (["list.json", "--threads=0"], "expects numbers of threads from 1 to 1024, but got '0'"),
    (["list.json", "--threads=two"], "expects numbers of threads from 1 to 1024, but got 'two'"),
    (["list.json", "--rounds=0"], "expects a positive number, but got '0'"),
])
def test_bad_options(tmp_path, arguments, message):
    (tmp_path / "list.json").write_text('[{"kind": "unary", "operator": "Relu", "shape": [2]}]')
    result = run(tmp_path, *arguments)
    assert result.returncode != 0
    assert message in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["models", "kernels", "decisions"])
def test_lists_are_good(name):
    """Every entry names a kind with its fields; models are not built here."""
    entries = json.loads((COMMAND.parent / f"{name}.json").read_text())
    for entry in entries:
        if entry["kind"] == "model":
            assert entry["model"] in cases.build.MODELS
        else:
            case = cases._make(entry)
            assert case.flop is not None and case.bytes > 0


def test_node_of_any_inputs():
    case = cases._make({"kind": "node", "operator": "Gather", "inputs": [
        [30000, 4], {"shape": [2, 3], "type": "int64", "ids": True}]})
    table, ids = case.inputs.values()
    assert table.shape == (30000, 4) and ids.shape == (2, 3) and ids.max() > 1
    assert case.name == "Gather 30000x4, 2x3 int64"
    case = cases._make({"kind": "node", "operator": "TopK", "inputs": [
        [5, 9], {"values": [3]}], "attributes": {"axis": 1}})
    assert list(case.inputs) == ["x0"] and len(case.model.graph.output) == 2
    case = cases._make({"kind": "node", "operator": "Cast", "inputs": [
        {"shape": [100], "type": "int8"}], "attributes": {"to": 1}})
    values = case.inputs["x0"]
    assert values.dtype == np.int8 and values.min() < -50 and values.max() > 50


@pytest.mark.parametrize("name,flop", [("mlp", 2 * (256 * 1024 + 2 * 1024**2 + 1024 * 10))])
def test_work_of_models(name, flop):
    counted, size = cases.work(cases.build.build(name))
    # Activations come on top.
    assert flop <= counted <= flop * 1.01
    assert size >= 4 * (256 * 1024 + 2 * 1024**2 + 1024 * 10)
    assert os.path.exists(COMMAND)


def test_sharing(tmp_path):
    """Each situation that needs no rights gives percentiles of both."""
    names = ["alone", "second-pool", "same-pool", "busy-last", "two-models", "two-processes",
             "many-callers"]
    command = [sys.executable, str(COMMAND.parent / "sharing.py"), "dqn", "--rounds=1",
               "--turn=0.01", f"--only={','.join(names)}", "--output=sharing.json"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True,
                            check=False, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    data = json.loads((tmp_path / "sharing.json").read_text())
    assert list(data["situations"]) == names
    for situation in data["situations"].values():
        for row in situation.values():
            assert 0 < row["p50"] <= row["p90"] <= row["p99"]
            assert row["runs"] >= 5


@pytest.mark.parametrize("what,found", [
    ("instructions", "ns for an instruction"), ("calls", "call, vm"), ("models", "mlp, vm over aot"),
    ("trees", "Tree-LSTM, 16 units"), ("generation", "generative RNN"),
    ("tokens", "GRU, 2 x 8, a token")])
def test_programs(what, found, tmp_path):
    """What is compared agrees; peers that are not there are left out."""
    command = [sys.executable, str(COMMAND.parent / "programs.py"), f"--only={what}", "--rounds=1",
               "--models=mlp", "--sizes=8"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False,
                            timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    assert found in result.stdout and "1 thread" in result.stdout
    assert not list(tmp_path.iterdir())


def test_operators(tmp_path):
    command = [sys.executable, str(COMMAND.parent / "onnx_operators.py"), "--only=Conv depthwise",
               "--sizes=small", "--rounds=1", "--turn=0.001"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False,
                            timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    rows = [line for line in lines if line[:2] == ["Conv", "depthwise"]]
    assert len(rows) == 5 and all(float(row[-1]) > 0 for row in rows)
    # From the slowest on.
    assert [float(row[-1]) for row in rows] == sorted(float(row[-1]) for row in rows)
    assert "5 cases" in result.stdout and not list(tmp_path.iterdir())


def test_sharing_in_an_unknown_situation():
    result = subprocess.run([sys.executable, COMMAND.parent / "sharing.py", "--only=crowd"],
                            capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 2 and "but got 'crowd'" in result.stderr
