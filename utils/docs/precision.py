#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Precision.md: how far results may be from exact ones.

    python utils/docs/precision.py [--check]

The numbers are those of test/python/bounds.py, which test/python/precision/
test_table.py measures. With --check nothing is written; the exit status is 1 if
the page would change.
"""

import argparse
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Precision.md"
sys.path.insert(0, str(ROOT / "test" / "python"))
import bounds  # noqa: E402


def number(value):
    """A power of two as such."""
    exponent = math.log2(value)
    if exponent == round(exponent):
        return f"2^{round(exponent)}"
    return f"{value:.0e}".replace("e-0", "e-")


def write_table():
    """One row for each family; targets in a cell where they differ."""
    targets = list(bounds.TARGETS)
    rows = ["| operators | " + " | ".join(f"`{name}`" for name in bounds.PRECISIONS) + " |",
            "|---|" + "---|" * len(bounds.PRECISIONS)]
    for family in bounds.FAMILIES.values():
        cells = []
        for precision in bounds.PRECISIONS:
            values = [number(family.bound(precision, target)) for target in targets]
            if len(set(values)) == 1:
                cells.append(values[0])
            else:
                cells.append("; ".join(f"{target} {value}"
                                       for target, value in zip(targets, values)))
        what = family.what + (" (of the largest sum)" if family.of_scale else "")
        rows.append("| " + " | ".join([what, *cells]) + " |")
    return "\n".join(rows)


def write_page():
    return f"""# Precision

<!-- Written by utils/docs/precision.py from test/python/bounds.py; do not edit. -->

How far results in float32 may be from exact ones is chosen when a model is compiled: `--precision=` of `relay-compile`,
`relay-run` and `benchmark.py`, `precision=` of `rm.compile`.

| | meaning |
|---|---|
| `highest` | plain float32, what ONNX Runtime and NumPy compute: sums of products in float32, or as exact |
| `high` (default) | what is faster and close to that: networks stay within {number(bounds.NETWORK)} of the scale of their outputs, and within {bounds.NETWORK_RATIO} times the errors of plain float32 |
| `medium` | products of numbers rounded to bfloat16 on matrix units (AMX), and values between kernels that such products read are stored so; on every processor, constant weights of products that only wait for them are stored in bfloat16, half the bytes |

An artefact knows its precision: `relay-run --info model.so` prints it, and `model.precision` in Python is it. Other
types are what they are at any precision: float64, bfloat16 (with sums in float32), integers. Products of float16 are
those of its numbers in float32: exact to float16 at `high`, of 8 bits on matrix units at `medium`.
In the types of 16 bits, each node of a model rounds its result, once: operators of ONNX that take several steps, as
Gelu, Softplus, LayerNormalization or LSTM do, take them in float32. Where several nodes are one kernel, what one hands
to the next stays in float32 and is rounded where the kernel ends: closer to exact than at `-O0` and in the interpreter, which
round each. Functions of one element stay within one unit in
the last place (`test/python/precision/test_onnx_functions.py` tries every number). Two operators round between their
steps: Attention what it hands from one product to the other, BatchNormalization its scale and product.

## Bounds

Errors relative to the sum of the magnitudes of the terms of each result, for processors with AVX2, AVX-512 and AMX
(AArch64 as AVX2); where a row says so, relative to the largest such sum. `test/python/precision/test_table.py` measures
the table. Errors of longer sums grow with the root of their length.

{write_table()}

These are bounds for data whose rounding errors are not all alike. At the very worst, where each of them has the same
sign, products at `high` on AMX err by 2^-15, and plain float32 by 2^-24 for each term.

## Results near zero

What a bound is relative to is the sum of magnitudes, not the result: of terms that cancel, little is left, and all of
the error. With AMX at `high`, an element of a hundred-thousandth of the largest one may be off by tens of per cent of
itself, in plain float32 by a few per cent. Whoever compares single elements with ONNX Runtime's, or divides by such
results, wants one word, `highest`: its errors are those of plain float32 there, too, on every processor.

Functions of one element are right to a few units in the last place of each result, however small it is: `exp(x) - 1`
and `log(1 + x)` do not lose the digits of x where a model spells them so. Two things remain, as in any plain float32.
Where a formula takes a difference (the last row of the table), errors are those of its terms. And an exponential of a
large argument is off by as many times itself as its argument is off by, as in Swish and the Gelu with tanh far down.

## Quantized models

QuantizeLinear and DequantizeLinear compute what ONNX says, step by step in float32: sums of dequantized numbers are not
contracted to fused multiply-adds, because they often lie in the middle between two steps of the next quantizer, where
the last bit decides. Sums of products (MatMul, Conv) add in another order than other programs do, so that a quantizer
after them may now and then choose the step next to theirs.

## Weights of few bits

Where a model makes a constant weight of integers of 8 bits or fewer floats (`DequantizeLinear`, `MatMulNBits`), and
rows are few (up to 32, and to a quarter of a block; without VNNI to 3, and a sixteenth), `high` and `medium` multiply
integers: each block of a row, of 16 to 512 numbers, is rounded to 24 bits relative to its largest one, at `medium` to
16. What the table says holds if a number counts as large as the largest of its block: numbers that are a thousand times
as large as the others cost three digits where they meet zeros in the weight. Numbers below 2^-104 count as such, and an
infinity in a block, or a number that its scale makes one, makes the row NaN. Scales that are not finite, or not between
2^-60 and 2^60, leave a product in floats. A weight of up to some 300,000 numbers is folded to floats, and a layer of it
counts as any other of floats.

## On AMX

A float32 is split into pieces of bfloat16, and a product becomes a sum of products of pieces: 3 terms with two pieces
each, or 6 with three pieces. Six terms err less than plain float32. Three leave out 4.4e-6 of a result, as root mean
square, however long the sum is, where plain float32 leaves out 1.5e-8 times the root of its length. So `high` takes six
terms (or vectors, where these are faster)

* for sums of fewer than 256 products, as in narrow networks and first layers;
* for as many other layers, the cheapest first, as it takes to keep the errors of the network well within
  {bounds.NETWORK_RATIO} times those of plain float32, by these numbers and all its sums taken together;
* between the transforms of Winograd's algorithm, which would enlarge errors.

`relay-compile --remarks` tells for each kernel how many terms it has. A single product of 256 terms or more has three.

Infinities and NaN come out as in float32. Matrix units take denormal numbers for zero: a product of two pieces is off
by up to 2^-126 (1.2e-38), and a number below 2^-118 (3e-36; 2^-110 at `highest`) loses its smaller pieces. Results of
such a scale need `--target=...,-amx-tile`.

## On GPUs

At `high`, products of f32 by tensor cores are always of two pieces of bf16, without the error model: sums are off by
about 2^-16 of their scale, some 40 times as much as plain f32. Infinities and NaN come out as in float32. At `highest`
they are plain sums of f32.

## Not only products

At `medium`, values of float32 between two kernels are bfloat16 where a product on matrix units reads them as its data
([why](Decisions/narrow-values.md)); what else reads them, such as a residual sum, gets the rounded ones. With AVX512-BF16
those below 2^-126 become zero. Six networks of `utils/models` erred 0.003 to 0.010 of the scale of their outputs.

At `high` and `medium` scales of channels go into constant weights, averages of pixels come before 1x1 convolutions, and
convolutions take Winograd's algorithm, where that is faster. An infinity or NaN in the data of a convolution may then
reach all elements of the 4x4 results that it has a part in; at `highest` it reaches just those that depend on it.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = write_page()
    if arguments.check:
        sys.exit(PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
