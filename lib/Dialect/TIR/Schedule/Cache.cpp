//===- Cache.cpp - Copies of buffers ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

SmallVector<Value> mlir::tir::getWrittenBuffers(BlockOp block) {
  SmallVector<Value> buffers;
  for (Value buffer : block.getWrites())
    if (!llvm::is_contained(buffers, buffer))
      buffers.push_back(buffer);
  return buffers;
}

SmallVector<Value> mlir::tir::getReadBuffers(BlockOp block) {
  SmallVector<Value> written = getWrittenBuffers(block), buffers;
  for (Value buffer : block.getReads())
    if (!llvm::is_contained(buffers, buffer) &&
        !llvm::is_contained(written, buffer))
      buffers.push_back(buffer);
  return buffers;
}

Operation *mlir::tir::getNest(BlockOp block) {
  SmallVector<ForOp, 6> loops = block.getLoops();
  return loops.empty() ? block.getOperation() : loops.front().getOperation();
}

/// The memory `scope`, in which a copy of `buffer` can be; refuses otherwise.
static DiagnosedSilenceableFailure findMemoryFor(BlockOp block, Value buffer,
                                                 StringRef scope,
                                                 relay::MemoryAttr &memory) {
  return findMemory(block, scope,
                    cast<MemRefType>(buffer.getType()).hasStaticShape(),
                    memory);
}

/// Creates a buffer like `buffer` in `memory` right before `before`.
static AllocBufferOp createLike(RewriterBase &rewriter, Operation *before,
                                Value buffer, relay::MemoryAttr memory) {
  rewriter.setInsertionPoint(before);
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size)) {
      AllocBufferOp allocation = getAllocation(buffer);
      sizes.push_back(allocation ? cast<Value>(allocation.getMixedSizes()[dim])
                                 : memref::DimOp::create(
                                       rewriter, before->getLoc(), buffer, dim)
                                       .getResult());
    }
  return AllocBufferOp::create(
      rewriter, before->getLoc(),
      getBufferType(type.getShape(), type.getElementType(), memory), sizes);
}

/// A block that copies `source` to `target`, which have the sizes of `like`.
static BlockOp createCopy(RewriterBase &rewriter, Location loc, StringRef name,
                          Value source, Value target, AllocBufferOp like) {
  SmallVector<OpFoldResult> extents = like.getMixedSizes();
  SmallVector<IterKind> kinds(extents.size(), IterKind::Spatial);
  return buildBlockNest(
      rewriter, loc, name, kinds, extents, [&](OpBuilder &body, BlockOp block) {
        AffineMap index = body.getMultiDimIdentityMap(extents.size());
        Value value = createLoad(body, loc, source, index, block.getIterVars());
        createStore(body, loc, value, target, index, block.getIterVars());
      });
}

/// Lets `block` use `target` instead of `source`.
static void redirect(RewriterBase &rewriter, BlockOp block, Value source,
                     Value target) {
  rewriter.replaceUsesWithIf(source, target, [&](OpOperand &use) {
    return block->isAncestor(use.getOwner());
  });
  rewriter.modifyOpInPlace(block, [&] { block.updateAccessRegions(); });
}

DiagnosedSilenceableFailure mlir::tir::cacheRead(RewriterBase &rewriter,
                                                 BlockOp block, uint64_t index,
                                                 StringRef scope,
                                                 BlockOp &copy) {
  SmallVector<Value> buffers = getReadBuffers(block);
  if (index >= buffers.size())
    return refuse(block) << "expects block @" << block.getName()
                         << " to read more than " << index << " buffers";
  Value buffer = buffers[index];
  relay::MemoryAttr memory;
  DiagnosedSilenceableFailure placed =
      findMemoryFor(block, buffer, scope, memory);
  if (!placed.succeeded())
    return placed;
  Operation *nest = getNest(block);
  for (BlockOp writer : getWriters(buffer))
    if (!isBefore(writer, nest))
      return refuse(block) << "expects what block @" << block.getName()
                           << " reads to be complete before its nest, but @"
                           << writer.getName() << " writes it later";

  OpBuilder::InsertionGuard insertion(rewriter);
  AllocBufferOp cache = createLike(rewriter, nest, buffer, memory);
  std::string name = block.getFunction().getUniqueBlockName(
      (block.getName() + "_read_" + scope).str());
  copy = createCopy(rewriter, block.getLoc(), name, buffer, cache, cache);
  redirect(rewriter, block, buffer, cache);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure mlir::tir::cacheWrite(RewriterBase &rewriter,
                                                  BlockOp block, uint64_t index,
                                                  StringRef scope,
                                                  BlockOp &copy) {
  SmallVector<Value> buffers = getWrittenBuffers(block);
  if (index >= buffers.size())
    return refuse(block) << "expects block @" << block.getName()
                         << " to write more than " << index << " buffers";
  Value buffer = buffers[index];
  relay::MemoryAttr memory;
  DiagnosedSilenceableFailure placed =
      findMemoryFor(block, buffer, scope, memory);
  if (!placed.succeeded())
    return placed;
  if (getWriters(buffer).size() != 1)
    return refuse(block) << "expects block @" << block.getName()
                         << " to be the only one that writes its buffer";
  if (llvm::is_contained(block.getReads(), buffer) && !block.getInit())
    return refuse(block) << "expects an init in block @" << block.getName()
                         << ", which goes on from what is in its buffer";
  Operation *nest = getNest(block);
  for (BlockOp reader : getReaders(buffer))
    if (reader != block && !isBefore(nest, reader))
      return refuse(block) << "expects readers of block @" << block.getName()
                           << " after its nest, but @" << reader.getName()
                           << " is inside";
  OpBuilder::InsertionGuard insertion(rewriter);
  AllocBufferOp cache = createLike(rewriter, nest, buffer, memory);
  redirect(rewriter, block, buffer, cache);
  rewriter.setInsertionPointAfter(nest);
  std::string name = block.getFunction().getUniqueBlockName(
      (block.getName() + "_write_" + scope).str());
  copy = createCopy(rewriter, block.getLoc(), name, cache, buffer, cache);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::cacheInplace(RewriterBase &rewriter, BlockOp block, uint64_t index,
                        StringRef scope, BlockOp &copyIn, BlockOp &copyOut) {
  SmallVector<Value> buffers;
  for (Value buffer : getWrittenBuffers(block))
    if (llvm::is_contained(block.getReads(), buffer))
      buffers.push_back(buffer);
  if (index >= buffers.size())
    return refuse(block) << "expects block @" << block.getName()
                         << " to read and write more than " << index
                         << " buffers";
  Value buffer = buffers[index];
  relay::MemoryAttr memory;
  DiagnosedSilenceableFailure placed =
      findMemoryFor(block, buffer, scope, memory);
  if (!placed.succeeded())
    return placed;
  Operation *nest = getNest(block);
  for (BlockOp other : getWriters(buffer))
    if (other != block && !isBefore(other, nest) && !isBefore(nest, other))
      return refuse(block) << "expects no other block in the nest of @"
                           << block.getName() << " to write its buffer, but @"
                           << other.getName() << " does";
  for (BlockOp other : getReaders(buffer))
    if (other != block && !isBefore(other, nest) && !isBefore(nest, other))
      return refuse(block) << "expects no other block in the nest of @"
                           << block.getName() << " to read its buffer, but @"
                           << other.getName() << " does";

  OpBuilder::InsertionGuard insertion(rewriter);
  AllocBufferOp cache = createLike(rewriter, nest, buffer, memory);
  PrimFuncOp function = block.getFunction();
  auto getName = [&](StringRef what) {
    return function.getUniqueBlockName(
        (block.getName() + "_" + what + "_" + scope).str());
  };
  copyIn = createCopy(rewriter, block.getLoc(), getName("read"), buffer, cache,
                      cache);
  redirect(rewriter, block, buffer, cache);
  rewriter.setInsertionPointAfter(nest);
  copyOut = createCopy(rewriter, block.getLoc(), getName("write"), cache,
                       buffer, cache);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// read_at and write_at
//===----------------------------------------------------------------------===//

/// Takes a cache and the block that copies away again; `block` uses `buffer`.
static void removeCache(RewriterBase &rewriter, BlockOp block, BlockOp copy,
                        Value cache, Value buffer) {
  redirect(rewriter, block, cache, buffer);
  rewriter.eraseOp(getNest(copy));
  auto allocation = cache.getDefiningOp<AllocBufferOp>();
  // Several dimensions may have the same size.
  llvm::SmallSetVector<Operation *, 4> sizes;
  for (Value size : allocation.getDynamicSizes())
    if (Operation *op = size.getDefiningOp())
      sizes.insert(op);
  rewriter.eraseOp(allocation);
  for (Operation *op : sizes)
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

DiagnosedSilenceableFailure mlir::tir::readAt(RewriterBase &rewriter,
                                              ForOp loop, BlockOp block,
                                              uint64_t index, StringRef scope,
                                              BlockOp &copy) {
  DiagnosedSilenceableFailure cached =
      cacheRead(rewriter, block, index, scope, copy);
  if (!cached.succeeded())
    return cached;
  Value buffer = copy.getReads().front(), cache = copy.getWrites().front();
  DiagnosedSilenceableFailure moved = computeAt(rewriter, copy, loop);
  if (!moved.succeeded())
    removeCache(rewriter, block, copy, cache, buffer);
  return moved;
}

DiagnosedSilenceableFailure mlir::tir::writeAt(RewriterBase &rewriter,
                                               ForOp loop, BlockOp block,
                                               uint64_t index, StringRef scope,
                                               BlockOp &copy) {
  DiagnosedSilenceableFailure cached =
      cacheWrite(rewriter, block, index, scope, copy);
  if (!cached.succeeded())
    return cached;
  Value buffer = copy.getWrites().front(), cache = copy.getReads().front();
  DiagnosedSilenceableFailure moved = reverseComputeAt(rewriter, copy, loop);
  if (!moved.succeeded())
    removeCache(rewriter, block, copy, cache, buffer);
  return moved;
}
