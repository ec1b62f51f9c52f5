//===- DefuseOps.cpp - Put operators back to where they are called --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DEFUSEOPSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The function that a call calls, if it is a group of operators.
static func::FuncOp getGroup(CallOp call, const SymbolTable &symbols) {
  auto function = symbols.lookup<func::FuncOp>(call.getCallee());
  bool isGroup = function && function->hasAttr(kPrimitiveAttrName) &&
                 !function->hasAttr(kCompilerAttrName) &&
                 function.getBody().hasOneBlock();
  return isGroup ? function : func::FuncOp();
}

namespace {

struct DefuseOpsPass final : relay::impl::DefuseOpsPassBase<DefuseOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> groups;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kPrimitiveAttrName)) {
        groups.push_back(function);
        continue;
      }
      if (!function->hasAttr(kCompilerAttrName))
        defuse(function, symbols);
    }
    SymbolTableCollection collection;
    SymbolUserMap users(collection, getOperation());
    for (func::FuncOp group : groups)
      if (group.isPrivate() && users.useEmpty(group))
        group.erase();
  }

private:
  void defuse(func::FuncOp function, const SymbolTable &symbols) {
    function.walk([&](CallOp call) {
      if (func::FuncOp group = getGroup(call, symbols)) {
        inlineBlock(call, call.getOperands(), group.getBody().front());
        ++numInlined;
      }
    });
    // Inner ones first, so that what is copied has no calls any more.
    SmallVector<CallIndirectOp> calls;
    function.walk([&](CallIndirectOp call) { calls.push_back(call); });
    for (CallIndirectOp call : calls) {
      auto fn = call.getCallee().getDefiningOp<FnOp>();
      if (!isLiteral(fn))
        continue;
      inlineBlock(call, call.getArgs(), fn.getBody().front());
      ++numInlined;
      if (fn->use_empty())
        fn.erase();
    }
  }
};

} // namespace
