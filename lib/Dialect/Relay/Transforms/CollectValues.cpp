//===- CollectValues.cpp - Networks that return their values --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "QuantizedTypes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/ValueNumbers.h"

namespace mlir::relay {
#define GEN_PASS_DEF_COLLECTVALUESPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct CollectValuesPass final
    : relay::impl::CollectValuesPassBase<CollectValuesPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  FailureOr<SmallVector<Value>>
  getNumbered(func::FuncOp main, ArrayRef<int64_t> numbers, bool areFloats);
};

} // namespace

/// The values of these numbers, in their order.
FailureOr<SmallVector<Value>>
CollectValuesPass::getNumbered(func::FuncOp main, ArrayRef<int64_t> numbers,
                               bool areFloats) {
  SmallVector<Value> all;
  visitValues(main, [&](Value value, int64_t) { all.push_back(value); });
  SmallVector<Value> values;
  Block *body = &main.getBody().front();
  for (int64_t number : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(all.size()))
      return main.emitError("expects numbers of its ")
             << all.size() << " values, but got " << number;
    Value value = all[number];
    if (value.getParentBlock() != body)
      return emitError(value.getLoc())
             << "expects values outside of branches and closures, but got "
             << number;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || (areFloats && !isa<FloatType>(type.getElementType())))
      return emitError(value.getLoc())
             << "expects a tensor" << (areFloats ? " of floats" : "")
             << ", but got " << value.getType();
    values.push_back(value);
  }
  return values;
}

void CollectValuesPass::runOnOperation() {
  func::FuncOp main = getMainFunction(getOperation());
  if (!main)
    return signalPassFailure();
  auto results = getNumbered(main, values, /*areFloats=*/false);
  auto large = getNumbered(main, maxima, /*areFloats=*/true);
  if (failed(results) || failed(large))
    return signalPassFailure();
  OpBuilder builder(main.getBody().front().getTerminator());
  for (Value value : *large) {
    auto type = cast<RankedTensorType>(value.getType());
    Value magnitudes = AbsOp::create(builder, value.getLoc(), type, value);
    results->push_back(MaxOp::create(
        builder, value.getLoc(),
        RankedTensorType::get({}, type.getElementType()), magnitudes,
        /*axis=*/nullptr, /*keepdims=*/builder.getBoolAttr(false),
        /*exclude=*/builder.getBoolAttr(false)));
  }
  returnTuple(main, *results);
}
