//===- StreamBuilder.h - Writes streams for tests ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_VTA_STREAMBUILDER_H
#define RELAY_MLIR_TEST_UNIT_VTA_STREAMBUILDER_H

#include "relay-mlir/Runtime/VTA/Simulator.h"

#include "gtest/gtest.h"

namespace relay_vta_test {

using namespace relay_vta;

/// Flags of an instruction.
enum : unsigned { PopPrev = 1, PopNext = 2, PushPrev = 4, PushNext = 8 };

/// A program of the default configuration with two pages of memory.
struct StreamBuilder {
  Program program;
  uint64_t numUops = 0;

  StreamBuilder() { program.image.resize(2 * kPageBytes); }

  Instruction &change(Instruction &instruction, unsigned flags) {
    instruction.popPrev = flags & PopPrev;
    instruction.popNext = flags & PopNext;
    instruction.pushPrev = flags & PushPrev;
    instruction.pushNext = flags & PushNext;
    return instruction;
  }

  void add(const Instruction &instruction) {
    InstructionWords words;
    std::optional<Fault> fault = encode(program.config, instruction, words);
    ASSERT_FALSE(fault) << fault->message;
    program.instructions.push_back(words);
  }

  /// Elements of a memory, from the beginning of DRAM on.
  Instruction makeLoad(Memory memory, unsigned sram, unsigned count,
                       unsigned flags = 0) {
    Instruction instruction;
    instruction.memory = static_cast<uint8_t>(memory);
    instruction.sramBase = static_cast<uint16_t>(sram);
    instruction.dramBase = static_cast<uint32_t>(
        kPageBytes / program.config.getElementBytes(memory));
    instruction.ySize = 1;
    instruction.xSize = instruction.xStride = static_cast<uint16_t>(count);
    return change(instruction, flags);
  }
  void load(Memory memory, unsigned sram, unsigned count, unsigned flags = 0) {
    add(makeLoad(memory, sram, count, flags));
  }

  /// To the second page.
  Instruction makeStore(unsigned sram, unsigned count, unsigned flags = 0) {
    Instruction instruction = makeLoad(Memory::Out, sram, count, flags);
    instruction.opcode = static_cast<uint8_t>(Opcode::Store);
    instruction.dramBase *= 2;
    return instruction;
  }
  void store(unsigned sram, unsigned count, unsigned flags = 0) {
    add(makeStore(sram, count, flags));
  }

  void sync(Stage stage, unsigned flags) {
    Instruction instruction;
    if (stage == Stage::Load)
      instruction.memory = static_cast<uint8_t>(Memory::Inp);
    if (stage == Stage::Store)
      instruction.opcode = static_cast<uint8_t>(Opcode::Store);
    add(change(instruction, flags));
  }

  /// Puts micro-ops in the first page, and loads them.
  void loadUops(const std::vector<Uop> &uops) {
    constexpr uint64_t kOffset = 2048;
    for (size_t i = 0; i < uops.size(); ++i) {
      uint32_t word;
      ASSERT_FALSE(encodeUop(program.config, uops[i], word));
      for (unsigned byte = 0; byte < 4; ++byte)
        program.image[kOffset + (numUops + i) * 4 + byte] =
            static_cast<uint8_t>(word >> (byte * 8));
    }
    Instruction instruction = makeLoad(Memory::Uop, numUops, uops.size());
    instruction.dramBase += kOffset / 4 + numUops;
    add(instruction);
    numUops += uops.size();
  }

  /// On the first `count` micro-ops, once.
  Instruction makeAlu(AluOpcode opcode, unsigned count, unsigned flags = 0) {
    Instruction instruction;
    instruction.opcode = static_cast<uint8_t>(Opcode::Alu);
    instruction.aluOpcode = static_cast<uint8_t>(opcode);
    instruction.uopEnd = count;
    instruction.iterOut = instruction.iterIn = 1;
    return change(instruction, flags);
  }
  Instruction makeImm(AluOpcode opcode, int16_t imm, unsigned count,
                      unsigned flags = 0) {
    Instruction instruction = makeAlu(opcode, count, flags);
    instruction.useImm = true;
    instruction.imm = imm;
    return instruction;
  }
  Instruction makeGemm(bool reset, unsigned count, unsigned flags = 0) {
    Instruction instruction = makeAlu(AluOpcode::Min, count, flags);
    instruction.opcode = static_cast<uint8_t>(Opcode::Gemm);
    instruction.reset = reset;
    return instruction;
  }

  void finish(unsigned flags = 0) {
    Instruction instruction;
    instruction.opcode = static_cast<uint8_t>(Opcode::Finish);
    add(change(instruction, flags));
  }

  RunStatus run(const RunOptions &options = {}) {
    Simulator simulator(program.config);
    std::vector<uint8_t> image = program.image;
    return simulator.run(program.instructions, program.dramBase, image,
                         options);
  }
  RunStatus runStrict() {
    RunOptions options;
    options.strict = true;
    return run(options);
  }
  RunStatus runCycles(Timing &timing, const RunOptions &options = {}) {
    Simulator simulator(program.config);
    std::vector<uint8_t> image = program.image;
    return simulator.runCycles(program.instructions, program.dramBase, image,
                               timing, options);
  }
};

} // namespace relay_vta_test

#endif // RELAY_MLIR_TEST_UNIT_VTA_STREAMBUILDER_H
