//===- LaunchTable.h - What the run time starts -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_CUDA_LAUNCHTABLE_H
#define RELAY_MLIR_LIB_TARGET_CUDA_LAUNCHTABLE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::cuda {

/// The lines of a relay-cuda header that tell of kernels: for each function of
/// the host, its launches, with grids as expressions of the sizes of its
/// buffers.
FailureOr<std::string> writeLaunchTable(ModuleOp kernels);

} // namespace mlir::cuda

#endif // RELAY_MLIR_LIB_TARGET_CUDA_LAUNCHTABLE_H
