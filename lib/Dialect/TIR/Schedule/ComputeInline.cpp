//===- ComputeInline.cpp - Compute a block inside another -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tir;

namespace {
/// A block that computes one element of one intermediate buffer from its
/// iteration variables, by straight code that ends in a store.
struct ElementProducer {
  Value buffer;
  affine::AffineStoreOp store;
  /// The iteration variable of each buffer index (-1: constant zero).
  SmallVector<int> indices;
};
} // namespace

/// Ops of `block` other than its terminator and `except`.
static SmallVector<Operation *> getPayload(BlockOp block, Operation *except) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.getBody()->without_terminator())
    if (&op != except)
      ops.push_back(&op);
  return ops;
}

static DiagnosedSilenceableFailure checkSpatial(BlockOp block) {
  if (block.getPredicate())
    return refuse(block) << "expects block @" << block.getName()
                         << " to have no guard";
  for (IterKind kind : block.getKinds())
    if (kind != IterKind::Spatial)
      return refuse(block) << "expects block @" << block.getName()
                           << " to have spatial variables only, but got "
                           << stringifyIterKind(kind);
  return checkReadsWhole(block);
}

/// Matches `block` as the producer of an element of an intermediate buffer.
static DiagnosedSilenceableFailure matchProducer(BlockOp block,
                                                 ElementProducer &producer) {
  DiagnosedSilenceableFailure spatial = checkSpatial(block);
  if (!spatial.succeeded())
    return spatial;
  if (!llvm::hasSingleElement(block.getWrites()))
    return refuse(block) << "expects block @" << block.getName()
                         << " to write one element of one buffer";
  producer.buffer = block.getWrites().front();
  if (!getAllocation(producer.buffer))
    return refuse(block) << "expects block @" << block.getName()
                         << " to write an intermediate buffer, not an argument";
  DiagnosedSilenceableFailure erasable =
      checkErasable(block, getAllocation(producer.buffer));
  if (!erasable.succeeded())
    return erasable;
  if (getWriters(producer.buffer).size() != 1)
    return refuse(block) << "expects block @" << block.getName()
                         << " to be the only one that writes its buffer";
  if (llvm::is_contained(block.getReads(), producer.buffer))
    return refuse(block) << "expects block @" << block.getName()
                         << " not to read what it writes";

  unsigned numStores = 0;
  for (Operation &op : block.getBody()->without_terminator()) {
    if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
      producer.store = store;
      ++numStores;
    }
  }
  if (numStores != 1)
    return refuse(block) << "expects the body of block @" << block.getName()
                         << " to end in one affine.store";
  for (const BufferAccess &access : collectAccesses(block)) {
    if (!access.isWrite)
      continue;
    auto indices = matchBareIndices(access);
    if (failed(indices))
      return refuse(block) << "expects block @" << block.getName()
                           << " to index its buffer by iteration variables";
    producer.indices = *indices;
  }
  // Each variable must follow from the index, unless there is no choice.
  for (auto [index, extent] : llvm::enumerate(block.getStaticExtents()))
    if (extent != 1 &&
        !llvm::is_contained(producer.indices, static_cast<int>(index)))
      return refuse(block) << "expects every iteration variable of block @"
                           << block.getName() << " to index its buffer";
  return DiagnosedSilenceableFailure::success();
}

/// Binds the iteration variables of a producer to the index of an access: one
/// value for each result of `map(operands)`, computed at the insertion point.
static void mapIterVars(RewriterBase &rewriter, Location loc, BlockOp producer,
                        ArrayRef<int> indices, AffineMap map,
                        ValueRange operands, IRMapping &mapping) {
  Block *body = producer.getBody();
  AffineExpr zero = rewriter.getAffineConstantExpr(0);
  for (BlockArgument iterVar : body->getArguments()) {
    const auto *it =
        llvm::find(indices, static_cast<int>(iterVar.getArgNumber()));
    AffineExpr expr =
        it == indices.end() ? zero : map.getResult(it - indices.begin());
    mapping.map(iterVar,
                affine::AffineApplyOp::create(
                    rewriter, loc,
                    AffineMap::get(map.getNumDims(), map.getNumSymbols(), expr),
                    operands)
                    .getResult());
  }
}

static void eraseBlock(RewriterBase &rewriter, BlockOp block) {
  Operation *parent = block->getParentOp();
  rewriter.eraseOp(block);
  eraseEmptyLoops(rewriter, parent);
}

//===----------------------------------------------------------------------===//
// compute_inline
//===----------------------------------------------------------------------===//

/// The loads of what `block` produces. The first of each element will compute
/// it instead.
static DiagnosedSilenceableFailure
collectLoads(BlockOp block, const ElementProducer &producer,
             ArrayRef<BlockOp> readers, SmallVectorImpl<ElementLoads> &loads) {
  if (readers.empty())
    return refuse(block) << "expects a block that reads what block @"
                         << block.getName() << " writes";
  bool hasCondition =
      block.walk([](affine::AffineIfOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  for (BlockOp reader : readers) {
    SmallVector<BufferAccess> accesses = collectAccesses(reader);
    for (const BufferAccess &access : accesses) {
      if (access.buffer != producer.buffer)
        continue;
      bool isLoad = isa<affine::AffineLoadOp, memref::LoadOp>(access.op) &&
                    access.op->getOperand(0) == access.buffer;
      if (!isLoad || (hasCondition && !access.map)) {
        DiagnosedSilenceableFailure failure =
            refuse(block) << "expects block @" << reader.getName()
                          << " to read single elements"
                          << (hasCondition ? " at affine indices" : "")
                          << " to inline block @" << block.getName();
        failure.attachNote(access.op->getLoc()) << "read here";
        return failure;
      }
    }
    llvm::append_range(loads, groupLoads(accesses, producer.buffer));
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure mlir::tir::computeInline(RewriterBase &rewriter,
                                                     BlockOp block) {
  ElementProducer producer;
  DiagnosedSilenceableFailure matched = matchProducer(block, producer);
  if (!matched.succeeded())
    return matched;

  // The inputs must still hold at the consumers what they hold at the block.
  for (Value input : block.getReads())
    for (BlockOp writer : getWriters(input))
      if (!isBefore(writer, block))
        return refuse(block)
               << "expects the inputs of block @" << block.getName()
               << " to be complete before it, but block @" << writer.getName()
               << " writes one later";

  SmallVector<BlockOp> readers = getReaders(producer.buffer);
  SmallVector<ElementLoads> loads;
  DiagnosedSilenceableFailure collected =
      collectLoads(block, producer, readers, loads);
  if (!collected.succeeded())
    return collected;

  OpBuilder::InsertionGuard insertion(rewriter);
  for (const ElementLoads &element : loads) {
    Operation *load = element.front();
    rewriter.setInsertionPoint(load);
    AffineMap map;
    SmallVector<Value> operands;
    if (auto affineLoad = dyn_cast<affine::AffineLoadOp>(load)) {
      map = affineLoad.getAffineMap();
      operands = affineLoad.getMapOperands();
    } else {
      operands = cast<memref::LoadOp>(load).getIndices();
      map = rewriter.getMultiDimIdentityMap(operands.size());
    }
    IRMapping mapping;
    mapIterVars(rewriter, load->getLoc(), block, producer.indices, map,
                operands, mapping);
    for (Operation *op : getPayload(block, producer.store))
      rewriter.clone(*op, mapping);
    Value value = mapping.lookupOrDefault(producer.store.getValueToStore());
    for (Operation *same : element)
      rewriter.replaceOp(same, value);
  }
  AllocBufferOp allocation = getAllocation(producer.buffer);
  eraseBlock(rewriter, block);
  for (BlockOp reader : readers)
    normalizeAccesses(rewriter, reader);
  eraseAllocation(rewriter, allocation);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// reverse_compute_inline
//===----------------------------------------------------------------------===//

namespace {
/// An elementwise block and the one block that produces what it consumes.
struct ElementConsumer {
  BlockOp producerBlock;
  ElementProducer producer;
  /// The loads of the produced element, which are all at `indices`.
  SmallVector<affine::AffineLoadOp> loads;
  SmallVector<int> indices;
};
} // namespace

/// The intermediate buffer between `block` and its only producer, or null.
static Value getBufferBetween(BlockOp block) {
  for (Value buffer : block.getReads())
    if (getAllocation(buffer) && getWriters(buffer).size() == 1 &&
        getReaders(buffer).size() == 1)
      return buffer;
  return {};
}

/// Matches how `block` reads `buffer`.
static DiagnosedSilenceableFailure matchConsumer(BlockOp block, Value buffer,
                                                 ElementConsumer &consumer) {
  consumer.producerBlock = getWriters(buffer).front();
  StringRef producerName = consumer.producerBlock.getName();
  DiagnosedSilenceableFailure matched =
      matchProducer(consumer.producerBlock, consumer.producer);
  if (!matched.succeeded())
    return matched;
  for (const BufferAccess &access : collectAccesses(block)) {
    if (access.buffer != buffer)
      continue;
    auto load = dyn_cast<affine::AffineLoadOp>(access.op);
    FailureOr<SmallVector<int>> bare = matchBareIndices(access);
    if (!load || failed(bare) ||
        (!consumer.loads.empty() && *bare != consumer.indices))
      return refuse(block) << "expects block @" << block.getName()
                           << " to read one element, indexed by iteration "
                              "variables, of what block @"
                           << producerName << " writes";
    consumer.indices = *bare;
    consumer.loads.push_back(load);
  }
  for (auto [index, extent] : llvm::enumerate(block.getStaticExtents()))
    if (extent != 1 &&
        !llvm::is_contained(consumer.indices, static_cast<int>(index)))
      return refuse(block) << "expects every iteration variable of block @"
                           << block.getName()
                           << " to index what it reads from block @"
                           << producerName;
  // Both domains cover the buffer, so each instance meets its partner.
  for (auto [iter, other] :
       llvm::zip(consumer.indices, consumer.producer.indices))
    if (iter >= 0 && other >= 0 &&
        !isEqualConstantIntOrValue(block.getExtents()[iter],
                                   consumer.producerBlock.getExtents()[other]))
      return refuse(block) << "expects blocks @" << block.getName() << " and @"
                           << producerName << " to have the same domain";
  return DiagnosedSilenceableFailure::success();
}

/// Checks that `block` may run as early as its producer.
static DiagnosedSilenceableFailure checkEarlier(BlockOp block, Value buffer,
                                                BlockOp producerBlock) {
  for (Value other : block.getReads())
    for (BlockOp writer : getWriters(other))
      if (other != buffer && !isBefore(writer, producerBlock))
        return refuse(block)
               << "expects the other inputs of block @" << block.getName()
               << " to be complete before block @" << producerBlock.getName()
               << ", but block @" << writer.getName() << " writes one later";
  for (Value output : block.getWrites())
    if (getWriters(output).size() != 1 ||
        llvm::any_of(getReaders(output),
                     [&](BlockOp reader) { return isBefore(reader, block); }))
      return refuse(block)
             << "expects block @" << block.getName()
             << " to be the only one that writes its output so far";
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::reverseComputeInline(RewriterBase &rewriter, BlockOp block) {
  DiagnosedSilenceableFailure spatial = checkSpatial(block);
  if (!spatial.succeeded())
    return spatial;
  Value buffer = getBufferBetween(block);
  if (!buffer)
    return refuse(block) << "expects block @" << block.getName()
                         << " to be the only reader of an intermediate buffer";
  ElementConsumer consumer;
  DiagnosedSilenceableFailure matched = matchConsumer(block, buffer, consumer);
  if (!matched.succeeded())
    return matched;
  BlockOp producerBlock = consumer.producerBlock;
  DiagnosedSilenceableFailure earlier =
      checkEarlier(block, buffer, producerBlock);
  if (!earlier.succeeded())
    return earlier;

  OpBuilder::InsertionGuard insertion(rewriter);
  hoistDefinitions(rewriter, block.getFunction());
  affine::AffineStoreOp store = consumer.producer.store;
  rewriter.setInsertionPoint(store);
  IRMapping mapping;
  mapIterVars(rewriter, block.getLoc(), block, consumer.indices,
              store.getAffineMap(), store.getMapOperands(), mapping);
  for (affine::AffineLoadOp load : consumer.loads)
    mapping.map(load.getResult(), store.getValueToStore());
  for (Operation &op : block.getBody()->without_terminator())
    if (!llvm::is_contained(consumer.loads, &op))
      rewriter.clone(op, mapping);
  rewriter.eraseOp(store);
  AllocBufferOp allocation = getAllocation(buffer);
  // The merged block goes by the name of what it now writes.
  rewriter.modifyOpInPlace(producerBlock,
                           [&] { producerBlock.setName(block.getName()); });
  eraseBlock(rewriter, block);
  normalizeAccesses(rewriter, producerBlock);
  eraseAllocation(rewriter, allocation);
  return DiagnosedSilenceableFailure::success();
}
