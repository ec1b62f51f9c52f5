"""Writes docs/Operators.md: what this project does with each operator of Relay.

    python utils/docs/operators.py [--build DIR] [--check]

The names are those of operators.txt. What an operator supports is asked of the
build: which operators the dialect registers and infers types for, which the
interpreter evaluates and which have a lowering. What the ONNX importer makes and
what has a gradient is read from their sources. With --check nothing is written;
the exit status is 1 if the page would change.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Operators.md"
COLUMNS = ["inferred", "interpreted", "compiled", "differentiable", "ONNX"]
# Folders whose sources name the operators that they make or differentiate.
SOURCES = {"ONNX": "lib/Frontend/ONNX", "differentiable": "lib/Dialect/Relay/Gradient"}


def read_families():
    """Returns [(family, [names])]."""
    families = []
    for line in (ROOT / "utils/docs/operators.txt").read_text().splitlines()[1:]:
        if line.startswith("["):
            families.append((line[1:-1], []))
        elif line:
            families[-1][1].append(line)
    return families


def ask_build(build):
    """Returns {name: properties} of the operations that the dialect has."""
    result = subprocess.run(
        [build / "bin/relay-opt", f"--load-pass-plugin={build}/lib/RelayTestPasses.so",
         "--pass-pipeline=builtin.module(test-relay-operator-status)", "-o", os.devnull],
        input="", capture_output=True, text=True, check=True)
    return {words[0]: set(words[1:]) for words in map(str.split, result.stdout.splitlines())}


def class_of(name):
    """The C++ class of an operator: nn.conv2d is NNConv2dOp."""
    acronyms = {"nn": "NN", "qnn": "QNN"}
    words = re.split(r"[._]", name)
    text = "".join(acronyms.get(w, w[0].upper() + w[1:]) for w in words if w)
    return text if text.endswith("Op") else text + "Op"


def read_classes(folder):
    """Returns the names of operation classes in the sources of a folder."""
    return {match for path in sorted((ROOT / folder).rglob("*.cpp"))
            for match in re.findall(r"\b[A-Z]\w*Op\b", path.read_text())}


def get_status(build):
    """Returns [(family, [(name, columns that hold)])]."""
    registered = ask_build(build)
    classes = {column: read_classes(folder) for column, folder in SOURCES.items()}
    status = []
    for family, names in read_families():
        rows = []
        for name in names:
            holds = set(registered.get(name, ()))
            holds |= {column for column in classes if class_of(name) in classes[column]}
            rows.append((name, holds if name in registered else set()))
        status.append((family, rows))
    return status


def write_page(status):
    total = sum(len(rows) for _, rows in status)
    lines = [
        "# Operators", "",
        "<!-- Written by utils/docs/operators.py; do not edit. -->", "",
        f"What becomes of each of the {total} operators of Relay. Their definitions are with them in the dialect,",
        "`include/relay-mlir/Dialect/Relay/IR`.", "",
        "* **inferred**: the dialect has the operator, and a rule for the type of its result.",
        "* **interpreted**: the interpreter evaluates it.",
        "* **compiled**: it has a lowering to linalg by itself. (Others are replaced by operators that have one before.)",
        "* **differentiable**: it has a gradient.",
        "* **ONNX**: importing an ONNX model can make it.", "",
        "## Counts", "",
        "| family | operators | " + " | ".join(COLUMNS) + " |",
        "|---|" + "---|" * (len(COLUMNS) + 1),
    ]

    def counts(rows):
        return [len(rows)] + [sum(column in holds for _, holds in rows) for column in COLUMNS]

    for family, rows in status:
        lines.append(f"| {family} | " + " | ".join(map(str, counts(rows))) + " |")
    everything = [row for _, rows in status for row in rows]
    lines.append("| **all** | " + " | ".join(f"**{n}**" for n in counts(everything)) + " |")
    for family, rows in status:
        lines += ["", f"## {family[0].upper() + family[1:]}", "",
                  "| operator | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
        for name, holds in rows:
            marks = ["yes" if column in holds else "" for column in COLUMNS]
            lines.append(f"| `{name}` | " + " | ".join(marks) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("RELAY_BUILD_DIR", "build"))
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    page = write_page(get_status((ROOT / args.build).resolve()))
    if not args.check:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("docs/Operators.md is stale; run utils/docs/operators.py")


if __name__ == "__main__":
    main()
