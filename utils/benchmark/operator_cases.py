# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of onnx_operators.py: one operator of ONNX each, of a given size."""

import dataclasses
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


@dataclasses.dataclass
class Size:
    """Rows and columns of a matrix, channels and pixels of an image, steps of a sequence."""
    rows: int
    columns: int
    channels: int
    pixels: int
    steps: int


SIZES = {
    "small": Size(8, 64, 16, 14, 4),
    "medium": Size(128, 768, 64, 56, 32),
    "large": Size(1024, 2048, 128, 112, 64),
}


@dataclasses.dataclass
class Case:
    name: str
    operator: str
    inputs: list[np.ndarray]
    constants: list[np.ndarray | None]
    opset: int
    attributes: dict[str, Any]

    def model(self):
        """The operator alone. A constant that is None is an input that is left out."""
        names = [f"x{i}" for i in range(len(self.inputs))]
        weights = []
        for i, constant in enumerate(self.constants):
            names.append("" if constant is None else f"w{i}")
            if constant is not None:
                weights.append(numpy_helper.from_array(constant, names[-1]))
        attributes = dict(self.attributes)
        outputs = ["y", "z"][:attributes.pop("outputs", 1)]
        node = helper.make_node(self.operator, names, outputs, **attributes)
        infos = [helper.make_tensor_value_info(
            f"x{i}", helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for i, value in enumerate(self.inputs)]
        graph = helper.make_graph([node], self.operator, infos,
                                  [helper.make_empty_tensor_value_info(name) for name in outputs],
                                  weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)],
                                  ir_version=8)
        return onnx.shape_inference.infer_shapes(model)

    def feeds(self):
        return {f"x{i}": value for i, value in enumerate(self.inputs)}


ELEMENTWISE = ["Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Celu", "Ceil", "Cos",
               "Cosh", "Elu", "Erf", "Exp", "Floor", "HardSigmoid", "HardSwish", "IsInf",
               "IsNaN", "LeakyRelu", "Log", "Neg", "Reciprocal", "Relu", "Round", "Selu",
               "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh",
               "ThresholdedRelu"]
PAIRS = ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Less", "Greater", "Equal"]
REDUCTIONS = ["ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
              "ReduceLogSumExp", "ReduceSumSquare"]


class Builder:
    """Makes the cases of one size."""

    def __init__(self, size):
        self.size = size
        self.rng = np.random.default_rng(0)
        self.cases: list[Case] = []

    def floats(self, *shape):
        return self.rng.standard_normal(shape).astype(np.float32)

    def integers(self, limit, *shape, dtype=np.int64):
        return self.rng.integers(0, limit, shape).astype(dtype)

    def add(self, name, operator, inputs, constants=(), opset=17, **attributes):
        self.cases.append(Case(name, operator, list(inputs), list(constants), opset, attributes))

    def build(self):
        self.add_elementwise()
        self.add_reductions()
        self.add_movement()
        self.add_images()
        self.add_convolutions()
        self.add_products()
        return self.cases

    def add_elementwise(self):
        rows, columns = self.size.rows, self.size.columns
        for operator in ELEMENTWISE:
            x = self.rng.uniform(0.1, 0.9, (rows, columns)).astype(np.float32)
            self.add(operator, operator, [x + (operator == "Acosh")])
        self.add("Gelu", "Gelu", [self.floats(rows, columns)], opset=20)
        self.add("Mish", "Mish", [self.floats(rows, columns)], opset=18)
        for operator in PAIRS:
            x, y = np.abs(self.floats(2, rows, columns)) + 0.1
            self.add(operator, operator, [x, y])
        for operator in ("Add", "Mul", "Div"):
            x = self.floats(rows, columns)
            self.add(f"{operator}, a row", operator, [x, np.abs(self.floats(columns)) + 1])
            self.add(f"{operator}, a column", operator, [x, np.abs(self.floats(rows, 1)) + 1])
            numbers = self.integers(99, rows, columns) + 1
            self.add(f"{operator} of int64", operator, [numbers, numbers])
        self.add("Mod of int64", "Mod", [self.integers(99, rows, columns),
                                         self.integers(9, rows, columns) + 1])
        self.add("Where", "Where", [self.floats(rows, columns) > 0, self.floats(rows, columns),
                                    self.floats(rows, columns)])
        self.add("Clip", "Clip", [self.floats(rows, columns)],
                 [np.float32(0).reshape(()), np.float32(6).reshape(())])
        for name, dtype, to in [("f32 to f16", "f4", 10), ("f16 to f32", "f2", 1),
                                ("f32 to int64", "f4", 7), ("int64 to f32", "i8", 1),
                                ("f32 to uint8", "f4", 2), ("uint8 to f32", "u1", 1)]:
            self.add(f"Cast {name}", "Cast",
                     [(self.rng.uniform(0, 100, (rows, columns))).astype(dtype)], to=to)
        scale, zero = np.float32(0.02).reshape(()), np.uint8(128).reshape(())
        self.add("QuantizeLinear", "QuantizeLinear", [self.floats(rows, columns)], [scale, zero])
        self.add("DequantizeLinear", "DequantizeLinear",
                 [self.integers(255, rows, columns, dtype=np.uint8)], [scale, zero])

    def add_reductions(self):
        rows, columns, channels = self.size.rows, self.size.columns, self.size.channels
        pixels = self.size.pixels
        for operator in REDUCTIONS:
            for axis in (0, 1):
                self.add(f"{operator}, axis {axis}", operator, [self.floats(rows, columns)],
                         axes=[axis])
        self.add("ReduceSum of all", "ReduceSum", [self.floats(rows, columns)],
                 [np.array([0, 1])])
        for operator in ("ArgMax", "ArgMin"):
            for axis in (0, 1):
                self.add(f"{operator}, axis {axis}", operator, [self.floats(rows, columns)],
                         axis=axis)
        for operator in ("Softmax", "LogSoftmax", "Hardmax"):
            self.add(operator, operator, [self.floats(rows, columns)], axis=-1)
        self.add("Softmax of channels", "Softmax", [self.floats(1, 21, pixels, pixels)], axis=1)
        self.add("LayerNormalization", "LayerNormalization", [self.floats(rows, columns)],
                 [self.floats(columns), self.floats(columns)], axis=-1)
        image = self.floats(1, channels, pixels, pixels)
        weights = [self.floats(channels), self.floats(channels)]
        self.add("InstanceNormalization", "InstanceNormalization", [image], weights)
        self.add("GroupNormalization", "GroupNormalization", [image], weights, opset=21,
                 num_groups=8)
        self.add("BatchNormalization", "BatchNormalization", [image],
                 [*weights, self.floats(channels), np.abs(self.floats(channels)) + 1])
        self.add("LpNormalization", "LpNormalization", [self.floats(rows, columns)], axis=-1)
        self.add("CumSum, axis 0", "CumSum", [self.floats(rows, columns)], [np.array(0)])
        self.add("CumSum, axis 1", "CumSum", [self.floats(rows, columns)], [np.array(1)])
        self.add("TopK", "TopK", [self.floats(rows, columns)], [np.array([5])], outputs=2)

    def add_movement(self):
        rows, columns, channels = self.size.rows, self.size.columns, self.size.channels
        pixels = self.size.pixels
        matrix = self.floats(rows, columns)
        self.add("Transpose", "Transpose", [matrix], perm=[1, 0])
        heads = self.floats(1, rows, 12, 64)
        self.add("Transpose of heads", "Transpose", [heads], perm=[0, 2, 1, 3])
        image = self.floats(1, channels, pixels, pixels)
        self.add("Transpose to channels last", "Transpose", [image], perm=[0, 2, 3, 1])
        self.add("Transpose to channels first", "Transpose",
                 [self.floats(1, pixels, pixels, channels)], perm=[0, 3, 1, 2])
        self.add("Concat of channels", "Concat", [image, image], axis=1)
        self.add("Concat of columns", "Concat", [matrix, matrix[:, :columns // 2].copy()], axis=1)
        self.add("Split of channels", "Split", [image], [np.array([channels // 2] * 2)],
                 outputs=2, axis=1)
        self.add("Slice, every other", "Slice", [image], [np.array([0, 0]), np.array([pixels] * 2),
                                                          np.array([2, 3]), np.array([2, 2])])
        self.add("Gather of rows", "Gather", [matrix, self.integers(rows, rows)], axis=0)
        self.add("Gather of columns", "Gather", [matrix, self.integers(columns, columns)], axis=1)
        self.add("GatherElements", "GatherElements",
                 [matrix, self.integers(columns, rows, columns // 2)], axis=1)
        self.add("ScatterND", "ScatterND", [matrix, self.rng.permutation(rows)[:rows // 2, None],
                                            self.floats(rows // 2, columns)])
        self.add("Expand", "Expand", [self.floats(rows, 1)], [np.array([rows, columns])])
        self.add("Tile", "Tile", [matrix], [np.array([2, 2])])
        self.add("Pad", "Pad", [image], [np.array([0, 0, 1, 1, 0, 0, 1, 1])])
        self.add("Pad, reflected", "Pad", [image], [np.array([0, 0, 1, 1, 0, 0, 1, 1])],
                 mode="reflect")
        self.add("DepthToSpace", "DepthToSpace", [image], blocksize=2)
        self.add("SpaceToDepth", "SpaceToDepth", [image], blocksize=2)
        self.add("Trilu", "Trilu", [self.floats(rows, rows)])
        self.add("OneHot", "OneHot", [self.integers(columns, rows)],
                 [np.array(columns), np.array([0, 1], np.float32)])
        self.add("NonZero", "NonZero", [matrix > 0])

    def add_images(self):
        channels, pixels = self.size.channels, self.size.pixels
        image = self.floats(1, channels, pixels, pixels)
        for name, kernel, stride, pad in [("3x3/2", 3, 2, 1), ("2x2/2", 2, 2, 0), ("5x5", 5, 1, 2)]:
            window = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4}
            self.add(f"MaxPool {name}", "MaxPool", [image], **window)
            self.add(f"AveragePool {name}", "AveragePool", [image], **window)
        self.add("GlobalAveragePool", "GlobalAveragePool", [image])
        self.add("GlobalMaxPool", "GlobalMaxPool", [image])
        self.add("LRN", "LRN", [image], size=5)
        for name, factor, options in [
                ("nearest, twice", 2, {"mode": "nearest", "nearest_mode": "floor",
                                       "coordinate_transformation_mode": "asymmetric"}),
                ("linear, twice", 2, {"mode": "linear"}),
                ("linear, half", 0.5, {"mode": "linear"}),
                ("linear, corners", 2, {"mode": "linear",
                                        "coordinate_transformation_mode": "align_corners"})]:
            self.add(f"Resize {name}", "Resize", [image],
                     [None, np.array([1, 1, factor, factor], np.float32)], **options)
        grid = self.rng.uniform(-1, 1, (1, pixels, pixels, 2)).astype(np.float32)
        self.add("GridSample", "GridSample", [image, grid])

    def add_convolutions(self):
        channels, pixels, steps = self.size.channels, self.size.pixels, self.size.steps
        image = self.floats(1, channels, pixels, pixels)

        def add(name, outputs, kernel, stride=1, dilation=1, group=1):
            pad = dilation * (kernel // 2)
            self.add(f"Conv {name}", "Conv", [image],
                     [self.floats(outputs, channels // group, kernel, kernel)],
                     kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4,
                     dilations=[dilation] * 2, group=group)

        add("1x1", channels, 1)
        add("1x1, four times the channels", 4 * channels, 1)
        add("3x3", channels, 3)
        add("3x3/2", 2 * channels, 3, stride=2)
        add("5x5", channels, 5)
        add("3x3, dilation 2", channels, 3, dilation=2)
        add("3x3, groups", channels, 3, group=channels // 4)
        for kernel in (3, 5, 7):
            add(f"depthwise {kernel}x{kernel}", channels, kernel, group=channels)
        for stride in (2, 3):
            add(f"depthwise 3x3/{stride}", channels, 3, stride=stride, group=channels)
        self.add("Conv 1-d", "Conv", [self.floats(1, channels, 16 * steps)],
                 [self.floats(channels, channels, 3)], kernel_shape=[3], pads=[1, 1])
        self.add("Conv 3-d", "Conv", [self.floats(1, 16, steps // 2, pixels // 2, pixels // 2)],
                 [self.floats(16, 16, 3, 3, 3)], kernel_shape=[3] * 3, pads=[1] * 6)
        for kernel in (2, 4):
            self.add(f"ConvTranspose {kernel}x{kernel}/2", "ConvTranspose", [image],
                     [self.floats(channels, channels // 2, kernel, kernel)],
                     kernel_shape=[kernel] * 2, strides=[2, 2], pads=[kernel // 2 - 1] * 4)

    def add_products(self):
        rows, columns, steps = self.size.rows, self.size.columns, self.size.steps
        matrix = self.floats(rows, columns)
        self.add("Gemm", "Gemm", [matrix], [self.floats(columns, columns), self.floats(columns)])
        self.add("MatMul of one row", "MatMul", [self.floats(1, columns)],
                 [self.floats(columns, columns)])
        self.add("MatMul of inputs", "MatMul", [matrix, self.floats(columns, rows)])
        self.add("MatMul by a vector", "MatMul", [matrix, self.floats(columns, 1)])
        self.add("MatMul of heads", "MatMul", [self.floats(12, rows, 64),
                                               self.floats(12, 64, rows)])
        numbers = self.integers(255, rows, columns, dtype=np.uint8)
        # Of 7 bits: with larger ones the peer saturates pairs of products where a processor
        # has no VNNI.
        weights = self.rng.integers(-63, 64, (columns, columns)).astype(np.int8)
        self.add("MatMulInteger", "MatMulInteger", [numbers], [weights])
        states = self.size.columns // 6
        for operator, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
            self.add(operator, operator, [self.floats(steps, 1, states)],
                     [self.floats(1, gates * states, states) / 8,
                      self.floats(1, gates * states, states) / 8], hidden_size=states)


def build(size):
    """The cases of a size of SIZES."""
    return Builder(SIZES[size]).build()
