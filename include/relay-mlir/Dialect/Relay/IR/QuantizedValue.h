//===- QuantizedValue.h - Integers that stand for floats --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEDVALUE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEDVALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::relay {

/// An integer q stands for scale * (q - zeroPoint). Both are tensors of rank 0,
/// or vectors along dimension `axis`, which may be negative. Without a scale
/// elements stand for themselves.
struct Quantization {
  Value scale, zeroPoint;
  int64_t axis = -1;

  explicit operator bool() const { return static_cast<bool>(scale); }
};

/// A tensor, or a tuple of tensors, and what its integers stand for: of each
/// field, if it is a tuple.
struct QuantizedValue {
  Value value;
  SmallVector<Quantization, 1> quantizations;

  QuantizedValue() = default;
  /// What stands for itself.
  explicit QuantizedValue(Value value) : value(value) {}
  QuantizedValue(Value value, Quantization quantization)
      : value(value), quantizations{quantization} {}

  /// Whether it is one tensor of integers that stand for floats.
  bool isQuantized() const {
    return isa<RankedTensorType>(value.getType()) && !quantizations.empty() &&
           quantizations.front();
  }
};

/// What a result becomes in the end.
struct WantedQuantization {
  Quantization quantization;
  Type elementType;
  /// Whether nothing is computed of it before that but what commutes with a
  /// clip: then it may as well be rounded now.
  bool isLast = true;
  /// Whether it is rounded to even, as runtimes of ONNX do: then changes of
  /// scales are products of floats, which vectors compute faster than those of
  /// 64 bits.
  bool isToEven = false;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEDVALUE_H
