//===- Encoding.cpp - Bits of instructions and micro-ops ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/Instruction.h"

#include <algorithm>
#include <type_traits>

using namespace relay_vta;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// Calls `visit(name, width, field)` for the fields of the opcode that
/// `instruction` has, from the lowest bit on. This is the one place that knows
/// their order and widths.
template <typename Insn, typename VisitFn>
static void visitFields(const Config &config, Insn &instruction,
                        VisitFn visit) {
  visit("opcode", 3, instruction.opcode);
  visit("pop_prev_dep", 1, instruction.popPrev);
  visit("pop_next_dep", 1, instruction.popNext);
  visit("push_prev_dep", 1, instruction.pushPrev);
  visit("push_next_dep", 1, instruction.pushNext);
  if (instruction.isMemory()) {
    visit("memory_id", 3, instruction.memory);
    visit("sram_base", 16, instruction.sramBase);
    visit("dram_base", 32, instruction.dramBase);
    visit("y_size", 16, instruction.ySize);
    visit("x_size", 16, instruction.xSize);
    visit("x_stride", 16, instruction.xStride);
    visit("y_pad_0", 4, instruction.yPad0);
    visit("y_pad_1", 4, instruction.yPad1);
    visit("x_pad_0", 4, instruction.xPad0);
    visit("x_pad_1", 4, instruction.xPad1);
    return;
  }
  if (!instruction.isCompute())
    return;
  bool isGemm = instruction.is(Opcode::Gemm);
  unsigned uop = config.getLogDepth(Memory::Uop);
  unsigned acc = config.getLogDepth(Memory::Acc);
  unsigned src = isGemm ? config.getLogDepth(Memory::Inp) : acc;
  visit("reset", 1, instruction.reset);
  visit("uop_bgn", uop, instruction.uopBegin);
  visit("uop_end", uop + 1, instruction.uopEnd);
  visit("iter_out", 14, instruction.iterOut);
  visit("iter_in", 14, instruction.iterIn);
  visit("dst_factor_out", acc, instruction.dstOut);
  visit("dst_factor_in", acc, instruction.dstIn);
  visit("src_factor_out", src, instruction.srcOut);
  visit("src_factor_in", src, instruction.srcIn);
  if (isGemm) {
    unsigned wgt = config.getLogDepth(Memory::Wgt);
    visit("wgt_factor_out", wgt, instruction.wgtOut);
    visit("wgt_factor_in", wgt, instruction.wgtIn);
    return;
  }
  visit("alu_opcode", 3, instruction.aluOpcode);
  visit("use_imm", 1, instruction.useImm);
  visit("imm", 16, instruction.imm);
}

namespace {

/// Where the next field lies: one that would cross the middle starts there.
struct Packer {
  unsigned place(unsigned width) {
    if (next < 64 && next + width > 64)
      next = 64;
    unsigned offset = next;
    next += width;
    return offset;
  }
  unsigned next = 0;
};

} // namespace

static uint64_t getMask(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

std::vector<FieldLayout> relay_vta::getFields(const Config &config,
                                              Opcode opcode) {
  std::vector<FieldLayout> fields;
  Instruction instruction;
  instruction.opcode = static_cast<uint8_t>(opcode);
  Packer packer;
  visitFields(config, instruction,
              [&](const char *name, unsigned width, auto &) {
                fields.push_back({name, packer.place(width), width});
              });
  return fields;
}

std::string relay_vta::checkEncoding(const Config &config) {
  for (Opcode opcode : {Opcode::Gemm, Opcode::Alu}) {
    FieldLayout last = getFields(config, opcode).back();
    if (last.offset + last.width > 128)
      return std::string("expects scratchpads for which the fields of ") +
             getOpcodeName(static_cast<unsigned>(opcode)) +
             " take 128 bits, but got " +
             std::to_string(last.offset + last.width);
  }
  std::array<unsigned, 3> widths = getUopWidths(config);
  if (unsigned width = widths[0] + widths[1] + widths[2]; width > 32)
    return "expects scratchpads for which the fields of a micro-op take 32 "
           "bits, but got " +
           std::to_string(width);
  return "";
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

std::optional<Fault> relay_vta::encode(const Config &config,
                                       const Instruction &instruction,
                                       InstructionWords &words) {
  std::optional<Fault> fault;
  words = {0, 0};
  Packer packer;
  visitFields(
      config, instruction, [&](const char *name, unsigned width, auto &field) {
        using Field = std::decay_t<decltype(field)>;
        uint64_t value = 0;
        if constexpr (std::is_signed_v<Field>)
          value = static_cast<std::make_unsigned_t<Field>>(field);
        else
          value = field;
        unsigned offset = packer.place(width);
        if (value > getMask(width)) {
          if (!fault)
            fault = Fault{ErrorKind::None, name,
                          std::string("expects ") + name + " of at most " +
                              std::to_string(getMask(width)) + " (" +
                              std::to_string(width) + " bits), but got " +
                              std::to_string(value)};
          return;
        }
        // One of no bits may lie behind the last one.
        if (width != 0)
          words[offset / 64] |= value << (offset % 64);
      });
  return fault;
}

/// The instruction, and in `rest` the bits that no field has taken.
static Instruction decodeFields(const Config &config,
                                const InstructionWords &words,
                                InstructionWords &rest) {
  Instruction instruction;
  instruction.opcode = words[0] & 7;
  rest = words;
  Packer packer;
  visitFields(config, instruction,
              [&](const char *, unsigned width, auto &field) {
                unsigned offset = packer.place(width);
                if (width == 0) {
                  field = 0;
                  return;
                }
                uint64_t mask = getMask(width);
                field = static_cast<std::decay_t<decltype(field)>>(
                    words[offset / 64] >> (offset % 64) & mask);
                rest[offset / 64] &= ~(mask << (offset % 64));
              });
  return instruction;
}

Instruction relay_vta::decode(const Config &config,
                              const InstructionWords &words) {
  InstructionWords rest;
  return decodeFields(config, words, rest);
}

bool relay_vta::hasReservedBits(const Config &config,
                                const InstructionWords &words) {
  InstructionWords rest;
  decodeFields(config, words, rest);
  return rest[0] || rest[1];
}

InstructionWords relay_vta::readWords(const uint8_t *bytes) {
  InstructionWords words = {0, 0};
  for (unsigned i = 0; i < kInstructionBytes; ++i)
    words[i / 8] |= uint64_t(bytes[i]) << (i % 8 * 8);
  return words;
}

void relay_vta::writeWords(const InstructionWords &words, uint8_t *bytes) {
  for (unsigned i = 0; i < kInstructionBytes; ++i)
    bytes[i] = static_cast<uint8_t>(words[i / 8] >> (i % 8 * 8));
}

//===----------------------------------------------------------------------===//
// Micro-ops
//===----------------------------------------------------------------------===//

std::array<unsigned, 3> relay_vta::getUopWidths(const Config &config) {
  unsigned acc = config.getLogDepth(Memory::Acc);
  unsigned inp = config.getLogDepth(Memory::Inp);
  // An ALU reads src as an index of acc.
  return {acc, std::max(acc, inp), config.getLogDepth(Memory::Wgt)};
}

std::optional<Fault> relay_vta::encodeUop(const Config &config, const Uop &uop,
                                          uint32_t &word) {
  static const char *const names[] = {"dst", "src", "wgt"};
  std::array<unsigned, 3> widths = getUopWidths(config);
  uint32_t values[] = {uop.dst, uop.src, uop.wgt};
  uint64_t result = 0;
  unsigned offset = 0;
  for (unsigned i = 0; i < 3; ++i) {
    if (values[i] > getMask(widths[i]))
      return Fault{ErrorKind::None, names[i],
                   std::string("expects ") + names[i] + " of at most " +
                       std::to_string(getMask(widths[i])) + " (" +
                       std::to_string(widths[i]) + " bits), but got " +
                       std::to_string(values[i])};
    result |= uint64_t(values[i]) << offset;
    offset += widths[i];
  }
  word = static_cast<uint32_t>(result);
  return std::nullopt;
}

Uop relay_vta::decodeUop(const Config &config, uint32_t word) {
  std::array<unsigned, 3> widths = getUopWidths(config);
  uint64_t rest = word;
  auto take = [&](unsigned width) {
    auto value = static_cast<uint32_t>(rest & getMask(width));
    rest >>= width;
    return value;
  };
  Uop uop;
  uop.dst = take(widths[0]);
  uop.src = take(widths[1]);
  uop.wgt = take(widths[2]);
  return uop;
}
