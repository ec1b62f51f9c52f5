//===- StringMap.cpp - Lower functions of strings -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run time has the functions; kernels call them element by element.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir-c/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

struct StringMapToLinalg : OpConversionPattern<StringMapOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(StringMapOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    StringRef name = op.getFunction();
    const RelayStringFunctionInfo *info =
        relayFindStringFunction(name.data(), name.size());
    SmallVector<int64_t> params(op.getParams());
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange outputs) {
      SmallVector<Value> constants =
          llvm::map_to_vector(params, [&](int64_t value) -> Value {
            return arith::ConstantIntOp::create(body, value, 64);
          });
      SmallVector<Value> sizes = emitSizes(body, outputs[0]);
      Value zero = arith::ConstantIndexOp::create(body, 0);
      Value one = arith::ConstantIndexOp::create(body, 1);
      SmallVector<Value> begins(sizes.size(), zero), steps(sizes.size(), one);
      scf::buildLoopNest(
          body, body.getLoc(), begins, sizes, steps,
          [&](OpBuilder &builder, Location loc, ValueRange position) {
            SmallVector<Value> args;
            for (Value input : inputs)
              args.push_back(
                  memref::LoadOp::create(builder, loc, input, position));
            llvm::append_range(args, constants);
            Value result = tir::StringCallOp::create(
                builder, loc, builder.getI64Type(),
                static_cast<uint32_t>(info->function), args);
            memref::StoreOp::create(builder, loc, result, outputs[0], position);
          });
    };
    Value data = adaptor.getData().front();
    auto type = cast<RankedTensorType>(data.getType());
    Value empty = b.empty(b.getSizes(data), type.getElementType());
    rewriter.replaceOp(op, b.opaque(b.getBlockName(), /*along=*/{},
                                    adaptor.getData(), empty, emit));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateStringMapPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<StringMapToLinalg>(converter, patterns.getContext());
}
