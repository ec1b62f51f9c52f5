//===- ScalarCode.h - Code of the scalar core -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_SCALARTARGET_SCALARCODE_H
#define RELAY_MLIR_TEST_SCALARTARGET_SCALARCODE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace scalar {

/// Writes the functions of a module, which have loops, memory and arithmetic,
/// as text that ScalarDevice.c runs. Near to the core are `memory` bytes.
llvm::FailureOr<std::string> writeCode(mlir::ModuleOp module, int64_t memory);

} // namespace scalar

#endif // RELAY_MLIR_TEST_SCALARTARGET_SCALARCODE_H
