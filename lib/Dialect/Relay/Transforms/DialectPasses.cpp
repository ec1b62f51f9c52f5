//===- DialectPasses.cpp - Passes that dialects bring ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/DialectPasses.h"

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DIALECTPASSESPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {
struct DialectPassesPass final
    : relay::impl::DialectPassesPassBase<DialectPassesPass> {
  using DialectPassesPassBase::DialectPassesPassBase;

  void runOnOperation() override {
    // In the order of their names, which is that of the loaded dialects.
    OpPassManager manager(ModuleOp::getOperationName());
    for (Dialect *dialect : getContext().getLoadedDialects())
      if (auto *passes =
              dialect->getRegisteredInterface<PassesDialectInterface>())
        passes->addPasses(manager);
    if (!manager.empty() && failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};
} // namespace
