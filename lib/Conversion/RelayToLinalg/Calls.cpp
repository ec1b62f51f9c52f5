//===- Calls.cpp - Calls of primitive functions ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Gives calls of primitive functions the signless types of their callees.
struct ConvertCall : OpConversionPattern<CallOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(CallOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return rewriter.notifyMatchFailure(op, "cannot convert result types");
    Operation *call = Operation::create(
        op.getLoc(), op->getName(), results, adaptor.getOperands(),
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        /*successors=*/{}, /*numRegions=*/0);
    rewriter.replaceOp(op, rewriter.insert(call));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateCallPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<ConvertCall>(converter, patterns.getContext());
}
