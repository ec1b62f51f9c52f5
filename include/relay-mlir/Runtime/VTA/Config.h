//===- Config.h - What a VTA is made of -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of a VTA. Sizes of elements, depths of scratchpads and widths
// of fields of instructions all follow from them (docs/VTA.md).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_VTA_CONFIG_H
#define RELAY_MLIR_RUNTIME_VTA_CONFIG_H

#include <cstdint>
#include <iterator>
#include <string>

namespace relay_vta {

// Memory, Opcode and AluOpcode, and their names.
#define GET_VTA_ENUMS
#include "relay-mlir/Runtime/VTA/InstructionSet.inc"
constexpr unsigned kNumMemories = std::size(kMemoryNames);

/// "uop", "wgt", ...; null for a number that no memory has.
const char *getMemoryName(unsigned memory);

/// Each parameter is a logarithm to the base 2: widths in bits, buffers in
/// bytes.
struct Config {
  uint32_t inpWidth = 3, wgtWidth = 3, accWidth = 5;
  uint32_t batch = 0, block = 4;
  uint32_t uopBuffer = 15, inpBuffer = 15, wgtBuffer = 18, accBuffer = 17;
  /// Of the bus to memory. Results do not depend on it.
  uint32_t busWidth = 6;

  uint64_t getBatch() const { return uint64_t(1) << batch; }
  uint64_t getBlock() const { return uint64_t(1) << block; }
  unsigned getInpBits() const { return 1u << inpWidth; }
  unsigned getWgtBits() const { return 1u << wgtWidth; }
  unsigned getAccBits() const { return 1u << accWidth; }
  /// A result is as wide as an input.
  unsigned getOutBits() const { return getInpBits(); }
  uint64_t getBusBytes() const { return uint64_t(1) << (busWidth - 3); }

  /// How many lanes an element of a memory has.
  uint64_t getLanes(Memory memory) const;
  /// Bytes of an element in DRAM, the unit of addresses of `memory`.
  uint64_t getElementBytes(Memory memory) const;
  /// How many elements the scratchpad has, and the logarithm of that.
  uint64_t getDepth(Memory memory) const {
    return uint64_t(1) << getLogDepth(memory);
  }
  uint32_t getLogDepth(Memory memory) const;

  bool operator==(const Config &other) const;
  bool operator!=(const Config &other) const { return !(*this == other); }
};

/// The widest micro-op memory that all published implementations have.
constexpr uint64_t kPortableUopDepth = 2048;

/// Why there is no such VTA; empty if there is. Nothing may be derived from a
/// configuration before.
std::string checkConfig(const Config &config);

/// As published tools name it: "1x16_i8w8a32_15_15_18_17".
std::string getConfigName(const Config &config);

/// Reads such a name. Returns why it is none; empty if it is.
std::string parseConfigName(const std::string &name, Config &config);

} // namespace relay_vta

#endif // RELAY_MLIR_RUNTIME_VTA_CONFIG_H
