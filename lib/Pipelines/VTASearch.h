//===- VTASearch.h - Tiles by measuring them --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_VTASEARCH_H
#define RELAY_MLIR_LIB_PIPELINES_VTASEARCH_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"

namespace mlir::relay {

/// Says which tiles the rules are to take of kernels for VTA that are not
/// scheduled: of the first `count` by their estimate, the one whose program
/// takes the fewest cycles on the cycle simulator. `compiler` remembers it.
/// Nothing happens to kernels of other targets.
void searchVTATiles(ArrayRef<tir::PrimFuncOp> kernels, unsigned count,
                    const KernelCompiler &compiler);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_VTASEARCH_H
