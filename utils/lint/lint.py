"""Checks the tree's own rules: layers, headers, format, tests that check nothing.

    python utils/lint/lint.py [--junit FILE]

Each rule is a function that yields (path, line, message). The layers are those
of docs/Architecture.md.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import operator_lists
import tests

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "utils"))
import option_types  # noqa: E402

INCLUDE = re.compile(r'^\s*#?include\s+[<"]([^">]+)[">]')

# What schedule rules of one kind of targets share with the others.
RULES_OF_ALL = ["Support", "Dialect/TIR/IR", "Dialect/TIR/Analysis", "Dialect/TIR/Schedule",
                "Dialect/TIR/TransformOps", "Dialect/Target/IR"]
OWN_RULES = [*RULES_OF_ALL, "Dialect/TIR/ScheduleRules"]

# Folder of include/relay-mlir or lib -> folders it may include. The longest
# prefix counts. A folder may always include itself; those in it that have lines of
# their own are others. What is on top of the library has its own folder's name.
LAYERS = {
    "Support": [],
    "Dialect/Target/IR": ["Support"],
    "Dialect/Target/Transforms": ["Support", "Dialect/Target/IR"],
    "Dialect/CUDA/IR": ["Support", "Dialect/Target/IR"],
    "Dialect/Relay/IR": ["Support"],
    "Dialect/VTA/IR": ["Support", "Dialect/Target/IR", "Runtime/VTA"],
    "Dialect/VTA/Transforms": [
        "Support", "Dialect/Relay/IR", "Dialect/Target/IR", "Dialect/VTA/IR", "Interpreter",
        "Runtime/VTA"],
    "Dialect/TIR/IR": ["Support", "Dialect/Target/IR"],
    "Dialect/Relax/IR": ["Support", "Dialect/TIR/IR", "Dialect/Target/IR"],
    "Dialect/Relay/Analysis": ["Support", "Dialect/Relay/IR"],
    "Dialect/TIR/Analysis": ["Support", "Dialect/TIR/IR"],
    "Dialect/Relax/Analysis": [
        "Support", "Dialect/Relax/IR", "Dialect/TIR/IR", "Dialect/Target/IR"],
    "Interpreter": ["Support", "Dialect/Relay/IR"],
    "Dialect/Relay/Transforms": [
        "Support", "Dialect/Relay/IR", "Dialect/Relay/Analysis", "Dialect/Target/IR",
        "Interpreter"],
    "Dialect/Relax/Transforms": [
        "Support", "Dialect/Relax/IR", "Dialect/Relax/Analysis", "Dialect/TIR/IR",
        "Dialect/Target/IR"],
    "Dialect/TIR/Schedule": ["Support", "Dialect/TIR/IR", "Dialect/TIR/Analysis"],
    "Dialect/TIR/Transforms": [
        "Support", "Dialect/TIR/IR", "Dialect/TIR/Analysis", "Dialect/TIR/Schedule"],
    "Dialect/TIR/TransformOps": [
        "Support", "Dialect/TIR/IR", "Dialect/TIR/Analysis", "Dialect/TIR/Schedule"],
    "Dialect/TIR/ScheduleRules": RULES_OF_ALL,
    "Dialect/TIR/ScheduleRules/CPU": OWN_RULES,
    "Dialect/TIR/ScheduleRules/GPU": [*OWN_RULES, "Dialect/CUDA/IR"],
    "Dialect/TIR/ScheduleRules/VTA": [*OWN_RULES, "Dialect/VTA/IR", "Runtime/VTA"],
    "Conversion": ["Support", "Dialect", "Conversion/TIRToVTA"],
    "Conversion/TIRToVTA": ["Support", "Conversion", "Dialect", "Runtime/VTA"],
    "Frontend": ["Support", "Dialect/Relay/IR", "Dialect/Relay/Analysis", "Prelude"],
    "Target": ["Support", "Dialect", "Runtime", "Target/Kernel"],
    # Sequences the conversions that make one kernel.
    "Target/Kernel": ["Support", "Dialect", "Runtime", "Conversion"],
    "Target/CUDA": ["Support", "Dialect", "Runtime", "Conversion"],
    "Target/VTA": ["Support", "Dialect", "Runtime", "Conversion"],
    "GPUExecutor": ["Support"],
    # A device, which reads code as the run time does.
    "GPUExecutor/Device": ["Support", "GPUExecutor", "Runtime/CUDACode.h"],
    "Report": ["Support", "Dialect/Relay/IR", "Dialect/Relax/IR", "Dialect/TIR/IR"],
    "Pipelines": ["*"],
    "Prelude": [],
    "Runtime": [],
    # Instructions and simulators of a machine: no run time, and no LLVM.
    "Runtime/VTA": [],
    "InitAllDialects.h": ["*"],
    "InitAllPasses.h": ["*"],
    "InitAllTranslations.h": ["*"],
    "Plugin.h": ["*"],
    "tools": ["Support", "Dialect/Relay/IR", "Dialect/Relay/Transforms", "Dialect/TIR/IR", "Interpreter", "Frontend", "Prelude",
              "GPUExecutor", "Pipelines", "Report", "Runtime/VTA", "InitAllDialects.h", "InitAllPasses.h",
              "InitAllTranslations.h"],
    "python": ["Support", "Dialect/Relay/IR", "Dialect/Relay/Transforms",
               "Dialect/TIR/TransformOps", "Interpreter", "Frontend", "Prelude", "Pipelines",
               "Report", "Target/GraphJSON", "Target/RelaxScript", "InitAllDialects.h",
               "InitAllPasses.h"],
}


def tracked(*patterns):
    """Returns the tracked and new files that match the patterns."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def folder_of(path):
    """Returns the layer's key for a file or an include path, or None."""
    keys = [key for key in LAYERS if path == key or path.startswith(key + "/")]
    return max(keys, key=len, default=None)


def find_target(path, name):
    """What an include is of, in include/relay-mlir or lib; None if it is of neither."""
    if name.startswith("relay-mlir/"):
        return name[len("relay-mlir/"):]
    beside = path.parent / name
    if not beside.is_file():
        return None
    inner = beside.resolve().relative_to(ROOT).as_posix()
    return re.sub(r"^(include/relay-mlir|lib)/", "", inner)


def may_include(key, target):
    """Whether a file of the layer `key` may include `target`."""
    def allows(name):
        if f"{key}/".startswith(f"{name}/"):
            return folder_of(target) == name
        return f"{target}/".startswith(f"{name}/")

    return "*" in LAYERS[key] or any(allows(name) for name in [key, *LAYERS[key]])


def check_layers():
    for path in tracked("include/relay-mlir/*.h", "include/relay-mlir/*.td", "lib/*.h",
                        "lib/*.cpp", "tools/*.h", "tools/*.cpp", "python/src/*.h",
                        "python/src/*.cpp"):
        relative = path.relative_to(ROOT).as_posix()
        inner = re.sub(r"^(include/relay-mlir|lib)/", "", relative)
        key = folder_of(inner)
        if key is None:
            yield relative, 1, "expects a folder that LAYERS in utils/lint/lint.py has"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match.group(1)
            if inner.startswith("Runtime/") and name.startswith(("mlir/", "llvm/")):
                yield relative, number, f"the run time includes {name}"
            target = find_target(path, name)
            if target and not may_include(key, target):
                yield relative, number, f"layer {key} includes {name}"


def check_headers():
    for path in tracked("include/*.h", "lib/*.h", "lib/*.cpp", "tools/*.cpp",
                        "python/*.cpp", "test/*.cpp", "*.td"):
        relative = path.relative_to(ROOT).as_posix()
        text = path.read_text()
        if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in text[:800]:
            yield relative, 1, "expects the licence header"
        if relative.startswith("include/") and path.suffix == ".h":
            guard = re.sub(r"[^A-Za-z0-9]", "_", relative[len("include/"):]).upper()
            if f"#ifndef {guard}\n" not in text:
                yield relative, 1, f"expects the include guard {guard}"


def check_tests():
    for path in tracked("test/*.mlir", "test/*.test"):
        relative = path.relative_to(ROOT).as_posix()
        if "/Inputs/" in relative:
            continue
        text = path.read_text()
        runs = "\n".join(line for line in text.splitlines() if "RUN:" in line)
        if "RUN: true" in text:
            yield relative, 1, "a test that cannot fail"
        if re.search(r"//\s*CHECK[-A-Z]*:", text) and "FileCheck" not in text:
            yield relative, 1, "has CHECK lines, but does not run FileCheck"
        if not runs:
            yield relative, 1, "has no RUN line"


def check_skips():
    yield from tests.check_tests_say_why(tracked, ROOT)


def check_operator_lists():
    yield from operator_lists.check_operator_lists(tracked, ROOT)


def check_format():
    files = [path for path in tracked("*.h", "*.cpp") if path.suffix in (".h", ".cpp")]
    formatter = shutil.which("clang-format-22")
    if not formatter:
        yield ".clang-format", 1, "clang-format-22 is not installed (utils/setup.sh)"
        return
    result = subprocess.run([formatter, "--dry-run", *files], capture_output=True, text=True,
                            check=False, cwd=ROOT)
    found = re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*)", result.stderr, re.M)
    for path, line, text in found:
        yield pathlib.Path(path).relative_to(ROOT).as_posix(), int(line), text
    if result.returncode and not found:
        yield ".clang-format", 1, result.stderr.strip()


def check_options():
    for path in tracked("lib/*.cpp", "lib/*.h"):
        relative = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\bcl::opt<", line):
                yield relative, number, "a library must not have cl::opt"


def check_attribute_names():
    # A name that is written twice is changed once.
    for path in tracked("lib/*.cpp", "lib/*.h", "tools/*.cpp", "python/src/*.cpp"):
        relative = path.relative_to(ROOT).as_posix()
        if "/IR/" in relative:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.search(r'"((?:relay|relax|tir|target|vta)\.[a-z_]+)"', line)
            if match:
                yield relative, number, (f"expects the constant of the dialect's header for "
                                         f"{match.group(1)}")


def check_pass_names():
    for path in tracked("include/*Passes.td"):
        relative = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.search(r'Pass<"([^"]*)"', line)
            if match and not re.match("((verify|convert)-)?(relay|relax|tir|vta|linalg)-",
                                      match.group(1)):
                yield relative, number, (f"expects the name of a pass to begin with its dialect, "
                                         f"but got {match.group(1)}")


def find_dangling_lists(text):
    """Yields the line of each loop over a braced ArrayRef. What it refers to ends with the
    expression that names it, before the first iteration."""
    for loop in re.finditer(r"\bfor \((?:[^;{}()]|\[[^\]]*\])*?[^:]:(?!:)", text):
        end, depth = loop.end(), 1
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if re.search(r"\bArrayRef(?:<[^;{}]*>)?\s*\{", text[loop.end():end]):
            yield text.count("\n", 0, loop.start()) + 1


def check_dangling_lists():
    for path in tracked("*.h", "*.cpp"):
        for number in find_dangling_lists(path.read_text()):
            yield (path.relative_to(ROOT).as_posix(), number,
                   "expects a list that outlives the loop, but got a braced ArrayRef")


RULES = [check_layers, check_headers, check_tests, check_skips, check_operator_lists,
         check_format, check_options, check_attribute_names, check_pass_names,
         check_dangling_lists]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--junit", type=option_types.output_file, metavar="FILE",
                        help="write the results as JUnit")
    arguments = parser.parse_args()
    suite = ElementTree.Element("testsuite", name="lint")
    count = 0
    for rule in RULES:
        case = ElementTree.SubElement(suite, "testcase", classname="lint",
                                      name=rule.__name__)
        findings = [f"{path}:{line}: {text}" for path, line, text in rule()]
        count += len(findings)
        for finding in findings:
            print(finding, file=sys.stderr)
        if findings:
            ElementTree.SubElement(case, "failure", message=findings[0]).text = (
                "\n".join(findings))
    if arguments.junit:
        ElementTree.ElementTree(suite).write(arguments.junit)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
