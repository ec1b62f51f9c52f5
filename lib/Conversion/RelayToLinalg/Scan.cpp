//===- Scan.cpp - Lower running sums to linalg ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest has no order of its own, so a running sum doubles its reach: after
// step s each element is the sum of the 2^s elements up to it.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "ReshapeBuilder.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

struct CumsumToLinalg : OpConversionPattern<CumsumOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(CumsumOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = cast<RankedTensorType>(op.getData().getType()).getElementType();
    Type to = cast<RankedTensorType>(op.getType()).getElementType();
    Type sumType = getAccumulatorType(to);
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    int64_t axis = 0;
    if (std::optional<int64_t> given = op.getAxis())
      axis = normalizeAxis(*given,
                           cast<RankedTensorType>(data.getType()).getRank());
    else
      data = buildFlatten(b, data);
    Value sum = buildScan(b, data, axis, from, sumType, op.getExclusive());
    auto resultType =
        getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Value result =
        buildNarrow(b, b.getBlockName(), sum, resultType.getElementType());
    rewriter.replaceOp(op, b.castTo(result, resultType));
    return success();
  }

private:
  /// A running sum for each row along the axis, and what it is after (or
  /// before) each element.
  static Value buildScan(LinalgBuilder &b, Value data, int64_t axis, Type from,
                         Type sumType, bool isExclusive) {
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    SmallVector<OpFoldResult> sizes = b.getSizes(data), rowSizes = sizes;
    rowSizes.erase(rowSizes.begin() + axis);
    SmallVector<int64_t> rowLoops =
        llvm::to_vector(llvm::seq<int64_t>(0, rank));
    rowLoops.erase(rowLoops.begin() + axis);
    Value sums = b.filled(rowSizes, getZeroAttr(sumType),
                          (b.getBlockName() + "_init").str());
    Value results = b.empty(sizes, getSignless(sumType));
    Iterators iterators = getIterators(rank);
    iterators[axis] = utils::IteratorType::reduction;
    return b.nest(
        b.getBlockName(), {{data, b.identity(rank)}},
        {{sums, b.select(rank, rowLoops)}, {results, b.identity(rank)}},
        iterators,
        [&](ImplicitLocOpBuilder &bodyBuilder,
            ValueRange args) -> SmallVector<Value> {
          ElementMath math(bodyBuilder, sumType);
          Value sum = math.add(args[1], math.convertFrom(from, args[0]));
          return {sum, isExclusive ? args[1] : sum};
        })[1];
  }
};

} // namespace

void mlir::relay::detail::populateScanPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<CumsumToLinalg>(converter, patterns.getContext());
}
