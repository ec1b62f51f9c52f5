# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements: shapes, layouts, parts."""

from typing import Any

import numpy as np
from onnx import helper, numpy_helper

OPERATORS: dict[str, Any] = {}


def operator(function):
    OPERATORS[function.__name__] = function
    return function


def axis_of(g, x):
    """An axis, from the front or from the back."""
    rank = g.rank(x)
    axis = g.integer(0, rank - 1)
    return axis - rank if g.maybe(0.4) else axis


@operator
def Transpose(g):
    x = g.any()
    perm = [int(i) for i in g.rng.permutation(g.rank(x))]
    g.op("Transpose", x, **({} if g.maybe(0.2) else {"perm": perm}))


@operator
def Reshape(g):
    """Merges and splits neighbours; an unknown size is kept (0) or is the rest (-1)."""
    x = g.any()
    shape = g.shape(x)
    unknown = [i for i, d in enumerate(shape) if d is None]
    if not unknown:
        size = int(np.prod(shape, dtype=np.int64))
        sizes: list[int] = []
        rest = size
        while rest > 1 and len(sizes) < 4:
            factor = g.pick([f for f in range(1, min(rest, 64) + 1) if rest % f == 0])
            sizes.append(int(factor))
            rest //= factor
        sizes.insert(g.integer(0, len(sizes)), rest)
        if size and g.maybe(0.4):
            sizes[g.integer(0, len(sizes) - 1)] = -1
        if not size:
            sizes = [0 if d == 0 else d for d in g.rng.permutation(shape)]
            g.op("Reshape", x, g.ints(*sizes), allowzero=1)
            return
    else:
        sizes = [0 if d is None else d for d in shape]
        if 0 in shape:
            return
        at = g.integer(0, len(sizes) - 1)
        if g.maybe() and at + 1 < len(sizes):
            sizes = sizes[:at] + [-1] + sizes[at + 2:]
        else:
            sizes = sizes[:at + 1] + [g.pick([1, 1, -1])] + sizes[at + 1:]
    g.op("Reshape", x, g.ints(*sizes))


@operator
def ReshapeToShape(g):
    """A shape that the graph computes."""
    x = g.any(min_rank=1)
    like = g.find(lambda n: all(a.size == b.size for a, b in zip(
        g.values(n), g.values(x))))
    g.op("Reshape", x, g.op("Shape", like))


@operator
def Flatten(g):
    x = g.any(min_rank=1)
    g.op("Flatten", x, axis=g.integer(-g.rank(x), g.rank(x)))


@operator
def Squeeze(g):
    x = g.any()
    ones = [i for i, d in enumerate(g.shape(x)) if d == 1]
    if ones:
        g.op("Squeeze", x, g.ints(*[i for i in ones if g.maybe(0.7)] or ones[:1]))


@operator
def Unsqueeze(g):
    x = g.any()
    rank = g.rank(x) + 1
    axis = g.integer(-rank, rank - 1)
    g.op("Unsqueeze", x, g.ints(axis))


@operator
def Concat(g):
    x = g.any(min_rank=1)
    axis = axis_of(g, x)
    parts = [x]
    for _ in range(g.integer(1, 3)):
        def accept(name):
            return g.dtype(name) == g.dtype(x) and g.rank(name) == g.rank(x) and all(
                a.shape[:axis % a.ndim] + a.shape[axis % a.ndim + 1:] ==
                b.shape[:axis % a.ndim] + b.shape[axis % a.ndim + 1:]
                for a, b in zip(g.values(name), g.values(x)))
        other = g.find(accept)
        if g.maybe(0.3) and None not in g.shape(x):
            other = g.constant(g.numbers(g.shape(x), g.dtype(x)), g.dtype(x))
        parts.append(other)
    g.op("Concat", *parts, axis=axis)


@operator
def Split(g):
    x = g.any(min_rank=1)
    axis = axis_of(g, x)
    size = g.shape(x)[axis]
    if size is None or size < 2:
        return
    cuts = sorted({g.integer(0, size) for _ in range(g.integer(1, 2))})
    sizes = [int(v) for v in np.diff([0, *cuts, size])]
    g.op("Split", x, g.ints(*sizes), outputs=len(sizes), axis=axis)


@operator
def Slice(g):
    x = g.any(min_rank=1)
    axes = sorted({g.integer(0, g.rank(x) - 1) for _ in range(2)})
    starts, ends, steps = [], [], []
    for axis in axes:
        size = g.shape(x)[axis]
        if size is None:
            # To the end, or from the end, of any size.
            start, end, step = g.pick([
                (0, 2**31 - 1, 1), (0, 2**63 - 1, 2), (-1, -2**31, -1), (0, 1, 1),
                (1, 1_000_000_000, 1), (-2, 2**63 - 1, 1), (0, -1, 1)])
        else:
            start, end = sorted((g.integer(-size, size), g.integer(-size, size + 2)))
            step = g.pick([1, 1, 1, 2, 3, -1, -2])
            if step < 0:
                start, end = end, start
        starts.append(start)
        ends.append(end)
        steps.append(step)
    g.op("Slice", x, g.ints(*starts), g.ints(*ends), g.ints(*axes), g.ints(*steps))


@operator
def Tile(g):
    x = g.any(min_rank=1)
    g.op("Tile", x, g.ints(*[g.pick([1, 1, 2, 3, 0 if g.maybe(0.1) else 1])
                             for _ in range(g.rank(x))]))


@operator
def Expand(g):
    x = g.any()
    if g.dynamic and g.maybe(0.4):
        like = g.any()
        g.op("Expand", x, g.op("Shape", like))
        return
    shape = [g.pick([2, 3, 5]) if d == 1 and g.maybe(0.7) else 1 for d in g.shape(x)]
    g.op("Expand", x, g.ints(*([g.pick([1, 2])] if g.maybe(0.3) else []), *shape))


@operator
def Pad(g):
    x = g.any(["float32", "float64", "int64", "int32", "uint8", "int8", "float16"], min_rank=1)
    mode = g.pick(["constant", "constant", "edge", "reflect"])
    rank = g.rank(x)
    limit = [3 if mode != "reflect" else min(2, min(v.shape[i] for v in g.values(x)) - 1)
             for i in range(rank)] * 2
    low = -1 if g.maybe(0.15) and mode == "constant" else 0
    pads = [g.integer(low, max(n, 0)) if g.maybe(0.6) else 0 for n in limit]
    inputs = [x, g.ints(*pads)]
    if mode == "constant" and g.maybe():
        inputs.append(g.constant(g.numbers((), g.dtype(x)), g.dtype(x)))
    g.op("Pad", *inputs, mode=mode)


@operator
def DepthToSpace(g):
    x = g.float(4)
    g.op("DepthToSpace", x, blocksize=g.pick([2, 2, 3]), mode=g.pick(["DCR", "CRD"]))


@operator
def SpaceToDepth(g):
    g.op("SpaceToDepth", g.float(4), blocksize=g.pick([1, 2, 2, 3]))


@operator
def Trilu(g):
    x = g.any(["float32", "float64", "int64", "int32", "float16"], min_rank=2)
    g.op("Trilu", x, g.constant(np.array(g.integer(-4, 4), np.int64)),
         upper=int(g.maybe()))


@operator
def Shape(g):
    x = g.any(min_rank=1)
    attributes = {}
    if g.graph.opset >= 15 and g.maybe():
        attributes = {"start": g.integer(-2, 1)}
    y = g.op("Shape", x, **attributes)
    g.op("Cast", y, to=1)


@operator
def Size(g):
    g.op("Cast", g.op("Size", g.any()), to=1)


@operator
def ConstantOfShape(g):
    dtype = np.dtype(g.pick(["float32", "int64", "int32", "uint8", "bool", "float64"]))
    value = numpy_helper.from_array(g.numbers((1,), dtype))
    if g.maybe():
        shape = g.op("Shape", g.any())
    else:
        shape = g.ints(*[g.size() % 9 for _ in range(g.integer(1, 3))])
    g.op("ConstantOfShape", shape, value=value)


@operator
def EyeLike(g):
    x = g.any(["float32", "int32", "int64"], min_rank=2)
    if g.rank(x) == 2:
        g.op("EyeLike", x, k=g.integer(-2, 2))


@operator
def Range(g):
    kind = np.dtype(g.pick(["float32", "int64", "int32"]))
    start, delta = g.integer(-3, 3), g.pick([1, 2, -1, 3])
    limit = start + delta * g.integer(0, 12)
    g.op("Range", *[g.constant(np.array(v, kind)) for v in (start, limit, delta)])


@operator
def OneHot(g):
    # Readers of ONNX do not agree on fractions.
    x = g.any(["int64", "int32"])
    values = g.constant(g.numbers((2,), np.float32))
    g.op("OneHot", x, g.constant(np.array(g.pick([1, 3, 10]), np.int64)), values,
         axis=g.integer(-g.rank(x) - 1, g.rank(x)))


@operator
def Constant(g):
    tensor = numpy_helper.from_array(g.numbers((g.size(),), g.pick(["float32", "int64"])))
    x = g.any()
    value = helper.make_node("Constant", [], ["unused"], value=tensor).attribute[0].t
    y = g.op("Constant", value=value)
    if y and g.rank(x) and g.shape(x)[-1] == g.shape(y)[-1] and g.dtype(x) == g.dtype(y):
        g.op("Mul", x, y)
