# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers."""

from typing import Any

OPERATORS: dict[str, Any] = {}


def _recurrent(op_type, gates):
    def append(g):
        x = g.find(lambda n: str(g.dtype(n)) == "float32" and g.rank(n) == 3
                   and g.shape(n)[2] not in (None, 0) and g.shape(n)[0] not in (None, 0))
        if x is None:
            batch = "b" if g.dynamic and g.maybe() else g.pick([1, 2, 3])
            x = g.input([g.integer(1, 5), batch, g.pick([1, 3, 8])], "float32")
        # ONNX Runtime aborts where a batch is empty.
        if (g.shape(x)[0] or 99) > 8 or any(v.size == 0 for v in g.values(x)):
            return
        features, hidden = g.shape(x)[2], g.pick([1, 3, 8, 17])
        direction = g.pick(["forward", "reverse", "bidirectional"])
        directions = 2 if direction == "bidirectional" else 1
        inputs = [x, g.weights([directions, gates * hidden, features]),
                  g.weights([directions, gates * hidden, hidden])]
        if g.maybe(0.7):
            inputs.append(g.weights([directions, 2 * gates * hidden]))
        attributes = {}
        if op_type == "GRU":
            attributes["linear_before_reset"] = int(g.maybe())
        g.op(op_type, *inputs, outputs=3 if op_type == "LSTM" else 2, hidden_size=hidden,
             direction=direction, **attributes)

    OPERATORS[op_type] = append


_recurrent("RNN", 1)
_recurrent("GRU", 3)
_recurrent("LSTM", 4)
