"""Counts the reports that sanitizers left in a folder, by kind and place.

    python utils/sanitizer/reports.py FOLDER [--junit FILE]

Prints the first report of each kind and place. Exits with 1 if there are any.
"""

import argparse
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "utils"))
import option_types  # noqa: E402

# "ERROR: AddressSanitizer: heap-use-after-free on ...",
# "WARNING: ThreadSanitizer: data race (pid=1)", "file.cpp:1:2: runtime error: ...".
KIND = re.compile(r"(?:ERROR|WARNING): (\w+Sanitizer): ([\w-]+(?: [a-z]+)*)|runtime error: (.*)")
FRAME = re.compile(r"^\s+#\d+ (?:0x[0-9a-f]+ in )?(.*?) (\S+?)(?::\d+)*(?: \(.*)?$", re.MULTILINE)
# Of what the project consists; other frames say little about where a fault is.
OWN = re.compile(r"(?:^|/)(?:include/relay-mlir|lib|python|tools|test)/")


def split_reports(text):
    """Returns the reports of one file: each begins with a line that names its kind."""
    starts = [match.start() for match in KIND.finditer(text)]
    starts = [text.rfind("\n", 0, start) + 1 for start in starts]
    return [text[start:end] for start, end in zip(starts, starts[1:] + [len(text)])]


def describe(report):
    """Returns (kind, place): what was found, and the first own function of the stack."""
    match = KIND.search(report)
    assert match is not None
    kind = f"{match[1]}: {match[2]}" if match[1] else f"UndefinedBehaviorSanitizer: {match[3]}"
    if not match[1]:
        # Values differ from run to run.
        kind = re.sub(r"-?\b\d[\dxa-f.]*\b", "N", kind)
    frames = FRAME.findall(report)
    for function, path in frames:
        if str(ROOT) in path and OWN.search(path[len(str(ROOT)):]):
            return kind, f"{function} {path[len(str(ROOT)) + 1:]}"
    return kind, frames[0][0] if frames else "unknown place"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=option_types.existing_folder)
    parser.add_argument("--junit", type=option_types.output_file)
    options = parser.parse_args()
    found = collections.defaultdict(list)
    for path in sorted(filter(pathlib.Path.is_file, options.folder.iterdir())):
        for report in split_reports(path.read_text(encoding="utf-8", errors="replace")):
            found[describe(report)].append(report)
    suite = ElementTree.Element("testsuite", name="sanitizers")
    if not found:
        ElementTree.SubElement(suite, "testcase", classname="sanitizers", name="reports")
    for (kind, place), reports in sorted(found.items(), key=lambda entry: -len(entry[1])):
        print(f"== {len(reports)} x {kind}, in {place}\n{reports[0]}")
        case = ElementTree.SubElement(suite, "testcase", classname=kind, name=place)
        ElementTree.SubElement(case, "failure", message=f"{len(reports)} reports")
    if options.junit:
        ElementTree.ElementTree(suite).write(options.junit)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
