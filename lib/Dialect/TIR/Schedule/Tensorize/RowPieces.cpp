//===- RowPieces.cpp - Parts of rows as vectors ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPieces.h"

#include "relay-mlir/Dialect/TIR/Schedule/PickLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tir;

RowPieces RowPart::choosePieces(const NestedBlock &nest,
                                const IndexBounds &bounds, Value buffer,
                                AffineExpr position, int64_t offset,
                                int64_t stride, int64_t lanes) const {
  RowPieces pieces{stride, lanes, low, high, {}};
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
  if (last - begin >= lanes) {
    // Neighbouring steps of a window share their vectors, if there is a place
    // for more elements.
    int64_t count = llvm::divideCeilSigned(last - begin + 1, lanes);
    int64_t even = begin - llvm::mod(offset + begin, stride);
    bool isShared =
        last < even + count * lanes &&
        llvm::all_of(
            llvm::seq(count),
            [&](int64_t number) { return isInside(even + number * lanes); });
    for (int64_t number : llvm::seq(count))
      pieces.starts.push_back(isShared
                                  ? even + number * lanes
                                  : std::min(begin + number * lanes, ending));
    return pieces;
  }
  // The place that other vectors of the row have is the best one.
  for (int64_t start : {int64_t(0), begin, ending})
    if (start <= begin && last < start + lanes && isInside(start)) {
      pieces.starts.push_back(start);
      return pieces;
    }
  pieces.starts.push_back(begin);
  pieces.isMasked = last - begin + 1 < lanes;
  return pieces;
}

SmallVector<Value, 4> RowPieces::load(OpBuilder &builder, TileEmitter &emitter,
                                      Operation *access,
                                      AffineExpr position) const {
  int64_t count = isMasked ? stride * (high - 1 - low) + 1 : lanes;
  return llvm::map_to_vector<4>(starts, [&](int64_t start) {
    return emitter.loadElements(builder, access, position + start, count);
  });
}

Value RowPieces::assemble(OpBuilder &builder, Location loc,
                          ArrayRef<Value> parts, TypedAttr otherwise) const {
  if (isWhole())
    return parts.front();
  auto type = cast<VectorType>(parts.front().getType());
  Value filler = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(otherwise)));
  SmallVector<LanePick> picks;
  SmallVector<bool> isRead;
  for (int64_t lane = 0; lane != lanes; ++lane) {
    isRead.push_back(low <= lane && lane < high);
    LanePick pick;
    if (isRead.back())
      pick = getPick(starts, lanes, stride * lane);
    else if (starts.size() == 1)
      pick = {1, lane};
    picks.push_back(pick);
  }
  bool isPart = low != 0 || high != lanes;
  if (starts.size() == 1)
    return isPart ? pickLanes(builder, loc, {parts.front(), filler}, picks)
                  : pickLanes(builder, loc, parts, picks);
  Value result = pickLanes(builder, loc, parts, picks);
  if (!isPart)
    return result;
  auto maskType = VectorType::get(type.getShape(), builder.getI1Type());
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(maskType, ArrayRef(isRead)));
  return arith::SelectOp::create(builder, loc, mask, result, filler);
}
