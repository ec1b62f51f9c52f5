//===- ShapeValues.cpp - Numbers that depend on unknown sizes -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeValues.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay::onnx;

ShapeScalar ShapeScalar::get(int64_t value) {
  ShapeScalar scalar;
  scalar.bits = {value};
  scalar.possible = kAll;
  return scalar;
}

void ShapeScalar::compress() {
  if (possible == kAll && llvm::all_equal(bits))
    bits.resize(1);
}

ShapeScalar ShapeScalar::getFloat(double value) {
  return get(llvm::bit_cast<int64_t>(value));
}

ShapeScalar ShapeScalar::getSymbol(unsigned id) {
  // A mixing function, so that sizes of different symbols have no relation.
  uint64_t state = 0x9e3779b97f4a7c15ull * (uint64_t(id) + 1);
  auto next = [&](uint64_t bound) {
    state += 0x9e3779b97f4a7c15ull;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (z ^ (z >> 31)) % bound;
  };
  // Small and large sizes tell what only holds of usual ones, such as that 2
  // divided by a size is 0.
  constexpr int64_t special[] = {
      1, 2, 3, 5, 9, 17, 29, 51, 83, 98, 10007, 20014, 65537, 400031, 1000003};
  // What models divide sizes by, from strides, windows and heads; each divisor
  // has enough multiples here without those of the others. Odd sizes tell `n`
  // from `n / 2 * 2`.
  constexpr int64_t bases[] = {480, 480, 480, 480, 960, 672, 1344, 224, 32,
                               64,  96,  16,  48,  8,   24,  40,   56,  4,
                               12,  20,  28,  2,   6,   10,  14,   1,   3,
                               5,   7,   9,   1,   1,   192};
  static_assert(std::size(special) + std::size(bases) == kNumCases,
                "expects a size for each case");
  // In another order for each symbol: two of them have few in common.
  SmallVector<int64_t> shuffled(std::begin(special), std::end(special));
  for (size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[next(i)]);
  ShapeScalar scalar;
  unsigned index = 0;
  for (int64_t size : shuffled)
    scalar.set(index++, size);
  for (int64_t base : bases) {
    // Up to some thousand, so that products of many do not overflow.
    int64_t lowest = 100 / base + 1;
    int64_t factor = lowest + next(8000 / base);
    // An odd cofactor: a base of 4 is no multiple of 8.
    scalar.set(index++, base * (factor | 1));
  }
  return scalar;
}

std::optional<int64_t> ShapeScalar::getConstant() const {
  std::optional<int64_t> value;
  if (!isReliable())
    return std::nullopt;
  if (bits.size() == 1)
    return bits.front();
  for (unsigned i = 0; i < kNumCases; ++i) {
    if (!isPossible(i))
      continue;
    if (value && *value != bits[i])
      return std::nullopt;
    value = bits[i];
  }
  return value;
}

std::optional<double> ShapeScalar::getFloatConstant() const {
  if (std::optional<int64_t> value = getConstant())
    return llvm::bit_cast<double>(*value);
  return std::nullopt;
}

bool ShapeScalar::isReliable() const {
  return llvm::popcount(possible) >= int(kMinCases);
}

bool ShapeScalar::isSame(const ShapeScalar &other) const {
  uint64_t common = possible & other.possible;
  if (llvm::popcount(common) < int(kMinCases))
    return false;
  for (unsigned i = 0; i < kNumCases; ++i)
    if ((common & (uint64_t(1) << i)) && (*this)[i] != other[i])
      return false;
  return true;
}

ShapeScalar mlir::relay::onnx::multiplySizes(const ShapeScalar &a,
                                             const ShapeScalar &b) {
  ShapeScalar result;
  for (unsigned i = 0; i < kNumCases; ++i) {
    int64_t product;
    if (a.isPossible(i) && b.isPossible(i) &&
        !llvm::MulOverflow(a[i], b[i], product))
      result.set(i, product);
  }
  return result;
}

ShapeScalar mlir::relay::onnx::addSizes(const ShapeScalar &a,
                                        const ShapeScalar &b) {
  ShapeScalar result;
  for (unsigned i = 0; i < kNumCases; ++i) {
    int64_t sum;
    if (a.isPossible(i) && b.isPossible(i) &&
        !llvm::AddOverflow(a[i], b[i], sum) && sum >= 0)
      result.set(i, sum);
  }
  return result;
}

std::optional<SmallVector<int64_t>> ShapeTensor::getConstants() const {
  if (isFloat())
    return std::nullopt;
  SmallVector<int64_t> values;
  for (const ShapeScalar &element : elements) {
    std::optional<int64_t> value = element.getConstant();
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

ElementsAttr ShapeTensor::getConstantAttr() const {
  SmallVector<Attribute> values;
  for (const ShapeScalar &element : elements) {
    std::optional<int64_t> value = element.getConstant();
    if (!value)
      return {};
    if (auto floatType = dyn_cast<FloatType>(elementType))
      values.push_back(
          FloatAttr::get(floatType, llvm::bit_cast<double>(*value)));
    else
      values.push_back(IntegerAttr::get(
          elementType, APInt(elementType.getIntOrFloatBitWidth(), *value,
                             /*isSigned=*/true, /*implicitTrunc=*/true)));
  }
  return DenseElementsAttr::get(getType(), values);
}

std::optional<ShapeTensor> ShapeTensor::get(DenseElementsAttr attr) {
  auto type = cast<RankedTensorType>(attr.getType());
  ShapeTensor tensor{
      type.getElementType(), llvm::to_vector(type.getShape()), {}};
  if (tensor.isFloat()) {
    for (APFloat value : attr.getValues<APFloat>()) {
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      tensor.elements.push_back(ShapeScalar::getFloat(value.convertToDouble()));
    }
    return tensor;
  }
  auto integer = dyn_cast<IntegerType>(tensor.elementType);
  if (!integer)
    return std::nullopt;
  // Booleans are 0 and 1, not -1.
  bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
  for (const APInt &value : attr.getValues<APInt>()) {
    if (!isSigned && value.getActiveBits() > 63)
      return std::nullopt;
    tensor.elements.push_back(ShapeScalar::get(
        isSigned ? value.getSExtValue() : int64_t(value.getZExtValue())));
  }
  return tensor;
}

std::optional<int64_t>
mlir::relay::onnx::getShapeElementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return std::nullopt;
  if (count > kMaxShapeElements)
    return std::nullopt;
  return count;
}
