//===- SilentDiagnostics.h - What one thread does not report ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_SILENTDIAGNOSTICS_H
#define RELAY_MLIR_SUPPORT_SILENTDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

namespace mlir::relay {

/// Drops the diagnostics of this thread, as long as it lives: something is only
/// tried. Those of other threads, which share the context, arrive.
class SilentDiagnostics : public ScopedDiagnosticHandler {
public:
  explicit SilentDiagnostics(MLIRContext *context)
      : ScopedDiagnosticHandler(
            context, [thread = llvm::get_threadid()](Diagnostic &) {
              return success(llvm::get_threadid() == thread);
            }) {}
};

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_SILENTDIAGNOSTICS_H
