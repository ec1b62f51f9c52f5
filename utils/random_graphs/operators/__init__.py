# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of random graphs: `OPERATORS` maps a name to a function that takes a
Generator and appends the operator to its graph, or does nothing where nothing fits."""

from typing import Any

from . import (attention, elementwise, indexing, losses, movement, normalization, products,
               quantization, recurrent, reduction, windows)

OPERATORS: dict[str, Any] = {}
for topic in (attention, elementwise, indexing, losses, movement, normalization, products,
              quantization, recurrent, reduction, windows):
    OPERATORS.update(topic.OPERATORS)
