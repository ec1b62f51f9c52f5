//===- TextOutput.h - Texts that compilations write -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_TEXTOUTPUT_H
#define RELAY_MLIR_LIB_PIPELINES_TEXTOUTPUT_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

namespace mlir::relay {

/// Writes a text as writeOutputText does; emits an error if that fails.
LogicalResult emitText(MLIRContext *context, StringRef path,
                       function_ref<void(raw_ostream &)> write);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_TEXTOUTPUT_H
