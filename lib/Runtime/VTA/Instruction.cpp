//===- Instruction.cpp - What can be said of an instruction ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/Instruction.h"

using namespace relay_vta;

const char *relay_vta::getOpcodeName(unsigned opcode) {
  return opcode < kNumOpcodes ? kOpcodeNames[opcode] : nullptr;
}

const char *relay_vta::getAluOpcodeName(unsigned opcode) {
  return opcode < kNumAluOpcodes ? kAluOpcodeNames[opcode] : nullptr;
}

const char *relay_vta::getStageName(Stage stage) {
  static const char *const names[] = {"load", "compute", "store"};
  return names[static_cast<unsigned>(stage)];
}

const char *relay_vta::getErrorKindName(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::None:
    return "none";
  case ErrorKind::Deadlock:
    return "deadlock";
  case ErrorKind::MissingFinish:
    return "missing_finish";
  case ErrorKind::BadOpcode:
    return "bad_opcode";
  case ErrorKind::BadAluOpcode:
    return "bad_alu_opcode";
  case ErrorKind::BadMemoryId:
    return "bad_memory_id";
  case ErrorKind::ScratchpadOverflow:
    return "scratchpad_overflow";
  case ErrorKind::DramOutOfRange:
    return "dram_out_of_range";
  case ErrorKind::StoreWithPads:
    return "store_with_pads";
  case ErrorKind::IllegalDependencyFlag:
    return "illegal_dependency_flag";
  case ErrorKind::TokensLeft:
    return "tokens_left";
  case ErrorKind::NotPortable:
    return "not_portable";
  case ErrorKind::Race:
    return "race";
  case ErrorKind::Limit:
    return "limit";
  case ErrorKind::Memory:
    return "memory";
  }
  return "none";
}

Stage Instruction::getStage() const {
  if (is(Opcode::Store))
    return Stage::Store;
  bool isInput = memory == static_cast<uint8_t>(Memory::Inp) ||
                 memory == static_cast<uint8_t>(Memory::Wgt);
  return is(Opcode::Load) && isInput ? Stage::Load : Stage::Compute;
}

uint64_t Instruction::getNumElements() const {
  if (isNoOp())
    return 0;
  if (is(Opcode::Store))
    return uint64_t(ySize) * xSize;
  return (uint64_t(yPad0) + ySize + yPad1) * (uint64_t(xPad0) + xSize + xPad1);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Fault makeFault(ErrorKind kind, const char *field,
                       const std::string &message) {
  return {kind, field, message};
}

static std::string number(uint64_t value) { return std::to_string(value); }

static std::string hex(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[value & 15]);
  } while (value >>= 4);
  return "0x" + text;
}

/// Flags that name a queue that the stage does not have.
static std::optional<Fault> checkFlags(const Instruction &instruction) {
  Stage stage = instruction.getStage();
  const char *flag = nullptr;
  if (stage == Stage::Load)
    flag = instruction.popPrev    ? "pop_prev_dep"
           : instruction.pushPrev ? "push_prev_dep"
                                  : nullptr;
  if (stage == Stage::Store)
    flag = instruction.popNext    ? "pop_next_dep"
           : instruction.pushNext ? "push_next_dep"
                                  : nullptr;
  if (!flag)
    return std::nullopt;
  return makeFault(ErrorKind::IllegalDependencyFlag, flag,
                   std::string("expects no ") + flag + " of the " +
                       getStageName(stage) +
                       " stage, which has no queue there");
}

static std::optional<Fault> checkMemoryId(const Config &config,
                                          const Instruction &instruction) {
  bool isStore = instruction.is(Opcode::Store);
  auto memory = static_cast<Memory>(instruction.memory);
  if (isStore ? memory == Memory::Out
              : memory <= Memory::Acc || memory == Memory::Acc8) {
    if (memory != Memory::Acc8 ||
        (config.getInpBits() == 8 && config.getAccBits() == 32))
      return std::nullopt;
    return makeFault(
        ErrorKind::BadMemoryId, "memory_id",
        "expects inputs of 8 bits and accumulators of 32 bits for memory 5 "
        "(acc8), but got " +
            number(config.getInpBits()) + " and " +
            number(config.getAccBits()) + " bits");
  }
  return makeFault(ErrorKind::BadMemoryId, "memory_id",
                   std::string("expects memory ") +
                       (isStore ? "4 (out) of a STORE"
                                : "0 (uop), 1 (wgt), 2 (inp), 3 (acc) or 5 "
                                  "(acc8) of a LOAD") +
                       ", but got " + number(instruction.memory));
}

static std::optional<Fault> checkAddresses(const Config &config,
                                           const Instruction &instruction,
                                           const AddressRange *dram) {
  auto memory = static_cast<Memory>(instruction.memory);
  const char *name = getMemoryName(instruction.memory);
  uint64_t count = instruction.getNumElements();
  uint64_t depth = config.getDepth(memory);
  if (count && instruction.sramBase + count > depth)
    return makeFault(ErrorKind::ScratchpadOverflow, "sram_base",
                     std::string("expects elements of ") + name +
                         " to end at " + number(depth) + ", but got " +
                         number(instruction.sramBase) + " + " + number(count));
  if (instruction.ySize == 0)
    return std::nullopt;
  uint64_t bytes = config.getElementBytes(memory);
  uint64_t first = instruction.dramBase * bytes;
  uint64_t last = (instruction.dramBase +
                   uint64_t(instruction.ySize - 1) * instruction.xStride +
                   instruction.xSize) *
                  bytes;
  if (!dram && instruction.dramBase == 0)
    return makeFault(ErrorKind::DramOutOfRange, "dram_base",
                     "expects an address of DRAM, but got 0");
  if (dram && (first < dram->base || last > dram->base + dram->size))
    return makeFault(ErrorKind::DramOutOfRange, "dram_base",
                     "expects bytes of DRAM from " + hex(dram->base) + " to " +
                         hex(dram->base + dram->size) + ", but got " +
                         hex(first) + " to " + hex(last));
  return std::nullopt;
}

std::optional<Fault> relay_vta::checkInstruction(const Config &config,
                                                 const Instruction &instruction,
                                                 const AddressRange *dram) {
  if (instruction.opcode >= kNumOpcodes)
    return makeFault(ErrorKind::BadOpcode, "opcode",
                     "expects opcode 0 (LOAD), 1 (STORE), 2 (GEMM), 3 (FINISH) "
                     "or 4 (ALU), but got " +
                         number(instruction.opcode));
  if (std::optional<Fault> fault = checkFlags(instruction))
    return fault;
  if (instruction.is(Opcode::Alu) && instruction.aluOpcode >= kNumAluOpcodes)
    return makeFault(ErrorKind::BadAluOpcode, "alu_opcode",
                     "expects ALU opcode 0 (min), 1 (max), 2 (add), 3 (shr) or "
                     "4 (mul), but got " +
                         number(instruction.aluOpcode));
  if (!instruction.isMemory() || instruction.isNoOp())
    return std::nullopt;
  if (std::optional<Fault> fault = checkMemoryId(config, instruction))
    return fault;
  if (instruction.is(Opcode::Store) &&
      (instruction.yPad0 || instruction.yPad1 || instruction.xPad0 ||
       instruction.xPad1))
    return makeFault(ErrorKind::StoreWithPads,
                     instruction.yPad0   ? "y_pad_0"
                     : instruction.yPad1 ? "y_pad_1"
                     : instruction.xPad0 ? "x_pad_0"
                                         : "x_pad_1",
                     "expects a STORE without padding, but got " +
                         number(instruction.yPad0) + ", " +
                         number(instruction.yPad1) + " rows and " +
                         number(instruction.xPad0) + ", " +
                         number(instruction.xPad1) + " elements");
  return checkAddresses(config, instruction, dram);
}

std::optional<Fault> relay_vta::checkIndices(const Config &config,
                                             const Instruction &instruction,
                                             const Uop &uop) {
  if (!instruction.getNumIterations())
    return std::nullopt;
  auto check = [&](Memory memory, const char *field, uint64_t index,
                   uint64_t out, uint64_t in) -> std::optional<Fault> {
    // Factors are not negative, so the last index is the largest.
    uint64_t last =
        index + (instruction.iterOut - 1) * out + (instruction.iterIn - 1) * in;
    uint64_t depth = config.getDepth(memory);
    if (last < depth)
      return std::nullopt;
    return makeFault(ErrorKind::ScratchpadOverflow, field,
                     std::string("expects indices of ") +
                         getMemoryName(static_cast<unsigned>(memory)) +
                         " below " + number(depth) + ", but got " +
                         number(last) + " (" + field + " " + number(index) +
                         " + " + number(instruction.iterOut - 1) + " * " +
                         number(out) + " + " + number(instruction.iterIn - 1) +
                         " * " + number(in) + ")");
  };
  if (auto fault = check(Memory::Acc, "dst", uop.dst, instruction.dstOut,
                         instruction.dstIn))
    return fault;
  // An ALU reads src, and ignores it, also with an immediate.
  if (instruction.is(Opcode::Alu))
    return check(Memory::Acc, "src", uop.src, instruction.srcOut,
                 instruction.srcIn);
  if (instruction.reset)
    return std::nullopt;
  if (auto fault = check(Memory::Inp, "src", uop.src, instruction.srcOut,
                         instruction.srcIn))
    return fault;
  return check(Memory::Wgt, "wgt", uop.wgt, instruction.wgtOut,
               instruction.wgtIn);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string describeMemory(const Config &config,
                                  const Instruction &instruction) {
  Stage stage = instruction.getStage();
  if (instruction.isNoOp())
    return std::string("tokens of the ") + getStageName(stage) + " stage";
  const char *name = getMemoryName(instruction.memory);
  auto memory = static_cast<Memory>(instruction.memory);
  if (!name)
    return std::string(getOpcodeName(instruction.opcode)) + " of memory " +
           number(instruction.memory);
  uint64_t count = instruction.getNumElements();
  std::string text = std::string(getOpcodeName(instruction.opcode)) + " " +
                     name + "[" + number(instruction.sramBase) + ".." +
                     number(instruction.sramBase + (count ? count - 1 : 0)) +
                     "]";
  uint64_t bytes = config.getElementBytes(memory);
  text += instruction.is(Opcode::Load) ? " from " : " to ";
  text += hex(instruction.dramBase * bytes) + ", " +
          number(uint64_t(instruction.ySize) * instruction.xSize * bytes) +
          " bytes";
  return text;
}

std::string relay_vta::describe(const Config &config,
                                const Instruction &instruction) {
  if (instruction.isMemory())
    return describeMemory(config, instruction);
  const char *opcode = getOpcodeName(instruction.opcode);
  if (!opcode)
    return "opcode " + number(instruction.opcode);
  std::string text = opcode;
  if (instruction.is(Opcode::Finish))
    return text;
  if (instruction.is(Opcode::Alu)) {
    const char *name = getAluOpcodeName(instruction.aluOpcode);
    text += std::string(" ") + (name ? name : "?");
    if (instruction.useImm)
      text += " " + std::to_string(instruction.imm);
  } else if (instruction.reset) {
    text += " reset";
  }
  return text + ", " + number(instruction.iterOut) + " x " +
         number(instruction.iterIn) + " x " + number(instruction.getNumUops()) +
         " micro-ops";
}
