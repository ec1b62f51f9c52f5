# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relay-translate on programs of VTA: they come back, and what cannot is refused."""

import os
import pathlib
import re
import struct
import subprocess

import numpy as np
import pytest

import random_programs
import vta_model
from vta_model import ALU, FINISH, GEMM, INP, LOAD, STORE, Config

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
VECTORS = ROOT / "test" / "VTA" / "Inputs" / "vectors"


def translate(data, *options, code=0):
    result = subprocess.run([BIN / "relay-translate", *options], input=data,
                            capture_output=True, check=False, timeout=120)
    assert result.returncode == code, result.stderr.decode()
    return result.stdout if code == 0 else result.stderr.decode()


def check_round_trip(data):
    text = translate(data, "--binary-to-vta")
    assert translate(text, "--vta-to-binary") == data
    # One comment for each instruction, in the order of the file.
    count, = struct.unpack_from("<I", data, 72)
    numbers = re.findall(rb"^ *// (\d+): offset \d+, \w+ stage: ", text, re.M)
    assert [int(number) for number in numbers] == list(range(count))
    return text.decode()


@pytest.mark.parametrize("name", random_programs.CONFIGS)
def test_random_programs(name):
    for seed in range(100, 104):
        check_round_trip(random_programs.make_program(random_programs.CONFIGS[name], seed)[0])


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.vtao")), ids=lambda path: path.stem)
def test_vectors(path):
    data = path.read_bytes()
    if not path.with_suffix(".out").exists():
        error = translate(data, "--binary-to-vta", code=1)
        assert re.match(r"<stdin>:0:0: error: ", error)
        # But for what is nowhere.
        assert ("offset " in error) == ("missing_finish" not in path.stem)
        return
    check_round_trip(data)


def make_any_instruction(config, rng):
    """Fields have any value, but what leads outside of memory; no tokens."""
    opcode = int(rng.choice([LOAD, STORE, GEMM, ALU]))
    instruction = {name: int(rng.integers(0, 1 << width, dtype=np.uint64))
                   for name, width in vta_model.fields(config, opcode)[5:]}
    instruction["opcode"] = opcode
    if opcode in (LOAD, STORE):
        memory = int(rng.choice([0, 1, 2, 3, 5])) if opcode == LOAD else 4
        size = config.element_bytes(memory)
        room = 8192 // size
        instruction.update(memory=memory, dram=-(-4096 // size) + int(rng.integers(0, room // 4)),
                           y_size=int(rng.integers(0, 3)), x_size=int(rng.integers(0, 3)),
                           x_stride=int(rng.integers(0, room // 8)))
        if opcode == STORE or memory == 1:
            instruction.update(y_pad_0=0, y_pad_1=0, x_pad_0=0, x_pad_1=0)
        pads = (32 + 2) ** 2
        instruction["sram"] = int(rng.integers(0, max(1, config.depth(memory) - pads)))
    else:
        if opcode == ALU:
            instruction["alu"] = int(rng.integers(0, 5))
        # Micro-ops are not known, but how many there can be is, and that their indices are 0 or
        # more: either none runs, or steps go nowhere.
        instruction["uop_end"] = min(instruction["uop_end"], config.depth(0))
        case = int(rng.integers(0, 4))
        if case == 0:
            instruction[str(rng.choice(["iter_out", "iter_in"]))] = 0
        elif case == 1:
            instruction["uop_end"] = min(instruction["uop_end"], instruction["uop_begin"])
        elif case == 2:
            instruction.update(iter_out=1, iter_in=1)
        else:
            instruction.update({name: 0 for name in instruction
                                if name[:4] in ("dst_", "src_", "wgt_")})
    return instruction


@pytest.mark.parametrize("name", ["1x16", "4x8", "1x16-tiny", "1x8"])
def test_any_instructions(name):
    """Every value of every field is kept, also of those that hardware ignores."""
    config = random_programs.CONFIGS[name]
    rng = np.random.default_rng(5)
    depth = min(config.depth(memory) for memory in (INP, 3))
    instructions: list[dict[str, int]] = []
    while len(instructions) < 1000:
        instruction = make_any_instruction(config, rng)
        if instruction["opcode"] == LOAD and depth < 2048:
            instruction.update(y_pad_0=0, y_pad_1=0)
        instructions.append(instruction)
    # Nothing is loaded into the scratchpad of micro-ops, whose indices would be checked.
    instructions = [insn for insn in instructions
                    if insn["opcode"] != LOAD or insn["memory"] != 0 or not insn["x_size"]]
    stream = [vta_model.encode(config, insn) for insn in [*instructions, {"opcode": FINISH}]]
    image = rng.integers(0, 256, 8192, np.uint8)
    check_round_trip(vta_model.write_program(config, 4096, image, stream))


def test_tokens_of_later_instructions():
    """A stage may wait for what stands further down in the stream."""
    config = Config()
    stream = [{**vta_model.sync(0), "pop_next": 1, "push_next": 1},
              {**vta_model.sync(1), "push_prev": 1}, {**vta_model.sync(1), "push_prev": 1},
              {**vta_model.sync(0), "pop_next": 1}, {"opcode": FINISH, "pop_prev": 1}]
    text = check_round_trip(vta_model.write_program(
        config, 4096, bytes(4096), [vta_model.encode(config, insn) for insn in stream]))
    waits = re.findall(r"(?:vta\.\w+.*)?wait\((%\w+) :", text)
    gives = re.findall(r"(%\w+) = vta", text)
    # The first of two tokens is for the first that waits.
    assert waits == [gives[1], gives[2], gives[0]]


FIRST = 80 + 4096


@pytest.mark.parametrize("change,message", [
    ({"opcode": 6}, "instruction 0: opcode: expects opcode 0 (LOAD)"),
    ({"opcode": ALU, "alu": 5}, "alu_opcode: expects ALU opcode"),
    ({"opcode": LOAD, "memory": 6, "x_size": 1}, "memory_id: expects memory 0 (uop)"),
    ({"opcode": LOAD, "memory": 6, "x_size": 0}, "memory_id: expects memory 0, 1, 2, 3 or 5"),
    ({"opcode": STORE, "memory": 4, "x_size": 0, "x_pad_1": 1}, "expects a STORE without padding"),
    ({"opcode": STORE, "memory": 2, "x_size": 0, "sram": 1}, "memory_id: expects memory 4"),
    ({"opcode": LOAD, "memory": 2, "pop_prev": 1}, "pop_prev_dep: expects no pop_prev_dep"),
    ({"opcode": LOAD, "memory": 2, "pop_next": 1}, "pop_next_dep: expects a token"),
    ({"opcode": LOAD, "memory": 2, "push_next": 1}, "expects one operation that waits"),
    ({"opcode": LOAD, "memory": 2, "dram": 256, "y_size": 1, "x_size": 2, "sram": 2047},
     "sram_base: expects elements of inp to end at 2048, but got 2047 + 2"),
])
def test_refused(change, message):
    config = Config()
    if change["opcode"] == 6:
        first = bytes([6]) + bytes(15)
    else:
        first = vta_model.encode(config, change)
    data = vta_model.write_program(config, 4096, bytes(4096),
                                   [first, vta_model.encode(config, {"opcode": FINISH})])
    error = translate(data, "--binary-to-vta", code=1)
    assert error.startswith(f"<stdin>:0:0: error: offset {FIRST}, instruction 0: ")
    assert message in error


@pytest.mark.parametrize("bit", [63, 58, 7, 100])
def test_reserved_bits(bit):
    config = Config()
    value = 1 << bit | (FINISH if bit in (7, 100) else LOAD)
    stream = [value.to_bytes(16, "little"), vta_model.encode(config, {"opcode": FINISH})]
    data = vta_model.write_program(config, 4096, bytes(4096), stream)
    error = translate(data, "--binary-to-vta", code=1)
    assert f"offset {FIRST}, instruction 0: reserved: expects zeros" in error


def test_micro_ops_with_other_bits():
    """Words that are no micro-op of this configuration stay in the image."""
    config = random_programs.CONFIGS["1x16-tiny"]
    image = bytearray(4096)
    image[:8] = struct.pack("<II", 0xffffffff, 3)
    stream = [{"opcode": LOAD, "memory": 0, "dram": 1024, "y_size": 1, "x_size": 2, "x_stride": 2},
              {"opcode": FINISH}]
    text = check_round_trip(vta_model.write_program(
        config, 4096, image, [vta_model.encode(config, insn) for insn in stream]))
    assert "micro_ops" not in text


def test_micro_ops_that_are_written():
    """A load of what a STORE may write has no micro-ops, wherever among others that STORE is."""
    config = Config()
    out, uop = config.element_bytes(4), config.element_bytes(0)
    # In no order, one inside of another: bytes 4096 to 5120, and 6144 to 6160.
    places = [(6144, 1), (4096, 64), (4112, 2)]
    loads = [(5104, False), (5120, True), (6140, True), (6156, False), (6160, True)]
    stream = [{"opcode": LOAD, "memory": 0, "sram": 0, "dram": begin // uop, "y_size": 1,
               "x_size": 1, "x_stride": 1} for begin, _ in loads]
    stream += [{"opcode": STORE, "memory": 4, "sram": 0, "dram": begin // out, "y_size": 1,
                "x_size": count, "x_stride": count} for begin, count in places]
    text = check_round_trip(vta_model.write_program(
        config, 4096, bytes(4096), [vta_model.encode(config, insn)
                                    for insn in [*stream, {"opcode": FINISH}]]))
    found = ["micro_ops" in line for line in text.splitlines() if "vta.load uop" in line]
    assert found == [is_known for _, is_known in loads]
