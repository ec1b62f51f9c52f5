# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of ONNX with QuantizeLinear and DequantizeLinear, as ONNX Runtime's static quantizer
makes them, are computed in integers where they have products; against ONNX Runtime, which
computes them in floats, operator by operator.

The bound: one quantum of the last quantizer where one product is before it, and not one but
rarely; after several products a step of an inner quantizer moves sums, and with them a few
elements, by as much.
"""

import pathlib
import re
import subprocess
import sys
import os

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"
sys.path.insert(0, str(ROOT / "utils" / "models"))

from graph import Graph
from quantized import quantize

pytestmark = pytest.mark.share(2)


def run_peer(model, inputs):
    """In floats, as the nodes say; on processors without VNNI ONNX Runtime's kernels of
    8 bits saturate in between."""
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]


def emit(model, tmp_path, kind="relay", **options):
    path = tmp_path / "out"
    rm.emit(model, path, kind, **options)
    return path.read_text()


def num_float_products(text):
    """Products of floats in a module of relay."""
    return len(re.findall(r"relay\.nn\.(?:conv2d|dense|matmul|batch_matmul|conv2d_transpose)\b"
                          r".*-> tensor<[^>]*f32", text))


def last_scale(model):
    """The scale of the last quantizer."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    return float([values[node.input[1]] for node in model.graph.node
                  if node.op_type == "DequantizeLinear"][-1])


#
# Networks: what builds them, and how many elements may be off by a quantum.
#


def conv(g):
    return g.conv(g.input("x", [8, 14, 14]), "conv", 8, 16, 3, pad=1, bias=True), [16, 14, 14]


def conv_relu(g):
    y, shape = conv(g)
    return g.relu(y), shape


def conv_clip(g):
    y, shape = conv(g)
    return g.op("Clip", y, g.scalar("low", 0.0), g.scalar("high", 1.5)), shape


def strided(g):
    x = g.conv(g.input("x", [8, 15, 15]), "conv", 8, 24, 3, stride=2, pad=1, bias=True)
    return x, [24, 8, 8]


def depthwise(g):
    x = g.conv(g.input("x", [16, 14, 14]), "conv", 16, 16, 3, pad=1, groups=16, bias=True)
    return x, [16, 14, 14]


def grouped(g):
    x = g.conv(g.input("x", [16, 9, 9]), "conv", 16, 32, 3, pad=1, groups=4, bias=True)
    return x, [32, 9, 9]


def gemm(g):
    return g.linear(g.input("x", [64]), "dense", 64, 10), [10]


def matmul(g):
    weight = g.normal("weight", (48, 32), 0.2)
    return g.op("MatMul", g.input("x", [5, 48]), weight), [5, 32]


def matmul_of_data(g):
    x = g.input("x", [2, 12, 16])
    y = g.op("Transpose", x, perm=[0, 1, 3, 2])
    return g.op("MatMul", x, y), [2, 12, 12]


def transposed(g):
    weight = g.normal("weight", (8, 6, 3, 3), 0.2)
    x = g.op("ConvTranspose", g.input("x", [8, 7, 7]), weight, strides=[2, 2], pads=[1] * 4)
    return x, [6, 13, 13]


def add(g):
    x = g.input("x", [8, 14, 14])
    return g.op("Add", x, g.op("Mul", x, g.scalar("half", 0.6))), [8, 14, 14]


def concat(g):
    x = g.input("x", [8, 14, 14])
    y = g.op("Mul", x, g.scalar("half", 0.3))
    return g.op("Concat", x, y, axis=1), [16, 14, 14]


def max_pool(g):
    return g.max_pool(conv(g)[0], "pool", 2, 2), [16, 7, 7]


def average_pool(g):
    x = g.op("AveragePool", conv(g)[0], kernel_shape=[3, 3], pads=[1] * 4)
    return x, [16, 14, 14]


def global_pool(g):
    return g.op("GlobalAveragePool", g.input("x", [8, 14, 14])), [8, 1, 1]


def residual(g):
    x = g.relu(g.conv(g.input("x", [3, 16, 16]), "stem", 3, 16, 3, pad=1, bias=True))
    y = g.relu(g.conv(x, "first", 16, 16, 3, pad=1, bias=True))
    y = g.conv(y, "second", 16, 16, 3, pad=1, bias=True)
    x = g.relu(g.op("Add", x, y))
    x = g.op("Concat", g.max_pool(x, "pool", 2, 2),
             g.conv(x, "down", 16, 16, 3, stride=2, pad=1, bias=True), axis=1)
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    return g.linear(x, "classes", 32, 10), [10]


def mobile(g):
    relu6 = lambda x: g.op("Clip", x, "low", "high")
    g.scalar("low", 0.0), g.scalar("high", 6.0)
    x = relu6(g.conv(g.input("x", [3, 16, 16]), "stem", 3, 16, 3, stride=2, pad=1, bias=True))
    for i in range(2):
        y = relu6(g.conv(x, f"expand{i}", 16, 32, 1, bias=True))
        y = relu6(g.conv(y, f"depth{i}", 32, 32, 3, pad=1, groups=32, bias=True))
        x = g.op("Add", x, g.conv(y, f"project{i}", 32, 16, 1, bias=True))
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    return g.linear(x, "classes", 16, 10), [10]


SINGLE = [conv, conv_relu, conv_clip, strided, depthwise, grouped, gemm, matmul, matmul_of_data,
          transposed, add, concat, max_pool, average_pool, global_pool]
DEEP = [residual, mobile]
TYPES = {
    "u8s8": {"activation": QuantType.QUInt8, "weight": QuantType.QInt8},
    "u8u8": {"activation": QuantType.QUInt8, "weight": QuantType.QUInt8},
    "s8s8": {"activation": QuantType.QInt8, "weight": QuantType.QInt8},
    "channel": {"activation": QuantType.QUInt8, "weight": QuantType.QInt8, "per_channel": True},
    "s8 channel": {"activation": QuantType.QInt8, "weight": QuantType.QInt8, "per_channel": True},
    "asymmetric": {"activation": QuantType.QInt8, "weight": QuantType.QInt8,
                   "ActivationSymmetric": False, "WeightSymmetric": False},
}


def make(network, kind="u8s8", batch=2, seed=0):
    g = Graph(network.__name__, batch, seed)
    y, shape = network(g)
    g.output(y, "y", shape)
    # A mean other than 0: zero points off the middle.
    shape = [d.dim_value for d in g.inputs[0].type.tensor_type.shape.dim]
    rng = np.random.default_rng(seed + 1)
    feeds = [{"x": rng.normal(0.3, 1, shape).astype(np.float32)} for _ in range(3)]
    return quantize(g.model(), feeds, **TYPES[kind]), {"x": rng.normal(0.3, 1, shape).astype(np.float32)}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("network", SINGLE, ids=lambda f: f.__name__)
def test_operators(network, kind):
    model, inputs = make(network, kind)
    actual, expected = rm.compile(model).run(inputs), run_peer(model, inputs)
    steps = np.rint(np.abs(actual - expected) / last_scale(model))
    # A step of the convolution before it moves nine means.
    share = 2e-2 if network is average_pool else 2e-3
    assert steps.max() <= 1 and (steps > 0).mean() <= share


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("network", DEEP, ids=lambda f: f.__name__)
def test_networks(network, kind, tmp_path):
    model, inputs = make(network, kind)
    text = emit(model, tmp_path)
    assert num_float_products(text) == 0, text
    actual, expected = rm.compile(model).run(inputs), run_peer(model, inputs)
    steps = np.rint(np.abs(actual - expected) / last_scale(model))
    assert steps.max() <= 1
    # Without integers it is the same computation as ONNX Runtime's, more or less.
    floats = rm.compile(model, integer_regions="off").run(inputs)
    assert np.abs(floats - expected).max() <= 1.01 * last_scale(model)


@pytest.mark.parametrize("network", [conv_relu, gemm, matmul, depthwise],
                         ids=lambda f: f.__name__)
def test_switch(network, tmp_path):
    """What the option says is what is compiled."""
    model, _ = make(network)
    assert num_float_products(emit(model, tmp_path)) == 0
    assert num_float_products(emit(model, tmp_path, integer_regions="off")) == 1
    assert num_float_products(emit(model, tmp_path, opt_level=0)) == 1


def test_wrong_option():
    model, _ = make(gemm)
    with pytest.raises(ValueError, match="expects integer_regions to be on, off, hard-fail.* but "
                       "got 'sometimes'"):
        rm.compile(model, integer_regions="sometimes")
    with pytest.raises(TypeError, match="expects integer_regions to be a string, but got True"):
        rm.compile(model, integer_regions=True)  # type: ignore[call-overload]


def qdq(kind, scales=(0.05, 0.01, 0.1), zero=3, last=None, middle=None):
    """DequantizeLinear of data and weight, a dense layer, and QuantizeLinear."""
    g = Graph("qdq", 4, 0)
    rng = np.random.default_rng(0)
    x = g.input("x", [16], helper.np_dtype_to_tensor_dtype(np.dtype("uint8")))
    zeros = g.constant("zero", np.uint8(zero))
    w = g.constant("w", rng.integers(-127, 128, (16, 8)).astype(np.int8))
    s, t, u = (g.constant(f"scale{i}", np.float32(v)) for i, v in enumerate(scales))
    a = g.op("DequantizeLinear", x, s, zeros)
    b = g.op("DequantizeLinear", w, t, g.constant("none", np.int8(0)))
    y = g.op(kind, a, b) if kind else g.op("MatMul", a, b)
    if middle:
        y = g.op(middle, y)
    if last is not False:
        y = g.op("QuantizeLinear", y, u, zeros)
    g.nodes.append(helper.make_node("Identity", [y], ["y"]))
    g.outputs.append(helper.make_empty_tensor_value_info("y"))
    return g.model(), {"x": rng.integers(0, 256, (4, 16)).astype(np.uint8)}


@pytest.mark.parametrize("dtype, zero", [("int4", 0), ("uint4", 7)])
@pytest.mark.parametrize("per_channel", [False, True])
def test_weights_of_4_bits(dtype, zero, per_channel, tmp_path):
    """They are multiplied as bytes."""
    kind = np.dtype(getattr(ml_dtypes, dtype))
    # The first opset with these types.
    g = Graph("narrow", 4, 0, opset=21)
    rng = np.random.default_rng(0)
    x = g.input("x", [16], helper.np_dtype_to_tensor_dtype(np.dtype("uint8")))
    ends = ml_dtypes.iinfo(kind)
    weight = rng.integers(ends.min, ends.max + 1, (16, 8)).astype(kind)
    zeros = np.full(8, zero).astype(kind) if per_channel else np.array(zero, kind)
    scales = rng.uniform(0.1, 0.3, zeros.shape).astype(np.float32)
    three = g.constant("three", np.uint8(3))
    a = g.op("DequantizeLinear", x, g.constant("s", np.float32(0.05)), three)
    b = g.op("DequantizeLinear", g.constant("w", weight), g.constant("t", scales),
             g.constant("z", zeros), axis=1)
    y = g.op("QuantizeLinear", g.op("MatMul", a, b), g.constant("u", np.float32(0.2)), three)
    g.nodes.append(helper.make_node("Identity", [y], ["y"]))
    g.outputs.append(helper.make_empty_tensor_value_info("y"))
    model, inputs = g.model(), {"x": rng.integers(0, 256, (4, 16)).astype(np.uint8)}
    text = emit(model, tmp_path, integer_regions="hard-fail")
    assert num_float_products(text) == 0
    actual = rm.compile(model, integer_regions="hard-fail").run(inputs)
    np.testing.assert_allclose(actual.astype(int), run_peer(model, inputs), atol=1)
    np.testing.assert_allclose(actual.astype(int), rm.compile(
        model, integer_regions="off").run(inputs), atol=1)


def test_hard_fail():
    """What has no form in integers is an error, or stays in floats."""
    model, inputs = qdq("MatMul", middle="Cos")
    with pytest.raises(rm.CompileError, match="'relay.cos' op expects an operator that can be "
                       "computed in integers"):
        rm.compile(model, integer_regions="hard-fail")
    np.testing.assert_allclose(rm.compile(model).run(inputs), run_peer(model, inputs), atol=1)


def test_use_qat(tmp_path):
    """Without a quantizer behind it a product is exact, and dequantized."""
    model, inputs = qdq("MatMul", last=False)
    assert num_float_products(emit(model, tmp_path)) == 1
    assert num_float_products(emit(model, tmp_path, integer_regions="use-qat")) == 0
    actual = rm.compile(model, integer_regions="hard-fail,use-qat").run(inputs)
    np.testing.assert_allclose(actual, run_peer(model, inputs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("scales", [(0.0, 0.01, 0.1), (0.05, 0.01, 0.0), (np.inf, 0.01, 0.1),
                                    (0.05, np.nan, 0.1), (-0.05, 0.01, 0.1)])
def test_unusable_scales(scales):
    """Scales that are not positive and finite: floats, which say what becomes of them; with
    hard-fail an error."""
    model, inputs = qdq("MatMul", scales)
    with pytest.raises(rm.CompileError, match="expects scales that are positive and finite"):
        rm.compile(model, integer_regions="hard-fail")
    actual = rm.compile(model).run(inputs)
    floats = rm.compile(model, integer_regions="off").run(inputs)
    np.testing.assert_array_equal(actual, floats)


def test_denormal_scales():
    """Their products are 0 as floats: nothing but the zero point comes out, as in floats."""
    model, inputs = qdq("MatMul", (1e-40, 1e-3, 1e-2))
    np.testing.assert_array_equal(rm.compile(model).run(inputs), run_peer(model, inputs))
    model, inputs = qdq("MatMul", (1e-3, 1e-3, 1e-40))
    expected = run_peer(model, inputs)
    np.testing.assert_array_equal(rm.compile(model).run(inputs), expected)


def test_other_scale():
    """What is quantized with one scale and dequantized with another is what both say."""
    g = Graph("other", 4, 0)
    x = g.input("x", [16])
    rng = np.random.default_rng(0)
    zero = g.constant("zero", np.uint8(100))
    x = g.op("QuantizeLinear", x, g.scalar("a", 0.05), zero)
    x = g.op("DequantizeLinear", x, g.scalar("b", 0.03), g.constant("other", np.uint8(90)))
    w = g.op("DequantizeLinear", g.constant("w", rng.integers(-127, 128, (16, 8)).astype(np.int8)),
             g.scalar("c", 0.01), g.constant("none", np.int8(0)))
    y = g.op("QuantizeLinear", g.op("MatMul", x, w), g.scalar("d", 0.1), zero)
    g.nodes.append(helper.make_node("Identity", [y], ["y"]))
    g.outputs.append(helper.make_empty_tensor_value_info("y"))
    model, inputs = g.model(), {"x": rng.normal(0, 1, (4, 16)).astype(np.float32)}
    actual, expected = rm.compile(model).run(inputs), run_peer(model, inputs)
    assert np.abs(actual.astype(int) - expected).max() <= 1


def test_axis_that_is_not_there():
    g = Graph("axis", 4, 0)
    x = g.input("x", [16], helper.np_dtype_to_tensor_dtype(np.dtype("uint8")))
    y = g.op("DequantizeLinear", x, g.constant("s", np.full(16, 0.1, np.float32)), axis=2)
    g.nodes.append(helper.make_node("Identity", [y], ["y"]))
    g.outputs.append(helper.make_empty_tensor_value_info("y"))
    with pytest.raises(rm.CompileError, match=r"expects axis .*-2.*2.* but got 2|axis"):
        rm.compile(g.model())


def test_remarks(tmp_path):
    """What stays in floats is said, and why."""
    model, _ = make(add)
    onnx.save(model, tmp_path / "model.onnx")
    run = subprocess.run([BIN / "relay-compile", "model.onnx", "-o", "model.so", "--remarks"],
                         cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    assert "between bytes without a product" in run.stderr
    model, _ = qdq("MatMul", middle="Cos")
    onnx.save(model, tmp_path / "model.onnx")
    run = subprocess.run([BIN / "relay-compile", "model.onnx", "-o", "model.so", "--remarks"],
                         cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert "relay.cos has no form in integers" in run.stderr


def test_check(tmp_path):
    """relay-run --check=interpreter admits single steps of quantizers."""
    for network in (residual, mobile):
        onnx.save(make(network)[0], tmp_path / "model.onnx")
        run = subprocess.run([BIN / "relay-run", "model.onnx", "--check=interpreter"],
                             cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert run.returncode == 0, run.stdout + run.stderr
