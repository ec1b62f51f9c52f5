# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy (.clang-tidy) on the lines that have changed.

    python utils/lint/tidy.py [--all] [--build DIR] [--junit FILE] [FILE...]

Changed is what differs from main, or on main what its last commits changed, and
what is not committed. A header is looked at through a file that includes it. Of
many changed files the latest are looked at, a minute or two. With --all every line
of every file, an hour, or of the FILEs: what was there before the rules is not
free of findings. The build folder must be built: it has the commands and generated
headers.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "utils"))
import option_types  # noqa: E402

# How many commits of main, and how many files at most.
COMMITS = 10
FILES = 20


def git(*arguments):
    """The lines that git prints; none if it fails, as without history."""
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True,
                            check=False)
    return result.stdout.splitlines() if result.returncode == 0 else []


def find_base():
    """The commit that changes count from: where the branch left main, or on main an
    older one. On a first commit, it is that."""
    head = git("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        base = git("merge-base", "HEAD", branch)
        if base and base != head:
            return base[0]
    return git("rev-list", "--first-parent", f"--max-count={COMMITS + 1}", "HEAD")[-1]


def find_lines(base, name):
    """The ranges of lines of a file that are not as in `base`."""
    ranges = []
    for line in git("diff", "-U0", base, "--", name):
        match = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if match and match.group(2) != "0":
            first = int(match.group(1))
            ranges.append([first, first + int(match.group(2) or 1) - 1])
    return ranges


def find_changed():
    """Returns {path: ranges of lines} of changed files, the latest first."""
    base = find_base()
    new = git("ls-files", "--others", "--exclude-standard")
    names = git("diff", "--name-only", "HEAD") + new
    names += git("log", "--name-only", "--format=", f"{base}..HEAD")
    changed = {}
    for name in dict.fromkeys(names):
        if pathlib.Path(name).suffix in (".cpp", ".h") and (ROOT / name).is_file():
            lines = [[1, 10**6]] if name in new else find_lines(base, name)
            if lines:
                changed[name] = lines
    return changed


def find_user(header, sources):
    """A source that includes a header: that of the same name, or any."""
    inner = re.sub(r"^(include/relay-mlir|lib)/", "", header)
    twin = f"lib/{inner.removesuffix('.h')}.cpp"
    if twin in sources:
        return twin
    end = re.escape(pathlib.Path(header).name)
    pattern = re.compile(rf'^#include "(?:\S*/)?{end}"', re.M)
    folder = str(pathlib.Path(header).parent)
    # Those beside it first.
    for name in sorted(sources, key=lambda name: not name.startswith(folder)):
        if pattern.search((ROOT / name).read_text()):
            return name
    return None


def check_file(name, build, lines):
    """What clang-tidy says of a file, or nothing: of the `lines`, or of all if None."""
    command = ["clang-tidy-22", "--quiet", "-p", build, "--warnings-as-errors=*", name]
    if lines is not None:
        command.append("--line-filter=" + json.dumps(
            [{"name": path, "lines": ranges} for path, ranges in lines.items()]))
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return (result.stdout.strip() or result.stderr.strip()) if result.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=option_types.existing_file,
                        help="instead of those that have changed")
    parser.add_argument("--all", action="store_true", help="all lines of all files")
    parser.add_argument("--build", default=os.environ.get("RELAY_BUILD_DIR", "build"))
    parser.add_argument("--junit", type=option_types.output_file, metavar="FILE",
                        help="write the results as JUnit")
    arguments = parser.parse_args()
    build = (ROOT / arguments.build).resolve()
    commands = build / "compile_commands.json"
    if not shutil.which("clang-tidy-22"):
        sys.exit("error: clang-tidy-22 is not installed (utils/setup.sh)")
    if not commands.exists():
        sys.exit(f"error: expects a build in '{build}' (utils/build.sh)")
    sources = {os.path.relpath(entry["file"], ROOT)
               for entry in json.loads(commands.read_text())}
    sources = {name for name in sources if not (ROOT / name).is_relative_to(build)}
    given = [os.path.relpath(pathlib.Path(name).resolve(), ROOT) for name in arguments.files]
    lines = None if arguments.all else find_changed()
    names = given or (sorted(sources) if lines is None else list(lines))
    if lines is not None:
        names = [name for name in names if name in lines]
    names = [find_user(name, sources) if name.endswith(".h") else name for name in names]
    names = [name for name in dict.fromkeys(names) if name in sources]
    suite = ElementTree.Element("testsuite", name="clang-tidy")
    if not (arguments.all or arguments.files) and len(names) > FILES:
        print(f"clang-tidy: {FILES} of {len(names)} changed files")
        for name in names[FILES:]:
            case = ElementTree.SubElement(suite, "testcase", classname="clang-tidy", name=name)
            ElementTree.SubElement(case, "skipped", message="older changes for clang-tidy")
        names = names[:FILES]

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, text in zip(names, pool.map(lambda name: check_file(name, build, lines), names)):
            case = ElementTree.SubElement(suite, "testcase", classname="clang-tidy", name=name)
            if text:
                failed += 1
                print(text, flush=True)
                ElementTree.SubElement(case, "failure", message="clang-tidy").text = text
    if arguments.junit:
        ElementTree.ElementTree(suite).write(arguments.junit)
    print(f"clang-tidy: {len(names)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
