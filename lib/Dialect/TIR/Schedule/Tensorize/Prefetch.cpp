//===- Prefetch.cpp - Columns of the next tiles ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefetch.h"
#include "../ScheduleSupport.h"

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tir;

/// Smaller buffers are in a near cache since the last time.
static constexpr int64_t kMinBytes = 1 << 20;
/// With fewer tiles per piece there is not enough to do meanwhile.
static constexpr int64_t kMinTiles = 4;

/// The size of what `position` runs through within a tile, if that is
/// contiguous; else 0.
static int64_t getContiguousSize(const NestedBlock &nest, AffineExpr position) {
  SmallVector<std::pair<int64_t, int64_t>> strides;
  for (unsigned dim = 0; dim != nest.loops.size(); ++dim) {
    if (!NestedBlock::dependsOn(position, dim))
      continue;
    std::optional<int64_t> stride = NestedBlock::getStride(position, dim);
    std::optional<int64_t> extent = ForOp(nest.loops[dim]).getConstantExtent();
    if (!stride || !extent)
      return 0;
    strides.push_back({*stride, *extent});
  }
  llvm::sort(strides);
  int64_t size = 1;
  for (auto [stride, extent] : strides) {
    if (stride != size)
      return 0;
    size *= extent;
  }
  return size;
}

std::optional<Prefetch> Prefetch::plan(NestedBlock &nest,
                                       const TileShape &shape) {
  Prefetch prefetch;
  prefetch.shape = &shape;
  AffineExpr position;
  MLIRContext *context = nest.block.getContext();
  auto isStreamed = [&](Operation *op) {
    if (!isa<affine::AffineLoadOp, memref::LoadOp>(op))
      return false;
    auto arg = dyn_cast<BlockArgument>(op->getOperand(0));
    if (!arg || !isa<PrimFuncOp>(arg.getOwner()->getParentOp()))
      return false;
    auto type = cast<MemRefType>(arg.getType());
    position = nest.getLinearIndex(op);
    return position && type.hasStaticShape() &&
           type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
               kMinBytes &&
           NestedBlock::getStride(position, shape.laneLoop) == 1 &&
           getContiguousSize(nest, position) != 0;
  };
  WalkResult result = nest.block.getBody()->walk([&](Operation *op) {
    prefetch.load = op;
    return isStreamed(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (shape.reduceLoops.empty() || !result.wasInterrupted())
    return std::nullopt;
  prefetch.size = getContiguousSize(nest, position);
  std::optional<int64_t> stepSize =
      NestedBlock::getStride(position, shape.reduceLoops.back());
  // What is read in several places at a time keeps the hardware busy enough:
  // steps from one place to the next one are no steps forward.
  if (!stepSize || *stepSize <= 0 || *stepSize > shape.laneExtent)
    return std::nullopt;
  prefetch.stepSize = *stepSize;

  LinearSum sum = LinearSum::get(position);
  prefetch.tile = getAffineConstantExpr(0, context);
  for (ForOp loop = ForOp(nest.loops.front()).getParentLoop(); loop;
       loop = loop.getParentLoop()) {
    std::optional<int64_t> extent = loop.getConstantExtent();
    AffineExpr symbol = nest.findSymbol(loop);
    if (!symbol)
      return std::nullopt;
    if (!position.isFunctionOfSymbol(
            cast<AffineSymbolExpr>(symbol).getPosition())) {
      // Of an unknown number of tiles, as many share the work as there are at
      // least, such as those of one image of a batch; or a few: fewer tiles
      // than that leave a part to the hardware.
      int64_t number = extent.value_or(
          std::max(guessSize(loop.getUpperBound(), 1), kMinTiles));
      prefetch.tile = prefetch.tile +
                      (extent ? symbol : symbol % number) * prefetch.numTiles;
      prefetch.numTiles *= number;
      continue;
    }
    for (auto [term, coefficient] : sum.terms)
      if (term == symbol)
        prefetch.distance = coefficient;
    break;
  }
  prefetch.isShared =
      prefetch.numTiles >= kMinTiles && prefetch.distance >= prefetch.size;
  return prefetch;
}

unsigned Prefetch::getDepth() const { return shape->reduceLoops.size() - 1; }

void Prefetch::emit(OpBuilder &builder, TileEmitter &emitter,
                    ArrayRef<AffineExpr> point, int64_t numSteps) const {
  Value buffer = load->getOperand(0);
  auto type = cast<MemRefType>(buffer.getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t lineSize = kLineBytes / elementBytes;
  int64_t numLines = llvm::divideCeil(numSteps * stepSize, lineSize);
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> start(point.size(),
                                getAffineConstantExpr(0, context));
  AffineExpr origin = emitter.getPosition(load, start);
  for (unsigned loop : ArrayRef(shape->reduceLoops).take_front(getDepth() + 1))
    start[loop] = point[loop];
  AffineExpr position = emitter.getPosition(load, start);
  AffineExpr target = position + kBytesAhead / elementBytes;
  if (isShared) {
    int64_t numIterations = llvm::divideCeil(size, numSteps * stepSize);
    int64_t linesPerTile = llvm::divideCeil(size, numTiles * lineSize);
    numLines = llvm::divideCeil(linesPerTile, numIterations);
    AffineExpr iteration = (position - origin).floorDiv(numSteps * stepSize);
    target = origin + distance + tile * (linesPerTile * lineSize) +
             iteration * (numLines * lineSize);
  }
  Location loc = load->getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value view = emitter.getFlatView(buffer);
  // Past the end there is nothing.
  Value first = arith::MinSIOp::create(
      builder, loc, emitter.emitIndex(builder, target),
      constant(type.getNumElements() - numLines * lineSize));
  for (int64_t line = 0; line != numLines; ++line) {
    Value index =
        arith::AddIOp::create(builder, loc, first, constant(line * lineSize));
    // To the second cache: there is more than fits in the first.
    memref::PrefetchOp::create(builder, loc, view, index, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}
