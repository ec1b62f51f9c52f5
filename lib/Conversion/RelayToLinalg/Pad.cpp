//===- Pad.cpp - Lower padding to linalg ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Widths of padding; what is negative is cut off.
struct PadWidths {
  SmallVector<int64_t> before, after;

  explicit PadWidths(ArrayRef<int64_t> widths) {
    for (size_t i = 0; i + 1 < widths.size(); i += 2) {
      before.push_back(widths[i]);
      after.push_back(widths[i + 1]);
    }
  }
  bool hasCrop() const {
    auto isNegative = [](int64_t width) { return width < 0; };
    return llvm::any_of(before, isNegative) || llvm::any_of(after, isNegative);
  }
};

struct PadToTensor : OpConversionPattern<NNPadOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNPadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    PadWidths widths(op.getPadWidth());
    Value data = adaptor.getData();
    StringRef mode = op.getPadMode();
    if (mode != "constant")
      assertSources(b, data, widths, mode);
    Value padValue = buildPadValue(b, op, adaptor.getPadVal());
    TypedAttr value = getSplatValue(padValue);
    Value result;
    if (mode == "constant" && value && !widths.hasCrop())
      result = buildConstantPad(b, data, widths, value);
    else if (mode == "constant" || mode == "edge" || mode == "reflect")
      result = buildParts(b, data, padValue, widths, mode, type);
    else
      return rewriter.notifyMatchFailure(
          op, "expects pad_mode constant, edge or reflect, but got " + mode);
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  /// The value as an element of the data.
  static Value buildPadValue(LinalgBuilder &b, NNPadOp op, Value value) {
    Type from = op.getPadVal().getType().getElementType();
    Type to = op.getData().getType().getElementType();
    if (from == to)
      return value;
    // A constant that the integers do not have is the nearest that they have;
    // at run time, what cast makes of it.
    auto number = dyn_cast_if_present<FloatAttr>(getSplatValue(value));
    if (auto type = dyn_cast<IntegerType>(getSignless(to));
        type && number && !type.isInteger(1)) {
      llvm::APSInt integer(type.getWidth(), to.isUnsignedInteger());
      bool isExact;
      number.getValue().convertToInteger(integer, llvm::APFloat::rmTowardZero,
                                         &isExact);
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(RankedTensorType::get({}, type),
                                    static_cast<const APInt &>(integer)));
    }
    return b.elements((b.getBlockName() + "_value").str(),
                      {{value, b.map(0, {})}}, {}, getSignless(to),
                      [&](ImplicitLocOpBuilder &body, ValueRange args) {
                        return ElementMath(body, to).convertFrom(from, args[0]);
                      });
  }

  /// Asserts that there are elements to repeat or mirror.
  static void assertSources(LinalgBuilder &b, Value data,
                            const PadWidths &widths, StringRef mode) {
    for (auto [axis, size] : llvm::enumerate(b.getSizes(data))) {
      auto [low, high] = std::minmax(widths.before[axis], widths.after[axis]);
      if (high > 0)
        b.assertAtLeast(size,
                        (mode == "reflect" ? high + 1 : 1) -
                            std::min<int64_t>(low, 0),
                        "expects elements for pad_mode " + mode);
    }
  }

  static Value buildConstantPad(LinalgBuilder &b, Value data,
                                const PadWidths &widths, TypedAttr value) {
    int64_t rank = widths.before.size();
    SmallVector<OpFoldResult> low, high;
    for (int64_t axis = 0; axis < rank; ++axis) {
      low.push_back(b.getIndexAttr(widths.before[axis]));
      high.push_back(b.getIndexAttr(widths.after[axis]));
    }
    return b.pad(data, low, high, value);
  }

  /// Edges and mirrored rows: their inner part is contiguous in the data, only
  /// the ends are read element by element.
  static Value buildParts(LinalgBuilder &b, Value data, Value padValue,
                          const PadWidths &widths, StringRef mode,
                          RankedTensorType type) {
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data), sizes;
    for (auto [axis, size] : llvm::enumerate(dataSizes))
      sizes.push_back(
          b.apply(b.dim(0) + (widths.before[axis] + widths.after[axis]), size));
    sizes = LinalgBuilder::refine(sizes, type);
    int64_t last = type.getRank() - 1;
    if (mode == "constant" || last < 0 || widths.hasCrop() ||
        (widths.before[last] == 0 && widths.after[last] == 0))
      return buildIndexedPad(b, data, padValue, widths, mode, sizes,
                             type.getElementType());
    SmallVector<Value> parts;
    auto addPart = [&](OpFoldResult size, OpFoldResult begin, bool isInner) {
      if (getConstantIntValue(size) == 0)
        return;
      PadWidths own = widths;
      if (isInner)
        own.before[last] = own.after[last] = 0;
      SmallVector<OpFoldResult> partSizes = sizes;
      partSizes[last] = size;
      parts.push_back(buildIndexedPad(b, data, padValue, own, mode, partSizes,
                                      type.getElementType(), begin));
    };
    OpFoldResult none = b.getIndexAttr(0);
    addPart(b.getIndexAttr(widths.before[last]), none, /*isInner=*/false);
    addPart(dataSizes[last], none, /*isInner=*/true);
    addPart(b.getIndexAttr(widths.after[last]),
            b.apply(b.dim(0) + widths.before[last], dataSizes[last]),
            /*isInner=*/false);
    auto joined = tensor::ConcatOp::create(b, last, parts);
    b.name(joined, b.getBlockName());
    return joined;
  }

  /// Reads the data at clamped or mirrored positions. Positions along the last
  /// axis count from `begin` on.
  static Value buildIndexedPad(LinalgBuilder &b, Value data, Value padValue,
                               const PadWidths &widths, StringRef mode,
                               ArrayRef<OpFoldResult> sizes, Type elementType,
                               OpFoldResult begin = {}) {
    int64_t rank = sizes.size();
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
    return b.elements(
        b.getBlockName(), {{padValue, b.map(rank, {})}}, sizes, elementType,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          SmallVector<Value> indices = emitLoopIndices(bodyBuilder, rank);
          if (begin)
            indices.back() = arith::AddIOp::create(
                bodyBuilder, indices.back(), emitIndex(bodyBuilder, begin));
          Value isInside;
          for (auto [axis, index] : llvm::enumerate(indices)) {
            if (widths.before[axis] == 0 && widths.after[axis] == 0)
              continue;
            index =
                arith::SubIOp::create(bodyBuilder, index,
                                      arith::ConstantIndexOp::create(
                                          bodyBuilder, widths.before[axis]));
            Value unclamped = index;
            if (mode == "reflect")
              index = emitMirror(bodyBuilder, index, dataSizes[axis]);
            index = emitClamp(bodyBuilder, index, dataSizes[axis]);
            if (mode != "constant")
              continue;
            Value isOn = arith::CmpIOp::create(
                bodyBuilder, arith::CmpIPredicate::eq, unclamped, index);
            isInside = isInside
                           ? arith::AndIOp::create(bodyBuilder, isInside, isOn)
                           : isOn;
          }
          Value element = emitExtract(bodyBuilder, data, indices);
          if (!isInside)
            return element;
          return arith::SelectOp::create(bodyBuilder, isInside, element,
                                         args[0])
              .getResult();
        });
  }

  /// Mirrors positions before the first and behind the last element, which are
  /// not repeated.
  static Value emitMirror(ImplicitLocOpBuilder &b, Value index,
                          OpFoldResult size) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value negated = arith::SubIOp::create(b, zero, index);
    Value distance = arith::MaxSIOp::create(b, index, negated);
    Value last = arith::SubIOp::create(b, emitIndex(b, size), one);
    Value beyond = arith::SubIOp::create(b, distance, last);
    Value mirrored = arith::SubIOp::create(b, last, beyond);
    return arith::MinSIOp::create(b, distance, mirrored);
  }
};

} // namespace

void mlir::relay::detail::populatePadPatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<PadToTensor>(converter, patterns.getContext());
}
