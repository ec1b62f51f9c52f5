# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compilation succeeds, and gives the same bytes, whenever and with however
many threads: two small networks for every target of utils/sweep.py, which does
it with large ones."""

import os
import pathlib
import sys
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils"))
import sweep  # noqa: E402

pytestmark = pytest.mark.share(4)

BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
GROUPS, CHANNELS = 4, 48


def shuffle_network():
    """Convolutions in groups, whose channels are mixed, a depthwise one and a product."""
    rng = np.random.default_rng(0)
    weights: dict[str, Any] = {}
    nodes: list[Any] = []

    def weight(name, *shape):
        values = rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        weights[name] = values.astype(np.float32)
        return name

    def add(kind, *inputs, **attributes):
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    weights["apart"] = np.array([1, GROUPS, CHANNELS // GROUPS, 10, 10])
    weights["together"] = np.array([1, CHANNELS, 10, 10])
    x = add("Conv", "x", weight("w0", CHANNELS, 3, 3, 3), pads=[1] * 4)
    y = add("Relu", add("Conv", x, weight("w1", CHANNELS, CHANNELS // GROUPS, 1, 1), group=GROUPS))
    y = add("Reshape", add("Transpose", add("Reshape", y, "apart"), perm=[0, 2, 1, 3, 4]),
            "together")
    y = add("Conv", y, weight("w2", CHANNELS, 1, 3, 3), group=CHANNELS, pads=[1] * 4)
    y = add("Conv", y, weight("w3", CHANNELS, CHANNELS // GROUPS, 1, 1), group=GROUPS)
    y = add("Flatten", add("GlobalAveragePool", add("Relu", add("Add", x, y))))
    y = add("Softmax", add("MatMul", y, weight("w4", CHANNELS, 40)))
    graph = helper.make_graph(
        nodes, "shuffle", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 10, 10])],
        [helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, 40])],
        [numpy_helper.from_array(values, name) for name, values in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def attention_network():
    """Products of two inputs with a softmax between, a dynamic length, and int8 weights."""
    rng = np.random.default_rng(1)
    values = {
        "w": rng.standard_normal((64, 96)).astype(np.float32) / 8,
        "q": rng.integers(-128, 128, (32, 40)).astype(np.int8),
        "scale": np.float32(0.05), "zero": np.int8(3), "root": np.float32(0.25)
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["all"]),
        helper.make_node("Split", ["all"], ["a", "b", "c"], axis=-1, num_outputs=3),
        helper.make_node("Transpose", ["b"], ["bt"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["a", "bt"], ["s"]),
        helper.make_node("Mul", ["s", "root"], ["t"]),
        helper.make_node("Softmax", ["t"], ["p"]),
        helper.make_node("MatMul", ["p", "c"], ["h"]),
        helper.make_node("QuantizeLinear", ["h", "scale", "zero"], ["hq"]),
        helper.make_node("MatMulInteger", ["hq", "q", "zero"], ["yi"]),
        helper.make_node("Cast", ["yi"], ["y"], to=TensorProto.FLOAT),
    ]
    graph = helper.make_graph(
        nodes, "attention",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, "n", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, "n", 40])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


@pytest.fixture(scope="module", params=[shuffle_network, attention_network])
def path(request, tmp_path_factory):
    name = tmp_path_factory.mktemp("sweep") / f"{request.param.__name__}.onnx"
    onnx.save(request.param(), name)
    return name


@pytest.mark.parametrize("target,precision", [
    (target, precision) for target, precisions in sweep.TARGETS.items() for precision in precisions])
def test_same_bytes(path, target, precision):
    case = sweep.Case(path.stem, target, precision)
    message = sweep.run_case(BUILD, path, case, threads=[1, 8, 2])
    assert message is None, message
