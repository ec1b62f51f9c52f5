# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and what turns its operands."""

from typing import Any

import numpy as np

OPERATORS: dict[str, Any] = {}


def operator(function):
    OPERATORS[function.__name__] = function
    return function


@operator
def AttentionLayer(g):
    """softmax(x w x^T) x, as models write it."""
    x = g.any(["float32", "float64"], min_rank=2)
    if g.rank(x) > 4 or g.shape(x)[-1] in (None, 0) or any(v.size == 0 for v in g.values(x)):
        return
    axes = [*range(g.rank(x) - 2), g.rank(x) - 1, g.rank(x) - 2]
    scores = g.op("MatMul", x, g.op("Transpose", x, perm=axes))
    scale = g.constant(np.array(1 / np.sqrt(g.shape(x)[-1])), g.dtype(x))
    scores = g.op("Softmax", g.op("Mul", scores, scale), axis=-1)
    g.op("MatMul", scores, x)


def _heads(g, batch, heads, positions, features, dtype, is_flat):
    """(batch, head, position, feature), or flat (batch, position, head * feature)."""
    dims = ([batch, positions, heads * features] if is_flat
            else [batch, heads, positions, features])
    return g.input(dims, dtype)


@operator
def Attention(g):
    if g.graph.opset < 23:
        return
    dtype = g.pick(["float32"] * 4 + ["float64", "float16"])
    is_flat, shared = g.maybe(), g.pick([1, 2, 3])
    heads, features = shared * g.pick([1, 1, 2]), g.pick([1, 4, 8, 16])
    batch = "a" if g.dynamic and g.maybe() else g.pick([1, 2])
    queries: Any = "b" if g.dynamic and g.maybe() else g.pick([1, 3, 8, 17])
    keys: Any = "c" if g.dynamic and g.maybe() else g.pick([1, 4, 16, 33])
    if g.maybe(0.4):
        keys = queries
    width = g.pick([features, 5])
    inputs = [_heads(g, batch, heads, queries, features, dtype, is_flat),
              _heads(g, batch, shared, keys, features, dtype, is_flat),
              _heads(g, batch, shared, keys, width, dtype, is_flat), "", "", "", ""]
    attributes = {"q_num_heads": heads, "kv_num_heads": shared} if is_flat else {}
    past, is_known = 0, not isinstance(queries, str) and not isinstance(keys, str)
    if g.maybe(0.25):
        past = g.pick([1, 5])
        inputs[4] = g.input([batch, shared, past, features], dtype)
        inputs[5] = g.input([batch, shared, past, width], dtype)
    elif g.graph.opset >= 24 and g.maybe(0.3) and is_known:
        inputs[6] = g.indices_like(inputs[0], [0], min(queries, keys), keys)
    if is_known and g.maybe():
        leading = g.pick([[], [1, 1], [1, heads]])
        shape = [*leading, queries, past + keys]
        if g.maybe():
            mask = g.numbers(shape, bool)
            mask[..., 0] = True
        else:
            mask = g.numbers(shape, dtype)
        inputs[3] = g.constant(mask)
    while not inputs[-1]:
        inputs.pop()
    # ONNX Runtime hides no key from a single query.
    if g.maybe(0.4) and (keys == queries or queries not in (1, "b")):
        attributes["is_causal"] = 1
    if g.maybe(0.3):
        attributes["scale"] = 0.25
    if g.maybe(0.2):
        attributes["softcap"] = 2.0
    if g.graph.opset >= 25 and g.maybe(0.2):
        attributes["left_window_size"] = g.integer(0, 4)
    # ONNX Runtime wants a present where there is a past.
    outputs = g.pick([3, 4] if past else [1, 1, 3, 4])
    if outputs == 4:
        # The evaluator of the ONNX project, which alone knows windows, caps the scores
        # that are shown before softcap, too.
        is_capped = {"softcap", "left_window_size"} <= attributes.keys()
        attributes["qk_matmul_output_mode"] = g.integer(int(is_capped), 3)
    g.op("Attention", *inputs, outputs=outputs, **attributes)


@operator
def RotaryEmbedding(g):
    if g.graph.opset < 23:
        return
    dtype = g.pick(["float32"] * 4 + ["float16"])
    is_flat, heads, features = g.maybe(), g.pick([1, 2, 3]), g.pick([2, 4, 8, 16])
    batch = "a" if g.dynamic and g.maybe() else g.pick([1, 2, 3])
    positions = "b" if g.dynamic and g.maybe() else g.pick([1, 3, 8])
    x = _heads(g, batch, heads, positions, features, dtype, is_flat)
    attributes = {"num_heads": heads} if is_flat else {}
    turned = features
    if features > 2 and g.maybe(0.3):
        turned = features // 2
        attributes["rotary_embedding_dim"] = turned
        # ONNX Runtime and the standard want the number of heads then.
        attributes["num_heads"] = heads
    if g.maybe():
        attributes["interleaved"] = 1
    if g.maybe():
        table = [g.constant(g.numbers([10, turned // 2], dtype)) for _ in range(2)]
        places = g.indices_like(x, [0, 1 if is_flat else 2], 0, 9)
        inputs = [x, *table, places]
    else:
        inputs = [x, *[g.input([batch, positions, turned // 2], dtype) for _ in range(2)]]
    g.op("RotaryEmbedding", *inputs, **attributes)
