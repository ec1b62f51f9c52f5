//===- TransformLayout.cpp - Change the layout of a buffer ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexDigits.h"
#include "ScheduleSupport.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tir;

/// The divisors that occur in `layout`.
static SmallVector<int64_t> getDivisors(AffineMap layout) {
  SmallVector<int64_t> divisors;
  for (AffineExpr expr : layout.getResults())
    expr.walk([&](AffineExpr part) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(part);
      auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                            : AffineConstantExpr();
      if (divisor && divisor.getValue() > 1)
        divisors.push_back(divisor.getValue());
    });
  // (d floordiv 32, d floordiv 8 mod 4): both digits together are d floordiv 8.
  for (size_t i = 0, e = divisors.size(); i != e; ++i)
    for (size_t j = 0; j != e; ++j)
      if (divisors[i] % divisors[j] == 0 && divisors[i] != divisors[j])
        divisors.push_back(divisors[i] / divisors[j]);
  llvm::sort(divisors);
  divisors.erase(llvm::unique(divisors), divisors.end());
  return divisors;
}

/// Whether the results of `layout` tell apart the values of `part`, of which
/// there are `extent`: it is one of them, or its quotient and its remainder are
/// told apart.
static bool isToldApart(AffineExpr part, int64_t extent, AffineMap layout,
                        ArrayRef<int64_t> divisors) {
  if (extent == 1 || llvm::is_contained(layout.getResults(), part))
    return true;
  for (int64_t divisor : divisors) {
    bool isDynamic = ShapedType::isDynamic(extent);
    if (!isDynamic && divisor >= extent) {
      if (llvm::is_contained(layout.getResults(), part % divisor))
        return true;
      continue;
    }
    AffineExpr quotient = part.floorDiv(divisor);
    if (isToldApart(part % divisor, divisor, layout, divisors) &&
        (isDynamic ? llvm::is_contained(layout.getResults(), quotient)
                   : isToldApart(quotient, llvm::divideCeil(extent, divisor),
                                 layout, divisors)))
      return true;
  }
  return false;
}

bool mlir::tir::isOneToOne(AffineMap layout, ArrayRef<int64_t> shape) {
  // A sum tells its terms if each has a place of its own.
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : layout.getResults()) {
    auto places = splitPlaces(expr, shape);
    if (failed(places)) {
      // Perhaps digits of a digit, such as (d0 mod 68) floordiv 24.
      results.push_back(expr);
      continue;
    }
    for (auto [term, coefficient] : *places)
      results.push_back(term);
  }
  layout = AffineMap::get(layout.getNumDims(), 0, results, layout.getContext());
  SmallVector<int64_t> divisors = getDivisors(layout);
  for (unsigned dim = 0, e = layout.getNumDims(); dim != e; ++dim)
    if (!isToldApart(getAffineDimExpr(dim, layout.getContext()), shape[dim],
                     layout, divisors))
      return false;
  return true;
}

/// Sizes of the buffer after `layout`, which checkIndexMap has accepted.
static SmallVector<AffineExpr>
getNewSizes(AffineMap layout, ArrayRef<OpFoldResult> sizes, IndexSpace &space) {
  IndexBounds bounds;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    bounds.dims.push_back(constant ? IndexRange::fromExtent(*constant)
                                   : IndexRange::nonNegative());
  }
  SmallVector<AffineExpr> newSizes;
  for (AffineExpr expr : layout.getResults()) {
    IndexRange range = bounds.getRange(expr);
    if (range.max) {
      newSizes.push_back(
          getAffineConstantExpr(*range.max + 1, layout.getContext()));
      continue;
    }
    IndexDigit digit = *matchIndexDigit(expr);
    newSizes.push_back(space.getExpr(sizes[digit.dim]).ceilDiv(digit.stride));
  }
  return newSizes;
}

/// Lets a load or a store go through `layout`.
static void rewriteAccess(RewriterBase &rewriter, Operation *op,
                          AffineMap layout) {
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    AffineMap map = layout.compose(load.getAffineMap());
    rewriter.modifyOpInPlace(load, [&] { load.setMap(map); });
    return;
  }
  if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
    AffineMap map = layout.compose(store.getAffineMap());
    rewriter.modifyOpInPlace(store, [&] { store.setMap(map); });
    return;
  }
  auto load = dyn_cast<memref::LoadOp>(op);
  MutableOperandRange operands =
      load ? load.getIndicesMutable()
           : cast<memref::StoreOp>(op).getIndicesMutable();
  SmallVector<Value> old, indices;
  for (OpOperand &operand : operands)
    old.push_back(operand.get());
  for (AffineExpr expr : layout.getResults())
    indices.push_back(affine::AffineApplyOp::create(
        rewriter, op->getLoc(), AffineMap::get(layout.getNumDims(), 0, expr),
        old));
  rewriter.modifyOpInPlace(op, [&] { operands.assign(indices); });
}

DiagnosedSilenceableFailure mlir::tir::checkIndexMap(Operation *op,
                                                     AffineMap layout,
                                                     ArrayRef<int64_t> shape) {
  if (layout.getNumDims() != shape.size() || layout.getNumSymbols() != 0)
    return refuse(op) << "expects a layout of " << shape.size()
                      << " dimensions, but got " << AffineMapAttr::get(layout);
  if (!isOneToOne(layout, shape))
    return refuse(op)
           << "expects a layout that keeps every element apart, but got "
           << AffineMapAttr::get(layout);
  IndexBounds bounds;
  for (int64_t size : shape)
    bounds.dims.push_back(ShapedType::isDynamic(size)
                              ? IndexRange::nonNegative()
                              : IndexRange::fromExtent(size));
  for (AffineExpr expr : layout.getResults()) {
    IndexRange range = bounds.getRange(expr);
    if (range.min && *range.min < 0)
      return refuse(op) << "expects a layout without negative indices";
    if (!range.max && !matchIndexDigit(expr))
      return refuse(op) << "expects a layout whose sizes are known";
  }
  return DiagnosedSilenceableFailure::success();
}

/// Checks that `buffer`, reported at `op`, can have `layout`.
static DiagnosedSilenceableFailure checkLayout(Operation *op, Value buffer,
                                               AffineMap layout) {
  auto type = cast<MemRefType>(buffer.getType());
  DiagnosedSilenceableFailure apart =
      checkIndexMap(op, layout, type.getShape());
  if (!apart.succeeded())
    return apart;
  if (getAllocation(buffer))
    return DiagnosedSilenceableFailure::success();
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function = dyn_cast<PrimFuncOp>(op);
  if (!argument || !function || !function.isLayoutFree(argument.getArgNumber()))
    return refuse(op) << "expects an intermediate buffer or an argument that "
                         "is tir.layout_free";
  if (!type.hasStaticShape())
    return refuse(op) << "expects an argument of static shape, but got "
                      << type;
  return DiagnosedSilenceableFailure::success();
}

/// The blocks that access `buffer`, all of them element by element.
static DiagnosedSilenceableFailure
collectBlocks(Operation *op, Value buffer, SmallVectorImpl<BlockOp> &blocks) {
  for (Operation *user : buffer.getUsers()) {
    auto block = dyn_cast<BlockOp>(user);
    if (!block)
      block = user->getParentOfType<BlockOp>();
    bool isAccess = isa<BlockOp, affine::AffineLoadOp, affine::AffineStoreOp,
                        memref::LoadOp, memref::StoreOp>(user);
    if (!block || !isAccess) {
      DiagnosedSilenceableFailure failure =
          refuse(op) << "expects the buffer to be accessed by element";
      failure.attachNote(user->getLoc()) << "used here";
      return failure;
    }
    if (!llvm::is_contained(blocks, block))
      blocks.push_back(block);
  }
  return DiagnosedSilenceableFailure::success();
}

/// Gives an argument of the kernel a packed type and says how it is packed.
static void setArgumentLayout(PrimFuncOp function, BlockArgument argument,
                              MemRefType newType, AffineMap layout) {
  unsigned index = argument.getArgNumber();
  // A second change adds to the first; the original type stays.
  if (auto first =
          function.getArgAttrOfType<AffineMapAttr>(index, PrimFuncOp::kLayout))
    layout = layout.compose(first.getValue());
  else
    function.setArgAttr(index, PrimFuncOp::kOriginalType,
                        TypeAttr::get(argument.getType()));
  function.setArgAttr(index, PrimFuncOp::kLayout, AffineMapAttr::get(layout));
  setArgumentType(function, argument, newType);
}

DiagnosedSilenceableFailure mlir::tir::transformLayout(RewriterBase &rewriter,
                                                       Value buffer,
                                                       AffineMap layout) {
  AllocBufferOp allocation = getAllocation(buffer);
  Operation *op = buffer.getParentBlock()->getParentOp();
  if (allocation)
    op = allocation;
  DiagnosedSilenceableFailure possible = checkLayout(op, buffer, layout);
  if (!possible.succeeded())
    return possible;
  SmallVector<BlockOp> blocks;
  DiagnosedSilenceableFailure collected = collectBlocks(op, buffer, blocks);
  if (!collected.succeeded())
    return collected;
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> sizes =
      allocation ? allocation.getMixedSizes()
                 : getAsIndexOpFoldResult(op->getContext(), type.getShape());
  IndexSpace space(op->getContext());
  SmallVector<AffineExpr> newSizes = getNewSizes(layout, sizes, space);

  OpBuilder::InsertionGuard insertion(rewriter);
  if (allocation)
    rewriter.setInsertionPoint(allocation);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  for (AffineExpr size : newSizes) {
    OpFoldResult result = space.materialize(rewriter, op->getLoc(), size);
    std::optional<int64_t> constant = getConstantIntValue(result);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      dynamicSizes.push_back(cast<Value>(result));
  }
  MemRefType newType =
      getBufferType(shape, type.getElementType(),
                    allocation ? allocation.getMemory() : relay::MemoryAttr());

  // Rewrite the accesses first: their maps refer to the old rank.
  for (Operation *user : llvm::to_vector(buffer.getUsers())) {
    if (isa<BlockOp>(user))
      continue;
    rewriter.setInsertionPoint(user);
    rewriteAccess(rewriter, user, layout);
  }
  if (allocation) {
    rewriter.setInsertionPoint(allocation);
    auto packed =
        AllocBufferOp::create(rewriter, op->getLoc(), newType, dynamicSizes);
    packed->setDiscardableAttrs(allocation->getDiscardableAttrDictionary());
    rewriter.replaceOp(allocation, packed);
  } else {
    auto function = cast<PrimFuncOp>(op);
    rewriter.modifyOpInPlace(function, [&] {
      setArgumentLayout(function, cast<BlockArgument>(buffer), newType, layout);
    });
  }
  for (BlockOp block : blocks)
    normalizeAccesses(rewriter, block);
  return DiagnosedSilenceableFailure::success();
}

bool mlir::tir::hasFreeLayout(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto kernel = argument
                    ? dyn_cast<PrimFuncOp>(argument.getOwner()->getParentOp())
                    : PrimFuncOp();
  return kernel && kernel.isLayoutFree(argument.getArgNumber()) &&
         getReaders(buffer).size() == 1;
}
