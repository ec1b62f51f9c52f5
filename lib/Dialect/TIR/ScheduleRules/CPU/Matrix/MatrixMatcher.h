//===- MatrixMatcher.h - What matrix units can do of a product --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides whether a product takes matrix units, and how it is cut up.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_MATRIX_MATRIXMATCHER_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_MATRIX_MATRIXMATCHER_H

#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"

#include "relay-mlir/Dialect/TIR/Schedule/MatrixTiles.h"

namespace mlir::tir {

class MatrixMatcher : public MatrixProduct {
public:
  MatrixMatcher(KernelSchedule &schedule, const BlockNest &nest)
      : MatrixProduct(schedule.getKernel(), nest), schedule(schedule) {}

  LogicalResult match();
  bool isWorthIt();
  /// What the product takes without matrix units, and what its operands and
  /// results take to come and go.
  double estimateVectorCycles() const;
  double estimateMemoryCycles() const;
  /// What has been decided.
  MatrixTileOptions getOptions() const;

  double cycles = 0;

private:
  LogicalResult matchOperands();
  bool addsUpBatches() const;
  void findBest(const MatrixPlan &common, bool isRight);
  void chooseDot();
  int64_t choosePieces();
  void planDotTile();
  /// Sizes of tiles, and of panels for them.
  LogicalResult planTiles();
  LogicalResult planPanels();
  double getRows() const;
  double estimateCycles() const;

  KernelSchedule &schedule;
  bool isRightWeights = true;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_MATRIX_MATRIXMATCHER_H
