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

// `visitFields` and `visitUopFields` call `visit(name, width, field)` for the
// fields that an instruction of this opcode has, and those of a micro-op, from
// the lowest bit on.
#define GET_VTA_FIELDS
#include "relay-mlir/Runtime/VTA/InstructionSet.inc"

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

/// Whether `value` fits into a field.
static std::optional<Fault> checkField(const char *name, unsigned width,
                                       uint64_t value) {
  if (value <= getMask(width))
    return std::nullopt;
  return Fault{ErrorKind::None, name,
               std::string("expects ") + name + " of at most " +
                   std::to_string(getMask(width)) + " (" +
                   std::to_string(width) + " bits), but got " +
                   std::to_string(value)};
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

static unsigned getUopWidth(const Config &config) {
  unsigned total = 0;
  const Uop uop;
  visitUopFields(config, uop,
                 [&](const char *, unsigned width, auto) { total += width; });
  return total;
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
  if (unsigned width = getUopWidth(config); width > 32)
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
        if (std::optional<Fault> found = checkField(name, width, value)) {
          if (!fault)
            fault = std::move(found);
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

std::optional<Fault> relay_vta::encodeUop(const Config &config, const Uop &uop,
                                          uint32_t &word) {
  std::optional<Fault> fault;
  uint64_t result = 0;
  unsigned offset = 0;
  visitUopFields(config, uop,
                 [&](const char *name, unsigned width, uint32_t field) {
                   if (!fault)
                     fault = checkField(name, width, field);
                   result |= (field & getMask(width)) << offset;
                   offset += width;
                 });
  if (!fault)
    word = static_cast<uint32_t>(result);
  return fault;
}

Uop relay_vta::decodeUop(const Config &config, uint32_t word) {
  uint64_t rest = word;
  Uop uop;
  visitUopFields(config, uop, [&](const char *, unsigned width, auto &field) {
    field = static_cast<uint32_t>(rest & getMask(width));
    rest >>= width;
  });
  return uop;
}
