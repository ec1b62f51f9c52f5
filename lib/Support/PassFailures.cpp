//===- PassFailures.cpp - Passes that fail without a word -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/PassFailures.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <atomic>

using namespace mlir;

namespace {
class FailureNames : public PassInstrumentation {
public:
  explicit FailureNames(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            hasErrors = true;
          // For the handlers that were there before.
          return failure();
        }) {}

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    // Those around a pass that fails do, too.
    if (name.empty()) {
      StringRef flag = pass->getArgument();
      name = (flag.empty() ? pass->getName() : flag).str();
    }
    // What passes emit on other threads arrives when all of them are done.
    if (op->getParentOp())
      return;
    if (!hasErrors)
      emitError(op->getLoc(), "pass ")
          << name << " failed, and does not say why";
    name.clear();
  }

private:
  ScopedDiagnosticHandler handler;
  std::atomic<bool> hasErrors = false;
  std::string name;
};
} // namespace

void relay::nameFailedPasses(PassManager &manager) {
  manager.addInstrumentation(
      std::make_unique<FailureNames>(manager.getContext()));
}
