//===- RemoveUnusedFunctions.cpp - Keep what is needed --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"

namespace mlir::relay {
#define GEN_PASS_DEF_REMOVEUNUSEDFUNCTIONSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct RemoveUnusedFunctionsPass
    : relay::impl::RemoveUnusedFunctionsPassBase<RemoveUnusedFunctionsPass> {
  using RemoveUnusedFunctionsPassBase::RemoveUnusedFunctionsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<std::string> names(entries.begin(), entries.end());
    if (names.empty())
      names.push_back("main");
    SmallVector<Operation *> roots;
    for (const std::string &name : names) {
      auto function = symbols.lookup<func::FuncOp>(name);
      if (!function) {
        emitError(getOperation().getLoc())
            << "expects the name of a function of the module, but got '@"
            << name << "'";
        return signalPassFailure();
      }
      roots.push_back(function);
    }
    // What else a module has may use functions as well.
    for (Operation &op : getOperation().getOps())
      if (!isa<func::FuncOp>(op))
        roots.push_back(&op);
    numRemoved += eraseUnreachableFunctions(getOperation(), roots);
  }
};

} // namespace
