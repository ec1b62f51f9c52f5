//===- Sampling.h - Choices drawn at random ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample is drawn from a seed, always the same from the same one. Whoever
// keeps the decision can check and use it again, also after an edit.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULE_SAMPLING_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULE_SAMPLING_H

#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

namespace mlir::tir {

/// Draws one of as many candidates as there are probabilities.
int64_t sampleCategorical(ArrayRef<double> probabilities, uint64_t seed);

/// What factors of a loop have to fulfil: there are `count`, their product is
/// the extent; the last is at most `maxInnermost` (0: any), and the product of
/// those from `partition` on is a multiple of `innerMultiple`.
struct TileConstraint {
  int64_t count = 1;
  int64_t maxInnermost = 0;
  int64_t partition = 0;
  int64_t innerMultiple = 1;
};

/// Draws factors, each possible choice as likely as any other.
DiagnosedSilenceableFailure sampleTile(ForOp loop,
                                       const TileConstraint &constraint,
                                       uint64_t seed,
                                       SmallVectorImpl<int64_t> &factors);

/// Checks factors that were drawn before.
DiagnosedSilenceableFailure checkTile(ForOp loop,
                                      const TileConstraint &constraint,
                                      ArrayRef<int64_t> factors);

/// Where a block can be computed.
inline constexpr int64_t kComputeInline = -2;
inline constexpr int64_t kComputeAtRoot = -1;

/// Draws where to compute `block`: inline, where it is, or the number of one of
/// the loops around its first reader to which compute_at can move it.
int64_t sampleComputeLocation(BlockOp block, uint64_t seed);

/// The loop, kernel (where it is) or block itself (inline) that a location of
/// `block` stands for; refuses one that compute_at does not accept.
DiagnosedSilenceableFailure
resolveComputeLocation(BlockOp block, int64_t location, Operation *&target);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULE_SAMPLING_H
