# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the C++ that encodes and decodes instructions of VTA.

    python utils/vta_instruction_set.py JSON OUTPUT

JSON is what `llvm-tblgen --dump-json` makes of InstructionSet.td. OUTPUT has two parts:
enumerations and their names (GET_VTA_ENUMS), and a visit of the fields of an instruction
(GET_VTA_FIELDS).
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import sys
from typing import Any


@dataclasses.dataclass
class Field:
    name: str
    member: str
    bits: int
    memories: list[str]  # Enumerators of those of whose depths the largest logarithm is added.
    description: str


@dataclasses.dataclass
class Case:
    number: int
    enumerator: str
    name: str
    description: str
    fields: list[list[Field]]  # Of an instruction: the groups of its fields.


class InstructionSet:
    """What the records say."""

    def __init__(self, records: dict[str, Any]):
        self._records = records
        self.instructions = self._cases("ISA_Instruction")
        self.memories = self._cases("ISA_Memory")
        self.alu_opcodes = self._cases("ISA_AluOpcode")
        self.micro_op = self._fields("ISA_MicroOp")

    @staticmethod
    def read(path: str) -> InstructionSet:
        return InstructionSet(json.loads(pathlib.Path(path).read_text()))

    def _fields(self, group: str) -> list[Field]:
        fields = (self._records[field["def"]] for field in self._records[group]["fields"])
        return [Field(field["name"], field["member"], field["fixedBits"],
                      [self._records[memory["def"]]["cppName"] for memory in field["memories"]],
                      field["description"])
                for field in fields]

    def _cases(self, kind: str) -> list[Case]:
        records = [self._records[name] for name in self._records["!instanceof"][kind]]
        cases = [Case(record["number"], record["cppName"], record["name"], record["description"],
                      [self._fields(group["def"]) for group in record.get("fields", [])])
                 for record in records]
        cases.sort(key=lambda case: case.number)
        if [case.number for case in cases] != list(range(len(cases))):
            sys.exit(f"expects numbers of {kind} without gaps, but got "
                     f"{[case.number for case in cases]}")
        return cases


def _width(field: Field) -> str:
    depths = [f"config.getLogDepth(Memory::{memory})" for memory in field.memories]
    if not depths:
        return str(field.bits)
    depth = depths[0] if len(depths) == 1 else f"std::max({', '.join(depths)})"
    return f"{depth} + {field.bits}" if field.bits else depth


def _enum(name: str, cases: list[Case], names: str) -> list[str]:
    texts = ", ".join(json.dumps(case.name) for case in cases)
    return [f"enum class {name} : uint8_t {{ {', '.join(case.enumerator for case in cases)} }};",
            f"constexpr const char *{names}[] = {{{texts}}};"]


def write(isa: InstructionSet) -> str:
    lines = ["// Written by utils/vta_instruction_set.py of InstructionSet.td.", "",
             "#ifdef GET_VTA_ENUMS", "#undef GET_VTA_ENUMS",
             "/// What an instruction calls the memories.",
             *_enum("Memory", isa.memories, "kMemoryNames"),
             *_enum("Opcode", isa.instructions, "kOpcodeNames"),
             *_enum("AluOpcode", isa.alu_opcodes, "kAluOpcodeNames"),
             "#endif", "",
             "#ifdef GET_VTA_FIELDS", "#undef GET_VTA_FIELDS",
             "template <typename Insn, typename VisitFn>",
             "static void visitFields(const Config &config, Insn &instruction,",
             "                        VisitFn visit) {"]

    def visit(field: Field, value: str = "instruction") -> str:
        return f'visit("{field.name}", {_width(field)}, {value}.{field.member});'

    common = isa.instructions[0].fields[0]
    lines += [f"  {visit(field)}" for field in common]
    lines.append("  switch (static_cast<Opcode>(instruction.opcode)) {")
    for case in isa.instructions:
        lines.append(f"  case Opcode::{case.enumerator}:")
        lines += [f"    {visit(field)}" for group in case.fields[1:] for field in group]
        lines.append("    break;")
    lines += ["  }", "}", "",
              "template <typename MicroOp, typename VisitFn>",
              "static void visitUopFields(const Config &config, MicroOp &uop,",
              "                           VisitFn visit) {",
              *(f"  {visit(field, 'uop')}" for field in isa.micro_op),
              "}", "#endif", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    _, source, output = sys.argv
    pathlib.Path(output).write_text(write(InstructionSet.read(source)))
