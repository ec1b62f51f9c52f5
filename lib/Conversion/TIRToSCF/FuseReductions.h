//===- FuseReductions.h - Reduce what is still in registers -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_FUSEREDUCTIONS_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_FUSEREDUCTIONS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::relay::detail {

/// Fuses each loop below `root` that reduces vectors with the loop before it
/// that stores them to a buffer of its own: the sum of a softmax takes the
/// exponentials as they are computed, instead of loading them again.
void fuseReductions(Operation *root);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_FUSEREDUCTIONS_H
