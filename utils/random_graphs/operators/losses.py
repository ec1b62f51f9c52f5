# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of classes."""

from typing import Any

import numpy as np

OPERATORS: dict[str, Any] = {}


def _loss(op_type, since, outputs):
    def append(g):
        if g.graph.opset < since:
            return
        x = g.float(2)
        classes = g.shape(x)[1]
        if not classes:
            return
        attributes = {"reduction": g.pick(["none", "mean", "sum"])}
        axes = [i for i in range(g.rank(x)) if i != 1]
        target = g.indices_like(x, axes, 0, classes - 1, g.pick([np.int64, np.int32]))
        if target is None:
            return
        if g.maybe(0.4):
            # A class, or none.
            ignored = g.pick([0, -1, 255])
            attributes["ignore_index"] = ignored
            for values in g.evaluation.values:
                array = values[target]
                values[target] = np.where(g.rng.random(array.shape) < 0.3, ignored,
                                          array).astype(array.dtype)
        if op_type == "NegativeLogLikelihoodLoss" and attributes["reduction"] != "none":
            # Logarithms of probabilities: the error of a sum of both signs may be large
            # beside it.
            x = g.op("Neg", g.op("Abs", x))
        inputs = [x, target]
        if g.maybe():
            inputs.append(g.constant(g.rng.uniform(0.2, 2, classes), g.dtype(x)))
        g.op(op_type, *inputs, outputs=g.pick(outputs), **attributes)

    OPERATORS[op_type] = append


_loss("NegativeLogLikelihoodLoss", 12, [1])
_loss("SoftmaxCrossEntropyLoss", 12, [1, 2])
