# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a row of the table of operators is.

A row is text in Relay's format over its inputs. Shapes have letters for sizes that
the compiler knows in one run and does not know in another: n may be 0, all may
be 1. Inputs have the element type of the run, which is also {dtype}, if they do
not say another one.
"""

import dataclasses
from typing import Any

import ml_dtypes
import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "bfloat16", "float32", "float64"]
SIZES = {"n": 5, "m": 17, "h": 8, "w": 9}


@dataclasses.dataclass
class Input:
    """A tensor: sizes and letters, with commas; what its elements are from `low` to
    `high`: whole numbers, without 0, or with infinities, NaN and limits (`special`)."""

    shape: str
    dtype: str | None = None
    low: float = -3
    high: float = 3
    special: bool = False
    nonzero: bool = False
    whole: bool = False

    def sizes(self, letters):
        """The shape as a list; letters that are not given become "?"."""
        words = [word for word in self.shape.split(",") if word]
        return [int(word) if word.isdigit() else letters.get(word, "?") for word in words]


@dataclasses.dataclass
class Row:
    """A call. A result of floats that is a sum (`sums`) is as exact as its largest
    element, any other one as each of its elements; integers may be off by `slack`. All
    rows of an operator are for one executor."""

    text: str
    inputs: dict
    sums: bool = False
    ones: bool = True
    zero: str = "n"
    slack: int = 0
    executor: str = "aot"

    def letters(self):
        return {c for input_ in self.inputs.values() for c in input_.shape if c.isalpha()}

    def size_sets(self):
        """The values of the letters to run with: usual ones, all 1, one 0."""
        letters = self.letters()
        usual = {letter: SIZES[letter] for letter in letters}
        sets = [usual]
        if letters and self.ones:
            sets.append(dict.fromkeys(letters, 1))
        if self.zero in letters:
            sets.append({**usual, self.zero: 0})
        return sets


def _input(value):
    return value if isinstance(value, Input) else Input(value)


def row(text, *, sums=False, ones=True, zero="n", slack=0, executor="aot", **inputs):
    return Row(text, {name: _input(value) for name, value in inputs.items()}, sums, ones, zero,
               slack, executor)


def special(shape="n,m", low=-3.0, high=3.0, **options):
    return Input(shape, low=low, high=high, special=True, **options)


# Operator -> its rows.
TABLE: dict[str, Any] = {}


def add(operator, *rows):
    TABLE.setdefault(operator, []).extend(rows)


#===-----------------------------------------------------------------------===#
# Values
#===-----------------------------------------------------------------------===#


def to_numpy(dtype):
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def make_values(rng, input_, dtype, shape):
    """Random elements of an input."""
    kind = to_numpy(input_.dtype or dtype)
    if kind == np.bool_:
        return np.asarray(rng.random(shape) < (2 if input_.low >= 1 or input_.nonzero else 0.5))
    if kind.kind in "iu":
        limits: Any = np.iinfo(kind)
        low = max(int(np.ceil(input_.low)), limits.min)
        high = min(int(input_.high), limits.max)
        values = np.asarray(rng.integers(low, high, shape, endpoint=True)).astype(kind)
        odd = np.array([limits.min, limits.max, 0, 1], kind)
    else:
        values = np.asarray(rng.uniform(input_.low, input_.high, shape))
        values = (values.round() if input_.whole else values).astype(kind)
        limits = ml_dtypes.finfo(kind)
        odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, limits.max, limits.min, 1, -1], kind)
    if input_.special:
        where = rng.random(shape) < 0.3
        values = np.where(where, odd[rng.integers(0, len(odd), shape)], values)
    if input_.nonzero:
        values = np.where(values == 0, np.asarray(1, kind), values)
    return np.asarray(values, kind)
