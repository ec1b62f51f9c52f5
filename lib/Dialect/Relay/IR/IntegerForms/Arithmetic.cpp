//===- Arithmetic.cpp - Sums and products of integers ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where both operands have the type that is wanted, it is the operator of qnn,
// which rounds each to the result's scale. Elsewhere nothing is rounded: sums
// are of integers of 32 bits with a fine scale, products are exact.
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
// Operands
//===----------------------------------------------------------------------===//

/// The operator of qnn that rounds to the result's scale.
template <typename QnnOpTy>
static FailureOr<QuantizedValue> writeQnnBinary(IntegerForm &form) {
  const Quantization &to = form.getWanted().quantization;
  const QuantizedValue &lhs = form.getOperand(0), &rhs = form.getOperand(1);
  const Quantization &left = lhs.quantizations.front(),
                     &right = rhs.quantizations.front();
  Value result = form.makeWith<QnnOpTy>(
      {lhs.value, rhs.value, left.scale, left.zeroPoint, right.scale,
       right.zeroPoint, form.reshapeToScalar(to.scale),
       form.reshapeToScalar(to.zeroPoint)},
      {form.getNamedAttr("lhs_axis", form.getI64IntegerAttr(left.axis)),
       form.getNamedAttr("rhs_axis", form.getI64IntegerAttr(right.axis))});
  if (!result)
    return failure();
  return QuantizedValue(result, to);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Whether a value is computed from constants alone, by few operators.
static bool isComputedFromConstants(Value value, unsigned depth = 4) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<ConstantOp>(op))
    return op != nullptr;
  return depth != 0 && op->getNumOperands() != 0 && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isComputedFromConstants(operand, depth - 1);
         });
}

/// An operand as floats if it is constant; else null.
static Value getConstantFloats(IntegerForm &form, unsigned i) {
  const QuantizedValue &x = form.getOperand(i);
  if (!x.isQuantized())
    return x.value;
  if (!isComputedFromConstants(x.value))
    return {};
  const Quantization &from = x.quantizations.front();
  return form.makeWith<QNNDequantizeOp>(
      {x.value, from.scale, from.zeroPoint},
      {form.getNamedAttr("axis", form.getI64IntegerAttr(from.axis)),
       form.getNamedAttr("out_dtype", TypeAttr::get(form.getF32Type()))});
}

/// A sum of 32 bits and a constant: the constant takes the scale of the sum. A
/// null value if it cannot.
static Value addConstant(IntegerForm &form, unsigned sum) {
  const QuantizedValue &x = form.getOperand(sum);
  if (!getElementType(x.value).isInteger(32))
    return {};
  Quantization to = x.quantizations.front();
  auto type = cast<RankedTensorType>(form.getOperand(1 - sum).value.getType());
  auto result = cast<RankedTensorType>(form.getOp()->getResult(0).getType());
  int64_t rank = getRank(x.value);
  std::optional<SmallVector<double>> zero = getNumbers(to.zeroPoint);
  if (!zero || llvm::any_of(*zero, [](double value) { return value != 0; }) ||
      result.getRank() != rank)
    return {};
  if (!isUniform(to)) {
    // Along the same dimension, or not at all.
    int64_t axis = normalize(to.axis, rank) - (rank - type.getRank());
    auto scales = cast<RankedTensorType>(to.scale.getType());
    if (axis < 0 || type.getDimSize(axis) != scales.getDimSize(0))
      return {};
    to.axis = axis;
  }
  Value floats = getConstantFloats(form, 1 - sum);
  Value other =
      floats ? form.quantizeFloats(floats, to, form.getI32Type()) : Value();
  if (!other)
    return {};
  return sum == 0 ? form.cloneWith({x.value, other})
                  : form.cloneWith({other, x.value});
}

/// Whether an operand is a sum of products whose scale is so much finer than
/// the one that is wanted that rounding to it does not count.
static bool isFineSum(IntegerForm &form, unsigned i) {
  constexpr double kSteps = 16;
  const QuantizedValue &x = form.getOperand(i);
  if (!x.isQuantized() || !getElementType(x.value).isInteger(32) ||
      !isUniform(x.quantizations.front()))
    return false;
  std::optional<SmallVector<double>> scale = getNumbers(
                                         x.quantizations.front().scale),
                                     zero = getNumbers(
                                         x.quantizations.front().zeroPoint),
                                     wanted = getNumbers(
                                         form.getWanted().quantization.scale);
  return scale && zero && wanted && zero->front() == 0 && wanted->size() == 1 &&
         scale->front() * kSteps <= wanted->front();
}

/// The same of i32 with one scale.
static bool areSameSums(IntegerForm &form) {
  const QuantizedValue &lhs = form.getOperand(0), &rhs = form.getOperand(1);
  if (!lhs.isQuantized() || !rhs.isQuantized() ||
      !getElementType(lhs.value).isInteger(32) ||
      !getElementType(rhs.value).isInteger(32))
    return false;
  const Quantization &left = lhs.quantizations.front();
  std::optional<SmallVector<double>> zero = getNumbers(left.zeroPoint);
  return zero && zero->size() == 1 && zero->front() == 0 && isUniform(left) &&
         isSame(left, rhs.quantizations.front());
}

template <typename QnnOpTy>
static FailureOr<QuantizedValue> writeSum(IntegerForm &form) {
  if (failed(form.checkAnyQuantized()))
    return failure();
  if (form.areAsWanted())
    return writeQnnBinary<QnnOpTy>(form);
  if (areSameSums(form))
    return form.writeUnified(
        {form.getOperand(0).quantizations.front(), form.getI32Type()});
  for (unsigned sum : {0, 1})
    if (form.getOperand(sum).isQuantized())
      if (Value result = addConstant(form, sum))
        return QuantizedValue(result,
                              form.getOperand(sum).quantizations.front());
  for (unsigned sum : {0, 1})
    if (isFineSum(form, sum) &&
        getElementType(form.getOperand(1 - sum).value).getIntOrFloatBitWidth() <
            32)
      return form.writeUnified(
          {form.getOperand(sum).quantizations.front(), form.getI32Type()});
  FailureOr<WantedQuantization> fine = form.getFine();
  if (failed(fine))
    return failure();
  return form.writeUnified(*fine);
}

namespace mlir::relay::integers {

static FailureOr<QuantizedValue> write(AddOp, IntegerForm &form) {
  return writeSum<QNNAddOp>(form);
}
static FailureOr<QuantizedValue> write(SubtractOp, IntegerForm &form) {
  return writeSum<QNNSubtractOp>(form);
}

/// To sums of products the bias is added as it is, in their scale. Bytes do not
/// hold a sum.
static FailureOr<QuantizedValue> write(NNBiasAddOp op, IntegerForm &form) {
  FailureOr<QuantizedValue> x = form.getQuantized(0);
  if (failed(x))
    return failure();
  const QuantizedValue &bias = form.getOperand(1);
  int64_t rank = getRank(x->value), axis = normalize(op.getAxis(), rank);
  WantedQuantization to{x->quantizations.front(), form.getI32Type()};
  std::optional<SmallVector<double>> zero =
      getNumbers(to.quantization.zeroPoint);
  bool isSum = getElementType(x->value).isInteger(32) && zero &&
               llvm::all_of(*zero, [](double value) { return value == 0; }) &&
               (isUniform(to.quantization) ||
                normalize(to.quantization.axis, rank) == axis);
  if (!isSum) {
    FailureOr<WantedQuantization> fine = form.getFine();
    if (failed(fine))
      return failure();
    to = *fine;
  }
  Value data = form.requantizeTo(*x, to);
  if (!data)
    return failure();
  Quantization ofBias = to.quantization;
  ofBias.axis = 0;
  Value added;
  if (!bias.isQuantized())
    added = form.quantizeFloats(bias.value, ofBias, to.elementType);
  else if (isUniform(to.quantization) ||
           isSame(bias.quantizations.front(), ofBias))
    added = form.requantizeTo(bias, {ofBias, to.elementType});
  else
    // To many scales: through floats, of few elements.
    added = form.quantizeFloats(
        form.makeWith<QNNDequantizeOp>(
            {bias.value, bias.quantizations.front().scale,
             bias.quantizations.front().zeroPoint},
            {form.getNamedAttr("axis", form.getI64IntegerAttr(0)),
             form.getNamedAttr("out_dtype", TypeAttr::get(form.getF32Type()))}),
        ofBias, to.elementType);
  Value result = added ? form.cloneWith({data, added}) : Value();
  if (!result)
    return failure();
  return QuantizedValue(result, to.quantization);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `x` times a positive number, which is a change of its scale; none if it is
/// anything else.
static std::optional<QuantizedValue> scaleByConstant(IntegerForm &form,
                                                     const QuantizedValue &x,
                                                     Value constant,
                                                     bool isDivisor) {
  std::optional<SmallVector<double>> factors = getNumbers(constant);
  auto type = cast<RankedTensorType>(constant.getType());
  auto result = cast<RankedTensorType>(form.getOp()->getResult(0).getType());
  Quantization quantization = x.quantizations.front();
  if (!factors || factors->size() != 1 || !isUniform(quantization) ||
      result.getRank() != getRank(x.value) || type.getRank() > result.getRank())
    return std::nullopt;
  double factor = isDivisor ? 1 / factors->front() : factors->front();
  std::optional<SmallVector<double>> scale = getNumbers(quantization.scale);
  if (!(factor > 0) || !scale)
    return std::nullopt;
  // A scale that is a normal number.
  auto product = static_cast<float>(scale->front() * factor);
  if (!std::isnormal(product))
    return std::nullopt;
  quantization.scale = form.number(product, form.getF32Type());
  return QuantizedValue(x.value, quantization);
}

/// A constant as integers of 16 bits, whose rounding does not count.
static FailureOr<QuantizedValue> quantizeConstant(IntegerForm &form,
                                                  Value constant) {
  std::optional<SmallVector<double>> values = getNumbers(constant);
  double largest = 0;
  bool isFinite = true;
  for (double value : values.value_or(SmallVector<double>())) {
    largest = std::max(largest, std::abs(value));
    isFinite &= std::isfinite(value);
  }
  auto scale = static_cast<float>(largest / 32767);
  bool isUsable = values && isFinite && (largest == 0 || std::isnormal(scale));
  if (!isUsable)
    return form.refuse() << "expects a constant that integers of 16 bits stand "
                            "for, but got "
                         << constant.getType();
  Quantization to{form.number(largest == 0 ? 1 : scale, form.getF32Type()),
                  form.zeroPoint()};
  Value value = form.quantizeFloats(constant, to, form.getI16Type());
  if (!value)
    return failure();
  return QuantizedValue(value, to);
}

static FailureOr<QuantizedValue> write(MultiplyOp, IntegerForm &form) {
  if (failed(form.checkAnyQuantized()))
    return failure();
  for (unsigned i : {0, 1})
    if (form.getOperand(i).isQuantized() &&
        !form.getOperand(1 - i).isQuantized())
      if (std::optional<QuantizedValue> scaled = scaleByConstant(
              form, form.getOperand(i), form.getOperand(1 - i).value,
              /*isDivisor=*/false))
        return *scaled;
  if (form.areAsWanted())
    return writeQnnBinary<QNNMulOp>(form);
  unsigned bits = 0;
  SmallVector<QuantizedValue, 2> factors;
  for (const QuantizedValue &operand : form.getOperands()) {
    bool isConstant = !operand.isQuantized();
    FailureOr<QuantizedValue> factor =
        isConstant ? quantizeConstant(form, operand.value) : operand;
    if (failed(factor))
      return failure();
    bits += getElementType(factor->value).getIntOrFloatBitWidth() +
            (isConstant ? 0 : 1);
    factors.push_back(*factor);
  }
  if (bits > 32)
    return form.refuse() << "expects factors whose product 32 bits hold, but "
                            "got "
                         << factors[0].value.getType() << " and "
                         << factors[1].value.getType();
  const Quantization &left = factors[0].quantizations.front(),
                     &right = factors[1].quantizations.front();
  FailureOr<Value> scale = form.multiplyScales(left.scale, right.scale);
  Value lhs = form.getShifted(factors[0]), rhs = form.getShifted(factors[1]);
  Value result = succeeded(scale) ? form.cloneWith({lhs, rhs}) : Value();
  if (!result)
    return failure();
  // Counted from the last dimension, as shapes are aligned.
  const QuantizedValue &many = isUniform(left.scale) ? factors[1] : factors[0];
  int64_t axis = many.quantizations.front().axis;
  if (axis >= 0)
    axis -= getRank(many.value);
  return QuantizedValue(result, {*scale, form.zeroPoint(), axis});
}

static FailureOr<QuantizedValue> write(DivideOp, IntegerForm &form) {
  FailureOr<QuantizedValue> x = form.getQuantized(0);
  if (failed(x))
    return failure();
  if (!form.getOperand(1).isQuantized())
    if (std::optional<QuantizedValue> scaled = scaleByConstant(
            form, *x, form.getOperand(1).value, /*isDivisor=*/true))
      return *scaled;
  return form.refuse() << "expects a divisor that is a positive constant";
}

} // namespace mlir::relay::integers

void integers::registerArithmetic(MLIRContext *context) {
  attach<kIsIntegerAlone, NNBiasAddOp>(context);
  attach<0, AddOp, DivideOp, MultiplyOp, SubtractOp>(context);
}
