//===- WindowNest.h - Maxima of windows of bytes ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_WINDOWNEST_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_WINDOWNEST_H

#include "ElementwiseNest.h"
#include "Transfers.h"

namespace mlir::relay::detail {

/// Restricts the loops of a copy, those of `nest`, to where `guard` holds.
LogicalResult addPadding(const AffineNest &nest, affine::AffineIfOp guard,
                         Transfer &transfer);

/// Emits a copy of bytes from memory to accumulators, with a lane of 32 bits
/// for each. Outside of where `guard`, if there is one, holds, they are `pad`.
LogicalResult emitByteTile(ProgramBuilder &builder, AffineNest &nest,
                           const BufferPlaces &places,
                           affine::AffineStoreOp store,
                           affine::AffineLoadOp load, affine::AffineIfOp guard,
                           int64_t pad);

/// Emits the maximum of accumulators and of those that `load` reads, in windows
/// that move with the loops of a reduction.
LogicalResult emitMaximum(ProgramBuilder &builder, AffineNest &nest,
                          const BufferPlaces &places,
                          affine::AffineStoreOp store,
                          affine::AffineLoadOp load);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_WINDOWNEST_H
