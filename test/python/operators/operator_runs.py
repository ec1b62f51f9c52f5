# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs the rows of an operator, with the interpreter as reference.

What passes is what docs/Operators.md calls compiled.
"""

import dataclasses
import re

import numpy as np

import relay_mlir as rm
from relay_mlir import relay
from operator_rows import DTYPES, make_values
from operator_table import TABLE

# How far a result may be off, in units of its type's last place: both sides
# round, functions of f32 and f64 are good to some units.
UNITS = {"float16": (2.0**-10, 2), "bfloat16": (2.0**-7, 2), "float32": (2.0**-23, 16),
         "float64": (2.0**-52, 16)}
# Sums of f32, of the largest element: what precision "high" promises.
SUM_BOUND = {"float32": 1e-5}


class Part:
    """A row with an element type and values of its letters ("?" if none)."""

    def __init__(self, row, dtype, letters):
        self.row, self.dtype, self.letters = row, dtype, letters

    def parameters(self, number):
        """The parameters of @main that belong to this part, as text."""
        texts = []
        for name, input_ in self.row.inputs.items():
            sizes = input_.sizes(self.letters)
            shape = ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "")
            kind = input_.dtype or self.dtype
            texts.append(f"%{name}{number}: " + (f"Tensor[({shape}), {kind}]" if sizes else kind))
        return texts

    def call(self, number):
        text = re.sub(r"%([a-z])\b", rf"%\g<1>{number}", self.row.text)
        text = text.replace("{dtype}", self.dtype)
        return re.sub(r"\{(\d+)\}", rf'cast(\1, dtype="{self.dtype}")', text)

    def values(self, letters):
        rng = np.random.default_rng(len(self.row.text))
        return [make_values(rng, input_, self.dtype, input_.sizes(letters))
                for input_ in self.row.inputs.values()]


def make_module(parts):
    """One program that computes all parts; its result is a tuple of theirs."""
    parameters = [text for n, part in enumerate(parts) for text in part.parameters(n)]
    calls = "".join(f"{part.call(n)}, " for n, part in enumerate(parts))
    return relay.parse(f'#[version = "0.0.5"]\ndef @main({", ".join(parameters)}) {{ ({calls}) }}')


def flatten(value):
    if isinstance(value, tuple):
        return [leaf for field in value for leaf in flatten(field)]
    return [np.asarray(value)]


def is_admitted(part):
    """Whether the type system has the operator for these types."""
    try:
        relay.transform.InferType()(make_module([part]))
    except (relay.CompileError, relay.DiagnosticError):
        return False
    return True


def compile_parts(parts):
    """A function of all values of all parts, or None if it is refused."""
    try:
        return relay.create_executor(parts[0].row.executor, mod=make_module(parts)).evaluate()
    except relay.CompileError:
        return None


def compare(got, want, row):
    assert got.shape == want.shape and got.dtype == want.dtype, \
        f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if want.dtype.name not in UNITS:
        slack = row.slack if want.dtype != np.bool_ else 0
        far = np.maximum(got, want) - np.minimum(got, want) > slack if slack else got != want
        assert not far.any(), f"{got[far][0]} instead of {want[far][0]}, {far.sum()} differ"
        return
    unit, count = UNITS[want.dtype.name]
    got, want = got.astype(np.float64), want.astype(np.float64)
    scale = np.abs(want[np.isfinite(want)]).max(initial=0)
    bound = max(count * unit, SUM_BOUND.get(want.dtype.name, 0)) * scale if row.sums else 0
    np.testing.assert_allclose(got, want, rtol=count * unit, atol=bound)


def check(function, parts, size_sets):
    """Runs compiled parts, each with the sizes of its set, against the interpreter.
    Returns messages about what is wrong."""
    values = [part.values(sizes) for part, sizes in zip(parts, size_sets, strict=True)]
    arguments = [value for part in values for value in part]
    results = flatten(function(*arguments))
    wrong = []
    for part, sizes, given in zip(parts, size_sets, values, strict=True):
        interpreted = relay.create_executor(
            "debug", mod=make_module([Part(part.row, part.dtype, sizes)])).evaluate()
        for want in flatten(interpreted(*given)):
            try:
                compare(results.pop(0), want, part.row)
            except AssertionError as error:
                wrong.append(f"{part.call(0)} of {part.dtype} at {sizes}: "
                             + " ".join(str(error).split())[:300])
    assert not results
    return wrong


@dataclasses.dataclass
class Result:
    """What became of the element types of an operator."""

    compiled: list
    refused: list
    wrong: list

    def record(self):
        return {"compiled": self.compiled, "refused": self.refused}


def make_parts(operator, mode, tried):
    """Returns [(part, sizes to run it with)] for the types, of those to be tried, that the
    operator has. A static part has one set of sizes; 0 and 1 are run for one type."""
    pairs = []
    for row in TABLE[operator]:
        if mode == "dynamic" and not row.letters():
            continue
        sets = row.size_sets()
        dtypes = [dtype for dtype in tried if is_admitted(Part(row, dtype, sets[0]))]
        for dtype in dtypes:
            if mode == "dynamic":
                pairs.append((Part(row, dtype, {}), sets))
                continue
            thorough = "float32" if "float32" in dtypes else dtypes[0]
            for sizes in sets if dtype == thorough else sets[:1]:
                pairs.append((Part(row, dtype, sizes), [sizes]))
    return pairs


def run_operator(operator, mode, expected=(), dtypes=DTYPES):
    """Compiles and runs all rows of an operator in element types. All at once where they
    are `expected` to compile, else one by one."""
    pairs = make_parts(operator, mode, dtypes)
    groups = [[pair for pair in pairs if pair[0].dtype in expected]]
    groups += [[pair] for pair in pairs if pair[0].dtype not in expected]
    accepted, refused, wrong = [], set(), []
    while groups:
        group = groups.pop()
        if not group:
            continue
        function = compile_parts([part for part, _ in group])
        if function is None:
            groups += [[pair] for pair in group] if len(group) > 1 else []
            refused |= {group[0][0].dtype} if len(group) == 1 else set()
            continue
        accepted += [part.dtype for part, _ in group]
        # Those with fewer sets than others run with their last one again.
        for number in range(max(len(sets) for _, sets in group)):
            try:
                wrong += check(function, [part for part, _ in group],
                               [sets[min(number, len(sets) - 1)] for _, sets in group])
            except (rm.RuntimeError, relay.DiagnosticError) as error:
                calls = ", ".join(f"{part.call(0)} of {part.dtype}" for part, _ in group)
                wrong.append(f"{calls}: {error}")
    return Result([d for d in DTYPES if d in accepted and d not in refused],
                  [d for d in DTYPES if d in refused], wrong)
