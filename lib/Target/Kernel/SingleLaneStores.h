//===- SingleLaneStores.h - Stores of one lane under a mask -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_KERNEL_SINGLELANESTORES_H
#define RELAY_MLIR_LIB_TARGET_KERNEL_SINGLELANESTORES_H

#include "llvm/IR/Module.h"

namespace mlir::relay {

/// Makes masked stores of a single known lane stores of that element.
///
/// LLVM 22 does the same when it selects instructions for AVX-512, but not
/// with a truncated vector: it stores the element before the truncation, over
/// what follows in memory. It must run last, because masks become known in
/// LLVM's pipeline.
void storeSingleLanes(llvm::Module &module);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_TARGET_KERNEL_SINGLELANESTORES_H
