//===- NormalForms.cpp - A-normal and graph normal form -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay {
#define GEN_PASS_DEF_TOANORMALFORMPASS
#define GEN_PASS_DEF_TOGRAPHNORMALFORMPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Whether a value is bound already: its one use is a let.
static bool isBound(Value value) {
  return value.hasOneUse() && isa<LetOp>(*value.user_begin());
}

namespace {

struct ToANormalFormPass
    : relay::impl::ToANormalFormPassBase<ToANormalFormPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      unsigned next = 1;
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        // Atoms need no name.
        if (op->getNumResults() != 1 || isa<LetOp, ConstantOp, GlobalOp>(op) ||
            op->getDialect() != getContext().getLoadedDialect<RelayDialect>())
          return;
        Value result = op->getResult(0);
        if (isBound(result))
          return;
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfter(op);
        auto let =
            LetOp::create(builder, op->getLoc(), result.getType(),
                          builder.getStringAttr("x" + Twine(next++)), result);
        result.replaceAllUsesExcept(let.getResult(), let);
      });
    }
  }
};

struct ToGraphNormalFormPass
    : relay::impl::ToGraphNormalFormPassBase<ToGraphNormalFormPass> {
  void runOnOperation() override {
    getOperation().walk([&](LetOp let) {
      // The annotation may know less; users of the value may know more.
      let.getResult().replaceAllUsesWith(let.getValue());
      let.erase();
    });
  }
};

} // namespace
