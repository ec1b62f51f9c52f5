//===- DiagnosticPrinter.h - Errors on the terminal -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_DIAGNOSTICPRINTER_H
#define RELAY_MLIR_SUPPORT_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <map>
#include <string>

namespace mlir::relay {

/// Counts errors. More than a person reads are only counted; the destructor
/// says how many there were.
class ErrorLimit {
public:
  static constexpr unsigned kMaxErrors = 20;

  explicit ErrorLimit(raw_ostream &os) : os(os) {}
  ErrorLimit(const ErrorLimit &) = delete;
  ErrorLimit &operator=(const ErrorLimit &) = delete;
  ~ErrorLimit();

  /// Whether a diagnostic is to be shown. Others than errors always are.
  bool admits(const Diagnostic &diag);

  /// Says how many of so many errors are beyond the limit.
  static std::string formatOmitted(size_t numErrors);

private:
  raw_ostream &os;
  size_t numErrors = 0;
};

/// Prints the diagnostics of a context while it lives: place and message, then
/// the line of the source with what is meant underlined. Of a long line only
/// the part around the place is shown.
class DiagnosticPrinter : public ScopedDiagnosticHandler {
public:
  /// `sources` has files that cannot be opened by their name, if there are any.
  explicit DiagnosticPrinter(MLIRContext *context,
                             const llvm::SourceMgr *sources = nullptr,
                             raw_ostream &os = llvm::errs());

private:
  void print(const Diagnostic &diag);
  /// The file of that name as text; null if there is none.
  const llvm::MemoryBuffer *getBuffer(StringRef filename);
  StringRef getLine(StringRef filename, unsigned number);

  const llvm::SourceMgr *sources;
  raw_ostream &os;
  ErrorLimit limit;
  std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>> files;
};

/// Keeps errors beyond the limit from the handlers of a context that there are.
void limitErrors(MLIRContext *context, raw_ostream &os = llvm::errs());

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_DIAGNOSTICPRINTER_H
