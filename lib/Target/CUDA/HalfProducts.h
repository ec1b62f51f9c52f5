//===- HalfProducts.h - Products of bf16 by tensor cores --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_CUDA_HALFPRODUCTS_H
#define RELAY_MLIR_LIB_TARGET_CUDA_HALFPRODUCTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::cuda {

/// Makes `nvvm.mma.sync` of `nvgpu.mma.sync` on bf16, which MLIR's conversion
/// has for f16 alone.
void lowerBF16Products(gpu::GPUModuleOp module);

} // namespace mlir::cuda

#endif // RELAY_MLIR_LIB_TARGET_CUDA_HALFPRODUCTS_H
