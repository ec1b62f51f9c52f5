//===- Liveness.h - Last uses of the values of a function -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_LIVENESS_H
#define RELAY_MLIR_LIB_INTERPRETER_LIVENESS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::relay {

/// Returns the values that an operation uses itself: its operands, and what the
/// region of a closure captures.
SmallVector<Value> getUsedValues(Operation *op);

/// Where the values of a function's frame are used last. The regions of
/// `relay.if` and `relay.match` belong to the frame, those of closures do not.
class FrameLiveness {
public:
  /// `isInFrame` tells which values are meant.
  FrameLiveness(Block &body, function_ref<bool(Value)> isInFrame);

  /// Whether no operation that may run after `op` uses `value`, which `op`
  /// uses.
  bool isLastUse(Operation *op, Value value) const {
    return lastUses.contains({op, value});
  }

  /// The values from outside of a branch that another branch uses last, but
  /// this one does not use.
  ArrayRef<Value> getUnused(Block *branch) const;

private:
  void analyze(Block &block, SmallVectorImpl<Value> &used);
  void analyzeRegions(Operation &op, SmallVectorImpl<Value> &used);

  function_ref<bool(Value)> isInFrame;
  /// Values that are used after the point at which the analysis is.
  DenseSet<Value> live;
  DenseSet<std::pair<Operation *, Value>> lastUses;
  DenseMap<Block *, SmallVector<Value>> unused;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_LIVENESS_H
