//===- Instruction.h - Instructions of VTA ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions (128 bits) and micro-ops (32 bits), their encoding for any
// configuration, and what can be said against one without running it. Which
// fields there are, and where, InstructionSet.td tells.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_VTA_INSTRUCTION_H
#define RELAY_MLIR_RUNTIME_VTA_INSTRUCTION_H

#include "relay-mlir/Runtime/VTA/Config.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relay_vta {

constexpr unsigned kNumOpcodes = std::size(kOpcodeNames);
constexpr unsigned kNumAluOpcodes = std::size(kAluOpcodeNames);

/// "LOAD", ... and "min", ...; null for a number that is none.
const char *getOpcodeName(unsigned opcode);
const char *getAluOpcodeName(unsigned opcode);

/// What runs instructions, each in order.
enum class Stage : uint8_t { Load, Compute, Store };
constexpr unsigned kNumStages = 3;
const char *getStageName(Stage stage);

/// What goes wrong. Kinds that the conformance vectors name have these names.
enum class ErrorKind : uint8_t {
  None,
  Deadlock,
  MissingFinish,
  BadOpcode,
  BadAluOpcode,
  BadMemoryId,
  ScratchpadOverflow,
  DramOutOfRange,
  StoreWithPads,
  IllegalDependencyFlag,
  TokensLeft,
  /// Of the strict mode: published implementations differ.
  NotPortable,
  /// Of the strict mode: two accesses that no token orders.
  Race,
  /// More work than the limit.
  Limit,
  /// The simulator has none left.
  Memory
};
constexpr unsigned kNumErrorKinds =
    static_cast<unsigned>(ErrorKind::Memory) + 1;
const char *getErrorKindName(ErrorKind kind);

struct Fault {
  ErrorKind kind = ErrorKind::None;
  /// The field at fault, if it is one.
  std::string field;
  std::string message;
};

/// All fields are as they are in the encoding, but that a field is an integer
/// of whole bytes.
struct Instruction {
  uint8_t opcode = 0;
  bool popPrev = false, popNext = false, pushPrev = false, pushNext = false;

  // LOAD and STORE.
  uint8_t memory = 0;
  uint16_t sramBase = 0;
  uint32_t dramBase = 0;
  uint16_t ySize = 0, xSize = 0, xStride = 0;
  uint8_t yPad0 = 0, yPad1 = 0, xPad0 = 0, xPad1 = 0;

  // GEMM and ALU.
  bool reset = false;
  uint32_t uopBegin = 0, uopEnd = 0;
  uint32_t iterOut = 0, iterIn = 0;
  uint32_t dstOut = 0, dstIn = 0, srcOut = 0, srcIn = 0, wgtOut = 0, wgtIn = 0;
  uint8_t aluOpcode = 0;
  bool useImm = false;
  int16_t imm = 0;

  bool is(Opcode other) const { return opcode == static_cast<uint8_t>(other); }
  bool isCompute() const { return is(Opcode::Gemm) || is(Opcode::Alu); }
  bool isMemory() const { return is(Opcode::Load) || is(Opcode::Store); }
  /// Only takes and gives tokens.
  bool isNoOp() const { return isMemory() && xSize == 0; }
  /// The queue that it goes to.
  Stage getStage() const;
  /// Elements of a LOAD in its scratchpad with padding; of a STORE without.
  uint64_t getNumElements() const;
  uint64_t getNumUops() const {
    return uopEnd > uopBegin ? uopEnd - uopBegin : 0;
  }
  uint64_t getNumIterations() const { return uint64_t(iterOut) * iterIn; }
};

struct Uop {
  uint32_t dst = 0, src = 0, wgt = 0;
};

/// An encoded instruction: bit 0 is the lowest of the first word.
using InstructionWords = std::array<uint64_t, 2>;
constexpr unsigned kInstructionBytes = 16;

/// Where a field lies.
struct FieldLayout {
  const char *name;
  unsigned offset, width;
};
std::vector<FieldLayout> getFields(const Config &config, Opcode opcode);

/// Writes `instruction`; a field that is too large is an error that names it.
std::optional<Fault> encode(const Config &config,
                            const Instruction &instruction,
                            InstructionWords &words);

/// Reads an instruction. Bits that belong to no field are ignored; an opcode
/// that there is not is kept.
Instruction decode(const Config &config, const InstructionWords &words);

/// Whether bits are set that belong to no field.
bool hasReservedBits(const Config &config, const InstructionWords &words);

/// The same of micro-ops.
std::optional<Fault> encodeUop(const Config &config, const Uop &uop,
                               uint32_t &word);
Uop decodeUop(const Config &config, uint32_t word);

InstructionWords readWords(const uint8_t *bytes);
void writeWords(const InstructionWords &words, uint8_t *bytes);

/// Why instructions cannot be encoded with these parameters; empty if they can.
std::string checkEncoding(const Config &config);

/// Addresses that exist.
struct AddressRange {
  uint64_t base = 0, size = 0;
};

/// What is wrong with an instruction whatever runs before it: opcodes, memory
/// ids, flags, padding, and where LOAD and STORE reach. Without `dram`, any
/// address exists but 0.
std::optional<Fault> checkInstruction(const Config &config,
                                      const Instruction &instruction,
                                      const AddressRange *dram);

/// Whether each index of a GEMM or ALU with micro-op `uop` is inside of its
/// scratchpad.
std::optional<Fault> checkIndices(const Config &config,
                                  const Instruction &instruction,
                                  const Uop &uop);

/// In the strict mode: what published implementations do differently.
std::optional<Fault> checkPortable(const Config &config,
                                   const Instruction &instruction);

/// The same of the micro-ops of a GEMM or ALU, with hazards in its pipeline.
std::optional<Fault> checkPortableUops(const Instruction &instruction,
                                       const std::vector<Uop> &uops);

/// Instructions that each stage has a queue for, in hardware.
constexpr uint64_t kQueueDepth = 512;

/// In the strict mode: an instruction that hardware never fetches, since a
/// queue is full of others that wait for what comes after it. fsim's queues
/// have no end. Nothing is said of a stream that none could run.
std::optional<std::pair<uint64_t, Fault>>
checkPortableQueues(const std::vector<Instruction> &instructions);

/// One line for a person, such as "LOAD inp[0] 3 x 8 from 64".
std::string describe(const Config &config, const Instruction &instruction);

} // namespace relay_vta

#endif // RELAY_MLIR_RUNTIME_VTA_INSTRUCTION_H
