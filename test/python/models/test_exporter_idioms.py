# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What exporters write where sizes are open, at several sizes of one artefact, against ONNX Runtime."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from test_open_sizes import random

import relay_mlir as rm

pytestmark = pytest.mark.share(2)

LAST = 2**63 - 1


class Graph:
    """Nodes that are added one by one; constants become initializers."""

    def __init__(self, inputs, opset=17):
        self.nodes, self.constants, self.opset = [], [], opset
        self.inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
                       for name, dims in inputs.items()]

    def add(self, op, *operands, outputs=1, **attributes):
        names = []
        for operand in operands:
            if not isinstance(operand, str):
                self.constants.append(numpy_helper.from_array(np.asarray(operand),
                                                              f"c{len(self.constants)}"))
                operand = self.constants[-1].name
            names.append(operand)
        results = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, names, results, **attributes))
        return results[0] if outputs == 1 else results

    def size(self, value, axis):
        return self.add("Gather", self.add("Shape", value), np.array([axis]))

    def check(self, outputs, runs, executor="aot", tolerance=2e-5):
        graph = helper.make_graph(self.nodes, "g", self.inputs,
                                  [helper.make_empty_tensor_value_info(name) for name in outputs],
                                  self.constants)
        model = helper.make_model(graph, ir_version=8,
                                  opset_imports=[helper.make_opsetid("", self.opset)])
        theirs = onnxruntime.InferenceSession(model.SerializeToString(),
                                              providers=["CPUExecutionProvider"])
        for level in (0, 3):
            ours = rm.compile(model, executor=executor, opt_level=level)
            for inputs in runs:
                actual = ours.run(inputs)
                actual = actual if isinstance(actual, tuple) else (actual,)
                for got, want in zip(actual, theirs.run(None, inputs), strict=True):
                    assert got.shape == want.shape and got.dtype == want.dtype
                    scale = float(np.abs(want).max(initial=0)) or 1.0
                    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * scale)


def test_windows_of_a_padded_image():
    """Swin pads to whole windows, moves the image around, and cuts windows from it."""
    g = Graph({"x": ["b", "h", "w", 4]})
    window, zero = np.array([4]), np.array([0])
    batch, *sizes = (g.size("x", axis) for axis in range(3))
    pads = [g.add("Mod", g.add("Sub", window, g.add("Mod", size, window)), window) for size in sizes]
    x = g.add("Pad", "x", g.add("Concat", zero, zero, zero, zero, zero, *pads, zero, axis=0))
    sizes = [g.add("Add", size, pad) for size, pad in zip(sizes, pads)]
    for axis in (1, 2):
        parts = [g.add("Slice", x, np.array([begin]), np.array([end]), np.array([axis]))
                 for begin, end in ((2, LAST), (0, 2))]
        x = g.add("Concat", *parts, axis=axis)
    counts = [g.add("Div", size, window) for size in sizes]
    x = g.add("Reshape", x, g.add("Concat", batch, counts[0], window, counts[1], window, window, axis=0))
    x = g.add("Transpose", x, perm=[0, 1, 3, 2, 4, 5])
    windows = g.add("Reshape", x, np.array([-1, 16, 4]))
    weighted = g.add("MatMul", windows, random(4, 4, seed=1))
    back = g.add("Reshape", weighted, g.add("Concat", batch, *counts, window, window, np.array([-1]), axis=0))
    back = g.add("Transpose", back, perm=[0, 1, 3, 2, 4, 5])
    back = g.add("Reshape", back, g.add("Concat", batch, *sizes, window, axis=0))
    g.check([windows, back], [{"x": random(*shape, 4)} for shape in ((1, 8, 8), (2, 7, 10), (1, 1, 5))])


@pytest.mark.parametrize("count", [2, 3])
def test_parts_of_computed_sizes(count):
    """Where a part begins is the sum of the sizes before it."""
    g = Graph({"x": ["n", 3]}, opset=13)
    size = g.size("x", 0)
    part = g.add("Div", g.add("Add", size, np.array([1])), np.array([count]))
    rest = g.add("Sub", size, g.add("Mul", part, np.array([count - 1])))
    parts = g.add("Split", "x", g.add("Concat", *[part] * (count - 1), rest, axis=0), axis=0, outputs=count)
    g.check(parts, [{"x": random(n, 3)} for n in (4, 5, 9)])


@pytest.mark.parametrize("count", [3, 4, 7])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts_of_an_open_axis(count, axis):
    """The last part has what is left."""
    g = Graph({"x": ["n", "m"]}, opset=18)
    parts = g.add("Split", "x", axis=axis, num_outputs=count, outputs=count)
    sizes = [size for size in range(count, 4 * count) if size > -(-size // count) * (count - 1)]
    assert len(sizes) > 3
    g.check([g.add("Relu", parts[0]), *parts[1:]],
            [{"x": random(size, 5) if axis == 0 else random(5, size)} for size in sizes])


def test_the_last_row_is_repeated():
    """DETR divides sums along an axis by the last one of them."""
    g = Graph({"x": ["b", "h", "w"]})
    last = g.add("Slice", "x", np.array([-1]), np.array([LAST]), np.array([1]))
    quotient = g.add("Div", "x", g.add("Add", g.add("Abs", last), np.float32(1)))
    chosen = g.add("Where", g.add("Greater", "x", last), "x", last)
    g.check([quotient, chosen], [{"x": random(*shape)} for shape in ((1, 4, 5), (2, 1, 3), (3, 6, 1))])


@pytest.mark.parametrize("step", [1, -1])
def test_positions_in_floats(step):
    """Exporters make floats of a length before they count up to it."""
    g = Graph({"x": ["n"]}, opset=13)
    length = g.add("Cast", g.add("Squeeze", g.add("Shape", "x")), to=1)
    half = g.add("Div", length, np.float32(2))
    bounds = [np.float32(-0.5), half] if step == 1 else [length, half]
    positions = g.add("Range", *bounds, np.float32(step))
    g.check([positions, g.add("Div", positions, length)], [{"x": random(n)} for n in (1, 2, 7, 8)])


def test_resize_to_fit():
    """torchvision's detectors take the smaller of two ratios as scale."""
    g = Graph({"x": ["b", 3, "h", "w"]})
    height, width = g.size("x", 2), g.size("x", 3)
    ratio = g.add("Min", *(g.add("Div", np.float32(limit), g.add("Cast", g.add(op, height, width), to=1))
                           for op, limit in (("Min", 16), ("Max", 24))))
    scales = g.add("Concat", np.ones(2, np.float32), ratio, ratio, axis=0)
    resized = g.add("Resize", "x", "", scales, mode="linear",
                    coordinate_transformation_mode="pytorch_half_pixel")
    g.check([resized], [{"x": random(*shape)} for shape in ((1, 3, 8, 10), (2, 3, 20, 9))], executor="vm")


@pytest.mark.parametrize("attributes", [{}, {"pads": [1, 0, 2, 1], "strides": [2, 1]},
                                        {"dilations": [2, 1], "strides": [1, 2]}])
def test_image_of_blocks(attributes):
    g = Graph({"x": ["b", "rows", "blocks"], "like": [1, 1, "h", "w"]}, opset=18)
    sizes = g.add("Slice", g.add("Shape", "like"), np.array([2]), np.array([4]))
    image = g.add("Col2Im", "x", sizes, np.array([2, 3]), **attributes)
    runs = []
    for batch, channels, height, width in ((1, 2, 5, 6), (2, 1, 7, 4)):
        pads, strides = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1])
        covered = [(extent - 1) * step + 1
                   for extent, step in zip((2, 3), attributes.get("dilations", [1, 1]))]
        blocks = np.prod([(size + pads[i] + pads[i + 2] - covered[i]) // strides[i] + 1
                          for i, size in enumerate((height, width))])
        runs.append({"x": random(batch, 6 * channels, blocks), "like": random(1, 1, height, width)})
    g.check([image], runs)


def test_blocks_that_no_image_has():
    g = Graph({"x": ["b", 6, "blocks"]}, opset=18)
    image = g.add("Col2Im", "x", np.array([5, 6]), np.array([2, 3]))
    g.check([image], [{"x": random(2, 6, 16)}])
    graph = helper.make_graph(g.nodes, "g", g.inputs, [helper.make_empty_tensor_value_info(image)], g.constants)
    ours = rm.compile(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 18)]))
    with pytest.raises((ValueError, rm.RuntimeError)):
        ours.run({"x": random(2, 6, 15)})


@pytest.mark.parametrize("attributes", [
    {"kernel_shape": [2, 2], "strides": [2, 2]},
    {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 1, 1]},
    {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
    {"kernel_shape": [2, 3], "dilations": [2, 1], "storage_order": 1}])
def test_places_of_maxima(attributes):
    g = Graph({"x": ["b", 2, "h", "w"]}, opset=12)
    g.check(g.add("MaxPool", "x", outputs=2, **attributes),
            [{"x": random(*shape)} for shape in ((1, 2, 6, 8), (2, 2, 7, 5), (1, 2, 9, 9))])


@pytest.mark.parametrize("has_shape", [False, True])
def test_maxima_go_back(has_shape):
    """SegNet puts maxima where they were."""
    g = Graph({"x": ["b", 2, "h", "w"]}, opset=11)
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
    maxima, places = g.add("MaxPool", "x", outputs=2, **attributes)
    operands = [maxima, places] + ([g.add("Shape", "x")] if has_shape else [])
    shapes = [(1, 2, 6, 8), (3, 2, 4, 4)] + ([(2, 2, 7, 5)] if has_shape else [])
    g.check([g.add("MaxUnpool", *operands, **attributes)], [{"x": random(*shape)} for shape in shapes])


@pytest.mark.parametrize("op", ["Reshape", "Expand", "ConstantOfShape"])
def test_sizes_of_which_some_depend_on_elements(op):
    """What else is known of the shape, the rest of the model may rely on: weights, and If."""
    rest = [3, 4] if op != "Expand" else [2, 3, 4]
    g = Graph({"x": ["n", 12] if op == "Reshape" else [3, 4], "count": [1]}, opset=18)
    count = g.add("Cast", "count", to=TensorProto.INT64)
    shape = g.add("Concat", count, np.array(rest), axis=0)
    value = g.add(op, "x", shape) if op != "ConstantOfShape" else g.add("Add", g.add(op, shape), "x")
    product = g.add("MatMul", value, random(4, 5, seed=1))
    # The known part of the shape decides on a branch that would not fit.
    is_three = g.add("Equal", g.add("Gather", shape, np.array(rest.index(3) + 1)), np.int64(3))
    branches = {}
    swapped = [*range(len(rest) - 1), len(rest), len(rest) - 1]
    for name, node in (("then_branch", helper.make_node("Transpose", [product], ["then_branch"], perm=swapped)),
                       ("else_branch", helper.make_node("Flatten", [product], ["else_branch"]))):
        branches[name] = helper.make_graph([node], name, [], [helper.make_empty_tensor_value_info(name)])
    chosen = g.add("If", is_three, **branches)
    runs = [{"x": random(n, 12) if op == "Reshape" else random(3, 4), "count": np.array([n], np.float32)}
            for n in (1, 2, 5)]
    g.check([product, chosen], runs, executor="vm")


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_squeeze_of_all_ones(executor):
    """Sizes that are not known are none of 1, or it is an error of the run."""
    g = Graph({"x": ["b", 1, "t", 1, 3]})
    y = g.add("Relu", g.add("Squeeze", "x"))
    runs = [{"x": random(b, 1, t, 1, 3)} for b, t in ((2, 5), (7, 2))]
    with pytest.warns(UserWarning, match="are taken to be none of 1; name the axes, or fix the sizes"):
        g.check([y], runs, executor=executor)
        graph = helper.make_graph(g.nodes, "g", g.inputs, [helper.make_empty_tensor_value_info(y)], g.constants)
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
        ours = rm.compile(model, executor=executor)
        batch_of_one = rm.compile(model, executor=executor, dims={"b": 1})
        fixed = rm.compile(model, executor=executor, dims={"b": 1, "t": 4})
    message = "expects sizes other than 1 to squeeze an input without axes"
    for b, t in ((1, 5), (5, 1), (1, 1)):
        with pytest.raises(ValueError, match=message):
            ours.run({"x": random(b, 1, t, 1, 3)})
    x = random(1, 1, 4, 1, 3)
    for run in (fixed, batch_of_one):
        np.testing.assert_array_equal(run.run({"x": x}), np.maximum(x.reshape(4, 3), 0))
    assert batch_of_one.run({"x": random(1, 1, 0, 1, 3)}).shape == (0, 3)
    with pytest.raises(ValueError, match=message):
        batch_of_one.run({"x": random(1, 1, 1, 1, 3)})


def test_slices_of_one_element():
    """Positional biases of MPT: what is left of one row is broadcast to all."""
    g = Graph({"x": ["b", "t", 8]})
    size = g.size("x", 1)
    first = g.add("Max", g.add("Sub", np.array([1]), size), np.array([0]))
    row = g.add("Slice", random(4, 1, 8, seed=1), first, np.array([LAST]), np.array([1]),
                np.array([1]))
    scores = g.add("Unsqueeze", "x", np.array([1]))
    g.check([g.add("Add", scores, row)], [{"x": random(b, t, 8)} for b, t in ((1, 1), (2, 7))])
