//===- ComputeAt.cpp - Move a block into a loop -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRegion.h"
#include "ScheduleSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

/// Moves `block` to the insertion point under new loops. Iteration variable i
/// runs over regions[i] if that is known and smaller than the domain, else over
/// its whole domain.
static void regenerate(RewriterBase &rewriter, BlockOp block, IndexSpace &space,
                       ArrayRef<std::optional<DimRegion>> regions) {
  hoistDefinitions(rewriter, block.getFunction());
  Location loc = block.getLoc();
  Operation *oldParent = block->getParentOp();
  SmallVector<AffineExpr> mins;
  SmallVector<OpFoldResult> loopExtents;
  IndexBounds bounds = space.getBounds();
  AffineExpr zero = rewriter.getAffineConstantExpr(0);
  for (auto [region, extent] : llvm::zip(regions, block.getExtents())) {
    std::optional<int64_t> domain = getConstantIntValue(extent);
    AffineExpr size = region ? bounds.simplify(region->extent) : AffineExpr();
    auto constant =
        size ? dyn_cast<AffineConstantExpr>(size) : AffineConstantExpr();
    bool isWhole = !region ||
                   (domain && constant && constant.getValue() >= *domain) ||
                   (!domain && size == space.getExpr(extent));
    mins.push_back(isWhole ? zero : region->min);
    loopExtents.push_back(isWhole ? extent
                                  : space.materialize(rewriter, loc, size));
  }

  // A variable with one value needs no loop.
  SmallVector<OpFoldResult> needed;
  for (OpFoldResult extent : loopExtents)
    if (getConstantIntValue(extent) != 1)
      needed.push_back(extent);
  SmallVector<ForOp> loops = buildLoops(rewriter, loc, needed);
  SmallVector<Value> bindings;
  const ForOp *next = loops.begin();
  for (auto [min, extent] : llvm::zip(mins, loopExtents)) {
    AffineExpr index = min;
    if (getConstantIntValue(extent) != 1)
      index = index + space.getExpr(ForOp(*next++).getInductionVar());
    bindings.push_back(space.materializeValue(rewriter, loc, index));
  }
  rewriter.moveOpBefore(block, rewriter.getInsertionBlock(),
                        rewriter.getInsertionPoint());
  rewriter.modifyOpInPlace(block, [&] {
    block.getBindingsMutable().assign(bindings);
    block.setGuard(IntegerSet(), {});
    IndexSpace guardSpace(block.getContext());
    SmallVector<AffineExpr> constraints =
        getDomainConstraints(block, guardSpace);
    addGuard(block, guardSpace, constraints);
  });
  eraseEmptyLoops(rewriter, oldParent);
  simplifyBindings(rewriter, loops.empty() ? block.getOperation()
                                           : loops.front().getOperation());
}

static DiagnosedSilenceableFailure checkPlace(BlockOp block, ForOp loop) {
  if (block.getFunction() != loop->getParentOfType<PrimFuncOp>())
    return refuse(block) << "expects block and loop in the same kernel";
  if (loop->isAncestor(block))
    return refuse(block) << "expects a loop that is not around block @"
                         << block.getName();
  for (IterKind kind : block.getKinds())
    if (kind == IterKind::Opaque)
      return refuse(block) << "expects block @" << block.getName()
                           << " to have no opaque variables";
  return checkReadsWhole(block);
}

/// The op directly in the body of `loop` that holds `op`.
static Operation *getChild(ForOp loop, Operation *op) {
  return loop.getRegion().findAncestorOpInRegion(*op);
}

//===----------------------------------------------------------------------===//
// compute_at
//===----------------------------------------------------------------------===//

/// Checks that `block` may move to its readers inside `loop`, and finds the
/// iteration variable of each index of its buffer.
static DiagnosedSilenceableFailure
checkComputeAt(BlockOp block, ForOp loop, Value buffer,
               ArrayRef<BlockOp> readers, SmallVectorImpl<int> &indices) {
  if (getWriters(buffer).size() != 1)
    return refuse(block) << "expects block @" << block.getName()
                         << " to be the only one that writes its buffer";
  if (readers.empty())
    return refuse(block) << "expects a block that reads what block @"
                         << block.getName() << " writes";
  for (BlockOp reader : readers)
    if (!loop->isAncestor(reader))
      return refuse(block) << "expects all readers of block @"
                           << block.getName() << " inside the loop, but @"
                           << reader.getName() << " is outside";
  for (Value input : block.getReads())
    for (BlockOp writer : getWriters(input))
      if (writer != block && !isBefore(writer, block))
        return refuse(block)
               << "expects the inputs of block @" << block.getName()
               << " to be complete before it, but block @" << writer.getName()
               << " writes one later";
  if (!isDefinedOutside(buffer, loop) &&
      getAllocation(buffer)->getParentOp() != loop)
    return refuse(block) << "expects a buffer that is allocated outside the "
                            "loop";

  bool isFirst = true;
  for (const BufferAccess &access : collectAccesses(block)) {
    if (!access.isWrite)
      continue;
    FailureOr<SmallVector<int>> bare = matchBareIndices(access);
    if (failed(bare) || (!isFirst && ArrayRef(indices) != ArrayRef(*bare)))
      return refuse(block) << "expects block @" << block.getName()
                           << " to index its buffer by iteration variables";
    indices.assign(bare->begin(), bare->end());
    isFirst = false;
  }
  return DiagnosedSilenceableFailure::success();
}

/// What the blocks inside of a loop read of a buffer.
static void addReads(LoopRegion &region, Value buffer,
                     ArrayRef<BlockOp> readers) {
  for (BlockOp reader : readers)
    for (const BufferAccess &access : collectAccesses(reader)) {
      if (access.buffer != buffer)
        continue;
      if (access.map)
        region.add(reader, *access.map, access.symbols);
      else
        region.addWhole(cast<MemRefType>(buffer.getType()).getRank());
    }
}

/// The blocks that read what `block` writes.
static SmallVector<BlockOp> getOtherReaders(BlockOp block, Value buffer) {
  SmallVector<BlockOp> readers;
  for (BlockOp reader : getReaders(buffer))
    if (reader != block)
      readers.push_back(reader);
  return readers;
}

std::optional<int64_t> mlir::tir::getPieceSize(BlockOp block, ForOp loop) {
  SmallVector<Value> written = getWrittenBuffers(block);
  if (written.size() != 1)
    return std::nullopt;
  auto type = cast<MemRefType>(written.front().getType());
  SmallVector<BlockOp> readers = getOtherReaders(block, written.front());
  bool areInside = llvm::all_of(
      readers, [&](BlockOp reader) { return loop->isAncestor(reader); });
  if (readers.empty() || !areInside || !type.hasStaticShape())
    return std::nullopt;
  IndexSpace space(block.getContext());
  LoopRegion region(space, loop);
  addReads(region, written.front(), readers);
  IndexBounds bounds = space.getBounds();
  int64_t size = 1;
  for (auto [dim, extent] : llvm::zip(region.get(), type.getShape())) {
    // What is not known may be all of it.
    AffineExpr length = dim ? bounds.simplify(dim->extent) : AffineExpr();
    auto constant =
        length ? dyn_cast<AffineConstantExpr>(length) : AffineConstantExpr();
    size *=
        constant ? std::clamp<int64_t>(constant.getValue(), 1, extent) : extent;
  }
  return size;
}

DiagnosedSilenceableFailure mlir::tir::computeAt(RewriterBase &rewriter,
                                                 BlockOp block, ForOp loop) {
  DiagnosedSilenceableFailure place = checkPlace(block, loop);
  if (!place.succeeded())
    return place;
  SmallVector<Value> written = getWrittenBuffers(block);
  if (written.size() != 1 || !getAllocation(written.front()))
    return refuse(block) << "expects block @" << block.getName()
                         << " to write one intermediate buffer";
  Value buffer = written.front();
  SmallVector<BlockOp> readers = getOtherReaders(block, buffer);
  SmallVector<int> indices;
  DiagnosedSilenceableFailure checked =
      checkComputeAt(block, loop, buffer, readers, indices);
  if (!checked.succeeded())
    return checked;

  OpBuilder::InsertionGuard insertion(rewriter);
  IndexSpace space(block.getContext());
  LoopRegion region(space, loop);
  Operation *first = nullptr;
  for (BlockOp reader : readers) {
    Operation *child = getChild(loop, reader);
    if (!first || child->isBeforeInBlock(first))
      first = child;
  }
  addReads(region, buffer, readers);

  SmallVector<std::optional<DimRegion>> regions(block.getNumIters());
  for (auto [dim, iter] : llvm::enumerate(indices))
    if (iter >= 0)
      regions[iter] = region.get()[dim];
  rewriter.setInsertionPoint(first);
  regenerate(rewriter, block, space, regions);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// reverse_compute_at
//===----------------------------------------------------------------------===//

/// Whether the loops around `block` run through its whole domain, which they do
/// not after a loop was partitioned.
static bool coversDomain(BlockOp block) {
  for (auto [binding, extent] :
       llvm::zip(block.getBindings(), block.getStaticExtents())) {
    IndexSpace space(block.getContext());
    AffineExpr expr = space.getExpr(binding);
    IndexRange range = space.getBounds().getRange(expr);
    if (ShapedType::isDynamic(extent) || range.min != 0 || !range.max ||
        *range.max < extent - 1)
      return false;
  }
  return true;
}

/// The region of each iteration variable of `block` that follows from what
/// producers inside `loop` have written of `buffer`.
static DiagnosedSilenceableFailure
inferFromProducers(BlockOp block, ForOp loop, Value buffer,
                   ArrayRef<BlockOp> producers, IndexSpace &space,
                   MutableArrayRef<std::optional<DimRegion>> regions) {
  LoopRegion region(space, loop);
  for (BlockOp producer : producers) {
    for (const BufferAccess &access : collectAccesses(producer)) {
      if (!access.isWrite || access.buffer != buffer)
        continue;
      auto bare = matchBareIndices(access);
      if (failed(bare))
        return refuse(block)
               << "expects block @" << producer.getName()
               << " to index what it writes by iteration variables";
      region.add(producer, *access.map, access.symbols);
    }
    // What is consumed here must be complete: no reduction goes on outside.
    for (auto [index, binding] : llvm::enumerate(producer.getBindings())) {
      if (producer.getIterKind(index) != IterKind::Reduce)
        continue;
      AffineExpr expr = space.getExpr(binding);
      for (ForOp outer = loop; outer; outer = outer.getParentLoop())
        if (space.dependsOn(expr, outer.getInductionVar()))
          return refuse(block)
                 << "expects block @" << producer.getName()
                 << " to be complete in one iteration of the loop, but its "
                    "reduction runs over it";
    }
  }

  for (const BufferAccess &access : collectAccesses(block)) {
    if (access.buffer != buffer || access.isWrite)
      continue;
    auto bare = matchBareIndices(access);
    if (failed(bare))
      return refuse(block) << "expects block @" << block.getName()
                           << " to index what it reads by iteration variables";
    for (auto [dim, iter] : llvm::enumerate(*bare)) {
      if (iter < 0)
        continue;
      std::optional<DimRegion> &known = regions[iter];
      std::optional<DimRegion> found = region.get()[dim];
      if (!found)
        return refuse(block)
               << "expects dimension " << dim << " of what block @"
               << block.getName() << " reads to be produced in one piece";
      if (known && (known->min != found->min || known->extent != found->extent))
        return refuse(block)
               << "expects the inputs of block @" << block.getName()
               << " to be produced in the same pieces";
      known = found;
    }
  }
  return DiagnosedSilenceableFailure::success();
}

/// Checks that `block` may run piece by piece inside `loop`, as to what it
/// writes: each piece once if it is a reduction.
static DiagnosedSilenceableFailure
checkConsumption(BlockOp block, ForOp loop, IndexSpace &space,
                 ArrayRef<std::optional<DimRegion>> regions) {
  for (Value output : getWrittenBuffers(block)) {
    if (getWriters(output).size() != 1)
      return refuse(block) << "expects block @" << block.getName()
                           << " to be the only one that writes its output";
    for (BlockOp reader : getReaders(output))
      if (reader != block && isBefore(reader, block))
        return refuse(block)
               << "expects no block before @" << block.getName()
               << " to read its output, but @" << reader.getName() << " does";
  }
  if (!block.hasReduceIters())
    return DiagnosedSilenceableFailure::success();
  for (ForOp outer = loop; outer; outer = outer.getParentLoop()) {
    bool feeds = llvm::any_of(regions, [&](const auto &region) {
      return region && space.dependsOn(region->min, outer.getInductionVar());
    });
    if (!feeds && outer.getConstantExtent() != 1)
      return refuse(block) << "expects every loop around the reduction @"
                           << block.getName()
                           << " to select a part of its input";
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::reverseComputeAt(RewriterBase &rewriter, BlockOp block, ForOp loop) {
  DiagnosedSilenceableFailure place = checkPlace(block, loop);
  if (!place.succeeded())
    return place;
  IndexSpace space(block.getContext());
  SmallVector<std::optional<DimRegion>> regions(block.getNumIters());
  Operation *last = nullptr;
  for (Value input : getReadBuffers(block)) {
    SmallVector<BlockOp> producers;
    BlockOp outside;
    for (BlockOp writer : getWriters(input)) {
      if (loop->isAncestor(writer)) {
        producers.push_back(writer);
        continue;
      }
      outside = writer;
      if (!isBefore(writer, loop))
        return refuse(block)
               << "expects all producers of block @" << block.getName()
               << " inside or before the loop, but @" << writer.getName()
               << " is after it";
    }
    if (producers.empty())
      continue;
    // An init outside is overwritten; another part would not be consumed.
    if (outside && !llvm::all_of(producers, coversDomain)) {
      DiagnosedSilenceableFailure failure =
          refuse(block) << "expects the blocks inside the loop to produce all "
                           "that block @"
                        << block.getName() << " consumes, but @"
                        << outside.getName() << " produces a part";
      failure.attachNote(outside.getLoc()) << "this part is outside";
      return failure;
    }
    DiagnosedSilenceableFailure inferred =
        inferFromProducers(block, loop, input, producers, space, regions);
    if (!inferred.succeeded())
      return inferred;
    for (BlockOp producer : producers) {
      Operation *child = getChild(loop, producer);
      if (!last || last->isBeforeInBlock(child))
        last = child;
    }
  }
  if (!last)
    return refuse(block) << "expects a producer of block @" << block.getName()
                         << " inside the loop";
  DiagnosedSilenceableFailure consumed =
      checkConsumption(block, loop, space, regions);
  if (!consumed.succeeded())
    return consumed;

  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.setInsertionPointAfter(last);
  regenerate(rewriter, block, space, regions);
  return DiagnosedSilenceableFailure::success();
}
