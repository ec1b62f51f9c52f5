//===- Movement.cpp - Operators that move or choose integers --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerForm.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::integers;

using qnn::getElementType;

//===----------------------------------------------------------------------===//
// Elements as they are
//===----------------------------------------------------------------------===//

/// The same on other elements; operands after the first are no elements.
static FailureOr<QuantizedValue> writeSame(IntegerForm &form) {
  FailureOr<QuantizedValue> x = form.getUniform(0);
  if (failed(x))
    return failure();
  SmallVector<Value> values{x->value};
  for (const QuantizedValue &operand : form.getOperands().drop_front())
    values.push_back(operand.value);
  Value result = form.cloneWith(values);
  if (!result)
    return failure();
  QuantizedValue made(result);
  auto tuple = dyn_cast<TupleType>(result.getType());
  made.quantizations.assign(tuple ? tuple.size() : 1, x->quantizations.front());
  return made;
}

namespace mlir::relay::integers {

template <typename OpTy>
static FailureOr<QuantizedValue> write(OpTy, IntegerForm &form) {
  return writeSame(form);
}

/// Scales along an axis move with it.
static FailureOr<QuantizedValue> write(TransposeOp op, IntegerForm &form) {
  const QuantizedValue &x = form.getOperand(0);
  if (!x.isQuantized() || isUniform(x.quantizations.front()))
    return writeSame(form);
  int64_t rank = qnn::getRank(x.value);
  Quantization quantization = x.quantizations.front();
  int64_t axis = normalize(quantization.axis, rank);
  quantization.axis = rank - 1 - axis;
  if (op.getAxes())
    for (auto [to, from] : llvm::enumerate(*op.getAxes()))
      if (normalize(from, rank) == axis)
        quantization.axis = static_cast<int64_t>(to);
  Value result = form.cloneWith(x.value);
  if (!result)
    return failure();
  return QuantizedValue(result, quantization);
}

static FailureOr<QuantizedValue> write(NNPadOp op, IntegerForm &form) {
  FailureOr<QuantizedValue> x = form.getUniform(0);
  if (failed(x))
    return failure();
  WantedQuantization to{x->quantizations.front(), getElementType(x->value)};
  FailureOr<Value> filled = form.convertTo(1, to);
  if (failed(filled))
    return failure();
  Value result = form.cloneWith({x->value, *filled});
  if (!result)
    return failure();
  return QuantizedValue(result, to.quantization);
}

/// Positions stand for themselves.
static FailureOr<QuantizedValue> write(TopkOp op, IntegerForm &form) {
  if (op.getRetType() == "indices") {
    FailureOr<QuantizedValue> x = form.getUniform(0);
    Value result = succeeded(x) ? form.cloneWith(x->value) : Value();
    if (!result)
      return failure();
    return QuantizedValue(result);
  }
  FailureOr<QuantizedValue> result = writeSame(form);
  if (succeeded(result) && op.getRetType() == "both")
    result->quantizations.back() = {};
  return result;
}

static FailureOr<QuantizedValue> write(ConcatenateOp op, IntegerForm &form) {
  const WantedQuantization &wanted = form.getWanted();
  bool isOfOneType = true, isOfWanted = true, isUniformAll = true;
  const QuantizedValue &first = form.getOperand(0);
  for (const QuantizedValue &x : form.getOperands()) {
    bool isQuantized = x.isQuantized();
    isOfOneType &= isQuantized && first.isQuantized() && x.value &&
                   getElementType(x.value) == getElementType(first.value) &&
                   isSame(x.quantizations.front(), first.quantizations.front());
    isOfWanted &= isQuantized && getElementType(x.value) == wanted.elementType;
    isUniformAll &= isQuantized && isUniform(x.quantizations.front());
  }
  SmallVector<Value> parts, scales, zeros;
  if (isOfOneType && isUniformAll) {
    for (const QuantizedValue &x : form.getOperands())
      parts.push_back(x.value);
    Value result = form.cloneWith(parts);
    if (!result)
      return failure();
    return QuantizedValue(result, first.quantizations.front());
  }
  if (isOfWanted && isUniformAll && form.wantsNarrow()) {
    for (const QuantizedValue &x : form.getOperands()) {
      parts.push_back(x.value);
      scales.push_back(form.reshapeToScalar(x.quantizations.front().scale));
      zeros.push_back(form.reshapeToScalar(x.quantizations.front().zeroPoint));
    }
    auto makeTuple = [&](ValueRange fields) -> Value {
      return TupleOp::create(static_cast<ImplicitLocOpBuilder &>(form), fields);
    };
    Value result = form.makeWith<QNNConcatenateOp>(
        {makeTuple(parts), makeTuple(scales), makeTuple(zeros),
         form.reshapeToScalar(wanted.quantization.scale),
         form.reshapeToScalar(wanted.quantization.zeroPoint)},
        form.getNamedAttr("axis", form.getI64IntegerAttr(op.getAxis())));
    if (!result)
      return failure();
    return QuantizedValue(result, wanted.quantization);
  }
  FailureOr<WantedQuantization> target = form.getTarget();
  if (failed(target))
    return failure();
  for (unsigned i : llvm::seq<unsigned>(0, form.getOperands().size())) {
    FailureOr<Value> part = form.convertTo(i, *target);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  Value result = form.cloneWith(parts);
  if (!result)
    return failure();
  return QuantizedValue(result, target->quantization);
}

//===----------------------------------------------------------------------===//
// Means
//===----------------------------------------------------------------------===//

/// The most elements that one of the result is a mean of; none if sizes are
/// open.
static std::optional<int64_t> getWindowSize(Operation *op) {
  if (auto pool = op->getAttrOfType<DenseI64ArrayAttr>("pool_size")) {
    int64_t count = 1;
    for (int64_t size : pool.asArrayRef())
      if (size < 0 || llvm::MulOverflow(count, size, count))
        return std::nullopt;
    return count;
  }
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  // Open sizes of batches are those of both.
  if (from.getNumDynamicDims() != to.getNumDynamicDims())
    return std::nullopt;
  auto count = [](RankedTensorType type) {
    int64_t product = 1;
    for (int64_t size : type.getShape())
      if (!ShapedType::isDynamic(size))
        product *= size;
    return product;
  };
  int64_t all = count(from), results = count(to);
  return results == 0 ? 1 : llvm::divideCeil(all, results) * 2;
}

/// A mean of integers is truncated: they are shifted to the left before, by up
/// to 8 bits, so that this does not count.
static FailureOr<QuantizedValue> writeMean(IntegerForm &form,
                                           std::optional<int64_t> count) {
  FailureOr<QuantizedValue> x = form.getUniform(0);
  if (failed(x))
    return failure();
  int64_t bits =
      getElementType(x->value).getIntOrFloatBitWidth() + 1 +
      (count ? llvm::Log2_64_Ceil(std::max<int64_t>(*count, 1)) : 32);
  if (bits > 31)
    return form.refuse() << "expects sums of integers that 32 bits hold, but "
                            "got means of "
                         << form.getOp()->getOperand(0).getType();
  int64_t shift = std::min<int64_t>(8, 31 - bits);
  Value wide = form.getShifted(*x);
  if (shift != 0)
    wide = form.make<MultiplyOp>(
        wide, form.integer(int64_t(1) << shift, form.getI32Type()));
  Value result = form.cloneWith(wide);
  if (!result)
    return failure();
  Value scale = form.reshapeToScalar(x->quantizations.front().scale);
  return QuantizedValue(
      result, {form.scaleBy(scale, 1.0 / static_cast<double>(1 << shift)),
               form.zeroPoint()});
}

template <typename OpTy>
static FailureOr<QuantizedValue> writeMeanOf(OpTy op, IntegerForm &form) {
  return writeMean(form, getWindowSize(op));
}

static FailureOr<QuantizedValue> write(NNAvgPool1dOp op, IntegerForm &form) {
  return writeMeanOf(op, form);
}
static FailureOr<QuantizedValue> write(NNAvgPool2dOp op, IntegerForm &form) {
  return writeMeanOf(op, form);
}
static FailureOr<QuantizedValue> write(NNAvgPool3dOp op, IntegerForm &form) {
  return writeMeanOf(op, form);
}
static FailureOr<QuantizedValue> write(NNAdaptiveAvgPool1dOp op,
                                       IntegerForm &form) {
  return writeMeanOf(op, form);
}
static FailureOr<QuantizedValue> write(NNAdaptiveAvgPool2dOp op,
                                       IntegerForm &form) {
  return writeMeanOf(op, form);
}
static FailureOr<QuantizedValue> write(NNGlobalAvgPool2dOp op,
                                       IntegerForm &form) {
  return writeMeanOf(op, form);
}
static FailureOr<QuantizedValue> write(MeanOp op, IntegerForm &form) {
  return writeMeanOf(op, form);
}

/// Between pixels there are means of them.
static FailureOr<QuantizedValue> write(ImageResize2dOp op, IntegerForm &form) {
  if (op.getMethod() == "nearest_neighbor")
    return writeSame(form);
  return writeMean(form, 4);
}

} // namespace mlir::relay::integers

void integers::registerMovement(MLIRContext *context) {
  attach<kCommutesWithClip | kIsIntegerAlone, BroadcastToOp, ExpandDimsOp,
         MaxOp, MinOp, NNBatchFlattenOp, NNDepthToSpaceOp, NNGlobalMaxPool2dOp,
         NNMaxPool1dOp, NNMaxPool2dOp, NNMaxPool3dOp, NNPadOp, NNSpaceToDepthOp,
         ReshapeOp, SplitOp, SqueezeOp, StridedSliceOp, TransposeOp>(context);
  attach<kCommutesWithClip, AnnotationStopFusionOp, ConcatenateOp,
         ImageResize2dOp, RepeatOp, ReverseOp, TakeOp, TileOp, TopkOp>(context);
  attach<kIsIntegerAlone, NNAvgPool1dOp, NNAvgPool2dOp, NNAvgPool3dOp,
         NNGlobalAvgPool2dOp>(context);
  attach<0, MeanOp, NNAdaptiveAvgPool1dOp, NNAdaptiveAvgPool2dOp>(context);
}
