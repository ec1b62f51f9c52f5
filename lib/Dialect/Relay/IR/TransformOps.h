//===- TransformOps.h - Types of more operators that move -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder: what the definitions of RelayTransformOps.td call.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_TRANSFORMOPS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_TRANSFORMOPS_H

#include "OperatorFormat.h"

namespace mlir::relay::detail {

inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

inline bool mayEqual(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Reads the codes of a reshape of `data`.
LogicalResult inferReshape(std::optional<Location> location,
                           RankedTensorType data, ArrayRef<int64_t> codes,
                           bool allowzero, SmallVectorImpl<int64_t> &shape);

/// Checks that `from` broadcasts to the shape `to`, which stays as it is.
LogicalResult checkBroadcastsTo(std::optional<Location> location,
                                RankedTensorType from, ArrayRef<int64_t> to,
                                StringRef name);

/// `bounds` are begin, end and strides.
LogicalResult checkStridedSet(std::optional<Location> location, Value data,
                              Value v, ArrayRef<Value> bounds);
LogicalResult checkMatrixSetDiag(std::optional<Location> location, Value input,
                                 Value diagonal, int64_t k1, int64_t k2);
LogicalResult checkReverseSequence(std::optional<Location> location, Value data,
                                   Value lengths, int64_t seqAxis,
                                   int64_t batchAxis);
LogicalResult checkSequenceMask(std::optional<Location> location, Value data,
                                Value validLength, int64_t axis);
/// `params` are the multiplier and the shifts.
LogicalResult
checkFixedPointMultiplyPerAxis(std::optional<Location> location, Value data,
                               ArrayRef<Value> params,
                               std::optional<ArrayRef<int64_t>> axes);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_TRANSFORMOPS_H
