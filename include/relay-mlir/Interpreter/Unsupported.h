//===- Unsupported.h - Operators that cannot run ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_UNSUPPORTED_H
#define RELAY_MLIR_INTERPRETER_UNSUPPORTED_H

#include "mlir/IR/OperationSupport.h"

namespace mlir::relay {

/// Whether the interpreter knows the operation only to say, by an error, what a
/// program must have in its place.
bool isUnsupportedByInterpreter(OperationName name);

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_UNSUPPORTED_H
