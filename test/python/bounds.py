# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far results in float32 may be from exact ones: what docs/Precision.md
promises, and what tests hold. One table, by family of operators, precision and
class of targets; precision/test_table.py measures it.
"""

import os
import pathlib
import platform
import typing

PRECISIONS = ("highest", "high", "medium")
# The target that stands for each class when the table is measured.
TARGETS = {
    "AVX2": "x86-64-v3",
    "AVX-512": "x86-64-v4",
    "AMX": "x86-64-v4,+amx-tile,+amx-bf16,+amx-int8",
}


class Family(typing.NamedTuple):
    """Operators of one kind. An error is relative to the sum of the magnitudes of
    a result's terms, of each result by itself, or, with `of_scale`, of the largest
    one. `bounds` are by precision, one for all classes of targets, or for AVX2,
    AVX-512 and AMX. `symmetric` are those for data of both signs, whose partial
    sums are small, and their roundings with them."""

    what: str
    of_scale: bool
    bounds: dict
    symmetric: dict

    def bound(self, precision, target, symmetric=False):
        bounds = (self.symmetric if symmetric else self.bounds)[precision]
        return bounds[list(TARGETS).index(target)] if isinstance(bounds, tuple) else bounds


_PRODUCTS = {"highest": 1e-6, "high": (1e-6, 1e-6, 3e-6), "medium": (1e-6, 1e-6, 2.0**-8)}
_PLAIN = {"highest": 1e-6, "high": 1e-6, "medium": 1e-6}

FAMILIES = {
    "products": Family(
        "Dense layers, products of matrices, convolutions, transposed convolutions: sums of up "
        "to 2,048 products", False,
        {"highest": 3e-6, "high": 3e-6, "medium": (3e-6, 3e-6, 2.0**-8)}, _PRODUCTS),
    "few rows": Family(
        "The same with constant weights and up to four rows, where the weights are more than "
        "half of the second cache", False,
        {"highest": 3e-6, "high": 3e-6, "medium": 2.0**-9},
        {"highest": 1e-6, "high": 1e-6, "medium": 2.0**-9}),
    "few bits": Family(
        "Dense layers of constant weights of 8 bits or fewer that a model makes floats (a number "
        "of the data as large as the largest of its block, see below)", False,
        {"highest": 3e-6, "high": 3e-6, "medium": (2e-5, 2e-5, 2.0**-8)},
        {"highest": 1e-6, "high": (1e-6, 1e-6, 3e-6), "medium": (2e-5, 2e-5, 2.0**-8)}),
    "winograd": Family(
        "Convolutions with windows of 3 x 3 or 5 x 5 and stride 1, where Winograd's algorithm "
        "is faster", True,
        {"highest": 3e-6, "high": 1e-5, "medium": (1e-5, 1e-5, 2.0**-8)},
        {"highest": 1e-6, "high": 1e-5, "medium": (1e-5, 1e-5, 2.0**-8)}),
    "sums": Family(
        "Sums, means, variances, pooling, depthwise convolutions", False, _PLAIN, _PLAIN),
    "functions": Family(
        "Functions of one element: exp, log, tanh, erf, sin, pow, Elu, Softplus, Mish, ... (of "
        "each result itself)", False, _PLAIN, _PLAIN),
    "cancelling": Family(
        "Those whose terms cancel: Gelu, HardSigmoid, HardSwish (of the largest term, besides)",
        False, {"highest": 5e-7, "high": 5e-7, "medium": 5e-7},
        {"highest": 5e-7, "high": 5e-7, "medium": 5e-7}),
}


def read_flags():
    """What the processor has, in the words of Linux."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return set()
    lines = [line for line in text.splitlines() if line.startswith("flags")]
    return set(lines[0].split()) if lines else set()


FLAGS = read_flags()
TILE_FLAGS = {"amx_tile", "amx_bf16", "amx_int8"}


def has(target):
    """Whether the processor runs code for a class of targets as it is."""
    needed = {"AVX2": {"avx2", "fma"}, "AVX-512": {"avx2", "fma", "avx512vl"}}
    needed["AMX"] = needed["AVX-512"] | TILE_FLAGS
    return needed[target] <= FLAGS


def native():
    """The class of the target `native`: that of the processor, or what
    RELAY_NATIVE_TARGET says. A processor of another architecture computes as one
    with AVX2 does."""
    description = os.environ.get("RELAY_NATIVE_TARGET", "") or "native"
    cpu, *changes = [part.strip() for part in description.split(",")]
    if cpu == "native" and platform.machine() != "x86_64":
        return "AVX2"
    features = set()
    if cpu == "native":
        features = {name for name in TARGETS if has(name)}
    elif cpu == "x86-64-v4":
        features = {"AVX2", "AVX-512"}
    elif cpu.endswith("rapids"):
        features = set(TARGETS)
    if "+amx-tile" in changes and "+amx-bf16" in changes:
        features.add("AMX")
    if {"-amx-tile", "-amx-bf16"} & set(changes):
        features.discard("AMX")
    return [name for name in TARGETS if name in features or name == "AVX2"][-1]


def bound(family, precision="high", target=None, symmetric=False):
    """The bound of a family, of what is compiled for `native` unless a class of
    targets is named; with `symmetric`, for data of both signs."""
    return FAMILIES[family].bound(precision, target or native(), symmetric)


# Of the scale of the result, for products that are forced onto matrix units
# (force_matrix_tiles): short sums have no more terms than long ones then.
TILES = {"highest": 1e-6, "high": 1e-5, "medium": 2.0**-7}

# Of the scale of a network's output, at precision "high"; and how many times the
# errors of plain float32.
NETWORK = 1e-4
NETWORK_RATIO = 10
