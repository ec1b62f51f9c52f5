//===- ProgramBuilder.h - Builds programs of VTA ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, scratchpads, micro-ops and instructions of one program. Tokens come
// later (vta-insert-tokens).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_PROGRAMBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_PROGRAMBUILDER_H

#include "mlir/IR/Builders.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"

#include <map>

namespace mlir::relay::detail {

/// A loop of an instruction: iterations, and what each adds to the indices, in
/// elements. Programs have these as loops in hardware or as micro-ops.
struct ElementLoop {
  int64_t extent;
  int64_t dst = 0, src = 0, wgt = 0;
};

/// The loops from the outer to the inner one, and where they begin.
struct ElementLoops {
  SmallVector<ElementLoop> loops;
  int64_t dst = 0, src = 0, wgt = 0;
};

/// How many copies of each buffer a scratchpad has, so that one is filled while
/// another is used.
struct SlotCounts {
  unsigned inp = 2, wgt = 2, acc = 2;
  unsigned &get(vta::Memory memory) {
    return memory == vta::Memory::Inp   ? inp
           : memory == vta::Memory::Wgt ? wgt
                                        : acc;
  }
};

/// A buffer that a scratchpad has no room for.
struct Overflow {
  vta::Memory memory;
  int64_t elements, depth;
  /// Where it is in the kernel, and, for a tile, its type.
  Location location;
  Type tile;
};

class ProgramBuilder {
public:
  ProgramBuilder(MLIRContext *context, const relay_vta::Config &config,
                 Location loc, StringRef name, SlotCounts slots);

  const relay_vta::Config &getConfig() const { return config; }
  void setLocation(Location location) { loc = location; }
  /// Of an element of a scratchpad: lanes, and bytes in memory.
  int64_t getLanes(vta::Memory memory) const {
    return static_cast<int64_t>(
        config.getLanes(static_cast<relay_vta::Memory>(memory)));
  }
  int64_t getElementBytes(vta::Memory memory) const {
    return static_cast<int64_t>(
        config.getElementBytes(static_cast<relay_vta::Memory>(memory)));
  }

  //===--------------------------------------------------------------------===//
  // Memory and scratchpads
  //===--------------------------------------------------------------------===//

  /// Memory for `bytes`; returns the address.
  int64_t allocate(int64_t bytes);
  /// Memory that has these bytes when the program begins.
  int64_t allocateImage(ArrayRef<uint8_t> bytes);

  /// What a buffer in a scratchpad is for: an operation of the kernel, and
  /// which one of those that it needs.
  using BufferKey = std::pair<Operation *, unsigned>;
  /// The next copy of a buffer of `elements` elements. Returns its first
  /// element; 0 if there is no room, which is remembered.
  int64_t rotate(BufferKey key, vta::Memory memory, int64_t elements,
                 Type tile = {});
  const std::optional<Overflow> &getOverflow() const { return overflow; }

  /// Accumulators that have all of an argument from their first use on; none if
  /// it is too large for that. `isNew` says whether it is to be loaded.
  std::optional<int64_t> getResident(Value argument, int64_t elements,
                                     bool &isNew);

  /// The element of `wgt` with `factor`, a weight, on the diagonal: a product
  /// with it adds so many times an element of `inp` to an accumulator.
  int64_t getIdentity(int64_t factor = 1);
  /// The address of an element of `memory` that has `value` in each lane.
  int64_t getConstantAddress(vta::Memory memory, int64_t value);

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  struct Rows {
    int64_t sram, dram, ySize = 1, xSize = 1, stride = 0;
    int64_t yPad0 = 0, yPad1 = 0, xPad0 = 0, xPad1 = 0;
  };
  /// `dram` counts elements from address 0.
  void load(vta::Memory memory, const Rows &rows);
  void store(const Rows &rows);
  void gemm(bool reset, ElementLoops loops);
  void alu(vta::AluOpcode opcode, std::optional<int64_t> imm,
           ElementLoops loops);

  /// Ends the program.
  OwningOpRef<vta::ProgramOp> finish();

private:
  struct Encoded;
  struct Slots {
    vta::Memory memory;
    int64_t elements;
    SmallVector<int64_t> first;
    unsigned next = 0;
  };
  int64_t reserve(vta::Memory memory, int64_t elements, Type tile = {});
  /// Calls `emit` for each instruction that the loops become.
  void emitLoops(ElementLoops loops, bool isAlu,
                 function_ref<void(const Encoded &)> emit);
  int64_t getUopCapacity() const;
  /// Brings micro-ops to their scratchpad, and returns where they are.
  int64_t loadUops(ArrayRef<relay_vta::Uop> uops);
  void joinUopLoads();

  relay_vta::Config config;
  OpBuilder builder;
  Location loc;
  OwningOpRef<vta::ProgramOp> program;
  SlotCounts slots;
  int64_t dramEnd;
  std::vector<std::pair<int64_t, SmallVector<uint8_t>>> images;
  std::map<std::pair<vta::Memory, int64_t>, int64_t> constants;
  int64_t used[8] = {};
  DenseMap<BufferKey, Slots> buffers;
  std::optional<Overflow> overflow;
  DenseMap<Value, int64_t> residents;
  /// By their factors.
  std::map<int64_t, int64_t> identities;

  /// Micro-ops by their words: where they are in memory and, if they are, in
  /// the scratchpad.
  struct UopList {
    int64_t address;
    std::optional<int64_t> position;
  };
  std::map<std::vector<uint32_t>, UopList> uopLists;
  int64_t nextUop = 0;
  SmallVector<vta::LoadOp> uopLoads;
  bool hasEvicted = false;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_PROGRAMBUILDER_H
