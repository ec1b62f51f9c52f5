//===- TestOperatorStatus.cpp - Print what operators support --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTestPasses.h"

#include "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h"
#include "relay-mlir/Dialect/Relay/IR/DecomposableOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Interpreter/Unsupported.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Prints a line for each operation of the dialect: its name without the
/// dialect's, and of `inferred`, `interpreted` and `lowered` what holds.
struct TestOperatorStatusPass
    : PassWrapper<TestOperatorStatusPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestOperatorStatusPass)

  StringRef getArgument() const final { return "test-relay-operator-status"; }
  StringRef getDescription() const final {
    return "Print which operators have types, evaluators and lowerings";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<RelayDialect>();
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RelayToLinalgTypeConverter converter;
    RewritePatternSet patterns(context);
    populateRelayToLinalgPatterns(converter, patterns);
    llvm::DenseSet<OperationName> lowered;
    for (const std::unique_ptr<RewritePattern> &pattern :
         patterns.getNativePatterns())
      if (std::optional<OperationName> root = pattern->getRootKind())
        lowered.insert(*root);

    Interpreter interpreter(context);
    for (RegisteredOperationName name :
         context->getRegisteredOperationsByDialect("relay")) {
      llvm::outs() << name.stripDialect();
      if (name.hasInterface<InferTypeOpInterface>())
        llvm::outs() << " inferred";
      if (interpreter.canEvaluate(name) && !isUnsupportedByInterpreter(name))
        llvm::outs() << " interpreted";
      // Or written in others that are.
      if (lowered.contains(name) ||
          name.hasInterface<DecomposableOpInterface>() ||
          name.hasInterface<ElementSizedOpInterface>())
        llvm::outs() << " lowered";
      llvm::outs() << '\n';
    }
  }
};

} // namespace

void mlir::relay::test::registerTestOperatorStatusPass() {
  PassRegistration<TestOperatorStatusPass>();
}
