//===- CallKnownClosures.cpp - Calls in place of closures -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"

namespace mlir::relax {
#define GEN_PASS_DEF_CALLKNOWNCLOSURESPASS
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

struct CallKnownClosuresPass final
    : relax::impl::CallKnownClosuresPassBase<CallKnownClosuresPass> {
  using CallKnownClosuresPassBase::CallKnownClosuresPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    getOperation().walk([&](InvokeClosureOp invoke) {
      auto closure = invoke.getClosure().getDefiningOp<MakeClosureOp>();
      if (!closure)
        return;
      SmallVector<Value> args(closure.getCaptured());
      llvm::append_range(args, invoke.getArgs());
      // A call with another number of arguments is an error when it runs.
      auto function = symbols.lookup<FuncOp>(closure.getCallee());
      if (!function || function.getNumArguments() != args.size())
        return;
      OpBuilder builder(invoke);
      auto call = CallOp::create(builder, invoke.getLoc(), invoke.getType(),
                                 closure.getCallee(), args);
      invoke.replaceAllUsesWith(call.getResult());
      invoke.erase();
      if (isOpTriviallyDead(closure))
        closure.erase();
    });
  }
};

} // namespace
