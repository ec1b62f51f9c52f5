# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/models/exports.py: that it compares models, and finds what is wrong. What it writes
needs packages that tests do not have."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import parser

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "utils" / "models" / "exports.py"
sys.path.insert(0, str(SCRIPT.parent))
import export_list  # noqa: E402
import exports  # noqa: E402


def put(folder, text, *runs, edit=None):
    """A model with inputs, as `make` leaves it."""
    folder.mkdir()
    model = parser.parse_model('<ir_version: 9, opset_import: ["": 17]>\n' + text)
    if edit:
        edit(model)
    onnx.save(model, str(folder / "model.onnx"))
    for index, run in enumerate(runs):
        np.savez(folder / f"run{index}.npz", **run)


def floats(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def f32(values):
    return np.array(values, np.float32)


def f64(values):
    return np.array(values, np.float64)


def i64(values):
    return np.array(values, np.int64)


def check(folder, *arguments):
    result = subprocess.run([sys.executable, SCRIPT, "check", folder, *arguments],
                            capture_output=True, text=True, check=False, timeout=600)
    record = folder / "results.jsonl"
    entries = [json.loads(line) for line in record.read_text().splitlines()]
    return result, {(entry["name"], entry["level"]): entry for entry in entries}


def test_models_are_compared(tmp_path):
    text = "g (float[n, 4] x) => (float[n, 4] y, int64[2] s) { y = Relu(x) s = Shape(x) }"
    put(tmp_path / "good", text, {"x": floats(3, 4)}, {"x": floats(2, 4)})
    result, found = check(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert found.keys() == {("good", 0), ("good", 3)}
    for entry in found.values():
        assert entry["status"] == "right" and entry["runs"] == 2 and entry["error"] == 0
    # What has a result is not compared again.
    put(tmp_path / "refused", "g (uint8[n] x) => (float[m] y) { y = com.acme.Foo(x) }",
        {"x": np.zeros(2, np.uint8)})
    put(tmp_path / "image", "g (uint8[n] x) => (uint8[h, w, c] y) { y = ImageDecoder(x) }",
        {"x": np.zeros(2, np.uint8)},
        edit=lambda model: model.opset_import.__getitem__(0).__setattr__("version", 20))
    result, found = check(tmp_path, "--levels", "3")
    assert "good" not in result.stdout.splitlines()[0]
    # ONNX Runtime has none of these.
    assert found["refused", 3]["status"] == found["image", 3]["status"] == "reference fails"


@pytest.mark.parametrize("ours,theirs,error", [
    (f32([1, 2]), f32([1, 2.5]), 0.2),
    (f32([np.inf, 1]), f32([np.inf, 2]), 0.5),
    (i64([1, 2, 3, 4]), i64([1, 2, 3, 5]), 0.25),
    ([f32([1])], [f32([2])], 0.5),
    (f32([[]]), f32([[]]), 0)])
def test_differences(ours, theirs, error):
    assert exports.compare(ours, theirs) == pytest.approx(error)


@pytest.mark.parametrize("ours,theirs", [
    (f32([1]), f64([1])), (f32([1]), f32([[1]])),
    (f32([np.nan]), f32([1])), ([f32([1])], [])])
def test_other_kinds(ours, theirs):
    with pytest.raises(ValueError, match="expects"):
        exports.compare(ours, theirs)


def test_weights_without_signs_for_onnx_runtime(tmp_path):
    """Sums of bytes that saturate are no reference; the same model has others."""
    weight = np.full((64, 4), 127, np.int8)
    put(tmp_path / "product", """g (uint8[n, 64] x) => (int32[n, 4] y) { y = MatMulInteger(x, w) }""",
        {"x": np.full((2, 64), 255, np.uint8)},
        edit=lambda model: model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w")))
    reference = onnx.load_from_string(exports.read_reference(tmp_path / "product" / "model.onnx"))
    assert {tensor.data_type for tensor in reference.graph.initializer} == {onnx.TensorProto.UINT8}
    result, found = check(tmp_path)
    assert result.returncode == 0, result.stdout
    assert {entry["status"] for entry in found.values()} == {"right"}


def test_a_wrong_result_is_an_error(tmp_path):
    record = tmp_path / "results.jsonl"
    for statuses, is_right in ((["right", "reference fails"], True), (["right", "wrong"], False),
                               (["refused"], False), (["fails"], False)):
        record.write_text("".join(json.dumps({"name": f"m{i}", "level": 0, "status": status}) + "\n"
                                  for i, status in enumerate(statuses)))
        assert exports.report(record) is is_right


def test_there_are_many():
    names = export_list.names()
    assert len(names) == len(set(names)) > 500
    # Of networks, by what they are and not by how they were written.
    assert len({name.split("-")[1] for name in names}) >= 150
