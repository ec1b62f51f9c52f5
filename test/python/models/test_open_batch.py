"""Convolutions and networks of open batch: right at any batch, and with the code that a known
batch has. The reference is ONNX Runtime; tolerances are those of Winograd's algorithm and of
the precision high where the processor has matrix units, 1e-4 of the scale."""

import os
import pathlib
import subprocess

import numpy as np
import onnxruntime
import pytest
import relay_mlir as rm
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"


def make_conv(batch, channels, size, outputs, kernel, *, group=1, stride=1, dilation=1):
    rng = np.random.default_rng([channels, size, kernel])
    weight = rng.standard_normal((outputs, channels // group, kernel, kernel)) / kernel
    pad = kernel // 2 * dilation
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], group=group, strides=[stride] * 2,
                              pads=[pad] * 4, dilations=[dilation] * 2),
             helper.make_node("Relu", ["c"], ["y"])]
    graph = helper.make_graph(
        nodes, "conv",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, channels, size, size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(weight.astype("float32"), "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


CONVOLUTIONS = {
    "winograd": {"channels": 64, "size": 14, "outputs": 64, "kernel": 3},
    "winograd, odd size": {"channels": 48, "size": 13, "outputs": 40, "kernel": 3},
    "winograd, few tiles": {"channels": 128, "size": 7, "outputs": 136, "kernel": 3},
    "winograd, window of 5": {"channels": 64, "size": 14, "outputs": 64, "kernel": 5},
    "winograd, groups": {"channels": 128, "size": 14, "outputs": 128, "kernel": 3, "group": 2},
    "winograd, dilated": {"channels": 64, "size": 15, "outputs": 64, "kernel": 3, "dilation": 2},
    "stride": {"channels": 32, "size": 15, "outputs": 48, "kernel": 3, "stride": 2},
    "one pixel": {"channels": 96, "size": 9, "outputs": 40, "kernel": 1},
    "depthwise": {"channels": 96, "size": 12, "outputs": 96, "kernel": 3, "group": 96},
    "depthwise, stride": {"channels": 40, "size": 13, "outputs": 40, "kernel": 3, "group": 40,
                          "stride": 2},
    "depthwise, window of 5": {"channels": 24, "size": 11, "outputs": 24, "kernel": 5,
                               "group": 24},
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name):
    model = make_conv("n", **CONVOLUTIONS[name])
    run = rm.compile(model, desired_layout="NHWC")
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    shape = [CONVOLUTIONS[name][key] for key in ("channels", "size", "size")]
    for batch in (1, 2, 3, 7, 0):
        x = np.random.default_rng(batch).standard_normal([batch, *shape]).astype("float32")
        actual = run(x)
        if batch == 0:
            assert actual.shape[0] == 0
            continue
        expected = session.run(None, {"x": x})[0]
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4 * abs(expected).max())


def get_remarks(tmp_path, model):
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    text = subprocess.run(
        [BIN / "relay-compile", tmp_path / "model.onnx", "-o", tmp_path / "model.so", "--no-cache",
         "--remarks", "--target=x86-64-v3", "--desired-layout=NHWC"],
        check=True, capture_output=True, text=True).stderr
    return {line.strip() for line in text.splitlines()}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_open_batch_has_the_code_of_a_known_one(tmp_path, name):
    """The same rules for the same blocks, all in tiles, and nothing keeps threads from it."""
    known = get_remarks(tmp_path, make_conv(1, **CONVOLUTIONS[name]))
    text = get_remarks(tmp_path, make_conv("n", **CONVOLUTIONS[name]))
    for remarks in (known, text):
        assert [line for line in remarks if line.startswith("tile: @")]
    rules = {line for line in known if line.startswith("rule: ") and "transpos" not in line
             and "@pad" not in line}
    assert rules and rules <= text
    assert {line for line in text if line.startswith("not tile")} <= known
    assert not [line for line in text
                if line.startswith("not parallel") and "that pay for threads" not in line]


# Words of a sentence, size, columns: rows of a known number for each sentence, which the tile
# divides or not; few rows; and rows that are as many as a product of open sizes.
PRODUCTS: dict[str, tuple[int | str, int, int]] = {
    "128 words": (128, 768, 512),
    "100 words": (100, 640, 130),
    "97 words": (97, 1536, 64),
    "few words": (12, 256, 96),
    "open words": ("words", 512, 64),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    words, size, columns = PRODUCTS[name]
    rng = np.random.default_rng([size, columns])
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["s"]),
         helper.make_node("Relu", ["s"], ["y"])], "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", words, size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(rng.standard_normal(shape).astype("float32"), key)
         for key, shape in (("w", (size, columns)), ("b", (columns,)))])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    run = rm.compile(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    for batch in (1, 2, 5, 0):
        count = words if isinstance(words, int) else 50
        x = rng.standard_normal([batch, count, size]).astype("float32")
        actual = run(x)
        expected = session.run(None, {"x": x})[0]
        assert actual.shape == expected.shape
        scale = expected.max(initial=1)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4 * scale)


@pytest.mark.parametrize("size", [128, 131, 255, 513, 1030])
def test_rows_that_are_left_alone(size):
    """A tile takes several rows; those that are left read their weights, of over a mebibyte, from
    two places at a time, also where the number of steps is odd."""
    columns = 2 * 1024**2 // 4 // size // 8 * 8 + 5
    rng = np.random.default_rng(size)
    weight = rng.standard_normal((size, columns)).astype("float32")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", size])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(weight, "w")])
    run = rm.compile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                                       ir_version=9))
    for batch in (0, 1, 2, 3, 5, 6, 7, 13):
        x = rng.standard_normal([batch, size]).astype("float32")
        expected = x.astype("float64") @ weight.astype("float64")
        scale = np.abs(expected).max(initial=1)
        np.testing.assert_allclose(run(x), expected, rtol=0, atol=1e-4 * scale)
