//===- RowSteps.h - Kernels of several steps along rows ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_ROWSTEPS_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_ROWSTEPS_H

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

namespace mlir::tir {

/// A kernel whose steps all go along the same rows, some of which reduce a row:
/// softmax, normalisation.
struct RowSteps {
  /// In order; the last one has no reduction.
  std::vector<BlockNest> steps;
  /// How many leading variables of every step say which row it is.
  unsigned numRows = 0;
  /// Scalar operations of all steps.
  double work = 0;
};

std::optional<RowSteps> matchRowSteps(PrimFuncOp kernel);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_ROWSTEPS_H
