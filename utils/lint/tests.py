# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about tests: they check something, and what is skipped has a good reason."""

import ast
import re

# How the reason of a skipped test may begin. What the project lacks, such as an
# operator, is none: such a test fails. (What the compiler refuses although it is
# valid may end in pytest.xfail, if a list says so: it is counted as refused.)
REASONS = ("nightly", "not representable", "the machine lacks ", "the package ",
           "the shared models are absent")

# A function is taken for one that checks if its name says so.
CHECKS = re.compile(r"(^|_)(check|assert|expect|fail|verify|compare)")


def _reason_starts_well(text):
    return text is not None and text.startswith(REASONS)


def _get_text(node):
    """The beginning of a string that the program makes, as far as it is known."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _find_skips(tree):
    """Yields (line, reason or None, what) of what skips tests."""
    for node in ast.walk(tree):
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in (
                "pytest.skip", "pytest.mark.skip", "pytest.mark.skipif"):
            reasons = [k.value for k in node.keywords if k.arg == "reason"]
            if name != "pytest.mark.skipif":
                reasons += node.args[:1]
            yield node.lineno, _get_text(reasons[0]) if reasons else None, name
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in (
                "pytest.importorskip", "pytest.mark.xfail", "unittest.skip"):
            yield node.lineno, None, ast.unparse(node)


def _own_nodes(function):
    """The nodes of a function without those of functions in it."""
    todo = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            todo += ast.iter_child_nodes(node)


def _get_called(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func
            yield name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")


def _checks(function, functions, seen):
    """Whether a function, or one of its file that it calls, checks something."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.startswith(("np.testing.", "pytest.raises", "pytest.fail")):
                return True
            if any(k.arg == "check" and ast.unparse(k.value) == "True" for k in node.keywords):
                return True
    for name in _get_called(function):
        if CHECKS.search(name):
            return True
        if name in functions and name not in seen:
            seen.add(name)
            if _checks(functions[name], functions, seen):
                return True
    return False


def check_python_test(text):
    """Yields (line, message) for a file of pytest's."""
    tree = ast.parse(text)
    for line, reason, what in _find_skips(tree):
        if not _reason_starts_well(reason):
            yield line, (f"{what} expects a reason that begins with one of "
                         f"{', '.join(repr(r) for r in REASONS)}, but got {reason!r}")
    functions = {node.name: node for node in ast.walk(tree)
                 if isinstance(node, ast.FunctionDef)}
    for function in functions.values():
        if not function.name.startswith("test_"):
            continue
        if not _checks(function, functions, {function.name}):
            yield function.lineno, f"{function.name} checks nothing"
        for node in _own_nodes(function):
            if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Return) and \
                    not _checks(node, functions, {function.name}):
                yield node.body[-1].lineno, (f"{function.name} returns and has checked nothing; "
                                             "what cannot be tested is skipped")
            if isinstance(node, ast.ExceptHandler) and all(
                    isinstance(inner, (ast.Pass, ast.Continue)) for inner in node.body):
                yield node.lineno, f"{function.name} ignores an error"


def check_unit_test(text):
    """Yields (line, message) for a file of gtest's."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r'GTEST_SKIP\(\)(?:\s*<<\s*"([^"]*)")?', line)
        if match and not _reason_starts_well(match.group(1)):
            yield number, (f"GTEST_SKIP expects a reason that begins with one of "
                           f"{', '.join(repr(r) for r in REASONS)}, but got {match.group(1)!r}")
        if "DISABLED_" in line:
            yield number, "a test that is disabled"


def check_lit_test(text):
    """Yields (line, message) for a file of lit's."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"\b(UNSUPPORTED|XFAIL|REQUIRES):|config\.unsupported", line)
        if match:
            yield number, f"expects a test that runs everywhere, but got {match.group(0)}"


def check_tests_say_why(tracked, root):
    """The rule for lint.py; `tracked` lists files by pattern."""
    for rule, patterns in ((check_python_test, ["test/python/*.py"]),
                           (check_unit_test, ["test/Unit/*.cpp"]),
                           (check_lit_test, ["test/*.mlir", "test/*.relay", "test/*.test",
                                             "test/*/run/*.py", "test/*lit*.cfg*"])):
        for path in tracked(*patterns):
            relative = path.relative_to(root).as_posix()
            text = path.read_text()
            for line, message in rule(text):
                yield relative, line, message
            if "RELAY_NIGHTLY" in text and path.name != "nightly.py":
                yield relative, 1, ("expects pytest.mark.nightly, which counts what is left out, "
                                    "but got RELAY_NIGHTLY")
