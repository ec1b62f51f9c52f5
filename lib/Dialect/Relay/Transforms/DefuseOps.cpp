//===- DefuseOps.cpp - Put operators back to where they are called --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DEFUSEOPSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The value as one of `type`, which may know other sizes.
static Value ascribe(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return AscribeOp::create(builder, loc, TypeRange(type), value,
                           ArrayRef<NamedAttribute>());
}

/// Replaces a call by what a block without control flow computes, of which
/// `params` are the parameters.
static void inlineCall(Operation *call, ValueRange args, ValueRange params,
                       Block &body) {
  OpBuilder builder(call);
  IRMapping mapping;
  for (auto [param, arg] : llvm::zip_equal(params, args))
    mapping.map(param, ascribe(builder, call->getLoc(), arg, param.getType()));
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(call->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(ascribe(builder, call->getLoc(),
                                      mapping.lookupOrDefault(value),
                                      result.getType()));
  call->erase();
}

/// Whether calls of the closure, where it is made, are only a way to write what
/// it computes.
static bool isLiteral(FnOp fn) {
  return fn && !fn.getRecursive() && !fn.getTypeParams() &&
         !fn->hasAttr(kCompilerAttrName) && !fn->hasAttr(kCompositeAttrName);
}

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
        inlineCall(call, call.getOperands(), group.getArguments(),
                   group.getBody().front());
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
      inlineCall(call, call.getArgs(), ValueRange(fn.getParams()),
                 fn.getBody().front());
      ++numInlined;
      if (fn->use_empty())
        fn.erase();
    }
  }
};

} // namespace
