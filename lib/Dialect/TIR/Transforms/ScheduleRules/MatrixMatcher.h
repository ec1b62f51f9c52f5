//===- MatrixMatcher.h - What matrix units can do of a product --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Finds the parts of a product, and decides how it is cut up.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_MATRIXMATCHER_H
#define RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_MATRIXMATCHER_H

#include "MatrixTiles.h"

namespace mlir::tir {

class MatrixMatcher {
public:
  MatrixMatcher(KernelSchedule &schedule, const BlockNest &nest)
      : schedule(schedule), nest(nest) {}

  LogicalResult match();
  bool isWorthIt();
  /// What the product takes without matrix units, and what its operands and
  /// results take to come and go.
  double estimateVectorCycles() const;
  double estimateMemoryCycles() const;

  MatrixPlan plan;
  double cycles = 0;

private:
  bool isConstant(const BufferAccess &operand) const;
  LogicalResult matchTypes(const SumOfProducts &sum);
  LogicalResult chooseWeights(const SumOfProducts &sum, bool isRight);
  void findBest(const MatrixPlan &common);
  bool isBatch(unsigned var) const {
    return llvm::is_contained(plan.batchVars, var);
  }
  LogicalResult matchWeights();
  bool canPackWeights() const;
  LogicalResult matchData(bool isMerged);
  LogicalResult mergeWindow();
  LogicalResult matchResult();
  LogicalResult matchIndex(AffineExpr index, bool isLast, bool isMerged,
                           MatrixDim &dim);
  void chooseDot();
  void choosePieces(StringRef precision);
  void planRows();
  void planDotTile();
  LogicalResult planPanels();
  double getRows() const;
  double estimateCycles() const;

  KernelSchedule &schedule;
  const BlockNest &nest;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_MATRIXMATCHER_H
