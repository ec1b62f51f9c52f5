//===- Differences.cpp - Differences as sums ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Differences.h"

#include "PartFinder.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

static bool isWords(Value value) {
  RankedTensorType type = getStaticType(value);
  return type && type.getElementType().isSignlessInteger(32);
}

/// A constant with the numbers of another one and the other sign. Sums in 32
/// bits wrap around, so that the least number is as good. Null if there are no
/// numbers, or one that bytes do not have with the other sign.
static Value negate(OpBuilder &builder, Location loc, Value constant) {
  RankedTensorType type = getStaticType(constant);
  std::optional<SmallVector<int64_t>> numbers = getIntegers(constant);
  if (!numbers || !type)
    return {};
  unsigned width = type.getElementTypeBitWidth();
  if (width != 32 && (width != 8 || llvm::is_contained(*numbers, INT8_MIN)))
    return {};
  auto negatives = llvm::map_to_vector(*numbers, [&](int64_t number) {
    return APInt(64, -number, /*isSigned=*/true).trunc(width);
  });
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::get(type, ArrayRef(negatives)));
}

/// The result of a layer of integers, to which a constant may have been added,
/// with the other sign; null if `value` is none, or others need it too.
static Value negateLayer(OpBuilder &builder, Value value) {
  if (!isWords(value) || !value.hasOneUse())
    return {};
  Location loc = value.getLoc();
  if (auto sum = value.getDefiningOp<AddOp>()) {
    if (!getIntegers(sum.getRhs()))
      return {};
    Value layer = negateLayer(builder, sum.getLhs());
    return layer ? Value(AddOp::create(builder, loc, sum.getType(), layer,
                                       negate(builder, loc, sum.getRhs())))
                 : Value();
  }
  Operation *layer = value.getDefiningOp();
  if (!layer || !isLayer(layer))
    return {};
  // A weight of 32 bits may be a byte that was cast.
  Value weight = getUncast(layer->getOperand(1));
  if (!getStaticType(weight) ||
      !getStaticType(weight).getElementType().isSignlessInteger(8))
    return {};
  Value negative = negate(builder, loc, weight);
  if (!negative)
    return {};
  Type element = getElementTypeOrSelf(layer->getOperand(1));
  if (!element.isSignlessInteger(8))
    negative = CastOp::create(builder, loc, negative, element);
  Operation *clone = builder.clone(*layer);
  clone->setOperand(1, negative);
  return clone->getResult(0);
}

void vta::makeSums(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  function.walk([&](Operation *op) {
    if (!isa<SubtractOp, NegativeOp>(op) || !isWords(op->getResult(0)))
      return;
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    Type type = op->getResult(0).getType();
    Value result;
    auto subtract = dyn_cast<SubtractOp>(op);
    Value negated = op->getOperand(subtract ? 1 : 0);
    if (subtract && isWords(negated))
      if (Value other = negate(builder, loc, negated))
        result = AddOp::create(builder, loc, type, subtract.getLhs(), other);
    if (!result && negated.getType() == type) {
      result = negateLayer(builder, negated);
      if (result && subtract)
        result = AddOp::create(builder, loc, type, result, subtract.getLhs());
    }
    if (!result)
      return;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    // The layer, and the sum, have no other users.
    while (Operation *unused = negated.getDefiningOp()) {
      if (!unused->use_empty() || isa<ConstantOp>(unused))
        break;
      negated = unused->getOperand(0);
      unused->erase();
    }
  });
}
