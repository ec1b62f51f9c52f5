//===- PassFailures.h - Passes that fail without a word ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_PASSFAILURES_H
#define RELAY_MLIR_SUPPORT_PASSFAILURES_H

namespace mlir {
class PassManager;

namespace relay {

/// Lets `manager` emit an error with the name of a pass that fails, if that has
/// emitted none.
void nameFailedPasses(PassManager &manager);

} // namespace relay
} // namespace mlir

#endif // RELAY_MLIR_SUPPORT_PASSFAILURES_H
