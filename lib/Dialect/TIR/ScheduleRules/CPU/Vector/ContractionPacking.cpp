//===- ContractionPacking.cpp - Operands of products, copied --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tir;

/// The size of the groups of `var` that share an index of the operand with
/// another variable, as the outputs of a grouped convolution do, if these are
/// no multiple of `size`: g * groupSize + var. Otherwise 0.
int64_t Contraction::getGroupSize(AffineExpr index, unsigned var,
                                  int64_t size) const {
  if (!index.isFunctionOfDim(var))
    return 0;
  int64_t group = 0;
  for (auto [term, coefficient] : LinearSum::get(index).terms)
    if (coefficient != 1)
      group = group ? std::gcd(group, coefficient) : coefficient;
  return group % size != 0 && group == nest.getExtent(var) ? group : 0;
}

/// Whether each index of the operand is one variable, or, for `var`, a
/// multiple of `size` or of all of `var` more.
bool Contraction::canPack(const BufferAccess &operand, unsigned var,
                          int64_t size) const {
  bool found = false;
  for (AffineExpr index : operand.map->getResults()) {
    if (isa<AffineConstantExpr>(index))
      continue;
    LinearSum sum = LinearSum::get(index);
    if (sum.constant != 0)
      return false;
    int64_t group = getGroupSize(index, var, size);
    for (auto [term, coefficient] : sum.terms) {
      if (!isa<AffineDimExpr>(term))
        return false;
      if (coefficient != 1 && !group &&
          (!index.isFunctionOfDim(var) || coefficient % size != 0))
        return false;
    }
    int64_t numUnit =
        llvm::count_if(sum.terms, [](auto &term) { return term.second == 1; });
    if (numUnit != 1)
      return false;
    found |= index.isFunctionOfDim(var);
  }
  return found;
}

/// Batch dimensions, then groups of `size` of `var`, then the reduction in
/// loop order, then the members of a group.
AffineMap Contraction::getPackedLayout(const BufferAccess &operand,
                                       unsigned var, int64_t size,
                                       bool splitsReduction) const {
  MLIRContext *context = schedule.getKernel().getContext();
  AffineMap map = *operand.map;
  SmallVector<AffineExpr> batch, groups, members, reduce;
  SmallVector<bool> isDone(map.getNumResults());
  auto dim = [&](unsigned position) {
    isDone[position] = true;
    return getAffineDimExpr(position, context);
  };
  for (unsigned position = 0; position != map.getNumResults(); ++position)
    if (map.getResult(position).isFunctionOfDim(var)) {
      AffineExpr index = dim(position);
      if (int64_t group = getGroupSize(map.getResult(position), var, size)) {
        batch.push_back(index.floorDiv(group));
        index = index % group;
      }
      groups.push_back(index.floorDiv(size));
      members.push_back(index % size);
    }
  unsigned innermost = reduction.back();
  for (unsigned reduceVar : reduction)
    for (unsigned position = 0; position != map.getNumResults(); ++position) {
      if (isDone[position] ||
          !map.getResult(position).isFunctionOfDim(reduceVar))
        continue;
      AffineExpr index = dim(position);
      if (splitsReduction && reduceVar == innermost && reductionPart) {
        reduce.insert(reduce.begin(), index.floorDiv(reductionPart));
        index = index % reductionPart;
      }
      reduce.push_back(index);
    }
  for (unsigned position = 0; position != map.getNumResults(); ++position)
    if (!isDone[position])
      batch.push_back(dim(position));
  llvm::append_range(batch, groups);
  llvm::append_range(batch, reduce);
  llvm::append_range(batch, members);
  return AffineMap::get(map.getNumResults(), 0, batch, context);
}

/// Whether so many rows go through columns that lie far apart that copying
/// these columns first takes less time than reading every row's in another
/// page, or in the same lines of the first cache, or across two lines.
bool Contraction::paysToCopyColumns(int64_t width) const {
  constexpr double kMinRows = 64, kManyRows = 512, kMinDepth = 64,
                   kMinBytes = 128 << 10;
  constexpr int64_t kMinStrideBytes = 512, kLineBytes = 64, kNumSets = 64,
                    kNumWays = 8;
  auto type = cast<MemRefType>(right.buffer.getType());
  if (packing != Packing::None || reduction.empty() || !type.hasStaticShape() ||
      !canPack(right, column, width))
    return false;
  double depth = getNumIterations(Role::Reduce);
  std::optional<int64_t> stride = getStride(right, reduction.back());
  if (!stride || getNumIterations(Role::Row) < kMinRows || depth < kMinDepth)
    return false;
  int64_t bytes = *stride * type.getElementTypeBitWidth() / 8;
  // (A few steps are in as many pages as there are translations at hand.)
  if (bytes >= kMinStrideBytes && depth > kMinDepth &&
      getBytesOf(right, Role::Column) >= kMinBytes)
    return true;
  if (bytes % kLineBytes != 0 && getNumIterations(Role::Row) >= kManyRows)
    return true;
  // The rows need lines, too; a few columns are read anew soon enough, but not
  // for many rows: 2048x2048x64 took 1.15 times as long.
  int64_t apart = std::gcd(bytes, kLineBytes * kNumSets) / kLineBytes;
  double panelBytes =
      getBytesOf(right, Role::Column) * width / getNumIterations(Role::Column);
  return apart > 1 && depth > kNumSets / apart * kNumWays / 2 &&
         (panelBytes >= getCPU(schedule).getCacheSizes().l1 / 4 ||
          getNumIterations(Role::Row) >= kManyRows);
}

/// Whether a thread has room for the columns of a tile beside its results, and
/// there are enough tiles of columns for all threads.
bool Contraction::canCopyInLoop(int64_t width) const {
  constexpr double kMaxBytes = 48 << 10, kMinTiles = 16;
  double tiles = llvm::divideCeil(nest.guessExtent(column), width);
  double columns =
      getBytesOf(right, Role::Column) * width / getNumIterations(Role::Column);
  // Else blocks of rows stay where they are near, and all columns pass by.
  double rows = getBytesOf(left, Role::Row);
  return nest.getExtent(column) > width && columns <= kMaxBytes &&
         tiles * getNumIterations(Role::Batch) >= kMinTiles &&
         rows <= 2 * getCPU(schedule).getCacheSizes().l2;
}

BlockOp Contraction::copyOperand(const BufferAccess &operand) {
  return schedule.cacheRead(nest.block, operand.buffer, "global");
}

void Contraction::layOutCopy(BlockOp copy, const BufferAccess &operand,
                             unsigned var, int64_t size) {
  Value packed = getWrittenBuffers(copy).front();
  (void)schedule.transformWriteLayout(
      copy, packed,
      getPackedLayout(operand, var, size, /*splitsReduction=*/false));
}

void Contraction::packColumns() {
  int64_t width = plan.numVectors * lanes;
  if (paysToCopyColumns(width))
    packing = canCopyInLoop(width) ? Packing::CopyColumns : Packing::Copy;
  if (packing == Packing::Layout &&
      failed(schedule.transformReadLayout(
          nest.block, right.buffer,
          getPackedLayout(right, column, width, /*splitsReduction=*/true))))
    packing = Packing::Copy;
  if (packing == Packing::CopyColumns) {
    columnCopy = copyOperand(right);
    // The columns are near in all of the reduction.
    if (columnCopy && storesPartialSums) {
      storesPartialSums = false;
      reductionPart = 0;
    }
  }
  if (packing == Packing::Copy)
    if (BlockOp copy = copyOperand(right))
      layOutCopy(copy, right, column, width);
}

/// Whether a block of rows is copied where it begins to be used. A copy of all
/// rows that the last cache has no room for comes from memory once more.
bool Contraction::canCopyRowsInLoop() const {
  return blocksReduction && isContiguous(left, reduction.back()) &&
         left.map->getNumResults() >= 2 &&
         left.map->getResults().drop_back().back().isFunctionOfDim(
             rows.front()) &&
         getBytesOf(left, Role::Row) >
             getCPU(schedule).getCacheSizes().l3 / 2.0;
}

/// A group of few of a pixel's channels reads a line or two of each page, and
/// of the same sets of the first cache. Where the kernel writes the data
/// itself, as a padded image, all pixels of a group lie together: a window of
/// 3x3 over 7x7 pixels of 32 groups of 32 channels took a third of the time.
bool Contraction::gatherGroups() {
  constexpr int64_t kMinBytes = 2048;
  auto allocation = left.buffer.getDefiningOp<AllocBufferOp>();
  SmallVector<BlockOp> writers = getWriters(left.buffer);
  if (!allocation || writers.size() != 1 || rows.empty())
    return false;
  MemRefType type = allocation.getType();
  unsigned last = type.getRank() - 1;
  if (type.getRank() < 3 || type.isDynamicDim(last) ||
      type.getShape().back() * type.getElementTypeBitWidth() / 8 < kMinBytes ||
      !left.map->getResult(last - 1).isFunctionOfDim(rows.back()))
    return false;
  int64_t size = 0;
  for (auto [term, coefficient] :
       LinearSum::get(left.map->getResults().back()).terms) {
    auto dim = dyn_cast<AffineDimExpr>(term);
    if (dim && roles[dim.getPosition()] == Role::Batch)
      size = coefficient;
  }
  if (size <= 1 || type.getShape().back() % size != 0)
    return false;
  MLIRContext *context = type.getContext();
  AffineExpr channel = getAffineDimExpr(last, context);
  SmallVector<AffineExpr> layout = {channel.floorDiv(size)};
  for (unsigned axis = 0; axis != last; ++axis)
    layout.push_back(getAffineDimExpr(axis, context));
  layout.push_back(channel % size);
  return succeeded(schedule.transformWriteLayout(
      writers.front(), left.buffer,
      AffineMap::get(last + 1, 0, layout, context)));
}

/// Rows that are a multiple of a page, or half of one, apart compete for the
/// same cache lines.
void Contraction::packRows() {
  // Weights come with activations that were stored just before; a copy of few
  // rows drives others out of the caches, and BERT's kernels got no faster.
  constexpr int64_t kAliasBytes = 2048, kMinRows = 4, kMinRowsOfWeights = 8;
  if (rows.size() != 1 ||
      plan.innerRows <
          (packing == Packing::Layout ? kMinRowsOfWeights : kMinRows))
    return;
  int64_t width = plan.numVectors * lanes;
  std::optional<int64_t> stride = getStride(left, rows.front());
  std::optional<int64_t> extent = nest.getExtent(rows.front());
  auto type = cast<MemRefType>(left.buffer.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (!stride || !extent || *stride * bytes % kAliasBytes != 0 ||
      nest.guessExtent(column) < 8 * width ||
      !canPack(left, rows.front(), plan.innerRows) || !type.hasStaticShape())
    return;
  BlockOp copy = copyOperand(left);
  if (copy && canCopyRowsInLoop())
    rowCopy = copy;
  else if (copy)
    layOutCopy(copy, left, rows.front(), plan.innerRows);
}

/// Copies the columns of a tile in the loop over tiles.
void Contraction::placeColumnCopy(ForOp loop) {
  if (!columnCopy)
    return;
  bool isInLoop = succeeded(schedule.computeAt(columnCopy, loop));
  layOutCopy(columnCopy, right, column, plan.numVectors * lanes);
  // Where it was, it is a block like others.
  if (isInLoop)
    (void)schedule.vectorize(columnCopy.getLoops().back());
}

/// Copies a block of rows in the loop over parts of the reduction, by squares
/// of registers, which are transposed.
void Contraction::placeRowCopy(ForOp loop) {
  bool isInLoop = loop && succeeded(schedule.computeAt(rowCopy, loop));
  layOutCopy(rowCopy, left, rows.front(), plan.innerRows);
  // Where it was, it is a block like others.
  if (!isInLoop)
    return;
  SmallVector<ForOp, 6> loops = rowCopy.getLoops();
  SmallVector<ForOp> rowParts =
      schedule.split(loops[loops.size() - 2], {kInferFactor, plan.innerRows});
  SmallVector<ForOp> laneParts =
      schedule.split(loops.back(), {kInferFactor, lanes});
  if (rowParts.empty() || laneParts.empty())
    return;
  if (succeeded(schedule.reorder(
          {rowParts[0], laneParts[0], rowParts[1], laneParts[1]})))
    schedule.deferTensorize(rowCopy, Intrinsic::RegisterTile);
}
