//===- Notation.h - Notations inside attributes -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What strings and maps in the attributes of operators mean: equations of
// einsum, layouts, tiled layouts, index maps.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_NOTATION_H
#define RELAY_MLIR_DIALECT_RELAY_IR_NOTATION_H

#include "mlir/IR/AffineMap.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace mlir::relay {

/// An equation of einsum, with a label for each dimension of each operand and
/// of the result. Letters are their own labels; the dimensions of `...` have
/// negative ones, counted from the last.
struct EinsumEquation {
  SmallVector<SmallVector<int>> operands;
  SmallVector<int> result;

  /// Reads an equation for operands of the given ranks. On failure, `error`
  /// says what is expected.
  static FailureOr<EinsumEquation>
  parse(StringRef text, ArrayRef<int64_t> ranks, std::string &error);
};

/// A dimension of a layout: an upper case letter is an axis (or its outer
/// part), a lower case one its inner part of `factor` elements (the 16c of
/// NCHW16c).
struct LayoutAxis {
  char letter;
  int64_t factor = 0;

  bool isInner() const { return factor != 0; }
  /// The letter of the axis that this is, or is a part of.
  char getPrimal() const;
};

/// A layout such as NCHW, NCHW16c or OIHW4i16o4i: each axis once, and inner
/// parts of it from the outer to the inner ones.
class Layout {
public:
  static FailureOr<Layout> parse(StringRef text);

  ArrayRef<LayoutAxis> getAxes() const { return axes; }
  int64_t getRank() const { return axes.size(); }
  /// The dimensions of the parts of the axis `primal`, outermost first.
  SmallVector<int64_t, 2> getParts(char primal) const;
  /// The elements in all inner parts of the axis `primal` together.
  int64_t getFactor(char primal) const;
  /// The letters of the axes, in the order of their dimensions.
  std::string getPrimals() const;
  /// Whether `other` has the same axes, in whatever order and pieces.
  bool hasSameAxes(const Layout &other) const;

private:
  SmallVector<LayoutAxis, 6> axes;
};

/// The dimensions of `letters` in the layout `text`, in the order of `letters`;
/// fails unless the layout has exactly these axes, none of them split.
FailureOr<SmallVector<int64_t>> getAxisPositions(StringRef text,
                                                 StringRef letters);

/// The dimensions of the axes `letters` in the layout `text`, which may have
/// others; fails if it is no layout, or one of them is not one dimension.
FailureOr<SmallVector<int64_t>> getUndividedAxes(StringRef text,
                                                 StringRef letters);

/// A layout such as `4N2c8C`: sizes, each before the name of its axis.
struct TiledLayout {
  SmallVector<int64_t> sizes;
  SmallVector<StringRef> axes; // Parts of the text that was parsed.

  static FailureOr<TiledLayout> parse(StringRef text);
};

/// The largest value plus one of each result of `map` over all indices of
/// `shape`, which is static. Fails where a value may be negative, or the map
/// has symbols or divides by what is not a positive constant.
FailureOr<SmallVector<int64_t>> mapShape(AffineMap map,
                                         ArrayRef<int64_t> shape);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_NOTATION_H
