"""Less common spatial operators, against straightforward NumPy in double, and
ONNX Runtime where it has them."""

import itertools
from typing import Any

import numpy as np
import pytest
from onnx_eval import run_onnx
from relay_eval import FLOATS, Case, check, exact, random


def adaptive_pool(x, sizes, reduce):
    """Over the last len(sizes) dimensions."""
    spatial = x.shape[-len(sizes) :]
    result = np.zeros((*x.shape[: -len(sizes)], *sizes))
    for index in np.ndindex(*sizes):
        window = [slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(index, spatial, sizes)]
        axes = tuple(range(-len(sizes), 0))
        result[(..., *index)] = reduce(x[(..., *window)].astype(float), axis=axes)
    return result.astype(x.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_adaptive_pool(dtype):
    rng = np.random.default_rng(0)
    x1, x3 = random(rng, (2, 3, 11), dtype), random(rng, (1, 2, 5, 7, 4), dtype)
    cases = []
    for what, reduce in (("avg", np.mean), ("max", np.max)):
        for size in ([4], [1], [11], [13]):
            cases.append(Case(f"nn.adaptive_{what}_pool1d", [x1], adaptive_pool(x1, size, reduce), {"output_size": size}))
        cases.append(Case(f"nn.adaptive_{what}_pool1d", [x1], x1))
        for size in ([2, 3, 4], [2]):
            expected = adaptive_pool(x3, size * 3 if len(size) == 1 else size, reduce)
            attrs: dict[str, Any] = {"output_size": size}
            cases.append(Case(f"nn.adaptive_{what}_pool3d", [x3], expected, attrs))
            moved = np.ascontiguousarray(np.moveaxis(x3, 1, -1))
            attrs = {"output_size": size, "layout": "NDHWC"}
            expected = np.ascontiguousarray(np.moveaxis(expected, 1, -1))
            cases.append(Case(f"nn.adaptive_{what}_pool3d", [moved], expected, attrs))
    for case in cases:
        case.atol = 1e-15
    check(cases)


# Shape, pool, strides, dilation, padding (before and after), ceil_mode.
POOLS = [
    ((1, 2, 6, 6), [2, 2], [2, 2], [1, 1], [0, 0, 0, 0], False),
    ((2, 1, 7, 8), [3, 2], [2, 1], [1, 1], [1, 0, 1, 1], False),
    ((1, 1, 7, 8), [3, 2], [2, 3], [2, 1], [1, 0, 1, 1], False),
    ((1, 2, 6, 7), [3, 3], [2, 2], [1, 1], [0, 0, 0, 0], True),
]


def pool_grad(x, grad, pool, strides, dilation, padding, kind):
    result = np.zeros(x.shape)
    for n, c, i, j in np.ndindex(*grad.shape):
        inside, total = [], 0
        for a, b in itertools.product(range(pool[0]), range(pool[1])):
            y = i * strides[0] + a * dilation[0] - padding[0]
            z = j * strides[1] + b * dilation[1] - padding[1]
            if 0 <= y < x.shape[2] and 0 <= z < x.shape[3]:
                inside.append((y, z))
            if y < x.shape[2] + padding[2] and z < x.shape[3] + padding[3]:
                total += 1
        if kind == "max":
            best = max(inside, key=lambda p: x[n, c, p[0], p[1]])  # The first one.
            result[(n, c, *best)] += grad[n, c, i, j]
            continue
        for p in inside:
            result[(n, c, *p)] += grad[n, c, i, j] / (total if kind == "padded" else len(inside))
    return result


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_pool_grad(dtype):
    rng = np.random.default_rng(1)
    cases = []
    for shape, pool, strides, dilation, padding, ceil in POOLS:
        x = rng.integers(0, 5, shape).astype(random(rng, (1,), dtype).dtype)  # With equal maxima.
        out = [
            (shape[2 + i] + padding[i] + padding[2 + i] - (pool[i] - 1) * dilation[i] - 1 + ceil * (strides[i] - 1)) // strides[i] + 1
            for i in range(2)
        ]
        grad = random(rng, (*shape[:2], *out), dtype)
        attrs = dict(pool_size=pool, strides=strides, dilation=dilation, padding=padding, ceil_mode=ceil)
        for kind in ("max", "avg", "padded"):
            expected = pool_grad(x, grad.astype(float), pool, strides, dilation, padding, kind).astype(x.dtype)
            op = "nn.max_pool2d_grad" if kind == "max" else "nn.avg_pool2d_grad"
            extra = {"count_include_pad": True} if kind == "padded" else {}
            cases.append(Case(op, [grad, x], expected, attrs | extra, atol=1e-15))
    x, grad = random(rng, (1, 4, 4, 2), dtype), random(rng, (1, 2, 2, 2), dtype)
    data, gradient = (np.moveaxis(a, -1, 1).astype(float) for a in (x, grad))
    expected = pool_grad(data, gradient, [2, 2], [2, 2], [1, 1], [0] * 4, "max")
    expected = np.ascontiguousarray(np.moveaxis(expected, 1, -1)).astype(x.dtype)
    cases.append(Case("nn.max_pool2d_grad", [grad, x], expected, dict(pool_size=[2, 2], strides=[2, 2], layout="NHWC")))
    check(cases)


def test_pool_grad_is_the_derivative():
    """The gradient of a weighted sum of the pool's results, by differences."""
    rng = np.random.default_rng(2)
    x, grad = rng.permutation(36).reshape(1, 1, 6, 6).astype(float), random(rng, (1, 1, 3, 3), "f64")
    expected = {}
    attrs: dict[str, Any]
    for op, attrs in (("MaxPool", {}), ("AveragePool", {"count_include_pad": 1})):
        derivative = np.zeros_like(x)
        for index in np.ndindex(*x.shape):
            ends = []
            for step in (-0.25, 0.25):
                moved = x.copy()
                moved[index] += step
                pooled = run_onnx(op, [moved.astype(np.float32)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 0, 0], **attrs)
                ends.append((pooled.astype(float) * grad).sum())
            derivative[index] = (ends[1] - ends[0]) / 0.5
        expected[op] = derivative
    attrs = {"pool_size": [3, 3], "strides": [2, 2], "padding": [1, 1, 0, 0]}
    tolerance: dict[str, Any] = dict(rtol=1e-4, atol=1e-5)
    check(
        [
            Case("nn.max_pool2d_grad", [grad, x], expected["MaxPool"], attrs, **tolerance),
            Case("nn.avg_pool2d_grad", [grad, x], expected["AveragePool"], attrs | {"count_include_pad": True}, **tolerance),
        ]
    )


def space_to_batch(x, blocks, paddings, value):
    widths = [(0, 0), *paddings] + [(0, 0)] * (x.ndim - 1 - len(blocks))
    x = np.pad(x, widths, constant_values=value)
    parts = []
    for offsets in np.ndindex(*blocks):
        parts.append(x[(slice(None), *(slice(o, None, b) for o, b in zip(offsets, blocks)))])
    return np.concatenate(parts)


@pytest.mark.parametrize("dtype", ["f32", "i32", "f16"])
def test_blocks(dtype):
    rng = np.random.default_rng(3)
    cases = []
    for shape, blocks, paddings in (
        ((1, 4, 4, 3), [2, 2], [(0, 0), (0, 0)]),
        ((2, 4, 5, 1), [2, 3], [(1, 1), (0, 1)]),
        ((3, 5), [2], [(2, 1)]),
        ((2, 2, 3, 4, 2), [2, 3, 1], [(0, 0), (2, 1), (1, 0)]),
    ):
        x = random(rng, shape, dtype)
        flat = [p for pair in paddings for p in pair]
        expected = space_to_batch(x, blocks, paddings, 2)
        attrs = {"block_shape": blocks, "paddings": flat, "pad_value": 2.0}
        cases.append(Case("nn.space_to_batch_nd", [x], expected, attrs))
        # The way back, where crops take off what padding added.
        cases.append(Case("nn.batch_to_space_nd", [expected], x, {"block_shape": blocks, "crops": flat}))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "i8", "i1"])
def test_mirror_pad(dtype):
    rng = np.random.default_rng(4)
    x = random(rng, (3, 4, 2), dtype)
    cases = []
    for mode, widths in (("SYMMETRIC", [(3, 0), (1, 4), (2, 2)]), ("REFLECT", [(2, 0), (1, 3), (0, 1)])):
        style: Any = mode.lower()
        expected = np.pad(x, widths, mode=style)
        attrs = {"mode": mode, "pad_width": [w for pair in widths for w in pair]}
        cases.append(Case("nn.mirror_pad", [x], expected, attrs))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_dilate(dtype):
    rng = np.random.default_rng(5)
    x = random(rng, (3, 1, 4), dtype)
    expected = np.full((5, 1, 10), 7, x.dtype)
    expected[::2, ::4, ::3] = x
    check(
        [
            Case("nn.dilate", [x], expected, {"strides": [2, 4, 3], "dilation_value": 7.0}),
            Case("nn.dilate", [x], x, {"strides": [1, 1, 1]}),
        ]
    )


def test_fifo_buffer():
    rng = np.random.default_rng(6)
    cases = []
    for axis in (0, 1, -1):
        for size in (1, 3, 5):
            data, buffer = random(rng, (2, 3, 4), "f32"), random(rng, (2, 3, 4), "f32")
            data = np.ascontiguousarray(np.take(data, np.arange(size) % data.shape[axis], axis))
            joined = np.concatenate([buffer, data], axis)
            count = joined.shape[axis]
            expected = np.take(joined, range(count - buffer.shape[axis], count), axis)
            cases.append(Case("nn.fifo_buffer", [data, buffer], expected, {"axis": axis}))
    check(cases)


@pytest.mark.parametrize("dtype", FLOATS)
def test_fast_softmax(dtype):
    rng = np.random.default_rng(7)
    x = random(rng, (3, 5, 4), dtype)

    def softmax(x, axis):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    check([Case("nn.fast_softmax", [x], exact(lambda v, a=axis: softmax(v, a), x), {"axis": axis}) for axis in (-1, 0, 1)])


def test_correlation():
    rng = np.random.default_rng(8)
    cases = []
    for shape, kernel, reach, stride1, stride2, pad, multiply in (
        ((1, 3, 5, 6), 1, 2, 1, 1, [2], True),
        ((2, 2, 8, 9), 3, 3, 2, 2, [3, 4], True),
        ((1, 2, 6, 7), 1, 4, 1, 3, [4, 4, 5, 3], False),
    ):
        a, b = random(rng, shape, "f32"), random(rng, shape, "f32")
        full = pad * 4 if len(pad) == 1 else pad * 2 if len(pad) == 2 else pad
        widths = [(0, 0), (0, 0), (full[0], full[2]), (full[1], full[3])]
        p, q = (np.pad(v.astype(float), widths) for v in (a, b))
        border, radius = reach + (kernel - 1) // 2, reach // stride2
        rows, columns = (-(-(p.shape[2 + i] - 2 * border) // stride1) for i in range(2))
        moves = [m * stride2 for m in range(-radius, radius + 1)]
        expected = np.zeros((shape[0], len(moves) ** 2, rows, columns))
        for k, (dy, dx) in enumerate(itertools.product(moves, moves)):
            for i, j in np.ndindex(rows, columns):
                y, x = i * stride1 + reach, j * stride1 + reach
                one = p[:, :, y : y + kernel, x : x + kernel]
                two = q[:, :, y + dy : y + dy + kernel, x + dx : x + dx + kernel]
                product = one * two if multiply else abs(one - two)
                expected[:, k, i, j] = product.mean((1, 2, 3))
        attrs = dict(kernel_size=kernel, max_displacement=reach, stride1=stride1, stride2=stride2, padding=pad, is_multiply=multiply)
        cases.append(Case("nn.correlation", [a, b], expected.astype(np.float32), attrs, atol=1e-7))
    check(cases)


def deform(x, offset, w, strides, before, dilation, groups, parts):
    n, out = x.shape[0], w.shape[0]
    rows, columns = offset.shape[2:]
    kh, kw = w.shape[2:]
    result = np.zeros((n, out, rows, columns))
    offset = offset.reshape(n, parts, kh, kw, 2, rows, columns)
    for b, c, i, j, y, z in np.ndindex(n, x.shape[1], kh, kw, rows, columns):
        dy, dx = offset[b, c * parts // x.shape[1], i, j, :, y, z]
        py = y * strides[0] - before[0] + i * dilation[0] + dy
        px = z * strides[1] - before[1] + j * dilation[1] + dx
        if not (0 <= py < x.shape[2] and 0 <= px < x.shape[3]):
            continue
        image = np.pad(x[b, c], ((0, 1), (0, 1)))
        y0, x0 = int(py), int(px)
        fy, fx = py - y0, px - x0
        value = np.array([1 - fy, fy]) @ image[y0 : y0 + 2, x0 : x0 + 2] @ np.array([1 - fx, fx])
        group = c // w.shape[1]
        outs = slice(group * out // groups, (group + 1) * out // groups)
        result[b, outs, y, z] += value * w[outs, c % w.shape[1], i, j]
    return result


def test_deformable_conv2d():
    rng = np.random.default_rng(9)
    cases = []
    for shape, weight, strides, padding, dilation, groups, parts in (
        ((1, 2, 6, 7), (3, 2, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 1, 1),
        ((2, 4, 7, 6), (4, 2, 3, 2), [2, 1], [1, 0, 2, 1], [1, 2], 2, 2),
    ):
        x, w = random(rng, shape, "f32"), random(rng, weight, "f32")
        rows, columns = (
            (shape[2 + i] + padding[i] + padding[2 + i] - (weight[2 + i] - 1) * dilation[i] - 1) // strides[i] + 1 for i in range(2)
        )
        offset = random(rng, (shape[0], 2 * parts * weight[2] * weight[3], rows, columns), "f32", -2, 2)
        data, moves, weights = (v.astype(float) for v in (x, offset, w))
        expected = deform(data, moves, weights, strides, padding, dilation, groups, parts)
        expected = expected.astype(np.float32)
        attrs = dict(strides=strides, padding=padding, dilation=dilation, groups=groups, deformable_groups=parts)
        attrs |= dict(channels=weight[0], kernel_size=list(weight[2:]))
        cases.append(Case("nn.deformable_conv2d", [x, offset, w], expected, attrs, atol=1e-6))
        moved = [np.ascontiguousarray(np.moveaxis(v, 1, -1)) for v in (x, offset, expected)]
        attrs = attrs | dict(data_layout="NHWC", kernel_layout="HWIO")
        hwio = np.ascontiguousarray(w.transpose(2, 3, 1, 0))
        cases.append(Case("nn.deformable_conv2d", [moved[0], moved[1], hwio], moved[2], attrs, atol=1e-6))
    # Without displacements it is the plain convolution.
    x, w = random(rng, (1, 3, 6, 6), "f32"), random(rng, (2, 3, 3, 3), "f32")
    plain = run_onnx("Conv", [x, w], pads=[1, 1, 1, 1])
    offset = np.zeros((1, 18, 6, 6), np.float32)
    cases.append(Case("nn.deformable_conv2d", [x, offset, w], plain, {"padding": [1]}, rtol=1e-5, atol=1e-5))
    check(cases)


def test_conv2d_backward_weight():
    """Weight gradients are those of the sum of grad * conv(data, weight), which
    is linear in each weight."""
    rng = np.random.default_rng(10)
    cases = []
    for shape, kernel, out, strides, padding, dilation, groups in (
        ((2, 3, 6, 7), [3, 3], 4, [1, 1], [1, 1, 1, 1], [1, 1], 1),
        ((1, 4, 7, 8), [2, 3], 6, [2, 1], [0, 1, 1, 0], [1, 2], 2),
        ((1, 3, 5, 5), [3, 3], 3, [1, 1], [0, 0, 0, 0], [1, 1], 3),
    ):
        x = random(rng, shape, "f32")
        weight = (out, shape[1] // groups, *kernel)
        attrs = dict(strides=strides, pads=padding, dilations=dilation, group=groups)
        grad = random(rng, run_onnx("Conv", [x, np.zeros(weight, np.float32)], **attrs).shape, "f32")
        expected = np.zeros(weight)
        for index in np.ndindex(*weight):
            one = np.zeros(weight, np.float32)
            one[index] = 1
            expected[index] = (run_onnx("Conv", [x, one], **attrs).astype(float) * grad).sum()
        expected = expected.astype(np.float32)
        attrs = dict(strides=strides, padding=padding, dilation=dilation, groups=groups, kernel_size=kernel, channels=out)
        attrs |= dict(data_layout="NCHW", kernel_layout="NCHW", out_layout="OIHW")
        cases.append(Case("nn.conv2d_backward_weight", [grad, x], expected, attrs, rtol=1e-5, atol=1e-5))
        moved = [np.ascontiguousarray(np.moveaxis(v, 1, -1)) for v in (grad, x)]
        attrs = attrs | dict(data_layout="NHWC", kernel_layout="NHWC", out_layout="HWIO")
        hwio = np.ascontiguousarray(expected.transpose(2, 3, 1, 0))
        cases.append(Case("nn.conv2d_backward_weight", moved, hwio, attrs, rtol=1e-5, atol=1e-5))
    check(cases)


def test_upsampling3d():
    rng = np.random.default_rng(11)
    x = random(rng, (1, 2, 3, 4, 5), "f32")
    cases = []
    scales = [2.0, 1.5, 3.0]
    for method, mode in itertools.product(("nearest_neighbor", "trilinear"), ("half_pixel", "align_corners", "asymmetric")):
        onnx_attrs = dict(mode="linear", coordinate_transformation_mode=mode)
        if method == "nearest_neighbor":
            nearest = "round_prefer_ceil" if mode == "align_corners" else "floor"
            onnx_attrs = dict(mode="nearest", coordinate_transformation_mode=mode, nearest_mode=nearest)
        sizes = np.array([1, 2, 6, 6, 15], np.int64)
        expected = run_onnx("Resize", [x, None, None, sizes], **onnx_attrs)
        attrs = dict(scale_d=scales[0], scale_h=scales[1], scale_w=scales[2], method=method, coordinate_transformation_mode=mode)
        cases.append(Case("nn.upsampling3d", [x], expected, attrs, rtol=1e-5, atol=1e-5))
        if method == "trilinear":
            moved, result = (np.ascontiguousarray(np.moveaxis(v, 1, -1)) for v in (x, expected))
            cases.append(Case("nn.upsampling3d", [moved], result, attrs | {"layout": "NDHWC"}, rtol=1e-5, atol=1e-5))
    check(cases)
