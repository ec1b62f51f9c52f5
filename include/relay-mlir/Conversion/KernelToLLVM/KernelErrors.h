//===- KernelErrors.h - What kernels return --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_KERNELTOLLVM_KERNELERRORS_H
#define RELAY_MLIR_CONVERSION_KERNELTOLLVM_KERNELERRORS_H

#include <cstdint>

namespace mlir::relay {

/// What a kernel returns whose data are not what it expects: a
/// RelayKernelError.
inline constexpr int32_t kCheckFailed = 1;

/// Where RelayKernelContext has the address for the text of what it expects.
inline constexpr int32_t kExpectationOffset = 56;

/// Where RelayKernelContext has what calls functions of strings.
inline constexpr int32_t kCallStringFunctionOffset = 64;

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_KERNELTOLLVM_KERNELERRORS_H
