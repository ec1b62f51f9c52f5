//===- SmallGroups.cpp - Products of groups of few channels ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[.., g, o] += data[.., g * c + i] * weight[g, o, i, ..]: a convolution of
// so many groups that the outputs of one are a small part of a vector. Lanes
// are groups: in each operand they are laid out side by side, where that is
// free or the kernel writes the operand itself, and what is left is a reduction
// with results side by side.
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

using namespace mlir;
using namespace mlir::tir;

/// The layout with elements of consecutive `group`s next to each other: the one
/// index with `group * size + rest`, 0 <= rest < size, becomes `rest`, and the
/// group comes last. Null if there is no such index.
static AffineMap putGroupsLast(const BlockNest &nest,
                               const BufferAccess &access, unsigned group) {
  std::optional<unsigned> position;
  int64_t size = 0;
  for (auto [index, expr] : llvm::enumerate(access.map->getResults())) {
    if (!expr.isFunctionOfDim(group))
      continue;
    LinearSum sum = LinearSum::get(expr);
    if (position || sum.constant != 0)
      return {};
    position = index;
    int64_t largest = 0;
    for (auto [term, coefficient] : sum.terms) {
      auto dim = dyn_cast<AffineDimExpr>(term);
      if (!dim || coefficient < 0)
        return {};
      if (dim.getPosition() == group) {
        size = coefficient;
        continue;
      }
      std::optional<int64_t> extent = nest.getExtent(dim.getPosition());
      if (!extent)
        return {};
      largest += coefficient * (*extent - 1);
    }
    if (size <= largest)
      return {};
  }
  if (!position)
    return {};
  return putLast(access.map->getContext(), access.map->getNumResults(),
                 *position, size);
}

/// The variable of the groups, if the columns of one group are a small part of
/// a vector, and there are enough groups to fill one.
static std::optional<unsigned>
findGroups(const BlockNest &nest, const SumOfProducts &sum, int64_t lanes) {
  std::optional<unsigned> group;
  int64_t columns = 1, rows = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    bool inLeft = dependsOn(sum.left, var), inRight = dependsOn(sum.right, var);
    std::optional<int64_t> extent = nest.getExtent(var);
    if (inLeft && inRight) {
      if (extent != 1 && group)
        return std::nullopt;
      if (extent.value_or(0) >= lanes)
        group = var;
    } else if (inRight) {
      columns *= extent.value_or(lanes);
    } else {
      rows *= nest.guessExtent(var);
    }
  }
  return columns < lanes / 2 && rows > 1 ? group : std::nullopt;
}

LogicalResult mlir::tir::scheduleSmallGroups(KernelSchedule &schedule,
                                             BlockNest nest) {
  std::optional<SumOfProducts> sum = matchSumOfProducts(nest);
  if (!sum)
    return failure();
  if (hasFreeLayout(sum->left.buffer))
    std::swap(sum->left, sum->right);
  int64_t lanes = schedule.getLanes(
      cast<MemRefType>(sum->out.buffer.getType()).getElementType());
  std::optional<unsigned> group = findGroups(nest, *sum, lanes);
  if (!group || !hasFreeLayout(sum->right.buffer))
    return failure();
  AffineMap data = putGroupsLast(nest, sum->left, *group);
  AffineMap weight = putGroupsLast(nest, sum->right, *group);
  AffineMap out = putGroupsLast(nest, sum->out, *group);
  SmallVector<BlockOp> writers = getWriters(sum->left.buffer);
  if (!data || !weight || !out || !sum->out.buffer.getDefiningOp() ||
      writers.size() > 1)
    return failure();

  BlockOp block = nest.block;
  if (failed(schedule.transformWriteLayout(block, sum->out.buffer, out)) ||
      failed(schedule.transformReadLayout(block, sum->right.buffer, weight)))
    return failure();
  // Data of others is copied.
  Value buffer = sum->left.buffer;
  BlockOp writer = writers.empty() ? schedule.cacheRead(block, buffer, "global")
                                   : writers.front();
  if (writer)
    (void)schedule.transformWriteLayout(
        writer, getWrittenBuffers(writer).front(), data);
  FailureOr<BlockNest> changed = BlockNest::get(block);
  if (failed(changed))
    return failure();
  return scheduleSpatialReduction(schedule, std::move(*changed));
}
