//===- Legalize.cpp - Operators as their targets compute them -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {
#define GEN_PASS_DEF_LEGALIZEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Notes what a builder makes.
struct CreatedOps final : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }

  SmallVector<Operation *> ops;
};

struct LegalizePass final : relay::impl::LegalizePassBase<LegalizePass> {
  using Base::Base;

  void runOnOperation() override {
    if (isCompiledAsItIs(getOperation()))
      return;
    SmallVector<LegalizeOpInterface> ops;
    getOperation().walk([&](LegalizeOpInterface op) { ops.push_back(op); });
    for (LegalizeOpInterface op : ops)
      if (failed(legalize(op, /*round=*/0)))
        return signalPassFailure();
  }

private:
  LogicalResult legalize(LegalizeOpInterface op, unsigned round) {
    constexpr unsigned kMaxRounds = 16;
    CreatedOps created;
    OpBuilder builder(op->getContext(), &created);
    builder.setInsertionPoint(op);
    Value value = op.legalize(builder);
    if (!value)
      return success();
    Value result = op->getResult(0);
    if (value.getType() != result.getType())
      return op.emitOpError("expects a legal form of type ")
             << result.getType() << ", but got " << value.getType();
    if (round == kMaxRounds)
      return op.emitOpError("expects a legal form after ")
             << kMaxRounds << " rounds, but got one that is none";
    result.replaceAllUsesWith(value);
    op.erase();
    ++numReplaced;
    for (Operation *other : created.ops)
      if (auto next = dyn_cast<LegalizeOpInterface>(other))
        if (failed(legalize(next, round + 1)))
          return failure();
    return success();
  }
};

} // namespace
