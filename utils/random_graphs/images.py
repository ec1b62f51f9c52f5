# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks of ONNX operators: convolutions among everything that a
layout change, fusion, or a schedule has to keep right. `build(seed)` gives the
same network for the same seed."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """Grows a network from one image; every method adds an operator to it."""

    def __init__(self, seed, dynamic=False):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants = [], []
        self.count = 0
        self.shapes = {}
        self.dynamic = dynamic

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape):
        fan_in = max(1, int(np.prod(shape[1:])))
        return self.constant((self.rng.standard_normal(shape)
                              * np.sqrt(2.0 / fan_in)).astype(np.float32))

    def add(self, operator, inputs, shape, **attributes):
        name = self.name()
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        self.shapes[name] = tuple(int(d) for d in shape)
        return name

    # Each takes the name of an NCHW tensor and gives the name of another.

    def conv(self, x):
        n, c, h, w = self.shapes[x]
        kernel = [int(self.pick(1, 1, 3, 3, 5, 7)) for _ in range(2)]
        if self.rng.random() < 0.8:
            kernel[1] = kernel[0]
        stride = [int(self.pick(1, 1, 1, 2, 3))] * 2
        dilation = [int(self.pick(1, 1, 1, 2))] * 2
        divisors = [g for g in range(1, c + 1) if c % g == 0]
        group = int(self.pick(1, 1, 1, c, self.pick(*divisors)))
        outputs = group * int(self.pick(1, 1, 2, 3)) if group > 1 else int(
            self.pick(1, 3, 8, 16, 17, 24, 32, 40, 64))
        pads = [int(self.rng.integers(0, k + 1)) for k in kernel * 2]
        if self.rng.random() < 0.6:
            pads = [k // 2 for k in kernel * 2]
        size = []
        for i, extent in enumerate((h, w)):
            span = extent + pads[i] + pads[i + 2] - dilation[i] * (kernel[i] - 1) - 1
            if span < 0:
                return x
            size.append(span // stride[i] + 1)
        inputs = [x, self.weights(outputs, c // group, *kernel)]
        if self.rng.random() < 0.6:
            inputs.append(self.weights(outputs))
        return self.add("Conv", inputs, (n, outputs, *size), group=group,
                        kernel_shape=kernel, strides=stride, dilations=dilation, pads=pads)

    def conv_transpose(self, x):
        n, c, h, w = self.shapes[x]
        if h > 24 or w > 24:
            return x
        kernel = int(self.pick(1, 2, 3, 4))
        stride = int(self.pick(1, 2, 3))
        pad = int(self.rng.integers(0, kernel))
        extra = int(self.rng.integers(0, stride))
        group = int(self.pick(1, 1, c))
        per_group = int(self.pick(1, 2, 8, 17)) if group == 1 else 1
        size = [(e - 1) * stride + kernel - 2 * pad + extra for e in (h, w)]
        if min(size) <= 0:
            return x
        return self.add("ConvTranspose", [x, self.weights(c, per_group, kernel, kernel)],
                        (n, group * per_group, *size), group=group,
                        kernel_shape=[kernel] * 2, strides=[stride] * 2,
                        pads=[pad] * 4, output_padding=[extra] * 2)

    def batch_norm(self, x):
        c = self.shapes[x][1]
        rng = self.rng
        parameters = [rng.uniform(-1.5, 1.5, c), rng.standard_normal(c),
                      rng.standard_normal(c), rng.uniform(0.2, 2, c)]
        return self.add("BatchNormalization",
                        [x] + [self.constant(p.astype(np.float32)) for p in parameters],
                        self.shapes[x])

    def activation(self, x):
        operator = self.pick("Relu", "Relu", "Relu", "LeakyRelu", "Sigmoid", "Tanh",
                             "HardSwish", "Elu", "Softplus", "Clip", "PRelu", "Abs", "Neg")
        inputs = [x]
        if operator == "Clip":
            inputs += [self.constant(np.float32(-0.5)), self.constant(np.float32(0.75))]
        if operator == "PRelu":
            inputs += [self.weights(self.shapes[x][1], 1, 1)]
        return self.add(operator, inputs, self.shapes[x])

    def arithmetic(self, x):
        n, c, h, w = self.shapes[x]
        shape = self.pick((), (c, 1, 1), (1, c, 1, 1), (h, w), (1, 1, h, 1), (w,), (c, h, w))
        return self.add(self.pick("Add", "Mul", "Sub", "Max"), [x, self.weights(*shape)],
                        self.shapes[x])

    def pool(self, x):
        n, c, h, w = self.shapes[x]
        kernel = int(self.pick(1, 2, 3, 3, 5))
        stride = int(self.pick(1, 2, 2, 3))
        pads = [int(p) for p in self.rng.integers(0, kernel // 2 + 1, 4)]
        ceil = int(self.rng.integers(0, 2))
        size = []
        for i, extent in enumerate((h, w)):
            span = extent + pads[i] + pads[i + 2] - kernel
            if span < 0:
                return x
            count = -(-span // stride) if ceil else span // stride
            # Whether a window that starts in the padding counts, readers of
            # ONNX do not agree on.
            if ceil and count * stride >= extent + pads[i]:
                return x
            size.append(count + 1)
        attributes = dict(kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads,
                          ceil_mode=ceil)
        if self.rng.random() < 0.5:
            return self.add("MaxPool", [x], (n, c, *size), **attributes)
        return self.add("AveragePool", [x], (n, c, *size),
                        count_include_pad=int(self.rng.integers(0, 2)), **attributes)

    def squeeze_excite(self, x):
        n, c, h, w = self.shapes[x]
        pooled = self.add(self.pick("GlobalAveragePool", "GlobalMaxPool"), [x], (n, c, 1, 1))
        gate = self.add("Conv", [pooled, self.weights(c, c, 1, 1)], (n, c, 1, 1))
        gate = self.add("Sigmoid", [gate], (n, c, 1, 1))
        return self.add("Mul", [x, gate], self.shapes[x])

    def residual(self, x):
        branch = x
        for _ in range(int(self.rng.integers(1, 3))):
            c = self.shapes[branch][1]
            branch = self.add("Conv", [branch, self.weights(c, c, 3, 3)], self.shapes[branch],
                              kernel_shape=[3, 3], pads=[1] * 4)
            if self.rng.random() < 0.7:
                branch = self.activation(branch)
        return self.add(self.pick("Add", "Add", "Mul"), self.shuffled(x, branch), self.shapes[x])

    def shuffled(self, *names):
        order = list(names)
        self.rng.shuffle(order)
        return order

    def concatenate(self, x):
        n, c, h, w = self.shapes[x]
        parts, total = [x], c
        for _ in range(int(self.rng.integers(1, 4))):
            o = int(self.pick(1, 3, 8, 12, 16))
            k = int(self.pick(1, 3))
            y = self.add("Conv", [x, self.weights(o, c, k, k)], (n, o, h, w),
                         kernel_shape=[k, k], pads=[k // 2] * 4)
            if self.rng.random() < 0.7:
                y = self.activation(y)
            parts.append(y)
            total += o
        return self.add("Concat", self.shuffled(*parts), (n, total, h, w), axis=1)

    def split(self, x):
        n, c, h, w = self.shapes[x]
        if c < 2:
            return x
        first = int(self.rng.integers(1, c))
        names = [self.name(), self.name()]
        self.nodes.append(helper.make_node(
            "Split", [x, self.constant(np.array([first, c - first], np.int64))], names, axis=1))
        self.shapes[names[0]] = (n, first, h, w)
        self.shapes[names[1]] = (n, c - first, h, w)
        parts = [self.activation(y) if self.rng.random() < 0.6 else y for y in names]
        return self.add("Concat", self.shuffled(*parts), (n, c, h, w), axis=1)

    def channel_shuffle(self, x):
        n, c, h, w = self.shapes[x]
        groups = [g for g in range(2, c) if c % g == 0]
        if not groups:
            return x
        g = int(self.pick(*groups))
        batch = 0 if self.dynamic else n
        x = self.add("Reshape", [x, self.constant(np.array([batch, g, c // g, h, w], np.int64))],
                     (n, g, c // g, h, w))
        x = self.add("Transpose", [x], (n, c // g, g, h, w), perm=[0, 2, 1, 3, 4])
        return self.add("Reshape", [x, self.constant(np.array([batch, c, h, w], np.int64))],
                        (n, c, h, w))

    def slice(self, x):
        n, c, h, w = self.shapes[x]
        axis = int(self.pick(1, 2, 3))
        extent = self.shapes[x][axis]
        start = int(self.rng.integers(0, extent))
        end = int(self.rng.integers(start + 1, extent + 1))
        step = int(self.pick(1, 1, 2))
        shape = list(self.shapes[x])
        shape[axis] = -(-(end - start) // step)
        parts = [self.constant(np.array([v], np.int64)) for v in (start, end, axis, step)]
        return self.add("Slice", [x] + parts, shape)

    def pad(self, x):
        n, c, h, w = self.shapes[x]
        mode = self.pick("constant", "constant", "edge", "reflect")
        limit = 3 if mode != "reflect" else min(3, h, w)
        p = [int(v) for v in self.rng.integers(0, limit, 4)]
        pads = np.array([0, 0, p[0], p[1], 0, 0, p[2], p[3]], np.int64)
        return self.add("Pad", [x, self.constant(pads)],
                        (n, c, h + p[0] + p[2], w + p[1] + p[3]), mode=mode)

    def resize(self, x):
        n, c, h, w = self.shapes[x]
        if h > 24 or w > 24:
            return x
        scale = int(self.pick(2, 3))
        scales = self.constant(np.array([1, 1, scale, scale], np.float32))
        mode = self.pick("nearest", "linear")
        transformation = "asymmetric" if mode == "nearest" else "half_pixel"
        return self.add("Resize", [x, "", scales], (n, c, h * scale, w * scale), mode=mode,
                        coordinate_transformation_mode=transformation,
                        nearest_mode="floor")

    def reduce(self, x):
        n, c, h, w = self.shapes[x]
        axis = int(self.pick(1, 2, 3))
        shape = list(self.shapes[x])
        shape[axis] = 1
        y = self.add(self.pick("ReduceMean", "ReduceMax", "ReduceSum"),
                     [x, self.constant(np.array([axis], np.int64))], shape, keepdims=1)
        return self.add("Sub", [x, y], self.shapes[x])

    def normalize(self, x):
        n, c, h, w = self.shapes[x]
        kind = self.pick("LRN", "InstanceNormalization", "Softmax", "LayerNormalization")
        if kind == "LRN":
            return self.add("LRN", [x], self.shapes[x], size=3)
        if kind == "InstanceNormalization":
            if h * w == 1:
                return x
            return self.add(kind, [x, self.weights(c), self.weights(c)], self.shapes[x])
        if kind == "Softmax":
            return self.add("Softmax", [x], self.shapes[x], axis=int(self.pick(1, 2, 3, -1)))
        if w == 1:
            return x
        return self.add(kind, [x, self.weights(w), self.weights(w)], self.shapes[x], axis=-1)

    def space_depth(self, x):
        n, c, h, w = self.shapes[x]
        if c % 4 == 0:
            return self.add("DepthToSpace", [x], (n, c // 4, 2 * h, 2 * w), blocksize=2,
                            mode=self.pick("DCR", "CRD"))
        if h % 2 == 0 and w % 2 == 0:
            return self.add("SpaceToDepth", [x], (n, 4 * c, h // 2, w // 2), blocksize=2)
        return x

    def transposed(self, x):
        n, c, h, w = self.shapes[x]
        y = self.add("Transpose", [x], (n, h, w, c), perm=[0, 2, 3, 1])
        k = int(self.pick(4, 9, 16, 33))
        y = self.add("MatMul", [y, self.weights(c, k)], (n, h, w, k))
        if self.rng.random() < 0.5:
            y = self.add("Add", [y, self.weights(k)], (n, h, w, k))
        return self.add("Transpose", [y], (n, k, h, w), perm=[0, 3, 1, 2])

    def attention(self, x):
        n, c, h, w = self.shapes[x]
        if h * w > 256 or c < 2:
            return x
        rows = h * w
        batch = 0 if self.dynamic else n
        flat = self.add("Reshape", [x, self.constant(np.array([batch, c, -1], np.int64))],
                        (n, c, rows))
        keys = self.add("Transpose", [flat], (n, rows, c), perm=[0, 2, 1])
        scores = self.add("MatMul", [keys, flat], (n, rows, rows))
        scores = self.add("Mul", [scores, self.constant(np.float32(1 / np.sqrt(c)))],
                          (n, rows, rows))
        scores = self.add("Softmax", [scores], (n, rows, rows), axis=-1)
        y = self.add("MatMul", [flat, scores], (n, c, rows))
        return self.add("Reshape", [y, self.constant(np.array([batch, c, h, w], np.int64))],
                        (n, c, h, w))

    STEPS = ("conv", "conv", "conv", "conv", "conv_transpose", "batch_norm", "batch_norm",
             "activation", "activation", "activation", "arithmetic", "pool", "pool",
             "squeeze_excite", "residual", "residual", "concatenate", "concatenate", "split",
             "channel_shuffle", "slice", "pad", "resize", "reduce", "normalize", "space_depth",
             "transposed", "attention")


def build(seed, dynamic=False):
    """A checked model with an NCHW input `x` and one or more outputs, and its
    input. `dynamic` leaves the batch open in the model's types."""
    b = Builder(seed, dynamic)
    rng = b.rng
    n = int(b.pick(1, 1, 1, 2, 3))
    shape = (n, int(b.pick(1, 3, 3, 4, 8, 16, 24)), int(rng.integers(1, 24)),
             int(rng.integers(1, 24)))
    b.shapes["x"] = shape
    x, outputs = "x", []
    for _ in range(int(rng.integers(3, 12))):
        if np.prod(b.shapes[x]) > 200_000:
            x = b.add("MaxPool", [x], (*b.shapes[x][:2], *[d // 2 for d in b.shapes[x][2:]]),
                      kernel_shape=[2, 2], strides=[2, 2]) if min(b.shapes[x][2:]) > 1 else x
        before = x
        x = getattr(b, b.pick(*Builder.STEPS))(x)
        if before != "x" and rng.random() < 0.08:
            outputs.append(before)
    if rng.random() < 0.4:
        n, c, h, w = b.shapes[x]
        x = b.add("Flatten", [x], (n, c * h * w), axis=1)
        k = int(b.pick(1, 10, 33))
        x = b.add("Gemm", [x, b.weights(k, c * h * w), b.weights(k)], (n, k), transB=1)
        if rng.random() < 0.5:
            x = b.add("Softmax", [x], (n, k), axis=-1)
    if x == "x":
        x = b.activation(x)
    outputs = [o for o in dict.fromkeys(outputs) if o != x] + [x]

    def value(name):
        dims = list(b.shapes[name])
        if dynamic:
            dims[0] = "batch"
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)

    graph = helper.make_graph(b.nodes, f"random_{seed}", [value("x")],
                              [value(o) for o in outputs], b.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                              ir_version=9)
    onnx.checker.check_model(model)
    data = rng.standard_normal(shape).astype(np.float32)
    return model, {"x": data}
