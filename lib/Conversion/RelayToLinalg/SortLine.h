//===- SortLine.h - Lines of tensors and entries to sort --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SORTLINE_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SORTLINE_H

#include "ElementMath.h"

namespace mlir::relay::detail {

/// One line of a tensor, in the body of an opaque computation: its elements and
/// which of two comes first. NaN counts as larger than every number.
///
/// An entry stands for an element. It is an integer of 64 bits: the position,
/// or, where there is room for it, a key above the position, so that entries
/// are in the order of elements, and equal ones in that of positions.
class SortLine {
public:
  static constexpr int64_t kKeyBits = 32;
  /// The bit above the position is always 1. Where LLVM 22 knows that the upper
  /// half of the low 32 bits is 0, it takes the mask of a position for a mere
  /// extension, and then loses it (x86, a value that is selected and stored).
  static constexpr int64_t kPositionBits = 31;
  /// The most elements whose positions leave room for a key. Who sorts lines of
  /// a dynamic size with keys makes sure that they are not longer.
  static constexpr int64_t kMaxWithKeys = int64_t(1) << kPositionBits;
  /// Whether entries of a line of `size` elements have keys.
  static bool hasKeys(Type elementType, int64_t size) {
    return elementType.getIntOrFloatBitWidth() <= kKeyBits &&
           (ShapedType::isDynamic(size) || size <= kMaxWithKeys);
  }

  SortLine(ImplicitLocOpBuilder &builder, Value data, ValueRange position,
           int64_t axis, Type elementType, bool isAscending)
      : b(builder), math(builder, elementType), data(data),
        indices(position.begin(), position.end()), axis(axis),
        isAscending(isAscending),
        withKeys(hasKeys(elementType,
                         cast<ShapedType>(data.getType()).getDimSize(axis))) {
    indices.insert(indices.begin() + axis, Value());
  }

  Value load(Value index);
  /// Stores to `buffer`, which differs in the size of the axis.
  void store(Value value, Value buffer, Value index);
  const ElementMath &getMath() const { return math; }

  Value comesBefore(Value lhs, Value rhs) const {
    return isAscending ? math.precedes(lhs, rhs) : math.precedes(rhs, lhs);
  }

  Value getEntry(Value position);
  Value getPosition(Value entry) const;
  /// Whether entry `lhs` comes before entry `rhs`.
  Value isBefore(Value lhs, Value rhs);

  /// How many elements `mayComeBefore` looks at, 0 if it cannot.
  int64_t getNumAtOnce() const;
  /// Whether one of the elements from `position` on may come before `element`.
  Value mayComeBefore(Value position, Value element);

  /// `width` bits of an entry's key, from bit `low` on, so that they are in
  /// order as an unsigned number.
  Value getDigit(Value entry, int64_t low, int64_t width) const;

private:
  /// An i32, signed, in the order of elements.
  Value getKey(Value element) const;
  Value integer(int64_t value, Type type) const;

  ImplicitLocOpBuilder &b;
  ElementMath math;
  Value data;
  SmallVector<Value> indices;
  int64_t axis;
  bool isAscending;
  bool withKeys;
};

/// Entries in a scratch buffer: one line, or two to merge to and fro.
class EntryList {
public:
  EntryList(ImplicitLocOpBuilder &builder, Value buffer, ValueRange position)
      : b(builder), buffer(buffer), outer(position.begin(), position.end()) {}

  Value load(ValueRange at) const;
  void store(Value entry, ValueRange at) const;

private:
  SmallVector<Value> getIndices(ValueRange at) const;

  ImplicitLocOpBuilder &b;
  Value buffer;
  SmallVector<Value> outer;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SORTLINE_H
