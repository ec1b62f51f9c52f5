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

#include <cstdlib>
#include <memory>

namespace relay_vta {

/// How many instructions of each stage are before something.
using Clock = std::array<uint32_t, kNumStages>;

class AccessOrder {
public:
  AccessOrder(const Config &config, AddressRange dram);
  /// False if there was no memory for it.
  explicit operator bool() const { return hasMemory; }

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
  /// Numbers that are 0, and take memory where others are written.
  using Numbers = std::unique_ptr<uint32_t[], void (*)(void *)>;

  /// Who accessed elements last: numbers of instructions of a stage, from 1.
  struct Log {
    Numbers write{nullptr, std::free};
    /// Null for a stage that never reads.
    std::array<Numbers, kNumStages> reads{Numbers{nullptr, std::free},
                                          {nullptr, std::free},
                                          {nullptr, std::free}};
    /// Bytes of an element where indices count bytes, else 1.
    uint64_t unit = 1;
    /// Each memory is written by one stage.
    Stage writer;
  };

  std::optional<Fault> access(Log &log, const char *name, uint64_t index,
                              bool isWrite);
  std::optional<Fault> checkOrder(const char *name, uint64_t index,
                                  bool isWrite, Stage other, uint32_t number,
                                  bool isOtherWrite);
  void init(Log &log, uint64_t size, Stage writer,
            std::initializer_list<Stage> readers);
  Log &getLog(Memory memory);
  std::optional<Fault> accessDram(uint64_t begin, uint64_t end, bool isWrite);

  Log inp, wgt, acc, dram;
  bool hasMemory = true;
  std::vector<bool> storable;
  Stage stage = Stage::Load;
  Clock clock{};
  /// Instructions of each stage that have begun.
  std::array<std::vector<uint64_t>, kNumStages> begun;
};

} // namespace relay_vta

#endif // RELAY_MLIR_LIB_RUNTIME_VTA_ACCESSORDER_H
