//===- InferTypes.cpp - Infer the types of all values ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/InferTypes.h"

#include "TypeInference.h"

#include "relay-mlir/Dialect/Relay/Analysis/MatchCoverage.h"
#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"
#include "relay-mlir/Dialect/Relay/Analysis/WellFormed.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"

namespace mlir::relay {
#define GEN_PASS_DEF_INFERTYPESPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

LogicalResult relay::propagateTypes(ModuleOp module) {
  SymbolTable symbols(module);
  return relay::detail::TypePropagation(module, symbols).run();
}

LogicalResult relay::inferTypes(ModuleOp module) {
  SymbolTable symbols(module);
  relay::detail::TypeInference inference(module, symbols);
  if (failed(verifyKinds(module)) || failed(inference.run()) ||
      failed(relay::detail::TypePropagation(module, symbols).run()))
    return failure();
  inference.removeAscriptions();
  SymbolTableCollection tables;
  bool covered = true;
  module.walk([&](MatchOp match) {
    covered &= succeeded(verifyCoverage(match, tables));
  });
  return success(covered);
}

namespace {

struct InferTypesPass : relay::impl::InferTypesPassBase<InferTypesPass> {
  using InferTypesPassBase::InferTypesPassBase;

  void runOnOperation() override {
    if (failed(inferTypes(getOperation())) ||
        (!argTypes.empty() && failed(changeArguments())) ||
        failed(checkTensorLimits(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult changeArguments() {
    auto function = getOperation().lookupSymbol<func::FuncOp>(entry);
    if (!function || function.isExternal())
      return getOperation().emitError("expects a function named '")
             << entry << "', the entry of --relay-infer-types";
    if (argTypes.size() != function.getNumArguments())
      return function.emitOpError("expects ")
             << function.getNumArguments() << " arg-types, but got "
             << argTypes.size();
    SmallVector<Type> types;
    for (auto [text, before] :
         llvm::zip_equal(argTypes, function.getArgumentTypes())) {
      types.push_back(parseType(text, &getContext()));
      if (!types.back())
        return failure();
      if (!joinTypes(types.back(), before))
        return function.emitOpError("expects arg-types that differ in sizes "
                                    "only from ")
               << before << ", but got " << types.back();
    }
    SymbolTable symbols(getOperation());
    relay::detail::TypePropagation propagation(getOperation(), symbols);
    propagation.setArgTypes(function, types);
    return propagation.run();
  }
};

} // namespace
