//===- AccessOrder.h - What tokens order ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strict mode knows for each instruction how many of each stage have run
// before it in any interleaving that honours the tokens. Two accesses to an
// element, one of them a write, of which neither is before the other, are a
// race, whichever was first in this run.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_VTA_ACCESSORDER_H
#define RELAY_MLIR_LIB_RUNTIME_VTA_ACCESSORDER_H

#include "relay-mlir/Runtime/VTA/Instruction.h"

namespace relay_vta {

/// How many instructions of each stage are before something.
using Clock = std::array<uint32_t, kNumStages>;

class AccessOrder {
public:
  AccessOrder(const Config &config, AddressRange dram);

  /// From now on accesses are those of instruction `index`, the next one of
  /// `runningStage`, after all that `after` has.
  void begin(Stage runningStage, uint64_t index, const Clock &after);

  std::optional<Fault> read(Memory memory, uint64_t index);
  std::optional<Fault> write(Memory memory, uint64_t index);
  /// Bytes of DRAM, counted from its first one.
  std::optional<Fault> readDram(uint64_t begin, uint64_t end);
  std::optional<Fault> writeDram(uint64_t begin, uint64_t end);

  /// An element of acc that was loaded or reset is not what hardware stores.
  void setStorable(uint64_t index, bool isStorable) {
    storable[index] = isStorable;
  }
  bool isStorable(uint64_t index) const { return storable[index]; }

private:
  /// Who accessed elements last: numbers of instructions of a stage, from 1.
  struct Log {
    std::vector<uint32_t> write;
    std::array<std::vector<uint32_t>, kNumStages> reads;
    /// Each memory is written by one stage.
    Stage writer;
  };

  std::optional<Fault> access(Log &log, const char *name, uint64_t index,
                              bool isWrite);
  std::optional<Fault> checkOrder(const char *name, uint64_t index,
                                  bool isWrite, Stage other, uint32_t number,
                                  bool isOtherWrite);
  Log &getLog(Memory memory);

  Log inp, wgt, acc, dram;
  std::vector<bool> storable;
  Stage stage = Stage::Load;
  Clock clock{};
  /// Instructions of each stage that have begun.
  std::array<std::vector<uint64_t>, kNumStages> begun;
};

} // namespace relay_vta

#endif // RELAY_MLIR_LIB_RUNTIME_VTA_ACCESSORDER_H
