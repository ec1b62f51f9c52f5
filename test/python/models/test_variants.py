"""Models with code for sizes that are often seen (--specialize), against ONNX Runtime, at
sizes with such code and without; the tolerance is that of float32 sums of 100 products."""

import os
import pathlib
import subprocess
import threading

import numpy as np
import onnxruntime
import pytest
import relay_mlir as rm
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"


def weight(name, *shape):
    values = np.random.default_rng(len(name)).standard_normal(shape) / 8
    return numpy_helper.from_array(values.astype("float32"), name)


@pytest.fixture
def network():
    """A convolution of open batch and height, a sum that keeps the batch, and a product."""
    nodes = [helper.make_node("Conv", ["x", "kernel"], ["c"], pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c"], ["r"]),
             helper.make_node("GlobalAveragePool", ["r"], ["g"]),
             helper.make_node("Flatten", ["g"], ["f"]),
             helper.make_node("MatMul", ["f", "matrix"], ["y"]),
             helper.make_node("Shape", ["r"], ["shape"])]
    graph = helper.make_graph(
        nodes, "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, "height", 10])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 7]),
         helper.make_tensor_value_info("shape", TensorProto.INT64, [4])],
        [weight("kernel", 16, 3, 3, 3), weight("matrix", 16, 7)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def make_input(batch, height):
    rng = np.random.default_rng([batch, height])
    return rng.standard_normal((batch, 3, height, 10)).astype("float32")


def check(network, model, batch, height):
    x = make_input(batch, height)
    session = onnxruntime.InferenceSession(network.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    for actual, expected in zip(model(x), session.run(None, {"x": x}), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


def get_calls(model, x):
    return {row.name for row in model.profile([x], repeat=1, warm_up=0)}


VARIANTS = [{"batch": 1, "height": 12}, {"batch": 4}, {"height": 12}]


def test_sizes_choose_code(network):
    model = rm.compile(network, specialize=VARIANTS, executor="graph")
    assert model.variants == VARIANTS
    assert model.inputs[0].shape == ("batch", 3, "height", 10)
    sizes = {"first": (1, 12), "second": (4, 7), "both": (4, 12), "third": (9, 12),
             "none": (3, 5), "one row": (1, 1)}
    for batch, height in sizes.values():
        check(network, model, batch, height)
    calls = {name: get_calls(model, make_input(*shape)) for name, shape in sizes.items()}
    # Each has kernels of its own; the first variant that fits is taken.
    assert calls["both"] == calls["second"] and calls["one row"] == calls["none"]
    assert len({frozenset(calls[name]) for name in ("first", "second", "third", "none")}) == 4


def test_work_is_that_of_the_variant(network):
    plain, model = rm.compile(network), rm.compile(network, specialize=VARIANTS)
    x = make_input(4, 12)
    totals = [sum(row.flop or 0 for row in each.profile([x], repeat=1, warm_up=0))
              for each in (plain, model)]
    assert totals[0] == totals[1] > 0


def test_weights_are_shared(tmp_path):
    """Two variants that pack a weight alike hold it once: the second adds code alone.

    (The program of open sizes may hold it in an order of its own.)
    """
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "matrix"], ["y"])], "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 512])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 512])],
        [weight("matrix", 512, 512)])
    product = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    sizes = []
    for variants in ([{"n": 64}], [{"n": 64}, {"n": 65}]):
        path = tmp_path / "model.so"
        rm.emit(product, path, "so", specialize=variants)
        sizes.append(path.stat().st_size)
    assert sizes[1] - sizes[0] < 512 * 512 * 4


def test_command_line(network, tmp_path):
    (tmp_path / "model.onnx").write_bytes(network.SerializeToString())
    subprocess.run([BIN / "relay-compile", tmp_path / "model.onnx", "-o", tmp_path / "model.so",
                    "--specialize=batch=1,height=12", "--specialize=batch=4"], check=True)
    text = subprocess.run([BIN / "relay-run", tmp_path / "model.so", "--info"], check=True,
                          capture_output=True, text=True).stdout
    assert "variant: batch=1,height=12\nvariant: batch=4\n" in text
    model = rm.load(tmp_path / "model.so")
    assert isinstance(model, rm.Module)
    assert model.variants == [{"batch": 1, "height": 12}, {"batch": 4}]
    for shape in ((1, 12), (4, 3), (2, 2)):
        check(network, model, *shape)


def test_phases_of_relay_opt(network, tmp_path):
    """The pass, alone, and the compiler on what it writes."""
    (tmp_path / "model.onnx").write_bytes(network.SerializeToString())
    subprocess.run([BIN / "relay-translate", "--import-onnx", tmp_path / "model.onnx", "-o",
                    tmp_path / "model.mlir"], check=True)
    subprocess.run([BIN / "relay-opt", tmp_path / "model.mlir", "-o", tmp_path / "variants.mlir",
                    "--relay-specialize=variants={batch=1,height=12},batch=4"], check=True)
    model = rm.compile(tmp_path / "variants.mlir", executor="graph")
    assert model.variants == [{"batch": 1, "height": 12}, {"batch": 4}]
    for shape in ((1, 12), (4, 3), (2, 2)):
        check(network, model, *shape)


def test_threads(network):
    model = rm.compile(network, specialize=VARIANTS, executor="graph")
    inputs = [make_input(batch, height) for batch in range(1, 6) for height in (3, 12)]
    expected = [model(x) for x in inputs]
    wrong = []

    def run():
        for _ in range(20):
            for x, (y, _) in zip(inputs, expected):
                if not np.array_equal(model(x)[0], y):
                    wrong.append(x.shape)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_errors_speak_of_the_model(network):
    model = rm.compile(network, specialize=VARIANTS, executor="graph")
    with pytest.raises(ValueError, match=r"'x' to have shape \[batch, 3, height, 10\], but got"):
        model(np.zeros((1, 3, 12, 9), np.float32))


@pytest.mark.parametrize("variants,error,message", [
    ([{"rows": 1}], rm.CompileError, 'expects the name of an open size, but got "rows"'),
    ([{"batch": 1}, {"batch": 1}], rm.CompileError, "expects variants that differ"),
    ([{}], ValueError, "expects a variant to have sizes by name, but got none"),
    ([{"batch": -1}], ValueError, "the size 'batch'"),
    ([{"batch": 1.5}], TypeError, "the size 'batch'"),
    ({"batch": 1}, TypeError, "expects specialize to be a list of sizes by name"),
    ([1], TypeError, "expects the sizes of a variant"),
])
def test_wrong_variants(network, variants, error, message):
    with pytest.raises(error, match=message):
        rm.compile(network, specialize=variants)


def test_of_a_program(network):
    with pytest.raises(rm.CompileError, match="expects variants for sizes of one function"):
        rm.compile(network, specialize=VARIANTS, executor="vm")
