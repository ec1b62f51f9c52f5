//===- ProgramFile.h - Programs of VTA in files -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is a stream of instructions, the memory that it works on, and the
// configuration that both are for. docs/VTA.md describes the file.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_VTA_PROGRAMFILE_H
#define RELAY_MLIR_RUNTIME_VTA_PROGRAMFILE_H

#include "relay-mlir/Runtime/VTA/Instruction.h"

#include <cstddef>

namespace relay_vta {

constexpr uint64_t kPageBytes = 4096;
/// Of a program, since all of its memory is in its file.
constexpr uint64_t kMaxDramBytes = uint64_t(1) << 28;

struct Program {
  Config config;
  /// Memory, and the address of its first byte.
  uint64_t dramBase = kPageBytes;
  std::vector<uint8_t> image;
  /// Where the instructions are in the image; 0 if they are not.
  uint64_t instructionAddress = 0;
  std::vector<InstructionWords> instructions;

  AddressRange getDram() const { return {dramBase, image.size()}; }
};

/// Why there is no such memory; empty if there is.
std::string checkDram(uint64_t base, uint64_t size);

/// Reads a file. Returns what is wrong with it, with the offset; empty if
/// nothing is.
std::string readProgram(const uint8_t *bytes, size_t size, Program &program);

/// The file of a program. Instructions that are in the image are written there.
std::vector<uint8_t> writeProgram(const Program &program);

/// Which STORE writes a byte of memory last; none if that is not one of the
/// program.
std::optional<uint64_t> findStore(const Program &program, uint64_t address);

/// Where instruction `index` is in the file.
uint64_t getFileOffset(const Program &program, uint64_t index);

} // namespace relay_vta

#endif // RELAY_MLIR_RUNTIME_VTA_PROGRAMFILE_H
