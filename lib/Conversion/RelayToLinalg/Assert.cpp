//===- Assert.cpp - Lower checked conditions ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// A check of all elements beside the data, which stays where it is.
struct AssertToLinalg : OpConversionPattern<AssertOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    std::string message = op.getMessage().str();
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange) {
      Value areAll = emitAll(
          body, emitSizes(body, inputs[0]), [&](ValueRange position) -> Value {
            return memref::LoadOp::create(body, inputs[0], position);
          });
      cf::AssertOp::create(body, areAll, message);
    };
    b.opaque(b.getBlockName(), /*along=*/{}, adaptor.getCondition(),
             /*destinations=*/{}, emit);
    rewriter.replaceOp(op, adaptor.getData());
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateAssertPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<AssertToLinalg>(converter, patterns.getContext());
}
