# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes that models compute from open sizes, as exporters write them: positions,
masks, heads, windows, caches. One artefact at many sizes, against ONNX Runtime.

Tolerance: 2e-5 of the output's largest magnitude.
"""

import numpy as np
import pytest
from onnx import TensorProto, helper

from test_open_sizes import REFUSALS, Pair, random

pytestmark = pytest.mark.share(2)


class Net:
    """Nodes, one after the other; what operators take by value is made a constant."""

    def __init__(self):
        self.nodes = []
        self.constants = {}

    def constant(self, value):
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def __getattr__(self, op):
        def add(*inputs, **attributes):
            names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
            output = f"{op}{len(self.nodes)}"
            self.nodes.append(helper.make_node(op, names, [output], **attributes))
            return output
        return add

    def size(self, value, dim):
        """One size, as a number."""
        return self.Gather(self.Shape(value), dim, axis=0)

    def shape(self, *sizes):
        """A vector of sizes, as PyTorch's exporter makes it."""
        return self.Concat(*(self.Unsqueeze(size, [0]) if isinstance(size, str)
                             else self.constant([size]) for size in sizes), axis=0)

    def range(self, *bounds):
        return self.Range(*bounds)

    def pair(self, inputs, *outputs, opset=17, **options):
        return Pair(self.nodes, inputs, list(outputs), self.constants, opset=opset, **options)


def check(pair, feeds):
    for feed in feeds:
        assert pair.check(feed), feed


def floats(*shape, seed=0):
    return random(*shape, seed=seed)


def test_positions():
    """BERT and GPT-2: positions of tokens, cut from a buffer or counted."""
    net = Net()
    length = net.size("ids", 1)
    counted = net.Unsqueeze(net.range(0, length, 1), [0])
    buffered = net.Slice(np.arange(64)[None], [0], net.Unsqueeze(length, [0]), [1], [1])
    table = floats(64, 8)
    words = net.Gather(floats(100, 8, seed=1), "ids")
    y = net.Add(net.Add(words, net.Gather(table, counted)), net.Gather(table, buffered))
    pair = net.pair({"ids": (["b", "t"], "int64")}, y)
    rng = np.random.default_rng(0)
    check(pair, [{"ids": rng.integers(0, 100, (b, t))} for b, t in [(1, 1), (2, 7), (3, 64), (1, 0)]])


def test_causal_masks():
    """A triangle from positions that are compared, one from Trilu, one cut from a buffer."""
    net = Net()
    length = net.size("x", 2)
    rows = net.Unsqueeze(net.range(0, length, 1), [1])
    columns = net.Unsqueeze(net.range(0, length, 1), [0])
    compared = net.Where(net.LessOrEqual(columns, rows), np.float32(0), np.float32(-1e4))
    filled = net.ConstantOfShape(net.shape(length, length), value=helper.make_tensor(
        "v", TensorProto.FLOAT, [1], [-1e4]))
    upper = net.Trilu(filled, np.int64(1), upper=1)
    ones = np.tril(np.ones((16, 16), bool))[None, None]
    end = net.Unsqueeze(length, [0])
    cut = net.Slice(net.Slice(ones, [0], end, [2], [1]), [0], end, [3], [1])
    masked = net.Where(cut, "x", np.float32(-1e4))
    y = net.Softmax(net.Add(net.Add(masked, compared), upper), axis=-1)
    pair = net.pair({"x": (["b", 2, "t", "t"], "float32")}, y)
    check(pair, [{"x": floats(b, 2, t, t)} for b, t in [(1, 1), (2, 5), (1, 16)]])


def test_heads():
    """Attention with sizes put together from Shape: [b, t, h * d] to [b, h, t, d] and back."""
    net = Net()
    batch, length = net.size("x", 0), net.size("x", 1)

    def split(value):
        return net.Transpose(net.Reshape(value, net.shape(batch, length, 4, 8)), perm=[0, 2, 1, 3])

    q, k, v = (split(net.MatMul("x", floats(32, 32, seed=seed) / 6)) for seed in range(3))
    scores = net.MatMul(q, net.Transpose(k, perm=[0, 1, 3, 2]))
    context = net.MatMul(net.Softmax(scores, axis=-1), v)
    merged = net.Reshape(net.Transpose(context, perm=[0, 2, 1, 3]),
                         net.shape(batch, length, net.Mul(np.int64(4), np.int64(8))))
    rows = net.Reshape(merged, [-1, 32])
    product = net.Gemm(rows, floats(32, 32, seed=5) / 6, floats(32, seed=6))
    y = net.Reshape(product, net.shape(batch, length, 32))
    pair = net.pair({"x": (["b", "t", 32], "float32")}, y)
    check(pair, [{"x": floats(b, t, 32)} for b, t in [(1, 1), (2, 7), (3, 33)]])


def test_expanded_mask():
    """A mask of padding, [b, t], to [b, 1, t, t]."""
    net = Net()
    batch, length = net.size("mask", 0), net.size("mask", 1)
    expanded = net.Expand(net.Unsqueeze("mask", [1, 2]), net.shape(batch, 1, length, length))
    inverted = net.Sub(np.float32(1), net.Cast(expanded, to=TensorProto.FLOAT))
    y = net.Where(net.Cast(inverted, to=TensorProto.BOOL), np.float32(-3e38), inverted)
    pair = net.pair({"mask": (["b", "t"], "int64")}, y)
    check(pair, [{"mask": np.arange(b * t).reshape(b, t) % 2} for b, t in [(1, 1), (2, 5), (3, 8)]])


def test_expand_to_at_least():
    """A -1 that becomes a size by Where, as the exporter of PyTorch writes expand."""
    net = Net()
    batch = net.size("x", 0)
    wanted = net.shape(batch, 3, -1)
    ones = net.ConstantOfShape(net.Shape(wanted), value=helper.make_tensor(
        "v", TensorProto.INT64, [1], [1]))
    sizes = net.Where(net.Equal(wanted, np.array([-1, -1, -1])), ones, wanted)
    pair = net.pair({"x": (["b", 1, "t"], "float32")}, net.Expand("x", sizes))
    check(pair, [{"x": floats(b, 1, t)} for b, t in [(1, 1), (2, 5), (4, 0)]])


@pytest.mark.parametrize("is_input", [False, True])
def test_expand_what_may_have_one(is_input):
    """Whether open sizes are repeated is only known when the model runs."""
    net = Net()
    z = ([3], "int64") if is_input else (["b", "m", "l"], "float32")
    pair = net.pair({"x": (["n", "k"], "float32"), "z": z},
                    net.Expand("x", "z" if is_input else net.Shape("z")))

    def feed(own, shape):
        return {"x": floats(*own), "z": np.array(shape) if is_input else floats(*shape)}

    cases = [((1, 3), (2, 4, 3)), ((1, 1), (1, 4, 3)), ((4, 1), (0, 4, 3)), ((4, 3), (2, 4, 3)),
             ((1, 2), (2, 0, 2)), ((0, 1), (2, 0, 5))]
    if is_input:
        cases += [((4, 1), (2, 1, 3)), ((4, 3), (2, 1, 1))]
    check(pair, [feed(*case) for case in cases])
    for case in [((3, 2), (1, 2, 2)), ((3, 2), (1, 3, 0))]:
        with pytest.raises(REFUSALS, match=r"to equal .*, but got \d and \d"):
            pair.compiled.run(feed(*case))


def test_cache():
    """A decoder with a past: keys grow, positions go on, the mask is [q, past + q]."""
    net = Net()
    past, new = net.size("past_k", 2), net.size("x", 1)
    total = net.Add(past, new)
    k = net.Concat("past_k", net.Unsqueeze("x", [1]), axis=2)
    positions = net.range(past, total, 1)
    columns = net.range(0, total, 1)
    allowed = net.LessOrEqual(net.Unsqueeze(columns, [0]), net.Unsqueeze(positions, [1]))
    scores = net.MatMul(net.Unsqueeze("x", [1]), net.Transpose(k, perm=[0, 1, 3, 2]))
    shape = net.shape(1, 1, new, total)
    mask = net.Expand(net.Where(allowed, np.float32(0), np.float32(-1e9)), shape)
    y = net.MatMul(net.Softmax(net.Add(scores, mask), axis=-1), k)
    pair = net.pair({"past_k": ([1, 1, "past", 8], "float32"), "x": ([1, "q", 8], "float32")}, y, k)
    check(pair, [{"past_k": floats(1, 1, p, 8), "x": floats(1, q, 8, seed=1)}
                 for p, q in [(0, 5), (1, 1), (7, 1), (12, 3)]])


def test_rotary_embedding():
    """Llama: angles from positions, halves that change places."""
    net = Net()
    length = net.size("x", 2)
    positions = net.Cast(net.Unsqueeze(net.range(0, length, 1), [0]), to=TensorProto.FLOAT)
    frequencies = net.Expand((1.0 / 10000 ** (np.arange(4) / 4)).astype(np.float32)[None, :, None],
                             net.shape(1, 4, 1))
    angles = net.Transpose(net.MatMul(frequencies, net.Unsqueeze(positions, [1])), perm=[0, 2, 1])
    doubled = net.Concat(angles, angles, axis=-1)
    half = net.Div(net.size("x", 3), np.int64(2))
    first = net.Slice("x", [0], net.Unsqueeze(half, [0]), [3], [1])
    second = net.Slice("x", net.Unsqueeze(half, [0]), [2**63 - 1], [3], [1])
    rotated = net.Concat(net.Neg(second), first, axis=-1)
    y = net.Add(net.Mul("x", net.Unsqueeze(net.Cos(doubled), [1])),
                net.Mul(rotated, net.Unsqueeze(net.Sin(doubled), [1])))
    pair = net.pair({"x": (["b", 3, "t", 8], "float32")}, y)
    check(pair, [{"x": floats(b, 3, t, 8)} for b, t in [(1, 1), (2, 9), (1, 40)]])


def test_relative_positions():
    """T5: the bucket of a distance, with logarithms, and a table of biases."""
    net = Net()
    length = net.size("x", 1)
    positions = net.range(0, length, 1)
    distance = net.Sub(net.Unsqueeze(positions, [0]), net.Unsqueeze(positions, [1]))
    is_far = net.Mul(net.Cast(net.Greater(distance, np.int64(0)), to=TensorProto.INT64), np.int64(16))
    magnitude = net.Abs(distance)
    log = net.Log(net.Div(net.Cast(net.Max(magnitude, np.int64(1)), to=TensorProto.FLOAT), np.float32(8)))
    large = net.Add(net.Cast(net.Mul(net.Div(log, np.float32(2.7725887)), np.float32(8)),
                             to=TensorProto.INT64), np.int64(8))
    full = net.ConstantOfShape(net.Shape(large), value=helper.make_tensor(
        "v", TensorProto.INT64, [1], [15]))
    bucket = net.Where(net.Less(magnitude, np.int64(8)), magnitude, net.Min(large, full))
    bias = net.Transpose(net.Gather(floats(32, 4), net.Add(is_far, bucket)), perm=[2, 0, 1])
    y = net.Add(net.Unsqueeze(bias, [0]), net.Unsqueeze("x", [1]))
    pair = net.pair({"x": (["b", "t", "t2"], "float32")}, y)
    check(pair, [{"x": floats(b, t, t)} for b, t in [(1, 1), (2, 7), (1, 50)]])


def test_group_normalization():
    """[n, c, h, w] to [0, groups, -1] and back to the Shape that there was."""
    net = Net()
    groups = net.Reshape("x", [0, 4, -1])
    normal = net.InstanceNormalization(groups, np.ones(4, np.float32), np.zeros(4, np.float32))
    y = net.Mul(net.Reshape(normal, net.Shape("x")), floats(8, 1, 1))
    pair = net.pair({"x": (["n", 8, "h", "w"], "float32")}, y, tolerance=1e-4)
    check(pair, [{"x": floats(n, 8, h, w)} for n, h, w in [(1, 4, 4), (2, 3, 5), (3, 7, 2)]])


def test_windows():
    """Swin: windows of 4 x 4 after padding, and back, cut to what there was."""
    net = Net()
    batch, height, width = (net.size("x", dim) for dim in range(3))
    four = np.int64(4)

    def missing(size):
        return net.Mod(net.Sub(four, net.Mod(size, four)), four)

    pads = net.shape(0, 0, 0, 0, 0, missing(height), missing(width), 0)
    padded = net.Pad("x", pads, np.float32(0))
    rows, columns = (net.Div(net.size(padded, dim), four) for dim in (1, 2))
    split = net.Reshape(padded, net.shape(batch, rows, 4, columns, 4, 6))
    windows = net.Reshape(net.Transpose(split, perm=[0, 1, 3, 2, 4, 5]), [-1, 16, 6])
    mixed = net.MatMul(windows, floats(6, 6))
    back = net.Transpose(net.Reshape(mixed, net.shape(batch, rows, columns, 4, 4, 6)),
                         perm=[0, 1, 3, 2, 4, 5])
    whole = net.Reshape(back, net.shape(batch, net.Mul(rows, four), net.Mul(columns, four), 6))
    y = net.Slice(whole, [0, 0], net.shape(height, width), [1, 2], [1, 1])
    pair = net.pair({"x": (["b", "h", "w", 6], "float32")}, y)
    check(pair, [{"x": floats(b, h, w, 6)} for b, h, w in [(1, 4, 4), (2, 7, 9), (1, 1, 13)]])


def test_tile_and_one_hot():
    net = Net()
    count = net.size("x", 0)
    tiled = net.Tile("x", net.shape(1, count))
    hot = net.OneHot("i", net.Unsqueeze(net.size("x", 1), [0]), np.array([0.5, 2.0], np.float32))
    pair = net.pair({"x": (["n", "m"], "float32"), "i": (["k"], "int64")}, tiled, hot)
    check(pair, [{"x": floats(n, m), "i": np.arange(k) - 2} for n, m, k in [(1, 1, 1), (3, 5, 4), (2, 9, 0)]])


def test_the_best_of_what_there_is():
    """TopK of 100, or of as many as there are."""
    net = Net()
    k = net.Min(np.array([5]), net.Unsqueeze(net.size("x", 1), [0]))
    net.nodes.append(helper.make_node("TopK", ["x", k], ["values", "indices"]))
    pair = net.pair({"x": (["n", "m"], "float32")}, "values", "indices")
    check(pair, [{"x": floats(n, m)} for n, m in [(1, 1), (3, 4), (2, 9)]])


@pytest.mark.parametrize("start, end, step", [
    (-3, None, 1), (None, -2, 1), (0, None, 2), (None, 0, -1), (2, 4, 1)])
def test_slices_between_sizes(start, end, step):
    """Bounds that are differences of sizes, which may be negative."""
    net = Net()
    other = net.size("y", 0)

    def bound(value):
        return net.Sub(other, np.int64(4)) if value is None else net.constant(np.int64(value))

    def vector(value):
        return net.Unsqueeze(bound(value), [0])

    y = net.Slice("x", vector(start), vector(end), [1], [step])
    pair = net.pair({"x": ([2, "n"], "float32"), "y": (["m"], "float32")}, y)
    check(pair, [{"x": floats(2, n), "y": floats(m)}
                 for n in (1, 3, 6) for m in (0, 1, 3, 4, 5, 9, 20)])


@pytest.mark.parametrize("start, end, step", [
    (0, None, 1), (None, 0, -2), (3, None, 2), (None, 10, 1)])
def test_ranges(start, end, step):
    net = Net()
    size = net.Sub(net.Mul(net.size("x", 0), np.int64(2)), np.int64(3))
    bounds = [size if value is None else np.int64(value) for value in (start, end)]
    pair = net.pair({"x": (["n"], "float32")}, net.range(*bounds, np.int64(step)))
    check(pair, [{"x": floats(n)} for n in (0, 1, 2, 3, 8)])


def test_division_of_what_may_be_negative():
    """Integer division rounds to zero."""
    net = Net()
    size = net.Add(net.Div(net.Sub(net.size("x", 0), np.int64(5)), np.int64(2)), np.int64(3))
    filled = net.ConstantOfShape(net.Unsqueeze(size, [0]))
    pair = net.pair({"x": (["n"], "float32")}, filled)
    check(pair, [{"x": floats(n)} for n in range(9)])


def test_sizes_that_do_not_divide():
    """A -1 whose divisor is no factor that is known; the sizes that do not fit are refused."""
    net = Net()
    y = net.Reshape("x", net.shape(net.size("y", 0), -1))
    pair = net.pair({"x": (["n", 6], "float32"), "y": (["m"], "float32")}, y)
    check(pair, [{"x": floats(n, 6), "y": floats(m)} for n, m in [(1, 1), (4, 3), (5, 6)]])
    assert not pair.check({"x": floats(5, 6), "y": floats(7)})


def test_none_of_the_best():
    net = Net()
    net.nodes.append(helper.make_node("TopK", ["x", net.Shape("q")], ["values", "indices"]))
    pair = net.pair({"x": (["n"], "float32"), "q": (["k"], "float32")}, "values", "indices")
    check(pair, [{"x": floats(n), "q": floats(k)} for n, k in [(5, 0), (5, 3), (1, 1), (0, 0)]])


@pytest.mark.parametrize("first", [-1, 1])
def test_padding_of_nothing(first):
    """No element beside an empty axis is read."""
    net = Net()
    pads = net.Concat([0, 0, 0], net.Shape("q"), axis=0)
    cropped = net.Pad("x", [0, first, 3, 0])
    pair = net.pair({"x": (["n", "m"], "float32"), "q": (["k"], "float32")}, net.Pad("x", pads),
                    net.ReduceSum(net.Pad(net.Slice("x", [0], [0], [1]), pads)), cropped)
    base = np.full((1000, 4), 7, np.float32)
    check(pair, [{"x": base[10:10 + n, :m], "q": floats(k)}
                 for n, m, k in [(0, 4, 3), (2, 4, 1), (0, 1, 2), (3, 1, 0)]])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
def test_pads_that_are_an_input(mode):
    """What is negative is cut off."""
    net = Net()
    pair = net.pair({"x": (["n", "m"], "float32"), "p": ([4], "int64")},
                    net.Pad("x", "p", mode=mode))
    check(pair, [{"x": floats(5, 6), "p": np.array(pads)} for pads in [
        [1, 0, 2, 3], [0, 0, 0, 0], [-1, 2, 0, -3], [-2, -1, -1, -2]]])


def test_pad_to_the_size_of_another():
    """U-Net: what was halved and doubled is padded to its other half."""
    net = Net()
    half = net.MaxPool("x", kernel_shape=[2], strides=[2])
    up = net.ConvTranspose(half, floats(3, 3, 2), strides=[2])
    missing = net.Unsqueeze(net.Sub(net.size("x", 2), net.size(up, 2)), [0])
    padded = net.Pad(up, net.Concat([0, 0, 0, 0, 0], missing, axis=0))
    pair = net.pair({"x": (["b", 3, "h"], "float32")}, net.Concat("x", padded, axis=1))
    check(pair, [{"x": floats(2, 3, h)} for h in (2, 5, 8, 13)])


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("target", ["half", "three halves", "other", "constant", "at least"])
def test_resize(target, mode):
    net = Net()
    scales = {"half": 0.5, "three halves": 1.5}.get(target)
    height, width = net.size("x", 2), net.size("x", 3)
    sizes = {"other": lambda: net.Shape("y"),
             "constant": lambda: net.constant([7, 4]),
             "at least": lambda: net.Max(net.shape(height, width), np.array([6, 6]))}
    mode = {"mode": mode, "coordinate_transformation_mode": "asymmetric" if mode == "nearest"
            else "half_pixel", "nearest_mode": "floor"}
    if scales:
        y = net.Resize("x", "", np.array([1, 1, scales, scales], np.float32), **mode)
    else:
        y = net.Resize("x", "", "", net.Concat(net.shape(net.size("x", 0), 2), sizes[target](), axis=0),
                       **mode)
    pair = net.pair({"x": (["n", 2, "h", "w"], "float32"), "y": (["a", "b"], "float32")}, y)
    check(pair, [{"x": floats(n, 2, h, w), "y": floats(5, 9)}
                 for n, h, w in [(1, 4, 4), (2, 7, 5), (1, 10, 6)]])


FORMULAS = {
    "2 / n": lambda net, n: net.Div(np.array([2]), n),
    "16 % n": lambda net, n: net.Mod(np.array([16]), n),
    "n / 10000": lambda net, n: net.Div(n, np.array([10000])),
    "n / (n / 8 + 1)": lambda net, n: net.Div(n, net.Add(net.Div(n, np.array([8])), np.array([1]))),
    "|n - 50|": lambda net, n: net.Abs(net.Sub(n, np.array([50]))),
    "|n - 50| - (n - 50)": lambda net, n: net.Sub(
        net.Abs(net.Sub(n, np.array([50]))), net.Sub(n, np.array([50]))),
    "|n - 3| + 3": lambda net, n: net.Add(net.Abs(net.Sub(n, np.array([3]))), np.array([3])),
    "min(n, 5) * max(n, 3)": lambda net, n: net.Mul(net.Min(n, np.array([5])), net.Max(n, np.array([3]))),
    "(7 - n % 7) % 7": lambda net, n: net.Mod(
        net.Sub(np.array([7]), net.Mod(n, np.array([7]))), np.array([7])),
    "where(n < 4, n, 2)": lambda net, n: net.Where(net.Less(n, np.array([4])), n, np.array([2])),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas(formula):
    """What holds of usual sizes only is not concluded: as a number, as a size, as an end,
    at small sizes and a large one."""
    net = Net()
    value = FORMULAS[formula](net, net.Shape("x"))
    filled = net.ConstantOfShape(net.Add(value, np.array([1])))
    pair = net.pair({"x": (["n"], "float32")}, net.Identity(value), filled,
                    net.Slice("x", [0], value), net.Slice("x", net.Neg(value), net.Shape("x")))
    check(pair, [{"x": floats(n)} for n in (1, 2, 3, 7, 8, 9, 29, 49, 50, 51, 100, 20000)])


def as_float(net, n):
    return net.Cast(n, to=TensorProto.FLOAT)


def as_size(net, value):
    return net.Cast(value, to=TensorProto.INT64)


def as_bool(net, value):
    return as_size(net, net.Cast(value, to=TensorProto.BOOL))


# Of a size and a number: functions with steps, which few sizes show.
STEPS = {
    "bool(n)": lambda net, n, k: as_bool(net, n),
    "bool(n - k)": lambda net, n, k: as_bool(net, net.Sub(n, k)),
    "bool(n % k)": lambda net, n, k: as_bool(net, net.Mod(n, k)),
    "n / k": lambda net, n, k: net.Div(n, k),
    "n % k": lambda net, n, k: net.Mod(n, k),
    "(k - n) / k": lambda net, n, k: net.Div(net.Sub(k, n), k),
    "(n + k - 1) / k * k": lambda net, n, k: net.Mul(
        net.Div(net.Sub(net.Add(n, k), np.array([1])), k), k),
    "1 / (|n - k| + 1)": lambda net, n, k: net.Div(
        np.array([1]), net.Add(net.Abs(net.Sub(n, k)), np.array([1]))),
    "|k - n|": lambda net, n, k: net.Abs(net.Sub(k, n)),
    "floor(float(n) / k)": lambda net, n, k: as_size(
        net, net.Floor(net.Div(as_float(net, n), as_float(net, k)))),
}


@pytest.mark.parametrize("number", [16, 100, 128, 1000, 4096, 2**20])
@pytest.mark.parametrize("formula", STEPS)
def test_steps(formula, number):
    """Where a size is between two steps says nothing of another size, of nothing at all
    or of a number that is asked for."""
    net = Net()
    value = STEPS[formula](net, net.Slice(net.Shape("x"), [0], [1]), np.array([number]))
    pair = net.pair({"x": (["n", 0], "int8")}, net.Identity(value))
    check(pair, [{"x": np.zeros((n, 0), np.int8)}
                 for n in (0, 1, 7, number - 1, number, number + 1, 3 * number)])


@pytest.mark.parametrize("number", [50, 1000, 2000000])
@pytest.mark.parametrize("begin,end,step", [(0, 1, 0), (-1, 0, 0), (1, 0, 0), (0, 0, 1)])
def test_slices_of_large_sizes(begin, end, step, number):
    """x[:k], x[-k:], x[k:] and x[::k], where usual sizes are all smaller than k."""
    net = Net()
    sliced = net.Slice("x", [begin * number], [end * number or 2**62], [0], [step * number or 1])
    pair = net.pair({"x": (["n", 0], "int8")}, net.Shape(sliced))
    check(pair, [{"x": np.zeros((n, 0), np.int8)}
                 for n in (0, 1, number - 1, number, number + 1, 3 * number)])


@pytest.mark.parametrize("number", [16, 24, 128])
def test_branches_of_multiples(number):
    """`if n % k:` pads to a multiple; `if n:` is another branch for nothing."""
    net = Net()
    rest = net.Mod(net.Shape("x"), np.array([number]))
    wanted = net.Where(net.Cast(rest, to=TensorProto.BOOL), net.Sub(np.array([number]), rest),
                       np.array([0]))
    y = net.Pad("x", net.Concat([0], wanted, axis=0))
    pair = net.pair({"x": (["n"], "float32")}, y)
    check(pair, [{"x": floats(n)} for n in (0, 1, number - 1, number, number + 1, 5 * number)])


# As exporters write math.ceil(n / 8) and its kin.
FRACTIONS = {
    "ceil(n / 8) * 8 - n": lambda net, f, n: net.Sub(
        as_size(net, net.Mul(net.Ceil(net.Div(f, np.array([8.0]))), np.array([8.0]))), n),
    "ceil(n / 7)": lambda net, f, n: as_size(net, net.Ceil(net.Div(f, np.array([7.0])))),
    "floor(n * 1.5)": lambda net, f, n: as_size(net, net.Floor(net.Mul(f, np.array([1.5])))),
    "int(n * 0.75 + 0.5)": lambda net, f, n: as_size(
        net, net.Add(net.Mul(f, np.array([0.75])), np.array([0.5]))),
    "int(5 - n / 2)": lambda net, f, n: net.Abs(as_size(
        net, net.Sub(np.array([5.0]), net.Div(f, np.array([2.0]))))),
    "ceil(n) - floor(n / 3)": lambda net, f, n: as_size(
        net, net.Sub(net.Ceil(f), net.Floor(net.Div(f, np.array([3.0]))))),
}


@pytest.mark.parametrize("formula", FRACTIONS)
def test_fractions(formula):
    """Sizes that are computed in floats."""
    net = Net()
    n = net.Shape("x")
    value = FRACTIONS[formula](net, as_float(net, n), n)
    pair = net.pair({"x": (["n"], "float32")}, net.Identity(value),
                    net.Pad("x", net.Concat([0], value, axis=0)))
    check(pair, [{"x": floats(n)} for n in (0, 1, 2, 6, 7, 8, 9, 29, 100, 4999)])


def test_what_is_divided_by_nothing():
    """A size that may be 0 beside -1 is refused before a run, and compiles."""
    net = Net()
    y = net.Softmax(net.Reshape("x", net.Concat(net.Sub(net.Shape("x"), np.array([16])), [-1], axis=0)),
                    axis=1)
    compiled = net.pair({"x": (["n"], "float32")}, y).compiled
    assert compiled.run({"x": floats(32)}).shape == (16, 2)
    with pytest.raises(REFUSALS):
        compiled.run({"x": floats(16)})


def test_samples_of_nothing():
    """Rows of a table whose sizes are 0: positions are divided by them, and there is nothing to
    take a sample from."""
    net = Net()
    compiled = net.pair({"x": ([1, 1, "h", "w"], "float32"), "g": ([1, "e", "f", 2], "float32")},
                        net.GridSample("x", "g")).compiled
    assert compiled.run({"x": floats(1, 1, 3, 4), "g": floats(1, 2, 5, 2)}).shape == (1, 1, 2, 5)
    with pytest.raises(ValueError, match=r"expects h \* w to be at least .*, but got 0 and 1"):
        compiled.run({"x": floats(1, 1, 0, 4), "g": floats(1, 2, 5, 2)})
    assert compiled.run({"x": floats(1, 1, 0, 4), "g": floats(1, 0, 5, 2)}).shape == (1, 1, 0, 5)
