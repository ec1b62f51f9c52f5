//===- Functions.cpp - Bounds and functions of integers -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerForm.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::integers;

using qnn::getElementType;
using qnn::getNumbers;
using qnn::getRank;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The integers that stand for a bound, one for each scale; none if scales or
/// zero points are computed.
static std::optional<SmallVector<int64_t>>
getBounds(const Quantization &quantization, Type elementType, double bound) {
  std::optional<SmallVector<double>> scales = getNumbers(quantization.scale),
                                     zeros = getNumbers(quantization.zeroPoint);
  if (!scales || !zeros)
    return std::nullopt;
  auto [low, high] = getIntegerRange(elementType);
  SmallVector<int64_t> bounds;
  for (size_t i : llvm::seq(std::max(scales->size(), zeros->size()))) {
    double scale = (*scales)[scales->size() == 1 ? 0 : i];
    double zero = (*zeros)[zeros->size() == 1 ? 0 : i];
    double value = std::round(bound / scale) + zero;
    if (std::isnan(value))
      return std::nullopt;
    bounds.push_back(static_cast<int64_t>(std::clamp(
        value, static_cast<double>(low), static_cast<double>(high))));
  }
  return bounds;
}

/// A bound as a tensor that broadcasts against the data.
static FailureOr<Value> makeBound(IntegerForm &form, const QuantizedValue &x,
                                  double bound) {
  const Quantization &quantization = x.quantizations.front();
  Type elementType = getElementType(x.value);
  if (std::optional<SmallVector<int64_t>> bounds =
          getBounds(quantization, elementType, bound))
    return form.integers(*bounds, elementType, quantization.axis,
                         getRank(x.value));
  if (!isUniform(quantization))
    return form.refuse() << "expects constant scales, but got values that are "
                            "computed";
  return qnn::orFailure(
      form.quantizeFloats(form.number(bound, form.getF32Type()),
                          {form.reshapeToScalar(quantization.scale),
                           form.reshapeToScalar(quantization.zeroPoint)},
                          elementType));
}

namespace mlir::relay::integers {

//===----------------------------------------------------------------------===//
// Minima and maxima
//===----------------------------------------------------------------------===//

/// In the scale of the operands if they have one, else in that of the result.
static FailureOr<QuantizedValue> writeExtreme(IntegerForm &form) {
  if (failed(form.checkAnyQuantized()))
    return failure();
  const QuantizedValue &lhs = form.getOperand(0), &rhs = form.getOperand(1);
  if (lhs.isQuantized() && rhs.isQuantized()) {
    WantedQuantization own{lhs.quantizations.front(),
                           getElementType(lhs.value)};
    if (own.elementType == getElementType(rhs.value) &&
        isUniform(own.quantization) &&
        isSame(own.quantization, rhs.quantizations.front()))
      return form.writeUnified(own);
    FailureOr<WantedQuantization> target = form.getTarget();
    if (failed(target))
      return failure();
    return form.writeUnified(*target);
  }
  // Bytes may not reach the constant.
  FailureOr<WantedQuantization> fine = form.getFine();
  if (failed(fine))
    return failure();
  return form.writeUnified(*fine);
}

static FailureOr<QuantizedValue> write(MinimumOp, IntegerForm &form) {
  return writeExtreme(form);
}
static FailureOr<QuantizedValue> write(MaximumOp, IntegerForm &form) {
  return writeExtreme(form);
}

static FailureOr<QuantizedValue> write(NNReluOp, IntegerForm &form) {
  FailureOr<QuantizedValue> x = form.getQuantized(0);
  if (failed(x))
    return failure();
  const Quantization &quantization = x->quantizations.front();
  Value zero = form.castTo(
      form.align(quantization.zeroPoint, quantization.axis, getRank(x->value)),
      getElementType(x->value));
  if (std::optional<SmallVector<double>> values =
          getNumbers(quantization.zeroPoint))
    if (isUniform(quantization.zeroPoint))
      zero = form.integer(static_cast<int64_t>(values->front()),
                          getElementType(x->value));
  return QuantizedValue(form.make<MaximumOp>(x->value, zero), quantization);
}

static FailureOr<QuantizedValue> write(ClipOp op, IntegerForm &form) {
  FailureOr<QuantizedValue> x = form.getQuantized(0);
  if (failed(x))
    return failure();
  const Quantization &quantization = x->quantizations.front();
  double low = op.getAMin().convertToDouble(),
         high = op.getAMax().convertToDouble();
  Type elementType = getElementType(x->value);
  if (isUniform(quantization)) {
    auto from = getBounds(quantization, elementType, low),
         to = getBounds(quantization, elementType, high);
    if (from && to)
      return QuantizedValue(form.clip(x->value,
                                      static_cast<double>(from->front()),
                                      static_cast<double>(to->front())),
                            quantization);
  }
  FailureOr<Value> lowest = makeBound(form, *x, low),
                   highest = makeBound(form, *x, high);
  if (failed(lowest) || failed(highest))
    return failure();
  Value result = form.make<MinimumOp>(
      form.make<MaximumOp>(x->value, *lowest).get(), *highest);
  return QuantizedValue(result, quantization);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A table of the 256 results.
static FailureOr<QuantizedValue> writeTable(IntegerForm &form) {
  FailureOr<QuantizedValue> x = form.getQuantized(0);
  if (failed(x))
    return failure();
  Type elementType = getElementType(x->value);
  const Quantization &from = x->quantizations.front();
  FailureOr<WantedQuantization> to = form.getTarget();
  if (failed(to))
    return failure();
  if (elementType.getIntOrFloatBitWidth() != 8 || !isUniform(from))
    return form.refuse() << "expects bytes with one scale, but got "
                         << x->value.getType();
  auto [low, high] = getIntegerRange(elementType);
  auto codes = llvm::to_vector(llvm::seq_inclusive<int64_t>(low, high));
  Value floats = form.makeWith<QNNDequantizeOp>(
      {form.integers(codes, elementType, 0, 1),
       form.reshapeToScalar(from.scale), form.reshapeToScalar(from.zeroPoint)},
      form.getNamedAttr("out_dtype", TypeAttr::get(form.getF32Type())));
  Value results = floats ? form.cloneWith(floats) : Value();
  Value table = results
                    ? form.quantizeFloats(
                          results,
                          {form.reshapeToScalar(to->quantization.scale),
                           form.reshapeToScalar(to->quantization.zeroPoint)},
                          to->elementType)
                    : Value();
  if (!table)
    return failure();
  Value index = form.make<SubtractOp>(form.toInt32(x->value),
                                      form.integer(low, form.getI32Type()));
  Value result = form.makeWith<TakeOp>(
      {table, index}, form.getNamedAttr("axis", form.getI64IntegerAttr(0)));
  return QuantizedValue(result, to->quantization);
}

/// The operator of qnn where operand and result are bytes of one type, or else
/// the table that it is.
template <typename QnnOpTy>
static FailureOr<QuantizedValue>
writeFunction(IntegerForm &form, ArrayRef<NamedAttribute> attributes = {}) {
  FailureOr<QuantizedValue> x = form.getQuantized(0);
  if (failed(x))
    return failure();
  const Quantization &from = x->quantizations.front(),
                     &to = form.getWanted().quantization;
  if (!form.areAsWanted() || !isUniform(from) ||
      getElementType(x->value).getIntOrFloatBitWidth() != 8)
    return writeTable(form);
  Value result = form.makeWith<QnnOpTy>(
      {x->value, form.reshapeToScalar(from.scale),
       form.reshapeToScalar(from.zeroPoint), form.reshapeToScalar(to.scale),
       form.reshapeToScalar(to.zeroPoint)},
      attributes);
  if (!result)
    return failure();
  return QuantizedValue(result, to);
}

static FailureOr<QuantizedValue> write(SqrtOp, IntegerForm &form) {
  return writeFunction<QNNSqrtOp>(form);
}
static FailureOr<QuantizedValue> write(RsqrtOp, IntegerForm &form) {
  return writeFunction<QNNRsqrtOp>(form);
}
static FailureOr<QuantizedValue> write(ExpOp, IntegerForm &form) {
  return writeFunction<QNNExpOp>(form);
}
static FailureOr<QuantizedValue> write(ErfOp, IntegerForm &form) {
  return writeFunction<QNNErfOp>(form);
}
static FailureOr<QuantizedValue> write(SigmoidOp, IntegerForm &form) {
  return writeFunction<QNNSigmoidOp>(form);
}
static FailureOr<QuantizedValue> write(TanhOp, IntegerForm &form) {
  return writeFunction<QNNTanhOp>(form);
}
static FailureOr<QuantizedValue> write(LogOp, IntegerForm &form) {
  return writeFunction<QNNLogOp>(form);
}
static FailureOr<QuantizedValue> write(AbsOp, IntegerForm &form) {
  return writeFunction<QNNAbsOp>(form);
}
static FailureOr<QuantizedValue> write(NNLeakyReluOp op, IntegerForm &form) {
  return writeFunction<QNNLeakyReluOp>(
      form, form.getNamedAttr("alpha", op.getAlphaAttr()));
}

static FailureOr<QuantizedValue> write(NNSoftmaxOp op, IntegerForm &form) {
  if (!form.areAsWanted())
    return form.refuse() << "expects data in the type of the result, "
                         << form.getWanted().elementType << ", but got "
                         << form.getOperand(0).value.getType();
  return writeFunction<QNNSoftmaxOp>(
      form, form.getNamedAttr("axis", form.getI64IntegerAttr(op.getAxis())));
}

} // namespace mlir::relay::integers

void integers::registerFunctions(MLIRContext *context) {
  attach<kCommutesWithClip | kIsIntegerAlone, ClipOp, MaximumOp, MinimumOp,
         NNReluOp>(context);
  attach<0, AbsOp, ErfOp, ExpOp, LogOp, NNLeakyReluOp, RsqrtOp, SigmoidOp,
         SqrtOp, TanhOp>(context);
  attach<kIsIntegerOnRequest, NNSoftmaxOp>(context);
}
