# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of VTA that are correct: indices are in range, stages are in order."""

import numpy as np

from vta_model import (ACC, ACC8, ADD, ALU, GEMM, INP, LOAD, MAX, MIN, MUL, OUT, SHR, STORE, UOP,
                       WGT, Config, Machine, add_tokens, encode, encode_uop, write_program)

CONFIGS = {
    "1x16": Config(),
    "4x8": Config(batch=2, block=3, inp_buffer=16, wgt_buffer=16, acc_buffer=18),
    "2x16": Config(batch=1, inp_buffer=16, acc_buffer=18),
    "1x8": Config(block=3, inp_buffer=14, wgt_buffer=16, acc_buffer=16),
    "1x16-int32": Config(inp_width=5, wgt_width=5, inp_buffer=17, wgt_buffer=20),
    # The fields of loops begin before bit 64.
    "1x16-tiny": Config(uop_buffer=12, inp_buffer=11, wgt_buffer=15, acc_buffer=13),
    # Micro-ops whose src is wider than an index of inp.
    "1x16-shallow": Config(inp_buffer=12, wgt_buffer=16),
    "4x4-int16": Config(inp_width=4, wgt_width=4, batch=2, block=2, inp_buffer=13, wgt_buffer=12,
                        acc_buffer=13),
    "2x8-narrow": Config(inp_width=2, wgt_width=1, acc_width=4, batch=1, block=3, uop_buffer=10,
                         inp_buffer=9, wgt_buffer=10, acc_buffer=11),
    "1x32": Config(block=5, uop_buffer=13, inp_buffer=14, wgt_buffer=16, acc_buffer=15),
    "1x1": Config(batch=0, block=0, uop_buffer=8, inp_buffer=8, wgt_buffer=8, acc_buffer=10),
}
PAGE = 4096


class Writer:
    """Adds instructions, and puts what they load into memory."""

    def __init__(self, config, rng, pages=12):
        self.config, self.rng = config, rng
        self.base = PAGE * int(rng.choice([1, 16, 291, 1024]))
        self.image = rng.integers(0, 256, pages * PAGE, np.uint8)
        # The upper part is for micro-ops, the last half of the rest for results.
        self.uops_at = (pages - 2) * PAGE
        self.out_at = (pages - 2) // 2 * PAGE
        self.instructions = []

    def between(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def address(self, memory, low, high, elements):
        """An element of memory with `elements` from there on inside of two offsets."""
        size = self.config.element_bytes(memory)
        first = -(-(self.base + low) // size)
        return self.between(first, (self.base + high) // size - elements)

    def rows(self, memory, low, high, max_pad):
        """Rows that fit in a scratchpad and in a part of memory."""
        size = self.config.element_bytes(memory)
        room = min((high - low) // size - 2, self.config.depth(memory))
        pads = [self.between(0, max_pad) if self.rng.random() < 0.3 else 0 for _ in range(4)]
        while True:
            y, x = self.between(1, 5), self.between(1, max(1, min(12, room // 2)))
            count = (y + pads[0] + pads[1]) * (x + pads[2] + pads[3])
            stride = x + self.between(0, 3)
            if count <= self.config.depth(memory) and (y - 1) * stride + x < room:
                break
            pads = [0] * 4
        return {"memory": memory, "y_size": y, "x_size": x, "x_stride": stride,
                "y_pad_0": pads[0], "y_pad_1": pads[1], "x_pad_0": pads[2], "x_pad_1": pads[3],
                "sram": self.place(memory, count),
                "dram": self.address(memory, low, high, (y - 1) * stride + x)}

    def place(self, memory, count):
        """Often at one of the ends of a scratchpad."""
        last = min(self.config.depth(memory) - count, 65535)
        return int(self.rng.choice([0, last, self.between(0, last)]))

    def load(self, memory):
        self.instructions.append(
            {"opcode": LOAD, **self.rows(memory, 0, self.out_at, 15 if memory != WGT else 2)})

    def store(self):
        rows = self.rows(OUT, self.out_at, self.uops_at, 0)
        self.instructions.append({"opcode": STORE, **rows})

    def compute(self, opcode, shifts, **more):
        """A GEMM or ALU with micro-ops of its own."""
        config = self.config
        memories = ((ACC, INP, WGT) if opcode == GEMM else (ACC, ACC))
        count = self.between(1, min(8, config.depth(UOP)))
        instruction = {"opcode": opcode, "iter_out": self.between(1, 4),
                       "iter_in": self.between(1, 4), **more}
        limits = []
        for memory, name in zip(memories, ("dst", "src", "wgt")):
            depth = config.depth(memory)
            steps = [self.between(0, min(6, (depth - 1) // 8)) for _ in range(2)]
            instruction[name + "_out"], instruction[name + "_in"] = steps
            reach = ((instruction["iter_out"] - 1) * steps[0] +
                     (instruction["iter_in"] - 1) * steps[1])
            limits.append(depth - 1 - reach)
        if min(limits) < 0:
            return
        uops = [[int(self.rng.choice([0, limit, self.between(0, limit)])) for limit in limits]
                for _ in range(count)]
        words = [encode_uop(config, *uop, *[0] * (3 - len(uop))) for uop in uops]
        if not shifts:
            self.load_uops(words, instruction)
            self.instructions.append(instruction)
            return
        # Amounts in registers must be small: they are made so first.
        for extra in ({"alu": MAX, "imm": 0}, {"alu": MIN, "imm": 15}):
            first = dict(instruction, **extra, use_imm=1)
            for axis in ("out", "in"):
                first["dst_" + axis] = first["src_" + axis]
            self.load_uops([encode_uop(config, uop[1], uop[1], 0) for uop in uops], first)
            self.instructions.append(first)
        # And no amount may be the result of another one.
        instruction.update(iter_out=1, iter_in=1)
        uops = [uop for uop in uops if uop[0] not in [other[1] for other in uops]]
        if uops:
            self.load_uops([encode_uop(config, uop[0], uop[1], 0) for uop in uops], instruction)
            self.instructions.append(instruction)

    def load_uops(self, words, instruction):
        if self.uops_at + 4 * len(words) > len(self.image):
            self.uops_at = len(self.image) - 2 * PAGE
            raise Full
        self.image[self.uops_at:self.uops_at + 4 * len(words)] = np.frombuffer(
            np.array(words, "<u4").tobytes(), np.uint8)
        begin = self.place(UOP, len(words))
        self.instructions.append({
            "opcode": LOAD, "memory": UOP, "sram": begin, "y_size": 1, "x_size": len(words),
            "x_stride": len(words), "dram": (self.base + self.uops_at) // 4})
        self.uops_at += 4 * len(words)
        instruction.update(uop_begin=begin, uop_end=begin + len(words))

    def step(self):
        kind = self.rng.integers(0, 10)
        if kind < 3:
            self.load((INP, WGT, ACC)[kind])
        elif kind == 3 and self.config.inp_width == 3 and self.config.acc_width == 5:
            self.load(ACC8)
        elif kind < 6:
            self.compute(GEMM, shifts=False, reset=int(self.rng.random() < 0.2))
        elif kind < 8:
            alu = int(self.rng.choice([MIN, MAX, ADD, SHR, MUL]))
            imm = self.between(-16, 15) if alu == SHR else self.between(-32768, 32767)
            self.compute(ALU, shifts=False, alu=alu, use_imm=1, imm=imm)
        elif kind == 8:
            alu = int(self.rng.choice([MIN, MAX, ADD, SHR, MUL]))
            self.compute(ALU, shifts=alu == SHR, alu=alu, use_imm=0, imm=0)
        else:
            self.store()


class Full(Exception):
    """There is no more room for micro-ops."""


def make_program(config, seed, length=20):
    """Returns the file of a program, memory after it, and what it counts."""
    rng = np.random.default_rng(seed)
    writer = Writer(config, rng)
    for memory in (INP, WGT, ACC):
        writer.load(memory)
    try:
        while len(writer.instructions) < length:
            writer.step()
    except Full:
        pass
    writer.store()
    # Results that a later load of the program reads would have to be ordered; loads end
    # before them.
    instructions = add_tokens(writer.instructions)
    machine = Machine(config, writer.base, writer.image)
    for instruction in instructions:
        machine.run(instruction)
    data = write_program(config, writer.base, writer.image,
                         [encode(config, instruction) for instruction in instructions])
    return data, bytes(machine.image), machine.counts
