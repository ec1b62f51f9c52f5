//===- CUDACode.h - Code of kernels for NVIDIA GPUs -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_CUDA_CUDACODE_H
#define RELAY_MLIR_TARGET_CUDA_CUDACODE_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace mlir::cuda {

/// Lets `#cuda.gpu` make code of kernels.
void registerCodeGenerator(DialectRegistry &registry);

/// Scheduled kernels to functions of the gpu dialect and launches of them.
void buildTIRToGPUPipeline(OpPassManager &manager);

/// Registers that pipeline as `--tir-to-gpu`.
void registerTIRToGPUPipeline();

} // namespace mlir::cuda

#endif // RELAY_MLIR_TARGET_CUDA_CUDACODE_H
