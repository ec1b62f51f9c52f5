//===- Boxes.h - Boxes that overlap -----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the suppressions of overlapping boxes share, in the bodies of opaque
// computations. All is computed in f64, as in the interpreter: whether a box
// stays changes all that follows, so that there is no almost right.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_BOXES_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_BOXES_H

#include "ElementMath.h"
#include "LinalgBuilder.h"

namespace mlir::relay::detail {

Value increment(ImplicitLocOpBuilder &b, Value index);
Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
              Value lhs, Value rhs);
/// The whole part of a scalar of the relay type `type`.
Value loadInteger(ImplicitLocOpBuilder &b, Type type, Value buffer);

/// A tensor of `value`.
Value filledWith(LinalgBuilder &b, ArrayRef<OpFoldResult> sizes, Type type,
                 double value);

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The corners of a box.
struct Box {
  Value left, top, right, bottom;
};

/// Arithmetic on boxes.
class BoxMath {
public:
  explicit BoxMath(ImplicitLocOpBuilder &builder)
      : wide(builder, builder.getF64Type()) {}

  const ElementMath &getMath() const { return wide; }
  /// An element of `buffer`, of the relay type `type`, in f64.
  Value load(Type type, Value buffer, ValueRange position) const;

  /// The two corners at the values from `start` on of the box at `position` of
  /// a buffer.
  Box loadBox(Type type, Value buffer, ValueRange position,
              int64_t start = 0) const;

  /// As of the C++ library: of what is no number, `lhs` comes out.
  Value min(Value lhs, Value rhs) const;
  Value max(Value lhs, Value rhs) const;

  /// The box between two corners in any order.
  Box sort(const Box &box) const;
  /// The area of a box; of one whose corners are pixels of it if `isClosed`.
  Value getArea(const Box &box, bool isClosed = false) const;
  Value getIntersection(const Box &lhs, const Box &rhs,
                        bool isClosed = false) const;
  /// Intersection over union; 0 where there is no union.
  Value getOverlap(const Box &lhs, const Box &rhs) const;

private:
  Value getExtent(Value from, Value to, bool isClosed) const;

  ElementMath wide;
};

/// Whether `holds` is true of a number from 0 to before `count`: it looks no
/// further than to the first.
Value emitAny(ImplicitLocOpBuilder &b, Value count,
              llvm::function_ref<Value(Value number)> holds);

/// What a selection asks of boxes, which are named by numbers of type index.
struct Selection {
  /// The box at a place in the order of scores.
  llvm::function_ref<Value(Value place)> getBox;
  /// Whether a box is to be looked at.
  llvm::function_ref<Value(Value box)> isCandidate;
  /// Whether one box removes another one with a lower score.
  llvm::function_ref<Value(Value better, Value box)> suppresses;
  /// Access to the list of those that were selected.
  llvm::function_ref<Value(Value place)> load;
  llvm::function_ref<void(Value box, Value place)> store;
};

/// Selects, of `count` boxes in order, those that none before them that was
/// selected suppresses, up to `most`. Returns how many there are.
Value emitSelection(ImplicitLocOpBuilder &b, Value count, Value most,
                    const Selection &selection);

/// The positions of scores of the relay type `type` along the last of `sizes`,
/// from high to low, as i64. `emitScore` makes the score at the position of a
/// nest, and whether it counts: those that do not come last, as what is no
/// number does. Zeros follow if there are less than `count`.
Value buildOrder(LinalgBuilder &b, ArrayRef<OpFoldResult> sizes, Type type,
                 OpFoldResult count,
                 llvm::function_ref<std::pair<Value, Value>(
                     ImplicitLocOpBuilder &, ValueRange position)>
                     emitScore);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_BOXES_H
