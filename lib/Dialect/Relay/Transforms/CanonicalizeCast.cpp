//===- CanonicalizeCast.cpp - Casts for each of their readers -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CANONICALIZECASTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

static unsigned getWidth(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getElementTypeBitWidth() : 0;
}

static bool isWidening(CastOp cast) {
  return getWidth(cast.getData()) < getWidth(cast.getResult());
}

/// Whether fusion takes the cast into the reader.
static bool takesIn(Operation *reader) {
  auto fusable = dyn_cast<FusionPatternOpInterface>(reader);
  return fusable && fusable.getFusionPattern() <= OpPatternKind::Broadcast;
}

namespace {

struct CanonicalizeCastPass final
    : relay::impl::CanonicalizeCastPassBase<CanonicalizeCastPass> {
  using Base::Base;

  void runOnOperation() override {
    if (isCompiledAsItIs(getOperation()))
      return;
    // Those with a reader that keeps them. Readers come in the order of the
    // program.
    DenseSet<Operation *> kept;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *reader) {
      if (!takesIn(reader))
        return;
      llvm::SmallDenseMap<Operation *, Operation *> copies;
      for (OpOperand &operand : reader->getOpOperands()) {
        auto cast = operand.get().getDefiningOp<CastOp>();
        if (!cast || cast->hasOneUse() || !isWidening(cast))
          continue;
        if (Operation *copy = copies.lookup(cast)) {
          operand.set(copy->getResult(0));
          continue;
        }
        Operation *own = cast;
        if (!kept.insert(cast).second) {
          own = OpBuilder(reader).clone(*cast);
          operand.set(own->getResult(0));
          ++numCopies;
        }
        copies[cast] = own;
      }
    });
  }
};

} // namespace
