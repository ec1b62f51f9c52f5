//===- Scan.cpp - Lower running sums and products -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest along whose reduced loop a result runs is a scan: the sum or product
// of each row, and what it is on the way.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "ReshapeBuilder.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// What sums and products differ in.
struct Sum {
  static TypedAttr getNeutral(Type type) { return getZeroAttr(type); }
  static Value combine(const ElementMath &math, Value lhs, Value rhs) {
    return math.add(lhs, rhs);
  }
};
struct Product {
  static TypedAttr getNeutral(Type type) { return getOneAttr(type); }
  static Value combine(const ElementMath &math, Value lhs, Value rhs) {
    return math.mul(lhs, rhs);
  }
};

template <typename OpTy, typename Kind>
struct ScanToLinalg : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = cast<RankedTensorType>(op.getData().getType()).getElementType();
    Type to = cast<RankedTensorType>(op.getType()).getElementType();
    Type type = getAccumulatorType(to);
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    int64_t axis = 0;
    if (std::optional<int64_t> given = op.getAxis())
      axis = normalizeAxis(*given,
                           cast<RankedTensorType>(data.getType()).getRank());
    else
      data = buildFlatten(b, data);
    Value scan = buildScan(b, data, axis, from, type, op.getExclusive());
    auto resultType = cast<RankedTensorType>(
        this->getTypeConverter()->convertType(op.getType()));
    Value result =
        buildNarrow(b, b.getBlockName(), scan, resultType.getElementType());
    rewriter.replaceOp(op, b.castTo(result, resultType));
    return success();
  }

private:
  /// A sum (or product) for each row along the axis, and what it is after, or
  /// before, each element.
  static Value buildScan(LinalgBuilder &b, Value data, int64_t axis, Type from,
                         Type type, bool isExclusive) {
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    SmallVector<OpFoldResult> sizes = b.getSizes(data), rowSizes = sizes;
    rowSizes.erase(rowSizes.begin() + axis);
    SmallVector<int64_t> rowLoops =
        llvm::to_vector(llvm::seq<int64_t>(0, rank));
    rowLoops.erase(rowLoops.begin() + axis);
    Value totals = b.filled(rowSizes, Kind::getNeutral(type),
                            (b.getBlockName() + "_init").str());
    Value results = b.empty(sizes, getSignless(type));
    Iterators iterators = getIterators(rank);
    iterators[axis] = utils::IteratorType::reduction;
    return b.nest(
        b.getBlockName(), {{data, b.identity(rank)}},
        {{totals, b.select(rank, rowLoops)}, {results, b.identity(rank)}},
        iterators,
        [&](ImplicitLocOpBuilder &bodyBuilder,
            ValueRange args) -> SmallVector<Value> {
          ElementMath math(bodyBuilder, type);
          Value total =
              Kind::combine(math, args[1], math.convertFrom(from, args[0]));
          return {total, isExclusive ? args[1] : total};
        })[1];
  }
};

} // namespace

void mlir::relay::detail::populateScanPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<ScanToLinalg<CumprodOp, Product>, ScanToLinalg<CumsumOp, Sum>>(
      converter, patterns.getContext());
}
