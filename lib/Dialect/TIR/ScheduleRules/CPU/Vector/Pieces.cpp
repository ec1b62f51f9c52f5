//===- Pieces.cpp - Padding, a piece where it is read ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Padded data is larger than what it is made of, and goes to memory and back
// before it is read. Where an iteration of its reader's loop over channels
// reads a piece that no other one does, it makes that piece for itself, in a
// cache.
//
//===----------------------------------------------------------------------===//

#include "../../SlidingWindows.h"
#include "../CPURules.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

using namespace mlir;
using namespace mlir::tir;

/// What lies in a near cache anyway.
static constexpr int64_t kMinBytes = 64 << 10;
/// What a piece may take, in half of a second cache, and on the stack.
static constexpr int64_t kMaxPieceBytes = 64 << 10;

/// Whether a reduction reads a piece of the buffer, of whole rows, for each
/// value of some variable of its results.
static bool readsApart(BlockOp block, Value buffer) {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest) || !nest->isReduction())
    return false;
  auto isApart = [&](const BufferAccess &access) {
    if (access.buffer != buffer || !access.map ||
        access.map->getNumResults() == 0)
      return false;
    for (AffineExpr index : access.map->getResults().drop_back()) {
      auto dim = dyn_cast<AffineDimExpr>(index);
      if (dim && !nest->isReduce(dim.getPosition()) &&
          nest->getExtent(dim.getPosition()).value_or(1) > 1)
        return true;
    }
    return false;
  };
  return llvm::any_of(nest->accesses, isApart);
}

bool mlir::tir::isPaddingForPieces(const BlockNest &nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || nest.isReduction() ||
      !store->buffer.getDefiningOp<AllocBufferOp>())
    return false;
  auto type = cast<MemRefType>(store->buffer.getType());
  if (!type.hasStaticShape() || type.getElementTypeBitWidth() % 8 != 0 ||
      type.getNumElements() * type.getElementTypeBitWidth() / 8 < kMinBytes)
    return false;
  BlockOp reader = getOnlyReader(store->buffer);
  return pads(nest.block) && reader && readsApart(reader, store->buffer);
}

LogicalResult mlir::tir::placePieces(KernelSchedule &schedule, BlockOp block) {
  Value buffer = getWrittenBuffers(block).front();
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  BlockOp reader = getOnlyReader(buffer);
  int64_t numIterations = 1;
  for (ForOp loop : reader ? reader.getLoops() : SmallVector<ForOp, 6>()) {
    std::optional<int64_t> extent = loop.getConstantExtent();
    std::optional<int64_t> size = getPieceSize(block, loop);
    if (!extent || !size ||
        llvm::MulOverflow(numIterations, *extent, numIterations))
      return failure();
    // Iterations that share elements would make them more than once.
    if (numIterations > type.getNumElements() / *size)
      return failure();
    if (*extent == 1 || *size * bytes > kMaxPieceBytes)
      continue;
    if (failed(schedule.computeAt(block, loop)))
      return failure();
    (void)schedule.vectorize(block.getLoops().back());
    return success();
  }
  return failure();
}
