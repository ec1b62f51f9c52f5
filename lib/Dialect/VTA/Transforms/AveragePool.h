//===- AveragePool.h - Averages as scaled sums ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_AVERAGEPOOL_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_AVERAGEPOOL_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::vta {

/// A function of one number in 32 bits: (x * factor + addend) >> shift, not
/// less than `least` and not more than `most`, which are none if no number is
/// beyond. The shift may instead be to the nearest number, and of two the even
/// one; there is no addend then.
struct ScaleChange {
  int64_t factor = 1, addend = 0, shift = 0;
  bool isToEven = false;
  std::optional<int64_t> least, most;
};

/// An average of bytes, and what is computed of it until there are bytes again.
struct AverageChain {
  /// From the pool to the operator whose result is bytes.
  SmallVector<Operation *> ops;
  /// What sums of bytes are multiplied by and divided by; rounded towards zero.
  int64_t factor = 1, count = 1;
};

/// Follows the operators of one operand that compute numbers of `chain.ops`,
/// which has the pool, until there are bytes. False if there are others.
bool followToBytes(AverageChain &chain);

/// What the chain is as a function of the sum of its bytes, the same for each
/// sum that there can be; none if no such function is found.
std::optional<ScaleChange> fitAverage(const AverageChain &chain);

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_AVERAGEPOOL_H
