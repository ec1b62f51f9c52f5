//===- RowSteps.cpp - Kernels of several steps along rows -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSteps.h"

using namespace mlir;
using namespace mlir::tir;

/// Whether what `step` reads of `earlier` is of the same row: each variable of
/// rows is the same index of the buffer on both sides.
static bool readsSameRow(const BlockNest &step, const BlockNest &earlier,
                         unsigned numRows) {
  const BufferAccess &store = *earlier.getStore();
  for (const BufferAccess &access : step.accesses) {
    if (access.isWrite || access.buffer != store.buffer)
      continue;
    for (unsigned var = 0; var != numRows; ++var) {
      if (step.getExtent(var) == 1)
        continue;
      auto isVar = [&](AffineExpr index) {
        auto dim = dyn_cast<AffineDimExpr>(index);
        return dim && dim.getPosition() == var;
      };
      if (!access.map || llvm::none_of(llvm::zip(store.map->getResults(),
                                                 access.map->getResults()),
                                       [&](auto indices) {
                                         auto [written, read] = indices;
                                         return isVar(written) && isVar(read);
                                       }))
        return false;
    }
  }
  return true;
}

std::optional<RowSteps> mlir::tir::matchRowSteps(PrimFuncOp kernel) {
  SmallVector<BlockOp, 6> blocks = kernel.getBlocks();
  llvm::erase_if(blocks, isCheck);
  if (blocks.size() < 2)
    return std::nullopt;
  FailureOr<BlockNest> last = BlockNest::get(blocks.back());
  if (failed(last) || last->isReduction())
    return std::nullopt;

  // The rows: leading variables that every step has as well.
  RowSteps result;
  result.numRows = last->getNumVars();
  for (BlockOp block : blocks) {
    FailureOr<BlockNest> nest = BlockNest::get(block);
    if (failed(nest) || !nest->getStore() || !nest->getStore()->map)
      return std::nullopt;
    if (nest->isReduction()) {
      // What is reduced is contiguous, or lanes across rows would be better.
      SmallVector<unsigned> reduce = nest->getVars(/*isReduce=*/true);
      bool isRow = llvm::any_of(nest->accesses, [&](const auto &access) {
        return !access.isWrite && isContiguous(access, reduce.back());
      });
      if (!isRow)
        return std::nullopt;
      result.numRows = std::min<unsigned>(result.numRows, reduce.front());
    }
    result.work += nest->getWork();
    result.steps.push_back(std::move(*nest));
  }
  bool hasReduction = llvm::any_of(
      result.steps, [](const BlockNest &nest) { return nest.isReduction(); });
  if (!hasReduction || result.numRows == 0 ||
      result.numRows == last->getNumVars())
    return std::nullopt;
  for (const BlockNest &step : result.steps) {
    if (step.getNumVars() < result.numRows)
      return std::nullopt;
    for (unsigned var = 0; var != result.numRows; ++var)
      if (step.isReduce(var) || step.getExtent(var) != last->getExtent(var))
        return std::nullopt;
  }
  // Sizes alone do not tell: of square matrices a transposed one has as many
  // rows, and other rows need all of it.
  for (size_t i = 0; i != result.steps.size(); ++i)
    for (size_t j = 0; j != i; ++j)
      if (!readsSameRow(result.steps[i], result.steps[j], result.numRows))
        return std::nullopt;
  return result;
}
