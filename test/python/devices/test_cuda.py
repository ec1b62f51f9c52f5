"""Models on devices of kind cuda, whose kernels an executor in software runs: it compares nothing
with a GPU, but every kernel is the one that a GPU gets, up to the gpu dialect, and every access to
memory is checked (docs/GPUExecutor.md)."""

import json
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

pytestmark = pytest.mark.share(2)

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
             np.dtype(np.int64): onnx.TensorProto.INT64, np.dtype(np.int32): onnx.TensorProto.INT32,
             np.dtype(np.bool_): onnx.TensorProto.BOOL, np.dtype(np.uint8): onnx.TensorProto.UINT8}
    graph = helper.make_graph(
        [helper.make_node(*arguments[:3], **arguments[3]) for arguments in nodes], "test",
        [helper.make_tensor_value_info(name, types[value.dtype], value.shape)
         for name, value in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def check(model, inputs, tolerance=TOLERANCE, target="cuda -code=mlir", **options):
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)
    results = rm.compile(model, target=target, cache=False, **options)(*inputs.values())
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


HOPPER = "cuda -arch=sm_90a -code=mlir"


# What large products get: rows, columns, steps and warps. In two pieces, more columns would
# take more shared memory than there is.
TILES = [(np.float32, "64, 64, 64", "4, 1"), (np.float32, "128, 64, 64", "8, 1"),
         (np.float32, "128, 128, 64", "8, 1"), (np.float16, "64, 64, 64", "4, 1"),
         (np.float16, "128, 128, 64", "8, 1"), (np.float16, "128, 256, 64", "8, 1"),
         (np.float16, "192, 192, 64", "12, 1")]


# On a small product: neither rows nor columns nor steps fill a tile.
@pytest.mark.parametrize("dtype, tile, warps", TILES)
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_products_by_warpgroups(tmp_path, dtype, tile, warps, transpose_a, transpose_b):
    # Operands of f16 have sizes that are copied by 16 bytes, in either order.
    rows, steps, columns = (136, 200, 264) if dtype == np.float16 else (133, 150, 139)
    a, b = random_array(rows, steps, dtype=dtype), random_array(steps, columns, dtype=dtype)
    inputs = [np.ascontiguousarray(a.T) if transpose_a else a,
              np.ascontiguousarray(b.T) if transpose_b else b]
    element = "f32" if dtype == np.float32 else "f16"
    types = [f"tensor<{x.shape[0]}x{x.shape[1]}x{element}>" for x in (*inputs, a @ b)]
    (tmp_path / "model.mlir").write_text(f"""
        func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
          %0 = relay.nn.matmul %a, %b {{
              transpose_a = {str(transpose_a).lower()}, transpose_b = {str(transpose_b).lower()}}}
              : ({types[0]}, {types[1]}) -> {types[2]}
          return %0 : {types[2]}
        }}""")
    command = [BIN / "relay-compile", tmp_path / "model.mlir", f"--target={HOPPER}", "--no-cache"]
    subprocess.run([*command, "-o", tmp_path / "first.so", f"--save-schedules={tmp_path / 'rules'}"],
                   check=True)
    (schedule,) = (tmp_path / "rules").iterdir()
    text, count = re.subn(
        r"tile = \[.*?\], warps = \[.*?\](.*instruction = \"wgmma\")",
        rf"tile = [{tile}], warps = [{warps}]\1", schedule.read_text())
    assert count == 1
    schedule.write_text(text)
    subprocess.run([*command, "-o", tmp_path / "model.so", f"--schedules={schedule}"], check=True)
    result = np.asarray(rm.load(str(tmp_path / "model.so"))(*inputs))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    tolerance = 1e-5 if dtype == np.float32 else 1e-3
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("rows, steps, columns", [(8, 64, 8), (65, 65, 70), (100, 130, 37), (1, 256, 300)])
@pytest.mark.parametrize("precision", ["high", "medium"])
def test_products_of_any_size_by_warpgroups(rows, steps, columns, precision):
    inputs = {"a": random_array(rows, steps)}
    model = make_model([("Gemm", ["a", "w", "b"], ["t"], {"transB": 1}), ("Relu", ["t"], ["y"], {})],
                       inputs, {"w": random_array(columns, steps), "b": random_array(columns)})
    check(model, inputs, tolerance=1e-5 if precision == "high" else 1e-2, target=HOPPER,
          precision=precision)


@pytest.mark.parametrize("stride, group, dtype", [(1, 1, np.float32), (2, 1, np.float32), (1, 2, np.float32),
                                                  (1, 1, np.float16)])
def test_convolutions_by_warpgroups(stride, group, dtype):
    inputs = {"x": random_array(2, 16, 11, 13, dtype=dtype)}
    weights = random_array(24, 16 // group, 3, 3, dtype=dtype) / dtype(8)
    model = make_model(
        [("Conv", ["x", "w", "b"], ["t"], {"pads": [1] * 4, "strides": [stride] * 2, "group": group}),
         ("Relu", ["t"], ["y"], {})], inputs, {"w": weights, "b": random_array(24, dtype=dtype)})
    check(model, inputs, tolerance=1e-5 if dtype == np.float32 else 2e-3, target=HOPPER)


@pytest.mark.parametrize("target", ["cuda -code=mlir", HOPPER])
@pytest.mark.parametrize("channels, stride, padding, dtype", [
    (16, 2, 0, np.float32), (20, 1, 1, np.float32), (64, 3, 1, np.float32), (64, 2, 0, np.float16)])
def test_convolutions_of_one_pixel(target, channels, stride, padding, dtype):
    inputs = {"x": random_array(1, channels, 8, 9, dtype=dtype)}
    model = make_model([("Conv", ["x", "w"], ["y"], {"pads": [padding] * 4, "strides": [stride] * 2})], inputs,
                       {"w": random_array(24, channels, 1, 1, dtype=dtype)})
    check(model, inputs, tolerance=1e-5 if dtype == np.float32 else 2e-3, target=target)


@pytest.mark.parametrize("target", ["cuda -code=mlir", HOPPER])
def test_products_of_infinities_and_large_numbers(target):
    """What is no bf16 is in the second piece."""
    x, w = np.ones((16, 64), np.float32), random_array(64, 16)
    for row, value in enumerate([np.inf, -np.inf, np.nan, 3.4e38, -3.4e38]):
        x[row] = 0
        x[row, 5] = value
    w[5] = 0.55
    model = make_model([("MatMul", ["x", "w"], ["y"], {})], {"x": x}, {"w": w})
    result = np.asarray(rm.compile(model, target=target, cache=False)(x))
    np.testing.assert_allclose(result, x.astype(np.float64) @ w, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("node", [("Transpose", ["x"], ["y"], {"perm": [0, 1]}), ("Cast", ["x"], ["y"], {"to": 1}),
                                  ("Reshape", ["x", "s"], ["y"], {})])
def test_models_that_compute_nothing(node):
    inputs = {"x": random_array(4, 6)}
    check(make_model([node], inputs, {"s": np.array([4, 6], np.int64)}), inputs, tolerance=0)


@pytest.mark.parametrize("shape", [(33, 0), (0, 33), (4, 0, 5)])
@pytest.mark.parametrize("node", [("Softmax", ["x"], ["y"], {"axis": 1}), ("Transpose", ["x"], ["y"], {}),
                                  ("ReduceSum", ["x", "a"], ["y"], {}), ("Tanh", ["x"], ["y"], {})])
def test_empty_tensors(shape, node):
    inputs = {"x": random_array(*shape)}
    check(make_model([node], inputs, {"a": np.array([1], np.int64)}), inputs, tolerance=0)


def test_batched_products_by_warpgroups():
    inputs = {"a": random_array(2, 3, 20, 72, dtype=np.float16),
              "b": random_array(2, 3, 72, 40, dtype=np.float16)}
    check(make_model([("MatMul", ["a", "b"], ["y"], {})], inputs, {}), inputs, tolerance=2e-3, target=HOPPER)


# Neither side fills tiles; the other operand is read along rows.
@pytest.mark.parametrize("shape, perm", [((300, 333), (1, 0)), ((257, 300), (1, 0)), ((2, 65, 33, 34), (0, 2, 3, 1)),
                                         ((3, 40, 41, 42), (0, 3, 1, 2)), ((33, 5, 64, 17), (3, 2, 1, 0))])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64])
def test_transposes(shape, perm, dtype):
    inputs = {"x": random_array(*shape).astype(dtype)}
    check(make_model([("Transpose", ["x"], ["y"], {"perm": perm})], inputs, {}), inputs, tolerance=0)
    inputs["z"] = random_array(*(shape[axis] for axis in perm)).astype(dtype)
    check(make_model([("Transpose", ["x"], ["t"], {"perm": perm}), ("Add", ["t", "z"], ["y"], {})], inputs, {}),
          inputs, tolerance=0)


# Few results of long sums are products of parts, which a thread adds up for each result.
@pytest.mark.parametrize("target", ["cuda -code=mlir", HOPPER])
@pytest.mark.parametrize("rows, steps, columns", [(16, 1024, 24), (49, 1032, 70), (70, 4608, 9), (9, 1021, 9)])
@pytest.mark.parametrize("has_epilogue", [False, True])
def test_products_in_parts(target, rows, steps, columns, has_epilogue):
    inputs = {"a": random_array(rows, steps)}
    nodes = [("Gemm", ["a", "w", "b"], ["t"], {"transB": 1}), ("Relu", ["t"], ["y"], {})]
    if not has_epilogue:
        nodes = [("Gemm", ["a", "w"], ["y"], {"transB": 1})]
    check(make_model(nodes, inputs, {"w": random_array(columns, steps), "b": random_array(columns)}),
          inputs, tolerance=1e-5, target=target)


def test_products_of_halves_in_parts():
    inputs = {"a": random_array(24, 1024, dtype=np.float16), "b": random_array(1024, 40, dtype=np.float16)}
    check(make_model([("MatMul", ["a", "b"], ["y"], {})], inputs, {}), inputs, tolerance=2e-3, target=HOPPER)


@pytest.mark.parametrize("group", [1, 2])
def test_convolutions_in_parts(group):
    inputs = {"x": random_array(1, 128, 5, 6)}
    weights = random_array(32, 128 // group, 3, 3) / 16
    model = make_model(
        [("Conv", ["x", "w", "b"], ["t"], {"pads": [1] * 4, "group": group}), ("Add", ["t", "t"], ["u"], {}),
         ("Relu", ["u"], ["y"], {})], inputs, {"w": weights, "b": random_array(32)})
    check(model, inputs, tolerance=1e-5, target=HOPPER)


def test_schedules_for_another_gpu_are_refused(tmp_path):
    inputs = {"a": random_array(40, 80, dtype=np.float16), "b": random_array(80, 32, dtype=np.float16)}
    model = make_model([("MatMul", ["a", "b"], ["y"], {})], inputs, {})
    onnx.save(model, tmp_path / "model.onnx")
    command = [BIN / "relay-compile", tmp_path / "model.onnx", "--no-cache", "-o", tmp_path / "model.so"]
    subprocess.run([*command, f"--target={HOPPER}", f"--save-schedules={tmp_path / 'rules'}"], check=True)
    (schedule,) = (tmp_path / "rules").iterdir()

    def refuse(target):
        run = subprocess.run([*command, f"--target={target}", f"--schedules={schedule}"],
                             capture_output=True, text=True)
        assert run.returncode == 1, run.stderr
        return run.stderr

    assert "expects a schedule for the target of the kernel, #cuda." in refuse("cuda")
    rules = schedule.read_text()
    text, count = re.subn(r", target\.spec = #cuda\.\w+<[^>]*>", "", rules)
    assert count == 1
    schedule.write_text(text)
    assert ("expects an architecture with the instruction wgmma, such as sm_90a, but got sm_80"
            in refuse("cuda"))
    for pattern, nonsense, message in [
            (r"rows = \[0\], columns = \[1\]", "rows = [1], columns = [0]",
             "expects rows of cuda.product to be variables of that kind, but got variable 1"),
            (r"rows = \[0\]", "rows = []",
             "expects each variable once in cuda.product, but got variable 0 0 times"),
            (r"rows = \[0\]", "rows = [0, 0]", "but got variable 0 2 times"),
            (r"reduction = \[2\]", "reduction = [99]",
             "expects variables of cuda.product below 3, but got 99"),
            (r"pieces = 1", "pieces = 2", "expects one piece for elements of 'f16', but got 2"),
            (r", epilogue = \".*?\"", "", "to name each other"),
            (r"tile = .*?warps = \[.*?\]", "tile = [320, 128, 64], warps = [20, 1]",
             "loads of 8 elements by each of 640 threads, but got 128 x 64")]:
        text, count = re.subn(pattern, nonsense, rules)
        assert count == 1
        schedule.write_text(text)
        assert message in refuse(HOPPER)
    schedule.write_text(rules)
    schedule.write_text(re.sub(r"tile = .*? stages = \d",
                               "tile = [128, 256, 64], warps = [8, 1], pieces = 1, stages = 8",
                               schedule.read_text()))
    assert ("expects at most 232448 bytes of shared memory for a block of threads, but got 393216"
            in refuse(HOPPER))


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


def make_byte_product(left, right, rows, steps, columns):
    """A function, its inputs and what it computes."""
    rng = np.random.default_rng(0)
    inputs = [rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
              for dtype, shape in ((left, (rows, steps)), (right, (columns, steps)))]
    element = {np.int8: "i8", np.uint8: "ui8"}
    types = [f"tensor<{rows}x{steps}x{element[left]}>", f"tensor<{columns}x{steps}x{element[right]}>",
             f"tensor<{rows}x{columns}xi32>"]
    text = f"""
        func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
          %0 = relay.nn.dense %a, %b {{out_dtype = i32}} : ({types[0]}, {types[1]}) -> {types[2]}
          return %0 : {types[2]}
        }}"""
    return text, inputs, inputs[0].astype(np.int32) @ inputs[1].astype(np.int32).T


# Copied and not, in one tile and in more, in parts.
@pytest.mark.parametrize("target", ["cuda -code=mlir", HOPPER])
@pytest.mark.parametrize("left", [np.int8, np.uint8])
@pytest.mark.parametrize("right", [np.int8, np.uint8])
@pytest.mark.parametrize("rows, steps, columns", [(64, 64, 64), (65, 257, 70), (130, 272, 129), (9, 2080, 9)])
def test_products_of_bytes(target, left, right, rows, steps, columns):
    text, inputs, expected = make_byte_product(left, right, rows, steps, columns)
    result = rm.compile(rm.parse(text), target=target, cache=False)(*inputs)
    np.testing.assert_array_equal(result, expected)


def test_sums_of_bytes_wrap_around():
    x = np.full((8, 2**17 + 64), -128, np.int8)
    text, _, _ = make_byte_product(np.int8, np.int8, 8, x.shape[1], 8)
    result = rm.compile(rm.parse(text), target="cuda -code=mlir", cache=False)(x, x)
    np.testing.assert_array_equal(result, np.full((8, 8), 64 * 128**2 - 2**31, np.int32))


@pytest.mark.parametrize("target", ["cuda -code=mlir", HOPPER])
@pytest.mark.parametrize("tile, warps, instruction, message", [
    ("64, 64, 16", "2, 2", "mma", "expects a tile of multiples of 32 steps for elements of 'i8', but got 16"),
    ("64, 64, 64", "4, 1", "wgmma", "expects a tile of 128 steps for elements of 'i8', but got 64"),
    ("64, 64, 128", "4, 1", "wgmma", "expects the instruction mma for elements with a sign and such "
                                     "without, but got wgmma")])
def test_schedules_that_do_not_fit_bytes(tmp_path, target, tile, warps, instruction, message):
    if target != HOPPER and instruction == "wgmma":
        target, message = "cuda -code=mlir", "such as sm_90a, but got sm_80"
    left = np.uint8 if "with a sign" in message else np.int8
    (tmp_path / "model.mlir").write_text(make_byte_product(left, np.int8, 64, 128, 64)[0])
    command = [BIN / "relay-compile", tmp_path / "model.mlir", "--no-cache", "-o", tmp_path / "model.so",
               f"--target={target}"]
    subprocess.run([*command, f"--save-schedules={tmp_path / 'rules'}"], check=True)
    (schedule,) = (tmp_path / "rules").iterdir()
    text, count = re.subn(r"tile = .*?warps = \[.*?\], pieces = 1, stages = 4(, instruction = \"wgmma\")?",
                          f"tile = [{tile}], warps = [{warps}], pieces = 1, stages = 4, "
                          f'instruction = "{instruction}"', schedule.read_text())
    assert count == 1
    schedule.write_text(text)
    run = subprocess.run([*command, f"--schedules={schedule}"], capture_output=True, text=True)
    assert run.returncode == 1 and message in run.stderr, run.stderr


@pytest.mark.parametrize("target", ["cuda -code=mlir", HOPPER])
@pytest.mark.parametrize("kernel, stride, pad", [(1, 1, 0), (3, 1, 1), (3, 2, 1)])
def test_convolutions_of_bytes(target, kernel, stride, pad):
    rng = np.random.default_rng(0)
    inputs = {"x": rng.integers(0, 255, (2, 32, 9, 11), np.uint8, endpoint=True)}
    weights = rng.integers(-128, 127, (24, 32, kernel, kernel), np.int8, endpoint=True)
    attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4}
    model = make_model([("ConvInteger", ["x", "w", "z"], ["y"], attributes)], inputs,
                       {"w": weights, "z": np.uint8(128)})
    check(model, inputs, tolerance=0, target=target)


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


# More columns than blocks along the second dimension of a grid: one that no size of a block
# divides, and of sizes that are not known.
def test_reductions_of_many_columns():
    inputs = {"x": random_array(2, 3, 100003)}
    check(make_model([("ReduceSum", ["x", "axes"], ["y"], {"keepdims": 0})], inputs,
                     {"axes": np.array([1])}), inputs, 1e-5)


def test_windows_of_long_signals():
    """The host clamps the grid, and blocks go over what is left."""
    inputs = {"x": random_array(1, 2, 66000)}
    model = make_model([("MaxPool", ["x"], ["y"], {"kernel_shape": [3]})], inputs, {})
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "n"
    check(model, inputs, 0)


@pytest.mark.parametrize("target", ["cuda -code=mlir", HOPPER])
def test_attention_of_square_matrices(target):
    """Rows of one step are not those of another because there are as many: blocks of threads
    would write the same transposed keys."""
    inputs = {name: random_array(1, 2, 64, 64, dtype=np.float16) for name in "qkv"}
    check(make_model(
        [("Transpose", ["k"], ["t"], {"perm": [0, 1, 3, 2]}), ("MatMul", ["q", "t"], ["s"], {}),
         ("Mul", ["s", "c"], ["u"], {}), ("Softmax", ["u"], ["p"], {}), ("MatMul", ["p", "v"], ["y"], {})],
        inputs, {"c": np.array(0.125, np.float16)}), inputs, tolerance=4e-3, target=target)


# What is in tensors decides on sizes: tensors of which only the sizes are known go to the
# device as well, without data.
@pytest.mark.parametrize("node", [
    ("NonZero", ["x"], ["y"], {}), ("Compress", ["x", "c"], ["y"], {"axis": 1}),
    ("Unique", ["x"], ["y"], {}), ("Expand", ["x", "s"], ["y"], {})])
def test_sizes_that_elements_decide(node):
    inputs = {"x": np.round(random_array(20, 30))}
    if "c" in node[1]:
        inputs["c"] = random_array(30) > 0
    if "s" in node[1]:
        inputs["s"] = np.array([3, 1, 30])
    check(make_model([node], inputs, {}), inputs, tolerance=0)


def test_index_out_of_range():
    """A check on the device ends the kernel with an error that names it; then all goes on."""
    inputs = {"x": random_array(4, 3), "i": np.array([1, 3, 0], np.int64)}
    model = make_model([("Gather", ["x", "i"], ["y"], {"axis": 0})], inputs, {})
    module = rm.compile(model, target="cuda -code=mlir", cache=False)
    np.testing.assert_array_equal(np.asarray(module(*inputs.values())), inputs["x"][inputs["i"]])
    with pytest.raises(rm.RuntimeError, match="gather|take"):
        module(inputs["x"], np.array([1, 9, 0], np.int64))
    np.testing.assert_array_equal(np.asarray(module(*inputs.values())), inputs["x"][inputs["i"]])


def test_kernels_of_many_parameters(tmp_path):
    """More than 4352 bytes of them need a later PTX than the oldest one of the architecture."""
    names = tuple(f"x{i}" for i in range(140))
    model = make_model([("Sum", names, ["y"], {})], {name: random_array(1, 1, 1, 4) for name in names}, {}, ["y"])
    for value in model.graph.input:
        for i, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_{i}"
    onnx.save(model, tmp_path / "model.onnx")
    text = subprocess.run([BIN / "relay-compile", tmp_path / "model.onnx", "--target=cuda", "--emit=asm", "-o", "-"],
                          check=True, capture_output=True, text=True).stdout
    assert "\n.version 8.1\n" in text and "\n.target sm_80\n" in text


# As programs for TVM write it; what else they say of a GPU follows from its architecture.
@pytest.mark.parametrize("target", [
    "cuda -code=mlir", {"kind": "cuda", "arch": "sm_90a", "code": "mlir", "max_num_threads": 1024}])
def test_programs_in_relay(target):
    from relay_mlir import relay
    x = relay.var("x", shape=(8, 64), dtype="float32")
    w = random_array(16, 64)
    module = relay.IRModule.from_expr(relay.Function([x], relay.nn.softmax(relay.nn.dense(x, relay.const(w)))))
    with relay.target.Target(target):
        lib = relay.build(module)
    assert {"dense", "softmax"} <= {node["name"] for node in json.loads(lib.get_graph_json())["nodes"]}
    assert lib.compiled.devices == ["cpu:0", "cuda:0"]
    with pytest.raises(NotImplementedError, match=r"expects a device of the code, cpu:0 or cuda:0, but got cuda\(1\)"):
        lib["default"](relay.device.cuda(1))
    run = lib["default"](relay.device.cuda(0))
    value = random_array(8, 64)
    run.run(x=value)
    e = np.exp(value.astype(np.float64) @ w.T)
    np.testing.assert_allclose(run.get_output(0).numpy(), e / e.sum(1, keepdims=True), rtol=1e-3, atol=1e-5)
    assert "fused_nn_softmax" in str(relay.optimize(module, target="cuda")[0])


@pytest.mark.parametrize("key", ["cuda", "gpu"])
def test_parts_of_programs_in_relay(key):
    """A target for each kind of devices, by names; the rest is on the host."""
    from relay_mlir import relay
    x = relay.var("x", shape=(3, 40), dtype="float32")
    there = relay.on_device(relay.nn.softmax(relay.exp(x)), relay.device.cuda(0))
    module = relay.IRModule.from_expr(relay.Function([x], relay.add(there, x)))
    lib = relay.build(module, target={"cpu": "llvm", key: "cuda -arch=sm_90a -code=mlir -max_num_threads=1024"})
    assert lib.compiled.devices == ["cpu:0", "cuda:0"]
    value = random_array(3, 40)
    e = np.exp(np.exp(value.astype(np.float64)))
    np.testing.assert_allclose(np.asarray(lib(value)), e / e.sum(1, keepdims=True) + value, rtol=1e-5, atol=1e-6)


def test_wrong_architectures_in_relay():
    from relay_mlir import relay
    x = relay.var("x", shape=(8,), dtype="float32")
    module = relay.IRModule.from_expr(relay.Function([x], relay.exp(x)))
    with pytest.raises(relay.CompileError, match="expects native or an architecture of sm_80, .* but got 'sm_70'"):
        relay.build(module, "cuda -arch=sm_70")


def find_ptxas():
    candidates = [pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin" / "ptxas"]
    return next((path for path in candidates if path.exists()), None)


# Small and large products are by different tiles.
@pytest.mark.parametrize("rows, dtype", [(256, "f32"), (2048, "f32"), (2048, "bf16"), (4096, "f16")])
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.skipif(find_ptxas() is None, reason="the machine lacks ptxas of the CUDA toolkit")
def test_assembler(tmp_path, arch, rows, dtype):
    """NVIDIA's assembler takes products and softmax, without register spills or products that wait
    for each other."""
    x, w, y = (f"tensor<{shape}x{dtype}>" for shape in (f"{rows}x512", "2048x512", f"{rows}x2048"))
    (tmp_path / "m.mlir").write_text(f"""
      func.func @main(%x: {x}, %w: {w}) -> {y} {{
        %0 = relay.nn.dense %x, %w : ({x}, {w}) -> {y}
        %1 = relay.nn.softmax %0 : ({y}) -> {y}
        return %1 : {y}
      }}
    """)
    text = subprocess.run([BIN / "relay-compile", tmp_path / "m.mlir", f"--target=cuda -arch={arch}",
                           "--emit=asm", "-o", "-"], check=True, capture_output=True, text=True).stdout
    ptx = re.split("^end$", text, flags=re.MULTILINE)[1]
    (tmp_path / "m.ptx").write_text(ptx)
    run = subprocess.run([find_ptxas(), "-v", f"-arch={arch}", tmp_path / "m.ptx",
                          "-o", tmp_path / "m.cubin"], check=True, capture_output=True, text=True)
    log = run.stderr + run.stdout
    assert "serialized" not in log and ("wgmma" in ptx) == (arch == "sm_90a")
    spills = [int(size) for size in re.findall(r"(\d+) bytes spill", log)]
    # The assembler takes 128 registers for products of sm_100a, which are not enough by three.
    assert spills and max(spills) <= (12 if arch == "sm_100a" else 0)
    subprocess.run([BIN / "relay-compile", tmp_path / "m.mlir", f"--target=cuda -arch={arch} -code=cubin",
                    "-o", tmp_path / "m.so"], check=True,
                   env={**os.environ, "CUDA_HOME": str(find_ptxas().parents[1])})
