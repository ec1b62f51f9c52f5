# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over axes."""

from typing import Any

OPERATORS: dict[str, Any] = {}


def _reduce(op_type, dtypes, positive=False):
    def append(g):
        x = g.any(dtypes)
        if positive:
            x = g.op("Exp", x) if g.maybe() else g.op("Abs", x)
            if x is None:
                return
        rank = g.rank(x)
        axes = [i - rank if g.maybe(0.3) else i for i in range(rank) if g.maybe()]
        # What the maximum of nothing is, types and runtimes do not agree on.
        if op_type != "ReduceSum" and any(v.size == 0 for v in g.values(x)):
            return
        attributes: dict[str, Any] = {"keepdims": int(g.maybe())}
        inputs = [x]
        if axes and (g.graph.opset >= 18 or op_type == "ReduceSum"):
            inputs.append(g.ints(*axes))
        elif axes:
            attributes["axes"] = axes
        elif g.maybe(0.3) and (g.graph.opset >= 18 or op_type == "ReduceSum"):
            attributes["noop_with_empty_axes"] = int(g.maybe())
        g.op(op_type, *inputs, **attributes)

    OPERATORS[op_type] = append


_reduce("ReduceSum", ["float32", "float64", "int32", "int64", "float16"])
_reduce("ReduceMean", ["float32", "float64", "int32", "float16"])
_reduce("ReduceMax", ["float32", "float64", "int32", "int64", "int8", "uint8"])
_reduce("ReduceMin", ["float32", "float64", "int32", "int64", "int8", "uint8"])
_reduce("ReduceProd", ["float32", "float64", "int32"])
_reduce("ReduceSumSquare", ["float32", "float64", "int32"])
_reduce("ReduceL1", ["float32", "float64", "int32"])
_reduce("ReduceL2", ["float32", "float64"])
_reduce("ReduceLogSum", ["float32", "float64"], positive=True)
_reduce("ReduceLogSumExp", ["float32", "float64"])
