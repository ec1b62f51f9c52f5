# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes and indices that an operator has no meaning for, known when a model runs.

One artefact at many sizes: what ONNX Runtime refuses is refused, compiled and
interpreted, and what it computes is computed, sizes exactly at the limit among it.
Tolerance: 2e-5 of the output's largest magnitude.
"""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from onnx import helper
from test_open_sizes import REFUSALS, Pair, random

import relay_mlir as rm
from relay_mlir import relay

pytestmark = pytest.mark.share(5)

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")).resolve()


def interpret(file, inputs):
    """Whether the interpreter computes something."""
    command = [BUILD / "bin/relay-run", file, "--interpret"]
    for name, value in inputs.items():
        np.save(file.parent / f"{name}.npy", value)
        command += ["--input", f"{name}={file.parent / name}.npy"]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode in (0, 1), result.stderr
    assert (result.returncode == 0) == ("error:" not in result.stderr)
    return result.returncode == 0


class Triple(Pair):
    """A compiled model, the interpreter, and ONNX Runtime."""

    def __init__(self, folder, nodes, *arguments, **options):
        super().__init__(nodes, *arguments, **options)
        self.file = folder / "model.onnx"
        onnx.save(self.model, self.file)

    def check(self, inputs):
        is_valid = super().check(inputs)
        assert interpret(self.file, inputs) == is_valid
        return is_valid


def check_sizes(triple, make, valid, invalid):
    """`make(n)` are inputs of size n."""
    for size in valid:
        assert triple.check(make(size)), size
    for size in invalid:
        assert not triple.check(make(size)), size


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("pads, dilation, least", [
    ([0, 0], 1, 3), ([1, 1], 1, 1), ([2, 0], 1, 1), ([0, 0], 2, 5), ([1, 1], 2, 3)])
def test_windows_of_convolutions(tmp_path, stride, pads, dilation, least):
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[stride], pads=pads,
                            dilations=[dilation])
    triple = Triple(tmp_path, [node], {"x": ([1, 2, "n"], "float32")}, ["y"],
                    {"w": random(3, 2, 3)})
    check_sizes(triple, lambda n: {"x": random(1, 2, n)}, [least, least + 1, 9],
                [least - 1, 0])


@pytest.mark.parametrize("channels, groups, dilation", [(4, 1, 1), (4, 4, 1), (16, 1, 4)])
def test_windows_of_images(tmp_path, channels, groups, dilation):
    # Depthwise, and those that other algorithms and layouts may take.
    node = helper.make_node("Conv", ["x", "w"], ["y"], group=groups, dilations=[dilation] * 2)
    triple = Triple(tmp_path, [node], {"x": ([1, channels, "h", "w"], "float32")}, ["y"],
                    {"w": random(channels, channels // groups, 3, 3)})
    least = 2 * dilation + 1
    for height in (least - 1, least, 3 * least):
        for width in (least - 1, least, 2 * least):
            assert triple.check({"x": random(1, channels, height, width)}) == \
                (height >= least and width >= least)


@pytest.mark.parametrize("kernel, stride, pads, least", [
    (3, 1, [0, 0], 0), (3, 1, [1, 1], 1), (4, 2, [3, 3], 3), (2, 2, [0, 0], 1), (3, 1, [2, 2], 3)])
def test_results_of_transposed_convolutions(tmp_path, kernel, stride, pads, least):
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], strides=[stride], pads=pads)
    triple = Triple(tmp_path, [node], {"x": ([1, 2, "n"], "float32")}, ["y"],
                    {"w": random(2, 3, kernel)})
    check_sizes(triple, lambda n: {"x": random(1, 2, n)}, [least, least + 1, 9], range(least))


@pytest.mark.parametrize("ceil_mode", [0, 1])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("pads, dilation, least", [([0, 0], 1, 3), ([1, 1], 1, 1), ([1, 1], 2, 3)])
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
def test_windows_of_pooling(tmp_path, op, pads, dilation, least, stride, ceil_mode):
    """A window has to fit, as it has where sizes are static. ONNX Runtime, whose
    division rounds towards zero, finds room for one window or none."""
    node = helper.make_node(op, ["x"], ["y"], kernel_shape=[3], strides=[stride], pads=pads,
                            dilations=[dilation], ceil_mode=ceil_mode)
    triple = Triple(tmp_path, [node], {"x": ([1, 2, "n"], "float32")}, ["y"], opset=22)
    check_sizes(triple, lambda n: {"x": random(1, 2, n)}, [least, least + 1, 9], [])
    for size in range(least):
        x = random(1, 2, size)
        with pytest.raises(REFUSALS, match=f"to be at least {2 * dilation + 1}"):
            triple.compiled.run({"x": x})
        assert not interpret(triple.file, {"x": x})
        static = Pair([node], {"x": ([1, 2, "n"], "float32")}, ["y"], opset=22).model
        static.graph.input[0].type.tensor_type.shape.dim[2].dim_value = size
        with pytest.raises(rm.CompileError):
            rm.compile(static)


@pytest.mark.parametrize("mode, before, after, least", [
    ("reflect", 2, 2, 3), ("reflect", 3, 0, 4), ("reflect", 0, 1, 2), ("reflect", -2, 1, 4),
    ("edge", 2, 2, 1), ("edge", 0, 1, 1), ("edge", -2, 1, 3)])
@pytest.mark.parametrize("axis", [0, 1])
def test_borders(tmp_path, mode, before, after, least, axis):
    pads = np.zeros(4, np.int64)
    pads[axis], pads[2 + axis] = before, after
    triple = Triple(tmp_path, [helper.make_node("Pad", ["x", "pads"], ["y"], mode=mode)],
                    {"x": (["n", 3] if axis == 0 else [3, "n"], "float32")}, ["y"],
                    {"pads": pads})
    check_sizes(triple, lambda n: {"x": random(n, 3) if axis == 0 else random(3, n)},
                [least, least + 1, 9], range(least))


@pytest.mark.parametrize("used", [["y", "z"], ["y"], ["z"]])
def test_parts(tmp_path, used):
    triple = Triple(tmp_path, [helper.make_node("Split", ["x", "sizes"], ["y", "z"], axis=0)],
                    {"x": (["n", 2], "float32")}, used, {"sizes": np.array([2, 3])})
    check_sizes(triple, lambda n: {"x": random(n, 2)}, [5], [0, 1, 2, 4, 6, 10])


def test_parts_of_equal_sizes(tmp_path):
    triple = Triple(tmp_path, [helper.make_node("Split", ["x"], ["y", "z"], axis=0)],
                    {"x": (["n", 2], "float32")}, ["y", "z"], opset=13)
    check_sizes(triple, lambda n: {"x": random(n, 2)}, [0, 2, 6], [1, 5])


@pytest.mark.parametrize("opset, attributes", [(13, {}), (18, {"num_outputs": 3})])
def test_messages_of_three_parts(opset, attributes):
    pair = Pair([helper.make_node("Split", ["x"], ["a", "b", "c"], axis=0, **attributes)],
                {"x": (["n", 2], "float32")}, ["a", "b", "c"], opset=opset)
    assert pair.check({"x": random(6, 2)})
    with pytest.raises(ValueError, match="expects n to be a multiple of 3, but got 5; n = 5 is "
                                         "dimension 0 of input 'x'"):
        pair.compiled.run({"x": random(5, 2)})


@pytest.mark.parametrize("op, shape", [("Add", [3]), ("MatMul", [3, 3])])
def test_repetition_along_open_sizes(op, shape):
    """Two open sizes are one; a model whose size is 1 says so."""
    pair = Pair([helper.make_node(op, ["x", "w"], ["y"])],
                {"x": (["b", *shape], "float32"), "w": (["c", *shape], "float32")}, ["y"])
    assert pair.check({"x": random(2, *shape), "w": random(2, *shape, seed=1)})
    for b, c in [(1, 2), (2, 1), (2, 3)]:
        with pytest.raises(ValueError, match="expects . to equal ., but got "
                           f"({b} and {c}|{c} and {b})") as error:
            pair.compiled.run({"x": random(b, *shape), "w": random(c, *shape)})
        assert ("known when the model is compiled" in str(error.value)) == (1 in (b, c))


SCALES = {"w": random(4, 5), "bias": random(3, 5), "s": abs(random(3)) + 1,
          "z": np.zeros(3, np.uint8)}


@pytest.mark.parametrize("op, operands, attributes, dims", [
    ("Gemm", ["w", "bias"], {}, ["n", 4]),
    ("LayerNormalization", ["s", "s"], {}, [2, "n"]),
    ("RMSNormalization", ["s"], {}, [2, "n"]),
    ("QuantizeLinear", ["s", "z"], {"axis": 1}, [2, "n"]),
    ("DequantizeLinear", ["s", "z"], {"axis": 1}, [2, "n"])])
def test_data_is_not_repeated_to_parameters(tmp_path, op, operands, attributes, dims):
    dtype = "uint8" if op == "DequantizeLinear" else "float32"
    triple = Triple(tmp_path, [helper.make_node(op, ["x", *operands], ["y"], **attributes)],
                    {"x": (dims, dtype)}, ["y"], {name: SCALES[name] for name in operands},
                    opset=23)
    triple.tolerance = 1 / 255 if op == "QuantizeLinear" else 2e-5
    check_sizes(triple, lambda n: {"x": (abs(random(*[n if d == "n" else d for d in dims]))
                                         * 50).astype(dtype)}, [3], [1, 2, 4])


INDICES = [-10**12, -4, -3, -1, 0, 2, 3, 10**12]
# Operator, and the shape of the indices into three rows of four.
SCATTERS = [("ScatterElements", (2, 4)), ("ScatterND", (2, 1))]
GATHERS = [("Gather", (2, 2)), ("GatherElements", (2, 4))]


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("op, shape", SCATTERS)
@pytest.mark.parametrize("dims", [[3, 4], ["n", 4]])
def test_indices_of_scatters(tmp_path, op, shape, dims, opt_level):
    inputs = {"x": (dims, "float32"), "i": (["k", *shape[1:]], "int64"),
              "u": (["k", 4], "float32")}
    triple = Triple(tmp_path, [helper.make_node(op, list(inputs), ["y"])], inputs, ["y"])
    triple.compiled = rm.compile(triple.model, opt_level=opt_level)
    for count, index in [(2, index) for index in INDICES] + [(0, 0)]:
        indices = np.full((count, *shape[1:]), 1)
        indices[count // 2:] = index
        given = {"x": random(3, 4), "i": indices, "u": random(count, 4, seed=1)}
        assert triple.check(given) == (-3 <= index < 3)
    # The model goes on working, and the message says where to look.
    given["u"], given["i"] = random(1, 4), np.full((1, *shape[1:]), 9)
    with pytest.raises(ValueError, match="expects indices within the data.*scatter"):
        triple.compiled.run(given)


@pytest.mark.parametrize("op, shape", SCATTERS)
@pytest.mark.parametrize("index", [-4, -3, 2, 3])
def test_constant_indices_of_scatters(tmp_path, op, shape, index):
    triple = Triple(tmp_path, [helper.make_node(op, ["x", "i", "u"], ["y"])],
                    {"x": (["n", 4], "float32")}, ["y"],
                    {"i": np.full(shape, index), "u": random(2, 4)})
    for size in (0, 2, 3, 4):
        assert triple.check({"x": random(size, 4)}) == (-size <= index < size)


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("op, shape, dtype", [
    *[(*gather, dtype) for gather in GATHERS for dtype in ("int32", "int64")],
    ("GatherND", (2, 2), "int64")])
@pytest.mark.parametrize("dims", [[3, 4], ["n", "m"]])
def test_indices_of_gathers(tmp_path, op, shape, dtype, dims, opt_level):
    inputs = {"x": (dims, "float32"), "i": (["k", *shape[1:]], dtype)}
    # Steps before and after become part of the kernel.
    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Neg", ["i"], ["j"]),
             helper.make_node(op, ["e", "j"], ["g"]), helper.make_node("Neg", ["g"], ["y"])]
    triple = Triple(tmp_path, nodes, inputs, ["y"])
    triple.compiled = rm.compile(triple.model, opt_level=opt_level)
    for count, index in [(2, index) for index in INDICES] + [(0, 0)]:
        if abs(index) > np.iinfo(dtype).max:
            continue
        indices = np.full((count, *shape[1:]), 1, dtype)
        indices[count // 2:, 0] = -index
        given = {"x": random(3, 4), "i": indices}
        assert triple.check(given) == (-3 <= index < 3)
    given["i"] = np.full((1, *shape[1:]), 9, dtype)
    with pytest.raises(ValueError, match="expects indices within the data.*"):
        triple.compiled.run(given)


@pytest.mark.parametrize("op, shape", GATHERS + [("GatherND", (2, 1))])
@pytest.mark.parametrize("index", [-4, -3, 2, 3])
def test_constant_indices_of_gathers(tmp_path, op, shape, index):
    triple = Triple(tmp_path, [helper.make_node(op, ["x", "i"], ["y"])],
                    {"x": (["n", 4], "float32")}, ["y"], {"i": np.full(shape, index)})
    for size in (0, 2, 3, 4):
        assert triple.check({"x": random(size, 4)}) == (-size <= index < size)


@pytest.mark.parametrize("batch_axis", [0, 1])
@pytest.mark.parametrize("dims", [[3, 3, 2], ["n", "m", 2]])
def test_lengths_of_reversed_sequences(tmp_path, batch_axis, dims):
    node = helper.make_node("ReverseSequence", ["x", "lengths"], ["y"], batch_axis=batch_axis,
                            time_axis=1 - batch_axis)
    triple = Triple(tmp_path, [node], {"x": (dims, "float32"), "lengths": ([dims[batch_axis]], "int64")},
                    ["y"])
    for length in (-2**63, -10**12, -3, -1, 0, 1, 2, 3, 4, 10**12, 2**63 - 1):
        lengths = np.array([3, length, 1])
        assert triple.check({"x": random(3, 3, 2), "lengths": lengths}) == (0 <= length <= 3)


@pytest.mark.parametrize("dims", [[3, 2], ["n", 2]])
@pytest.mark.parametrize("length", [-1, 4])
def test_constant_lengths_of_reversed_sequences(dims, length):
    node = helper.make_node("ReverseSequence", ["x", "lengths"], ["y"])
    if length < 0 or dims[0] == 3:
        with pytest.raises(rm.CompileError, match=f"expects lengths from 0 .*, but got {length}"):
            Pair([node], {"x": (dims, "float32")}, ["y"], {"lengths": [1, length]})
        return
    pair = Pair([node], {"x": (dims, "float32")}, ["y"], {"lengths": [1, length]})
    assert [pair.check({"x": random(n, 2)}) for n in (3, 4, 5)] == [False, True, True]


@pytest.mark.parametrize("mode, valid", [("clip", INDICES), ("wrap", INDICES),
                                         ("fast", [-3, -1, 0, 2])])
def test_modes_of_take(tmp_path, mode, valid):
    program = relay.parse('#[version = "0.0.5"]\n'
                          "def @main(%x: Tensor[(3, 4), float32], %i: Tensor[(2), int64]) {"
                          f' take(%x, %i, axis=0, mode="{mode}") }}')
    run, reference = (relay.create_executor(kind, mod=program).evaluate()
                      for kind in ("aot", "debug"))
    data = random(3, 4)
    for index in INDICES:
        indices = np.array([1, index])
        if index not in valid:
            for execute in (run, reference):
                with pytest.raises(Exception, match="expects indices"):
                    execute(data, indices)
            continue
        # NumPy's own way to wrap adds the size again and again.
        wrapped = indices.clip(0, 2) if mode == "clip" else indices % 3
        expected = data[wrapped]
        for execute in (run, reference):
            np.testing.assert_array_equal(execute(data, indices).numpy(), expected)


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("axis", ["axis=0, ", ""])
@pytest.mark.parametrize("size, count", [("?", "?"), ("?", "2"), ("0", "?")])
def test_take_from_nothing(mode, axis, size, count):
    """No index is moved to an element where there is none."""
    program = relay.parse('#[version = "0.0.5"]\n'
                          f"def @main(%x: Tensor[({size}, 3), float32], %i: Tensor[({count}), int64]) {{"
                          f' take(%x, %i, {axis}mode="{mode}") }}')
    data, rows = random(0, 3), 3 if axis else 1
    for kind in ("aot", "vm", "debug"):
        run = relay.create_executor(kind, mod=program).evaluate()
        with pytest.raises(Exception, match="expects"):
            run(data, np.ones(2, np.int64))
        if count == "?":
            assert run(data, np.ones(0, np.int64)).numpy().size == 0
        if size == "?":
            full = random(1, 3)
            result = run(full, np.zeros(2, np.int64)).numpy()
            np.testing.assert_array_equal(result.reshape(2, rows)[1], full[0, :rows])


@pytest.mark.parametrize("axis", ["axis=0, ", ""])
def test_take_from_what_is_known_to_be_nothing(axis):
    program = relay.parse('#[version = "0.0.5"]\n'
                          "def @main(%x: Tensor[(0, 3), float32], %i: Tensor[(2), int64]) {"
                          f' take(%x, %i, {axis}mode="clip") }}')
    with pytest.raises(Exception, match="expects elements for the indices"):
        relay.create_executor("aot", mod=program).evaluate()


@pytest.mark.parametrize("shape, layouts, valid, invalid", [
    ("?, ?, 2, 1", ("NCHW", "NCHW5c"), [(1, 10, 2, 1), (2, 0, 2, 1)], [(1, 12, 2, 1), (1, 4, 2, 1)]),
    ("1, ?, 2, 1, 4", ("NCHW4c", "NCHW6c"), [(1, 3, 2, 1, 4)], [(1, 2, 2, 1, 4)]),
    ("1, ?, 2, 1, 4", ("NCHW4c", "NCHW2c"), [(1, 3, 2, 1, 4), (1, 1, 2, 1, 4)], []),
    ("1, 3, 2, 1, ?", ("NCHW4c", "NHWC"), [(1, 3, 2, 1, 4)], [(1, 3, 2, 1, 5), (1, 3, 2, 1, 3)])])
def test_parts_of_layouts(shape, layouts, valid, invalid):
    program = relay.parse('#[version = "0.0.5"]\n'
                          f"def @main(%x: Tensor[({shape}), float32]) {{ layout_transform(%x, "
                          f'src_layout="{layouts[0]}", dst_layout="{layouts[1]}") }}')

    def transform(data):
        if len(data.shape) == 5:
            n, c, h, w, part = data.shape
            data = data.transpose(0, 1, 4, 2, 3).reshape(n, c * part, h, w)
        if layouts[1] == "NHWC":
            return data.transpose(0, 2, 3, 1)
        n, c, h, w = data.shape
        part = int(layouts[1][4])
        return data.reshape(n, c // part, part, h, w).transpose(0, 1, 3, 4, 2)

    for kind in ("aot", "vm", "debug"):
        run = relay.create_executor(kind, mod=program).evaluate()
        for sizes in valid:
            data = random(*sizes)
            np.testing.assert_array_equal(run(data).numpy(), transform(data))
        for sizes in invalid:
            with pytest.raises(Exception, match="expects"):
                run(random(*sizes))


@pytest.mark.parametrize("op, shape", GATHERS + SCATTERS[:1])
@pytest.mark.parametrize("index", [-4, 3, 10**12])
def test_constant_indices_into_known_sizes(op, shape, index):
    constants = {"i": np.full(shape, index), "u": random(2, 4)}
    node = helper.make_node(op, ["x", "i"] + ["u"] * op.startswith("Scatter"), ["y"])
    with pytest.raises(rm.CompileError, match=r"expects indices in \[-3, 3\), but got"):
        Pair([node], {"x": ([3, 4], "float32")}, ["y"], constants)


@pytest.mark.parametrize("op", ["GatherElements", "ScatterElements"])
def test_indices_are_within_the_other_axes(tmp_path, op):
    inputs = {"x": (["n", "m"], "float32"), "i": (["k", "l"], "int64")}
    if op == "ScatterElements":
        inputs["u"] = (["k", "l"], "float32")
    triple = Triple(tmp_path, [helper.make_node(op, list(inputs), ["y"])], inputs, ["y"])
    for columns, width in [(2, 2), (2, 3), (4, 1), (4, 4), (4, 5)]:
        given = {"x": random(3, columns), "i": np.zeros((1, width), np.int64),
                 "u": random(1, width)}
        assert triple.check({name: given[name] for name in inputs}) == (width <= columns)


@pytest.mark.parametrize("op, shape", [("Gather", [2]), ("GatherElements", [2, 4]), ("GatherND", [2, 1]),
                                       ("ScatterElements", [2, 4]), ("ScatterND", [2, 1])])
def test_indices_into_nothing(tmp_path, op, shape):
    """Without indices there is nothing to refuse."""
    for count in (2, 0):
        inputs = {"x": ([0, 4], "float32"), "i": ([count, *shape[1:]], "int64")}
        if op.startswith("Scatter"):
            inputs["u"] = ([count, 4], "float32")
        node = helper.make_node(op, list(inputs), ["y"])
        if count:
            with pytest.raises(rm.CompileError, match="expects no indices into axis 0 of"):
                Pair([node], inputs, ["y"])
            continue
        triple = Triple(tmp_path, [node], inputs, ["y"])
        assert triple.check({name: np.zeros(dims, dtype) for name, (dims, dtype) in inputs.items()})
