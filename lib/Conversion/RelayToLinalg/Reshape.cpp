//===- Reshape.cpp - Lower reshapes to tensor -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that keep all elements in their row-major order.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Resolves the codes of relay.reshape against the sizes of the data.
class NewShape {
public:
  NewShape(LinalgBuilder &b, Value data) : b(b), source(b.getSizes(data)) {}

  SmallVector<OpFoldResult> resolve(ArrayRef<int64_t> codes, bool allowZero);

private:
  void infer(int64_t position);

  LinalgBuilder &b;
  SmallVector<OpFoldResult> source, sizes;
};

/// The size at `position` is what the others leave. Sizes that stand on both
/// sides cancel out first, so that a copied dynamic size stays a plain one.
void NewShape::infer(int64_t position) {
  SmallVector<OpFoldResult> numerators(source), denominators;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    if (static_cast<int64_t>(index) == position)
      continue;
    auto *same = llvm::find(numerators, size);
    if (isa<Value>(size) && same != numerators.end())
      numerators.erase(same);
    else
      denominators.push_back(size);
  }
  auto getStatic = [](ArrayRef<OpFoldResult> factors) {
    int64_t product = 1;
    for (OpFoldResult factor : factors)
      product *= getConstantIntValue(factor).value_or(1);
    return product;
  };
  auto getProduct = [&](ArrayRef<OpFoldResult> factors, int64_t constant) {
    OpFoldResult product = b.getIndexAttr(constant);
    for (OpFoldResult factor : factors)
      if (!getConstantIntValue(factor))
        product = isOneInteger(product) ? factor : b.multiply(product, factor);
    return product;
  };
  int64_t numerator = getStatic(numerators);
  int64_t denominator = getStatic(denominators);
  if (denominator != 0 && numerator % denominator == 0) {
    numerator /= denominator;
    denominator = 1;
  }
  OpFoldResult divisor = getProduct(denominators, denominator);
  OpFoldResult dividend = getProduct(numerators, numerator);
  sizes[position] =
      isOneInteger(divisor) ? dividend : b.floorDiv(dividend, divisor);
}

SmallVector<OpFoldResult> NewShape::resolve(ArrayRef<int64_t> codes,
                                            bool allowZero) {
  int64_t next = 0;
  int64_t inferred = -1;
  for (size_t i = 0; i < codes.size(); ++i) {
    int64_t code = codes[i];
    if (code > 0 || (code == 0 && allowZero)) {
      sizes.push_back(b.getIndexAttr(code));
      ++next;
    } else if (code == 0) {
      sizes.push_back(source[next++]);
    } else if (code == -1) {
      inferred = sizes.size();
      sizes.push_back(b.getIndexAttr(1));
      ++next;
    } else if (code == -2) {
      llvm::append_range(sizes, ArrayRef(source).drop_front(next));
      next = source.size();
    } else if (code == -3) {
      sizes.push_back(b.multiply(source[next], source[next + 1]));
      next += 2;
    } else {
      int64_t first = codes[i + 1], second = codes[i + 2];
      OpFoldResult whole = source[next++];
      auto getPart = [&](int64_t part, int64_t other) -> OpFoldResult {
        if (part == -1)
          return b.floorDiv(whole, b.getIndexAttr(other));
        return b.getIndexAttr(part);
      };
      sizes.push_back(getPart(first, second));
      sizes.push_back(getPart(second, first));
      i += 2;
    }
  }
  if (inferred >= 0)
    infer(inferred);
  return sizes;
}

struct ReshapeToTensor : OpConversionPattern<ReshapeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes =
        NewShape(b, adaptor.getData())
            .resolve(op.getNewshape(), op.getAllowzero());
    Value result =
        buildReshape(b, adaptor.getData(), LinalgBuilder::refine(sizes, type));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct ExpandDimsToTensor : OpConversionPattern<ExpandDimsOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ExpandDimsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = cast<RankedTensorType>(op.getData().getType()).getRank();
    // The axis counts the first new dimension in; -1 puts all at the end.
    int64_t axis = normalizeAxis(op.getAxis(), rank + 1);
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(axis, axis + op.getNumNewaxis()));
    LinalgBuilder b(rewriter, op);
    Value result = buildExpandDims(b, adaptor.getData(), axes);
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct SqueezeToTensor : OpConversionPattern<SqueezeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SqueezeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    auto dataType = cast<RankedTensorType>(adaptor.getData().getType());
    SmallVector<int64_t> shape(dataType.getShape());
    llvm::SmallBitVector dropped(shape.size());
    if (std::optional<ArrayRef<int64_t>> axes = op.getAxis()) {
      for (int64_t axis : *axes)
        dropped.set(normalizeAxis(axis, shape.size()));
    } else {
      for (auto [axis, extent] : llvm::enumerate(shape))
        dropped[axis] = extent == 1;
    }
    LinalgBuilder b(rewriter, op);
    for (int64_t axis : dropped.set_bits())
      shape[axis] = 1;
    Value data = b.castTo(adaptor.getData(), dataType.clone(shape));
    SmallVector<OpFoldResult> sizes;
    for (auto [axis, size] : llvm::enumerate(b.getSizes(data)))
      if (!dropped[axis])
        sizes.push_back(size);
    rewriter.replaceOp(op, b.castTo(buildReshape(b, data, sizes), type));
    return success();
  }
};

struct BatchFlattenToTensor : OpConversionPattern<NNBatchFlattenOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNBatchFlattenOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> source = b.getSizes(adaptor.getData());
    OpFoldResult rest = b.getIndexAttr(1);
    for (OpFoldResult size : ArrayRef(source).drop_front())
      rest = b.multiply(rest, size);
    Value result = buildReshape(b, adaptor.getData(),
                                LinalgBuilder::refine({source[0], rest}, type));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateReshapePatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BatchFlattenToTensor, ExpandDimsToTensor, ReshapeToTensor,
               SqueezeToTensor>(converter, patterns.getContext());
}
