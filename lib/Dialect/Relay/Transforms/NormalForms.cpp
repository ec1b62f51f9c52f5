//===- NormalForms.cpp - A-normal and graph normal form -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/Transforms/InferTypes.h"

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
        if (op->getNumResults() != 1 ||
            isa<LetOp, ConstantOp, GlobalOp, AscribeOp>(op) ||
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

/// Replaces what a program declares of a value by the value. Sizes that only
/// the declaration knows stay to be checked, tensor by tensor. Returns what
/// stands for the value then.
static Value dissolve(AscribeOp ascribe) {
  Value value = ascribe.getValue();
  auto tuple = dyn_cast<TupleType>(ascribe.getType());
  if (ascribe.isChecked() && !tuple)
    return ascribe.getResult();
  if (ascribe.isChecked()) {
    OpBuilder builder(ascribe);
    Location loc = ascribe.getLoc();
    SmallVector<Value> fields;
    for (auto [index, type] : llvm::enumerate(tuple.getTypes())) {
      auto field = TupleGetItemOp::create(
          builder, loc, cast<TupleType>(value.getType()).getType(index), value,
          static_cast<int64_t>(index));
      fields.push_back(dissolve(AscribeOp::create(builder, loc, type, field)));
    }
    value = TupleOp::create(builder, loc, fields);
  }
  ascribe.getResult().replaceAllUsesWith(value);
  ascribe.erase();
  return value;
}

struct ToGraphNormalFormPass
    : relay::impl::ToGraphNormalFormPassBase<ToGraphNormalFormPass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto let = dyn_cast<LetOp>(op)) {
        let.getResult().replaceAllUsesWith(let.getValue());
        let.erase();
      } else if (auto ascribe = dyn_cast<AscribeOp>(op)) {
        dissolve(ascribe);
      }
    });
    // A declared type may have hidden sizes from what uses the value.
    if (failed(propagateTypes(getOperation())))
      signalPassFailure();
  }
};

} // namespace
