//===- CompactBuffers.cpp - Buffers as small as a loop needs ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After blocks have moved into loops, an intermediate buffer often holds far
// more than one iteration uses. For each buffer: find the loop that all its
// blocks are in and whose iterations pass nothing on to each other in it, find
// which part of the buffer an iteration uses, and make the buffer that large,
// on the stack if there is room. A large buffer that stays in memory shrinks
// where threads keep parts of their own.
//
//===----------------------------------------------------------------------===//

#include "LoopRegion.h"
#include "ScheduleSupport.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tir;

/// The blocks that access `buffer` element by element, in program order; empty
/// if something else uses it.
static SmallVector<BlockOp> getElementAccessors(AllocBufferOp buffer) {
  for (Operation *user : buffer->getUsers()) {
    bool isAccess = isa<affine::AffineLoadOp, affine::AffineStoreOp,
                        memref::LoadOp, memref::StoreOp>(user);
    if (!isa<BlockOp>(user) && !(isAccess && user->getParentOfType<BlockOp>()))
      return {};
  }
  SmallVector<BlockOp> blocks;
  auto function = buffer->getParentOfType<PrimFuncOp>();
  for (BlockOp block : function.getBlocks())
    if (llvm::is_contained(block.getReads(), buffer.getBuffer()) ||
        llvm::is_contained(block.getWrites(), buffer.getBuffer()))
      blocks.push_back(block);
  return blocks;
}

/// The innermost loop in each of whose iterations the buffer starts afresh, or
/// null: all accesses are inside, and no reduction into it runs over the loop.
static ForOp getLoop(Value buffer, ArrayRef<BlockOp> blocks) {
  ForOp innermost;
  for (ForOp loop : BlockOp(blocks.front()).getLoops()) {
    if (!llvm::all_of(blocks,
                      [&](BlockOp block) { return loop->isAncestor(block); }))
      break;
    for (BlockOp block : blocks) {
      if (!llvm::is_contained(block.getWrites(), buffer))
        continue;
      IndexSpace space(loop.getContext());
      for (auto [index, binding] : llvm::enumerate(block.getBindings()))
        if (block.getIterKind(index) != IterKind::Spatial &&
            space.dependsOn(space.getExpr(binding), loop.getInductionVar()))
          return innermost;
    }
    innermost = loop;
  }
  return innermost;
}

/// An expression that `expr` never falls below, in which numbers that are
/// rounded up to a multiple, as the tiles of a loop do, are not rounded.
static AffineExpr dropRounding(AffineExpr expr) {
  LinearSum sum = LinearSum::get(expr);
  AffineExpr result = getAffineConstantExpr(sum.constant, expr.getContext());
  for (auto [term, coefficient] : sum.terms) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(term);
    auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                          : AffineConstantExpr();
    int64_t size = divisor ? divisor.getValue() : 0;
    bool isMultiple = size > 0 && coefficient > 0 && coefficient % size == 0;
    if (isMultiple && binary.getKind() == AffineExprKind::CeilDiv)
      result = result + binary.getLHS() * (coefficient / size);
    else if (isMultiple && binary.getKind() == AffineExprKind::FloorDiv)
      result = result + (binary.getLHS() - (size - 1)) * (coefficient / size);
    else
      result = result + term * coefficient;
  }
  return result;
}

/// Whether `inner` lies in `outer`, both of a dimension of `size`.
static bool covers(const std::optional<DimRegion> &outer,
                   const std::optional<DimRegion> &inner,
                   const IndexBounds &bounds) {
  if (!outer)
    return true;
  if (!inner)
    return false;
  AffineExpr rest = outer->min + outer->extent - inner->min - inner->extent;
  return bounds.isNonNegative(inner->min - outer->min) &&
         (bounds.isNonNegative(rest) ||
          bounds.isNonNegative(dropRounding(rest)));
}

namespace {
/// How a buffer shrinks: the extent of each dimension (dynamic: as before), and
/// where it begins (null: at 0).
struct CompactPlan {
  ForOp loop;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> origins;
  /// In the loop, or else where the buffer was.
  bool isLocal = true;
};
} // namespace

/// Plans the compaction of `buffer`; fails if an iteration could read what it
/// did not write itself.
static LogicalResult plan(AllocBufferOp buffer, ArrayRef<BlockOp> blocks,
                          IndexSpace &space, CompactPlan &result) {
  Value value = buffer.getBuffer();
  result.loop = getLoop(value, blocks);
  BlockOp first = blocks.front();
  bool startsAfresh =
      llvm::is_contained(first.getWrites(), value) &&
      (first.getInit() || !llvm::is_contained(first.getReads(), value));
  if (!result.loop || !startsAfresh)
    return failure();

  unsigned rank = buffer.getType().getRank();
  LoopRegion reads(space, result.loop);
  SmallVector<SmallVector<std::optional<DimRegion>>> writes;
  for (BlockOp block : blocks) {
    LoopRegion written(space, result.loop);
    bool hasWrite = false;
    for (const BufferAccess &access : collectAccesses(block)) {
      if (access.buffer != value)
        continue;
      LoopRegion &region = access.isWrite ? written : reads;
      hasWrite |= access.isWrite;
      if (access.map)
        region.add(block, *access.map, access.symbols);
      else
        region.addWhole(rank);
    }
    if (hasWrite)
      writes.push_back(llvm::to_vector(written.get()));
  }
  IndexBounds bounds = space.getBounds();
  for (unsigned dim = 0; dim != rank; ++dim) {
    const std::optional<DimRegion> &region = writes.front()[dim];
    for (ArrayRef<std::optional<DimRegion>> other : writes)
      if (!covers(region, other[dim], bounds))
        return failure();
    if (!reads.get().empty()) {
      // What is read in different pieces may be all of it.
      DimRegion all{getAffineConstantExpr(0, buffer.getContext()),
                    space.getExpr(buffer.getMixedSizes()[dim])};
      if (!covers(region, reads.get()[dim].value_or(all), bounds))
        return failure();
    }
    auto extent =
        region ? dyn_cast<AffineConstantExpr>(bounds.simplify(region->extent))
               : AffineConstantExpr();
    int64_t size = buffer.getType().getDimSize(dim);
    bool shrinks =
        extent && (ShapedType::isDynamic(size) || extent.getValue() < size);
    result.shape.push_back(shrinks ? extent.getValue() : size);
    AffineExpr origin = shrinks ? bounds.simplify(region->min) : AffineExpr();
    auto constant =
        origin ? dyn_cast<AffineConstantExpr>(origin) : AffineConstantExpr();
    result.origins.push_back(constant && constant.getValue() == 0 ? AffineExpr()
                                                                  : origin);
  }
  return success();
}

/// Subtracts origins from the indices of an access of a compacted buffer.
static void shiftAccess(RewriterBase &rewriter, Operation *op,
                        ArrayRef<Value> origins) {
  bool isLoad = isa<affine::AffineLoadOp, memref::LoadOp>(op);
  rewriter.setInsertionPoint(op);
  AffineMap map;
  SmallVector<Value> operands;
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    map = load.getAffineMap();
    operands = load.getMapOperands();
  } else if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
    map = store.getAffineMap();
    operands = store.getMapOperands();
  } else {
    operands = isLoad ? cast<memref::LoadOp>(op).getIndices()
                      : cast<memref::StoreOp>(op).getIndices();
    map = rewriter.getMultiDimIdentityMap(operands.size());
  }
  SmallVector<AffineExpr> exprs;
  for (auto [expr, origin] : llvm::zip(map.getResults(), origins)) {
    AffineExpr shifted = expr;
    if (origin) {
      unsigned symbol = operands.size() - map.getNumDims();
      shifted = expr - rewriter.getAffineSymbolExpr(symbol);
      operands.push_back(origin);
    }
    exprs.push_back(shifted);
  }
  AffineMap shifted =
      AffineMap::get(map.getNumDims(), operands.size() - map.getNumDims(),
                     exprs, op->getContext());
  // Indices that depend on data stay plain indices.
  if (isa<memref::LoadOp, memref::StoreOp>(op)) {
    SmallVector<Value> indices;
    for (AffineExpr expr : shifted.getResults())
      indices.push_back(affine::AffineApplyOp::create(
          rewriter, op->getLoc(),
          AffineMap::get(shifted.getNumDims(), shifted.getNumSymbols(), expr),
          operands));
    rewriter.modifyOpInPlace(op, [&] {
      if (isLoad)
        cast<memref::LoadOp>(op).getIndicesMutable().assign(indices);
      else
        cast<memref::StoreOp>(op).getIndicesMutable().assign(indices);
    });
    return;
  }
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    rewriter.replaceOpWithNewOp<affine::AffineLoadOp>(op, load.getMemRef(),
                                                      shifted, operands);
    return;
  }
  auto store = cast<affine::AffineStoreOp>(op);
  rewriter.replaceOpWithNewOp<affine::AffineStoreOp>(
      op, store.getValueToStore(), store.getMemRef(), shifted, operands);
}

static void apply(RewriterBase &rewriter, AllocBufferOp buffer,
                  ArrayRef<BlockOp> blocks, IndexSpace &space,
                  const CompactPlan &plan) {
  Location loc = buffer.getLoc();
  SmallVector<OpFoldResult> sizes = buffer.getMixedSizes();
  rewriter.setInsertionPointToStart(ForOp(plan.loop).getBody());
  SmallVector<Value> origins;
  for (AffineExpr origin : plan.origins)
    origins.push_back(origin ? space.materializeValue(rewriter, loc, origin)
                             : Value());
  Type elementType = buffer.getType().getElementType();
  AllocBufferOp compact;
  if (plan.isLocal) {
    compact = AllocBufferOp::create(
        rewriter, loc,
        getBufferType(plan.shape, elementType,
                      buffer.getMemory()
                          ? buffer.getMemory()
                          : getLocalMemory(rewriter.getContext())));
  } else {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(buffer);
    SmallVector<Value> dynamicSizes;
    for (auto [size, extent] : llvm::zip(sizes, plan.shape))
      if (ShapedType::isDynamic(extent))
        dynamicSizes.push_back(cast<Value>(size));
    compact = AllocBufferOp::create(
        rewriter, loc,
        getBufferType(plan.shape, elementType, buffer.getMemory()),
        dynamicSizes);
  }

  for (BlockOp block : blocks) {
    SmallVector<Value> iterVars;
    rewriter.modifyOpInPlace(block, [&] {
      for (auto [origin, size] : llvm::zip(origins, sizes))
        iterVars.push_back(origin ? addOpaqueIter(block, origin, size)
                                  : Value());
    });
    SmallVector<Operation *> accesses;
    for (const BufferAccess &access : collectAccesses(block))
      if (access.buffer == buffer.getBuffer())
        accesses.push_back(access.op);
    for (Operation *op : accesses)
      shiftAccess(rewriter, op, iterVars);
  }
  rewriter.replaceOp(buffer, compact);
  for (BlockOp block : blocks)
    normalizeAccesses(rewriter, block);
}

/// Changes a plan for a buffer that stays where it is: dimensions that
/// iterations which run at the same time divide among each other keep their
/// size. Returns how many times smaller the buffer becomes, as far as known.
static double keepParallelDims(AllocBufferOp buffer, IndexSpace &space,
                               CompactPlan &plan) {
  plan.isLocal = false;
  double factor = 1;
  for (unsigned dim = 0, rank = plan.shape.size(); dim != rank; ++dim) {
    int64_t size = buffer.getType().getDimSize(dim);
    if (!plan.origins[dim])
      plan.shape[dim] = size;
    for (ForOp loop = plan.loop; loop && plan.origins[dim];
         loop = loop.getParentLoop())
      if ((loop.getKind() == ForKind::Parallel ||
           loop.getKind() == ForKind::ThreadBinding) &&
          space.dependsOn(plan.origins[dim], loop.getInductionVar())) {
        plan.shape[dim] = size;
        plan.origins[dim] = AffineExpr();
      }
    constexpr double kGuessedFactor = 16;
    if (plan.shape[dim] != size)
      factor *= ShapedType::isDynamic(size)
                    ? kGuessedFactor
                    : double(size) / std::max<int64_t>(1, plan.shape[dim]);
  }
  return factor;
}

/// Whether a buffer is so large that threads should write to the same part of
/// it again and again, where that is in cache.
static bool isLarge(MemRefType type) {
  constexpr double kBytes = 4 << 20;
  double bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size))
      return true;
    bytes *= size;
  }
  return bytes > kBytes;
}

void mlir::tir::compactBuffers(RewriterBase &rewriter, PrimFuncOp function,
                               int64_t maxLocalBytes) {
  OpBuilder::InsertionGuard insertion(rewriter);
  SmallVector<AllocBufferOp> buffers(
      function.getRegion().getOps<AllocBufferOp>());
  relay::TargetAttrInterface target = relay::lookupTarget(function);
  if (target && !relay::lookupMemory(target, relay::MemoryAttr::kLocal))
    maxLocalBytes = 0;
  // Consumers first: the opaque variables that their blocks get are in the way
  // only of what these blocks write.
  llvm::SmallDenseMap<Value, std::pair<size_t, size_t>> order;
  for (auto [position, buffer] : llvm::enumerate(buffers))
    order[buffer] = {0, position};
  for (auto [position, block] : llvm::enumerate(function.getBlocks()))
    for (Value buffer : block.getWrites())
      if (auto it = order.find(buffer); it != order.end())
        it->second.first = position;
  llvm::sort(buffers, [&](AllocBufferOp lhs, AllocBufferOp rhs) {
    return order.lookup(lhs) < order.lookup(rhs);
  });
  for (AllocBufferOp buffer : llvm::reverse(buffers)) {
    SmallVector<BlockOp> blocks = getElementAccessors(buffer);
    IndexSpace space(function.getContext());
    CompactPlan compact;
    if (blocks.empty() || failed(plan(buffer, blocks, space, compact)))
      continue;
    uint64_t bytes =
        llvm::divideCeil(buffer.getType().getElementTypeBitWidth(), 8);
    bool isStatic = !ShapedType::isDynamicShape(compact.shape);
    if (isStatic)
      for (int64_t size : compact.shape)
        bytes = llvm::SaturatingMultiply<uint64_t>(bytes, size);
    // What is in a memory stays there, and takes less of it.
    if (buffer.getMemory()) {
      if (!isStatic)
        continue;
    } else if (isStatic && bytes <= static_cast<uint64_t>(maxLocalBytes)) {
      maxLocalBytes -= bytes;
    } else if (!isLarge(buffer.getType()) ||
               keepParallelDims(buffer, space, compact) < 2) {
      continue;
    }
    apply(rewriter, buffer, blocks, space, compact);
  }
}
