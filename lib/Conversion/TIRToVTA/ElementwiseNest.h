//===- ElementwiseNest.h - Functions of elements by the ALU -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_ELEMENTWISENEST_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_ELEMENTWISENEST_H

#include "AffineNest.h"
#include "ProgramBuilder.h"

namespace mlir::relay::detail {

/// A product of one element of data, each element of whose result has a block
/// of weights: of element `dst` of its buffer `wgt`, `step` times further for
/// each one after that.
struct AddedProduct {
  int64_t src = 0, wgt = 0, dst = 0, step = 0;
};

/// Where a buffer is: in memory, or in a scratchpad.
struct BufferPlace {
  std::optional<vta::Memory> memory;
  /// The address in bytes, or the first element.
  int64_t first = 0;
  /// A buffer that is in no scratchpad, since the product that it has is added
  /// where it is needed.
  std::optional<AddedProduct> product = std::nullopt;
};

/// The places of all buffers of a kernel.
using BufferPlaces = DenseMap<Value, BufferPlace>;

/// Emits instructions for a nest that computes one element of others: from
/// accumulators, and from memory, to memory or to accumulators.
LogicalResult emitElementwiseNest(ProgramBuilder &builder, AffineNest nest,
                                  const BufferPlaces &places);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_ELEMENTWISENEST_H
