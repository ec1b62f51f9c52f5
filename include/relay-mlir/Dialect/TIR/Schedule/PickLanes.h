//===- PickLanes.h - A vector out of the lanes of several -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that are some steps apart in memory come in whole vectors, of which
// shuffles take what is wanted: a few loads and permutations in place of a
// gather, which loads lane by lane.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULE_PICKLANES_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULE_PICKLANES_H

#include "mlir/IR/Builders.h"

namespace mlir::tir {

/// Lanes that are further apart are gathered.
inline constexpr int64_t kMaxPickedStride = 4;

/// An element of one of several vectors; any one if `part` is negative.
struct LanePick {
  int64_t part = -1;
  int64_t position = 0;
};

/// Where vectors of `width` elements start that hold the first `span` elements;
/// the last one ends with these.
SmallVector<int64_t> getPartStarts(int64_t span, int64_t width);

/// An element out of the first of such vectors that has it.
LanePick getPick(ArrayRef<int64_t> starts, int64_t width, int64_t element);

/// The vector whose lane i is picks[i] out of `parts`, vectors of one type: as
/// long as the result, or a single one.
Value pickLanes(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                ArrayRef<LanePick> picks);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULE_PICKLANES_H
