# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two runtimes have computed the same.

An error is the largest difference of an element over the largest finite
magnitude of the output. It is infinite where the outputs are not of the same
kind: another number of them, another shape or type, a NaN or an infinity that the
other does not have, or integers that are not equal.
"""

import dataclasses
import math

import numpy as np

# What a runtime says it computed with -> how far an output of floats may be off.
# Two may be off to different sides: their bounds add up.
BOUNDS = {"f32": 2e-5, "highest": 2e-5, "high": 1e-4, "f16": 4e-3, "bf16": 2e-2,
          "medium": 2e-2}

# Outputs of few bits differ by roundings: so many units in the last place.
ROUNDINGS = 4
UNITS = {"float16": 2.0**-10}


@dataclasses.dataclass
class Difference:
    """How far one output is off, what it may be off by, and what is wrong."""

    error: float
    bound: float
    reason: str = ""

    @property
    def fails(self):
        return not self.error <= self.bound

    @property
    def share(self):
        """Of the bound; the larger, the worse."""
        return math.inf if math.isinf(self.error) else self.error / (self.bound or 1.0)


def _of_floats(got, wanted, bound):
    got, wanted = got.astype(np.float64), wanted.astype(np.float64)
    finite = np.isfinite(wanted)
    odd = ~finite | ~np.isfinite(got)
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    wrong = np.argwhere(odd & ~same)
    if wrong.size:
        place = tuple(map(int, wrong[0]))
        return Difference(math.inf, bound,
                          f"{got[place]} instead of {wanted[place]} at {list(place)}")
    if not finite.any():
        return Difference(0.0, bound)
    scale = max(np.abs(got[finite]).max(), np.abs(wanted[finite]).max())
    with np.errstate(over="ignore"):
        error = np.abs(got[finite] - wanted[finite]).max() / scale if scale else 0.0
    return Difference(float(error), bound)


def compare_output(got, wanted, bound):
    """The difference of two arrays, with `bound` for floats of 32 bits or more."""
    if got.shape != wanted.shape:
        return Difference(math.inf, bound,
                          f"shape {list(got.shape)} instead of {list(wanted.shape)}")
    if got.dtype != wanted.dtype:
        return Difference(math.inf, bound, f"{got.dtype} instead of {wanted.dtype}")
    if got.dtype.kind in "iub":
        count = int((got != wanted).sum())
        return Difference(math.inf if count else 0.0, 0.0,
                          f"{count} of {got.size} integers differ" if count else "")
    bound = max(bound, ROUNDINGS * UNITS.get(got.dtype.name, 0.0))
    if not got.size:
        return Difference(0.0, bound)
    return _of_floats(got, wanted, bound)


def compare(got, wanted, *precisions):
    """The worst difference of the outputs of two runtimes, which computed with
    `precisions`, keys of BOUNDS. The arrays of `got` are those that are judged."""
    bound = sum(BOUNDS[name] for name in precisions)
    if len(got) != len(wanted):
        return Difference(math.inf, bound, f"{len(got)} outputs instead of {len(wanted)}")
    worst = Difference(0.0, bound)
    for number, (one, other) in enumerate(zip(got, wanted)):
        found = compare_output(one, other, bound)
        if found.reason:
            found.reason = f"output {number}: {found.reason}"
        if found.share > worst.share:
            worst = found
    return worst
