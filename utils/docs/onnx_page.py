# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the end of docs/ONNX.md: which operators are supported, as tests show.

    PYTHONPATH=build/python_packages python utils/docs/onnx_page.py

The operators are those of the importer's table. What works is asked of the ONNX
project's tests of operators: each is compiled and run, as it is.
test/python/test_onnx_backend.py fails if the page would change.
"""

import argparse
import collections
import pathlib
import re
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "ONNX.md"
sys.path.insert(0, str(ROOT / "test" / "python"))
import onnx_backend  # noqa: E402
import onnx_runner  # noqa: E402

MARK = "<!-- From here on written by utils/docs/onnx_page.py; do not edit. -->\n"


def get_reason(text):
    """A refusal without what is particular to one node and one run."""
    lines = [line for line in text.splitlines() if line]
    # Where it is: a file, or the name of a node.
    first = re.sub(r"^(\S*\.onnx:\d+:\d+|\S+): (error: )?", "", lines[0])
    if re.search(r"operators? (is|are) not supported$", first):
        # All of them, without the nodes.
        names = [re.sub(r"^.*?note: |\): .*", lambda found: ")" if found[0][0] == ")" else "", line)
                 for line in lines[1:]]
        return "; ".join(sorted(names))
    reason = re.sub(r'^node (?:that computes )?"[^"]*" \(([\w.]+),[^)]*\): ', r"\1: ", first)
    reason = re.sub(r'^input "[^"]*"', "an input", reason)
    return re.sub(r'(,? but) "[^"]*" is', r"\1 it is", re.sub(r' \("[^"]*"\)', "", reason))


def get_operators(cases):
    """The operator that each case is about, by its name."""
    own = {case.name: onnx_backend.get_name(case.model.graph.node[-1]) for case in cases}
    # An operator's definition by others has its name with an ending.
    return {name: own.get(re.sub(r"_expanded.*", "", name), operator)
            for name, operator in own.items()}


def quote(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def write_page(page, operators, outcomes, frozen):
    """The text `page` with a new end, for the importer's operators, the outcomes of
    all cases, and those of frozen_cases()."""
    names = get_operators(onnx_backend.node_cases())
    counts: Any = collections.defaultdict(collections.Counter)
    constant = "refused, but passed with constant operands"
    for name, outcome in outcomes.items():
        counts[names[name]][outcome.status] += 1
        passes = name in frozen and frozen[name].status in onnx_runner.PASSES
        if outcome.status == onnx_runner.REFUSED and passes:
            counts[names[name]][constant] += 1
    total: Any = sum(counts.values(), collections.Counter())

    statuses = [onnx_runner.PASSED, onnx_runner.PASSED_PROGRAM, onnx_runner.REFUSED, constant,
                onnx_runner.UNREPRESENTABLE]
    lines = [
        page.partition(MARK)[0] + MARK, "## Tests of the ONNX project", "",
        f"Of the {len(outcomes)} tests of operators in the package onnx {onnx_backend.onnx.__version__}, compiled as they are:",
        "",
        f"* {total[onnx_runner.PASSED]} pass, as one function of tensors.",
        f"* {total[onnx_runner.PASSED_PROGRAM]} pass, as a program of several functions.",
        f"* {total[onnx_runner.REFUSED]} are refused. Of these, {total[constant]} pass if operands that shapes follow",
        "  from are constants, as networks have them; the tests pass them as inputs.",
        f"* {total[onnx_runner.UNREPRESENTABLE]} have something else than numbers in their values.",
        f"* {total[onnx_runner.CONTRADICTORY]} expect what the specification does not say.", "",
        "## Operators", "",
        "With the opsets that are imported, and the numbers of tests, those of definitions by other operators",
        "included. Operators without opsets are not imported; where tests of theirs pass, it is by their definition.", "",
        "| operator | opsets | passed | as programs | refused | of these, passed with constants | not representable |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in sorted({*operators, *counts}):
        opsets = "{} to {}".format(*operators[name]) if name in operators else ""
        numbers = [str(counts[name][status] or "") for status in statuses]
        lines.append(f"| {name} | {opsets} | " + " | ".join(numbers) + " |")

    reasons = collections.defaultdict(list)
    for name, outcome in outcomes.items():
        if outcome.status == onnx_runner.REFUSED:
            reasons[get_reason(outcome.text)].append(name)
        elif outcome.status not in onnx_runner.PASSES:
            reasons[f"({outcome.status}) {outcome.text}"].append(name)
    lines += ["", "## Refused tests", "", "By the reason.", "", "| reason | tests |", "|---|---|"]
    for reason in sorted(reasons):
        found = ", ".join(f"`{name}`" for name in sorted(reasons[reason]))
        lines.append(f"| {quote(reason)} | {found} |")
    return "\n".join(lines) + "\n"


def read_refused(text):
    """The tests that a page calls refused, with their reasons."""
    refused = {}
    for line in text.partition("## Refused tests")[2].splitlines():
        match = re.fullmatch(r"\| (.*) \| (`.*`) \|", line)
        if match and not match[1].startswith("("):
            refused.update({name.strip("`"): match[1] for name in match[2].split(", ")})
    return refused


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    if not (onnx_backend.BUILD / "bin" / "relay-test-onnx").exists():
        sys.exit(f"error: expects a build in '{onnx_backend.BUILD}' (utils/build.sh, "
                 "RELAY_BUILD_DIR)")
    executor = onnx_backend.Interpreter()
    operators = executor.operators()
    executor.close()
    outcomes = onnx_runner.run_cases(onnx_backend.node_cases())
    frozen = onnx_runner.run_cases(onnx_backend.frozen_cases())
    failed = {name: outcome.text for name, outcome in [*outcomes.items(), *frozen.items()]
              if outcome.status == onnx_runner.FAILED}
    for name, text in failed.items():
        print(f"{name} fails: {text}", file=sys.stderr)
    if failed:
        sys.exit(1)
    PAGE.write_text(write_page(PAGE.read_text(), operators, outcomes, frozen))


if __name__ == "__main__":
    main()
