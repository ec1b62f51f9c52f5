#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Rewrites.md: the rules that are compiled in, and what rules may use.

    python utils/docs/rewrites_page.py [--check]

The rules are those of the tables (rewrite_rules.py); test/python/rewrites checks
what they claim. With --check nothing is written; the exit status is 1 if the page
would change.
"""

import argparse
import itertools
import re
import sys
import textwrap

import rewrite_rules

PAGE = rewrite_rules.ROOT / "docs" / "Rewrites.md"
TABLES = "lib/Dialect/Relay/Transforms/Rewrites"

INTRODUCTION = """# Rewrites

Rules say what is the same: each is a pattern of operators, and what takes its place. They are written in
[PDLL](https://mlir.llvm.org/docs/PDLL/), in the tables of
[Dialect/Relay/Transforms/Rewrites](../{folder}). This page shows all of them;
`utils/docs/rewrites_page.py` writes it, and `relay-opt --list-rewrites` lists their names.

## Passes

| pass | rules | tables |
|---|---|---|
{passes}

A pass applies its rules until none applies, those with a larger benefit first. The first round visits all operators in
their order, each further one those that are new or use something new. A function stays as it is if rules still apply
after 100 rounds (`max-rounds`), which is an error that names the rule. Kernels (`relay.primitive`) and functions of
other compilers stay.

## Rules of your own

`relay-opt --relay-rewrite=rules.pdll` applies the rules of a file, which need not be compiled before. So does
`rules.mlir` with a module of [PDL](https://mlir.llvm.org/docs/Dialects/PDLOps/). More files, and names of rules:
`--relay-rewrite="files=a.pdll,b.mlir rules=First,Second"`. Files may include operators, whose operands
are counted then, and the vocabulary below:

```
{example}
```

PDLL is compiled by the program `mlir-pdll` (Debian: package `mlir-22-tools`; `RELAY_PDLL` names another one). What is
wrong with a file is reported at its line: what does not parse or has another type, operations, attributes and functions
that do not exist. A rule must make operations that verify, and values of the type of what they replace; where only the
known sizes differ, `relay.ascribe` keeps the type.

## What rules claim

Each rule says how exact it is. A test makes programs of its pattern, for all element types and many shapes, sizes of 0,
1 and `?` among them, and compares in the interpreter what they compute with the rule and without.

| claim | both sides |
|---|---|
| exact | have the same bits, but for which NaN it is |
| equal | are equal, but for the signs of zeros |
| within N eps | of floats differ by N units of the type's precision (2^-23 in float32) and of its smallest number; \
infinities and NaN are the same |
| within N eps of S | of floats differ by N units of the precision of S, where S and all that is computed are finite |

Integers are the same always. They wrap around, so sums and products may be put in any order.
"""

VOCABULARY = """
## The vocabulary

What rules may ask and make besides what PDLL has
([Vocabulary.pdll](../include/relay-mlir/Dialect/Relay/Transforms/Vocabulary.pdll)). A constraint holds or does not; it
may give something where it holds. A rewrite makes something.

| function | meaning |
|---|---|
"""

EXAMPLE = """#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
#include "relay-mlir/Dialect/Relay/Transforms/Vocabulary.pdll"

Pattern NegativeNegative {
  let root = op<relay.negative>(op<relay.negative>(x: Value));
  replace root with x;
}"""


def read_passes():
    """The passes, and the tables whose rules each applies, as the library has them."""
    text = (rewrite_rules.TABLES / "RewriteTables.cpp").read_text(encoding="utf-8")
    names = dict(re.findall(r'StringLiteral (\w+) =\s+"([\w-]+)"', text))
    passes: dict[str, list[str]] = {name: [] for name in names.values()}
    for table, found in re.findall(r'\{"(\w+)",\s+\{([^}]*)\}', text):
        for constant in re.findall(r"\w+", found):
            passes[names[constant]].append(table)
    return passes


def title_of(table):
    """What the first line of a table says."""
    first = (rewrite_rules.TABLES / f"{table}.pdll").read_text(encoding="utf-8").splitlines()[0]
    return re.sub(r"//===- \w+\.pdll - (.*?) -*===//", r"\1", first)


def escape(text):
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def wrap(text):
    return textwrap.fill(escape(text), 120, break_long_words=False, break_on_hyphens=False)


def write_rule(rule):
    claim = rule.claim if rule.claim.endswith(".") else rule.claim + "."
    return (f"### {rule.name}\n\n{wrap(rule.summary)}\n\n{wrap('Claim: ' + claim)}\n\n"
            f"```\n{rule.text}\n```\n")


def write_page():
    rules = rewrite_rules.read_tables()
    passes = read_passes()
    rows = [f"| `{name}` | {sum(rule.table in tables for rule in rules)} | "
            + ", ".join(f"[{table}](#{table.lower()})" for table in tables) + " |"
            for name, tables in passes.items()]
    page = INTRODUCTION.format(folder=TABLES, passes="\n".join(rows), example=EXAMPLE)
    order = list(dict.fromkeys(table for tables in passes.values() for table in tables))
    for table, group in itertools.groupby(
            sorted(rules, key=lambda rule: order.index(rule.table)), lambda rule: rule.table):
        page += (f"\n## {table}\n\n{title_of(table)}:\n[{table}.pdll](../{TABLES}/{table}.pdll).\n\n"
                 + "\n".join(map(write_rule, group)))
    page += VOCABULARY
    for declaration, meaning in rewrite_rules.read_vocabulary():
        page += f"| `{declaration}` | {escape(meaning)} |\n"
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    page = write_page()
    if arguments.check:
        sys.exit(PAGE.read_text(encoding="utf-8") != page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
