//===- VerifyInlinedSize.cpp - Check what inlining would make -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/PassOptions.h"

namespace mlir::relay {
#define GEN_PASS_DEF_VERIFYINLINEDSIZEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct VerifyInlinedSizePass
    : relay::impl::VerifyInlinedSizePassBase<VerifyInlinedSizePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return relay::checkRange<int64_t>(context, maxOperations, 0);
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    // Operations of functions that may be inlined, with all that they call.
    // Functions that call themselves stay functions.
    DenseMap<Operation *, int64_t> sizes;
    for (const CallCycle &cycle : getCalleesFirst(getOperation())) {
      func::FuncOp function = cycle.functions.front();
      if (cycle.recursive || isCompiledAsItIs(function))
        continue;
      int64_t size = 0, inlined = 0, largest = 0;
      CallOp largestCall;
      function.getBody().walk([&](Operation *op) {
        auto call = dyn_cast<CallOp>(op);
        auto it =
            call ? sizes.find(symbols.lookup(call.getCallee())) : sizes.end();
        if (it == sizes.end()) {
          ++size;
          return;
        }
        inlined += it->second;
        if (it->second > largest) {
          largest = it->second;
          largestCall = call;
        }
      });
      sizes[function] = size + inlined;
      if (inlined <= maxOperations)
        continue;
      InFlightDiagnostic diag =
          function.emitError()
          << "expects calls in @" << function.getSymName()
          << " that stand for at most " << maxOperations.getValue()
          << " operations once inlined, but got " << inlined;
      diag.attachNote(largestCall.getLoc())
          << "this call of @" << largestCall.getCallee() << " stands for "
          << largest << " of them; does each function call the one before "
          << "several times?";
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
