# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rule on passes: what they have to know of operators comes from interfaces.

A list of operators in a pass leaves out those that are added later, and those of
other dialects. One to three are a pattern that the pass is about.
"""

import re

MANY = 4
FAMILIES_OF_THE_LANGUAGE = ("RelayCoreOps.td", "RelayLanguageOps.td")
DEFINITION = re.compile(r'^def Relay_(\w+Op)\b[^{;]*?<"([\w.]+)"', re.M)
CAST = re.compile(r"\b(?:llvm::)?(?:isa|cast|dyn_cast|IsaPred)\w*<([^<>;(){}]*)>(?:\((\w+)\))?")
CASE = re.compile(r"\.Case<([^<>;(){}]*)>|\.Case\(\s*\[[^]]*\]\(\s*(?:const )?(?:auto )?([\w:]+)")
STRING = re.compile(r'"(?:relay\.)?([a-z_0-9.]+)"')
PREFIX = re.compile(r'"(?:relay\.)?([a-z]+)\."')


def read_operators(texts):
    """Returns the classes and the names of the operators that files define;
    `texts` has the text of each by its name."""
    classes, names = set(), set()
    for file, text in texts.items():
        if file in FAMILIES_OF_THE_LANGUAGE:
            continue
        for operator, name in DEFINITION.findall(text):
            classes.add(operator)
            names.add("qnn." + name if file == "RelayQnnOps.td" else name)
    return classes, names


def _operators_in(text, classes):
    """The classes of operators in a list of types; others have a namespace."""
    found = {part.strip().removeprefix("relay::") for part in text.split(",")}
    return found & classes


def _line_of(text, position):
    return text.count("\n", 0, position) + 1


def _functions(text):
    """Yields (position, text) of what ends with a brace at the start of a line."""
    start = 0
    for match in re.finditer(r"^\}.*\n", text, re.M):
        yield start, text[start:match.end()]
        start = match.end()
    yield start, text[start:]


def check_pass(text, classes, names):
    """Yields (line, message) for the text of a pass."""
    text = re.sub(r"//.*", "", text)
    for start, function in _functions(text):
        # What is tested of one value, in one test or in several.
        tested: dict[str | int, tuple[int, set[str]]] = {}
        for match in CAST.finditer(function):
            found = _operators_in(match.group(1), classes)
            value = tested.setdefault(match.group(2) or match.start(), (match.start(), set()))
            value[1].update(found)
        lists = list(tested.values())
        if cases := list(CASE.finditer(function)):
            types = ",".join(match.group(1) or match.group(2) for match in cases)
            lists.append((cases[0].start(), _operators_in(types, classes)))
        strings = [match for match in STRING.finditer(function) if match.group(1) in names]
        if strings:
            lists.append((strings[0].start(), {match.group(1) for match in strings}))
        for position, found in lists:
            if len(found) >= MANY:
                yield _line_of(text, start + position), (
                    f"expects an interface of operators, but got a list of {len(found)}: "
                    f"{', '.join(sorted(found)[:MANY])}")
    parts = {name.split(".")[0] for name in names if "." in name}
    for match in PREFIX.finditer(text):
        if match.group(1) not in parts:
            continue
        yield _line_of(text, match.start()), (
            f"expects an interface of operators, but got a part of their names: {match.group(0)}")


def check_operator_lists(tracked, root):
    """The rule for lint.py; `tracked` lists files by pattern."""
    classes, names = read_operators({
        path.name: path.read_text()
        for path in tracked("include/relay-mlir/Dialect/Relay/IR/*Ops.td")})
    for path in tracked("lib/Dialect/*/Transforms/*.cpp", "lib/Dialect/*/Analysis/*.cpp"):
        for line, message in check_pass(path.read_text(), classes, names):
            yield path.relative_to(root).as_posix(), line, message
