# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the tables of rules in lib/Dialect/Relay/Transforms/Rewrites.

Before each pattern is a comment: a line of what it does, maybe more about it, and
then what it claims and how that is checked, each on lines of its own:

    // x + 0 = x.
    //
    // Claim: equal. For floats, -0 + 0 is 0, but stays -0.
    // Check: x: number, zero: 0

test/python/rewrites/test_rules.py says what claims and checks there are.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ROOT / "lib/Dialect/Relay/Transforms/Rewrites"
VOCABULARY = ROOT / "include/relay-mlir/Dialect/Relay/Transforms/Vocabulary.pdll"
FIELDS = ("Claim", "Check")


@dataclasses.dataclass
class Rule:
    """A pattern, and what its comment says."""

    table: str
    name: str
    benefit: int
    summary: str
    fields: dict
    text: str

    @property
    def claim(self):
        return self.fields.get("Claim", "")

    @property
    def check(self):
        return self.fields.get("Check", "")


@dataclasses.dataclass
class Operation:
    """An operation that a rule matches: operands are operations or names, attributes
    are names of variables or None."""

    name: str
    operands: list
    attributes: dict
    variable: str = ""


def _comment_before(lines, index):
    """The lines of the comment that ends before a line, without its marks."""
    first = index
    while first and lines[first - 1].startswith("//"):
        first -= 1
    return [line[2:].strip() for line in lines[first:index]]


def _read_comment(comment):
    """The prose of a comment, and its fields."""
    prose: list[str] = []
    fields: dict[str, list[str]] = {}
    current = prose
    for line in comment:
        name, found, rest = line.partition(": ")
        if found and name in FIELDS:
            current = fields.setdefault(name, [])
            line = rest
        current.append(line)
    return " ".join(filter(None, prose)), {name: " ".join(text) for name, text in fields.items()}


def read_table(path):
    """The rules of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rules = []
    for index, line in enumerate(lines):
        match = re.match(r"Pattern (\w+)(?: with benefit\((\d+)\))? \{", line)
        if not match:
            continue
        end = lines.index("}", index)
        summary, fields = _read_comment(_comment_before(lines, index))
        rules.append(Rule(path.stem, match[1], int(match[2] or 0), summary, fields,
                          "\n".join(lines[index:end + 1])))
    return rules


def read_tables():
    """The rules of all files, those of the first groups first."""
    rules = [rule for path in sorted(TABLES.glob("*.pdll")) for rule in read_table(path)]
    return sorted(rules, key=lambda rule: (-rule.benefit, rule.table))


def read_vocabulary():
    """The functions that rules may call: the declaration of each, and its meaning."""
    # A declaration may be on two lines.
    text = re.sub(r"\n +->", " ->", VOCABULARY.read_text(encoding="utf-8"))
    lines = text.splitlines()
    return [(line.rstrip(";"), " ".join(_comment_before(lines, index)))
            for index, line in enumerate(lines) if re.match(r"(Constraint|Rewrite) ", line)]


TOKEN = re.compile(r'\s*(attr<"(?:[^"\\]|\\.)*">|op<[\w.]*>|->|[\w.]+|[(){}<>,:;=])')


class _Parser:
    """Reads the expressions that a rule matches."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.variables = {}

    def take(self, *expected):
        token = self.tokens.pop(0)
        if expected and token not in expected:
            raise ValueError(f"expects {' or '.join(expected)}, but got {token}")
        return token

    def skip_type(self):
        """Skips `: Value` and the like."""
        if self.tokens[0] == ":":
            self.take()
            self.take()
            if self.tokens[0] == "<":
                while self.take() != ">":
                    pass

    def operand(self):
        if self.tokens[0].startswith("op<"):
            return self.operation()
        name = self.take()
        self.skip_type()
        name = name.removesuffix(".0")
        return self.variables.get(name, name)

    def operation(self):
        operation = Operation(self.take()[3:-1].removeprefix("relay."), [], {})
        self.take("(")
        while self.tokens[0] != ")":
            operation.operands.append(self.operand())
            if self.tokens[0] == ",":
                self.take()
        self.take(")")
        if self.tokens[0] == "{":
            self.take()
            while self.tokens[0] != "}":
                name = self.take()
                self.take("=")
                operation.attributes[name] = self.take()
                self.skip_type()
                if self.tokens[0] == ",":
                    self.take()
            self.take("}")
        if self.tokens[0] == "->":
            while self.tokens[0] not in (";", ",", ")"):
                self.take()
            if self.tokens[0] == ")":
                self.take()
        return operation


def parse_match(rule):
    """The operation that is the root of what a rule matches."""
    root = None
    match = re.split(r"\b(?:replace|rewrite) root", rule.text)[0]
    for name, text in re.findall(r"let (\w+) = (op<.*?;)", match, re.S):
        parser = _Parser(text)
        if root is not None:
            parser.variables = variables
        else:
            variables: dict = {}
        root = parser.operation()
        root.variable = name
        variables[name] = root
    if root is None:
        raise ValueError(f"expects {rule.name} to match an operation")
    return root


def walk(operation):
    """The operations below an operation, and it, operands first."""
    for operand in operation.operands:
        if isinstance(operand, Operation):
            yield from walk(operand)
    yield operation
