//===- SplitArgs.cpp - Concatenations of many tensors in parts ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

namespace mlir::relay {
#define GEN_PASS_DEF_SPLITARGSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Concatenates parts; their sizes along the axis may not be known.
static Value concatenate(OpBuilder &builder, ConcatenateOp op,
                         ValueRange values) {
  RankedTensorType type = getTensorType(op);
  int64_t axis = op.getAxis();
  axis += axis < 0 ? type.getRank() : 0;
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 0;
  for (Value value : values) {
    int64_t size = getTensorType(value).getDimSize(axis);
    shape[axis] = ShapedType::isDynamic(size) || shape[axis] < 0
                      ? ShapedType::kDynamic
                      : shape[axis] + size;
  }
  return ConcatenateOp::create(
      builder, op.getLoc(), TypeRange(type.clone(shape)), values,
      {builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis))});
}

static Value stopFusion(OpBuilder &builder, Value value) {
  return AnnotationStopFusionOp::create(builder, value.getLoc(),
                                        TypeRange(value.getType()), value,
                                        ArrayRef<NamedAttribute>());
}

namespace {

struct SplitArgsPass final : relay::impl::SplitArgsPassBase<SplitArgsPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    // Two tensors and their result.
    if (maxFunctionArgs == 0 || maxFunctionArgs >= 3)
      return success();
    return emitError(UnknownLoc::get(context))
           << "expects max-function-args to be 0, or at least 3, but got "
           << maxFunctionArgs.getValue();
  }

  void runOnOperation() override {
    if (maxFunctionArgs == 0 || isCompiledAsItIs(getOperation()))
      return;
    SmallVector<ConcatenateOp> found;
    size_t most = maxFunctionArgs - 1;
    getOperation().walk([&](ConcatenateOp op) {
      if (op->getNumOperands() > most)
        found.push_back(op);
    });
    for (ConcatenateOp op : found) {
      OpBuilder builder(op);
      SmallVector<Value> values(op->getOperands());
      while (values.size() > most) {
        SmallVector<Value> parts;
        for (ArrayRef<Value> rest = values; !rest.empty();) {
          ArrayRef<Value> part = rest.take_front(most);
          rest = rest.drop_front(part.size());
          parts.push_back(
              part.size() == 1
                  ? part.front()
                  : stopFusion(builder, concatenate(builder, op, part)));
        }
        values = std::move(parts);
      }
      op->setOperands(values);
      ++numSplit;
    }
  }
};

} // namespace
