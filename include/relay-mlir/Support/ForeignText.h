//===- ForeignText.h - Names of a file in messages --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_FOREIGNTEXT_H
#define RELAY_MLIR_SUPPORT_FOREIGNTEXT_H

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace mlir::relay {

/// A line of text with names from a file that anybody may have made, as a
/// terminal may show it: characters that would control it are written as "\1B",
/// and the middle of what nobody would read is left out.
std::string formatForeignText(StringRef text);

/// Does so to the messages of this thread and their notes, as long as it lives.
class ForeignTextDiagnostics : public ScopedDiagnosticHandler {
public:
  explicit ForeignTextDiagnostics(MLIRContext *context);
};

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_FOREIGNTEXT_H
