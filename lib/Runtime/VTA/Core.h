//===- Core.h - What instructions do ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scratchpads, and the instructions on them, as the behavioural simulator of
// VTA has them. When an instruction may run is for others to say.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_VTA_CORE_H
#define RELAY_MLIR_LIB_RUNTIME_VTA_CORE_H

#include "AccessOrder.h"
#include "Lanes.h"

#include "relay-mlir/Runtime/VTA/Simulator.h"

#include <cstdlib>

namespace relay_vta {

/// Elements of one memory. It is zero, and takes memory where it is used.
class Scratchpad {
public:
  Scratchpad(const Config &config, Memory memory)
      : elementBytes(config.getElementBytes(memory)),
        depth(config.getDepth(memory)),
        bytes(static_cast<uint8_t *>(std::calloc(depth, elementBytes)),
              std::free) {}

  uint8_t *at(uint64_t index) { return bytes.get() + index * elementBytes; }

  const uint64_t elementBytes, depth;
  /// False if there was no memory for it.
  explicit operator bool() const { return bytes != nullptr; }

private:
  std::unique_ptr<uint8_t, void (*)(void *)> bytes;
};

class Core {
public:
  explicit Core(const Config &config);

  /// What a run works on; must outlive it. `order` is null without strict mode.
  void start(AddressRange range, uint8_t *memory, const RunOptions &options,
             AccessOrder *accessOrder);

  /// Runs one that checkInstruction accepts.
  std::optional<Fault> execute(const Instruction &instruction);

  const Config config;
  Profile profile;

private:
  std::optional<Fault> load(const Instruction &instruction);
  std::optional<Fault> store(const Instruction &instruction);
  std::optional<Fault> compute(const Instruction &instruction);
  /// Adds work, of which a program may have so much.
  std::optional<Fault> charge(uint64_t count, uint64_t each, const char *what);
  std::optional<Fault> chargeRows(const Instruction &instruction,
                                  uint64_t elementBytes);
  std::optional<Fault> orderCompute(const Instruction &instruction);
  void gemm(const Instruction &instruction);
  void alu(const Instruction &instruction);
  std::optional<Fault> checkShifts(const Instruction &instruction);
  Scratchpad &getScratchpad(Memory memory);

  Scratchpad uop, wgt, inp, acc;
  GemmFn multiply;
  AddressRange dram;
  uint8_t *image = nullptr;
  uint64_t work = 0, maxWork = 0;
  bool computes = true;
  AccessOrder *order = nullptr;
  /// Micro-ops of the instruction that runs.
  std::vector<Uop> uops;
};

} // namespace relay_vta

#endif // RELAY_MLIR_LIB_RUNTIME_VTA_CORE_H
