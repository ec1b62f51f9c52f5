# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products."""

from typing import Any

import numpy as np

OPERATORS: dict[str, Any] = {}
SIZES = [0, 1, 1, 2, 3, 5, 8, 13, 16, 17, 32, 33, 48, 64, 65]


def operator(function):
    OPERATORS[function.__name__] = function
    return function


def _columns(g):
    n = g.pick(SIZES)
    return n if n or g.maybe(0.1) else 7


@operator
def MatMul(g):
    x = g.any(["float32", "float64", "int32", "float16"], min_rank=1)
    depth = g.shape(x)[-1]
    partner = g.find(lambda n: g.dtype(n) == g.dtype(x) and g.rank(n) > 1 and all(
        a.shape[-2] == b.shape[-1] for a, b in zip(g.values(n), g.values(x))))
    if partner and g.maybe():
        g.op("MatMul", x, partner)
        return
    if depth is None:
        # A matrix and itself.
        axes = [*range(g.rank(x) - 2), g.rank(x) - 1, g.rank(x) - 2]
        if len(axes) == g.rank(x) and g.rank(x) > 1:
            g.op("MatMul", x, g.op("Transpose", x, perm=axes))
        return
    shape = [depth, _columns(g)]
    if g.maybe(0.15):
        shape = [depth]
    elif g.maybe(0.25) and None not in g.shape(x)[:-2]:
        shape = [d if g.maybe(0.7) else 1 for d in g.shape(x)[:-2]] + shape
    weights = g.weights(shape, g.dtype(x)) if g.maybe(0.7) else g.input(shape, g.dtype(x))
    g.op("MatMul", x, weights)


@operator
def Gemm(g):
    x = g.float(2)
    if g.rank(x) != 2:
        x = g.op("Flatten", x, axis=g.integer(0, g.rank(x)))
        if x is None:
            return
    transposed = int(g.maybe(0.25))
    depth = g.shape(x)[0 if transposed else 1]
    # ONNX Runtime forgets beta where there is nothing to add up.
    if not depth:
        return
    columns = _columns(g)
    flipped = int(g.maybe())
    shape = [columns, depth] if flipped else [depth, columns]
    inputs = [x, g.weights(shape, g.dtype(x))]
    rows = g.shape(x)[1 if transposed else 0]
    if g.maybe(0.7):
        shapes = [[columns], [1, columns], [], [1, 1]] + ([[rows, 1]] if rows else [])
        inputs.append(g.weights(g.pick(shapes), g.dtype(x)))
    attributes = {"alpha": 0.5, "beta": -1.5} if g.maybe(0.25) else {}
    g.op("Gemm", *inputs, transA=transposed, transB=flipped, **attributes)


@operator
def Einsum(g):
    equation, ranks = g.pick([
        ("ij,jk->ik", (2, 2)), ("bij,bjk->bik", (3, 3)), ("ij,kj->ik", (2, 2)),
        ("bhid,bhjd->bhij", (4, 4)), ("ij->ji", (2,)), ("ij->", (2,)), ("i,j->ij", (1, 1)),
        ("bij,jk->bik", (3, 2)), ("...ij,...jk->...ik", (3, 3)), ("ij,ij->i", (2, 2)),
        ("ii->i", (2,)), ("abc,cd,de->abe", (3, 2, 2))])
    if g.dynamic and len(ranks) > 1:
        return
    sizes: dict[str, Any] = {}
    operands: list[Any] = []
    for labels in equation.split("->")[0].split(","):
        labels = labels.replace("...", "Z")
        shape = [sizes.setdefault(label, g.pick([1, 2, 3, 5, 7, 8])) for label in labels]
        operands.append(g.input(shape, "float32") if not operands or g.maybe(0.3)
                        else g.weights(shape))
    g.op("Einsum", *operands, equation=equation)


@operator
def MatMulInteger(g):
    x = g.any(["uint8", "int8"], min_rank=2)
    depth = g.shape(x)[-1]
    if depth is None:
        return
    dtype = np.dtype(g.pick(["uint8", "int8"]))
    weights = g.constant(g.rng.integers(0, 100, [depth, _columns(g)]), dtype)
    points = [g.constant(np.array(g.integer(0, 9)), g.dtype(x)) if g.maybe() else "",
              g.constant(np.array(g.integer(0, 9)), dtype) if g.maybe() else ""]
    while points and not points[-1]:
        points.pop()
    g.op("MatMulInteger", x, weights, *points)
