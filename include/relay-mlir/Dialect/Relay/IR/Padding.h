//===- Padding.h - Padding lists of convolutions and pools ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_PADDING_H
#define RELAY_MLIR_DIALECT_RELAY_IR_PADDING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace mlir::relay {

/// Elements that are added before and after each spatial dimension.
struct Padding {
  SmallVector<int64_t, 3> before, after;
};

/// Reads a padding list for `rank` spatial dimensions: one value for all sides,
/// one per dimension, or all before followed by all after. Fails on any other
/// length.
inline FailureOr<Padding> expandPadding(ArrayRef<int64_t> padding,
                                        int64_t rank) {
  Padding result;
  int64_t size = padding.size();
  if (size == 1) {
    result.before.assign(rank, padding[0]);
    result.after = result.before;
  } else if (size == rank) {
    result.before.assign(padding.begin(), padding.end());
    result.after = result.before;
  } else if (size == 2 * rank) {
    result.before.assign(padding.begin(), padding.begin() + rank);
    result.after.assign(padding.begin() + rank, padding.end());
  } else {
    return failure();
  }
  return result;
}

/// Whether a window of a pool may hold no element of the data, as one that
/// begins in the padding or, with `ceilMode`, reaches beyond it.
inline bool mayMissData(ArrayRef<int64_t> kernel, ArrayRef<int64_t> padBefore,
                        ArrayRef<int64_t> padAfter, ArrayRef<int64_t> dilation,
                        bool ceilMode) {
  for (auto [size, before, after, step] :
       llvm::zip_equal(kernel, padBefore, padAfter, dilation))
    if (std::max(before, after) >= size || ((before || after) && step != 1))
      return true;
  return ceilMode;
}

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_PADDING_H
