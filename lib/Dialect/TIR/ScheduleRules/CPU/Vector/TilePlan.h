//===- TilePlan.h - Sizes of register tiles ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers only, no IR.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_TILEPLAN_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_TILEPLAN_H

#include "mlir/Support/LLVM.h"

#include <limits>
#include <optional>

namespace mlir::tir {

/// The extents that a register tile of a product covers. Absent ones are not
/// known.
struct TileProblem {
  /// Rows: `outer` groups of `inner`. A tile takes a part of one group, or
  /// several whole groups.
  std::optional<int64_t> outerRows = 1;
  std::optional<int64_t> innerRows = 1;
  std::optional<int64_t> columns = 1;
  /// The rows of one image of a batch, if inner rows are those of an unknown
  /// number of images; else 0, and there are many.
  int64_t rowsOfImage = 0;
  /// Steps of the reduction.
  double depth = 1;
  int64_t lanes = 1;
  int64_t numRegisters = 16;
  /// Steps times columns that stay in the first cache while rows pass by.
  double nearColumns = std::numeric_limits<double>::infinity();
  /// Whether a part of a vector is stored as fast as all of it.
  bool hasMasks = true;
  /// Rows at distances that only the run time knows need a general register
  /// each, of which there are 16 or so.
  int64_t maxRows = std::numeric_limits<int64_t>::max();
  /// Vectors of columns that there is room for.
  int64_t maxVectors = std::numeric_limits<int64_t>::max();
  /// The number of columns that one vector tile must divide; 0 for any.
  int64_t columnMultiple = 0;
};

struct TilePlan {
  /// Groups and rows of a group in one tile. `outerRows` > 1 only with all rows
  /// of a group.
  int64_t outerRows = 1;
  int64_t innerRows = 1;
  /// Vectors of columns in one tile.
  int64_t numVectors = 1;
};

/// The tile with the fewest cycles for the whole problem, in a model of a core
/// that starts two multiply-adds and two loads per cycle and waits four cycles
/// for a result. Broadcasts and columns need registers beside the results.
TilePlan planTile(const TileProblem &problem);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_TILEPLAN_H
