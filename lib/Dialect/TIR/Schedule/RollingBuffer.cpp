//===- RollingBuffer.cpp - Windows that go round in a buffer --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer whose windows overlap from one iteration to the next keeps what both
// need: it becomes as large as a window, elements go round in it, and an
// iteration computes only what the one before has not. From then on the order
// of iterations matters, and the buffer at one time holds a window only:
// `kRollingAttr` on the allocation and an opaque variable of the block tell
// other primitives.
//
//===----------------------------------------------------------------------===//

#include "LoopRegion.h"
#include "ScheduleSupport.h"

using namespace mlir;
using namespace mlir::tir;

bool mlir::tir::isRolling(Value buffer) {
  AllocBufferOp allocation = getAllocation(getBaseBuffer(buffer));
  return allocation && allocation->hasAttr(kRollingAttr);
}

DiagnosedSilenceableFailure mlir::tir::checkReadsWhole(BlockOp block) {
  for (Value buffer : block.getReads())
    if (isRolling(buffer) && !llvm::is_contained(block.getWrites(), buffer))
      return refuse(block)
             << "expects block @" << block.getName()
             << " to stay in its loop, because it reads a rolling buffer";
  return DiagnosedSilenceableFailure::success();
}

namespace {

struct RollingPlan {
  AllocBufferOp buffer;
  SmallVector<BlockOp> readers;
  ForOp loop;
  /// The dimension along which windows move, by `step` in each iteration.
  unsigned dim = 0;
  int64_t step = 0;
  int64_t window = 0;
  /// Where the window begins.
  AffineExpr begin;
  /// The iteration variable that indexes the dimension.
  unsigned iter = 0;
};

} // namespace

/// Finds the buffer and the innermost loop around all that access it.
static DiagnosedSilenceableFailure planBuffer(BlockOp block, uint64_t index,
                                              RollingPlan &plan) {
  SmallVector<Value> buffers = getWrittenBuffers(block);
  if (index >= buffers.size())
    return refuse(block) << "expects block @" << block.getName()
                         << " to write more than " << index << " buffers";
  plan.buffer = getAllocation(buffers[index]);
  if (buffers.size() != 1 || !plan.buffer)
    return refuse(block) << "expects block @" << block.getName()
                         << " to write one intermediate buffer";
  if (isRolling(buffers[index]))
    return refuse(block) << "expects a buffer that is not rolling yet";
  for (IterKind kind : block.getKinds())
    if (kind == IterKind::Opaque)
      return refuse(block) << "expects block @" << block.getName()
                           << " to have no opaque variables";
  if (getWriters(buffers[index]).size() != 1 ||
      (llvm::is_contained(block.getReads(), buffers[index]) &&
       !block.getInit()))
    return refuse(block) << "expects block @" << block.getName()
                         << " alone to compute its buffer";
  for (BlockOp reader : getReaders(buffers[index])) {
    if (reader == block)
      continue;
    if (!isBefore(block, reader))
      return refuse(block) << "expects readers after block @" << block.getName()
                           << ", but @" << reader.getName() << " is before it";
    plan.readers.push_back(reader);
  }
  if (plan.readers.empty())
    return refuse(block) << "expects a block that reads what block @"
                         << block.getName() << " writes";
  for (ForOp loop : block.getLoops())
    if (llvm::all_of(plan.readers,
                     [&](BlockOp reader) { return loop->isAncestor(reader); }))
      plan.loop = loop;
  if (!plan.loop)
    return refuse(block) << "expects block @" << block.getName()
                         << " and what reads its buffer in one loop; "
                            "compute_at brings it there";
  return DiagnosedSilenceableFailure::success();
}

static DiagnosedSilenceableFailure checkLoops(BlockOp block,
                                              RollingPlan &plan) {
  ForOp loop = plan.loop;
  DiagnosedSilenceableFailure plain = checkPlainLoop(loop);
  if (!plain.succeeded())
    return plain;
  if (!isDefinedOutside(plan.buffer.getBuffer(), loop))
    return refuse(block) << "expects a buffer that is allocated outside the "
                            "loop";
  std::optional<int64_t> extent = loop.getConstantExtent();
  if (!extent || *extent < 2)
    return refuse(loop) << "expects a constant number of iterations, at least "
                           "two, that windows move over";
  // Iterations that run at once cannot share one window.
  for (ForOp outer = loop.getParentLoop(); outer; outer = outer.getParentLoop())
    if (outer.getKind() != ForKind::Serial &&
        outer.getKind() != ForKind::Unrolled &&
        isDefinedOutside(plan.buffer.getBuffer(), outer)) {
      DiagnosedSilenceableFailure failure =
          refuse(block) << "expects the buffer of block @" << block.getName()
                        << " inside every loop that is not serial";
      failure.attachNote(outer.getLoc()) << "this loop is around both";
      return failure;
    }
  return DiagnosedSilenceableFailure::success();
}

/// Finds the dimension along which the written window moves.
static DiagnosedSilenceableFailure
planWindow(BlockOp block, IndexSpace &space,
           ArrayRef<std::optional<DimRegion>> written, RollingPlan &plan) {
  AffineExpr variable = space.getExpr(plan.loop.getInductionVar());
  unsigned numMoving = 0;
  for (auto [dim, region] : llvm::enumerate(written)) {
    if (!region)
      return refuse(block) << "expects block @" << block.getName()
                           << " to write a window of its buffer that is known "
                              "in dimension "
                           << dim;
    if (!space.dependsOn(region->min, plan.loop.getInductionVar()))
      continue;
    ++numMoving;
    plan.dim = dim;
    plan.begin = region->min;
    auto extent = dyn_cast<AffineConstantExpr>(
        space.getBounds().simplify(region->extent));
    plan.window = extent ? extent.getValue() : 0;
    plan.step = 0;
    for (auto [term, coefficient] : LinearSum::get(region->min).terms) {
      if (term == variable)
        plan.step = coefficient;
      else if (space.dependsOn(term, plan.loop.getInductionVar()))
        plan.window = 0;
    }
  }
  if (numMoving != 1 || plan.window == 0)
    return refuse(block) << "expects windows of block @" << block.getName()
                         << " that move along one dimension from iteration to "
                            "iteration";
  if (plan.step <= 0 || plan.step >= plan.window) {
    DiagnosedSilenceableFailure failure =
        refuse(block) << "expects windows of block @" << block.getName()
                      << " that overlap, but they have " << plan.window
                      << " elements and move by " << plan.step;
    failure.attachNote(plan.loop.getLoc()) << "in this loop";
    return failure;
  }
  return DiagnosedSilenceableFailure::success();
}

/// What is read in one iteration must be in its window.
static DiagnosedSilenceableFailure
checkReaders(BlockOp block, IndexSpace &space, RollingPlan &plan,
             ArrayRef<std::optional<DimRegion>> written) {
  Value buffer = plan.buffer.getBuffer();
  for (BlockOp reader : plan.readers)
    for (const BufferAccess &access : collectAccesses(reader)) {
      if (access.buffer != buffer)
        continue;
      bool isContained = access.map.has_value();
      if (isContained) {
        LoopRegion region(space, plan.loop);
        region.add(reader, *access.map, access.symbols);
        IndexBounds bounds = space.getBounds();
        for (auto [read, window] : llvm::zip(region.get(), written))
          isContained &= read &&
                         bounds.isNonNegative(read->min - window->min) &&
                         bounds.isNonNegative(window->min + window->extent -
                                              read->min - read->extent);
      }
      if (isContained)
        continue;
      DiagnosedSilenceableFailure failure =
          refuse(block) << "expects block @" << reader.getName()
                        << " to read only what block @" << block.getName()
                        << " writes in the same iteration";
      failure.attachNote(access.op->getLoc()) << "read here";
      return failure;
    }
  return DiagnosedSilenceableFailure::success();
}

/// Lets accesses of the buffer go round in dimension `dim`.
static void wrapAccesses(RewriterBase &rewriter, RollingPlan &plan) {
  MLIRContext *context = rewriter.getContext();
  for (Operation *user : llvm::to_vector(plan.buffer->getUsers())) {
    auto wrap = [&](AffineMap map) {
      SmallVector<AffineExpr> results(map.getResults());
      results[plan.dim] = results[plan.dim] % plan.window;
      return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                            context);
    };
    if (auto load = dyn_cast<affine::AffineLoadOp>(user))
      rewriter.modifyOpInPlace(load,
                               [&] { load.setMap(wrap(load.getAffineMap())); });
    else if (auto store = dyn_cast<affine::AffineStoreOp>(user))
      rewriter.modifyOpInPlace(
          store, [&] { store.setMap(wrap(store.getAffineMap())); });
  }
}

DiagnosedSilenceableFailure mlir::tir::rollingBuffer(RewriterBase &rewriter,
                                                     BlockOp block,
                                                     uint64_t index) {
  RollingPlan plan;
  DiagnosedSilenceableFailure planned = planBuffer(block, index, plan);
  if (!planned.succeeded())
    return planned;
  DiagnosedSilenceableFailure loops = checkLoops(block, plan);
  if (!loops.succeeded())
    return loops;

  IndexSpace space(block.getContext());
  LoopRegion region(space, plan.loop);
  std::optional<SmallVector<int>> indices;
  for (const BufferAccess &access : collectAccesses(block)) {
    if (access.buffer != plan.buffer.getBuffer())
      continue;
    auto bare = matchBareIndices(access);
    if (failed(bare) ||
        !isa<affine::AffineLoadOp, affine::AffineStoreOp>(access.op) ||
        (indices && *indices != *bare))
      return refuse(block) << "expects block @" << block.getName()
                           << " to index its buffer by iteration variables";
    indices = *bare;
    region.add(block, *access.map, access.symbols);
  }
  for (BlockOp reader : plan.readers)
    for (const BufferAccess &access : collectAccesses(reader))
      if (access.buffer == plan.buffer.getBuffer() &&
          !isa<affine::AffineLoadOp>(access.op))
        return refuse(block) << "expects block @" << reader.getName()
                             << " to read single elements at affine indices";
  DiagnosedSilenceableFailure window =
      planWindow(block, space, region.get(), plan);
  if (!window.succeeded())
    return window;
  plan.iter = (*indices)[plan.dim];
  DiagnosedSilenceableFailure contained =
      checkReaders(block, space, plan, region.get());
  if (!contained.succeeded())
    return contained;

  OpBuilder::InsertionGuard insertion(rewriter);
  // 0 in the first iteration, 1 in all others.
  AffineExpr variable = space.getExpr(plan.loop.getInductionVar());
  int64_t extent = *plan.loop.getConstantExtent();
  AffineExpr isLater = (variable + (extent - 1)).floorDiv(extent);
  AffineExpr isNew = space.getExpr(block.getBindings()[plan.iter]) -
                     plan.begin - isLater * (plan.window - plan.step);
  rewriter.modifyOpInPlace(block, [&] {
    addGuard(block, space, isNew);
    addOpaqueIter(block, plan.loop.getInductionVar(),
                  rewriter.getIndexAttr(extent));
  });
  wrapAccesses(rewriter, plan);
  SmallVector<int64_t> shape(plan.buffer.getType().getShape());
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(plan.buffer.getMixedSizes()))
    if (auto value = dyn_cast<Value>(size); value && dim != plan.dim)
      sizes.push_back(value);
  shape[plan.dim] = plan.window;
  rewriter.setInsertionPoint(plan.buffer);
  auto rolling = AllocBufferOp::create(
      rewriter, plan.buffer.getLoc(),
      getBufferType(shape, plan.buffer.getType().getElementType(),
                    plan.buffer.getMemory()),
      sizes);
  rolling->setDiscardableAttrs(plan.buffer->getDiscardableAttrDictionary());
  rolling->setAttr(kRollingAttr, rewriter.getUnitAttr());
  rewriter.replaceOp(plan.buffer, rolling);
  normalizeAccesses(rewriter, block);
  for (BlockOp reader : plan.readers)
    normalizeAccesses(rewriter, reader);
  return DiagnosedSilenceableFailure::success();
}
