//===- TilePlan.cpp - Sizes of register tiles -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePlan.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::tir;

/// More vectors of columns than this bring nothing.
static constexpr int64_t kMaxVectors = 8;
/// What an unknown number of rows or columns is taken for: many.
static constexpr int64_t kMany = 1 << 12;

/// Cycles of one step of the reduction; `isFar` if columns come from the second
/// cache in each.
static double getStepCycles(int64_t rows, int64_t numVectors, bool isFar) {
  // Two loads start in a cycle, but many broadcasts from rows far apart were
  // measured to take longer, on AVX2 and AVX-512.
  constexpr double kLoadsPerCycle = 1.7;
  double updates = rows * numVectors / 2.0;
  double loads = (rows + numVectors) / kLoadsPerCycle;
  // Results of four cycles' latency, and something in hand: loads are not
  // always in time.
  constexpr double kLatency = 5;
  constexpr double kOverhead = 0.25;
  // Of a vector from the second cache, which is wider where vectors are.
  constexpr double kFarVector = 1.6;
  double transfer = isFar ? kFarVector * numVectors : 0;
  return std::max({updates, loads, kLatency, transfer}) + kOverhead;
}

/// Cycles of a tile of so many rows and columns.
static double getTileCycles(const TileProblem &problem, int64_t rows,
                            int64_t columns) {
  constexpr double kStart = 10, kStore = 1.5;
  // The last vector of a row, stored in pieces.
  constexpr double kPieces = 8;
  int64_t numVectors = llvm::divideCeil(columns, problem.lanes);
  bool isFar = problem.depth * columns > problem.nearColumns;
  double cycles = problem.depth * getStepCycles(rows, numVectors, isFar) +
                  kStart + kStore * rows * numVectors;
  if (columns % problem.lanes != 0 && !problem.hasMasks)
    cycles += kPieces * rows;
  return cycles;
}

/// Cycles of all rows of some columns.
static double getRowCycles(const TileProblem &problem, const TilePlan &plan,
                           int64_t columns) {
  int64_t outer = problem.outerRows.value_or(kMany);
  int64_t inner = problem.innerRows.value_or(kMany);
  auto tiles = [&](int64_t total, int64_t size, int64_t rowsPerUnit) {
    double cycles = static_cast<double>(total / size) *
                    getTileCycles(problem, size * rowsPerUnit, columns);
    if (total % size != 0)
      cycles += getTileCycles(problem, total % size * rowsPerUnit, columns);
    return cycles;
  };
  if (plan.outerRows > 1)
    return tiles(outer, plan.outerRows, inner);
  return outer * tiles(inner, plan.innerRows, 1);
}

/// Cycles of everything. The last columns take fewer vectors.
static double getCyclesOfRows(const TileProblem &problem,
                              const TilePlan &plan) {
  int64_t width = plan.numVectors * problem.lanes;
  int64_t columns = problem.columns.value_or(kMany), rest = columns % width;
  double cycles =
      static_cast<double>(columns / width) * getRowCycles(problem, plan, width);
  if (rest != 0)
    cycles += getRowCycles(problem, plan, rest);
  return cycles;
}

/// The same for an unknown number of rows. A batch is of one image as often as
/// it is of many.
static double getCycles(const TileProblem &problem, const TilePlan &plan) {
  if (problem.innerRows || problem.rowsOfImage == 0)
    return getCyclesOfRows(problem, plan);
  constexpr int64_t kImages = 16;
  TileProblem one = problem, several = problem;
  one.innerRows = problem.rowsOfImage;
  several.innerRows = problem.rowsOfImage * kImages;
  return kImages * getCyclesOfRows(one, plan) + getCyclesOfRows(several, plan);
}

TilePlan mlir::tir::planTile(const TileProblem &problem) {
  TilePlan best;
  double bestCycles = std::numeric_limits<double>::infinity();
  auto consider = [&](const TilePlan &plan) {
    int64_t rows = plan.outerRows * plan.innerRows;
    if (rows * plan.numVectors + plan.numVectors + 1 > problem.numRegisters)
      return;
    int64_t width = plan.numVectors * problem.lanes;
    if (problem.columnMultiple && problem.columnMultiple % width != 0)
      return;
    double cycles = getCycles(problem, plan);
    // At equal cycles, wider tiles read the rows less often.
    if (cycles <= bestCycles) {
      bestCycles = cycles;
      best = plan;
    }
  };

  int64_t maxRows = std::min(problem.numRegisters, problem.maxRows);
  for (int64_t numVectors = 1;
       numVectors <= std::min(kMaxVectors, problem.maxVectors); ++numVectors) {
    // No rows at all are as good as one.
    int64_t inner = std::max<int64_t>(problem.innerRows.value_or(kMany), 1);
    for (int64_t rows = 1; rows <= std::min(inner, maxRows); ++rows)
      consider({1, rows, numVectors});
    if (!problem.innerRows || inner > maxRows)
      continue;
    int64_t outer = problem.outerRows.value_or(kMany);
    for (int64_t groups = 2; groups <= std::min(outer, maxRows / inner);
         ++groups)
      consider({groups, inner, numVectors});
  }
  return best;
}
