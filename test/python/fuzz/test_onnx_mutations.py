# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken variants of models: each ends in an error or in the right result.

Nothing may crash, hang, or take more than 4 GiB. What is accepted is interpreted
and compared with ONNX Runtime where that accepts it, too; tolerance: 1e-3 of the
output's scale, 1e-2 for half precision. RELAY_FUZZ_SEEDS=FIRST:COUNT takes other variants.
"""

import os
import pathlib
import sys
import zlib

import numpy as np
import onnx
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import model_workers  # noqa: E402
import onnx_backend  # noqa: E402
import onnx_mutations  # noqa: E402
import onnx_seeds  # noqa: E402

FIRST, COUNT = map(int, os.environ.get("RELAY_FUZZ_SEEDS", "0:4000").split(":"))
CHUNKS = 8
MAX_ELEMENTS = 100_000


@pytest.fixture(scope="module")
def models():
    return list(onnx_seeds.models())


@pytest.fixture(scope="module")
def original_inputs():
    """Inputs of the tests that the seeds are from, by the name of the seed."""
    return {case.name: {info.name: value for info, value in zip(case.model.graph.input, case.inputs)}
            for case in onnx_backend.node_cases() if not case.unrepresentable}


def make_inputs(model, known, rng):
    """Numbers for the inputs of a model; None if it has other inputs, or large ones."""
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = []
    for info in model.graph.input:
        if info.name in weights:
            continue
        kind = info.type.tensor_type
        try:
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        except KeyError:
            return None
        shape = [dim.dim_value if dim.HasField("dim_value") else 2 for dim in kind.shape.dim]
        if dtype.isbuiltin != 1 or min(shape, default=0) < 0 or np.prod(shape, dtype=float) > MAX_ELEMENTS:
            return None
        value = known.get(info.name)
        is_array = isinstance(value, np.ndarray)
        if not is_array or value.dtype != dtype or list(value.shape) != shape:
            value = (rng.standard_normal(shape) * 2).astype(dtype)
        inputs.append(value)
    return inputs


def same(expected, actual):
    if expected.dtype != actual.dtype or expected.shape != actual.shape:
        return False
    if expected.dtype.kind != "f":
        return np.array_equal(expected, actual)
    tolerance = 1e-3 if expected.dtype.itemsize > 2 else 1e-2
    expected, actual = expected.astype(np.float64), actual.astype(np.float64)
    # What masks hide is the least number there, and an infinity here.
    expected, actual = (np.where(x < -3e38, -np.inf, x) for x in (expected, actual))
    finite = np.isfinite(expected)
    scale = np.abs(expected[finite]).max(initial=1.0)
    return np.array_equal(np.isfinite(actual), finite) and np.allclose(
        expected[finite], actual[finite], rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_variants(chunk, models, original_inputs, tmp_path):
    ours, theirs = model_workers.interpreter(), model_workers.onnxruntime()
    problems = []
    for number in range(FIRST + chunk, FIRST + COUNT, CHUNKS):
        name, model = models[number % len(models)]
        # Other models do not change what becomes of this one.
        seed = zlib.crc32(f"{name} {number // len(models)}".encode())
        data, changes = onnx_mutations.mutate(model, seed)
        path = tmp_path / "model.onnx"
        path.write_bytes(data)

        def report(what):
            problems.append(f"variant {number}, {name}: {changes}: {what}")

        try:
            status, text = ours.ask("import", path)
            if status == "error" and not text:
                report("an error without a message")
            if status != "ok":
                continue
            variant = onnx.load_model_from_string(data)
            inputs = make_inputs(variant, original_inputs.get(name, {}), np.random.default_rng(seed))
            if inputs is None:
                continue
            files = []
            for i, value in enumerate(inputs):
                files.append(tmp_path / f"input{i}.npy")
                np.save(files[-1], value)
            status, text = ours.ask("run", path, tmp_path / "ours", *files)
        except model_workers.Crash as error:
            report(error)
            continue
        # Some are random numbers.
        if status != "ok" or name in onnx_backend.CONTRADICTORY:
            continue
        try:
            if theirs.ask("run", path, tmp_path / "theirs", *files)[0] != "ok":
                continue
        except model_workers.Crash:
            print(f"variant {number}, {name}: {changes}: the other one ends")
            continue
        for i in range(int(text)):
            expected, actual = (np.load(tmp_path / f"{side}{i}.npy", allow_pickle=True)
                                for side in ("theirs", "ours"))
            if expected.dtype == object and all(isinstance(row, dict) for row in expected):
                # ZipMap has the scores in maps; ours stay a tensor.
                expected = np.array([list(row.values()) for row in expected], actual.dtype)
            if not same(expected, actual):
                # Some results are what was in memory: no reference.
                theirs.ask("run", path, tmp_path / "again", *files)
                again = np.load(tmp_path / f"again{i}.npy", allow_pickle=True)
                if expected.tobytes() != again.tobytes():
                    print(f"variant {number}, {name}: {changes}: the other one gives two results")
                    continue
                report(f"output {i}: expected {str(expected)[:300]}, but got {str(actual)[:300]}")
    ours.close()
    theirs.close()
    assert not problems, "\n\n".join(problems)
