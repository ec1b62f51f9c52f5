"""Models on devices of kind cuda, whose kernels an executor in software runs: it compares nothing
with a GPU, but every kernel is the one that a GPU gets, up to the gpu dialect, and every access to
memory is checked (docs/GPUExecutor.md)."""

import os
import pathlib
import re
import subprocess
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
BIN = BUILD / "bin"
# Products of tensor cores add up in their own order, of operands of two pieces of bf16.
TOLERANCE = 1e-4


@pytest.fixture(autouse=True)
def use_executor(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD / "lib" / "gpu-executor"))


def random_array(*shape, dtype=np.float32) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def make_model(nodes, inputs, constants, outputs=("y",)):
    types = {np.dtype(np.float32): onnx.TensorProto.FLOAT, np.dtype(np.float16): onnx.TensorProto.FLOAT16,
             np.dtype(np.int64): onnx.TensorProto.INT64, np.dtype(np.int32): onnx.TensorProto.INT32}
    graph = helper.make_graph(
        [helper.make_node(*arguments[:3], **arguments[3]) for arguments in nodes], "test",
        [helper.make_tensor_value_info(name, types[value.dtype], value.shape)
         for name, value in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def check(model, inputs, tolerance=TOLERANCE, **options):
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)
    results = rm.compile(model, target="cuda -code=mlir", cache=False, **options)(*inputs.values())
    results = results if isinstance(results, (list, tuple)) else [results]
    for result, reference in zip(results, expected, strict=True):
        result = np.asarray(result)
        assert result.shape == reference.shape and result.dtype == reference.dtype
        scale = max(1e-30, float(np.abs(reference.astype(np.float64)).max(initial=0)))
        np.testing.assert_allclose(result.astype(np.float64), reference.astype(np.float64),
                                   rtol=0, atol=tolerance * scale)


# Fewer than a tile, more than one, none that fits.
@pytest.mark.parametrize("rows, steps, columns", [
    (8, 16, 8), (64, 32, 64), (65, 33, 70), (100, 53, 37), (130, 20, 9)])
def test_products(rows, steps, columns):
    inputs = {"a": random_array(rows, steps)}
    check(make_model([("Gemm", ["a", "w", "b"], ["t"], {"transB": 1}), ("Relu", ["t"], ["y"], {})],
                     inputs, {"w": random_array(columns, steps), "b": random_array(columns)}), inputs)


def test_products_of_columns():
    inputs = {"a": random_array(40, 70), "b": random_array(40, 33)}
    check(make_model([("Gemm", ["a", "b"], ["y"], {"transA": 1})], inputs, {}), inputs)


def test_batched_products():
    inputs = {"a": random_array(2, 3, 20, 24), "b": random_array(2, 3, 24, 17)}
    check(make_model([("MatMul", ["a", "b"], ["y"], {})], inputs, {}), inputs)


def test_products_of_halves():
    inputs = {"a": random_array(24, 48, dtype=np.float16), "b": random_array(48, 20, dtype=np.float16)}
    check(make_model([("MatMul", ["a", "b"], ["y"], {})], inputs, {}), inputs, tolerance=2e-3)


@pytest.mark.parametrize("rows, steps, columns", [(64, 32, 64), (70, 200, 72), (9, 40, 130)])
def test_copied_operands(rows, steps, columns):
    """Operands that need no conversion go to shared memory by themselves, several parts at once."""
    inputs = {"a": random_array(rows, steps, dtype=np.float16)}
    weights = {"w": random_array(columns, steps, dtype=np.float16)}
    check(make_model([("Gemm", ["a", "w"], ["t"], {"transB": 1}), ("Relu", ["t"], ["y"], {})],
                     inputs, weights), inputs, tolerance=2e-3)


@pytest.mark.parametrize("precision, tolerance", [("highest", 1e-6), ("high", 1e-4), ("medium", 1e-2)])
def test_precisions(precision, tolerance):
    inputs = {"a": random_array(32, 64), "b": random_array(64, 16)}
    check(make_model([("MatMul", ["a", "b"], ["y"], {})], inputs, {}), inputs, tolerance, precision=precision)


@pytest.mark.parametrize("channels, kernel, stride, pad, dilation, groups", [
    (16, 3, 1, 1, 1, 1), (16, 1, 1, 0, 1, 1), (16, 3, 2, 1, 1, 1), (16, 3, 1, 2, 2, 1), (16, 3, 1, 1, 1, 16)])
def test_convolutions(channels, kernel, stride, pad, dilation, groups):
    inputs = {"x": random_array(1, channels, 7, 9)}
    attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4,
                  "dilations": [dilation] * 2, "group": groups}
    check(make_model([("Conv", ["x", "w", "b"], ["t"], attributes), ("Sigmoid", ["t"], ["y"], {})], inputs,
                     {"w": random_array(16, channels // groups, kernel, kernel) / 8, "b": random_array(16)}),
          inputs)


@pytest.mark.parametrize("shape", [(3, 64), (2, 3, 100), (2, 777), (1, 1700)])
def test_rows(shape):
    inputs = {"x": random_array(*shape)}
    check(make_model([("Softmax", ["x"], ["y"], {"axis": -1})], inputs, {}), inputs, 1e-5)
    length = shape[-1]
    check(make_model([("LayerNormalization", ["x", "s", "b"], ["y"], {})], inputs,
                     {"s": random_array(length), "b": random_array(length)}), inputs, 1e-5)


@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]])
def test_reductions(axes):
    inputs = {"x": random_array(5, 67, 70)}
    check(make_model([("ReduceMean", ["x", "axes"], ["y"], {"keepdims": 0})], inputs,
                     {"axes": np.array(axes, np.int64)}), inputs, 1e-5)
    check(make_model([("ReduceMax", ["x", "axes"], ["y"], {"keepdims": 1})], inputs,
                     {"axes": np.array(axes, np.int64)}), inputs, 0)


@pytest.mark.parametrize("operator, attributes", [
    ("Tanh", {}), ("Exp", {}), ("Erf", {}), ("Sin", {}), ("Gelu", {}), ("Transpose", {"perm": [1, 0]}),
    ("CumSum", None), ("TopK", None), ("MaxPool", {"kernel_shape": [3]})])
def test_operators(operator, attributes):
    shape = (2, 3, 10) if operator == "MaxPool" else (5, 300)
    inputs = {"x": random_array(*shape)}
    if operator == "CumSum":
        model = make_model([("CumSum", ["x", "axis"], ["y"], {})], inputs, {"axis": np.array(1)})
    elif operator == "TopK":
        model = make_model([("TopK", ["x", "k"], ["y", "i"], {})], inputs, {"k": np.array([4])}, ("y", "i"))
    else:
        model = make_model([(operator, ["x"], ["y"], attributes)], inputs, {})
    check(model, inputs, 1e-5)


def test_open_sizes(tmp_path):
    """One artefact for all sizes; the host computes grids, none for nothing."""
    (tmp_path / "m.mlir").write_text("""
      func.func @main(%x: tensor<?x40xf32>, %w: tensor<24x40xf32>) -> tensor<?x24xf32> {
        %0 = relay.nn.dense %x, %w : (tensor<?x40xf32>, tensor<24x40xf32>) -> tensor<?x24xf32>
        %1 = relay.nn.softmax %0 : (tensor<?x24xf32>) -> tensor<?x24xf32>
        return %1 : tensor<?x24xf32>
      }
    """)
    module = rm.compile(tmp_path / "m.mlir", target="cuda -code=mlir", cache=False)
    w = random_array(24, 40)
    for rows in (1, 33, 100, 0):
        x = random_array(rows, 40)
        e = np.exp(x.astype(np.float64) @ w.T)
        np.testing.assert_allclose(np.asarray(module(x, w)), e / e.sum(1, keepdims=True), rtol=1e-3, atol=1e-5)


def test_index_out_of_range():
    """A check on the device ends the kernel with an error that names it; then all goes on."""
    inputs = {"x": random_array(4, 3), "i": np.array([1, 3, 0], np.int64)}
    model = make_model([("Gather", ["x", "i"], ["y"], {"axis": 0})], inputs, {})
    module = rm.compile(model, target="cuda -code=mlir", cache=False)
    np.testing.assert_array_equal(np.asarray(module(*inputs.values())), inputs["x"][inputs["i"]])
    with pytest.raises(rm.RuntimeError, match="gather|take"):
        module(inputs["x"], np.array([1, 9, 0], np.int64))
    np.testing.assert_array_equal(np.asarray(module(*inputs.values())), inputs["x"][inputs["i"]])


def find_ptxas():
    candidates = [pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin" / "ptxas"]
    return next((path for path in candidates if path.exists()), None)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.skipif(find_ptxas() is None, reason="the machine lacks ptxas of the CUDA toolkit")
def test_assembler(tmp_path, arch):
    """NVIDIA's assembler takes a product and softmax, without register spills."""
    (tmp_path / "m.mlir").write_text("""
      func.func @main(%x: tensor<256x512xf32>, %w: tensor<512x512xf32>) -> tensor<256x512xf32> {
        %0 = relay.nn.dense %x, %w : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
        %1 = relay.nn.softmax %0 : (tensor<256x512xf32>) -> tensor<256x512xf32>
        return %1 : tensor<256x512xf32>
      }
    """)
    text = subprocess.run([BIN / "relay-compile", tmp_path / "m.mlir", f"--target=cuda -arch={arch}",
                           "--emit=asm", "-o", "-"], check=True, capture_output=True, text=True).stdout
    ptx = re.split("^end$", text, flags=re.MULTILINE)[1]
    (tmp_path / "m.ptx").write_text(ptx)
    log = subprocess.run([find_ptxas(), "-v", f"-arch={arch}", tmp_path / "m.ptx", "-o", tmp_path / "m.cubin"],
                         check=True, capture_output=True, text=True).stderr
    assert re.findall(r"(\d+) bytes spill", log) and set(re.findall(r"(\d+) bytes spill", log)) == {"0"}
    subprocess.run([BIN / "relay-compile", tmp_path / "m.mlir", f"--target=cuda -arch={arch} -code=cubin",
                    "-o", tmp_path / "m.so"], check=True, env={**os.environ, "CUDA_HOME": str(find_ptxas().parents[1])})
