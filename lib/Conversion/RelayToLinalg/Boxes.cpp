//===- Boxes.cpp - Boxes that overlap -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

#include "Gather.h"
#include "SortBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Order = ElementMath::Order;
using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Numbers of type index
//===----------------------------------------------------------------------===//

Value mlir::relay::detail::increment(ImplicitLocOpBuilder &b, Value index) {
  return arith::AddIOp::create(b, index, emitConstant(b, 1));
}

Value mlir::relay::detail::compare(ImplicitLocOpBuilder &b, Predicate predicate,
                                   Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, predicate, lhs, rhs);
}

Value mlir::relay::detail::loadInteger(ImplicitLocOpBuilder &b, Type type,
                                       Value buffer) {
  Type i64 = b.getI64Type();
  Value value = memref::LoadOp::create(b, buffer, ValueRange());
  return arith::IndexCastOp::create(
      b, b.getIndexType(), ElementMath(b, i64).convertFrom(type, value));
}

Value mlir::relay::detail::filledWith(LinalgBuilder &b,
                                      ArrayRef<OpFoldResult> sizes, Type type,
                                      double value) {
  return b.filled(sizes, getNumberAttr(type, value));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value BoxMath::load(Type type, Value buffer, ValueRange position) const {
  ImplicitLocOpBuilder &b = wide.getBuilder();
  Value value = memref::LoadOp::create(b, buffer, position);
  return wide.convertFrom(type, value);
}

Box BoxMath::loadBox(Type type, Value buffer, ValueRange position,
                     int64_t start) const {
  Value corners[4];
  for (auto [i, corner] : llvm::enumerate(corners)) {
    SmallVector<Value> at = llvm::to_vector(position);
    at.push_back(emitConstant(wide.getBuilder(), start + i));
    corner = load(type, buffer, at);
  }
  return {corners[0], corners[1], corners[2], corners[3]};
}

Value BoxMath::min(Value lhs, Value rhs) const {
  return wide.select(wide.compare(Order::LT, rhs, lhs), rhs, lhs);
}

Value BoxMath::max(Value lhs, Value rhs) const {
  return wide.select(wide.compare(Order::LT, lhs, rhs), rhs, lhs);
}

Box BoxMath::sort(const Box &box) const {
  return {min(box.left, box.right), min(box.top, box.bottom),
          max(box.left, box.right), max(box.top, box.bottom)};
}

Value BoxMath::getExtent(Value from, Value to, bool isClosed) const {
  Value extent = wide.sub(to, from);
  return isClosed ? wide.add(extent, wide.one()) : extent;
}

Value BoxMath::getArea(const Box &box, bool isClosed) const {
  return wide.mul(getExtent(box.left, box.right, isClosed),
                  getExtent(box.top, box.bottom, isClosed));
}

Value BoxMath::getIntersection(const Box &lhs, const Box &rhs,
                               bool isClosed) const {
  Value width =
      getExtent(max(lhs.left, rhs.left), min(lhs.right, rhs.right), isClosed);
  Value height =
      getExtent(max(lhs.top, rhs.top), min(lhs.bottom, rhs.bottom), isClosed);
  return wide.mul(max(wide.zero(), width), max(wide.zero(), height));
}

Value BoxMath::getOverlap(const Box &lhs, const Box &rhs) const {
  Value intersection = getIntersection(lhs, rhs);
  Value all = wide.sub(wide.add(getArea(lhs), getArea(rhs)), intersection);
  return wide.select(wide.compare(Order::GT, all, wide.zero()),
                     wide.div(intersection, all), wide.zero());
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

Value mlir::relay::detail::emitAny(ImplicitLocOpBuilder &b, Value count,
                                   llvm::function_ref<Value(Value)> holds) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return emitWhile(
      b, {zero, no},
      [&](ValueRange state) -> std::pair<Value, SmallVector<Value>> {
        Value isInside =
            arith::CmpIOp::create(b, Predicate::slt, state[0], count);
        Value isOpen = arith::XOrIOp::create(b, state[1], yes);
        return {arith::AndIOp::create(b, isInside, isOpen),
                llvm::to_vector(state)};
      },
      [&](ValueRange state) -> SmallVector<Value> {
        Value found = holds(state[0]);
        return {arith::AddIOp::create(b, state[0], one), found};
      })[1];
}

Value mlir::relay::detail::emitSelection(ImplicitLocOpBuilder &b, Value count,
                                         Value most,
                                         const Selection &selection) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto isLess = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, Predicate::slt, lhs, rhs);
  };
  // The next place in the order, and the number of boxes that were selected.
  return emitWhile(
      b, {zero, zero},
      [&](ValueRange state) -> std::pair<Value, SmallVector<Value>> {
        return {arith::AndIOp::create(b, isLess(state[0], count),
                                      isLess(state[1], most)),
                llvm::to_vector(state)};
      },
      [&](ValueRange state) -> SmallVector<Value> {
        Value box = selection.getBox(state[0]);
        auto branch =
            scf::IfOp::create(b, b.getIndexType(), selection.isCandidate(box),
                              /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, state[1]);
        b.setInsertionPointToStart(branch.thenBlock());
        // Whether or not it stays, there is room for it behind the last one.
        selection.store(box, state[1]);
        Value isOverlapped = emitAny(b, state[1], [&](Value place) {
          return selection.suppresses(selection.load(place), box);
        });
        Value more = arith::AddIOp::create(b, state[1], one);
        scf::YieldOp::create(
            b, arith::SelectOp::create(b, isOverlapped, state[1], more)
                   .getResult());
        b.setInsertionPointAfter(branch);
        return {arith::AddIOp::create(b, state[0], one), branch.getResult(0)};
      })[1];
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Value mlir::relay::detail::buildOrder(
    LinalgBuilder &b, ArrayRef<OpFoldResult> sizes, Type type,
    OpFoldResult count,
    llvm::function_ref<std::pair<Value, Value>(ImplicitLocOpBuilder &,
                                               ValueRange)>
        emitScore) {
  Value scores = b.elements(
      (b.getBlockName() + "_scores").str(), {}, sizes, getSignless(type),
      [&](ImplicitLocOpBuilder &body, ValueRange) {
        auto [score, counts] =
            emitScore(body, emitLoopIndices(body, sizes.size()));
        ElementMath math(body, type);
        Value lowest = math.constant(getLowestAttr(type));
        score = math.select(math.isNaN(score), lowest, score);
        return counts ? math.select(counts, score, lowest) : score;
      });
  return buildSort(b, scores, type, /*axis=*/sizes.size() - 1,
                   /*isAscending=*/false, count, /*wantsValues=*/false,
                   b.getI64Type())
      .front();
}
