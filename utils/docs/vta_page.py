#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the fields of instructions in docs/VTA.md.

    python utils/docs/vta_page.py [--check]

They are those of InstructionSet.td, as the build has read it. With --check nothing is
written; the exit status is 1 if the page would change.
test/python/documents/test_vta_page.py fails then, too.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "VTA.md"
BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", ROOT / "build")).resolve()

sys.path.insert(0, str(ROOT / "utils"))

from vta_instruction_set import Case, Field, InstructionSet  # noqa: E402

BEGIN = "<!-- From here on written by utils/docs/vta_page.py; do not edit. -->\n"
END = "<!-- To here. -->\n"

LOGARITHMS = {"Uop": "LU", "Inp": "LI", "Wgt": "LW", "Acc": "LA"}


def _width(field: Field) -> str:
    depths = [LOGARITHMS[memory] for memory in field.memories]
    if not depths:
        return str(field.bits)
    depth = depths[0] if len(depths) == 1 else f"the larger of {' and '.join(depths)}"
    return f"{depth} + {field.bits}" if field.bits else depth


def _fields(fields: list[Field]) -> list[str]:
    return ["| field | bits | what it says |", "|---|---|---|",
            *(f"| {field.name} | {_width(field)} | {field.description} |" for field in fields), ""]


def _numbers(what: str, cases: list[Case]) -> list[str]:
    return [f"| {what} | name | what it is |", "|---|---|---|",
            *(f"| {case.number} | {case.name} | {case.description} |" for case in cases), ""]


def write_tables() -> str:
    isa = InstructionSet.read(
        str(BUILD / "include" / "relay-mlir" / "Runtime" / "VTA" / "InstructionSet.json"))
    lines = ["All instructions begin with these fields:", "",
             *_fields(isa.instructions[0].fields[0]), *_numbers("opcode", isa.instructions)]
    described: dict[str, list[str]] = {}
    for case in isa.instructions:
        fields = [field for group in case.fields[1:] for field in group]
        if fields:
            described.setdefault("\n".join(_fields(fields)), []).append(case.name)
    for table, names in described.items():
        verb = "goes" if len(names) == 1 else "go"
        lines += [f"{' and '.join(names)} {verb} on with", "", table]
    lines += [*_numbers("memory_id", isa.memories), *_numbers("alu_opcode", isa.alu_opcodes),
              "A micro-op has 32 bits. A configuration for which its fields take more is refused.",
              "", *_fields(isa.micro_op)]
    return "\n".join(lines)


def write_page() -> str:
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{write_tables()}\n{END}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args()
    text = write_page()
    if args.check:
        return PAGE.read_text() != text
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
