//===- Diagnostics.h - Messages in the words of Relay -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_FRONTEND_RELAYTEXT_DIAGNOSTICS_H
#define RELAY_MLIR_FRONTEND_RELAYTEXT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::relay {

/// Says in a diagnostic, and in its notes, what a person who writes Relay
/// knows: types as `Tensor[(2, ?), float32]`, operators by their name in Relay,
/// operands by theirs, and no constraints of the dialect.
void translateToRelay(Diagnostic &diag);

/// While it lives, the diagnostics of a context speak Relay, for the handlers
/// that there are. For programs that came as Relay text, or from Python.
class RelayDiagnostics : public ScopedDiagnosticHandler {
public:
  explicit RelayDiagnostics(MLIRContext *context);
  ~RelayDiagnostics();

private:
  MLIRContext *context;
  /// Operations as MLIR prints them are no words of Relay.
  bool printedOps;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_FRONTEND_RELAYTEXT_DIAGNOSTICS_H
