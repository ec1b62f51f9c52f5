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
/// shift = beta - mean * scale, aligned with the axis.
static Value simplifyBatchNorm(OpBuilder &builder, NNBatchNormOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getData().getType());
  auto scalarType = RankedTensorType::get({}, type.getElementType());
  APFloat value = op.getEpsilon();
  bool lossy;
  value.convert(cast<FloatType>(type.getElementType()).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &lossy);
  Value epsilon = ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(scalarType, value));

  Value variance = AddOp::create(builder, loc, op.getMovingVar(), epsilon);
  Value scale = RsqrtOp::create(builder, loc, variance);
  if (op.getScale())
    scale = MultiplyOp::create(builder, loc, scale, op.getGamma());
  Value shift = MultiplyOp::create(builder, loc, op.getMovingMean(), scale);
  shift = NegativeOp::create(builder, loc, shift);
  if (op.getCenter())
    shift = AddOp::create(builder, loc, shift, op.getBeta());

  int64_t axis =
      op.getAxis() < 0 ? op.getAxis() + type.getRank() : op.getAxis();
  int64_t trailing = type.getRank() - axis - 1;
  auto align = [&](Value vector) -> Value {
    if (trailing == 0)
      return vector;
    return ExpandDimsOp::create(builder, loc, vector, /*axis=*/1, trailing);
  };
  Value product = MultiplyOp::create(builder, loc, op.getData(), align(scale));
  return AddOp::create(builder, loc, product, align(shift));
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
