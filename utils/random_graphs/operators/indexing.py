# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers, scatters and searches."""

from typing import Any

import numpy as np

from .movement import axis_of

OPERATORS: dict[str, Any] = {}
TYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"]


def operator(function):
    OPERATORS[function.__name__] = function
    return function


def _smallest(g, x, axis):
    """The smallest size of an axis over all samples."""
    return min(v.shape[axis] for v in g.values(x))


def _indices(g, shape, size):
    dtype = g.pick([np.int64, np.int32])
    low = -size if g.maybe(0.4) else 0
    return g.rng.integers(low, size, shape).astype(dtype)


@operator
def Gather(g):
    x = g.any(TYPES, min_rank=1)
    axis = axis_of(g, x)
    size = _smallest(g, x, axis)
    if size == 0:
        return
    shape = [g.pick([1, 2, 3, 5]) for _ in range(g.integer(0, 2))]
    indices = _indices(g, shape, size)
    if g.maybe(0.4):
        name = g.input(shape, indices.dtype)
        for values in g.evaluation.values:
            values[name] = _indices(g, shape, size).astype(indices.dtype)
    else:
        name = g.constant(indices)
    g.op("Gather", x, name, axis=axis)


@operator
def GatherElements(g):
    x = g.any(TYPES, min_rank=1)
    axis = axis_of(g, x)
    size = _smallest(g, x, axis)
    if None in g.shape(x) or size == 0:
        return
    shape = [g.integer(1, d) if d else 0 for d in g.shape(x)]
    g.op("GatherElements", x, g.constant(_indices(g, shape, size)), axis=axis)


@operator
def GatherND(g):
    x = g.any(TYPES, min_rank=1)
    depth = g.integer(1, g.rank(x))
    sizes = [_smallest(g, x, i) for i in range(depth)]
    if 0 in sizes:
        return
    rows = g.integer(1, 4)
    indices = np.stack([g.rng.integers(0, s, rows) for s in sizes], axis=-1)
    g.op("GatherND", x, g.constant(indices.astype(np.int64)))


def _scatter(g, op_type, reductions):
    x = g.any(TYPES, min_rank=1)
    axis = axis_of(g, x)
    size = _smallest(g, x, axis)
    if None in g.shape(x) or 0 in g.shape(x):
        return
    shape = [g.integer(1, d) for d in g.shape(x)]
    # Each place is written once: the order of writes is not defined.
    base = np.argsort(g.rng.random([size if i == axis % g.rank(x) else d
                                    for i, d in enumerate(shape)]), axis=axis)
    indices = np.take(base, range(shape[axis]), axis=axis).astype(np.int64)
    updates = g.constant(g.numbers(shape, g.dtype(x)), g.dtype(x))
    attributes = {"reduction": g.pick(reductions)} if reductions else {}
    g.op(op_type, x, g.constant(indices), updates, axis=axis, **attributes)


@operator
def ScatterElements(g):
    _scatter(g, "ScatterElements",
             ["none", "add", "mul"] if g.graph.opset >= 16 and g.maybe() else [])


@operator
def Scatter(g):
    # The first name of ScatterElements.
    if g.graph.opset < 11:
        _scatter(g, "Scatter", [])


@operator
def ScatterND(g):
    x = g.any(TYPES, min_rank=1)
    size = _smallest(g, x, 0)
    if None in g.shape(x)[1:] or size == 0:
        return
    rows = g.integer(1, min(size, 4))
    indices = g.rng.permutation(size)[:rows].reshape(rows, 1).astype(np.int64)
    updates = g.constant(g.numbers([rows, *g.shape(x)[1:]], g.dtype(x)), g.dtype(x))
    g.op("ScatterND", x, g.constant(indices), updates)


@operator
def TopK(g):
    x = g.any(["float32", "float64", "int64", "int32"], min_rank=1)
    axis = axis_of(g, x)
    k = g.integer(0, min(_smallest(g, x, axis), 7))
    g.op("TopK", x, g.ints(k), outputs=2, axis=axis, largest=int(g.maybe()), sorted=1)


def _arg(op_type):
    def append(g):
        x = g.any(["float32", "float64", "int32", "int8", "uint8"], min_rank=1)
        axis = axis_of(g, x)
        # ONNX Runtime keeps the axis as it is where another one is empty.
        if all(_smallest(g, x, dim) for dim in range(len(g.shape(x)))):
            g.op(op_type, x, axis=axis, keepdims=int(g.maybe()),
                 select_last_index=int(g.maybe(0.3)))

    OPERATORS[op_type] = append


_arg("ArgMax")
_arg("ArgMin")


def _scan(op_type, since, dtypes, shrink=None):
    def append(g):
        if g.graph.opset < since:
            return
        x = g.any(dtypes, min_rank=1)
        axis = np.array(axis_of(g, x), g.pick([np.int64, np.int32]))
        attributes = {"exclusive": int(g.maybe()), "reverse": int(g.maybe())}
        if g.maybe(0.2):
            name = g.input((), axis.dtype)
            for values in g.evaluation.values:
                values[name] = np.array(axis_of(g, x), axis.dtype)
        else:
            name = g.constant(axis)
        if g.op(op_type, x, name, **attributes) is None and shrink and g.kind(x) == "f":
            g.op(op_type, g.op(shrink, x), name, **attributes)

    OPERATORS[op_type] = append


_scan("CumSum", 11, ["float32", "float64", "int64", "int32"])
_scan("CumProd", 26, ["float32", "float64", "int64", "int32", "float16"], shrink="Cos")


@operator
def ReverseSequence(g):
    x = g.any(TYPES, min_rank=2)
    time, batch = g.pick([(0, 1), (1, 0)])
    lengths = g.indices_like(x, [batch], 0, _smallest(g, x, time))
    g.op("ReverseSequence", x, lengths, time_axis=time, batch_axis=batch)
