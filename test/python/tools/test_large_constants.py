# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A few bytes of a model ask for terabytes of constants.

Nobody makes them: what is computed from constants is an operator above a limit,
or an error. The compiler runs with 4 GiB of addresses and writes small files.
"""

import os
import pathlib
import resource
import subprocess

import numpy as np
import onnx
import pytest
from memory_limit import limit_memory
from onnx import helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
LARGE = 2**20


def build(nodes, constants):
    graph = helper.make_graph(
        nodes, "g", [], [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def doubling():
    """Concat of a tensor and itself, 32 times."""
    nodes = [helper.make_node("Concat", [f"x{i}", f"x{i}"], [f"x{i + 1}"], axis=0) for i in range(32)]
    nodes.append(helper.make_node("Identity", ["x32"], ["y"]))
    return build(nodes, {"x0": np.arange(256, dtype=np.float32)})


def doubling_apart():
    """The same of a tensor and another of its size."""
    nodes = []
    for i in range(32):
        nodes += [helper.make_node("Neg", [f"x{i}"], [f"n{i}"]),
                  helper.make_node("Concat", [f"x{i}", f"n{i}"], [f"x{i + 1}"], axis=0)]
    nodes.append(helper.make_node("Identity", ["x32"], ["y"]))
    return build(nodes, {"x0": np.arange(256, dtype=np.float32)})


small = np.arange(4, dtype=np.float32).reshape(2, 2)
MODELS = {
    "ConstantOfShape": lambda: build(
        [helper.make_node("ConstantOfShape", ["s"], ["y"])], {"s": np.array([LARGE, LARGE])}),
    "ConstantOfShape used": lambda: build(
        [helper.make_node("ConstantOfShape", ["s"], ["c"]), helper.make_node("Exp", ["c"], ["e"]),
         helper.make_node("ReduceSum", ["e"], ["y"])], {"s": np.array([LARGE, LARGE])}),
    "Expand": lambda: build(
        [helper.make_node("Expand", ["x", "s"], ["y"])], {"x": small[:1, :1], "s": np.array([LARGE, LARGE])}),
    "Tile": lambda: build(
        [helper.make_node("Tile", ["x", "r"], ["y"])], {"x": small, "r": np.array([LARGE, LARGE])}),
    "Pad": lambda: build(
        [helper.make_node("Pad", ["x", "p"], ["y"])], {"x": small, "p": np.array([LARGE, LARGE, 0, 0])}),
    "Range": lambda: build(
        [helper.make_node("Range", ["a", "b", "c"], ["y"])],
        {"a": np.array(0), "b": np.array(LARGE * LARGE), "c": np.array(1)}),
    "Resize": lambda: build(
        [helper.make_node("Resize", ["x", "", "", "s"], ["y"], mode="nearest")],
        {"x": small[None, None], "s": np.array([1, 1, LARGE, LARGE])}),
    "OneHot": lambda: build(
        [helper.make_node("OneHot", ["i", "d", "v"], ["y"])],
        {"i": np.array([0, 1]), "d": np.array(LARGE * LARGE), "v": np.array([0, 1], np.float32)}),
    "EyeLike": lambda: build(
        [helper.make_node("ConstantOfShape", ["s"], ["c"]), helper.make_node("EyeLike", ["c"], ["y"])],
        {"s": np.array([4096, LARGE * LARGE])}),
    "outer product": lambda: build(
        [helper.make_node("ConstantOfShape", ["s"], ["c"]), helper.make_node("ConstantOfShape", ["t"], ["d"]),
         helper.make_node("Add", ["c", "d"], ["y"])], {"s": np.array([LARGE, 1]), "t": np.array([1, LARGE])}),
    "doubling": doubling,
    "doubling apart": doubling_apart,
}


def limit():
    limit_memory(4 << 30)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def run(folder, *command):
    result = subprocess.run([BIN / command[0], *command[1:]], cwd=folder, capture_output=True,
                            text=True, timeout=300, check=False, preexec_fn=limit,
                            env={**os.environ, "TMPDIR": str(folder)})
    assert "Stack dump" not in result.stderr
    assert result.returncode in (0, 1), (result.returncode, result.stderr)
    assert result.returncode == 0 or "error: " in result.stderr
    return result


@pytest.mark.parametrize("name", MODELS)
def test_large_constant(name, tmp_path):
    onnx.save(MODELS[name](), str(tmp_path / "model.onnx"))
    compiled = run(tmp_path, "relay-compile", "model.onnx", "--no-cache", "-o", "model.so")
    left = {path.name for path in tmp_path.iterdir()}
    if compiled.returncode:
        assert left == {"model.onnx"}
        return
    assert left == {"model.onnx", "model.so"}
    assert (tmp_path / "model.so").stat().st_size < 80 << 20
    # There is no memory for what it computes.
    if not name.endswith("used"):
        assert run(tmp_path, "relay-run", "model.so").returncode == 1


def test_small_constants_are_folded(tmp_path):
    """As before: a limit, not an end of folding."""
    model = build([helper.make_node("ConstantOfShape", ["s"], ["c"]),
                   helper.make_node("Add", ["c", "w"], ["y"])],
                  {"s": np.array([16, 16]), "w": np.ones(16, np.float32)})
    onnx.save(model, str(tmp_path / "model.onnx"))
    run(tmp_path, "relay-compile", "model.onnx", "--emit=relay", "-o", "relay.mlir")
    assert "relay.add" not in (tmp_path / "relay.mlir").read_text()
