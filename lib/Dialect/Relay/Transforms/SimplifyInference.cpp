//===- SimplifyInference.cpp - Drop what only training needs --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::relay {
#define GEN_PASS_DEF_SIMPLIFYINFERENCEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Returns data * scale + shift, where scale = gamma / sqrt(var + epsilon) and
/// shift = beta - mean * scale, aligned with the axis. Both are computed in at
/// least f32.
static Value simplifyBatchNorm(OpBuilder &builder, NNBatchNormOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getData().getType());
  Type elementType = type.getElementType();
  bool isHalf = elementType.isF16() || elementType.isBF16();
  Type wideType = isHalf ? builder.getF32Type() : elementType;
  auto castTo = [&](Value value, Type to) -> Value {
    return isHalf ? CastOp::create(builder, loc, value, to) : value;
  };
  auto scalarType = RankedTensorType::get({}, wideType);
  APFloat value = op.getEpsilon();
  bool lossy;
  value.convert(cast<FloatType>(wideType).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &lossy);
  Value epsilon = ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(scalarType, value));

  Value variance =
      AddOp::create(builder, loc, castTo(op.getMovingVar(), wideType), epsilon);
  Value scale = RsqrtOp::create(builder, loc, variance);
  if (op.getScale())
    scale = MultiplyOp::create(builder, loc, scale,
                               castTo(op.getGamma(), wideType));
  Value shift = MultiplyOp::create(builder, loc,
                                   castTo(op.getMovingMean(), wideType), scale);
  shift = NegativeOp::create(builder, loc, shift);
  if (op.getCenter())
    shift = AddOp::create(builder, loc, shift, castTo(op.getBeta(), wideType));
  scale = castTo(scale, elementType);
  shift = castTo(shift, elementType);

  int64_t axis =
      op.getAxis() < 0 ? op.getAxis() + type.getRank() : op.getAxis();
  int64_t trailing = type.getRank() - axis - 1;
  auto align = [&](Value vector) -> Value {
    if (trailing == 0)
      return vector;
    return ExpandDimsOp::create(builder, loc, vector, /*axis=*/1, trailing);
  };
  // Where only a vector knows how many channels there are, data has as many:
  // it is not repeated as operands of a product are.
  Value data = op.getData();
  auto ascribe = [&](Value value, RankedTensorType to) -> Value {
    return value.getType() == to ? value
                                 : AscribeOp::create(builder, loc, to, value);
  };
  int64_t channels = cast<RankedTensorType>(shift.getType()).getDimSize(0);
  if (type.isDynamicDim(axis) && ShapedType::isStatic(channels)) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = channels;
    data = ascribe(data, type.clone(shape));
  }
  Value product = MultiplyOp::create(builder, loc, data, align(scale));
  return ascribe(AddOp::create(builder, loc, product, align(shift)), type);
}

namespace {

struct SimplifyInferencePass
    : relay::impl::SimplifyInferencePassBase<SimplifyInferencePass> {
  using SimplifyInferencePassBase::SimplifyInferencePassBase;

  void runOnOperation() override {
    SmallVector<Operation *> producers;
    getOperation().walk([&](Operation *op) {
      if (isa<NNBatchNormOp, NNDropoutOp>(op))
        producers.push_back(op);
    });
    llvm::for_each(producers, [&](Operation *op) { simplify(op); });
  }

private:
  /// Replaces the first result of `producer`, and the operator if only that one
  /// is used.
  void simplify(Operation *producer) {
    SmallVector<TupleGetItemOp> items;
    for (Operation *user : producer->getUsers())
      if (auto item = dyn_cast<TupleGetItemOp>(user); item && !item.getIndex())
        items.push_back(item);
    if (!items.empty()) {
      OpBuilder builder(producer);
      Value result;
      if (auto norm = dyn_cast<NNBatchNormOp>(producer))
        result = simplifyBatchNorm(builder, norm);
      else
        result = cast<NNDropoutOp>(producer).getData();
      ++numSimplified;
      for (TupleGetItemOp item : items) {
        item.replaceAllUsesWith(result);
        item.erase();
      }
    }
    if (producer->use_empty())
      producer->erase();
  }
};

} // namespace
