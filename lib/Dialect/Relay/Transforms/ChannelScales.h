//===- ChannelScales.h - Factors of channels --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What relay-fold-scale-axis knows of operators that are linear in a weight,
// and of factors that a weight may be multiplied by.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CHANNELSCALES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CHANNELSCALES_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <limits>

namespace mlir::relay {

/// Dimensions of channels as of ChannelAxes: one each, and in blocked layouts
/// those of both parts, the outer one first.
struct ChannelParts {
  using Axes = SmallVector<int64_t, 2>;

  Axes data, result;
  std::optional<Axes> weightIn;
  Axes weightOut;
};

/// An operator whose result is linear in a weight.
struct Linear {
  Operation *op;
  ChannelParts axes;

  Value getData() const { return op->getOperand(0); }
  Value getWeight() const { return op->getOperand(1); }
};

/// The operator as such, if its weight may take in factors.
std::optional<Linear> matchLinear(Operation *op);

/// The magnitudes of elements other than zero.
struct Magnitudes {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;

  void add(double value);
};

/// Those of a constant of floats; none if it is not one.
std::optional<Magnitudes> getMagnitudes(Value value);

/// A factor of the channels of a tensor.
struct Scale {
  Value value;
  /// One per channel, or one for all.
  int64_t size;
  /// If they are constants.
  std::optional<SmallVector<double>> factors;

  bool isPositive() const;
  /// Whether values can be divided by each factor.
  bool isInvertible() const;
};

/// `value` as a factor of the channels of tensors of `type`, which lie along
/// `axes`, the outermost first.
std::optional<Scale> matchScale(Value value, RankedTensorType type,
                                ArrayRef<int64_t> axes);

/// Whether scaled weights are as good as the weights: none overflows, and what
/// underflows does not count in its sum. What is not constant is not known.
bool isInRange(const Linear &linear, const Scale &scale,
               ArrayRef<int64_t> axes);

/// The factors as a tensor that broadcasts to one of `type`, along its `axes`.
Value alignScale(OpBuilder &builder, const Scale &scale, RankedTensorType type,
                 ArrayRef<int64_t> axes);

/// Makes sure that the factors are there before `op`.
bool makeAvailableBefore(const Scale &scale, Operation *op);

/// Multiplies the weight, whose channels lie along `axes`.
void scaleWeight(const Linear &linear, const Scale &scale,
                 ArrayRef<int64_t> axes);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CHANNELSCALES_H
