//===- RoundToBytes.h - Floats to bytes, rounded ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOBYTES_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOBYTES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace mlir::relay::detail {

/// The float that a value is in all lanes, if it is a constant.
std::optional<double> getNumber(Value value);

/// A value that is 0 where `compared` is NaN, and `value` elsewhere.
struct NaNAsZero {
  Value value, compared;

  static std::optional<NaNAsZero> match(Value value);
};

/// Computes vectors of bytes that are rounded to even, held within a range, and
/// converted, as quantized operators end, by the instructions of AVX2 or
/// AVX-512 that round and saturate themselves. Vectors are of one to four
/// registers.
void roundToBytes(Operation *root, bool hasAVX512);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOBYTES_H
