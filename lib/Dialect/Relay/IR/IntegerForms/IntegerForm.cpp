//===- IntegerForm.cpp - Operators on integers that stand for floats ------===//
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

/// Steps of a fine quantization in one of the wanted.
static constexpr double kFineSteps = 256;

//===----------------------------------------------------------------------===//
// Quantizations
//===----------------------------------------------------------------------===//

bool integers::isUniform(Value param) {
  auto type = cast<RankedTensorType>(param.getType());
  return type.hasStaticShape() && type.getNumElements() == 1;
}

bool integers::isUniform(const Quantization &quantization) {
  return isUniform(quantization.scale) && isUniform(quantization.zeroPoint);
}

/// Whether two parameters are the same, or constants that differ by rounding.
static bool isSameParam(Value a, Value b) {
  return areSameNumbers(a, b, /*tolerance=*/1e-6);
}

bool integers::isSame(const Quantization &a, const Quantization &b) {
  if (!isSameParam(a.scale, b.scale) || !isSameParam(a.zeroPoint, b.zeroPoint))
    return false;
  return isUniform(a) || a.axis == b.axis;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

FailureOr<QuantizedValue> IntegerForm::getQuantized(unsigned i) {
  const QuantizedValue &x = getOperand(i);
  if (!x.isQuantized())
    return refuse() << "expects quantized data as operand " << i
                    << ", but got a constant of floats";
  return x;
}

FailureOr<QuantizedValue> IntegerForm::getUniform(unsigned i) {
  FailureOr<QuantizedValue> x = getQuantized(i);
  if (failed(x) || isUniform(x->quantizations.front()))
    return x;
  FailureOr<WantedQuantization> fine = getFine();
  if (failed(fine))
    return failure();
  Value value = requantizeTo(*x, *fine);
  if (!value)
    return failure();
  return QuantizedValue(value, fine->quantization);
}

LogicalResult IntegerForm::checkAnyQuantized() {
  if (getOperand(0).isQuantized() || getOperand(1).isQuantized())
    return success();
  return refuse() << "expects a quantized operand, but got constants";
}

bool IntegerForm::areAsWanted() {
  return wantsNarrow() && llvm::all_of(operands, [&](const QuantizedValue &x) {
           return x.isQuantized() &&
                  getElementType(x.value) == wanted.elementType;
         });
}

bool IntegerForm::wantsNarrow() const {
  return wanted.isLast && wanted.elementType.getIntOrFloatBitWidth() < 32 &&
         isUniform(wanted.quantization);
}

FailureOr<WantedQuantization> IntegerForm::getFine() {
  if (!isUniform(wanted.quantization))
    return refuse() << "expects one scale to round to, but got "
                    << wanted.quantization.scale.getType();
  Value scale = reshapeToScalar(wanted.quantization.scale);
  if (wanted.elementType.isInteger(32))
    return WantedQuantization{{scale, zeroPoint()}, getI32Type()};
  return WantedQuantization{{scaleBy(scale, 1 / kFineSteps), zeroPoint()},
                            getI32Type()};
}

FailureOr<WantedQuantization> IntegerForm::getTarget() {
  if (wanted.isLast && isUniform(wanted.quantization))
    return wanted;
  return getFine();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value IntegerForm::cloneWith(ValueRange values) {
  Operation *copy = clone(*op);
  copy->setOperands(values);
  // The type of the result follows from the data.
  for (StringRef name : {"out_dtype", "dtype"})
    if (auto type = copy->getAttrOfType<TypeAttr>(name))
      if (isa<FloatType>(type.getValue()))
        copy->removeAttr(name);
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(copy).inferReturnTypes(
          getContext(), getLoc(), copy->getOperands(),
          copy->getAttrDictionary(), copy->getPropertiesStorage(),
          copy->getRegions(), types)))
    return {};
  copy->getResult(0).setType(types.front());
  return copy->getResult(0);
}

Value IntegerForm::requantizeTo(const QuantizedValue &x,
                                const WantedQuantization &to) {
  const Quantization &from = x.quantizations.front();
  Type elementType = getElementType(x.value);
  if (isSame(from, to.quantization)) {
    if (elementType == to.elementType)
      return x.value;
    if (to.elementType.isInteger(32))
      return castTo(x.value, to.elementType);
  }
  if (!isUniform(to.quantization)) {
    refuse() << "expects one scale to round to, but got "
             << to.quantization.scale.getType();
    return {};
  }
  SmallVector<NamedAttribute> attributes{
      getNamedAttr("axis", getI64IntegerAttr(from.axis)),
      getNamedAttr("out_dtype", TypeAttr::get(to.elementType))};
  if (wanted.isToEven)
    attributes.append(
        {getNamedAttr("rounding", getStringAttr("TOEVEN")),
         getNamedAttr("compute_dtype", getStringAttr("float32"))});
  return makeWith<QNNRequantizeOp>({x.value, from.scale, from.zeroPoint,
                                    reshapeToScalar(to.quantization.scale),
                                    reshapeToScalar(to.quantization.zeroPoint)},
                                   attributes);
}

Value IntegerForm::quantizeFloats(Value floats, const Quantization &to,
                                  Type elementType) {
  // Sums of 32 bits wrap: what is added leaves them room.
  std::optional<SmallVector<double>> values = getNumbers(floats),
                                     scales = getNumbers(to.scale);
  if (elementType.isInteger(32) && values && scales) {
    double least = *llvm::min_element(*scales), largest = 0;
    for (double value : *values)
      largest = std::max(largest, std::abs(value));
    constexpr double kMost = 1 << 30;
    bool fits = largest <= kMost * least; // Not NaN.
    if (!fits) {
      refuse() << "expects constants that integers of 32 bits with a scale of "
               << least << " hold, but got " << largest;
      return {};
    }
  }
  return makeWith<QNNQuantizeOp>(
      {castTo(floats, getF32Type()), to.scale, to.zeroPoint},
      {getNamedAttr("axis", getI64IntegerAttr(to.axis)),
       getNamedAttr("out_dtype", TypeAttr::get(elementType))});
}

FailureOr<Value> IntegerForm::convertTo(unsigned i,
                                        const WantedQuantization &to) {
  const QuantizedValue &x = getOperand(i);
  return qnn::orFailure(
      x.isQuantized()
          ? requantizeTo(x, to)
          : quantizeFloats(x.value, to.quantization, to.elementType));
}

FailureOr<QuantizedValue>
IntegerForm::writeUnified(const WantedQuantization &common) {
  FailureOr<Value> lhs = convertTo(0, common), rhs = convertTo(1, common);
  if (failed(lhs) || failed(rhs))
    return failure();
  Value result = cloneWith({*lhs, *rhs});
  if (!result)
    return failure();
  return QuantizedValue(result, common.quantization);
}

Value IntegerForm::getShifted(const QuantizedValue &x) {
  const Quantization &quantization = x.quantizations.front();
  return subtractZeroPoint(x.value, quantization.zeroPoint, quantization.axis);
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

Value IntegerForm::reshapeToScalar(Value param) {
  if (getRank(param) == 0)
    return param;
  if (std::optional<SmallVector<double>> values = getNumbers(param)) {
    if (isa<FloatType>(getElementType(param)))
      return number(values->front(), getElementType(param));
    return integer(static_cast<int64_t>(values->front()),
                   getElementType(param));
  }
  return reshape(param, {});
}

FailureOr<Value> IntegerForm::multiplyScales(Value a, Value b) {
  if (!isUniform(a) && !isUniform(b))
    return refuse() << "expects many scales of one operand, but got "
                    << a.getType() << " and " << b.getType();
  if (isUniform(a))
    a = reshapeToScalar(a);
  if (isUniform(b))
    b = reshapeToScalar(b);
  std::optional<SmallVector<double>> left = getNumbers(a),
                                     right = getNumbers(b);
  if (!left || !right)
    return make<MultiplyOp>(a, b).get();
  if (left->size() < right->size())
    std::swap(left, right);
  // The product of floats of 32 bits, rounded once.
  for (double &value : *left)
    value *= right->front();
  return numbers(*left, getF32Type(), 0, left->size() == 1 ? 0 : 1);
}

Value IntegerForm::scaleBy(Value scale, double factor) {
  if (std::optional<SmallVector<double>> values = getNumbers(scale)) {
    for (double &value : *values)
      value *= factor;
    return numbers(*values, getF32Type(), 0, values->size() == 1 ? 0 : 1);
  }
  return make<MultiplyOp>(scale, number(factor, getF32Type()).get());
}
