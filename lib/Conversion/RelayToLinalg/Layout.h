//===- Layout.h - Axes of a layout string -----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_LAYOUT_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_LAYOUT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::relay::detail {

/// One dimension of a layout: an upper case letter is the axis itself, a lower
/// case one its inner part of `factor` elements (the 16c of NCHW16c).
struct LayoutAxis {
  char letter;
  int64_t factor = 0;

  bool isInner() const { return factor != 0; }
  char getPrimal() const;
};

/// A layout such as NCHW or NCHW16c.
class Layout {
public:
  static FailureOr<Layout> parse(StringRef text);

  ArrayRef<LayoutAxis> getAxes() const { return axes; }
  int64_t getRank() const { return axes.size(); }
  /// The dimension of `letter`, or -1.
  int64_t find(char letter) const;
  bool hasInnerAxes() const;
  /// The factor by which the axis `primal` is split, or 1.
  int64_t getFactor(char primal) const;

private:
  SmallVector<LayoutAxis, 6> axes;
};

/// The dimensions of `letters` in the layout `text`, in the order of `letters`;
/// fails unless the layout has exactly these axes, none of them split.
FailureOr<SmallVector<int64_t>> getAxisPositions(StringRef text,
                                                 StringRef letters);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_LAYOUT_H
