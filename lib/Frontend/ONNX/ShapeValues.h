//===- ShapeValues.h - Numbers that depend on unknown sizes -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX computes shapes with ordinary tensors (Shape, Gather, Concat, Reshape),
// Relay wants them as attributes. So the importer evaluates such tensors, with
// unknown sizes among their inputs.
//
// An unknown size stands for a handful of concrete ones at once, and a number
// computed from it is the handful of its results. A number that is the same in
// every case is a constant; one that is in every case the size of a dimension
// is that dimension. Nothing has to be known about the formula in between, and
// the dimensions of a result come from the type inference of the operator
// itself. The cases are small sizes and large ones, odd ones, and multiples of
// what models divide sizes by, so many that no formula of a real model agrees
// on all of them by accident: where too few are possible, nothing is concluded.
// Comparisons that depend on the case are never decided, and functions with
// steps (a quotient, a remainder, a conversion to a bool) only where the cases
// show the steps, or that nothing is rounded.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEVALUES_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEVALUES_H

#include "Limits.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <vector>

namespace mlir::relay::onnx {

/// Number of cases.
inline constexpr unsigned kNumCases = 48;
/// So many have to be possible, or agree, for a conclusion: by accident a
/// remainder of 7 is the same in all of them once in 7^11 models.
inline constexpr unsigned kMinCases = 12;

/// An integer, or a float, in every case. A case may be impossible, such as an
/// odd size where the model halves it.
class ShapeScalar {
public:
  /// Unknown in every case.
  ShapeScalar() = default;
  static ShapeScalar get(int64_t value);
  static ShapeScalar getFloat(double value);
  /// A size that is unlike any other; `id` tells them apart.
  static ShapeScalar getSymbol(unsigned id);

  bool isUnknown() const { return possible == 0; }
  bool isPossible(unsigned index) const {
    return possible & (uint64_t(1) << index);
  }
  int64_t operator[](unsigned index) const {
    return bits.size() == 1 ? bits.front() : bits[index];
  }
  double getFloat(unsigned index) const {
    return llvm::bit_cast<double>((*this)[index]);
  }
  void set(unsigned index, int64_t value) {
    if (bits.size() != kNumCases)
      bits.resize(kNumCases, bits.empty() ? 0 : bits.front());
    bits[index] = value;
    possible |= uint64_t(1) << index;
  }
  void setFloat(unsigned index, double value) {
    set(index, llvm::bit_cast<int64_t>(value));
  }

  /// The value, if it is the same in every possible case.
  std::optional<int64_t> getConstant() const;
  std::optional<double> getFloatConstant() const;

  /// True if both are known and agree in every case that is possible for both.
  bool isSame(const ShapeScalar &other) const;

  /// True if enough cases are possible to conclude anything.
  bool isReliable() const;

  /// Holds a number that is the same in every case once.
  void compress();

private:
  /// One for each case, or one for all.
  SmallVector<int64_t, 1> bits;
  uint64_t possible = 0;
  static constexpr uint64_t kAll = (uint64_t(1) << kNumCases) - 1;
  static_assert(kNumCases < 64, "expects a bit for each case");
};

/// The product, impossible where it overflows.
ShapeScalar multiplySizes(const ShapeScalar &a, const ShapeScalar &b);
/// The same for the sum, which is a size: impossible where it is negative.
ShapeScalar addSizes(const ShapeScalar &a, const ShapeScalar &b);

/// A tensor with a static shape whose elements are known.
struct ShapeTensor {
  Type elementType;
  SmallVector<int64_t> shape;
  std::vector<ShapeScalar> elements;

  bool isFloat() const { return isa<FloatType>(elementType); }
  RankedTensorType getType() const {
    return RankedTensorType::get(shape, elementType);
  }
  /// The elements, if all are integer constants.
  std::optional<SmallVector<int64_t>> getConstants() const;
  /// The tensor as an attribute, if all elements are constants.
  ElementsAttr getConstantAttr() const;

  /// The values of `attr`; none for types other than integers and floats.
  static std::optional<ShapeTensor> get(DenseElementsAttr attr);
};

/// Elements of a tensor of that shape; none if they are too many, or a size is
/// negative.
std::optional<int64_t> getShapeElementCount(ArrayRef<int64_t> shape);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEVALUES_H
