//===- ContractionMakers.cpp - Columns that the kernel makes --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A weight of few bits becomes floats where it is multiplied: the columns of a
// tile, for a part of the reduction, lie in the first cache while all rows go
// through them. Made as a whole, a weight of 4096 by 4096 takes 13 ms to go to
// memory and back, as long as the products of 46 rows.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tir;

/// The one index of `map` that depends on `var`, which it is alone.
static std::optional<unsigned> getOwnIndex(AffineMap map, unsigned var) {
  std::optional<unsigned> own;
  for (auto [position, index] : llvm::enumerate(map.getResults())) {
    if (!index.isFunctionOfDim(var))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (own || !dim)
      return std::nullopt;
    own = position;
  }
  return own;
}

/// The layout with groups of `size` along dimension `position` outside, and
/// their members, if there are several, inside of the other dimensions.
static AffineMap putGroupsOutside(MLIRContext *context, unsigned rank,
                                  unsigned position, int64_t size) {
  AffineExpr index = getAffineDimExpr(position, context);
  SmallVector<AffineExpr> layout = {index.floorDiv(size)};
  for (unsigned other = 0; other != rank; ++other)
    if (other != position)
      layout.push_back(getAffineDimExpr(other, context));
  if (size != 1)
    layout.push_back(index % size);
  return AffineMap::get(rank, 0, layout, context);
}

/// The same for the constants that a weight is made from, in which its columns
/// are variable `column`.
static void layOutConstants(KernelSchedule &schedule, const BlockNest &maker,
                            unsigned column, int64_t size) {
  for (const BufferAccess &access : maker.accesses) {
    if (access.isWrite || !access.map || !hasFreeLayout(access.buffer))
      continue;
    std::optional<unsigned> own = getOwnIndex(*access.map, column);
    if (own && (*own != 0 || size != 1))
      (void)schedule.transformReadLayout(
          maker.block, access.buffer,
          putGroupsOutside(access.map->getContext(),
                           access.map->getNumResults(), *own, size));
  }
}

/// The variable of `maker` that index `position` of what it makes is.
static unsigned getMakerVar(const BlockNest &maker, unsigned position) {
  return cast<AffineDimExpr>(maker.getStore()->map->getResult(position))
      .getPosition();
}

LogicalResult mlir::tir::checkMaker(KernelSchedule &, BlockOp block) {
  return failure(succeeded(BlockNest::get(block)));
}

/// The block that makes the operand of constants, for this product alone.
static std::optional<BlockNest> getMaker(const BufferAccess &operand) {
  SmallVector<BlockOp> writers = getWriters(operand.buffer);
  if (writers.size() != 1)
    return std::nullopt;
  FailureOr<BlockNest> maker = BlockNest::get(writers.front());
  if (failed(maker) || !isWeightMaker(*maker))
    return std::nullopt;
  return *maker;
}

/// How much of the reduction is made at a time, for so many columns: whole
/// groups of what divides its variable in the indices, as blocks that have a
/// scale each, and as much as there is room for. 0 if that is none, or too
/// little to add up in registers.
int64_t Contraction::getMadePart(const BufferAccess &operand,
                                 int64_t width) const {
  constexpr int64_t kMaxBytes = 48 << 10, kMinPart = 16;
  std::optional<int64_t> extent = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/true)) {
    if (nest.getExtent(var) == 1)
      continue;
    if (extent != 1)
      return 0;
    extent = nest.getExtent(var);
  }
  int64_t unit = 1;
  for (AffineBinaryOpExpr division : getDivisions(*operand.map)) {
    auto size = dyn_cast<AffineConstantExpr>(division.getRHS());
    unit =
        size ? std::min(std::lcm(unit, size.getValue()), kMaxBytes) : kMaxBytes;
  }
  int64_t bytes =
      width *
      cast<MemRefType>(operand.buffer.getType()).getElementTypeBitWidth() / 8;
  int64_t part = 0;
  for (int64_t size = unit;
       extent && size <= *extent && size * bytes <= kMaxBytes; size += unit)
    if (*extent % size == 0 && (size >= kMinPart || size == *extent))
      part = size;
  return part;
}

bool Contraction::canMakeColumns(const BufferAccess &operand,
                                 unsigned var) const {
  return operand.map && getOwnIndex(*operand.map, var) && getMaker(operand) &&
         getMadePart(operand, lanes) != 0;
}

void Contraction::chooseMadePart() {
  if (packing != Packing::MakeColumns)
    return;
  int64_t part = getMadePart(right, plan.numVectors * lanes);
  storesPartialSums = part != nest.getExtent(reduction.back());
  reductionPart = storesPartialSums ? part : 0;
}

/// Makes the columns in `loop`, side by side, from constants that lie likewise,
/// some steps at once.
void Contraction::placeMaker(ForOp loop) {
  // (The product has other loops now.)
  BlockOp maker = getWriters(right.buffer).front();
  MLIRContext *context = maker.getContext();
  int64_t width = plan.numVectors * lanes;
  unsigned position = *getOwnIndex(*right.map, column);
  BlockNest made = *BlockNest::get(maker);
  unsigned lane = getMakerVar(made, position);
  layOutConstants(schedule, made, lane, width);
  // Where there is no loop, all of it is made before, likewise.
  bool isInLoop = loop && succeeded(schedule.computeAt(maker, loop));
  (void)schedule.transformWriteLayout(
      maker, right.buffer,
      putGroupsOutside(context, right.map->getNumResults(), position, width));
  if (!isInLoop)
    return;
  ForOp laneLoop = getLoopOf(maker, lane);
  if (!laneLoop || !loop->isProperAncestor(laneLoop))
    return;
  SmallVector<ForOp> order;
  for (ForOp inner : maker.getLoops())
    if (loop->isProperAncestor(inner) && inner != laneLoop)
      order.push_back(inner);
  constexpr int64_t kSteps = 4;
  unsigned numTiled = 1;
  if (!order.empty() &&
      order.back().getConstantExtent().value_or(1) % kSteps == 0) {
    SmallVector<ForOp> parts =
        schedule.split(order.back(), {kInferFactor, kSteps});
    order.back() = parts[0];
    order.push_back(parts[1]);
    numTiled = 2;
  }
  order.push_back(laneLoop);
  if (order.size() > 1)
    (void)schedule.reorder(order);
  if (laneLoop.getConstantExtent() == width)
    schedule.deferTensorize(maker, Intrinsic::RegisterTile, numTiled);
  else
    (void)schedule.vectorize(laneLoop);
}

//===----------------------------------------------------------------------===//
// One row
//===----------------------------------------------------------------------===//

/// What the reduction variable `var` is divided by in the indices of the block;
/// 0 if that is nothing, or several numbers.
static int64_t getDivisor(const BlockNest &nest, unsigned var) {
  int64_t divisor = 0;
  for (const BufferAccess &access : nest.accesses) {
    if (!access.map)
      return 0;
    for (AffineBinaryOpExpr division : getDivisions(*access.map)) {
      auto size = dyn_cast<AffineConstantExpr>(division.getRHS());
      auto dim = dyn_cast<AffineDimExpr>(division.getLHS());
      if (!size || !dim || dim.getPosition() != var ||
          (divisor != 0 && divisor != size.getValue()))
        return 0;
      divisor = size.getValue();
    }
  }
  return divisor;
}

LogicalResult mlir::tir::scheduleMadeRow(KernelSchedule &schedule,
                                         const BlockNest &nest) {
  std::optional<SumOfProducts> sum = matchSumOfProducts(nest);
  if (!sum)
    return failure();
  std::optional<BlockNest> maker = getMaker(sum->right);
  BufferAccess weight = sum->right;
  if (!maker) {
    maker = getMaker(sum->left);
    weight = sum->left;
  }
  if (!maker || !weight.map)
    return failure();
  // One row, and one variable each of columns and of the reduction.
  std::optional<unsigned> column, term;
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    if (nest.getExtent(var) == 1)
      continue;
    std::optional<unsigned> &role = nest.isReduce(var) ? term : column;
    if (role || !nest.getExtent(var) || !dependsOn(weight, var))
      return failure();
    role = var;
  }
  std::optional<unsigned> own =
      column && term ? getOwnIndex(*weight.map, *column) : std::nullopt;
  if (!own)
    return failure();
  BlockOp block = nest.block;
  layOutConstants(schedule, *maker, getMakerVar(*maker, *own), /*size=*/1);
  if (failed(schedule.computeInline(maker->block)))
    return failure();
  FailureOr<BlockNest> row = BlockNest::get(block);
  if (failed(row))
    return failure();
  if (int64_t size = getDivisor(*row, *term); size > 1) {
    SmallVector<AffineExpr> layout;
    for (unsigned var = 0; var != row->getNumVars(); ++var) {
      AffineExpr dim = getAffineDimExpr(var, block.getContext());
      if (var == *term) {
        layout.push_back(dim.floorDiv(size));
        dim = dim % size;
      }
      layout.push_back(dim);
    }
    (void)schedule.transformBlockLayout(
        block,
        AffineMap::get(row->getNumVars(), 0, layout, block.getContext()));
    row = BlockNest::get(block);
  }
  return failed(row) ? failure()
                     : scheduleRowReduction(schedule, std::move(*row));
}
