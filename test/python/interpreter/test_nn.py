"""Convolutions, matrix products, pooling and normalisations.

Expected values are from straightforward NumPy in double, rounded once; those of
float32 convolution, pooling and transposed convolution are also compared with
ONNX Runtime, to know that the NumPy is right.
"""

import itertools
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from relay_eval import FLOATS, Case, check, exact, random

# ONNX Runtime sums in float32.
ORT_TOLERANCE: dict[str, Any] = dict(rtol=1e-4, atol=1e-4)
LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def run_onnx(op, inputs, **attrs):
    names = [f"i{n}" for n in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], **attrs)
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, x.shape) for n, x in zip(names, inputs)]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "g", values, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(names, inputs)))[0]


def split_padding(padding, rank):
    """Values before and after each dimension, from any form of the attribute."""
    if len(padding) == 1:
        padding = padding * (2 * rank)
    elif len(padding) == rank:
        padding = list(padding) * 2
    return list(padding[:rank]), list(padding[rank:])


def conv(x, w, strides, before, after, dilation, groups):
    """Any rank, NC... and OI..., in double (integers: in int64)."""
    rank = x.ndim - 2
    wide = np.int64 if x.dtype.kind in "iu" else np.float64
    x, w = x.astype(wide), w.astype(wide)
    x = np.pad(x, [(0, 0), (0, 0), *zip(before, after)])
    out = [(x.shape[2 + i] - (w.shape[2 + i] - 1) * dilation[i] - 1) // strides[i] + 1 for i in range(rank)]
    result = np.zeros((x.shape[0], w.shape[0], *out), wide)
    per_out, per_in = w.shape[0] // groups, x.shape[1] // groups
    for k in np.ndindex(*w.shape[2:]):
        window = tuple(
            slice(k[i] * dilation[i], k[i] * dilation[i] + (out[i] - 1) * strides[i] + 1, strides[i]) for i in range(rank)
        )
        part = x[(slice(None), slice(None), *window)]
        for g in range(groups):
            outs, ins = slice(g * per_out, (g + 1) * per_out), slice(g * per_in, (g + 1) * per_in)
            result[:, outs] += np.einsum("nc...,oc->no...", part[:, ins], w[(outs, slice(None), *k)])
    return result


# Data, weight, strides, padding, dilation, groups.
CONVOLUTIONS = [
    ((2, 3, 9), (4, 3, 3), [1], [1, 1], [1], 1),
    ((1, 4, 17), (6, 2, 5), [2], [0, 3], [2], 2),
    ((2, 3, 8, 9), (5, 3, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 1),
    ((1, 3, 8, 9), (4, 3, 1, 1), [1, 1], [0, 0, 0, 0], [1, 1], 1),
    ((1, 3, 8, 9), (4, 3, 1, 1), [2, 3], [0, 0, 0, 0], [1, 1], 1),
    ((1, 3, 8, 9), (4, 3, 1, 1), [1, 1], [1, 0, 2, 1], [1, 1], 1),
    ((1, 3, 11, 13), (4, 3, 3, 5), [2, 3], [0, 1, 2, 3], [1, 1], 1),
    ((1, 3, 11, 13), (4, 3, 3, 2), [1, 2], [2], [3, 2], 1),
    ((1, 3, 11, 13), (4, 3, 3, 2), [1, 2], [2, 1], [1, 4], 1),
    ((1, 6, 7, 7), (6, 1, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 6),
    ((1, 6, 7, 7), (12, 1, 3, 3), [2, 2], [0, 0, 1, 1], [1, 1], 6),
    ((2, 6, 7, 5), (4, 3, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 2),
    ((1, 2, 3, 3), (1, 2, 3, 3), [5, 5], [0, 0, 0, 0], [1, 1], 1),
    ((2, 2, 4, 5, 6), (3, 2, 2, 3, 3), [1, 2, 1], [0, 1, 1, 1, 1, 0], [1, 1, 2], 1),
    ((1, 4, 3, 4, 5), (4, 2, 2, 2, 2), [1, 1, 1], [1, 1, 1], [1, 2, 1], 2),
]


def conv_attrs(strides, padding, dilation, groups):
    return {"strides": strides, "padding": padding, "dilation": dilation, "groups": groups}


@pytest.mark.parametrize("dtype", FLOATS)
def test_conv(dtype):
    rng = np.random.default_rng(0)
    cases = []
    for shape, kernel, strides, padding, dilation, groups in CONVOLUTIONS:
        rank = len(strides)
        x, w = random(rng, shape, dtype, -1, 1), random(rng, kernel, dtype, -1, 1)
        before, after = split_padding(padding, rank)
        expected = conv(x, w, strides, before, after, dilation, groups)
        if dtype == "f32":
            attrs = dict(strides=strides, pads=before + after, dilations=dilation, group=groups)
            np.testing.assert_allclose(expected, run_onnx("Conv", [x, w], **attrs), **ORT_TOLERANCE)
        attrs = conv_attrs(strides, padding, dilation, groups)
        cases.append(Case(f"nn.conv{rank}d", [x, w], expected.astype(x.dtype), attrs, atol=1e-15))
    check(cases)


def test_conv_of_integers():
    rng = np.random.default_rng(1)
    x, w = random(rng, (1, 3, 5, 5), "i8", -128, 127), random(rng, (4, 3, 3, 3), "i8", -128, 127)
    expected = conv(x, w, [1, 1], [1, 1], [1, 1], [1, 1], 1)
    attrs = {"padding": [1, 1, 1, 1], "out_dtype": "!i32"}
    u, v = x.view(np.uint8), w.view(np.uint8)
    unsigned = conv(u, v, [1, 1], [1, 1], [1, 1], [1, 1], 1)
    check(
        [
            Case("nn.conv2d", [x, w], expected.astype(np.int32), attrs),
            Case("nn.conv2d", [x, w], expected.astype(np.int8), {"padding": [1, 1, 1, 1]}),
            Case("nn.conv2d", [u, v], unsigned.astype(np.int32), attrs),
        ]
    )


def conv_transpose(x, w, strides, before, after, dilation, output_padding, groups):
    rank = x.ndim - 2
    wide_x, wide_w = x.astype(np.float64), w.astype(np.float64)
    per_in, per_out = x.shape[1] // groups, w.shape[1]
    full = [
        strides[i] * (x.shape[2 + i] - 1) + (w.shape[2 + i] - 1) * dilation[i] + 1 + output_padding[i] for i in range(rank)
    ]
    result = np.zeros((x.shape[0], per_out * groups, *full))
    for g, position, k in itertools.product(range(groups), np.ndindex(*x.shape[2:]), np.ndindex(*w.shape[2:])):
        at = tuple(position[i] * strides[i] + k[i] * dilation[i] for i in range(rank))
        ins = slice(g * per_in, (g + 1) * per_in)
        values = wide_x[(slice(None), ins, *position)] @ wide_w[(ins, slice(None), *k)]
        result[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)] += values
    crop = tuple(slice(before[i], full[i] - after[i]) for i in range(rank))
    return result[(slice(None), slice(None), *crop)]


# Data, weight (IO...), strides, padding, dilation, output padding, groups.
TRANSPOSED = [
    ((1, 3, 7), (3, 4, 3), [2], [1, 1], [1], [1], 1),
    ((2, 3, 4, 5), (3, 2, 3, 3), [1, 1], [0, 0, 0, 0], [1, 1], [0, 0], 1),
    ((1, 3, 4, 5), (3, 2, 3, 3), [2, 2], [1, 1, 1, 1], [1, 1], [1, 1], 1),
    ((1, 2, 4, 5), (2, 2, 2, 4), [3, 2], [0, 2, 1, 0], [2, 1], [0, 0], 1),
    ((1, 4, 3, 3), (4, 3, 3, 3), [2, 2], [1, 1, 1, 1], [1, 1], [0, 1], 2),
    ((1, 2, 2, 3, 4), (2, 3, 2, 2, 3), [1, 2, 2], [0, 0, 1, 0, 1, 1], [1, 1, 1], [0, 1, 0], 1),
]


@pytest.mark.parametrize("dtype", ["f64", "f32", "bf16"])
def test_conv_transpose(dtype):
    rng = np.random.default_rng(2)
    cases = []
    for shape, kernel, strides, padding, dilation, output_padding, groups in TRANSPOSED:
        rank = len(strides)
        x, w = random(rng, shape, dtype, -1, 1), random(rng, kernel, dtype, -1, 1)
        before, after = split_padding(padding, rank)
        expected = conv_transpose(x, w, strides, before, after, dilation, output_padding, groups)
        if dtype == "f32":
            attrs = dict(strides=strides, pads=before + after, dilations=dilation, group=groups, output_padding=output_padding)
            np.testing.assert_allclose(expected, run_onnx("ConvTranspose", [x, w], **attrs), **ORT_TOLERANCE)
        attrs = conv_attrs(strides, padding, dilation, groups) | {"output_padding": output_padding}
        attrs["channels"] = expected.shape[1]
        attrs["kernel_size"] = list(kernel[2:])
        cases.append(Case(f"nn.conv{rank}d_transpose", [x, w], expected.astype(x.dtype), attrs, atol=1e-15))
    check(cases)


@pytest.mark.parametrize("dtype", FLOATS)
def test_matmul(dtype):
    rng = np.random.default_rng(3)
    cases = []
    for m, k, n in [(1, 1, 1), (3, 5, 4), (40, 70, 33), (2, 0, 3), (0, 4, 2)]:
        a, b = random(rng, (m, k), dtype, -1, 1), random(rng, (n, k), dtype, -1, 1)
        expected = exact(lambda p, q: p @ q.T, a, b)
        stacked = random(rng, (2, m, k), dtype, -1, 1)
        cases += [
            Case("nn.dense", [a, b], expected, atol=1e-15),
            Case("nn.dense", [stacked, b], exact(lambda p, q: p @ q.T, stacked, b), atol=1e-15),
            Case("nn.matmul", [a, b], expected, {"transpose_b": True}, atol=1e-15),
            Case("nn.matmul", [a, b.T.copy()], expected, atol=1e-15),
            Case("nn.matmul", [a.T.copy(), b.T.copy()], expected, {"transpose_a": True}, atol=1e-15),
        ]
        for batch_a, batch_b in [(3, 3), (1, 3), (3, 1)]:
            x, y = random(rng, (batch_a, m, k), dtype, -1, 1), random(rng, (batch_b, k, n), dtype, -1, 1)
            product = exact(np.matmul, x, y)
            for transpose_a, transpose_b in itertools.product((False, True), repeat=2):
                inputs = [
                    x.transpose(0, 2, 1).copy() if transpose_a else x,
                    y.transpose(0, 2, 1).copy() if transpose_b else y,
                ]
                attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
                cases.append(Case("nn.batch_matmul", inputs, product, attrs, atol=1e-15))
    check(cases)


def test_matmul_of_integers():
    rng = np.random.default_rng(4)
    a, b = random(rng, (5, 40), "i8", -128, 127), random(rng, (7, 40), "i8", -128, 127)
    product = a.astype(np.int32) @ b.astype(np.int32).T
    check(
        [
            Case("nn.dense", [a, b], product, {"out_dtype": "!i32"}),
            Case("nn.dense", [a, b], product.astype(np.int8)),
        ]
    )


# Data, pool size, strides, padding, dilation, ceil mode.
POOLS = [
    ((2, 3, 9), [3], [2], [1, 1], [1], False),
    ((2, 3, 9), [2], [2], [0, 0], [1], True),
    ((1, 2, 7, 9), [2, 2], [2, 2], [0, 0, 0, 0], [1, 1], False),
    ((1, 2, 7, 9), [3, 3], [2, 2], [1, 1, 1, 1], [1, 1], False),
    ((1, 2, 7, 9), [3, 2], [1, 3], [0, 1, 2, 0], [1, 1], False),
    ((1, 2, 7, 9), [3, 3], [2, 2], [0, 0, 0, 0], [1, 1], True),
    ((1, 2, 9, 10), [2, 3], [2, 1], [1, 1, 0, 1], [3, 2], False),
    ((1, 2, 5, 6, 7), [2, 2, 3], [1, 2, 2], [0, 0, 1, 1, 0, 1], [1, 1, 1], False),
]


def pool(x, size, strides, before, after, dilation, ceil_mode, reduce):
    """`reduce(window, cells)` gets the cells inside the data, and the number of
    those inside the padded data."""
    rank = len(size)
    wide = x.astype(np.float64)
    out = []
    for i in range(rank):
        room = x.shape[2 + i] + before[i] + after[i] - (size[i] - 1) * dilation[i] - 1
        out.append((room + (strides[i] - 1 if ceil_mode else 0)) // strides[i] + 1)
    result = np.zeros((*x.shape[:2], *out))
    for position in np.ndindex(*out):
        axes, count = [], 1
        for i in range(rank):
            start = position[i] * strides[i] - before[i]
            cells = [start + j * dilation[i] for j in range(size[i])]
            axes.append([c for c in cells if 0 <= c < x.shape[2 + i]])
            count *= sum(c < x.shape[2 + i] + after[i] for c in cells)
        window = wide[np.ix_(range(x.shape[0]), range(x.shape[1]), *axes)]
        window = window.reshape(*x.shape[:2], -1)
        result[(slice(None), slice(None), *position)] = reduce(window, count)
    return result.astype(x.dtype)


REDUCTIONS = {
    "max": lambda window, cells: window.max(-1),
    "avg": lambda window, cells: window.mean(-1),
    "avg_padded": lambda window, cells: window.sum(-1) / cells,
}


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_pool(kind, dtype):
    rng = np.random.default_rng(5)
    cases = []
    for shape, size, strides, padding, dilation, ceil_mode in POOLS:
        rank = len(size)
        x = random(rng, shape, dtype)
        before, after = split_padding(padding, rank)
        expected = pool(x, size, strides, before, after, dilation, ceil_mode, REDUCTIONS[kind])
        if dtype == "f32":
            attrs = dict(kernel_shape=size, strides=strides, pads=before + after, dilations=dilation, ceil_mode=int(ceil_mode))
            if kind == "avg_padded":
                attrs["count_include_pad"] = 1
            name = "MaxPool" if kind == "max" else "AveragePool"
            np.testing.assert_allclose(expected, run_onnx(name, [x], **attrs), **ORT_TOLERANCE)
        attrs = {"pool_size": size, "strides": strides, "padding": padding, "dilation": dilation, "ceil_mode": ceil_mode}
        if kind == "avg_padded":
            attrs["count_include_pad"] = True
        cases.append(Case(f"nn.{kind[:3]}_pool{rank}d", [x], expected, attrs, atol=1e-7))
    check(cases)


def test_max_pool_of_integers():
    rng = np.random.default_rng(6)
    cases = []
    for dtype in ("i8", "ui8", "i64"):
        x = random(rng, (1, 2, 6, 6), dtype, -100, 100)
        expected = pool(x, [3, 3], [2, 2], [1, 1], [1, 1], [1, 1], False, REDUCTIONS["max"])
        attrs = {"pool_size": [3, 3], "strides": [2, 2], "padding": [1, 1, 1, 1]}
        cases.append(Case("nn.max_pool2d", [x], expected, attrs))
    check(cases)


@pytest.mark.parametrize("dtype", FLOATS)
def test_global_and_adaptive_pool(dtype):
    rng = np.random.default_rng(7)
    x = random(rng, (2, 3, 7, 10), dtype)
    nhwc = x.transpose(0, 2, 3, 1).copy()
    cases = []
    for kind, fn in (("max", np.max), ("avg", np.mean)):
        expected = exact(lambda v: fn(v, (2, 3), keepdims=True), x)
        cases.append(Case(f"nn.global_{kind}_pool2d", [x], expected, atol=1e-7))
        cases.append(
            Case(f"nn.global_{kind}_pool2d", [nhwc], expected.transpose(0, 2, 3, 1).copy(), {"layout": "NHWC"}, atol=1e-7)
        )
        for size in ([], [1], [3], [4, 5], [7, 10], [9, 2]):
            h, w = (x.shape[2:] if not size else size * 2 if len(size) == 1 else size)
            adaptive = np.zeros((2, 3, h, w))
            for i, j in np.ndindex(h, w):
                rows = slice(i * 7 // h, -(-(i + 1) * 7 // h))
                columns = slice(j * 10 // w, -(-(j + 1) * 10 // w))
                adaptive[:, :, i, j] = fn(x.astype(np.float64)[:, :, rows, columns], (2, 3))
            attrs = {"output_size": size} if size else {}
            cases.append(Case(f"nn.adaptive_{kind}_pool2d", [x], adaptive.astype(x.dtype), attrs, atol=1e-7))
    check(cases)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax(dtype):
    rng = np.random.default_rng(8)
    cases = []
    for shape in [(5,), (2, 3, 4), (1, 1000), (2, 3, 4, 5)]:
        x = random(rng, shape, dtype, -30, 30)
        for axis in range(-len(shape), len(shape)):
            attrs = {"axis": axis}
            cases.append(Case("nn.softmax", [x], exact(lambda v: softmax(v, axis), x), attrs, atol=1e-30))

            def log_softmax(v):
                shifted = v - v.max(axis, keepdims=True)
                return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))

            cases.append(Case("nn.log_softmax", [x], exact(log_softmax, x), attrs, atol=1e-12))
    large = np.array([1e4, 1e4 - 1, -1e30], np.float32)
    cases.append(Case("nn.softmax", [large], exact(lambda v: softmax(v, 0), large)))
    check(cases)


def standardize(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


def along(vector, axis, rank):
    shape = [1] * rank
    shape[axis] = -1
    return vector.reshape(shape)


FLAGS: list[dict[str, Any]] = [{}, {"center": False}, {"scale": False}, {"epsilon": 0.1}]


@pytest.mark.parametrize("dtype", FLOATS)
def test_normalisations(dtype):
    rng = np.random.default_rng(9)
    cases = []
    x = random(rng, (2, 6, 4, 5), dtype)
    for axis, flags in itertools.product((1, 2, -1), FLAGS):
        size = x.shape[axis]
        gamma, beta, mean = (random(rng, (size,), dtype) for _ in range(3))
        var = random(rng, (size,), dtype, 0.5, 2)
        attrs = {"axis": axis, **flags}
        epsilon = flags.get("epsilon", 1e-5)

        def affine(v, g, b):
            v = v * along(g, axis, 4) if flags.get("scale", True) else v
            return v + along(b, axis, 4) if flags.get("center", True) else v

        def batch(v, g, b, m, s):
            return affine((v - along(m, axis, 4)) / np.sqrt(along(s, axis, 4) + epsilon), g, b)

        expected = exact(batch, x, gamma, beta, mean, var)
        inputs = [x, gamma, beta, mean, var]
        cases.append(Case("nn.batch_norm", inputs, (expected, mean, var), attrs, atol=1e-6))
        layer = exact(lambda v, g, b: affine(standardize(v, axis, epsilon), g, b), x, gamma, beta)
        cases.append(Case("nn.layer_norm", [x, gamma, beta], layer, attrs, atol=1e-6))
        axes = tuple(a for a in (1, 2, 3) if a != axis % 4)
        instance = exact(lambda v, g, b: affine(standardize(v, axes, epsilon), g, b), x, gamma, beta)
        cases.append(Case("nn.instance_norm", [x, gamma, beta], instance, attrs, atol=1e-6))
    for groups, flags in itertools.product((1, 2, 3, 6), FLAGS):
        gamma, beta = random(rng, (6,), dtype), random(rng, (6,), dtype)
        epsilon = flags.get("epsilon", 1e-5)

        def group(v, g, b):
            split = v.reshape(2, groups, 6 // groups, 4, 5)
            v = standardize(split, (2, 3, 4), epsilon).reshape(v.shape)
            v = v * along(g, 1, 4) if flags.get("scale", True) else v
            return v + along(b, 1, 4) if flags.get("center", True) else v

        attrs = {"num_groups": groups, **flags}
        cases.append(Case("nn.group_norm", [x, gamma, beta], exact(group, x, gamma, beta), attrs, atol=1e-6))
    check(cases)


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16"])
def test_lrn_and_l2(dtype):
    rng = np.random.default_rng(10)
    x = random(rng, (2, 7, 3, 4), dtype)
    cases = []
    for size in (1, 3, 4, 5, 20):
        alpha, beta, bias = 0.01, 0.6, 1.5

        def lrn(v):
            squares = np.zeros_like(v)
            for c in range(7):
                low, high = max(0, c - (size - 1) // 2), min(7, c + size // 2 + 1)
                squares[:, c] = (v[:, low:high] ** 2).sum(1)
            return v / (bias + alpha / size * squares) ** beta

        expected = exact(lrn, x)
        if dtype == "f32" and size % 2:
            attrs = dict(size=size, alpha=alpha, beta=beta, bias=bias)
            np.testing.assert_allclose(expected, run_onnx("LRN", [x], **attrs), **ORT_TOLERANCE)
        attrs = {"size": size, "alpha": alpha, "beta": beta, "bias": bias}
        cases.append(Case("nn.lrn", [x], expected, attrs))
    for axes in ([1], [-1], [1, 3]):
        norm = exact(lambda v: v / np.sqrt(np.maximum((v**2).sum(tuple(axes), keepdims=True), 1.0)), x)
        cases.append(Case("nn.l2_normalize", [x], norm, {"eps": 1.0, "axis": axes}))
    cases.append(Case("nn.dropout", [x], (x, np.ones_like(x)), {"rate": 0.7}))
    check(cases)
