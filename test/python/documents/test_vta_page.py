# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fields in docs/VTA.md are those of InstructionSet.td."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils" / "docs"))

import vta_page  # noqa: E402


def test_page_is_up_to_date():
    assert vta_page.PAGE.read_text() == vta_page.write_page(), "run utils/docs/vta_page.py"


def test_instructions_fit_with_the_default_configuration():
    isa = vta_page.InstructionSet.read(
        str(vta_page.BUILD / "include/relay-mlir/Runtime/VTA/InstructionSet.json"))
    depths = {"Uop": 13, "Inp": 11, "Wgt": 10, "Acc": 11}

    def width(fields):
        return sum(field.bits + max((depths[memory] for memory in field.memories), default=0)
                   for field in fields)

    assert width(isa.micro_op) == 32
    for case in isa.instructions:
        # With up to a field between the two words.
        assert width(field for group in case.fields for field in group) <= 127, case.name
