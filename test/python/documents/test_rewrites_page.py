# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Rewrites.md says what the tables of rules say."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "docs"))
import rewrites_page  # noqa: E402
import rewrite_rules  # noqa: E402


def test_page_is_current():
    assert rewrites_page.PAGE.read_text() == rewrites_page.write_page(), \
        "run utils/docs/rewrites_page.py"


def test_every_rule_says_what_it_does():
    rules = rewrite_rules.read_tables()
    names = [rule.name for rule in rules]
    assert len(names) == len(set(names)) > 50
    assert all(rule.summary and rule.claim and rule.benefit for rule in rules)


def test_every_function_says_what_it_means():
    vocabulary = rewrite_rules.read_vocabulary()
    assert len(vocabulary) > 25 and all(meaning for _, meaning in vocabulary)


def test_vocabulary_is_what_the_library_has():
    declared = [name for function, _ in rewrite_rules.read_vocabulary()
                for name in re.findall(r"^(?:Constraint|Rewrite) (\w+)", function)]
    text = "".join(path.read_text() for path in rewrite_rules.TABLES.glob("*Vocabulary.cpp"))
    added = re.findall(r'add(?:Constraint|Rewrite|Evaluation)\("(\w+)"', text)
    assert sorted(declared) == sorted(added)
