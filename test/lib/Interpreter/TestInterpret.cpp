//===- TestInterpret.cpp - Run functions and print their results ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTestPasses.h"

#include "relay-mlir/Interpreter/Interpreter.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Interprets every public function without arguments, in order, and prints its
/// results: one line `@name#index = value` each. Calls are printed as they
/// return.
struct TestInterpretPass
    : PassWrapper<TestInterpretPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestInterpretPass)

  StringRef getArgument() const final { return "test-relay-interpret"; }
  StringRef getDescription() const final {
    return "Interpret functions without arguments and print their results";
  }

  void runOnOperation() override {
    Interpreter interpreter(&getContext());
    Interpreter::Observer observer;
    observer.after = [](CallOpInterface call,
                        ArrayRef<InterpreterValue> results) {
      llvm::outs() << "  call "
                   << cast<SymbolRefAttr>(call.getCallableForCallee()) << " -> "
                   << results.size() << " results\n";
    };
    interpreter.setObserver(observer);
    bool hasFailed = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.getNumArguments() || !function.isPublic())
        continue;
      FailureOr<SmallVector<InterpreterValue>> results =
          interpreter.run(function, {});
      hasFailed |= failed(results);
      if (failed(results))
        continue;
      for (auto [index, value] : llvm::enumerate(*results))
        llvm::outs() << '@' << function.getSymName() << '#' << index << " = "
                     << value << '\n';
    }
    if (hasFailed)
      signalPassFailure();
  }
};

} // namespace

void mlir::relay::test::registerTestInterpretPass() {
  PassRegistration<TestInterpretPass>();
}
