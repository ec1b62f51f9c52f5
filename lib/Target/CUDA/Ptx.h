//===- Ptx.h - PTX and cubin of a GPU module --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_CUDA_PTX_H
#define RELAY_MLIR_LIB_TARGET_CUDA_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"

namespace mlir::cuda {

/// PTX of a module in the LLVM and NVVM dialects.
FailureOr<std::string> emitPtx(gpu::GPUModuleOp module, GPUAttr target);

/// What `ptxas` makes of PTX: an ELF file for that architecture.
FailureOr<std::string> assemblePtx(Location loc, StringRef ptx, GPUAttr target);

} // namespace mlir::cuda

#endif // RELAY_MLIR_LIB_TARGET_CUDA_PTX_H
