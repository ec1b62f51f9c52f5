# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements of which one dimension is larger than any memory. What NumPy
says of them takes no time: nothing walks along that dimension, or allocates for it."""

import re
import time
from typing import Any

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay

pytestmark = pytest.mark.share(2)

HUGE = 2**40
ERRORS = (rm.RuntimeError, relay.DiagnosticError, relay.CompileError, ValueError)
#: What 2**40 iterations take is much more.
MOST_SECONDS = 60


def evaluate(executor, opt_level, parameters, body, *arguments):
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({parameters}) {{ {body} }}')
    begin = time.monotonic()
    with relay.PassContext(opt_level=opt_level):
        result = relay.create_executor(executor, mod=module).evaluate()(*arguments)
    assert time.monotonic() - begin < MOST_SECONDS
    return np.asarray(result)


def empty(*shape, dtype="float32"):
    return np.empty(shape, dtype)


def parameters_of(arguments, is_dynamic):
    def dims(array):
        sizes = ["?" if is_dynamic else str(size) for size in array.shape]
        return ", ".join(sizes) + ("," if len(sizes) == 1 else "")
    return ", ".join(f"%{name}: Tensor[({dims(array)}), {array.dtype}]"
                     for name, array in arguments.items())


WIDE, TALL = empty(0, HUGE), empty(HUGE, 0)
MAPS = empty(1, 2, HUGE, 0)
FLAGS = empty(HUGE, 0, dtype="bool")
F32 = np.float32

#: Reductions to a few elements: all that there is to do is the identity.
REDUCTIONS: dict[str, tuple[str, Any, Any]] = {
    "sum": ("sum(%x)", TALL, F32(0)), "sum of rows": ("sum(%x)", WIDE, F32(0)),
    "sum, kept": ("sum(%x, axis=[0, 1], keepdims=True)", TALL, np.zeros((1, 1), F32)),
    "prod": ("prod(%x)", TALL, F32(1)), "max": ("max(%x)", TALL, F32(-np.inf)),
    "min": ("min(%x, axis=[0, 1])", WIDE, F32(np.inf)), "mean": ("mean(%x)", TALL, F32(0)),
    "all": ("all(%x)", FLAGS, np.True_), "any": ("any(%x)", FLAGS, np.False_),
    "fused": ("sum(nn.relu(add(%x, 1f)))", TALL, F32(0)),
    "average": ("nn.global_avg_pool2d(%x)", MAPS, np.zeros((1, 2, 1, 1), F32)),
    "maximum": ("nn.global_max_pool2d(%x)", MAPS, np.full((1, 2, 1, 1), -np.inf, F32)),
    "adaptive": ("nn.adaptive_avg_pool2d(%x, output_size=[1, 1])", MAPS,
                 np.zeros((1, 2, 1, 1), F32)),
}

#: Results without elements.
EMPTY: dict[str, tuple[str, Any, Any]] = {
    "along rows": ("sum(%x, axis=[0])", TALL, (0,)),
    "softmax": ("nn.softmax(%x, axis=1)", TALL, (HUGE, 0)),
    "transpose": ("transpose(%x)", TALL, (0, HUGE)),
    "concatenate": ("concatenate((%x, %x), axis=0)", TALL, (2 * HUGE, 0)),
    "sort": ("sort(%x, axis=1)", TALL, (HUGE, 0)),
    "cumsum": ("cumsum(%x, axis=0)", TALL, (HUGE, 0)),
    "tile": ("tile(%x, reps=[2, 2])", TALL, (2 * HUGE, 0)),
    "repeat": ("repeat(%x, repeats=2, axis=0)", TALL, (2 * HUGE, 0)),
    "pad": ("nn.pad(%x, 0f, pad_width=[[1, 2], [0, 0]])", TALL, (HUGE + 3, 0)),
    "mirror_pad": ("nn.mirror_pad(%x, pad_width=[[1, 2], [0, 0]])", TALL, (HUGE + 3, 0)),
    "dilate": ("nn.dilate(%x, strides=[2, 1])", TALL, (2 * HUGE - 1, 0)),
    "max_pool2d": ("nn.max_pool2d(%x, pool_size=[2, 2])", empty(1, 0, HUGE, 4),
                   (1, 0, HUGE - 1, 3)),
    "avg_pool2d": ("nn.avg_pool2d(%x, pool_size=[2, 2])", empty(1, 0, HUGE, 4),
                   (1, 0, HUGE - 1, 3)),
    "slice": ("strided_slice(%x, begin=[5, 0], end=[9, 0])", TALL, (4, 0)),
}

#: Operators that hold partial results for each row, whose shape their result has too.
PARTIAL = {
    "cumsum": "cumsum(%x, axis={axis})", "cumprod": "cumprod(%x, axis={axis}, exclusive=True)",
    "softmax": "nn.softmax(%x, axis={axis})", "log_softmax": "nn.log_softmax(%x, axis={axis})",
    "fast_softmax": "nn.fast_softmax(%x, axis={axis})", "sort": "sort(%x, axis={axis})",
    "argsort": 'argsort(%x, axis={axis}, dtype="int64")', "reverse": "reverse(%x, axis={axis})",
    "l2_normalize": "nn.l2_normalize(%x, eps=1e-5f, axis=[{axis}])",
    "centred": "subtract(%x, mean(%x, axis=[{axis}], keepdims=True))",
    "relu": "add(nn.relu(%x), %x)",
}
SHAPES = [(HUGE, 0), (0, HUGE), (HUGE, 0, 3), (0, 3, HUGE), (3, HUGE, 0)]


@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("executor, opt_level", [("aot", 0), ("aot", 3), ("vm", 3), ("debug", 3)])
@pytest.mark.parametrize("name", [*REDUCTIONS, *EMPTY])
def test_values(name, executor, opt_level, is_dynamic):
    body, data, want = (REDUCTIONS | EMPTY)[name]
    if name in EMPTY:
        want = empty(*want)
    got = evaluate(executor, opt_level, parameters_of({"x": data}, is_dynamic), body, data)
    assert got.shape == want.shape and got.dtype == want.dtype
    if got.size:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("executor", ["aot", "vm", "debug"])
def test_products(executor):
    for rows, depth, columns in ((4, 0, 3), (0, HUGE, 0), (HUGE, 0, 0)):
        arguments = {"x": empty(rows, depth), "y": empty(depth, columns)}
        for is_dynamic in (False, True):
            got = evaluate(executor, 3, parameters_of(arguments, is_dynamic), "nn.matmul(%x, %y)",
                           *arguments.values())
            np.testing.assert_array_equal(got[:4], np.zeros((min(rows, 4), columns), F32))
            assert got.shape == (rows, columns)


@pytest.mark.parametrize("executor", ["aot", "vm", "debug"])
@pytest.mark.parametrize("body, message", [
    ("sum(%x, axis=[1])", r"out of memory|of at most \d+ bytes"),
    ("argmax(%x)", "expects elements to reduce|at least 1, but got 0"),
    ("nn.matmul(%x, transpose(%x))", r"2\^63 bytes|of at most \d+ bytes")])
def test_refusals(executor, body, message):
    """What has no value, or more elements than memory."""
    for is_dynamic in (False, True):
        with pytest.raises(ERRORS) as caught:
            evaluate(executor, 3, parameters_of({"x": TALL}, is_dynamic), body, TALL)
        assert re.search(message, str(caught.value))


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("name", PARTIAL)
def test_partial_results(name, opt_level):
    """Where no element is computed, there are no partial results of the other dimensions."""
    for shape in SHAPES:
        data = empty(*shape)
        for axis in range(len(shape)):
            got = evaluate("aot", opt_level, parameters_of({"x": data}, is_dynamic=False),
                           PARTIAL[name].format(axis=axis), data)
            assert got.shape == shape


@pytest.mark.parametrize("shape", SHAPES)
def test_normalizations(shape):
    axis = next(i for i, size in enumerate(shape) if size != HUGE)
    vector = empty(shape[axis])
    arguments = {"x": empty(*shape), "g": vector, "b": vector, "m": vector, "v": vector}
    bodies = [f"nn.batch_norm(%x, %g, %b, %m, %v, axis={axis}).0",
              f"add(nn.layer_norm(%x, %g, %b, axis={axis}), sum(add(%m, %v)))"]
    if axis == 1:
        bodies.append("add(nn.instance_norm(%x, %g, %b), sum(add(%m, %v)))")
    for body in bodies:
        got = evaluate("aot", 3, parameters_of(arguments, is_dynamic=False), body,
                       *arguments.values())
        assert got.shape == shape


def test_results_of_several_parts():
    data = empty(HUGE, 0)
    for body in ("topk(%x, k=0, axis=0, ret_type=\"both\").1",
                 "split(%x, indices_or_sections=2, axis=0).0"):
        got = evaluate("aot", 3, parameters_of({"x": data}, is_dynamic=False), body, data)
        assert got.size == 0
