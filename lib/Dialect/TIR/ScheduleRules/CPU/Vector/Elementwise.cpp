//===- Elementwise.cpp - Schedules blocks without reduction -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"
#include "relay-mlir/Dialect/TIR/Schedule/VectorTranspose.h"

using namespace mlir;
using namespace mlir::tir;

/// A vectorized loop of this many elements has negligible overhead.
static constexpr int64_t kLongRow = 256;
/// Vectors in one iteration of the innermost loop.
static constexpr int64_t kVectorsPerTile = 4;
/// The elements of one iteration of a parallel loop over a flat array.
static constexpr int64_t kChunk = 4096;

LogicalResult mlir::tir::scheduleTranspose(KernelSchedule &schedule,
                                           BlockNest nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || nest.isReduction() || nest.getNumVars() < 2)
    return failure();
  auto getContiguous = [&](const BufferAccess &access) {
    std::optional<unsigned> found;
    for (unsigned var = 0; var != nest.getNumVars(); ++var)
      if (isContiguous(access, var) && nest.getExtent(var) != 1)
        found = var;
    return found;
  };
  // The layout of a packed buffer divides the variable that is contiguous in
  // it; rows of one group are what matters.
  std::optional<unsigned> row = getContiguous(*store);
  int64_t group = 0;
  if (!row && store->map->getNumResults() != 0)
    if (auto mod =
            dyn_cast<AffineBinaryOpExpr>(store->map->getResults().back());
        mod && mod.getKind() == AffineExprKind::Mod)
      if (auto dim = dyn_cast<AffineDimExpr>(mod.getLHS())) {
        row = dim.getPosition();
        group = cast<AffineConstantExpr>(mod.getRHS()).getValue();
      }
  if (!row)
    return failure();
  std::optional<unsigned> lane;
  for (const BufferAccess &access : nest.accesses) {
    if (!access.map)
      return failure();
    // What does not depend on the row is the same for all of it.
    if (!access.isWrite && !lane && access.map->isFunctionOfDim(*row))
      lane = getContiguous(access);
  }
  if (!lane || lane == row)
    return failure();
  Type elementType = cast<MemRefType>(store->buffer.getType()).getElementType();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  int64_t lanes = schedule.getLanes(elementType);
  if (bits < 8 || lanes < 2)
    return failure();
  // Vectors of 64 bits are put together element by element, out of a line of
  // memory for each.
  constexpr unsigned kLineBits = 512;
  bool isSquare = canTransposeVectors(lanes, bits);
  int64_t laneSize = isSquare ? lanes : kLineBits / bits;
  double work = nest.getNumInstances() / 4;

  int64_t rowSize = lanes;
  if (group) {
    rowSize = std::min(group, lanes);
    while (group % rowSize != 0)
      --rowSize;
  }
  SmallVector<ForOp> inner, outer;
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    bool isTiled = var == *row || var == *lane;
    int64_t size = var == *row ? rowSize : laneSize;
    std::optional<int64_t> extent = nest.getExtent(var);
    if (!isTiled || (extent && *extent <= size)) {
      (isTiled ? inner : outer).push_back(nest.loops[var]);
      continue;
    }
    SmallVector<ForOp> parts =
        schedule.split(nest.loops[var], {kInferFactor, size});
    if (parts.empty())
      return failure();
    outer.push_back(parts[0]);
    inner.push_back(parts[1]);
  }
  // The lanes of a square are those of what it reads, else of what it writes.
  if ((*row > *lane) == isSquare)
    std::swap(inner[0], inner[1]);
  SmallVector<ForOp> order = outer;
  llvm::append_range(order, inner);
  if (failed(schedule.reorder(order))) {
    scheduleFallback(schedule, nest.block);
    return success();
  }
  parallelizeOuter(schedule, outer, work);
  if (isSquare)
    schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
  else
    schedule.deferTensorize(nest.block, Intrinsic::RegisterTile,
                            /*numLoops=*/1);
  return success();
}

/// Whether the body is plain arithmetic on elements, which the register tile
/// takes.
static bool isPlain(const BlockNest &nest) {
  for (const BufferAccess &access : nest.accesses) {
    Type type = cast<MemRefType>(access.buffer.getType()).getElementType();
    if (!access.map || !type.isIntOrFloat() || type.isInteger(1) ||
        type.isIndex())
      return false;
  }
  return llvm::all_of(
      BlockOp(nest.block).getBody()->without_terminator(), [](Operation &op) {
        return op.getNumRegions() == 0 &&
               llvm::none_of(op.getResultTypes(),
                             [](Type type) { return type.isIndex(); });
      });
}

LogicalResult mlir::tir::scheduleElementwise(KernelSchedule &schedule,
                                             BlockNest nest) {
  if (nest.isReduction() || nest.getNumVars() == 0)
    return failure();
  for (IterKind kind : nest.kinds)
    if (kind != IterKind::Spatial)
      return failure();
  const BufferAccess *store = nest.getStore();
  if (!store)
    return failure();
  Type elementType = cast<MemRefType>(store->buffer.getType()).getElementType();
  double work =
      nest.getWork() / std::max<int64_t>(1, schedule.getLanes(elementType));

  // One long row out of the innermost loops, as long as memory is contiguous.
  // The register tile sees that a fused row is contiguous; a vectorized loop
  // would divide for each element.
  SmallVector<ForOp> loops = nest.loops;
  int64_t lanes = schedule.getLanes(elementType);
  unsigned first = loops.size() - 1;
  int64_t extent = nest.guessExtent(first);
  bool isTiled = isPlain(nest) && lanes >= 2;
  while (isTiled && first != 0 && nest.getExtent(first - 1) &&
         (extent < kLongRow || nest.getExtent(first - 1) == 1) &&
         nest.areJointlyContiguous(first - 1, first)) {
    --first;
    extent *= *nest.getExtent(first);
  }
  isTiled &= first + 1 != loops.size();
  // There are no lanes along loops of one iteration.
  while (!isTiled && first != 0 && nest.getExtent(first) == 1)
    --first;
  ForOp row = schedule.fuse(ArrayRef(loops).drop_front(first));
  loops.resize(first);
  if (!row) {
    scheduleFallback(schedule, nest.block);
    return success();
  }

  // A single row is cut into parts for the threads.
  std::optional<int64_t> length = row.getConstantExtent();
  if (dropUnitLoops(loops).empty() && length && *length >= 2 * kChunk) {
    SmallVector<ForOp> parts = schedule.split(row, {kInferFactor, kChunk});
    if (!parts.empty()) {
      loops.push_back(parts[0]);
      row = parts[1];
    }
  }
  if (isTiled) {
    int64_t width = kVectorsPerTile * lanes;
    std::optional<int64_t> left = row.getConstantExtent();
    SmallVector<ForOp> parts;
    if (!left || *left > width)
      parts = schedule.split(row, {kInferFactor, width});
    schedule.deferTensorize(nest.block, Intrinsic::RegisterTile,
                            /*numLoops=*/1);
    if (!parts.empty() && loops.empty())
      loops.push_back(parts[0]);
    parallelizeOuter(schedule, loops, work);
    return success();
  }
  (void)schedule.vectorize(row);
  parallelizeOuter(schedule, loops, work);
  return success();
}

/// Elements that an opaque computation touches, below which threads do not pay.
static constexpr int64_t kMinOpaqueElements = 8 << 10;

/// Lines of a sort, a scatter and the like: each thread takes some.
static void parallelizeOpaque(KernelSchedule &schedule, BlockOp block) {
  int64_t numElements = 0;
  for (ValueRange buffers : {block.getReads(), block.getWrites()})
    for (Value buffer : buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      // Unknown sizes may be large.
      numElements =
          std::max(numElements, type.hasStaticShape() ? type.getNumElements()
                                                      : kMinOpaqueElements);
    }
  SmallVector<ForOp> loops = dropUnitLoops(block.getLoops());
  if (loops.empty() || numElements < kMinOpaqueElements)
    return;
  (void)schedule.parallel(loops.front());
}

void mlir::tir::scheduleFallback(KernelSchedule &schedule, BlockOp block) {
  SmallVector<ForOp, 6> loops = block.getLoops();
  if (loops.empty())
    return;
  if (block->hasAttr(kIndependentAttr))
    return parallelizeOpaque(schedule, block);
  (void)schedule.vectorize(loops.back());
  if (loops.size() > 1)
    (void)schedule.parallel(loops.front());
}
