//===- ReductionBody.h - The parts of a reduction block ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_REDUCTIONBODY_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_REDUCTIONBODY_H

#include "ScheduleSupport.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::tir {

/// A block whose body is `out[map] = combine(out[map], value)`.
struct ReductionBody {
  Value buffer;
  /// The element of `buffer` over iteration variables and `symbols`.
  AffineMap map;
  SmallVector<Value> symbols;
  Operation *load = nullptr;
  Operation *combiner = nullptr;
  Operation *store = nullptr;
  Value value;

  /// The start value that changes nothing; null if the combiner has none.
  TypedAttr getNeutral() const;
  /// combine(a, b).
  Value combine(OpBuilder &builder, Location loc, Value a, Value b) const;
};

/// Matches `block`, refuses if it has another form.
DiagnosedSilenceableFailure matchReductionBody(BlockOp block,
                                               ReductionBody &body);

/// Clones what the body of `block` computes `value` from, itself included, to
/// the insertion point; `mapping` has the iteration variables. Returns the copy
/// of the value.
Value cloneComputation(OpBuilder &builder, BlockOp block, Value value,
                       IRMapping &mapping);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_REDUCTIONBODY_H
