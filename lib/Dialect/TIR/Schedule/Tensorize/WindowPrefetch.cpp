//===- WindowPrefetch.cpp - Data under the next windows -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowPrefetch.h"
#include "../ScheduleSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tir;

/// Smaller data is in a cache since it was made.
static constexpr int64_t kMinBytes = 2 << 20;
/// What is prefetched stays in the second cache until it is read, beside as
/// much again.
static constexpr int64_t kMaxBytesAhead = 128 << 10;
/// Of larger windows each line is used so often that waiting for it is little.
static constexpr int64_t kMaxLines = 32;

/// The position of the data of a window: vectors of it are contiguous, and it
/// moves with the rows of the tile. Null for other loads.
static AffineExpr getWindowPosition(NestedBlock &nest, const TileShape &shape,
                                    Operation *op) {
  if (!isa<affine::AffineLoadOp, memref::LoadOp>(op))
    return {};
  auto arg = dyn_cast<BlockArgument>(op->getOperand(0));
  if (!arg || !isa<PrimFuncOp>(arg.getOwner()->getParentOp()))
    return {};
  auto type = cast<MemRefType>(arg.getType());
  if (!type.getElementType().isIntOrFloat())
    return {};
  // Of an unknown number of images, a few.
  constexpr int64_t kImages = 4;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? kImages : size;
  if (bytes < kMinBytes)
    return {};
  AffineExpr position = nest.getLinearIndex(op);
  if (!position || NestedBlock::getStride(position, shape.laneLoop) != 1)
    return {};
  auto moves = [&](unsigned loop) {
    return NestedBlock::getStride(position, loop).value_or(0) > 0;
  };
  // Each loop moves it, by constants: else it is read again, and is there.
  bool isWindow = llvm::all_of(shape.rowLoops, moves) &&
                  llvm::all_of(shape.reduceLoops, [&](unsigned loop) {
                    return NestedBlock::getStride(position, loop).has_value();
                  });
  return isWindow && llvm::any_of(shape.reduceLoops, moves) ? position
                                                            : AffineExpr();
}

/// By how much the position grows from one row of windows to the next one: with
/// the loop around the tile that makes the largest steps of which what is
/// prefetched is not too much. 0 if there is none.
static int64_t getRowStep(NestedBlock &nest, AffineExpr position,
                          int64_t maxStep) {
  int64_t step = 0;
  LinearSum sum = LinearSum::get(position);
  for (ForOp loop = ForOp(nest.loops.front()).getParentLoop(); loop;
       loop = loop.getParentLoop()) {
    AffineExpr symbol = nest.findSymbol(loop);
    for (auto [term, coefficient] : sum.terms)
      if (term == symbol && coefficient <= maxStep)
        step = std::max(step, coefficient);
  }
  return step;
}

std::optional<WindowPrefetch> WindowPrefetch::plan(NestedBlock &nest,
                                                   const TileShape &shape) {
  if (shape.rowLoops.empty() || shape.reduceLoops.empty())
    return std::nullopt;
  WindowPrefetch prefetch;
  AffineExpr position;
  nest.block.getBody()->walk([&](Operation *op) {
    AffineExpr found = getWindowPosition(nest, shape, op);
    if (!found)
      return WalkResult::advance();
    prefetch.load = op;
    position = found;
    return WalkResult::interrupt();
  });
  if (!position)
    return std::nullopt;

  auto type = cast<MemRefType>(prefetch.load->getOperand(0).getType());
  int64_t elementBytes =
      llvm::divideCeil(type.getElementTypeBitWidth(), int64_t(8));
  int64_t lineSize = kLineBytes / elementBytes;
  int64_t rowStep = getRowStep(nest, position, kMaxBytesAhead / elementBytes);
  if (rowStep == 0)
    return std::nullopt;
  // From the first element of the tile to those of a row, a step of the
  // reduction, and a lane.
  SmallVector<int64_t> starts{0};
  auto add = [&](int64_t stride, int64_t extent) {
    SmallVector<int64_t> next;
    for (int64_t start : starts)
      for (int64_t index = 0; index != extent; ++index)
        next.push_back(start + index * stride);
    starts = std::move(next);
  };
  for (auto [loop, extent] : llvm::zip_equal(shape.rowLoops, shape.rowExtents))
    add(*NestedBlock::getStride(position, loop), extent);
  for (unsigned loop : shape.reduceLoops) {
    std::optional<int64_t> extent = ForOp(nest.loops[loop]).getConstantExtent();
    constexpr int64_t kMaxExtent = 16;
    if (!extent || *extent > kMaxExtent || starts.size() > 1024)
      return std::nullopt;
    add(*NestedBlock::getStride(position, loop), *extent);
  }
  llvm::SetVector<int64_t> own, next;
  for (int64_t start : starts)
    for (int64_t lane = 0; lane < shape.numLanes; lane += lineSize) {
      own.insert(llvm::divideFloorSigned(start + lane, lineSize));
      next.insert(llvm::divideFloorSigned(start + lane + rowStep, lineSize));
    }
  for (int64_t line : next)
    if (!own.contains(line))
      prefetch.lines.push_back(line * lineSize);
  if (prefetch.lines.empty() ||
      static_cast<int64_t>(prefetch.lines.size()) > kMaxLines)
    return std::nullopt;
  llvm::sort(prefetch.lines);
  return prefetch;
}

void WindowPrefetch::emit(OpBuilder &builder, TileEmitter &emitter,
                          ArrayRef<AffineExpr> start) const {
  Location loc = load->getLoc();
  Value view = emitter.getFlatView(load->getOperand(0));
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value first = emitter.emitIndex(builder, emitter.getPosition(load, start));
  // Past the ends of the data there is nothing.
  Value count = memref::DimOp::create(builder, loc, view, 0);
  Value last =
      arith::SubIOp::create(builder, loc, count, constant(lines.back() + 1));
  first = arith::MinSIOp::create(builder, loc, first, last);
  first = arith::MaxSIOp::create(builder, loc, first, constant(-lines.front()));
  for (int64_t line : lines) {
    Value index = arith::AddIOp::create(builder, loc, first, constant(line));
    // To the second cache: this row is to stay in the first.
    memref::PrefetchOp::create(builder, loc, view, index, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}
