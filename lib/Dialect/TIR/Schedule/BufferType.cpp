//===- BufferType.cpp - Dimensions and elements of buffers ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// set_axis_separator
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
mlir::tir::setAxisSeparator(RewriterBase &rewriter, Value buffer,
                            ArrayRef<int64_t> separators) {
  auto type = cast<MemRefType>(buffer.getType());
  Operation *op = buffer.getParentBlock()->getParentOp();
  if (AllocBufferOp allocation = getAllocation(buffer))
    op = allocation;
  int64_t rank = type.getRank(), begin = 0;
  SmallVector<AffineExpr> results;
  SmallVector<int64_t> ends(separators);
  ends.push_back(rank);
  for (int64_t end : ends) {
    bool isLast = results.size() == separators.size();
    if (end <= begin || (!isLast && end >= rank))
      return refuse(op) << "expects separators in increasing order from 1 to "
                        << rank - 1 << ", but got " << getText(separators);
    AffineExpr expr = rewriter.getAffineDimExpr(begin);
    for (int64_t dim = begin + 1; dim != end; ++dim) {
      if (type.isDynamicDim(dim))
        return refuse(op) << "expects dimensions of constant size after the "
                             "first one of a group, but got "
                          << type;
      expr = expr * type.getDimSize(dim) + rewriter.getAffineDimExpr(dim);
    }
    results.push_back(expr);
    begin = end;
  }
  return transformLayout(
      rewriter, buffer,
      AffineMap::get(rank, 0, results, rewriter.getContext()));
}

//===----------------------------------------------------------------------===//
// unsafe_set_dtype
//===----------------------------------------------------------------------===//

/// `value` as an element of `type`, which is of the same kind.
static Value convertElement(OpBuilder &builder, Location loc, Value value,
                            Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    if (from < to)
      return arith::ExtFOp::create(builder, loc, type, value);
    if (from > to)
      return arith::TruncFOp::create(builder, loc, type, value);
    // bf16 and f16 have no common conversion.
    Value wide =
        arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, loc, type, wide);
  }
  if (from < to)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}

/// Lets a load or a store of `target` convert the element.
static void convertAccess(RewriterBase &rewriter, Operation *op, Type oldType,
                          Type newType) {
  if (isa<affine::AffineLoadOp, memref::LoadOp>(op)) {
    Value result = op->getResult(0);
    rewriter.modifyOpInPlace(op, [&] { result.setType(newType); });
    rewriter.setInsertionPointAfter(op);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    Value old = convertElement(rewriter, op->getLoc(), result, oldType);
    for (OpOperand *use : uses)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(old); });
    return;
  }
  rewriter.setInsertionPoint(op);
  Value stored =
      convertElement(rewriter, op->getLoc(), op->getOperand(0), newType);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, stored); });
}

DiagnosedSilenceableFailure
mlir::tir::setDtype(RewriterBase &rewriter, AllocBufferOp buffer, Type type) {
  MemRefType oldType = buffer.getType();
  Type element = oldType.getElementType();
  if (type == element)
    return DiagnosedSilenceableFailure::success();
  auto isPlainInteger = [](Type candidate) {
    return candidate.isSignlessInteger() &&
           candidate.getIntOrFloatBitWidth() >= 8;
  };
  auto isPlainFloat = [](Type candidate) {
    return candidate.isBF16() || candidate.isF16() || candidate.isF32() ||
           candidate.isF64();
  };
  bool areFloats = isPlainFloat(type) && isPlainFloat(element);
  if (!areFloats && !(isPlainInteger(type) && isPlainInteger(element)))
    return refuse(buffer) << "expects one of f16, bf16, f32 and f64, or of the "
                             "integer types from 8 bits on, for another one, "
                             "but got "
                          << type << " for " << element;
  DiagnosedSilenceableFailure accessed = checkAccessedByElement(buffer);
  if (!accessed.succeeded())
    return accessed;
  SmallVector<BlockOp> blocks;
  SmallVector<Operation *> accesses;
  for (Operation *user : buffer->getUsers()) {
    auto block = dyn_cast<BlockOp>(user);
    if (isa<memref::DimOp>(user))
      continue;
    if (!block) {
      accesses.push_back(user);
      block = user->getParentOfType<BlockOp>();
    }
    if (!llvm::is_contained(blocks, block))
      blocks.push_back(block);
  }

  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.setInsertionPoint(buffer);
  auto converted = AllocBufferOp::create(
      rewriter, buffer.getLoc(),
      getBufferType(oldType.getShape(), type, buffer.getMemory()),
      buffer.getDynamicSizes());
  converted->setDiscardableAttrs(buffer->getDiscardableAttrDictionary());
  rewriter.replaceOp(buffer, converted);
  for (Operation *access : accesses)
    convertAccess(rewriter, access, element, type);
  for (BlockOp block : blocks)
    rewriter.modifyOpInPlace(block, [&] { block.updateAccessRegions(); });
  return DiagnosedSilenceableFailure::success();
}
