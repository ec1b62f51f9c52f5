//===- Pad.cpp - Lower padding to linalg ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "SizeReader.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Widths of padding; what is negative is cut off.
struct PadWidths {
  SmallVector<OpFoldResult> before, after;

  explicit PadWidths(ArrayRef<OpFoldResult> widths) {
    for (size_t i = 0; i + 1 < widths.size(); i += 2) {
      before.push_back(widths[i]);
      after.push_back(widths[i + 1]);
    }
  }
  /// Whether something may be cut off.
  bool mayCrop() const {
    auto mayBeNegative = [](OpFoldResult width) {
      return getConstantIntValue(width).value_or(-1) < 0;
    };
    return llvm::any_of(before, mayBeNegative) ||
           llvm::any_of(after, mayBeNegative);
  }
  bool isPadded(int64_t axis) const {
    return !isZeroInteger(before[axis]) || !isZeroInteger(after[axis]);
  }
};

/// nn.pad, dyn.nn.pad, nn.mirror_pad
template <typename OpT>
struct PadToTensor : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<OpFoldResult>> given =
        readWidths(rewriter, b, op, adaptor);
    if (failed(given))
      return failure();
    PadWidths widths(*given);
    Value data = adaptor.getData();
    StringRef mode = getMode(op);
    if (mode != "constant")
      assertSources(b, data, widths, mode);
    Value padValue;
    if constexpr (!isMirrorPad)
      padValue = buildPadValue(b, op, adaptor.getPadVal());
    TypedAttr value = padValue ? getSplatValue(padValue) : TypedAttr();
    Value result;
    if (mode == "constant" && value && !widths.mayCrop())
      result = buildConstantPad(b, data, widths, value);
    else if (mode == "constant" || mode == "edge" || isMirrored(mode))
      result = buildParts(b, data, padValue, widths, mode, type);
    else
      return rewriter.notifyMatchFailure(
          op, "expects pad_mode constant, edge or reflect, but got " + mode);
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  static constexpr bool isMirrorPad = std::is_same_v<OpT, NNMirrorPadOp>;

  static StringRef getMode(OpT op) {
    if constexpr (isMirrorPad)
      return op.getMode() == "REFLECT" ? "reflect" : "symmetric";
    else
      return op.getPadMode();
  }
  static bool isMirrored(StringRef mode) {
    return mode == "reflect" || mode == "symmetric";
  }

  template <typename StaticOpT>
  static FailureOr<SmallVector<OpFoldResult>>
  readWidths(ConversionPatternRewriter &, LinalgBuilder &b, StaticOpT op,
             typename StaticOpT::Adaptor) {
    return getAsIndexOpFoldResult(b.getContext(), op.getPadWidth());
  }
  static FailureOr<SmallVector<OpFoldResult>>
  readWidths(ConversionPatternRewriter &rewriter, LinalgBuilder &b,
             DynNNPadOp op, DynNNPadOp::Adaptor adaptor) {
    return SizeReader(rewriter, b, op)
        .read(adaptor.getPadWidthValue(), "pad_width");
  }

  /// The value as an element of the data.
  static Value buildPadValue(LinalgBuilder &b, OpT op, Value value) {
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
      OpFoldResult count =
          getNumSources(b, widths.before[axis], widths.after[axis], mode);
      if (!isZeroInteger(count))
        b.assertAtLeast(size, count, "expects elements for pad_mode " + mode);
    }
  }

  /// How many elements an axis needs: as many as are mirrored and, if it is not
  /// repeated, the one in the middle; or one to repeat, behind those that are
  /// cut off.
  static OpFoldResult getNumSources(LinalgBuilder &b, OpFoldResult before,
                                    OpFoldResult after, StringRef mode) {
    std::optional<int64_t> first = getConstantIntValue(before);
    std::optional<int64_t> last = getConstantIntValue(after);
    if (first && last) {
      auto [low, high] = std::minmax(*first, *last);
      int64_t count = high <= 0             ? 0
                      : mode == "reflect"   ? high + 1
                      : mode == "symmetric" ? high
                                            : 1;
      return b.getIndexAttr(high <= 0 ? 0 : count - std::min<int64_t>(low, 0));
    }
    Value zero = b.indexValue(0), one = b.indexValue(1);
    Value lhs = b.toValue(before), rhs = b.toValue(after);
    Value high = arith::MaxSIOp::create(b, lhs, rhs);
    Value cut = arith::MinSIOp::create(b, lhs, rhs);
    high = arith::MaxSIOp::create(b, high, zero);
    cut = arith::MinSIOp::create(b, cut, zero);
    Value count = arith::MinSIOp::create(b, high, one);
    if (mode == "reflect")
      count = arith::AddIOp::create(b, count, high);
    return arith::SubIOp::create(b, count, cut).getResult();
  }

  static Value buildConstantPad(LinalgBuilder &b, Value data,
                                const PadWidths &widths, TypedAttr value) {
    return b.pad(data, widths.before, widths.after, value);
  }

  /// Edges and mirrored rows: their inner part is contiguous in the data, only
  /// the ends are read element by element.
  static Value buildParts(LinalgBuilder &b, Value data, Value padValue,
                          const PadWidths &widths, StringRef mode,
                          RankedTensorType type) {
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data), sizes;
    for (auto [axis, size] : llvm::enumerate(dataSizes)) {
      sizes.push_back(b.apply(b.dim(0) + b.dim(1) + b.dim(2),
                              {size, widths.before[axis], widths.after[axis]}));
      if (!getConstantIntValue(widths.before[axis]) ||
          !getConstantIntValue(widths.after[axis]))
        b.assertAtLeast(sizes.back(), 0, "expects to cut off what is there");
    }
    sizes = LinalgBuilder::refine(sizes, type);
    int64_t last = type.getRank() - 1;
    if (mode == "constant" || last < 0 || widths.mayCrop() ||
        !widths.isPadded(last))
      return buildIndexedPad(b, data, padValue, widths, mode, sizes,
                             type.getElementType());
    SmallVector<Value> parts;
    auto addPart = [&](OpFoldResult size, OpFoldResult begin, bool isInner) {
      if (getConstantIntValue(size) == 0)
        return;
      PadWidths own = widths;
      if (isInner)
        own.before[last] = own.after[last] = b.getIndexAttr(0);
      SmallVector<OpFoldResult> partSizes = sizes;
      partSizes[last] = size;
      parts.push_back(buildIndexedPad(b, data, padValue, own, mode, partSizes,
                                      type.getElementType(), begin));
    };
    OpFoldResult none = b.getIndexAttr(0);
    addPart(widths.before[last], none, /*isInner=*/false);
    addPart(dataSizes[last], none, /*isInner=*/true);
    addPart(widths.after[last], b.add(dataSizes[last], widths.before[last]),
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
    SmallVector<Access> inputs;
    if (mode == "constant")
      inputs.push_back({padValue, b.map(rank, {})});
    return b.elements(
        b.getBlockName(), inputs, sizes, elementType,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          SmallVector<Value> indices = emitLoopIndices(bodyBuilder, rank);
          if (begin)
            indices.back() = arith::AddIOp::create(
                bodyBuilder, indices.back(), emitIndex(bodyBuilder, begin));
          Value isInside;
          for (auto [axis, index] : llvm::enumerate(indices)) {
            if (!widths.isPadded(axis))
              continue;
            index = arith::SubIOp::create(
                bodyBuilder, index,
                emitIndex(bodyBuilder, widths.before[axis]));
            Value unclamped = index;
            if (isMirrored(mode))
              index = emitMirror(bodyBuilder, index, dataSizes[axis],
                                 mode == "reflect" ? 1 : 0);
            index = emitClamp(bodyBuilder, index, dataSizes[axis]);
            if (mode != "constant")
              continue;
            // As an unsigned number, a negative one is large. Of no elements
            // the clamped one is not there.
            Value isOn = arith::CmpIOp::create(
                bodyBuilder, arith::CmpIPredicate::ult, unclamped,
                emitIndex(bodyBuilder, dataSizes[axis]));
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

  /// Mirrors positions before the first and behind the last element. The
  /// `numMiddle` elements at the ends are not repeated.
  static Value emitMirror(ImplicitLocOpBuilder &b, Value index,
                          OpFoldResult size, int64_t numMiddle) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto subtract = [&](Value lhs, Value rhs) -> Value {
      return arith::SubIOp::create(b, lhs, rhs);
    };
    Value extent = emitIndex(b, size);
    Value distance = arith::MaxSIOp::create(
        b, index, subtract(constant(numMiddle - 1), index));
    Value span = subtract(arith::AddIOp::create(b, extent, extent),
                          constant(numMiddle + 1));
    return arith::MinSIOp::create(b, distance, subtract(span, distance));
  }
};

} // namespace

void mlir::relay::detail::populatePadPatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<PadToTensor<DynNNPadOp>, PadToTensor<NNMirrorPadOp>,
               PadToTensor<NNPadOp>>(converter, patterns.getContext());
}
