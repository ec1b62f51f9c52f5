//===- QnnBuilder.cpp - Quantized arithmetic in basic operators -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QnnBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::qnn;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Whether a parameter has one value.
static bool isSingle(Value param) {
  auto type = cast<RankedTensorType>(param.getType());
  return type.hasStaticShape() && type.getNumElements() == 1;
}

bool qnn::isSameScalar(Value a, Value b) {
  if (!isSingle(a) || !isSingle(b))
    return false;
  if (a == b)
    return true;
  std::optional<SmallVector<double>> left = getNumbers(a),
                                     right = getNumbers(b);
  return left && right && *left == *right;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value QnnBuilder::integer(int64_t value, Type elementType) {
  return integers(value, elementType, 0, 0);
}

/// The type of `count` values along dimension `axis` of `rank`.
static RankedTensorType getAlignedType(int64_t count, Type elementType,
                                       int64_t axis, int64_t rank) {
  if (count == 1)
    return RankedTensorType::get({}, elementType);
  SmallVector<int64_t> shape(rank, 1);
  shape[axis < 0 ? axis + rank : axis] = count;
  return RankedTensorType::get(shape, elementType);
}

Value QnnBuilder::numbers(ArrayRef<double> values, Type elementType,
                          int64_t axis, int64_t rank) {
  SmallVector<APFloat> elements;
  for (double value : values) {
    bool isLossy;
    elements.emplace_back(value).convert(
        cast<FloatType>(elementType).getFloatSemantics(),
        APFloat::rmNearestTiesToEven, &isLossy);
  }
  return make<ConstantOp>(DenseElementsAttr::get(
      getAlignedType(values.size(), elementType, axis, rank), elements));
}

Value QnnBuilder::integers(ArrayRef<int64_t> values, Type elementType,
                           int64_t axis, int64_t rank) {
  unsigned width = elementType.getIntOrFloatBitWidth();
  SmallVector<APInt> elements;
  for (int64_t value : values)
    elements.push_back(APInt(64, value).sextOrTrunc(width));
  return make<ConstantOp>(DenseElementsAttr::get(
      getAlignedType(values.size(), elementType, axis, rank), elements));
}

Value QnnBuilder::align(Value param, int64_t axis, int64_t rank) {
  if (getRank(param) == 0)
    return param;
  if (isSingle(param) || rank == 0)
    return reshape(param, {});
  if (axis < 0)
    axis += rank;
  // What comes before has size 1 as it is.
  if (axis == rank - 1)
    return param;
  SmallVector<int64_t> shape(rank - axis, 1);
  shape.front() = -1;
  return reshape(param, shape);
}

Value QnnBuilder::subtractZeroPoint(Value data, Value zeroPoint, int64_t axis) {
  Value wide = toInt32(data);
  std::optional<SmallVector<double>> values = getNumbers(zeroPoint);
  if (values && llvm::all_of(*values, [](double value) { return value == 0; }))
    return wide;
  return make<SubtractOp>(wide, toInt32(align(zeroPoint, axis, getRank(data))));
}

Value QnnBuilder::saturateTo(Value value, Type elementType) {
  if (getElementType(value) == elementType)
    return value;
  auto [low, high] = getIntegerRange(elementType);
  return castTo(
      clip(value, static_cast<double>(low), static_cast<double>(high)),
      elementType);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value QnnBuilder::roundFloats(Value value, HalfRounding rounding) {
  Type type = getElementType(value);
  Value rounded = make<RoundOp>(value);
  switch (rounding) {
  case HalfRounding::Upward:
    return make<FloorOp>(make<AddOp>(value, number(0.5, type)));
  case HalfRounding::AwayFromZero:
    return rounded;
  case HalfRounding::ToEven:
    // For a half, twice the rounded half of it is the even neighbour; code
    // generation knows this form for the instruction.
    Value two = number(2, type);
    Value fraction = make<AbsOp>(make<SubtractOp>(value, make<TruncOp>(value)));
    Value even =
        make<MultiplyOp>(make<RoundOp>(make<DivideOp>(value, two)), two);
    return where(make<EqualOp>(fraction, number(0.5, type)), even, rounded);
  }
  llvm_unreachable("all are there");
}

Value QnnBuilder::quantize(Value data, const Params &to, Type elementType,
                           HalfRounding rounding) {
  int64_t rank = getRank(data);
  Type f32 = getF32Type();
  Value quotient = make<DivideOp>(data, align(to.scale, to.axis, rank));
  Value moved = make<AddOp>(roundFloats(quotient, rounding),
                            castTo(align(to.zeroPoint, to.axis, rank), f32));
  // No integer stands for NaN.
  Value result =
      make<WhereOp>(make<EqualOp>(quotient, quotient), moved, number(0, f32));
  // Not all ends of i32 are floats of 32 bits.
  if (elementType.getIntOrFloatBitWidth() == 32)
    result = castTo(result, getF64Type());
  auto [low, high] = getIntegerRange(elementType);
  return castTo(
      clip(result, static_cast<double>(low), static_cast<double>(high)),
      elementType);
}

Value QnnBuilder::dequantize(Value data, const Params &from, Type elementType) {
  Value shifted = subtractZeroPoint(data, from.zeroPoint, from.axis);
  Value value = make<MultiplyOp>(castTo(shifted, getF32Type()),
                                 align(from.scale, from.axis, getRank(data)));
  if (!elementType.isF16())
    return castTo(value, elementType);
  constexpr double kLargestHalf = 65504.0;
  return castTo(clip(value, -kLargestHalf, kLargestHalf), elementType);
}

Value QnnBuilder::multiplyFixedPoint(Value value, ArrayRef<double> factors,
                                     int64_t axis, bool awayFromZero) {
  // Wrapping products of 64 bits: a shift to the left is a part of the factor.
  SmallVector<int64_t> multipliers, halves, shifts;
  for (double factor : factors) {
    int exponent = 0;
    int64_t mantissa = 0;
    if (std::isfinite(factor) && factor != 0) {
      double significand = std::frexp(factor, &exponent);
      mantissa = static_cast<int64_t>(
          std::round(significand * static_cast<double>(int64_t(1) << 31)));
      // Rounded up to the next power of two.
      if (mantissa == int64_t(1) << 31) {
        mantissa /= 2;
        ++exponent;
      }
    }
    int left = std::max(exponent, 0), right = 31 + std::max(-exponent, 0);
    // Beyond these the product has no bit left, or none that 32 bits hold.
    if (right > 63 || left > 31) {
      mantissa = 0;
      left = 0;
      right = 31;
    }
    multipliers.push_back(mantissa * (int64_t(1) << left));
    halves.push_back(int64_t(1) << (right - 1));
    shifts.push_back(right);
  }
  int64_t rank = getRank(value);
  Type i64 = getI64Type();
  Value product = make<MultiplyOp>(castTo(value, i64),
                                   integers(multipliers, i64, axis, rank));
  Value sum = make<AddOp>(product, integers(halves, i64, axis, rank));
  if (awayFromZero)
    sum = make<SubtractOp>(sum,
                           castTo(make<LessOp>(product, integer(0, i64)), i64));
  return toInt32(make<RightShiftOp>(sum, integers(shifts, i64, axis, rank)));
}

Value QnnBuilder::requantizeInFloats(Value data, const Params &from,
                                     const Params &to, ArrayRef<double> factors,
                                     RequantizeMode mode) {
  Type type = mode.floatBits == 64 ? static_cast<Type>(getF64Type())
                                   : static_cast<Type>(getF32Type());
  int64_t rank = getRank(data);
  Value result = make<SubtractOp>(
      castTo(data, type), castTo(align(from.zeroPoint, from.axis, rank), type));
  result = make<MultiplyOp>(result, numbers(factors, type, from.axis, rank));
  Value zeroPoint = castTo(to.zeroPoint, type);
  // Which of two neighbours is even, the zero point may change.
  if (mode.rounding == HalfRounding::ToEven)
    result = make<AddOp>(roundFloats(result, HalfRounding::ToEven), zeroPoint);
  else
    result = roundFloats(make<AddOp>(result, zeroPoint), mode.rounding);
  // An infinite factor of 0.
  if (llvm::any_of(factors, [](double x) { return !std::isfinite(x); }))
    result =
        make<WhereOp>(make<EqualOp>(result, result), result, number(0, type));
  return result;
}

/// Whether a constant has a number for each element along dimension `axis` of
/// `type`, which it is broadcast to.
static bool isAlong(Value constant, RankedTensorType type, int64_t axis) {
  auto shape = cast<RankedTensorType>(constant.getType()).getShape();
  int64_t rank = shape.size();
  int64_t position = (axis < 0 ? axis + type.getRank() : axis) - type.getRank();
  return position + rank >= 0 &&
         llvm::all_of(llvm::seq(rank), [&](int64_t dim) {
           return shape[dim] == 1 || dim == position + rank;
         });
}

/// Bounds of sums before a change of scale in floats of 32 bits, which is
/// monotonic, become those of the result, if they are the same for all factors.
/// Returns what the bounds are of.
static Value takeBounds(Value data, ArrayRef<double> factors, int64_t axis,
                        double zeroPoint, std::pair<double, double> &bounds) {
  auto &[low, high] = bounds;
  while (Operation *op = data.getDefiningOp()) {
    if (!isa<MaximumOp, MinimumOp>(op) ||
        op->getOperand(0).getType() != data.getType() ||
        !getElementType(data).isSignlessInteger(32))
      break;
    Value constant = op->getOperand(1);
    std::optional<SmallVector<double>> numbers = getNumbers(constant);
    if (!numbers || numbers->empty())
      break;
    if (llvm::all_equal(*numbers))
      numbers->resize(1);
    if (numbers->size() != 1 &&
        (numbers->size() != factors.size() ||
         !isAlong(constant, cast<RankedTensorType>(data.getType()), axis)))
      break;
    SmallVector<double> changed;
    for (auto [i, factor] : llvm::enumerate(factors)) {
      double bound = (*numbers)[numbers->size() == 1 ? 0 : i];
      float product = static_cast<float>(bound) * static_cast<float>(factor);
      changed.push_back(std::nearbyint(product) + zeroPoint);
    }
    bool isSame = llvm::all_equal(changed);
    if (isa<MaximumOp>(op)) {
      double largest = *llvm::max_element(changed);
      if (!isSame && largest > low)
        break;
      low = std::min(std::max(low, largest), high);
    } else {
      double least = *llvm::min_element(changed);
      if (!isSame && least < high)
        break;
      high = std::max(std::min(high, least), low);
    }
    data = op->getOperand(0);
  }
  return data;
}

Value QnnBuilder::requantize(Value data, const Params &from, const Params &to,
                             Type elementType, RequantizeMode mode) {
  std::optional<SmallVector<double>> fromScales = getNumbers(from.scale),
                                     toScales = getNumbers(to.scale);
  bool isSame = isSameScalar(from.scale, to.scale);
  if (!isSame && (!fromScales || !toScales)) {
    refuse() << "expects constant scales where code is made for it, but got "
                "values that are computed; bind them as parameters, or fold "
                "constants before";
    return {};
  }
  if (toScales && toScales->front() == 0) {
    refuse() << "expects an output_scale other than 0";
    return {};
  }
  SmallVector<double> factors{1.0};
  if (!isSame) {
    factors = *fromScales;
    for (double &factor : factors)
      factor /= toScales->front();
  }
  Value wide = toInt32(data);
  auto [low, high] = getIntegerRange(elementType);
  if (mode.floatBits != 0) {
    std::optional<SmallVector<double>> fromZero = getNumbers(from.zeroPoint),
                                       toZero = getNumbers(to.zeroPoint);
    bool isMonotonic = mode.floatBits == 32 &&
                       mode.rounding == HalfRounding::ToEven &&
                       elementType.getIntOrFloatBitWidth() < 32 &&
                       llvm::all_of(
                           factors,
                           [](double factor) {
                             return std::isfinite(static_cast<float>(factor)) &&
                                    static_cast<float>(factor) > 0;
                           });
    std::pair<double, double> bounds(low, high);
    if (isMonotonic && fromZero && toZero && toZero->size() == 1 &&
        llvm::all_of(*fromZero, [](double number) { return number == 0; }))
      wide = takeBounds(wide, factors, from.axis, toZero->front(), bounds);
    Value floats = requantizeInFloats(wide, from, to, factors, mode);
    // A cast stops at the ends itself. Not all those of i32 are floats of 32
    // bits.
    if (elementType.getIntOrFloatBitWidth() == 32)
      return castTo(floats, elementType);
    return castTo(clip(floats, bounds.first, bounds.second), elementType);
  }
  Value result = subtractZeroPoint(wide, from.zeroPoint, from.axis);
  if (!isSame)
    result = multiplyFixedPoint(result, factors, from.axis,
                                mode.rounding == HalfRounding::AwayFromZero);
  std::optional<SmallVector<double>> zeroPoint = getNumbers(to.zeroPoint);
  if (!zeroPoint || zeroPoint->front() != 0)
    result = make<AddOp>(result, to.zeroPoint);
  return saturateTo(result, elementType);
}

Value QnnBuilder::requantizeToInt32(Value data, const Params &from,
                                    const Params &to) {
  if (isSameScalar(from.scale, to.scale) &&
      isSameScalar(from.zeroPoint, to.zeroPoint))
    return toInt32(data);
  return requantize(data, from, to, getI32Type());
}
