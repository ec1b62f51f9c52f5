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
#include "SizeReader.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Resolves the codes of relay.reshape against the sizes of the data.
class NewShape {
public:
  NewShape(LinalgBuilder &b, SmallVector<OpFoldResult> source)
      : b(b), source(std::move(source)) {}

  SmallVector<OpFoldResult> resolve(ArrayRef<int64_t> codes, bool allowZero);
  /// The same for dyn.reshape, some of whose codes are sizes that are known
  /// when a model runs. Empty if there is a code that changes the rank, or two
  /// are -1.
  std::optional<SmallVector<OpFoldResult>> resolve(ArrayRef<OpFoldResult> codes,
                                                   bool allowZero);

private:
  /// Fails if the other sizes have a 0 that the source has not.
  LogicalResult infer(int64_t position);

  LinalgBuilder &b;
  SmallVector<OpFoldResult> source, sizes;
};

/// Whether two sizes are surely the same one.
static bool isSameSize(OpFoldResult lhs, OpFoldResult rhs) {
  if (lhs == rhs)
    return true;
  auto getDim = [](OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  };
  tensor::DimOp a = getDim(lhs), b = getDim(rhs);
  return a && b && a.getSource() == b.getSource() && a.getConstantIndex() &&
         a.getConstantIndex() == b.getConstantIndex();
}

/// The size at `position` is what the others leave. Sizes that stand on both
/// sides cancel out first, so that a copied dynamic size stays a plain one.
LogicalResult NewShape::infer(int64_t position) {
  SmallVector<OpFoldResult> numerators(source), denominators;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    if (static_cast<int64_t>(index) == position)
      continue;
    auto *same =
        llvm::find_if(numerators, [&, size = size](OpFoldResult numerator) {
          return isSameSize(numerator, size);
        });
    // So does a size of 0, from which nothing could be inferred.
    if ((isa<Value>(size) || isZeroInteger(size)) && same != numerators.end())
      numerators.erase(same);
    else
      denominators.push_back(size);
  }
  auto getStatic = [](ArrayRef<OpFoldResult> factors) {
    int64_t product = 1;
    for (OpFoldResult factor : factors)
      product =
          saturatingMultiply(product, getConstantIntValue(factor).value_or(1));
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
  if (denominator == 0)
    return failure();
  if (numerator % denominator == 0) {
    numerator /= denominator;
    denominator = 1;
  }
  OpFoldResult divisor = getProduct(denominators, denominator);
  OpFoldResult dividend = getProduct(numerators, numerator);
  if (!getConstantIntValue(divisor))
    b.assertAtLeast(divisor, 1,
                    "expects no size 0 beside one that is inferred");
  sizes[position] =
      isOneInteger(divisor) ? dividend : b.floorDiv(dividend, divisor);
  return success();
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
  // Nothing can be inferred beside a 0.
  if (inferred >= 0 && failed(infer(inferred)))
    sizes[inferred] = b.getIndexAttr(0);
  return sizes;
}

std::optional<SmallVector<OpFoldResult>>
NewShape::resolve(ArrayRef<OpFoldResult> codes, bool allowZero) {
  int64_t inferred = -1;
  for (auto [position, code] : llvm::enumerate(codes)) {
    std::optional<int64_t> known = getConstantIntValue(code);
    sizes.push_back(code);
    if (!known || *known > 0 || (*known == 0 && allowZero))
      continue;
    if (*known == 0 && position < source.size()) {
      sizes.back() = source[position];
    } else if (*known == -1 && inferred < 0) {
      inferred = position;
      sizes.back() = b.getIndexAttr(1);
    } else {
      return std::nullopt;
    }
  }
  if (inferred >= 0 && failed(infer(inferred)))
    return std::nullopt;
  return sizes;
}

/// Whether tensors of both shapes may have as many elements.
static bool mayHaveSameCount(ArrayRef<OpFoldResult> lhs,
                             ArrayRef<OpFoldResult> rhs) {
  auto getCount = [](ArrayRef<OpFoldResult> sizes) -> std::optional<int64_t> {
    int64_t count = 1;
    for (OpFoldResult size : sizes) {
      std::optional<int64_t> known = getConstantIntValue(size);
      if (!known)
        return std::nullopt;
      count = saturatingMultiply(count, *known);
    }
    return count;
  };
  std::optional<int64_t> left = getCount(lhs), right = getCount(rhs);
  return !left || !right || *left == *right;
}

struct ReshapeToTensor : OpConversionPattern<ReshapeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes =
        NewShape(b, b.getSizes(adaptor.getData()))
            .resolve(op.getNewshape(), op.getAllowzero());
    Value result =
        buildReshape(b, adaptor.getData(), LinalgBuilder::refine(sizes, type));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// A reshape of the mirrored shape with the mirrored codes, mirrored.
struct ReverseReshapeToTensor : OpConversionPattern<ContribReverseReshapeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ContribReverseReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> source = b.getSizes(adaptor.getData());
    SmallVector<int64_t> codes(op.getNewshape());
    std::reverse(source.begin(), source.end());
    std::reverse(codes.begin(), codes.end());
    SmallVector<OpFoldResult> sizes =
        NewShape(b, source).resolve(codes, op.getAllowzero());
    std::reverse(sizes.begin(), sizes.end());
    Value result =
        buildReshape(b, adaptor.getData(), LinalgBuilder::refine(sizes, type));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// Some dimensions are replaced by some of another tensor.
struct ReshapeLikeToTensor : OpConversionPattern<ReshapeLikeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ReshapeLikeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> own = b.getSizes(adaptor.getData());
    SmallVector<OpFoldResult> other = b.getSizes(adaptor.getShapeLike());
    int64_t rank = own.size(), otherRank = other.size();
    int64_t begin = normalizeAxis(op.getLhsBegin(), rank);
    int64_t end = normalizeAxis(op.getLhsEnd().value_or(rank), rank);
    int64_t otherBegin = normalizeAxis(op.getRhsBegin(), otherRank);
    int64_t otherEnd =
        normalizeAxis(op.getRhsEnd().value_or(otherRank), otherRank);
    auto with = ArrayRef(other).slice(otherBegin, otherEnd - otherBegin);
    auto getCount = [&](ArrayRef<OpFoldResult> sizes) {
      OpFoldResult count = b.getIndexAttr(1);
      for (OpFoldResult size : sizes)
        count = b.multiply(count, size);
      return count;
    };
    b.assertEqual(getCount(ArrayRef(own).slice(begin, end - begin)),
                  getCount(with), "expects dimensions with as many elements");
    SmallVector<OpFoldResult> sizes(ArrayRef(own).take_front(begin));
    llvm::append_range(sizes, with);
    llvm::append_range(sizes, ArrayRef(own).drop_front(end));
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

/// `data` without the dimensions `axes`, which have size one.
static Value buildSqueeze(LinalgBuilder &b, Value data,
                          ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(data.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : axes)
    shape[axis] = 1;
  data = b.castTo(data, type.clone(shape));
  SmallVector<OpFoldResult> sizes;
  for (auto [axis, size] : llvm::enumerate(b.getSizes(data)))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      sizes.push_back(size);
  return buildReshape(b, data, sizes);
}

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
    SmallVector<int64_t> axes(dropped.set_bits());
    rewriter.replaceOp(
        op, b.castTo(buildSqueeze(b, adaptor.getData(), axes), type));
    return success();
  }
};

struct DynReshapeToTensor : OpConversionPattern<DynReshapeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Value data = adaptor.getData();
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<OpFoldResult>> codes =
        SizeReader(rewriter, b, op)
            .read(adaptor.getNewshapeValue(), "newshape");
    if (failed(codes))
      return failure();
    std::optional<SmallVector<OpFoldResult>> sizes =
        NewShape(b, b.getSizes(data)).resolve(*codes, op.getAllowzero());
    if (!sizes)
      return rewriter.notifyMatchFailure(
          op, "expects newshape to have sizes, 0 for those of the data, and at "
              "most one -1");
    if (!mayHaveSameCount(b.getSizes(data), *sizes))
      return rewriter.notifyMatchFailure(
          op, "expects newshape to have as many elements as the data");
    // The cast asserts what the type knows of sizes.
    Value result = buildReshape(b, data, *sizes, /*isChecked=*/true);
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// The axes in an operand, which have to be known; of `rank` dimensions.
static FailureOr<SmallVector<int64_t>>
readAxes(ConversionPatternRewriter &rewriter, LinalgBuilder &b, Operation *op,
         Value tensor, int64_t rank) {
  FailureOr<SmallVector<OpFoldResult>> values =
      SizeReader(rewriter, b, op).read(tensor, "axes");
  if (failed(values))
    return failure();
  SmallVector<int64_t> axes;
  for (OpFoldResult value : *values) {
    std::optional<int64_t> axis = getConstantIntValue(value);
    if (!axis || *axis < -rank || *axis >= rank)
      return rewriter.notifyMatchFailure(
          op, "expects axes that are constants in [" + Twine(-rank) + ", " +
                  Twine(rank) + ")");
    axes.push_back(normalizeAxis(*axis, rank));
  }
  return axes;
}

struct DynExpandDimsToTensor : OpConversionPattern<DynExpandDimsOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynExpandDimsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = cast<RankedTensorType>(op.getData().getType()).getRank();
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<int64_t>> axis =
        readAxes(rewriter, b, op, adaptor.getAxis(), rank + 1);
    if (failed(axis))
      return failure();
    SmallVector<int64_t> axes = llvm::to_vector(
        llvm::seq<int64_t>(axis->front(), axis->front() + op.getNumNewaxis()));
    Value result = buildExpandDims(b, adaptor.getData(), axes);
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct DynSqueezeToTensor : OpConversionPattern<DynSqueezeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynSqueezeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    auto dataType = cast<RankedTensorType>(adaptor.getData().getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<int64_t>> axes =
        readAxes(rewriter, b, op, adaptor.getAxes(), dataType.getRank());
    if (failed(axes))
      return failure();
    for (int64_t axis : *axes)
      if (!dataType.isDynamicDim(axis) && dataType.getDimSize(axis) != 1)
        return rewriter.notifyMatchFailure(
            op, "expects axes of size 1, but got " +
                    Twine(dataType.getDimSize(axis)));
    rewriter.replaceOp(
        op, b.castTo(buildSqueeze(b, adaptor.getData(), *axes), type));
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
  patterns.add<BatchFlattenToTensor, DynExpandDimsToTensor, DynReshapeToTensor,
               DynSqueezeToTensor, ExpandDimsToTensor, ReshapeLikeToTensor,
               ReshapeToTensor, ReverseReshapeToTensor, SqueezeToTensor>(
      converter, patterns.getContext());
}
