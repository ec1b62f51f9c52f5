//===- TransformLayout.cpp - Change the layout of a buffer ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tir;

/// Matches `dim`, `dim floordiv a`, `dim mod b` or `(dim floordiv a) mod b`:
/// digits of `dim` from `stride` on, `base` of them (0: all that are left).
static bool matchDigit(AffineExpr expr, unsigned &dim, int64_t &stride,
                       int64_t &base) {
  stride = 1;
  base = 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Mod) {
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor)
      return false;
    base = divisor.getValue();
    expr = binary.getLHS();
    binary = dyn_cast<AffineBinaryOpExpr>(expr);
  }
  if (binary && binary.getKind() == AffineExprKind::FloorDiv) {
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor)
      return false;
    stride = divisor.getValue();
    expr = binary.getLHS();
  }
  auto dimExpr = dyn_cast<AffineDimExpr>(expr);
  if (dimExpr)
    dim = dimExpr.getPosition();
  return static_cast<bool>(dimExpr);
}

/// Whether different indices stay different: the results of `layout` hold all
/// digits of each dimension.
static bool isInjective(AffineMap layout, ArrayRef<int64_t> shape) {
  for (unsigned dim = 0, e = layout.getNumDims(); dim != e; ++dim) {
    int64_t covered = 1;
    bool complete = shape[dim] == 1, progress = true;
    while (!complete && progress) {
      progress = false;
      for (AffineExpr expr : layout.getResults()) {
        unsigned source;
        int64_t stride, base;
        if (!matchDigit(expr, source, stride, base) || source != dim ||
            stride != covered)
          continue;
        bool isRest = base == 0;
        progress = isRest || base > 1;
        covered = isRest ? covered : stride * base;
        complete = isRest || (!ShapedType::isDynamic(shape[dim]) &&
                              covered >= shape[dim]);
        break;
      }
    }
    if (!complete)
      return false;
  }
  return true;
}

/// Sizes of the buffer after `layout`; a refusal if one is not known.
static DiagnosedSilenceableFailure
getNewSizes(RewriterBase &rewriter, Operation *op, AffineMap layout,
            ArrayRef<OpFoldResult> sizes, SmallVectorImpl<AffineExpr> &newSizes,
            IndexSpace &space) {
  IndexBounds bounds;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    bounds.dims.push_back(constant ? IndexRange::fromExtent(*constant)
                                   : IndexRange::nonNegative());
  }
  for (AffineExpr expr : layout.getResults()) {
    IndexRange range = bounds.getRange(expr);
    if (range.min && *range.min < 0)
      return refuse(op) << "expects a layout without negative indices";
    unsigned dim;
    int64_t stride, base;
    if (range.max)
      newSizes.push_back(rewriter.getAffineConstantExpr(*range.max + 1));
    else if (matchDigit(expr, dim, stride, base))
      newSizes.push_back(space.getExpr(sizes[dim]).ceilDiv(stride));
    else
      return refuse(op) << "expects a layout whose sizes are known";
  }
  return DiagnosedSilenceableFailure::success();
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

DiagnosedSilenceableFailure mlir::tir::transformLayout(RewriterBase &rewriter,
                                                       Value buffer,
                                                       AffineMap layout) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  AllocBufferOp allocation = getAllocation(buffer);
  Operation *op = buffer.getParentBlock()->getParentOp();
  if (allocation)
    op = allocation;
  auto function = buffer.getParentRegion()->getParentOfType<PrimFuncOp>();
  if (!function)
    function = cast<PrimFuncOp>(buffer.getParentRegion()->getParentOp());
  auto type = cast<MemRefType>(buffer.getType());
  if (layout.getNumDims() != type.getRank() || layout.getNumSymbols() != 0)
    return refuse(op) << "expects a layout of " << type.getRank()
                      << " dimensions, but got " << AffineMapAttr::get(layout);
  if (!isInjective(layout, type.getShape()))
    return refuse(op)
           << "expects a layout that keeps every element apart, but got "
           << AffineMapAttr::get(layout);
  if (!allocation) {
    if (!argument || !function.isLayoutFree(argument.getArgNumber()))
      return refuse(op) << "expects an intermediate buffer or an argument that "
                           "is tir.layout_free";
    if (!type.hasStaticShape())
      return refuse(op) << "expects an argument of static shape, but got "
                        << type;
  }

  SmallVector<BlockOp> blocks;
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

  OpBuilder::InsertionGuard insertion(rewriter);
  SmallVector<OpFoldResult> sizes =
      allocation ? allocation.getMixedSizes()
                 : getAsIndexOpFoldResult(op->getContext(), type.getShape());
  IndexSpace space(op->getContext());
  SmallVector<AffineExpr> newSizeExprs;
  DiagnosedSilenceableFailure sized =
      getNewSizes(rewriter, op, layout, sizes, newSizeExprs, space);
  if (!sized.succeeded())
    return sized;
  if (allocation)
    rewriter.setInsertionPoint(allocation);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  for (AffineExpr size : newSizeExprs) {
    OpFoldResult result = space.materialize(rewriter, op->getLoc(), size);
    std::optional<int64_t> constant = getConstantIntValue(result);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      dynamicSizes.push_back(cast<Value>(result));
  }
  auto newType = MemRefType::get(shape, type.getElementType());

  // Rewrite the accesses first: their maps refer to the old rank.
  for (Operation *user : llvm::to_vector(buffer.getUsers())) {
    if (isa<BlockOp>(user))
      continue;
    rewriter.setInsertionPoint(user);
    rewriteAccess(rewriter, user, layout);
  }

  if (allocation) {
    rewriter.setInsertionPoint(allocation);
    auto packed = AllocBufferOp::create(rewriter, op->getLoc(), newType,
                                        dynamicSizes, allocation.getScope());
    packed->setDiscardableAttrs(allocation->getDiscardableAttrDictionary());
    rewriter.replaceOp(allocation, packed);
  } else {
    unsigned index = argument.getArgNumber();
    rewriter.modifyOpInPlace(function, [&] {
      // A second change adds to the first; the original type stays.
      AffineMap total = layout;
      if (auto first = function.getArgAttrOfType<AffineMapAttr>(
              index, PrimFuncOp::kLayout))
        total = layout.compose(first.getValue());
      else
        function.setArgAttr(index, PrimFuncOp::kOriginalType,
                            TypeAttr::get(type));
      function.setArgAttr(index, PrimFuncOp::kLayout,
                          AffineMapAttr::get(total));
      argument.setType(newType);
      SmallVector<Type> types(function.getArgumentTypes());
      types[index] = newType;
      function.setFunctionType(
          rewriter.getFunctionType(types, function.getResultTypes()));
    });
  }
  for (BlockOp block : blocks)
    normalizeAccesses(rewriter, block);
  return DiagnosedSilenceableFailure::success();
}
