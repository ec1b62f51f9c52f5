# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows whose padding or number depends on a size that is known when a model runs.

One artefact at many sizes, against ONNX Runtime and the interpreter. Tolerance: 2e-5
of the output's largest magnitude.
"""

from typing import Any

import numpy as np
import pytest
from onnx import helper
from test_open_sizes import Pair, random
from test_sizes_that_do_not_fit import Triple

pytestmark = pytest.mark.share(2)

SAME = ["SAME_UPPER", "SAME_LOWER"]


@pytest.mark.parametrize("auto_pad", SAME)
@pytest.mark.parametrize("kernel, stride", [
    (3, 2), (1, 2), (2, 3), (2, 2), (5, 4), (4, 3), (11, 4)])
def test_convolutions(tmp_path, auto_pad, kernel, stride):
    node = helper.make_node("Conv", ["x", "w"], ["y"], auto_pad=auto_pad, strides=[stride, 1])
    triple = Triple(tmp_path, [node], {"x": (["n", 2, "h", "k"], "float32")}, ["y"],
                    {"w": random(3, 2, kernel, 3)})
    for height in (1, 2, 5):
        assert triple.check({"x": random(1, 2, height, 3)})
    for height in range(3, 14):
        assert Pair.check(triple, {"x": random(2, 2, height, height)})


@pytest.mark.parametrize("auto_pad", SAME)
@pytest.mark.parametrize("stride", [2, 3])
def test_dilated_convolutions(auto_pad, stride):
    """ONNX Runtime has no dilation with auto_pad: it gets the pads that it means."""
    def make(**attributes):
        node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[stride], dilations=[2],
                                **attributes)
        return Pair([node], {"x": ([1, 2, "h"], "float32")}, ["y"], {"w": random(3, 2, 3)})

    compiled = make(auto_pad=auto_pad).compiled
    for size in range(1, 9):
        total = max(0, (-(-size // stride) - 1) * stride + 5 - size)
        pads = sorted([total // 2, total - total // 2], reverse=auto_pad == "SAME_LOWER")
        x = {"x": random(1, 2, size)}
        np.testing.assert_allclose(compiled.run(x), make(pads=pads).session.run(None, x)[0],
                                   rtol=0, atol=2e-5)


@pytest.mark.parametrize("auto_pad", SAME)
@pytest.mark.parametrize("op, attributes", [
    ("MaxPool", {}), ("AveragePool", {"count_include_pad": 0}),
    ("AveragePool", {"count_include_pad": 1}), ("LpPool", {})])
@pytest.mark.parametrize("kernel, stride", [(3, 2), (2, 2), (5, 3), (4, 3)])
def test_pooling(op, attributes, auto_pad, kernel, stride):
    node = helper.make_node(op, ["x"], ["y"], auto_pad=auto_pad, strides=[stride, 1, stride],
                            kernel_shape=[kernel, 2, 3], **attributes)
    pair = Pair([node], {"x": ([1, 2, "h", "k", "l"], "float32")}, ["y"], opset=18)
    for size in range(1, 9):
        assert pair.check({"x": random(1, 2, size, 3, size + 1) - 3})


@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("pads", [[0, 0], [1, 1], [0, 2]])
def test_norms_of_last_windows(pads, dilation):
    """A window that reaches past the data has the norm of what is in it."""
    node = helper.make_node("LpPool", ["x"], ["y"], kernel_shape=[3], strides=[2], pads=pads,
                            dilations=[dilation], ceil_mode=1)
    pair = Pair([node], {"x": ([1, 2, "h"], "float32")}, ["y"], opset=18)
    for size in range(5, 10):
        assert pair.check({"x": random(1, 2, size) - 3})


def test_pooling_wider_steps():
    """A window may leave out data: ONNX Runtime refuses it where padding would be
    negative, ONNX's rule is that there is none."""
    node = helper.make_node("MaxPool", ["x"], ["y"], auto_pad="SAME_UPPER", strides=[3],
                            kernel_shape=[2])
    compiled = Pair([node], {"x": ([1, 1, "h"], "float32")}, ["y"]).compiled
    x = random(1, 1, 6)
    np.testing.assert_array_equal(compiled.run({"x": x})[0, 0],
                                  [x[0, 0, :2].max(), x[0, 0, 3:5].max()])


def test_places_of_maxima():
    """They are those in the data, which is padded first."""
    for auto_pad in SAME:
        for kernel, strides, order in (([2, 2], [2, 2], 0), ([3, 2], [2, 1], 1), ([2, 3], [2, 3], 1)):
            node = helper.make_node("MaxPool", ["x"], ["y", "i"], auto_pad=auto_pad,
                                    kernel_shape=kernel, strides=strides, storage_order=order)
            pair = Pair([node], {"x": (["n", 2, "h", "k"], "float32")}, ["y", "i"])
            for height, width in ((1, 1), (2, 5), (5, 4), (6, 7)):
                assert pair.check({"x": random(2, 2, height, width) - 3})


def test_integers_are_not_padded_by_zeros():
    node = helper.make_node("MaxPool", ["x"], ["y"], auto_pad="SAME_LOWER", strides=[2],
                            kernel_shape=[3])
    pair = Pair([node], {"x": ([1, 2, "h"], "int8")}, ["y"])
    for size in range(1, 7):
        x = np.random.default_rng(0).integers(-128, -100, (1, 2, size)).astype(np.int8)
        assert pair.check({"x": x})


def test_a_network():
    """Sizes of branches are known to be equal."""
    same: dict[str, Any] = {"auto_pad": "SAME_UPPER", "strides": [2, 2]}
    nodes = [helper.make_node("Conv", ["x", "w"], ["left"], **same),
             helper.make_node("Conv", ["x", "v"], ["right"], **same),
             helper.make_node("Add", ["left", "right"], ["sum"]),
             helper.make_node("MaxPool", ["sum"], ["max"], kernel_shape=[3, 3], **same),
             helper.make_node("AveragePool", ["sum"], ["mean"], kernel_shape=[3, 3], **same),
             helper.make_node("Mul", ["max", "mean"], ["y"])]
    pair = Pair(nodes, {"x": (["n", 3, "h", "k"], "float32")}, ["y"],
                {"w": random(16, 3, 3, 3), "v": random(16, 3, 1, 1)})
    for shape in [(1, 8, 8), (2, 9, 7), (1, 1, 1), (2, 33, 34), (0, 4, 4)]:
        assert pair.check({"x": random(shape[0], 3, *shape[1:])})


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("pads, kernel", [
    ([0, 0], 2), ([1, 1], 2), ([1, 0], 2), ([0, 1], 2), ([0, 0], 3), ([1, 1], 3), ([2, 2], 3),
    ([0, 2], 3), ([2, 0], 3)])
def test_no_window_starts_behind_the_data(op, pads, kernel):
    """With ceil_mode, a window that lies in the padding is none."""
    nodes = [helper.make_node(op, ["x"], [f"y{stride}"], kernel_shape=[kernel], pads=pads,
                              strides=[stride], ceil_mode=1) for stride in (1, 2, 3, 4)]
    pair = Pair(nodes, {"x": ([1, 2, "n"], "float32")}, [node.output[0] for node in nodes],
                opset=22)
    for size in range(kernel, 14):
        assert pair.check({"x": random(1, 2, size) - 3})


def test_windows_of_images_are_put_together():
    """As in a Swin transformer: windows become an image, which is cropped and made rows."""
    node = helper.make_node
    nodes = [
        node("Shape", ["grid"], ["windows"]), node("Shape", ["crop"], ["size"]),
        node("Concat", ["minus", "windows", "four", "four", "three"], ["split"], axis=0),
        node("Reshape", ["x", "split"], ["tiles"]),
        node("Transpose", ["tiles"], ["rows"], perm=[0, 1, 3, 2, 4, 5]),
        node("Mul", ["windows", "four"], ["padded"]),
        node("Concat", ["minus", "padded", "three"], ["whole"], axis=0),
        node("Reshape", ["rows", "whole"], ["image"]),
        node("Slice", ["image", "begins", "size", "axes"], ["part"]),
        node("Reshape", ["part", "flat"], ["tokens"]), node("Neg", ["tokens"], ["y"])]
    numbers = {"minus": [-1], "four": [4], "three": [3], "begins": [0, 0], "axes": [1, 2],
               "flat": [0, -1, 3]}
    pair = Pair(nodes, {"x": (["k", 16, 3], "float32"), "grid": (["a", "b"], "float32"),
                        "crop": (["p", "q"], "float32")}, ["y"],
                {name: np.array(value, np.int64) for name, value in numbers.items()})
    for (a, b), crop in [((2, 3), (8, 12)), ((1, 2), (3, 7)), ((3, 2), (9, 5)), ((1, 1), (4, 4))]:
        assert pair.check({"x": random(2 * a * b, 16, 3), "grid": random(a, b),
                           "crop": random(*crop)})
