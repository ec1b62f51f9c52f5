//===- ShapeUtils.h - Checks and sizes that result types share --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_SHAPEUTILS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_SHAPEUTILS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "relay-mlir/Support/SaturatingMath.h"

#include <optional>

namespace mlir::relay::shapes {

inline bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

/// Whether two sizes can be equal.
inline bool mayEqual(int64_t a, int64_t b) {
  return a == b || isDynamic(a) || isDynamic(b);
}

/// Of two sizes that can be equal, one that is known, if any.
inline int64_t getKnown(int64_t a, int64_t b) { return isDynamic(a) ? b : a; }

inline int64_t multiply(int64_t a, int64_t b) {
  return isDynamic(a) || isDynamic(b) ? ShapedType::kDynamic
                                      : saturatingMultiply(a, b);
}

inline RankedTensorType getTensor(Type type) {
  return cast<RankedTensorType>(type);
}

/// Checks that operand `name` has `rank` dimensions.
LogicalResult checkRank(std::optional<Location> location, StringRef name,
                        RankedTensorType type, int64_t rank);

/// Checks that dimension `dim` of operand `name` may have size `size`.
LogicalResult checkSize(std::optional<Location> location, StringRef name,
                        RankedTensorType type, int64_t dim, int64_t size);

/// Checks that operand `name` has an element type.
LogicalResult checkElement(std::optional<Location> location, StringRef name,
                           RankedTensorType type, Type elementType);

/// Checks that attribute `name` has `count` positive values.
LogicalResult checkPositive(std::optional<Location> location, StringRef name,
                            ArrayRef<int64_t> values, int64_t count);
LogicalResult checkPositive(std::optional<Location> location, StringRef name,
                            int64_t value);

/// Maps a shape from layout `from`, the value of attribute `name`, to layout
/// `to` of the same letters: NCHW16c is NCHW with C split, its outer part
/// where the capital is. Sizes that `from` or `to` splits must be divisible.
FailureOr<SmallVector<int64_t>> mapShape(std::optional<Location> location,
                                         StringRef name,
                                         ArrayRef<int64_t> shape,
                                         StringRef from, StringRef to);

/// Checks that `type` is there and one of `names`, such as "int8".
LogicalResult checkDType(std::optional<Location> location, StringRef attribute,
                         std::optional<Type> type, ArrayRef<StringRef> names);

/// Returns the type of tensors one after the other along `axis`. A size that
/// some of them do not know is unknown, unless that along the axis is.
FailureOr<RankedTensorType> inferConcatenation(std::optional<Location> location,
                                               TypeRange types, int64_t axis);

/// What determines the sizes of a convolution's result.
struct ConvShape {
  ArrayRef<int64_t> strides, padding, dilation, kernel;
  int64_t channels;
};

/// Returns the shape of the result for the canonical (N, C, spatial...) `data`.
FailureOr<SmallVector<int64_t>> getConvShape(std::optional<Location> location,
                                             ArrayRef<int64_t> data,
                                             const ConvShape &conv);

} // namespace mlir::relay::shapes

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_SHAPEUTILS_H
