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
    auto type = cast<RankedTensorType>(data.getType());
    Value sum =
        type.isDynamicDim(axis)
            ? buildPrefixSums(b, data, axis, from, sumType, op.getExclusive())
            : buildDoubling(b, data, axis, from, sumType, op.getExclusive());
    auto resultType =
        getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Value result =
        buildNarrow(b, b.getBlockName(), sum, resultType.getElementType());
    rewriter.replaceOp(op, b.castTo(result, resultType));
    return success();
  }

private:
  /// result[i] = sum over j <= i (or j < i) of data[j], for an axis whose size
  /// is not known.
  static Value buildPrefixSums(LinalgBuilder &b, Value data, int64_t axis,
                               Type from, Type sumType, bool isExclusive) {
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < rank; ++dim)
      exprs.push_back(b.dim(dim == axis ? rank : dim));
    Value init = b.filled(b.getSizes(data), getZeroAttr(sumType),
                          (b.getBlockName() + "_init").str());
    AffineMap resultMap =
        b.select(rank + 1, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return b.nest(
        b.getBlockName(), {{data, b.map(rank + 1, exprs)}}, {init, resultMap},
        getIterators(rank, 1),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, sumType);
          Value counts =
              arith::CmpIOp::create(bodyBuilder,
                                    isExclusive ? arith::CmpIPredicate::ult
                                                : arith::CmpIPredicate::ule,
                                    emitLoopIndex(bodyBuilder, rank),
                                    emitLoopIndex(bodyBuilder, axis));
          Value element = math.convertFrom(from, args[0]);
          return math.add(args[1], math.select(counts, element, math.zero()));
        });
  }

  /// Adds to each element the one `distance` before it, for distances 1, 2, 4,
  /// ... Zeros in front stand for what is before the beginning.
  static Value buildDoubling(LinalgBuilder &b, Value data, int64_t axis,
                             Type from, Type sumType, bool isExclusive) {
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    int64_t size = type.getDimSize(axis);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    AffineMap here = b.identity(rank);
    // Elements `distance` before, as a padded tensor read one further: a loop
    // that indexes a dimension alone would have to cover all of it.
    SmallVector<AffineExpr> exprs(here.getResults());
    exprs[axis] = exprs[axis] + 1;
    auto getBefore = [&](Value tensor, int64_t distance, Type elementType) {
      SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
      low[axis] = b.getIndexAttr(distance + 1);
      Value padded =
          b.pad(tensor, low, high, getZeroAttr(elementType), "cumsum_pad");
      return Access{padded, b.map(rank, exprs)};
    };
    Access source = isExclusive ? getBefore(data, 1, from) : Access{data, here};
    Value sum = b.elements(
        b.getBlockName(), source, sizes, getSignless(sumType),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          return ElementMath(bodyBuilder, sumType).convertFrom(from, args[0]);
        });
    for (int64_t distance = 1; distance < size; distance *= 2) {
      Access before = getBefore(sum, distance, sumType);
      sum = b.elements(
          b.getBlockName(), {{sum, here}, before}, sizes, getSignless(sumType),
          [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
            return ElementMath(bodyBuilder, sumType).add(args[0], args[1]);
          });
    }
    return sum;
  }
};

} // namespace

void mlir::relay::detail::populateScanPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<CumsumToLinalg>(converter, patterns.getContext());
}
