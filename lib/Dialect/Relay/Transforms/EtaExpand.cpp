//===- EtaExpand.cpp - Names as closures ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

namespace mlir::relay {
#define GEN_PASS_DEF_ETAEXPANDPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct EtaExpandPass : relay::impl::EtaExpandPassBase<EtaExpandPass> {
  using EtaExpandPassBase::EtaExpandPassBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isOptimizable(function))
        continue;
      WalkResult walk = function.walk([&](GlobalOp global) -> WalkResult {
        Type type = global.getResult().getType();
        if (!getFunctionBody(type))
          return emitIncompleteType(global, "eta expansion", type);
        Operation *symbol =
            symbols.lookupNearestSymbolFrom(global, global.getSymbolAttr());
        if (auto constructor = dyn_cast_if_present<ConstructorOp>(symbol);
            constructor && expandConstructor)
          expand(global, constructor);
        else if (auto callee = dyn_cast_if_present<func::FuncOp>(symbol);
                 callee && expandGlobalVar)
          expand(global, callee);
        return success();
      });
      if (walk.wasInterrupted())
        return signalPassFailure();
    }
  }

private:
  /// Makes a closure of the type of `global`, with its parameters.
  static FnOp makeClosure(GlobalOp global) {
    OpBuilder builder(global);
    Type type = global.getResult().getType();
    return FnOp::create(builder, global.getLoc(), getFunctionBody(type),
                        /*recursive=*/false, relay::getTypeParams(type));
  }

  void replace(GlobalOp global, FnOp fn, Value result) {
    OpBuilder builder = OpBuilder::atBlockEnd(&fn.getBody().front());
    YieldOp::create(builder, global.getLoc(), result);
    global.replaceAllUsesWith(fn.getResult());
    global.erase();
    ++numExpanded;
  }

  void expand(GlobalOp global, ConstructorOp constructor) {
    FnOp fn = makeClosure(global);
    SmallVector<StringRef> names(constructor.getFields().size(),
                                 "eta_expand_param");
    if (!names.empty())
      fn.setArgAttrsAttr(getParamNames(&getContext(), names));
    OpBuilder builder = OpBuilder::atBlockEnd(&fn.getBody().front());
    auto made = ConstructOp::create(
        builder, global.getLoc(), fn.getFunctionType().getResult(0),
        global.getSymbolAttr(), ValueRange(fn.getBody().getArguments()));
    replace(global, fn, made.getResult());
  }

  void expand(GlobalOp global, func::FuncOp callee) {
    FnOp fn = makeClosure(global);
    if (ArrayAttr attrs = callee.getArgAttrsAttr())
      fn.setArgAttrsAttr(attrs);
    // The closure only calls the function: it is not compiled like that.
    if (Attribute others = callee->getAttr(kTextAttrsAttrName))
      fn->setAttr(kTextAttrsAttrName, others);
    OpBuilder builder = OpBuilder::atBlockEnd(&fn.getBody().front());
    auto call = CallOp::create(
        builder, global.getLoc(), fn.getFunctionType().getResults(),
        FlatSymbolRefAttr::get(callee), ValueRange(fn.getBody().getArguments()),
        /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
    replace(global, fn, call.getResult(0));
  }
};

} // namespace
