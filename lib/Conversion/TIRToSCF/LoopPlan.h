//===- LoopPlan.h - What the emitter must know before it starts -*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_LOOPPLAN_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_LOOPPLAN_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include <deque>

namespace mlir::relay::detail {

/// `acc[i] = acc[i] op x` in a vectorized loop that does not change `i`. Each
/// lane accumulates by itself; the lanes are combined behind `carrier`.
struct LaneReduction {
  Operation *load;
  Operation *combiner;
  Operation *store;
  /// The operand of `combiner` that is not the loaded one.
  Value update;
  vector::CombiningKind kind;
  tir::BlockOp block;
  /// The outermost loop that leaves the accumulator where it is.
  tir::ForOp carrier;
};

/// Which values change with the induction variable of one loop.
class LoopDependence {
public:
  explicit LoopDependence(tir::ForOp loop) : loop(loop) {}

  bool contains(Value value);

private:
  bool compute(Value value);

  tir::ForOp loop;
  llvm::DenseMap<Value, bool> known;
};

/// Decisions about the loops of one kernel that look at more than one of them.
class LoopPlan {
public:
  void analyze(tir::PrimFuncOp kernel);

  /// Whether the lanes of the vectorized loop can run at once.
  bool canVectorize(tir::ForOp loop) const {
    return vectorizable.contains(loop);
  }

  /// Blocks whose init runs before `loop`, the outermost loop of the
  /// reduction.
  ArrayRef<tir::BlockOp> getInitsBefore(tir::ForOp loop) const;
  bool isInitHoisted(tir::BlockOp block) const {
    return hoistedInits.contains(block);
  }

  /// The reduction over lanes that `op` is a part of, or null.
  const LaneReduction *getReduction(Operation *op) const {
    return reductionOf.lookup(op);
  }
  ArrayRef<const LaneReduction *> getReductionsCarriedBy(tir::ForOp loop) const;

  /// Whether `value` changes with the induction variable of `loop`.
  static bool dependsOn(Value value, tir::ForOp loop) {
    return LoopDependence(loop).contains(value);
  }

private:
  void planInit(tir::BlockOp block);
  /// Null if `loop` can be vectorized, else the reason.
  const char *planVectorized(tir::ForOp loop);
  std::optional<LaneReduction> matchReduction(Operation *store,
                                              tir::ForOp loop);

  llvm::DenseSet<Operation *> vectorizable;
  llvm::DenseSet<Operation *> hoistedInits;
  llvm::DenseMap<Operation *, SmallVector<tir::BlockOp>> initsBefore;
  std::deque<LaneReduction> reductions;
  llvm::DenseMap<Operation *, const LaneReduction *> reductionOf;
  llvm::DenseMap<Operation *, SmallVector<const LaneReduction *>> carriedBy;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_LOOPPLAN_H
