//===- LastUses.h - Last uses of the values of a function -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_LASTUSES_H
#define RELAY_MLIR_SUPPORT_LASTUSES_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::relay {

/// Where the values of a function are used last, in blocks that run from begin
/// to end. Of the regions of a branch, which have one block each, one runs.
class LastUses {
public:
  struct Rules {
    /// Which values are meant.
    function_ref<bool(Value)> isTracked;
    /// Whether the regions of an operation belong to the function.
    function_ref<bool(Operation &)> isBranch;
    /// The values that an operation uses itself.
    function_ref<SmallVector<Value>(Operation &)> getUsed;
  };

  LastUses(Block &body, const Rules &rules);

  /// Whether no operation that may run after `op` uses `value`, which `op`
  /// uses.
  bool contains(Operation *op, Value value) const {
    return uses.contains({op, value});
  }

  /// The values from outside of a region of a branch that another region uses
  /// last, but this one does not use.
  ArrayRef<Value> getUnused(Block *region) const;

private:
  void analyze(Block &block, const Rules &rules, SmallVectorImpl<Value> &used);
  void analyzeRegions(Operation &op, const Rules &rules,
                      SmallVectorImpl<Value> &used);

  /// Values that are used after the point at which the analysis is.
  DenseSet<Value> live;
  DenseSet<std::pair<Operation *, Value>> uses;
  DenseMap<Block *, SmallVector<Value>> unused;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_LASTUSES_H
