//===- NestParts.h - Nests in parts, for the ends of programs ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While one tile is computed, the next one is loaded and the one before stored.
// Nothing hides the LOAD of the first tile, nor the STORE of the last one, but
// what is computed of the tile itself, part after part.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_NESTPARTS_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_NESTPARTS_H

#include "AffineNest.h"
#include "ProgramBuilder.h"

namespace mlir::relay::detail {

using EmitNest = function_ref<LogicalResult(AffineNest)>;

/// Emits the elements of the last tile, which go to memory by `store`, in
/// parts, of which one is stored while the next one is computed.
LogicalResult emitStoredParts(ProgramBuilder &builder, AffineNest nest,
                              affine::AffineStoreOp store, EmitNest emit);

/// Emits a copy of the first weights, or a product with them, in parts, of
/// which one is multiplied while the next one is loaded. Both access weights by
/// `access`, and are cut along the loop that goes furthest.
LogicalResult emitWeightParts(ProgramBuilder &builder, AffineNest nest,
                              Operation *access, EmitNest emit);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_NESTPARTS_H
