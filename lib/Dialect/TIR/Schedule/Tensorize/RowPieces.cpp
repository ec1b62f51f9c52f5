//===- RowPieces.cpp - Parts of rows as vectors ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tir;

RowPieces RowPart::choosePieces(const NestedBlock &nest,
                                const IndexBounds &bounds, Value buffer,
                                AffineExpr position, int64_t offset,
                                int64_t stride, int64_t lanes) const {
  RowPieces pieces{stride, lanes, low, high, 0, 0};
  int64_t begin = stride * low, last = stride * (high - 1);
  // Vectors that start at the first element that is read, or end at the last
  // one.
  int64_t ending = last - lanes + 1;
  auto isInside = [&](int64_t start) {
    if (min && max && *min <= start && start + lanes - 1 <= *max)
      return true;
    IndexRange range = bounds.getRange(bounds.simplify(position + start));
    auto type = cast<MemRefType>(buffer.getType());
    return type.hasStaticShape() && range.min && *range.min >= 0 && range.max &&
           *range.max + lanes <= type.getNumElements();
  };
  pieces.first = begin;
  if (last - begin >= lanes) {
    pieces.second = ending;
    pieces.hasSecond = true;
    // Neighbouring steps of a window share their vectors, if there is a place
    // for one more element.
    int64_t even = begin - llvm::mod(offset + begin, stride);
    if (isInside(even) && isInside(even + lanes)) {
      pieces.first = even;
      pieces.second = even + lanes;
    }
    return pieces;
  }
  // The place that other vectors of the row have is the best one.
  for (int64_t start : {int64_t(0), begin, ending})
    if (start <= begin && last < start + lanes && isInside(start)) {
      pieces.first = start;
      return pieces;
    }
  pieces.isMasked = last - begin + 1 < lanes;
  return pieces;
}

SmallVector<Value, 2> RowPieces::load(OpBuilder &builder, TileEmitter &emitter,
                                      Operation *access,
                                      AffineExpr position) const {
  int64_t count = isMasked ? stride * (high - 1 - low) + 1 : lanes;
  SmallVector<Value, 2> parts = {
      emitter.loadElements(builder, access, position + first, count)};
  if (hasSecond)
    parts.push_back(
        emitter.loadElements(builder, access, position + second, lanes));
  return parts;
}

Value RowPieces::assemble(OpBuilder &builder, Location loc,
                          ArrayRef<Value> parts, TypedAttr otherwise) const {
  if (isWhole())
    return parts.front();
  auto type = cast<VectorType>(parts.front().getType());
  Value filler = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(otherwise)));
  SmallVector<int64_t> picked;
  SmallVector<bool> isRead;
  for (int64_t lane = 0; lane != lanes; ++lane) {
    isRead.push_back(low <= lane && lane < high);
    int64_t index = stride * lane - first;
    if (!isRead.back())
      index = hasSecond ? 0 : lanes + lane;
    else if (index >= lanes)
      index = lanes + stride * lane - second;
    picked.push_back(index);
  }
  Value result = vector::ShuffleOp::create(
      builder, loc, parts.front(), hasSecond ? parts.back() : filler, picked);
  if (!hasSecond || (low == 0 && high == lanes))
    return result;
  auto maskType = VectorType::get(type.getShape(), builder.getI1Type());
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(maskType, ArrayRef(isRead)));
  return arith::SelectOp::create(builder, loc, mask, result, filler);
}
