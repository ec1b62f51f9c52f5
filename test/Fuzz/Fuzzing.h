//===- Fuzzing.h - What the fuzz targets share ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fuzz target is a function of bytes that nobody can trust,
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
//
// Any bytes may be refused, with an error. What is a defect: a crash, a report
// of a sanitizer, a hang, and a broken promise, which expect() finds. With
// RELAY_FUZZ, libFuzzer looks for such bytes (utils/fuzz.sh); else Replay.cpp
// runs those of a corpus.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_FUZZ_FUZZING_H
#define RELAY_MLIR_TEST_FUZZ_FUZZING_H

#include "relay-mlir/InitAllDialects.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace mlir::relay::fuzz {

/// Ends the program, as a failed assertion would, if a promise is broken.
inline void expect(bool holds, llvm::StringRef promise) {
  if (holds)
    return;
  llvm::errs() << "broken promise: " << promise << "\n";
  std::abort();
}

/// A context with the dialects that models are made of. Making one takes longer
/// than reading a model, but types and attributes live as long as it does: it
/// serves some hundred inputs.
inline MLIRContext *getContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned numUses = 0;
  if (numUses++ % 256 == 0) {
    DialectRegistry registry;
    registerProjectDialects(registry);
    registry.insert<func::FuncDialect, arith::ArithDialect>();
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
  }
  return context.get();
}

/// Counts errors, and prints none.
class QuietDiagnostics : public ScopedDiagnosticHandler {
public:
  explicit QuietDiagnostics(MLIRContext *context)
      : ScopedDiagnosticHandler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            ++numErrors;
          return success();
        }) {}

  unsigned numErrors = 0;
};

} // namespace mlir::relay::fuzz

#endif // RELAY_MLIR_TEST_FUZZ_FUZZING_H
