# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rule that is compiled in does not change what programs compute.

The rules are those that `relay-opt --list-rewrites` lists. From the pattern of each,
and the check in the comment before it, programs are made (instances.py). The
interpreter runs each with and without the rule, and the results are compared as the
rule claims:

    exact             the same bits, but for which NaN it is
    equal             the same, but for the signs of zeros
    within N eps      as equal for integers, infinities and NaN; else N units of the
                      element type's precision, and of its smallest number
    within N eps of S the same of the magnitude S, computed of the variables in
                      float64, where S and all that is computed is finite

A rule without a claim or a check fails.
"""

import os
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest

import instances
import instances_by_name
from relay_eval import BUILD, NAMES, parse_tensor
import rewrite_rules

RULES = {rule.name: rule for rule in rewrite_rules.read_tables()}
NARROW = ["--mlir-print-elementsattrs-with-hex-if-larger=0"]


def relay_opt(text, *options):
    result = subprocess.run([BUILD / "bin/relay-opt", *options], input=text, text=True,
                            capture_output=True, check=False)
    assert result.returncode == 0, result.stderr[:4000]
    return result.stdout


def list_rules():
    text = relay_opt("", "--list-rewrites")
    return re.findall(r"^  (\w+)", text, re.M)


def functions_of(text):
    """The functions of a module by name, as text."""
    return {match[1]: match[0]
            for match in re.finditer(r"^  func\.func @(\w+).*?^  \}$", text, re.M | re.S)}


def interpret(text):
    output = relay_opt(text, f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
                       "--pass-pipeline=builtin.module(test-relay-interpret)", *NARROW,
                       "-o", os.devnull)
    values = {}
    for name, value in re.findall(r"^@call_(\w+)#0 = (.*)", output, re.M):
        match = re.search(r"dense<(.*?)> : tensor<(.*?)>", value)
        assert match, value
        values[name] = parse_tensor(*match.groups())
    return values


def bits(array):
    """The bits of an array, with one NaN."""
    if array.dtype.kind in "iub":
        return array
    array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.view(f"u{array.dtype.itemsize}")


def compare(claim, instance, before, after):
    """Fails unless two results are what a claim says."""
    assert before.dtype == after.dtype and before.shape == after.shape
    if before.dtype.kind in "iub" or claim.startswith("exact"):
        np.testing.assert_array_equal(bits(before), bits(after))
        return
    if claim.startswith("equal"):
        np.testing.assert_array_equal(before.astype(np.float64), after.astype(np.float64))
        return
    match = re.match(r"within ([\d.]+) eps(?: of ([^.]*))?", claim)
    assert match, f"expects a claim that is known, but got {claim!r}"
    info = ml_dtypes.finfo(before.dtype)
    wide, other = before.astype(np.float64), after.astype(np.float64)
    with np.errstate(all="ignore"):
        if match[2] is None:
            finite = np.isfinite(wide)
            np.testing.assert_array_equal(wide[~finite], other[~finite])
            scale = np.abs(wide)
        else:
            variables = {name: leaf.value.astype(np.float64)
                         for name, leaf in instance.leaves.items()} | instance.values
            scale = np.broadcast_to(eval(match[2], {"abs": np.abs}, variables), wide.shape)
            finite = np.isfinite(scale) & (scale < float(info.max) / 4)
        error = np.abs(wide - other)
        bound = float(match[1]) * (float(info.eps) * scale + float(info.smallest_subnormal))
    assert (error <= bound)[finite].all(), (
        f"{NAMES[before.dtype]}: {before[finite & ~(error <= bound)][:4]} became "
        f"{after[finite & ~(error <= bound)][:4]}")


def test_every_rule_is_read():
    assert sorted(list_rules()) == sorted(RULES)


def instances_of(rule, root):
    """The instances that the check of a rule asks for."""
    if rule.check.startswith("by "):
        made = getattr(instances_by_name, rule.check.removeprefix("by "))(root)
    else:
        made = instances.by_types(instances.parse_check(rule.check))
    return instances.with_open_forms(made)


@pytest.mark.parametrize("name", list_rules())
def test_rule(name):
    rule = RULES[name]
    assert rule.claim and rule.check, f"expects a claim and a check before {name}"
    root = rewrite_rules.parse_match(rule)
    made = {f"f{i}": instance for i, instance in enumerate(instances_of(rule, root))}
    text = "".join(instances.write_function(n, root, i) for n, i in made.items())
    text = relay_opt(text, "--relay-infer-types", *NARROW)
    before = functions_of(text)
    assert sorted(before) == sorted(made)
    rewritten = relay_opt(text, f"--relay-rewrite=rules={name}", *NARROW)
    after = functions_of(rewritten)
    for function, instance in made.items():
        if instance.applies is not None:
            assert (before[function] != after[function]) == instance.applies, (
                f"{name} should{'' if instance.applies else ' not'} apply to "
                f"{before[function]}")
    assert any(before[f] != after[f] for f in made)
    results = {function: re.findall(r"\) -> (.*) \{", before[function])[0] for function in made}
    calls = "".join(instances.write_call(f, i, results[f]) for f, i in made.items())
    values = [interpret("\n".join(functions.values()) + "\n" + calls)
              for functions in (before, after)]
    for function, instance in made.items():
        try:
            claim = rule.claim if before[function] != after[function] else "exact"
            compare(claim, instance, values[0][function], values[1][function])
        except AssertionError as error:
            raise AssertionError(
                f"{name}: {before[function]} became {after[function]}: {error}") from None
