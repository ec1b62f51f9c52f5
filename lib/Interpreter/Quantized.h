//===- Quantized.h - Arithmetic on quantized tensors ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantised tensor holds integers q, each standing for
// scale * (q - zero point). Scale and zero point are tensors of rank 0, or
// vectors along an axis of the data.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_QUANTIZED_H
#define RELAY_MLIR_LIB_INTERPRETER_QUANTIZED_H

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Interpreter/Tensor.h"

namespace mlir::relay {

/// Where a number goes that lies half way between two integers. Fixed-point
/// products do not go to the even one.
enum class HalfRounding { Upward, AwayFromZero, ToEven };

/// Returns round(value * factor) with `factor` as a 31-bit mantissa and a
/// shift.
int32_t multiplyFixedPoint(int32_t value, double factor, HalfRounding rounding);

/// A tensor of `data`'s rank that broadcasts along `axis`, from a scalar or
/// vector.
Tensor alignParam(const Tensor &param, int64_t axis, int64_t rank);

/// What qnn.quantize, qnn.dequantize and qnn.requantize compute.
Tensor quantize(const Tensor &data, const Tensor &scale,
                const Tensor &zeroPoint, int64_t axis, Type elementType,
                HalfRounding rounding = HalfRounding::AwayFromZero);
Tensor dequantize(const Tensor &data, const Tensor &scale,
                  const Tensor &zeroPoint, int64_t axis, Type elementType);

/// How a requantisation multiplies.
struct RequantizeMode {
  HalfRounding rounding = HalfRounding::Upward;
  /// Bits of the floats that multiply; 0 for fixed point.
  int floatBits = 0;
};

/// `toScale` and `toZeroPoint` are scalars. The result is clipped, but for i32.
Tensor requantize(const Tensor &data, const Tensor &fromScale,
                  const Tensor &fromZeroPoint, int64_t axis,
                  const Tensor &toScale, const Tensor &toZeroPoint,
                  Type elementType, RequantizeMode mode = {});

/// requantize to i32, or a mere conversion where scale and zero point are
/// equal already.
Tensor requantizeToInt32(const Tensor &data, const Tensor &fromScale,
                         const Tensor &fromZeroPoint, int64_t axis,
                         const Tensor &toScale, const Tensor &toZeroPoint);

/// Clips integers to the range of `elementType` and converts them.
Tensor saturateTo(const Tensor &data, Type elementType);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_QUANTIZED_H
