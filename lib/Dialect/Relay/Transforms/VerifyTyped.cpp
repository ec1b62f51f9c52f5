//===- VerifyTyped.cpp - Check that types are complete --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

namespace mlir::relay {
#define GEN_PASS_DEF_VERIFYTYPEDPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Checks that `actual`, what `op` has, is `expected`.
static LogicalResult checkTypes(Operation *op, StringRef what,
                                TypeRange expected, TypeRange actual) {
  if (expected == actual)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expects ")
                            << what << " of types (" << expected
                            << "), but got (" << actual << ")";
  diag.attachNote() << "run --relay-infer-types to make types complete";
  return diag;
}

static LogicalResult checkOp(Operation *op, SymbolTable &symbols) {
  bool isUntyped = isa<ApplyOp>(op) && !getOperatorSchema(op);
  if (isUntyped || llvm::any_of(op->getResultTypes(), isUndetermined)) {
    InFlightDiagnostic diag = op->emitOpError("expects complete types");
    diag.attachNote() << "run --relay-infer-types to make types complete";
    return diag;
  }
  for (Type type : op->getResultTypes())
    if (failed(checkTensorLimits([&] { return op->emitOpError(); }, type)))
      return failure();
  if (failed(checkAttributeLimits(op)))
    return failure();
  if (isa<func::ReturnOp>(op))
    return success();
  // Operators of other dialects say what they are fused with.
  if (!isa_and_present<RelayDialect>(op->getDialect()) &&
      !isa<FusionPatternOpInterface>(op))
    return op->emitOpError("expects an operation of the relay dialect, or an "
                           "operator, in a relay function");
  if (auto call = dyn_cast<CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee)
      return call.emitOpError("expects the name of a func.func, but got '")
             << call.getCallee() << "'";
    // The types are those of an instance, which the call's verifier checks.
    if (callee->hasAttr(kTypeParamsAttrName))
      return success();
    // An argument may be more precise than the function's, but not less.
    SmallVector<Type> expected;
    for (auto [argument, parameter] :
         llvm::zip_equal(call.getOperandTypes(), callee.getArgumentTypes()))
      expected.push_back(refineType(argument, parameter));
    if (failed(checkTypes(call, "arguments", expected, call.getOperandTypes())))
      return failure();
    return checkTypes(call, "results", callee.getResultTypes(),
                      call.getResultTypes());
  }
  FailureOr<SmallVector<Type>> inferred = inferResultTypes(op);
  if (failed(inferred))
    return failure();
  for (auto [type, known] : llvm::zip_equal(*inferred, op->getResultTypes()))
    type = refineType(type, known);
  return checkTypes(op, "results", *inferred, op->getResultTypes());
}

namespace {

struct VerifyTypedPass : relay::impl::VerifyTypedPassBase<VerifyTypedPass> {
  using VerifyTypedPassBase::VerifyTypedPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Type type : function.getArgumentTypes())
        if (failed(checkTensorLimits([&] { return function.emitOpError(); },
                                     type)))
          return signalPassFailure();
      WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        return op == function ? WalkResult::advance()
                              : WalkResult(checkOp(op, symbols));
      });
      if (walk.wasInterrupted())
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
