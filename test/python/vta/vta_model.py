# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""VTA in NumPy: its binary form, what its instructions compute, and random programs.

Written from the specification alone, so that the simulators have something to be
compared with. Instructions are dictionaries of the fields of the binary."""

import dataclasses
import struct

import numpy as np

UOP, WGT, INP, ACC, OUT, ACC8 = range(6)
LOAD, STORE, GEMM, FINISH, ALU = range(5)
MIN, MAX, ADD, SHR, MUL = range(5)
STAGES = ("load", "compute", "store")


@dataclasses.dataclass(frozen=True)
class Config:
    """Logarithms, in the order of the file."""
    inp_width: int = 3
    wgt_width: int = 3
    acc_width: int = 5
    batch: int = 0
    block: int = 4
    uop_buffer: int = 15
    inp_buffer: int = 15
    wgt_buffer: int = 18
    acc_buffer: int = 17
    bus: int = 6

    def width(self, memory):
        return {UOP: 5, WGT: self.wgt_width, INP: self.inp_width, ACC: self.acc_width,
                OUT: self.inp_width, ACC8: 3}[memory]

    def lanes(self, memory):
        rows = {UOP: 0, WGT: self.block}.get(memory, self.batch)
        return 1 << (rows + (0 if memory == UOP else self.block))

    def element_bytes(self, memory):
        return (self.lanes(memory) << self.width(memory)) // 8

    def log_depth(self, memory):
        buffer = {UOP: self.uop_buffer, WGT: self.wgt_buffer,
                  INP: self.inp_buffer}.get(memory, self.acc_buffer)
        element = self.element_bytes(ACC if memory in (OUT, ACC8) else memory)
        return buffer - element.bit_length() + 1

    def depth(self, memory):
        return 1 << self.log_depth(memory)


def fields(config, opcode):
    """Names and widths from the lowest bit on; a field does not cross bit 64."""
    names = [("opcode", 3), ("pop_prev", 1), ("pop_next", 1), ("push_prev", 1), ("push_next", 1)]
    if opcode in (LOAD, STORE):
        return [*names, ("memory", 3), ("sram", 16), ("dram", 32), ("y_size", 16), ("x_size", 16),
                ("x_stride", 16), ("y_pad_0", 4), ("y_pad_1", 4), ("x_pad_0", 4), ("x_pad_1", 4)]
    if opcode == FINISH:
        return names
    uop, acc = config.log_depth(UOP), config.log_depth(ACC)
    src = config.log_depth(INP) if opcode == GEMM else acc
    names += [("reset", 1), ("uop_begin", uop), ("uop_end", uop + 1), ("iter_out", 14),
              ("iter_in", 14), ("dst_out", acc), ("dst_in", acc), ("src_out", src),
              ("src_in", src)]
    if opcode == GEMM:
        wgt = config.log_depth(WGT)
        return [*names, ("wgt_out", wgt), ("wgt_in", wgt)]
    return [*names, ("alu", 3), ("use_imm", 1), ("imm", 16)]


def encode(config, instruction):
    value, position = 0, 0
    for name, width in fields(config, instruction["opcode"]):
        if position < 64 < position + width:
            position = 64
        field = instruction.get(name, 0) & ((1 << 16) - 1 if name == "imm" else -1)
        assert 0 <= field < 1 << width, (name, field, width)
        value |= field << position
        position += width
    assert position <= 128
    return value.to_bytes(16, "little")


def uop_widths(config):
    acc, inp = config.log_depth(ACC), config.log_depth(INP)
    return acc, max(acc, inp), config.log_depth(WGT)


def encode_uop(config, dst, src, wgt):
    widths = uop_widths(config)
    return dst | src << widths[0] | wgt << (widths[0] + widths[1])


def decode_uop(config, word):
    result = []
    for width in uop_widths(config):
        result.append(word & ((1 << width) - 1))
        word >>= width
    return result


def write_program(config, dram_base, image, instructions, stream_address=0):
    """The file; instructions are bytes."""
    stream = b"".join(instructions)
    image = bytearray(image)
    if stream_address:
        begin = stream_address - dram_base
        image[begin:begin + len(stream)] = stream
    return struct.pack("<4sI10IQQQII", b"VTAO", 1, *dataclasses.astuple(config), dram_base,
                       len(image), stream_address, len(instructions), 0) + bytes(image) + (
                           b"" if stream_address else stream)


def to_lanes(data, width):
    """Signed lanes of bytes; those narrower than a byte from the lowest bit on."""
    if width >= 3:
        return np.frombuffer(data, f"<i{1 << (width - 3)}").astype(np.int64)
    bits = 1 << width
    values = np.frombuffer(data, np.uint8)[:, None] >> np.arange(0, 8, bits) & ((1 << bits) - 1)
    values = values.reshape(-1).astype(np.int64)
    return values - ((values >> (bits - 1)) << bits)


def from_lanes(lanes, width):
    if width >= 3:
        size = 1 << (width - 3)
        return (lanes & ((1 << 8 * size) - 1)).astype(f"<u{size}").tobytes()
    bits = 1 << width
    values = (lanes & ((1 << bits) - 1)).reshape(-1, 8 // bits) << np.arange(0, 8, bits)
    return values.sum(1).astype(np.uint8).tobytes()


def wrap(values, width):
    """The low 2^width bits with their sign."""
    bits = 1 << width
    values = values & ((1 << bits) - 1)
    return values - ((values >> (bits - 1)) << bits)


class Machine:
    """Runs instructions one after the other."""

    def __init__(self, config, dram_base, image):
        self.config, self.dram_base, self.image = config, dram_base, bytearray(image)
        self.memory = {memory: np.zeros((config.depth(memory), config.lanes(memory)), np.int64)
                       for memory in (UOP, WGT, INP, ACC)}
        self.counts = {"inp_load_nbytes": 0, "wgt_load_nbytes": 0, "acc_load_nbytes": 0,
                       "uop_load_nbytes": 0, "out_store_nbytes": 0, "gemm_counter": 0,
                       "alu_counter": 0}

    def run(self, instruction):
        {LOAD: self.load, STORE: self.store, GEMM: self.compute, ALU: self.compute,
         FINISH: lambda _: None}[instruction["opcode"]](instruction)

    def load(self, i):
        if not i["x_size"]:
            return
        kind = i["memory"]
        memory = ACC if kind == ACC8 else kind
        rows = np.zeros((i["y_size"], i["x_size"], self.config.lanes(kind)), np.int64)
        size = self.config.element_bytes(kind)
        for y in range(i["y_size"]):
            begin = (i["dram"] + y * i["x_stride"]) * size - self.dram_base
            assert 0 <= begin <= len(self.image) - i["x_size"] * size
            data = bytes(self.image[begin:begin + i["x_size"] * size])
            rows[y] = to_lanes(data, self.config.width(kind)).reshape(i["x_size"], -1)
        rows = np.pad(rows, ((i.get("y_pad_0", 0), i.get("y_pad_1", 0)),
                             (i.get("x_pad_0", 0), i.get("x_pad_1", 0)), (0, 0)))
        rows = rows.reshape(-1, rows.shape[-1])
        self.memory[memory][i["sram"]:i["sram"] + len(rows)] = rows
        name = {UOP: "uop", WGT: "wgt", INP: "inp", ACC: "acc"}[memory] + "_load_nbytes"
        self.counts[name] += i["y_size"] * i["x_size"] * self.config.element_bytes(memory)

    def store(self, i):
        if not i["x_size"]:
            return
        size = self.config.element_bytes(OUT)
        for y in range(i["y_size"]):
            begin = (i["dram"] + y * i["x_stride"]) * size - self.dram_base
            first = i["sram"] + y * i["x_size"]
            data = from_lanes(self.memory[ACC][first:first + i["x_size"]],
                              self.config.width(OUT))
            assert 0 <= begin <= len(self.image) - len(data)
            self.image[begin:begin + len(data)] = data
            self.counts["out_store_nbytes"] += len(data)

    def compute(self, i):
        acc, config = self.memory[ACC], self.config
        block, batch = 1 << config.block, 1 << config.batch
        uops = [decode_uop(config, int(word) & 0xffffffff)
                for word in self.memory[UOP][i["uop_begin"]:i["uop_end"], 0]]
        count = i["iter_out"] * i["iter_in"] * len(uops)
        if i["opcode"] == ALU:
            self.counts["alu_counter"] += count
        elif not i.get("reset"):
            self.counts["gemm_counter"] += count
        for o in range(i["iter_out"]):
            for n in range(i["iter_in"]):
                for uop in uops:
                    dst, src, wgt = (index + o * i.get(name + "_out", 0) + n * i.get(name + "_in", 0)
                                     for index, name in zip(uop, ("dst", "src", "wgt")))
                    if i["opcode"] == ALU:
                        acc[dst] = self.alu(i, acc[dst], acc[src])
                    elif i.get("reset"):
                        acc[dst] = 0
                    else:
                        # Products of 32 bits, of which 64 are not enough for the sum.
                        inp = self.memory[INP][src].reshape(batch, block).astype(object)
                        weights = self.memory[WGT][wgt].reshape(block, block).astype(object)
                        total = acc[dst].astype(object) + (inp @ weights.T).reshape(-1)
                        mask = (1 << 32) - 1
                        acc[dst] = wrap((total & mask).astype(np.int64), config.acc_width)

    def alu(self, i, a, source):
        b = np.full_like(a, i["imm"]) if i.get("use_imm") else source
        if i["alu"] == MIN:
            result = np.minimum(a, b)
        elif i["alu"] == MAX:
            result = np.maximum(a, b)
        elif i["alu"] == ADD:
            result = a + b
        elif i["alu"] == MUL:
            result = (a.astype(object) * b.astype(object) & 0xffffffff).astype(np.int64)
        else:
            result = np.where(b >= 0, a >> np.maximum(b, 0), a << np.maximum(-b, 0))
        return wrap(result, self.config.acc_width)


def stage_of(instruction):
    if instruction["opcode"] == STORE:
        return 2
    return 0 if instruction["opcode"] == LOAD and instruction["memory"] in (INP, WGT) else 1


def sync(stage):
    return {"opcode": STORE if stage == 2 else LOAD,
            "memory": {0: INP, 1: UOP, 2: UOP}[stage], "x_size": 0}


def add_tokens(instructions):
    """Makes each stage wait for the one that runs before it, as one program would."""
    result: list[dict] = []
    for instruction in [*instructions, {"opcode": FINISH}]:
        instruction = dict(instruction)
        if result:
            before, after = stage_of(result[-1]), stage_of(instruction)
            if {before, after} == {0, 2}:
                # There is no queue between load and store.
                result.append(sync(1))
                _connect(result[-2], before, result[-1], 1)
                before = 1
            _connect(result[-1], before, instruction, after)
        result.append(instruction)
    return result


def _connect(first, before, second, after):
    if before < after:
        first["push_next"] = second["pop_prev"] = 1
    elif before > after:
        first["push_prev"] = second["pop_next"] = 1
