//===- NativeArch.h - The GPU of this machine -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_CUDA_NATIVEARCH_H
#define RELAY_MLIR_TARGET_CUDA_NATIVEARCH_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::cuda {

/// The architecture that the first device of this machine gets code for, as the
/// driver says. Empty, and why in `error`, without one.
std::string findNativeArch(std::string &error);

} // namespace mlir::cuda

#endif // RELAY_MLIR_TARGET_CUDA_NATIVEARCH_H
