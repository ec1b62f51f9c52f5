//===- StorageAlign.cpp - Distances in a buffer ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tir;

DiagnosedSilenceableFailure
mlir::tir::storageAlign(RewriterBase &rewriter, AllocBufferOp buffer,
                        int64_t axis, int64_t factor, int64_t offset) {
  MemRefType type = buffer.getType();
  int64_t rank = type.getRank();
  if (axis < -rank || axis >= rank)
    return refuse(buffer) << "expects an axis from " << -rank << " to "
                          << rank - 1 << ", but got " << axis;
  // A row more than that is no alignment any more.
  constexpr int64_t maxFactor = int64_t(1) << 20;
  if (factor <= 0 || factor > maxFactor || offset < 0 || offset >= factor)
    return refuse(buffer) << "expects a factor from 1 to " << maxFactor
                          << " and an offset below it, but got " << factor
                          << " and " << offset;
  axis = axis < 0 ? axis + rank : axis;
  for (Operation *user : buffer->getUsers())
    if (!isa<BlockOp, affine::AffineLoadOp, affine::AffineStoreOp,
             memref::LoadOp, memref::StoreOp>(user)) {
      DiagnosedSilenceableFailure failure =
          refuse(buffer) << "expects the buffer to be accessed by element";
      failure.attachNote(user->getLoc()) << "used here";
      return failure;
    }

  // Neighbours along the axis are as far apart as the dimensions after it are
  // large; the next one grows.
  SmallVector<int64_t> shape(type.getShape());
  if (axis + 1 == rank) {
    if (1 % factor == offset % factor)
      return DiagnosedSilenceableFailure::success();
    return refuse(buffer) << "expects an axis before the last, whose elements "
                             "are neighbours";
  }
  int64_t inner = 1;
  for (int64_t dim = axis + 2; dim < rank; ++dim) {
    if (ShapedType::isDynamic(shape[dim]))
      return refuse(buffer) << "expects known sizes after axis " << axis + 1
                            << ", but got " << type;
    inner *= shape[dim];
  }
  auto refuseOffset = [&]() {
    return refuse(buffer) << "expects an offset that multiples of " << inner
                          << " elements can have modulo " << factor
                          << ", but got " << offset;
  };
  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.setInsertionPoint(buffer);
  SmallVector<Value> sizes(buffer.getDynamicSizes());
  if (int64_t &size = shape[axis + 1]; !ShapedType::isDynamic(size)) {
    int64_t first = size;
    while (size * inner % factor != offset && size < first + factor)
      ++size;
    if (size * inner % factor != offset)
      return refuseOffset();
  } else if (factor % inner != 0 || offset % inner != 0) {
    // What a size has to be modulo what would depend on it.
    return refuseOffset();
  } else {
    Value &open = sizes[type.getDynamicDimIndex(axis + 1)];
    AffineExpr known = rewriter.getAffineSymbolExpr(0);
    open = affine::AffineApplyOp::create(
        rewriter, buffer.getLoc(),
        known + (offset / inner - known) % (factor / inner), open);
  }
  auto aligned = AllocBufferOp::create(
      rewriter, buffer.getLoc(),
      getBufferType(shape, type.getElementType(), buffer.getMemory()), sizes);
  aligned->setDiscardableAttrs(buffer->getDiscardableAttrDictionary());
  rewriter.replaceOp(buffer, aligned);
  return DiagnosedSilenceableFailure::success();
}
