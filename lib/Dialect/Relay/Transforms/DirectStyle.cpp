//===- DirectStyle.cpp - Functions without continuations ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

namespace mlir::relay {
#define GEN_PASS_DEF_UNCPSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct UnCPSPass : relay::impl::UnCPSPassBase<UnCPSPass> {
  using UnCPSPassBase::UnCPSPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (const std::string &name : entries) {
      auto function = module.lookupSymbol<func::FuncOp>(name);
      if (!function) {
        emitError(module.getLoc())
            << "expects the name of a function of the module, but got '@"
            << name << "'";
        return signalPassFailure();
      }
      if (!users.useEmpty(function)) {
        InFlightDiagnostic diag =
            function.emitError("expects a function that nothing calls with a "
                               "continuation, but got "
                               "'@");
        diag << name << "'";
        diag.attachNote(users.getUsers(function).front()->getLoc())
            << "it is used here";
        return signalPassFailure();
      }
      functions.push_back(function);
    }
    // Others call a function with a continuation, which they need not lose.
    // What returns a function has no other style: that has continuations
    // itself.
    if (entries.empty())
      for (auto function : module.getOps<func::FuncOp>())
        if (isOptimizable(function) && users.useEmpty(function) &&
            !returnsFunction(function))
          functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(convert(function)))
        return signalPassFailure();
  }

private:
  /// The type of the continuation; null if there is none.
  static FunctionType getContinuation(func::FuncOp function) {
    auto params = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName);
    if (!params || params.empty() || function.getNumArguments() == 0 ||
        function.getNumResults() != 1)
      return nullptr;
    auto type = dyn_cast<FunctionType>(function.getArgumentTypes().back());
    auto answer =
        TypeVarType::get(function.getContext(),
                         cast<StringAttr>(params.getValue().back()).getValue());
    return type && type.getNumInputs() == 1 && type.getResult(0) == answer &&
                   function.getResultTypes().front() == answer
               ? type
               : FunctionType();
  }

  static bool returnsFunction(func::FuncOp function) {
    FunctionType continuation = getContinuation(function);
    return continuation &&
           getFreeTypeVars(continuation.getInput(0))
               .contains(cast<StringAttr>(
                   function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName)
                       .getValue()
                       .back()));
  }

  static LogicalResult convert(func::FuncOp function) {
    FunctionType continuation = getContinuation(function);
    if (returnsFunction(function))
      return function.emitError("expects a function that returns no functions, "
                                "but got one whose continuation is of type ")
             << continuation;
    if (!continuation)
      return function.emitError(
                 "expects a function in continuation passing style, whose last "
                 "parameter is a function of its result, but got one of type ")
             << getValueType(function);
    Location loc = function.getLoc();
    Type result = continuation.getInput(0);
    SmallVector<StringAttr> params(
        function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName)
            .getAsRange<StringAttr>());
    FunctionType type = function.getFunctionType();
    SmallVector<DictionaryAttr> argAttrs;
    function.getAllArgAttrs(argAttrs);
    // What it was becomes a closure, which knows nothing of what is around it.
    Region body;
    body.takeBody(function.getBody());
    OpBuilder builder(function.getContext());
    TypeSubstitution substitution;
    substitution[params.back().getValue()] = result;
    SmallVector<Type> inputs =
        llvm::map_to_vector(type.getInputs().drop_back(), [&](Type input) {
          return substituteTypes(input, substitution);
        });
    function.setFunctionType(builder.getFunctionType(inputs, {result}));
    function.setAllArgAttrs(ArrayRef(argAttrs).drop_back());
    if (params.size() == 1)
      function->removeAttr(kTypeParamsAttrName);
    else
      function->setAttr(kTypeParamsAttrName,
                        builder.getArrayAttr(llvm::to_vector_of<Attribute>(
                            ArrayRef(params).drop_back())));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    auto inner = FnOp::create(builder, loc, type, /*recursive=*/false, params);
    inner.setArgAttrsAttr(
        builder.getArrayAttr(llvm::to_vector_of<Attribute>(argAttrs)));
    inner.getBodyRegion().takeBody(body);
    Operation *end = inner.getBody().front().getTerminator();
    OpBuilder last(end);
    YieldOp::create(last, end->getLoc(), end->getOperands());
    end->erase();
    auto identity =
        FnOp::create(builder, loc, builder.getFunctionType(result, result));
    identity.setArgAttrsAttr(getParamNames(builder.getContext(), {"x"}));
    OpBuilder only = OpBuilder::atBlockEnd(&identity.getBody().front());
    YieldOp::create(only, loc, ValueRange(identity.getBody().getArguments()));
    SmallVector<Value> args(block->getArguments());
    args.push_back(identity.getResult());
    auto call = CallIndirectOp::create(builder, loc, result, inner.getResult(),
                                       args, /*arg_attrs=*/ArrayAttr(),
                                       /*res_attrs=*/ArrayAttr());
    func::ReturnOp::create(builder, loc, call.getResult());
    return success();
  }
};

} // namespace
