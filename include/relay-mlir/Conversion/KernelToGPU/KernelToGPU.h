//===- KernelToGPU.h - Kernels to launches of GPU functions -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_KERNELTOGPU_KERNELTOGPU_H
#define RELAY_MLIR_CONVERSION_KERNELTOGPU_KERNELTOGPU_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relay {

#define GEN_PASS_DECL_CONVERTKERNELTOGPUPASS
#define GEN_PASS_DECL_GPUKERNELABIPASS
#include "relay-mlir/Conversion/Passes.h.inc"

/// The name of the module of all functions that run on the device.
inline constexpr llvm::StringLiteral kGPUModuleName = "kernels";

/// Of a `gpu.func`: the number, from 1, of the kernel that it is a part of,
/// which the status word gets if a check fails.
inline constexpr llvm::StringLiteral kKernelNumberAttr = "gpu.kernel_number";

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_KERNELTOGPU_KERNELTOGPU_H
