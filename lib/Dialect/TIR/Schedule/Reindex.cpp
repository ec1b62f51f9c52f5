//===- Reindex.cpp - Buffers laid out by iteration variables --------------===//
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

namespace {

/// How a block accesses the buffer: always the one element `map`.
struct Access {
  Value buffer;
  AffineMap map;
  SmallVector<Operation *> ops;
  /// The iteration variables that `map` uses.
  SmallVector<unsigned> used;
};

} // namespace

static DiagnosedSilenceableFailure matchAccess(BlockOp block, Access &access) {
  auto refuseAccess = [&](Operation *at) {
    DiagnosedSilenceableFailure failure =
        refuse(block) << "expects block @" << block.getName()
                      << " to access one element of the buffer, at an affine "
                         "function of its variables, in every instance";
    failure.attachNote(at->getLoc()) << "accessed here";
    return failure;
  };
  for (const BufferAccess &found : collectAccesses(block)) {
    if (found.buffer != access.buffer)
      continue;
    bool isPlain = isa<affine::AffineLoadOp, affine::AffineStoreOp>(found.op);
    Operation *parent = found.op->getParentOp();
    bool isAlways = parent == block || isa<InitOp>(parent);
    if (!isPlain || !isAlways || !found.map || !found.symbols.empty() ||
        (!access.ops.empty() && access.map != *found.map))
      return refuseAccess(found.op);
    access.map = *found.map;
    access.ops.push_back(found.op);
  }
  for (unsigned iter = 0, e = block.getNumIters(); iter != e; ++iter)
    if (access.map.isFunctionOfDim(iter))
      access.used.push_back(iter);
  return DiagnosedSilenceableFailure::success();
}

/// Checks that what goes to `access` may go through another buffer first.
static DiagnosedSilenceableFailure checkWrite(BlockOp block,
                                              const Access &access) {
  Operation *nest = getNest(block);
  if (getWriters(access.buffer).size() != 1)
    return refuse(block) << "expects block @" << block.getName()
                         << " to be the only one that writes its buffer";
  for (BlockOp reader : getReaders(access.buffer))
    if (reader != block && !isBefore(nest, reader))
      return refuse(block) << "expects readers of block @" << block.getName()
                           << " after its nest, but @" << reader.getName()
                           << " is before its end";
  if (llvm::is_contained(block.getReads(), access.buffer) && !block.getInit())
    return refuse(block) << "expects an init in block @" << block.getName()
                         << ", which goes on from what is in its buffer";
  for (auto [iter, extent] : llvm::enumerate(block.getStaticExtents())) {
    bool isUsed = llvm::is_contained(access.used, iter);
    bool isSpatial = block.getIterKind(iter) == IterKind::Spatial;
    if (isUsed && !isSpatial)
      return refuse(block) << "expects block @" << block.getName()
                           << " to index its result by spatial variables";
    if (!isUsed && isSpatial && extent != 1)
      return refuse(block) << "expects every spatial variable of block @"
                           << block.getName() << " to index its result";
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure mlir::tir::reindex(RewriterBase &rewriter,
                                               BlockOp block, bool write,
                                               uint64_t index, BlockOp &copy) {
  SmallVector<Value> buffers =
      write ? getWrittenBuffers(block) : getReadBuffers(block);
  if (index >= buffers.size())
    return refuse(block) << "expects block @" << block.getName() << " to "
                         << (write ? "write" : "read") << " more than " << index
                         << " buffers";
  Access access;
  access.buffer = buffers[index];
  DiagnosedSilenceableFailure matched = matchAccess(block, access);
  if (!matched.succeeded())
    return matched;
  Operation *nest = getNest(block);
  if (write) {
    DiagnosedSilenceableFailure writable = checkWrite(block, access);
    if (!writable.succeeded())
      return writable;
  } else {
    for (BlockOp writer : getWriters(access.buffer))
      if (!isBefore(writer, nest))
        return refuse(block) << "expects what block @" << block.getName()
                             << " reads to be complete before its nest, but @"
                             << writer.getName() << " writes it later";
  }
  for (unsigned iter : access.used)
    if (auto extent = dyn_cast<Value>(block.getExtents()[iter]))
      if (!isDefinedOutside(extent, nest))
        return refuse(block) << "expects extents from outside the nest of @"
                             << block.getName();

  OpBuilder::InsertionGuard insertion(rewriter);
  Location loc = block.getLoc();
  SmallVector<OpFoldResult> extents;
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  SmallVector<AffineExpr> bare;
  for (unsigned iter : access.used) {
    extents.push_back(block.getExtents()[iter]);
    dispatchIndexOpFoldResult(extents.back(), sizes, shape);
    bare.push_back(rewriter.getAffineDimExpr(iter));
  }
  rewriter.setInsertionPoint(nest);
  auto type = cast<MemRefType>(access.buffer.getType());
  Value target = AllocBufferOp::create(
      rewriter, loc, MemRefType::get(shape, type.getElementType()), sizes);

  // The old index over the variables of the copy.
  SmallVector<AffineExpr> dims(block.getNumIters(),
                               rewriter.getAffineConstantExpr(0));
  for (auto [position, iter] : llvm::enumerate(access.used))
    dims[iter] = rewriter.getAffineDimExpr(position);
  AffineMap oldIndex =
      access.map.replaceDimsAndSymbols(dims, {}, access.used.size(), 0);
  AffineMap newIndex = rewriter.getMultiDimIdentityMap(access.used.size());
  SmallVector<IterKind> kinds(access.used.size(), IterKind::Spatial);
  std::string name = block.getFunction().getUniqueBlockName(
      (block.getName() + (write ? "_write" : "_read") + "_reindex").str());
  if (write)
    rewriter.setInsertionPointAfter(nest);
  copy = buildBlockNest(
      rewriter, loc, name, kinds, extents, [&](OpBuilder &body, BlockOp block) {
        ValueRange iterVars = block.getIterVars();
        Value value = createLoad(body, loc, write ? target : access.buffer,
                                 write ? newIndex : oldIndex, iterVars);
        createStore(body, loc, value, write ? access.buffer : target,
                    write ? oldIndex : newIndex, iterVars);
      });

  AffineMap blockIndex =
      AffineMap::get(block.getNumIters(), 0, bare, block.getContext());
  for (Operation *op : access.ops) {
    rewriter.setInsertionPoint(op);
    if (isa<affine::AffineLoadOp>(op)) {
      rewriter.replaceOp(op, createLoad(rewriter, loc, target, blockIndex,
                                        block.getIterVars()));
      continue;
    }
    createStore(rewriter, loc, op->getOperand(0), target, blockIndex,
                block.getIterVars());
    rewriter.eraseOp(op);
  }
  rewriter.modifyOpInPlace(block, [&] { block.updateAccessRegions(); });
  normalizeAccesses(rewriter, block);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::reindexCache(RewriterBase &rewriter, BlockOp block, bool write,
                        uint64_t index, StringRef scope, AffineMap layout,
                        BlockOp &copy) {
  // Whatever could fail after `reindex` is checked before.
  SmallVector<Value> buffers =
      write ? getWrittenBuffers(block) : getReadBuffers(block);
  if (index < buffers.size()) {
    Access access;
    access.buffer = buffers[index];
    DiagnosedSilenceableFailure matched = matchAccess(block, access);
    if (!matched.succeeded())
      return matched;
    SmallVector<int64_t> shape;
    for (unsigned iter : access.used)
      shape.push_back(block.getStaticExtents()[iter]);
    DiagnosedSilenceableFailure apart = checkIndexMap(block, layout, shape);
    if (!apart.succeeded())
      return apart;
    relay::MemoryAttr memory;
    DiagnosedSilenceableFailure found =
        findMemory(block, scope, !ShapedType::isDynamicShape(shape), memory);
    if (!found.succeeded())
      return found;
  }
  DiagnosedSilenceableFailure done =
      reindex(rewriter, block, write, index, copy);
  if (!done.succeeded())
    return done;
  Value cache = write ? copy.getReads().front() : copy.getWrites().front();
  DiagnosedSilenceableFailure moved =
      setScope(rewriter, getAllocation(cache), scope);
  return moved.succeeded() ? transformLayout(rewriter, cache, layout)
                           : std::move(moved);
}

DiagnosedSilenceableFailure
mlir::tir::reorderBlockIters(RewriterBase &rewriter, BlockOp block,
                             ArrayRef<int64_t> order) {
  unsigned numIters = block.getNumIters();
  SmallVector<bool> seen(numIters, false);
  bool isPermutation = order.size() == numIters;
  for (int64_t index : order) {
    isPermutation &= index >= 0 && index < numIters;
    if (!isPermutation)
      break;
    isPermutation &= !seen[index];
    seen[index] = true;
  }
  if (!isPermutation)
    return refuse(block) << "expects a permutation of the " << numIters
                         << " variables of block @" << block.getName();
  SmallVector<Attribute> kinds;
  SmallVector<Value> bindings;
  SmallVector<OpFoldResult> extents, oldExtents = block.getExtents();
  for (int64_t index : order) {
    kinds.push_back(block.getIterKinds()[index]);
    bindings.push_back(block.getBindings()[index]);
    extents.push_back(oldExtents[index]);
  }
  rewriter.modifyOpInPlace(block, [&] {
    Block *body = block.getBody();
    for (int64_t index : order) {
      BlockArgument old = body->getArgument(index);
      old.replaceAllUsesWith(body->addArgument(old.getType(), old.getLoc()));
    }
    body->eraseArguments(0, numIters);
    block.setIterKindsAttr(rewriter.getArrayAttr(kinds));
    block.getBindingsMutable().assign(bindings);
    block.setExtents(extents);
    block.updateAccessRegions();
  });
  return DiagnosedSilenceableFailure::success();
}
